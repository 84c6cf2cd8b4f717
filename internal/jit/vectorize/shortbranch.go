package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxShortBranch bounds the instructions that removeShortBranches lets run in vain.
const maxShortBranch = 4

// removeShortBranches drops jumps over a few instructions that do nothing where the lanes
// are none for which they are jumped over, if what follows asks which lanes are
// left: lanes leave a loop one by one, which no machine foresees.
func removeShortBranches(f *vcode.Func) {
	for b := 0; b+2 < len(f.Blocks); b++ {
		insts := f.Blocks[b].Insts
		if len(insts) == 0 {
			continue
		}
		jump := &insts[len(insts)-1]
		over, after := f.Blocks[b+1].Insts, f.Blocks[b+2].Insts
		if jump.Op != vcode.JumpIfNone || jump.Target != b+2 || len(over) > maxShortBranch || len(after) == 0 || after[0].Op != vcode.JumpIfNone {
			continue
		}
		if !slices.ContainsFunc(over, func(in vcode.Inst) bool { return !nopWithoutLanes(&in, jump.Masks) }) {
			f.Blocks[b].Insts = insts[:len(insts)-1]
		}
	}
}

// nopWithoutLanes reports whether an instruction is cheap and changes nothing where no lane
// is in any of some masks.
func nopWithoutLanes(in *vcode.Inst, masks []vcode.Reg) bool {
	among := func(r vcode.Reg) bool { return slices.Contains(masks, r) }
	switch in.Op {
	case vcode.Copy:
		return in.Merging && len(in.Masks) == 1 && among(in.Masks[0])
	case vcode.Or:
		d, x, y := in.Defs[0], in.Uses[0], in.Uses[1]
		return d == x && among(y) || d == y && among(x)
	case vcode.AndNot:
		return in.Defs[0] == in.Uses[0] && among(in.Uses[1])
	}
	return false
}
