package conformance

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// edgeCase is an instruction on scalars of a width, and what it gives by the
// specification or docs/undefined.md, written with integers of math/big and with
// floats of 64 bits that are rounded once.
type edgeCase struct {
	text   string // %a, %b and %c are the operands; %T their type, %S it with a sign, %R the result's
	args   int
	result string // "" as the operands; else a type without width (bool), or with one
	want   func(w int, x []uint64) uint64
}

func mask(w int) uint64 { return ^uint64(0) >> (64 - w) }

// extended is the value of bits with a sign.
func extended(w int, x uint64) *big.Int { return big.NewInt(int64(x<<(64-w)) >> (64 - w)) }
func unsigned(x uint64) *big.Int        { return new(big.Int).SetUint64(x) }

// low is the low bits of a number.
func low(w int, v *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(w))
	return new(big.Int).Mod(v, m).Uint64()
}

// ofSigned and ofUnsigned are instructions that compute with numbers.
func ofSigned(f func(x, y *big.Int) *big.Int) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 { return low(w, f(extended(w, x[0]), extended(w, x[len(x)-1]))) }
}

func ofUnsigned(f func(x, y *big.Int) *big.Int) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 { return low(w, f(unsigned(x[0]), unsigned(x[len(x)-1]))) }
}

func compares(sign bool, f func(c int) bool) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 {
		a, b := unsigned(x[0]), unsigned(x[1])
		if sign {
			a, b = extended(w, x[0]), extended(w, x[1])
		}
		return truth(f(a.Cmp(b)))
	}
}

// divided is f, or −1 where y is 0.
func divided(f func(x, y *big.Int) *big.Int) func(x, y *big.Int) *big.Int {
	return func(x, y *big.Int) *big.Int {
		if y.Sign() == 0 {
			return big.NewInt(-1)
		}
		return f(x, y)
	}
}

// floorMod is the remainder that has the sign of y.
func floorMod(x, y *big.Int) *big.Int {
	r := new(big.Int).Rem(x, y)
	if r.Sign() != 0 && r.Sign() != y.Sign() {
		r.Add(r, y)
	}
	return r
}

func core(name string, n int) string { return "%r = " + name + " %R" + " %a %b %c"[:3*n] }
func glsl(name string, n int) string { return "%r = OpExtInst %R %glsl " + name + " %a %b %c"[:3*n] }

func pickBig(less bool) func(x, y *big.Int) *big.Int {
	return func(x, y *big.Int) *big.Int {
		if (x.Cmp(y) < 0) == less {
			return x
		}
		return y
	}
}

