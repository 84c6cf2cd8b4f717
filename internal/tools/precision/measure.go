package main

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// figure is the measured error of one instruction at one width.
type figure struct {
	name  string
	width int
	tried string  // how many operands
	usual float64 // ULP, in the usual range
	share float64 // of the error that the specification allows
	at    string  // the operands of usual
}

// errorAt is the distance of a result from the true value in ULP, and that value.
func errorAt(width int, got float64, want *big.Float) float64 {
	v, _ := want.Float64()
	u := ulp(width, v)
	limit := map[int]float64{16: 0x1p16, 32: 0x1p128, 64: math.Inf(1)}[width]
	switch {
	case math.IsNaN(got):
		return math.Inf(1)
	case math.IsInf(got, 0):
		if width == 64 {
			if math.IsInf(v, 0) && (v > 0) == (got > 0) {
				return 0
			}
			return math.Inf(1)
		}
		// Beyond the greatest number by half its ULP rounds to ∞.
		if past := math.Abs(v) - (limit - ulp(width, limit/2)/2); past >= 0 && (v > 0) == (got > 0) {
			return 0
		}
		got, u = math.Copysign(limit, got), ulp(width, limit/2)
	}
	d := precision.NewReal().Sub(precision.NewReal().SetFloat64(got), want)
	d.Quo(d, precision.NewReal().SetFloat64(u))
	f, _ := d.Abs(d).Float64()
	return f
}

// check measures one result; x are the operands. It skips results that the specification
// leaves open, and −0, which has tests of its own.
func (f *figure) check(i *instruction, n int, x []float64, got float64) {
	to := f.width
	if i.To != 0 {
		to = i.To
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && math.Signbit(v) {
			return
		}
	}
	reals := i.operands(x, precision.RealOf)
	rough := i.operands(x, func(v float64) precision.Number { return bounded{v, 0, to} })
	want := i.defined(reals, n)
	if want == nil {
		return
	}
	r := want.(precision.Real).Big
	v, _ := r.Float64()
	a, ok := i.allowed(to, rough, n, v)
	if !ok {
		return
	}
	e := errorAt(to, got, r)
	if i.usual == nil && !i.sum || i.usual != nil && i.usual(x) {
		if e > f.usual || f.at == "" {
			f.usual, f.at = e, fmt.Sprintf("%.9g", x)
		}
	}
	switch {
	case math.IsInf(a, 1):
	case a > 0:
		f.share = max(f.share, e/a)
	case e > 0:
		f.share = math.Inf(1)
	}
}

// allowed is the error in ULP that the specification allows beside v; ∞ if it names none,
// and not ok if a step of the formula overflows or is undefined.
func (i *instruction) allowed(width int, x [][]precision.Number, n int, v float64) (e float64, ok bool) {
	switch i.Class {
	case precision.Exact:
		return 0, true
	case precision.Rounded:
		return 0.5, true
	}
	b := i.defined(x, n)
	if b == nil {
		return 0, false
	}
	// A result is a number of the format, and one on either side will do.
	e = b.(bounded).e + math.Abs(b.(bounded).v-v)
	return e/ulp(width, v) + 0.5, !math.IsNaN(e)
}

// operands returns the operands of the components.
func (i *instruction) operands(x []float64, of func(float64) precision.Number) (all [][]precision.Number) {
	for _, n := range i.In {
		v := make([]precision.Number, n)
		for c := range v {
			v[c], x = of(x[0]), x[1:]
		}
		all = append(all, v)
	}
	return all
}

// defined returns the value, or nil if there is none.
func (i *instruction) defined(x [][]precision.Number, n int) precision.Number {
	return precision.Defined(func() precision.Number { return i.Value(x, n) })
}

// edges are operands beside which functions change.
func edges(width int) (list []uint64) {
	w := uint8(width)
	for _, v := range []float64{0, 1, 2, 3, 0.5, 0.25, 10, 100, math.Pi, math.Pi / 2, math.Pi / 4, math.E, math.Sqrt2, math.Sqrt2 / 2, 1.5, 0.75, 88.7, 103.9, 127, 128, 149, 11, 12, 16, 17, 24, 180, 1 << 10, 1 << 20, 0.625, 5.5} {
		for _, d := range []uint64{0, 1, ^uint64(0)} {
			b := (scalar.FromFloat(w, false, v) + d) & scalar.Mask(w-1)
			list = append(list, b, b|scalar.SignBit(w))
		}
	}
	inf := scalar.FromFloat(w, false, math.Inf(1))
	least := uint64(1) << map[int]int{16: 10, 32: 23, 64: 52}[width]
	for _, b := range []uint64{1, 2, 3, least, least - 1, least + 1, inf - 1, inf - 2} {
		list = append(list, b, b|scalar.SignBit(w))
	}
	return list
}

// operand chooses one at random: any bits, or a number of usual size.
func operand(r *rand.Rand, width int, list []uint64) uint64 {
	w := uint8(width)
	switch r.IntN(8) {
	case 0:
		return list[r.IntN(len(list))]
	case 1:
		return r.Uint64() & scalar.Mask(w)
	case 2:
		return scalar.FromFloat(w, false, float64(r.IntN(65)-32))
	case 3:
		return scalar.FromFloat(w, false, r.NormFloat64()*8)
	case 4:
		return scalar.FromFloat(w, false, math.Exp(r.NormFloat64()*3)*float64(1-2*r.IntN(2)))
	}
	return scalar.FromFloat(w, false, 2*r.Float64()-1)
}

// sampled measures n operands, and all edges of each, against exact arithmetic.
func sampled(k *kernel, i *instruction, f *figure, n int) error {
	r := rand.New(rand.NewPCG(uint64(k.width), uint64(n)))
	list := edges(k.width)
	all := k.width == 16 && k.in == 1 && n >= 1<<16
	if all {
		n = 1 << 16
	}
	f.tried = fmt.Sprint(n)
	if all {
		f.tried = "all 2¹⁶"
	}
	const batch = 1 << 14
	source, sink := make([]uint64, batch*k.in), make([]uint64, batch*k.out)
	x := make([]float64, k.in)
	for first := 0; first < n; first += batch {
		for j := range source {
			switch at := first + j; {
			case all:
				source[j] = uint64(at)
			case k.in == 1 && at < len(list):
				source[j] = list[at]
			case k.in == 2 && at/2 < len(list)*len(list):
				source[j] = list[at/2%len(list)]
				if at%2 == 1 {
					source[j] = list[at/2/len(list)]
				}
			default:
				source[j] = operand(r, k.width, list)
			}
		}
		if err := k.run(source, sink); err != nil {
			return err
		}
		for j := range min(batch, n-first) {
			for c := range x {
				x[c] = float(k.width, source[j*k.in+c])
			}
			for c := range k.out {
				f.check(i, c, x, float(k.to, sink[j*k.out+c]))
			}
		}
	}
	return nil
}
