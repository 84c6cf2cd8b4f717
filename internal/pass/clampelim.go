package pass

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// elimClamps is redundant clamp elimination by value-range analysis (Harrison 1977):
// it removes a minimum or maximum with a constant that never changes its operand.
//
//	v2 = fmax.f32 0.0:f32, v1
//	v3 = fmin.f32 1.0:f32, v2      // v3 is in [0, 1]
//	v4 = fmul.f32 v3, v3           // so v4 is too
//	v5 = fmin.f32 1.0:f32, v4      // removed: v5 is v4
//
// Shaders clamp colours after each step, although texels decoded from bytes, filtered
// ones, clamped values and their blends are already in [0, 1]. One forward walk is
// enough: all branches to a block come before its end, where its parameters begin to
// be valid, and parameters of loops have no range. LLVM's equivalent for integers is
// CorrelatedValuePropagation; floats need care for NaN and −0.
func elimClamps(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	c := &clampElim{f: f, of: r.ranges.Alloc(len(f.Vals))}
	for v := range f.Vals {
		if x := f.Val(ir.V(v)); x.Op == ir.Const && x.Type == ir.F32 {
			c.of[v] = constantRange(x.Aux)
		}
	}
	to := r.values.Alloc(len(f.Vals)) // by value: its replacement, or 0
	some := false
	code := f.Code[:0]
	for _, v := range f.Code {
		if some {
			redirect(f, v, to)
		}
		x := f.Val(v)
		if x.Op == ir.Br {
			c.join(v, x.Args[0])
		}
		if x.Type == ir.F32 {
			if same := c.redundant(x); same != 0 {
				to[v], some = same, true
				continue
			}
			c.of[v] = c.resultRange(v, x)
		}
		code = append(code, v)
	}
	f.Code = code
	if some {
		redirectBack(f, to)
	}
}

// valueRange is a closed interval that contains a float. A known range excludes
// NaN. If lo ≥ 0 it also excludes −0, so that the sign bit is clear.
type valueRange struct {
	lo, hi float32
	known  bool
}

// positive reports whether the sign bit is known to be clear.
func (s valueRange) positive() bool { return s.known && s.lo >= 0 }

// finite reports whether the float is positive and not an infinity.
func (s valueRange) finite() bool { return s.positive() && s.hi <= math.MaxFloat32 }

// unit reports whether the float is in [0, 1].
func (s valueRange) unit() bool { return s.positive() && s.hi <= 1 }

func constantRange(bits uint64) valueRange {
	x := math.Float32frombits(uint32(bits))
	return valueRange{x, x, x == x && uint32(bits) != 1<<31}
}

// maxRangeDepth limits the depth of the integer expressions that maxOf looks at.
const maxRangeDepth = 8

type clampElim struct {
	f       *ir.Func
	of      []valueRange
	decoded map[decoding]valueRange
	joined  map[ir.V]bool // blocks with a branch before the current operation
}

// join extends the ranges of a block's parameters by those of a branch's arguments. The first
// branch sets them. A branch with an unknown argument makes its parameter unknown for good:
//
//	block L(p) {
//	  if v { br L(x) }      x is in [0, 1]
//	  br L(y)               y is in [0, 4]
//	}                       p is in [0, 4]
func (c *clampElim) join(br, label ir.V) {
	if c.f.Val(label).Op != ir.Block {
		return
	}
	args := c.f.BrArgs(br)
	for i, p := range c.f.Params(label) {
		if int(p) >= len(c.of) || c.f.Type(p) != ir.F32 {
			continue
		}
		s := c.at(args[i])
		if old := c.of[p]; c.joined[label] {
			s = valueRange{min(old.lo, s.lo), max(old.hi, s.hi), old.known && s.known}
		}
		c.of[p] = s
	}
	if c.joined == nil {
		c.joined = map[ir.V]bool{}
	}
	c.joined[label] = true
}

func (c *clampElim) at(v ir.V) valueRange {
	if int(v) < len(c.of) {
		return c.of[v]
	}
	return valueRange{}
}

// redundant returns the operand that the minimum or maximum x always equals, or 0.
// Only a minimum or maximum with a constant is removed. If the constant is a zero,
// the other operand must not be −0: the result would be the other zero.
func (c *clampElim) redundant(x *ir.Val) ir.V {
	switch x.Op {
	case ir.FMin, ir.FMax, ir.NMin, ir.NMax:
	default:
		return 0
	}
	for i := range 2 {
		s, k := c.at(x.Args[i]), c.at(x.Args[1-i])
		if !s.known || !k.known || c.f.Val(x.Args[1-i]).Op != ir.Const || k.lo == 0 && !s.positive() {
			continue
		}
		least := x.Op == ir.FMin || x.Op == ir.NMin
		if least && s.hi <= k.lo || !least && s.lo >= k.lo {
			return x.Args[i]
		}
	}
	return 0
}

