package precision

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestBetween checks that the set for ranges of operands has each result that is permitted for operands in the ranges.
func TestBetween(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range Instructions() {
		for _, bits := range i.Widths() {
			if bits != 32 {
				continue
			}
			if i.isMatrix() || i.Name == "Refract" {
				continue // seconds
			}
			for range 2 {
				var between [][]Range
				var points [2][][]float64
				n := len(i.In)
				for k := range n {
					var b []Range
					var p [2][]float64
					for range max(i.In[min(k, n-1)], 1) {
						low := float64(float32(r.Float64()*4 - 1))
						high := low + float64(float32(r.Float64()))
						b = append(b, Range{low, high})
						p[0], p[1] = append(p[0], low), append(p[1], float64(float32((low+high)/2)))
					}
					between = append(between, b)
					points[0], points[1] = append(points[0], p[0]), append(points[1], p[1])
				}
				wide, err := Between(ctx, Query{Instruction: i.Name, Bits: bits}, between)
				if err != nil {
					t.Logf("%s: %v", i.Name, err)
					continue
				}
				for _, x := range points {
					sets, err := Allowed(ctx, Query{Instruction: i.Name, Bits: bits, Operands: x})
					if err != nil {
						t.Fatal(err)
					}
					for c := range sets {
						for _, s := range sets[c].Ranges {
							if !wide[c].Has(s.Low) || !wide[c].Has(s.High) {
								t.Errorf("%s of %v: %v is permitted for %v, and not in %v", i.Name, between, s, x, wide[c])
							}
						}
						if sets[c].Any && !wide[c].Any {
							t.Errorf("%s of %v: any result is permitted for %v, and not in %v", i.Name, between, x, wide[c])
						}
					}
				}
			}
		}
	}
}
