package trampoline

import (
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Context is the interface between Go and machine code, which holds its address in a register. One Context
// serves one worker at a time. Generated code depends on the offsets of its fields (target.OffPC); a test
// compares them.
//
//	Go (worker)                     Context                machine code (own stack)
//	Run ── PC, Stack, Args ──────▶ ┌─────────┐ ──────────▶ entry, reads Args
//	                               │         │                 │
//	serve the site ◀── Called ──── │ Status  │ ◀── Service ─── service stub
//	   └── Run, resumes at PC ───▶ │ PC      │ ──────────▶ after the stub
//	Gosched or abort ◀── Polled ── │ Stack   │ ◀───────────── safepoint
//	done ◀──────────── Finished ── └─────────┘ ◀───────────── after the last workgroup
//
// wazero's compiler uses the same scheme: an execution context with an exit code and a resume address
// (wazevo, executionContext).
type Context struct {
	PC     uintptr // address of the first instruction
	Stack  uintptr // stack pointer of the machine code while Go runs
	host   uintptr // stack pointer of Go while machine code runs
	exitPC uintptr // return address into the trampoline

	poll uintptr // address of the word that safepoints compare

	Status       target.Status
	Control      uint32 // floating-point control register of machine code (Target.Control)
	hostControl  uint32 // the same of the thread
	pollExpected uint32 // value of the polled word if nothing is requested

	Service uint64  // index of the site that needs a service
	Frame   uintptr // frame of the function that contains the site

	faultPC, faultAddr, faultSig uintptr

	Args [target.NumArgs]uintptr // the arguments: target.ArgHandles and the following

	Stop    *atomic.Bool // set to make the code exit as Polled; required
	Polling bool         // poll the goroutine's stack guard instead of Stop, for preemption by the Go runtime
}
