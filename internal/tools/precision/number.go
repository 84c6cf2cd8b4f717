package main

import "math"

// rounding is a way to a whole number.
type rounding uint8

const (
	toEven rounding = iota
	toZero
	down
	upward
)

// undefined is the panic of a formula that has no value; value recovers it.
type undefined struct{}

// number is the operand type of formulas: a real for the true value, or a bounded for the
// error that the specification allows. Methods panic with undefined if there is no result.
type number interface {
	num(x float64) number
	pi() number
	add(b number) number
	sub(b number) number
	mul(b number) number
	div(b number) number
	sqrt() number
	rsqrt() number
	exp() number
	exp2() number
	log() number
	log2() number
	sin() number
	cos() number
	atan2(x number) number
	whole(r rounding) number
	less(b number) bool
	float() float64
}

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
func (a bounded) made(v, brought, n float64) number {
	limit := map[int]float64{16: 65504, 32: math.MaxFloat32, 64: math.MaxFloat64}[a.w]
	if !(math.Abs(v) <= limit) || !math.IsInf(brought, 1) && math.Abs(v)+brought > limit {
		panic(undefined{})
	}
	if math.IsInf(brought, 1) || math.IsNaN(brought) {
		return bounded{v, math.Inf(1), a.w}
	}
	return bounded{v, brought + n*ulp(a.w, math.Abs(v)+brought), a.w}
}

func (a bounded) num(x float64) number { return bounded{x, 0, a.w} }
func (a bounded) pi() number           { return bounded{math.Pi, ulp(a.w, math.Pi) / 2, a.w} }
func (a bounded) float() float64       { return a.v }

func (a bounded) with(b number, f func(b bounded) number) number { return f(b.(bounded)) }

func (a bounded) add(b number) number {
	return a.with(b, func(b bounded) number { return a.made(a.v+b.v, a.e+b.e, 0.5) })
}

func (a bounded) sub(b number) number {
	return a.with(b, func(b bounded) number { return a.made(a.v-b.v, a.e+b.e, 0.5) })
}

func (a bounded) mul(b number) number {
	return a.with(b, func(b bounded) number {
		return a.made(a.v*b.v, math.Abs(a.v)*b.e+math.Abs(b.v)*a.e+a.e*b.e, 0.5)
	})
}

func (a bounded) div(b number) number {
	return a.with(b, func(b bounded) number {
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

func (a bounded) rsqrt() number {
	f := func(x float64) float64 { return 1 / math.Sqrt(x) }
	return a.made(f(a.v), a.spread(f), 2)
}

func (a bounded) sqrt() number {
	if a.v == 0 && a.e == 0 {
		return a
	}
	return bounded{1, 0, a.w}.div(a.rsqrt())
}

// power is e or 2 to the power a: 3 + 2·|x| ULP, and 1 + 2·|x| of 16 bits.
func (a bounded) power(f func(float64) float64) number {
	n := 3 + 2*math.Abs(a.v)
	if a.w == 16 {
		n -= 2
	}
	return a.made(f(a.v), a.spread(f), n)
}

func (a bounded) exp() number  { return a.power(math.Exp) }
func (a bounded) exp2() number { return a.power(math.Exp2) }

// logarithm is 3 ULP, and between 1/2 and 2 2⁻²¹, or 2⁻⁷ of 16 bits.
func (a bounded) logarithm(f func(float64) float64) number {
	if a.v < 0.5 || a.v > 2 {
		return a.made(f(a.v), a.spread(f), 3)
	}
	absolute := 0x1p-21
	if a.w == 16 {
		absolute = 0x1p-7
	}
	return a.made(f(a.v), a.spread(f)+absolute, 0)
}

func (a bounded) log() number  { return a.logarithm(math.Log) }
func (a bounded) log2() number { return a.logarithm(math.Log2) }

// circular has an absolute error from −π to π, and none that is bounded beyond.
func (a bounded) circular(f func(float64) float64) number {
	absolute := 0x1p-11
	if a.w == 16 {
		absolute = 0x1p-7
	}
	if math.Abs(a.v) > math.Pi {
		absolute = math.Inf(1)
	}
	return a.made(f(a.v), a.e+absolute, 0)
}

func (a bounded) sin() number { return a.circular(math.Sin) }
func (a bounded) cos() number { return a.circular(math.Cos) }

func (a bounded) atan2(b number) number {
	return a.with(b, func(b bounded) number {
		n := 4096.0
		if a.w == 16 {
			n = 5
		}
		// The angle moves by no more than the point does, seen from the origin.
		return a.made(math.Atan2(a.v, b.v), (a.e+b.e)/math.Hypot(a.v, b.v), n)
	})
}

func (a bounded) whole(r rounding) number {
	f := map[rounding]func(float64) float64{toEven: math.RoundToEven, toZero: math.Trunc, down: math.Floor, upward: math.Ceil}[r]
	return a.made(f(a.v), a.spread(f), 0)
}

func (a bounded) less(b number) bool { return a.v < b.(bounded).v }
