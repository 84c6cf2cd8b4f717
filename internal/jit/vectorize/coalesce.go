package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// joinBlocks makes one block of each to which something jumps, or the first, and
// those behind it to which nothing does.
func joinBlocks(f *vcode.Func) {
	r := enter()
	defer r.leave()
	place := r.numbers.Alloc(len(f.Blocks)) // of a block that is entered among those that stay; −1 for others
	for b := range place {
		place[b] = -1
	}
	place[0] = 0
	each(f, func(in *vcode.Inst) {
		if in.Op.Jumps() {
			place[in.Target] = 0
		}
	})
	var out []vcode.Block
	for b, next := 0, 1; b < len(f.Blocks); b, next = next, next+1 {
		n := len(f.Blocks[b].Insts)
		for ; next < len(f.Blocks) && place[next] < 0; next++ {
			n += len(f.Blocks[next].Insts)
		}
		all := f.Blocks[b].Insts
		if n > len(all) {
			all = append(f.Form.Arena.Insts(n), all...)
			for i := b + 1; i < next; i++ {
				all = append(all, f.Blocks[i].Insts...)
			}
		}
		place[b] = int32(len(out))
		out = append(out, vcode.Block{Insts: all})
	}
	f.Blocks = out
	each(f, func(in *vcode.Inst) {
		if in.Op.Jumps() {
			in.Target = int(place[in.Target])
		}
	})
}

func each(f *vcode.Func, do func(*vcode.Inst)) {
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			do(&f.Blocks[b].Insts[i])
		}
	}
}

// Bounds of what is looked at for one value.
const (
	maxExits = 8  // jumps out of a block while the value lives
	maxAfter = 16 // mentions of the other register behind
)

// coalesce makes values in the registers that they are copied to (sink), and
// lets values take the place of those that end where they begin (chain), so that
// the parameter of a loop and what becomes of it in an iteration are one register.
func coalesce(f *vcode.Func) {
	in, n := enter(), len(f.Classes)
	defer in.leave()
	c := &coalescer{f: f, defs: in.numbers.Alloc(n), reads: in.numbers.Alloc(n), spots: in.lists.Alloc(n), many: in.numbers.Alloc(n), touched: in.regs.Alloc(n)[:0], in: in}
	copied := in.flags.Alloc(n)
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, r := range in.Defs {
				c.defs[r]++
				copied[r] = copied[r] || in.Op == vcode.Copy
			}
			for _, r := range in.Uses {
				c.reads[r]++
			}
			for _, r := range in.Masks {
				c.reads[r]++
			}
		}
	}
	ok := false
	if c.live, ok = livenessOf(f, func(r vcode.Reg) bool { return copied[r] }, in); !ok {
		return
	}
	c.live.settle()
	for b := range f.Blocks {
		if !c.concerns(b) {
			continue
		}
		c.survey(b)
		if c.sinkAll() {
			c.forget()
			c.survey(b)
		}
		c.chainAll()
		c.forget()
		f.Blocks[b].Insts = less(f.Blocks[b].Insts, gone)
	}
}

// concerns reports whether a block writes a register that something is copied to.
func (c *coalescer) concerns(b int) bool {
	for i := range c.f.Blocks[b].Insts {
		for _, d := range c.f.Blocks[b].Insts[i].Defs {
			if c.live.number[d] != 0 {
				return true
			}
		}
	}
	return false
}

type coalescer struct {
	f           *vcode.Func
	defs, reads []int32 // how often registers are written and read
	live        *liveness
	in          *room

	// Of a block.
	b       int
	list    []vcode.Inst
	spots   [][]spot // by register: where it is mentioned, in order
	all     []spot   // which those are parts of, as long as nothing moves
	many    []int32  // how many
	touched []vcode.Reg
	exits   []int32 // instructions that jump
}

// spot is a mention of a register: reads of an instruction come before its
// writes.
type spot struct {
	at     int32
	writes bool // whole: what keeps lanes reads too
}

