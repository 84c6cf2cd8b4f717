package transfer

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// MatrixForm is the form of a matrix for cooperative vectors in memory: the type of its components and their order. Stride
// is the distance of rows, or of columns, in bytes; it has no meaning in the optimal layouts.
type MatrixForm struct {
	Type   spirv.ComponentType
	Layout spirv.CooperativeVectorMatrixLayout
	Stride uint64
}

// component is a type of the components of matrices.
type component struct {
	bits  uint8
	float bool
	small scalar.Small // of a float of 8 bits
}

var components = map[spirv.ComponentType]component{
	spirv.ComponentTypeFloat16NV: {bits: 16, float: true}, spirv.ComponentTypeFloat32NV: {bits: 32, float: true}, spirv.ComponentTypeFloat64NV: {bits: 64, float: true},
	spirv.ComponentTypeFloatE4M3NV: {bits: 8, float: true, small: scalar.E4M3}, spirv.ComponentTypeFloatE5M2NV: {bits: 8, float: true, small: scalar.E5M2},
	spirv.ComponentTypeSignedInt8NV: {bits: 8}, spirv.ComponentTypeSignedInt16NV: {bits: 16}, spirv.ComponentTypeSignedInt32NV: {bits: 32}, spirv.ComponentTypeSignedInt64NV: {bits: 64},
	spirv.ComponentTypeUnsignedInt8NV: {bits: 8}, spirv.ComponentTypeUnsignedInt16NV: {bits: 16}, spirv.ComponentTypeUnsignedInt32NV: {bits: 32}, spirv.ComponentTypeUnsignedInt64NV: {bits: 64},
}

// ComponentBits returns the width of the components of a matrix; 0 if a matrix in memory cannot have the type.
func ComponentBits(t spirv.ComponentType) int { return int(components[t].bits) }

// HasStride reports whether the matrix has rows or columns at a stride.
func (f MatrixForm) HasStride() bool {
	return f.Layout == spirv.CooperativeVectorMatrixLayoutRowMajorNV || f.Layout == spirv.CooperativeVectorMatrixLayoutColumnMajorNV
}

// Line returns the bytes of a row of a matrix, or of a column if the layout is column-major.
func (f MatrixForm) Line(rows, columns uint32) uint64 {
	n := columns
	if f.Layout == spirv.CooperativeVectorMatrixLayoutColumnMajorNV {
		n = rows
	}
	return uint64(n) * uint64(components[f.Type].bits/8)
}

// Size returns the bytes of a matrix; ok is false if they do not have 63 bits, or the form is not one of Vulkan's. The
// optimal layouts are consecutive rows, as shaders have them.
func (f MatrixForm) Size(rows, columns uint32) (n uint64, ok bool) {
	if components[f.Type].bits == 0 || f.Layout > spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV {
		return 0, false
	}
	if rows == 0 || columns == 0 {
		return 0, true
	}
	lines, line := rows, f.Line(rows, columns)
	if f.Layout == spirv.CooperativeVectorMatrixLayoutColumnMajorNV {
		lines = columns
	}
	high, low := bits.Mul64(uint64(lines-1), f.stride(rows, columns))
	low, carry := bits.Add64(low, line, 0)
	return low, high == 0 && carry == 0 && low < 1<<63
}

// stride returns the distance of rows or columns in bytes.
func (f MatrixForm) stride(rows, columns uint32) uint64 {
	if f.HasStride() {
		return f.Stride
	}
	return f.Line(rows, columns)
}

// offset returns the place of a component.
func (f MatrixForm) offset(rows, columns, row, column uint32) uint64 {
	if f.Layout == spirv.CooperativeVectorMatrixLayoutColumnMajorNV {
		row, column = column, row
	}
	return uint64(row)*f.stride(rows, columns) + uint64(column)*uint64(components[f.Type].bits/8)
}

// Convertible reports whether components of one type can be converted to another: equal types, or a float of 32 or 16 bits
// and a float of fewer bits (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081).
func Convertible(to, from spirv.ComponentType) bool {
	if to == from {
		return components[to].bits > 0
	}
	wide, narrow := components[to], components[from]
	if wide.bits < narrow.bits {
		wide, narrow = narrow, wide
	}
	return wide.float && narrow.float && narrow.bits > 0 && wide.bits <= 32 && wide.bits >= 16 && narrow.bits < wide.bits
}

// Matrix copies a matrix of rows × columns from one form to another. Bytes between rows or columns of the target remain. Equal
// types are copied bit by bit; others are converted to the nearest value, ties to even.
func Matrix(to []byte, target MatrixForm, from []byte, source MatrixForm, rows, columns uint32) error {
	n, ok1 := source.Size(rows, columns)
	m, ok2 := target.Size(rows, columns)
	switch {
	case !ok1 || !ok2 || !Convertible(target.Type, source.Type):
		return outside("a matrix of %s is converted to one of %s; must be convertible types in layouts of Vulkan", source.Type, target.Type)
	case n > uint64(len(from)) || m > uint64(len(to)):
		return outside("a matrix of %d bytes is converted to one of %d; the memory has %d and %d", n, m, len(from), len(to))
	}
	if rows == 0 || columns == 0 { // the other may have 32 bits
		return nil
	}
	a, b := components[source.Type], components[target.Type]
	for row := range rows {
		for column := range columns {
			v := read(from[source.offset(rows, columns, row, column):], a.bits)
			if source.Type != target.Type {
				v = b.encode(a.decode(v))
			}
			write(to[target.offset(rows, columns, row, column):], b.bits, v)
		}
	}
	return nil
}

// decode returns the value of a float of at most 32 bits.
func (c component) decode(v uint64) float64 {
	if c.bits == 8 {
		return scalar.Widen(c.small, v)
	}
	return scalar.Float(c.bits, v)
}

// encode returns the float of at most 32 bits that is nearest to a value.
func (c component) encode(v float64) uint64 {
	if c.bits == 8 {
		return scalar.Narrow(c.small, false, v)
	}
	return scalar.FromFloat(c.bits, false, v)
}

// read returns the little-endian integer of some bits.
func read(b []byte, width uint8) (v uint64) {
	for i := range width / 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func write(b []byte, width uint8, v uint64) {
	for i := range width / 8 {
		b[i] = byte(v >> (8 * i))
	}
}
