package pass

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// clamp leaves out the least and greatest of a float and a constant where the float is
// known to lie on the constant's right side already: what was decoded from a byte, what
// was clamped before, and what is blended of such.
func clamp(_ *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	c := &clamper{f: f, of: r.extents.Alloc(len(f.Vals))}
	for v := range f.Vals {
		if x := f.Val(ir.V(v)); x.Op == ir.Const && x.Type == ir.F32 {
			c.of[v] = constantExtent(x.Aux)
		}
	}
	to := r.values.Alloc(len(f.Vals)) // what stands for a value; 0: itself
	some := false
	code := f.Code[:0]
	for _, v := range f.Code {
		if some {
			redirect(f, v, to)
		}
		if x := f.Val(v); x.Type == ir.F32 {
			if same := c.inside(x); same != 0 {
				to[v], some = same, true
				continue
			}
			c.of[v] = c.extent(v, x)
		}
		code = append(code, v)
	}
	f.Code = code
	if some {
		redirectBack(f, to)
	}
}

// extent is what is known of a float: that it is no NaN and lies between two numbers,
// both included. Where the lower one is 0 or more it is not −0 either.
type extent struct {
	lo, hi float32
	known  bool
}

// positive reports whether the sign's bit is known not to be set.
func (s extent) positive() bool { return s.known && s.lo >= 0 }

// finite is positive where it is no infinity either.
func (s extent) finite() bool { return s.positive() && s.hi <= math.MaxFloat32 }

// unit reports whether it is from 0 to 1.
func (s extent) unit() bool { return s.positive() && s.hi <= 1 }

func constantExtent(bits uint64) extent {
	x := math.Float32frombits(uint32(bits))
	return extent{x, x, x == x && uint32(bits) != 1<<31}
}

type clamper struct {
	f       *ir.Func
	of      []extent
	decoded map[decoding]extent
}

func (c *clamper) at(v ir.V) extent {
	if int(v) < len(c.of) {
		return c.of[v]
	}
	return extent{}
}

