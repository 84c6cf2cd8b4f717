package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// integers are the rules of 32-bit integer operations with several instructions.
func integers() map[codegen.Rule]emitter {
	const t = ir.I32
	return map[codegen.Rule]emitter{
		{ir.UMulHi, t, t}:     highProduct(VUMULL),
		{ir.SMulHi, t, t}:     highProduct(VSMULL),
		{ir.AddCarry, t, t}:   carry,
		{ir.SubBorrow, t, t}:  borrow,
		{ir.BitCount, t, t}:   unaryFunc((*machine).countBits),
		{ir.BitReverse, t, t}: unaryFunc((*machine).reverseBits),
		{ir.Dot4, t, t}:       dotBytes,
		{ir.FindLsb, t, t}:    unaryFunc((*machine).lowest),
		{ir.FindUMsb, t, t}:   unaryFunc((*machine).highest),
		{ir.FindSMsb, t, t}:   unaryFunc((*machine).highestSigned),
	}
}

// unaryFunc is d = do(u0). do writes d last, which may be the register of x.
func unaryFunc(do func(m *machine, d, x Reg)) emitter {
	return func(m *machine, in *vcode.Inst) {
		x := m.vec(in.Uses[0], 0)
		d := m.dest(in, 0)
		do(m, d, x)
		m.done(in, d)
	}
}

// highProduct is the high half of 32-bit products: the odd words of the 64-bit products of the lower and of the upper lanes.
func highProduct(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		m.V(op, S2, 2, x, y)
		m.V(op, S4, 3, x, y)
		d := m.dest(in, 0)
		m.s4(VUZP2, d, 2, 3)
		m.done(in, d)
	}
}

// carry is 1 if the sum is less than an operand.
func carry(m *machine, in *vcode.Inst) {
	x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	m.s4(VADD, 1, x, y)
	m.s4(VCMHI, 1, x, 1)
	d := m.dest(in, 0)
	m.VI(VUSHR, S4, d, 1, 31)
	m.done(in, d)
}

// borrow is 1 if u0 < u1.
func borrow(m *machine, in *vcode.Inst) {
	x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	m.s4(VCMHI, 1, y, x)
	d := m.dest(in, 0)
	m.VI(VUSHR, S4, d, 1, 31)
	m.done(in, d)
}

// countBits counts in bytes, and sums four bytes in the top byte of a multiplication.
func (m *machine) countBits(d, x Reg) {
	m.V2(VCNT, B16, 1, x)
	m.fill(2, 0x01010101)
	m.s4(VMUL, 1, 1, 2)
	m.VI(VUSHR, S4, d, 1, 24)
}

// reverseBits reverses the bits of each byte, and the bytes of each word.
func (m *machine) reverseBits(d, x Reg) {
	m.V2(VRBIT, B16, 1, x)
	m.V2(VREV32, B16, d, 1)
}

// lowest is the number of the lowest bit that is set: the leading zeros of the reversed word; −1 for 0.
func (m *machine) lowest(d, x Reg) {
	m.s4(VCMTST, 2, x, x)
	m.reverseBits(1, x)
	m.V2(VCLZ, S4, 1, 1)
	m.bits(VORN, d, 1, 2)
}

// highest is the number of the highest bit that is set, 31 less the leading zeros; −1 for 0, which has 32.
func (m *machine) highest(d, x Reg) {
	m.V2(VCLZ, S4, 1, x)
	m.fill(2, 31)
	m.s4(VSUB, d, 2, 1)
}

// highestSigned is the number of the highest bit that differs from the sign, 30 less the bits after the sign that equal it; −1 for 0 and
// −1, which have 31.
func (m *machine) highestSigned(d, x Reg) {
	m.V2(VCLS, S4, 1, x)
	m.fill(2, 30)
	m.s4(VSUB, d, 2, 1)
}

// canonical makes a NaN of x canonical, in d. It clobbers V3 and V4.
func (m *machine) canonical(t Arr, d, x Reg) {
	m.nan(t, 4)
	if d != x {
		m.V(VFCMEQ, t, d, x, x)
		m.bits(VBSL, d, x, 4)
		return
	}
	m.V(VFCMEQ, t, 3, x, x)
	m.bits(VBIF, d, 4, 3)
}

// nan sets v to the canonical NaN in all lanes.
func (m *machine) nan(t Arr, v Reg) {
	if t == D2 {
		m.literal(v, [4]uint32{1: nanHigh64, 3: nanHigh64})
		return
	}
	m.fill(v, nan32)
}

// The canonical NaN of 32 bits, and the high word of the one of 64.
const (
	nan32     = 0x7fc00000
	nanHigh64 = 0x7ff80000
)

// dotBytes is the sum of the products of an unsigned byte of u0 and a signed byte of u1, plus u2. A product fits in 16 bits; the pairwise
// sums of eight make four words with two products each.
func dotBytes(m *machine, in *vcode.Inst) {
	x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	for i, half := range [...]Arr{B8, B16} {
		d := 2 + Reg(i)
		m.V2(VUXTL, half, d, x)
		m.V2(VSXTL, half, 4, y)
		m.V(VMUL, H8, d, d, 4)
		m.V2(VSADDLP, H4, d, d)
	}
	m.s4(VADDP, 2, 2, 3)
	m.s4(VADD, 2, 2, m.vec(in.Uses[2], 0))
	m.done(in, 2)
}