// resultRange returns the range of x, which is value v. A monotonic operation maps
// the bounds of its operands to the bounds of its result, since rounding is
// monotonic too.
func (c *clampElim) resultRange(v ir.V, x *ir.Val) valueRange {
	a, b := c.at(x.Args[0]), c.at(x.Args[1])
	switch x.Op {
	case ir.FMin, ir.FMax, ir.NMin, ir.NMax:
		return minMaxRange(x.Op, a, b)
	case ir.SToF, ir.UToF:
		most, limit := c.maxOf(x.Args[0], maxRangeDepth), c.f.Type(x.Args[0]).Mask()
		if x.Op == ir.SToF {
			limit >>= 1
		}
		if most <= limit && x.Flags&ir.RTZ == 0 {
			return valueRange{0, float32(most), true}
		}
	case ir.Select:
		a, b = b, c.at(x.Args[2])
		return valueRange{min(a.lo, b.lo), max(a.hi, b.hi), a.known && b.known}
	case ir.FCanon:
		return a
	case ir.Bitcast: // of the bits of a float
		if bits := c.f.Val(x.Args[0]); bits.Op == ir.Bitcast && c.f.Type(bits.Args[0]) == ir.F32 {
			return c.at(bits.Args[0])
		}
	case ir.FMul, ir.FAdd, ir.FSub, ir.FFma:
		if x.Flags&ir.RTZ == 0 {
			return c.arithmetic(v, x, a, b)
		}
	}
	return valueRange{}
}

// minMaxRange returns the range of the minimum or maximum of two floats. If an
// operand is NaN or both are zeros, FMin and FMax return the first operand; NMin
// and NMax return the operand that is not NaN, and order −0 before +0. Example:
// fmax(0, x) is in [0, +∞] for any x, because a NaN x loses.
func minMaxRange(op ir.Op, a, b valueRange) valueRange {
	numeric := op == ir.NMin || op == ir.NMax
	if numeric && !a.known {
		a, b = b, a
	}
	out := valueRange{a.lo, a.hi, a.known}
	switch least := op == ir.FMin || op == ir.NMin; {
	case least && b.known:
		out.lo, out.hi = min(a.lo, b.lo), min(a.hi, b.hi)
	case least:
		out.lo = float32(math.Inf(-1))
	case !b.known:
		out.hi = float32(math.Inf(1))
	default:
		out.hi = max(a.hi, b.hi)
		if numeric || a.lo >= 0 || b.lo > 0 {
			out.lo = max(a.lo, b.lo)
		}
	}
	return out
}

// arithmetic returns the range of a sum, difference, product or ffma of finite
// positive floats. The bounds come from the operation itself, rounded as it rounds.
func (c *clampElim) arithmetic(v ir.V, x *ir.Val, a, b valueRange) valueRange {
	if s, ok := c.decode(x); ok {
		return s
	}
	if s := c.interpolate(x); s.known {
		return s
	}
	third := c.at(x.Args[2])
	number := func(p, q, r float32) float32 {
		return math.Float32frombits(uint32(x.Op.Row().Eval(c.f.Key(v), uint64(math.Float32bits(p)), uint64(math.Float32bits(q)), uint64(math.Float32bits(r)))))
	}
	switch {
	case !a.finite() || !b.finite() || x.Op == ir.FFma && !third.finite():
		return valueRange{}
	case x.Op == ir.FSub:
		return valueRange{number(a.lo, b.hi, 0), number(a.hi, b.lo, 0), true}
	}
	s := valueRange{number(a.lo, b.lo, third.lo), number(a.hi, b.hi, third.hi), true}
	if x.Op == ir.FAdd && c.blends(x) {
		s.hi = min(s.hi, 1)
	}
	return s
}

// blends reports whether the sum x is a linear blend y·p + z·(1 − p) of y, z and p
// in [0, 1]. The sum is then at most 1: the products are at most p and the rounded
// 1 − p, whose error is at most 2⁻²⁵, and 1 + 2⁻²⁵ rounds to 1.
func (c *clampElim) blends(x *ir.Val) bool {
	for i := range 2 {
		for _, q := range c.factors(x.Args[1-i]) {
			y := c.f.Val(q)
			if y.Op != ir.FSub || y.Flags&ir.RTZ != 0 {
				continue
			}
			one := c.at(y.Args[0])
			if one.known && one.lo == 1 && one.hi == 1 && c.at(y.Args[1]).unit() && slices.Contains(c.factors(x.Args[i]), y.Args[1]) {
				return true
			}
		}
	}
	return false
}

