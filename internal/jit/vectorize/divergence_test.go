package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// TestDivergenceConverges: the result is a fixpoint. One more walk over a function changes nothing, even if
// one walk was enough because the function has no loops.
func TestDivergenceConverges(t *testing.T) {
	straight := 0
	for seed := range int64(400) {
		p := irgen.Program(seed)
		for _, f := range p.Funcs {
			mem := acquireArena()
			homes := findLiveOuts(f, allDivergent, mem)
			if !homes.hasLoops {
				straight++
			}
			s := analyzeDivergence(p, f, homes, 16, nil, mem)
			before := make([]shape, len(f.Vals))
			copy(before, s.of)
			s.changed = false
			s.walk()
			for v, x := range before {
				if s.changed || s.of[v] != x {
					t.Fatalf("seed %d: one more walk changes the shape of v%d from %+v to %+v", seed, ir.V(v), x, s.of[v])
				}
			}
			mem.release()
		}
	}
	if straight < 10 {
		t.Errorf("%d functions without loops", straight)
	}
}
