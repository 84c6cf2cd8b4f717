package lower

import (
	"math/big"
	"strings"
)

// floatFormat is a format of IEEE 754: bits of the significand with the leading one, and
// the greatest exponent.
type floatFormat struct {
	precision, most int
}

var floatFormats = map[uint]floatFormat{16: {11, 15}, 32: {24, 127}, 64: {53, 1023}}

// number is what bits of a float stand for.
type number struct {
	nan, inf, negative bool
	value              *big.Rat // without a sign; of what is finite
}

func decodeFloat(w uint, bits uint64) number {
	f := floatFormats[w]
	fraction := uint(f.precision - 1)
	exponent := int(bits>>fraction) & (1<<(w-1-fraction) - 1)
	significand := bits & (1<<fraction - 1)
	n := number{negative: bits>>(w-1) == 1}
	switch {
	case exponent == 2*f.most+1:
		n.inf, n.nan = significand == 0, significand != 0
		return n
	case exponent == 0:
		exponent = 1
	default:
		significand |= 1 << fraction
	}
	n.value = new(big.Rat).Mul(new(big.Rat).SetInt(u(significand)), power(exponent-f.most-f.precision+1))
	return n
}

// power is 2 to the n.
func power(n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), pow2(uint(-n)))
	}
	return new(big.Rat).SetInt(pow2(uint(n)))
}

// signed is the number with its sign.
func (n number) signed() *big.Rat {
	if n.negative {
		return new(big.Rat).Neg(n.value)
	}
	return n.value
}

func (n number) zero() bool { return n.value != nil && n.value.Sign() == 0 }

func nanBits(w uint) uint64 { return infBits(w, false) | 1<<(floatFormats[w].precision-2) }

func infBits(w uint, negative bool) uint64 {
	f := floatFormats[w]
	return truth(negative)<<(w-1) | uint64(2*f.most+1)<<(f.precision-1)
}

// round returns the bits of the float nearest to a number, ties to even; zero
// is the sign of a result that is 0.
func round(w uint, x *big.Rat, zero bool) uint64 {
	f := floatFormats[w]
	if x.Sign() == 0 {
		return truth(zero) << (w - 1)
	}
	sign := truth(x.Sign() < 0) << (w - 1)
	x = new(big.Rat).Abs(x)
	e := x.Num().BitLen() - x.Denom().BitLen()
	if x.Cmp(power(e)) < 0 {
		e--
	}
	e = max(e, 1-f.most)
	q := new(big.Rat).Quo(x, power(e-f.precision+1))
	n, rest := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(q.Denom()); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	// The leading one of n adds 1 to the exponent, and so does its carry.
	bits := uint64(e+f.most-1)<<(f.precision-1) + n.Uint64()
	if bits >= infBits(w, false) {
		return sign | infBits(w, false)
	}
	return sign | bits
}

// floatEdges are zeros, denormals, the ends of the range, halves and numbers
// beside 1, infinities and NaN, of both signs.
func floatEdges(w uint) []uint64 {
	f := floatFormats[w]
	p := uint(f.precision - 1)
	one := uint64(f.most) << p
	list := []uint64{
		0, one, nanBits(w), infBits(w, false), 1, one | 1<<(p-1), 1 << p, infBits(w, false) - 1, one + 1<<p,
		one - 1, one + 1, 1<<p - 1, one - 1<<p, one + 1<<p | 1<<(p-2), one | 0x155, one + 6<<p | 0x2b, one - 5<<p | 0x1d, uint64(f.most+f.precision-1) << p,
	}
	var out []uint64
	for _, x := range list {
		out = append(out, x, x|1<<(w-1))
	}
	out[5] = nanBits(w) // a NaN has no sign
	return out
}

