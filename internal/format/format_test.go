package format

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"R8_UNORM", "1 R8@0UNORM"},
		{"B8G8R8A8_SRGB", "4 B8@0SRGB G8@8SRGB R8@16SRGB A8@24UNORM"},
		{"R16G16B16_SFLOAT", "6 R16@0SFLOAT G16@16SFLOAT B16@32SFLOAT"},
		{"R64G64B64A64_UINT", "32 R64@0UINT G64@64UINT B64@128UINT A64@192UINT"},
		{"R5G6B5_UNORM_PACK16", "2 R5@11UNORM G6@5UNORM B5@0UNORM"},
		{"A2B10G10R10_SNORM_PACK32", "4 A2@30SNORM B10@20SNORM G10@10SNORM R10@0SNORM"},
		{"B10G11R11_UFLOAT_PACK32", "4 B10@22UFLOAT G11@11UFLOAT R11@0UFLOAT"},
		{"E5B9G9R9_UFLOAT_PACK32", "4 E5@27UFLOAT B9@18UFLOAT G9@9UFLOAT R9@0UFLOAT"},
		{"X8_D24_UNORM_PACK32", "4 X8@24 D24@0UNORM"},
		{"D24_UNORM_S8_UINT", "4 D24@0UNORM S8@24UINT"},
		{"D32_SFLOAT_S8_UINT", "5 D32@0SFLOAT S8@32UINT"},
		{"S8_UINT", "1 S8@0UINT"},
	} {
		f, ok := ByName(c.name)
		got := fmt.Sprint(f.Bytes)
		for _, k := range f.Components() {
			got += fmt.Sprintf(" %c%d@%d%s", "RGBADSEX"[k.Channel], k.Bits, k.Shift, k.Numeric)
		}
		if !ok || got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, name := range []string{"", "R8", "R8_FOO", "R7_UNORM", "BC1_RGB_UNORM_BLOCK", "UNORM", "R8_UNORM_PACK8"} {
		if f, ok := ByName(name); ok {
			t.Errorf("%q is known as %+v", name, f)
		}
	}
}

// TestSpecification compares sizes with the specification's table, where that
// is at hand.
func TestSpecification(t *testing.T) {
	text, err := os.ReadFile("../../../shared/spec/formats.tsv")
	if err != nil {
		t.Skip("the table of formats is not at hand")
	}
	known := 0
	for _, l := range strings.Split(string(text), "\n")[1:] {
		row := strings.Split(l, "\t")
		f, ok := ByName(strings.TrimPrefix(row[0], "VK_FORMAT_"))
		if !ok {
			continue
		}
		known++
		if size, _ := strconv.Atoi(row[4]); size != f.Bytes {
			t.Errorf("%s: %d bytes, the specification has %d", f.Name, f.Bytes, size)
		}
		n := 0
		for _, c := range f.Components() {
			if c.Channel < X {
				n++
			}
		}
		if f.Name[0] != 'E' && n != len(strings.Fields(row[11])) {
			t.Errorf("%s: %d components, the specification has %s", f.Name, n, row[11])
		}
	}
	if known != len(names) {
		t.Errorf("%d of %d formats are in the table", known, len(names))
	}
}

