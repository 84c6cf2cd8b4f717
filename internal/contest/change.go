package contest

import (
	"math/rand/v2"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Changer changes modules at random.
type Changer struct {
	*rand.Rand
	Most int // changes of a module
}

// Change returns a module with some of its words or instructions changed.
func (r *Changer) Change(words []uint32) []uint32 {
	out := slices.Clone(words)
	if r.Most == 0 {
		return out
	}
	for range 1 + r.IntN(r.Most) {
		m, err := spirv.FromWords(slices.Clone(out))
		if err != nil || m.Len() < 2 {
			return out
		}
		i := r.IntN(m.Len())
		at, in := m.Offset(i), m.Inst(i)
		switch k := r.IntN(10); {
		case k < 5 && len(in) > 1:
			r.word(m, out[at:at+len(in)])
		case k == 5: // left out
			out = slices.Delete(out, at, at+len(in))
		case k == 6: // twice, the second perhaps elsewhere
			out = slices.Insert(out, m.Offset(r.near(i, m.Len())), slices.Clone(in)...)
		case k == 7: // elsewhere
			to := m.Offset(r.near(i, m.Len()))
			moved := slices.Clone(in)
			out = slices.Delete(out, at, at+len(in))
			if to > at {
				to -= len(in)
			}
			out = slices.Insert(out, to, moved...)
		case k == 8: // another opcode of the same shape
			if op := r.sibling(in.Op()); op != 0 {
				out[at] = spirv.Head(op, len(in))
			}
		default: // an operand more, or one less
			if len(in) > 1 {
				j := at + 1 + r.IntN(len(in)-1)
				if r.IntN(2) == 0 {
					out = slices.Insert(out, j, out[j])
					out[at] += 1 << 16
				} else {
					out = slices.Delete(out, j, j+1)
					out[at] -= 1 << 16
				}
			}
		}
	}
	return out
}

// near returns the place of an instruction, mostly close to another.
func (r *Changer) near(i, n int) int {
	if r.IntN(3) == 0 {
		return r.IntN(n)
	}
	return min(max(i+r.IntN(7)-3, 0), n-1)
}

// word changes one word of an instruction: an id is replaced by another that is made by a
// similar instruction, or by any; a number changes a little.
func (r *Changer) word(m *spirv.Module, in []uint32) {
	at := 1 + r.IntN(len(in)-1)
	switch r.IntN(4) {
	case 0:
		in[at] = r.Uint32N(m.Bound)
	case 1:
		in[at] ^= 1 << r.IntN(8)
	case 2:
		in[at] = uint32(int(in[at]) + r.IntN(5) - 2)
	default:
		d := m.Def(spirv.ID(in[at]))
		if d < 0 {
			in[at]++
			return
		}
		op := m.OpAt(d)
		for range 40 { // another result of the same opcode, or of the same class
			j := r.near(d, m.Len())
			if id := m.Inst(j).Result(); id != 0 && id != spirv.ID(in[at]) && (m.OpAt(j) == op || m.OpAt(j).Class() == op.Class() && r.IntN(4) == 0) {
				in[at] = uint32(id)
				return
			}
		}
	}
}

// sibling returns another opcode of the same class with as many operands, or 0 if it finds
// none.
func (r *Changer) sibling(op spirv.Op) spirv.Op {
	rows := spirv.Ops()
	for range 40 {
		o := spirv.Op(rows[r.IntN(len(rows))].Value())
		if r.IntN(2) == 0 { // its neighbour
			o = op + spirv.Op(r.IntN(9)) - 4
		}
		if o != op && o.Known() && o.Class() == op.Class() && len(o.Row().Operands()) == len(op.Row().Operands()) {
			return o
		}
	}
	return 0
}
