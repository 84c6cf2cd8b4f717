package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// interruptGrace is the time limit of running items after an interrupt. Unfinished items count as not run,
// so that a signal is answered within 0.2 seconds.
const interruptGrace = 50 * time.Millisecond

// interruptible returns a context that SIGINT and SIGTERM cancel. The second signal ends the process. After the first one no
// write waits for its reader.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	notifyInterrupts(signals)
	early.release()
	go func() {
		defer signal.Stop(signals)
		select {
		case <-ctx.Done():
		case <-signals:
			signal.Stop(signals) // before the cancellation: the next signal has its default action
			cancel()
			releaseBlocked()
		}
	}()
	return ctx, cancel
}

// pool is a list of items that several goroutines process.
type pool[T any] struct {
	items   int
	jobs    int
	work    func(i int) T
	notRun  func(i int) T // the result of an item that an interrupt prevents
	live    func(T)       // is called with each result as soon as it exists
	ordered func(T)       // is called with each result in the order of the list

	// elsewhere, if it is not nil, distributes the items: for each it calls here, which lets the pool process it, or give with
	// the result from another process. It returns after the last item, or when the context is done.
	elsewhere func(ctx context.Context, here func(i int), give func(i int, x T))
}

// run processes the items until the context is done. It calls live and ordered on its own goroutine alone. Items that
// still run when it returns are abandoned.
func (p pool[T]) run(ctx context.Context) {
	type result struct {
		i int
		x T
	}
	next, results, over := make(chan int), make(chan result), make(chan struct{})
	defer close(over)
	var workers sync.WaitGroup
	for range max(1, min(p.jobs, p.items)) {
		workers.Go(func() {
			for i := range next {
				select {
				case results <- result{i, p.work(i)}:
				case <-over:
				}
			}
		})
	}
	go func() {
		defer close(next)
		here := func(i int) {
			select {
			case next <- i:
			case <-ctx.Done():
			}
		}
		if p.elsewhere == nil {
			for i := 0; i < p.items && ctx.Err() == nil; i++ {
				here(i)
			}
			return
		}
		p.elsewhere(ctx, here, func(i int, x T) {
			select {
			case results <- result{i, x}:
			case <-over:
			}
		})
	}()
	idle := make(chan struct{})
	go func() {
		workers.Wait()
		close(idle)
	}()
	have := make([]*T, p.items)
	at := 0
	take := func(i int, x T) {
		have[i] = &x
		p.live(x)
		for ; at < p.items && have[at] != nil; at++ {
			p.ordered(*have[at])
			have[at] = new(T) // The item is done: its memory is not needed any more.
		}
	}
	var grace <-chan time.Time
	done := ctx.Done()
	for at < p.items {
		select {
		case r := <-results:
			take(r.i, r.x)
			continue
		case <-done:
			done, grace = nil, time.After(interruptGrace)
			continue
		case <-grace:
		case <-idle:
		}
		for i := range have {
			if have[i] == nil {
				take(i, p.notRun(i))
			}
		}
	}
}

// stoppable is the RunE of a command that runs f until a signal arrives.
func stoppable(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		return limited(0, func(ctx context.Context) error { return f(ctx, args) })
	}
}

// limited runs f until it ends, a signal arrives or the limit has passed; a limit of 0 is none. Then the context of f is
// done, and f is abandoned if it does not return within interruptGrace.
func limited(limit time.Duration, f func(context.Context) error) error {
	ctx, stop := interruptible()
	defer stop()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	done, broken := make(chan error, 1), make(chan any, 1)
	go func() {
		defer func() {
			if e := recover(); e != nil {
				broken <- fmt.Sprintf("%v\n%s", e, debug.Stack())
			}
		}()
		done <- f(ctx)
	}()
	var grace <-chan time.Time
	stopped := ctx.Done()
	for {
		select {
		case err := <-done:
			if err == nil || ctx.Err() == nil {
				return err
			}
		case e := <-broken:
			panic(e)
		case <-stopped:
			stopped, grace = nil, time.After(interruptGrace)
			continue
		case <-grace:
		}
		if ctx.Err() == context.DeadlineExceeded {
			return &coded{exitUsage, fmt.Sprintf("not done after %v, the limit of --timeout", limit)}
		}
		return &coded{exitInterrupt, "interrupted"}
	}
}
