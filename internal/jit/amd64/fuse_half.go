package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// roundHalf matches an f32 that is rounded to f16 and widened again: arithmetic of f16 in f32. Each
// such operation ends with a pair of conversions; the fused form is one vcode instruction, which may
// have a cheaper sequence (roundSmallSum).
func (z *fuser) roundHalf(in *vcode.Inst) {
	n := z.FoldableDef(in.Uses[0], 1)
	if n == nil || n.Op != vcode.Lane || n.IR != ir.FCvt || n.Key.Type != ir.F16 || n.Key.From != ir.F32 {
		return
	}
	if !z.vectors && n.Key.Flags&ir.RTZ != 0 {
		return
	}
	in.Key.Flags = n.Key.Flags
	near := uint64(0)
	if z.smallSum(n.Uses[0]) >= 0 && n.Key.Flags&ir.RTZ == 0 {
		if z.vectors && !in.Merging && z.halfMulAdd(in, n) {
			return
		}
		near = 1
	}
	z.Replace(in, fusedRoundHalf, near, n.Uses, in.Uses[0])
}

// wordHalf matches an f16 that is half of a word and is widened to f32, as unpackHalf2x16 and loads of two f16 have it, and reports whether
// it is one. The conversion selects the half of each word, so nothing need clear or shift the other one.
//
//	w = lshr.i32 x, 16
//	n = trunc.i16 w
//	h = bitcast.f16 n       →     own wordhalf x, 1
//	f = fcvt.f32 h
func (z *fuser) wordHalf(in *vcode.Inst) bool {
	if in.Key.From != ir.F16 {
		return false
	}
	part := func(r vcode.Reg, op ir.Op, t, from ir.Type) *vcode.Inst {
		n := z.FoldableDef(r, 1)
		if n == nil || n.Op != vcode.Lane || n.IR != op || n.Key.Type != t || n.Key.From != from {
			return nil
		}
		return n
	}
	cast := part(in.Uses[0], ir.Bitcast, ir.F16, ir.I16)
	if cast == nil {
		return false
	}
	low := part(cast.Uses[0], ir.Trunc, ir.I16, ir.I32)
	if low == nil {
		return false
	}
	word, high := low.Uses[0], uint64(0)
	if n := part(word, ir.LShr, ir.I32, ir.I32); n != nil && z.Constant(n.Uses[1], 16) {
		word, high = n.Uses[0], 1
	}
	z.Replace(in, fusedWordHalf, high, []vcode.Reg{word}, in.Uses[0])
	return true
}

// smallSum returns the index of the constant operand of r, or −1. r must be the sum of an f16 number
// and a constant that is one too, and so small that the rounded sum is infinite only if the f16 is,
// and never −0. These conditions permit the cheap rounding of roundSmallSum.
func (z *fuser) smallSum(r vcode.Reg) int {
	in := z.Def[r]
	if in == nil || z.DefBlock[r] != z.Block || in.Merging || in.Op != vcode.Lane || in.IR != ir.FAdd && in.IR != ir.FSub || in.Key.Flags&ir.RTZ != 0 {
		return -1
	}
	for i, u := range in.Uses {
		if bits, ok := z.F.Const(u); ok && isSmallAddend(bits) && z.isHalf(in.Uses[1-i]) {
			return i
		}
	}
	return -1
}

// maxSmallAddend is half the distance from the greatest f16, 65504, to the next number of the same
// precision.
const maxSmallAddend = 16

// isSmallAddend reports whether the bits of an f32 are an f16 number other than 0 below
// maxSmallAddend.
func isSmallAddend(bits uint64) bool {
	size := math.Abs(float64(math.Float32frombits(uint32(bits))))
	return isHalf(bits) && 0 < size && size < maxSmallAddend
}

// isHalf reports whether the bits of an f32 are an f16 number.
func isHalf(bits uint64) bool {
	return scalar.FCvt(32, 16, false, scalar.FCvt(16, 32, false, bits)) == bits
}

// isHalf reports whether all values of r are f16 numbers widened to f32.
func (z *fuser) isHalf(r vcode.Reg) bool { return int(r) < len(z.isF16) && z.isF16[r] }