// integerEdges are the instructions of integers of every width.
var integerEdges = []edgeCase{
	{core("OpIAdd", 2), 2, "", ofUnsigned(func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) })},
	{core("OpISub", 2), 2, "", ofUnsigned(func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) })},
	{core("OpIMul", 2), 2, "", ofUnsigned(func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })},
	{core("OpUDiv", 2), 2, "", ofUnsigned(divided(func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) }))},
	{core("OpUMod", 2), 2, "", ofUnsigned(divided(func(x, y *big.Int) *big.Int { return new(big.Int).Rem(x, y) }))},
	{core("OpSDiv", 2), 2, "", ofSigned(divided(func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) }))},
	{core("OpSRem", 2), 2, "", ofSigned(divided(func(x, y *big.Int) *big.Int { return new(big.Int).Rem(x, y) }))},
	{core("OpSMod", 2), 2, "", ofSigned(divided(floorMod))},
	{core("OpSNegate", 1), 1, "", ofSigned(func(x, _ *big.Int) *big.Int { return new(big.Int).Neg(x) })},
	{core("OpNot", 1), 1, "", func(w int, x []uint64) uint64 { return ^x[0] & mask(w) }},
	{core("OpBitwiseAnd", 2), 2, "", func(w int, x []uint64) uint64 { return x[0] & x[1] }},
	{core("OpBitwiseOr", 2), 2, "", func(w int, x []uint64) uint64 { return x[0] | x[1] }},
	{core("OpBitwiseXor", 2), 2, "", func(w int, x []uint64) uint64 { return x[0] ^ x[1] }},
	{core("OpShiftLeftLogical", 2), 2, "", func(w int, x []uint64) uint64 { return low(w, new(big.Int).Lsh(unsigned(x[0]), uint(x[1]%uint64(w)))) }},
	{core("OpShiftRightLogical", 2), 2, "", func(w int, x []uint64) uint64 { return low(w, new(big.Int).Rsh(unsigned(x[0]), uint(x[1]%uint64(w)))) }},
	{core("OpShiftRightArithmetic", 2), 2, "", func(w int, x []uint64) uint64 {
		return low(w, new(big.Int).Rsh(extended(w, x[0]), uint(x[1]%uint64(w))))
	}},
	{core("OpIEqual", 2), 2, "bool", compares(false, func(c int) bool { return c == 0 })},
	{core("OpINotEqual", 2), 2, "bool", compares(false, func(c int) bool { return c != 0 })},
	{core("OpULessThan", 2), 2, "bool", compares(false, func(c int) bool { return c < 0 })},
	{core("OpULessThanEqual", 2), 2, "bool", compares(false, func(c int) bool { return c <= 0 })},
	{core("OpUGreaterThan", 2), 2, "bool", compares(false, func(c int) bool { return c > 0 })},
	{core("OpUGreaterThanEqual", 2), 2, "bool", compares(false, func(c int) bool { return c >= 0 })},
	{core("OpSLessThan", 2), 2, "bool", compares(true, func(c int) bool { return c < 0 })},
	{core("OpSLessThanEqual", 2), 2, "bool", compares(true, func(c int) bool { return c <= 0 })},
	{core("OpSGreaterThan", 2), 2, "bool", compares(true, func(c int) bool { return c > 0 })},
	{core("OpSGreaterThanEqual", 2), 2, "bool", compares(true, func(c int) bool { return c >= 0 })},
	{core("OpBitCount", 1), 1, "", func(w int, x []uint64) uint64 { return uint64(bits.OnesCount64(x[0])) }},
	{core("OpBitReverse", 1), 1, "", func(w int, x []uint64) uint64 { return bits.Reverse64(x[0]) >> (64 - w) }},
	{"%r = OpBitFieldUExtract %R %a %b %c", 3, "", func(w int, x []uint64) uint64 {
		return field(w, x[0], x[1]&mask(32), x[2]&mask(32))
	}},
	{"%r = OpBitFieldSExtract %R %a %b %c", 3, "", func(w int, x []uint64) uint64 {
		offset, count := x[1]&mask(32), x[2]&mask(32)
		v, n := field(w, x[0], offset, count), min(count, uint64(w))
		if n > 0 && v>>(n-1)&1 == 1 {
			v |= mask(w) &^ (1<<n - 1)
		}
		return v
	}},
	{"%r = OpBitFieldInsert %R %a %b %c %c", 3, "", func(w int, x []uint64) uint64 { // offset and count alike
		n := x[2] & mask(32)
		for i := range min(n, uint64(w)) {
			if at := n + i; at < uint64(w) {
				x[0] = x[0]&^(1<<at) | x[1]>>i&1<<at
			}
		}
		return x[0]
	}},
	{glsl("UMin", 2), 2, "", ofUnsigned(pickBig(true))}, {glsl("UMax", 2), 2, "", ofUnsigned(pickBig(false))},
	{glsl("SMin", 2), 2, "", ofSigned(pickBig(true))}, {glsl("SMax", 2), 2, "", ofSigned(pickBig(false))},
	{glsl("SAbs", 1), 1, "", ofSigned(func(x, _ *big.Int) *big.Int { return new(big.Int).Abs(x) })},
	{glsl("SSign", 1), 1, "", ofSigned(func(x, _ *big.Int) *big.Int { return big.NewInt(int64(x.Sign())) })},
	{"%p = OpIAddCarry %P %a %b\n%r = OpCompositeExtract %R %p 1", 2, "", ofWide(func(w int, x, y *big.Int) *big.Int { return new(big.Int).Rsh(new(big.Int).Add(x, y), uint(w)) })},
	{"%p = OpISubBorrow %P %a %b\n%r = OpCompositeExtract %R %p 1", 2, "", func(w int, x []uint64) uint64 { return truth(x[0] < x[1]) }},
	{"%p = OpUMulExtended %P %a %b\n%r = OpCompositeExtract %R %p 1", 2, "", ofWide(func(w int, x, y *big.Int) *big.Int { return new(big.Int).Rsh(new(big.Int).Mul(x, y), uint(w)) })},
	{"%p = OpSMulExtended %P %a %b\n%r = OpCompositeExtract %R %p 1", 2, "", func(w int, x []uint64) uint64 {
		return low(w, new(big.Int).Rsh(new(big.Int).Mul(extended(w, x[0]), extended(w, x[1])), uint(w)))
	}},
}

