package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/target"

// mxcsr masks every exception, rounds to nearest even and preserves denormals: the IR has no floating
// point modes (internal/ir, "The rules of the bits").
const mxcsr = 0x1f80

// Control returns MXCSR of the code.
func (Target) Control() uint32 { return mxcsr }

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
