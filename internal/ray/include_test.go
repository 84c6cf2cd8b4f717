package ray

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestInclude checks that the box of an instance grows by at least the roundoffs that include promises, in exact arithmetic, and that
// the spread and the reach of the structure are not less than its instances'.
func TestInclude(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_010, 1))
	exactly := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	s := Structure{spread: 1}
	included := 0
	for range 20_000 {
		var it item
		magnitude := r.IntN(200) - 100
		for k := range it.lo {
			a, b := math.Ldexp(r.Float64()-0.5, magnitude), math.Ldexp(r.Float64()-0.5, magnitude-r.IntN(30))
			it.lo[k], it.hi[k] = min(float32(a), float32(b)), max(float32(a), float32(b))
		}
		reach := float64(reachOf(it.lo, it.hi))
		x := placement{scale: r.Float64() * 70, offset: reach * r.Float64() * 70, bounded: true}
		x.lo, x.hi = [4]float32{it.lo[0], it.lo[1], it.lo[2]}, [4]float32{it.hi[0], it.hi[1], it.hi[2]}
		before := it
		if x.pad(); !s.include(&x) {
			continue
		}
		it.lo, it.hi = vec(x.lo[:3]), vec(x.hi[:3])
		included++
		scale := max(topSlack*x.scale, 1)
		grow := exactly(slack * unit * (scale*reach + topSlack*x.offset))
		grow.Mul(grow, exactly(1-0x1p-40)) // the sum above is rounded
		for k := range it.lo {
			low := new(big.Float).Sub(exactly(float64(before.lo[k])), exactly(float64(it.lo[k])))
			high := new(big.Float).Sub(exactly(float64(it.hi[k])), exactly(float64(before.hi[k])))
			if low.Cmp(grow) < 0 || high.Cmp(grow) < 0 {
				t.Fatalf("%v grows to %v with %+v; must grow by %v", before, it, x, grow)
			}
		}
		if float64(s.spread) < scale || s.reach < reachOf(it.lo, it.hi) || float64(s.reach)*scale < topSlack*x.offset*(1-0x1p-50) {
			t.Fatalf("the spread %v and the reach %v are less than those of %v with %+v", s.spread, s.reach, it, x)
		}
	}
	if included < 1000 {
		t.Errorf("only %d boxes", included)
	}
}
