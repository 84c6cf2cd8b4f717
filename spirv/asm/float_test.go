package asm

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestFloatBits reads literals into encodings and prints them again. The bits
// follow from the formats: IEEE 754 binary16/32/64, bfloat16, OCP 8-bit floats
// E4M3 and E5M2, and OCP MX v1.0 for the narrower ones.
func TestFloatBits(t *testing.T) {
	tests := []struct {
		format *floatFormat
		text   string
		bits   uint64
		print  string // "" if it is the text
	}{
		{&formatSingle, "0", 0, ""},
		{&formatSingle, "-0", 0x80000000, ""},
		{&formatSingle, "1.5", 0x3fc00000, ""},
		{&formatSingle, "+1", 0x3f800000, "1"},
		{&formatSingle, "1.", 0x3f800000, "1"},
		{&formatSingle, ".5", 0x3f000000, "0.5"},
		{&formatSingle, "1e3", 0x447a0000, "1000"},
		{&formatSingle, "1E+3", 0x447a0000, "1000"},
		{&formatSingle, "100000", 0x47c35000, ""},
		{&formatSingle, "1e+09", 0x4e6e6b28, ""},
		{&formatSingle, "0.1", 0x3dcccccd, "0.100000001"},
		{&formatSingle, "3.40282347e+38", 0x7f7fffff, ""},
		{&formatSingle, "1.17549435e-38", 0x00800000, ""},
		{&formatSingle, "0x1p-149", 0x00000001, ""},
		{&formatSingle, "0x1.fffffcp-127", 0x007fffff, ""},
		{&formatSingle, "0x1p+128", 0x7f800000, ""},
		{&formatSingle, "-0x1p+128", 0xff800000, ""},
		{&formatSingle, "0x1.8p+128", 0x7fc00000, ""},
		{&formatSingle, "0x1.fffffep+128", 0x7fffffff, ""},
		{&formatSingle, "0x1p+129", 0x7f800000, "0x1p+128"},
		{&formatSingle, "0x1p+99999999999", 0x7f800000, "0x1p+128"},
		{&formatSingle, "0x1p-150", 0, "0"},
		{&formatSingle, "0x1p-99999999999", 0, "0"},
		{&formatSingle, "0x10p+1", 0x42000000, "32"},
		{&formatSingle, "0x.8p0", 0x3f000000, "0.5"},
		{&formatSingle, "+0x1p1", 0x40000000, "2"},
		{&formatSingle, "0x0.0000000000000000000008p+84", 0x3f000000, "0.5"},
		{&formatSingle, "0x1.ffffffp+1", 0x407fffff, "3.99999976"},
		{&formatSingle, "1e-50", 0, "0"},
		{&formatDouble, "-3.125", 0xc009000000000000, ""},
		{&formatDouble, "0.1", 0x3fb999999999999a, "0.10000000000000001"},
		{&formatDouble, "1.7976931348623157e+308", 0x7fefffffffffffff, ""},
		{&formatDouble, "0x1p-1074", 1, ""},
		{&formatDouble, "0x1.0000000000001p+1024", 0x7ff0000000000001, ""},
		{&formatHalf, "0x1p+0", 0x3c00, ""},
		{&formatHalf, "1", 0x3c00, "0x1p+0"},
		{&formatHalf, "0x1.ffcp+15", 0x7bff, ""},
		{&formatHalf, "65519", 0x7bff, "0x1.ffcp+15"},
		{&formatHalf, "0x1p-24", 0x0001, ""},
		{&formatHalf, "0x1.004p+16", 0x7c01, ""},
		{&formatHalf, "-0x0p+0", 0x8000, ""},
		{&formatHalf, "1e-9", 0, "0x0p+0"},
		{&formatBFloat, "1", 0x3f80, "0x1p+0"},
		{&formatBFloat, "-0x1.8p+1", 0xc040, ""},
		{&formatBFloat, "0x1p+128", 0x7f80, ""},
		{&formatE5M2, "0x1.cp+15", 0x7b, ""},
		{&formatE5M2, "0x1p+16", 0x7c, ""},
		{&formatE5M2, "0x1p-16", 0x01, ""},
		{&formatE4M3, "0x1.cp+8", 0x7e, ""},
		{&formatE4M3, "448", 0x7e, "0x1.cp+8"},
		{&formatE4M3, "0x1.ep+8", 0x7f, ""},
		{&formatE4M3, "0x1p-9", 0x01, ""},
		{&formatE2M1, "6", 0x7, "0x1.8p+2"},
		{&formatE2M1, "0x1p-1", 0x1, ""},
		{&formatE2M1, "-0x1.8p+0", 0xb, ""},
		{&formatE2M3, "7.5", 0x1f, "0x1.ep+2"},
		{&formatE3M2, "28", 0x1f, "0x1.cp+4"},
		{&formatE8M0, "0x1p-127", 0x00, ""},
		{&formatE8M0, "1", 0x7f, "0x1p+0"},
		{&formatE8M0, "0x1p+128", 0xff, ""},
		{&formatMXInt8, "-2", 0x80, "-0x1p+1"},
		{&formatMXInt8, "0x1.fcp+0", 0x7f, ""},
		{&formatMXInt8, "-0x1.2p-2", 0xee, ""},
		{&formatMXInt8, "0", 0, "0x0p+0"},
		{&formatMXInt8, "0x1p-6", 1, ""},
	}
	for _, tt := range tests {
		got, ok := parseFloat(tt.text, tt.format)
		if !ok || got != tt.bits {
			t.Errorf("%s %s: %#x, %v; want %#x", tt.format.name, tt.text, got, ok, tt.bits)
		}
		want := tt.print
		if want == "" {
			want = tt.text
		}
		if got := string(appendFloat(nil, tt.format, tt.bits)); got != want {
			t.Errorf("%s %#x prints as %s; want %s", tt.format.name, tt.bits, got, want)
		}
	}
}

