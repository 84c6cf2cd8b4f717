package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// carrylessMad emits clmad: the low or the high half of the carry-less product of a and b, xor c (PTX ISA, clmad). Bits 64 to 127 of a product
// are bits 0 to 62 of the product of the reversed numbers, reversed and shifted by one.
func (e *emitter) carrylessMad() {
	if e.typ(0) != ".u64" || e.in.Has(".lo") == e.in.Has(".hi") {
		malformed(e.in.Pos, "%s has another type than .u64, or not one of .lo and .hi; must have them", e.in.Name())
	}
	x := e.args(3, ir.I64)
	reversed := func(v ir.V) ir.V { return e.b.Op(ir.BitReverse, ir.I64, v) }
	var v ir.V
	if e.in.Has(".lo") {
		v = e.carrylessLow(x[0], x[1])
	} else {
		v = e.b.Op(ir.LShr, ir.I64, reversed(e.carrylessLow(reversed(x[0]), reversed(x[1]))), e.b.Const(ir.I64, 1))
	}
	e.result(e.b.Op(ir.Xor, ir.I64, v, x[2]))
}

// carrylessLow returns the low 64 bits of a carry-less product. A product of numbers with every fourth bit only has sums of at most 15 bits
// in each place below the highest one, so that no carry reaches the next place that counts (Pornin, BearSSL, ghash_ctmul64).
func (e *emitter) carrylessLow(a, b ir.V) ir.V {
	op := func(o ir.Op, x, y ir.V) ir.V { return e.b.Op(o, ir.I64, x, y) }
	mask := func(k int) ir.V { return e.b.Const(ir.I64, 0x1111111111111111<<k) }
	var x, y [4]ir.V
	for k := range 4 {
		x[k], y[k] = op(ir.And, a, mask(k)), op(ir.And, b, mask(k))
	}
	sum := e.b.Const(ir.I64, 0)
	for k := range 4 {
		part := op(ir.Mul, x[0], y[k])
		for i := 1; i < 4; i++ {
			part = op(ir.Xor, part, op(ir.Mul, x[i], y[(k-i+4)%4]))
		}
		sum = op(ir.Or, sum, op(ir.And, part, mask(k)))
	}
	return sum
}
