package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Copies between blocks
//
// A variable of nested loops is a parameter of each, so that copies lead from one to the next: into the inner loop, out of it, and back.
// If the registers of such a chain never hold different values that are still read, they become one register:
//
//	top:    j = copy i                          top:
//	inner:  j = add j, x; …; jump inner    →    inner:  i = add i, x; …; jump inner
//	        i = copy j; jump top                        jump top
//
// This is the coalescing of Chaitin 1982: registers interfere if one is written, other than by a copy of the other, while the
// other is live. It does without an interference graph, because few registers are copied: each pair is tested
// with the liveness at the block boundaries, and the mentions of both (Budimlić et al. 2002).
//
// Only copies of all lanes count. A copy under a mask keeps the old value of other lanes, so its registers differ. A write of an
// undefined value (Undef) interferes with nothing: it may as well leave the value of the other register in place.
//
// It is worth the second liveness analysis in code with many variables in nested loops, such as the sums of a tile of a matrix product
// that stay in vectors over all tiles: each copy is a load and a store if the sums are in memory.

// Limits: copies of a function, registers that become one, and mentions of one register.
const (
	maxJoinedCopies   = 4096
	maxJoinedGroup    = 8
	maxJoinedMentions = 64
)

// joinCopies makes one register of vectors that are copies of each other.
func joinCopies(f *vcode.Func) {
	if !hasLoop(f) {
		return
	}
	mem := acquireArena()
	defer mem.release()
	j := copyJoiner{f: f, group: mem.regs.Alloc(len(f.Classes))}
	if !j.findCopies() {
		return
	}
	live, ok := newLiveness(f, func(r vcode.Reg) bool { return j.group[r] != 0 }, mem)
	if !ok || !live.solve() {
		return
	}
	j.live = live
	j.findMentions(mem)
	j.findExits(mem)
	some := false
	for _, in := range j.copies {
		f.Form.Arena.Poll()
		some = j.join(in.Defs[0], in.Uses[0]) || some
	}
	if some {
		j.rename()
	}
}

// hasLoop reports whether a jump leads backwards.
func hasLoop(f *vcode.Func) bool {
	for b := range f.Blocks {
		if to, ok := jumpTarget(f.Blocks[b]); ok && to <= b {
			return true
		}
	}
	return false
}

// copyJoiner is the state of joinCopies.
type copyJoiner struct {
	f        *vcode.Func
	live     *liveness
	group    []vcode.Reg // by register: the register that its group becomes, or 0
	copies   []*vcode.Inst
	members  map[vcode.Reg][]vcode.Reg // of groups of several registers
	ends     []int32                   // by register: the end of its mentions
	mentions []placedRead              // of copied registers, by register, each in order
	exits    []int32                   // instructions that may leave their block, by block, each in order
	exitEnds []int32                   // by block: the end of its exits
}

// placedRead is a read or write of a register.
type placedRead struct {
	block, at    int32
	read, writes bool // a merging write is both
}

// findCopies lists the copies of vectors, and reports whether there are some, but not too many. Each register is a group of its own.
func (j *copyJoiner) findCopies() bool {
	for b := range j.f.Blocks {
		list := j.f.Blocks[b].Insts
		for i := range list {
			if in := &list[i]; j.joinable(in) {
				j.copies = append(j.copies, in)
				j.group[in.Defs[0]], j.group[in.Uses[0]] = in.Defs[0], in.Uses[0]
			}
		}
	}
	return len(j.copies) > 0 && len(j.copies) <= maxJoinedCopies
}

// joinable reports whether an instruction copies all lanes of a vector to another register.
func (j *copyJoiner) joinable(in *vcode.Inst) bool {
	if in.Op != vcode.Copy || in.Merging || len(in.Masks) > 0 {
		return false
	}
	d, u := in.Defs[0], in.Uses[0]
	return d != u && !j.f.IsConst(u) && j.f.Classes[d] == vcode.Vec && j.f.Classes[u] == vcode.Vec
}

