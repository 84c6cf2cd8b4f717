package precision

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

// TestIntegers has results that SPIR-V states for each instruction, at the limits of each definition. want is nil if the result is
// undefined.
func TestIntegers(t *testing.T) {
	list := func(x ...int64) []int64 { return x }
	const least8, least32 = math.MinInt8, math.MinInt32
	tested := map[string]bool{}
	for _, c := range []struct {
		name    string
		bits    int
		x, want []int64
	}{
		{"OpSNegate", 8, list(least8), list(least8)},
		{"OpIAdd", 32, list(math.MaxInt32, 1), list(least32)},
		{"OpISub", 16, list(math.MinInt16, 1), list(math.MaxInt16)},
		{"OpIMul", 64, list(1<<62, 4), list(0)},
		{"OpUDiv", 32, list(7, 2), list(3)},
		{"OpUDiv", 32, list(7, 0), nil},
		{"OpUMod", 32, list(7, 4), list(3)},
		{"OpUMod", 64, list(7, 0), nil},
		{"OpSDiv", 32, list(-7, 2), list(-3)},
		{"OpSDiv", 32, list(-7, 0), nil},
		{"OpSDiv", 8, list(least8, -1), nil},
		{"OpSRem", 32, list(7, 4), list(3)},
		{"OpSRem", 32, list(-7, 4), nil}, // without maintenance8
		{"OpSRem", 32, list(7, -4), nil},
		{"OpSMod", 32, list(7, 4), list(3)},
		{"OpSMod", 32, list(7, -4), nil},
		{"OpSMod", 32, list(7, 0), nil},
		{"OpShiftRightLogical", 8, list(0x80, 7), list(1)},
		{"OpShiftRightLogical", 8, list(0x80, 8), nil},
		{"OpShiftRightArithmetic", 8, list(least8, 7), list(-1)},
		{"OpShiftLeftLogical", 32, list(3, 31), list(1 << 31)},
		{"OpShiftLeftLogical", 32, list(3, 40), nil},
		{"OpBitwiseOr", 8, list(0xf0, 0x3c), list(0xfc)},
		{"OpBitwiseXor", 8, list(0xf0, 0x3c), list(0xcc)},
		{"OpBitwiseAnd", 8, list(0xf0, 0x3c), list(0x30)},
		{"OpNot", 8, list(0xf0), list(0x0f)},
		{"OpBitFieldSExtract", 32, list(0xf0, 4, 4), list(-1)},
		{"OpBitFieldSExtract", 32, list(-1, 4, 0), list(0)},
		{"OpBitFieldSExtract", 32, list(-1, 0, 32), list(-1)},
		{"OpBitFieldSExtract", 32, list(-1, 1, 32), nil},
		{"OpBitFieldUExtract", 32, list(0xf0, 4, 8), list(0xf)},
		{"OpBitFieldUExtract", 32, list(0xf0, 33, 0), nil},
		{"OpBitFieldInsert", 32, list(0xff, 0, 4, 2), list(0xcf)},
		{"OpBitFieldInsert", 32, list(0xff, 5, 32, 0), list(0xff)},
		{"OpBitFieldInsert", 32, list(0xff, 5, math.MaxUint32, 2), nil},
		{"OpBitReverse", 16, list(1), list(0x8000)},
		{"OpBitCount", 64, list(0x7001), list(4)},
		{"OpUGreaterThan", 32, list(2, 1), list(1)},
		{"OpSGreaterThan", 32, list(-1, 1), list(0)},
		{"OpUGreaterThanEqual", 32, list(1, 1), list(1)},
		{"OpSGreaterThanEqual", 32, list(-1, 0), list(0)},
		{"OpULessThan", 32, list(1, 1), list(0)},
		{"OpSLessThan", 32, list(-1, 0), list(1)},
		{"OpULessThanEqual", 32, list(2, 1), list(0)},
		{"OpSLessThanEqual", 32, list(-1, -1), list(1)},
		{"OpIEqual", 32, list(1, 1), list(1)},
		{"OpINotEqual", 32, list(1, 1), list(0)},
		{"UMin", 32, list(1, 2), list(1)},
		{"UMax", 32, list(1, 2), list(2)},
		{"UClamp", 32, list(9, 2, 5), list(5)},
		{"UClamp", 32, list(9, 5, 2), nil},
		{"SMin", 32, list(1, -2), list(-2)},
		{"SMax", 32, list(1, -2), list(1)},
		{"SClamp", 32, list(-9, -2, 5), list(-2)},
		{"SClamp", 32, list(-9, 1, 0), nil},
		{"SAbs", 32, list(-5), list(5)},
		{"SSign", 32, list(-5), list(-1)},
		{"FindILsb", 64, list(0x50), list(4)},
		{"FindILsb", 64, list(0), list(-1)},
		{"FindUMsb", 32, list(0x50), list(6)},
		{"FindUMsb", 32, list(0), list(-1)},
		{"FindSMsb", 32, list(-0x51), list(6)},
		{"FindSMsb", 32, list(-1), list(-1)},
		{"OpIAddCarry", 8, list(0xff, 2), list(1, 1)},
		{"OpIAddCarry", 8, list(0x7f, 2), list(0x81, 0)},
		{"OpISubBorrow", 8, list(1, 2), list(0xff, 1)},
		{"OpISubBorrow", 8, list(2, 2), list(0, 0)},
		{"OpUMulExtended", 8, list(0xff, 0xff), list(1, 0xfe)},
		{"OpSMulExtended", 8, list(-1, 2), list(-2, -1)},
		{"OpSConvert to 8", 32, list(0x180), list(least8)},
		{"OpSConvert to 16", 8, list(-1), list(-1)},
		{"OpSConvert to 32", 16, list(-1), list(-1)},
		{"OpSConvert to 64", 32, list(least32), list(least32)},
		{"OpUConvert to 8", 16, list(0x180), list(0x80)},
		{"OpUConvert to 16", 8, list(0xff), list(0xff)},
		{"OpUConvert to 32", 16, list(0xffff), list(0xffff)},
		{"OpUConvert to 64", 32, list(math.MaxUint32), list(math.MaxUint32)},
		{"OpGroupNonUniformIAdd", 8, list(100, 100), list(-56)},
		{"OpAtomicIAdd", 32, list(1, 2), list(3)},
		{"OpAtomicISub", 32, list(1, 2), list(-1)},
		{"OpGroupNonUniformIMul", 32, list(3, 4), list(12)},
		{"OpGroupNonUniformBitwiseAnd", 32, list(6, 3), list(2)},
		{"OpAtomicAnd", 32, list(6, 3), list(2)},
		{"OpGroupNonUniformBitwiseOr", 32, list(6, 3), list(7)},
		{"OpAtomicOr", 32, list(6, 3), list(7)},
		{"OpGroupNonUniformBitwiseXor", 32, list(6, 3), list(5)},
		{"OpAtomicXor", 32, list(6, 3), list(5)},
		{"OpGroupNonUniformSMin", 32, list(-6, 3), list(-6)},
		{"OpAtomicSMin", 32, list(-6, 3), list(-6)},
		{"OpGroupNonUniformSMax", 32, list(-6, 3), list(3)},
		{"OpAtomicSMax", 32, list(-6, 3), list(3)},
		{"OpGroupNonUniformUMin", 32, list(6, 3), list(3)},
		{"OpAtomicUMin", 32, list(6, 3), list(3)},
		{"OpGroupNonUniformUMax", 32, list(6, 3), list(6)},
		{"OpAtomicUMax", 32, list(6, 3), list(6)},
	} {
		tested[c.name] = true
		q := IntegerQuery{Instruction: c.name, Bits: c.bits}
		for _, v := range c.x {
			q.Operands = append(q.Operands, []*big.Int{big.NewInt(v)})
		}
		answers(t, q, c.want)
	}
	for _, i := range Integers() {
		if !tested[i.Name] && !strings.Contains(i.Name, "Dot") { // TestIntegerDots
			t.Errorf("no results of %s", i.Name)
		}
	}
}

