package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Record loads
//
// Uniform code reads records: a few words at small constant offsets from one base, such as a struct of a
// uniform buffer. They share one total check: a BoundsCheck with a WordMask never fails. If the record is
// not all in range, it copies the words in range to the stack frame, zeros for the others, and yields the
// address of the copy. So the loads need neither checks nor slow paths:
//
//	s1 = ld h, base, #0            w  = boundscheck h, base, words 0 and 3
//	s2 = ld h, base, #12      →    s1 = ld [w + 0];  s2 = ld [w + 12]

// recordWords bounds the words of a record: the bits of a WordMask.
const recordWords = 64

// mergeRecordLoads adds checks for records in every block.
func mergeRecordLoads(f *vcode.Func) {
	fixed := map[vcode.Reg]bool{} // handles of memory that needs no check, or has its own
	f.Each(func(in *vcode.Inst) {
		if in.Op == vcode.Scalar && (in.IR == ir.Wg || in.IR == ir.Push || in.IR == ir.Table) {
			fixed[in.Defs[0]] = true
		}
	})
	for b := range f.Blocks {
		f.Blocks[b].Insts = mergeRecordLoadsIn(f, f.Blocks[b].Insts, fixed)
	}
}

// mergeRecordLoadsIn returns the instructions of a block with checks for records.
func mergeRecordLoadsIn(f *vcode.Func, list []vcode.Inst, fixed map[vcode.Reg]bool) []vcode.Inst {
	inserted := map[int][]vcode.Inst{} // by index of the following instruction
	for _, v := range recordGroups(f, list, fixed) {
		if len(v.members) < 2 {
			continue
		}
		first := v.members[0]
		w := vcode.Inst{Op: vcode.BoundsCheck, Defs: []vcode.Reg{f.NewReg(vcode.Gen)}, Uses: []vcode.Reg{v.handle, v.base}, Origin: list[first].Origin}
		for _, i := range v.members {
			in := &list[i]
			w.Key.Aux = max(w.Key.Aux, in.Key.Aux+4)
			w.WordMask |= 1 << (in.Key.Aux / 4)
			in.Uses = w.Defs // the address is enough
			in.Checked, in.Proven = true, true
		}
		inserted[first] = append(inserted[first], w)
	}
	return insertBefore(f, list, inserted)
}

// recordGroups finds the records of a block. Neither the handle, nor the base, nor any memory is written
// between the loads of one.
func recordGroups(f *vcode.Func, list []vcode.Inst, fixed map[vcode.Reg]bool) []*accessGroup {
	var groups []*accessGroup
	last := map[accessKey]*accessGroup{}
	written, stored := map[vcode.Reg]int{}, 0 // last instructions that write a register, or memory
	for i := range list {
		in := &list[i]
		if k, ok := recordKey(in); ok && !fixed[k.handle] {
			v := last[k]
			if v == nil || max(written[k.base], written[k.handle], stored) > v.members[0] {
				v = &accessGroup{accessKey: k}
				groups, last[k] = append(groups, v), v
			}
			v.members = append(v.members, i)
		}
		for _, d := range in.Defs {
			if f.Classes[d] == vcode.Gen {
				written[d] = i
			}
		}
		if hasEffect(in) && !in.Op.Jumps() {
			stored = i
		}
	}
	return groups
}

// recordKey returns the key of a uniform load of a word, and whether it may be part of a record.
func recordKey(in *vcode.Inst) (k accessKey, ok bool) {
	if in.Checked || in.Op != vcode.BroadcastLoad && (in.Op != vcode.Scalar || in.IR != ir.Ld || in.Key.Type != ir.I32) {
		return k, false
	}
	if in.Key.Aux%4 != 0 || in.Key.Aux/4 >= recordWords || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return k, false
	}
	return accessKey{handle: in.Uses[0], base: in.Uses[1]}, true
}
