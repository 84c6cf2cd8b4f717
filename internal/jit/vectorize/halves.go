package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// halves looks at accesses at the sum of an offset that is the same in all lanes and of
// others that were made before: where a register spans two rows of a workgroup those are
// likely two runs of words, as the pixels of a block are in an image. That is looked at
// where they are made, out of the loops around the access; and then an access, or several
// of the same words, needs but the two places.
func halves(f *vcode.Func) {
	h := &halver{f: f, made: make([]*vcode.Inst, len(f.Classes)), block: make([]int, len(f.Classes)), defs: make([]int, len(f.Classes)), runs: map[vcode.Reg][]vcode.Reg{}}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				h.made[d], h.block[d], h.defs[d] = in, b, h.defs[d]+1
			}
		}
	}
	for b := range f.Blocks {
		h.accesses(b)
	}
	if len(h.runs) == 0 {
		return
	}
	for b := range f.Blocks {
		made := map[int][]vcode.Inst{} // before an instruction
		for i := range f.Blocks[b].Insts {
			for _, d := range f.Blocks[b].Insts[i].Defs {
				if to := h.runs[d]; to != nil {
					made[i+1] = append(made[i+1], vcode.Inst{Op: vcode.TwoRuns, Defs: to, Uses: []vcode.Reg{d}, Origin: f.Blocks[b].Insts[i].Origin})
				}
			}
		}
		f.Blocks[b].Insts = before(f, f.Blocks[b].Insts, made)
	}
	prune(f)
}

type halver struct {
	f     *vcode.Func
	made  []*vcode.Inst // by register: what writes it
	block []int         // in which block
	defs  []int         // how often it is written
	runs  map[vcode.Reg][]vcode.Reg
}

// halfKey names accesses of the same words.
type halfKey struct {
	handle, base vcode.Reg // and the offset that is the same in all lanes
	rest         vcode.Reg // the others
	imm          uint64
}

// accesses looks at those of a block.
func (h *halver) accesses(b int) {
	list := h.f.Blocks[b].Insts
	made, windows := map[int][]vcode.Inst{}, map[halfKey]int{} // of a key: the access before which its window is
	for i := range list {
		in := &list[i]
		k, ok := h.key(b, in)
		if !ok {
			continue
		}
		first, seen := windows[k]
		if !seen {
			first, windows[k] = i, i
			runs := h.runs[k.rest]
			if runs == nil {
				runs = []vcode.Reg{h.f.NewReg(vcode.Gen), h.f.NewReg(vcode.Gen)}
				h.runs[k.rest] = runs
			}
			made[i] = []vcode.Inst{{
				Op: vcode.TwoRunsCheck, Defs: []vcode.Reg{h.f.NewReg(vcode.Gen), h.f.NewReg(vcode.Gen)}, Key: ir.Key{Aux: k.imm},
				Uses: append([]vcode.Reg{in.Uses[0], k.base}, runs...), Origin: in.Origin,
			}}
		}
		w := &made[first][0]
		if in.Op == vcode.Scatter { // what can be written can be read
			w.Op = vcode.StoreTwoRunsCheck
		}
		in.Uses = append(slices.Clone(in.Uses), k.base, w.Defs[0], w.Defs[1])
		in.Uses[1], in.Checked = k.rest, true
	}
	h.f.Blocks[b].Insts = before(h.f, list, made)
}

// key returns what an access must have in common with others, where its offsets are
// such a sum.
func (h *halver) key(b int, in *vcode.Inst) (k halfKey, ok bool) {
	one := in.Op == vcode.Gather && len(in.Defs) == 1 && len(in.Uses) == 2 || in.Op == vcode.Scatter
	if !one || in.Checked || in.Key.Aux > maxPairImm || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return k, false
	}
	sum := h.once(in.Uses[1])
	if h.defs[in.Uses[0]] > 1 || sum == nil || h.block[in.Uses[1]] != b || sum.Op != vcode.Lane || sum.IR != ir.Add || sum.Key.Type != ir.I32 || sum.Merging {
		return k, false
	}
	for i, r := range sum.Uses {
		from, rest := h.once(r), sum.Uses[1-i]
		if from == nil || from.Op != vcode.Broadcast || h.once(from.Uses[0]) == nil {
			continue
		}
		if x := h.once(rest); x != nil && x.Op == vcode.Lane && !x.Merging {
			return halfKey{in.Uses[0], from.Uses[0], rest, in.Key.Aux}, true
		}
	}
	return k, false
}

// once returns what writes a register, nil where nothing does, or several do.
func (h *halver) once(r vcode.Reg) *vcode.Inst {
	if h.defs[r] != 1 {
		return nil
	}
	return h.made[r]
}
