#include "textflag.h"

// func prefetch(at unsafe.Pointer, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ lines+8(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JG   next
	RET
