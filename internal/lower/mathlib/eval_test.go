package mathlib

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// code is a straight function that can be run again and again.
type code struct {
	t      testing.TB
	f      *ir.Func
	keys   []ir.Key
	vals   []uint64
	result []ir.V
}

// build makes a function of the given arguments and lets f fill it.
func build(t testing.TB, args []ir.Type, f func(b *ir.Builder, x []ir.V) []ir.V) *code {
	t.Helper()
	b := ir.NewFunc("test", args, nil)
	c := &code{t: t, result: f(b, b.Func.Args)}
	b.Return()
	c.f = b.Finish()
	c.vals = make([]uint64, len(c.f.Vals))
	c.keys = make([]ir.Key, len(c.f.Vals))
	for v := range c.f.Vals {
		c.keys[v] = c.f.Key(ir.V(v))
		if c.f.Vals[v].Op == ir.Const {
			c.vals[v] = c.f.Vals[v].Aux
		}
	}
	entry := ir.NewFunc("main", nil, nil)
	entry.Return()
	p := &ir.Program{SubgroupSize: 32, Funcs: []*ir.Func{entry.Finish(), c.f}}
	if err := p.Verify(); err != nil {
		t.Fatalf("what was built is not well formed: %v", err)
	}
	return c
}

// run evaluates the function by the table of operations, with the most unfavourable values that the flags permit.
func (c *code) run(args ...uint64) []uint64 {
	for i, v := range c.f.Args {
		c.vals[v] = args[i]
	}
	for _, v := range c.f.Code {
		x := &c.f.Vals[v]
		if eval := x.Op.Row().Eval; eval != nil {
			c.vals[v] = eval(c.keys[v], c.vals[x.Args[0]], c.vals[x.Args[1]], c.vals[x.Args[2]])
			c.promised(v)
		}
	}
	out := make([]uint64, len(c.result))
	for i, v := range c.result {
		out[i] = c.vals[v]
		if t := c.f.Type(v); t.IsFloat() && c.computed(v) {
			out[i] = scalar.FCanon(t.Bits(), out[i])
		}
	}
	return out
}

// promised checks what the flags of an operation assert. It changes a result on which nothing may depend.
func (c *code) promised(v ir.V) {
	x := &c.f.Vals[v]
	a := c.vals[x.Args[0]]
	if x.Op == ir.Bitcast && x.Flags&ir.AnyNaN != 0 && scalar.F32(a) != scalar.F32(a) {
		c.vals[v] ^= 1 << 31
	}
	if x.Op != ir.FToS && x.Op != ir.FLdexp {
		return
	}
	f := math.Abs(float64(scalar.F32(a)))
	switch {
	case f != f && x.Flags&ir.AnyNaN != 0:
		c.vals[v] = 1 << 31
	case x.Flags&ir.Fits == 0 || f != f:
	case x.Op == ir.FToS && f >= 1<<31:
		c.t.Errorf("ftos of %g does not fit", f)
	case x.Op == ir.FLdexp:
		if n := int32(c.vals[x.Args[1]]); f < 0.5 || f > 2 || n < -250 || n > 250 {
			c.t.Errorf("fldexp of %g and %d does not fit", f, n)
		}
	}
}

// computed reports whether whoever shows v would make a NaN canonical: not what
// came from bits, or was only chosen and passed on.
func (c *code) computed(v ir.V) bool {
	x := &c.f.Vals[v]
	switch x.Op {
	case ir.Arg, ir.Const, ir.Bitcast, ir.FCanon:
		return false
	case ir.Select:
		return c.computed(x.Args[1]) || c.computed(x.Args[2])
	case ir.FNeg, ir.FAbs:
		return c.computed(x.Args[0])
	}
	return true
}

type unaryFunc = func(b *ir.Builder, x ir.V) ir.V
type binaryFunc = func(b *ir.Builder, x, y ir.V) ir.V

func build1(t testing.TB, typ ir.Type, f unaryFunc) *code {
	return build(t, []ir.Type{typ}, func(b *ir.Builder, x []ir.V) []ir.V { return []ir.V{f(b, x[0])} })
}

func build2(t testing.TB, typ ir.Type, f binaryFunc) *code {
	return build(t, []ir.Type{typ, typ}, func(b *ir.Builder, x []ir.V) []ir.V { return []ir.V{f(b, x[0], x[1])} })
}

// f32 evaluates a function of f32.
func (c *code) f32(args ...float32) float32 {
	a := make([]uint64, len(args))
	for i, x := range args {
		a[i] = scalar.Bits32(x)
	}
	return scalar.F32(c.run(a...)[0])
}

// ulp returns the distance of two floats next to v in binary32.
func ulp(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-24, -149))
}

// off returns the error of got in ULP; 0 where both are NaN or the same ∞, and a
// great number where only one is.
func off(got float32, want float64) float64 {
	g := float64(got)
	switch {
	case g != g && want != want, math.IsInf(float64(float32(want)), 0) && g == float64(float32(want)):
		return 0
	case g != g || want != want:
		return 1e9
	case math.IsInf(g, 0):
		g = math.Copysign(0x1p128, g)
	}
	return math.Abs(g-want) / ulp(want)
}

var (
	inf  = float32(math.Inf(1))
	nan  = float32(math.NaN())
	neg0 = float32(math.Copysign(0, -1))
)

// same compares floats by bits; a NaN must be the canonical one.
func same(got, want float32) bool {
	return scalar.Bits32(got) == scalar.FCanon(32, scalar.Bits32(want))
}

// point is an argument or two, and the expected value.
type point struct{ x, want float32 }
type point2 struct{ x, y, want float32 }

func exactly(t *testing.T, name string, f unaryFunc, points []point) {
	t.Helper()
	c := build1(t, ir.F32, f)
	for _, p := range points {
		if got := c.f32(p.x); !same(got, p.want) {
			t.Errorf("%s(%g) = %g, want %g", name, p.x, got, p.want)
		}
	}
}

func exactly2(t *testing.T, name string, f binaryFunc, points []point2) {
	t.Helper()
	c := build2(t, ir.F32, f)
	for _, p := range points {
		if got := c.f32(p.x, p.y); !same(got, p.want) {
			t.Errorf("%s(%g, %g) = %g, want %g", name, p.x, p.y, got, p.want)
		}
	}
}
