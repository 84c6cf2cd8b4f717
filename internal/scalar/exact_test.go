package scalar

import (
	"math"
	"math/big"
	"sort"
	"testing"
)

// halves are all finite numbers of binary16 that are not negative, ascending,
// made without the package under test.
func halves() []float64 {
	var h []float64
	for e := range 31 {
		for m := range 1024 {
			if e == 0 {
				h = append(h, math.Ldexp(float64(m), -24))
			} else {
				h = append(h, math.Ldexp(float64(1024+m), e-25))
			}
		}
	}
	return h
}

// rounded returns the encoding of the number nearest to v, of two the even one,
// or the nearest toward zero; v is not zero.
func rounded(h []float64, v *big.Float, rtz bool) uint64 {
	sign := uint64(0)
	if v.Sign() < 0 {
		sign = 0x8000
	}
	a := new(big.Float).Abs(v)
	i := sort.Search(len(h), func(i int) bool { return big.NewFloat(h[i]).Cmp(a) > 0 }) - 1
	next := 65536.0
	if i+1 < len(h) {
		next = h[i+1]
	}
	mid := big.NewFloat((h[i] + next) / 2)
	if c := a.Cmp(mid); !rtz && (c > 0 || c == 0 && i&1 == 1) {
		i++
	}
	return sign | uint64(i)
}

// some are numbers of binary16 that lie at edges, and a spread of others.
func some() []uint64 {
	x := []uint64{1, 2, 3, 0x3fe, 0x3ff, 0x400, 0x401, 0x7ff, 0x800, 0x3bff, 0x3c00, 0x3c01, 0x3c02, 0x3c03, 0x4200, 0x7800, 0x7bfe, 0x7bff}
	for i := uint64(0); i < 0x7c00; i += 1009 {
		x = append(x, i+5)
	}
	for _, v := range x[:len(x):len(x)] {
		x = append(x, v|0x8000)
	}
	return x
}

// Arithmetic on binary16 against exact numbers, in both rounding modes.
func TestHalfAgainstExactNumbers(t *testing.T) {
	h, xs := halves(), some()
	num := func(x uint64) *big.Float {
		v := h[x&0x7fff]
		if x>>15 == 1 {
			v = -v
		}
		return new(big.Float).SetPrec(200).SetFloat64(v)
	}
	same := func(op string, rtz bool, x, y, got uint64, v *big.Float) {
		if v.Sign() == 0 {
			if got&0x7fff != 0 {
				t.Errorf("%s(%#x, %#x) = %#x, want 0", op, x, y, got)
			}
		} else if want := rounded(h, v, rtz); got != want {
			t.Errorf("%s(%#x, %#x) rtz %v = %#x, want %#x", op, x, y, rtz, got, want)
		}
	}
	z := new(big.Float).SetPrec(200)
	for i, x := range xs {
		for _, y := range xs {
			a, b := num(x), num(y)
			c := xs[(i*7+int(y))%len(xs)]
			for _, rtz := range []bool{false, true} {
				same("fadd", rtz, x, y, FAdd(16, rtz, x, y), z.Add(a, b))
				same("fsub", rtz, x, y, FSub(16, rtz, x, y), z.Sub(a, b))
				same("fdiv", rtz, x, y, FDiv(16, rtz, x, y), z.Quo(a, b))
				same("fmul", rtz, x, y, FMul(16, rtz, x, y), z.Mul(a, b))
				same("ffma", rtz, x, y, FFma(16, rtz, x, y, c), z.Add(z.Mul(a, b), num(c)))
			}
		}
	}
	for x := uint64(1); x < 0x7c00; x++ {
		for _, rtz := range []bool{false, true} {
			same("fsqrt", rtz, x, 0, FSqrt(16, rtz, x), z.Sqrt(num(x)))
		}
	}
}

// binary32 against exact numbers rounded by math/big, which has no rounding of
// its own to share with the package.
func TestSingleAgainstExactNumbers(t *testing.T) {
	xs := []uint64{1, 3, 0x7fffff, 0x800000, 0x800001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f800003, 0x3fc00000, 0x40400000, 0x34000000, 0x33ffffff, 0x4b7fffff, 0x7f000000, 0x7f7fffff, 0x2f123457, 0x58abcdef}
	for _, v := range xs[:len(xs):len(xs)] {
		xs = append(xs, v|1<<31)
	}
	num := func(x uint64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(float64(F32(x))) }
	same := func(op string, rtz bool, x, y, z, got uint64, v *big.Float) {
		if v.Sign() == 0 {
			return
		}
		f, acc := v.Float32()
		want := Bits32(f)
		// acc compares the rounded value with v.
		if away := acc == big.Above && v.Sign() > 0 || acc == big.Below && v.Sign() < 0; rtz && away {
			want--
		}
		if got != want {
			t.Errorf("%s(%#x, %#x, %#x) rtz %v = %#x, want %#x", op, x, y, z, rtz, got, want)
		}
	}
	v := new(big.Float).SetPrec(4000)
	for _, x := range xs {
		for _, y := range xs {
			a, b := num(x), num(y)
			for _, rtz := range []bool{false, true} {
				same("fadd", rtz, x, y, 0, FAdd(32, rtz, x, y), v.Add(a, b))
				same("fsub", rtz, x, y, 0, FSub(32, rtz, x, y), v.Sub(a, b))
				same("fmul", rtz, x, y, 0, FMul(32, rtz, x, y), v.Mul(a, b))
				same("fdiv", rtz, x, y, 0, FDiv(32, rtz, x, y), v.Quo(a, b))
				for _, z := range xs {
					same("ffma", rtz, x, y, z, FFma(32, rtz, x, y, z), v.Add(v.Mul(a, b), num(z)))
				}
			}
		}
	}
}
