package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// π/2 in four parts of 24 bits, π in two.
const (
	halfPi0, halfPi1, halfPi2 = 0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50
	pi0, pi1                  = 0x1.921fb6p+1, -0x1.777a5cp-24
	twoOverPi                 = 0x1.45f306p-1
)

// Sin returns the sine of x radians, of 16 or 32 bits; NaN of ±∞. Far beyond 2²⁰ it
// loses its meaning, but stays within [−1, 1].
func Sin(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		// From |x|, so that −0 retains its sign.
		r, q := e.quadrant(e.abs(x))
		sin, cos := e.sinCos(r)
		v := e.pick(e.bit(q, 0), cos, sin)
		return e.flip(e.differ(e.negative(x), e.bit(q, 1)), v)
	})
}

// Cos returns the cosine of x radians, of 16 or 32 bits; see Sin.
func Cos(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		r, q := e.quadrant(e.abs(x))
		sin, cos := e.sinCos(r)
		v := e.pick(e.bit(q, 0), sin, cos)
		next := e.b.Op(ir.Add, ir.I32, q, e.b.I32(1))
		return e.flip(e.bit(next, 1), v)
	})
}

// Tan returns the tangent of x radians, of 16 or 32 bits; see Sin.
func Tan(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		r, q := e.quadrant(e.abs(x))
		sin, cos := e.sinCos(r)
		odd := e.bit(q, 0)
		v := e.div(e.pick(odd, cos, sin), e.pick(odd, sin, cos))
		// In odd quadrants it is −cos/sin.
		return e.flip(e.differ(e.negative(x), odd), v)
	})
}

// quadrant returns r and q with x = q·π/2 + r and |r| ≤ π/4 (Cody and Waite).
// Fused, x − q·π/2 is exact in its first step as long as q has 24 bits.
func (e emit) quadrant(x ir.V) (r, q ir.V) {
	k := e.near(e.mul(x, e.num(twoOverPi)))
	n := e.neg(k)
	r = e.fma(n, e.num(halfPi0), x)
	r = e.fma(n, e.num(halfPi1), r)
	r = e.fma(n, e.num(halfPi2), r)
	// A product near a tie may round to the farther k, and if x is too great
	// for this reduction r is meaningless: clamp it to the domain of sinCos.
	r = e.clamp(r, -1, 1)
	// Sine and cosine of the r of a NaN are NaN, in any quadrant.
	return r, e.b.Emit(ir.Val{Op: ir.FToS, Type: ir.I32, Flags: ir.AnyNaN, Args: [4]ir.V{k}})
}

// sinCos returns sine and cosine of |r| ≤ π/4, to 2⁻²⁷ and 2⁻³³ before rounding.
func (e emit) sinCos(r ir.V) (sin, cos ir.V) {
	t := e.mul(r, r)
	sin = e.odd(r, t, e.poly(t, -0x1.555546p-3, 0x1.110774p-7, -0x1.9951eap-13))
	p := e.poly(t, 0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16)
	p = e.fma(p, t, e.num(-0.5))
	return sin, e.fma(p, t, e.num(1))
}

// bit reports whether bit n of the i32 q is set.
func (e emit) bit(q ir.V, n uint) ir.V {
	return e.b.Cmp(ir.Eq, e.and(q, 1<<n), e.mask(1<<n))
}
