#include "textflag.h"

// ROW adds the signs of a row to DX and advances to the next row.
#define ROW \
	VPOR      Y1, Y0, Y9  \
	VPOR      Y2, Y9, Y9  \
	VMOVMSKPS Y9, CX      \
	VPADDD    Y6, Y0, Y0  \
	VPADDD    Y7, Y1, Y1  \
	VPADDD    Y8, Y2, Y2  \
	ORQ       CX, DX      \
	RORQ      $8, DX

// QUADROW is ROW for four edge functions, with Y10 and its steps Y11.
#define QUADROW \
	VPOR      Y1, Y0, Y9   \
	VPOR      Y10, Y2, Y12 \
	VPOR      Y12, Y9, Y9  \
	VMOVMSKPS Y9, CX       \
	VPADDD    Y6, Y0, Y0   \
	VPADDD    Y7, Y1, Y1   \
	VPADDD    Y8, Y2, Y2   \
	VPADDD    Y11, Y10, Y10 \
	ORQ       CX, DX       \
	RORQ      $8, DX

// func quadMask(e *quadEdges) uint64
//
// Y0, Y1, Y2 and Y10 are the edge functions at the eight pixels of a row, Y6, Y7, Y8 and Y11 their steps to the next row. A
// pixel is outside if one of the functions has its sign bit set.
TEXT ·quadMask(SB), NOSPLIT, $0-16
	MOVQ         e+0(FP), AX
	VMOVDQU      columns<>(SB), Y9
	VPBROADCASTD 16(AX), Y3
	VPBROADCASTD 20(AX), Y4
	VPBROADCASTD 24(AX), Y5
	VPBROADCASTD 28(AX), Y12
	VPMULLD      Y9, Y3, Y3
	VPMULLD      Y9, Y4, Y4
	VPMULLD      Y9, Y5, Y5
	VPMULLD      Y9, Y12, Y12
	VPBROADCASTD (AX), Y0
	VPBROADCASTD 4(AX), Y1
	VPBROADCASTD 8(AX), Y2
	VPBROADCASTD 12(AX), Y10
	VPADDD       Y3, Y0, Y0
	VPADDD       Y4, Y1, Y1
	VPADDD       Y5, Y2, Y2
	VPADDD       Y12, Y10, Y10
	VPBROADCASTD 32(AX), Y6
	VPBROADCASTD 36(AX), Y7
	VPBROADCASTD 40(AX), Y8
	VPBROADCASTD 44(AX), Y11
	XORQ         DX, DX
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	NOTQ         DX
	VZEROUPPER
	MOVQ         DX, ret+8(FP)
	RET

// func sampleMasks(e *quadEdges, at, offsets *[maxEdges]int64, n, edges int, masks *uint64)
//
// Y3, Y4, Y5 and Y13 are the differences of the edge functions from the first pixel of a row, Y15 is at; the other registers are as in
// quadMask.
TEXT ·sampleMasks(SB), NOSPLIT, $16-48
	MOVQ         e+0(FP), AX
	MOVQ         at+8(FP), CX
	MOVQ         offsets+16(FP), BX
	MOVQ         n+24(FP), R8
	MOVQ         edges+32(FP), R9
	MOVQ         masks+40(FP), DI
	VMOVDQU      (CX), Y15
	VMOVDQU      columns<>(SB), Y9
	VPBROADCASTD 16(AX), Y3
	VPBROADCASTD 20(AX), Y4
	VPBROADCASTD 24(AX), Y5
	VPMULLD      Y9, Y3, Y3
	VPMULLD      Y9, Y4, Y4
	VPMULLD      Y9, Y5, Y5
	VPBROADCASTD 32(AX), Y6
	VPBROADCASTD 36(AX), Y7
	VPBROADCASTD 40(AX), Y8
	CMPQ         R9, $3
	JG           four

three:
	VPADDQ       (BX), Y15, Y14
	VPCMPGTQ     greatest<>(SB), Y14, Y12
	VBLENDVPD    Y12, greatest<>(SB), Y14, Y14
	VMOVDQU      least<>(SB), Y10
	VPCMPGTQ     Y14, Y10, Y12
	VBLENDVPD    Y12, Y10, Y14, Y14
	VMOVDQU      evens<>(SB), Y12
	VPERMD       Y14, Y12, Y14
	VMOVDQU      X14, values-16(SP)
	VPBROADCASTD values-16(SP), Y0
	VPBROADCASTD values-12(SP), Y1
	VPBROADCASTD values-8(SP), Y2
	VPADDD       Y3, Y0, Y0
	VPADDD       Y4, Y1, Y1
	VPADDD       Y5, Y2, Y2
	XORQ         DX, DX
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	NOTQ         DX
	MOVQ         DX, (DI)
	ADDQ         $32, BX
	ADDQ         $8, DI
	DECQ         R8
	JNZ          three
	VZEROUPPER
	RET

