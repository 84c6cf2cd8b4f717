//go:build linux

package trampoline

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/arm64"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// back is the back end of the host.
var back target.Target = arm64.Target{}

// sticky is none: the exception flags have a register of their own, FPSR.
const sticky = 0

var code = programs{
	increment: program(func(a *arm64.Asm) {
		a.Access(arm64.LDRX, arm64.X0, argument(0), arm64.X16)
		a.RI(arm64.ADDI|arm64.W, arm64.X0, arm64.X0, 1)
		a.Access(arm64.STRX, arm64.X0, argument(1), arm64.X16)
	}),
	call: program(func(a *arm64.Asm) {
		a.RI(arm64.SUBI|arm64.W, arm64.SP, arm64.SP, 16)
		a.Access(arm64.STRX, arm64.X19, arm64.At(arm64.SP, 0), arm64.X16)
		for r := arm64.X1; r <= arm64.X30; r++ {
			if r != arm64.X18 && r != arm64.X19 && r != arm64.X28 {
				a.MovI(r, 0x123456789)
			}
		}
		for range 3 {
			a.RI(arm64.ADDI|arm64.W, arm64.X0, arm64.SP, 0)
			a.Access(arm64.STRX, arm64.X0, arm64.At(arm64.X19, target.OffFrame), arm64.X16)
			a.EmitExit(target.Called)
		}
		a.Access(arm64.LDRX, arm64.X0, arm64.At(arm64.SP, 0), arm64.X16)
		a.Access(arm64.STRX, arm64.X0, argument(0), arm64.X16)
	}),
	control: program(func(a *arm64.Asm) {
		a.R(arm64.READFPCR, arm64.X0, 0, 0)
		a.Access(arm64.STRX, arm64.X0, argument(0), arm64.X16)
	}),
	loop: program(func(a *arm64.Asm) {
		top, asked := a.NewLabel(), a.NewLabel()
		a.Bind(top)
		a.EmitPoll(asked)
		a.B(top)
		a.Bind(asked)
		a.EmitExit(target.Polled)
		a.B(top)
	}),
	load: program(func(a *arm64.Asm) {
		a.MovI(arm64.X0, 0x10)
		a.Access(arm64.LDRX, arm64.X0, arm64.At(arm64.X0, 0), arm64.X16)
	}),
	illegal: program(func(a *arm64.Asm) { a.Data32(0) }), // udf #0
	overflow: program(func(a *arm64.Asm) {
		top := a.NewLabel()
		a.Bind(top)
		a.RI(arm64.SUBI|arm64.W, arm64.SP, arm64.SP, 16)
		a.Access(arm64.STRX, arm64.X0, arm64.At(arm64.SP, 0), arm64.X16)
		a.B(top)
	}),
	spin: program(func(a *arm64.Asm) {
		top := a.NewLabel()
		a.MovI(arm64.X1, 200_000)
		a.Bind(top)
		a.V(arm64.VFADD, arm64.S4, 30, 30, 30)
		a.V(arm64.VEOR, arm64.B16, 31, 31, 31)
		a.MovI(arm64.X20, 0)
		a.RI(arm64.SUBSI|arm64.W, arm64.X1, arm64.X1, 1)
		a.BCond(arm64.NE, top)
	}),
	nothing: program(func(*arm64.Asm) {}),
}

// argument is one of Context.Args in memory.
func argument(i int64) arm64.Mem { return arm64.At(arm64.X19, target.OffArgs+8*i) }

// program returns code that exits as Finished after the output of body.
func program(body func(a *arm64.Asm)) []byte {
	var a arm64.Asm
	body(&a)
	a.EmitExit(target.Finished)
	return a.Finish()
}