// survey notes all mentions in a block.
func (c *coalescer) survey(b int) {
	c.b, c.list = b, c.f.Blocks[b].Insts
	n := int32(0)
	c.each(func(r vcode.Reg, _ spot) {
		if c.many[r] == 0 {
			c.touched = append(c.touched, r)
		}
		c.many[r]++
		n++
	})
	if int(n) > len(c.all) {
		c.all = c.in.spots.Alloc(int(n))
	}
	all := c.all[:n]
	n = 0
	for _, r := range c.touched {
		c.spots[r] = all[n : n : n+c.many[r]]
		n += c.many[r]
	}
	c.each(func(r vcode.Reg, s spot) { c.spots[r] = append(c.spots[r], s) })
	for i := range c.list {
		if c.list[i].Op.Jumps() {
			c.exits = append(c.exits, int32(i))
		}
	}
}

// each calls do for all mentions in the block in order.
func (c *coalescer) each(do func(vcode.Reg, spot)) {
	for i := range c.list {
		in := &c.list[i]
		for _, r := range in.Uses {
			do(r, spot{at: int32(i)})
		}
		for _, r := range in.Masks {
			do(r, spot{at: int32(i)})
		}
		for _, r := range in.Defs {
			if in.Merging {
				do(r, spot{at: int32(i)})
			}
			do(r, spot{int32(i), true})
		}
	}
}

func (c *coalescer) forget() {
	for _, r := range c.touched {
		c.spots[r], c.many[r] = nil, 0
	}
	c.touched, c.exits = c.touched[:0], c.exits[:0]
}

// unwanted reports whether nobody wants what r held before where jumps behind
// instruction from, up to to, lead.
func (c *coalescer) unwanted(r vcode.Reg, from, to int32) bool {
	i, _ := slices.BinarySearch(c.exits, from+1)
	for n := 0; i < len(c.exits) && c.exits[i] < to; i++ {
		if n++; n > maxExits || c.live.number[r] == 0 || c.live.at(c.list[c.exits[i]].Target, r) {
			return false
		}
	}
	return true
}

// sinkAll looks at all copies of the block, and reports whether any went.
func (c *coalescer) sinkAll() (some bool) {
	for i := range c.list {
		if in := &c.list[i]; in.Op == vcode.Copy && c.sink(in, int32(i)) {
			*in, some = vcode.Inst{}, true
		}
	}
	return some
}

// sink makes what instruction i copies in the register that it is copied to:
// where it is made in the same block and read by nobody else, and nothing
// between mentions that register.
func (c *coalescer) sink(in *vcode.Inst, i int32) bool {
	d, u := in.Defs[0], in.Uses[0]
	if c.defs[u] != 1 || c.reads[u] != 1 || d == u || c.f.Classes[d] != c.f.Classes[u] || c.live.number[d] == 0 {
		return false
	}
	if len(c.spots[u]) != 2 || !c.spots[u][0].writes {
		return false
	}
	made := c.spots[u][0].at
	by := &c.list[made]
	if len(by.Defs) != 1 || by.Merging || by.Op == vcode.Undef || by.Op == vcode.Strip || by.Key.Type == ir.H {
		return false
	}
	if c.mentioned(d, made, i) || !c.unwanted(d, made, i) {
		return false
	}
	if in.Merging {
		if by.Op != vcode.Lane && by.Op != vcode.Own || c.f.Classes[d] == vcode.Mask || c.writtenSince(in.Masks[0], made, i) {
			return false
		}
		for _, m := range by.Masks {
			c.reads[m]--
		}
		by.Masks, by.Merging = in.Masks, true
	}
	by.Defs = in.Defs
	c.move(d, made, i)
	return true
}

