//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package trampoline

import (
	"runtime"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Supported reports whether this host can run machine code.
const Supported = true

// enter runs machine code at c.PC on c.Stack until it exits. Machine code has no Go frame above it on
// its stack, so that the runtime never has to unwind one. The Context escapes to the heap, because its
// address must stay valid from one run to the next.
func enter(c *Context)

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// Run runs machine code from c.PC on c.Stack until it exits, and returns the reason. By default the Go
// runtime regards the call as a system call: it retakes the processor (its P) if another goroutine
// needs it, and garbage collection does not wait. If c.Polling is set the runtime regards it as a Go
// function, and the code exits as Polled soon after a preemption request, for the caller to yield.
// Callers must keep all memory alive that the code accesses, and must have called CatchFaults.
func Run(c *Context) target.Status {
	if c.Polling {
		for !runPolling(c) {
			runtime.Gosched()
		}
		return c.Status
	}
	return runAsSyscall(c)
}

//go:nosplit
func runAsSyscall(c *Context) target.Status {
	c.poll, c.pollExpected = uintptr(unsafe.Pointer(c.Stop)), 0
	entersyscall()
	enter(c)
	exitsyscall()
	return c.Status
}

// stackWords returns the first words of the running goroutine's g: the bounds of its stack and
// stackguard0, which the runtime overwrites to request preemption.
func stackWords() *[3]uintptr

// stackPreempt is the value of stackguard0 that requests preemption (runtime/stack.go). Otherwise it
// is an address a little above the stack's lower bound.
const stackPreempt = ^uintptr(1313)

// runPolling runs machine code as a Go function. It returns false, without running it, if preemption
// is already requested. No stack may grow between the read of the guard and the code, because growth
// moves the guard; hence nosplit.
//
//go:nosplit
func runPolling(c *Context) bool {
	words := stackWords()
	guard := words[2]
	if guard == stackPreempt {
		return false
	}
	c.poll, c.pollExpected = uintptr(unsafe.Pointer(&words[2])), uint32(guard)
	enter(c)
	return true
}

// GuardIsKnown reports whether the words of stackWords are the bounds of this stack and a guard, as
// runPolling expects. A future runtime may lay out its g differently.
//
//go:nosplit
func GuardIsKnown() bool {
	const room = 64 << 10 // bytes above the lower bound that contain the guard
	var here byte
	word := stackWords()
	sp := uintptr(unsafe.Pointer(&here))
	return word[0] < sp && sp < word[1] && (word[2] == stackPreempt || word[0] < word[2] && word[2] < word[0]+room)
}
