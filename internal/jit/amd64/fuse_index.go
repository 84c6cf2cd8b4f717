package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Indices as addresses
//
// The address of adjacent words of workgroup memory has the form that the machine adds by itself: base + index·4 + constant. So an access
// that needs no check reads the index, and the multiplication has no reader left:
//
//	u1 = stridedbase 0, u3                  shl  rsi, 2
//	d  = stridedload shared, u1, 0, u3      vmovups ymm5, [r12 + rsi]         →   vmovups ymm5, [r12 + 4·rdi]
//
// Such an access has u3 in place of u1 (isIndexed). Blocks that also store to workgroup memory stay as they are: the loads of a prefix sum, which
// overlap with two vectors that it stored an iteration of an outer loop before, must not come earlier. While the stores are not in the cache, such
// a load waits for all of them. On Zen 4, 13 instead of 17 instructions for 16 sums take four times as long.

// indexAddresses changes these accesses, and deletes the multiplications.
func (z *fuser) indexAddresses() {
	shared := map[vcode.Reg]bool{} // handles of workgroup memory, which has a fixed place (target.HandleLayout)
	z.F.Each(func(in *vcode.Inst) {
		if in.Op == vcode.Scalar && in.IR == ir.Wg {
			shared[in.Defs[0]] = true
		}
	})
	if len(shared) == 0 {
		return
	}
	for b := range z.F.Blocks {
		list := z.F.Blocks[b].Insts
		if slices.ContainsFunc(list, func(in vcode.Inst) bool { return in.IR == ir.St && in.Op != vcode.Undef && shared[in.Uses[0]] }) {
			continue
		}
		for i := range list {
			in := &list[i]
			if !z.indexable(in) || !shared[in.Uses[0]] {
				continue
			}
			z.Reads[in.Uses[1]]--
			z.Reads[in.Uses[3]]++
			in.Uses = slices.Clone(in.Uses) // lists are shared
			in.Uses[1] = in.Uses[3]
		}
	}
	z.F.Each(func(in *vcode.Inst) {
		if in.Op == vcode.StridedBase && z.Reads[in.Defs[0]] == 0 {
			z.Count(in, -1)
			*in = vcode.Inst{}
		}
	})
}

// indexable reports whether an access can have its index as its address.
func (z *fuser) indexable(in *vcode.Inst) bool {
	if in.Op != vcode.StridedLoad && in.Op != vcode.StridedStore || !in.Proven || in.Checked || in.Stride != 4 || in.Step != 1 || in.Key.Aux > maxDisp {
		return false
	}
	_, constant := z.F.Const(in.Uses[3])
	return z.Constant(in.Uses[2], 0) && !constant && in.Uses[1] != in.Uses[3]
}

// isIndexed reports whether the address of an access is its index times its stride.
func isIndexed(in *vcode.Inst) bool {
	return (in.Op == vcode.StridedLoad || in.Op == vcode.StridedStore) && in.Stride == 4 && !in.Checked && in.Uses[1] == in.Uses[3]
}
