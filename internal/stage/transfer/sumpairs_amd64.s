#include "textflag.h"

// func sumPairs(out *float32, rows *pairRows, taps *tap, n int)
//
// Y0 is the sum, X4 and X5 are the weights of the rows twice, X6 and X7 their weights along the third axis. Products and sums have the
// order of line.sum and are not fused.
TEXT ·sumPairs(SB), NOSPLIT, $0-32
	MOVQ     out+0(FP), DI
	MOVQ     rows+8(FP), AX
	MOVQ     taps+16(FP), SI
	MOVQ     n+24(FP), CX
	MOVQ     (AX), R10
	MOVQ     8(AX), R11
	SUBQ     48(AX), R10
	SUBQ     48(AX), R11
	VMOVDDUP 16(AX), X4
	VMOVDDUP 24(AX), X5
	VMOVDDUP 32(AX), X6
	VMOVDDUP 40(AX), X7
	VXORPD   Y15, Y15, Y15

texel:
	MOVQ         8(SI), R8
	MOVQ         16(SI), R9
	SHLQ         $4, R8
	SHLQ         $4, R9
	VMOVUPD      40(SI), X8
	VMULPD       X4, X8, X9
	VMULPD       X5, X8, X10
	VMULPD       X6, X9, X9
	VMULPD       X7, X10, X10
	VPERMILPD    $1, X9, X11
	VPERMILPD    $1, X10, X12
	VBROADCASTSD X9, Y9
	VBROADCASTSD X11, Y11
	VBROADCASTSD X10, Y10
	VBROADCASTSD X12, Y12
	VCVTPS2PD    (R10)(R8*1), Y1
	VCVTPS2PD    (R10)(R9*1), Y2
	VMULPD       Y9, Y1, Y1
	VMULPD       Y11, Y2, Y2
	VADDPD       Y1, Y15, Y0
	VCVTPS2PD    (R11)(R8*1), Y3
	VADDPD       Y2, Y0, Y0
	VCVTPS2PD    (R11)(R9*1), Y13
	VMULPD       Y10, Y3, Y3
	VMULPD       Y12, Y13, Y13
	VADDPD       Y3, Y0, Y0
	VADDPD       Y13, Y0, Y0
	VCVTPD2PSY   Y0, X0
	VMOVUPS      X0, (DI)
	ADDQ         $16, DI
	ADDQ         $72, SI
	DECQ         CX
	JNZ          texel
	VZEROUPPER
	RET
