package pass

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// filterCase makes a function of a 32-bit number. It filters bytes as textures do: along x in integers, along other axes in floats, then
// scaled. Clamps between the steps have bounds at the ends of the ranges, or next to them.
func filterCase(r *rand.Rand) *ir.Func {
	b := ir.NewFunc("f", []ir.Type{ir.I32}, []ir.Type{ir.I32})
	x := b.Func.Args[0]
	num := func(x float32) ir.V { return b.Const(ir.F32, uint64(math.Float32bits(x))) }
	word := func() ir.V {
		x = b.Op(ir.Mul, ir.I32, x, b.I32(r.Uint32()|1))
		return b.Op([]ir.Op{ir.Or, ir.And, ir.Xor}[r.Intn(3)], ir.I32, x, b.I32([]uint32{0, 1<<32 - 1, r.Uint32()}[r.Intn(3)]))
	}
	ends := []float32{0, 1, 65280, 65279.996, 0x1.fffffep-1, 65535, 255, 1.0000001}
	out := b.I32(0)
	note := func(v ir.V) ir.V {
		for range r.Intn(3) {
			k := num(ends[r.Intn(len(ends))])
			v = b.Op([]ir.Op{ir.FMin, ir.FMax, ir.NMin, ir.NMax}[r.Intn(4)], ir.F32, k, v)
		}
		sum := b.Op(ir.Mul, ir.I32, out, b.I32(2654435761))
		out = b.Op(ir.Xor, ir.I32, sum, b.Op(ir.Bitcast, ir.I32, b.Op(ir.FCanon, ir.F32, v)))
		return v
	}
	row := func(part ir.V) ir.V {
		pairs := func() ir.V { return b.Op(ir.And, ir.I32, word(), b.I32(0x00ff00ff)) }
		rest := b.Op(ir.Sub, ir.I32, b.I32(256-uint32(r.Intn(20)/19)), part)
		sum := b.Op(ir.Add, ir.I32, b.Op(ir.Mul, ir.I32, pairs(), rest), b.Op(ir.Mul, ir.I32, pairs(), part))
		if r.Intn(2) == 0 {
			return note(b.Op(ir.SToF, ir.F32, b.Op(ir.LShr, ir.I32, sum, b.I32(16))))
		}
		return note(b.Op(ir.SToF, ir.F32, b.Op(ir.And, ir.I32, sum, b.I32(0xffff))))
	}
	lerp := func(lo, hi ir.V) ir.V {
		w := b.Op(ir.And, ir.I32, word(), b.I32([]uint32{255, 255, 511}[r.Intn(3)]))
		weight := b.Op(ir.FMul, ir.F32, b.Op(ir.SToF, ir.F32, w), num(1.0/256))
		return note(b.Op(ir.FFma, ir.F32, b.Op(ir.FSub, ir.F32, hi, lo), weight, lo))
	}
	for range 4 {
		part := b.Op(ir.And, ir.I32, word(), b.I32(255))
		v := lerp(row(part), row(part))
		if r.Intn(2) == 0 {
			v = lerp(v, lerp(row(part), row(part)))
		}
		top := []float64{255 * 256, 65535, 255}[r.Intn(3)]
		hi := float32(1 / top)
		v = b.Op(ir.FFma, ir.F32, v, num(hi), b.Op(ir.FMul, ir.F32, v, num(float32(1/top-float64(hi)))))
		note(b.Op(ir.FMin, ir.F32, num(1), b.Op(ir.FMax, ir.F32, num(0), v)))
	}
	b.Return(out)
	return b.Finish()
}

// TestClampFilters evaluates random filters before and after the pass.
func TestClampFilters(t *testing.T) {
	gone := 0
	for seed := range int64(800) {
		f, g := filterCase(rand.New(rand.NewSource(46000000+seed))), filterCase(rand.New(rand.NewSource(46000000+seed)))
		elimClamps(nil, g)
		gone += extremesOf(f) - extremesOf(g)
		r := rand.New(rand.NewSource(seed))
		numbers := []uint64{0, 1, 255, 256, 1 << 31, 1<<32 - 1}
		for range 40 {
			numbers = append(numbers, uint64(r.Uint32()))
		}
		before, after := evaluationOf(f), evaluationOf(g)
		for _, x := range numbers {
			if want, got := before.of(x), after.of(x); got != want {
				t.Fatalf("seed %d: of %#x %#x; want %#x\n%s\n%s", seed, x, got, want, f, g)
			}
		}
	}
	if gone < 8000 {
		t.Errorf("%d clamps left out", gone)
	}
}

