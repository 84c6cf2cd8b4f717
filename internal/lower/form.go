package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// How a matrix lies in memory the member of a struct that holds it says, and no
// type of a pointer (SPIR-V §3.20, RowMajor and MatrixStride). So pointers of one
// type may point at matrices, and at columns of them, that lie in several forms.
// While the pointers stand where the module knows them each has its form. Those
// that travel have one form where all that travel as values of the type agree;
// else the number of the form travels with them, as a scalar more.

// matrixForm says how a matrix, or a vector of it, lies in a buffer.
type matrixForm struct {
	stride   uint32 // from column to column, or from row to row
	rowMajor bool
	column   bool // what is pointed at is a column: its components are stride apart if rowMajor
}

// carriedAs is what pointers have in common that may travel to the same place.
type carriedAs struct {
	class spirv.StorageClass
	typ   *facts.Type // what they point at
}

// forms are the ones that travelling pointers of a kind have.
type forms struct {
	all     []matrixForm
	numbers map[matrixForm]int
	known   int  // how many there were before lowering began: where several, a scalar says which
	assumed bool // one was needed before any was known, and the plain one was taken
}

// number returns the number of a form.
func (s *forms) number(m matrixForm) int {
	n, ok := s.numbers[m]
	if !ok {
		n = len(s.all)
		s.numbers[m] = n
		s.all = append(s.all, m)
	}
	return n
}

// severalForms reports whether the number of its form travels with a pointer.
func (u *unit) severalForms(t *facts.Type) bool {
	return u.forms[carriedAs{t.Storage, t.Elem}].several()
}

func (s *forms) several() bool { return s != nil && s.known > 1 }

// formsOf returns the forms that pointers of a type have that travel; nil where
// there is nothing that could lie in several.
func (u *unit) formsOf(t *facts.Type) *forms {
	if !slices.Contains(formed, t.Storage) || t.Elem == nil || !t.Elem.IsVector() && !innermost(t.Elem).IsMatrix() {
		return nil
	}
	k := carriedAs{t.Storage, t.Elem}
	s := u.forms[k]
	if s == nil {
		s = &forms{numbers: map[matrixForm]int{}}
		u.forms[k] = s
	}
	return s
}

// formPart returns the scalar that says in which form lies what a pointer that
// is going to travel points at; none where all lie in one.
func (f *function) formPart(t *facts.Type, p *pointer) []ir.V {
	s := f.formsOf(t)
	if s == nil {
		return nil
	}
	of := p.forms
	if p.form == 0 {
		of = []matrixForm{p.matrix}
	}
	numbers := make([]int, len(of))
	for i, m := range of {
		numbers[i] = s.number(m.of(t.Elem))
	}
	if !s.several() {
		return nil
	}
	v := f.b.I32(uint32(numbers[0]))
	for i, n := range numbers[1:] {
		f.enough()
		v = f.b.Select(f.b.Cmp(ir.Eq, p.form, f.b.I32(uint32(i+1))), f.b.I32(uint32(n)), v)
	}
	return []ir.V{v}
}

// of returns what of a form matters to a pointer at a type.
func (m matrixForm) of(t *facts.Type) matrixForm {
	switch {
	case innermost(t).IsMatrix():
		m.column = false
		return m
	case t.IsVector() && m.column:
		return m
	}
	return matrixForm{}
}

// inForm gives a pointer that has travelled its form: last is the scalar that
// says it, where forms are several.
func (f *function) inForm(p *pointer, t *facts.Type, last ir.V) {
	switch s := f.formsOf(t); {
	case s == nil:
	case s.several():
		p.forms, p.form = s.all[:s.known:s.known], last
		if n, ok := f.constBits(last); ok && n < uint64(s.known) {
			p.matrix, p.forms, p.form = p.forms[n], nil, 0
		}
	case len(s.all) > 0:
		p.matrix = s.all[0]
	default:
		s.assumed = true
	}
}

// plain forgets in which form lies what a pointer points at.
func (p *pointer) plain() { p.matrix, p.forms, p.form = matrixForm{}, nil, 0 }

// apart goes to a part of an array, matrix or vector in a buffer or behind an
// address.
func (f *function) apart(p *pointer, i operand) {
	if p.form == 0 {
		f.move(p, i, f.stride(p, p.matrix))
		p.matrix = p.matrix.part(p.typ)
		return
	}
	from, first := *p, uint64(0)
	p.forms = make([]matrixForm, len(from.forms))
	for k, m := range from.forms {
		stride := f.stride(&from, m)
		p.forms[k] = m.part(from.typ)
		if k == 0 {
			first = stride
			f.move(p, i, stride)
		}
		if stride == first {
			continue
		}
		f.enough()
		q := from
		f.move(&q, i, stride)
		f.either(f.b.Cmp(ir.Eq, p.form, f.b.I32(uint32(k))), &q, p)
	}
	if p.typ.Elem.IsScalar() {
		p.plain()
	}
}

// move goes on by i strides.
func (f *function) move(p *pointer, i operand, stride uint64) {
	switch {
	case p.memory == inBuffer:
		p.offset = f.index(p.offset, i, stride)
	case i.v == 0:
		p.offset = p.offset.plus(mul(i.bits, stride))
	default:
		n := f.b.Op(ir.Mul, ir.I64, f.b.Op(ir.ZExt, ir.I64, i.v), f.b.Const(ir.I64, stride))
		p.address = f.b.Op(ir.Add, ir.I64, p.address, n)
	}
}

// either makes p stand where q does, where c is true.
func (f *function) either(c ir.V, q, p *pointer) {
	if p.memory == inBuffer {
		p.offset = offset{dyn: f.b.Select(c, f.whole(q.offset), f.whole(p.offset))}
		return
	}
	p.address, p.offset = f.b.Select(c, f.addressOf(q), f.addressOf(p)), offset{}
}

// again reports whether the entry point has to be lowered once more, for more
// forms travel than were known. They are known then, and with them those of the
// parts of what is pointed at, so that twice is enough.
func (u *unit) again() bool {
	more := false
	for _, s := range u.forms {
		more = more || len(s.all) > max(s.known, 1) || s.assumed && len(s.all) > 0 && s.all[0] != matrixForm{}
	}
	if !more {
		return false
	}
	for i := range u.facts.Types { // a part is declared before what it is a part of
		u.inherit(&u.facts.Types[len(u.facts.Types)-1-i])
	}
	for _, s := range u.forms {
		s.known, s.assumed = len(s.all), false
	}
	return true
}

// formed are the storage classes of memory whose matrices have forms.
var formed = []spirv.StorageClass{
	spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPhysicalStorageBuffer,
	spirv.StorageClassWorkgroup, spirv.StorageClassPushConstant,
}

// inherit gives the pointers to the parts of what a type of pointers points at
// the forms that come of theirs.
func (u *unit) inherit(t *facts.Type) {
	for _, class := range formed {
		whole, part := u.forms[carriedAs{class, t}], u.forms[carriedAs{class, t.Elem}]
		if whole == nil || part == nil {
			continue
		}
		for _, m := range whole.all {
			part.number(m.part(t).of(t.Elem))
		}
	}
}

// part returns the form of a part of an array, matrix or vector that lies in a
// form.
func (m matrixForm) part(t *facts.Type) matrixForm {
	switch {
	case t.IsArray():
		return m
	case t.IsMatrix() && m.rowMajor:
		return matrixForm{m.stride, true, true}
	}
	return matrixForm{}
}