// factors returns the operands of the product v that are upper bounds of it: those
// multiplied by a factor in [0, 1].
func (c *clampElim) factors(v ir.V) (list []ir.V) {
	x := c.f.Val(v)
	if x.Op != ir.FMul || x.Type != ir.F32 || x.Flags&ir.RTZ != 0 {
		return nil
	}
	for i := range 2 {
		if c.at(x.Args[1-i]).unit() && c.at(x.Args[i]).positive() {
			list = append(list, x.Args[i])
		}
	}
	return list
}

// decoding is ffma(n, scale, n·rest) of an integer n ≤ most. With a scale and rest
// that together approximate 1/255, it is the correctly rounded n/255.
type decoding struct {
	scale, rest uint64
	most        uint64
}

// maxDecoded limits how many integers valueRange evaluates.
const maxDecoded = 255

// decode returns the range of x if x is a decoding. ok is false if it is none, or if
// its range includes negative numbers.
func (c *clampElim) decode(x *ir.Val) (s valueRange, ok bool) {
	if x.Op != ir.FFma {
		return valueRange{}, false
	}
	product := c.f.Val(x.Args[2])
	n, scale := c.withConstant(x.Args[0], x.Args[1])
	if scale == 0 || product.Op != ir.FMul || product.Flags&ir.RTZ != 0 {
		return valueRange{}, false
	}
	m, rest := c.withConstant(product.Args[0], product.Args[1])
	if rest == 0 || m != n {
		return valueRange{}, false
	}
	d := decoding{scale: c.f.Val(scale).Aux, rest: c.f.Val(rest).Aux}
	if d.most, ok = c.integer(n); !ok || d.most > maxDecoded {
		s = c.scaled(c.at(n), c.at(scale), c.at(rest))
		return s, s.known
	}
	if s, ok = c.decoded[d]; !ok {
		if c.decoded == nil {
			c.decoded = map[decoding]valueRange{}
		}
		s = d.valueRange()
		c.decoded[d] = s
	}
	return s, s.known
}

// scaled returns the range of ffma(n, scale, n·rest), where rest is negative and far
// below the scale. If n ≤ M, the rounded product is at most n·rest·(1 − 2⁻²⁴), so that
// the exact sum is at most M·(scale + rest·(1 − 2⁻²⁴)). Doubles bound that, with one more
// part in 2⁵⁰ for their own rounding, and the sum rounds to no more than its bound does.
// The sum is not negative, because the scale outweighs the rest.
func (c *clampElim) scaled(n, scale, rest valueRange) valueRange {
	const outweighs, denormal = 1 << 20, 0x1p-90
	if !n.finite() || !scale.finite() || !rest.known || rest.lo >= 0 || -rest.lo*outweighs > scale.lo {
		return valueRange{}
	}
	most := float64(n.hi) * (float64(scale.hi) + float64(float64(rest.hi)*(1-0x1p-24))) * (1 + 0x1p-50)
	if most < denormal || most > math.MaxFloat32 {
		return valueRange{}
	}
	return valueRange{0, float32(most), true}
}

// interpolate returns the range of lo + (hi − lo)·w with 0 ≤ w < 1, as filters write it, of
// positive lo and hi up to M. The difference rounds to at most (M − lo)·(1 + 2⁻²⁴), and
// w is at most 1 − 2⁻²⁴, so that the exact sum is at most M. It is positive, since the
// difference is at least −lo, which is exact. For a weight of 1 this proves nothing: both
// roundings may go up.
func (c *clampElim) interpolate(x *ir.Val) valueRange {
	if x.Op != ir.FFma || !c.at(x.Args[2]).finite() {
		return valueRange{}
	}
	for i := range 2 {
		d, w := c.f.Val(x.Args[i]), c.at(x.Args[1-i])
		if d.Op == ir.FSub && d.Flags&ir.RTZ == 0 && d.Args[1] == x.Args[2] && c.at(d.Args[0]).finite() && w.positive() && w.hi < 1 {
			return valueRange{0, max(c.at(d.Args[0]).hi, c.at(d.Args[1]).hi), true}
		}
	}
	return valueRange{}
}

