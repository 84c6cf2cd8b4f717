package codegen

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// Peephole has the readers and definitions of the registers of a function, for a pass that combines several
// instructions into one (vcode.Form.Fuse). It has no SSA form: a register may have several definitions, of which
// only unique ones in the current block qualify (FoldableDef).
type Peephole struct {
	F           *vcode.Func
	Reads, Defs []int32 // number of reads and writes of each register
	Block, Pos  int32   // the current block, from 1 on, and the current position in the function

	// By register, in the current walk: its last definition, its position, and its block number, 0 before the first one.
	Def              []*vcode.Inst
	DefPos, DefBlock []int32

	mem *peepholeMemory
}

// peepholeMemory is the temporary memory of a pass over one function.
type peepholeMemory struct {
	numbers scratch.Slab[int32]
	makers  scratch.Slab[*vcode.Inst]
}

// peepholeMemories holds idle memory.
var peepholeMemories = sync.Pool{New: func() any { return new(peepholeMemory) }}

// NewPeephole counts the reads and definitions of a function. The caller must call Release.
func NewPeephole(f *vcode.Func) Peephole {
	mem, n := peepholeMemories.Get().(*peepholeMemory), len(f.Classes)
	z := Peephole{
		F: f, mem: mem, Reads: mem.numbers.Alloc(n), Defs: mem.numbers.Alloc(n),
		Def: mem.makers.Alloc(n), DefPos: mem.numbers.Alloc(n), DefBlock: mem.numbers.Alloc(n),
	}
	f.Each(func(in *vcode.Inst) {
		for _, r := range in.Defs {
			z.Defs[r]++
		}
		z.Count(in, 1)
	})
	return z
}

// Numbers returns n zeros that are valid until Release.
func (z *Peephole) Numbers(n int) []int32 { return z.mem.numbers.Alloc(n) }

// Release returns the memory for the next function.
func (z *Peephole) Release() {
	z.mem.numbers.Reset()
	z.mem.makers.Reset()
	peepholeMemories.Put(z.mem)
}

// Walk calls start for each block, and combine for each instruction. It removes the instructions that Drop has
// cleared. Combined instructions are in place, so that a block only shrinks.
func (z *Peephole) Walk(start func(), combine func(in *vcode.Inst)) {
	for b := range z.F.Blocks {
		z.Block++
		start()
		list := z.F.Blocks[b].Insts
		for i := range list {
			z.Pos++
			combine(&list[i])
			for _, r := range list[i].Defs {
				z.Def[r], z.DefPos[r], z.DefBlock[r] = &list[i], z.Pos, z.Block
			}
		}
		kept := compact(list)
		z.F.Blocks[b].Insts = kept
		if len(kept) == len(list) {
			continue
		}
		for i := range kept { // they have moved, and later blocks may look for a definition
			for _, r := range kept[i].Defs {
				z.Def[r] = &kept[i]
			}
		}
	}
}

// compact removes cleared instructions from a list.
func compact(list []vcode.Inst) []vcode.Inst {
	n := 0
	for i := range list {
		if list[i].Op == vcode.Undef && len(list[i].Defs) == 0 {
			continue
		}
		if n != i {
			list[n] = list[i]
		}
		n++
	}
	return list[:n]
}

// Count adds n to the number of reads of an instruction's operands.
func (z *Peephole) Count(in *vcode.Inst, n int32) {
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			z.Reads[r] += n
		}
	}
}

// FoldableDef returns the lane operation in this block that defines r, or nil if r has more than most
// reads in total, or if an operand of the operation has been overwritten since.
//
// A fold moves the computation of r to its reader. This is valid if the reader is in the same block,
// every execution of the reader follows the only definition, and the operands still have their
// values:
//
//	t = a & b
//	a = …              overwritten: no fold
//	d = t | c
func (z *Peephole) FoldableDef(r vcode.Reg, most int32) *vcode.Inst {
	in := z.Def[r]
	if in == nil || z.DefBlock[r] != z.Block || z.Defs[r] != 1 || z.Reads[r] > most || in.Merging || in.Op != vcode.Lane && in.Op != vcode.Own {
		return nil
	}
	if z.Changed(r, in.Uses) {
		return nil
	}
	return in
}

// Changed reports whether a register of a list has been written since r.
func (z *Peephole) Changed(r vcode.Reg, list []vcode.Reg) bool {
	return slices.ContainsFunc(list, func(u vcode.Reg) bool { return z.DefBlock[u] == z.Block && z.DefPos[u] >= z.DefPos[r] })
}

// Constant reports whether a register is a constant with these bits.
func (z *Peephole) Constant(r vcode.Reg, bits uint32) bool {
	n, ok := z.F.Const(r)
	return ok && uint32(n) == bits
}

