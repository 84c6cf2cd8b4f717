package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// splitAccesses looks at accesses at the sum of an offset that is the same in all lanes and of
// others that were made before: where a register spans two rows of a workgroup those are
// likely two runs of words, as the pixels of a block are in an image. That is looked at
// where they are made, out of the loops around the access; and then an access, or several
// of the same words, needs but the two places.
func splitAccesses(f *vcode.Func) {
	h := &splitter{f: f, def: make([]*vcode.Inst, len(f.Classes)), block: make([]int, len(f.Classes)), defCount: make([]int, len(f.Classes)), runs: map[vcode.Reg][]vcode.Reg{}}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				h.def[d], h.block[d], h.defCount[d] = in, b, h.defCount[d]+1
			}
		}
	}
	for b := range f.Blocks {
		h.checkBlock(b)
	}
	if len(h.runs) == 0 {
		return
	}
	for b := range f.Blocks {
		inserted := map[int][]vcode.Inst{} // before an instruction
		for i := range f.Blocks[b].Insts {
			for _, d := range f.Blocks[b].Insts[i].Defs {
				if to := h.runs[d]; to != nil {
					inserted[i+1] = append(inserted[i+1], vcode.Inst{Op: vcode.TwoRuns, Defs: to, Uses: []vcode.Reg{d}, Origin: f.Blocks[b].Insts[i].Origin})
				}
			}
		}
		f.Blocks[b].Insts = insertBefore(f, f.Blocks[b].Insts, inserted)
	}
	eliminateDead(f)
}

type splitter struct {
	f        *vcode.Func
	def      []*vcode.Inst // by register: what writes it
	block    []int         // in which block
	defCount []int         // how often it is written
	runs     map[vcode.Reg][]vcode.Reg
}

// splitKey names accesses of the same words.
type splitKey struct {
	handle, base vcode.Reg // and the offset that is the same in all lanes
	offsets      vcode.Reg // the others
	imm          uint64
}

// effects looks at those of a block.
func (h *splitter) checkBlock(b int) {
	list := h.f.Blocks[b].Insts
	inserted, checkOf := map[int][]vcode.Inst{}, map[splitKey]int{} // of a key: the access before which its window is
	for i := range list {
		in := &list[i]
		k, ok := h.keyOf(b, in)
		if !ok {
			continue
		}
		first, seen := checkOf[k]
		if !seen {
			first, checkOf[k] = i, i
			runs := h.runs[k.offsets]
			if runs == nil {
				runs = []vcode.Reg{h.f.NewReg(vcode.Gen), h.f.NewReg(vcode.Gen)}
				h.runs[k.offsets] = runs
			}
			inserted[i] = []vcode.Inst{{
				Op: vcode.TwoRunsCheck, Defs: []vcode.Reg{h.f.NewReg(vcode.Gen), h.f.NewReg(vcode.Gen)}, Key: ir.Key{Aux: k.imm},
				Uses: append([]vcode.Reg{in.Uses[0], k.base}, runs...), Origin: in.Origin,
			}}
		}
		w := &inserted[first][0]
		if in.Op == vcode.Scatter { // what can be written can be read
			w.Op = vcode.StoreTwoRunsCheck
		}
		in.Uses = append(slices.Clone(in.Uses), k.base, w.Defs[0], w.Defs[1])
		in.Uses[1], in.Checked = k.offsets, true
	}
	h.f.Blocks[b].Insts = insertBefore(h.f, list, inserted)
}

// keyOf returns what an access must have in common with others, where its offsets are
// such a sum.
func (h *splitter) keyOf(b int, in *vcode.Inst) (k splitKey, ok bool) {
	one := in.Op == vcode.Gather && len(in.Defs) == 1 && len(in.Uses) == 2 || in.Op == vcode.Scatter
	if !one || in.Checked || in.Key.Aux > maxPairImm || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return k, false
	}
	sum := h.singleDef(in.Uses[1])
	if h.defCount[in.Uses[0]] > 1 || sum == nil || h.block[in.Uses[1]] != b || sum.Op != vcode.Lane || sum.IR != ir.Add || sum.Key.Type != ir.I32 || sum.Merging {
		return k, false
	}
	for i, r := range sum.Uses {
		from, rest := h.singleDef(r), sum.Uses[1-i]
		if from == nil || from.Op != vcode.Broadcast || h.singleDef(from.Uses[0]) == nil {
			continue
		}
		if x := h.singleDef(rest); x != nil && x.Op == vcode.Lane && !x.Merging {
			return splitKey{in.Uses[0], from.Uses[0], rest, in.Key.Aux}, true
		}
	}
	return k, false
}

// singleDef returns what writes a register, nil where nothing does, or several do.
func (h *splitter) singleDef(r vcode.Reg) *vcode.Inst {
	if h.defCount[r] != 1 {
		return nil
	}
	return h.def[r]
}
