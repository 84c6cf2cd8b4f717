#include "go_asm.h"
#include "textflag.h"

// limits holds 1/2, the greatest float and its negative.
DATA limits<>+0(SB)/4, $0x3F000000
DATA limits<>+4(SB)/4, $0x7F7FFFFF
DATA limits<>+8(SB)/4, $0xFF7FFFFF
GLOBL limits<>(SB), RODATA|NOPTR, $12

// MIDDLE sets X2 to half the sum of the corners X0 and X1. X11 masks their fourth components: they are integers, and
// arithmetic on denormal floats is slow.
#define MIDDLE \
	VANDPS X11, X0, X2 \
	VANDPS X11, X1, X3 \
	VMULPS X10, X2, X2 \
	VMULPS X10, X3, X3 \
	VADDPS X3, X2, X2

// GROW(axis, lane): adds the item of X0 and X1 to the bin of its lane of X2, 32 times the number of the bin.
#define GROW(axis, lane) \
	VPEXTRD $lane, X2, R8 \
	VMINPS binning_box+512*axis(DI)(R8*1), X0, X4 \
	VMAXPS binning_box+16+512*axis(DI)(R8*1), X1, X5 \
	VMOVUPS X4, binning_box+512*axis(DI)(R8*1) \
	VMOVUPS X5, binning_box+16+512*axis(DI)(R8*1) \
	SHRL $3, R8 \
	INCL binning_count+64*axis(DI)(R8*1)

// func binAVX2(b *binning, items *item, n int)
TEXT ·binAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), DI
	MOVQ items+8(FP), SI
	MOVQ n+16(FP), CX
	VMOVUPS binning_from(DI), X8
	VMOVUPS binning_scale(DI), X9
	VMOVUPS binning_last(DI), X12
	VBROADCASTSS limits<>+0(SB), X10
	VPCMPEQD X11, X11, X11
	VPSRLDQ $4, X11, X11
	VPXOR X13, X13, X13

loop:
	VMOVUPS item_lo(SI), X0
	VMOVUPS item_hi(SI), X1
	MIDDLE
	VSUBPS X8, X2, X2
	VMULPS X9, X2, X2
	VCVTTPS2DQ X2, X2
	VPMAXSD X13, X2, X2
	VPMINSD X12, X2, X2
	VPSLLD $5, X2, X2
	GROW(0, 0)
	GROW(1, 1)
	GROW(2, 2)
	ADDQ $item__size, SI
	DECQ CX
	JNZ  loop
	RET

// func middlesAVX2(w *wideBounds, items *item, n int)
TEXT ·middlesAVX2(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), DI
	MOVQ items+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS limits<>+0(SB), X10
	VBROADCASTSS limits<>+4(SB), X6
	VBROADCASTSS limits<>+8(SB), X7
	VPCMPEQD X11, X11, X11
	VPSRLDQ $4, X11, X11

loop:
	VMOVUPS item_lo(SI), X0
	VMOVUPS item_hi(SI), X1
	MIDDLE
	VMINPS X6, X2, X6
	VMAXPS X7, X2, X7
	ADDQ $item__size, SI
	DECQ CX
	JNZ  loop
	VMOVUPS X6, wideBounds_lo(DI)
	VMOVUPS X7, wideBounds_hi(DI)
	RET
