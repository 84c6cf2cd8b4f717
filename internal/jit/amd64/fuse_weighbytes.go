package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Linear filters of bytes weigh two components at a time, which are 16 bits apart in a word (package texture, bytes.go). A
// multiplication of 32 bits is two micro-operations, so this form is better: the same component of both texels side by side, and
// one multiply-add of 16 bits, which yields the sum as a word by itself.
//
//	lo         a l b l     bytes of a texel
//	hi         A h B h     bytes of the other one
//	pairs      A . a .     component 1: the words (lo & 0xffff | hi << 16) >> 8, in 16 bits
//	weights    p   r       part and rest = 256 − part, 16 bits each
//	vpmaddwd   a·r + A·p   exact: at most 255·256

const (
	evenBytes = 0x00ff00ff
	lowHalf   = 1<<16 - 1
)

// weighing are the operands of fusedWeighBytes: two texels, and their weights, which are rest = 256 − part and a byte.
type weighing struct{ lo, hi, rest, part vcode.Reg }

// fusedWeighing is a fused operation that may get further results in its block.
type fusedWeighing struct {
	in  *vcode.Inst
	pos int32
}

// weighByte matches a component of a weighted sum of texels, and reports whether it was one. All components become results of
// one operation. On the way it notes which registers are bytes, and which are 256 minus a byte.
//
//	x = and.i32 lo, 0x00ff00ff      or of lshr.i32 lo, 8
//	y = and.i32 hi, 0x00ff00ff
//	u = mul.i32 x, rest
//	v = mul.i32 y, part
//	s = add.i32 u, v
//	d = and.i32 s, 0xffff           or lshr.i32 s, 16
func (z *fuser) weighByte(in *vcode.Inst) bool {
	u, sum, high := in.Uses, vcode.Reg(0), uint64(0)
	switch in.IR {
	case ir.Sub:
		if d := in.Defs[0]; z.Constant(u[0], 256) && z.bytes[u[1]] && z.Defs[d] == 1 {
			z.rests[d] = u[1]
		}
		return false
	case ir.LShr:
		if !z.Constant(u[1], 16) {
			return false
		}
		sum, high = u[0], 1
	case ir.And:
		if _, ok := z.withConstant(u[0], u[1], 0xff); ok && z.Defs[in.Defs[0]] == 1 {
			z.bytes[in.Defs[0]] = true
		}
		x, ok := z.withConstant(u[0], u[1], lowHalf)
		if !ok {
			return false
		}
		sum = x
	default:
		return false
	}
	if len(z.rests) == 0 || z.Defs[in.Defs[0]] != 1 {
		return false
	}
	of, odd, ok := z.weightedSum(sum)
	if ok {
		z.addWeighing(in, of, 2*high+odd, sum)
	}
	return ok
}

// operation returns the definition of r if it is this operation of words and its operands are unchanged.
func (z *fuser) operation(r vcode.Reg, op ir.Op) *vcode.Inst {
	const anyReads = 1 << 30
	in := z.FoldableDef(r, anyReads)
	if in == nil || in.Op != vcode.Lane || in.IR != op || in.Key.Type != ir.I32 {
		return nil
	}
	return in
}

// weightedSum matches a sum of two products. Its weights are rest and part of one byte, so that no product reaches the other
// component: 255·(256 − p) + 255·p is less than 65536.
//
// The order of the products and of their factors does not matter. odd is 1 if it is of the bytes 1 and 3 of the texels, 0 of the bytes 0 and 2.
func (z *fuser) weightedSum(r vcode.Reg) (of weighing, odd uint64, ok bool) {
	sum := z.operation(r, ir.Add)
	if sum == nil {
		return weighing{}, 0, false
	}
	var odds [2]uint64
	for _, product := range sum.Uses {
		mul := z.operation(product, ir.Mul)
		if mul == nil {
			return weighing{}, 0, false
		}
		for i, w := range mul.Uses {
			word, o, ok := z.texelBytes(mul.Uses[1-i])
			switch {
			case !ok:
			case z.rests[w] != 0:
				of.lo, of.rest, odds[0] = word, w, o
			case z.bytes[w]:
				of.hi, of.part, odds[1] = word, w, o
			}
		}
	}
	return of, odds[0], of.lo != 0 && of.hi != 0 && odds[0] == odds[1] && z.rests[of.rest] == of.part
}

