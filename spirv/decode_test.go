package spirv

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/diag"
)

// module returns a stream of version 1.6: the header and the instructions.
func module(bound uint32, insts ...[]uint32) []uint32 {
	return append([]uint32{Magic, uint32(Version16), 0, bound, 0}, slices.Concat(insts...)...)
}

// op makes an instruction with the right word count.
func op(o Op, operands ...uint32) []uint32 {
	return append([]uint32{Head(o, len(operands)+1)}, operands...)
}

// words makes the words of a literal string.
func words(s string) []uint32 { return AppendString(nil, s) }

// bytesOf writes words in a byte order.
func bytesOf(order binary.AppendByteOrder, list []uint32) []byte {
	var out []byte
	for _, w := range list {
		out = order.AppendUint32(out, w)
	}
	return out
}

// The instructions that the cases share.
var (
	int32Type = op(OpTypeInt, 1, 32, 0)
	int64Type = op(OpTypeInt, 1, 64, 0)
	glsl      = op(OpExtInstImport, append([]uint32{1}, words("GLSL.std.450")...)...)
)

// TestMalformed has a case for each way in which a stream can be wrong (SPIR-V
// §2.3, §3.3): the code, the instruction and the word of the finding.
func TestMalformed(t *testing.T) {
	cases := []struct {
		name       string
		words      []uint32
		code       string
		inst, word int
	}{
		{"empty", nil, "SPV-Header-Size", 0, 0},
		{"magic", []uint32{0x07230202, 0x10000, 0, 1, 0}, "SPV-Header-Magic", 0, 0},
		{"short header", []uint32{Magic, 0x10000, 0, 1}, "SPV-Header-Size", 0, 4},
		{"version 0.9", []uint32{Magic, 0x900, 0, 1, 0}, "SPV-Header-Version", 0, 1},
		{"version 1.7", []uint32{Magic, 0x10700, 0, 1, 0}, "SPV-Header-Version", 0, 1},
		{"version low byte", []uint32{Magic, 0x10001, 0, 1, 0}, "SPV-Header-Version", 0, 1},
		{"bound 0", module(0), "SPV-Header-Bound", 0, 3},
		{"word count 0", module(1, op(OpNop), []uint32{uint32(OpNop)}), "SPV-Instruction-WordCount", 2, 6},
		{"past the end", module(2, []uint32{Head(OpTypeVoid, 3), 1}), "SPV-Instruction-WordCount", 1, 5},
		{"opcode", module(1, op(OpNop), op(0xffff)), "SPV-Instruction-Opcode", 2, 6},
		{"opcode in a gap", module(1, op(18)), "SPV-Instruction-Opcode", 1, 5},
		{"missing result", module(2, op(OpTypeVoid)), "SPV-Operand-Missing", 1, 6},
		{"missing literal", module(2, op(OpTypeInt, 1, 32)), "SPV-Operand-Missing", 1, 8},
		{"missing parameter", module(2, op(OpDecorate, 1, uint32(DecorationLocation))), "SPV-Operand-Missing", 1, 8},
		{"missing of a mask", module(3, op(OpStore, 1, 2, uint32(MemoryAccessAlignedMask))), "SPV-Operand-Missing", 1, 9},
		{"half a pair", module(4, op(OpPhi, 1, 2, 3)), "SPV-Operand-Missing", 1, 9},
		{"missing of an extended", module(4, glsl, op(OpExtInst, 2, 3, 1, uint32(GLSLFMin), 2)), "SPV-Operand-Missing", 2, 17},
		{"left over", module(1, op(OpNop, 0)), "SPV-Operand-Extra", 1, 6},
		{"left over after optional", module(5, op(OpVariable, 1, 2, 0, 3, 4)), "SPV-Operand-Extra", 1, 10},
		{"left over parameter", module(2, op(OpDecorate, 1, uint32(DecorationBlock), 7)), "SPV-Operand-Extra", 1, 8},
		{"left over string", module(2, op(OpName, 1, 0x00636261, 0)), "SPV-Operand-Extra", 1, 8},
		{"left over of an extended", module(4, glsl, op(OpExtInst, 2, 3, 1, uint32(GLSLFAbs), 2, 2)), "SPV-Operand-Extra", 2, 17},
		{"string without end", module(2, op(OpName, 1, 0x64636261)), "SPV-Operand-String", 1, 7},
		{"enumerant", module(1, op(OpCapability, 9999)), "SPV-Operand-Enumerant", 1, 6},
		{"enumerant of a parameter", module(2, op(OpDecorate, 1, uint32(DecorationBuiltIn), 9999)), "SPV-Operand-Enumerant", 1, 8},
		{"bit", module(2, op(OpSelectionMerge, 1, 4)), "SPV-Operand-Enumerant", 1, 7},
		{"id 0", module(2, op(OpTypeVoid, 0)), "SPV-Id-Zero", 1, 6},
		{"id 0 in a list", module(9, op(OpTypeStruct, 1, 2, 0)), "SPV-Id-Zero", 1, 8},
		{"id at the bound", module(2, op(OpTypeVoid, 2)), "SPV-Id-Bound", 1, 6},
		{"id above a bound of 1", module(1, op(OpTypeVoid, 1)), "SPV-Id-Bound", 1, 6},
		{"defined twice", module(2, op(OpTypeVoid, 1), op(OpTypeBool, 1)), "SPV-Id-Redefined", 2, 7},
		{"defined twice, sparse", module(math.MaxUint32, op(OpTypeVoid, 1<<31), op(OpTypeBool, 1<<31)), "SPV-Id-Redefined", 2, 7},
		{"literal without type", module(3, op(OpConstant, 1, 2, 7)), "SPV-Literal-Type", 1, 8},
		{"literal of no number", module(3, op(OpTypeBool, 1), op(OpConstant, 1, 2, 7)), "SPV-Literal-Type", 2, 10},
		{"literal cut off", module(3, int64Type, op(OpConstant, 1, 2, 7)), "SPV-Operand-Missing", 2, 12},
		{"literal too long", module(3, int32Type, op(OpConstant, 1, 2, 7, 7)), "SPV-Operand-Extra", 2, 13},
		{"literal of impossible width", module(3, op(OpTypeInt, 1, math.MaxUint32, 0), op(OpConstant, 1, 2, 7)), "SPV-Operand-Missing", 2, 12},
		{"switch without selector", module(4, op(OpSwitch, 1, 2, 7, 3)), "SPV-Literal-Type", 1, 8},
		{"switch over a type", module(4, int32Type, op(OpSwitch, 1, 2, 7, 3)), "SPV-Literal-Type", 2, 12},
		{"import", module(2, op(OpExtInstImport, append([]uint32{1}, words("GLSL.std.453")...)...)), "SPV-ExtInst-Import", 1, 7},
		{"set not imported", module(4, op(OpExtInst, 1, 2, 3, 1, 1)), "SPV-ExtInst-Set", 1, 9},
		{"extended number", module(4, glsl, op(OpExtInst, 2, 3, 1, 999)), "SPV-ExtInst-Number", 2, 15},
		{"specialization opcode", module(4, op(OpSpecConstantOp, 1, 2, uint32(OpLoad), 3)), "SPV-SpecConstantOp-Opcode", 1, 8},
		{"specialization opcode above 16 bits", module(4, op(OpSpecConstantOp, 1, 2, 0x10000|uint32(OpIAdd), 3, 3)), "SPV-SpecConstantOp-Opcode", 1, 8},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, err := Decode(bytesOf(binary.LittleEndian, c.words))
			var f *diag.Finding
			if !errors.As(err, &f) || m != nil {
				t.Fatalf("module %v, error %v; want %s", m, err, c.code)
			}
			if f.Code != c.code || f.Pos.Instruction != c.inst || f.Pos.Word != c.word {
				t.Errorf("%s at instruction %d, word %d: %s; want %s at %d, %d", f.Code, f.Pos.Instruction, f.Pos.Word, f.Message, c.code, c.inst, c.word)
			}
		})
	}
}

