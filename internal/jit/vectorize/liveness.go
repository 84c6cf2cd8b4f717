package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Liveness of registers
//
// A backward dataflow analysis over the blocks, with one bit for each register of interest (Cooper &
// Torczon). A merging write does not end a live range: inactive lanes preserve the old value, so it reads
// the register too. Without a jump backwards one pass from the last block to the first finds everything.

// maxLivenessWords bounds the memory of the sets, in words of 64 bits.
const maxLivenessWords = 1 << 20

// liveness is the set of live registers at the start of each block, among the registers of interest.
type liveness struct {
	f      *vcode.Func
	index  []int32  // by register: its bit, from 1 on; 0 for other registers
	words  int      // words of one set
	liveIn []uint64 // the sets of all blocks
	live   []uint64 // the set at the current instruction
}

// newLiveness prepares the analysis of the registers that want accepts. It returns false if it would need
// too much memory.
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

// maxLivenessWalks bounds the walks of solve. Each level of loop nesting may need one more walk.
const maxLivenessWalks = 100

// solve finds the registers that are live at the start of every block. It returns false if loops are nested too
// deep: n nested loops would cost n² steps.
func (l *liveness) solve() bool {
	loops := l.hasBackEdge()
	for range maxLivenessWalks {
		if !l.backward(false) || !loops {
			return true
		}
	}
	return false
}

// hasBackEdge reports whether a jump goes backwards.
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

// eliminateDeadMasks removes writes of masks that are overwritten before they are read, which
// eliminateDead, being flow-insensitive, does not see. It leaves them in a function with too many blocks or
// loops too deep.
func eliminateDeadMasks(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	if l, ok := newLiveness(f, func(r vcode.Reg) bool { return f.Classes[r] == vcode.Mask }, mem); ok {
		if !l.hasBackEdge() || l.solve() {
			l.backward(true)
		}
	}
}

// liveAtStart reports whether a register of interest is live at the start of a block.
func (l *liveness) liveAtStart(b int, r vcode.Reg) bool { return l.has(l.liveIn[b*l.words:], r) }

// has reports whether a register of interest is in a set.
func (l *liveness) has(set []uint64, r vcode.Reg) bool {
	n := l.index[r]
	return set[n/64]>>(n%64)&1 != 0
}

// backward walks all blocks from the last one to the first, and reports whether more registers were live at
// the start of one. If remove is set it deletes dead writes; the sets must be complete then.
func (l *liveness) backward(remove bool) (changed bool) {
	for b := len(l.f.Blocks) - 1; b >= 0; b-- {
		l.f.Form.Arena.Poll()
		clear(l.live)
		if b+1 < len(l.f.Blocks) {
			l.addLiveIn(b + 1)
		}
		list := l.f.Blocks[b].Insts
		dead := 0
		for i := len(list) - 1; i >= 0; i-- {
			if in := &list[i]; remove && l.dead(in) {
				*in = vcode.Inst{} // deleted below
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

// addLiveIn adds the registers that are live at the start of a block.
func (l *liveness) addLiveIn(b int) {
	for i, x := range l.liveIn[b*l.words:][:l.words] {
		l.live[i] |= x
	}
}

// dead reports whether an instruction does nothing but write a register of interest that is not live.
func (l *liveness) dead(in *vcode.Inst) bool {
	return !hasEffect(in) && len(in.Defs) == 1 && l.index[in.Defs[0]] != 0 && !l.has(l.live, in.Defs[0])
}

// inst updates the set from after an instruction to before it.
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

// use makes registers live.
func (l *liveness) use(list []vcode.Reg) {
	for _, r := range list {
		if n := l.index[r]; n != 0 {
			l.live[n/64] |= 1 << (n % 64)
		}
	}
}
