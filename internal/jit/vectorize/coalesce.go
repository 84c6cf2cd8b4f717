package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Copy coalescing
//
// The parameters of labels are registers of their own, so out-of-SSA copies are everywhere. This pass
// removes most of those within one block, in two ways; both make the parameter of a loop and its next value
// one register:
//
//	retarget      t = add s, x; …; copy p, t             →    p = add s, x
//	joinRanges    d = add u, x; … d …; copy u, d         →    u = add u, x; … u …
//
// In retarget the copied register has no other use, and p is not mentioned in between. In joinRanges the
// live range of u ends at the definition of d. Chaitin 1982 coalesces by interference; here liveness at the
// block boundaries and the positions of all mentions in the block are enough.

// Limits of the search for one register: jumps out of the block in its range, and mentions of the other
// one.
const (
	maxExits    = 8
	maxMentions = 16
)

// coalesce removes copies, block by block.
func coalesce(f *vcode.Func) {
	mem, n := acquireArena(), len(f.Classes)
	defer mem.release()
	c := &coalescer{f: f, defs: mem.numbers.Alloc(n), reads: mem.numbers.Alloc(n), mentions: mem.mentionLists.Alloc(n), mentionCount: mem.numbers.Alloc(n), wanted: mem.flags.Alloc(n), touched: mem.regs.Alloc(n)[:0], arena: mem}
	copied := mem.flags.Alloc(n)
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
	if c.live, ok = newLiveness(f, func(r vcode.Reg) bool { return copied[r] }, mem); !ok || !c.live.solve() {
		return
	}
	for b := range f.Blocks {
		if !c.relevant(b) {
			continue
		}
		c.scan(b)
		if c.retargetAll() {
			c.forget()
			c.scan(b)
		}
		c.joinAll()
		c.forget()
		f.Blocks[b].Insts = deleteIf(f.Blocks[b].Insts, cleared)
	}
}

// relevant reports whether a block writes a register that is the target of a copy.
func (c *coalescer) relevant(b int) bool {
	for i := range c.f.Blocks[b].Insts {
		for _, d := range c.f.Blocks[b].Insts[i].Defs {
			if c.live.index[d] != 0 {
				return true
			}
		}
	}
	return false
}

// coalescer is the state of coalesce.
type coalescer struct {
	f           *vcode.Func
	defs, reads []int32   // by register: number of writes and of reads
	live        *liveness // of the registers that are targets of copies
	arena       *arena

	// State of a block.
	b            int // its index
	list         []vcode.Inst
	mentions     [][]mention // by register, in order
	all          []mention   // memory of mentions, until one is inserted
	mentionCount []int32     // by register
	wanted       []bool      // by register: it may be in a pair to coalesce, so that its mentions matter
	touched      []vcode.Reg // registers with mentions
	exits        []int32     // indices of jumps
}

// mention is a read or write of a register. The reads of an instruction come before its writes.
type mention struct {
	at     int32 // index of the instruction
	writes bool  // a merging write is a read and a write
}

// scan finds all mentions in a block.
func (c *coalescer) scan(b int) {
	c.b, c.list = b, c.f.Blocks[b].Insts
	c.findWanted()
	n := int32(0)
	c.each(func(r vcode.Reg, _ mention) {
		if c.mentionCount[r] == 0 {
			c.touched = append(c.touched, r)
		}
		c.mentionCount[r]++
		n++
	})
	if int(n) > len(c.all) {
		c.all = c.arena.mentions.Alloc(int(n))
	}
	all := c.all[:n]
	n = 0
	for _, r := range c.touched {
		c.mentions[r] = all[n : n : n+c.mentionCount[r]]
		n += c.mentionCount[r]
	}
	c.each(func(r vcode.Reg, s mention) { c.mentions[r] = append(c.mentions[r], s) })
	for i := range c.list {
		if c.list[i].Op.Jumps() {
			c.exits = append(c.exits, int32(i))
		}
	}
}

// findWanted finds the registers of the block that are targets or sources of copies, results that may share the register of such an
// operand, and masks of merging copies.
func (c *coalescer) findWanted() {
	want := func(list []vcode.Reg) {
		for _, r := range list {
			c.wanted[r] = true
		}
	}
	for i := range c.list {
		in := &c.list[i]
		if in.Op == vcode.Copy {
			want(in.Uses)
			want(in.Masks)
		}
		copied := in.Op == vcode.Copy
		for _, r := range in.Defs {
			copied = copied || c.live.index[r] != 0
		}
		for _, r := range in.Uses {
			if c.live.index[r] != 0 {
				c.wanted[r] = true
			}
			copied = copied || c.wanted[r] // a wanted result may be renamed to the target of a copy
		}
		if copied {
			want(in.Defs)
		}
	}
}

// each calls do for all mentions of wanted registers in the block, in order.
func (c *coalescer) each(do func(vcode.Reg, mention)) {
	for i := range c.list {
		in := &c.list[i]
		for _, r := range in.Uses {
			if c.wanted[r] {
				do(r, mention{at: int32(i)})
			}
		}
		for _, r := range in.Masks {
			if c.wanted[r] {
				do(r, mention{at: int32(i)})
			}
		}
		for _, r := range in.Defs {
			if !c.wanted[r] {
				continue
			}
			if in.Merging {
				do(r, mention{at: int32(i)})
			}
			do(r, mention{int32(i), true})
		}
	}
}

