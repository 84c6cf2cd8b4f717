package amd64

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Executes reports whether this host runs machine code.
const Executes = true

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
	c.csr = mxcsr
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

// guardIsKnown reports whether the words of stackWords are the bounds of this stack and a guard, as
// runPolling expects. A future runtime may lay out its g differently.
//
//go:nosplit
func guardIsKnown() bool {
	const room = 64 << 10 // bytes above the lower bound that contain the guard
	var here byte
	word := stackWords()
	sp := uintptr(unsafe.Pointer(&here))
	return word[0] < sp && sp < word[1] && (word[2] == stackPreempt || word[0] < word[2] && word[2] < word[0]+room)
}

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

func faultHandler() uintptr // address of the handler in entry_amd64.s

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

// Stacks are the stacks of one worker for machine code, each with a guard page below.
type Stacks struct {
	mem    []byte
	stride int
	n      int
}

const guard = 4096

// stagger is an offset in bytes between the tops of neighboring stacks. With equal low address bits
// all frames would compete for the same sets of the L1 cache.
const stagger = 17 * 64

// NewStacks maps n stacks of at least size bytes.
func NewStacks(n, size int) (*Stacks, error) {
	stride := (size+2*guard-1)&^(guard-1) + guard
	mem, err := syscall.Mmap(-1, 0, n*stride, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("jit: %d native stacks of %d bytes: %w", n, size, err)
	}
	for i := range n {
		if err := syscall.Mprotect(mem[i*stride:i*stride+guard], syscall.PROT_NONE); err != nil {
			return nil, errors.Join(fmt.Errorf("jit: guard page: %w", err), syscall.Munmap(mem))
		}
	}
	return &Stacks{mem, stride, n}, nil
}

// Top returns the initial stack pointer of the i-th stack, aligned to 64 bytes. Stacks grow down.
func (s *Stacks) Top(i int) uintptr {
	shift := i * stagger % guard
	return uintptr(unsafe.Pointer(&s.mem[0])) + uintptr((i+1)*s.stride-shift)
}

// Bytes returns the stack memory from address at on, or nil if the address is not in these stacks.
func (s *Stacks) Bytes(at uintptr) []byte {
	off := at - uintptr(unsafe.Pointer(&s.mem[0]))
	if off >= uintptr(len(s.mem)) {
		return nil
	}
	return s.mem[off:]
}

// Size returns the number of mapped bytes.
func (s *Stacks) Size() int { return len(s.mem) }

// Close unmaps the stacks.
func (s *Stacks) Close() error { return syscall.Munmap(s.mem) }
