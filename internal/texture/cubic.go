package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// cubicMatrix holds the weights of the four texels along an axis as cubic polynomials of the fraction: a row
// for each texel, coefficients from the constant on (Vulkan §"Texel Filtering", cubic weights). Catmull–Rom
// interpolates; the B-spline only approximates, and is smoother; Mitchell & Netravali (1988) is the compromise
// of their paper with B = C = ⅓. Example: Catmull–Rom at fraction ½ weights −1/16, 9/16, 9/16, −1/16.
var cubicMatrix = [...][4][4]float64{
	enum.CubicWeightsCatmullRom:          {{0, -0.5, 1, -0.5}, {1, 0, -2.5, 1.5}, {0, 0.5, 2, -1.5}, {0, 0, -0.5, 0.5}},
	enum.CubicWeightsZeroTangentCardinal: {{0, 0, 0, 0}, {1, 0, -3, 2}, {0, 0, 3, -2}, {0, 0, 0, 0}},
	enum.CubicWeightsBSpline:             {{1.0 / 6, -0.5, 0.5, -1.0 / 6}, {4.0 / 6, 0, -1, 0.5}, {1.0 / 6, 0.5, 0.5, -0.5}, {0, 0, 0, 1.0 / 6}},
	enum.CubicWeightsMitchellNetravali:   {{1.0 / 18, -0.5, 15.0 / 18, -7.0 / 18}, {16.0 / 18, 0, -2, 21.0 / 18}, {1.0 / 18, 0.5, 27.0 / 18, -21.0 / 18}, {0, 0, -6.0 / 18, 7.0 / 18}},
}

// CubicAt returns the weights of the four texels along an axis at a fraction from 0 to 1 between the second and the third.
func CubicAt(w enum.CubicWeights, t float64) (out [4]float64) {
	for k, row := range cubicMatrix[w] {
		v := row[3]
		for n := 2; n >= 0; n-- {
			v = float64(v*t) + row[n]
		}
		out[k] = v
	}
	return out
}

// weightedTap is one of the four texels along an axis of a cubic filter: its index, whether it is inside the
// level (0, no value, if it always is), and its weight.
type weightedTap struct{ at, in, weight ir.V }

// cubicAxis returns the taps along axis i.
func (f *filter) cubicAxis(i int) (q [4]weightedTap) {
	a := f.axisOf(i)
	whole, part := f.cubicBase(a)
	t := f.fmul(f.stof(part), f.num(1.0/fraction))
	for k := range q {
		q[k].at, q[k].in = f.wrapIndex(a, f.add(whole, f.I32(uint32(k-1))))
		row := cubicMatrix[f.s.cubic][k] // evaluated by Horner's rule
		w := f.num(row[3])
		for n := 2; n >= 0; n-- {
			w = f.ffma(w, t, f.num(row[n]))
		}
		q[k].weight = w
	}
	return q
}

// cubicBase returns the index of the second of the four texels (the first texel of a linear filter), before
// wrapping, and the fraction in 256ths. Repeated coordinates are reduced first, others clamped near the
// level, so that the integers do not overflow.
func (f *filter) cubicBase(a axis) (whole, part ir.V) {
	u := a.u
	if !a.counts {
		switch a.mode {
		case enum.AddressModeRepeat:
			u = f.fsub(u, f.floor(u))
		case enum.AddressModeMirroredRepeat:
			half := f.fmul(u, f.num(0.5))
			u = f.fmul(f.fsub(half, f.floor(half)), f.num(2))
		}
		u = f.fmul(u, a.length)
	}
	if a.offset != 0 {
		u = f.fadd(u, f.stof(a.offset))
	}
	least, most := f.num(-1<<22), f.num(1<<22)
	if f.seamless() {
		least, most = f.num(0), a.length
	}
	u = f.ffma(f.clamp(u, least, most), f.num(fraction), f.num(-fraction/2))
	x := f.ftos(f.Op(ir.FRoundEven, ir.F32, u))
	return f.Op(ir.AShr, ir.I32, x, f.I32(8)), f.Op(ir.And, ir.I32, x, f.I32(fraction-1))
}

