package trampoline

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// back is the back end of the host.
var back target.Target = amd64.Target{}

// sticky are the exception flags of MXCSR.
const sticky = 0x3f

var code = programs{
	increment: program(func(a *amd64.Asm) {
		a.GRM(amd64.MOV|amd64.W, amd64.RAX, amd64.At(amd64.R15, target.OffArgs))
		a.GI(amd64.AddI, true, amd64.RAX, 1)
		a.GRM(amd64.MOV_ST|amd64.W, amd64.RAX, amd64.At(amd64.R15, target.OffArgs+8))
	}),
	call: program(func(a *amd64.Asm) {
		a.Push(amd64.R15)
		for _, r := range []amd64.Reg{amd64.RBX, amd64.RBP, amd64.R12, amd64.R13, amd64.R14} {
			a.MovI(r, 0x123456789)
		}
		for range 3 {
			a.GRM(amd64.MOV_ST|amd64.W, amd64.RSP, amd64.At(amd64.R15, target.OffFrame))
			a.EmitExit(target.Called)
		}
		a.Pop(amd64.RAX)
		a.GRM(amd64.MOV_ST|amd64.W, amd64.RAX, amd64.At(amd64.R15, target.OffArgs))
	}),
	control: program(func(a *amd64.Asm) {
		// stmxcsr [r15+OffArgs]: 41 0f ae 5f disp8
		a.Code = append(a.Code, 0x41, 0x0f, 0xae, 0x5f, target.OffArgs)
	}),
	loop: program(func(a *amd64.Asm) {
		top, asked := a.NewLabel(), a.NewLabel()
		a.Bind(top)
		a.EmitPoll(asked)
		a.Jmp(top)
		a.Bind(asked)
		a.EmitExit(target.Polled)
		a.Jmp(top)
	}),
	load: program(func(a *amd64.Asm) {
		a.MovI(amd64.RAX, 0x10)
		a.GRM(amd64.MOV|amd64.W, amd64.RAX, amd64.At(amd64.RAX, 0))
	}),
	illegal: program(func(a *amd64.Asm) { a.Code = append(a.Code, 0x0f, 0x0b) }), // ud2
	overflow: program(func(a *amd64.Asm) {
		top := a.NewLabel()
		a.Bind(top)
		a.Push(amd64.RAX)
		a.Jmp(top)
	}),
	spin:    program(spin),
	nothing: program(func(*amd64.Asm) {}),
}

// program returns code that exits as Finished after the output of body.
func program(body func(a *amd64.Asm)) []byte {
	var a amd64.Asm
	body(&a)
	a.EmitExit(target.Finished)
	return a.Finish()
}

func spin(a *amd64.Asm) {
	add, xor, form := amd64.AVX_VADDPS, amd64.AVX_VPXOR, amd64.V256
	if back.Runs(target.AVX512) {
		add, xor, form = amd64.VADDPS, amd64.VPXORD, amd64.V512
	}
	top := a.NewLabel()
	a.MovI(amd64.RCX, 200_000)
	a.Bind(top)
	a.RR(add, form, 14, 14, 14, 0)
	a.RR(xor, form, 15, 15, 15, 0)
	a.MovI(amd64.R14, 0)
	a.GI(amd64.SubI, true, amd64.RCX, 1)
	a.Jcc(amd64.NotEqual, top)
}
