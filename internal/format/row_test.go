package format

import (
	"math"
	"testing"
)

// TestRows checks that rows decode and encode as texels one by one do, in every format of float components: all bytes, the values of all
// texels, and values that are rounded, clamped, infinite and no numbers.
func TestRows(t *testing.T) {
	has := hasByteRows
	defer func() { hasByteRows = has }()
	for _, hasByteRows = range []bool{false, has} {
		testRows(t)
	}
}

func testRows(t *testing.T) {
	edges := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.0 / 3, 127.5 / 255, 0.5 / 255, 1.5 / 255, 2, 65504, 65519.9, 65520, 1e-8, 6.1e-5, 3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.SmallestNonzeroFloat32}
	codecs(t, func(name string, c Codec, _ []Component) {
		if c.Sampled != Float || c.Wide {
			return
		}
		n := 259 // the last groups of vectors are not whole
		texels := make([]byte, n*c.Bytes)
		for k := range texels {
			texels[k] = byte(k*73 + k>>8*11)
		}
		values := make([]float32, 4*n)
		c.LoadRow(values, texels)
		for k := range n {
			for j, v := range c.Load(texels[k*c.Bytes:]) {
				if math.Float32bits(values[4*k+j]) != uint32(v) {
					t.Fatalf("%s: component %d of texel % x is %v; must be %v", name, j, texels[k*c.Bytes:(k+1)*c.Bytes], values[4*k+j], math.Float32frombits(uint32(v)))
				}
			}
		}
		for k := range values {
			values[k] = edges[(k*7+k>>5)%len(edges)]
		}
		got, want := make([]byte, len(texels)), make([]byte, len(texels))
		c.StoreRow(got, values)
		for k := range n {
			var v [4]uint64
			for j := range v {
				v[j] = uint64(math.Float32bits(values[4*k+j]))
			}
			c.Store(want[k*c.Bytes:], v)
		}
		if string(got) != string(want) {
			t.Errorf("%s: a row is encoded as % x…; must be % x…", name, got[:8*c.Bytes], want[:8*c.Bytes])
		}
	})
	var none Codec
	none.LoadRow(nil, nil)
	none.StoreRow(nil, nil)
}

// TestHalfRows checks all floats of 16 bits, and the rounding of floats of 32 bits near the limits of the fast case, against the
// conversions of single values.
func TestHalfRows(t *testing.T) {
	for raw := range 1 << 16 {
		got, want := fromHalf(uint16(raw)), half.toFloat32(uint64(raw))
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%#04x is %v; must be %v", raw, got, want)
		}
	}
	for raw := range uint32(1 << 16) {
		for _, low := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x2fff, 0x3000, 0xffff} {
			v := math.Float32frombits(raw<<16 | low)
			if got, want := toHalf(v), uint16(half.fromFloat64(float64(v))); got != want {
				t.Fatalf("%v is %#04x; must be %#04x", v, got, want)
			}
		}
	}
}
