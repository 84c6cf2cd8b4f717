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
// The order is that of code for a stack machine, a depth-first walk of the operands (Sethi & Ullman 1970).
// The estimate counts vectors that the block mentions: others can be in memory meanwhile.

// relievePressure reorders the blocks of loops that need too many vectors.
func relievePressure(f *vcode.Func) {
	if f.Form.Vectors == 0 || f.Parts < 2 {
		return
	}
	mem := acquireArena()
	defer mem.release()
	p := newPressure(f, mem)
	var o *demandOrder
	for b := range f.Blocks {
		if !p.presses(b) {
			continue
		}
		if o == nil {
			o = newDemandOrder(f, mem)
		}
		before, list := p.most(b), f.Blocks[b].Insts
		if f.Blocks[b].Insts = o.reorder(list); p.most(b) >= before {
			f.Blocks[b].Insts = list
		}
	}
}

// pressure is the state of the estimate.
type pressure struct {
	f      *vcode.Func
	home   []int32 // by register: 1 + the only block that mentions it, or −1
	live   []bool  // by register
	looped []bool  // by block: it is in a loop
}

// newPressure finds the blocks that mention each register, and those that a jump back encloses. A register that one block
// mentions is a result of that block alone, and needs no vector elsewhere.
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
	// Live at the end: the registers that other blocks mention too, such as the variables of the loop.
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
	// Backwards: a write ends the range of a value, the last read begins it.
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

// demandOrder is the reordering of a block: a computation is held back until an instruction that is not needs it.
type demandOrder struct {
	f      *vcode.Func
	total  []int32 // by register: writes in the function
	holder []int32 // by register: 1 + the index of the held instruction that writes it
	reads  []int32 // by register: held instructions that read it
	depth  []int32 // by index: held instructions on the longest path to it
	held   []vcode.Inst
	gone   []bool // by index: emitted
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
	o.out = o.f.Form.Arena.Insts(len(list))
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
			o.held, o.gone, o.depth = append(o.held, *in), append(o.gone, false), append(o.depth, depth)
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
	in := &o.held[k]
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
