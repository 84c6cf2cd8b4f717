//go:build unix

package conformance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// longHead begins a module whose body is a chain of units. Binding 0 holds
// unsigned integers.
const longHead = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %B BufferBlock
OpMemberDecorate %B 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%B = OpTypeStruct %words
%toB = OpTypePointer Uniform %B
%toUint = OpTypePointer Uniform %uint
%toV3 = OpTypePointer Input %uint3
%toLocal = OpTypePointer Function %uint
%buf = OpVariable %toB Uniform
%gid = OpVariable %toV3 Input
%main_t = OpTypeFunction %void
%callee_t = OpTypeFunction %uint %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%seven = OpConstant %uint 7
%big = OpConstant %uint 1103515245
`

// A family is a kind of long module: what one unit of its body is, in which @
// is the unit's number and < that of the one before. A unit takes %x< and gives
// %x@.
type family struct {
	name string
	unit string
	size int    // instructions of a unit, of its variable and of its tail
	head string // a variable for each unit
	tail string // behind all units, for each from the last on: takes %z< and gives %z@

	build func(n int) string // or the text of the module after longHead
}

var families = []family{
	{name: "arithmetic", unit: `%a@ = OpIMul %uint %x< %big
%b@ = OpShiftRightLogical %uint %a@ %seven
%d@ = OpBitwiseXor %uint %a@ %b@
%x@ = OpIAdd %uint %d@ %x<
`, size: 4},
	{name: "memory", unit: `%i@ = OpBitwiseAnd %uint %x< %big
%p@ = OpAccessChain %toUint %buf %zero %i@
%l@ = OpLoad %uint %p@
%x@ = OpIAdd %uint %l@ %x<
OpStore %p@ %x@
`, size: 5},
	{name: "branches", unit: `%b@ = OpBitwiseAnd %uint %x< %one
%t@ = OpIEqual %bool %b@ %zero
OpStore %local %x<
OpSelectionMerge %m@ None
OpBranchConditional %t@ %y@ %n@
%y@ = OpLabel
%ya@ = OpIMul %uint %x< %big
OpStore %local %ya@
%yp@ = OpAccessChain %toUint %buf %zero %ya@
OpStore %yp@ %b@
OpBranch %m@
%n@ = OpLabel
%na@ = OpIAdd %uint %x< %seven
OpStore %local %na@
OpBranch %m@
%m@ = OpLabel
%x@ = OpLoad %uint %local
`, size: 17},
	{name: "loops", unit: `OpStore %local %x<
OpStore %count %zero
OpBranch %h@
%h@ = OpLabel
OpLoopMerge %m@ %o@ None
OpBranch %s@
%s@ = OpLabel
%j@ = OpLoad %uint %count
%t@ = OpULessThan %bool %j@ %x<
OpBranchConditional %t@ %y@ %m@
%y@ = OpLabel
%w@ = OpLoad %uint %local
%ya@ = OpIMul %uint %w@ %big
OpStore %local %ya@
OpBranch %o@
%o@ = OpLabel
%jn@ = OpIAdd %uint %j@ %one
OpStore %count %jn@
OpBranch %h@
%m@ = OpLabel
%x@ = OpLoad %uint %local
`, size: 21},
	{name: "calls", unit: `%x@ = OpFunctionCall %uint %f@ %x<
`, size: 8},
	{name: "alive", unit: `%a@ = OpIMul %uint %x< %big
%x@ = OpBitwiseXor %uint %a@ %seven
`, size: 3, tail: `%z@ = OpIAdd %uint %z< %a@
`},
	{name: "variables", head: `%v@ = OpVariable %toLocal Function
`, unit: `%b@ = OpBitwiseAnd %uint %x< %one
%t@ = OpIEqual %bool %b@ %zero
OpStore %v@ %x<
OpSelectionMerge %m@ None
OpBranchConditional %t@ %y@ %m@
%y@ = OpLabel
%ya@ = OpIMul %uint %x< %big
OpStore %v@ %ya@
OpBranch %m@
%m@ = OpLabel
%x@ = OpLoad %uint %v@
`, size: 14, tail: `%l@ = OpLoad %uint %v@
%z@ = OpIAdd %uint %z< %l@
`},
	{name: "nested", unit: `%a@ = OpIMul %uint %x< %big
