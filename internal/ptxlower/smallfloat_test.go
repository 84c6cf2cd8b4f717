package ptxlower

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// smallHead begins kernels: each of their rows writes a word.
const smallHead = ".version 9.1\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>; .reg .f64 %d<4>; .reg .f16 %g;\nld.param.u64 %rd0, [out];\n"

// runSmall runs bodies that leave a word in %r0, on each engine with one thread, and compares the words.
func runSmall(t *testing.T, bodies []string, want []uint32) {
	t.Helper()
	var text strings.Builder
	text.WriteString(smallHead)
	for i, body := range bodies {
		fmt.Fprintf(&text, "%s\nst.global.u32 [%%rd0+%d], %%r0;\n", body, 4*i)
	}
	m := parse(t, text.String()+"ret;\n}\n")
	for _, e := range engines {
		out := make([]byte, 4*len(bodies))
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		for i, body := range bodies {
			if got := word(out[4*i:]); got != want[i] {
				t.Errorf("%s on the %s: %#x; must be %#x", body, e.name, got, want[i])
			}
		}
	}
}

// TestBfloatConversions checks the conversions between .bf16 and other types: .bf16 has 8 bits of precision, and is rounded once.
func TestBfloatConversions(t *testing.T) {
	to := func(mods, value string) string { return fmt.Sprintf("%s cvt.%s; cvt.u32.u16 %%r0, %%h0;", value, mods) }
	from := func(bits int, mods string) string { return fmt.Sprintf("mov.b16 %%h0, %#x; cvt.%s;", bits, mods) }
	var bodies []string
	var want []uint32
	add := func(body string, value uint32) { bodies, want = append(bodies, body), append(want, value) }
	for mode, values := range map[string][4]uint32{"rn": {0x4380, 0x4382, 0xc380, 0x4b80}, "rz": {0x4380, 0x4381, 0xc380, 0x4b80}, "rm": {0x4380, 0x4381, 0xc381, 0x4b80}, "rp": {0x4381, 0x4382, 0xc380, 0x4b81}} {
		add(to(mode+".bf16.s32 %h0, %r1", "mov.s32 %r1, 257;"), values[0]) // 256 and 258 are the neighbours
		add(to(mode+".bf16.u16 %h0, %h1", "mov.u16 %h1, 259;"), values[1])
		add(to(mode+".bf16.s64 %h0, %rd1", "mov.s64 %rd1, -257;"), values[2])
		add(to(mode+".bf16.u32 %h0, %r1", "mov.u32 %r1, 0x1000001;"), values[3])
	}
	add(to("rn.bf16.u64 %h0, %rd1", "mov.u64 %rd1, 0x8080000000000001;"), 0x5f01) // above the middle by a bit that .f32 lacks
	add(to("rn.bf16.u64 %h0, %rd1", "mov.u64 %rd1, 0x8080000000000000;"), 0x5f00) // the middle
	add(to("rn.bf16.f64 %h0, %d1", "mov.f64 %d1, 0d3ff0100000000001;"), 0x3f81)
	add(to("rn.bf16.f64 %h0, %d1", "mov.f64 %d1, 0d3ff0100000000000;"), 0x3f80)
	add(to("rp.bf16.f64 %h0, %d1", "mov.f64 %d1, 0d0000000000000001;"), 0x0001)
	add(to("rm.bf16.f64 %h0, %d1", "mov.f64 %d1, 0d0000000000000001;"), 0x0000)
	add(to("rn.bf16.f64 %h0, %d1", "mov.f64 %d1, 0d7fefffffffffffff;"), 0x7f80)
	add(to("rz.bf16.f64 %h0, %d1", "mov.f64 %d1, 0dffefffffffffffff;"), 0xff7f)
	add(to("rn.bf16.f64 %h0, %d1", "mov.f64 %d1, 0dfff0000000000000;"), 0xff80)
	add(to("rn.bf16.f64 %h0, %d1", "mov.f64 %d1, 0dfff8000000000001;"), 0x7fff)
	add(to("rz.bf16.f16 %h0, %h1", "mov.b16 %h1, 0x3dff;"), 0x3fbf)
	add(to("rp.bf16.f16 %h0, %h1", "mov.b16 %h1, 0x3dff;"), 0x3fc0)
	add(to("rn.sat.bf16.s32 %h0, %r1", "mov.s32 %r1, -3;"), 0)
	add(to("rpi.bf16.bf16 %h0, %h1", "mov.b16 %h1, 0x3f81;"), 0x4000)
	add(to("rmi.bf16.bf16 %h0, %h1", "mov.b16 %h1, 0xbf81;"), 0xc000)
	add(from(0x40b0, "rni.s32.bf16 %r0, %h0"), 6) // 5.5
	add(from(0xc0b0, "rzi.s32.bf16 %r0, %h0"), 0xfffffffb)
	add(from(0xc0b0, "rmi.s32.bf16 %r0, %h0"), 0xfffffffa)
	add(from(0xc0b0, "rpi.u32.bf16 %r0, %h0"), 0)
	add(from(0x4b80, "rzi.s8.bf16 %r0, %h0"), 127)
	add(from(0x7fc0, "rzi.s32.bf16 %r0, %h0"), 0)
	add(from(0x4049, "f64.bf16 %d1, %h0; mov.b64 {_, %r0}, %d1"), 0x40092000)
	add(from(0x3f81, "rn.f16.bf16 %h1, %h0; cvt.u32.u16 %r0, %h1"), 0x3c08)
	add(from(0x3301, "rp.f16.bf16 %h1, %h0; cvt.u32.u16 %r0, %h1"), 1)
	add(from(0x3301, "rz.f16.bf16 %h1, %h0; cvt.u32.u16 %r0, %h1"), 0)
	runSmall(t, bodies, want)
}

