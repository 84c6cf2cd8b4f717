package precision

// Class is the kind of the permitted error of an instruction.
type Class uint8

const (
	Exact     Class = iota // the correct result
	Rounded                // correctly rounded
	ULPs                   // some ULP, or an absolute error
	Inherited              // as precise as the steps of a formula
)

// Instruction is a row of Vulkan's table "Precision of core SPIR-V Instructions" or "Precision of GLSL.std.450 Instructions".
type Instruction struct {
	Name  string
	In    []int // components of each operand; 3 is a vector, of which Value accepts 2 to 4 components
	Out   int   // components of the result
	Wide  bool  // allowed with 64 bits
	From  []int // widths of the operands, nil for all
	To    int   // width of the result, if it is another
	Class Class

	Operand Kind // type of the operands
	Result  Kind // type of the result

	// Value is the function of the components of the operands; of a vector as result component n. It is the definition in exact
	// arithmetic, and for inherited precision the formula.
	Value func(x [][]Number, n int) Number
	// Other is a second exact result that is permitted as well; nil is none.
	Other func(x [][]Number, n int) Number
}

// Widths returns the widths of the operands that an instruction has.
func (i *Instruction) Widths() []int {
	switch {
	case i.From != nil:
		return i.From
	case i.Wide:
		return []int{16, 32, 64}
	}
	return []int{16, 32}
}

// Instructions returns the rows with the errors that an engine is measured by: the instructions of SPIR-V and of GLSL.std.450.
// [Judged] has the others.
func Instructions() (list []Instruction) {
	list = append(append(list, coreScalars...), coreVectors...)
	for i := range list {
		list[i].Name = "Op" + list[i].Name
	}
	return append(append(list, scalars...), vectors...)
}

func one1(f func(x Number) Number) func([][]Number, int) Number {
	return func(x [][]Number, _ int) Number { return f(x[0][0]) }
}

func two2(f func(x, y Number) Number) func([][]Number, int) Number {
	return func(x [][]Number, _ int) Number { return f(x[0][0], x[1][0]) }
}

func three3(f func(x, y, z Number) Number) func([][]Number, int) Number {
	return func(x [][]Number, _ int) Number { return f(x[0][0], x[1][0], x[2][0]) }
}

// Neg returns −x.
func Neg(x Number) Number { return x.Num(0).Sub(x) }

// Least returns the lesser number.
func Least(x, y Number) Number {
	if y.Less(x) {
		return y
	}
	return x
}

// Greatest returns the greater number.
func Greatest(x, y Number) Number {
	if y.Less(x) {
		return x
	}
	return y
}

func abs(x Number) Number {
	if x.Less(x.Num(0)) {
		return Neg(x)
	}
	return x
}

var (
	single = []int{1}
	pair   = []int{1, 1}
	triple = []int{1, 1, 1}
)

