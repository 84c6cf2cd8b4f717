package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Operations that this machine has and vcode has not: values of Inst.Fused.
const (
	fusedNegMulAdd  = iota // u0 − u1·u2 of f32, rounded once (FMLS)
	fusedMulAdd            // u0 + u1·u2 of i32 (MLA)
	fusedMulSub            // u0 − u1·u2 of i32 (MLS)
	fusedAndNot            // u0 & ^u1 (BIC)
	fusedOrNot             // u0 | ^u1 (ORN)
	fusedRotate            // u0 rotated left by Aux
	fusedLoadHalfs         // 16 bits of each lane: u0 to u3 are a strided access (vcode.StridedLoad)
	fusedStoreHalfs        // 16 bits of each lane of u4
)

// fuser is a peephole pass over one function. An operation whose instruction overwrites an operand has that one first.
type fuser struct {
	codegen.Peephole
	factorReads []int32 // number of reads as factors, before any fusion: negMulAdd may fold these
}

// fuse combines operations of vcode into one instruction if the intermediate results have no other reader.
func fuse(f *vcode.Func) {
	z := &fuser{Peephole: codegen.NewPeephole(f)}
	defer z.Release()
	z.factorReads = z.Numbers(len(f.Classes))
	f.Each(func(in *vcode.Inst) {
		if multiplyAdds(in) && in.Uses[0] != in.Uses[1] {
			z.factorReads[in.Uses[0]]++
			z.factorReads[in.Uses[1]]++
		}
	})
	z.Walk(func() {}, z.inst)
}

func (z *fuser) inst(in *vcode.Inst) {
	switch {
	case in.Op == vcode.JumpIfZero:
		z.Branch(in)
	case in.Op != vcode.Lane:
	case in.Stride != 0:
		z.halfs(in)
	case multiplyAdds(in):
		z.negMulAdd(in)
	case in.IR == ir.Not && in.Key.Type == ir.B1:
		z.invert(in)
	case in.IR == ir.Select:
		z.swapSelect(in)
	case in.Key.Type == ir.B1 && in.Key.From == ir.B1:
		z.withNot(in)
	case in.Key.Type != ir.I32 || in.Key.From != ir.I32 || z.Rotate(in, fusedRotate):
	case in.IR == ir.And || in.IR == ir.Or:
		z.withNot(in)
	case in.IR == ir.Add || in.IR == ir.Sub:
		z.mulAdd(in)
	}
}

// halfs removes the offsets of each lane from a strided access of 16 bits: its slow path computes them.
func (z *fuser) halfs(in *vcode.Inst) {
	n, fused := 2, uint8(fusedLoadHalfs)
	if in.IR == ir.St {
		n, fused = 3, fusedStoreHalfs
	}
	step := in.Step * in.Stride
	if len(in.Uses) != n+4 || in.Key.Type.Bits() != 16 || step != 2 && (in.IR == ir.St || step != 4) {
		return
	}
	uses := append([]vcode.Reg{}, in.Uses[n:]...)
	if in.IR == ir.St {
		uses = append(uses, in.Uses[2])
	}
	gone := in.Uses[:2:2]
	for _, r := range uses {
		z.Reads[r]++
	}
	old := in.Uses
	in.Op, in.Fused, in.Uses = vcode.Own, fused, uses
	for i, r := range old {
		if i < len(gone) {
			z.Drop(r)
		} else {
			z.Reads[r]--
		}
	}
}

// multiplyAdds reports whether an instruction is u0·u1 + u2 of f32, rounded to nearest.
func multiplyAdds(in *vcode.Inst) bool {
	return in.Op == vcode.Lane && in.IR == ir.FFma && in.Key.Type == ir.F32 && in.Key.Flags&ir.RTZ == 0
}

// negMulAdd matches (−x)·y + z. The sign of a NaN cannot be observed before it is made canonical.
func (z *fuser) negMulAdd(in *vcode.Inst) {
	u := in.Uses
	for i := range 2 {
		n := z.FoldableDef(u[i], z.factorReads[u[i]])
		if n == nil || n.Op != vcode.Lane || n.IR != ir.FNeg || n.Key.Type != ir.F32 {
			continue
		}
		z.Replace(in, fusedNegMulAdd, 0, []vcode.Reg{u[2], n.Uses[0], u[1-i]}, u[i])
		return
	}
}

// mulAdd matches x·y + z and z − x·y of integers.
func (z *fuser) mulAdd(in *vcode.Inst) {
	u := in.Uses
	for i := range 2 {
		m := z.FoldableDef(u[i], 1)
		if m == nil || m.Op != vcode.Lane || m.IR != ir.Mul || m.Key.Type != ir.I32 {
			continue
		}
		if in.IR == ir.Add {
			z.Replace(in, fusedMulAdd, 0, []vcode.Reg{u[1-i], m.Uses[0], m.Uses[1]}, u[i])
			return
		}
		if i == 1 {
			z.Replace(in, fusedMulSub, 0, []vcode.Reg{u[0], m.Uses[0], m.Uses[1]}, u[1])
			return
		}
	}
}

