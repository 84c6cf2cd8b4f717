//go:build linux && (amd64 || arm64)

package trampoline

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Fault returns the error after Run has returned Faulted.
func (c *Context) Fault() error {
	return fmt.Errorf("jit: signal %d in generated code at %#x, address %#x", c.faultSig, c.faultPC, c.faultAddr)
}

// sigaction is the kernel's struct (rt_sigaction(2)), which differs from libc's.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// ignored is SIG_IGN; SIG_DFL is 0. A signal with either disposition has no previous handler to
// forward to, so we install none: the Go runtime in a C host does not handle SIGILL.
const ignored = 1

// faults is the state of the signal handler, which has no arguments of ours.
var faults struct {
	lo, hi uintptr    // bounds of the code heap
	old    [4]uintptr // previous handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL
}

func faultHandler() uintptr // address of the handler, in assembly

// CatchFaults turns a signal raised by an instruction in [lo, hi) into an exit as Faulted, and
// forwards all others to the previous handler. It is a backstop: the code checks its bounds itself,
// and a host may install its own handler later. It must be called once, before any code runs.
func CatchFaults(lo, hi uintptr) error {
	faults.lo, faults.hi = lo, hi
	for i, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL} {
		var act sigaction
		if err := rtSigaction(sig, nil, &act); err != nil {
			return err
		}
		if act.handler == faultHandler() || act.handler <= ignored {
			continue
		}
		faults.old[i] = act.handler
		act.handler = faultHandler()
		if err := rtSigaction(sig, &act, nil); err != nil {
			return err
		}
	}
	return nil
}

func rtSigaction(sig syscall.Signal, act, old *sigaction) error {
	_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	runtime.KeepAlive(act)
	if e != 0 {
		return fmt.Errorf("jit: rt_sigaction of %v: %w", sig, e)
	}
	return nil
}
