package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Operations that this machine has and vcode has not: values of Inst.Fused.
const (
	fusedRotate       = iota // u0 rotated left by Aux
	fusedTernaryLogic        // bitwise function of u0, u1, u2 with the truth table Aux (VPTERNLOGD)
	fusedCompare             // a comparison, inverted if Aux is 1, in the lanes of m0
	fusedNegMulAdd           // u2 − u0·u1, rounded once
	fusedMulSub              // u0·u1 − u2, rounded once
	fusedRoundHalf           // u0, an f32, rounded to f16 and widened again; if Aux is 1, u0 is a smallSum
	fusedUnorm8              // byte Aux of u0 divided by 255: unorm8
	fusedBitMask             // bits Aux, Aux + 1, … of u0, a Gen, one for each lane, as a mask
	fusedHalfMulAdd          // half(half(product of f16) + constant), a smallSum: halfMulAdd
)

// fuse is a peephole pass on vcode: it combines several operations into one of the machine if the
// intermediate results have no other reader. It finds rotates, bitwise logic of up to three operands,
// comparisons under a mask, multiply-add with a negated factor or summand, bytes divided by 255, and rounding to
// f16. AVX2 gets only multiply-add, f16, and fused compare-and-branch of general registers.
//
//	and t, a, b
//	or  d, t, c     →   ternary d = (a & b) | c     VPTERNLOGD, truth table 0xea
//
// LLVM does the same on its selection DAG, by patterns; a linear scan suffices here, because vcode is
// short and its blocks are in order.
func fuse(f *vcode.Func, level target.Level) {
	r, n := acquireFuseScratch(), len(f.Classes)
	defer r.release()
	z := &fuser{
		f: f, vectors: level == target.AVX512, reads: r.numbers.Alloc(n), defs: r.numbers.Alloc(n),
		factorReads: r.numbers.Alloc(n), def: r.makers.Alloc(n), defPos: r.numbers.Alloc(n), defBlock: r.numbers.Alloc(n),
		logic: map[vcode.Reg]logic{},
	}
	wide := false
	f.Each(func(in *vcode.Inst) {
		for _, r := range in.Defs {
			z.defs[r]++
		}
		z.count(in, 1)
		z.countFactors(in)
		wide = wide || widensF16(in)
	})
	if wide {
		z.isF16 = f16Registers(f)
	}
	for b := range f.Blocks {
		z.block++
		clear(z.logic)
		list := f.Blocks[b].Insts
		for i := range list {
			z.pos++
			z.inst(&list[i])
			for _, r := range list[i].Defs {
				z.def[r], z.defPos[r], z.defBlock[r] = &list[i], z.pos, z.block
			}
		}
		f.Blocks[b].Insts = compact(list)
	}
	z.emitFactors()
}

// compact removes the instructions that drop has cleared from a list. Fused instructions are in
// place, so that the list only shrinks.
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

// It uses def-use information without SSA: a register may have several definitions, of which only
// unique ones in the current block qualify (foldableDef).
type fuser struct {
	f           *vcode.Func
	vectors     bool    // false for AVX2: only scalar patterns, multiply-add and roundHalf
	reads, defs []int32 // number of reads and writes of each register
	factorReads []int32 // number of reads as factors or summands, before any fusion: folds
	pos, block  int32

	// By register, in the current walk: its last definition, its position, and its block number + 1.
	def      []*vcode.Inst
	defPos   []int32
	defBlock []int32

	logic map[vcode.Reg]logic // bitwise functions that registers of the current block hold

	isF16      []bool                 // by register that existed before: all its values are f16 numbers; nil if there is none
	loopStarts []int32                // by block: the header of the innermost loop around it, 0 if there is none
	factors    map[vcode.Reg][]factor // precomputed multiples of factors of halfMulAdd
}

// count adds n to the number of reads of an instruction's operands.
func (z *fuser) count(in *vcode.Inst, n int32) {
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			z.reads[r] += n
		}
	}
}

