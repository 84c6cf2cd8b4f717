package precision

// Rounding is a way to round to a whole number.
type Rounding uint8

// The roundings: to the nearest whole number, the even one of two; toward zero; toward −∞; toward +∞.
const (
	ToEven Rounding = iota
	ToZero
	Down
	Up
)

// Undefined is the panic of a formula without a value.
type Undefined struct{}

// Number is the operand type of formulas: a [Real] for the true value, or another type for a bound of the error. Methods panic
// with [Undefined] if there is no result.
type Number interface {
	Num(x float64) Number
	Pi() Number
	Add(b Number) Number
	Sub(b Number) Number
	Mul(b Number) Number
	Div(b Number) Number
	Sqrt() Number
	Rsqrt() Number
	Exp() Number
	Exp2() Number
	Log() Number
	Log2() Number
	Sin() Number
	Cos() Number
	Atan2(x Number) Number
	Whole(r Rounding) Number
	Significand() Number
	Less(b Number) bool
}

// Defined returns the value of a formula, or nil if it has none.
func Defined(f func() Number) (v Number) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(Undefined); !ok {
				panic(r)
			}
			v = nil
		}
	}()
	return f()
}
