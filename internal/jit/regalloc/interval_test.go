package regalloc

import (
	"math/rand/v2"
	"testing"
)

// TestLoopTree compares the searches in random trees of loops with a walk from parent to parent, and counts the
// steps in a chain of 100,000 loops.
func TestLoopTree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a := &Analysis{}
		current, at := int32(None), int32(0)
		for range 1 + r.IntN(60) {
			for current != None && r.IntN(3) == 0 {
				current = a.leave(current)
			}
			at += int32(r.IntN(3))
			current = a.addLoop(at, at+int32(r.IntN(40)), current)
		}
		for current != None {
			current = a.leave(current)
		}
		around := func(l int32) map[int32]bool {
			set := map[int32]bool{}
			for ; l != None; l = a.loops[l].parent {
				set[l] = true
			}
			return set
		}
		for x := range a.loops {
			if p := a.loops[x].parent; p != None && a.loops[p].last < a.loops[x].last {
				t.Fatalf("loop %d ends after loop %d around it", x, p)
			}
			for y := range a.loops {
				want, others := int32(x), around(int32(y))
				for want != None && !others[want] {
					want = a.loops[want].parent
				}
				if got := a.commonLoop(int32(x), int32(y)); got != want {
					t.Fatalf("loops %d and %d: common loop %d, want %d", x, y, got, want)
				}
			}
			start := r.Int32N(a.loops[x].first + 1)
			want := int32(x)
			for p := want; p != None && a.loops[p].first >= start; p = a.loops[p].parent {
				want = p
			}
			if got := a.climb(int32(x), func(l *loop) bool { return l.first >= start }); got != want {
				t.Fatalf("from loop %d to %d: %d, want %d", x, start, got, want)
			}
		}
	}

	a := &Analysis{}
	current := int32(None)
	for n := range int32(100_000) {
		current = a.addLoop(n, 1_000_000-n, current)
	}
	steps := 0
	if got := a.climb(current, func(l *loop) bool { steps++; return l.first >= 7 }); got != 7 || steps > 100 {
		t.Errorf("loop %d after %d steps; want 7, at most 100", got, steps)
	}
}
