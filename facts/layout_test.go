package facts

import "testing"

// TestAlign follows the section Alignment Requirements of Vulkan's chapter
// Shader Interfaces.
func TestAlign(t *testing.T) {
	m := gather(t, `
OpMemberDecorate %rows 0 RowMajor
OpMemberDecorate %rows 0 MatrixStride 16
OpMemberDecorate %cols 0 ColMajor
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%double = OpTypeFloat 64
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%hvec3 = OpTypeVector %half 3
%dvec3 = OpTypeVector %double 3
%mat2x3 = OpTypeMatrix %vec3 2
%mats = OpTypeArray %mat2x3 %two
%floats = OpTypeArray %float %two
%open = OpTypeRuntimeArray %vec2
%pair = OpTypeStruct %half %vec2
%empty = OpTypeStruct
%rows = OpTypeStruct %mats
%cols = OpTypeStruct %mats
%opaque = OpTypeSampler
%matrixLast = OpTypeStruct %mat2x3 %vec3
%address = OpTypePointer PhysicalStorageBuffer %pair
%holder = OpTypeStruct %address
`, nil)
	for _, c := range []struct {
		name                   string
		scalar, base, extended uint32
	}{
		{"float", 4, 4, 4},
		{"half", 2, 2, 2},
		{"double", 8, 8, 8},
		{"vec2", 4, 8, 8},
		{"vec3", 4, 16, 16},
		{"vec4", 4, 16, 16},
		{"hvec3", 2, 8, 8},
		{"dvec3", 8, 32, 32},
		{"mat2x3", 4, 16, 16}, // two columns of three
		{"floats", 4, 4, 16},
		{"open", 4, 8, 16},
		{"pair", 4, 8, 16},
		{"empty", 0, 4, 16}, // no capability permits smaller scalars in a buffer
		{"cols", 4, 16, 16},
		{"rows", 4, 8, 16}, // three rows of two
		{"opaque", 0, 0, 0},
		{"address", 8, 8, 8},
		{"holder", 8, 8, 16},
	} {
		x := m.typ(c.name)
		got := [3]uint32{x.Align(Scalar, false), x.Align(Base, false), x.Align(Extended, false)}
		if got != [3]uint32{c.scalar, c.base, c.extended} {
			t.Errorf("%s: %v, want %v", c.name, got, c)
		}
	}
	if a := m.typ("mat2x3").Align(Base, true); a != 8 {
		t.Errorf("row-major matrix of two columns: %d, want 8", a)
	}
}

func TestSize(t *testing.T) {
	m := gather(t, `
OpDecorate %floats ArrayStride 16
OpDecorate %floats2 ArrayStride 64
OpDecorate %mats ArrayStride 48
OpDecorate %open ArrayStride 4
OpDecorate %list ArrayStride 8
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 1 RowMajor
OpMemberDecorate %block 2 Offset 128
OpMemberDecorate %matrixLast 0 Offset 32
OpMemberDecorate %matrixLast 0 MatrixStride 16
OpMemberDecorate %matrixLast 0 ColMajor
OpMemberDecorate %matrixLast 1 Offset 0
OpMemberDecorate %tail 0 Offset 16
OpMemberDecorate %tail 1 Offset 0
OpMemberDecorate %tail 2 Offset 32
%float = OpTypeFloat 32
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%vec3 = OpTypeVector %float 3
%mat2x3 = OpTypeMatrix %vec3 2
%mats = OpTypeArray %mat2x3 %two
%floats = OpTypeArray %float %three
%floats2 = OpTypeArray %floats %two
%open = OpTypeRuntimeArray %float
%block = OpTypeStruct %vec3 %mats %floats
%tail = OpTypeStruct %float %float %open
%matrixLast = OpTypeStruct %mat2x3 %vec3
%address = OpTypePointer PhysicalStorageBuffer %tail
%list = OpTypeArray %address %three
`, nil)
	for _, c := range []struct {
		name   string
		stride uint32
		row    bool
		size   uint64
	}{
		{"float", 0, false, 4},
		{"bool", 0, false, 0},
		{"vec3", 0, false, 12},
		{"mat2x3", 16, false, 16 + 12}, // the last column has three components
		{"mat2x3", 8, true, 2*8 + 8},   // the last row has two
		{"floats", 0, false, 2*16 + 4},
		{"floats2", 0, false, 64 + 2*16 + 4},
		{"mats", 16, true, 48 + 2*16 + 8},
		{"block", 0, false, 128 + 36},
		{"tail", 0, false, 32},
		{"open", 0, false, 0},
		{"address", 0, false, 8},
		{"list", 0, false, 2*8 + 8},
	} {
		if got := m.typ(c.name).Size(c.stride, c.row); got != c.size {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.size)
		}
	}
	for _, c := range []struct {
		name   string
		stride uint32
		row    bool
		trail  uint64
	}{
		{"vec3", 16, false, 0},
		{"mat2x3", 16, false, 16 - 12},
		{"mat2x3", 8, false, 0}, // columns overlap, which other rules forbid
		{"mat2x3", 16, true, 0},
		{"mats", 16, false, 16 - 12},
		{"block", 0, false, 0},
		{"matrixLast", 0, false, 16 - 12},
		{"address", 0, false, 0},
		{"open", 0, false, 0},
	} {
		if got := m.typ(c.name).Trail(c.stride, c.row); got != c.trail {
			t.Errorf("%s: %d bytes of the stride after the value, want %d", c.name, got, c.trail)
		}
	}
	if m.typ("tail").Fixed() || m.typ("open").Fixed() || !m.typ("block").Fixed() || !m.typ("list").Fixed() {
		t.Error("which types have no runtime array")
	}
	if got := m.typ("block").Members[1].Size(); got != 48+2*16+8 {
		t.Errorf("row-major member: %d bytes", got)
	}
}
