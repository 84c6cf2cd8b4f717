package lower

import "math/big"

// conversionModels are the conversions between widths and kinds (SPIR-V
// §3.3.11). Out of range an integer is the nearest that there is, and of NaN it
// is 0 (docs/undefined.md).
func conversionModels() []model {
	toInt := func(signed bool) func(w, from uint, x uint64) uint64 {
		return func(w, from uint, bits uint64) uint64 {
			x := decodeFloat(from, bits)
			switch {
			case x.nan:
				return 0
			case x.inf && x.negative:
				return clamp(w, signed, new(big.Int).Neg(pow2(99)))
			case x.inf:
				return clamp(w, signed, pow2(99))
			}
			v := x.signed()
			return clamp(w, signed, new(big.Int).Quo(v.Num(), v.Denom())) // toward zero
		}
	}
	return []model{
		{name: "OpUConvert", args: 1, convert: func(w, _ uint, x uint64) uint64 { return wrap(w, u(x)) }},
		{name: "OpSConvert", args: 1, convert: func(w, from uint, x uint64) uint64 { return wrap(w, s(from, x)) }},
		{name: "OpConvertUToF", args: 1, float: true, convert: func(w, _ uint, x uint64) uint64 {
			return round(w, new(big.Rat).SetInt(u(x)), false)
		}},
		{name: "OpConvertSToF", args: 1, float: true, convert: func(w, from uint, x uint64) uint64 {
			return round(w, new(big.Rat).SetInt(s(from, x)), false)
		}},
		{name: "OpConvertFToU", args: 1, fromFloat: true, convert: toInt(false)},
		{name: "OpConvertFToS", args: 1, fromFloat: true, convert: toInt(true)},
		{name: "OpFConvert", args: 1, float: true, fromFloat: true, convert: func(w, from uint, bits uint64) uint64 {
			switch x := decodeFloat(from, bits); {
			case x.nan:
				return nanBits(w)
			case x.inf:
				return infBits(w, x.negative)
			default:
				return round(w, x.signed(), x.negative)
			}
		}},
	}
}
