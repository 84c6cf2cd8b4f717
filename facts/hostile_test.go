package facts

import (
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/spirv/build"
)

// everything calls all lookups of a module.
func everything(m *Module) {
	for i := range m.Code.Len() {
		in := m.Code.Inst(i)
		id := in.Result()
		for range m.Decorations(id) {
			break
		}
		m.Name(id)
		m.MemberName(id, 0)
		m.TypeOf(id)
		m.Line(i)
		m.Switch(&Block{Func: &Function{}, Term: -1})
	}
	for i := range m.Types {
		t := &m.Types[i]
		t.Size(16, true)
		t.Align(Extended, true)
		t.Part(1)
		t.Scalar()
	}
	for i := range m.Consts {
		m.Consts[i].Elem(1)
		m.Consts[i].Int()
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		for n := range f.Blocks {
			b := &f.Blocks[n]
			m.Switch(b)
			b.Construct.Contains(f.Entry())
			Dominates(f.Entry(), b)
		}
	}
	for i := range min(len(m.EntryPoints), 4) {
		m.CallTree(&m.EntryPoints[i])
		m.Globals(&m.EntryPoints[i])
	}
	m.Sources()
}

// TestBroken gathers malformed modules that decode.
func TestBroken(t *testing.T) {
	const head = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%int = OpTypeInt 32 1\n%n = OpConstant %int 1\n"
	for name, text := range map[string]string{
		"empty":                   "",
		"types in a circle":       "%a = OpTypeStruct %b\n%b = OpTypeStruct %a\n%c = OpTypeArray %c %c\n%d = OpTypeVector %d 4\n%p = OpTypePointer Uniform %p\n%f = OpTypeFunction %f %f\n",
		"constants in a circle":   "%i = OpTypeInt 32 1\n%s = OpTypeStruct %s\n%a = OpConstantComposite %s %a\n%b = OpSpecConstantOp %i IAdd %b %b\n%c = OpSpecConstantOp %s CompositeInsert %c %c 0 0 0\n",
		"array without a type":    "%a = OpTypeArray %x %y\n%b = OpTypeMatrix %a 4\n%c = OpTypeVector %b 4\n%d = OpTypeStruct %a %b %c %d\n%m = OpTypeMatrix %c 3\n",
		"ids of nothing":          "OpDecorate %x Block\nOpMemberDecorate %x 0 Offset 0\nOpName %y \"y\"\nOpEntryPoint GLCompute %z \"z\" %y\nOpExecutionModeId %z LocalSizeId %x %y %z\nOpGroupDecorate %x %y\n",
		"a group in itself":       "OpDecorate %g Block\nOpGroupDecorate %g %g\nOpGroupMemberDecorate %g %g 0\n%g = OpDecorationGroup\n",
		"calls in a circle":       head + "%f = OpFunction %void None %fn\n%l = OpLabel\n%c = OpFunctionCall %void %f\n%d = OpFunctionCall %void %n\nOpReturn\nOpFunctionEnd\nOpEntryPoint GLCompute %f \"f\"\n",
		"labels of nowhere":       head + "%l = OpLabel\nOpBranch %l\nOpFunctionEnd\nOpFunctionEnd\n",
		"function without an end": head + "%f = OpFunction %void None %fn\n%l = OpLabel\nOpSelectionMerge %l None\nOpBranch %l\n%g = OpFunction %void None %fn\n%k = OpLabel\nOpBranch %l\n",
		"no terminators":          head + "%f = OpFunction %void None %fn\n%a = OpLabel\n%b = OpLabel\nOpLoopMerge %a %a None\n%c = OpLabel\nOpLoopMerge %c %c None\nOpBranch %c\nOpBranch %a\nOpFunctionEnd\n",
		"merges that cross":       head + "%f = OpFunction %void None %fn\n%a = OpLabel\nOpLoopMerge %b %b None\nOpBranch %b\n%b = OpLabel\nOpLoopMerge %a %c None\nOpSwitch %n %a 1 %c 2 %b\n%c = OpLabel\nOpSelectionMerge %a None\nOpSwitch %n %a 1 %b\nOpFunctionEnd\n",
		"merge of another":        head + "%f = OpFunction %void None %fn\n%a = OpLabel\nOpSelectionMerge %n None\nOpBranch %x\nOpFunctionEnd\n%g = OpFunction %void None %fn\n%b = OpLabel\nOpSelectionMerge %a None\nOpBranch %a\nOpFunctionEnd\n",
		"variable from itself":    "%i = OpTypeInt 32 1\n%p = OpTypePointer Private %i\n%v = OpVariable %p Private %v\n%w = OpVariable %i Private %x\n",
		"line of nothing":         "OpLine %x 1 2\n%v = OpTypeVoid\n",
		"size from nothing":       "OpDecorate %c BuiltIn WorkgroupSize\n%i = OpTypeInt 32 1\n%c = OpConstantNull %i\nOpEntryPoint GLCompute %c \"c\"\n",
	} {
		m, err := tryGather(text, nil)
		if err != nil {
			t.Logf("%s does not decode: %v", name, err)
			continue
		}
		everything(m.Module)
	}
}

