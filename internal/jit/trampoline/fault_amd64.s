//go:build linux

#include "textflag.h"
#include "go_asm.h"

// onFault is a signal handler of the C ABI: DI signal, SI siginfo_t, DX
// ucontext_t. It runs on the thread's alternate stack. The general registers
// stand in the ucontext from byte 40: R8 to R15, DI, SI, BP, BX, DX, AX, CX,
// SP, PC.
TEXT ·onFault(SB), NOSPLIT|NOFRAME, $0
	MOVQ	168(DX), AX	// PC
	CMPQ	AX, ·faults+0(SB)
	JB	pass
	CMPQ	AX, ·faults+8(SB)
	JAE	pass
	MOVQ	96(DX), CX	// R15, the Context
	MOVQ	AX, Context_faultPC(CX)
	MOVQ	16(SI), AX	// si_addr
	MOVQ	AX, Context_faultAddr(CX)
	MOVQ	DI, Context_faultSig(CX)
	MOVL	$3, Context_Status(CX)	// Faulted
	MOVQ	Context_exitPC(CX), AX
	MOVQ	AX, 168(DX)
	RET
pass:	// SIGSEGV 11, SIGBUS 7, SIGFPE 8, SIGILL 4
	MOVQ	·faults+16(SB), AX
	CMPQ	DI, $11
	JEQ	go
	MOVQ	·faults+24(SB), AX
	CMPQ	DI, $7
	JEQ	go
	MOVQ	·faults+32(SB), AX
	CMPQ	DI, $8
	JEQ	go
	MOVQ	·faults+40(SB), AX
go:	JMP	AX

// func faultHandler() uintptr
TEXT ·faultHandler(SB), NOSPLIT, $0-8
	LEAQ	·onFault(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
