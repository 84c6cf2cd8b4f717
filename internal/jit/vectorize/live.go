package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// maxLive bounds the words of the sets of live registers.
const maxLive = 1 << 20

// liveness is which of some registers are read later, at the start of each
// block.
type liveness struct {
	f      *vcode.Func
	number []int32 // of a register that is looked at, from 1 on; 0 for others
	words  int
	in     []uint64
	now    []uint64
}

// livenessOf begins to find where the registers that want names are live. It returns
// false where that would take too much memory.
func livenessOf(f *vcode.Func, want func(vcode.Reg) bool, in *room) (*liveness, bool) {
	l := &liveness{f: f, number: in.numbers.Alloc(len(f.Classes))}
	n := int32(0)
	for r := vcode.Reg(1); int(r) < len(f.Classes); r++ {
		if !f.IsConst(r) && want(r) {
			n++
			l.number[r] = n
		}
	}
	l.words = int(n)/64 + 1
	if l.words*len(f.Blocks) > maxLive {
		return nil, false
	}
	l.in, l.now = in.sets.Alloc(l.words*len(f.Blocks)), in.sets.Alloc(l.words)
	return l, true
}

// settle finds what is live at the start of every block.
func (l *liveness) settle() {
	for l.pass(false) && l.turns() {
	}
}

// turns reports whether anything jumps back: else one pass, from the last block on,
// finds all there is.
func (l *liveness) turns() bool {
	for b := range l.f.Blocks {
		list := l.f.Blocks[b].Insts
		for i := range list {
			if list[i].Op.Jumps() && list[i].Target <= b {
				return true
			}
		}
	}
	return false
}

// pruneMasks removes what writes masks that nobody reads before they are written
// again, which prune, that knows no order, cannot see. In a function that is too
// long for that they stay, which costs an instruction each.
func pruneMasks(f *vcode.Func) {
	in := enter()
	defer in.leave()
	if l, ok := livenessOf(f, func(r vcode.Reg) bool { return f.Classes[r] == vcode.Mask }, in); ok {
		if l.turns() {
			l.settle()
		}
		l.pass(true)
	}
}

// at reports whether a register that is looked at is live at the start of a block.
func (l *liveness) at(b int, r vcode.Reg) bool { return l.has(l.in[b*l.words:], r) }

func (l *liveness) has(set []uint64, r vcode.Reg) bool {
	n := l.number[r]
	return set[n/64]>>(n%64)&1 != 0
}

// pass goes through all blocks from the last one on, and reports whether more is
// live at the start of one than was known. In the end it may remove what writes
// for nobody.
func (l *liveness) pass(remove bool) (changed bool) {
	for b := len(l.f.Blocks) - 1; b >= 0; b-- {
		clear(l.now)
		if b+1 < len(l.f.Blocks) {
			l.join(b + 1)
		}
		list := l.f.Blocks[b].Insts
		dead := 0
		for i := len(list) - 1; i >= 0; i-- {
			if in := &list[i]; remove && l.idle(in) {
				*in = vcode.Inst{} // taken out below
				dead++
				continue
			}
			l.inst(&list[i])
		}
		if dead > 0 {
			l.f.Blocks[b].Insts = less(list, gone)
		}
		at := l.in[b*l.words:][:l.words]
		for i, x := range l.now {
			changed = changed || x&^at[i] != 0
			at[i] |= x
		}
	}
	return changed
}

// gone reports whether an instruction was cleared to be taken out.
func gone(in *vcode.Inst) bool { return in.Op == vcode.Undef && len(in.Defs) == 0 }

// join adds what is live at the start of a block.
func (l *liveness) join(b int) {
	for i, x := range l.in[b*l.words:][:l.words] {
		l.now[i] |= x
	}
}

// idle reports whether an instruction only writes a register that is looked at
// and that nobody reads.
func (l *liveness) idle(in *vcode.Inst) bool {
	return !acts(in) && len(in.Defs) == 1 && l.number[in.Defs[0]] != 0 && !l.has(l.now, in.Defs[0])
}

func (l *liveness) inst(in *vcode.Inst) {
	switch in.Op {
	case vcode.Jump, vcode.Return:
		clear(l.now)
	}
	if in.Op.Jumps() {
		l.join(in.Target)
	}
	if !in.Merging {
		for _, r := range in.Defs {
			if n := l.number[r]; n != 0 {
				l.now[n/64] &^= 1 << (n % 64)
			}
		}
	}
	l.read(in.Uses)
	l.read(in.Masks)
	if in.Merging {
		l.read(in.Defs)
	}
}

func (l *liveness) read(list []vcode.Reg) {
	for _, r := range list {
		if n := l.number[r]; n != 0 {
			l.now[n/64] |= 1 << (n % 64)
		}
	}
}
