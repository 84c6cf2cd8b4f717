#include "textflag.h"

DATA units<>+0(SB)/8, $255.0
DATA units<>+8(SB)/4, $255.0
GLOBL units<>(SB), RODATA|NOPTR, $16

// func loadBytes(values *float32, texels *byte, groups int, order *[16]byte)
//
// Each turn is a group of four texels. The division rounds as the table of codes does.
TEXT ·loadBytes(SB), NOSPLIT, $0-32
	MOVQ         values+0(FP), DI
	MOVQ         texels+8(FP), SI
	MOVQ         groups+16(FP), CX
	MOVQ         order+24(FP), AX
	VMOVDQU      (AX), X7
	VBROADCASTSS units<>+8(SB), Y6

group:
	VMOVDQU   (SI), X0
	VPSHUFB   X7, X0, X0
	VPSRLDQ   $8, X0, X2
	VPMOVZXBD X0, Y1
	VPMOVZXBD X2, Y2
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y2, Y2
	VDIVPS    Y6, Y1, Y1
	VDIVPS    Y6, Y2, Y2
	VMOVUPS   Y1, (DI)
	VMOVUPS   Y2, 32(DI)
	ADDQ      $16, SI
	ADDQ      $64, DI
	DECQ      CX
	JNZ       group
	VZEROUPPER
	RET

// func storeBytes(texels *byte, values *float32, groups int, order *[16]byte)
//
// The product with 255 is exact in f64, and the conversion rounds it to nearest, ties to even. VMAXPD returns its second source, 0, if
// the value is no number.
TEXT ·storeBytes(SB), NOSPLIT, $0-32
	MOVQ         texels+0(FP), DI
	MOVQ         values+8(FP), SI
	MOVQ         groups+16(FP), CX
	MOVQ         order+24(FP), AX
	VMOVDQU      (AX), X7
	VBROADCASTSD units<>+0(SB), Y6
	VXORPD       Y5, Y5, Y5

group:
	VCVTPS2PD   (SI), Y0
	VCVTPS2PD   16(SI), Y1
	VCVTPS2PD   32(SI), Y2
	VCVTPS2PD   48(SI), Y3
	VMULPD      Y6, Y0, Y0
	VMULPD      Y6, Y1, Y1
	VMULPD      Y6, Y2, Y2
	VMULPD      Y6, Y3, Y3
	VMAXPD      Y5, Y0, Y0
	VMAXPD      Y5, Y1, Y1
	VMAXPD      Y5, Y2, Y2
	VMAXPD      Y5, Y3, Y3
	VMINPD      Y6, Y0, Y0
	VMINPD      Y6, Y1, Y1
	VMINPD      Y6, Y2, Y2
	VMINPD      Y6, Y3, Y3
	VCVTPD2DQY  Y0, X0
	VCVTPD2DQY  Y1, X1
	VCVTPD2DQY  Y2, X2
	VCVTPD2DQY  Y3, X3
	VPACKSSDW   X1, X0, X0
	VPACKSSDW   X3, X2, X2
	VPACKUSWB   X2, X0, X0
	VPSHUFB     X7, X0, X0
	VMOVDQU     X0, (DI)
	ADDQ        $64, SI
	ADDQ        $16, DI
	DECQ        CX
	JNZ         group
	VZEROUPPER
	RET