// TestMutated gathers each module that still decodes after a few words have changed.
func TestMutated(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for _, text := range []string{types, calls, loops} {
		words := asmtest.Words(t, text, 0)
		decoded := 0
		for range 3000 {
			w := append([]uint32(nil), words...)
			for range 1 + r.Intn(4) {
				at := spirv.HeaderWords + r.Intn(len(w)-spirv.HeaderWords)
				w[at] = w[at]&0xffff0000 | uint32(r.Intn(int(w[3])+1))
			}
			if m, err := spirv.FromWords(w); err == nil {
				decoded++
				everything(Gather(m, nil))
			}
		}
		if decoded < 100 {
			t.Errorf("only %d modules decoded", decoded)
		}
	}
}

// header begins a module in words.
func header(bound uint32) []uint32 {
	return []uint32{spirv.Magic, uint32(spirv.Version16), 0, bound, 0}
}

// TestHuge gathers modules designed to be slow or large: time and memory must be
// proportional to the words. The unit of time is the decoding of the same words,
// so that the test does not depend on the speed or load of the machine.
func TestHuge(t *testing.T) {
	for name, build := range map[string]func() []uint32{
		"nested selections":  nestedSelections,
		"wide switch":        wideSwitch,
		"ladder":             ladder,
		"exits to all sides": exits,
		"nested types":       nestedTypes,
		"inserts":            inserts,
		"grouped":            groups,
		"entry points":       entryPoints,
		"chain of calls":     chain,
		"huge bound":         func() []uint32 { return header(1<<32 - 1) },
	} {
		words := build()
		start := time.Now()
		m, err := spirv.FromWords(words)
		limit := 2*time.Second + 500*time.Since(start)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start = time.Now()
		f := Gather(m, nil)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		arena := after.TotalAlloc - before.TotalAlloc
		if took > limit || arena > 400*4*uint64(len(words))+1<<20 {
			t.Errorf("%s: %d words took %v of %v and %d bytes", name, len(words), took, limit, arena)
		}
		everything(f)
	}
}

const many = 30000

// begin begins a function: ids 1 void, 2 its type, 3 bool, 4 true, 5 int, 6 one,
// 7 the function; labels begin at 10.
func begin(bound uint32) []uint32 {
	w := build.TypeVoid(header(bound), 1)
	w = build.TypeFunction(w, 2, 1)
	w = build.TypeBool(w, 3)
	w = build.ConstantTrue(w, 3, 4)
	w = build.TypeInt(w, 5, 32, 0)
	w = build.Constant(w, 5, 6, 1)
	return build.Function(w, 1, 7, 0, 2)
}

// nestedSelections: block i is a header with merge block many+i.
func nestedSelections() []uint32 {
	w := begin(10 + 2*many + 1)
	for i := range spirv.ID(many) {
		w = build.Label(w, 10+i)
		w = build.SelectionMerge(w, 10+many+i, 0)
		next := 10 + i + 1
		if i == many-1 {
			next = 10 + 2*many
		}
		w = build.BranchConditional(w, 4, next, 10+many+i)
	}
	w = build.Label(w, 10+2*many)
	w = build.Branch(w, 10+2*many-1)
	for i := spirv.ID(many); i > 0; i-- {
		w = build.Label(w, 10+many+i-1)
		if i == 1 {
			w = build.Return(w)
		} else {
			w = build.Branch(w, 10+many+i-2)
		}
	}
	return build.FunctionEnd(w)
}

func wideSwitch() []uint32 {
	w := begin(10 + many + 2)
	w = build.Label(w, 10)
	w = build.SelectionMerge(w, 10+many+1, 0)
	var cases []uint32
	for i := range uint32(many) {
		cases = append(cases, i, 10+1+i)
	}
	w = build.Switch(w, 6, 10+many+1, cases...)
	for i := range spirv.ID(many) {
		w = build.Label(w, 11+i)
		w = build.Branch(w, 12+i) // each case falls through
	}
	w = build.Label(w, 10+many+1)
	w = build.Return(w)
	return build.FunctionEnd(w)
}