// inside returns the operand that the least or greatest of it and a constant always
// is, or 0. Of two zeros it matters which one is given.
func (c *clamper) inside(x *ir.Val) ir.V {
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

// extent is what is known of the result of an operation. The bounds of one that grows
// with its operands are what it gives for theirs.
func (c *clamper) extent(v ir.V, x *ir.Val) extent {
	a, b := c.at(x.Args[0]), c.at(x.Args[1])
	switch x.Op {
	case ir.FMin, ir.FMax, ir.NMin, ir.NMax:
		return extreme(x.Op, a, b)
	case ir.SToF, ir.UToF:
		most, limit := c.most(x.Args[0], maxTogether), c.f.Type(x.Args[0]).Mask()
		if x.Op == ir.SToF {
			limit >>= 1
		}
		if most <= limit && x.Flags&ir.RTZ == 0 {
			return extent{0, float32(most), true}
		}
	case ir.Select:
		a, b = b, c.at(x.Args[2])
		return extent{min(a.lo, b.lo), max(a.hi, b.hi), a.known && b.known}
	case ir.FCanon:
		return a
	case ir.FMul, ir.FAdd, ir.FSub, ir.FFma:
		if x.Flags&ir.RTZ == 0 {
			return c.arithmetic(v, x, a, b)
		}
	}
	return extent{}
}

// extreme is what is known of the least or greatest of two. FMin and FMax give the first
// where one is NaN, and of two zeros; NMin and NMax the one that is none, and of two
// zeros the lesser or greater.
func extreme(op ir.Op, a, b extent) extent {
	numeric := op == ir.NMin || op == ir.NMax
	if numeric && !a.known {
		a, b = b, a
	}
	out := extent{a.lo, a.hi, a.known}
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

func (c *clamper) arithmetic(v ir.V, x *ir.Val, a, b extent) extent {
	if s, ok := c.decode(x); ok {
		return s
	}
	third := c.at(x.Args[2])
	number := func(p, q, r float32) float32 {
		return math.Float32frombits(uint32(x.Op.Row().Eval(c.f.Key(v), uint64(math.Float32bits(p)), uint64(math.Float32bits(q)), uint64(math.Float32bits(r)))))
	}
	switch {
	case !a.finite() || !b.finite() || x.Op == ir.FFma && !third.finite():
		return extent{}
	case x.Op == ir.FSub:
		return extent{number(a.lo, b.hi, 0), number(a.hi, b.lo, 0), true}
	}
	s := extent{number(a.lo, b.lo, third.lo), number(a.hi, b.hi, third.hi), true}
	if x.Op == ir.FAdd && c.blends(x) {
		s.hi = min(s.hi, 1)
	}
	return s
}

// blends reports whether a sum is of products with p and with 1 − p, p from 0 to 1, of
// what is from 0 to 1. It is not more than 1: the products are not more than p and 1 − p
// as it was rounded, which is off by no more than 2⁻²⁵, and 1 + 2⁻²⁵ rounds to 1.
func (c *clamper) blends(x *ir.Val) bool {
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

// factors are the operands of a product that it is not more than: those whose other is
// from 0 to 1.
func (c *clamper) factors(v ir.V) (list []ir.V) {
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

// decoding is n·scale + n·rest, where the second product is rounded and the whole once
// more, of a number n of up to most: how a number of a few bits is divided exactly.
type decoding struct {
	scale, rest uint64
	most        uint64
}

// maxDecoded bounds the numbers that are tried.
const maxDecoded = 255

// decode is what is known of an ffma that is a decoding: all numbers are tried.
func (c *clamper) decode(x *ir.Val) (extent, bool) {
	if x.Op != ir.FFma {
		return extent{}, false
	}
	product := c.f.Val(x.Args[2])
	n, scale := c.withConstant(x.Args[0], x.Args[1])
	if scale == 0 || product.Op != ir.FMul || product.Flags&ir.RTZ != 0 {
		return extent{}, false
	}
	m, rest := c.withConstant(product.Args[0], product.Args[1])
	from := c.f.Val(n)
	if rest == 0 || m != n || from.Op != ir.SToF && from.Op != ir.UToF || !c.at(n).positive() {
		return extent{}, false
	}
	d := decoding{c.f.Val(scale).Aux, c.f.Val(rest).Aux, c.most(from.Args[0], maxTogether)}
	if d.most > maxDecoded {
		return extent{}, false
	}
	s, ok := c.decoded[d]
	if !ok {
		if c.decoded == nil {
			c.decoded = map[decoding]extent{}
		}
		s = d.extent()
		c.decoded[d] = s
	}
	return s, s.known
}

// withConstant returns which of two operands is no constant and which is, 0 where
// neither is.
func (c *clamper) withConstant(x, y ir.V) (other, k ir.V) {
	switch {
	case c.f.Val(y).Op == ir.Const:
		return x, y
	case c.f.Val(x).Op == ir.Const:
		return y, x
	}
	return x, 0
}

// extent tries all numbers.
func (d decoding) extent() extent {
	key := ir.Key{Type: ir.F32, From: ir.F32}
	out := extent{lo: float32(math.Inf(1)), known: true}
	for n := range d.most + 1 {
		x := uint64(math.Float32bits(float32(n)))
		bits := ir.FFma.Row().Eval(key, x, d.scale, ir.FMul.Row().Eval(key, x, d.rest, 0))
		s := constantExtent(bits)
		out.lo, out.hi, out.known = min(out.lo, s.lo), max(out.hi, s.hi), out.known && s.positive()
	}
	return out
}

// most returns a number that an integer of 32 bits does not exceed, unsigned.
func (c *clamper) most(v ir.V, depth int) uint64 {
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
	case ir.And, ir.UMin:
		return min(c.most(x.Args[0], depth-1), c.most(x.Args[1], depth-1))
	case ir.LShr:
		if k, ok := constant(1); ok && k < uint64(x.Type.Bits()) {
			return c.most(x.Args[0], depth-1) >> k
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