// widensF16 reports whether an instruction converts f16 to f32.
func widensF16(in *vcode.Inst) bool {
	return in.Op == vcode.Lane && in.IR == ir.FCvt && in.Key.From == ir.F16 && in.Key.Type == ir.F32
}

// f16Registers finds the registers that hold only widened f16 numbers in all lanes that are ever read.
// It is an optimistic data flow analysis (Kildall 1973): all registers are candidates at first; then
// it removes those with another definition, and transitively those copied or selected from them.
func f16Registers(f *vcode.Func) []bool {
	is := make([]bool, len(f.Classes))
	for r, c := range f.Classes {
		is[r] = c == vcode.Vec
		if bits, ok := f.Const(vcode.Reg(r)); ok {
			is[r] = is[r] && isHalf(bits)
		} else if f.IsConst(vcode.Reg(r)) {
			is[r] = false
		}
	}
	from := map[vcode.Reg][]vcode.Reg{} // registers defined from a register
	var gone []vcode.Reg
	f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			switch {
			case !is[d], widensF16(in), in.Op == vcode.Undef:
			case in.Op == vcode.Copy || in.Op == vcode.Lane && exactOnHalves(in):
				for _, u := range in.Uses {
					if f.Classes[u] != vcode.Vec {
						continue
					}
					from[u] = append(from[u], d)
					if !is[u] {
						gone = append(gone, d)
					}
				}
			default:
				gone = append(gone, d)
			}
		}
	})
	for len(gone) > 0 {
		r := gone[len(gone)-1]
		if gone = gone[:len(gone)-1]; is[r] {
			is[r] = false
			gone = append(gone, from[r]...)
		}
	}
	return is
}

// exactOnHalves reports whether a lane operation on f16 numbers, as f32, yields one.
func exactOnHalves(in *vcode.Inst) bool {
	return in.Key.Type == ir.F32 && in.IR.Is(ir.Selects) && in.IR != ir.FFlush
}

// halfMulAdd fuses in, which rounds the smallSum of a constant c and of a rounded product a·b, with
// both, if the product has no other reader and b is loop invariant or constant. Its operands: u0 is
// a, u1 and u2 are b·mulAddScale and that times mulAddSplit, u3 is c·2¹³. If the product is
// subtracted from c, the factors of b are negative.
func (z *fuser) halfMulAdd(in, n *vcode.Inst) bool {
	sum := z.FoldableDef(n.Uses[0], 1)
	if sum == nil {
		return false
	}
	i := z.smallSum(n.Uses[0])
	r := z.FoldableDef(sum.Uses[1-i], 1)
	if r == nil || r.Op != vcode.Own || r.Fused != fusedRoundHalf || r.Key.Aux != 0 || r.Key.Flags&ir.RTZ != 0 {
		return false
	}
	product := z.FoldableDef(r.Uses[0], 1)
	if product == nil || product.Op != vcode.Lane || product.IR != ir.FMul || product.Key.Flags&ir.RTZ != 0 {
		return false
	}
	bits, _ := z.F.Const(sum.Uses[i])
	c, scale := math.Float32frombits(uint32(bits))/mulAddUlp, float32(mulAddScale)
	if sum.IR == ir.FSub {
		if i == 0 {
			scale = -scale
		} else {
			c = -c
		}
	}
	for j, b := range product.Uses {
		a := product.Uses[1-j]
		if !z.isHalf(a) {
			continue
		}
		if x, ok := z.factor(b, scale); ok {
			z.Replace(in, fusedHalfMulAdd, 0, []vcode.Reg{a, x.once, x.more, z.constF32(c)}, in.Uses[0])
			return true
		}
	}
	return false
}

// factor holds two multiples of a factor: times scale, and that times mulAddSplit. Neither rounds.
type factor struct {
	scale      float32
	once, more vcode.Reg
}

