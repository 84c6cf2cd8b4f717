package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Hoisted bounds checks
//
// Accesses at constant distances from one base share a check: the first one is preceded by a BoundsCheck of
// all bytes that any of them accesses. The check yields the address of the base, or 0, which sends the
// accesses to the slow path.
//
//	stridedload v1, h, base, #0           w = boundscheck h, base, 72 bytes
//	stridedload v2, h, base, #4      →    stridedload v1 … w   checked
//	stridedload v3, h, base, #8           stridedload v2 … w   checked, and so on
//
// Gupta 1993, "Optimizing array bound checks using flow analysis", combines checks in the same way; there the
// combined check may fail earlier than the original ones, here a failed check only selects the slow path.

// maxCheckedBytes bounds the bytes of one check.
const maxCheckedBytes = 1 << 24

// accessKey identifies accesses that may share a check.
type accessKey struct {
	handle, base vcode.Reg
	store        bool
}

// hoistBoundsChecks adds shared checks in every block.
func hoistBoundsChecks(f *vcode.Func) {
	local := workgroupHandles(f)
	for b := range f.Blocks {
		f.Blocks[b].Insts = hoistBoundsChecksIn(f, f.Blocks[b].Insts, local)
	}
}

// workgroupHandles returns the handles of workgroup memory. Its length is constant.
func workgroupHandles(f *vcode.Func) map[vcode.Reg]bool {
	local := map[vcode.Reg]bool{}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			if in := &f.Blocks[b].Insts[i]; in.Op == vcode.Scalar && in.IR == ir.Wg {
				local[in.Defs[0]] = true
			}
		}
	}
	return local
}

// accessGroup is the accesses of one check, as indices of instructions in order.
type accessGroup struct {
	accessKey
	members []int
}

// accessGroups finds the groups of a block: neither the handle nor the base is written between the accesses
// of one.
func accessGroups(f *vcode.Func, list []vcode.Inst, local map[vcode.Reg]bool) []*accessGroup {
	var groups []*accessGroup
	last := map[accessKey]*accessGroup{}
	written := map[vcode.Reg]int{} // last instruction that writes a register
	for i := range list {
		if k, ok := checkKey(f, &list[i]); ok && !local[k.handle] {
			v := last[k]
			if v == nil || max(written[k.base], written[k.handle]) > v.members[0] {
				v = &accessGroup{accessKey: k}
				groups, last[k] = append(groups, v), v
			}
			v.members = append(v.members, i)
		}
		if len(groups) == 0 {
			continue // no earlier write matters
		}
		for _, d := range list[i].Defs {
			if f.Classes[d] == vcode.Gen {
				written[d] = i
			}
		}
	}
	return groups
}

// hoistBoundsChecksIn returns the instructions of a block with shared checks.
func hoistBoundsChecksIn(f *vcode.Func, list []vcode.Inst, local map[vcode.Reg]bool) []vcode.Inst {
	inserted := map[int][]vcode.Inst{} // by index of the following instruction
	for _, v := range accessGroups(f, list, local) {
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
			w.Key.Aux = max(w.Key.Aux, extentOf(f, in))
			in.Uses = append(slices.Clip(in.Uses), w.Defs[0])
			in.Checked = true
		}
		inserted[first] = append(inserted[first], w)
	}
	return insertBefore(f, list, inserted)
}

// checkKey returns the key of an access, and whether it may share a check.
func checkKey(f *vcode.Func, in *vcode.Inst) (k accessKey, ok bool) {
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
	return k, !f.IsConst(k.base) && extentOf(f, in) <= maxCheckedBytes
}

// extentOf returns the end of an access, in bytes after its base.
func extentOf(f *vcode.Func, in *vcode.Inst) uint64 {
	size := uint64(4)
	if in.Op == vcode.StridedLoad || in.Op == vcode.StridedStore {
		parts := max(len(in.Defs), len(in.Uses)-4)
		size = uint64(in.Step) * uint64(in.Stride) * uint64(f.Form.Lanes*parts)
	}
	return in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride) + size
}
