package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// maxLivenessWords bounds the words of the sets of live registers.
const maxLivenessWords = 1 << 20

// liveness is which of some registers are read later, at the start of each
// block.
type liveness struct {
	f      *vcode.Func
	index  []int32 // of a register that is looked at, from 1 on; 0 for others
	words  int
	liveIn []uint64
	live   []uint64
}

// newLiveness begins to find where the registers that want names are live. It returns
// false where that would take too much memory.
func newLiveness(f *vcode.Func, want func(vcode.Reg) bool, mem *arena) (*liveness, bool) {
	l := &liveness{f: f, index: mem.numbers.Alloc(len(f.Classes))}
	n := int32(0)
	for r := vcode.Reg(1); int(r) < len(f.Classes); r++ {
		if !f.IsConst(r) && want(r) {
			n++
			l.index[r] = n
		}
	}
	l.words = int(n)/64 + 1
	if l.words*len(f.Blocks) > maxLivenessWords {
		return nil, false
	}
	l.liveIn, l.live = mem.sets.Alloc(l.words*len(f.Blocks)), mem.sets.Alloc(l.words)
	return l, true
}

// propagateCommon finds what is live at the start of every block.
func (l *liveness) solve() {
	for l.backward(false) && l.hasBackEdge() {
	}
}

// phaseInfo reports whether anything jumps back: else one pass, from the last block on,
// finds all there is.
func (l *liveness) hasBackEdge() bool {
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

// eliminateDeadMasks removes what writes masks that nobody reads before they are written
// again, which prune, that knows no order, cannot see. In a function that is too
// long for that they stay, which costs an instruction each.
func eliminateDeadMasks(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	if l, ok := newLiveness(f, func(r vcode.Reg) bool { return f.Classes[r] == vcode.Mask }, mem); ok {
		if l.hasBackEdge() {
			l.solve()
		}
		l.backward(true)
	}
}

// liveAtStart reports whether a register that is looked at is live at the start of a block.
func (l *liveness) liveAtStart(b int, r vcode.Reg) bool { return l.has(l.liveIn[b*l.words:], r) }

func (l *liveness) has(set []uint64, r vcode.Reg) bool {
	n := l.index[r]
	return set[n/64]>>(n%64)&1 != 0
}

// backward goes through all blocks from the last one on, and reports whether more is
// live at the start of one than was known. In the end it may remove what writes
// for nobody.
func (l *liveness) backward(remove bool) (changed bool) {
	for b := len(l.f.Blocks) - 1; b >= 0; b-- {
		clear(l.live)
		if b+1 < len(l.f.Blocks) {
			l.addLiveIn(b + 1)
		}
		list := l.f.Blocks[b].Insts
		dead := 0
		for i := len(list) - 1; i >= 0; i-- {
			if in := &list[i]; remove && l.dead(in) {
				*in = vcode.Inst{} // taken out below
				dead++
				continue
			}
			l.inst(&list[i])
		}
		if dead > 0 {
			l.f.Blocks[b].Insts = deleteIf(list, cleared)
		}
		at := l.liveIn[b*l.words:][:l.words]
		for i, x := range l.live {
			changed = changed || x&^at[i] != 0
			at[i] |= x
		}
	}
	return changed
}

// assign adds what is live at the start of a block.
func (l *liveness) addLiveIn(b int) {
	for i, x := range l.liveIn[b*l.words:][:l.words] {
		l.live[i] |= x
	}
}

// isNop reports whether an instruction only writes a register that is looked at
// and that nobody reads.
func (l *liveness) dead(in *vcode.Inst) bool {
	return !hasEffect(in) && len(in.Defs) == 1 && l.index[in.Defs[0]] != 0 && !l.has(l.live, in.Defs[0])
}

func (l *liveness) inst(in *vcode.Inst) {
	switch in.Op {
	case vcode.Jump, vcode.Return:
		clear(l.live)
	}
	if in.Op.Jumps() {
		l.addLiveIn(in.Target)
	}
	if !in.Merging {
		for _, r := range in.Defs {
			if n := l.index[r]; n != 0 {
				l.live[n/64] &^= 1 << (n % 64)
			}
		}
	}
	l.use(in.Uses)
	l.use(in.Masks)
	if in.Merging {
		l.use(in.Defs)
	}
}

func (l *liveness) use(list []vcode.Reg) {
	for _, r := range list {
		if n := l.index[r]; n != 0 {
			l.live[n/64] |= 1 << (n % 64)
		}
	}
}
