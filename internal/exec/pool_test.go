package exec_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// TestPoolNumbers runs pools of different numbers of workers: each number is the number of one worker.
func TestPoolNumbers(t *testing.T) {
	var p exec.Pool
	for round := range 100 {
		workers := round*7%5 + 1
		var mu sync.Mutex
		var got []int
		p.Run(context.Background(), workers, func(worker int) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, worker)
		})
		slices.Sort(got)
		for i := range got {
			if len(got) != workers || got[i] != i {
				t.Fatalf("round %d: the workers %d; must be 0 to %d", round, got, workers-1)
			}
		}
	}
}

// TestNearSpans: a worker without spans of its own takes those of others.
func TestNearSpans(t *testing.T) {
	var x exec.Interleaver
	var pool exec.Pool
	var mu sync.Mutex
	var got []uint64
	program := grouped(func(b exec.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, b.First)
		return nil
	})
	spans := make([][]exec.Piece, 40)
	for s := range spans {
		spans[s] = []exec.Piece{{First: uint32(s), Count: 1}}
	}
	if err := x.RunNear(context.Background(), &pool, 3, []exec.Task{{Program: program, Job: &exec.Job{}}}, spans, make([]int32, len(spans))); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	for i, first := range got {
		if len(got) != len(spans) || first != uint64(i) {
			t.Fatalf("the spans %d; must be 0 to %d", got, len(spans)-1)
		}
	}
}