// answers compares the permitted results of a question; nil is one undefined result.
func answers(t *testing.T, q IntegerQuery, want []int64) {
	t.Helper()
	got, err := AllowedIntegers(q)
	if err != nil {
		t.Errorf("%v: %v", q, err)
		return
	}
	if want == nil {
		if len(got) != 1 || got[0] != nil {
			t.Errorf("%v: %v; want any", q, got)
		}
		return
	}
	if len(got) != len(want) {
		t.Errorf("%v: %v; want %v", q, got, want)
		return
	}
	for n, v := range want {
		if got[n] == nil || got[n].Cmp(big.NewInt(v)) != 0 {
			t.Errorf("%v: %v; want %v", q, got, want)
		}
	}
}

// TestIntegerDots has dot products of all widths of results: the low bits, or an addition that saturates after products that do not
// overflow.
func TestIntegerDots(t *testing.T) {
	vector := func(x ...int64) (v []*big.Int) {
		for _, y := range x {
			v = append(v, big.NewInt(y))
		}
		return v
	}
	least := vector(math.MinInt8, math.MinInt8)
	for _, c := range []struct {
		name string
		x    [][]*big.Int
		want []int64
	}{
		{"OpSDot to 8", [][]*big.Int{vector(100, 1), vector(2, 56)}, []int64{0}},
		{"OpSDot to 16", [][]*big.Int{least, least}, []int64{math.MinInt16}},
		{"OpSDot to 32", [][]*big.Int{least, least}, []int64{1 << 15}},
		{"OpSDot to 64", [][]*big.Int{least, vector(1, 2)}, []int64{-384}},
		{"OpUDot to 8", [][]*big.Int{vector(255), vector(255)}, []int64{1}},
		{"OpUDot to 16", [][]*big.Int{vector(255, 255), vector(255, 255)}, []int64{2*255*255 - 1<<16}},
		{"OpUDot to 32", [][]*big.Int{vector(255, 255), vector(255, 255)}, []int64{2 * 255 * 255}},
		{"OpUDot to 64", [][]*big.Int{vector(1, 2, 3, 4), vector(5, 6, 7, 8)}, []int64{70}},
		{"OpSUDot to 8", [][]*big.Int{vector(-1), vector(255)}, []int64{1}},
		{"OpSUDot to 16", [][]*big.Int{vector(-1, -1), vector(255, 1)}, []int64{-256}},
		{"OpSUDot to 32", [][]*big.Int{least, vector(255, 255)}, []int64{-2 * 128 * 255}},
		{"OpSUDot to 64", [][]*big.Int{vector(-1), vector(1)}, []int64{-1}},
		{"OpSDotAccSat to 8", [][]*big.Int{vector(10, 1), vector(10, 20), vector(100)}, []int64{math.MaxInt8}},
		{"OpSDotAccSat to 8", [][]*big.Int{vector(10, -10), vector(10, -10), vector(-100)}, nil}, // 200 is no 8-bit integer
		{"OpSDotAccSat to 8", [][]*big.Int{vector(10, 10, -10), vector(10, 10, 10), vector(0)}, nil},
		{"OpSDotAccSat to 16", [][]*big.Int{vector(-1), vector(1), vector(math.MinInt16)}, []int64{math.MinInt16}},
		{"OpSDotAccSat to 16", [][]*big.Int{least, least, vector(0)}, nil},
		{"OpSDotAccSat to 32", [][]*big.Int{least, least, vector(math.MaxInt32)}, []int64{math.MaxInt32}},
		{"OpSDotAccSat to 64", [][]*big.Int{least, least, vector(-1)}, []int64{1<<15 - 1}},
		{"OpUDotAccSat to 8", [][]*big.Int{vector(15), vector(10), vector(110)}, []int64{255}},
		{"OpUDotAccSat to 8", [][]*big.Int{vector(16), vector(16), vector(0)}, nil},
		{"OpUDotAccSat to 16", [][]*big.Int{vector(255), vector(255), vector(math.MaxUint16)}, []int64{math.MaxUint16}},
		{"OpUDotAccSat to 32", [][]*big.Int{vector(1), vector(2), vector(3)}, []int64{5}},
		{"OpUDotAccSat to 64", [][]*big.Int{vector(1), vector(2), vector(3)}, []int64{5}},
		{"OpSUDotAccSat to 8", [][]*big.Int{vector(-1), vector(100), vector(-100)}, []int64{math.MinInt8}},
		{"OpSUDotAccSat to 16", [][]*big.Int{vector(-1), vector(1), vector(1)}, []int64{0}},
		{"OpSUDotAccSat to 32", [][]*big.Int{vector(-1), vector(1), vector(math.MinInt32)}, []int64{math.MinInt32}},
		{"OpSUDotAccSat to 64", [][]*big.Int{vector(-1), vector(1), vector(0)}, []int64{-1}},
	} {
		answers(t, IntegerQuery{Instruction: c.name, Bits: 8, Operands: c.x}, c.want)
	}
}

