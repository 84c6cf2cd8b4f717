package widen

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

func windowsOf(f *vcode.Func, list []vcode.Inst, local map[vcode.Reg]bool) []vcode.Inst {
	groups := map[accessKey][]int{}
	var order []accessKey
	for i := range list {
		if k, ok := windowKey(f, &list[i]); ok && !local[k.handle] {
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], i)
		}
	}
	made := map[int][]vcode.Inst{} // before an instruction
	for _, k := range order {
		members := groups[k]
		last := members[len(members)-1]
		if len(members) < 2 || slices.ContainsFunc(list[members[0]:last], func(in vcode.Inst) bool {
			return slices.Contains(in.Defs, k.base) || slices.Contains(in.Defs, k.handle)
		}) {
			continue
		}
		w := vcode.Inst{Op: vcode.Window, Defs: []vcode.Reg{f.NewReg(vcode.Gen)}, Uses: []vcode.Reg{k.handle, k.base}, Origin: list[members[0]].Origin}
		if k.store {
			w.Op = vcode.StoreWindow
		}
		for _, i := range members {
			in := &list[i]
			w.Key.Aux = max(w.Key.Aux, reachOf(f, in))
			in.Uses = append(slices.Clip(in.Uses), w.Defs[0])
			in.Held = true
		}
		made[members[0]] = append(made[members[0]], w)
	}
	if len(made) == 0 {
		return list
	}
	out := make([]vcode.Inst, 0, len(list)+len(made))
	for i := range list {
		out = append(append(out, made[i]...), list[i])
	}
	return out
}

// windowKey returns what an access must have in common with others.
func windowKey(f *vcode.Func, in *vcode.Inst) (k accessKey, ok bool) {
	switch in.Op {
	case vcode.RowLoad, vcode.Spread:
	case vcode.RowStore:
		k.store = true
	default:
		return k, false
	}
	k.handle, k.base = in.Uses[0], in.Uses[1]
	return k, !f.Fixed(k.base) && reachOf(f, in) <= maxWindow
}

// reachOf is how many bytes from its base on an access reaches.
func reachOf(f *vcode.Func, in *vcode.Inst) uint64 {
	size := uint64(4)
	if in.Op != vcode.Spread {
		parts := max(len(in.Defs), len(in.Uses)-4)
		size = uint64(in.Step) * uint64(in.Stride) * uint64(f.Form.Lanes*parts)
	}
	return in.Key.Aux + uint64(in.Ahead)*uint64(in.Stride) + size
}