// scalars are the functions of scalars of GLSL.std.450, which apply to each component of vectors.
var scalars = []Instruction{
	{Name: "FAbs", In: single, Out: 1, Wide: true, Value: one1(abs)},
	{Name: "FSign", In: single, Out: 1, Wide: true, Value: one1(sign)},
	{Name: "Round", In: single, Out: 1, Wide: true, Class: Rounded, Value: toWhole(ToEven), Other: one1(halfAway)},
	{Name: "RoundEven", In: single, Out: 1, Wide: true, Class: Rounded, Value: toWhole(ToEven)},
	{Name: "Trunc", In: single, Out: 1, Wide: true, Class: Rounded, Value: toWhole(ToZero)},
	{Name: "Floor", In: single, Out: 1, Wide: true, Class: Rounded, Value: toWhole(Down)},
	{Name: "Ceil", In: single, Out: 1, Wide: true, Class: Rounded, Value: toWhole(Up)},
	{Name: "Fract", In: single, Out: 1, Wide: true, Class: Rounded, Value: one1(func(x Number) Number { return x.Sub(x.Whole(Down)) })},
	{Name: "Modf", In: single, Out: 1, Wide: true, Class: Rounded, Value: one1(func(x Number) Number { return x.Sub(x.Whole(ToZero)) })},
	{Name: "Frexp", In: single, Out: 1, Wide: true, Value: one1(Number.Significand)},
	{Name: "Radians", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number { return x.Mul(x.Pi().Div(x.Num(180))) })},
	{Name: "Degrees", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number { return x.Mul(x.Num(180).Div(x.Pi())) })},
	{Name: "Sqrt", In: single, Out: 1, Wide: true, Class: Inherited, Value: one1(Number.Sqrt)},
	{Name: "InverseSqrt", In: single, Out: 1, Wide: true, Class: ULPs, Value: one1(Number.Rsqrt)},
	{Name: "Exp", In: single, Out: 1, Class: ULPs, Value: one1(Number.Exp)},
	{Name: "Exp2", In: single, Out: 1, Class: ULPs, Value: one1(Number.Exp2)},
	{Name: "Log", In: single, Out: 1, Class: ULPs, Value: one1(Number.Log)},
	{Name: "Log2", In: single, Out: 1, Class: ULPs, Value: one1(Number.Log2)},
	{Name: "Sin", In: single, Out: 1, Class: ULPs, Value: one1(Number.Sin)},
	{Name: "Cos", In: single, Out: 1, Class: ULPs, Value: one1(Number.Cos)},
	{Name: "Tan", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number { return x.Sin().Div(x.Cos()) })},
	{Name: "Asin", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		return x.Atan2(x.Num(1).Sub(x.Mul(x)).Sqrt())
	})},
	{Name: "Acos", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		return x.Num(1).Sub(x.Mul(x)).Sqrt().Atan2(x)
	})},
	{Name: "Atan", In: single, Out: 1, Class: ULPs, Value: one1(func(x Number) Number { return x.Atan2(x.Num(1)) })},
	{Name: "Sinh", In: single, Out: 1, Class: Inherited, Value: one1(sinh)},
	{Name: "Cosh", In: single, Out: 1, Class: Inherited, Value: one1(cosh)},
	{Name: "Tanh", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		if x.Num(500).Less(x) || x.Less(x.Num(-500)) {
			return sign(x)
		}
		return sinh(x).Div(cosh(x))
	})},
	{Name: "Asinh", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		return x.Add(x.Mul(x).Add(x.Num(1)).Sqrt()).Log()
	})},
	{Name: "Acosh", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		return x.Add(x.Mul(x).Sub(x.Num(1)).Sqrt()).Log()
	})},
	{Name: "Atanh", In: single, Out: 1, Class: Inherited, Value: one1(func(x Number) Number {
		return x.Num(1).Add(x).Div(x.Num(1).Sub(x)).Log().Mul(x.Num(0.5))
	})},
	{Name: "Fma", In: triple, Out: 1, Wide: true, Class: Inherited, Value: three3(fma)},
	{Name: "Ldexp", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(func(x, y Number) Number { return x.Mul(y.Whole(ToZero).Exp2()) })},
	{Name: "FMin", In: pair, Out: 1, Wide: true, Value: two2(Least)},
	{Name: "FMax", In: pair, Out: 1, Wide: true, Value: two2(Greatest)},
	{Name: "NMin", In: pair, Out: 1, Wide: true, Value: two2(Least)},
	{Name: "NMax", In: pair, Out: 1, Wide: true, Value: two2(Greatest)},
	{Name: "FClamp", In: triple, Out: 1, Wide: true, Value: three3(clamp)},
	{Name: "NClamp", In: triple, Out: 1, Wide: true, Value: three3(clamp)},
	{Name: "Step", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(func(edge, x Number) Number {
		if x.Less(edge) {
			return x.Num(0)
		}
		return x.Num(1)
	})},
	{Name: "FMix", In: triple, Out: 1, Wide: true, Class: Inherited, Value: three3(func(x, y, a Number) Number {
		return x.Mul(a.Num(1).Sub(a)).Add(y.Mul(a))
	})},
	{Name: "SmoothStep", In: triple, Out: 1, Wide: true, Class: Inherited, Value: three3(func(low, high, x Number) Number {
		if !low.Less(high) {
			panic(Undefined{})
		}
		t := x.Sub(low).Div(high.Sub(low))
		t = Least(Greatest(t, t.Num(0)), t.Num(1))
		return t.Mul(t).Mul(t.Num(3).Sub(t.Num(2).Mul(t)))
	})},
	{Name: "Pow", In: pair, Out: 1, Class: Inherited, Value: two2(func(x, y Number) Number {
		if !x.Num(0).Less(x) {
			panic(Undefined{})
		}
		return y.Mul(x.Log2()).Exp2()
	})},
	{Name: "Atan2", In: pair, Out: 1, Class: ULPs, Value: two2(func(y, x Number) Number { return y.Atan2(x) })},
}

