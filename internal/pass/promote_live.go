package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// span is a block, loop or if of the function.
type span struct {
	opener ir.V
	parent int32
	brs    int  // branches to it
	second bool // an if: it has an else
	first  bool // an if: lanes leave the first arm by falling off
	falls  bool // lanes leave the last arm, or the block, by falling off
}

// measure finds the regions, what is written in each, and where lanes fall off.
func (r *promoter) measure() {
	r.number = make([]int32, len(r.f.Vals))
	at, dead := int32(-1), false
	for _, v := range r.f.Code {
		x := r.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			r.number[v] = int32(len(r.regions))
			r.regions = append(r.regions, span{opener: v, parent: at})
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

// maxRounds is how often the code is walked at most until what loops need is
// known; then they are said to need all. One round more than loops are nested
// is enough.
const maxRounds = 6

// live finds which cells are needed where, and gives up those of which a call
// of the function could see what an earlier one left.
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
		if r.fn > 0 { // the entry point runs once, on zeros
			for c, x := range r.cells {
				if entry.has(c) {
					r.use[x.v] = false
				}
			}
		}
		return
	}
}

// round walks the code backward. It returns what is needed at the start of the
// function, and whether a loop was found to need more than before.
func (r *promoter) round() (entry cellSet, news bool) {
	now := make(cellSet, r.words)
	arms := map[ir.V]cellSet{} // what is needed at the start of a second arm
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

// both returns the cells that are in two sets and still to be promoted.
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

// arguments returns how many parameters and arguments rename may make.
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
