package trampoline

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// errPreemption is the error of ProbePreemption for an unknown Go runtime.
var errPreemption = errors.New("jit: code cannot give its processor back to this runtime of Go")

// maxProbes bounds the probes of each kind. On a loaded machine a probe may end before the system has run the other goroutine.
const maxProbes = 10

// ProbePreemption determines how long-running code lets the Go runtime retake its processor: as a
// system call, or, if that does not work in this runtime, by polling the stack guard. entry is the
// address of Target.ProbeCode, control its floating-point control register. The Go runtime can stop its own code by a signal, but it cannot unwind ours.
func ProbePreemption(entry uintptr, control uint32) (polling bool, err error) {
	return probeKinds(GuardIsKnown(), func(polling bool) (bool, error) { return probePreemption(entry, control, polling) })
}

// probeKinds returns the kind of the first probe that succeeds; known permits polling.
func probeKinds(known bool, probe func(polling bool) (ok bool, err error)) (polling bool, err error) {
	for range maxProbes {
		for _, polling := range []bool{false, true} {
			if polling && !known {
				break
			}
			if ok, err := probe(polling); ok || err != nil {
				return polling, err
			}
		}
	}
	return false, errPreemption
}

// probePreemption runs the probe while another goroutine stops the world. That goroutine finishes
// first only if the runtime can retake the processor.
func probePreemption(entry uintptr, control uint32, polling bool) (ok bool, err error) {
	const few = 4096 // bytes of stack; the probe needs none
	stacks, err := NewStacks(1, few)
	if err != nil {
		return false, err
	}
	defer stacks.Close()
	c := &Context{PC: entry, Stack: stacks.Top(0), Control: control, Stop: new(atomic.Bool), Polling: polling}
	begun := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		close(begun)
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.Stop.Store(true)
	}()
	<-begun
	status := Run(c)
	<-done
	return status == target.Polled, nil
}
