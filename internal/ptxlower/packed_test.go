package ptxlower

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// packedCases are instructions on packed integers, and the result of one element.
var packedCases = []struct {
	op       string
	bits     int
	signed   bool
	operands int
	want     func(x, y int64) int64
}{
	{"add.u8x4", 8, false, 2, func(x, y int64) int64 { return x + y }},
	{"add.sat.u8x4", 8, false, 2, func(x, y int64) int64 { return min(x+y, 255) }},
	{"add.sat.s8x4", 8, true, 2, func(x, y int64) int64 { return max(min(x+y, 127), -128) }},
	{"add.sat.u16x2", 16, false, 2, func(x, y int64) int64 { return min(x+y, 65535) }},
	{"add.sat.s16x2", 16, true, 2, func(x, y int64) int64 { return max(min(x+y, 32767), -32768) }},
	{"add.sat.u32", 32, false, 2, func(x, y int64) int64 { return min(x+y, math.MaxUint32) }},
	{"sub.s8x4", 8, true, 2, func(x, y int64) int64 { return x - y }},
	{"sub.sat.u8x4", 8, false, 2, func(x, y int64) int64 { return max(x-y, 0) }},
	{"sub.sat.s8x4", 8, true, 2, func(x, y int64) int64 { return max(min(x-y, 127), -128) }},
	{"min.u8x4", 8, false, 2, func(x, y int64) int64 { return min(x, y) }},
	{"max.s8x4", 8, true, 2, func(x, y int64) int64 { return max(x, y) }},
	{"min.relu.s8x4", 8, true, 2, func(x, y int64) int64 { return max(min(x, y), 0) }},
	{"neg.s8x4", 8, true, 1, func(x, _ int64) int64 { return -x }},
	{"set.eq.u16x2", 16, false, 2, func(x, y int64) int64 { return -truth(x == y) }},
	{"set.lt.s8x4", 8, true, 2, func(x, y int64) int64 { return -truth(x < y) }},
	{"set.hs.u8x4", 8, false, 2, func(x, y int64) int64 { return -truth(x >= y) }},
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestPackedIntegers runs instructions on packed integers with numbers at the ends of their range.
func TestPackedIntegers(t *testing.T) {
	words := func(i uint32) (x, y uint32) {
		x, y = i*0x9e3779b9, ^i*0x85ebca6b
		if i%4 == 0 {
			x, y = 0x807f00ff, 0x80ff7f01*(i|1)
		}
		if i%4 == 1 {
			y = x
		}
		return x, y
	}
	for _, x := range packedCases {
		operands := "%r1, %r3"
		if x.operands == 1 {
			operands = "%r1"
		}
		var body strings.Builder
		for i := range uint32(WarpSize) {
			a, b := words(i)
			fmt.Fprintf(&body, "setp.eq.u32 %%p0, %%r0, %d; @%%p0 mov.b32 %%r1, %#x; @%%p0 mov.b32 %%r3, %#x;\n", i, a, b)
		}
		m := parse(t, recentHead+body.String()+fmt.Sprintf("%s %%r2, %s;\nst.global.u32 [%%rd4], %%r2;\nret;\n}\n", x.op, operands))
		element := func(w uint32, at int) int64 {
			v := int64(w >> at & uint32(1<<x.bits-1))
			if x.signed && v >= 1<<(x.bits-1) {
				v -= 1 << x.bits
			}
			return v
		}
		for _, e := range engines {
			out := make([]byte, 16*WarpSize)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatalf("%s: %v", x.op, err)
			}
			for i := range uint32(WarpSize) {
				a, b := words(i)
				want := uint32(0)
				for at := 0; at < 32; at += x.bits {
					want |= uint32(x.want(element(a, at), element(b, at))) & uint32(1<<x.bits-1) << at
				}
				if got := word(out[16*i:]); got != want {
					t.Errorf("%s of %#x and %#x on the %s is %#x; must be %#x", x.op, a, b, e.name, got, want)
				}
			}
		}
	}
}

