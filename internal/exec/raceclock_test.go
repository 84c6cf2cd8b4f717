package exec

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestClocks compares vector clocks with maps: the join of two has the greater clock of each number (Mattern 1989), and the two
// stay as they were.
func TestClocks(t *testing.T) {
	type pair struct {
		trie *trie
		want map[uint32]clock
	}
	random := rand.New(rand.NewPCG(1, 2))
	k, list := &clocks{}, []pair{{}}
	for range 2000 {
		a := list[random.IntN(len(list))]
		b := list[random.IntN(len(list))]
		n, c := random.Uint32()>>random.IntN(32), clock(random.IntN(5))
		x := pair{k.raised(k.join(a.trie, b.trie), n, c), maps.Clone(a.want)}
		if x.want == nil {
			x.want = map[uint32]clock{}
		}
		for n, c := range b.want {
			x.want[n] = max(x.want[n], c)
		}
		x.want[n] = max(x.want[n], c)
		if len(list) < 64 {
			list = append(list, x)
		} else {
			list[random.IntN(len(list))] = x
		}
		if random.IntN(50) == 0 {
			list[0] = pair{}
		}
	}
	for _, x := range list {
		for _, y := range list {
			for n := range y.want {
				if got, want := x.trie.at(n), x.want[n]; got != want {
					t.Fatalf("the clock of %d is %d; must be %d", n, got, want)
				}
			}
		}
	}
}

// TestClocksShared: a vector that is not less than another is their join, without a new node.
func TestClocksShared(t *testing.T) {
	k, v := &clocks{}, (*trie)(nil)
	for n := range uint32(1000) {
		v = k.raised(v, 7*n, 1)
	}
	more := k.raised(v, 5, 2)
	before := k.bytes
	if k.join(v, more) != more || k.join(more, v) != more || k.raised(more, 5, 1) != more {
		t.Error("a join is a new vector")
	}
	if k.bytes != before {
		t.Errorf("%d bytes for joins of parts; must be none", k.bytes-before)
	}
}
