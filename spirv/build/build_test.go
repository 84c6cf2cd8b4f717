package build

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestBuild compares built instructions with words written from the
// specification (SPIR-V §3.3): first word, then operands in order.
func TestBuild(t *testing.T) {
	cases := []struct {
		name string
		got  []uint32
		want []uint32
	}{
		{"no operands", Nop(nil), []uint32{1 << 16}},
		{"fixed", TypeInt(nil, 1, 32, 0), []uint32{4<<16 | 21, 1, 32, 0}},
		{"ids to the end", AccessChain(nil, 1, 2, 3, 4, 5), []uint32{6<<16 | 65, 1, 2, 3, 4, 5}},
		{"literals to the end", CompositeExtract(nil, 1, 2, 3, 7), []uint32{5<<16 | 81, 1, 2, 3, 7}},
		{"enumerant", TypePointer(nil, 1, spirv.StorageClassUniform, 2), []uint32{4<<16 | 32, 1, 2, 2}},
		{"optional left out", Variable(nil, 1, 2, spirv.StorageClassPrivate), []uint32{4<<16 | 59, 1, 2, 6}},
		{"optional", Load(nil, 1, 2, 3, uint32(spirv.MemoryAccessAlignedMask), 16), []uint32{6<<16 | 61, 1, 2, 3, 2, 16}},
		{"parameters", Decorate(nil, 1, spirv.DecorationBinding, 3), []uint32{4<<16 | 71, 1, 33, 3}},
		{"string at the end", Name(nil, 1, "abcd"), []uint32{4<<16 | 5, 1, 0x64636261, 0}},
		{"string between", EntryPoint(nil, spirv.ExecutionModelGLCompute, 1, "f", 2, 3), []uint32{6<<16 | 15, 5, 1, 0x66, 2, 3}},
		{"wide literal", Constant(nil, 1, 2, 7, 8), []uint32{5<<16 | 43, 1, 2, 7, 8}},
		{"pairs", Phi(nil, 1, 2, 3, 4), []uint32{5<<16 | 245, 1, 2, 3, 4}},
		{"opcode", SpecConstantOp(nil, 1, 2, spirv.OpIAdd, 3, 4), []uint32{6<<16 | 52, 1, 2, 128, 3, 4}},
		{"extended", GLSLFMin(nil, 1, 2, 3, 4, 5), []uint32{7<<16 | 12, 1, 2, 3, 37, 4, 5}},
	}
	for _, c := range cases {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %x; want %x", c.name, c.got, c.want)
		}
	}
	two := Label(Nop(nil), 9)
	if want := []uint32{1 << 16, 2<<16 | 248, 9}; !slices.Equal(two, want) {
		t.Errorf("two in a row: %x; want %x", two, want)
	}
}

func TestTooLong(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an instruction of 65537 words was built")
		}
	}()
	TypeStruct(nil, 1, make([]spirv.ID, 65535)...)
}