// floatModels are the instructions on floats that are exact or rounded once
// (SPIR-V §3.3.13 and §3.3.15, GLSL.std.450).
func floatModels() []model {
	two := func(name string, f func(w uint, x, y number, bits []uint64) uint64) model {
		return model{name: name, args: 2, float: true, value: func(w uint, x []uint64) uint64 {
			return f(w, decodeFloat(w, x[0]), decodeFloat(w, x[1]), x)
		}}
	}
	sum := func(flip bool) func(w uint, x, y number, _ []uint64) uint64 {
		return func(w uint, x, y number, _ []uint64) uint64 {
			y.negative = y.negative != flip
			switch {
			case x.nan || y.nan || x.inf && y.inf && x.negative != y.negative:
				return nanBits(w)
			case x.inf:
				return infBits(w, x.negative)
			case y.inf:
				return infBits(w, y.negative)
			}
			return round(w, new(big.Rat).Add(x.signed(), y.signed()), x.zero() && y.zero() && x.negative && y.negative)
		}
	}
	list := []model{
		two("OpFAdd", sum(false)), two("OpFSub", sum(true)),
		two("OpFMul", func(w uint, x, y number, _ []uint64) uint64 { return product(w, x, y) }),
		two("OpFDiv", quotient),
		two("OpFRem", func(w uint, x, y number, bits []uint64) uint64 {
			switch {
			case x.nan || y.nan || x.inf || y.zero():
				return nanBits(w)
			case y.inf:
				return bits[0]
			}
			q := new(big.Rat).Quo(x.value, y.value)
			n := new(big.Int).Quo(q.Num(), q.Denom())
			r := new(big.Rat).Sub(x.value, new(big.Rat).Mul(y.value, new(big.Rat).SetInt(n)))
			if x.negative {
				r.Neg(r)
			}
			return round(w, r, x.negative)
		}),
		{name: "OpFmaKHR", args: 3, float: true, value: fused}, {name: "Fma", args: 3, float: true, value: fused},
		{name: "OpFNegate", args: 1, float: true, value: func(w uint, x []uint64) uint64 { return x[0] ^ 1<<(w-1) }},
		{name: "FAbs", args: 1, float: true, value: func(w uint, x []uint64) uint64 { return x[0] &^ (1 << (w - 1)) }},
		{name: "Sqrt", args: 1, float: true, value: root},
	}
	list = append(list, orderModels(two)...)
	return append(list, wholeModels()...)
}

func product(w uint, x, y number) uint64 {
	negative := x.negative != y.negative
	switch {
	case x.nan || y.nan || x.inf && y.zero() || y.inf && x.zero():
		return nanBits(w)
	case x.inf || y.inf:
		return infBits(w, negative)
	}
	return round(w, new(big.Rat).Mul(x.signed(), y.signed()), negative)
}

func quotient(w uint, x, y number, _ []uint64) uint64 {
	negative := x.negative != y.negative
	switch {
	case x.nan || y.nan || x.inf && y.inf || x.zero() && y.zero():
		return nanBits(w)
	case x.inf || y.zero():
		return infBits(w, negative)
	case y.inf:
		return truth(negative) << (w - 1)
	}
	return round(w, new(big.Rat).Quo(x.signed(), y.signed()), negative)
}

// fused is x·y + z, rounded once.
func fused(w uint, bits []uint64) uint64 {
	x, y, z := decodeFloat(w, bits[0]), decodeFloat(w, bits[1]), decodeFloat(w, bits[2])
	negative := x.negative != y.negative
	infinite := x.inf || y.inf
	switch {
	case x.nan || y.nan || z.nan || x.inf && y.zero() || y.inf && x.zero() || infinite && z.inf && z.negative != negative:
		return nanBits(w)
	case infinite:
		return infBits(w, negative)
	case z.inf:
		return infBits(w, z.negative)
	}
	p := new(big.Rat).Mul(x.signed(), y.signed())
	return round(w, new(big.Rat).Add(p, z.signed()), p.Sign() == 0 && negative && z.zero() && z.negative)
}

// root is the square root: that of a number is found to far more bits than the
// result has, and no root of a float lies on a tie.
func root(w uint, bits []uint64) uint64 {
	x := decodeFloat(w, bits[0])
	switch {
	case x.zero():
		return bits[0]
	case x.nan || x.negative:
		return nanBits(w)
	case x.inf:
		return infBits(w, false)
	}
	f := new(big.Float).SetPrec(2000).SetRat(x.value)
	r, _ := new(big.Float).SetPrec(2000).Sqrt(f).Rat(nil)
	return round(w, r, false)
}

