#include "textflag.h"

// func flush(write, run, size uintptr)
// The caches' line sizes are 4 bytes shifted left by fields of CTR_EL0: the
// instruction cache's bits 0 to 3, the data cache's bits 16 to 19.
TEXT ·flush(SB), NOSPLIT, $0-24
	MOVD	write+0(FP), R0
	MOVD	run+8(FP), R1
	MOVD	size+16(FP), R2
	MRS	CTR_EL0, R3
	MOVD	$4, R4
	AND	$15, R3, R5
	LSL	R5, R4, R5	// instruction line
	UBFX	$16, R3, $4, R6
	LSL	R6, R4, R6	// data line
	ADD	R0, R2, R7
	SUB	$1, R6, R8
	BIC	R8, R0, R0
clean:
	WORD	$0xd50b7b20	// dc cvau, x0
	ADD	R6, R0
	CMP	R7, R0
	BLO	clean
	WORD	$0xd5033b9f	// dsb ish
	ADD	R1, R2, R7
	SUB	$1, R5, R8
	BIC	R8, R1, R1
invalidate:
	WORD	$0xd50b7521	// ic ivau, x1
	ADD	R5, R1
	CMP	R7, R1
	BLO	invalidate
	WORD	$0xd5033b9f	// dsb ish
	WORD	$0xd5033fdf	// isb
	RET