// integer returns the upper bound of a float that is an integer, and not negative: a conversion, or the difference of two floats that have no
// fraction because they are at least 2²³, as rounding by a sum leaves it.
func (c *clampElim) integer(n ir.V) (most uint64, ok bool) {
	const whole = 1 << 23
	x, s := c.f.Val(n), c.at(n)
	switch {
	case !s.finite():
	case x.Op == ir.SToF || x.Op == ir.UToF:
		return c.maxOf(x.Args[0], maxRangeDepth), true
	case x.Op == ir.FSub && s.hi < whole && c.at(x.Args[0]).lo >= whole && c.at(x.Args[1]).lo >= whole:
		return uint64(s.hi), true
	}
	return 0, false
}

// withConstant splits two operands into a constant k and the other one. k is 0 if
// neither is a constant.
func (c *clampElim) withConstant(x, y ir.V) (other, k ir.V) {
	switch {
	case c.f.Val(y).Op == ir.Const:
		return x, y
	case c.f.Val(x).Op == ir.Const:
		return y, x
	}
	return x, 0
}

// valueRange evaluates the decoding for all n, which is exact.
func (d decoding) valueRange() valueRange {
	key := ir.Key{Type: ir.F32, From: ir.F32}
	out := valueRange{lo: float32(math.Inf(1)), known: true}
	for n := range d.most + 1 {
		x := uint64(math.Float32bits(float32(n)))
		bits := ir.FFma.Row().Eval(key, x, d.scale, ir.FMul.Row().Eval(key, x, d.rest, 0))
		s := constantRange(bits)
		out.lo, out.hi, out.known = min(out.lo, s.lo), max(out.hi, s.hi), out.known && s.positive()
	}
	return out
}

// maxOf returns an upper bound of an unsigned integer of at most 32 bits.
func (c *clampElim) maxOf(v ir.V, depth int) uint64 {
	x := c.f.Val(v)
	if x.Op == ir.Const {
		return x.Aux & x.Type.Mask()
	}
	most := x.Type.Mask()
	if depth == 0 || x.Type.Bits() > 32 {
		return most
	}
	constant := func(i int) (uint64, bool) {
		k := c.f.Val(x.Args[i])
		return k.Aux, k.Op == ir.Const
	}
	switch x.Op {
	case ir.And:
		if n := c.half(x.Args[0], depth-1); n != 0 && c.constant(x.Args[1], 1<<16-1) {
			return n
		}
		return min(c.maxOf(x.Args[0], depth-1), c.maxOf(x.Args[1], depth-1))
	case ir.UMin:
		return min(c.maxOf(x.Args[0], depth-1), c.maxOf(x.Args[1], depth-1))
	case ir.LShr:
		if k, ok := constant(1); ok && k < uint64(x.Type.Bits()) {
			if n := c.half(x.Args[0], depth-1); n != 0 && k == 16 {
				return n
			}
			return c.maxOf(x.Args[0], depth-1) >> k
		}
	case ir.BitFieldU:
		if k, ok := constant(2); ok && k < uint64(x.Type.Bits()) {
			return 1<<k - 1
		}
	case ir.ZExt:
		return c.f.Type(x.Args[0]).Mask()
	}
	return most
}

// half returns the upper bound of both halves of a word that is a weighted sum of pairs of bytes, 16 bits apart, as
// linear filters write it; 0 if it is none. depth bounds the walk of the weights. No half carries into the other one:
//
//	(x & 0x00ff00ff)·(256 − p) + (y & 0x00ff00ff)·p ≤ 255·256 in each half, with p < 256
func (c *clampElim) half(v ir.V, depth int) uint64 {
	const pairs, whole = 0x00ff00ff, 256
	sum := c.f.Val(v)
	if sum.Op != ir.Add || sum.Type != ir.I32 {
		return 0
	}
	var weights [2]ir.V
	for i := range weights {
		product := c.f.Val(sum.Args[i])
		if product.Op != ir.Mul {
			return 0
		}
		for k := range 2 {
			y := c.f.Val(product.Args[k])
			if y.Op == ir.And && (c.constant(y.Args[0], pairs) || c.constant(y.Args[1], pairs)) {
				weights[i] = product.Args[1-k]
			}
		}
		if weights[i] == 0 {
			return 0
		}
	}
	for i := range weights {
		rest, p := c.f.Val(weights[i]), weights[1-i]
		if rest.Op == ir.Sub && c.constant(rest.Args[0], whole) && rest.Args[1] == p && c.maxOf(p, depth) < whole {
			return 255 * whole
		}
	}
	return 0
}

// constant reports whether v is a constant with these bits.
func (c *clampElim) constant(v ir.V, bits uint64) bool {
	x := c.f.Val(v)
	return x.Op == ir.Const && x.Aux == bits
}