// texelBytes matches the bytes 0 and 2 of a word, or 1 and 3.
func (z *fuser) texelBytes(r vcode.Reg) (word vcode.Reg, odd uint64, ok bool) {
	in := z.operation(r, ir.And)
	if in == nil {
		return 0, 0, false
	}
	if word, ok = z.withConstant(in.Uses[0], in.Uses[1], evenBytes); !ok {
		return 0, 0, false
	}
	if shift := z.operation(word, ir.LShr); shift != nil && z.Constant(shift.Uses[1], 8) {
		return shift.Uses[0], 1, true
	}
	return word, 0, true
}

// addWeighing makes in the fused operation, or adds its result to the one with the same operands. Aux has two bits for each result:
// the byte.
//
// The result then moves up to the first one. That is valid if the operands have the same values there, which writtenSince tells.
func (z *fuser) addWeighing(in *vcode.Inst, of weighing, number uint64, sum vcode.Reg) {
	uses := []vcode.Reg{of.lo, of.hi, of.rest, of.part}
	first, ok := z.weighings[of]
	if !ok || z.writtenSince(first.pos, uses) {
		z.Replace(in, fusedWeighBytes, number, uses, sum)
		z.weighings[of] = fusedWeighing{in, z.Pos}
		z.weighed[of.rest]++
		return
	}
	d := in.Defs[0]
	first.in.Key.Aux |= number << (2 * len(first.in.Defs))
	first.in.Defs = append(first.in.Defs[:len(first.in.Defs):len(first.in.Defs)], d)
	z.Def[d], z.DefPos[d], z.DefBlock[d] = first.in, first.pos, z.Block
	z.Count(in, -1)
	z.Reads[sum]++
	*in = vcode.Inst{}
	z.Drop(sum)
}

// packWeights makes both weights of filters one register, where no other instruction reads rest: its definition computes them.
//
//	rest = sub.i32 256, part                 →     w = own byteweights part
//	d… = own weighbytes lo, hi, rest, part         d… = own weighbytes lo, hi, w
func (z *fuser) packWeights() {
	if len(z.weighed) == 0 {
		return
	}
	packed := func(rest vcode.Reg) bool { return z.weighed[rest] > 0 && z.weighed[rest] == z.Reads[rest] }
	z.F.Each(func(in *vcode.Inst) {
		switch {
		case in.Op == vcode.Own && in.Fused == fusedWeighBytes:
			if packed(in.Uses[2]) {
				in.Uses = in.Uses[:3]
			}
		case in.Op == vcode.Lane && in.IR == ir.Sub && packed(in.Defs[0]):
			in.Op, in.Fused, in.Uses, in.Masks = vcode.Own, fusedByteWeights, in.Uses[1:], nil
		}
	})
}

// writtenSince reports whether a register of a list has been written in this block at a position or later.
func (z *fuser) writtenSince(pos int32, list []vcode.Reg) bool {
	for _, r := range list {
		if z.DefBlock[r] == z.Block && z.DefPos[r] >= pos {
			return true
		}
	}
	return false
}

