package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// cubicMatrix is the weights of the four texels along an axis, as polynomials in
// the fraction: a row for each texel, its coefficients from the constant on (Vulkan
// §"Texel Filtering", cubic weights).
var cubicMatrix = [...][4][4]float64{
	CatmullRom:        {{0, -0.5, 1, -0.5}, {1, 0, -2.5, 1.5}, {0, 0.5, 2, -1.5}, {0, 0, -0.5, 0.5}},
	ZeroTangent:       {{0, 0, 0, 0}, {1, 0, -3, 2}, {0, 0, 3, -2}, {0, 0, 0, 0}},
	BSpline:           {{1.0 / 6, -0.5, 0.5, -1.0 / 6}, {4.0 / 6, 0, -1, 0.5}, {1.0 / 6, 0.5, 0.5, -0.5}, {0, 0, 0, 1.0 / 6}},
	MitchellNetravali: {{1.0 / 18, -0.5, 15.0 / 18, -7.0 / 18}, {16.0 / 18, 0, -2, 21.0 / 18}, {1.0 / 18, 0.5, 27.0 / 18, -21.0 / 18}, {0, 0, -6.0 / 18, 7.0 / 18}},
}

// along is one of the four texels along an axis that a cubic filter weights.
type along struct{ at, in, weight ir.V }

// cubicAxis returns the texels along an axis with their weights.
func (f *filter) cubicAxis(i int) (q [4]along) {
	a := f.axisOf(i)
	whole, part := f.cubicPlace(a)
	t := f.fmul(f.stof(part), f.num(1.0/fraction))
	for k := range q {
		q[k].at, q[k].in = f.integral(a, f.add(whole, f.I32(uint32(k-1))))
		row := cubicMatrix[f.s.cubic][k]
		w := f.num(row[3])
		for n := 2; n >= 0; n-- {
			w = f.ffma(w, t, f.num(row[n]))
		}
		q[k].weight = w
	}
	return q
}

// cubicPlace returns the second of the four texels, which is the first of the two of a
// linear filter, before it is wrapped, and the fraction in 256ths. Coordinates that repeat are wrapped first, others
// kept near the level, so that integers hold them.
func (f *filter) cubicPlace(a axis) (whole, part ir.V) {
	u := a.u
	if !a.counts {
		switch a.mode {
		case Repeat:
			u = f.fsub(u, f.floor(u))
		case MirroredRepeat:
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

// integral wraps the number of a texel as the specification states it.
func (f *filter) integral(a axis, i ir.V) (at, in ir.V) {
	if f.seamless() {
		return i, 0
	}
	last := f.sub(a.size, f.I32(1))
	switch a.mode {
	case Repeat, MirroredRepeat:
		return f.wrap(a, i), 0
	case ClampToBorder:
		return i, f.ult(i, a.size)
	case MirrorClampToEdge:
		i = f.Select(f.slt(i, f.I32(0)), f.Op(ir.Not, ir.I32, i), i)
	}
	return f.Op(ir.SMin, ir.I32, f.Op(ir.SMax, ir.I32, i, f.I32(0)), last), 0
}

// tally is what is known of the texels that a cubic filter has read: their
// weighted sum, and the least and the greatest of those whose weight is not zero.
// What the sampler does not ask for has no values.
type tally struct{ sum, least, most values }

// wants says which of the three the sampler asks for.
func (f *filter) wants() (sum, least, most bool) {
	average := f.s.reduction == Average
	return average, f.s.reduction == Min || average && f.s.rangeClamp, f.s.reduction == Max || average && f.s.rangeClamp
}

// sampleCubic weights the four texels along each axis: x first, then y, then z.
// Where that is much code, of volumes and of cubes across their edges, the last axis
// is a loop.
func (f *filter) sampleCubic() values {
	axes := make([][]along, f.v.axes())
	for i := range axes {
		q := f.cubicAxis(i)
		axes[i] = q[:]
	}
	at := make([]ir.V, len(axes))
	last := len(axes) - 1
	if last < 2 && !f.seamless() {
		return f.settled(f.tallied(axes, at, 0, 0))
	}
	which, _ := f.present(&f.x)
	outer := axes[last]
	state := f.region([2]ir.V{f.I32(1), f.I32(4)}, f.flat(which, f.empty(which)), func(_, k ir.V, state []ir.V) []ir.V {
		axes[last] = []along{f.picked(outer, k)}
		t := f.unflat(which, state)
		f.merge(&t, f.tallied(axes, at, 0, 0))
		return f.flat(which, t)
	})
	return f.settled(f.unflat(which, state))
}

// picked is number k of the texels along an axis.
func (f *filter) picked(list []along, k ir.V) along {
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

// tallied reads the texels of the axes before those that at already names. none
// says that one of those has no weight; 0 (no value) is that nobody asks.
func (f *filter) tallied(axes [][]along, at []ir.V, in, none ir.V) (t tally) {
	n := len(axes) - 1
	if n < 0 {
		return f.counted(f.cubicTap(at, in), none)
	}
	sum, least, most := f.wants()
	for _, p := range axes[n] {
		at[n] = p.at
		without := none
		if least || most {
			if without = f.Cmp(ir.FEq, p.weight, f.num(0)); none != 0 {
				without = f.either(none, without)
			}
		}
		part := f.tallied(axes[:n], at, f.andIn(in, p.in), without)
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

// counted is the tally of one texel.
func (f *filter) counted(n values, none ir.V) (t tally) {
	sum, least, most := f.wants()
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

// merge adds a tally to another.
func (f *filter) merge(t *tally, more tally) {
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

// settled is what the sampler makes of a tally.
func (f *filter) settled(t tally) values {
	switch {
	case f.s.reduction == Min:
		return t.least
	case f.s.reduction == Max:
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

// empty is the tally of no texels; flat is a tally as a list, and unflat is the
// tally of such a list.
func (f *filter) empty(which []int) (t tally) {
	sum, least, most := f.wants()
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

func (f *filter) flat(which []int, t tally) (list []ir.V) {
	for _, n := range [...]values{t.sum, t.least, t.most} {
		for _, i := range which {
			if n[i] != 0 {
				list = append(list, n[i])
			}
		}
	}
	return list
}

func (f *filter) unflat(which []int, list []ir.V) (t tally) {
	sum, least, most := f.wants()
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

// cubicTap reads a texel; across the edges of a cube's face it may be up to two
// beyond an edge. At the corners, where there is none, it is the mean of those of the
// three faces that are nearest (Vulkan §"Cube Map Edge Handling").
func (f *filter) cubicTap(at []ir.V, in ir.V) values {
	if !f.seamless() {
		return f.tap(at, in)
	}
	size := f.m.extent[0]
	which, types := f.present(&f.x)
	read := func(x, y ir.V) values {
		to, x, y, _ := f.around(f.face, x, y, size)
		return f.seen(f.load(&f.x, f.begins([]ir.V{x, y}, f.cubeLayer(to)), 0), 0)
	}
	inside := func(v ir.V) ir.V {
		return f.Op(ir.SMin, ir.I32, f.Op(ir.SMax, ir.I32, v, f.I32(0)), f.sub(size, f.I32(1)))
	}
	corner := f.both(f.not(f.ult(at[0], size)), f.not(f.ult(at[1], size)))
	list := f.choose(corner, types, func() (mean []ir.V) {
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
