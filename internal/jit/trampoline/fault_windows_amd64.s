#include "textflag.h"
#include "go_asm.h"

// onException is a vectored exception handler of the Windows ABI: CX points to
// the addresses of an EXCEPTION_RECORD and of a CONTEXT. It runs on the stack of
// the code that faults, and clobbers only registers that the ABI permits. The
// result is -1 to continue with the registers of the CONTEXT, and 0 to call the
// next handler.
TEXT ·onException(SB), NOSPLIT|NOFRAME, $0
	MOVQ	0(CX), R8	// EXCEPTION_RECORD
	MOVQ	8(CX), DX	// CONTEXT
	MOVQ	248(DX), AX	// Rip
	CMPQ	AX, ·faults+0(SB)
	JB	pass
	CMPQ	AX, ·faults+8(SB)
	JAE	pass
	MOVQ	240(DX), R9	// R15, the Context
	MOVQ	AX, Context_faultPC(R9)
	MOVL	0(R8), AX	// ExceptionCode
	MOVQ	AX, Context_faultSig(R9)
	XORL	AX, AX
	CMPL	24(R8), $2	// NumberParameters
	JB	plain
	MOVQ	40(R8), AX	// the address of an access violation
plain:
	MOVQ	AX, Context_faultAddr(R9)
	MOVL	$3, Context_Status(R9)	// Faulted
	MOVQ	Context_exitPC(R9), AX
	MOVQ	AX, 248(DX)
	MOVL	$-1, AX
	RET
pass:
	XORL	AX, AX
	RET

// func faultHandler() uintptr
TEXT ·faultHandler(SB), NOSPLIT, $0-8
	LEAQ	·onException(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