// TestExponents checks conversions to .ue8m0: the power of two that is not greater (.rz) or not less (.rp), 2⁻¹²⁷ at least, of the first
// operand in the upper byte.
func TestExponents(t *testing.T) {
	var bodies []string
	var want []uint32
	for _, x := range []struct {
		bits                 uint32
		down, up, saturating uint32 // the latter of .rp with .satfinite
	}{
		{0x3f800000, 127, 127, 127}, {0x3f800001, 127, 128, 128}, {0xc0400000, 128, 129, 129}, {0, 0, 0, 0}, {0x00400000, 0, 0, 0}, {0x00400001, 0, 1, 1},
		{0x00800000, 1, 1, 1}, {1, 0, 0, 0}, {0x7f000000, 254, 254, 254}, {0x7f000001, 254, 255, 254}, {0x7f800000, 255, 255, 254}, {0x7fc00000, 255, 255, 255},
	} {
		for i, mods := range []string{"rz", "rp", "rp.satfinite"} {
			bodies = append(bodies, fmt.Sprintf("mov.b32 %%f0, 0f%08x; mov.b32 %%f1, 0f40000000; cvt.%s.ue8m0x2.f32 %%h0, %%f0, %%f1; cvt.u32.u16 %%r0, %%h0;", x.bits, mods))
			want = append(want, [3]uint32{x.down, x.up, x.saturating}[i]<<8|128)
		}
	}
	bodies = append(bodies, "mov.b32 %r1, 0x3f81c080; cvt.rp.ue8m0x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;", "mov.b32 %r1, 0x3f81c080; cvt.rz.ue8m0x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;")
	want = append(want, 0x8081, 0x7f81)
	runSmall(t, bodies, want)
}

// stochastic returns the pattern of a number after cvt.rs: n random bits are added to the highest bits that a normal number loses, then the
// number is cut off to the format.
func (f small) stochastic(x float32, random uint32, n int, most int) int {
	bits := math.Float32bits(x)
	drop := 23 - (f.bits - 1 - f.exponent)
	if x == x && !math.IsInf(float64(x), 0) {
		bits = (bits&0x7fffffff + random<<(drop-n)) &^ (1<<drop - 1)
	}
	limit := math.Abs(float64(math.Float32frombits(bits & 0x7fffffff)))
	best := 0
	for p := range most + 1 {
		if f.value(p) <= limit {
			best = p
		}
	}
	if math.Signbit(float64(x)) {
		best |= 1 << (f.bits - 1)
	}
	return best
}

