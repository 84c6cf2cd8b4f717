package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// matcher compares blocks of texels of the view with one block of a reference image (Vulkan §"Block
// Matching").
type matcher struct {
	*code
	reference     *code // code for the reference image
	at, ref, size [2]ir.V
}

// match is the body of Match, for the view's block displaced by (dx, dy): the sum of absolute or squared
// differences per component, or another reduction of them. Addressing modes apply outside either image.
func (m *matcher) match(dx, dy ir.V) []ir.V {
	x, y := m.texelOf(), m.reference.texelOf()
	target, reference := m.mip(0), m.reference.mip(0)
	which, _ := m.present(&x)
	base := [2]ir.V{m.add(m.at[0], dx), m.add(m.at[1], dy)}
	list := m.forRegion(m.size, m.reductionIdentities(which), func(i, j ir.V, state []ir.V) []ir.V {
		t := m.texelAt(&x, target, [2]ir.V{m.add(base[0], i), m.add(base[1], j)})
		r := m.reference.texelAt(&y, reference, [2]ir.V{m.add(m.ref[0], i), m.add(m.ref[1], j)})
		next := make([]ir.V, len(state))
		for k, of := range which {
			d := t[of]
			if r[of] != 0 { // a component absent in the reference is 0
				d = m.fsub(r[of], d)
			}
			d = m.fabs(d)
			weight := m.num(1)
			if m.t.Squared {
				weight = d
			}
			next[k] = m.reduceWith(state[k], d, weight)
		}
		return next
	})
	if m.t.Squared && m.s.reduction != enum.ReductionWeightedAverage {
		for k, v := range list {
			list[k] = m.fmul(v, v)
		}
	}
	return m.results(&x, which, list)
}

// gather is the body of MatchGather: four horizontally adjacent blocks.
func (m *matcher) gather() []ir.V {
	list := make([]ir.V, 4)
	for i := range list {
		list[i] = m.match(m.I32(uint32(i)), m.I32(0))[0]
	}
	return list
}

// window is the body of MatchWindow: an exhaustive search, y in the inner loop. The first of several equal
// blocks wins; NaN never does.
func (m *matcher) window() []ir.V {
	size := func(i int) ir.V {
		return m.clampExtent(m.OpAux(ir.Ld, ir.I32, uint64(4*(ir.SamplerWindow+i)), m.state, m.I32(0)))
	}
	worst := m.num(math.Inf(1)) // any number is better
	if m.s.windowMost {
		worst = m.num(math.Inf(-1))
	}
	zero := m.I32(0)
	best := m.forRegion([2]ir.V{size(1), size(0)}, []ir.V{worst, zero, zero}, func(dy, dx ir.V, state []ir.V) []ir.V {
		d := m.match(dx, dy)[0]
		better := m.flt(d, state[0])
		if m.s.windowMost {
			better = m.flt(state[0], d)
		}
		return []ir.V{m.Select(better, d, state[0]), m.Select(better, dx, state[1]), m.Select(better, dy, state[2])}
	})
	return []ir.V{best[0], m.stof(best[1]), m.stof(best[2]), m.num(0)}
}