// evaluate returns the result of an operation on floats.
func evaluate(op ir.Op, args ...float32) float32 {
	var bits [3]uint64
	for i, x := range args {
		bits[i] = uint64(math.Float32bits(x))
	}
	return math.Float32frombits(uint32(op.Row().Eval(ir.Key{Type: ir.F32, From: ir.F32}, bits[0], bits[1], bits[2])))
}

// TestInterpolated checks that a rounded interpolation with a weight below 1 stays in [0, M], for operands at the ends and between.
func TestInterpolated(t *testing.T) {
	r := rand.New(rand.NewSource(46000000))
	for range 1 << 19 {
		most := math.Float32frombits(r.Uint32() % (0x7f7fffff + 1))
		some := func() float32 {
			bits := math.Float32bits(most)
			switch r.Intn(4) {
			case 0:
				return most
			case 1: // near the end
				bits -= min(bits, uint32(r.Intn(4)))
			case 2: // near half of it
				bits -= min(bits, 1<<23-4+uint32(r.Intn(8)))
			default:
				bits = uint32(r.Int63n(int64(bits) + 1))
			}
			return math.Float32frombits(bits)
		}
		lo, hi, w := some(), some(), float32(0x1.fffffep-1)
		if r.Intn(2) == 0 {
			w = math.Float32frombits(uint32(r.Int63n(0x3f800000)))
		}
		got := evaluate(ir.FFma, evaluate(ir.FSub, hi, lo), w, lo)
		if !(got <= most) || math.Signbit(float64(got)) {
			t.Fatalf("%v + (%v − %v)·%v is %v; at most %v", lo, hi, lo, w, got, most)
		}
	}
}

// TestScaled checks the bound of numbers that are scaled in two parts, and the sign.
func TestScaled(t *testing.T) {
	r := rand.New(rand.NewSource(46000000))
	c := &clampElim{}
	known := 0
	for range 1 << 18 {
		top := float64(1 + r.Intn(1<<24))
		if r.Intn(2) == 0 {
			top = []float64{255, 255 * 256, 65535, 127 * 256, 1023 * 256}[r.Intn(5)]
		}
		scale := float32(1 / top)
		rest := float32(1/top - float64(scale))
		most := math.Float32frombits(r.Uint32() % 0x60000000)
		if r.Intn(2) == 0 {
			most = float32(top)
		}
		exactly := func(x float32) valueRange { return valueRange{x, x, true} }
		s := c.scaled(valueRange{0, most, true}, exactly(scale), exactly(rest))
		if !s.known {
			continue
		}
		known++
		for range 4 {
			n := most
			switch r.Intn(3) {
			case 0:
				n = math.Float32frombits(math.Float32bits(most) - min(math.Float32bits(most), uint32(r.Intn(8))))
			case 1:
				n = math.Float32frombits(uint32(r.Int63n(int64(math.Float32bits(most)) + 1)))
			}
			if got := evaluate(ir.FFma, n, scale, evaluate(ir.FMul, n, rest)); !(got <= s.hi) || math.Signbit(float64(got)) {
				t.Fatalf("%v scaled by %v and %v is %v; at most %v", n, scale, rest, got, s.hi)
			}
		}
		if most == float32(top) && top < 1<<24 && s.hi != 1 {
			t.Fatalf("%v scaled to 1 has the bound %v", top, s.hi)
		}
	}
	if known < 1<<15 {
		t.Errorf("%d bounds", known)
	}
}

// TestClampFilterChains: each filter has two weights from the filter before it. A walk without a shared depth limit is exponential in the
// length of the chain.
func TestClampFilterChains(t *testing.T) {
	b := ir.NewFunc("f", []ir.Type{ir.I32}, []ir.Type{ir.F32})
	pairs := b.Op(ir.And, ir.I32, b.Func.Args[0], b.I32(0x00ff00ff))
	part := b.Op(ir.And, ir.I32, b.Func.Args[0], b.I32(255))
	for range 64 {
		rest := b.Op(ir.Sub, ir.I32, b.I32(256), part)
		sum := b.Op(ir.Add, ir.I32, b.Op(ir.Mul, ir.I32, pairs, rest), b.Op(ir.Mul, ir.I32, pairs, part))
		low, high := b.Op(ir.And, ir.I32, sum, b.I32(0xffff)), b.Op(ir.LShr, ir.I32, sum, b.I32(16))
		part = b.Op(ir.UMin, ir.I32, b.I32(255), b.Op(ir.UMin, ir.I32, low, high))
	}
	b.Return(b.Op(ir.FMin, ir.F32, b.Const(ir.F32, 0x437f0000), b.Op(ir.UToF, ir.F32, part)))
	f := b.Finish()
	before := extremesOf(f)
	if elimClamps(nil, f); extremesOf(f) != before-1 {
		t.Errorf("%d clamps, want %d", extremesOf(f), before-1)
	}
}