four:
	VPBROADCASTD 28(AX), Y13
	VPMULLD      Y9, Y13, Y13
	VPBROADCASTD 44(AX), Y11

quad:
	VPADDQ       (BX), Y15, Y14
	VPCMPGTQ     greatest<>(SB), Y14, Y12
	VBLENDVPD    Y12, greatest<>(SB), Y14, Y14
	VMOVDQU      least<>(SB), Y10
	VPCMPGTQ     Y14, Y10, Y12
	VBLENDVPD    Y12, Y10, Y14, Y14
	VMOVDQU      evens<>(SB), Y12
	VPERMD       Y14, Y12, Y14
	VMOVDQU      X14, values-16(SP)
	VPBROADCASTD values-16(SP), Y0
	VPBROADCASTD values-12(SP), Y1
	VPBROADCASTD values-8(SP), Y2
	VPBROADCASTD values-4(SP), Y10
	VPADDD       Y3, Y0, Y0
	VPADDD       Y4, Y1, Y1
	VPADDD       Y5, Y2, Y2
	VPADDD       Y13, Y10, Y10
	XORQ         DX, DX
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	QUADROW
	NOTQ         DX
	MOVQ         DX, (DI)
	ADDQ         $32, BX
	ADDQ         $8, DI
	DECQ         R8
	JNZ          quad
	VZEROUPPER
	RET

// func blockMasks(e *blockEdges, across, down int, masks *[smallBlocks][smallBlocks]uint64)
//
// Y3, Y4 and Y5 are the edge functions at the first row of the column of blocks, Y13, Y14 and Y15 their steps to the next column. The
// other registers are as in quadMask: the rows of a column of blocks follow each other.
TEXT ·blockMasks(SB), NOSPLIT, $0-32
	MOVQ         e+0(FP), AX
	MOVQ         across+8(FP), R8
	MOVQ         down+16(FP), R9
	MOVQ         masks+24(FP), DI
	VMOVDQU      columns<>(SB), Y9
	VPBROADCASTD 12(AX), Y13
	VPBROADCASTD 16(AX), Y14
	VPBROADCASTD 20(AX), Y15
	VPMULLD      Y9, Y13, Y3
	VPMULLD      Y9, Y14, Y4
	VPMULLD      Y9, Y15, Y5
	VPBROADCASTD (AX), Y0
	VPBROADCASTD 4(AX), Y1
	VPBROADCASTD 8(AX), Y2
	VPADDD       Y3, Y0, Y3
	VPADDD       Y4, Y1, Y4
	VPADDD       Y5, Y2, Y5
	VPSLLD       $3, Y13, Y13
	VPSLLD       $3, Y14, Y14
	VPSLLD       $3, Y15, Y15
	VPBROADCASTD 24(AX), Y6
	VPBROADCASTD 28(AX), Y7
	VPBROADCASTD 32(AX), Y8

column:
	VMOVDQA Y3, Y0
	VMOVDQA Y4, Y1
	VMOVDQA Y5, Y2
	MOVQ    R9, R10
	MOVQ    DI, SI

block:
	XORQ DX, DX
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	ROW
	NOTQ DX
	MOVQ DX, (SI)
	ADDQ $8, SI
	DECQ R10
	JNZ  block

	VPADDD Y13, Y3, Y3
	VPADDD Y14, Y4, Y4
	VPADDD Y15, Y5, Y5
	ADDQ   $24, DI
	DECQ   R8
	JNZ    column
	VZEROUPPER
	RET

DATA columns<>+0(SB)/4, $0
DATA columns<>+4(SB)/4, $1
DATA columns<>+8(SB)/4, $2
DATA columns<>+12(SB)/4, $3
DATA columns<>+16(SB)/4, $4
DATA columns<>+20(SB)/4, $5
DATA columns<>+24(SB)/4, $6
DATA columns<>+28(SB)/4, $7
GLOBL columns<>(SB), RODATA|NOPTR, $32

// maxEdgeValue, its negative, and the even numbers.
DATA greatest<>+0(SB)/8, $0x40000000
DATA greatest<>+8(SB)/8, $0x40000000
DATA greatest<>+16(SB)/8, $0x40000000
DATA greatest<>+24(SB)/8, $0x40000000
GLOBL greatest<>(SB), RODATA|NOPTR, $32

DATA least<>+0(SB)/8, $-0x40000000
DATA least<>+8(SB)/8, $-0x40000000
DATA least<>+16(SB)/8, $-0x40000000
DATA least<>+24(SB)/8, $-0x40000000
GLOBL least<>(SB), RODATA|NOPTR, $32

DATA evens<>+0(SB)/4, $0
DATA evens<>+4(SB)/4, $2
DATA evens<>+8(SB)/4, $4
DATA evens<>+12(SB)/4, $6
DATA evens<>+16(SB)/4, $0
DATA evens<>+20(SB)/4, $2
DATA evens<>+24(SB)/4, $4
DATA evens<>+28(SB)/4, $6
GLOBL evens<>(SB), RODATA|NOPTR, $32