%b@ = OpShiftRightLogical %uint %a@ %seven
%c@ = OpBitwiseXor %uint %b@ %x<
%d@ = OpIAdd %uint %c@ %a@
%e@ = OpIMul %uint %d@ %big
%f@ = OpBitwiseXor %uint %e@ %a@
%x@ = OpIAdd %uint %f@ %seven
%t@ = OpULessThan %bool %x@ %x<
OpStore %local %x@
OpSelectionMerge %m@ None
OpBranchConditional %t@ %y@ %m@
%y@ = OpLabel
`, size: 15, tail: `OpBranch %m@
%m@ = OpLabel
%z@ = OpLoad %uint %local
`},
}

// callee is the function that a unit of the family "calls" calls.
const callee = `%f@ = OpFunction %uint None %callee_t
%fa@ = OpFunctionParameter %uint
%fl@ = OpLabel
%fb@ = OpIMul %uint %fa@ %big
%fc@ = OpBitwiseXor %uint %fb@ %fa@
OpReturnValue %fc@
OpFunctionEnd
`

// module returns the module of a family with about n instructions.
func (f family) module(t testing.TB, n int) []byte {
	var b strings.Builder
	add := func(text string, i, before int) {
		b.WriteString(strings.NewReplacer("@", fmt.Sprint(i), "<", fmt.Sprint(before)).Replace(text))
	}
	b.WriteString(longHead)
	if f.build != nil {
		return assembled(t, f.name, b.String()+f.build(n))
	}
	units := n / f.size
	b.WriteString("%main = OpFunction %void None %main_t\n%entry = OpLabel\n%local = OpVariable %toLocal Function\n%count = OpVariable %toLocal Function\n")
	for i := 1; i <= units; i++ {
		add(f.head, i, i-1)
	}
	b.WriteString("%gid3 = OpLoad %uint3 %gid\n%x0 = OpCompositeExtract %uint %gid3 0\n")
	for i := 1; i <= units; i++ {
		add(f.unit, i, i-1)
	}
	result := fmt.Sprintf("%%x%d", units)
	if f.tail != "" {
		add("%z@ = OpIAdd %uint %x0 %zero\n", units+1, 0)
		for i := units; i > 0; i-- {
			add(f.tail, i, i+1)
		}
		result = "%z1"
	}
	b.WriteString("%last = OpAccessChain %toUint %buf %zero %x0\nOpStore %last " + result + "\nOpReturn\nOpFunctionEnd\n")
	if f.name == "calls" {
		for i := 1; i <= units; i++ {
			add(callee, i, 0)
		}
	}
	return assembled(t, f.name, b.String())
}

func assembled(t testing.TB, name, text string) []byte {
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return asm.Bytes(words)
}

// stages are the times of one compilation, by what takes them.
type stages map[string]time.Duration

// compileStages compiles the entry point of a module and returns what takes how
// long.
func compileStages(t testing.TB, data []byte) stages {
	s := stages{}
	start := cputime.Now()
	lap := func(name string) {
		now := cputime.Now()
		s[name] += now - start
		start = now
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	f := facts.Gather(m, nil)
	lap("facts")
	p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lap("lower")
	for _, x := range pass.Passes {
		x.Run(p)
		lap("pass " + x.Name)
	}
	p.StateEffects()
	lap("effects")
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	lap("verify")
	prog, err := jit.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lap("jit")
	prog.Close()
	return s
}

func (s stages) total() (d time.Duration) {
	for _, x := range s {
		d += x
	}
	return d
}

// TestCompileGrows compiles ever longer modules: what takes n log n must not
// take n². The least processor time of three tries counts, or of up to twenty if
// the time seems to grow too fast: the machine may be busy. CHIARO_LONG continues
// to 50,000 instructions.
func TestCompileGrows(t *testing.T) {
	if !hasJIT() {
		t.Skip("needs linux on amd64 with AVX-512 or AVX2")
	}
	sizes := []int{3125, 12500, 50000}
	if _, long := os.LookupEnv("CHIARO_LONG"); !long {
		sizes = sizes[:2]
	}
	const few, many = 3, 20
	for _, f := range slices.Concat(families, shapes) {
		modules, best := make([][]byte, len(sizes)), make([]stages, len(sizes))
		for i, n := range sizes {
			modules[i] = f.module(t, n)
		}
		for try := range many {
			for i, data := range modules {
				if s := compileStages(t, data); best[i] == nil || s.total() < best[i].total() {
					best[i] = s
				}
			}
			if try+1 >= few && tooSteep(best) < 0 {
				break
			}
		}
		if i := tooSteep(best); i >= 0 {
			t.Errorf("%s: %d instructions take %v, %d take %v", f.name, sizes[i-1], best[i-1].total(), sizes[i], best[i].total())
		}
		line := ""
		for i, n := range sizes {
			line += fmt.Sprintf("  %d: %v", n, best[i].total().Round(100*time.Microsecond))
		}
		if last := best[len(best)-1]; testing.Verbose() {
			for name, x := range last {
				if x > last.total()/20 {
					line += fmt.Sprintf("\n\t%s %v", name, x.Round(100*time.Microsecond))
				}
			}
		}
		t.Log(f.name, line)
	}
}

// tooSteep returns the first compilation that takes too long beside the one
// before it, of a quarter of its length; -1 if none does.
func tooSteep(best []stages) int {
	const most = 4 * 2.5 // times as long for four times the length; n² would be 16
	for i := 1; i < len(best); i++ {
		if float64(best[i].total()) > most*float64(max(best[i-1].total(), 10*time.Millisecond)) {
			return i
		}
	}
	return -1
}

// TestManyBlocks compiles and runs 100,000 basic blocks; of several kinds where
// CHIARO_LONG is set.
func TestManyBlocks(t *testing.T) {
	if !hasJIT() {
		t.Skip("needs linux on amd64 with AVX-512 or AVX2")
	}
	_, long := os.LookupEnv("CHIARO_LONG")
	for _, f := range families {
		blocks := strings.Count(f.unit+f.tail, "OpLabel")
		if blocks == 0 || f.name == "nested" || !long && f.name != "branches" {
			continue
		}
		const want = 100_000
		data := f.module(t, want/blocks*f.size)
		begin := cputime.Now()
		prog := compileModule(t, jit.Engine{}, data)
		t.Logf("%s: %v", f.name, cputime.Now()-begin)
		memory := make([]byte, 4096)
		err := compute.Dispatch(context.Background(), prog, compute.Args{
			Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: memory}}}, Budget: 1000,
		})
		var budget *exec.BudgetError
		if err != nil && !errors.As(err, &budget) {
			t.Errorf("%s: %v", f.name, err)
		}
		prog.Close()
	}
}

// compileModule compiles the first entry point of a module.
func compileModule(t testing.TB, e exec.Engine, data []byte) exec.Program {
	t.Helper()
	prog, err := tryModule(e, data)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func tryModule(e exec.Engine, data []byte) (exec.Program, error) {
	m, err := spirv.Decode(data)
	if err != nil {
		return nil, err
	}
	f := facts.Gather(m, nil)
	p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{})
	if err != nil {
		return nil, err
	}
	pass.Run(p)
	return e.Compile(p, exec.Options{})
}

// hungry is a module whose invocations have an array of the given number of
// words each, at a place that is not known.
func hungry(t *testing.T, words uint32) []byte {
	text := longHead + fmt.Sprintf(`%%many = OpConstant %%uint %d
