package facts

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

const types = `
OpDecorate %n SpecId 7
OpDecorate %array ArrayStride 16
OpMemberDecorate %struct 1 Offset 16
OpMemberDecorate %struct 1 MatrixStride 16
OpMemberDecorate %struct 1 RowMajor
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%short = OpTypeInt 16 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%brain = OpTypeFloat 16 BFloat16KHR
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%mat = OpTypeMatrix %vec3 4
%n = OpSpecConstant %uint 5
%minus = OpConstant %int -5
%array = OpTypeArray %vec4 %n
%negative = OpTypeArray %vec4 %minus
%huge = OpTypeArray %array %big
%big = OpConstant %uint 4294967295
%nested = OpTypeArray %array %big
%nested2 = OpTypeArray %nested %big
%nested3 = OpTypeArray %nested2 %big
%runtime = OpTypeRuntimeArray %float
%struct = OpTypeStruct %float %mat %array
%image = OpTypeImage %float 2D 0 1 0 1 Unknown
%sampled = OpTypeSampledImage %image
%pointer = OpTypePointer Uniform %struct
%fn = OpTypeFunction %float %int %pointer
%list = OpTypeStruct %int %next
%next = OpTypePointer PhysicalStorageBuffer %list
%self = OpTypeStruct %self %float
`

func TestTypes(t *testing.T) {
	m := gather(t, types, nil)
	for _, c := range []struct {
		name   string
		elem   string
		count  uint64
		leaves uint64
	}{
		{"void", "", 0, 0},
		{"bool", "", 0, 1},
		{"int", "", 0, 1},
		{"vec3", "float", 3, 3},
		{"mat", "vec3", 4, 12},
		{"array", "vec4", 5, 20},
		{"negative", "vec4", 0, 0},
		{"huge", "array", 0, 0}, // its length is declared after it
		{"nested3", "nested2", math.MaxUint32, math.MaxUint64},
		{"runtime", "float", 0, 0},
		{"struct", "", 0, 1 + 12 + 20},
		{"image", "float", 0, 1},
		{"sampled", "image", 0, 1},
		{"pointer", "struct", 0, 1},
		{"fn", "float", 0, 0},
		{"next", "list", 0, 1},
		{"list", "", 0, 2},
		{"self", "", 0, 1}, // a struct cannot contain itself
	} {
		x := m.typ(c.name)
		if x == nil || x.Elem != m.typ(c.elem) || x.Count != c.count || x.Leaves != c.leaves {
			t.Errorf("%s: %+v", c.name, x)
		}
	}
}

func TestTypeParts(t *testing.T) {
	m := gather(t, types, Spec{7: 3})
	if n := m.typ("array").Count; n != 3 {
		t.Errorf("specialized array has %d elements, want 3", n)
	}
	s := m.typ("struct").Members
	want := []Member{
		{Type: m.typ("float")},
		{Type: m.typ("mat"), Offset: 16, HasOffset: true, MatrixStride: 16, HasMatrixStride: true, RowMajor: true, Leaf: 1},
		{Type: m.typ("array"), Leaf: 13},
	}
	for i := range want {
		if s[i] != want[i] {
			t.Errorf("member %d: %+v, want %+v", i, s[i], want[i])
		}
	}
	if x := m.typ("self").Members[0].Type; x != nil {
		t.Errorf("a struct holds itself: %v", x)
	}
	if x := m.typ("list").Members[1].Type; x != m.typ("next") || x.Storage != spirv.StorageClassPhysicalStorageBuffer {
		t.Errorf("pointer to what is declared later: %+v", x)
	}
	if f := m.typ("fn"); len(f.Params) != 2 || f.Params[0] != m.typ("int") || f.Params[1] != m.typ("pointer") {
		t.Errorf("function type: %+v", f)
	}
	if im := m.typ("image").Image; im == nil || im.Dim != spirv.Dim2D || !im.Arrayed || im.MS || im.Sampled != 1 {
		t.Errorf("image: %+v", im)
	}
	if b := m.typ("brain"); !b.Encoded || b.Encoding != spirv.FPEncodingBFloat16KHR || b.Width != 16 {
		t.Errorf("bfloat16: %+v", b)
	}
	mat := m.typ("mat")
	if mat.Columns() != 4 || mat.Rows() != 3 || mat.Scalar() != m.typ("float") || mat.Components() != 0 {
		t.Errorf("matrix: %d columns of %d", mat.Columns(), mat.Rows())
	}
	if mat.Part(3) != m.typ("vec3") || mat.Part(4) != nil || m.typ("struct").Part(2) != m.typ("array") {
		t.Error("parts of composites")
	}
	var none *Type
	if none.IsInt() || none.Scalar() != nil || none.Components() != 0 || none.Part(0) != nil || none.Align(Base, false) != 0 || none.Size(0, false) != 0 {
		t.Error("nil is no type and has nothing")
	}
}

// TestTypeOps checks that the survey visits every instruction that declares a type.
func TestTypeOps(t *testing.T) {
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		if !IsType(op) {
			continue
		}
		switch op.Class() {
		case spirv.ClassTypeDeclaration, spirv.ClassReserved, spirv.ClassExclude:
		default:
			t.Errorf("%v stands in the chapter %v", op, op.Class())
		}
	}
}
