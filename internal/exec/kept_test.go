package exec

import (
	"sync"
	"testing"
)

// TestKept: what was kept is given out once, and no more is kept than is asked for.
func TestKept(t *testing.T) {
	var k Kept[int]
	if k.Take() != nil {
		t.Error("something of nothing")
	}
	a, b, c := new(int), new(int), new(int)
	k.Keep(a, 2)
	k.Keep(b, 2)
	k.Keep(c, 2)
	got := map[*int]bool{k.Take(): true, k.Take(): true}
	if !got[a] || !got[b] || k.Take() != nil {
		t.Errorf("got %v", got)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				x := k.Take()
				if x == nil {
					x = new(int)
				}
				*x++ // the race detector sees who else has it
				k.Keep(x, 4)
			}
		})
	}
	all.Wait()
}
