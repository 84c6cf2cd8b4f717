package main

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestPool checks the order of results, and that an interrupt ends a pool with items that never end.
func TestPool(t *testing.T) {
	var live, ordered []int
	p := pool[int]{items: 100, jobs: 7, work: func(i int) int { return i }, notRun: func(i int) int { return -1 },
		live: func(i int) { live = append(live, i) }, ordered: func(i int) { ordered = append(ordered, i) }}
	p.run(context.Background())
	if slices.Sort(live); len(ordered) != 100 || !slices.IsSorted(ordered) || !slices.Equal(live, ordered) {
		t.Errorf("%v\n%v", live, ordered)
	}
	ordered = nil
	ctx, cancel := context.WithCancel(context.Background())
	p.work = func(i int) int {
		if i == 40 {
			cancel()
		}
		if i >= 40 {
			select {}
		}
		return i
	}
	start := time.Now()
	p.run(ctx)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("an interrupted pool takes %v", d)
	}
	want := -1
	for i, x := range ordered {
		if want = i; i >= 40 {
			want = -1
		}
		if x != want {
			t.Errorf("item %d: %d; want %d", i, x, want)
		}
	}
	if len(ordered) != 100 {
		t.Errorf("%d results", len(ordered))
	}
}
