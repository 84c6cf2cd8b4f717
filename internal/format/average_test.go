package format

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestAverageRow compares averages with their definition: the mean of the values in f64, rounded to a float of 32 bits and stored. The
// codes of a texel are near each other or far apart; a quarter of them are ties. Rows have odd lengths.
func TestAverageRow(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 1))
	for _, name := range []string{"R8G8B8A8_UNORM", "B8G8R8A8_UNORM"} {
		f, _ := ByName(name)
		c, ok := f.Codec(Color)
		if !ok || !c.Averages() {
			t.Fatalf("%s: no averages", name)
		}
		const texels = 1<<18 + 1
		var rows [4][]byte
		for k := range rows {
			rows[k] = make([]byte, 4*texels)
		}
		for i := range 4 * texels {
			base, spread := r.IntN(256), 1<<r.IntN(9)
			for k := range rows {
				rows[k][i] = byte(min(255, base+r.IntN(spread)))
			}
		}
		got := make([]byte, 4*texels)
		c.AverageRow(got, &rows)
		for i := 0; i < len(got); i += 4 {
			if want := averageOf(&c, &rows, i); binary.LittleEndian.Uint32(got[i:]) != want {
				t.Fatalf("%s: texel %d of %x %x %x %x is %x; must be %08x", name, i/4, rows[0][i:i+4], rows[1][i:i+4], rows[2][i:i+4], rows[3][i:i+4], got[i:i+4], want)
			}
		}
	}
}

// TestAverages checks that other formats are resolved as floats.
func TestAverages(t *testing.T) {
	for _, name := range []string{"R8G8B8A8_SRGB", "R8G8B8A8_SNORM", "R8_UNORM", "R16G16_UNORM", "A2B10G10R10_UNORM_PACK32", "E5B9G9R9_UFLOAT_PACK32", "R8G8B8A8_UINT"} {
		f, _ := ByName(name)
		if c, ok := f.Codec(Color); !ok || c.Averages() {
			t.Errorf("%s has averages of bytes", name)
		}
	}
}

func averageOf(c *Codec, rows *[4][]byte, at int) uint32 {
	sum, texel := [4]float64{}, make([]byte, 4)
	for _, row := range rows {
		for i, v := range c.Load(row[at:]) {
			sum[i] += float64(math.Float32frombits(uint32(v)))
		}
	}
	out := [4]uint64{}
	for i, v := range sum {
		out[i] = uint64(math.Float32bits(float32(v / 4)))
	}
	c.Store(texel, out)
	return binary.LittleEndian.Uint32(texel)
}
