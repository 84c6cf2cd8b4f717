package amd64

import (
	"errors"
	"runtime"
	"sync/atomic"
)

// errProcessor is what ChooseRelease gives where the runtime of Go is none that
// this package knows.
var errPreemption = errors.New("jit: code cannot give its processor back to this runtime of Go")

// TrialCode returns code for ChooseRelease, to be put where code runs. It comes
// back as Polled where it is asked to within some tenths of a second.
func ProbeCode() []byte {
	var a Asm
	again, asked := a.NewLabel(), a.NewLabel()
	a.MovI(RCX, 1<<27)
	a.Bind(again)
	a.EmitPoll(asked)
	a.GI(SubI, true, RCX, 1)
	a.Jcc(NotEqual, again)
	a.EmitExit(Finished)
	a.Bind(asked)
	a.EmitExit(Polled)
	a.EmitExit(Finished)
	return a.Finish()
}

// ChooseRelease finds out how code gives its processor back to the runtime: as
// a system call does, or, where that does not work, by polling. entry is where
// TrialCode stands.
func ProbePreemption(entry uintptr) (polling bool, err error) {
	for _, polling := range []bool{false, true} {
		if polling && !guardIsKnown() {
			break
		}
		ok, err := probePreemption(entry, polling)
		if ok || err != nil {
			return polling, err
		}
	}
	return false, errPreemption
}

// tryRelease runs the trial while another goroutine stops the world: that ends
// before the trial does only where the runtime gets the processor.
func probePreemption(entry uintptr, polling bool) (ok bool, err error) {
	const few = 4096 // bytes of stack, of which the trial needs none
	stacks, err := NewStacks(1, few)
	if err != nil {
		return false, err
	}
	defer stacks.Close()
	c := &Context{PC: entry, Stack: stacks.Top(0), Stop: new(atomic.Bool), Polling: polling}
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
	return status == Polled, nil
}
