package exec

import (
	"sync"
	"testing"
)

// TestFreeList: Get returns each object once, and the list holds at most limit objects.
func TestFreeList(t *testing.T) {
	var list FreeList[int]
	if list.Get() != nil {
		t.Error("something of nothing")
	}
	a, b, c := new(int), new(int), new(int)
	list.Put(a, 2)
	list.Put(b, 2)
	list.Put(c, 2)
	got := map[*int]bool{list.Get(): true, list.Get(): true}
	if !got[a] || !got[b] || list.Get() != nil {
		t.Errorf("got %v", got)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				x := list.Get()
				if x == nil {
					x = new(int)
				}
				*x++ // the race detector reports an object with two owners
				list.Put(x, 4)
			}
		})
	}
	all.Wait()
}