// ladder has edges that make simple dominator algorithms quadratic: down a
// chain, and back from each rung to the one before.
func ladder() []uint32 {
	w := begin(10 + 2*many + 1)
	for i := range spirv.ID(many) {
		w = build.Label(w, 10+i)
		w = build.BranchConditional(w, 4, 10+i+1, 10+2*many-i)
	}
	for i := range spirv.ID(many) {
		w = build.Label(w, 10+many+i)
		w = build.BranchConditional(w, 4, 10+many+i+1, 10+many-i)
	}
	w = build.Label(w, 10+2*many)
	w = build.Return(w)
	return build.FunctionEnd(w)
}

// exits has branches from the innermost of nested selections to many blocks that
// are not merge blocks.
func exits() []uint32 {
	w := begin(10 + 2*many + 1)
	for i := range spirv.ID(many) {
		w = build.Label(w, 10+i)
		w = build.SelectionMerge(w, 10+2*many, 0)
		if i < many-1 {
			w = build.Branch(w, 10+i+1)
			continue
		}
		var cases []uint32
		for k := range uint32(many) {
			cases = append(cases, k, 10+many+k)
		}
		w = build.Switch(w, 6, 10+2*many, cases...)
	}
	for i := range spirv.ID(many) {
		w = build.Label(w, 10+many+i)
		w = build.Return(w)
	}
	w = build.Label(w, 10+2*many)
	w = build.Return(w)
	return build.FunctionEnd(w)
}

func nestedTypes() []uint32 {
	w := build.TypeInt(header(10+2*many), 1, 32, 0)
	w = build.Constant(w, 1, 2, 1<<31)
	for i := range spirv.ID(many) {
		from := 10 + 2*i - 1
		if i == 0 {
			from = 1
		}
		w = build.TypeArray(w, 10+2*i, from, 2)
		w = build.TypeStruct(w, 10+2*i+1, 10+2*i, 10+2*i)
	}
	return w
}

// inserts changes one element of a large array repeatedly.
func inserts() []uint32 {
	w := build.TypeInt(header(10+many), 1, 32, 0)
	w = build.Constant(w, 1, 2, 50000)
	w = build.TypeArray(w, 3, 1, 2)
	w = build.ConstantNull(w, 3, 10)
	for i := range spirv.ID(many - 1) {
		w = build.SpecConstantOp(w, 3, 11+i, spirv.OpCompositeInsert, 2, uint32(10+i), uint32(i))
	}
	return w
}

func groups() []uint32 {
	w := header(10 + many)
	for range many {
		w = build.Decorate(w, 1, spirv.DecorationBlock)
	}
	w = build.DecorationGroup(w, 1)
	var targets []spirv.ID
	for i := range spirv.ID(many) {
		targets = append(targets, 10+i)
	}
	w = build.GroupDecorate(w, 1, targets...)
	for i := range spirv.ID(many) {
		w = build.TypeStruct(w, 10+i)
	}
	return w
}

func entryPoints() []uint32 {
	w := header(10)
	for range many {
		w = build.EntryPoint(w, spirv.ExecutionModelGLCompute, 7, "")
		w = build.ExecutionMode(w, 7, spirv.ExecutionModeEarlyFragmentTests)
	}
	return append(w, begin(10)[spirv.HeaderWords:]...)
}

// chain is a chain of calls.
func chain() []uint32 {
	w := build.TypeVoid(header(10+3*many+1), 1)
	w = build.TypeFunction(w, 2, 1)
	for i := range spirv.ID(many) {
		w = build.Function(w, 1, 10+3*i, 0, 2)
		w = build.Label(w, 11+3*i)
		w = build.FunctionCall(w, 1, 12+3*i, 10+3*(i+1))
		w = build.Return(w)
		w = build.FunctionEnd(w)
	}
	return w
}

// FuzzGather: Gather accepts every module that decodes.
func FuzzGather(f *testing.F) {
	for _, text := range []string{types, calls, loops} {
		words := asmtest.Words(f, text, 0)
		f.Add(asm.Bytes(words))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := spirv.Decode(data); err == nil {
			everything(Gather(m, Spec{0: 1}))
		}
	})
}