// weighBytes emits fusedWeighBytes. All operands are read before the first result is written, since a result may have the register of
// an operand.
//
//	low       hi.g hi.r lo.g lo.r      bytes of a lane, the highest first
//	high      hi.a hi.b lo.a lo.b
//	even      …    r    …    r         the low byte of each 16 bits; odd components are the high one
func (m ymm) weighBytes(in *vcode.Inst) {
	const weights, low, high, lowWords = 1, 2, 3, 0xaa
	lo, hi := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 4)
	m.rri(AVX_VPSLLD, low, 0, hi, 16)
	m.rri(AVX_VPBLENDW, low, lo, low, lowWords)
	m.rri(AVX_VPSRLD, high, 0, lo, 16)
	m.rri(AVX_VPBLENDW, high, high, hi, lowWords)
	if len(in.Uses) == 3 {
		m.loadVec(weights, in.Uses[2]) // a copy: a result may take its register
	} else {
		m.rri(AVX_VPSLLD, weights, 0, m.vec(in.Uses[3], 0), 16)
		m.with(AVX_VPOR, weights, weights, in.Uses[2])
	}
	for i := range in.Defs {
		one := *in
		one.Defs = in.Defs[i : i+1]
		number := in.Key.Aux >> (2 * i) & 3
		from := [2]Reg{low, high}[number/2]
		if number%2 == 0 {
			m.word(AVX_VPAND, 0, from, evenBytes)
		} else {
			m.rri(AVX_VPSRLW, 0, 0, from, 8)
		}
		d := m.dest(&one, 0)
		m.rr(AVX_VPMADDWD, d, 0, weights)
		m.done(&one, d)
	}
}

// weighBytes is ymm.weighBytes. A ternary operation takes the place of a blend of 16-bit words: x | y & mask.
func (z zmm) weighBytes(in *vcode.Inst) {
	const weights, low, high, orMasked = 1, 2, 3, 0xf8
	lo, hi := z.vec(in.Uses[0], 0), z.vec(in.Uses[1], 4)
	z.RRI(VPSLLD, V512, low, 0, hi, 16, 0)
	z.RMI(VPTERNLOGD, V512, low, lo, z.word32(lowHalf), orMasked, BC)
	z.RRI(VPSRLD, V512, high, 0, lo, 16, 0)
	z.RMI(VPTERNLOGD, V512, high, hi, z.word32(lowHalf<<16), orMasked, BC)
	if len(in.Uses) == 3 {
		z.loadVec(weights, in.Uses[2]) // a copy, as there
	} else {
		z.RRI(VPSLLD, V512, weights, 0, z.vec(in.Uses[3], 0), 16, 0)
		z.with(VPORD, weights, weights, in.Uses[2], 0)
	}
	for i := range in.Defs {
		one := *in
		one.Defs = in.Defs[i : i+1]
		number := in.Key.Aux >> (2 * i) & 3
		from := [2]Reg{low, high}[number/2]
		if number%2 == 0 {
			z.RM(VPANDD, V512, 0, from, z.word32(evenBytes), BC)
		} else {
			z.RRI(VPSRLW, V512, 0, 0, from, 8, 0)
		}
		z.RR(VPMADDWD, V512, 0, 0, weights, 0)
		z.define(&one, 0)
	}
}

// byteWeights emits fusedByteWeights: 65536·p − p + 256. The difference does not borrow from the upper half, since the sum with 256 is
// positive in the lower one.
func (m ymm) byteWeights(in *vcode.Inst) {
	part := m.vec(in.Uses[0], 0)
	m.rri(AVX_VPSLLD, 1, 0, part, 16)
	m.rr(AVX_VPSUBD, 1, 1, part)
	d := m.dest(in, 0)
	m.word(AVX_VPADDD, d, 1, 256)
	m.done(in, d)
}

// byteWeights is ymm.byteWeights.
func (z zmm) byteWeights(in *vcode.Inst) {
	part := z.vec(in.Uses[0], 0)
	z.RRI(VPSLLD, V512, 1, 0, part, 16, 0)
	z.RR(VPSUBD, V512, 1, 1, part, 0)
	z.RM(VPADDD, V512, 0, 1, z.word32(256), BC)
	z.define(in, 0)
}
