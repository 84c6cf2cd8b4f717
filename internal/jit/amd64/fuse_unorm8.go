package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// A byte n divided by 255 is 0.nnnn… to the base 256. The 32-bit word nnnn, which a byte shuffle
// produces from a byte at any position, is 2³²·n/255 truncated. It has more digits than an f32: the
// omitted ones begin with the leading digits of n, so that together with the truncated tail they are
// at least half a unit in the last place and never exactly half. So the quotient is the word converted
// to f32, rounded up, times 2⁻³², and that product is exact.
//
// Example: n = 128 is the word 0x80808080 = 2155905152, and 128/255 = 0.50196081…

// The factors of the quotient as package vectorize and shaders write it: n·byteHigh + n·byteLow, with
// the second product rounded, and the sum rounded once more.
var (
	byteHigh = math.Float32bits(1.0 / 255)
	byteLow  = math.Float32bits(float32(1.0/255 - float64(float32(1.0/255))))
)

// unorm8 matches the quotient of a byte of a word by 255. The product with the low part is the
// addend of a fused multiply-add, so that the whole is one FFma with an FMul as its operand.
// Rounding toward zero would yield another result.
func (z *fuser) unorm8(in *vcode.Inst) bool {
	if in.Key.Flags&ir.RTZ != 0 {
		return false
	}
	product := z.FoldableDef(in.Uses[2], 1)
	if product == nil || product.Op != vcode.Lane || product.IR != ir.FMul || product.Key.Flags&ir.RTZ != 0 {
		return false
	}
	n, ok := z.withConstant(in.Uses[0], in.Uses[1], byteHigh)
	m, also := z.withConstant(product.Uses[0], product.Uses[1], byteLow)
	if !ok || !also || n != m {
		return false
	}
	from := z.FoldableDef(n, 2)
	if from == nil || from.Op != vcode.Lane || from.IR != ir.UToF && from.IR != ir.SToF || from.Key.From != ir.I32 || from.Key.Flags&ir.RTZ != 0 {
		return false
	}
	word, place, ok := z.byteOf(from.Uses[0])
	if !ok {
		return false
	}
	z.Replace(in, fusedUnorm8, uint64(place), []vcode.Reg{word}, n, in.Uses[2])
	return true
}

// withConstant returns the other factor if one of two registers is the constant bits.
func (z *fuser) withConstant(a, b vcode.Reg, bits uint32) (vcode.Reg, bool) {
	if k, ok := z.F.Const(b); ok && uint32(k) == bits {
		return a, true
	}
	k, ok := z.F.Const(a)
	return b, ok && uint32(k) == bits
}

// byteOf matches the extraction of a byte: it returns the word, and the byte's number from the least
// significant one. The three forms are w >> 24, a bit field of eight bits, and w >> n & 0xff.
func (z *fuser) byteOf(r vcode.Reg) (word vcode.Reg, place int, ok bool) {
	in := z.FoldableDef(r, 1)
	if in == nil || in.Op != vcode.Lane || in.Key.Type != ir.I32 {
		return 0, 0, false
	}
	constant := func(i int) (uint64, bool) { return z.F.Const(in.Uses[i]) }
	switch in.IR {
	case ir.LShr:
		n, ok := constant(1)
		return in.Uses[0], 3, ok && n&31 == 24
	case ir.BitFieldU:
		first, known := constant(1)
		count, also := constant(2)
		return in.Uses[0], int(first / 8 & 3), known && also && count == 8 && first%8 == 0 && first <= 24
	case ir.And:
		x, ok := z.withConstant(in.Uses[0], in.Uses[1], 0xff)
		if !ok {
			return 0, 0, false
		}
		if s := z.FoldableDef(x, 1); s != nil && s.Op == vcode.Lane && s.IR == ir.LShr && s.Key.Type == ir.I32 {
			if n, ok := z.F.Const(s.Uses[1]); ok && n&31%8 == 0 {
				return s.Uses[0], int(n & 31 / 8), true
			}
		}
		return x, 0, true
	}
	return 0, 0, false
}

// unorm8 emits fusedUnorm8.
func (m *machine) unorm8(in *vcode.Inst) {
	var indexes [16]uint32
	for i := range indexes {
		indexes[i] = (4*uint32(i%4) + uint32(in.Key.Aux)) * 0x01010101
	}
	x := m.vec(in.Uses[0], 0)
	d, o := m.dest(in, 0)
	m.RM(VPSHUFB, V512, 0, x, m.vector(indexes), 0)
	m.RR(VCVTUDQ2PS, V512, 0, 0, 0, RU)
	m.RM(VMULPS, V512, d, 0, m.word32(math.Float32bits(1.0/(1<<32))), o|BC)
	m.done(in, d)
}
