package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// regionInfo describes a block, loop or if.
type regionInfo struct {
	opener ir.V
	parent int32
	brs    int  // branches to its label
	second bool // if: it has an else
	first  bool // if: lanes fall off the end of the first arm
	falls  bool // lanes fall off the end of the last arm, or of the block
}

// measure finds the regions, the cells written in each, and the reachable ends.
func (r *promoter) measure() {
	r.number = make([]int32, len(r.f.Vals))
	at, dead := int32(-1), false
	for _, v := range r.f.Code {
		x := r.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			r.number[v] = int32(len(r.regions))
			r.regions = append(r.regions, regionInfo{opener: v, parent: at})
			r.defs = append(r.defs, make(cellSet, r.words))
			at = r.number[v]
		case ir.Else:
			n := &r.regions[at]
			n.second, n.first, dead = true, !dead, false
		case ir.End:
			n := &r.regions[at]
			n.falls = !dead
			switch r.f.Val(n.opener).Op {
			case ir.Block:
				dead = dead && n.brs == 0
			case ir.Loop:
				dead = true
			default:
				dead = dead && n.second && !n.first
			}
			if n.parent >= 0 {
				r.defs[n.parent].unite(r.defs[at])
			}
			at = n.parent
		case ir.Br:
			r.regions[r.number[x.Args[0]]].brs++
			dead = true
		case ir.Switch:
			r.regions[r.number[x.Args[1]]].brs++
			for i, c := range r.f.Cases(v) {
				if i%2 == 1 {
					r.regions[r.number[c]].brs++
				}
			}
			dead = true
		case ir.Kill:
			dead = true
		case ir.PSt, ir.PClr:
			r.write(x, r.defs[at].add)
		}
	}
}

// write calls yield for each cell that an operation writes.
func (r *promoter) write(x *ir.Val, yield func(int)) {
	switch {
	case x.Op == ir.PSt:
		if c := r.cell(x); c >= 0 {
			yield(c)
		}
	case r.use[x.Aux]:
		for _, c := range r.of[x.Aux] {
			yield(c)
		}
	}
}

// maxRounds limits the iterations of the liveness analysis. Loops nested d deep need
// d+1. Beyond the limit all cells count as live at the starts of loops, which only
// adds parameters.
const maxRounds = 6

// live computes the live cells of each region by backward data-flow analysis, to a
// fixed point over loops. It gives up variables with a cell that is live at the
// start of a function other than the entry point: they carry a value from one call
// to the next.
func (r *promoter) live() {
	r.out = make([]cellSet, len(r.regions))
	for i := range r.out {
		r.out[i] = make(cellSet, r.words)
	}
	for round := 0; ; round++ {
		entry, news := r.round()
		if news && round == maxRounds {
			for i, n := range r.regions {
				if r.f.Val(n.opener).Op == ir.Loop {
					for w := range r.out[i] {
						r.out[i][w] = ^uint64(0)
					}
				}
			}
			entry, news = r.round()
		}
		if news && round < maxRounds {
			continue
		}
		if r.fn > 0 { // the entry point runs once, with zeroed variables
			for c, x := range r.cells {
				if entry.has(c) {
					r.use[x.v] = false
				}
			}
		}
		return
	}
}

// round walks the code backward once. It returns the cells that are live at the
// start of the function, and whether the live set of a loop has grown.
func (r *promoter) round() (entry cellSet, news bool) {
	now := make(cellSet, r.words)
	arms := map[ir.V]cellSet{} // by if: the live cells at the start of its second arm
	for i := len(r.f.Code) - 1; i >= 0; i-- {
		v := r.f.Code[i]
		x := r.f.Val(v)
		switch x.Op {
		case ir.End:
			if r.f.Val(x.Args[0]).Op != ir.Loop {
				copy(r.out[r.number[x.Args[0]]], now)
			}
		case ir.Else:
			arms[x.Args[0]] = append(cellSet(nil), now...)
			copy(now, r.out[r.number[x.Args[0]]])
		case ir.If:
			if arm := arms[v]; arm != nil {
				now.unite(arm)
			} else {
				now.unite(r.out[r.number[v]])
			}
		case ir.Loop:
			news = r.out[r.number[v]].unite(now) || news
		case ir.Br:
			copy(now, r.out[r.number[x.Args[0]]])
		case ir.Switch:
			copy(now, r.out[r.number[x.Args[1]]])
			for k, c := range r.f.Cases(v) {
				if k%2 == 1 {
					now.unite(r.out[r.number[c]])
				}
			}
		case ir.Kill:
			clear(now)
		case ir.PSt, ir.PClr:
			r.write(x, now.drop)
		case ir.PLd:
			if c := r.cell(x); c >= 0 {
				now.add(c)
			}
		}
	}
	return now, news
}

// both returns the promoted cells in both sets.
func (r *promoter) both(a, b cellSet) []int {
	var list []int
	for w := range a {
		for m := a[w] & b[w]; m != 0; m &= m - 1 {
			c := w*64 + bits.TrailingZeros64(m)
			if c < len(r.cells) && r.use[r.cells[c].v] {
				list = append(list, c)
			}
		}
	}
	return list
}

// arguments returns an upper bound of the parameters and arguments that rename adds.
func (r *promoter) arguments() int {
	n := 0
	for i := range r.regions {
		phis := 0
		for w, set := range r.defs[i] {
			phis += bits.OnesCount64(set & r.out[i][w])
		}
		n += phis * (3 + r.regions[i].brs)
	}
	return n
}
