package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The layout of a matrix in memory is a decoration of the struct member that contains
// it, not of a pointer's type (SPIR-V §3.20, RowMajor and MatrixStride). So pointers of
// one type may point to matrices, or to columns, of different layouts. A symbolic
// pointer knows its layout. Materialized pointers of one type share a layout if all of
// them agree; otherwise each carries a layout tag, one more scalar: the index of its
// layout in the layoutSet of its kind.

// matrixLayout is the layout of a matrix, or of a column of it, in a buffer.
type matrixLayout struct {
	stride   uint32 // bytes from column to column, or from row to row if rowMajor
	rowMajor bool
	column   bool // the pointee is a column: its components are stride apart if rowMajor
}

// pointerKind is the class of materialized pointers that may be merged with each other.
type pointerKind struct {
	class spirv.StorageClass
	typ   *facts.Type // the pointee
}

// layoutSet is the set of matrix layouts of the materialized pointers of one kind.
type layoutSet struct {
	all     []matrixLayout
	numbers map[matrixLayout]int
	known   int  // how many of them an earlier traversal found; pointers carry a tag if there are several
	assumed bool // a pointer was used before any layout was known, and got the zero layout
}

// number returns the index of a layout, which it adds to the set.
func (s *layoutSet) number(m matrixLayout) int {
	n, ok := s.numbers[m]
	if !ok {
		n = len(s.all)
		s.numbers[m] = n
		s.all = append(s.all, m)
	}
	return n
}

// severalLayouts reports whether materialized pointers of a type carry a layout tag.
func (u *unit) severalLayouts(t *facts.Type) bool {
	return u.layouts[pointerKind{t.Storage, t.Elem}].several()
}

func (s *layoutSet) several() bool { return s != nil && s.known > 1 }

// layoutsOf returns the layout set of a pointer type; nil if its pointee has no layout.
func (u *unit) layoutsOf(t *facts.Type) *layoutSet {
	if !slices.Contains(laidOutClasses, t.Storage) || t.Elem == nil || !t.Elem.IsVector() && !innermost(t.Elem).IsMatrix() {
		return nil
	}
	k := pointerKind{t.Storage, t.Elem}
	s := u.layouts[k]
	if s == nil {
		s = &layoutSet{numbers: map[matrixLayout]int{}}
		u.layouts[k] = s
	}
	return s
}

// layoutTagOf returns the layout tag of a pointer that is materialized as type t; none
// if all pointers of the kind have one layout.
func (f *function) layoutTagOf(t *facts.Type, p *pointer) []ir.V {
	s := f.layoutsOf(t)
	if s == nil {
		return nil
	}
	of := p.layouts
	if p.tag == 0 {
		of = []matrixLayout{p.matrix}
	}
	numbers := make([]int, len(of))
	for i, m := range of {
		numbers[i] = s.number(m.forType(t.Elem))
	}
	if !s.several() {
		return nil
	}
	v := f.b.I32(uint32(numbers[0]))
	for i, n := range numbers[1:] {
		f.checkSize()
		v = f.b.Select(f.b.Cmp(ir.Eq, p.tag, f.b.I32(uint32(i+1))), f.b.I32(uint32(n)), v)
	}
	return []ir.V{v}
}

// forType returns the part of a layout that matters for a pointee type.
func (m matrixLayout) forType(t *facts.Type) matrixLayout {
	switch {
	case innermost(t).IsMatrix():
		m.column = false
		return m
	case t.IsVector() && m.column:
		return m
	}
	return matrixLayout{}
}

// setLayout sets the layout of a pointer made of scalars: tag is the last of them, which is
// the layout tag if there are several layouts.
func (f *function) setLayout(p *pointer, t *facts.Type, tag ir.V) {
	switch s := f.layoutsOf(t); {
	case s == nil:
	case s.several():
		p.layouts, p.tag = s.all[:s.known:s.known], tag
		if n, ok := f.constBits(tag); ok && n < uint64(s.known) {
			p.matrix, p.layouts, p.tag = p.layouts[n], nil, 0
		}
	case len(s.all) > 0:
		p.matrix = s.all[0]
	default:
		s.assumed = true
	}
}

