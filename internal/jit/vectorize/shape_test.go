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
			in := enter()
			homes := homesOf(f, apart, in)
			if !homes.loops {
				straight++
			}
			s := shapesOf(p, f, homes, 16, nil, in)
			before := make([]shape, len(f.Vals))
			copy(before, s.of)
			s.changed = false
			s.walk()
			for v, x := range before {
				if s.changed || s.of[v] != x {
					t.Fatalf("seed %d: another walk changes the shape of v%d from %+v to %+v", seed, ir.V(v), x, s.of[v])
				}
			}
			in.leave()
		}
	}
	if straight < 10 {
		t.Errorf("%d functions without loops", straight)
	}
}
