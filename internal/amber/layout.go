package amber

import (
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Layout is a set of rules for the places of values in memory (OpenGL 4.6
// §7.6.2.2; Vulkan §15.8.4).
type Layout uint8

// The layouts. Std430 is the default of buffers.
const (
	Std430 Layout = iota
	Std140
	ScalarLayout
)

// String returns the layout's name.
func (l Layout) String() string { return [...]string{"std430", "std140", "scalar"}[l] }

// Field is one number of an element.
type Field struct {
	Offset int // bytes from the start of the element
	Scalar Scalar
}

// Shape is the memory layout of one element of a buffer.
type Shape struct {
	Stride int // bytes from one element to the next
	Fields []Field
}

// field returns which field of an element starts at a byte of a buffer.
func (s Shape) field(offset int) (int, error) {
	if s.Stride == 0 || len(s.Fields) == 0 {
		return 0, errors.New("its numbers cannot be named")
	}
	for i, f := range s.Fields {
		if f.Offset == offset%s.Stride {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no number starts at byte %d of an element of %d bytes", offset%s.Stride, s.Stride)
}

// end returns the offset after n numbers from the start of an element, with the rest of
// their last element.
func (s Shape) end(offset, n int) int {
	per := max(len(s.Fields), 1)
	return offset + (n+per-1)/per*s.Stride
}

// scalarOffset returns the position of the k-th number after the given first field, in bytes from
// the start of the element with that field.
func (s Shape) scalarOffset(first, k int) (offset int, scalar Scalar) {
	k += first
	f := s.Fields[k%len(s.Fields)]
	return k/len(s.Fields)*s.Stride + f.Offset, f.Scalar
}

// maxFields bounds the numbers of one element.
const maxFields = 1 << 16

var errFields = errors.New("an element has too many values")

// Shape returns how elements of type t lie in a buffer under l. Arrays of a
// known length are one element; of a runtime array, each entry is.
func (l Layout) Shape(t Type) (Shape, error) {
	array := t.Array
	if array == Runtime {
		t.Array = 0
	}
	p := fieldCollector{layout: l}
	size, align := p.value(t, Member{})
	if p.err != nil {
		return Shape{}, p.err
	}
	if array == Runtime && l == Std140 { // rule 4: entries of arrays are aligned as vec4
		align = max(align, 16)
	}
	if t.Format != nil {
		align = 1
	}
	s := Shape{Stride: roundUp(size, align), Fields: p.fields}
	if t.Struct != nil && t.Struct.Stride != 0 {
		if s.Stride > t.Struct.Stride {
			return Shape{}, fmt.Errorf("struct %s is %d bytes long and cannot have a stride of %d", t.Struct.Name, s.Stride, t.Struct.Stride)
		}
		s.Stride = t.Struct.Stride
	}
	return s, nil
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }

// fieldCollector collects the fields of an element.
type fieldCollector struct {
	layout Layout
	base   int
	fields []Field
	aligns map[*Struct]int // of the structs met so far
	depth  int
	err    error
}

// value puts a value of type t at p.base and returns its size and alignment.
// The member's strides win over the layout's.
func (p *fieldCollector) value(t Type, m Member) (size, align int) {
	if t.Array > 0 {
		return p.array(t, m)
	}
	switch {
	case p.err != nil:
		return 0, 1
	case t.Struct != nil:
		return p.record(t.Struct)
	case t.Format != nil:
		return p.texel(t.Format)
	case t.Columns > 1:
		return p.matrix(t, m)
	}
	return p.vector(t)
}

func (p *fieldCollector) add(offset int, s Scalar) {
	if len(p.fields) >= maxFields {
		p.err = errFields
		return
	}
	p.fields = append(p.fields, Field{p.base + offset, s})
}

// vector places a scalar or a vector.
func (p *fieldCollector) vector(t Type) (size, align int) {
	n := t.Scalar.Bytes()
	for i := range t.Rows {
		p.add(i*n, t.Scalar)
	}
	return n * t.Rows, p.vectorAlign(t)
}

// matrix places columns as an array of vectors (rule 5).
func (p *fieldCollector) matrix(t Type, m Member) (size, align int) {
	column := Type{Scalar: t.Scalar, Columns: 1, Rows: t.Rows, Array: t.Columns}
	return p.array(column, Member{ArrayStride: m.MatrixStride})
}

// array places entries at the member's stride; without one, each is rounded up to its
// alignment, in std140 to the alignment of a vec4 (rule 4).
func (p *fieldCollector) array(t Type, m Member) (size, align int) {
	n, base := t.Array, p.base
	t.Array = 0
	stride := m.ArrayStride
	for i := range n {
		p.base = base + i*stride
		size, align = p.value(t, m)
		if p.layout == Std140 {
			align = max(align, 16)
		}
		if i == 0 && m.ArrayStride == 0 {
			stride = roundUp(size, align)
		}
		if size > stride {
			p.err = fmt.Errorf("an array stride of %d is too small for %s of %d bytes", stride, t, size)
		}
		if p.err != nil {
			break
		}
	}
	p.base = base
	return n * stride, align
}

// maxDepth bounds structs within structs.
const maxDepth = 64

// record places members in order; in std140 a struct is aligned as a vec4 at
// least (rule 9).
func (p *fieldCollector) record(s *Struct) (size, align int) {
	base := p.base
	align = 1
	if p.layout == Std140 {
		align = 16
	}
	if p.depth++; p.depth > maxDepth {
		p.err = errors.New("structs nest too deep")
	}
	for _, m := range s.Members {
		if p.err != nil {
			break
		}
		p.base = base + size
		if m.Offset >= 0 {
			p.base = base + m.Offset
		} else {
			p.base = base + roundUp(size, p.alignment(m.Type))
		}
		n, a := p.value(m.Type, m)
		size, align = p.base-base+n, max(align, a)
	}
	p.depth--
	p.base = base
	return roundUp(size, align), align
}

// alignment returns the alignment of t without placing it.
func (p *fieldCollector) alignment(t Type) int {
	align := 1
	switch {
	case t.Struct != nil:
		if a, ok := p.aligns[t.Struct]; ok {
			return a
		}
		for _, m := range t.Struct.Members {
			align = max(align, p.alignment(m.Type))
		}
	case t.Format != nil && t.Format.Packed:
		align = t.Format.Bytes
	case t.Format != nil:
	default:
		align = p.vectorAlign(t)
	}
	if p.layout == Std140 && (t.Struct != nil || t.Array != 0 || t.Columns > 1) {
		align = max(align, 16)
	}
	if t.Struct != nil {
		if p.aligns == nil {
			p.aligns = map[*Struct]int{}
		}
		p.aligns[t.Struct] = align
	}
	return align
}

// vectorAlign returns the alignment of a scalar or a vector: a vec3 is
// aligned as a vec4 (rule 3), but in scalar layout.
func (p *fieldCollector) vectorAlign(t Type) int {
	if p.layout == ScalarLayout {
		return t.Scalar.Bytes()
	}
	return t.Scalar.Bytes() * [...]int{1: 1, 2: 2, 3: 4, 4: 4}[t.Rows]
}

// texel places the components of a format: packed ones are one integer, the
// others one number each, as they are stored.
func (p *fieldCollector) texel(f *format.Format) (size, align int) {
	if f.Packed {
		p.add(0, Scalar{Uint, f.Bytes * 8})
		return f.Bytes, f.Bytes
	}
	for _, c := range f.Components() {
		if c.Bits%8 != 0 || c.Bits == 24 {
			p.err = fmt.Errorf("values of format %s cannot be written one by one", f.Name)
			return f.Bytes, 1
		}
		p.add(c.Shift/8, componentScalar(c))
	}
	return f.Bytes, 1
}

// componentScalar is the type of a component's stored number.
func componentScalar(c format.Component) Scalar {
	switch {
	case c.Numeric == format.SFloat:
		return Scalar{Float, c.Bits}
	case c.Numeric.Signed():
		return Scalar{Int, c.Bits}
	}
	return Scalar{Uint, c.Bits}
}