// TestBfloatsOfSmallFloats converts each pattern of small formats to .bf16, with and without scales, and numbers to them toward zero.
func TestBfloatsOfSmallFloats(t *testing.T) {
	scales := []uint32{127, 0, 1, 120, 130, 254, 255}
	for _, f := range []struct {
		small
		nan int // the patterns of magnitude from here on are none of numbers
	}{{small{"e4m3", 4, 8, 7}, 0x7f}, {small{"e5m2", 5, 8, 15}, 0x7c}, {small{"e2m3", 2, 6, 1}, 64}, {small{"e3m2", 3, 6, 3}, 64}, {small{"e2m1", 2, 4, 1}, 16}} {
		step, register, width := 8, "%h0", 16
		if f.bits == 4 {
			step, register, width = 4, "%c0", 8
		}
		for _, scale := range scales {
			var text strings.Builder
			text.WriteString(strings.Replace(recentHead, "add.u64 %rd4, %rd0, %rd1;", "mul.wide.u32 %rd1, %r0, 64; add.u64 %rd4, %rd0, %rd1;", 1))
			fmt.Fprintf(&text, "mov.u16 %%h1, %d;\n", scale|scale<<8)
			for k := range 8 {
				fmt.Fprintf(&text, "add.u32 %%r3, %%r0, %d; and.b32 %%r3, %%r3, %d; shl.b32 %%r5, %%r3, %d; or.b32 %%r3, %%r3, %%r5; cvt.u%d.u32 %s, %%r3;\n", 32*k, 1<<f.bits-1, step, width, register)
				fmt.Fprintf(&text, "cvt.rn.scaled::n2::ue8m0.bf16x2.%sx2 %%r4, %s, %%h1; st.global.u32 [%%rd4+%d], %%r4;\n", f.name, register, 8*k)
				fmt.Fprintf(&text, "cvt.rn.satfinite.relu.bf16x2.%sx2 %%r4, %s; st.global.u32 [%%rd4+%d], %%r4;\n", f.name, register, 8*k+4)
			}
			m := parse(t, text.String()+"ret;\n}\n")
			for _, e := range engines {
				out := make([]byte, 64*WarpSize)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(err)
				}
				for i := range 256 {
					pattern := i & (1<<f.bits - 1)
					v := f.value(pattern)
					if magnitude := pattern & (1<<(f.bits-1) - 1); magnitude >= f.nan {
						v = math.NaN()
						if f.name == "e5m2" && magnitude == f.nan {
							v = math.Copysign(math.Inf(1), f.value(pattern))
						}
					}
					at := out[64*(i%32)+8*(i/32):]
					scaled := v * math.Ldexp(1, int(scale)-127)
					if scale == 255 {
						scaled = math.NaN()
					}
					limited := v // -0 is not negative
					if v < 0 {
						limited = 0
					} else if v > 0x1.fep127 {
						limited = 0x1.fep127
					}
					for k, want := range []float64{scaled, limited} {
						got := word(at[4*k:])
						w := bfloatBits(want)
						if got != w|w<<16 {
							t.Errorf("%s of pattern %#x times 2^%d (%d) on the %s is %#x; must be %#x twice", f.name, pattern, int(scale)-127, k, e.name, got, w)
						}
					}
				}
			}
		}
	}
}

// bfloatBits returns a number rounded to .bf16, ties to even, and the canonical NaN.
func bfloatBits(x float64) uint32 {
	if x != x {
		return 0x7fff
	}
	b := math.Float32bits(float32(x)) // exact: few bits of fraction
	return (b + 0x7fff + b>>16&1) >> 16
}

// TestSmallFloatsTowardZero converts numbers around each one of small formats with .rz: the greatest one in magnitude that is not beyond.
func TestSmallFloatsTowardZero(t *testing.T) {
	for _, f := range []small{{"e4m3", 4, 8, 7}, {"e5m2", 5, 8, 15}, {"e2m3", 2, 6, 1}, {"e3m2", 3, 6, 3}, {"e2m1", 2, 4, 1}} {
		most := map[string]int{"e4m3": 0x7e, "e5m2": 0x7b, "e2m3": 31, "e3m2": 31, "e2m1": 7}[f.name]
		var floats []float32
		for p := 0; p <= most; p += 1 + most/9 {
			v := float32(f.value(p))
			floats = append(floats, v, -math.Nextafter32(v, 1e9), math.Nextafter32(v, -1))
		}
		floats = append(floats, float32(f.value(most)), 1e30, float32(math.Inf(-1)))
		register, step, width := "%h0", 8, 16
		if f.bits == 4 {
			register, step, width = "%c0", 4, 8
		}
		for from := 0; from < len(floats); from += WarpSize {
			part := floats[from:min(from+WarpSize, len(floats))]
			var text strings.Builder
			text.WriteString(recentHead)
			for i, x := range part {
				fmt.Fprintf(&text, "setp.eq.u32 %%p0, %%r0, %d; @%%p0 mov.f32 %%f1, 0f%08x;\n", i, math.Float32bits(x))
			}
			fmt.Fprintf(&text, "cvt.rz.satfinite.%sx2.f32 %s, %%f1, %%f1; cvt.u32.u%d %%r2, %s; st.global.u32 [%%rd4], %%r2;\n", f.name, register, width, register)
			m := parse(t, text.String()+"ret;\n}\n")
			for _, e := range engines {
				out := make([]byte, 16*WarpSize)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(err)
				}
				for i, x := range part {
					want := 0
					for p := range most + 1 {
						if f.value(p) <= math.Abs(float64(x)) {
							want = p
						}
					}
					if math.Signbit(float64(x)) {
						want |= 1 << (f.bits - 1)
					}
					if got := word(out[16*i:]); got != uint32(want|want<<step) {
						t.Errorf("%s of %g on the %s is %#x; must be %#x twice", f.name, x, e.name, got, want)
					}
				}
			}
		}
	}
}
