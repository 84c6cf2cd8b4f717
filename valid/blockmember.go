package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// laidOutStruct is a struct to be checked at an offset.
type laidOutStruct struct {
	t     *facts.Type
	at    uint8 // its first byte, modulo 16
	first bool  // not yet checked by this rule at any offset
}

// spot is the subject of a fault: a member of a struct, or, if n is −1, a type
// that is not a member.
type spot struct {
	t     *facts.Type
	n     int
	first bool
}

// String returns the name of the spot in messages.
func (s spot) String() string {
	if s.n < 0 {
		return "the type"
	}
	return "member " + itoa(uint64(s.n))
}

// fail reports a fault, once per struct and alignment rule. SPIR-V demands a complete layout; the API says which layouts are allowed.
func (b *blockCheck) fail(s spot, code, format string, args ...any) {
	if s.first && (code == "SPV-Block-Missing" || b.c.vulkan && !b.c.env.Layout.Skip) {
		b.c.fail(s.t.Index, code, format, args...).also(b.c, b.via, "the block in %s", b.sc)
	}
}

// push queues a struct at an offset modulo 16, unless it was checked there.
func (b *blockCheck) push(t *facts.Type, at uint8) {
	if !b.rule.relaxed || b.rule.align == facts.Scalar {
		at = 0 // aligned vectors straddle at no offset
	}
	shift := uint(b.rule.align) * 16
	if old := b.seen[t.Number]; old>>shift>>at&1 == 0 {
		b.seen[t.Number] |= 1 << shift << at
		b.todo = append(b.todo, laidOutStruct{t, at, old>>shift&0xffff == 0})
	}
}

// sorted fills order with the members of a struct, sorted by offset. It returns
// false if a member has no offset.
func (b *blockCheck) sorted(p laidOutStruct) bool {
	t := p.t
	b.order = b.order[:0]
	inOrder, last := true, uint64(0)
	for n := range t.Members {
		if t.Members[n].Type == nil {
			return false
		}
		off, has, _ := b.c.offset(t, n)
		if !has {
			if !b.c.m.HasMember(t.ID, n, spirv.DecorationBuiltIn) {
				b.fail(spot{t, n, p.first}, "SPV-Block-Missing", "member %d has no Offset; must have one in a block", n)
			}
			return false
		}
		inOrder, last = inOrder && off >= last, off
		b.order = append(b.order, n)
	}
	if !inOrder {
		slices.SortStableFunc(b.order, func(x, y int) int {
			at, _, _ := b.c.offset(t, x)
			to, _, _ := b.c.offset(t, y)
			return cmp.Compare(at, to)
		})
	}
	return true
}

// maxMember bounds the offsets and sizes of members in sums, so that none wraps around: arrays with 64-bit lengths have up to 2⁶⁴ bytes.
const maxMember = 1 << 62

// structure checks one struct: alignment of each member, and no overlap with the
// member before it, to the end of the stride of a matrix. Under std140 and std430 an array, a matrix or a struct is padded
// to its alignment, and the padding is not available to the next member.
func (b *blockCheck) structure(p laidOutStruct) {
	t := p.t
	if !b.sorted(p) {
		return
	}
	next := uint64(0)
	for k, n := range b.order {
		m := &t.Members[n]
		off, _, known := b.c.offset(t, n)
		if !known {
			continue // the value depends on specialization
		}
		s := spot{t, n, p.first}
		if m.Type.IsRuntimeArray() && k != len(b.order)-1 {
			b.fail(s, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "member %d is a runtime array at %d, and other members follow it; must be the last", n, off)
		}
		if !b.member(s, off, uint8((off+uint64(p.at))%16), m) {
			return
		}
		if off < next {
			b.fail(s, "SPV-Block-Overlap", "member %d is at %d; the member before it, with its padding, ends at %d", n, off, next)
		}
		next = min(off, maxMember) + min(b.heap.size(m), maxMember) + m.Trail()
		if b.rule.align != facts.Scalar && (m.Type.IsArray() || m.Type.IsStruct() || m.Type.IsMatrix()) {
			if a := uint64(b.heap.align(m.Type, b.rule.align, m.RowMajor)); a > 0 {
				next = (next + a - 1) / a * a
			}
		}
	}
}

