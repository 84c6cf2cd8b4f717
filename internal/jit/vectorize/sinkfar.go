package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Sinking into far blocks
//
// A value that only the far block of a branch reads is computed there (partial dead code elimination, Knoop et al. 1994). The vectors of
// an index are an example, if the usual code needs its first lane alone:
//
//	g1 = scalar add g0, 256                g1 = scalar add g0, 256
//	v1 = lane add v0, 256                  jumpifzero ult b1 g1, g2
//	jumpifzero ult b1 g1, g2           →   …
//	…                                      b1: far
//	b1: far                                    v1 = lane add v0, 256
//	    w2 = lane zext v1                      w2 = lane zext v1

// maxFarCopies bounds the far blocks that compute one value.
const maxFarCopies = 8

// farSinker is the state of sinkFar.
type farSinker struct {
	f        *vcode.Func
	defCount []int32
	uses     [][]blockUses  // by register, in the order of the blocks; none of constants
	moved    [][]vcode.Inst // by block, the last one first
}

// blockUses counts the instructions of a block that read a register.
type blockUses struct{ block, count int32 }

// sinkFar moves computations that far blocks alone read to the start of each such block. All their registers are written once, so that they
// have the same values there. Several blocks have copies of a computation, with registers of their own.
func sinkFar(f *vcode.Func) {
	if !slices.ContainsFunc(f.Blocks, func(b vcode.Block) bool { return b.Far }) {
		return
	}
	s := &farSinker{f: f, defCount: make([]int32, len(f.Classes)), uses: make([][]blockUses, len(f.Classes)), moved: make([][]vcode.Inst, len(f.Blocks))}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				s.defCount[d]++
			}
			s.note(in, int32(b), 1)
		}
	}
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		for i := len(f.Blocks[b].Insts) - 1; i >= 0; i-- {
			s.sink(&f.Blocks[b].Insts[i], int32(b))
		}
	}
	any := false
	for b, list := range s.moved {
		if len(list) > 0 {
			slices.Reverse(list)
			f.Blocks[b].Insts, any = append(list, f.Blocks[b].Insts...), true
		}
	}
	if any {
		removeIf(f, cleared)
	}
}

// note adds n to the count of the operands of an instruction in a block.
func (s *farSinker) note(in *vcode.Inst, block, n int32) {
	for _, r := range slices.Concat(in.Uses, in.Masks) {
		if s.f.IsConst(r) {
			continue
		}
		list := s.uses[r]
		i, ok := slices.BinarySearchFunc(list, block, func(u blockUses, b int32) int { return int(u.block - b) })
		if !ok {
			list = slices.Insert(list, i, blockUses{block: block})
		}
		if list[i].count += n; list[i].count == 0 {
			list = slices.Delete(list, i, i+1)
		}
		s.uses[r] = list
	}
}

// sink moves an instruction of a block, if other blocks that are far have all uses of its result.
func (s *farSinker) sink(in *vcode.Inst, b int32) {
	if in.Op != vcode.Lane && in.Op != vcode.Broadcast || in.Merging || len(in.Defs) != 1 || hasEffect(in) || in.IR.Is(ir.Reads) || s.defCount[in.Defs[0]] != 1 {
		return
	}
	d := in.Defs[0]
	to := s.uses[d]
	if len(to) == 0 || len(to) > maxFarCopies || slices.ContainsFunc(to, func(u blockUses) bool { return u.block == b || !s.f.Blocks[u.block].Far }) || !writtenOnce(s.f, in, s.defCount) {
		return
	}
	s.note(in, b, -1)
	for i, u := range slices.Clone(to) {
		one := *in
		if i > 0 {
			one.Defs = []vcode.Reg{s.copyOf(d, u.block)}
		}
		s.note(&one, u.block, 1)
		s.moved[u.block] = append(s.moved[u.block], one)
	}
	*in = vcode.Inst{Op: vcode.Undef}
}

// copyOf makes a block read a new register instead of d.
func (s *farSinker) copyOf(d vcode.Reg, block int32) vcode.Reg {
	r := s.f.NewReg(s.f.Classes[d])
	s.defCount, s.uses = append(s.defCount, 1), append(s.uses, []blockUses{{block, 1}})
	for _, list := range [...][]vcode.Inst{s.f.Blocks[block].Insts, s.moved[block]} {
		for i := range list {
			in := &list[i]
			for _, regs := range [...]*[]vcode.Reg{&in.Uses, &in.Masks} {
				if !slices.Contains(*regs, d) {
					continue
				}
				*regs = slices.Clone(*regs) // other instructions may share the list
				for k, x := range *regs {
					if x == d {
						(*regs)[k] = r
					}
				}
			}
		}
	}
	return r
}

// writtenOnce reports whether one instruction writes each operand.
func writtenOnce(f *vcode.Func, in *vcode.Inst, defCount []int32) bool {
	for _, r := range slices.Concat(in.Uses, in.Masks) {
		if _, constant := f.Const(r); !constant && defCount[r] > 1 {
			return false
		}
	}
	return true
}
