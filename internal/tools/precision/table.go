package main

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/precision"
)

// parity is the symmetry of a function in −x.
type parity uint8

const (
	neither parity = iota
	even
	odd
)

// instruction is a row of Vulkan's tables (package precision) and the way to measure it.
type instruction struct {
	precision.Instruction
	kernelRow
}

// kernelRow is the way to measure an instruction.
type kernelRow struct {
	name string
	form string // %T is the type of a component, %V of the result; a, b, c are the operands

	// fast is the value in float64 for unary functions, for a test of all 32-bit numbers.
	fast   func(float64) float64
	parity parity // of fast

	// usual is the range with 4 ULP as our own bound; nil is everywhere, unless sum is set:
	// terms cancel, and only the inherited error counts.
	usual func(x []float64) bool
	sum   bool

	once  bool                                                 // rounded once, although Vulkan permits more
	value func(x [][]precision.Number, n int) precision.Number // of the form, if it is not the instruction's
}

// instructions returns all rows, in the order of kernelRows.
func instructions() (list []instruction) {
	for _, r := range kernelRows {
		i, _ := precision.Find(r.name)
		if r.once {
			i.Class = precision.Rounded
		}
		if r.value != nil {
			i.Value = r.value
		}
		list = append(list, instruction{i, r})
	}
	return list
}

// moderate are operands with squares that neither overflow nor vanish.
func moderate(x []float64) bool {
	for _, v := range x {
		if v = math.Abs(v); v != 0 && (v < 0x1p-30 || v > 0x1p30) {
			return false
		}
	}
	return true
}

// within is a usual range of the first operand.
func within(lo, hi float64) func(x []float64) bool {
	return func(x []float64) bool { return x[0] >= lo && x[0] <= hi }
}

// ext is an instruction of GLSL.std.450 on n scalars.
func ext(name string, n int) string {
	return "%r = OpExtInst %V %glsl " + name + " %a %b %c"[:3*n]
}

// op is a core instruction on n scalars.
func op(name string, n int) string { return "%r = " + name + " %V" + " %a %b %c"[:3*n] }

// matrixOf3 makes a matrix of the first three operands, its columns.
const matrixOf3 = "%m = OpCompositeConstruct %M3 %a %b %c\n"

// upTo8 makes a whole number of −8 to 8 of the second operand.
const upTo8 = `%f = OpConvertFToS %i32 %b
%hi = OpShiftLeftLogical %i32 %k2 %k2
%lo = OpSNegate %i32 %hi
%n = OpExtInst %i32 %glsl SClamp %f %lo %hi
`

// column extracts the middle column of a matrix.
func column(m string) string {
	return "%r = OpCompositeExtract %T3 " + m + " 1"
}

// ldexp is Ldexp by the number of upTo8.
func ldexp(x [][]precision.Number, _ int) precision.Number {
	by := x[1][0].Whole(precision.ToZero)
	return x[0][0].Mul(precision.Least(precision.Greatest(by, by.Num(-8)), by.Num(8)).Exp2())
}

// normal16 leaves the result open for a number that is denormal in 16 bits.
func normal16(x [][]precision.Number, _ int) precision.Number {
	v := x[0][0]
	if least, zero := v.Num(0x1p-14), v.Num(0); v.Less(least) && v.Num(-0x1p-14).Less(v) && (v.Less(zero) || zero.Less(v)) {
		panic(precision.Undefined{})
	}
	return v
}

