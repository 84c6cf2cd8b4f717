package transfer

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// TestSumPairs compares the sums of texels in two rows with their definition, bit for bit: by the code of all processors, and by
// the vectors that this one has.
func TestSumPairs(t *testing.T) {
	has := hasSumPairs
	defer func() { hasSumPairs = has }()
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
		for _, hasSumPairs = range []bool{false, has} {
			var l line
			if !l.begin(taps) {
				continue
			}
			l.sum(source[:], taps, &code, true)
			for i, v := range l.out {
				if want := sumOf(source[:], &taps[i/4], i%4); math.Float32bits(v) != math.Float32bits(want) {
					t.Fatalf("vectors %t: float %d of %d texels is %g; must be %g", hasSumPairs, i, n, v, want)
				}
			}
		}
	}
}

// sumOf returns a component of a target texel: products of weights and values, added in f64 row by row and rounded once.
func sumOf(rows []sourceRow, x *tap, component int) float32 {
	sum := 0.0
	for i := range rows {
		for k := range x.n {
			at := 16*x.texel[k] + 4*component
			v := math.Float32frombits(binary.LittleEndian.Uint32(rows[i].texels[at:]))
			w := x.weight[k] * rows[i].j * rows[i].k
			sum += float64(w * float64(v))
		}
	}
	return float32(sum)
}
