package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// StopContext is a context that ends by Cancel alone. A [Pool] watches it without an allocation, which makes it the
// context of many short runs. It is safe for concurrent use.
type StopContext struct {
	done     chan struct{}
	progress atomic.Uint64

	mu      sync.Mutex
	err     error          // set before done is closed
	flags   []*atomic.Bool // of the runs that watch
	actions []*stopAction
}

// stopAction is a function of AfterFunc.
type stopAction struct{ f func() }

// NewStopContext returns a context that has not ended.
func NewStopContext() *StopContext { return &StopContext{done: make(chan struct{})} }

// Cancel ends the context. Err returns the cause from then on; nil is context.Canceled. Only the first call has an
// effect.
func (c *StopContext) Cancel(cause error) {
	if cause == nil {
		cause = context.Canceled
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = cause
	close(c.done)
	for _, f := range c.flags {
		f.Store(true)
	}
	for _, a := range c.actions {
		go a.f()
	}
	c.actions = nil
}

// Progress returns a number that grows when a part of a run ends: a batch of workgroups, or a tile's part of a draw.
func (c *StopContext) Progress() uint64 { return c.progress.Load() }

// Running reports whether a pool runs in the context.
func (c *StopContext) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.flags) > 0
}

// advance notes the end of a part of a run. A context of another type has no progress.
func advance(ctx context.Context) {
	if c, ok := ctx.(*StopContext); ok {
		c.progress.Add(1)
	}
}

// Err returns nil, or the cause of Cancel.
func (c *StopContext) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Done is closed by Cancel.
func (c *StopContext) Done() <-chan struct{} { return c.done }

// Deadline reports that there is none.
func (c *StopContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil.
func (c *StopContext) Value(any) any { return nil }

// AfterFunc calls f on its own goroutine after Cancel, as context.AfterFunc does. The contexts that are derived from c
// use it.
func (c *StopContext) AfterFunc(f func()) (stop func() bool) {
	a := &stopAction{f}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	c.actions = append(c.actions, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.actions, a)
		if i >= 0 {
			c.actions = slices.Delete(c.actions, i, i+1)
		}
		return i >= 0
	}
}

// watch sets a flag at Cancel, until forget is called.
func (c *StopContext) watch(flag *atomic.Bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		flag.Store(true)
	}
	c.flags = append(c.flags, flag)
}

// forget ends a watch: after it Cancel does not set the flag.
func (c *StopContext) forget(flag *atomic.Bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.flags, flag)
	last := len(c.flags) - 1
	c.flags[i], c.flags[last] = c.flags[last], nil
	c.flags = c.flags[:last]
}