// clearLayout resets the layout of the pointee.
func (p *pointer) clearLayout() { p.matrix, p.layouts, p.tag = matrixLayout{}, nil, 0 }

// stepStrided goes to part i of an array, matrix or vector in a buffer or physical
// memory. If the layout is known at run time only, it selects among the results for
// each layout.
func (f *function) stepStrided(p *pointer, i operand) {
	if p.tag == 0 {
		f.advancePointer(p, i, f.partStride(p, p.matrix))
		p.matrix = p.matrix.element(p.typ)
		return
	}
	from, first := *p, uint64(0)
	p.layouts = make([]matrixLayout, len(from.layouts))
	for k, m := range from.layouts {
		stride := f.partStride(&from, m)
		p.layouts[k] = m.element(from.typ)
		if k == 0 {
			first = stride
			f.advancePointer(p, i, stride)
		}
		if stride == first {
			continue
		}
		f.checkSize()
		q := from
		f.advancePointer(&q, i, stride)
		f.selectPointer(f.b.Cmp(ir.Eq, p.tag, f.b.I32(uint32(k))), &q, p)
	}
	if p.typ.Elem.IsScalar() {
		p.clearLayout()
	}
}

// advancePointer adds i strides.
func (f *function) advancePointer(p *pointer, i operand, stride uint64) {
	switch {
	case p.memory == inBuffer:
		f.noteStep(p, i, stride)
		p.offset = f.addIndex(p.offset, i, stride)
	case i.v == 0:
		p.offset = p.offset.plus(mul(i.bits, stride))
	default:
		n := f.b.Op(ir.Mul, ir.I64, f.b.Op(ir.ZExt, ir.I64, i.v), f.b.Const(ir.I64, stride))
		p.address = f.b.Op(ir.Add, ir.I64, p.address, n)
	}
}

// selectPointer sets p to q if c is true.
func (f *function) selectPointer(c ir.V, q, p *pointer) {
	if p.memory == inBuffer {
		p.offset = offset{dyn: f.b.Select(c, f.offsetValue(q.offset), f.offsetValue(p.offset))}
		return
	}
	p.address, p.offset = f.b.Select(c, f.addressOf(q), f.addressOf(p)), offset{}
}

// needsAnotherPass reports whether the entry point has to be lowered again, because
// materialized pointers have more layouts than were known. The sets are closed under
// element selection then, so that two traversals suffice.
func (u *unit) needsAnotherPass() bool {
	more := false
	for _, s := range u.layouts {
		more = more || len(s.all) > max(s.known, 1) || s.assumed && len(s.all) > 0 && s.all[0] != matrixLayout{}
	}
	if !more {
		return false
	}
	for i := range u.facts.Types { // a part is declared before the composite
		u.propagateLayouts(&u.facts.Types[len(u.facts.Types)-1-i])
	}
	for _, s := range u.layouts {
		s.known, s.assumed = len(s.all), false
	}
	return true
}

// laidOutClasses are the storage classes with matrix layouts.
var laidOutClasses = []spirv.StorageClass{
	spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPhysicalStorageBuffer,
	spirv.StorageClassWorkgroup, spirv.StorageClassPushConstant,
}

// propagateLayouts adds the layouts of pointers to t, narrowed to t's elements, to those
// of pointers to the elements.
func (u *unit) propagateLayouts(t *facts.Type) {
	for _, class := range laidOutClasses {
		whole, part := u.layouts[pointerKind{class, t}], u.layouts[pointerKind{class, t.Elem}]
		if whole == nil || part == nil {
			continue
		}
		for _, m := range whole.all {
			part.number(m.element(t).forType(t.Elem))
		}
	}
}

// element returns the layout of a part of an array, matrix or vector of type t.
func (m matrixLayout) element(t *facts.Type) matrixLayout {
	switch {
	case t.IsArray():
		return m
	case t.IsMatrix() && m.rowMajor:
		return matrixLayout{m.stride, true, true}
	}
	return matrixLayout{}
}