// dotEdges are the dot products of the four bytes of words: with and without a
// sign, and with a sum that saturates.
var dotEdges = []edgeCase{
	{"%r = OpSDot %R %a %b PackedVectorFormat4x8Bit", 2, "", dotOf(true, true, nil)},
	{"%r = OpUDot %R %a %b PackedVectorFormat4x8Bit", 2, "", dotOf(false, false, nil)},
	{"%r = OpSUDot %R %a %b PackedVectorFormat4x8Bit", 2, "", dotOf(true, false, nil)},
	{"%r = OpSDotAccSat %R %a %b %c PackedVectorFormat4x8Bit", 3, "", dotOf(true, true, saturateSigned)},
	{"%r = OpUDotAccSat %R %a %b %c PackedVectorFormat4x8Bit", 3, "", dotOf(false, false, func(sum int64, acc uint64) int64 { return min(sum+int64(acc), math.MaxUint32) })},
	{"%r = OpSUDotAccSat %R %a %b %c PackedVectorFormat4x8Bit", 3, "", dotOf(true, false, saturateSigned)},
}

func saturateSigned(sum int64, acc uint64) int64 {
	return max(min(sum+int64(int32(acc)), math.MaxInt32), math.MinInt32)
}

// dotOf sums products of bytes that have a sign or not.
func dotOf(first, second bool, add func(sum int64, acc uint64) int64) func(int, []uint64) uint64 {
	part := func(sign bool, x uint64) int64 {
		if sign {
			return int64(int8(x))
		}
		return int64(uint8(x))
	}
	return func(w int, x []uint64) uint64 {
		sum := int64(0)
		for i := range 4 {
			sum += part(first, x[0]>>(8*i)) * part(second, x[1]>>(8*i))
		}
		if add != nil {
			sum = add(sum, x[2])
		}
		return uint64(sum) & mask(w)
	}
}

func ofWide(f func(w int, x, y *big.Int) *big.Int) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 { return low(w, f(w, unsigned(x[0]), unsigned(x[1]))) }
}

// field is a bit field without a sign: bits above the top read 0.
func field(w int, x, offset, count uint64) uint64 {
	v := uint64(0)
	for i := range min(count, uint64(w)) {
		if at := offset + i; offset < uint64(w) && at < uint64(w) {
			v |= x >> at & 1 << i
		}
	}
	return v
}

// toFloat and fromFloat read and round floats of a width, the latter to nearest,
// ties to even; a NaN is the canonical one.
func toFloat(w int, x uint64) float64 {
	switch w {
	case 64:
		return math.Float64frombits(x)
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	s, e, f := float64(1-2*int(x>>15)), int(x>>10&31), float64(x&1023)
	switch e {
	case 0:
		return s * f * 0x1p-24
	case 31:
		if f != 0 {
			return math.NaN()
		}
		return s * math.Inf(1)
	}
	return s * math.Ldexp(1024+f, e-25)
}

func fromFloat(w int, v float64) uint64 {
	switch {
	case v != v:
		return map[int]uint64{16: 0x7e00, 32: 0x7fc00000, 64: 0x7ff8000000000000}[w]
	case w == 64:
		return math.Float64bits(v)
	case w == 32:
		return uint64(math.Float32bits(float32(v)))
	}
	sign := math.Float64bits(v) >> 63 << 15
	a := math.Abs(v)
	if math.IsInf(a, 0) {
		return sign | 0x7c00
	}
	step := 0x1p-24
	if a >= 0x1p-14 {
		step = math.Ldexp(1, math.Ilogb(a)-10)
	}
	if a = math.RoundToEven(a/step) * step; a >= 65520 {
		return sign | 0x7c00
	}
	if a < 0x1p-14 {
		return sign | uint64(a*0x1p24)
	}
	e := math.Ilogb(a)
	return sign | uint64(e+15)<<10 | uint64(math.Ldexp(a, 10-e))&1023
}

// ofFloats rounds what float64 gives once: for + − · ÷ and √ of 16 and 32 bits
// that is the same as rounding the exact result.
func ofFloats(f func(x []float64) float64) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 {
		v := make([]float64, len(x))
		for i := range x {
			v[i] = toFloat(w, x[i])
		}
		return fromFloat(w, f(v))
	}
}

