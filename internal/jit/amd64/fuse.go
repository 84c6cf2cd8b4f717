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
	fusedNegateIf            // u1, an f32, negated in the lanes of u0; if Aux is 1, in the other lanes (AVX2)
	fusedWeighBytes          // d0, d1, … = byte Aux & 3, Aux >> 2 & 3, … of u0 times u2 plus that of u1 times u3: weighByte; without u3, u2 are both weights
	fusedByteWeights         // 256 − u0, a byte, and 65536·u0: both weights
	fusedSignOfBit           // bit 31 − Aux of u0 as a mask of which only the signs are read (AVX2)
	fusedWordHalf            // the f16 in the low half of u0, a word, widened to f32; if Aux is 1, that in the high half
)

// fuse is a peephole pass on vcode: it combines several operations into one of the machine if the
// intermediate results have no other reader. It finds rotates, bitwise logic of up to three operands,
// comparisons under a mask, multiply-add with a negated factor or summand, bytes divided by 255, rounding to f16, and the
// halves of words as f16, and weighted bytes. AVX2 gets only multiply-add, f16, weighted bytes, negations of some lanes, signs of masks, inverted comparisons, and
// fused compare-and-branch of general registers.
//
//	and t, a, b
//	or  d, t, c     →   ternary d = (a & b) | c     VPTERNLOGD, truth table 0xea
//
// LLVM does the same on its selection DAG, by patterns; a linear scan suffices here, because vcode is
// short and its blocks are in order.
func fuse(f *vcode.Func, level target.Level) {
	z := &fuser{Peephole: codegen.NewPeephole(f), vectors: level == target.AVX512, logic: map[vcode.Reg]logic{}, bytes: map[vcode.Reg]bool{}, rests: map[vcode.Reg]vcode.Reg{}, weighings: map[weighing]fusedWeighing{}, weighed: map[vcode.Reg]int32{}}
	defer z.Release()
	z.factorReads = z.Numbers(len(f.Classes))
	wide := false
	f.Each(func(in *vcode.Inst) {
		z.countFactors(in)
		wide = wide || widensF16(in)
	})
	if wide {
		z.isF16 = f16Registers(f)
	}
	z.indexAddresses()
	if !z.vectors {
		z.invertComparisons()
	}
	z.Walk(func() { clear(z.logic); clear(z.weighings) }, z.inst)
	z.packWeights()
	z.emitFactors()
}

// fuser is a pass over one function.
type fuser struct {
	codegen.Peephole
	vectors     bool    // false for AVX2: only scalar patterns, multiply-add, roundHalf and weighByte
	factorReads []int32 // number of reads as factors or summands, before any fusion: folds

	logic map[vcode.Reg]logic // bitwise functions that registers of the current block hold

	isF16      []bool                     // by register that existed before: all its values are f16 numbers; nil if there is none
	loopStarts []int32                    // by block: the header of the innermost loop around it, 0 if there is none
	bytes      map[vcode.Reg]bool         // registers that are bytes
	rests      map[vcode.Reg]vcode.Reg    // registers that are 256 − a byte, and that byte
	weighings  map[weighing]fusedWeighing // of the current block
	weighed    map[vcode.Reg]int32        // by register of rests: the fused operations that read it

	factors map[vcode.Reg][]factor // precomputed multiples of factors of halfMulAdd
}

func (z *fuser) inst(in *vcode.Inst) {
	switch {
	case in.Op == vcode.JumpIfZero:
		z.Branch(in)
	case in.Op == vcode.Lane && in.Key.Type == ir.F32 && in.IR == ir.FCvt:
		if !z.wordHalf(in) {
			z.roundHalf(in)
		}
	case multiplyAdds(in):
		if !z.vectors || !z.unorm8(in) {
			z.negMulAdd(in)
		}
	case in.Op == vcode.Lane && in.Key.Type == ir.I32 && !in.Merging && z.weighByte(in):
	case !z.vectors:
		z.choice(in)
	case in.Op == vcode.And || in.Op == vcode.AndNot:
		z.maskedCompare(in, in.Op == vcode.AndNot)
	case in.Op != vcode.Lane:
	case in.Key.Type == ir.B1:
		z.mask(in)
	case in.Key.Type == ir.I32 && !z.Rotate(in, fusedRotate):
		z.bitwise(in)
	}
}

// choice finds choices that need only the signs of their masks, and among them one between a number and its negation. The mask has the sign bit of the lanes to negate, so that an AND and an XOR replace
// the negation and a blend, which is several operations of the processor.
func (z *fuser) choice(in *vcode.Inst) {
	if in.Op != vcode.Lane || in.IR != ir.Select || in.Key.Type != ir.F32 && in.Key.Type != ir.I32 {
		return
	}
	c, x, y := in.Uses[0], in.Uses[1], in.Uses[2]
	switch {
	case z.Constant(x, 0) || z.Constant(y, 0): // the mask itself is an operand of VPAND
		return
	case in.Key.Type == ir.I32:
	case z.isNegation(x, y):
		z.Replace(in, fusedNegateIf, 0, []vcode.Reg{c, y}, x)
	case z.isNegation(y, x):
		z.Replace(in, fusedNegateIf, 1, []vcode.Reg{c, x}, y)
	}
	z.readsSigns(in)
}

// isNegation reports whether the only use of x, the negation of y, is the current instruction.
func (z *fuser) isNegation(x, y vcode.Reg) bool {
	n := z.FoldableDef(x, 1)
	return n != nil && n.Op == vcode.Lane && n.IR == ir.FNeg && n.Key.Type == ir.F32 && n.Uses[0] == y
}

// comparison returns the vector comparison that defines a mask, or nil. Two reads are permitted,
// since a repeated comparison is as cheap as the mask operation that it replaces.
func (z *fuser) comparison(r vcode.Reg) *vcode.Inst {
	in := z.FoldableDef(r, 2)
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
	if bits, ok := z.F.Const(x); x != 0 && (!ok || bits&1 == 0) {
		out.Masks = []vcode.Reg{x}
	}
	z.Count(&out, 1)
	z.Count(in, -1)
	z.Reads[y]++
	z.Drop(y)
	*in = out
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
	n := z.FoldableDef(r, z.factorReads[r])
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
			z.Replace(in, fusedNegMulAdd, 0, []vcode.Reg{x, u[1-i], u[2]}, u[i])
			return
		}
	}
	if x := z.negated(u[2]); x != 0 {
		z.Replace(in, fusedMulSub, 0, []vcode.Reg{u[0], u[1], x}, u[2])
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
	case fusedNegateIf:
		m.set.(ymm).negateIf(in)
	case fusedSignOfBit:
		m.set.(ymm).signOfBit(in)
	case fusedWeighBytes:
		m.set.weighBytes(in)
	case fusedByteWeights:
		m.set.byteWeights(in)
	case fusedWordHalf:
		m.set.widenHalf(in, in.Key.Aux == 1)
	}
}