// kernelRows are in the order of the tables.
var kernelRows = []kernelRow{
	{name: "OpFNegate", form: op("OpFNegate", 1), parity: odd, fast: func(x float64) float64 { return -x }},
	{name: "FAbs", form: ext("FAbs", 1), parity: even, fast: math.Abs},
	{name: "FSign", form: ext("FSign", 1), parity: odd, fast: func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}},
	{name: "Round", form: ext("Round", 1), parity: odd, fast: math.RoundToEven},
	{name: "RoundEven", form: ext("RoundEven", 1), parity: odd, fast: math.RoundToEven},
	{name: "Trunc", form: ext("Trunc", 1), parity: odd, fast: math.Trunc},
	{name: "Floor", form: ext("Floor", 1), fast: math.Floor},
	{name: "Ceil", form: ext("Ceil", 1), fast: math.Ceil},
	{name: "Fract", form: ext("Fract", 1), fast: func(x float64) float64 { return x - math.Floor(x) }},
	{name: "Modf", form: "%m = OpExtInst %S %glsl ModfStruct %a\n%r = OpCompositeExtract %V %m 0", parity: odd, fast: func(x float64) float64 { return x - math.Trunc(x) }},
	{name: "Frexp", form: "%m = OpExtInst %F %glsl FrexpStruct %a\n%r = OpCompositeExtract %V %m 0", parity: odd, fast: func(x float64) float64 { m, _ := math.Frexp(x); return m }},
	{name: "Radians", form: ext("Radians", 1), parity: odd, fast: func(x float64) float64 { return x * (math.Pi / 180) }},
	{name: "Degrees", form: ext("Degrees", 1), parity: odd, fast: func(x float64) float64 { return x * (180 / math.Pi) }},
	{name: "Sqrt", form: ext("Sqrt", 1), fast: math.Sqrt},
	{name: "InverseSqrt", form: ext("InverseSqrt", 1), fast: func(x float64) float64 { return 1 / math.Sqrt(x) }},
	{name: "Exp", form: ext("Exp", 1), fast: math.Exp},
	{name: "Exp2", form: ext("Exp2", 1), fast: math.Exp2},
	{name: "Log", form: ext("Log", 1), fast: math.Log},
	{name: "Log2", form: ext("Log2", 1), fast: func(x float64) float64 {
		if x > 0.5 && x < 2 { // math.Log2 loses small terms
			return math.Log1p(x-1) / math.Ln2
		}
		return math.Log2(x)
	}},
	{name: "Sin", form: ext("Sin", 1), parity: odd, fast: math.Sin, usual: within(-1<<20, 1<<20)},
	{name: "Cos", form: ext("Cos", 1), parity: even, fast: math.Cos, usual: within(-1<<20, 1<<20)},
	{name: "Tan", form: ext("Tan", 1), parity: odd, fast: math.Tan, usual: within(-1<<20, 1<<20)},
	{name: "Asin", form: ext("Asin", 1), parity: odd, fast: math.Asin},
	{name: "Acos", form: ext("Acos", 1), fast: math.Acos},
	{name: "Atan", form: ext("Atan", 1), parity: odd, fast: math.Atan},
	{name: "Sinh", form: ext("Sinh", 1), parity: odd, fast: math.Sinh},
	{name: "Cosh", form: ext("Cosh", 1), parity: even, fast: math.Cosh},
	{name: "Tanh", form: ext("Tanh", 1), parity: odd, fast: math.Tanh},
	{name: "Asinh", form: ext("Asinh", 1), parity: odd, fast: math.Asinh},
	{name: "Acosh", form: ext("Acosh", 1), fast: math.Acosh},
	{name: "Atanh", form: ext("Atanh", 1), parity: odd, fast: math.Atanh},
	{name: "OpFConvert to 16", form: "%r = OpFConvert %R %a"},
	{name: "OpFConvert to 32", form: "%r = OpFConvert %R %a"},
	{name: "OpFConvert to 64", form: "%r = OpFConvert %R %a"},
	{name: "OpQuantizeToF16", form: "%q = OpQuantizeToF16 %T %a\n%r = OpFConvert %R %q", value: normal16},
	{name: "OpFAdd", form: op("OpFAdd", 2)},
	{name: "OpFSub", form: op("OpFSub", 2)},
	{name: "OpFMul", form: op("OpFMul", 2)},
	{name: "OpFDiv", form: op("OpFDiv", 2)},
	{name: "OpFRem", form: op("OpFRem", 2), sum: true},
	{name: "OpFMod", form: op("OpFMod", 2), sum: true},
	{name: "Fma", form: ext("Fma", 3), once: true},
	{name: "OpFmaKHR", form: op("OpFmaKHR", 3)},
	{name: "Ldexp", form: upTo8 + "%r = OpExtInst %T %glsl Ldexp %a %n", value: ldexp},
	{name: "FMin", form: ext("FMin", 2)},
	{name: "FMax", form: ext("FMax", 2)},
	{name: "NMin", form: ext("NMin", 2)},
	{name: "NMax", form: ext("NMax", 2)},
	{name: "FClamp", form: ext("FClamp", 3)},
	{name: "NClamp", form: ext("NClamp", 3)},
	{name: "Step", form: ext("Step", 2)},
	{name: "FMix", form: ext("FMix", 3), sum: true},
	{name: "SmoothStep", form: ext("SmoothStep", 3), sum: true},
	{name: "Pow", form: ext("Pow", 2)},
	{name: "Atan2", form: ext("Atan2", 2)},
	{name: "OpDot", form: op("OpDot", 2), sum: true},
	{name: "OpVectorTimesScalar", form: op("OpVectorTimesScalar", 2)},
	{name: "OpMatrixTimesScalar", form: matrixOf3 + "%s = OpMatrixTimesScalar %M3 %m %d\n" + column("%s")},
	{name: "OpOuterProduct", form: "%m = OpOuterProduct %M3 %a %b\n" + column("%m")},
	{name: "OpMatrixTimesVector", form: matrixOf3 + "%r = OpMatrixTimesVector %T3 %m %d", sum: true},
	{name: "OpVectorTimesMatrix", form: matrixOf3 + "%r = OpVectorTimesMatrix %T3 %d %m", sum: true},
	{name: "OpMatrixTimesMatrix", form: matrixOf3 + "%o = OpCompositeConstruct %M3 %a %d %b\n%p = OpMatrixTimesMatrix %M3 %m %o\n" + column("%p"), sum: true},
	{name: "Length", form: ext("Length", 1), usual: moderate},
	{name: "Distance", form: ext("Distance", 2), sum: true},
	{name: "Normalize", form: ext("Normalize", 1), usual: moderate},
	{name: "Cross", form: ext("Cross", 2), sum: true},
	{name: "FaceForward", form: ext("FaceForward", 3)},
	{name: "Reflect", form: ext("Reflect", 2), sum: true},
	{name: "Refract", form: "%r = OpExtInst %V %glsl Refract %a %b %c", sum: true},
}
