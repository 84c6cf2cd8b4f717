package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Dot returns x[0]·y[0] + x[1]·y[1] + …, from left to right. The vectors have
// the same number of components, one or more.
func Dot(b *ir.Builder, x, y []ir.V) ir.V {
	e := of(b, x[0])
	s := e.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		s = e.add(s, e.mul(x[i], y[i]))
	}
	return s
}

// Length returns √(x·x), of one component |x|. Of 16 bits the sum is made in 32,
// which cannot overflow.
func Length(b *ir.Builder, x []ir.V) ir.V {
	e := of(b, x[0])
	if len(x) == 1 {
		return e.abs(x[0])
	}
	if e.t == ir.F16 {
		return narrow(b, e.t, Length(b, each(x, func(v ir.V) ir.V { return widen(b, v) })))
	}
	return e.sqrt(Dot(b, x, x))
}

// Distance returns Length(x − y).
func Distance(b *ir.Builder, x, y []ir.V) ir.V {
	e := of(b, x[0])
	return Length(b, pairs(x, y, e.sub))
}

// Normalize returns x·InverseSqrt(x·x), of 16 bits through 32.
func Normalize(b *ir.Builder, x []ir.V) []ir.V {
	e := of(b, x[0])
	if e.t == ir.F16 {
		wide := Normalize(b, each(x, func(v ir.V) ir.V { return widen(b, v) }))
		return each(wide, func(v ir.V) ir.V { return narrow(b, e.t, v) })
	}
	s := InverseSqrt(b, Dot(b, x, x))
	return each(x, func(v ir.V) ir.V { return e.mul(v, s) })
}

// Cross returns the cross product of two vectors of three components.
func Cross(b *ir.Builder, x, y []ir.V) []ir.V {
	e := of(b, x[0])
	minor := func(i, j int) ir.V {
		return e.sub(e.mul(x[i], y[j]), e.mul(y[i], x[j]))
	}
	return []ir.V{minor(1, 2), minor(2, 0), minor(0, 1)}
}

// FaceForward returns n if nref·i < 0, else −n.
func FaceForward(b *ir.Builder, n, i, nref []ir.V) []ir.V {
	e := of(b, n[0])
	toward := e.lt(Dot(b, nref, i), e.num(0))
	return each(n, func(v ir.V) ir.V { return e.pick(toward, v, e.neg(v)) })
}

// Reflect returns i − 2·(n·i)·n.
func Reflect(b *ir.Builder, i, n []ir.V) []ir.V {
	e := of(b, n[0])
	d := e.mul(e.num(2), Dot(b, n, i))
	return pairs(i, n, func(i, n ir.V) ir.V { return e.sub(i, e.mul(d, n)) })
}

// Refract returns eta·i − (eta·(n·i) + √k)·n with k = 1 − eta²·(1 − (n·i)²), or
// 0 if k < 0. eta has the type of the components.
func Refract(b *ir.Builder, i, n []ir.V, eta ir.V) []ir.V {
	e := of(b, n[0])
	one, zero := e.num(1), e.num(0)
	d := Dot(b, n, i)
	k := e.sub(one, e.mul(e.mul(eta, eta), e.sub(one, e.mul(d, d))))
	total := e.lt(k, zero)
	f := e.add(e.mul(eta, d), e.sqrt(k))
	return pairs(i, n, func(i, n ir.V) ir.V {
		return e.pick(total, zero, e.sub(e.mul(eta, i), e.mul(f, n)))
	})
}

func each(x []ir.V, f func(ir.V) ir.V) []ir.V {
	out := make([]ir.V, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

func pairs(x, y []ir.V, f func(x, y ir.V) ir.V) []ir.V {
	out := make([]ir.V, len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return out
}