// orderModels are the comparisons, and what chooses one of two.
func orderModels(two func(string, func(uint, number, number, []uint64) uint64) model) []model {
	var list []model
	less := func(x, y number) bool { // of what is no NaN; zeros are equal
		switch {
		case x.inf && y.inf:
			return x.negative && !y.negative
		case x.inf:
			return x.negative
		case y.inf:
			return !y.negative
		}
		return x.signed().Cmp(y.signed()) < 0
	}
	for name, f := range map[string]func(x, y number) bool{
		"Equal":            func(x, y number) bool { return !less(x, y) && !less(y, x) },
		"NotEqual":         func(x, y number) bool { return less(x, y) || less(y, x) },
		"LessThan":         less,
		"GreaterThan":      func(x, y number) bool { return less(y, x) },
		"LessThanEqual":    func(x, y number) bool { return !less(y, x) },
		"GreaterThanEqual": func(x, y number) bool { return !less(x, y) },
	} {
		for _, order := range []string{"OpFOrd", "OpFUnord"} {
			m := two(order+name, func(_ uint, x, y number, _ []uint64) uint64 {
				if x.nan || y.nan {
					return truth(order == "OpFUnord")
				}
				return truth(f(x, y))
			})
			m.boolean = true
			list = append(list, m)
		}
	}
	for name, f := range map[string]func(x, y number) bool{
		"OpLessOrGreater": func(x, y number) bool { return !x.nan && !y.nan && (less(x, y) || less(y, x)) },
		"OpOrdered":       func(x, y number) bool { return !x.nan && !y.nan },
		"OpUnordered":     func(x, y number) bool { return x.nan || y.nan },
	} {
		m := two(name, func(_ uint, x, y number, _ []uint64) uint64 { return truth(f(x, y)) })
		m.boolean = true
		list = append(list, m)
	}
	for _, name := range []string{"OpIsNan", "OpIsInf"} {
		list = append(list, model{name: name, args: 1, float: true, boolean: true, value: func(w uint, x []uint64) uint64 {
			n := decodeFloat(w, x[0])
			return truth(n.nan && name == "OpIsNan" || n.inf && name == "OpIsInf")
		}})
	}
	// FMin is x if it is less, else y; NMin is a number if there is one, with −0
	// before +0 (docs/undefined.md).
	for _, name := range []string{"FMin", "FMax", "NMin", "NMax"} {
		list = append(list, two(name, func(w uint, x, y number, bits []uint64) uint64 {
			before := less
			if strings.HasSuffix(name, "Max") {
				before = func(x, y number) bool { return less(y, x) }
			}
			number := name[0] == 'N'
			switch {
			case number && x.nan && y.nan:
				return nanBits(w)
			case number && x.nan:
				return bits[1]
			case number && y.nan:
				return bits[0]
			case number && x.zero() && y.zero():
				if y.negative == (name == "NMin") {
					return bits[1]
				}
				return bits[0]
			case x.nan || y.nan:
				return bits[1]
			case before(x, y):
				return bits[0]
			}
			return bits[1]
		}))
	}
	return list
}

// wholeModels are the roundings to whole numbers, and the sign.
func wholeModels() []model {
	var list []model
	for name, up := range map[string]func(n *big.Int, rest, half int) bool{
		// whether a magnitude whose whole part is n goes away from zero: rest is
		// the sign of what is left, half how it compares with a half
		"Trunc":     func(*big.Int, int, int) bool { return false },
		"RoundEven": func(n *big.Int, _, half int) bool { return half > 0 || half == 0 && n.Bit(0) == 1 },
		"Round":     func(n *big.Int, _, half int) bool { return half > 0 || half == 0 && n.Bit(0) == 1 },
		"Floor":     nil,
		"Ceil":      nil,
	} {
		list = append(list, model{name: name, args: 1, float: true, value: func(w uint, bits []uint64) uint64 {
			x := decodeFloat(w, bits[0])
			if x.nan {
				return nanBits(w)
			}
			if x.inf {
				return bits[0]
			}
			n, rest := new(big.Int).QuoRem(x.value.Num(), x.value.Denom(), new(big.Int))
			away := rest.Sign() > 0 && x.negative == (name == "Floor")
			if up != nil {
				away = up(n, rest.Sign(), new(big.Int).Lsh(rest, 1).Cmp(x.value.Denom()))
			}
			if away {
				n.Add(n, big.NewInt(1))
			}
			r := new(big.Rat).SetInt(n)
			if x.negative {
				r.Neg(r)
			}
			return round(w, r, x.negative)
		}})
	}
	return append(list, model{name: "FSign", args: 1, float: true, value: func(w uint, bits []uint64) uint64 {
		x := decodeFloat(w, bits[0])
		switch {
		case x.nan || x.zero():
			return 0
		case x.negative:
			return round(w, big.NewRat(-1, 1), false)
		}
		return round(w, big.NewRat(1, 1), false)
	}})
}