func asks(f func(x, y float64) bool) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 { return truth(f(toFloat(w, x[0]), toFloat(w, x[len(x)-1]))) }
}

// chosen is the first operand or, where f says so, the second: its bits, since a
// NaN only travels.
func chosen(f func(x, y float64) bool) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 {
		if f(toFloat(w, x[0]), toFloat(w, x[1])) {
			return x[1]
		}
		return x[0]
	}
}

// quiet makes a NaN that comes out canonical.
func quiet(f func(int, []uint64) uint64) func(int, []uint64) uint64 {
	return func(w int, x []uint64) uint64 { return fromFloat(w, toFloat(w, f(w, x))) }
}

func unordered(x, y float64) bool { return x != x || y != y }

// floatEdges are the instructions of floats of every width.
var floatEdges = []edgeCase{
	{core("OpFAdd", 2), 2, "", ofFloats(func(x []float64) float64 { return x[0] + x[1] })},
	{core("OpFSub", 2), 2, "", ofFloats(func(x []float64) float64 { return x[0] - x[1] })},
	{core("OpFMul", 2), 2, "", ofFloats(func(x []float64) float64 { return x[0] * x[1] })},
	{core("OpFDiv", 2), 2, "", ofFloats(func(x []float64) float64 { return x[0] / x[1] })},
	{core("OpFRem", 2), 2, "", ofFloats(func(x []float64) float64 { return math.Mod(x[0], x[1]) })},
	{core("OpFNegate", 1), 1, "", func(w int, x []uint64) uint64 { return x[0] ^ 1<<(w-1) }},
	{core("OpIsNan", 1), 1, "bool", asks(func(x, _ float64) bool { return x != x })},
	{core("OpIsInf", 1), 1, "bool", asks(func(x, _ float64) bool { return math.IsInf(x, 0) })},
	{core("OpFOrdEqual", 2), 2, "bool", asks(func(x, y float64) bool { return x == y })},
	{core("OpFOrdNotEqual", 2), 2, "bool", asks(func(x, y float64) bool { return x < y || x > y })},
	{core("OpFOrdLessThan", 2), 2, "bool", asks(func(x, y float64) bool { return x < y })},
	{core("OpFOrdLessThanEqual", 2), 2, "bool", asks(func(x, y float64) bool { return x <= y })},
	{core("OpFOrdGreaterThan", 2), 2, "bool", asks(func(x, y float64) bool { return x > y })},
	{core("OpFOrdGreaterThanEqual", 2), 2, "bool", asks(func(x, y float64) bool { return x >= y })},
	{core("OpFUnordEqual", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x == y })},
	{core("OpFUnordNotEqual", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x != y })},
	{core("OpFUnordLessThan", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x < y })},
	{core("OpFUnordLessThanEqual", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x <= y })},
	{core("OpFUnordGreaterThan", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x > y })},
	{core("OpFUnordGreaterThanEqual", 2), 2, "bool", asks(func(x, y float64) bool { return unordered(x, y) || x >= y })},
	{glsl("FAbs", 1), 1, "", func(w int, x []uint64) uint64 { return x[0] &^ (1 << (w - 1)) }},
	{glsl("FSign", 1), 1, "", ofFloats(func(x []float64) float64 {
		switch {
		case x[0] > 0:
			return 1
		case x[0] < 0:
			return -1
		}
		return 0
	})},
	{glsl("Floor", 1), 1, "", ofFloats(func(x []float64) float64 { return math.Floor(x[0]) })},
	{glsl("Ceil", 1), 1, "", ofFloats(func(x []float64) float64 { return math.Ceil(x[0]) })},
	{glsl("Trunc", 1), 1, "", ofFloats(func(x []float64) float64 { return math.Trunc(x[0]) })},
	{glsl("Round", 1), 1, "", ofFloats(func(x []float64) float64 { return math.RoundToEven(x[0]) })},
	{glsl("RoundEven", 1), 1, "", ofFloats(func(x []float64) float64 { return math.RoundToEven(x[0]) })},
	{glsl("Fract", 1), 1, "", ofFloats(func(x []float64) float64 { return x[0] - math.Floor(x[0]) })},
	{glsl("Sqrt", 1), 1, "", ofFloats(func(x []float64) float64 { return math.Sqrt(x[0]) })},
	{glsl("FMin", 2), 2, "", chosen(func(x, y float64) bool { return !(x < y) })},
	{glsl("FMax", 2), 2, "", chosen(func(x, y float64) bool { return !(y < x) })},
	{glsl("NMin", 2), 2, "", quiet(chosen(func(x, y float64) bool {
		return x != x || y < x || x == y && math.Signbit(y)
	}))},
	{glsl("NMax", 2), 2, "", quiet(chosen(func(x, y float64) bool {
		return x != x || y > x || x == y && !math.Signbit(y)
	}))},
	{glsl("Step", 2), 2, "", ofFloats(func(x []float64) float64 {
		if x[1] < x[0] {
			return 0
		}
		return 1
	})},
	{glsl("Fma", 3), 3, "", fused},
}