// foldableDef returns the lane operation in this block that defines r, or nil if r has more than most
// reads in total, or if an operand of the operation has been overwritten since.
//
// A fold moves the computation of r to its reader. This is valid if the reader is in the same block,
// every execution of the reader follows the only definition, and the operands still have their
// values:
//
//	t = a & b
//	a = …              overwritten: no fold
//	d = t | c
func (z *fuser) foldableDef(r vcode.Reg, most int32) *vcode.Inst {
	in := z.def[r]
	if in == nil || z.defBlock[r] != z.block || z.defs[r] != 1 || z.reads[r] > most || in.Merging || in.Op != vcode.Lane && in.Op != vcode.Own {
		return nil
	}
	for _, u := range in.Uses {
		if z.defBlock[u] == z.block && z.defPos[u] >= z.defPos[r] {
			return nil
		}
	}
	return in
}

// drop removes one read of r, and, if it was the last, the instruction that defines r, recursively.
// The worklist is explicit, because hostile input may have arbitrarily long chains.
func (z *fuser) drop(r vcode.Reg) {
	z.reads[r]--
	for todo := []vcode.Reg{r}; len(todo) > 0; {
		r, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if in := z.foldableDef(r, 0); in != nil && len(in.Defs) > 0 {
			z.count(in, -1)
			todo = append(todo, in.Uses...)
			*in = vcode.Inst{}
		}
	}
}

// replace turns in into a fused operation that reads uses. It drops the operands gone, and the mask
// unless the instruction merges. The reads of the new operands are counted first: an operand of both
// the old and the new operation must not be dropped in between.
func (z *fuser) replace(in *vcode.Inst, fused uint8, aux uint64, uses []vcode.Reg, gone ...vcode.Reg) {
	for _, r := range uses {
		z.reads[r]++
	}
	if !in.Merging {
		for _, r := range in.Masks {
			z.reads[r]--
		}
		in.Masks = nil
	}
	old := in.Uses
	in.Op, in.Fused, in.Key.Aux, in.Uses = vcode.Own, fused, aux, uses
	for _, r := range old {
		if slices.Contains(gone, r) {
			z.drop(r)
		} else {
			z.reads[r]--
		}
	}
}

func (z *fuser) inst(in *vcode.Inst) {
	switch {
	case in.Op == vcode.JumpIfZero:
		z.branch(in)
	case in.Op == vcode.Lane && in.Key.Type == ir.F32 && in.IR == ir.FCvt:
		z.roundHalf(in)
	case multiplyAdds(in):
		if !z.vectors || !z.unorm8(in) {
			z.negMulAdd(in)
		}
	case !z.vectors:
	case in.Op == vcode.And || in.Op == vcode.AndNot:
		z.maskedCompare(in, in.Op == vcode.AndNot)
	case in.Op != vcode.Lane:
	case in.Key.Type == ir.B1:
		z.mask(in)
	case in.Key.Type == ir.I32 && !z.rotate(in):
		z.bitwise(in)
	}
}

// branch fuses a comparison of general registers with the jump that reads it. The comparison and the
// jump become adjacent, so that the processor fuses them too (macro-fusion).
func (z *fuser) branch(in *vcode.Inst) {
	r := in.Uses[0]
	c := z.def[r]
	if !z.foldableScalar(r) {
		return
	}
	if n := c.Uses[0]; c.IR == ir.Not && z.foldableScalar(n) && z.invertBranch(in, z.def[n]) {
		z.reads[r], z.reads[n] = 0, 0
		*z.def[n], *c = vcode.Inst{}, vcode.Inst{}
		return
	}
	if _, ok := conditions[c.IR]; !ok || z.reads[r] != 1 {
		return
	}
	in.IR, in.Key, in.Uses = c.IR, c.Key, c.Uses
	z.reads[r] = 0
	*c = vcode.Inst{}
}

