package pass

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// clampConstants are constants for clamps, factors and sums: both zeros, the ends of
// ranges and their neighbours, NaN and infinities.
var clampConstants = []uint32{
	0, 1 << 31, 1, 1<<31 + 1, 0x3f800000, 0x3f7fffff, 0x3f800001, 0xbf800000, 0x3f000000, 0x3e800000, 0x437f0000,
	0x3b808081, 0xaf7efeff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x00800000, 0x4b400000,
}

// clampCase makes a function of a 32-bit number. It clamps and blends floats at random:
// the number's bits as a float, and its bytes decoded. It returns a hash of them all.
func clampCase(r *rand.Rand) *ir.Func {
	b := ir.NewFunc("f", []ir.Type{ir.I32}, []ir.Type{ir.I32})
	x := b.Func.Args[0]
	constant := func() ir.V { return b.Const(ir.F32, uint64(clampConstants[r.Intn(len(clampConstants))])) }
	one, zero := b.Const(ir.F32, 0x3f800000), b.Const(ir.F32, 0)
	list := []ir.V{}
	for range 3 {
		x = b.Op(ir.Mul, ir.I32, x, b.I32(r.Uint32()|1))
		list = append(list, b.Op(ir.Bitcast, ir.F32, x))
		byteOf := b.Op(ir.BitFieldU, ir.I32, x, b.I32(8*uint32(r.Intn(3))), b.I32(uint32(r.Intn(9))))
		n := b.Op([]ir.Op{ir.SToF, ir.UToF}[r.Intn(2)], ir.F32, byteOf)
		list = append(list, n, b.Op(ir.FFma, ir.F32, n, b.Const(ir.F32, 0x3b808081), b.Op(ir.FMul, ir.F32, n, b.Const(ir.F32, 0xaf7efeff))))
	}
	some := func() ir.V { return list[max(0, len(list)-1-r.Intn(8)*r.Intn(3))] }
	extremes := []ir.Op{ir.FMin, ir.FMax, ir.NMin, ir.NMax}
	for range 30 {
		v := some()
		switch r.Intn(9) {
		case 0, 1:
			args := []ir.V{v, constant()}
			if r.Intn(2) == 0 {
				args[0], args[1] = args[1], args[0]
			}
			v = b.Op(extremes[r.Intn(4)], ir.F32, args...)
		case 2:
			v = b.Op(ir.FMin, ir.F32, one, b.Op(ir.FMax, ir.F32, zero, v))
		case 3:
			v = b.Op([]ir.Op{ir.FMul, ir.FAdd, ir.FSub}[r.Intn(3)], ir.F32, v, some())
		case 4:
			v = b.Op(ir.FSub, ir.F32, one, v)
		case 5:
			v = b.Op(ir.FFma, ir.F32, v, some(), some())
		case 6:
			p := b.Op(ir.FMin, ir.F32, one, b.Op(ir.FMax, ir.F32, zero, v))
			x, y := b.Op(ir.FMul, ir.F32, some(), p), b.Op(ir.FMul, ir.F32, b.Op(ir.FSub, ir.F32, one, p), some())
			v = b.Op(ir.FAdd, ir.F32, x, y)
		case 7:
			v = b.Op(extremes[r.Intn(4)], ir.F32, v, some())
		case 8: // rounded to an integer and decoded
			up := b.Const(ir.F32, 0x4b000000)
			n := b.Op(ir.FMin, ir.F32, one, b.Op(ir.FMax, ir.F32, zero, v))
			n = b.Op(ir.FAdd, ir.F32, b.Op(ir.FMul, ir.F32, n, b.Const(ir.F32, 0x437f0000)), up)
			if r.Intn(2) == 0 {
				n = b.Op(ir.Bitcast, ir.F32, b.Op(ir.Bitcast, ir.I32, n))
			}
			n = b.Op(ir.FSub, ir.F32, n, []ir.V{up, up, one}[r.Intn(3)])
			v = b.Op(ir.FFma, ir.F32, n, b.Const(ir.F32, 0x3b808081), b.Op(ir.FMul, ir.F32, n, b.Const(ir.F32, 0xaf7efeff)))
		}
		list = append(list, v)
	}
	out := b.I32(0)
	for _, v := range list {
		sum := b.Op(ir.Mul, ir.I32, out, b.I32(2654435761))
		out = b.Op(ir.Xor, ir.I32, sum, b.Op(ir.Bitcast, ir.I32, b.Op(ir.FCanon, ir.F32, v)))
	}
	b.Return(out)
	return b.Finish()
}

func extremesOf(f *ir.Func) (n int) {
	for _, v := range f.Code {
		if slices.Contains([]ir.Op{ir.FMin, ir.FMax, ir.NMin, ir.NMax}, f.Val(v).Op) {
			n++
		}
	}
	return n
}

// TestClamp evaluates random clamps before and after the pass.
func TestClamp(t *testing.T) {
	gone := 0
	for seed := range 1500 {
		f, g := clampCase(rand.New(rand.NewSource(int64(seed)))), clampCase(rand.New(rand.NewSource(int64(seed))))
		elimClamps(nil, g)
		gone += extremesOf(f) - extremesOf(g)
		r := rand.New(rand.NewSource(int64(seed)))
		numbers := []uint64{0, 1, 255, 256, 1 << 31, 1<<32 - 1}
		for _, c := range clampConstants {
			numbers = append(numbers, uint64(c))
		}
		for range 60 {
			numbers = append(numbers, uint64(r.Uint32()), uint64(math.Float32bits(r.Float32())))
		}
		before, after := evaluationOf(f), evaluationOf(g)
		for _, x := range numbers {
			if want, got := before.of(x), after.of(x); got != want {
				t.Fatalf("seed %d: of %#x %#x; want %#x\n%s\n%s", seed, x, got, want, f, g)
			}
		}
	}
	if gone < 1000 {
		t.Errorf("%d clamps left out", gone)
	}
}

// TestBlended checks that p + (1 − p), rounded twice, is at most 1.
func TestBlended(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 1 << 20 {
		p := r.Float32()
		if i%2 == 0 { // of all sizes
			p = math.Float32frombits(r.Uint32() % (0x3f800000 + 1))
		}
		q := float32(1 - p)
		if sum := float32(p + q); !(sum <= 1) {
			t.Fatalf("%v + %v is %v", p, q, sum)
		}
	}
}
