package exec

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestBalance distributes groups of uneven cost to workers with simulated clocks. All workers must end at
// nearly the same time, and the number of batches must stay small.
func TestBalance(t *testing.T) {
	const groups = 10000
	for name, cost := range map[string]func(n uint64) int{
		"even":              func(uint64) int { return 100 },
		"heavy at the end":  func(n uint64) int { return 1 + 999*int(n/(groups-500)) },
		"heavy at first":    func(n uint64) int { return 1000 - 999*int(min(n/500, 1)) },
		"one in a thousand": func(n uint64) int { return 1 + int(1-min(n%1000, 1))*1000 },
		"growing":           func(n uint64) int { return int(n) },
	} {
		for _, workers := range []int{1, 2, 3, 8} {
			var stop atomic.Bool
			q := &queue{total: groups, divisor: uint64(workers) * shareDivisor, stop: &stop}
			clocks := make([]int, workers) // in hundreds of nanoseconds
			sizes := slices.Repeat([]batchSize{1}, workers)
			sum, most, batches := 0, 0, 0
			for {
				first := 0 // the worker with the lowest clock is next
				for i := range clocks {
					if clocks[i] < clocks[first] {
						first = i
					}
				}
				b, ok := q.nextBatch(sizes[first])
				if !ok {
					break
				}
				batches++
				begin := clocks[first]
				for n := b.First; n < b.First+b.Count; n++ {
					clocks[first] += cost(n)
					sum += cost(n)
					most = max(most, cost(n))
				}
				sizes[first].adapt(time.Duration(clocks[first]-begin) * 100)
			}
			end := 0
			for _, c := range clocks {
				end = max(end, c)
			}
			if limit := sum/workers + sum/workers/20 + most; end > limit {
				t.Errorf("%s: %d workers end at %d; %d would be even", name, workers, end, sum/workers)
			}
			if name == "even" && batches > 1500 {
				t.Errorf("%s: %d batches for %d workers", name, batches, workers)
			}
		}
	}
}
