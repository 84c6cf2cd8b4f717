package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// recordWords bounds the words of a record: those that a Window counts.
const recordWords = 64

// mergeRecordLoads lets what is loaded from one record, a few words at constant distances from
// one place that is the same in all lanes, be checked once: where it is not all in
// range its words are copied, with zeros for those beyond, and taken from the copy, so
// that the loads themselves check nothing.
func mergeRecordLoads(f *vcode.Func) {
	fixed := map[vcode.Reg]bool{} // handles of what needs no checks, or has its own
	each(f, func(in *vcode.Inst) {
		if in.Op == vcode.Scalar && (in.IR == ir.Wg || in.IR == ir.Push || in.IR == ir.Table) {
			fixed[in.Defs[0]] = true
		}
	})
	for b := range f.Blocks {
		f.Blocks[b].Insts = mergeRecordLoadsIn(f, f.Blocks[b].Insts, fixed)
	}
}

func mergeRecordLoadsIn(f *vcode.Func, list []vcode.Inst, fixed map[vcode.Reg]bool) []vcode.Inst {
	inserted := map[int][]vcode.Inst{} // before an instruction
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
			in.Uses = w.Defs // it needs no more
			in.Checked, in.Proven = true, true
		}
		inserted[first] = append(inserted[first], w)
	}
	return insertBefore(f, list, inserted)
}

// recordGroups finds the loads of words between which neither the handle nor the place
// is written, nor any memory.
func recordGroups(f *vcode.Func, list []vcode.Inst, fixed map[vcode.Reg]bool) []*accessGroup {
	var views []*accessGroup
	last := map[accessKey]*accessGroup{}
	written, stored := map[vcode.Reg]int{}, 0 // the last instructions that do
	for i := range list {
		in := &list[i]
		if k, ok := recordKey(in); ok && !fixed[k.handle] {
			v := last[k]
			if v == nil || max(written[k.base], written[k.handle], stored) > v.members[0] {
				v = &accessGroup{accessKey: k}
				views, last[k] = append(views, v), v
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
	return views
}

// recordKey returns what the load of a word that is the same in all lanes must have in
// common with others of its record.
func recordKey(in *vcode.Inst) (k accessKey, ok bool) {
	if in.Checked || in.Op != vcode.BroadcastLoad && (in.Op != vcode.Scalar || in.IR != ir.Ld || in.Key.Type != ir.I32) {
		return k, false
	}
	if in.Key.Aux%4 != 0 || in.Key.Aux/4 >= recordWords || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return k, false
	}
	return accessKey{handle: in.Uses[0], base: in.Uses[1]}, true
}
