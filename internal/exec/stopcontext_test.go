package exec

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestStopContext cancels with and without watches: derived contexts end, flags of ended watches do not change, and Err
// is the cause of the first call.
func TestStopContext(t *testing.T) {
	c := NewStopContext()
	var ended, watching atomic.Bool
	c.watch(&ended)
	c.watch(&watching)
	c.forget(&ended)
	child, cancel := context.WithCancel(c)
	defer cancel()
	called := make(chan struct{})
	stopped := c.AfterFunc(func() { t.Error("a stopped function was called") })
	c.AfterFunc(func() { close(called) })
	if !stopped() || stopped() || c.Err() != nil || child.Err() != nil {
		t.Fatal("before the cancellation: must have no error, and a function must stop once")
	}
	cause := errors.New("cause")
	c.Cancel(cause)
	c.Cancel(nil)
	<-c.Done()
	for _, done := range []<-chan struct{}{child.Done(), called} {
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("a derived context or a function does not notice the end")
		}
	}
	if ended.Load() || !watching.Load() || c.Err() != cause {
		t.Errorf("flags %v and %v, error %v; must be false, true and the first cause", ended.Load(), watching.Load(), c.Err())
	}
	var late atomic.Bool
	if c.watch(&late); !late.Load() {
		t.Error("a watch after the end must set its flag")
	}
}

// TestStopContextAllocates counts the allocations of a run.
func TestStopContextAllocates(t *testing.T) {
	c, p := NewStopContext(), &Pool{}
	work := func(int) {}
	if n := testing.AllocsPerRun(100, func() { p.Run(c, 2, work) }); n > 0 {
		t.Errorf("%v allocations a run; must be 0", n)
	}
}
