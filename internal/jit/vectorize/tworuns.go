package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Split accesses: two runs of words in one register
//
// In a workgroup of 8×8 invocations a register of 16 lanes has two runs of x. The offsets of an image access,
// uniform base + y·pitch + 4·x, are then varying, but mostly two runs of eight consecutive words. TwoRuns
// detects that once, at the definition of the varying part, which is outside of loops over the uniform
// base; each access then is two contiguous ones if the check succeeds, else a gather or scatter.
//
//	o = lane add r, splat(b)            f, s = tworuns r                    at the definition of r
//	gather v, h, o                 →    c, d = tworunscheck h, b, f, s      shared by equal accesses
//	                                    gather v, h, r, b, c, d             checked

// splitAccesses adds the checks for split accesses to f, in which one register has two runs of x.
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
		inserted := map[int][]vcode.Inst{} // by index of the following instruction
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

// splitter is the state of splitAccesses.
type splitter struct {
	f        *vcode.Func
	def      []*vcode.Inst // by register: an instruction that writes it, its block, and how many do
	block    []int
	defCount []int
	runs     map[vcode.Reg][]vcode.Reg // by register with the varying offsets: results of its TwoRuns
}

// splitKey identifies accesses that share a check.
type splitKey struct {
	handle, base vcode.Reg // handle and uniform addend of the offsets
	offsets      vcode.Reg // varying addend
	imm          uint64
}

// checkBlock adds checks for the accesses of a block.
func (h *splitter) checkBlock(b int) {
	list := h.f.Blocks[b].Insts
	inserted, checkOf := map[int][]vcode.Inst{}, map[splitKey]int{} // by key: index of the checked access
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
		if in.Op == vcode.Scatter { // writable bytes are readable
			w.Op = vcode.StoreTwoRunsCheck
		}
		in.Uses = append(slices.Clone(in.Uses), k.base, w.Defs[0], w.Defs[1])
		in.Uses[1], in.Checked = k.offsets, true
	}
	h.f.Blocks[b].Insts = insertBefore(h.f, list, inserted)
}

// keyOf returns the key of an access at the sum of a uniform and a varying register.
func (h *splitter) keyOf(b int, in *vcode.Inst) (k splitKey, ok bool) {
	one := in.Op == vcode.Gather && len(in.Defs) == 1 && len(in.Uses) == 2 && !in.Quads && !in.Bytes && in.Distances == nil && in.Key.Type.Bits() == 32 || in.Op == vcode.Scatter && in.Key.Type.Bits() == 32
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

// singleDef returns the instruction that writes a register, or nil unless there is exactly one.
func (h *splitter) singleDef(r vcode.Reg) *vcode.Inst {
	if h.defCount[r] != 1 {
		return nil
	}
	return h.def[r]
}