// member checks the offset of one member, and the layout of its parts. It returns
// false if the rest of the struct cannot be checked.
func (b *blockCheck) member(s spot, off uint64, at uint8, m *facts.Member) bool {
	a := b.heap.align(m.Type, b.rule.align, m.RowMajor)
	if b.rule.align != facts.Scalar && b.rule.relaxed && m.Type.IsVector() {
		a = m.Align(facts.Scalar)
		if straddles(uint64(at), m.Size()) && (s.first || !straddles(off, m.Size())) {
			b.fail(spot{s.t, s.n, true}, "SPV-Block-Straddle", "member %d, a vector of %d bytes at %d, straddles 16 bytes, at %d modulo 16; must not straddle them", s.n, m.Size(), off, at)
		}
	}
	if a > 0 && off%uint64(a) != 0 {
		b.fail(s, "SPV-Block-Alignment", "member %d is at %d; must be at a multiple of %d", s.n, off, a)
	}
	return b.parts(s, at, m)
}

// straddles reports whether a vector straddles improperly (Vulkan, Offset and
// Stride Assignment): a vector of at most 16 bytes must not cross a multiple of
// 16, a larger one must begin at a multiple of 16.
func straddles(offset, size uint64) bool {
	if size > 16 {
		return offset%16 != 0
	}
	return size > 0 && offset/16 != (offset+size-1)/16
}

// parts checks the arrays, structs and matrices in a value at an offset modulo
// 16. The stride and order of its matrices are the member's.
func (b *blockCheck) parts(s spot, at uint8, m *facts.Member) bool {
	e := m.Type
	begins := uint16(1) << at // offsets of elements modulo 16, as a bit set
	for e.IsArray() {
		if e.Elem == nil {
			return false
		}
		stride, has, known := b.c.stride(e)
		if !has && !b.c.vulkan && e.Op == spirv.OpTypeRuntimeArray {
			return false // real modules for other environments leave it out (docs/differences.md)
		}
		if !has {
			b.fail(s, "SPV-Block-Missing", "%s has an array without ArrayStride; must have one in a block", s)
			return false
		}
		if !known {
			return false
		}
		if a := b.heap.align(e, b.rule.align, m.RowMajor); a > 0 && stride%uint64(a) != 0 {
			b.fail(s, "SPV-Block-Alignment", "the stride of the array in %s is %d; must be a multiple of %d", s, stride, a)
		}
		part := facts.Member{Type: e.Elem, MatrixStride: m.MatrixStride, RowMajor: m.RowMajor}
		if size := b.heap.size(&part) + part.Trail(); stride < size {
			b.fail(s, "SPV-Block-Stride", "the stride of the array in %s is %d; an element has %d bytes", s, stride, size)
		}
		begins = repeat(begins, e, stride)
		e = e.Elem
	}
	switch {
	case e.IsStruct():
		for at := range uint8(16) {
			if begins>>at&1 != 0 {
				b.push(e, at)
			}
		}
	case e.IsMatrix() && s.n >= 0:
		return b.matrix(s, m, e)
	}
	return true
}

// repeat returns the offsets modulo 16 of the elements of an array that itself
// begins at the offsets begins. An array of unknown length counts as one element.
func repeat(begins uint16, t *facts.Type, stride uint64) uint16 {
	if t.Count == 0 || t.Length != nil && t.Length.Spec {
		return begins
	}
	out := uint16(0)
	for k := range min(t.Count, 16) {
		by := k * (stride % 16) % 16
		out |= begins<<by | begins>>(16-by)
	}
	return out
}

// matrix checks the stride and order of a matrix in a member.
func (b *blockCheck) matrix(s spot, m *facts.Member, e *facts.Type) bool {
	if !m.HasMatrixStride {
		b.fail(s, "SPV-Block-Missing", "%s has a matrix without MatrixStride; must have one in a block", s)
		return false
	}
	if !m.RowMajor && !m.ColMajor {
		b.fail(s, "SPV-Block-Missing", "%s has a matrix without RowMajor or ColMajor; must have one in a block", s)
		return false
	}
	if a := e.Align(b.rule.align, m.RowMajor); a > 0 && (m.MatrixStride == 0 || m.MatrixStride%a != 0) {
		b.fail(s, "SPV-Block-Alignment", "the stride of the matrix in %s is %d; must be a multiple of %d", s, m.MatrixStride, a)
	}
	size := e.Elem.Size(0, false)
	if m.RowMajor && e.Elem.IsVector() {
		size = e.Elem.Elem.Size(0, false) * e.Count
	}
	if uint64(m.MatrixStride) < size {
		b.fail(s, "SPV-Block-Stride", "the stride of the matrix in %s is %d; a column or row has %d bytes", s, m.MatrixStride, size)
	}
	return true
}
