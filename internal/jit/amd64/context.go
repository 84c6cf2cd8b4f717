package amd64

import "sync/atomic"

// Status says why machine code came back.
type Status uint32

// Reasons to come back.
const (
	Finished Status = iota // it has done all it was asked
	Called                 // it wants a service of Go and goes on at PC
	Polled                 // it saw the polled word and may go on at PC, or be abandoned
	Faulted                // the machine refused an instruction: an error of ours
)

// Context is what machine code sees through R15. One Context serves one worker
// at a time. Its fields' offsets are known to entry_amd64.s and to the code
// that is generated.
type Context struct {
	PC     uintptr // where to begin or go on
	Stack  uintptr // stack pointer of the machine code while Go runs
	host   uintptr // stack pointer of Go while machine code runs
	exitPC uintptr // where the trampoline waits

	poll uintptr // address of the word that the code polls at back edges

	Status       Status
	csr          uint32 // MXCSR of machine code
	hostCSR      uint32 // MXCSR of the thread
	pollExpected uint32 // what the polled word holds while nothing is wanted

	Service uint64  // which service is wanted
	Frame   uintptr // the frame of the code that wants it

	faultPC, faultAddr, faultSig uintptr

	Args [NumArgs]uintptr // what the code was compiled to expect

	Stop    *atomic.Bool // set to have the code come back as Polled; required
	Polling bool         // the runtime asks for its processor by the polled word
}

// Offsets of the Context's fields, for generated code.
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

// mxcsr masks every exception, rounds to nearest even and keeps denormals: the
// IR has no machine modes (internal/ir, "NaN and rounding").
const mxcsr = 0x1f80

// EmitExit emits the way back to Go with the given status. Code that comes back
// as Called or Polled goes on behind it, with no register kept but RSP and R15.
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