// TestStochasticQuads checks cvt.rs to four numbers of 8, 6 and 4 bits: the places of the operands, their random bits, and the numbers.
func TestStochasticQuads(t *testing.T) {
	floats := []float32{0, 1, -1, 0.3, -2.7, 5.01, 1e-3, 447, -500, 1e9, float32(math.Inf(-1)), 0x1p-9, 0x1.8p-8, 0.0625, 3.9, 27.5}
	randoms := []uint32{0, 0xffffffff, 0x12345678, 0x8000ffff, 0x00ff8040}
	var bodies []string
	var want []uint32
	for _, f := range []struct {
		small
		most int
	}{{small{"e4m3x4", 4, 8, 7}, 0x7e}, {small{"e5m2x4", 5, 8, 15}, 0x7b}, {small{"e2m3x4", 2, 6, 1}, 0x1f}, {small{"e3m2x4", 3, 6, 3}, 0x1f}, {small{"e2m1x4", 2, 4, 1}, 7}} {
		step, n := 8, 16
		if f.bits == 4 {
			step, n = 4, 8
		}
		for i := range floats {
			random := randoms[i%len(randoms)]
			parts := [4]uint32{random >> 16, random >> 16, random & 0xffff, random & 0xffff}
			if n == 8 {
				parts = [4]uint32{random >> 24, random >> 8 & 0xff, random >> 16 & 0xff, random & 0xff}
			}
			body, word := "", uint32(0)
			for k := range 4 {
				x := floats[(i+5*k)%len(floats)]
				body += fmt.Sprintf("mov.b32 %%f%d, 0f%08x; ", k, math.Float32bits(x))
				word = word<<step | uint32(f.stochastic(x, parts[k], n, f.most))
			}
			register, widen := "%r0", ""
			if n == 8 {
				register, widen = "%h0", " cvt.u32.u16 %r0, %h0;"
			}
			bodies = append(bodies, fmt.Sprintf("%smov.b32 %%r1, %#x; cvt.rs.satfinite.%s.f32 %s, {%%f0, %%f1, %%f2, %%f3}, %%r1;%s", body, random, f.name, register, widen))
			want = append(want, word)
		}
	}
	// A NaN has the pattern of the format, else the greatest number; .relu makes negative numbers 0.
	const nan = "mov.b32 %f0, 0f7fc00000; mov.b32 %f1, 0fbf800000; mov.b32 %f2, 0f3f800000; mov.b32 %r1, 0; "
	bodies = append(bodies, nan+"cvt.rs.relu.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f2}, %r1;", nan+"cvt.rs.satfinite.e2m3x4.f32 %r0, {%f0, %f1, %f2, %f2}, %r1;")
	want = append(want, 0x7f003838, 0x1f280808)
	runSmall(t, bodies, want)
}

// TestSmallFromPairs checks conversions of pairs of .bf16 and .f16 to pairs of 8, 6 and 4 bits.
func TestSmallFromPairs(t *testing.T) {
	runSmall(t, []string{
		"mov.b32 %r1, 0x3f80c000; cvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;",
		"mov.b32 %r1, 0x7f80bf80; cvt.rn.satfinite.relu.e5m2x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;",
		"mov.b32 %r1, 0x3f80c000; cvt.rn.satfinite.e2m3x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;",
		"mov.b32 %r1, 0x3c00c000; cvt.rn.satfinite.e3m2x2.f16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;",
		"{ .reg .b8 %c; mov.b32 %r1, 0x3c00c000; cvt.rn.satfinite.e2m1x2.f16x2 %c, %r1; cvt.u32.u8 %r0, %c; }",
	}, []uint32{0x38c0, 0x7b00, 0x0830, 0x0c30, 0x2c})
}