// fused is x·y + z, rounded once.
func fused(w int, x []uint64) uint64 {
	a, b, c := toFloat(w, x[0]), toFloat(w, x[1]), toFloat(w, x[2])
	if w == 64 {
		return fromFloat(64, math.FMA(a, b, c))
	}
	p := a * b // exact
	if s := p + c; s != s || math.IsInf(s, 0) || s == 0 || p == 0 || c == 0 {
		return fromFloat(w, s)
	}
	exact := new(big.Float).SetPrec(800).Add(big.NewFloat(p), big.NewFloat(c))
	if w == 32 {
		f, _ := exact.Float32()
		return uint64(math.Float32bits(f))
	}
	v, acc := exact.Float64()
	// Beside the value, toward what was lost, a tie of 16 bits is none.
	switch {
	case acc == big.Below:
		v = math.Nextafter(v, math.Inf(1))
	case acc == big.Above:
		v = math.Nextafter(v, math.Inf(-1))
	}
	return fromFloat(16, v)
}

const edgeHead = `OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability DotProduct
OpCapability DotProductInput4x8BitPacked
OpExtension "SPV_KHR_integer_dot_product"
%%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%gid %%m %%out
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%array ArrayStride 8
OpDecorate %%Block Block
OpMemberDecorate %%Block 0 Offset 0
OpDecorate %%m DescriptorSet 0
OpDecorate %%m Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%u8 = OpTypeInt 8 0
%%u16 = OpTypeInt 16 0
%%u32 = OpTypeInt 32 0
%%u64 = OpTypeInt 64 0
%%f16 = OpTypeFloat 16
%%f32 = OpTypeFloat 32
%%f64 = OpTypeFloat 64
%%u3 = OpTypeVector %%u32 3
%%P = OpTypeStruct %%u%d %%u%d
%%array = OpTypeRuntimeArray %%u64
%%Block = OpTypeStruct %%array
%%pBlock = OpTypePointer StorageBuffer %%Block
%%p64 = OpTypePointer StorageBuffer %%u64
%%pu3 = OpTypePointer Input %%u3
%%gid = OpVariable %%pu3 Input
%%m = OpVariable %%pBlock StorageBuffer
%%out = OpVariable %%pBlock StorageBuffer
%%zero = OpConstant %%u64 0
%%one = OpConstant %%u64 1
%%k0 = OpConstant %%u32 0
%%k1 = OpConstant %%u32 1
%%k2 = OpConstant %%u32 2
%%k3 = OpConstant %%u32 3
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%id = OpLoad %%u3 %%gid
%%i = OpCompositeExtract %%u32 %%id 0
%%i3 = OpIMul %%u32 %%i %%k3
`