// Drop removes one read of r, and, if it was the last, the instruction that defines r, recursively.
// The worklist is explicit, because hostile input may have arbitrarily long chains.
func (z *Peephole) Drop(r vcode.Reg) {
	z.Reads[r]--
	for todo := []vcode.Reg{r}; len(todo) > 0; {
		r, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if in := z.FoldableDef(r, 0); in != nil && len(in.Defs) > 0 {
			z.Count(in, -1)
			todo = append(todo, in.Uses...)
			*in = vcode.Inst{}
		}
	}
}

// Replace turns in into a fused operation that reads uses. It drops the operands gone, and the mask
// unless the instruction merges. The reads of the new operands are counted first: an operand of both
// the old and the new operation must not be dropped in between.
func (z *Peephole) Replace(in *vcode.Inst, fused uint8, aux uint64, uses []vcode.Reg, gone ...vcode.Reg) {
	for _, r := range uses {
		z.Reads[r]++
	}
	if !in.Merging {
		for _, r := range in.Masks {
			z.Reads[r]--
		}
		in.Masks = nil
	}
	old := in.Uses
	in.Op, in.Fused, in.Key.Aux, in.Uses = vcode.Own, fused, aux, uses
	for _, r := range old {
		if slices.Contains(gone, r) {
			z.Drop(r)
		} else {
			z.Reads[r]--
		}
	}
}

// Branch fuses a comparison of general registers with the jump that reads it, a JumpIfZero. The comparison and the
// jump become adjacent: some processors execute them as one (macro-fusion).
func (z *Peephole) Branch(in *vcode.Inst) {
	r := in.Uses[0]
	c := z.Def[r]
	if !z.foldableScalar(r) {
		return
	}
	if n := c.Uses[0]; c.IR == ir.Not && z.foldableScalar(n) && z.invertBranch(in, z.Def[n]) {
		z.Reads[r], z.Reads[n] = 0, 0
		*z.Def[n], *c = vcode.Inst{}, vcode.Inst{}
		return
	}
	switch c.IR {
	case ir.Eq, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
	default:
		return
	}
	in.IR, in.Key, in.Uses = c.IR, c.Key, c.Uses
	z.Reads[r] = 0
	*c = vcode.Inst{}
}

// foldableScalar reports whether r is the result of a scalar operation in this block with one reader,
// and its operands are unchanged since.
func (z *Peephole) foldableScalar(r vcode.Reg) bool {
	c := z.Def[r]
	return c != nil && z.DefBlock[r] == z.Block && z.Defs[r] == 1 && z.Reads[r] == 1 && c.Op == vcode.Scalar && !z.Changed(r, c.Uses)
}

// invertBranch turns a jump on a negated comparison into a jump on a plain one, and reports whether
// it could: of equality only for a comparison with zero, since there is no scalar Ne. not (x < y) is
// y <= x for integers, but not for floats, which have NaN; floats are never in general registers.
func (z *Peephole) invertBranch(in *vcode.Inst, c *vcode.Inst) bool {
	x, y := c.Uses[0], c.Uses[1]
	if c.IR == ir.Eq && c.Key.From == ir.I32 {
		if z.Constant(x, 0) {
			x, y = y, x
		}
		if z.Constant(y, 0) {
			in.Uses = []vcode.Reg{x}
			return true
		}
	}
	op, ok := c.IR.NotLess()
	if ok {
		in.IR, in.Key, in.Uses = op, c.Key, []vcode.Reg{y, x}
	}
	return ok
}

// Rotate matches x<<n | x>>(32−n) with 0 < n < 32, and replaces it by the fused operation with Aux n.
//
// The two shifts have no common bits, so that or, xor and add are the same:
//
//	t = x << 7
//	u = x >> 25
//	d = t | u     →   rotate d, x, 7
func (z *Peephole) Rotate(in *vcode.Inst, fused uint8) bool {
	if in.IR != ir.Or && in.IR != ir.Xor && in.IR != ir.Add {
		return false
	}
	a, b := z.FoldableDef(in.Uses[0], 1), z.FoldableDef(in.Uses[1], 1)
	if a == nil || b == nil || a.Op != vcode.Lane || b.Op != vcode.Lane {
		return false
	}
	if a.IR == ir.LShr {
		a, b = b, a
	}
	if a.IR != ir.Shl || b.IR != ir.LShr || a.Key.Type != ir.I32 || b.Key.Type != ir.I32 || a.Uses[0] != b.Uses[0] {
		return false
	}
	left, ok := z.F.Const(a.Uses[1])
	right, also := z.F.Const(b.Uses[1])
	if !ok || !also || left == 0 || right == 0 || left+right != 32 { // counts are modulo 32: one of 32 is no rotation
		return false
	}
	z.Replace(in, fused, left, []vcode.Reg{a.Uses[0]}, in.Uses[0], in.Uses[1])
	return true
}
