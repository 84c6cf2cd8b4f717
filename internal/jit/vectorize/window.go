package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxWindow bounds the bytes that accesses of one window reach.
const maxWindow = 1 << 24

// accessKey names accesses that one window may serve.
type accessKey struct {
	handle, base vcode.Reg
	store        bool
}

// windows lets accesses at constant distances from one place be checked
// together: a window is the place's address if all of them are in range.
func windows(f *vcode.Func) {
	local := map[vcode.Reg]bool{} // handles of the workgroup memory, whose length is known
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			if in := &f.Blocks[b].Insts[i]; in.Op == vcode.Scalar && in.IR == ir.Wg {
				local[in.Defs[0]] = true
			}
		}
	}
	for b := range f.Blocks {
		f.Blocks[b].Insts = windowsOf(f, f.Blocks[b].Insts, local)
	}
}

// view is a window to be: the accesses that it serves.
type view struct {
	accessKey
	members []int
}

// viewsOf finds the accesses between which neither what they have for a handle
// nor their base is written.
func viewsOf(f *vcode.Func, list []vcode.Inst, local map[vcode.Reg]bool) []*view {
	var views []*view
	last := map[accessKey]*view{}
	written := map[vcode.Reg]int{} // the last instruction that does
	for i := range list {
		if k, ok := windowKey(f, &list[i]); ok && !local[k.handle] {
			v := last[k]
			if v == nil || max(written[k.base], written[k.handle]) > v.members[0] {
				v = &view{accessKey: k}
				views, last[k] = append(views, v), v
			}
			v.members = append(v.members, i)
		}
		for _, d := range list[i].Defs {
			if f.Classes[d] == vcode.Gen {
				written[d] = i
			}
		}
	}
	return views
}

func windowsOf(f *vcode.Func, list []vcode.Inst, local map[vcode.Reg]bool) []vcode.Inst {
	made := map[int][]vcode.Inst{} // before an instruction
	for _, v := range viewsOf(f, list, local) {
		if len(v.members) < 2 {
			continue
		}
		first := v.members[0]
		w := vcode.Inst{Op: vcode.BoundsCheck, Defs: []vcode.Reg{f.NewReg(vcode.Gen)}, Uses: []vcode.Reg{v.handle, v.base}, Origin: list[first].Origin}
		if v.store {
			w.Op = vcode.StoreBoundsCheck
		}
		for _, i := range v.members {
			in := &list[i]
			w.Key.Aux = max(w.Key.Aux, reachOf(f, in))
			in.Uses = append(slices.Clip(in.Uses), w.Defs[0])
			in.Checked = true
		}
		made[first] = append(made[first], w)
	}
	return before(f, list, made)
}

// windowKey returns what an access must have in common with others.
func windowKey(f *vcode.Func, in *vcode.Inst) (k accessKey, ok bool) {
	switch {
	case in.Checked:
		return k, false
	case in.Op == vcode.StridedLoad, in.Op == vcode.BroadcastLoad:
	case in.Op == vcode.StridedStore:
		k.store = true
	default:
		return k, false
	}
	k.handle, k.base = in.Uses[0], in.Uses[1]
	return k, !f.IsConst(k.base) && reachOf(f, in) <= maxWindow
}

// reachOf is how many bytes from its base on an access reaches.
func reachOf(f *vcode.Func, in *vcode.Inst) uint64 {
	size := uint64(4)
	if in.Op != vcode.BroadcastLoad {
		parts := max(len(in.Defs), len(in.Uses)-4)
		size = uint64(in.Step) * uint64(in.Stride) * uint64(f.Form.Lanes*parts)
	}
	return in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride) + size
}
