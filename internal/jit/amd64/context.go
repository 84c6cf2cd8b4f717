package amd64

import (
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Context is the interface between Go and machine code, which holds its address in R15. One Context
// serves one worker at a time. entry_amd64.s and the generated code depend on the field offsets below;
// a test compares them.
//
//	Go (worker)                     Context                machine code (own stack)
//	Run ── PC, Stack, Args ──────▶ ┌─────────┐ ──────────▶ entry, reads Args
//	                               │   R15   │                 │
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
	csr          uint32 // MXCSR of machine code
	hostCSR      uint32 // MXCSR of the thread
	pollExpected uint32 // value of the polled word if nothing is requested

	Service uint64  // index of the site that needs a service
	Frame   uintptr // frame of the function that contains the site

	faultPC, faultAddr, faultSig uintptr

	Args [target.NumArgs]uintptr // the arguments; layout.go lists them

	Stop    *atomic.Bool // set to make the code exit as Polled; required
	Polling bool         // poll the goroutine's stack guard instead of Stop, for preemption by the Go runtime
}

// mxcsr masks every exception, rounds to nearest even and preserves denormals: the IR has no floating
// point modes (internal/ir, "The rules of the bits").
const mxcsr = 0x1f80

// EmitExit emits an exit to Go with the given status. Code that exits as Called or Polled resumes
// after the exit, with only RSP and R15 preserved.
func (a *Asm) EmitExit(s target.Status) {
	resume := a.NewLabel()
	if s == target.Called || s == target.Polled {
		a.GRM(LEA|W, RAX, Relative(resume))
		a.GRM(MOV_ST|W, RAX, At(R15, target.OffPC))
		a.GRM(MOV_ST|W, RSP, At(R15, target.OffStack))
	}
	a.MovMI(false, At(R15, target.OffStatus), int32(s))
	a.JmpMem(At(R15, target.OffExitPC))
	a.Bind(resume)
}

// arg returns the memory of an argument of the dispatch.
func arg(i int) Mem { return At(R15, int32(target.OffArgs+8*i)) }