// findMentions lists the mentions of all copied registers, by a counting sort.
func (j *copyJoiner) findMentions(mem *arena) {
	j.members, j.ends = map[vcode.Reg][]vcode.Reg{}, mem.numbers.Alloc(len(j.group))
	j.eachMention(func(r vcode.Reg, _ placedRead) { j.ends[r]++ })
	at := int32(0)
	for r, many := range j.ends { // now the start of each list; the second walk moves it to its end
		j.ends[r] = at
		at += many
	}
	j.mentions = make([]placedRead, at)
	j.eachMention(func(r vcode.Reg, m placedRead) {
		j.mentions[j.ends[r]] = m
		j.ends[r]++
	})
}

// findExits lists the instructions that may leave their block. Few do: liveAfter need not look at the others.
func (j *copyJoiner) findExits(mem *arena) {
	j.exitEnds = mem.numbers.Alloc(len(j.f.Blocks))
	for b := range j.f.Blocks {
		list := j.f.Blocks[b].Insts
		for i := range list {
			if op := list[i].Op; op.Jumps() || op == vcode.Return {
				j.exits = append(j.exits, int32(i))
			}
		}
		j.exitEnds[b] = int32(len(j.exits))
	}
}

// exitsOf returns the instructions that may leave a block.
func (j *copyJoiner) exitsOf(block int32) []int32 {
	begin := int32(0)
	if block > 0 {
		begin = j.exitEnds[block-1]
	}
	return j.exits[begin:j.exitEnds[block]]
}

// eachMention calls yield for the mentions of all copied registers, in order.
func (j *copyJoiner) eachMention(yield func(vcode.Reg, placedRead)) {
	for b := range j.f.Blocks {
		list := j.f.Blocks[b].Insts
		for i := range list {
			in := &list[i]
			for _, r := range in.Uses {
				if j.group[r] != 0 {
					yield(r, placedRead{block: int32(b), at: int32(i), read: true})
				}
			}
			for _, r := range in.Defs {
				if j.group[r] != 0 {
					yield(r, placedRead{block: int32(b), at: int32(i), read: in.Merging, writes: true})
				}
			}
		}
	}
}

// mentionsOf returns the mentions of a copied register, in order.
func (j *copyJoiner) mentionsOf(r vcode.Reg) []placedRead {
	begin := int32(0)
	if r > 0 {
		begin = j.ends[r-1]
	}
	return j.mentions[begin:j.ends[r]]
}

// membersOf returns the registers of a group.
func (j *copyJoiner) membersOf(g vcode.Reg) []vcode.Reg {
	if list := j.members[g]; list != nil {
		return list
	}
	return []vcode.Reg{g}
}

// join makes the groups of two registers one, and reports whether it did.
func (j *copyJoiner) join(d, u vcode.Reg) bool {
	x, y := j.group[d], j.group[u]
	if x == y {
		return true
	}
	a, b := j.membersOf(x), j.membersOf(y)
	if len(a)+len(b) > maxJoinedGroup || j.interferes(a, b, y) || j.interferes(b, a, x) {
		return false
	}
	all := slices.Concat(a, b)
	for _, r := range all {
		j.group[r] = x
	}
	j.members[x] = all
	delete(j.members, y)
	return true
}

// interferes reports whether a write of a register of a changes a value that a register of b, of group g, holds.
func (j *copyJoiner) interferes(a, b []vcode.Reg, g vcode.Reg) bool {
	for _, r := range a {
		mentions := j.mentionsOf(r)
		if len(mentions) > maxJoinedMentions {
			return true
		}
		for _, m := range mentions {
			in := &j.f.Blocks[m.block].Insts[m.at]
			if !m.writes || in.Op == vcode.Undef || j.joinable(in) && j.group[in.Uses[0]] == g {
				continue
			}
			if !j.mayShare(in, g) || j.anyLiveAfter(b, m) {
				return true
			}
		}
	}
	return false
}

