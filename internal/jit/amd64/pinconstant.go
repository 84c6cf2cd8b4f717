package amd64

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Constants in registers
//
// A constant operand of AVX2 code is in memory. A processor loads two vectors in a cycle and computes up to four, so that the loads of
// constants limit long loops. The constants that an innermost loop reads most often are copied to registers before it:
//
//	b1: fmul v2, v1, 255           b0: copy v9, 255
//	    fmul v4, v3, 255       →   b1: fmul v2, v1, v9
//	    fmul v6, v5, 255               fmul v4, v3, v9
//	    jump b1                        fmul v6, v5, v9
//	                                   jump b1
//
// The copies have live intervals as other values of the loop: the register allocator gives them registers if they have the most mentions,
// and leaves them in memory otherwise, at the cost of a constant. AVX-512 code has twice the
// registers, and operands in memory limit it less. A divergent loop waits for its own results, and a spilled
// result would take longer: it stays as it is.

// Constants that a loop pins: how many at most, and from how many mentions on. Fewer do not pay for the copy.
const (
	maxPinned   = 8
	minMentions = 3
)

// constantLoop is an innermost loop: the blocks from first to last.
type constantLoop struct {
	first, last int
	apart       bool // it has another entry than the block before it, or lanes leave it in different iterations
}

// pinConstants copies constants of loops to registers, and returns these.
func pinConstants(f *vcode.Func) (pinned []vcode.Reg) {
	for _, l := range innermostLoops(f) {
		if !l.apart && l.first > 0 {
			pinned = append(pinned, l.pin(f)...)
		}
	}
	return pinned
}

// innermostLoops returns the loops without a loop inside, in the order of their blocks. A loop is the range from a block to the last jump
// back to it.
func innermostLoops(f *vcode.Func) (loops []constantLoop) {
	last := make([]int, len(f.Blocks)) // by block: 1 + the last block that jumps back to it, 0 for none
	eachJump(f, func(from int, in *vcode.Inst) {
		if in.Target <= from {
			last[in.Target] = from + 1
		}
	})
	for b, end := range last {
		if end == 0 {
			continue
		}
		if n := len(loops); n > 0 && b <= loops[n-1].last {
			loops = loops[:n-1]
		}
		loops = append(loops, constantLoop{first: b, last: end - 1})
	}
	of := make([]int, len(f.Blocks)) // by block: 1 + its loop, 0 for none
	for i, l := range loops {
		for b := l.first; b <= l.last; b++ {
			of[b] = i + 1
		}
	}
	eachJump(f, func(from int, in *vcode.Inst) {
		if to := of[in.Target]; to > 0 && to != of[from] {
			loops[to-1].apart = true
		}
		if in.Op == vcode.JumpIfNone && of[from] > 0 && of[in.Target] != of[from] {
			loops[of[from]-1].apart = true
		}
	})
	return loops
}

// eachJump calls do for each jump, with the number of its block.
func eachJump(f *vcode.Func, do func(from int, in *vcode.Inst)) {
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			if in := &f.Blocks[b].Insts[i]; in.Op.Jumps() {
				do(b, in)
			}
		}
	}
}

// pin copies the constants of a loop to registers at the end of the block before it.
func (l constantLoop) pin(f *vcode.Func) (pinned []vcode.Reg) {
	list := l.mostRead(f)
	if len(list) == 0 {
		return nil
	}
	to := make(map[uint64]vcode.Reg, len(list))
	var copies []vcode.Inst
	for _, bits := range list {
		r := f.NewReg(vcode.Vec)
		to[bits], pinned = r, append(pinned, r)
		copies = append(copies, vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{f.NewConst(vcode.Vec, bits)}})
	}
	before := f.Blocks[l.first-1].Insts
	at := len(before)
	for at > 0 && before[at-1].Op.Jumps() {
		at--
	}
	f.Blocks[l.first-1].Insts = slices.Concat(before[:at], copies, before[at:])
	l.eachConstant(f, func(in *vcode.Inst, i int, bits uint64) {
		if r := to[bits]; r != 0 {
			in.Uses = slices.Clone(in.Uses) // other instructions may share the list
			in.Uses[i] = r
		}
	})
	return pinned
}

// mostRead returns the constants that the loop reads most often, ties by value.
func (l constantLoop) mostRead(f *vcode.Func) (list []uint64) {
	mentions := map[uint64]int{}
	l.eachConstant(f, func(_ *vcode.Inst, _ int, bits uint64) {
		if mentions[bits]++; mentions[bits] == minMentions {
			list = append(list, bits)
		}
	})
	slices.SortFunc(list, func(x, y uint64) int {
		return cmp.Or(cmp.Compare(mentions[y], mentions[x]), cmp.Compare(x, y))
	})
	return list[:min(len(list), maxPinned)]
}

// eachConstant calls do for each constant operand of the loop that may be in a register. Zero needs no memory, and far blocks rarely run.
func (l constantLoop) eachConstant(f *vcode.Func, do func(in *vcode.Inst, i int, bits uint64)) {
	for b := l.first; b <= l.last; b++ {
		if f.Blocks[b].Far {
			continue
		}
		for j := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[j]
			if !takesRegisters(in) {
				continue
			}
			for i, r := range in.Uses {
				if bits, ok := f.Const(r); ok && bits != 0 && f.Classes[r] == vcode.Vec {
					do(in, i, bits)
				}
			}
		}
	}
}

// takesRegisters reports whether the code of an instruction is the same if a constant operand is in a register.
func takesRegisters(in *vcode.Inst) bool {
	if in.Op != vcode.Lane || in.Merging {
		return false
	}
	switch in.IR {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FFma:
		return in.Key.Type == ir.F32
	case ir.And, ir.Or, ir.Add, ir.Sub:
		return in.Key.Type == ir.I32
	}
	return false
}