// coreScalars are those of SPIR-V, without their prefix Op.
var coreScalars = []Instruction{
	{Name: "FNegate", In: single, Out: 1, Wide: true, Value: one1(Neg)},
	{Name: "FConvert to 16", In: single, Out: 1, From: []int{32, 64}, To: 16, Class: Rounded, Value: one1(same)},
	{Name: "FConvert to 32", In: single, Out: 1, From: []int{16, 64}, To: 32, Class: Rounded, Value: one1(same)},
	{Name: "FConvert to 64", In: single, Out: 1, From: []int{16, 32}, To: 64, Class: Rounded, Value: one1(same)},
	{Name: "QuantizeToF16", In: single, Out: 1, From: []int{32}, To: 16, Class: Rounded, Value: one1(same)},
	{Name: "FAdd", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(Number.Add)},
	{Name: "FSub", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(Number.Sub)},
	{Name: "FMul", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(Number.Mul)},
	{Name: "FDiv", In: pair, Out: 1, Wide: true, Class: ULPs, Value: two2(Number.Div)},
	{Name: "FRem", In: pair, Out: 1, Wide: true, Class: Inherited, Value: two2(func(x, y Number) Number {
		return x.Sub(y.Mul(x.Div(y).Whole(ToZero)))
	})},
	{Name: "FMod", In: pair, Out: 1, Wide: true, Class: Inherited, Value: two2(func(x, y Number) Number {
		return x.Sub(y.Mul(x.Div(y).Whole(Down)))
	})},
	{Name: "FmaKHR", In: triple, Out: 1, Wide: true, Class: Rounded, Value: three3(fma)},
}

func toWhole(r Rounding) func([][]Number, int) Number {
	return one1(func(x Number) Number { return x.Whole(r) })
}

// halfAway rounds to the nearest whole number, and halves away from zero.
func halfAway(x Number) Number {
	if x.Less(x.Num(0)) {
		return x.Sub(x.Num(0.5)).Whole(Up)
	}
	return x.Add(x.Num(0.5)).Whole(Down)
}

func sign(x Number) Number {
	switch zero := x.Num(0); {
	case x.Less(zero):
		return x.Num(-1)
	case zero.Less(x):
		return x.Num(1)
	default:
		return zero
	}
}

func sinh(x Number) Number { return x.Exp().Sub(Neg(x).Exp()).Mul(x.Num(0.5)) }

func cosh(x Number) Number { return x.Exp().Add(Neg(x).Exp()).Mul(x.Num(0.5)) }

func same(x Number) Number { return x }

func fma(x, y, z Number) Number { return x.Mul(y).Add(z) }

func clamp(x, low, high Number) Number {
	if high.Less(low) {
		panic(Undefined{})
	}
	return Least(Greatest(x, low), high)
}
