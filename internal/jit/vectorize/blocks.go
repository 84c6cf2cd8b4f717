package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Blocks and instructions of vcode: visits, deletions, and cleanup of the layout.

// eachRead calls do for the registers that an instruction reads.
func eachRead(in *vcode.Inst, do func(vcode.Reg)) {
	for _, r := range in.Uses {
		do(r)
	}
	for _, r := range in.Masks {
		do(r)
	}
}

// hasEffect reports whether an instruction does more than define registers.
func hasEffect(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Strip, vcode.Scalar:
		return !in.IR.HasResult() || in.IR.Is(ir.Writes) || in.Key.Flags&ir.Volatile != 0
	case vcode.Gather, vcode.StridedLoad, vcode.BroadcastLoad, vcode.TableLookup:
		return in.Key.Flags&ir.Volatile != 0
	case vcode.BoundsCheck, vcode.StoreBoundsCheck:
		return in.Proven // it may bail out
	case vcode.Undef, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Arg,
		vcode.Broadcast, vcode.Extract, vcode.InputBase, vcode.StridedBase, vcode.LinearEnd, vcode.LaunchLoad, vcode.SlotLoad,
		vcode.TwoRuns, vcode.TwoRunsCheck, vcode.StoreTwoRunsCheck, vcode.Window, vcode.Own, vcode.Slide:
		return false
	}
	return true
}

// cleared reports whether an instruction was cleared, to be deleted.
func cleared(in *vcode.Inst) bool { return in.Op == vcode.Undef && len(in.Defs) == 0 }

// removeIf deletes the instructions of f for which dead is true.
func removeIf(f *vcode.Func, dead func(*vcode.Inst) bool) {
	for b := range f.Blocks {
		f.Blocks[b].Insts = deleteIf(f.Blocks[b].Insts, dead)
	}
}

// deleteIf deletes the instructions of a list, in place, for which dead is true.
func deleteIf(list []vcode.Inst, dead func(*vcode.Inst) bool) []vcode.Inst {
	n := 0
	for i := range list {
		if dead(&list[i]) {
			continue
		}
		if n != i {
			list[n] = list[i]
		}
		n++
	}
	return list[:n]
}

// removeCleared deletes the instructions that joinGathers and pairFootprints cleared.
func removeCleared(b *vcode.Block) {
	b.Insts = deleteIf(b.Insts, func(in *vcode.Inst) bool { return in.Op == vcode.Undef && in.Defs == nil })
}

// insertBefore inserts instructions before those with the given indices.
func insertBefore(f *vcode.Func, list []vcode.Inst, inserted map[int][]vcode.Inst) []vcode.Inst {
	if len(inserted) == 0 {
		return list
	}
	out := f.Form.Arena.Insts(len(list) + len(inserted))
	for i := range list {
		out = append(append(out, inserted[i]...), list[i])
	}
	return out
}

// mergeBlocks merges each block with the blocks after it that no jump enters.
func mergeBlocks(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	index := mem.numbers.Alloc(len(f.Blocks)) // new index of a block that is entered, −1 for others
	for b := range index {
		index[b] = -1
	}
	index[0] = 0
	f.Each(func(in *vcode.Inst) {
		if in.Op.Jumps() {
			index[in.Target] = 0
		}
	})
	var out []vcode.Block
	for b, next := 0, 1; b < len(f.Blocks); b, next = next, next+1 {
		n := len(f.Blocks[b].Insts)
		for ; next < len(f.Blocks) && index[next] < 0 && f.Blocks[next].Far == f.Blocks[b].Far; next++ {
			n += len(f.Blocks[next].Insts)
		}
		all := f.Blocks[b].Insts
		if n > len(all) {
			all = append(f.Form.Arena.Insts(n), all...)
			for i := b + 1; i < next; i++ {
				all = append(all, f.Blocks[i].Insts...)
			}
		}
		index[b] = int32(len(out))
		out = append(out, vcode.Block{Insts: all, Far: f.Blocks[b].Far})
	}
	f.Blocks = out
	f.Each(func(in *vcode.Inst) {
		if in.Op.Jumps() {
			in.Target = int(index[in.Target])
		}
	})
}

// removeJumpsToNext removes jumps to the next block that has code.
func removeJumpsToNext(f *vcode.Func) {
	next := len(f.Blocks) // the first block after this one that has code
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		list := f.Blocks[b].Insts
		for len(list) > 0 {
			last := &list[len(list)-1]
			if !last.Op.Jumps() || last.Target <= b || last.Target > next {
				break
			}
			list = list[:len(list)-1]
		}
		if f.Blocks[b].Insts = list; len(list) > 0 {
			next = b
		}
	}
}
