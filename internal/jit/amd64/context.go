package amd64

import "sync/atomic"

// Status is the reason for an exit from machine code to Go.
type Status uint32

// The exit reasons.
const (
	Finished Status = iota // all workgroups of the batch are done
	Called                 // a service of Go is needed; resumes at PC
	Polled                 // the polled word has changed; resumes at PC, or the run is aborted
	Faulted                // a hardware exception: an error of the compiler
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

	Status       Status
	csr          uint32 // MXCSR of machine code
	hostCSR      uint32 // MXCSR of the thread
	pollExpected uint32 // value of the polled word if nothing is requested

	Service uint64  // index of the site that needs a service
	Frame   uintptr // frame of the function that contains the site

	faultPC, faultAddr, faultSig uintptr

	Args [NumArgs]uintptr // the arguments; layout.go lists them

	Stop    *atomic.Bool // set to make the code exit as Polled; required
	Polling bool         // poll the goroutine's stack guard instead of Stop, for preemption by the Go runtime
}

// Offsets of the Context's fields in bytes, for generated code.
const (
	OffPC           = 0
	OffStack        = 8
	OffExitPC       = 24
	OffPoll         = 32
	OffStatus       = 40
	OffPollExpected = 52
	OffService      = 56
	OffFrame        = 64
	OffArgs         = 96
)

// mxcsr masks every exception, rounds to nearest even and preserves denormals: the IR has no floating
// point modes (internal/ir, "The rules of the bits").
const mxcsr = 0x1f80

// EmitExit emits an exit to Go with the given status. Code that exits as Called or Polled resumes
// after the exit, with only RSP and R15 preserved.
func (a *Asm) EmitExit(s Status) {
	resume := a.NewLabel()
	if s == Called || s == Polled {
		a.GRM(LEA|W, RAX, Relative(resume))
		a.GRM(MOV_ST|W, RAX, At(R15, OffPC))
		a.GRM(MOV_ST|W, RSP, At(R15, OffStack))
	}
	a.MovMI(false, At(R15, OffStatus), int32(s))
	a.JmpMem(At(R15, OffExitPC))
	a.Bind(resume)
}
