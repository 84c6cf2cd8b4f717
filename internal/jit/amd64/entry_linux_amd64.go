package amd64

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// has reports whether this machine runs code of a level.
func has(l Level) bool {
	x := &cpu.X86
	if l == AVX2 {
		return x.HasAVX2 && x.HasFMA && x.HasF16C && x.HasBMI1 && x.HasPOPCNT
	}
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL
}

// enter runs machine code at c.PC on c.Stack until it leaves. It holds no Go
// frame above the code's, so the runtime never meets one it cannot read. The
// Context escapes, for code keeps its address between two runs.
func enter(c *Context)

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// Run runs machine code from c.PC on c.Stack until it leaves, and says why. The
// runtime sees a system call: it takes the processor away where another
// goroutine wants it, and a stop of the world does not wait. Where c.Polling is
// set the runtime sees a function of Go, and the code comes back as Polled soon
// after the runtime wants the processor, for the caller to yield it. Whatever
// the code touches must be kept alive by the caller, and the handler of
// CatchFaults must stand.
func Run(c *Context) Status {
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
func runAsSyscall(c *Context) Status {
	c.poll, c.pollExpected = uintptr(unsafe.Pointer(c.Stop)), 0
	entersyscall()
	enter(c)
	exitsyscall()
	return c.Status
}

// stackWords returns the first words of the goroutine that runs: the limits of
// its stack and stackguard0, in which the runtime asks for its processor.
func stackWords() *[3]uintptr

// stackPreempt is what stackguard0 holds where the runtime asks (runtime,
// stack.go); otherwise it lies a little above the stack's lower end.
const stackPreempt = ^uintptr(1313)

// runPolling runs machine code as a function of Go. It returns false, and has
// run nothing, where the processor is wanted already. No frame may be grown
// between here and the code, for that moves the guard.
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

// guardIsKnown reports whether the words of stackWords are the limits of this
// very stack and a guard, as runPolling expects.
//
//go:nosplit
func guardIsKnown() bool {
	const room = 64 << 10 // above the lower end, the guard lies in it
	var here byte
	word := stackWords()
	sp := uintptr(unsafe.Pointer(&here))
	return word[0] < sp && sp < word[1] && (word[2] == stackPreempt || word[0] < word[2] && word[2] < word[0]+room)
}

// Fault returns what went wrong where Run gave Faulted.
func (c *Context) Fault() error {
	return fmt.Errorf("jit: signal %d in generated code at %#x, address %#x", c.faultSig, c.faultPC, c.faultAddr)
}

// A kernel sigaction (rt_sigaction(2)), which differs from libc's.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// ignored is SIG_IGN; SIG_DFL is less. Where a signal has either there is nobody to
// pass it on to, and it is left alone: Go's runtime in a C host does not handle
// SIGILL.
const ignored = 1

// faults is what the signal handler reads: it runs where no argument reaches.
var faults struct {
	lo, hi uintptr    // where generated code lies
	old    [4]uintptr // the handlers before ours: SIGSEGV, SIGBUS, SIGFPE, SIGILL
}

func faultHandler() uintptr // address of the handler in entry_amd64.s

// CatchFaults makes a signal that the machine raises between lo and hi come
// back from Run as Faulted, and passes all others on. It is a backstop: bounds
// belong in the code, and a host may install its own handler after us. It is
// called once, before any code runs, for the one range that all code lies in.
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

// Stacks are the native stacks of one worker, each above a guard page.
type Stacks struct {
	mem    []byte
	stride int
	n      int
}

const guard = 4096

// stagger is how far the tops of neighbouring stacks are apart beyond whole
// pages: equal low bits would put all frames in the same sets of the cache.
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

// Top returns where the i-th stack begins, aligned to 64 bytes. It grows down.
func (s *Stacks) Top(i int) uintptr {
	shift := i * stagger % guard
	return uintptr(unsafe.Pointer(&s.mem[0])) + uintptr((i+1)*s.stride-shift)
}

// Bytes returns the stack memory from the address at on, or nil where it is not
// of these stacks.
func (s *Stacks) Bytes(at uintptr) []byte {
	off := at - uintptr(unsafe.Pointer(&s.mem[0]))
	if off >= uintptr(len(s.mem)) {
		return nil
	}
	return s.mem[off:]
}

// Size returns how many bytes are mapped.
func (s *Stacks) Size() int { return len(s.mem) }

// Close unmaps the stacks.
func (s *Stacks) Close() error { return syscall.Munmap(s.mem) }