// wrapIndex wraps a texel's index by the specification's integer formulas.
func (f *filter) wrapIndex(a axis, i ir.V) (at, in ir.V) {
	if f.seamless() {
		return i, 0
	}
	last := f.sub(a.size, f.I32(1))
	switch a.mode {
	case enum.AddressModeRepeat, enum.AddressModeMirroredRepeat:
		return f.wrap(a, i), 0
	case enum.AddressModeClampToBorder:
		return i, f.ult(i, a.size)
	case enum.AddressModeMirrorClampToEdge:
		i = f.Select(f.slt(i, f.I32(0)), f.Op(ir.Not, ir.I32, i), i)
	}
	return f.Op(ir.SMin, ir.I32, f.Op(ir.SMax, ir.I32, i, f.I32(0)), last), 0
}

// accumulator holds the weighted sum of the texels that a cubic filter has read, and the minimum and maximum
// over the texels with a nonzero weight. Parts that the sampler does not need have no values.
type accumulator struct{ sum, least, most values }

// accumulates reports which parts of an accumulator the sampler needs.
func (f *filter) accumulates() (sum, least, most bool) {
	average := f.s.reduction == enum.ReductionWeightedAverage
	return average, f.s.reduction == enum.ReductionMin || average && f.s.rangeClamp, f.s.reduction == enum.ReductionMax || average && f.s.rangeClamp
}

// sampleCubic weights four texels along each axis: x first, then y, then z. For volumes, and for cubes
// filtered across edges, the last axis is a loop to bound code size.
func (f *filter) sampleCubic() values {
	axes := make([][]weightedTap, f.v.axes())
	for i := range axes {
		q := f.cubicAxis(i)
		axes[i] = q[:]
	}
	at := make([]ir.V, len(axes))
	last := len(axes) - 1
	if last < 2 && !f.seamless() {
		return f.result(f.accumulate(axes, at, 0, 0))
	}
	which, _ := f.present(&f.x)
	outer := axes[last]
	state := f.forRegion([2]ir.V{f.I32(1), f.I32(4)}, f.flatten(which, f.emptyAccumulator(which)), func(_, k ir.V, state []ir.V) []ir.V {
		axes[last] = []weightedTap{f.selectTap(outer, k)}
		t := f.unflatten(which, state)
		f.merge(&t, f.accumulate(axes, at, 0, 0))
		return f.flatten(which, t)
	})
	return f.result(f.unflatten(which, state))
}

// selectTap returns tap k of the list, k being a run-time value.
func (f *filter) selectTap(list []weightedTap, k ir.V) weightedTap {
	one := list[0]
	for n, p := range list[1:] {
		here := f.eq(k, f.I32(uint32(n+1)))
		one.at, one.weight = f.Select(here, p.at, one.at), f.Select(here, p.weight, one.weight)
		if one.in != 0 {
			one.in = f.Select(here, p.in, one.in)
		}
	}
	return one
}

// accumulate accumulates the texels of all combinations of taps of the given axes; at holds the indices along
// the other axes. none is true if one of those has weight 0, and 0 (no value) if no part needs it.
func (f *filter) accumulate(axes [][]weightedTap, at []ir.V, in, none ir.V) (t accumulator) {
	n := len(axes) - 1
	if n < 0 {
		return f.accumulateTap(f.cubicTap(at, in), none)
	}
	sum, least, most := f.accumulates()
	for _, p := range axes[n] {
		at[n] = p.at
		without := none
		if least || most {
			if without = f.Cmp(ir.FEq, p.weight, f.num(0)); none != 0 {
				without = f.either(none, without)
			}
		}
		part := f.accumulate(axes[:n], at, f.andIn(in, p.in), without)
		if sum {
			for i, v := range part.sum {
				if v != 0 {
					part.sum[i] = f.fmul(v, p.weight)
				}
			}
		}
		f.merge(&t, part)
	}
	return t
}

