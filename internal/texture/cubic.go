package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// cubicMatrix is the weights of the four texels along an axis, as polynomials in
// the fraction: a row for each texel, its coefficients from the constant on (Vulkan
// §"Texel Filtering", cubic weights).
var cubicMatrix = [...][4][4]float64{
	CatmullRom:        {{0, -0.5, 1, -0.5}, {1, 0, -2.5, 1.5}, {0, 0.5, 2, -1.5}, {0, 0, -0.5, 0.5}},
	ZeroTangent:       {{0, 0, 0, 0}, {1, 0, -3, 2}, {0, 0, 3, -2}, {0, 0, 0, 0}},
	BSpline:           {{1.0 / 6, -0.5, 0.5, -1.0 / 6}, {4.0 / 6, 0, -1, 0.5}, {1.0 / 6, 0.5, 0.5, -0.5}, {0, 0, 0, 1.0 / 6}},
	MitchellNetravali: {{1.0 / 18, -0.5, 15.0 / 18, -7.0 / 18}, {16.0 / 18, 0, -2, 21.0 / 18}, {1.0 / 18, 0.5, 27.0 / 18, -21.0 / 18}, {0, 0, -6.0 / 18, 7.0 / 18}},
}

// four are the texels along an axis that a cubic filter weights.
type four struct {
	at, in, weight [4]ir.V
}

// cubicAxis returns the texels and weights along an axis.
func (f *filter) cubicAxis(i int) (q four) {
	a := f.axisOf(i)
	u := a.u
	if !f.s.unnormalized {
		u = f.fmul(u, a.length)
	}
	if a.offset != 0 {
		u = f.fadd(u, f.stof(a.offset))
	}
	u = f.nmin(f.nmax(u, f.num(-1<<22)), f.num(1<<22))
	whole := f.floor(f.fsub(u, f.num(0.5)))
	t := f.fmul(f.Op(ir.FRoundEven, ir.F32, f.fmul(f.fsub(f.fsub(u, f.num(0.5)), whole), f.num(fraction))), f.num(1.0/fraction))
	first := f.sub(f.ftos(whole), f.I32(1))
	for k := range q.at {
		q.at[k], q.in[k] = f.integral(a, f.add(first, f.I32(uint32(k))))
		row := cubicMatrix[f.s.cubic][k]
		w := f.num(row[3])
		for n := 2; n >= 0; n-- {
			w = f.ffma(w, t, f.num(row[n]))
		}
		q.weight[k] = w
	}
	return q
}

// integral wraps the number of a texel as the specification states it.
func (f *filter) integral(a axis, i ir.V) (at, in ir.V) {
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

// sampleCubic weights sixteen texels: along x, then along y.
func (f *filter) sampleCubic() values {
	x, y := f.cubicAxis(0), f.cubicAxis(1)
	var sum values
	for j := range y.at {
		var row values
		for i := range x.at {
			f.accumulate(&row, f.tap([]ir.V{x.at[i], y.at[j]}, f.andIn(x.in[i], y.in[j])), x.weight[i])
		}
		f.accumulate(&sum, row, y.weight[j])
	}
	return sum
}

// accumulate adds weighted numbers to a sum, or takes the least or greatest.
func (f *filter) accumulate(sum *values, n values, weight ir.V) {
	for i, v := range n {
		switch {
		case v == 0:
		case f.s.reduction != Average && sum[i] == 0:
			sum[i] = v
		case f.s.reduction == Min:
			sum[i] = f.nmin(sum[i], v)
		case f.s.reduction == Max:
			sum[i] = f.nmax(sum[i], v)
		case sum[i] == 0:
			sum[i] = f.fmul(v, weight)
		default:
			sum[i] = f.ffma(v, weight, sum[i])
		}
	}
}