// foldableScalar reports whether r is the result of a scalar operation in this block with one reader,
// and its operands are unchanged since.
func (z *fuser) foldableScalar(r vcode.Reg) bool {
	c := z.def[r]
	return c != nil && z.defBlock[r] == z.block && z.defs[r] == 1 && z.reads[r] == 1 && c.Op == vcode.Scalar && !z.changed(r, c.Uses)
}

// invertBranch turns a jump on a negated comparison into a jump on a plain one, and reports whether
// it could: of equality only for a comparison with zero, since there is no scalar Ne. not (x < y) is
// y <= x for integers, but not for floats, which have NaN; floats are never in general registers.
func (z *fuser) invertBranch(in *vcode.Inst, c *vcode.Inst) bool {
	x, y := c.Uses[0], c.Uses[1]
	if c.IR == ir.Eq && c.Key.From == ir.I32 {
		if z.constant(x, 0) {
			x, y = y, x
		}
		if z.constant(y, 0) {
			in.Uses = []vcode.Reg{x}
			return true
		}
	}
	op, ok := map[ir.Op]ir.Op{ir.ULt: ir.ULe, ir.ULe: ir.ULt, ir.SLt: ir.SLe, ir.SLe: ir.SLt}[c.IR]
	if ok {
		in.IR, in.Key, in.Uses = op, c.Key, []vcode.Reg{y, x}
	}
	return ok
}

// comparison returns the vector comparison that defines a mask, or nil. Two reads are permitted,
// since a repeated comparison is as cheap as the mask operation that it replaces.
func (z *fuser) comparison(r vcode.Reg) *vcode.Inst {
	in := z.foldableDef(r, 2)
	if in == nil || len(in.Defs) != 1 || in.Op != vcode.Lane {
		return nil
	}
	if _, ok := predicates[codegen.Rule{in.IR, in.Key.Type, in.Key.From}]; !ok {
		return nil
	}
	return in
}

// maskedCompare fuses a comparison with the mask that it is intersected with: AVX-512 comparisons
// have a mask operand. The result is 0 in lanes outside the mask, so that the conjunction costs
// nothing.
func (z *fuser) maskedCompare(in *vcode.Inst, not bool) {
	x, y := in.Uses[0], in.Uses[1]
	c := z.comparison(y)
	if c == nil && !not {
		x, y = y, x
		c = z.comparison(y)
	}
	if c == nil || x == y {
		return
	}
	z.compare(in, c, x, y, not)
}

// mask handles operations on masks in all lanes.
func (z *fuser) mask(in *vcode.Inst) {
	switch {
	case in.Merging:
	case in.IR == ir.Eq && in.Key.From == ir.I32:
		z.bitMask(in)
	case in.IR == ir.And && in.Key.From == ir.B1:
		z.maskedCompare(in, false)
	case in.IR == ir.Not:
		if c := z.comparison(in.Uses[0]); c != nil {
			z.compare(in, c, 0, in.Uses[0], true)
		}
	}
}

// compare replaces in by the comparison c in the lanes of x. y is the result of c; not inverts it.
func (z *fuser) compare(in, c *vcode.Inst, x, y vcode.Reg, not bool) {
	out := vcode.Inst{Op: vcode.Own, IR: c.IR, Key: c.Key, Value: c.Value, Origin: in.Origin, Part: c.Part, Defs: in.Defs}
	out.Fused, out.Uses = fusedCompare, c.Uses
	out.Key.Aux = 0
	if not {
		out.Key.Aux = 1
	}
	if bits, ok := z.f.Const(x); x != 0 && (!ok || bits&1 == 0) {
		out.Masks = []vcode.Reg{x}
	}
	z.count(&out, 1)
	z.count(in, -1)
	z.reads[y]++
	z.drop(y)
	*in = out
}

