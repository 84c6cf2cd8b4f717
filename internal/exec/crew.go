package exec

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Crew is goroutines that work at once. It is used again and again, and then allocates
// nothing but what a context that may be done costs. The zero Crew is ready; it runs one
// thing at a time.
type Crew struct {
	stop   atomic.Bool
	halted chan struct{}

	work   func(worker int)
	begin  []func() // of each worker but the first
	wait   sync.WaitGroup
	mu     sync.Mutex
	caught any // a panic of a worker, with its stack
}

// Stop returns what is set where work shall end soon: when the context of a run is
// done, when a worker has panicked, and when work itself sets it.
func (c *Crew) Stop() *atomic.Bool { return &c.stop }

// Run calls work for each of so many workers, each in a goroutine of its own, of which
// the caller's is one, and returns when all have returned. A panic of a worker becomes
// a panic of Run.
func (c *Crew) Run(ctx context.Context, workers int, work func(worker int)) {
	c.stop.Store(false)
	if ctx.Done() != nil {
		defer c.watch(ctx)()
	}
	if workers <= 1 {
		work(0)
		return
	}
	c.work, c.caught = work, nil
	for n := len(c.begin) + 1; n < workers; n++ {
		c.begin = append(c.begin, func() {
			defer c.wait.Done()
			c.guarded(n)
		})
	}
	c.wait.Add(workers - 1)
	for _, begin := range c.begin[:workers-1] {
		go begin()
	}
	c.guarded(0)
	c.wait.Wait()
	c.work = nil
	if c.caught != nil {
		panic(c.caught)
	}
}

// watch has stop set when ctx is done, until what it returns is called: nothing sets
// it late, when the crew may be at something else.
func (c *Crew) watch(ctx context.Context) func() {
	if c.halted == nil {
		c.halted = make(chan struct{}, 1)
	}
	forget := context.AfterFunc(ctx, func() {
		c.stop.Store(true)
		c.halted <- struct{}{}
	})
	return func() {
		if !forget() {
			<-c.halted
		}
	}
}

// guarded works, and keeps a panic for the goroutine that called Run, where somebody
// may recover it; nobody could in a worker's.
func (c *Crew) guarded(worker int) {
	defer func() {
		if r := recover(); r != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.caught = fmt.Sprintf("%v\n%s", r, debug.Stack())
			c.stop.Store(true)
		}
	}()
	c.work(worker)
}

// KeptWorkers is for how many workers an engine keeps what they need for a program's
// next run: as many as can run at once.
func KeptWorkers() int { return max(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }
