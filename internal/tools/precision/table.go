package main

import (
	"math"
)

// class is the precision that the specification requires of an instruction.
type class uint8

const (
	exact     class = iota // the correct result
	rounded                // correctly rounded
	ulps                   // some ULP, or an absolute error
	inherited              // as precise as the steps of a formula
)

// parity is the symmetry of a function in −x.
type parity uint8

const (
	neither parity = iota
	even
	odd
)

// instruction is a row of Vulkan's table "Precision of core SPIR-V
// Instructions" or "Precision of GLSL.std.450 Instructions".
type instruction struct {
	name  string
	form  string // %T is the type of a component, %V of the result; a, b, c are the operands
	in    []int  // components of each operand
	out   int    // components of the result
	wide  bool   // allowed with 64 bits
	from  []int  // widths of the operands, nil for all
	to    int    // width of the result, if it is another
	class class

	// value is the function of all components of the operands; of a vector as result
	// component n. It is the definition in exact arithmetic, and for inherited precision
	// the formula that determines the allowed error.
	value func(x []number, n int) number

	// fast is value in float64 for unary functions, for a test of all 32-bit numbers.
	fast   func(float64) float64
	parity parity // of fast

	// usual is the range with 4 ULP as our own bound; nil is everywhere, unless sum is set:
	// terms cancel, and only the inherited error counts.
	usual func(x []float64) bool
	sum   bool
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

func one1(f func(x number) number) func([]number, int) number {
	return func(x []number, _ int) number { return f(x[0]) }
}

func two2(f func(x, y number) number) func([]number, int) number {
	return func(x []number, _ int) number { return f(x[0], x[1]) }
}

func neg(x number) number { return x.num(0).sub(x) }

func least(x, y number) number {
	if y.less(x) {
		return y
	}
	return x
}

func greatest(x, y number) number {
	if x.less(y) {
		return y
	}
	return x
}

func abs(x number) number {
	if x.less(x.num(0)) {
		return neg(x)
	}
	return x
}

var (
	single = []int{1}
	pair   = []int{1, 1}
	triple = []int{1, 1, 1}
)

// unary are the functions of one number.
var unary = []instruction{
	{name: "OpFNegate", parity: odd, form: op("OpFNegate", 1), in: single, out: 1, wide: true, class: exact, value: one1(neg), fast: func(x float64) float64 { return -x }},
	{name: "FAbs", parity: even, form: ext("FAbs", 1), in: single, out: 1, wide: true, class: exact, value: one1(abs), fast: math.Abs},
	{name: "FSign", parity: odd, form: ext("FSign", 1), in: single, out: 1, wide: true, class: exact, value: one1(sign), fast: func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}},
	{name: "Round", parity: odd, form: ext("Round", 1), in: single, out: 1, wide: true, class: rounded, value: toWhole(toEven), fast: math.RoundToEven},
	{name: "RoundEven", parity: odd, form: ext("RoundEven", 1), in: single, out: 1, wide: true, class: rounded, value: toWhole(toEven), fast: math.RoundToEven},
	{name: "Trunc", parity: odd, form: ext("Trunc", 1), in: single, out: 1, wide: true, class: rounded, value: toWhole(toZero), fast: math.Trunc},
	{name: "Floor", form: ext("Floor", 1), in: single, out: 1, wide: true, class: rounded, value: toWhole(down), fast: math.Floor},
	{name: "Ceil", form: ext("Ceil", 1), in: single, out: 1, wide: true, class: rounded, value: toWhole(upward), fast: math.Ceil},
	{name: "Fract", form: ext("Fract", 1), in: single, out: 1, wide: true, class: rounded, value: one1(func(x number) number { return x.sub(x.whole(down)) }), fast: func(x float64) float64 { return x - math.Floor(x) }},
	{name: "Modf", parity: odd, form: "%m = OpExtInst %S %glsl ModfStruct %a\n%r = OpCompositeExtract %V %m 0", in: single, out: 1, wide: true, class: rounded, value: one1(func(x number) number { return x.sub(x.whole(toZero)) }), fast: func(x float64) float64 { return x - math.Trunc(x) }},
	{name: "Frexp", parity: odd, form: "%m = OpExtInst %F %glsl FrexpStruct %a\n%r = OpCompositeExtract %V %m 0", in: single, out: 1, wide: true, class: exact, value: one1(significand), fast: func(x float64) float64 { m, _ := math.Frexp(x); return m }},
	{name: "Radians", parity: odd, form: ext("Radians", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number { return x.mul(x.pi().div(x.num(180))) }), fast: func(x float64) float64 { return x * (math.Pi / 180) }},
	{name: "Degrees", parity: odd, form: ext("Degrees", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number { return x.mul(x.num(180).div(x.pi())) }), fast: func(x float64) float64 { return x * (180 / math.Pi) }},
	{name: "Sqrt", form: ext("Sqrt", 1), in: single, out: 1, wide: true, class: inherited, value: one1(number.sqrt), fast: math.Sqrt},
	{name: "InverseSqrt", form: ext("InverseSqrt", 1), in: single, out: 1, wide: true, class: ulps, value: one1(number.rsqrt), fast: func(x float64) float64 { return 1 / math.Sqrt(x) }},
	{name: "Exp", form: ext("Exp", 1), in: single, out: 1, class: ulps, value: one1(number.exp), fast: math.Exp},
	{name: "Exp2", form: ext("Exp2", 1), in: single, out: 1, class: ulps, value: one1(number.exp2), fast: math.Exp2},
	{name: "Log", form: ext("Log", 1), in: single, out: 1, class: ulps, value: one1(number.log), fast: math.Log},
	{name: "Log2", form: ext("Log2", 1), in: single, out: 1, class: ulps, value: one1(number.log2), fast: func(x float64) float64 {
		if x > 0.5 && x < 2 { // math.Log2 loses small terms
			return math.Log1p(x-1) / math.Ln2
		}
		return math.Log2(x)
	}},
	{name: "Sin", parity: odd, form: ext("Sin", 1), in: single, out: 1, class: ulps, value: one1(number.sin), fast: math.Sin, usual: within(-1<<20, 1<<20)},
	{name: "Cos", parity: even, form: ext("Cos", 1), in: single, out: 1, class: ulps, value: one1(number.cos), fast: math.Cos, usual: within(-1<<20, 1<<20)},
	{name: "Tan", parity: odd, form: ext("Tan", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number { return x.sin().div(x.cos()) }), fast: math.Tan, usual: within(-1<<20, 1<<20)},
	{name: "Asin", parity: odd, form: ext("Asin", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		return x.atan2(x.num(1).sub(x.mul(x)).sqrt())
	}), fast: math.Asin},
	{name: "Acos", form: ext("Acos", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		return x.num(1).sub(x.mul(x)).sqrt().atan2(x)
	}), fast: math.Acos},
	{name: "Atan", parity: odd, form: ext("Atan", 1), in: single, out: 1, class: ulps, value: one1(func(x number) number { return x.atan2(x.num(1)) }), fast: math.Atan},
	{name: "Sinh", parity: odd, form: ext("Sinh", 1), in: single, out: 1, class: inherited, value: one1(sinh), fast: math.Sinh},
	{name: "Cosh", parity: even, form: ext("Cosh", 1), in: single, out: 1, class: inherited, value: one1(cosh), fast: math.Cosh},
	{name: "Tanh", parity: odd, form: ext("Tanh", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		if x.float() > 500 || x.float() < -500 {
			return sign(x)
		}
		return sinh(x).div(cosh(x))
	}), fast: math.Tanh},
	{name: "Asinh", parity: odd, form: ext("Asinh", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		return x.add(x.mul(x).add(x.num(1)).sqrt()).log()
	}), fast: math.Asinh},
	{name: "Acosh", form: ext("Acosh", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		return x.add(x.mul(x).sub(x.num(1)).sqrt()).log()
	}), fast: math.Acosh},
	{name: "Atanh", parity: odd, form: ext("Atanh", 1), in: single, out: 1, class: inherited, value: one1(func(x number) number {
		return x.num(1).add(x).div(x.num(1).sub(x)).log().mul(x.num(0.5))
	}), fast: math.Atanh},
}

func toWhole(r rounding) func([]number, int) number {
	return func(x []number, _ int) number { return x[0].whole(r) }
}

func sign(x number) number {
	switch zero := x.num(0); {
	case x.less(zero):
		return x.num(-1)
	case zero.less(x):
		return x.num(1)
	default:
		return zero
	}
}

func significand(x number) number {
	if r, ok := x.(real); ok {
		m := newReal()
		r.f.MantExp(m)
		return real{m}
	}
	m, _ := math.Frexp(x.float())
	return x.num(m)
}

func sinh(x number) number {
	return x.exp().sub(neg(x).exp()).mul(x.num(0.5))
}

func cosh(x number) number {
	return x.exp().add(neg(x).exp()).mul(x.num(0.5))
}