// accumulateTap returns the accumulator of one texel.
func (f *filter) accumulateTap(n values, none ir.V) (t accumulator) {
	sum, least, most := f.accumulates()
	for i, v := range n {
		if v == 0 {
			continue
		}
		if sum {
			t.sum[i] = v
		}
		if least {
			t.least[i] = f.Select(none, f.num(math.Inf(1)), v)
		}
		if most {
			t.most[i] = f.Select(none, f.num(math.Inf(-1)), v)
		}
	}
	return t
}

// merge adds an accumulator to another.
func (f *filter) merge(t *accumulator, more accumulator) {
	join := func(op func(x, y ir.V) ir.V, to *values, from values) {
		for i, v := range from {
			switch {
			case v == 0:
			case to[i] == 0:
				to[i] = v
			default:
				to[i] = op(to[i], v)
			}
		}
	}
	join(f.fadd, &t.sum, more.sum)
	join(f.nmin, &t.least, more.least)
	join(f.nmax, &t.most, more.most)
}

// result returns the sampler's reduction of the accumulated texels.
func (f *filter) result(t accumulator) values {
	switch {
	case f.s.reduction == enum.ReductionMin:
		return t.least
	case f.s.reduction == enum.ReductionMax:
		return t.most
	case f.s.rangeClamp:
		for i, v := range t.sum {
			if v != 0 {
				t.sum[i] = f.nmin(f.nmax(v, t.least[i]), t.most[i])
			}
		}
	}
	return t.sum
}

// emptyAccumulator is the accumulator of no texels.
func (f *filter) emptyAccumulator(which []int) (t accumulator) {
	sum, least, most := f.accumulates()
	for _, i := range which {
		if sum {
			t.sum[i] = f.num(0)
		}
		if least {
			t.least[i] = f.num(math.Inf(1))
		}
		if most {
			t.most[i] = f.num(math.Inf(-1))
		}
	}
	return t
}

// flatten returns the accumulator's values as a list, for block parameters.
func (f *filter) flatten(which []int, t accumulator) (list []ir.V) {
	for _, n := range [...]values{t.sum, t.least, t.most} {
		for _, i := range which {
			if n[i] != 0 {
				list = append(list, n[i])
			}
		}
	}
	return list
}

// unflatten is the inverse of flatten.
func (f *filter) unflatten(which []int, list []ir.V) (t accumulator) {
	sum, least, most := f.accumulates()
	for k, n := range [...]*values{&t.sum, &t.least, &t.most} {
		if ![...]bool{sum, least, most}[k] {
			continue
		}
		for _, i := range which {
			n[i], list = list[0], list[1:]
		}
	}
	return t
}

// cubicTap reads a texel, up to two texels outside a cube's face. At a cube's corner, which has no texel, the
// value is the mean of the nearest texels of the three faces (Vulkan §"Cube Map Edge Handling").
func (f *filter) cubicTap(at []ir.V, in ir.V) values {
	if !f.seamless() {
		return f.tap(at, in)
	}
	size := f.m.extent[0]
	which, types := f.present(&f.x)
	read := func(x, y ir.V) values {
		to, x, y, _ := f.neighbourTexel(f.face, x, y, size)
		return f.values([]ir.V{x, y}, f.cubeLayer(to), 0, 0)
	}
	inside := func(v ir.V) ir.V {
		return f.Op(ir.SMin, ir.I32, f.Op(ir.SMax, ir.I32, v, f.I32(0)), f.sub(size, f.I32(1)))
	}
	corner := f.both(f.not(f.ult(at[0], size)), f.not(f.ult(at[1], size)))
	list := f.ifElse(corner, types, func() (mean []ir.V) {
		x, y := inside(at[0]), inside(at[1])
		a, b, c := read(at[0], y), read(x, at[1]), read(x, y)
		for _, i := range which {
			mean = append(mean, f.fmul(f.fadd(f.fadd(a[i], b[i]), c[i]), f.num(1.0/3)))
		}
		return mean
	}, func() (list []ir.V) {
		n := read(at[0], at[1])
		for _, i := range which {
			list = append(list, n[i])
		}
		return list
	})
	var n values
	for k, i := range which {
		n[i] = list[k]
	}
	return n
}