// module writes the module of a case: operands are the words 3i to 3i + 2.
func (c *edgeCase) module(w int, float bool) string {
	b := strings.Builder{}
	fmt.Fprintf(&b, edgeHead, w, w)
	integer, typ := fmt.Sprintf("%%u%d", w), fmt.Sprintf("%%u%d", w)
	if float {
		typ = fmt.Sprintf("%%f%d", w)
	}
	for k, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "%%o%d = OpIAdd %%u32 %%i3 %%k%d\n%%q%d = OpAccessChain %%p64 %%m %%k0 %%o%d\n%%l%d = OpLoad %%u64 %%q%d\n", k, k, k, k, k, k)
		from := fmt.Sprintf("%%l%d", k)
		if w < 64 {
			fmt.Fprintf(&b, "%%n%d = OpUConvert %s %s\n", k, integer, from)
			from = fmt.Sprintf("%%n%d", k)
		}
		if float {
			fmt.Fprintf(&b, "%%%s = OpBitcast %s %s\n", name, typ, from)
		} else {
			fmt.Fprintf(&b, "%%%s = OpCopyObject %s %s\n", name, typ, from)
		}
	}
	result := typ
	if c.result == "bool" {
		result = "%bool"
	}
	b.WriteString(strings.NewReplacer("%R", result).Replace(c.text) + "\n")
	from := "%r"
	switch {
	case c.result == "bool":
		b.WriteString("%w = OpSelect %u64 %r %one %zero\n")
		from = "%w"
	case float:
		fmt.Fprintf(&b, "%%rb = OpBitcast %s %%r\n", integer)
		from = "%rb"
	}
	if c.result == "" && w < 64 {
		fmt.Fprintf(&b, "%%w = OpUConvert %%u64 %s\n", from)
		from = "%w"
	}
	return b.String() + "%qr = OpAccessChain %p64 %out %k0 %i\nOpStore %qr " + from + "\nOpReturn\nOpFunctionEnd\n"
}

// integers and floats are the values at the edges of a width.
func integers(w int) []uint64 {
	top := uint64(1) << (w - 1)
	list := []uint64{0, 1, 2, 3, 5, 7, top - 1, top, top + 1, mask(w), mask(w) - 1, uint64(w), uint64(w) - 1, uint64(w) + 1, 0x55555555_55555555, 0xdeadbeef_12345678}
	for i := range list {
		list[i] &= mask(w)
	}
	return list
}

func floats(w int) (list []uint64) {
	inf := fromFloat(w, math.Inf(1))
	least := map[int]uint64{16: 1 << 10, 32: 1 << 23, 64: 1 << 52}[w]
	one := fromFloat(w, 1)
	for _, x := range []uint64{0, 1, 2, least - 1, least, least + 1, one - 1, one, one + 1, inf - 1, inf, inf | 1, fromFloat(w, math.NaN()),
		fromFloat(w, 0.5), fromFloat(w, 1.5), fromFloat(w, 2.5), fromFloat(w, 3), fromFloat(w, 1000.5)} {
		list = append(list, x, x|1<<(w-1))
	}
	return list
}

// TestEdges runs every instruction of integers and floats at every width on all
// combinations of values at the edges, on both engines.
func TestEdges(t *testing.T) {
	for _, c := range integerEdges {
		for _, w := range []int{8, 16, 32, 64} {
			c.run(t, w, false, integers(w))
		}
	}
	for _, c := range dotEdges {
		c.run(t, 32, false, append(integers(32), 0x80808080, 0x7f7f7f7f, 0x80ff017f, 0xff00ff00))
	}
	for _, c := range floatEdges {
		for _, w := range []int{16, 32, 64} {
			c.run(t, w, true, floats(w))
		}
	}
}

// run tries one case at a width.
func (c *edgeCase) run(t *testing.T, w int, float bool, values []uint64) {
	t.Helper()
	var operands [][]uint64
	for _, x := range values {
		for _, y := range values {
			for _, z := range values {
				operands = append(operands, []uint64{x, y, z})
				if c.args < 3 {
					break
				}
			}
			if c.args < 2 {
				break
			}
		}
	}
	n := (len(operands) + 63) / 64
	for _, e := range bothEngines() {
		prog := compileText(t, e, c.module(w, float))
		in, out := make([]byte, 24*64*n), make([]byte, 8*64*n)
		for i, x := range operands {
			for k := range 3 {
				binary.LittleEndian.PutUint64(in[24*i+8*k:], x[k])
			}
		}
		err := compute.Dispatch(context.Background(), prog, compute.Args{
			Groups: [3]uint32{uint32(n), 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		prog.Close()
		for i, x := range operands {
			want := c.want(w, append([]uint64(nil), x[:c.args]...))
			if got := binary.LittleEndian.Uint64(out[8*i:]); got != want {
				t.Errorf("%s: %s of %d bits: of %#x it is %#x; must be %#x", e.Name(), strings.TrimPrefix(c.text, "%r = "), w, x[:c.args], got, want)
				break
			}
		}
	}
}
