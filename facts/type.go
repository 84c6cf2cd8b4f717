package facts

import (
	"math"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Type is a type (SPIR-V §3.3.6). Two types are the same if they are the same
// *Type.
type Type struct {
	ID     spirv.ID
	Op     spirv.Op // OpTypeInt, OpTypeStruct, …
	Index  int      // its instruction
	Number int      // index in Module.Types

	Width    uint32 // of an integer or float, in bits
	Signed   bool   // of an integer
	Encoded  bool   // of a float: it has an Encoding other than IEEE 754's of that width
	Encoding spirv.FPEncoding

	// Elem is the component of a vector, the column of a matrix, the element of
	// an array, the pointee of a pointer, the sampled type of an image, the
	// image of a sampled image, the component of a cooperative matrix or vector,
	// the result of a function.
	Elem *Type

	// Count is the number of components, of columns, or of elements; 0 for a
	// runtime array, and if the length is not known or negative.
	Count  uint64
	Length *Const // the length of an array

	Members []Member           // of a struct
	Params  []*Type            // of a function
	Storage spirv.StorageClass // of a pointer
	Image   *Image             // of an image

	ArrayStride uint32 // of an array or pointer, in bytes; 0 if there is none

	// Leaves is the number of scalars, pointers and opaque objects in a value,
	// counted recursively; 0 if that is not known, as for a runtime array. It
	// saturates at math.MaxUint64.
	Leaves uint64

	layout layout
}

// Member is one member of a struct.
type Member struct {
	Type            *Type
	Offset          uint32 // in bytes
	MatrixStride    uint32 // in bytes
	HasOffset       bool
	HasMatrixStride bool
	RowMajor        bool
	ColMajor        bool
	Leaf            uint64 // sum of Leaves of the members before it
}

// Image is the operands of an OpTypeImage after the sampled type.
type Image struct {
	Dim       spirv.Dim
	Depth     uint32 // 0 no depth image, 1 a depth image, 2 unknown
	Arrayed   bool
	MS        bool   // multisampled
	Sampled   uint32 // 0 unknown before run time, 1 with a sampler, 2 without
	Format    spirv.ImageFormat
	Access    spirv.AccessQualifier
	HasAccess bool
}

// IsVoid reports whether t is void. All Is functions accept nil and return false
// for it.
func (t *Type) IsVoid() bool { return t.is(spirv.OpTypeVoid) }

// IsBool reports whether t is the boolean type.
func (t *Type) IsBool() bool { return t.is(spirv.OpTypeBool) }

// IsInt reports whether t is an integer type.
func (t *Type) IsInt() bool { return t.is(spirv.OpTypeInt) }

// IsFloat reports whether t is a floating-point type.
func (t *Type) IsFloat() bool { return t.is(spirv.OpTypeFloat) }

// IsScalar reports whether t is a boolean, integer or floating-point type.
func (t *Type) IsScalar() bool { return t.IsBool() || t.IsInt() || t.IsFloat() }

// IsVector reports whether t is a vector type, with a literal or a constant length.
func (t *Type) IsVector() bool {
	return t.is(spirv.OpTypeVector) || t.is(spirv.OpTypeVectorIdEXT)
}

// IsMatrix reports whether t is a matrix type.
func (t *Type) IsMatrix() bool { return t.is(spirv.OpTypeMatrix) }

// IsArray reports whether t is an array type, a runtime array included.
func (t *Type) IsArray() bool { return t.is(spirv.OpTypeArray) || t.is(spirv.OpTypeRuntimeArray) }

// IsRuntimeArray reports whether t is an array type without a length.
func (t *Type) IsRuntimeArray() bool { return t.is(spirv.OpTypeRuntimeArray) }

// IsStruct reports whether t is a structure type.
func (t *Type) IsStruct() bool { return t.is(spirv.OpTypeStruct) }

// IsComposite reports whether OpCompositeExtract reaches parts of t by literal
// index: vectors, matrices, arrays and structs, but not cooperative matrices.
func (t *Type) IsComposite() bool {
	return t.IsVector() || t.IsMatrix() || t.IsArray() || t.IsStruct()
}

// IsPointer reports whether t is a pointer type, typed or not.
func (t *Type) IsPointer() bool {
	return t.is(spirv.OpTypePointer) || t.is(spirv.OpTypeUntypedPointerKHR)
}

func (t *Type) is(op spirv.Op) bool { return t != nil && t.Op == op }

// Scalar returns the scalar type of a scalar, vector or matrix; nil for any other
// type.
func (t *Type) Scalar() *Type {
	if t.IsMatrix() {
		t = t.Elem
	}
	if t.IsVector() {
		t = t.Elem
	}
	if t.IsScalar() {
		return t
	}
	return nil
}

// Components returns the number of components of a vector, 1 for a scalar or
// pointer, 0 for any other type.
func (t *Type) Components() int {
	switch {
	case t.IsVector() && t.Count <= math.MaxInt32:
		return int(t.Count)
	case t.IsScalar(), t.IsPointer():
		return 1
	}
	return 0
}

// Columns returns the number of columns of a matrix, 0 for any other type.
func (t *Type) Columns() int {
	if t.IsMatrix() && t.Count <= math.MaxInt32 {
		return int(t.Count)
	}
	return 0
}

// Rows returns the number of components of a matrix's columns, 0 for any other
// type.
func (t *Type) Rows() int {
	if t.IsMatrix() {
		return t.Elem.Components()
	}
	return 0
}

// Part returns the type of part i of a composite: the component, column, element
// or member. It is nil if there is no such part; a runtime array has every part.
func (t *Type) Part(i uint64) *Type {
	switch {
	case t.IsStruct():
		if i < uint64(len(t.Members)) {
			return t.Members[i].Type
		}
	case t.IsRuntimeArray():
		return t.Elem
	case t.IsComposite() && i < t.Count:
		return t.Elem
	}
	return nil
}

// Parts returns the number of parts of a composite; 0 for any other type and for
// a runtime array.
func (t *Type) Parts() uint64 {
	switch {
	case t.IsStruct():
		return uint64(len(t.Members))
	case t.IsComposite():
		return t.Count
	}
	return 0
}

// before returns the type with the given id; nil if it is not declared before
// instruction i. Pointers may be declared later.
func (g *gatherer) before(id spirv.ID, i int) *Type {
	t := g.Type(id)
	if t == nil || t.Index >= i && !t.IsPointer() {
		return nil
	}
	return t
}

// typ fills in the type that instruction i declares.
func (g *gatherer) typ(t *Type, i int, in spirv.Inst) {
	switch t.Op {
	case spirv.OpTypeInt:
		v := inst.TypeInt(in)
		t.Width, t.Signed = v.Width(), v.Signedness() != 0
	case spirv.OpTypeFloat:
		v := inst.TypeFloat(in)
		t.Width = v.Width()
		t.Encoding, t.Encoded = v.FloatingPointEncoding()
	case spirv.OpTypeVector:
		v := inst.TypeVector(in)
		t.Elem, t.Count = g.before(v.ComponentType(), i), uint64(v.ComponentCount())
	case spirv.OpTypeMatrix:
		v := inst.TypeMatrix(in)
		t.Elem, t.Count = g.before(v.ColumnType(), i), uint64(v.ColumnCount())
	case spirv.OpTypeArray:
		v := inst.TypeArray(in)
		t.Elem = g.before(v.ElementType(), i)
		g.length(t, v.Length(), i)
	case spirv.OpTypeVectorIdEXT:
		v := inst.TypeVectorIdEXT(in)
		t.Elem = g.before(v.ComponentType(), i)
		g.length(t, v.ComponentCount(), i)
	case spirv.OpTypeRuntimeArray:
		t.Elem = g.before(inst.TypeRuntimeArray(in).ElementType(), i)
	case spirv.OpTypeStruct:
		g.members(t, i, inst.TypeStruct(in).MemberTypes())
	case spirv.OpTypePointer:
		t.Elem = g.Type(inst.TypePointer(in).TypeOperand())
	case spirv.OpTypeFunction:
		v := inst.TypeFunction(in)
		t.Elem = g.before(v.ReturnType(), i)
		t.Params = make([]*Type, len(v.ParameterTypes()))
		for n, p := range v.ParameterTypes() {
			t.Params[n] = g.before(p, i)
		}
	case spirv.OpTypeImage:
		t.Elem, t.Image = g.before(inst.TypeImage(in).SampledType(), i), image(inst.TypeImage(in))
	case spirv.OpTypeSampledImage:
		t.Elem = g.before(inst.TypeSampledImage(in).ImageType(), i)
	case spirv.OpTypeVmeImageINTEL:
		t.Elem = g.before(inst.TypeVmeImageINTEL(in).ImageType(), i)
	case spirv.OpTypeCooperativeMatrixNV:
		t.Elem = g.before(inst.TypeCooperativeMatrixNV(in).ComponentType(), i)
	case spirv.OpTypeCooperativeMatrixKHR:
		t.Elem = g.before(inst.TypeCooperativeMatrixKHR(in).ComponentType(), i)
	}
	t.Leaves = leaves(t)
	g.arrange(t)
}

func image(v inst.TypeImage) *Image {
	im := &Image{
		Dim: v.Dim(), Depth: v.Depth(), Arrayed: v.Arrayed() != 0, MS: v.MS() != 0,
		Sampled: v.Sampled(), Format: v.ImageFormat(),
	}
	im.Access, im.HasAccess = v.AccessQualifier()
	return im
}

// length sets the count of t to the value of a constant.
func (g *gatherer) length(t *Type, id spirv.ID, i int) {
	c := g.Const(id)
	if c == nil || c.Index >= i {
		return
	}
	t.Length = c
	if n, ok := c.Int(); ok && n > 0 || ok && !c.Type.Signed {
		t.Count = uint64(n)
	}
}

// leaves returns Type.Leaves from the leaves of its parts.
func leaves(t *Type) uint64 {
	switch t.Op {
	case spirv.OpTypeVoid, spirv.OpTypeFunction, spirv.OpTypeRuntimeArray:
		return 0
	case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT, spirv.OpTypeMatrix, spirv.OpTypeArray:
		if t.Elem == nil {
			return 0
		}
		return satMul(t.Count, t.Elem.Leaves)
	case spirv.OpTypeStruct:
		if n := len(t.Members); n > 0 {
			last := &t.Members[n-1]
			if last.Type == nil {
				return last.Leaf
			}
			return satAdd(last.Leaf, leafCount(last.Type))
		}
		return 0
	}
	return 1
}

// leafCount is Leaves of a type that may be a pointer declared later, which is
// not filled in yet.
func leafCount(t *Type) uint64 {
	switch {
	case t == nil:
		return 0
	case t.IsPointer():
		return 1
	}
	return t.Leaves
}

func satAdd(x, y uint64) uint64 {
	if x > math.MaxUint64-y {
		return math.MaxUint64
	}
	return x + y
}

func satMul(x, y uint64) uint64 {
	if y != 0 && x > math.MaxUint64/y {
		return math.MaxUint64
	}
	return x * y
}