// withNot matches x & ^y and x | ^y, of words and of masks.
func (z *fuser) withNot(in *vcode.Inst) {
	fused := uint8(fusedAndNot)
	switch in.IR {
	case ir.And:
	case ir.Or:
		fused = fusedOrNot
	default:
		return
	}
	for i, r := range in.Uses {
		if n := z.not(r); n != 0 {
			z.Replace(in, fused, 0, []vcode.Reg{in.Uses[1-i], n}, r)
			return
		}
	}
}

// not returns the operand of a negation of bits that defines r and has no other reader; 0 if there is none.
func (z *fuser) not(r vcode.Reg) vcode.Reg {
	n := z.FoldableDef(r, 1)
	if n == nil || n.Op != vcode.Lane || n.IR != ir.Not {
		return 0
	}
	return n.Uses[0]
}

// invert turns a negated comparison of integers into a plain one: not (x < y) is y ≤ x. Floats have NaN.
func (z *fuser) invert(in *vcode.Inst) {
	r := in.Uses[0]
	c := z.FoldableDef(r, 1)
	if c == nil || c.Op != vcode.Lane || c.Key.From != ir.I32 {
		return
	}
	op, ok := c.IR.NotLess()
	if !ok {
		return
	}
	in.IR, in.Key, in.Uses = op, c.Key, []vcode.Reg{c.Uses[1], c.Uses[0]}
	for _, u := range in.Uses {
		z.Reads[u]++
	}
	z.Drop(r)
}

// swapSelect turns a selection by a negated mask into one by the mask.
func (z *fuser) swapSelect(in *vcode.Inst) {
	r := in.Uses[0]
	k := z.not(r)
	if k == 0 {
		return
	}
	in.Uses = []vcode.Reg{k, in.Uses[2], in.Uses[1]}
	z.Reads[k]++
	z.Drop(r)
}

// overwritten returns the operands in whose registers a result should not be: those of an instruction that overwrites another operand, or
// of several instructions of which the first writes the result.
func overwritten(in *vcode.Inst) []vcode.Reg {
	switch {
	case in.Op == vcode.Own && in.Fused <= fusedMulSub:
		return in.Uses[1:]
	case in.Op == vcode.Own && in.Fused == fusedRotate:
		return in.Uses
	case in.Op != vcode.Lane:
	case in.IR == ir.FFma:
		return in.Uses[:2]
	case in.IR == ir.FMin, in.IR == ir.FMax, in.IR == ir.FCanon:
		return in.Uses
	}
	return nil
}

// fused emits a fused operation.
func (m *machine) fused(in *vcode.Inst) {
	switch in.Fused {
	case fusedNegMulAdd:
		m.accumulate(in, VFMLS, in.Uses[0], in.Uses[1:])
	case fusedMulAdd:
		m.accumulate(in, VMLA, in.Uses[0], in.Uses[1:])
	case fusedMulSub:
		m.accumulate(in, VMLS, in.Uses[0], in.Uses[1:])
	case fusedAndNot:
		binaryOp(VBIC, B16)(m, in)
	case fusedOrNot:
		binaryOp(VORN, B16)(m, in)
	case fusedRotate:
		m.rotate(in)
	case fusedLoadHalfs:
		m.loadHalfs(in)
	case fusedStoreHalfs:
		m.storeHalfs(in)
	}
}

// accumulate emits an instruction that adds to its destination, which gets the addend first.
func (m *machine) accumulate(in *vcode.Inst, op Op, addend vcode.Reg, factors []vcode.Reg) {
	x, y := m.vec(factors[0], 0), m.vec(factors[1], 1)
	d := m.dest(in, 2)
	if d == x || d == y {
		d = 2
	}
	m.loadVec(d, addend)
	m.s4(op, d, x, y)
	m.done(in, d)
}

// rotate is a shift to the left, and one to the right that inserts. A rotation by 16 exchanges the halves.
func (m *machine) rotate(in *vcode.Inst) {
	x, n := m.vec(in.Uses[0], 0), int64(in.Key.Aux)
	if n == 16 {
		d := m.dest(in, 0)
		m.V2(VREV32, H8, d, x)
		m.done(in, d)
		return
	}
	d := m.dest(in, 2)
	if d == x {
		d = 2
	}
	m.VI(VSHL, S4, d, x, n)
	m.VI(VSRI, S4, d, x, 32-n)
	m.done(in, d)
}