// TestRedefined demands that the finding names the first definition.
func TestRedefined(t *testing.T) {
	for _, bound := range []uint32{8, math.MaxUint32} {
		_, err := FromWords(module(bound, op(OpTypeVoid, 7), op(OpNop), op(OpTypeBool, 7)))
		var f *diag.Finding
		if !errors.As(err, &f) || len(f.Related) != 1 || f.Related[0].Pos != (diag.Pos{Instruction: 1, Word: 5}) {
			t.Errorf("%v; must relate to instruction 1, word 5", err)
		}
	}
}

func TestWrongSize(t *testing.T) {
	_, err := Decode(make([]byte, 21))
	var f *diag.Finding
	if !errors.As(err, &f) || f.Code != "SPV-Stream-Size" || f.Pos.Word != 5 {
		t.Errorf("%v; want SPV-Stream-Size at word 5", err)
	}
}

// TestWellFormed has streams that look odd and are sound.
func TestWellFormed(t *testing.T) {
	cases := map[string][]uint32{
		"header alone":              module(1),
		"no UTF-8":                  module(2, op(OpName, 1, 0x00ffffff)),
		"empty string":              module(2, op(OpName, 1, 0)),
		"padding is not looked at":  module(2, op(OpName, 1, 0x61620061)),
		"forward reference":         module(3, op(OpTypeStruct, 1, 2)),
		"other non-semantic set":    module(4, op(OpExtInstImport, append([]uint32{1}, words("NonSemantic.Mine")...)...), op(OpExtInst, 2, 3, 1, 77, 2, 2)),
		"later of a known set":      module(4, op(OpExtInstImport, append([]uint32{1}, words("NonSemantic.DebugPrintf")...)...), op(OpExtInst, 2, 3, 1, 77, 2)),
		"next revision of a set":    module(4, op(OpExtInstImport, append([]uint32{1}, words("NonSemantic.ClspvReflection.9")...)...)),
		"switch without cases":      module(3, op(OpSwitch, 1, 2)),
		"int of one bit":            module(3, op(OpTypeInt, 1, 1, 0), op(OpConstant, 1, 2, 1)),
		"mask without known values": module(3, op(OpFunction, 1, 2, 0, 1)),
	}
	for name, w := range cases {
		if _, err := FromWords(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestByteOrder reads one module in both orders; Encode writes little-endian.
func TestByteOrder(t *testing.T) {
	w := module(2, op(OpCapability, uint32(CapabilityShader)), op(OpTypeVoid, 1))
	little := bytesOf(binary.LittleEndian, w)
	for _, data := range [][]byte{little, bytesOf(binary.BigEndian, w)} {
		m, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Words, w) || !slices.Equal(m.Encode(), little) {
			t.Errorf("words %x, bytes %x; want %x", m.Words, m.Encode(), w)
		}
		if m.Version != Version16 || m.Bound != 2 || m.Len() != 2 || m.Offset(1) != 7 || m.Inst(1).Op() != OpTypeVoid || m.Inst(1).Result() != 1 {
			t.Errorf("header or index is wrong: %+v", m)
		}
		if m.Def(1) != 1 || m.Def(0) != -1 || m.Def(2) != -1 || m.Def(math.MaxUint32) != -1 {
			t.Errorf("definitions: 1 at %d, 0 at %d, 2 at %d", m.Def(1), m.Def(0), m.Def(2))
		}
	}
}

// TestShared reads a module that refers to its data, where data is words in host order, and else has a copy.
func TestShared(t *testing.T) {
	w := module(2, op(OpCapability, uint32(CapabilityShader)), op(OpTypeVoid, 1))
	refers := func(data []byte, o Options) bool {
		t.Helper()
		before := slices.Clone(data)
		m, err := DecodeWith(data, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Words, w) || !slices.Equal(data, before) {
			t.Errorf("%+v: words %x, data %x; want %x and %x", o, m.Words, data, w, before)
		}
		return unsafe.Pointer(&m.Words[0]) == unsafe.Pointer(&data[0])
	}
	host, other := bytesOf(binary.NativeEndian, w), bytesOf(binary.LittleEndian, w)
	if host[0] == byte(Magic&0xff) {
		other = bytesOf(binary.BigEndian, w)
	}
	odd := append(make([]byte, 1, 1+len(host)), host...)[1:]
	for _, c := range []struct {
		name   string
		data   []byte
		shared bool
		want   bool
	}{
		{"host order", host, true, true},
		{"host order, not shared", host, false, false},
		{"other order", other, true, false},
		{"no alignment of words", odd, true, false},
	} {
		if got := refers(c.data, Options{Shared: c.shared}); got != c.want {
			t.Errorf("%s: the module refers to data: %v; want %v", c.name, got, c.want)
		}
	}
}

// TestHugeBound demands that memory follows the stream and not the bound.
func TestHugeBound(t *testing.T) {
	data := bytesOf(binary.LittleEndian, module(math.MaxUint32))
	big := bytesOf(binary.LittleEndian, module(math.MaxUint32, op(OpTypeVoid, math.MaxUint32-1), op(OpTypeBool, 7)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(data); err != nil {
		t.Fatal(err)
	}
	m, err := Decode(big)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("%d bytes for two modules of 20 and 36", n)
	}
	if m.Def(math.MaxUint32-1) != 0 || m.Def(7) != 1 || m.Def(8) != -1 {
		t.Errorf("definitions at %d, %d, %d; want 0, 1, -1", m.Def(math.MaxUint32-1), m.Def(7), m.Def(8))
	}
}

// TestAllowUnknown lets unknown instructions in, as one run of words each.
func TestAllowUnknown(t *testing.T) {
	w := module(3, op(OpTypeVoid, 1), op(0xfffe, 42, 99), op(OpCapability, 0xffff), op(OpFunction, 1, 2, 1<<31, 0), op(OpTypeBool, 2))
	m, err := FromWordsWith(w, Options{AllowUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, false, true} {
		if m.Known(i) != want {
			t.Errorf("instruction %d: known %v; want %v", i+1, m.Known(i), want)
		}
	}
	walk := m.Walk(1)
	if !walk.Next() || walk.Kind != KindNone || !slices.Equal(walk.Words, []uint32{42, 99}) || walk.Next() {
		t.Errorf("the walk gives %v %v", walk.Kind, walk.Words)
	}
	if m.Def(2) != 4 {
		t.Errorf("id 2 is defined by %d; want 4: an unknown instruction defines nothing", m.Def(2))
	}
	if _, err := FromWordsWith(module(2, op(OpTypeVoid, 0)), Options{AllowUnknown: true}); err == nil {
		t.Error("a null id was let in")
	}
}

// FuzzDecode checks that no stream panics, that a decoded module encodes to the
// same words, and that the walk sees each word once.
func FuzzDecode(f *testing.F) {
	f.Add(bytesOf(binary.LittleEndian, module(4, glsl, op(OpExtInst, 2, 3, 1, uint32(GLSLFMin), 2, 3))))
	f.Add(bytesOf(binary.BigEndian, module(4, int64Type, op(OpConstant, 1, 2, 7, 7), op(OpSwitch, 2, 3, 1, 0, 3))))
	f.Add(bytesOf(binary.LittleEndian, module(math.MaxUint32, op(OpDecorate, 1, uint32(DecorationLinkageAttributes), 0x61, 0), op(OpLoopMerge, 1, 2, 0x10, 4))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, o := range []Options{{}, {AllowUnknown: true}} {
			m, err := DecodeWith(data, o)
			if err != nil {
				var f *diag.Finding
				if !errors.As(err, &f) || f.Code == "" || f.Pos.Word > len(data)/4 {
					t.Fatalf("not a finding of this stream: %v", err)
				}
				continue
			}
			if m.Words[0] != Magic || len(m.Encode()) != len(data) {
				t.Fatal("not the same words")
			}
			walkAll(t, "fuzz", m)
		}
	})
}

// TestAnyBound lets ids at and above the bound in for listings, dense and sparse ones, and refuses id 0 and second definitions all the same.
func TestAnyBound(t *testing.T) {
	for _, id := range []uint32{2, 3, 100, math.MaxUint32} {
		w := module(2, op(OpTypeVoid, id), op(OpTypePointer, 1, 0, id))
		if _, err := FromWords(w); err == nil {
			t.Errorf("id %d: accepted without the option; the bound is 2", id)
		}
		m, err := FromWordsWith(w, Options{AnyBound: true})
		if err != nil {
			t.Errorf("id %d: %v", id, err)
			continue
		}
		if i := m.Def(ID(id)); i != 0 {
			t.Errorf("id %d is defined by instruction %d; want 0", id, i)
		}
		if m.Bound != 2 {
			t.Errorf("id %d: the bound is %d; want 2, of the header", id, m.Bound)
		}
		for walk := m.Walk(1); walk.Next(); {
		}
	}
	for _, w := range [][]uint32{
		module(2, op(OpTypeVoid, 0)),
		module(2, op(OpTypeVoid, 9), op(OpTypeBool, 9)),
	} {
		if _, err := FromWordsWith(w, Options{AnyBound: true}); err == nil {
			t.Errorf("%#x: accepted", w)
		}
	}
}

// TestLargeModule decodes modules of one piece of clone and around two of them, and checks that they share no memory with the bytes.
func TestLargeModule(t *testing.T) {
	for _, n := range []int{clonePiece / 4, clonePiece/4 + 1, 2*clonePiece/4 - 1, 2*clonePiece/4 + 3} {
		words := module(1)
		for len(words) < n {
			words = append(words, Head(OpNop, 1))
		}
		data := make([]byte, 0, 4*n)
		for _, w := range words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		m, err := Decode(data)
		if err != nil {
			t.Fatalf("%d words: %v", n, err)
		}
		clear(data)
		if !slices.Equal(m.Words, words) {
			t.Errorf("%d words: the module has other words", n)
		}
	}
}
