package main

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/precision"
)

// bounded is a value of a format with its largest error if every step is as precise as
// Vulkan's table requires ("Precision of individual operations"; "inherited from" sums up
// the steps).
type bounded struct {
	v, e float64
	w    int // width of the format
}

// ulp is the distance of the two floats of width w beside v.
func ulp(w int, v float64) float64 {
	p, least := 24, -149
	switch w {
	case 16:
		p, least = 11, -24
	case 64:
		p, least = 53, -1074
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-p, least))
}

// made is a result with an error of n ULP in addition to the errors of the operands;
// undefined if it may overflow.
func (a bounded) made(v, brought, n float64) precision.Number {
	limit := map[int]float64{16: 65504, 32: math.MaxFloat32, 64: math.MaxFloat64}[a.w]
	if !(math.Abs(v) <= limit) || !math.IsInf(brought, 1) && math.Abs(v)+brought > limit {
		panic(precision.Undefined{})
	}
	if math.IsInf(brought, 1) || math.IsNaN(brought) {
		return bounded{v, math.Inf(1), a.w}
	}
	return bounded{v, brought + n*ulp(a.w, math.Abs(v)+brought), a.w}
}

func (a bounded) Num(x float64) precision.Number { return bounded{x, 0, a.w} }
func (a bounded) Pi() precision.Number           { return bounded{math.Pi, ulp(a.w, math.Pi) / 2, a.w} }

func (a bounded) with(b precision.Number, f func(b bounded) precision.Number) precision.Number {
	return f(b.(bounded))
}

func (a bounded) Add(b precision.Number) precision.Number {
	return a.with(b, func(b bounded) precision.Number { return a.made(a.v+b.v, a.e+b.e, 0.5) })
}

func (a bounded) Sub(b precision.Number) precision.Number {
	return a.with(b, func(b bounded) precision.Number { return a.made(a.v-b.v, a.e+b.e, 0.5) })
}

func (a bounded) Mul(b precision.Number) precision.Number {
	return a.with(b, func(b bounded) precision.Number {
		return a.made(a.v*b.v, math.Abs(a.v)*b.e+math.Abs(b.v)*a.e+a.e*b.e, 0.5)
	})
}

func (a bounded) Div(b precision.Number) precision.Number {
	return a.with(b, func(b bounded) precision.Number {
		least := math.Abs(b.v) - b.e
		if least <= 0 {
			return a.made(a.v/b.v, math.Inf(1), 0)
		}
		return a.made(a.v/b.v, (a.e+math.Abs(a.v/b.v)*b.e)/least, 2.5)
	})
}

// spread is the greatest change of f within the error of a.
func (a bounded) spread(f func(float64) float64) float64 {
	v := f(a.v)
	d := 0.0
	for _, x := range []float64{a.v - a.e, a.v + a.e} {
		if y := f(x); !math.IsNaN(y) {
			d = max(d, math.Abs(y-v))
		} else {
			d = math.Inf(1)
		}
	}
	return d
}

func (a bounded) Rsqrt() precision.Number {
	f := func(x float64) float64 { return 1 / math.Sqrt(x) }
	return a.made(f(a.v), a.spread(f), 2)
}

func (a bounded) Sqrt() precision.Number {
	if a.v == 0 && a.e == 0 {
		return a
	}
	return bounded{1, 0, a.w}.Div(a.Rsqrt())
}

// power is e or 2 to the power a: 3 + 2·|x| ULP, and 1 + 2·|x| of 16 bits.
func (a bounded) power(f func(float64) float64) precision.Number {
	n := 3 + 2*math.Abs(a.v)
	if a.w == 16 {
		n -= 2
	}
	return a.made(f(a.v), a.spread(f), n)
}

func (a bounded) Exp() precision.Number  { return a.power(math.Exp) }
func (a bounded) Exp2() precision.Number { return a.power(math.Exp2) }

// logarithm is 3 ULP, and between 1/2 and 2 2⁻²¹, or 2⁻⁷ of 16 bits.
func (a bounded) logarithm(f func(float64) float64) precision.Number {
	if a.v < 0.5 || a.v > 2 {
		return a.made(f(a.v), a.spread(f), 3)
	}
	absolute := 0x1p-21
	if a.w == 16 {
		absolute = 0x1p-7
	}
	return a.made(f(a.v), a.spread(f)+absolute, 0)
}

func (a bounded) Log() precision.Number  { return a.logarithm(math.Log) }
func (a bounded) Log2() precision.Number { return a.logarithm(math.Log2) }

// circular has an absolute error from −π to π, and none that is bounded beyond.
func (a bounded) circular(f func(float64) float64) precision.Number {
	absolute := 0x1p-11
	if a.w == 16 {
		absolute = 0x1p-7
	}
	if math.Abs(a.v) > math.Pi {
		absolute = math.Inf(1)
	}
	return a.made(f(a.v), a.e+absolute, 0)
}

func (a bounded) Sin() precision.Number { return a.circular(math.Sin) }
func (a bounded) Cos() precision.Number { return a.circular(math.Cos) }

func (a bounded) Atan2(b precision.Number) precision.Number {
	return a.with(b, func(b bounded) precision.Number {
		n := 4096.0
		if a.w == 16 {
			n = 5
		}
		// The angle moves by no more than the point does, seen from the origin.
		return a.made(math.Atan2(a.v, b.v), (a.e+b.e)/math.Hypot(a.v, b.v), n)
	})
}

func (a bounded) Whole(r precision.Rounding) precision.Number {
	f := map[precision.Rounding]func(float64) float64{precision.ToEven: math.RoundToEven, precision.ToZero: math.Trunc, precision.Down: math.Floor, precision.Up: math.Ceil}[r]
	return a.made(f(a.v), a.spread(f), 0)
}

// Significand is exact.
func (a bounded) Significand() precision.Number {
	m, _ := math.Frexp(a.v)
	return bounded{m, a.e, a.w}
}

// Less compares the values. Which side of 0 a value with an error is on may be open.
func (a bounded) Less(b precision.Number) bool {
	c := b.(bounded)
	if (c == bounded{0, 0, a.w}) && a.e > 0 && math.Abs(a.v) < 2*a.e {
		panic(precision.Undefined{})
	}
	return a.v < c.v
}