// TestSignedRemainder has the signs of the operand and of the divisor, with maintenance8.
func TestSignedRemainder(t *testing.T) {
	for _, c := range []struct {
		name       string
		x, y, want int64
	}{
		{"OpSRem", -7, 4, -3}, {"OpSRem", 7, -4, 3}, {"OpSRem", -7, -4, -3}, {"OpSRem", -8, 4, 0},
		{"OpSMod", -7, 4, 1}, {"OpSMod", 7, -4, -1}, {"OpSMod", -7, -4, -3}, {"OpSMod", -8, 4, 0},
	} {
		answers(t, IntegerQuery{Instruction: c.name, Bits: 32, Operands: [][]*big.Int{{big.NewInt(c.x)}, {big.NewInt(c.y)}}, SignedRemainder: true}, []int64{c.want})
	}
	answers(t, IntegerQuery{Instruction: "OpSRem", Bits: 32, Operands: [][]*big.Int{{big.NewInt(math.MinInt32)}, {big.NewInt(-1)}}, SignedRemainder: true}, nil)
}

// TestIntegerFaults has questions without an answer.
func TestIntegerFaults(t *testing.T) {
	one := []*big.Int{big.NewInt(1)}
	two := []*big.Int{big.NewInt(1), big.NewInt(1)}
	for text, q := range map[string]IntegerQuery{
		"no instruction on integers":  {Instruction: "OpFAdd", Bits: 32, Operands: [][]*big.Int{one, one}},
		"no operands of 64 bits":      {Instruction: "FindUMsb", Bits: 64, Operands: [][]*big.Int{one}},
		"has 2 operands; 1 are given": {Instruction: "OpIAdd", Bits: 32, Operands: [][]*big.Int{one}},
		"operand 2 has 1 components":  {Instruction: "OpIAdd", Bits: 32, Operands: [][]*big.Int{two, one}},
		"operand 3 has 2 components":  {Instruction: "OpUDotAccSat to 32", Bits: 8, Operands: [][]*big.Int{two, two, two}},
	} {
		if _, err := AllowedIntegers(q); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v; want %s", q, err, text)
		}
	}
}
