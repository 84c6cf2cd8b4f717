package ray

import (
	"sync"
	"sync/atomic"
)

// parallel calls f(0) to f(n−1) on up to threads goroutines.
func parallel(threads, n int, f func(i int)) {
	if threads = min(threads, n); threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(i)
		}
	}
	for range threads - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
}
