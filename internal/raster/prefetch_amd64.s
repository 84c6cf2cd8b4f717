#include "textflag.h"

// func prefetch(at unsafe.Pointer, skip, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ at+0(FP), AX
	ADDQ skip+8(FP), AX
	MOVQ lines+16(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JG   next
	RET
