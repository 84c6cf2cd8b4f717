package lower

import "math/big"

// bit returns bit i of x, from 0; bits above the top are 0.
func bit(x uint64, i uint64) uint64 {
	if i > 63 {
		return 0
	}
	return x >> i & 1
}

// bitModels are the instructions on bits, each by its bits.
func bitModels() []model {
	one := func(name string, f func(w uint, x uint64) uint64) model {
		return model{name: name, args: 1, value: func(w uint, x []uint64) uint64 { return f(w, x[0]) }}
	}
	each := func(name string, f func(x, y uint64) uint64) model {
		return model{name: name, args: 2, value: func(w uint, x []uint64) (r uint64) {
			for i := range uint64(w) {
				r |= f(bit(x[0], i), bit(x[1], i)) << i
			}
			return r
		}}
	}
	// An amount counts modulo the width (docs/undefined.md).
	shift := func(name string, f func(w uint, x uint64, n uint) *big.Int) model {
		return model{name: name, args: 2, value: func(w uint, x []uint64) uint64 { return wrap(w, f(w, x[0], uint(x[1]%uint64(w)))) }}
	}
	none := func(w uint) uint64 { return wrap(w, big.NewInt(-1)) }
	lowest := func(w uint, x uint64) uint64 {
		for i := range uint64(w) {
			if bit(x, i) == 1 {
				return i
			}
		}
		return none(w)
	}
	highest := func(w uint, x, of uint64) uint64 {
		for i := uint64(w); i > 0; i-- {
			if bit(x, i-1) == of {
				return i - 1
			}
		}
		return none(w)
	}
	return append(fieldModels(), []model{
		one("OpSNegate", func(w uint, x uint64) uint64 { return wrap(w, new(big.Int).Neg(u(x))) }),
		one("OpNot", func(w uint, x uint64) uint64 { return wrap(w, new(big.Int).Not(u(x))) }),
		one("OpBitReverse", func(w uint, x uint64) (r uint64) {
			for i := range uint64(w) {
				r |= bit(x, i) << (uint64(w) - 1 - i)
			}
			return r
		}),
		one("OpBitCount", func(w uint, x uint64) (n uint64) {
			for i := range uint64(w) {
				n += bit(x, i)
			}
			return n
		}),
		one("FindILsb", lowest),
		one("FindUMsb", func(w uint, x uint64) uint64 { return highest(w, x, 1) }),
		one("FindSMsb", func(w uint, x uint64) uint64 { return highest(w, x, 1-bit(x, uint64(w)-1)) }),
		one("OpUCountTrailingZerosINTEL", func(w uint, x uint64) uint64 {
			if x == 0 {
				return uint64(w)
			}
			return lowest(w, x)
		}),
		one("OpUCountLeadingZerosINTEL", func(w uint, x uint64) uint64 {
			if x == 0 {
				return uint64(w)
			}
			return uint64(w) - 1 - highest(w, x, 1)
		}),
		one("SAbs", func(w uint, x uint64) uint64 { return wrap(w, new(big.Int).Abs(s(w, x))) }),
		one("SSign", func(w uint, x uint64) uint64 { return wrap(w, big.NewInt(int64(s(w, x).Sign()))) }),
		each("OpBitwiseAnd", func(x, y uint64) uint64 { return x * y }),
		each("OpBitwiseOr", func(x, y uint64) uint64 { return max(x, y) }),
		each("OpBitwiseXor", func(x, y uint64) uint64 { return (x + y) % 2 }),
		shift("OpShiftLeftLogical", func(_ uint, x uint64, n uint) *big.Int { return new(big.Int).Lsh(u(x), n) }),
		shift("OpShiftRightLogical", func(_ uint, x uint64, n uint) *big.Int { return new(big.Int).Rsh(u(x), n) }),
		shift("OpShiftRightArithmetic", func(w uint, x uint64, n uint) *big.Int { return new(big.Int).Rsh(s(w, x), n) }),
	}...)
}

// fieldModels are the bit fields, with offsets and counts inside the width and
// past it: bits above the top read 0 and vanish, a field has at most the width.
func fieldModels() []model {
	amounts := func(w uint) []uint64 {
		return []uint64{0, 1, 3, uint64(w) / 2, uint64(w) - 1, uint64(w), uint64(w) + 1, 127}
	}
	extract := func(name string, signed bool) model {
		return model{
			name: name, args: 3,
			domain: func(w uint) [4][]uint64 { return [4][]uint64{intEdges(w), amounts(w), amounts(w)} },
			value: func(w uint, x []uint64) (r uint64) {
				n := min(x[2], uint64(w))
				for i := range n {
					if x[1]+i < uint64(w) {
						r |= bit(x[0], x[1]+i) << i
					}
				}
				if signed && n > 0 && bit(r, n-1) == 1 {
					for i := n; i < uint64(w); i++ {
						r |= 1 << i
					}
				}
				return r
			},
		}
	}
	return []model{
		extract("OpBitFieldUExtract", false), extract("OpBitFieldSExtract", true),
		{
			name: "OpBitFieldInsert", args: 4,
			domain: func(w uint) [4][]uint64 {
				return [4][]uint64{intEdges(w)[:8], intEdges(w)[4:13], amounts(w), amounts(w)}
			},
			value: func(w uint, x []uint64) uint64 {
				r := x[0]
				for i := range min(x[3], uint64(w)) {
					if at := x[2] + i; at < uint64(w) {
						r = r&^(1<<at) | bit(x[1], i)<<at
					}
				}
				return r
			},
		},
	}
}