// factor returns the multiples of b: constants if b is one, else registers that emitFactors defines
// after b, if b is defined outside the innermost loop around this block.
func (z *fuser) factor(b vcode.Reg, scale float32) (factor, bool) {
	if !z.isHalf(b) {
		return factor{}, false
	}
	for _, x := range z.factors[b] {
		if x.scale == scale {
			return x, true
		}
	}
	x := factor{scale: scale}
	if bits, ok := z.F.Const(b); ok {
		v := math.Float32frombits(uint32(bits)) * scale
		x.once, x.more = z.constF32(v), z.constF32(v*mulAddSplit)
	} else {
		if z.Defs[b] != 1 || z.DefBlock[b] == 0 || z.DefBlock[b] > z.loopStart() {
			return factor{}, false
		}
		x.once, x.more = z.newVec(), z.newVec()
		z.Defs[x.once], z.Defs[x.more] = 1, 1
		z.Reads[b] += 2
	}
	if z.factors == nil {
		z.factors = map[vcode.Reg][]factor{}
	}
	z.factors[b] = append(z.factors[b], x)
	return x, true
}

// loopStart returns the number of blocks before the innermost loop around this block, or 0. Blocks
// are in order, so that a loop is the range from its header to its last backward jump, and the stack
// of open ranges has the innermost one on top.
func (z *fuser) loopStart() int32 {
	if z.loopStarts == nil {
		z.loopStarts = make([]int32, len(z.F.Blocks))
		last := make([]int, len(z.F.Blocks)) // 1 + the last block that jumps back to this one
		for b := range z.F.Blocks {
			for i := range z.F.Blocks[b].Insts {
				if in := &z.F.Blocks[b].Insts[i]; in.Op.Jumps() && in.Target <= b {
					last[in.Target] = b + 1
				}
			}
		}
		var open []int // the loops around the current block
		for b := range z.F.Blocks {
			for len(open) > 0 && last[open[len(open)-1]] <= b {
				open = open[:len(open)-1]
			}
			if last[b] > 0 {
				open = append(open, b)
			}
			if len(open) > 0 {
				z.loopStarts[b] = int32(open[len(open)-1])
			}
		}
	}
	return z.loopStarts[z.Block-1]
}

// constF32 returns a register with the constant v.
func (z *fuser) constF32(v float32) vcode.Reg {
	r := z.newVec()
	z.F.SetConst(r, uint64(math.Float32bits(v)))
	return r
}

// newVec returns a new Vec register.
func (z *fuser) newVec() vcode.Reg {
	z.Reads, z.Defs = append(z.Reads, 0), append(z.Defs, 0)
	z.Def, z.DefPos, z.DefBlock = append(z.Def, nil), append(z.DefPos, 0), append(z.DefBlock, 0)
	return z.F.NewReg(vcode.Vec)
}

// emitFactors inserts the multiplications for factors after the definitions of their operands. The
// definitions are outside the innermost loop around the fused operation, so that the loop has no
// multiplication by the constants.
func (z *fuser) emitFactors() {
	if z.factors == nil {
		return
	}
	for b := range z.F.Blocks {
		list := z.F.Blocks[b].Insts
		var out []vcode.Inst // the new list, allocated at the first factor
		for i := range list {
			in := &list[i]
			if out != nil {
				out = append(out, *in)
			}
			if len(in.Defs) != 1 || len(z.factors[in.Defs[0]]) == 0 {
				continue
			}
			if out == nil {
				out = append(make([]vcode.Inst, 0, 2*len(list)), list[:i+1]...)
			}
			for _, x := range z.factors[in.Defs[0]] {
				out = append(out, z.scaled(in, x.once, x.scale), z.scaled(in, x.more, x.scale*mulAddSplit))
			}
		}
		if out != nil {
			z.F.Blocks[b].Insts = out
		}
	}
}

// scaled returns the instruction d = result of in · by.
func (z *fuser) scaled(in *vcode.Inst, d vcode.Reg, by float32) vcode.Inst {
	return vcode.Inst{
		Op: vcode.Lane, IR: ir.FMul, Key: ir.Key{Type: ir.F32, From: ir.F32}, Origin: in.Origin, Part: in.Part,
		Defs: []vcode.Reg{d}, Uses: []vcode.Reg{in.Defs[0], z.constF32(by)},
	}
}
