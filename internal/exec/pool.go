package exec

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool is a fork-join worker pool: Run forks goroutines and joins them. It may be used for any number of
// runs, one at a time; after the first run it allocates nothing, except to watch a cancellable context other
// than a [StopContext]. The zero Pool is ready to use.
type Pool struct {
	stop   atomic.Bool
	halted chan struct{} // receives one value from each cancellation callback that has run

	work     func(worker int) // nil between runs, so that an idle pool retains no job
	starters []func()         // one for each worker but the first: a go statement with arguments would allocate
	wait     sync.WaitGroup
	mu       sync.Mutex // guards panicked: several workers may panic
	panicked any        // the text of a worker's panic, with its stack; or nil

	seats []seat    // one for each worker
	near  sync.Pool // of *seat, of which Get prefers the one that was put on the same processor
}

// seat is the place of a worker with its number. A goroutine rarely stays on a processor between two runs, as it waits in between: in
// each run a goroutine takes the seat that was taken on its processor before, so that the data of a worker remain in the caches of
// one processor.
type seat struct {
	worker int
	taken  atomic.Bool
}

// setSeats makes the seats of a run, all of them free. A seat of an earlier run with more workers may still be in near: sit does not
// accept it.
func (p *Pool) setSeats(workers int) {
	if cap(p.seats) < workers {
		p.seats = make([]seat, workers)
	}
	p.seats = p.seats[:workers]
	for i := range p.seats {
		p.seats[i].worker = i
		p.seats[i].taken.Store(false)
	}
}

// sit takes a free seat of those of the run, the one of this processor if it can. The search ends, because each goroutine has a seat. A
// goroutine that runs on the processor of another one, which has its seat, takes the seat of another processor.
func (p *Pool) sit() *seat {
	if s, _ := p.near.Get().(*seat); s != nil && s.worker < len(p.seats) && s == &p.seats[s.worker] && s.taken.CompareAndSwap(false, true) {
		return s
	}
	for {
		for i := range p.seats {
			if s := &p.seats[i]; !s.taken.Load() && s.taken.CompareAndSwap(false, true) {
				return s
			}
		}
	}
}

// Stop returns the flag that requests workers to return soon. It is set when the context of a run is done,
// when a worker panics, and by workers themselves. Run clears it at its start.
func (p *Pool) Stop() *atomic.Bool { return &p.stop }

// Run calls work(0) to work(workers−1), each on its own goroutine except one, which runs on the caller's, and returns when all have
// returned. A panic in a worker becomes a panic of Run.
func (p *Pool) Run(ctx context.Context, workers int, work func(worker int)) {
	p.stop.Store(false)
	if c, ok := ctx.(*StopContext); ok {
		c.progress.Add(1)
		c.watch(&p.stop)
		defer c.forget(&p.stop)
	} else if ctx.Done() != nil {
		defer p.watch(ctx)()
	}
	if workers <= 1 {
		work(0)
		return
	}
	p.work, p.panicked = work, nil
	p.setSeats(workers)
	for len(p.starters) < workers-1 {
		p.starters = append(p.starters, func() {
			defer p.wait.Done()
			p.workRecovering()
		})
	}
	p.wait.Add(workers - 1)
	for _, start := range p.starters[:workers-1] {
		go start()
	}
	p.workRecovering()
	p.wait.Wait()
	p.work = nil
	if p.panicked != nil {
		panic(p.panicked)
	}
}

// watch sets the stop flag when ctx is done. The caller must call the returned function at the end of the
// run; after it returns the watcher is gone, so that a late cancellation cannot stop the pool's next run.
func (p *Pool) watch(ctx context.Context) func() {
	if p.halted == nil {
		p.halted = make(chan struct{}, 1)
	}
	forget := context.AfterFunc(ctx, func() {
		p.stop.Store(true)
		p.halted <- struct{}{}
	})
	return func() {
		if !forget() {
			<-p.halted
		}
	}
}

// workRecovering runs work and records a panic, which Run raises again on its caller's goroutine: there the
// caller can recover it, while an unrecovered panic of a worker's goroutine would end the process.
func (p *Pool) workRecovering() {
	s := p.sit()
	defer func() {
		p.near.Put(s)
		if r := recover(); r != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			p.stop.Store(true)
		}
	}()
	p.work(s.worker)
}

// MaxIdleWorkers returns the number of workers for which an engine should cache scratch memory between two
// runs of a program: as many as can run in parallel.
func MaxIdleWorkers() int { return max(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }
