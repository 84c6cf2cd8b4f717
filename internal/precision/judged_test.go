package precision

import (
	"math"
	"testing"
)

// TestJudged has results at both sides of each limit: comparisons are correct, a denormal operand may be zero, and a
// conversion rounds toward zero, or to one of the neighbors of an integer.
func TestJudged(t *testing.T) {
	const no, yes = 0.0, 1.0
	nan, inf, denormal := math.NaN(), math.Inf(1), 0x1p-130
	list := func(x ...float64) []float64 { return x }
	tested := map[string]bool{}
	for _, c := range []struct {
		name     string
		bits     int
		x        []float64
		yes, not []float64
	}{
		{"OpFOrdEqual", 32, list(1, 1), list(yes), list(no)},
		{"OpFUnordEqual", 32, list(0, math.Copysign(0, -1)), list(yes), list(no)},
		{"OpFOrdEqual", 32, list(1, nan), list(no, yes), nil},
		{"OpFOrdNotEqual", 16, list(1, 2), list(yes), list(no)},
		{"OpFUnordNotEqual", 64, list(0x1p-1050, 0x1p-1060), list(yes, no), nil},
		{"OpFOrdLessThan", 32, list(0, denormal), list(yes, no), nil},
		{"OpFOrdLessThan", 32, list(1, 2), list(yes), list(no)},
		{"OpFUnordLessThan", 32, list(2, 2), list(no), list(yes)},
		{"OpFOrdGreaterThan", 32, list(denormal, 2*denormal), list(no, yes), nil},
		{"OpFUnordGreaterThan", 32, list(3, 2), list(yes), list(no)},
		{"OpFOrdLessThanEqual", 32, list(2, 2), list(yes), list(no)},
		{"OpFUnordLessThanEqual", 32, list(3, 2), list(no), list(yes)},
		{"OpFOrdGreaterThanEqual", 32, list(2, 2), list(yes), list(no)},
		{"OpFUnordGreaterThanEqual", 32, list(1, 2), list(no), list(yes)},
		{"OpSubgroupAllEqualKHR", 32, list(1, 1), list(yes), list(no)},
		{"OpGroupNonUniformAllEqual", 32, list(1, 2), list(no), list(yes)},
		{"OpIsNan", 32, list(1), list(no), list(yes)},
		{"OpIsInf", 32, list(inf), list(no, yes), nil},
		{"OpGroupNonUniformFMin", 32, list(1, 2), list(1), list(2)},
		{"OpGroupNonUniformFMax", 32, list(1, 2), list(2), list(1)},
		{"OpAtomicFMinEXT", 32, list(-1, 2), list(-1), list(2)},
		{"OpAtomicFMaxEXT", 32, list(-1, 2), list(2), list(-1)},
		{"OpAtomicFAddEXT", 32, list(1, 0x1p-30), list(1, next(1, 1)), list(next(1, 2), next(1, -1))},
		{"OpDPdx", 32, list(1, 3), list(2), list(-2)},
		{"OpDPdxCoarse", 32, list(1, 3), list(2), list(-2)},
		{"OpDPdxFine", 32, list(1, 1+0x1p-20), list(0x1p-20), list(0)},
		{"OpDPdy", 16, list(1, 3), list(2), list(-2)},
		{"OpDPdyCoarse", 32, list(3, 1), list(-2), list(2)},
		{"OpDPdyFine", 32, list(3, 1), list(-2), list(2)},
		{"OpFwidth", 32, list(1, 3, -1), list(4), list(0, next(4, 1))},
		{"OpFwidthCoarse", 32, list(1, 0, 1), list(1), list(-1)},
		{"OpFwidthCoarse", 32, list(0x1p-30, -1, -0x1p-24), list(1, next(1, 1), next(1, 2)), list(next(1, 4))}, // each derivative is rounded up, and the sum
		{"OpFwidthFine", 32, list(1, 1, 0.5), list(0.5), list(-0.5)},
		{"OpConvertSToF to 16", 32, list(2049), list(2048, 2050), list(2046, 2052)},
		{"OpConvertSToF to 16", 32, list(-70000), list(-65504, -inf), list(inf)},
		{"OpConvertSToF to 32", 32, list(1<<24 + 1), list(1<<24, 1<<24+2), list(1<<24 + 4)},
		{"OpConvertSToF to 64", 32, list(math.MaxInt32), list(math.MaxInt32, math.MaxInt32-127), list(math.MaxInt32+2, math.MaxInt32-128)}, // as precise as 32 bits at least,
		{"OpConvertUToF to 16", 16, list(65535), list(65504, inf), list(65472)},
		{"OpConvertUToF to 32", 32, list(math.MaxUint32), list(1<<32, 1<<32-256), list(1<<32 - 512)},
		{"OpConvertUToF to 64", 64, list(1 << 52), list(1 << 52), list(1<<52 + 1)},
		{"OpConvertFToS to 16", 32, list(-32768.9), list(-32768), list(-32767)},
		{"OpConvertFToS to 16", 32, list(32768), list(0, 32767), nil},
		{"OpConvertFToS to 32", 64, list(2147483647.5), list(2147483647), list(2147483648)},
		{"OpConvertFToS to 64", 32, list(-0x1p63), list(-0x1p63), list(0)},
		{"OpConvertFToU to 16", 32, list(-0.75), list(0), list(-1)},
		{"OpConvertFToU to 16", 32, list(-1), list(0, 65535), nil},
		{"OpConvertFToU to 32", 32, list(3.75), list(3), list(4)},
		{"OpConvertFToU to 64", 64, list(0x1p63), list(0x1p63), list(0)},
		{"PackHalf2x16", 32, list(2049), list(2048, 2050), list(2046, 2052)},
	} {
		tested[c.name] = true
		q := Query{Instruction: c.name, Bits: c.bits}
		for _, v := range c.x {
			q.Operands = append(q.Operands, []float64{v})
		}
		s, err := Allowed(t.Context(), q)
		if err != nil || len(s) != 1 {
			t.Fatal(c.name, err, s)
		}
		for _, v := range c.yes {
			if !s[0].Has(v) {
				t.Errorf("%s of %v: %.9g is not permitted; must be: %+v", c.name, c.x, v, s[0])
			}
		}
		for _, v := range c.not {
			if s[0].Has(v) {
				t.Errorf("%s of %v: %.9g is permitted; must not be: %+v", c.name, c.x, v, s[0])
			}
		}
	}
	for _, i := range Judged() {
		if !tested[i.Name] {
			t.Errorf("%s has no case", i.Name)
		}
		if _, ok := Find(i.Name); ok {
			t.Errorf("%s is in both lists", i.Name)
		}
	}
}
