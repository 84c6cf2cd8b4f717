package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Register pressure of a block
//
// The code of all parts is interleaved, so each operation of a wide strip has as many results as parts. If a block of a loop
// needs more vectors than the machine has, its computations and loads move down to the first instruction that needs them: to the
// one that changes a variable of the loop, or has an effect. That shortens live ranges:
//
//	load a0 … a3                                load a0; load b0; p0 = a0·b0; s0 += p0
//	load b0, b1                                 load b1; p1 = a0·b1; s1 += p1
//	p0 … p7 = a·b       14 vectors, and s   →   load a1; p2 = a1·b0; s2 += p2         4 vectors, and s
//	s0 … s7 += p0 … p7                          …
//
// The order is as in code for a stack machine, a depth-first walk of the operands (Sethi & Ullman 1970).
// The estimate counts vectors that the block mentions: others can be in memory meanwhile.

// relievePressure reorders the blocks of loops that need too many vectors.
func relievePressure(f *vcode.Func) {
	if f.Form.Vectors == 0 || f.Parts < 2 {
		return
	}
	mem := acquireArena()
	defer mem.release()
	looped := mem.flags.Alloc(len(f.Blocks))
	if !findLooped(f, looped) {
		return
	}
	p := newPressure(f, mem)
	var o *demandOrder
	for b := range f.Blocks {
		if !looped[b] {
			continue
		}
		// Another order helps if the block needs more vectors than the machine has, but not too many more.
		before, list := p.most(b), f.Blocks[b].Insts
		if before <= f.Form.Vectors || before > maxPressure*f.Form.Vectors {
			continue
		}
		if o == nil {
			o = newDemandOrder(f, mem)
		}
		if f.Blocks[b].Insts = o.reorder(list); p.most(b) >= before {
			f.Blocks[b].Insts = list
		}
	}
}

// findLooped finds the blocks that a jump back encloses, and reports whether there are any. It leaves out those with fewer instructions
// than the machine has vectors: an instruction has at most one result that another order could move.
func findLooped(f *vcode.Func, looped []bool) (some bool) {
	first := -1 // block of the outermost loop
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		list := f.Blocks[b].Insts
		for i := range list {
			if in := &list[i]; in.Op == vcode.Jump && in.Target <= b && (first < 0 || in.Target < first) {
				first = in.Target
			}
		}
		if first >= 0 && b >= first {
			looped[b] = len(list) >= f.Form.Vectors
			some = some || looped[b]
		}
		if b == first {
			first = -1
		}
	}
	return some
}

// pressure is the state of the estimate.
type pressure struct {
	f       *vcode.Func
	home    []int32 // by register: 1 + the only block that mentions it, or −1
	vectors []int32 // by register: the vectors that it needs
	live    []int32 // by register: the number of the estimate in which it is live
	number  int32   // of the estimate
}

// newPressure finds the blocks that mention each register. A register that one block mentions is a result of that block alone, and needs
// no vector elsewhere.
func newPressure(f *vcode.Func, mem *arena) *pressure {
	n := len(f.Classes)
	p := &pressure{f: f, home: mem.numbers.Alloc(n), vectors: mem.numbers.Alloc(n), live: mem.numbers.Alloc(n)}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, list := range [...][]vcode.Reg{in.Uses, in.Masks, in.Defs} {
				for _, r := range list {
					switch p.home[r] {
					case 0:
						p.home[r], p.vectors[r] = int32(b)+1, vectorsOf(f, r)
					case int32(b) + 1:
					default:
						p.home[r] = -1
					}
				}
			}
		}
	}
	return p
}

// maxPressure is how many times the vectors of the machine a block may need for another order to help.
const maxPressure = 3

// vectorsOf returns how many vectors a register needs.
func vectorsOf(f *vcode.Func, r vcode.Reg) int32 {
	switch c := f.Classes[r]; {
	case f.IsConst(r):
	case c == vcode.Wide:
		return 2
	case c == vcode.Vec, c == vcode.Mask && f.Form.VectorMasks:
		return 1
	}
	return 0
}

