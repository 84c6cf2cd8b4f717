package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Removal of branches over short masked code
//
// Lanes leave a loop one by one, so a jump over the few instructions of an exit is mispredicted once for
// each. If these instructions do nothing for an empty mask, and a test of the remaining lanes follows
// anyway, executing them always is cheaper:
//
//	jumpifnone m, next
//	copy v, x {m}                  →      copy v, x {m}
//	or   in, in, m                        or   in, in, m
//	next: jumpifnone stay, …              next: jumpifnone stay, …
//
// Compilers call this predication of a short forward branch (partial predication, Mahlke et al. 1995).

// maxShortBranch bounds the instructions that are executed without need.
const maxShortBranch = 4

// removeShortBranches removes jumps over short code that is without effect if the jump would be taken.
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

// nopWithoutLanes reports whether an instruction is cheap and changes nothing if all of some masks are
// empty.
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
