//go:build linux || windows

#include "textflag.h"
#include "go_asm.h"

// func enter(c *Context)
// The frame is 16 bytes so that the assembler saves and restores BP.
TEXT ·enter(SB), NOSPLIT, $16-8
	MOVQ	c+0(FP), R15
	STMXCSR	Context_hostControl(R15)
	LDMXCSR	Context_Control(R15)
	CALL	·leap(SB)
	// Machine code leaves to here, whatever its stack was.
	MOVQ	Context_host(R15), SP
	LDMXCSR	Context_hostControl(R15)
	VZEROUPPER
	RET

// leap notes where enter waits and goes to the machine code.
TEXT ·leap(SB), NOSPLIT|NOFRAME, $0
	MOVQ	0(SP), AX
	MOVQ	AX, Context_exitPC(R15)
	LEAQ	8(SP), AX
	MOVQ	AX, Context_host(R15)
	MOVQ	Context_Stack(R15), SP
	MOVQ	Context_PC(R15), AX
	JMP	AX

// func stackWords() *[3]uintptr
// A g begins with stack.lo, stack.hi and stackguard0, as compilers and linkers
// rely on (runtime2.go).
TEXT ·stackWords(SB), NOSPLIT, $0-8
	MOVQ	TLS, AX	// Windows needs both instructions; elsewhere the assembler removes the first
	MOVQ	0(AX)(TLS*1), AX
	MOVQ	AX, ret+0(FP)
	RET