// most returns the largest number of vectors of a block that are live at once.
func (p *pressure) most(b int) int {
	p.number++
	list, now := p.f.Blocks[b].Insts, int32(0)
	// Live at the end: the registers that other blocks mention too, such as the variables of the loop.
	for i := range list {
		in := &list[i]
		for _, regs := range [...][]vcode.Reg{in.Uses, in.Masks, in.Defs} {
			for _, r := range regs {
				if p.home[r] < 0 && p.live[r] != p.number {
					p.live[r] = p.number
					now += p.vectors[r]
				}
			}
		}
	}
	most := now
	// Backwards: a write ends the range of a value, the last read begins it.
	for i := len(list) - 1; i >= 0; i-- {
		in := &list[i]
		for _, d := range in.Defs {
			if p.live[d] == p.number && !in.Merging {
				p.live[d] = 0
				now -= p.vectors[d]
			}
		}
		for _, regs := range [...][]vcode.Reg{in.Uses, in.Masks} {
			for _, r := range regs {
				if p.live[r] != p.number {
					p.live[r] = p.number
					now += p.vectors[r]
				}
			}
		}
		most = max(most, now)
	}
	return int(most)
}

// demandOrder is the reordering of a block: a computation is held back until an instruction that is not needs it.
type demandOrder struct {
	f      *vcode.Func
	total  []int32 // by register: writes in the function
	holder []int32 // by register: 1 + the index of the held instruction that writes it
	reads  []int32 // by register: held instructions that read it
	depth  []int32 // by index: held instructions on the longest path to it
	list   []vcode.Inst
	held   []int32 // positions in list
	gone   []bool  // by index: emitted
	out    []vcode.Inst
}

// maxHeldDepth bounds the dependent instructions that become neighbours: so the chains of all parts still overlap.
const maxHeldDepth = 8

// newDemandOrder counts the writes of each register.
func newDemandOrder(f *vcode.Func, mem *arena) *demandOrder {
	n := len(f.Classes)
	o := &demandOrder{f: f, total: mem.numbers.Alloc(n), holder: mem.numbers.Alloc(n), reads: mem.numbers.Alloc(n)}
	f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			o.total[d]++
		}
	})
	return o
}

// reorder reorders a block.
func (o *demandOrder) reorder(list []vcode.Inst) []vcode.Inst {
	o.list, o.out = list, o.f.Form.Arena.Insts(len(list))
	for i := range list {
		in := &list[i]
		if hasEffect(in) {
			o.releaseAll()
		}
		for _, d := range in.Defs {
			if o.reads[d] > 0 || o.holder[d] > 0 { // a held instruction needs the value before
				o.releaseAll()
			}
		}
		depth := int32(1)
		eachRead(in, func(r vcode.Reg) {
			if h := o.holder[r]; h > 0 {
				depth = max(depth, o.depth[h-1]+1)
			}
		})
		if depth <= maxHeldDepth && o.holdable(in) {
			o.held, o.gone, o.depth = append(o.held, int32(i)), append(o.gone, false), append(o.depth, depth)
			for _, d := range in.Defs {
				o.holder[d] = int32(len(o.held))
			}
			eachRead(in, func(r vcode.Reg) { o.reads[r]++ })
			continue
		}
		eachRead(in, o.need)
		o.out = append(o.out, *in)
	}
	o.releaseAll()
	return o.out
}

// holdable reports whether an instruction only computes or loads vectors that nothing else writes.
func (o *demandOrder) holdable(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedLoad, vcode.BroadcastLoad:
	default:
		if in.Op != vcode.Lane && in.Op != vcode.Own || !schedulable(in) {
			return false
		}
	}
	for _, d := range in.Defs {
		if o.total[d] != 1 {
			return false
		}
	}
	return !in.Merging && !hasEffect(in)
}

// need emits the held instruction that writes a register, after those that it needs.
func (o *demandOrder) need(r vcode.Reg) {
	if h := o.holder[r]; h > 0 {
		o.release(int(h) - 1)
	}
}

// release emits a held instruction.
func (o *demandOrder) release(k int) {
	in := &o.list[o.held[k]]
	eachRead(in, o.need)
	o.gone[k] = true
	for _, d := range in.Defs {
		o.holder[d] = 0
	}
	eachRead(in, func(r vcode.Reg) { o.reads[r]-- })
	o.out = append(o.out, *in)
}

// releaseAll emits all held instructions.
func (o *demandOrder) releaseAll() {
	for k := range o.held {
		if !o.gone[k] {
			o.release(k)
		}
	}
	o.held, o.gone, o.depth = o.held[:0], o.gone[:0], o.depth[:0]
}
