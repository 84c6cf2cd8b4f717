package amber

import (
	"math"
	"testing"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		text    string
		float   float64
		bits    uint64
		integer bool
	}{
		{"0", 0, 0, true},
		{"-1", -1, math.MaxUint64, true},
		{"+7", 7, 7, true},
		{"0x10", 16, 16, true},
		{"0XfF", 255, 255, true},
		{"-0x1", math.MaxUint64, math.MaxUint64, true},
		{"18446744073709551615", math.MaxUint64, math.MaxUint64, true},
		{"-9223372036854775808", -1 << 63, 1 << 63, true},
		{"1.5", 1.5, 0, false},
		{"-2e3", -2000, 0, false},
		{"12.", 12, 0, false},
		{".5", .5, 0, false},
		{"inf", math.Inf(1), 0, false},
		{"1e999", math.Inf(1), 0, false},
	} {
		n, ok := parseNumber(c.text)
		if !ok || n.Integer != c.integer || n.Integer && n.Bits != c.bits || c.text != "-0x1" && n.Float != c.float {
			t.Errorf("%q: %+v %v", c.text, n, ok)
		}
	}
	if n, ok := parseNumber("nan"); !ok || n.Float == n.Float {
		t.Errorf("nan: %+v %v", n, ok)
	}
	for _, text := range []string{"", "-", "x", "1x", "0x", "0xg", "1_000", "0x1p4", "--1", "1e", "-9223372036854775809e"} {
		if n, ok := parseNumber(text); ok {
			t.Errorf("%q is read as %+v", text, n)
		}
	}
}

// TestScalarBits checks how types keep numbers.
func TestScalarBits(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		bits      uint64
	}{
		{"int8", "-1", 0xff}, {"uint8", "272", 0x10}, {"int32", "0xffffffff", 0xffffffff}, {"uint32", "2.0", 2},
		{"int64", "-1", math.MaxUint64}, {"float", "1", 0x3f800000}, {"float", "-0.0", 0x80000000},
		{"double", "0.5", 0x3fe0000000000000}, {"float16", "1", 0x3c00}, {"float16", "65504", 0x7bff},
		{"float16", "65520", 0x7bff}, {"float16", "inf", 0x7c00}, {"float16", "1.0009", 0x3c00}, {"float16", "-1.0019", 0xbc01}, {"float16", "0.00400161743164062", 0x1c19}, {"float16", "5.9604644775390625e-8", 1}, {"float16", "-2", 0xc000},
	} {
		n, _ := parseNumber(c.text)
		if s := scalars[c.typ]; !s.accepts(n) || s.bits(n) != c.bits {
			t.Errorf("%s as %s: %#x, want %#x", c.text, c.typ, s.bits(n), c.bits)
		}
	}
	half, _ := parseNumber("0.5")
	if scalars["int32"].accepts(half) {
		t.Error("int32 accepts 0.5")
	}
}

func TestTypeNames(t *testing.T) {
	for _, s := range []string{"int8", "uint64", "float16", "float", "double", "vec2<int32>", "mat4x3<double>", "float[]", "B8G8R8A8_SRGB"} {
		if typ, ok := parseType(s); !ok || typ.String() != s {
			t.Errorf("%s: %s %v", s, typ, ok)
		}
	}
	for _, s := range []string{"", "vec1<float>", "vec5<float>", "vec2<vec2<float>>", "mat2<float>", "mat1x2<float>", "vec2float", "float[", "float[0]",
		"float[x]", "R8G8B8A8", "BC1_RGB_UNORM_BLOCK", "int24"} {
		if typ, ok := parseType(s); ok {
			t.Errorf("%q is read as %s", s, typ)
		}
	}
}
