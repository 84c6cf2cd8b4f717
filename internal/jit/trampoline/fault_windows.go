//go:build amd64

package trampoline

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Fault returns the error after Run has returned Faulted.
func (c *Context) Fault() error {
	return fmt.Errorf("jit: exception %#x in generated code at %#x, address %#x", c.faultSig, c.faultPC, c.faultAddr)
}

// faults is the state of the exception handler, which has no arguments of ours.
var faults struct {
	lo, hi uintptr // bounds of the code heap
}

func faultHandler() uintptr // address of the handler, in assembly

var addVectoredExceptionHandler = windows.NewLazySystemDLL("kernel32.dll").NewProc("AddVectoredExceptionHandler")

// CatchFaults turns an exception of an instruction in [lo, hi) into an exit as Faulted. It must be called once, before any code runs.
//
// The handler is a vectored one, the first of all. Windows calls these before it looks for handlers in stack frames, so that machine code
// needs no unwind information, and its stack need not be the one that the thread has in its environment block. The handler of the Go
// runtime is the next: it takes only exceptions of Go code. After an exception that we take, Windows calls the continue handlers of the
// Go runtime: they accept exceptions of memory accesses, divisions, breakpoints and undefined instructions, as execution continues in Go
// code, at exitPC. Any other exception ends the process there.
func CatchFaults(lo, hi uintptr) error {
	const first = 1
	faults.lo, faults.hi = lo, hi
	if h, _, err := addVectoredExceptionHandler.Call(first, faultHandler()); h == 0 {
		return fmt.Errorf("jit: AddVectoredExceptionHandler: %w", err)
	}
	return nil
}
