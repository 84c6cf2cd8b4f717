package lower

import "math/big"

// intEdges are the integers of a width that instructions are most often wrong
// about.
func intEdges(w uint) []uint64 {
	top, all := uint64(1)<<(w-1), ^uint64(0)>>(64-w)
	return []uint64{
		0, 1, 2, 3, top, top - 1, top + 1, all, all - 1, uint64(w), uint64(w) - 1, uint64(w) + 1,
		0x5555555555555555 & all, 0x0123456789abcdef & all, 7, 100, 0xfedcba9876543210 & all, top | 5,
	}
}

// u and s are the number that bits stand for, without and with a sign.
func u(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func s(w uint, x uint64) *big.Int {
	n := u(x)
	if x>>(w-1)&1 == 1 {
		n.Sub(n, pow2(w))
	}
	return n
}

func pow2(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

// wrap returns the low w bits of a number, clamp those of the nearest one that
// the width has.
func wrap(w uint, n *big.Int) uint64 {
	return new(big.Int).Mod(n, pow2(w)).Uint64()
}

func clamp(w uint, signed bool, n *big.Int) uint64 {
	low, high := new(big.Int), new(big.Int).Sub(pow2(w), big.NewInt(1))
	if signed {
		low, high = new(big.Int).Neg(pow2(w-1)), new(big.Int).Sub(pow2(w-1), big.NewInt(1))
	}
	if n.Cmp(low) < 0 {
		n = low
	} else if n.Cmp(high) > 0 {
		n = high
	}
	return wrap(w, n)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// intModels are the integer instructions (SPIR-V §3.3.13, §3.3.14, §3.3.15;
// GLSL.std.450; SPV_INTEL_shader_integer_functions2). What the specification
// leaves open is a row of docs/undefined.md.
func intModels() []model {
	type two = func(w uint, x, y *big.Int) *big.Int
	unsigned := func(name string, f two) model {
		return model{name: name, args: 2, value: func(w uint, x []uint64) uint64 { return wrap(w, f(w, u(x[0]), u(x[1]))) }}
	}
	signed := func(name string, f two) model {
		return model{name: name, args: 2, value: func(w uint, x []uint64) uint64 { return wrap(w, f(w, s(w, x[0]), s(w, x[1]))) }}
	}
	compare := func(name string, sign bool, f func(c int) bool) model {
		return model{name: name, args: 2, boolean: true, value: func(w uint, x []uint64) uint64 {
			if sign {
				return truth(f(s(w, x[0]).Cmp(s(w, x[1]))))
			}
			return truth(f(u(x[0]).Cmp(u(x[1]))))
		}}
	}
	saturating := func(name string, sign bool, f two) model {
		return model{name: name, args: 2, value: func(w uint, x []uint64) uint64 {
			if sign {
				return clamp(w, true, f(w, s(w, x[0]), s(w, x[1])))
			}
			return clamp(w, false, f(w, u(x[0]), u(x[1])))
		}}
	}
	add := func(_ uint, x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
	sub := func(_ uint, x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
	mul := func(_ uint, x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	// x/0 is −1, which is all ones.
	div := func(f func(z, x, y *big.Int) *big.Int) two {
		return func(_ uint, x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return big.NewInt(-1)
			}
			return f(new(big.Int), x, y)
		}
	}
	least := func(_ uint, x, y *big.Int) *big.Int {
		if y.Cmp(x) < 0 {
			return y
		}
		return x
	}
	most := func(_ uint, x, y *big.Int) *big.Int {
		if y.Cmp(x) > 0 {
			return y
		}
		return x
	}
	average := func(up int64) two {
		return func(_ uint, x, y *big.Int) *big.Int {
			z := new(big.Int).Add(x, y)
			z.Add(z, big.NewInt(up))
			return z.Rsh(z, 1) // toward −∞
		}
	}
	distance := func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Abs(new(big.Int).Sub(x, y)) }
	list := []model{
		unsigned("OpIAdd", add), unsigned("OpISub", sub), unsigned("OpIMul", mul),
		unsigned("OpUDiv", div((*big.Int).Quo)), unsigned("OpUMod", div((*big.Int).Rem)),
		signed("OpSDiv", div((*big.Int).Quo)), signed("OpSRem", div((*big.Int).Rem)),
		signed("OpSMod", div(func(z, x, y *big.Int) *big.Int { // the sign of y
			z.Rem(x, y)
			if z.Sign() != 0 && z.Sign() != y.Sign() {
				z.Add(z, y)
			}
			return z
		})),
		unsigned("UMin", least), unsigned("UMax", most), signed("SMin", least), signed("SMax", most),
		saturating("OpUAddSatINTEL", false, add), saturating("OpIAddSatINTEL", true, add),
		saturating("OpUSubSatINTEL", false, sub), saturating("OpISubSatINTEL", true, sub),
		unsigned("OpUAverageINTEL", average(0)), signed("OpIAverageINTEL", average(0)),
		unsigned("OpUAverageRoundedINTEL", average(1)), signed("OpIAverageRoundedINTEL", average(1)),
		unsigned("OpAbsUSubINTEL", distance), signed("OpAbsISubINTEL", distance),
		unsigned("OpIAddCarry.0", add), unsigned("OpISubBorrow.0", sub),
		unsigned("OpIAddCarry.1", func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Rsh(add(w, x, y), w) }),
		unsigned("OpISubBorrow.1", func(_ uint, x, y *big.Int) *big.Int { return big.NewInt(int64(truth(x.Cmp(y) < 0))) }),
		unsigned("OpUMulExtended.0", mul), signed("OpSMulExtended.0", mul),
		unsigned("OpUMulExtended.1", func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Rsh(mul(w, x, y), w) }),
		signed("OpSMulExtended.1", func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Rsh(mul(w, x, y), w) }),
		compare("OpIEqual", false, func(c int) bool { return c == 0 }), compare("OpINotEqual", false, func(c int) bool { return c != 0 }),
		compare("OpULessThan", false, func(c int) bool { return c < 0 }), compare("OpULessThanEqual", false, func(c int) bool { return c <= 0 }),
		compare("OpUGreaterThan", false, func(c int) bool { return c > 0 }), compare("OpUGreaterThanEqual", false, func(c int) bool { return c >= 0 }),
		compare("OpSLessThan", true, func(c int) bool { return c < 0 }), compare("OpSLessThanEqual", true, func(c int) bool { return c <= 0 }),
		compare("OpSGreaterThan", true, func(c int) bool { return c > 0 }), compare("OpSGreaterThanEqual", true, func(c int) bool { return c >= 0 }),
	}
	return append(append(list, bitModels()...), clampModels(least, most)...)
}

// clampModels are the clamps, with bounds that may be crossed.
func clampModels(least, most func(uint, *big.Int, *big.Int) *big.Int) []model {
	return []model{
		{name: "UClamp", args: 3, value: func(w uint, x []uint64) uint64 {
			return wrap(w, least(w, most(w, u(x[0]), u(x[1])), u(x[2])))
		}},
		{name: "SClamp", args: 3, value: func(w uint, x []uint64) uint64 {
			return wrap(w, least(w, most(w, s(w, x[0]), s(w, x[1])), s(w, x[2])))
		}},
	}
}