// TestTexel checks what texels stand for, from the definitions of numeric
// formats (Vulkan §"Identification of Formats", §"Fixed-Point Data Conversions").
func TestTexel(t *testing.T) {
	for _, c := range []struct {
		name  string
		texel []byte
		want  [4]float64
	}{
		{"R8_UNORM", []byte{255}, [4]float64{1, 0, 0, 1}},
		{"R8G8_SNORM", []byte{0x80, 0x81}, [4]float64{-1, -1, 0, 1}},
		{"B8G8R8A8_UNORM", []byte{0, 51, 255, 102}, [4]float64{1, 0.2, 0, 0.4}},
		{"R8G8B8A8_SINT", []byte{0xff, 1, 0x7f, 0x80}, [4]float64{-1, 1, 127, -128}},
		{"R16_SFLOAT", []byte{0x00, 0xc0}, [4]float64{-2, 0, 0, 1}},
		{"R5G6B5_UNORM_PACK16", []byte{0x00, 0xf8}, [4]float64{1, 0, 0, 1}},
		{"A2B10G10R10_UNORM_PACK32", []byte{0xff, 0x03, 0, 0xc0}, [4]float64{1, 0, 0, 1}},
		{"B10G11R11_UFLOAT_PACK32", []byte{0xc0, 0x03, 0, 0}, [4]float64{1, 0, 0, 1}},
		{"E5B9G9R9_UFLOAT_PACK32", []byte{0x00, 0x01, 0, 0x80}, [4]float64{1, 0, 0, 1}},
		{"R32_UINT", []byte{1, 0, 0, 0x80}, [4]float64{1<<31 + 1, 0, 0, 1}},
		{"R64_SINT", []byte{255, 255, 255, 255, 255, 255, 255, 255}, [4]float64{-1, 0, 0, 1}},
		{"R8_SRGB", []byte{10}, [4]float64{10.0 / 255 / 12.92, 0, 0, 1}},
		{"D16_UNORM", []byte{255, 255}, [4]float64{1, 0, 0, 1}},
		{"R8_USCALED", []byte{200}, [4]float64{200, 0, 0, 1}},
	} {
		f, ok := ByName(c.name)
		if !ok {
			t.Errorf("%s is not known", c.name)
			continue
		}
		got := f.Texel(c.texel)
		if got != c.want {
			t.Errorf("%s % x: %v, want %v", c.name, c.texel, got, c.want)
		}
		again := make([]byte, f.Bytes)
		f.SetTexel(again, got)
		if f.Texel(again) != got {
			t.Errorf("%s: %v becomes % x, which is %v", c.name, got, again, f.Texel(again))
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		numeric Numeric
		bits    int
		value   float64
		want    uint64
	}{
		{UNorm, 8, 0.5, 128}, {UNorm, 8, -1, 0}, {UNorm, 8, 2, 255}, {UNorm, 8, math.NaN(), 0}, {UNorm, 16, 1, 65535},
		{SNorm, 8, -1, 0x81}, {SNorm, 8, -5, 0x81}, {SNorm, 8, 1, 0x7f}, {SNorm, 16, -1, 0x8001},
		{SInt, 8, -200, 0x80}, {SInt, 8, 200, 0x7f}, {UInt, 8, 300, 255}, {UInt, 64, 1e30, math.MaxUint64}, {SInt, 64, 1e30, math.MaxInt64},
		{SInt, 64, -1e30, 1 << 63}, {UInt, 64, 1 << 63, 1 << 63}, {SScaled, 8, -1, 0xff},
		{SFloat, 16, 1, 0x3c00}, {SFloat, 16, 65504, 0x7bff}, {SFloat, 16, 65519, 0x7bff}, {SFloat, 16, 65520, 0x7c00},
		{SFloat, 16, 0x1p-24, 1}, {SFloat, 16, 0x1p-25, 0}, {SFloat, 16, 0x1.8p-24, 2}, {SFloat, 16, 0x1p-14, 0x400},
		{SFloat, 16, math.Inf(-1), 0xfc00}, {SFloat, 16, math.Copysign(0, -1), 0x8000}, {SFloat, 16, 1 + 0x1p-11, 0x3c00},
		{SFloat, 16, 1 + 0x3p-11, 0x3c02}, {SFloat, 32, 0.5, 0x3f000000}, {SFloat, 64, 1, 0x3ff0000000000000},
		{UFloat, 11, 1, 0x3c0}, {UFloat, 10, 1, 0x1e0}, {UFloat, 11, -3, 0}, {UFloat, 11, math.Inf(1), 0x7c0},
		{UFloat, 11, 1e9, 0x7bf}, {UFloat, 10, 0x1p-19, 1}, {UFloat, 11, 65024, 0x7bf},
		{SRGB, 8, 1, 255}, {SRGB, 8, 0, 0}, {SRGB, 8, 0.5, 188},
	} {
		k := Component{Numeric: c.numeric, Bits: c.bits}
		if got := k.Convert(c.value); got != c.want {
			t.Errorf("%v as %s of %d bits: %#x, want %#x", c.value, c.numeric, c.bits, got, c.want)
		}
	}
}

// TestHalves checks that every float of 16, 11 and 10 bits survives.
func TestHalves(t *testing.T) {
	for bits, s := range map[int]smallFloat{10: uf10, 11: uf11, 16: half} {
		for raw := range uint64(1) << bits {
			v := float64(s.toFloat32(raw))
			if got := s.fromFloat64(v); got != raw && !math.IsNaN(v) {
				t.Errorf("%d bits: %#x is %v, which is %#x", bits, raw, v, got)
			}
		}
	}
}

func TestRawInPlace(t *testing.T) {
	texel := make([]byte, 5)
	for shift := range 9 {
		c := Component{Shift: shift, Bits: 31}
		for i := range texel {
			texel[i] = 0xff
		}
		c.SetRaw(texel, 0x2aaaaaaa)
		if got := c.Raw(texel); got != 0x2aaaaaaa {
			t.Errorf("shift %d: %#x", shift, got)
		}
		c.SetRaw(texel, 1<<31-1)
		for i, b := range texel {
			if b != 0xff {
				t.Errorf("shift %d: byte %d is %#x", shift, i, b)
			}
		}
	}
}
