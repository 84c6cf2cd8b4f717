package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Division of small numbers by a constant
//
// Unpacking divides a byte, converted to float, by 255. A float division by a constant is not in general a
// multiplication by the reciprocal, but there are only 256 dividends: all of them are tried at compile
// time. If x·r, or with one more constant fma(x, r, x·e), has the bits of x/d for each of them, it replaces
// the division. (Granlund & Montgomery 1994 prove the like for integers.)
//
//	vb = bitfieldu.i32 vw, 8:i32, 8:i32
//	vf = utof.f32 vb                      vl = fmul vf, e
//	vq = fdiv.f32 vf, 255:f32      →      vq = ffma vf, r, vl

// maxDividendBits bounds the bits of the dividends that are tried.
const maxDividendBits = 8

// dividendBits returns how many bits an unsigned integer converted to the f32 v has, and whether that is
// known and at most maxDividendBits.
func (w *vectorizer) dividendBits(v ir.V) (bits uint64, ok bool) {
	x := w.src.Val(v)
	if x.Op != ir.UToF && x.Op != ir.SToF || x.Type != ir.F32 || x.Flags&ir.RTZ != 0 {
		return 0, false
	}
	n := w.src.Val(x.Args[0])
	if n.Type != ir.I32 {
		return 0, false
	}
	constant := func(i int) (uint64, bool) {
		c := w.src.Val(n.Args[i])
		return c.Aux, c.Op == ir.Const
	}
	switch n.Op {
	case ir.BitFieldU:
		bits, ok = constant(2)
	case ir.LShr:
		bits, ok = constant(1)
		bits = 32 - bits&31
	case ir.And:
		for i := range 2 {
			if m, is := constant(i); is && m < 1<<maxDividendBits {
				return maxDividendBits, true
			}
		}
	}
	return bits, ok && bits <= maxDividendBits
}

// factors replace a division: x·high, or if fused ffma(x, high, x·low).
type factors struct {
	high, low uint64 // bits of an f32
	fused, ok bool   // two products are needed; ok: they have the bits of the division for all dividends
}

// findFactors tries all dividends of so many bits.
func findFactors(divisor, bits uint64) factors {
	d := math.Float32frombits(uint32(divisor))
	if !(d >= 1.0/(1<<60) && d <= 1<<60) {
		return factors{}
	}
	exact := 1 / float64(d)
	high := float32(exact)
	low := float32(exact - float64(high))
	f := factors{high: uint64(math.Float32bits(high)), low: uint64(math.Float32bits(low))}
	one, two := true, true
	for n := range uint64(1) << bits {
		x := uint64(math.Float32bits(float32(n)))
		want := scalar.FDiv(32, false, x, divisor)
		one = one && scalar.FMul(32, false, x, f.high) == want
		two = two && scalar.FFma(32, false, x, f.high, scalar.FMul(32, false, x, f.low)) == want
	}
	f.fused, f.ok = !one, one || two
	return f
}

// quotient emits the division of a small number by a constant as products, and reports whether v is one.
func (w *vectorizer) quotient(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if x.Op != ir.FDiv || x.Type != ir.F32 || x.Flags&ir.RTZ != 0 || w.src.Val(x.Args[1]).Op != ir.Const || w.shapes.of[v].kind == uniform {
		return false
	}
	bits, ok := w.dividendBits(x.Args[0])
	if !ok {
		return false
	}
	key := [2]uint64{w.src.Val(x.Args[1]).Aux, bits}
	f, known := w.factors[key]
	if !known {
		if w.factors == nil {
			w.factors = map[[2]uint64]factors{}
		}
		f = findFactors(key[0], bits)
		w.factors[key] = f
	}
	if !f.ok {
		return false
	}
	high := w.dst.NewConst(vcode.Vec, f.high)
	for p := range w.parts {
		one, from := in, w.vec(x.Args[0])[p]
		one.IR, one.Part, one.Masks = ir.FMul, uint8(p), w.active[p:p+1]
		one.Defs, one.Merging, one.Uses = w.vec(v)[p:p+1], w.merging(v), []vcode.Reg{from, high}
		if f.fused {
			rest := w.dst.NewReg(vcode.Vec)
			less := one
			less.Defs, less.Merging, less.Uses = []vcode.Reg{rest}, false, []vcode.Reg{from, w.dst.NewConst(vcode.Vec, f.low)}
			w.emit(less)
			one.IR, one.Uses = ir.FFma, []vcode.Reg{from, high, rest}
		}
		w.emit(one)
	}
	return true
}
