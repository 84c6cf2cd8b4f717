//go:build linux

#include "textflag.h"
#include "go_asm.h"

// onFault is a signal handler of the C ABI: R0 signal, R1 siginfo_t, R2
// ucontext_t. It runs on the thread's alternate stack, and changes only
// registers that the C ABI lets it. The general registers stand in the ucontext
// from byte 184: R0 to R30, SP, PC.
TEXT ·onFault(SB), NOSPLIT|NOFRAME, $0
	MOVD	440(R2), R3	// PC
	MOVD	$·faults(SB), R4
	MOVD	0(R4), R5
	CMP	R5, R3
	BLO	pass
	MOVD	8(R4), R5
	CMP	R5, R3
	BHS	pass
	MOVD	336(R2), R5	// R19, the Context
	MOVD	R3, Context_faultPC(R5)
	MOVD	16(R1), R3	// si_addr
	MOVD	R3, Context_faultAddr(R5)
	MOVD	R0, Context_faultSig(R5)
	MOVD	$3, R3	// Faulted
	MOVW	R3, Context_Status(R5)
	MOVD	Context_exitPC(R5), R3
	MOVD	R3, 440(R2)
	RET
pass:	// SIGSEGV 11, SIGBUS 7, SIGFPE 8, SIGILL 4
	MOVD	16(R4), R3
	CMP	$11, R0
	BEQ	go
	MOVD	24(R4), R3
	CMP	$7, R0
	BEQ	go
	MOVD	32(R4), R3
	CMP	$8, R0
	BEQ	go
	MOVD	40(R4), R3
go:	JMP	(R3)
