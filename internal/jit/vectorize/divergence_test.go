package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// TestShapesSettle: one more walk over a function finds nothing else, also where one was
// enough because nothing comes back.
func TestShapesSettle(t *testing.T) {
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
					t.Fatalf("seed %d: another walk changes the shape of v%d from %+v to %+v", seed, ir.V(v), x, s.of[v])
				}
			}
			mem.release()
		}
	}
	if straight < 10 {
		t.Errorf("%d functions without loops", straight)
	}
}
