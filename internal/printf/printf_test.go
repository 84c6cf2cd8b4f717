package printf

import (
	"math"
	"testing"
)

func i32(x int32) Arg   { return Arg{Bits: uint64(uint32(x)), Width: 32} }
func u64(x uint64) Arg  { return Arg{Bits: x, Width: 64} }
func f32(x float32) Arg { return Arg{Bits: uint64(math.Float32bits(x)), Width: 32, Float: true} }
func f64(x float64) Arg { return Arg{Bits: math.Float64bits(x), Width: 64, Float: true} }

// TestFormat expects the output of C's printf, and for vectors the output in the
// documentation of the validation layers' debug printf.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		text string
		args []Arg
		want string
	}{
		{"plain", nil, "plain"},
		{"100%% of %d", []Arg{i32(-7)}, "100% of -7"},
		{"%u", []Arg{i32(-1)}, "4294967295"},
		{"[%5d|%-5d|%05d|%+d|% d]", []Arg{i32(42), i32(42), i32(-42), i32(42), i32(42)}, "[   42|42   |-0042|+42| 42]"},
		{"%.3d %8.3d", []Arg{i32(7), i32(-7)}, "007     -007"},
		{"%x %X %#x %08x %o %#o", []Arg{i32(255), i32(255), i32(255), i32(255), i32(8), i32(8)}, "ff FF 0xff 000000ff 10 010"},
		{"%ul %lu %lx %llu", []Arg{u64(1 << 40), u64(1 << 40), u64(1 << 40), u64(3)}, "1099511627776 1099511627776 10000000000 3"},
		{"%f %.2f %8.3f|%-8.1f|", []Arg{f32(1.5), f32(2.675), f64(-3.14159), f32(2)}, "1.500000 2.67   -3.142|2.0     |"},
		{"%e %.1E %g %g %g", []Arg{f32(1500), f32(1500), f32(0.0001), f32(1e10), f64(0.00001)}, "1.500000e+03 1.5E+03 0.0001 1e+10 1e-05"},
		{"%a %A", []Arg{f64(1), f64(-10.5)}, "0x1p+0 -0X1.5P+3"},
		{"%f %F %5f|", []Arg{f32(float32(math.Inf(1))), f32(float32(math.Inf(-1))), f32(float32(math.NaN()))}, "inf -INF   nan|"},
		{"%v3f", []Arg{f32(1), f32(2), f32(3)}, "1.000000, 2.000000, 3.000000"},
		{"%1.2v4f", []Arg{f32(1.2), f32(2.2), f32(3.2), f32(4.2)}, "1.20, 2.20, 3.20, 4.20"},
		{"%v2d;%v4u", []Arg{i32(-1), i32(2), i32(1), i32(2), i32(3), i32(4)}, "-1, 2;1, 2, 3, 4"},
		{"%v3.1f", []Arg{f32(1), f32(2), f32(3)}, "1.0, 2.0, 3.0"},
		{"%c%c", []Arg{i32('o'), i32('k')}, "ok"},
		{"%p", []Arg{u64(0xdead0000)}, "0xdead0000"},
		{"%x", []Arg{f32(1)}, "3f800000"},
		{"%f", []Arg{i32(3)}, "3.000000"},
		{"%d", []Arg{{Bits: 1, Width: 1}}, "1"},
		{"%d", []Arg{{Bits: 0x80, Width: 8}}, "-128"},
		{"%d %d", []Arg{i32(1)}, "1 (missing)"},
		{"%d", []Arg{i32(1), i32(2)}, "1"},
		{"%", nil, "%"},
		{"%y %s %", nil, "%y %s %"},
		{"%l", nil, "%l"},
		{"%5", nil, "%5"},
	} {
		if got := Format(c.text, c.args); got != c.want {
			t.Errorf("Format(%q): %q; want %q", c.text, got, c.want)
		}
	}
}

// FuzzFormat holds against hostile strings: no panic, and no more text than the
// widths allow.
func FuzzFormat(f *testing.F) {
	for _, s := range []string{"%d", "%99999999f", "%.9999999v4e", "%ul%", "%-+ #0v3.2lx"} {
		f.Add(s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, s string, x uint64) {
		out := Format(s, []Arg{u64(x), f64(math.Float64frombits(x)), f32(1)})
		if len(out) > 4*(len(s)+1)*(2*maxWidth+400) {
			t.Errorf("%d bytes of %q", len(out), s)
		}
	})
}