// rotate matches x<<n | x>>(32−n).
//
// The two shifts have no common bits, so that or, xor and add are the same:
//
//	t = x << 7
//	u = x >> 25
//	d = t | u     →   vprold d, x, 7
func (z *fuser) rotate(in *vcode.Inst) bool {
	if in.IR != ir.Or && in.IR != ir.Xor && in.IR != ir.Add {
		return false
	}
	a, b := z.foldableDef(in.Uses[0], 1), z.foldableDef(in.Uses[1], 1)
	if a == nil || b == nil || a.Op != vcode.Lane || b.Op != vcode.Lane {
		return false
	}
	if a.IR == ir.LShr {
		a, b = b, a
	}
	if a.IR != ir.Shl || b.IR != ir.LShr || a.Key.Type != ir.I32 || b.Key.Type != ir.I32 || a.Uses[0] != b.Uses[0] {
		return false
	}
	left, ok := z.f.Const(a.Uses[1])
	right, also := z.f.Const(b.Uses[1])
	if !ok || !also || left == 0 || left+right != 32 {
		return false
	}
	z.replace(in, fusedRotate, left, []vcode.Reg{a.Uses[0]}, in.Uses[0], in.Uses[1])
	return true
}

// multiplyAdds reports whether an instruction is u0·u1 + u2 that the machine can negate in part: of f32, rounded to nearest.
func multiplyAdds(in *vcode.Inst) bool {
	return in.Op == vcode.Lane && in.IR == ir.FFma && in.Key.Type == ir.F32 && in.Key.Flags&ir.RTZ == 0
}

// countFactors counts the reads that negMulAdd may fold: not both factors.
func (z *fuser) countFactors(in *vcode.Inst) {
	if !multiplyAdds(in) {
		return
	}
	for i, r := range in.Uses {
		if !slices.Contains(in.Uses[:i], r) {
			z.factorReads[r]++
		}
	}
}

// negated returns the operand of a negation that defines r and has only readers that fold it; 0 if there is none.
func (z *fuser) negated(r vcode.Reg) vcode.Reg {
	n := z.foldableDef(r, z.factorReads[r])
	if n == nil || n.Op != vcode.Lane || n.IR != ir.FNeg {
		return 0
	}
	return n.Uses[0]
}

// negMulAdd matches (−x)·y + z, x·(−y) + z and x·y + (−z). The sign of a NaN cannot be observed before it is made
// canonical. One negation is folded: a second one remains an instruction.
func (z *fuser) negMulAdd(in *vcode.Inst) {
	u := in.Uses
	for i := range 2 {
		if x := z.negated(u[i]); x != 0 {
			z.replace(in, fusedNegMulAdd, 0, []vcode.Reg{x, u[1-i], u[2]}, u[i])
			return
		}
	}
	if x := z.negated(u[2]); x != 0 {
		z.replace(in, fusedMulSub, 0, []vcode.Reg{u[0], u[1], x}, u[2])
	}
}

// fused emits a fused operation.
func (m *machine) fused(in *vcode.Inst) {
	switch in.Fused {
	case fusedRotate:
		d, o := m.dest(in, 0)
		m.RRI(VPROLD, V512, d, 0, m.vec(in.Uses[0], 0), uint8(in.Key.Aux), o)
		m.done(in, d)
	case fusedTernaryLogic:
		m.ternary(in)
	case fusedCompare:
		m.maskedCompare(in)
	case fusedNegMulAdd, fusedMulSub:
		m.set.multiplySubtract(in)
	case fusedBitMask:
		m.bitMask(in)
	case fusedRoundHalf:
		m.set.roundToHalf(in, in.Key.Aux == 1)
	case fusedUnorm8:
		m.unorm8(in)
	case fusedHalfMulAdd:
		m.halfMulAdds([]vcode.Inst{*in})
	}
}

// changed reports whether a register of a list has been written since r.
func (z *fuser) changed(r vcode.Reg, list []vcode.Reg) bool {
	return slices.ContainsFunc(list, func(u vcode.Reg) bool { return z.defBlock[u] == z.block && z.defPos[u] >= z.defPos[r] })
}
