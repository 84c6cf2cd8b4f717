package exec_test

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestSpans runs spans of all lengths: one worker must run all groups of a span in order, and every group
// must run exactly once.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	p := &ir.Program{}
	for round := range 200 {
		job := exec.Job{Workers: 1 + round%5}
		total := uint64(0)
		for range r.Intn(60) + 1 {
			total += uint64(max(r.Intn(9)-2, 0) * r.Intn(200))
			job.SpanEnds = append(job.SpanEnds, total)
		}
		job.Groups = [3]uint32{uint32(total), 1, 1}
		if err := job.Check(p); err != nil {
			t.Fatal(err)
		}
		worker := make([]int32, total) // the worker that ran each group
		last := make([]uint64, job.Workers+1)
		var workers atomic.Int32
		var mu sync.Mutex
		err := exec.Run(context.Background(), inGo(func() (func(exec.Batch) error, func()) {
			me := workers.Add(1)
			return func(b exec.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				if b.First < last[me] {
					t.Errorf("worker %d got group %d after %d", me, b.First, last[me])
				}
				last[me] = b.First + b.Count
				for n := b.First; n < b.First+b.Count; n++ {
					if worker[n] != 0 {
						t.Errorf("group %d runs twice", n)
					}
					worker[n] = me
				}
				return nil
			}, nil
		}), &job)
		if err != nil {
			t.Fatal(err)
		}
		begin := uint64(0)
		for _, end := range job.SpanEnds {
			for n := begin; n < end; n++ {
				if worker[n] == 0 || worker[n] != worker[begin] {
					t.Fatalf("group %d of the span from %d to %d: worker %d; the first one's is %d", n, begin, end, worker[n], worker[begin])
				}
			}
			begin = end
		}
		if n := job.WorkerCount(p); n > len(job.SpanEnds) {
			t.Errorf("%d workers for %d spans", n, len(job.SpanEnds))
		}
	}
}

// TestWrongSpans: span ends that do not ascend to the group count are a JobError.
func TestWrongSpans(t *testing.T) {
	for _, spans := range [][]uint64{{3}, {3, 2, 4}, {5}, {4, 5}, {0}} {
		job := exec.Job{Groups: [3]uint32{2, 2, 1}, SpanEnds: spans}
		var fault *exec.JobError
		if err := job.Check(&ir.Program{}); !errors.As(err, &fault) {
			t.Errorf("spans %d of 4 groups: %v; want a JobError", spans, err)
		}
	}
}
