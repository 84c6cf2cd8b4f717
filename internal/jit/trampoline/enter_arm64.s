//go:build linux

#include "textflag.h"
#include "go_asm.h"

// func enter(c *Context)
// Machine code has the Context in R19. It preserves R28, the goroutine, which
// signal handlers need, and R18, the platform's. The frame saves the return
// address and R29.
TEXT ·enter(SB), NOSPLIT, $16-8
	MOVD	c+0(FP), R19
	MOVD	FPCR, R0
	MOVW	R0, Context_hostControl(R19)
	MOVWU	Context_Control(R19), R0
	MOVD	R0, FPCR
	BL	·leap(SB)
	// Machine code leaves to here, whatever its stack was.
	MOVD	Context_host(R19), R0
	MOVD	R0, RSP
	MOVWU	Context_hostControl(R19), R0
	MOVD	R0, FPCR
	RET

// leap notes where enter waits and goes to the machine code.
TEXT ·leap(SB), NOSPLIT|NOFRAME, $0
	MOVD	LR, Context_exitPC(R19)
	MOVD	RSP, R0
	MOVD	R0, Context_host(R19)
	MOVD	Context_Stack(R19), R0
	MOVD	R0, RSP
	MOVD	Context_PC(R19), R0
	ISB	$15	// the code may be new
	JMP	(R0)

// func stackWords() *[3]uintptr
// A g begins with stack.lo, stack.hi and stackguard0, as compilers and linkers
// rely on (runtime2.go).
TEXT ·stackWords(SB), NOSPLIT, $0-8
	MOVD	g, R0
	MOVD	R0, ret+0(FP)
	RET

// func faultHandler() uintptr
TEXT ·faultHandler(SB), NOSPLIT, $0-8
	MOVD	$·onFault(SB), R0
	MOVD	R0, ret+0(FP)
	RET