// forget drops all mentions.
func (c *coalescer) forget() {
	for _, r := range c.touched {
		c.mentions[r], c.mentionCount[r] = nil, 0
	}
	c.touched, c.exits = c.touched[:0], c.exits[:0]
}

// deadAtExits reports whether r is dead at the targets of all jumps after instruction from and before to.
func (c *coalescer) deadAtExits(r vcode.Reg, from, to int32) bool {
	i, _ := slices.BinarySearch(c.exits, from+1)
	for n := 0; i < len(c.exits) && c.exits[i] < to; i++ {
		if n++; n > maxExits || c.live.index[r] == 0 || c.live.liveAtStart(c.list[c.exits[i]].Target, r) {
			return false
		}
	}
	return true
}

// retargetAll tries all copies of the block, and reports whether any was removed.
func (c *coalescer) retargetAll() (some bool) {
	for i := range c.list {
		if in := &c.list[i]; in.Op == vcode.Copy && c.retarget(in, int32(i)) {
			*in, some = vcode.Inst{}, true
		}
	}
	return some
}

// retarget removes copy i: the copied value is computed in the register that it is copied to. The
// definition is in the same block, has no other use, and nothing in between mentions that register.
func (c *coalescer) retarget(in *vcode.Inst, i int32) bool {
	d, u := in.Defs[0], in.Uses[0]
	if c.defs[u] != 1 || c.reads[u] != 1 || d == u || c.f.Classes[d] != c.f.Classes[u] || c.live.index[d] == 0 {
		return false
	}
	if len(c.mentions[u]) != 2 || !c.mentions[u][0].writes {
		return false
	}
	def := c.mentions[u][0].at
	by := &c.list[def]
	if len(by.Defs) != 1 && by.Op != vcode.StridedLoad || by.Merging || by.Op == vcode.Undef || by.Op == vcode.Strip || by.Key.Type == ir.H {
		return false
	}
	if len(by.Defs) > 1 && slices.Contains(by.Defs, d) || c.mentionedBetween(d, def, i) || !c.deadAtExits(d, def, i) {
		return false
	}
	if in.Merging {
		if by.Op != vcode.Lane && by.Op != vcode.Own || c.f.Classes[d] == vcode.Mask || c.writtenSince(in.Masks[0], def, i) {
			return false
		}
		for _, m := range by.Masks {
			c.reads[m]--
		}
		by.Masks, by.Merging = in.Masks, true
	}
	if len(by.Defs) == 1 {
		by.Defs = in.Defs
	} else {
		by.Defs = slices.Clone(by.Defs) // other instructions may share the list
		by.Defs[slices.Index(by.Defs, u)] = d
	}
	c.moveWrite(d, def, i)
	return true
}

// mentionedBetween reports whether r is mentioned after instruction from and before to.
func (c *coalescer) mentionedBetween(r vcode.Reg, from, to int32) bool {
	k, _ := slices.BinarySearchFunc(c.mentions[r], from+1, func(s mention, at int32) int { return int(s.at - at) })
	return k < len(c.mentions[r]) && c.mentions[r][k].at < to
}

// writtenSince reports whether r is written at instruction from, or later and before to.
func (c *coalescer) writtenSince(r vcode.Reg, from, to int32) bool {
	for _, s := range c.mentions[r] {
		if s.writes && s.at >= from && s.at < to {
			return true
		}
	}
	return false
}

// moveWrite records that instruction to writes r, and from no longer does.
func (c *coalescer) moveWrite(r vcode.Reg, to, from int32) {
	list := c.mentions[r]
	k, _ := slices.BinarySearchFunc(list, from, func(s mention, at int32) int { return int(s.at - at) })
	for ; k < len(list) && list[k].at == from; k++ {
		list[k].at = to
	}
}

// joinAll tries the results and operands of all operations of the block.
func (c *coalescer) joinAll() {
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
			if c.joinRanges(in.Defs[0], u, int32(i)) {
				break
			}
		}
	}
}

// joinRanges renames d, the result of instruction i, to its operand u. The range of u ends at i, and u is
// written again in the block after the last use of d.
func (c *coalescer) joinRanges(d, u vcode.Reg, i int32) bool {
	if c.live.index[u] == 0 || c.f.Classes[d] != c.f.Classes[u] || len(c.mentions[d]) != int(c.reads[d])+1 || len(c.mentions[d]) < 2 {
		return false
	}
	list := c.mentions[u]
	k, _ := slices.BinarySearchFunc(list, i+1, func(s mention, at int32) int { return int(s.at - at) })
	rest := list[k:]
	if len(rest) == 0 || len(rest) > maxMentions || !rest[0].writes {
		return false
	}
	last := c.mentions[d][len(c.mentions[d])-1].at
	if last > rest[0].at && !c.onlyCopyFollows(d, u, rest, last) || !c.deadAtExits(u, i, max(last, rest[0].at)) {
		return false
	}
	for _, s := range c.mentions[d] {
		c.rename(&c.list[s.at], d, u)
	}
	merged := append(slices.Clone(c.mentions[d][1:]), rest...)
	slices.SortStableFunc(merged, func(x, y mention) int { return int(x.at - y.at) })
	c.mentions[u] = append(list[:k:k], append([]mention{{i, true}}, merged...)...)
	return true
}

// onlyCopyFollows reports whether u is written next by a copy of d, and not again before the last use of d.
func (c *coalescer) onlyCopyFollows(d, u vcode.Reg, rest []mention, last int32) bool {
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

// rename replaces d by u in an instruction, and clears it if it becomes a copy of u to itself. Instructions
// share lists, so changed lists are new ones.
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