// TestFixedPoint checks conversions of .s2f6x2, whose numbers are those of a signed byte times 2⁻⁶: 2 is beyond the greatest one, −2 is not.
func TestFixedPoint(t *testing.T) {
	var bodies []string
	var want []uint32
	for _, x := range []struct {
		bits uint32
		want uint32
	}{
		{0x3f800000, 0x40}, {0xbf800000, 0xc0}, {0x40000000, 0x7f}, {0xc0000000, 0x80}, {0xc0800000, 0x80}, {0x7f800000, 0x7f}, {0xff800000, 0x80}, {0x7fc00000, 0x7f}, {0xffc00000, 0x7f},
		{0x3c800000, 0x01}, {0x3c000000, 0x00}, {0x3cc00000, 0x02}, {0xbcc00000, 0xfe}, {0x80000000, 0}, {0x00000001, 0}, // 1, 1/2 and 3/2 units
	} {
		bodies = append(bodies, fmt.Sprintf("mov.b32 %%f0, 0f%08x; mov.b32 %%f1, 0f3f000000; cvt.rn.satfinite.s2f6x2.f32 %%h0, %%f0, %%f1; cvt.u32.u16 %%r0, %%h0;", x.bits))
		want = append(want, x.want<<8|0x20)
	}
	scaled := func(scale uint32, text string) string { return fmt.Sprintf("mov.b16 %%h1, %#x; ", scale) + text }
	for _, x := range []struct {
		body string
		want uint32
	}{
		{"mov.b32 %f0, 0fbf800000; mov.b32 %f1, 0f3f000000; cvt.rn.relu.satfinite.s2f6x2.f32 %h0, %f0, %f1; cvt.u32.u16 %r0, %h0;", 0x0020},
		{"mov.b32 %f0, 0fbcc00000; mov.b32 %f1, 0f3cc00000; cvt.rz.satfinite.s2f6x2.f32 %h0, %f0, %f1; cvt.u32.u16 %r0, %h0;", 0xff01}, // 3/2 units
		{"mov.b32 %r1, 0xbf803f00; cvt.rn.satfinite.s2f6x2.bf16x2 %h0, %r1; cvt.u32.u16 %r0, %h0;", 0xc020},
		{scaled(0x807e, "mov.b32 %f0, 0f40400000; mov.b32 %f1, 0f3f000000; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h0, %f0, %f1, %h1; cvt.u32.u16 %r0, %h0;"), 0x6040}, // 3/2 and 1/2 by 2⁻¹
		{scaled(0x00fe, "mov.b32 %f0, 0f00400000; mov.b32 %f1, 0f7f7fffff; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h0, %f0, %f1, %h1; cvt.u32.u16 %r0, %h0;"), 0x407f},
		{scaled(0xff7f, "mov.b32 %r1, 0x3f803f80; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2 %h0, %r1, %h1; cvt.u32.u16 %r0, %h0;"), 0x7f40},
		{"mov.b16 %h0, 0x40c0; cvt.rn.bf16x2.s2f6x2 %r0, %h0;", 0x3f80bf80},
		{"mov.b16 %h0, 0x8001; cvt.rn.bf16x2.s2f6x2 %r0, %h0;", 0xc0003c80},
		{"mov.b16 %h0, 0x80ff; cvt.rn.relu.bf16x2.s2f6x2 %r0, %h0;", 0},
		{scaled(0x8000, "mov.b16 %h0, 0x7f01; cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %r0, %h0, %h1;"), 0x407e0001},
		{scaled(0xfefe, "mov.b16 %h0, 0x8040; cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %r0, %h0, %h1;"), 0xff807f00},
		{scaled(0xfefe, "mov.b16 %h0, 0x8040; cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2 %r0, %h0, %h1;"), 0xff7f7f00},
	} {
		bodies, want = append(bodies, x.body), append(want, x.want)
	}
	runSmall(t, bodies, want)
}
