//go:build linux && amd64

package amd64

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

// offsets that generated code was told, against the struct.
func TestContextOffsets(t *testing.T) {
	var c Context
	for name, o := range map[string][2]uintptr{
		"PC":      {target.OffPC, unsafe.Offsetof(c.PC)},
		"Stack":   {target.OffStack, unsafe.Offsetof(c.Stack)},
		"exitPC":  {target.OffExitPC, unsafe.Offsetof(c.exitPC)},
		"Status":  {target.OffStatus, unsafe.Offsetof(c.Status)},
		"poll":    {target.OffPoll, unsafe.Offsetof(c.poll)},
		"calm":    {target.OffPollExpected, unsafe.Offsetof(c.pollExpected)},
		"Service": {target.OffService, unsafe.Offsetof(c.Service)},
		"Frame":   {target.OffFrame, unsafe.Offsetof(c.Frame)},
		"Args":    {target.OffArgs, unsafe.Offsetof(c.Args)},
	} {
		if o[0] != o[1] {
			t.Errorf("%s is at %d, code was told %d", name, o[1], o[0])
		}
	}
	if target.Faulted != 3 {
		t.Error("fault_amd64.s writes 3 for Faulted")
	}
}

// One heap for all tests: the fault handler knows one range.
var testHeap = sync.OnceValues(func() (*codemem.Heap, error) {
	h, err := codemem.New(1 << 20)
	if err != nil {
		return nil, err
	}
	return h, CatchFaults(h.Range())
})

// loadCode makes code that exits as Finished after the output of body.
func loadCode(t *testing.T, body func(a *Asm)) uintptr {
	t.Helper()
	if !canRun() {
		t.Skip("no AVX2")
	}
	h, err := testHeap()
	if err != nil {
		t.Fatal(err)
	}
	var a Asm
	body(&a)
	a.EmitExit(target.Finished)
	b, err := h.Add(a.Finish())
	if err != nil {
		t.Fatal(err)
	}
	return b.Entry()
}

func newContext(t *testing.T, entry uintptr) *Context {
	t.Helper()
	s, err := NewStacks(1, 16<<10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &Context{PC: entry, Stack: s.Top(0)}
}

func TestRun(t *testing.T) {
	entry := loadCode(t, func(a *Asm) {
		a.GRM(MOV|W, RAX, At(R15, target.OffArgs))
		a.GI(AddI, true, RAX, 1)
		a.GRM(MOV_ST|W, RAX, At(R15, target.OffArgs+8))
	})
	c := newContext(t, entry)
	c.Args[0] = 41
	if s := Run(c); s != target.Finished || c.Args[1] != 42 {
		t.Errorf("status %d, result %d", s, c.Args[1])
	}
}

// Called leaves in the middle and goes on there; R14, BP and the vector
// registers belong to the code.
func TestService(t *testing.T) {
	entry := loadCode(t, func(a *Asm) {
		a.Push(R15)
		for _, r := range []Reg{RBX, RBP, R12, R13, R14} {
			a.MovI(r, 0x123456789)
		}
		for range 3 {
			a.GRM(MOV_ST|W, RSP, At(R15, target.OffFrame))
			a.EmitExit(target.Called)
		}
		a.Pop(RAX)
		a.GRM(MOV_ST|W, RAX, At(R15, target.OffArgs))
	})
	c := newContext(t, entry)
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
	entry := loadCode(t, func(a *Asm) {
		// stmxcsr [r15+OffArgs]: 41 0f ae 5f disp8
		a.Code = append(a.Code, 0x41, 0x0f, 0xae, 0x5f, target.OffArgs)
	})
	c := newContext(t, entry)
	Run(c)
	if got := uint32(c.Args[0]) &^ 0x3f; got != mxcsr { // less the sticky flags
		t.Errorf("MXCSR %#x, want %#x", got, mxcsr)
	}
}

// loopForever polls.
func loopForever(a *Asm) {
	top, asked := a.NewLabel(), a.NewLabel()
	a.Bind(top)
	a.EmitPoll(asked)
	a.Jmp(top)
	a.Bind(asked)
	a.EmitExit(target.Polled)
	a.Jmp(top)
}

// TestStop also sees that a spinning kernel does not hold up a stop of the
// world.
func TestStop(t *testing.T) {
	c := newContext(t, loadCode(t, loopForever))
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
	wild := loadCode(t, func(a *Asm) {
		a.MovI(RAX, 0x10)
		a.GRM(MOV|W, RAX, At(RAX, 0))
	})
	c := newContext(t, wild)
	for range 3 {
		c.PC = wild
		if s := Run(c); s != target.Faulted {
			t.Fatalf("status %d", s)
		}
		if err := c.Fault().Error(); !strings.Contains(err, "signal 11") || !strings.Contains(err, "0x10") {
			t.Error(err)
		}
	}
	illegal := newContext(t, loadCode(t, func(a *Asm) { a.Code = append(a.Code, 0x0f, 0x0b) })) // ud2
	if s := Run(illegal); s != target.Faulted || !strings.Contains(illegal.Fault().Error(), "signal 4 ") {
		t.Errorf("an illegal instruction: status %d, %v", s, illegal.Fault())
	}
	over := loadCode(t, func(a *Asm) { // runs into the guard page
		top := a.NewLabel()
		a.Bind(top)
		a.Push(RAX)
		a.Jmp(top)
	})
	if s := Run(newContext(t, over)); s != target.Faulted {
		t.Errorf("overflow of the native stack: status %d", s)
	}
}

// TestGoFaultsStillPanic: the handler passes Go's own faults on.
func TestGoFaultsStillPanic(t *testing.T) {
	loadCode(t, func(*Asm) {})
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
	add, xor, form := AVX_VADDPS, AVX_VPXOR, V256
	if (Target{}).Runs(target.AVX512) {
		add, xor, form = VADDPS, VPXORD, V512
	}
	entry := loadCode(t, func(a *Asm) {
		top := a.NewLabel()
		a.MovI(RCX, 200_000)
		a.Bind(top)
		a.RR(add, form, 14, 14, 14, 0)
		a.RR(xor, form, 15, 15, 15, 0)
		a.MovI(R14, 0)
		a.GI(SubI, true, RCX, 1)
		a.Jcc(NotEqual, top)
	})
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

func TestStacks(t *testing.T) {
	s, err := NewStacks(8, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 8 {
		top := s.Top(i)
		if top%64 != 0 {
			t.Errorf("top %d is %#x", i, top)
		}
		if i > 0 {
			if d := top - s.Top(i-1); d < 1<<16+guard || d%4096 == 0 {
				t.Errorf("stack %d is %d bytes above the one before", i, d)
			}
		}
		b := s.Bytes(top - 1<<16)
		b[0], b[1<<16-1] = 1, 1 // both ends are mapped
	}
	if s.Bytes(1) != nil {
		t.Error("memory of nobody")
	}
}

func BenchmarkRun(b *testing.B) {
	if !canRun() {
		b.Skip("no AVX2")
	}
	h, err := testHeap()
	if err != nil {
		b.Fatal(err)
	}
	var a Asm
	a.EmitExit(target.Finished)
	block, err := h.Add(a.Finish())
	if err != nil {
		b.Fatal(err)
	}
	s, err := NewStacks(1, 4096)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c := &Context{Stack: s.Top(0)}
	for b.Loop() {
		c.PC = block.Entry()
		Run(c)
	}
}

// canRun reports whether this processor runs code of the lowest level.
func canRun() bool { return (Target{}).Runs(target.AVX2) }
