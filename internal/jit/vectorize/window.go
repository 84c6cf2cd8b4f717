package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Shared windows
//
// Lanes that belong to a few neighbours of a list, such as the pixels of small triangles, load words of records that are near each other:
// a window of consecutive memory has the word of each lane. Whether it does, and where, is the same for all words at constant distances
// from the offsets, so that the gathers of a block share the test:
//
//	gather v1, h, o, #0          p, d = window h, o, 384 bytes
//	gather v2, h, o, #256   →    gather v1, h, o, p, d, #0     checked
//	                             gather v2, h, o, p, d, #256   checked
//
// If the window does not have all lanes, p is 0, and the gathers load lane by lane.

// windowBytes are the bytes that a gather loads from the first lane's offset on.
const windowBytes = 128

// windowKey identifies gathers that may share a window.
type windowKey struct{ handle, offsets, mask vcode.Reg }

// shareWindows adds the windows of several gathers in every block.
func shareWindows(f *vcode.Func) {
	for b := range f.Blocks {
		list := f.Blocks[b].Insts
		groups := windowGroups(list)
		if len(groups) == 0 {
			continue
		}
		inserted := map[int][]vcode.Inst{} // by index of the following instruction
		for _, members := range groups {
			first := &list[members[0]]
			w := vcode.Inst{
				Op: vcode.Window, Part: first.Part, Defs: []vcode.Reg{f.NewReg(vcode.Gen), f.NewReg(vcode.Vec)},
				Uses: slices.Clone(first.Uses), Masks: slices.Clone(first.Masks), Origin: first.Origin,
			}
			for _, i := range members {
				in := &list[i]
				w.Key.Aux = max(w.Key.Aux, in.Key.Aux+windowBytes)
				in.Uses, in.Checked = append(slices.Clone(in.Uses), w.Defs...), true
			}
			inserted[members[0]] = append(inserted[members[0]], w)
		}
		f.Blocks[b].Insts = insertBefore(f, list, inserted)
	}
}

// windowGroups returns the gathers of a block that share windows, two or more each, as indices of instructions: no register of their
// keys is written between them.
func windowGroups(list []vcode.Inst) (groups [][]int) {
	open := map[windowKey]int{}
	written := map[vcode.Reg]int{} // last instruction that writes a register
	for i := range list {
		in := &list[i]
		if in.Op == vcode.Gather && len(in.Uses) == 2 && len(in.Masks) == 1 && !in.Checked && !in.Quads && !in.Bytes && in.Distances == nil && in.Prefetch == 0 && in.Key.Type.Bits() == 32 &&
			in.Key.Flags&ir.Proven != 0 && in.Key.Flags&(ir.Volatile|ir.Coherent) == 0 && in.Key.Aux <= maxPairImm {
			k := windowKey{in.Uses[0], in.Uses[1], in.Masks[0]}
			if n, ok := open[k]; ok && max(written[k.handle], written[k.offsets], written[k.mask]) < groups[n][0] {
				groups[n] = append(groups[n], i)
			} else {
				open[k] = len(groups)
				groups = append(groups, []int{i})
			}
		}
		if len(groups) == 0 {
			continue // no earlier write matters
		}
		for _, d := range in.Defs {
			written[d] = i
		}
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
}