%%array = OpTypeArray %%uint %%many
%%toArray = OpTypePointer Private %%array
%%toWord = OpTypePointer Private %%uint
%%memory = OpVariable %%toArray Private
%%main = OpFunction %%void None %%main_t
%%entry = OpLabel
%%gid3 = OpLoad %%uint3 %%gid
%%x = OpCompositeExtract %%uint %%gid3 0
%%from = OpAccessChain %%toUint %%buf %%zero %%x
%%at = OpLoad %%uint %%from
%%place = OpAccessChain %%toWord %%memory %%at
OpStore %%place %%x
%%back = OpLoad %%uint %%from
%%again = OpAccessChain %%toWord %%memory %%back
%%y = OpLoad %%uint %%again
OpStore %%from %%y
OpReturn
OpFunctionEnd
`, words)
	out := asmtest.Words(t, text, 0)
	return asm.Bytes(out)
}

// TestHungry: private memory is either there or refused by name.
func TestHungry(t *testing.T) {
	for _, words := range []uint32{1 << 10, 1 << 18, 1 << 22, 1 << 28, 1<<30 - 1, 1<<32 - 1} {
		data := hungry(t, words)
		for _, e := range engines {
			if e.Name() == "jit" && !hasJIT() {
				continue
			}
			prog, err := tryModule(e, data)
			if words > 1<<18 {
				var limit *exec.LimitError
				var missing *lower.Unsupported
				if !errors.As(err, &limit) && !errors.As(err, &missing) {
					t.Errorf("%s: %d words of each invocation: error %v", e.Name(), words, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %d words of each invocation: %v", e.Name(), words, err)
				continue
			}
			memory := make([]byte, 4*64)
			binary.LittleEndian.PutUint32(memory, uint32(words)-1)
			err = compute.Dispatch(context.Background(), prog, compute.Args{
				Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: memory}}},
			})
			if err != nil {
				t.Errorf("%s: %d words: %v", e.Name(), words, err)
			}
			if err := prog.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
