package spirv

import "unsafe"

// IDs appends to at the places, in instruction i, of the words that are ids:
// the result type and operands, but not the result. It stops
// before the first operand that needs a walk; Tail walks from
// there. It allocates nothing if at has room.
func (m *Module) IDs(i int, at []int) []int {
	in := m.Inst(i)
	s := in.Op().shape()
	if s == nil || m.odd != nil && !m.Known(i) {
		return at
	}
	result := 0
	if s.flags&hasResult != 0 {
		result = 1 + int(s.flags&hasType)
	}
	w := 1
	for ids := s.ids; ids != 0; ids >>= 1 {
		if ids&1 != 0 && w != result {
			at = append(at, w)
		}
		w++
	}
	if s.tail == tailIDs {
		for w = 1 + int(s.fixed); w < len(in); w++ {
			at = append(at, w)
		}
	}
	return at
}

// Tail returns a walk over the operands of instruction i from the first one on
// that needs a walk: an enumerant, a string, a literal with a width from the
// module, or an operand after one of these. ok is false if there is
// none. All operands before it are ids and literals of one word.
func (m *Module) Tail(i int) (w Walk, ok bool) {
	in := m.Inst(i)
	s := in.Op().shape()
	if s == nil || s.tail != tailWalked || len(in) == 1+int(s.fixed) || m.odd != nil && !m.Known(i) {
		return Walk{}, false
	}
	return Walk{m: m, in: in, lim: m.lim, pos: 1 + int(s.fixed), shape: in.Op().Row().Operands()[s.next:]}, true
}

// Layout is the places of the ids in the instructions of an opcode. A loop over
// all instructions looks it up once per opcode.
type Layout struct {
	IDs   uint32    // bit i: word i+1 is an id that the instruction names, among the words that are always present
	Fixed int       // words that are always present and covered by IDs, the first included
	Rest  bool      // all words after them are ids
	Tail  []Operand // the operands after them if they need a walk; shared, must not be changed
}

// Layout returns the places of the ids in the opcode's instructions; all of it is
// zero if the grammar does not have the opcode.
func (o Op) Layout() Layout {
	s := o.shape()
	if s == nil {
		return Layout{}
	}
	l := Layout{IDs: s.ids, Fixed: 1 + int(s.fixed), Rest: s.tail == tailIDs}
	if s.flags&hasResult != 0 {
		l.IDs &^= 1 << (s.flags & hasType)
	}
	if s.tail == tailWalked {
		l.Tail = o.Row().Operands()[s.next:]
		if len(l.Tail) == 1 && l.Tail[0].Quant == Repeated && l.Tail[0].Kind.idPair() {
			l.Rest, l.Tail = true, nil
		}
	}
	return l
}

// idPair reports whether an operand of the kind is two ids.
func (k Kind) idPair() bool {
	a, b := k.Pair()
	return k.Category() == CategoryPair && a.Category() == CategoryID && b.Category() == CategoryID
}

// OpAt returns the opcode of instruction i.
func (m *Module) OpAt(i int) Op { return Op(m.Words[m.starts[i]]) }

// Number returns the index of the row among all rows of the grammar, from 0 to
// RowCount()-1. It is an index for tables with one entry per row.
func (r *Row) Number() int {
	return int((uintptr(unsafe.Pointer(r)) - uintptr(unsafe.Pointer(&rows[0]))) / unsafe.Sizeof(Row{}))
}

// RowCount returns how many rows the grammar has.
func RowCount() int { return len(rows) }

// KindCount returns how many kinds of operands there are, numbered from 0.
func KindCount() int { return len(kinds) }