// mayShare reports whether an instruction may have one register as its result and as an operand of group g. The code of others
// may write a result before it reads all operands.
func (j *copyJoiner) mayShare(in *vcode.Inst, g vcode.Reg) bool {
	holds := func(list []vcode.Reg) bool {
		return slices.ContainsFunc(list, func(r vcode.Reg) bool { return j.group[r] == g })
	}
	switch in.Op {
	case vcode.Lane, vcode.Own, vcode.Copy:
		return !holds(in.Defs)
	}
	return !holds(in.Defs) && !holds(in.Uses)
}

// anyLiveAfter reports whether any register of a list is live after a mention of another one.
func (j *copyJoiner) anyLiveAfter(list []vcode.Reg, m placedRead) bool {
	return slices.ContainsFunc(list, func(r vcode.Reg) bool { return j.liveAfter(r, m) })
}

// liveAfter reports whether a register is live after a mention of another one: it is read in the block before the next write, or is
// live where the block is left.
func (j *copyJoiner) liveAfter(r vcode.Reg, m placedRead) bool {
	mentions := j.mentionsOf(r)
	k, _ := slices.BinarySearchFunc(mentions, m, func(x, y placedRead) int {
		if x.block != y.block {
			return int(x.block - y.block)
		}
		return int(x.at - y.at)
	})
	for k < len(mentions) && mentions[k].block == m.block && mentions[k].at <= m.at {
		k++
	}
	list := j.f.Blocks[m.block].Insts
	end := int32(len(list))
	if k < len(mentions) && mentions[k].block == m.block {
		end = mentions[k].at
		if mentions[k].read {
			return true
		}
	}
	exits := j.exitsOf(m.block)
	next, _ := slices.BinarySearch(exits, m.at+1)
	for ; next < len(exits) && exits[next] < end; next++ {
		in := &list[exits[next]]
		if in.Op.Jumps() && j.live.liveAtStart(in.Target, r) {
			return true
		}
		if in.Op == vcode.Jump || in.Op == vcode.Return {
			return false
		}
	}
	following := int(m.block) + 1
	return end == int32(len(list)) && following < len(j.f.Blocks) && j.live.liveAtStart(following, r)
}

// rename replaces the registers of each group by one, and removes copies of a register to itself. A write of an undefined value is removed
// too if it would end the value of another register of the group.
func (j *copyJoiner) rename() {
	for b := range j.f.Blocks {
		list := j.f.Blocks[b].Insts
		for i := range list {
			in := &list[i]
			if in.Op == vcode.Undef && len(in.Defs) == 1 && j.group[in.Defs[0]] != 0 {
				if others := j.membersOf(j.group[in.Defs[0]]); len(others) > 1 && j.anyLiveAfter(others, placedRead{block: int32(b), at: int32(i)}) {
					in.Defs = nil // removed below: the search for mentions needs all positions
				}
			}
		}
	}
	for b := range j.f.Blocks {
		list := j.f.Blocks[b].Insts
		gone := false
		for i := range list {
			in := &list[i]
			in.Defs, in.Uses = j.renamed(in.Defs), j.renamed(in.Uses)
			if in.Op == vcode.Undef && len(in.Defs) == 0 || in.Op == vcode.Copy && !in.Merging && len(in.Masks) == 0 && in.Defs[0] == in.Uses[0] {
				*in, gone = vcode.Inst{}, true
			}
		}
		if gone {
			j.f.Blocks[b].Insts = deleteIf(list, cleared)
		}
	}
}

// renamed returns a list with the registers of the groups. Instructions share lists, so a changed list is a new one.
func (j *copyJoiner) renamed(list []vcode.Reg) []vcode.Reg {
	for i, r := range list {
		if g := j.group[r]; g == 0 || g == r {
			continue
		}
		out := append(j.f.Form.Arena.Regs(len(list))[:0], list...)
		for k := i; k < len(out); k++ {
			if g := j.group[out[k]]; g != 0 {
				out[k] = g
			}
		}
		return out
	}
	return list
}
