package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// TestSumPairs compares the sums of two texels in two rows with those of the code of all processors, bit for bit.
func TestSumPairs(t *testing.T) {
	if !hasSumPairs {
		t.Skip("the processor has no AVX2")
	}
	defer func() { hasSumPairs = true }()
	r := rand.New(rand.NewPCG(3, 3))
	f, _ := format.ByName("R32G32B32A32_SFLOAT")
	code, _ := f.Codec(format.Color)
	for range 300 {
		texels, n := 3+r.IntN(40), 1+r.IntN(60)
		var source [2]sourceRow
		for i := range source {
			source[i] = sourceRow{make([]byte, 16*texels), i, 0, r.Float64(), 1 - 0.5*float64(r.IntN(2))}
			values := make([]float32, 4*texels)
			for k := range values {
				values[k] = []float32{float32(r.NormFloat64()), math.MaxFloat32, float32(math.Inf(1)), 1e-40, float32(math.Copysign(0, -1))}[max(r.IntN(12)-7, 0)]
			}
			code.StoreRow(source[i].texels, values)
		}
		taps := make([]tap, n)
		for i := range taps {
			w, x := r.Float64(), 1+r.IntN(texels-1)
			taps[i] = tap{n: 2 - r.IntN(8)/7, texel: [4]int{x - 1, x}, weight: [4]float64{w, 1 - w}}
		}
		var want []float32
		for _, hasSumPairs = range []bool{false, true} {
			var l line
			if !l.begin(taps) {
				continue
			}
			l.sum(source[:], taps, &code, true)
			if !hasSumPairs {
				want = append(want, l.out...)
				continue
			}
			for i, v := range l.out {
				if math.Float32bits(v) != math.Float32bits(want[i]) {
					t.Fatalf("float %d of %d texels is %g; must be %g", i, n, v, want[i])
				}
			}
		}
	}
}
