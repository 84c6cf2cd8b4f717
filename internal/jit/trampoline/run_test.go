//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package trampoline

import (
	"io"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/jit/codemem"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// One heap for all tests: the fault handler knows one range.
var testHeap = sync.OnceValues(func() (*codemem.Heap, error) {
	h, err := codemem.New(1 << 20)
	if err != nil {
		return nil, err
	}
	return h, CatchFaults(h.Range())
})

// load makes code executable.
func load(t testing.TB, code []byte) uintptr {
	t.Helper()
	if !back.Runs(back.Levels()[len(back.Levels())-1]) {
		t.Skip("the processor has no level of the JIT")
	}
	h, err := testHeap()
	if err != nil {
		t.Fatal(err)
	}
	b, err := h.Add(code)
	if err != nil {
		t.Fatal(err)
	}
	return b.Entry()
}

func newContext(t testing.TB, entry uintptr) *Context {
	t.Helper()
	s, err := NewStacks(1, 16<<10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &Context{PC: entry, Stack: s.Top(0), Control: back.Control()}
}

// programs are tests of entry and exit, in machine code of the host. Each exits as Finished at its end.
type programs struct {
	increment []byte // Args[1] = Args[0] + 1
	call      []byte // three times: writes the stack pointer to Frame and exits as Called; then Args[0] = the Context's address, from the stack
	control   []byte // Args[0] = the floating-point control register
	loop      []byte // polls until it exits as Polled, for ever
	load      []byte // loads from address 16
	illegal   []byte // an undefined instruction
	overflow  []byte // pushes without end
	spin      []byte // overwrites vectors for some 100 µs
	nothing   []byte
}

func TestRun(t *testing.T) {
	c := newContext(t, load(t, code.increment))
	c.Args[0] = 41
	if s := Run(c); s != target.Finished || c.Args[1] != 42 {
		t.Errorf("status %d, result %d", s, c.Args[1])
	}
}

// Called leaves in the middle and goes on there; all registers but two belong to the code.
func TestService(t *testing.T) {
	c := newContext(t, load(t, code.call))
	n := 0
	for s := Run(c); s != target.Finished; s = Run(c) {
		if s != target.Called {
			t.Fatalf("status %d", s)
		}
		n++
		runtime.GC()
	}
	if n != 3 || c.Args[0] != uintptr(unsafe.Pointer(c)) {
		t.Errorf("%d services, stack held %#x", n, c.Args[0])
	}
}

func TestRoundingModeIsOurs(t *testing.T) {
	c := newContext(t, load(t, code.control))
	Run(c)
	if got := uint32(c.Args[0]); got&^sticky != c.Control {
		t.Errorf("control register %#x, want %#x", got, c.Control)
	}
}

// TestStop also sees that a spinning kernel does not hold up a stop of the
// world.
func TestStop(t *testing.T) {
	c := newContext(t, load(t, code.loop))
	c.Stop = new(atomic.Bool)
	done := make(chan target.Status)
	go func() { done <- Run(c) }()
	for range 5 {
		runtime.GC()
	}
	c.Stop.Store(true)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the kernel did not stop")
	}
}

func TestFault(t *testing.T) {
	access, undefined := "signal 11 ", "signal 4 "
	if runtime.GOOS == "windows" {
		access, undefined = "exception 0xc0000005 ", "exception 0xc000001d "
	}
	wild := load(t, code.load)
	c := newContext(t, wild)
	for range 3 {
		c.PC = wild
		if s := Run(c); s != target.Faulted {
			t.Fatalf("status %d", s)
		}
		if err := c.Fault().Error(); !strings.Contains(err, access) || !strings.Contains(err, "0x10") {
			t.Error(err)
		}
	}
	illegal := newContext(t, load(t, code.illegal))
	if s := Run(illegal); s != target.Faulted || !strings.Contains(illegal.Fault().Error(), undefined) {
		t.Errorf("an illegal instruction: status %d, %v", s, illegal.Fault())
	}
	if runtime.GOOS == "windows" { // it ends the process if the stack has no room for an exception (faultBytes)
		return
	}
	if s := Run(newContext(t, load(t, code.overflow))); s != target.Faulted {
		t.Errorf("overflow of the native stack: status %d", s)
	}
}

// TestGoFaultsStillPanic: the handler passes Go's own faults on.
func TestGoFaultsStillPanic(t *testing.T) {
	load(t, code.nothing)
	defer func() {
		if recover() == nil {
			t.Error("a nil dereference did not panic")
		}
	}()
	var p *Context
	runtime.KeepAlive(p.PC)
}

// TestCoexist runs kernels beside collections, deep recursion, panics and the
// profiler's signals.
func TestCoexist(t *testing.T) {
	entry := load(t, code.spin)
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	var wg sync.WaitGroup
	for range 4 {
		c := newContext(t, entry)
		wg.Go(func() {
			for range 50 {
				c.PC = entry
				if s := Run(c); s != target.Finished {
					t.Errorf("status %d", s)
				}
				recovers(200)
			}
		})
	}
	for range 10 {
		runtime.GC()
	}
	wg.Wait()
}

func recovers(depth int) {
	defer func() { _ = recover() }()
	if depth > 0 {
		recovers(depth - 1)
	}
	var p *Context
	p.PC = 1
}

func BenchmarkRun(b *testing.B) {
	entry := load(b, code.nothing)
	c := newContext(b, entry)
	for b.Loop() {
		c.PC = entry
		Run(c)
	}
}