// mentioned reports whether r is mentioned behind instruction from and before to.
func (c *coalescer) mentioned(r vcode.Reg, from, to int32) bool {
	k, _ := slices.BinarySearchFunc(c.spots[r], from+1, func(s spot, at int32) int { return int(s.at - at) })
	return k < len(c.spots[r]) && c.spots[r][k].at < to
}

// writtenSince reports whether r is written from instruction from on and before to.
func (c *coalescer) writtenSince(r vcode.Reg, from, to int32) bool {
	for _, s := range c.spots[r] {
		if s.writes && s.at >= from && s.at < to {
			return true
		}
	}
	return false
}

// move notes that r is written by instruction to and not by from.
func (c *coalescer) move(r vcode.Reg, to, from int32) {
	list := c.spots[r]
	k, _ := slices.BinarySearchFunc(list, from, func(s spot, at int32) int { return int(s.at - at) })
	for ; k < len(list) && list[k].at == from; k++ {
		list[k].at = to
	}
}

// chainAll lets values take the place of those that end where they begin.
func (c *coalescer) chainAll() {
	for i := range c.list {
		in := &c.list[i]
		switch in.Op {
		case vcode.Lane, vcode.Own, vcode.And, vcode.AndNot, vcode.Or:
		default:
			continue
		}
		if len(in.Defs) != 1 || in.Merging || c.defs[in.Defs[0]] != 1 {
			continue
		}
		for _, u := range in.Uses {
			if c.chain(in.Defs[0], u, int32(i)) {
				break
			}
		}
	}
}

// chain renames d, which instruction i makes, to u, which it reads: where that
// ends there, and is written anew in the same block behind the last read of d.
func (c *coalescer) chain(d, u vcode.Reg, i int32) bool {
	if c.live.number[u] == 0 || c.f.Classes[d] != c.f.Classes[u] || len(c.spots[d]) != int(c.reads[d])+1 || len(c.spots[d]) < 2 {
		return false
	}
	list := c.spots[u]
	k, _ := slices.BinarySearchFunc(list, i+1, func(s spot, at int32) int { return int(s.at - at) })
	rest := list[k:]
	if len(rest) == 0 || len(rest) > maxAfter || !rest[0].writes {
		return false
	}
	last := c.spots[d][len(c.spots[d])-1].at
	if last > rest[0].at && !c.samePlace(d, u, rest, last) || !c.unwanted(u, i, max(last, rest[0].at)) {
		return false
	}
	for _, s := range c.spots[d] {
		c.rename(&c.list[s.at], d, u)
	}
	merged := append(slices.Clone(c.spots[d][1:]), rest...)
	slices.SortStableFunc(merged, func(x, y spot) int { return int(x.at - y.at) })
	c.spots[u] = append(list[:k:k], append([]spot{{i, true}}, merged...)...)
	return true
}

// samePlace reports whether all that follows of u, up to the last read of d, is
// a copy of d and what reads it.
func (c *coalescer) samePlace(d, u vcode.Reg, rest []spot, last int32) bool {
	in := &c.list[rest[0].at]
	if in.Op != vcode.Copy || in.Merging || in.Uses[0] != d || in.Defs[0] != u {
		return false
	}
	for _, s := range rest[1:] {
		if s.writes && s.at < last {
			return false
		}
	}
	return true
}

// rename writes u for d in an instruction. Lists are shared between
// instructions, so changed ones are new. A copy to itself goes.
func (c *coalescer) rename(in *vcode.Inst, d, u vcode.Reg) {
	for _, list := range [...]*[]vcode.Reg{&in.Defs, &in.Uses, &in.Masks} {
		if !slices.Contains(*list, d) {
			continue
		}
		*list = slices.Clone(*list)
		for i, r := range *list {
			if r == d {
				(*list)[i] = u
			}
		}
	}
	if in.Op == vcode.Copy && len(in.Uses) == 1 && !in.Merging && in.Uses[0] == in.Defs[0] {
		*in = vcode.Inst{}
	}
}