// TestFloatFixpoint prints and reads every value of the narrow formats.
func TestFloatFixpoint(t *testing.T) {
	for _, f := range []*floatFormat{&formatHalf, &formatBFloat, &formatE4M3, &formatE5M2, &formatE2M1, &formatE2M3, &formatE3M2, &formatE8M0, &formatMXInt8} {
		for v := uint64(0); v < 1<<f.width; v++ {
			text := string(appendFloat(nil, f, v))
			if got, ok := parseFloat(text, f); !ok || got != v {
				t.Errorf("%s: %#x prints as %s, which reads as %#x, %v", f.name, v, text, got, ok)
			}
		}
	}
}

func TestFloatFaults(t *testing.T) {
	tests := []struct {
		format *floatFormat
		text   string
	}{
		{&formatSingle, ""}, {&formatSingle, "-"}, {&formatSingle, "."}, {&formatSingle, "abc"},
		{&formatSingle, "1e"}, {&formatSingle, "1e+"}, {&formatSingle, "-+1"}, {&formatSingle, "+-1"},
		{&formatSingle, "++1"}, {&formatSingle, "1_0"}, {&formatSingle, "inf"}, {&formatSingle, "nan"},
		{&formatSingle, "1e40"}, {&formatSingle, "-1e400"}, {&formatSingle, "1.0f"},
		{&formatSingle, "0x"}, {&formatSingle, "0x1"}, {&formatSingle, "0x1p"}, {&formatSingle, "0xp1"},
		{&formatSingle, "0x1.8P1"}, {&formatSingle, "0x1p1.5"}, {&formatSingle, "0x1..p1"}, {&formatSingle, "0x1p+-1"},
		{&formatDouble, "1e400"},
		{&formatHalf, "1e30"}, {&formatHalf, "65536"}, {&formatBFloat, "1e39"},
		{&formatE4M3, "512"}, {&formatE4M3, "449"}, {&formatE4M3, "-480"}, {&formatE4M3, "0x1p+9"}, {&formatE2M1, "8"}, {&formatE3M2, "32"},
		{&formatE8M0, "-1"}, {&formatE8M0, "0"}, {&formatE8M0, "0x1p-128"},
		{&formatMXInt8, "2"}, {&formatMXInt8, "-2.1"}, {&formatMXInt8, "1e9"},
	}
	for _, tt := range tests {
		if got, ok := parseFloat(tt.text, tt.format); ok {
			t.Errorf("%s %q gives %#x; want a fault", tt.format.name, tt.text, got)
		}
	}
}

// TestEncodingWidths prints and assembles floats of every encoding in widths
// that it may and may not have, and constants of them: the words come back.
func TestEncodingWidths(t *testing.T) {
	widths := []uint32{0, 1, 4, 6, 7, 8, 15, 16, 17, 32, 33, 64, 65, 4096, 1 << 31, 1<<32 - 1}
	for e := spirv.FPEncoding(0); e < 0x1100; e++ {
		if spirv.KindFPEncoding.Enumerant(uint32(e)) == nil {
			continue
		}
		for _, w := range widths {
			words := []uint32{spirv.Magic, uint32(spirv.Version16), 0, 3, 0, spirv.Head(spirv.OpTypeFloat, 4), 1, w, uint32(e)}
			if w > 0 && w <= 64 {
				n := (w + 31) / 32
				words = append(words, spirv.Head(spirv.OpConstant, int(3+n)), 1, 2)
				words = append(words, []uint32{1, 0x80000000}[:n]...)
			}
			m, err := spirv.FromWords(words)
			if err != nil {
				t.Fatalf("%v of %d bits: %v", e, w, err)
			}
			text, err := Disassemble(nil, m, DisassembleOptions{RawIDs: true})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Assemble(text, AssembleOptions{PreserveNumericIDs: true})
			if err != nil || !slices.Equal(again[spirv.HeaderWords:], words[spirv.HeaderWords:]) {
				t.Errorf("%v of %d bits: %x, %v from\n%s", e, w, again, err, text)
			}
			named := strings.Contains(string(text), e.String())
			if want := encodingWidth(e); named != (want == 0 || uint32(want) == w) {
				t.Errorf("%v of %d bits prints as %s", e, w, text)
			}
		}
	}
}
