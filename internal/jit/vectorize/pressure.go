package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Register pressure of a block
//
// The code of all parts is interleaved, so each operation of a wide strip has as many results as parts. If a block
// needs more vectors than the machine has, its computations are scheduled by pairs of parts (schedule.go), and loads move down
// to the first instruction that reads them. Both shorten live ranges:
//
//	load a0 … a3                                load b0, b1
//	load b0, b1                                 load a0; p0 = a0·b0; p1 = a0·b1; s0 += p0; s1 += p1
//	p0 … p7 = a·b       14 vectors, and s   →   load a1; p2 = a1·b0; …             4 vectors, and s
//	s0 … s7 += p0 … p7
//
// The estimate counts vectors that the block mentions: others can be in memory meanwhile.

// pressure is the state of the estimate.
type pressure struct {
	f      *vcode.Func
	home   []int32 // by register: 1 + the only block that mentions it, or −1
	live   []bool  // by register
	looped []bool  // by block: it is in a loop
}

// newPressure finds the blocks that mention each register.
func newPressure(f *vcode.Func, mem *arena) *pressure {
	n := len(f.Classes)
	p := &pressure{f: f, home: mem.numbers.Alloc(n), live: mem.flags.Alloc(n), looped: mem.flags.Alloc(len(f.Blocks))}
	for b := range f.Blocks {
		note := func(r vcode.Reg) {
			switch p.home[r] {
			case 0:
				p.home[r] = int32(b) + 1
			case int32(b) + 1:
			default:
				p.home[r] = -1
			}
		}
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			if in.Op == vcode.Jump && in.Target <= b && !p.looped[b] {
				for k := in.Target; k <= b; k++ {
					p.looped[k] = true
				}
			}
			eachRead(in, note)
			for _, d := range in.Defs {
				note(d)
			}
		}
	}
	return p
}

// maxPressure is how many times the vectors of the machine a block may need for another order to help.
const maxPressure = 3

// presses reports whether a block of a loop needs more vectors than the machine has, but not too many more.
func (p *pressure) presses(b int) bool {
	if !p.looped[b] {
		return false
	}
	n := p.most(b)
	return n > p.f.Form.Vectors && n <= maxPressure*p.f.Form.Vectors
}

// counts returns how many vectors a register needs.
func (p *pressure) counts(r vcode.Reg) int {
	switch c := p.f.Classes[r]; {
	case p.f.IsConst(r):
	case c == vcode.Wide:
		return 2
	case c == vcode.Vec, c == vcode.Mask && p.f.Form.VectorMasks:
		return 1
	}
	return 0
}

// most returns the largest number of vectors of a block that are live at once.
func (p *pressure) most(b int) int {
	list := p.f.Blocks[b].Insts
	now := 0
	// Live at the end: what other blocks mention, and what this one reads before it writes, for the next iteration.
	for i := range list {
		in := &list[i]
		carried := func(r vcode.Reg) {
			if p.home[r] < 0 && !p.live[r] {
				p.live[r] = true
				now += p.counts(r)
			}
		}
		eachRead(in, carried)
		for _, d := range in.Defs {
			carried(d)
		}
	}
	most := now
	for i := len(list) - 1; i >= 0; i-- {
		in := &list[i]
		for _, d := range in.Defs {
			if p.live[d] && !in.Merging {
				p.live[d] = false
				now -= p.counts(d)
			}
		}
		eachRead(in, func(r vcode.Reg) {
			if !p.live[r] {
				p.live[r] = true
				now += p.counts(r)
			}
		})
		most = max(most, now)
	}
	for i := range list {
		eachRead(&list[i], func(r vcode.Reg) { p.live[r] = false })
		for _, d := range list[i].Defs {
			p.live[d] = false
		}
	}
	return most
}

// maxHeld bounds the loads that wait for their first reader.
const maxHeld = 64

// sinkLoads moves the loads of a block down to the first instruction that reads them. None passes an instruction with an effect.
func sinkLoads(f *vcode.Func, b int) {
	list := f.Blocks[b].Insts
	out := f.Form.Arena.Insts(len(list))
	var held []vcode.Inst // in order
	for i := range list {
		in := &list[i]
		kept := held[:0]
		for k := range held {
			if hasEffect(in) || conflict(&held[k], in) {
				out = append(out, held[k])
			} else {
				kept = append(kept, held[k])
			}
		}
		held = kept
		if (in.Op == vcode.StridedLoad || in.Op == vcode.BroadcastLoad) && !in.Merging && !hasEffect(in) && len(held) < maxHeld {
			held = append(held, *in)
			continue
		}
		out = append(out, *in)
	}
	f.Blocks[b].Insts = append(out, held...)
}

// conflict reports whether instruction b must stay after a: it reads or writes a result, or writes an operand.
func conflict(a, b *vcode.Inst) bool {
	for _, d := range a.Defs {
		if slices.Contains(b.Uses, d) || slices.Contains(b.Masks, d) || slices.Contains(b.Defs, d) {
			return true
		}
	}
	for _, d := range b.Defs {
		if slices.Contains(a.Uses, d) || slices.Contains(a.Masks, d) {
			return true
		}
	}
	return false
}
