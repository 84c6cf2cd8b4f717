#include "go_asm.h"
#include "textflag.h"

// limits holds 1/2, the greatest float, its negative, mostExtent and its negative.
DATA limits<>+0(SB)/4, $0x3F000000
DATA limits<>+4(SB)/4, $0x7F7FFFFF
DATA limits<>+8(SB)/4, $0xFF7FFFFF
DATA limits<>+12(SB)/4, $const_mostExtentBits
DATA limits<>+16(SB)/4, $(const_mostExtentBits|0x80000000)
GLOBL limits<>(SB), RODATA|NOPTR, $20

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

// func areasAVX2(box *wideBounds, used int, left, right *float32)
//
// The low half of a register has the box of the bins up to AX, the high half that of the bins from CX on. The areas are half the
// surfaces inside ±mostExtent, which Y8 and Y9 hold.
TEXT ·areasAVX2(SB), NOSPLIT, $0-32
	MOVQ box+0(FP), SI
	MOVQ used+8(FP), CX
	MOVQ left+16(FP), R8
	MOVQ right+24(FP), R9
	VBROADCASTSS limits<>+4(SB), Y2
	VBROADCASTSS limits<>+8(SB), Y3
	VBROADCASTSS limits<>+12(SB), Y8
	VBROADCASTSS limits<>+16(SB), Y9
	XORL AX, AX
	MOVQ CX, BX
	SHLQ $5, BX
	ADDQ SI, BX

loop:
	SUBQ $wideBounds__size, BX
	VMOVUPS wideBounds_lo(SI), X0
	VMOVUPS wideBounds_hi(SI), X1
	VINSERTF128 $1, wideBounds_lo(BX), Y0, Y0
	VINSERTF128 $1, wideBounds_hi(BX), Y1, Y1
	ADDQ $wideBounds__size, SI
	VMINPS Y0, Y2, Y2
	VMAXPS Y1, Y3, Y3
	VMINPS Y8, Y3, Y4
	VMAXPS Y9, Y2, Y5
	VSUBPS Y5, Y4, Y4
	VSHUFPS $0xC9, Y4, Y4, Y5
	VMULPS Y5, Y4, Y4
	VMOVSHDUP Y4, Y5
	VADDPS Y5, Y4, Y5
	VSHUFPS $0xEA, Y4, Y4, Y4
	VADDPS Y4, Y5, Y4
	VEXTRACTF128 $1, Y4, X5
	VMOVSS X4, 4(R8)(AX*4)
	INCQ AX
	DECQ CX
	VMOVSS X5, (R9)(CX*4)
	JNZ  loop
	VZEROUPPER
	RET

// func partitionAVX2(items *item, n, axis int, from, scale float32, cut int32) int
//
// Each item changes places with the first one of the back; the front then grows if the item is before the cut. No
// branch depends on the items.
TEXT ·partitionAVX2(SB), NOSPLIT, $0-48
	MOVQ items+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ axis+16(FP), R8
	VMOVSS from+24(FP), X8
	VMOVSS scale+28(FP), X9
	MOVL cut+32(FP), R9
	VMOVSS limits<>+0(SB), X10
	MOVQ SI, DI
	XORL AX, AX

loop:
	VMULSS item_lo(SI)(R8*4), X10, X2
	VMULSS item_hi(SI)(R8*4), X10, X3
	VADDSS X3, X2, X2
	VSUBSS X8, X2, X2
	VMULSS X9, X2, X2
	VCVTTSS2SI X2, DX
	VMOVUPS (SI), Y0
	VMOVUPS (DI), Y1
	VMOVUPS Y1, (SI)
	VMOVUPS Y0, (DI)
	XORL BX, BX
	CMPL DX, R9
	SETLT BX
	ADDQ BX, AX
	SHLQ $5, BX
	ADDQ BX, DI
	ADDQ $item__size, SI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	MOVQ AX, ret+40(FP)
	RET

// EXTENT(k, lo, hi) grows the bounds lo and hi by component k of the block at SI. A NaN leaves them unchanged.
#define EXTENT(k, lo, hi) \
	VMOVUPS (16*k)(SI), X6 \
	VMOVUPS (48+16*k)(SI), X7 \
	VMOVUPS (96+16*k)(SI), X8 \
	VMINPS lo, X6, lo \
	VMAXPS hi, X6, hi \
	VMINPS lo, X7, lo \
	VMAXPS hi, X7, hi \
	VMINPS lo, X8, lo \
	VMAXPS hi, X8, hi

// REDUCE(k, lo, hi) grows component k of the box at DI by the lanes of lo and hi.
#define REDUCE(k, lo, hi) \
	VSHUFPS $0x4E, lo, lo, X6 \
	VMINPS X6, lo, lo \
	VMOVSHDUP lo, X6 \
	VMINSS X6, lo, lo \
	VMINSS wideBounds_lo+4*k(DI), lo, lo \
	VMOVSS lo, wideBounds_lo+4*k(DI) \
	VSHUFPS $0x4E, hi, hi, X6 \
	VMAXPS X6, hi, hi \
	VMOVSHDUP hi, X6 \
	VMAXSS X6, hi, hi \
	VMAXSS wideBounds_hi+4*k(DI), hi, hi \
	VMOVSS hi, wideBounds_hi+4*k(DI)

// func growBlocksAVX2(w *wideBounds, blocks *block, n int)
TEXT ·growBlocksAVX2(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), DI
	MOVQ blocks+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS limits<>+4(SB), X0
	VBROADCASTSS limits<>+8(SB), X1
	VMOVAPS X0, X2
	VMOVAPS X1, X3
	VMOVAPS X0, X4
	VMOVAPS X1, X5

loop:
	EXTENT(0, X0, X1)
	EXTENT(1, X2, X3)
	EXTENT(2, X4, X5)
	ADDQ $const_blockSize, SI
	DECQ CX
	JNZ  loop
	REDUCE(0, X0, X1)
	REDUCE(1, X2, X3)
	REDUCE(2, X4, X5)
	RET

// func readAVX2(b *batch, readers *reader)
TEXT ·readAVX2(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), DI
	MOVQ readers+8(FP), SI
	MOVQ batch_count(DI), CX
	XORL AX, AX
	LEAQ batch_addresses(DI), DX

	// The addresses of the vertices.
address:
	MOVL batch_geometry(DI)(AX*4), R8
	IMUL3Q $reader__size, R8, R8
	LEAQ reader_source(SI)(R8*1), R8
	MOVL batch_primitive(DI)(AX*4), R9
	MOVB $1, batch_slow(DI)(AX*1)
	CMPQ R9, meshSource_primitives(R8)
	JAE  nextAddress
	LEAQ (R9)(R9*2), R9
	MOVQ meshSource_indices(R8), R10
	TESTQ R10, R10
	JZ   sequential
	LEAQ (R10)(R9*4), R10
	MOVL 0(R10), R11
	MOVL 4(R10), R12
	MOVL 8(R10), R13

vertices:
	MOVQ meshSource_first(R8), R9
	ADDQ R9, R11
	ADDQ R9, R12
	ADDQ R9, R13
	MOVQ meshSource_limit(R8), R9
	CMPQ R11, R9
	JAE  nextAddress
	CMPQ R12, R9
	JAE  nextAddress
	CMPQ R13, R9
	JAE  nextAddress
	MOVQ meshSource_stride(R8), R9
	IMULQ R9, R11
	IMULQ R9, R12
	IMULQ R9, R13
	MOVQ meshSource_vertices(R8), R9
	ADDQ R9, R11
	ADDQ R9, R12
	ADDQ R9, R13
	PREFETCHT0 (R11)
	PREFETCHT0 (R12)
	PREFETCHT0 (R13)
	MOVQ R11, 0(DX)
	MOVQ R12, 8(DX)
	MOVQ R13, 16(DX)
	MOVB $0, batch_slow(DI)(AX*1)

nextAddress:
	ADDQ $24, DX
	INCQ AX
	CMPQ AX, CX
	JNE  address
	XORL AX, AX
	LEAQ batch_addresses(DI), DX
	LEAQ batch_triangles(DI), BX
	LEAQ batch_lo(DI), R9
	LEAQ batch_hi(DI), R10
	JMP  position

sequential:
	MOVQ R9, R11
	LEAQ 1(R9), R12
	LEAQ 2(R9), R13
	JMP  vertices

	// The positions. Their differences with themselves are NaNs if they are not finite.
position:
	CMPB batch_slow(DI)(AX*1), $0
	JNE  nextPosition
	MOVQ 0(DX), R11
	MOVQ 8(DX), R12
	MOVQ 16(DX), R13
	VMOVUPS (R11), X0
	VMOVUPS (R12), X1
	VMOVUPS (R13), X2
	VMOVUPS X0, 0(BX)
	VMOVUPS X1, 12(BX)
	VMOVSD X2, 24(BX)
	VEXTRACTPS $2, X2, 32(BX)
	VMINPS X1, X0, X3
	VMINPS X2, X3, X3
	VMAXPS X1, X0, X4
	VMAXPS X2, X4, X4
	VMOVUPS X3, (R9)
	VMOVUPS X4, (R10)
	VSUBPS X0, X0, X0
	VSUBPS X1, X1, X1
	VSUBPS X2, X2, X2
	VADDPS X1, X0, X0
	VADDPS X2, X0, X0
	VCMPPS $3, X0, X0, X0
	VMOVMSKPS X0, R11
	TESTL $7, R11
	SETEQ batch_ok(DI)(AX*1)

nextPosition:
	ADDQ $24, DX
	ADDQ $36, BX
	ADDQ $16, R9
	ADDQ $16, R10
	INCQ AX
	CMPQ AX, CX
	JNE  position
	RET

// LANE(i, to) sets to to the address of triangle i, or of the last one. SI is the address of the first one, CX the number of
// the last one.
#define LANE(i, to) \
	MOVQ $i, to \
	CMPQ CX, to \
	CMOVQLT CX, to \
	IMUL3Q $const_triangleSize, to, to \
	ADDQ SI, to

// TRANSPOSE sets X0 to X3 to the columns of the rows X0 to X3.
#define TRANSPOSE \
	VUNPCKLPS X1, X0, X4 \
	VUNPCKHPS X1, X0, X5 \
	VUNPCKLPS X3, X2, X6 \
	VUNPCKHPS X3, X2, X7 \
	VUNPCKLPD X6, X4, X0 \
	VUNPCKHPD X6, X4, X1 \
	VUNPCKLPD X7, X5, X2 \
	VUNPCKHPD X7, X5, X3

// COLUMNS(at) stores four components, from the byte offset at on, of four triangles.
#define COLUMNS(at) \
	VMOVUPS at(SI), X0 \
	VMOVUPS at(R8), X1 \
	VMOVUPS at(R9), X2 \
	VMOVUPS at(R10), X3 \
	TRANSPOSE \
	VMOVUPS X0, (4*at)(DI) \
	VMOVUPS X1, (4*at+16)(DI) \
	VMOVUPS X2, (4*at+32)(DI) \
	VMOVUPS X3, (4*at+48)(DI)

// unused masks the lanes of a block with 1 to 4 triangles that have none.
DATA unused<>+0(SB)/8, $0xFFFFFFFF00000000
DATA unused<>+8(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA unused<>+16(SB)/8, $0
DATA unused<>+24(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA unused<>+32(SB)/8, $0
DATA unused<>+40(SB)/8, $0xFFFFFFFF00000000
DATA unused<>+48(SB)/8, $0
DATA unused<>+56(SB)/8, $0
GLOBL unused<>(SB), RODATA|NOPTR, $64

// func takeAVX2(b *block, x *batch, at, last int, box *wideBounds)
TEXT ·takeAVX2(SB), NOSPLIT, $0-40
	MOVQ b+0(FP), DI
	MOVQ x+8(FP), BX
	MOVQ at+16(FP), AX
	MOVQ last+24(FP), CX
	MOVQ box+32(FP), DX
	IMUL3Q $const_triangleSize, AX, SI
	LEAQ batch_triangles(BX)(SI*1), SI
	LANE(1, R8)
	LANE(2, R9)
	LANE(3, R10)
	COLUMNS(0)
	COLUMNS(16)
	VMOVSS 32(SI), X0
	VINSERTPS $0x10, 32(R8), X0, X0
	VINSERTPS $0x20, 32(R9), X0, X0
	VINSERTPS $0x30, 32(R10), X0, X0
	VMOVUPS X0, 128(DI)

	// The numbers. Those of the lanes without a triangle may be from behind the list.
	LEAQ unused<>(SB), R8
	MOVQ CX, R9
	SHLQ $4, R9
	VMOVDQU (R8)(R9*1), X0
	VPANDN batch_geometry(BX)(AX*4), X0, X1
	VPOR batch_primitive(BX)(AX*4), X0, X2
	VMOVDQU X1, block_geometry(DI)
	VMOVDQU X2, block_primitive(DI)

	// The box.
	VBROADCASTSS limits<>+4(SB), X0
	VBROADCASTSS limits<>+8(SB), X1
	SHLQ $4, AX
	ADDQ AX, BX

box:
	VMOVUPS batch_lo(BX), X2
	VMOVUPS batch_hi(BX), X3
	VMINPS X0, X2, X0
	VMAXPS X1, X3, X1
	ADDQ $16, BX
	DECQ CX
	JGE  box
	VMOVUPS X0, wideBounds_lo(DX)
	VMOVUPS X1, wideBounds_hi(DX)
	RET

// func pointsAVX2(list *point, b *batch, starts *int, centers *wideBounds) int
TEXT ·pointsAVX2(SB), NOSPLIT, $0-40
	MOVQ list+0(FP), DI
	MOVQ b+8(FP), BX
	MOVQ starts+16(FP), R10
	MOVQ centers+24(FP), DX
	MOVQ batch_count(BX), CX
	VBROADCASTSS limits<>+0(SB), X10
	VPCMPEQD X11, X11, X11
	VPSRLDQ $4, X11, X11
	VMOVUPS wideBounds_lo(DX), X6
	VMOVUPS wideBounds_hi(DX), X7
	LEAQ batch_lo(BX), R8
	LEAQ batch_hi(BX), R9
	MOVQ DI, R13
	XORL AX, AX

loop:
	CMPB batch_ok(BX)(AX*1), $0
	JEQ  next
	VMOVUPS (R8), X0
	VMOVUPS (R9), X1
	MIDDLE
	VMINPS X6, X2, X6
	VMAXPS X7, X2, X7
	MOVL batch_geometry(BX)(AX*4), R11
	MOVL (R10)(R11*8), R12
	ADDL batch_primitive(BX)(AX*4), R12
	VPINSRD $3, R12, X2, X2
	VMOVUPS X2, (DI)
	ADDQ $point__size, DI

next:
	ADDQ $16, R8
	ADDQ $16, R9
	INCQ AX
	CMPQ AX, CX
	JNE  loop
	VMOVUPS X6, wideBounds_lo(DX)
	VMOVUPS X7, wideBounds_hi(DX)
	SUBQ R13, DI
	SHRQ $4, DI
	MOVQ DI, ret+32(FP)
	RET

// morton holds the greatest component of a code, the masks of spread3, and the shifts of the components.
DATA morton<>+0(SB)/4, $0x447FC000
DATA morton<>+4(SB)/4, $0x030000FF
DATA morton<>+8(SB)/4, $0x0300F00F
DATA morton<>+12(SB)/4, $0x030C30C3
DATA morton<>+16(SB)/4, $0x09249249
DATA morton<>+20(SB)/8, $0x0000000100000002
DATA morton<>+28(SB)/8, $0
GLOBL morton<>(SB), RODATA|NOPTR, $36

// SPREAD(shift, mask) moves the bits of X0 apart by a step of spread3.
#define SPREAD(shift, mask) \
	VPSLLD $shift, X0, X1 \
	VPOR X1, X0, X0 \
	VPAND mask, X0, X0

// func mortonKeysAVX2(keys *mortonKey, points *point, n int, from, scale *[4]float32)
TEXT ·mortonKeysAVX2(SB), NOSPLIT, $0-40
	MOVQ keys+0(FP), DI
	MOVQ points+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ from+24(FP), R8
	MOVQ scale+32(FP), R9
	VPCMPEQD X11, X11, X11
	VPSRLDQ $4, X11, X11
	VANDPS (R8), X11, X8
	VANDPS (R9), X11, X9
	VXORPS X10, X10, X10
	VBROADCASTSS morton<>+0(SB), X12
	VBROADCASTSS morton<>+4(SB), X3
	VBROADCASTSS morton<>+8(SB), X4
	VBROADCASTSS morton<>+12(SB), X5
	VBROADCASTSS morton<>+16(SB), X6
	VMOVDQU morton<>+20(SB), X7

loop:
	VANDPS (SI), X11, X0
	VSUBPS X8, X0, X0
	VMULPS X9, X0, X0
	VMAXPS X10, X0, X0
	VMINPS X12, X0, X0
	VCVTTPS2DQ X0, X0
	SPREAD(16, X3)
	SPREAD(8, X4)
	SPREAD(4, X5)
	SPREAD(2, X6)
	VPSLLVD X7, X0, X0
	VPSHUFD $0x01, X0, X1
	VPSHUFD $0x02, X0, X2
	VPOR X1, X0, X0
	VPOR X2, X0, X0
	VMOVD X0, AX
	SHLQ $32, AX
	MOVL point_primitive(SI), DX
	ORQ  DX, AX
	MOVQ AX, (DI)
	ADDQ $point__size, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  loop
	RET

// infinite holds the corners of a box that no ray hits.
DATA infinite<>+0(SB)/4, $0x7F800000
DATA infinite<>+4(SB)/4, $0xFF800000
GLOBL infinite<>(SB), RODATA|NOPTR, $8

// COMPONENTS(from, to) stores the corners of four children at the offset from of the frame by component, to the offset to of the node.
#define COMPONENTS(from, to) \
	VMOVUPS (from)(SP), X0 \
	VMOVUPS (from+16)(SP), X1 \
	VMOVUPS (from+32)(SP), X2 \
	VMOVUPS (from+48)(SP), X3 \
	TRANSPOSE \
	VMOVUPS X0, node_bounds+to(DI) \
	VMOVUPS X1, node_bounds+to+64(DI) \
	VMOVUPS X2, node_bounds+to+128(DI)

// func refitNodeAVX2(n *node, children *[width]ref, leaves, nodes, all *wideBounds)
//
// The frame holds the least corners of the children, and then the greatest ones.
TEXT ·refitNodeAVX2(SB), NOSPLIT, $256-40
	MOVQ n+0(FP), DI
	MOVQ children+8(FP), SI
	MOVQ leaves+16(FP), R9
	MOVQ nodes+24(FP), R10
	MOVQ all+32(FP), DX
	VBROADCASTSS limits<>+4(SB), X8
	VBROADCASTSS limits<>+8(SB), X9
	VMOVAPS X8, X10
	VMOVAPS X9, X11
	VBROADCASTSS infinite<>+0(SB), X12
	VBROADCASTSS infinite<>+4(SB), X13
	MOVQ SP, BX
	XORL AX, AX

child:
	MOVL (SI)(AX*4), R8
	MOVL R8, node_child(DI)(AX*4)
	TESTL R8, R8
	JLT  leaf
	SHLQ $5, R8
	VMOVUPS wideBounds_lo(R10)(R8*1), X0
	VMOVUPS wideBounds_hi(R10)(R8*1), X1
	JMP  next

leaf:
	VMOVAPS X12, X0
	VMOVAPS X13, X1
	CMPL R8, $-1
	JEQ  next
	MOVL R8, CX
	SHRL $28, CX
	ANDL $(const_maxLeafBlocks-1), CX
	ANDL $(const_maxBlocks-1), R8
	SHLQ $5, R8
	ADDQ R9, R8
	VMOVAPS X8, X0
	VMOVAPS X9, X1

part:
	VMOVUPS wideBounds_lo(R8), X2
	VMOVUPS wideBounds_hi(R8), X3
	VMINPS X0, X2, X0
	VMAXPS X1, X3, X1
	ADDQ $wideBounds__size, R8
	DECL CX
	JGE  part

next:
	VMOVUPS X0, (BX)(AX*8)
	VMOVUPS X1, 128(BX)(AX*8)
	ADDQ $8, BX
	VMINPS X10, X0, X10
	VMAXPS X11, X1, X11
	INCQ AX
	CMPQ AX, $8
	JNE  child
	VMOVUPS X10, wideBounds_lo(DX)
	VMOVUPS X11, wideBounds_hi(DX)
	COMPONENTS(0, 0)
	COMPONENTS(64, 16)
	COMPONENTS(128, 32)
	COMPONENTS(192, 48)
	RET

// COFACTORS(p1, p2, q1, q2, c): the cross product of two rows of a matrix. p1 and p2 are the first row turned by one and two
// components, q1 and q2 the second one.
#define COFACTORS(p1, p2, q1, q2, c) \
	VMULPD q2, p1, c \
	VMULPD q1, p2, Y12 \
	VSUBPD Y12, c, c

// DIVIDED(c): divides cofactors by the determinant in Y3 and clears the fourth component.
#define DIVIDED(c) \
	VDIVPD   Y3, c, c \
	VBLENDPD $8, Y13, c, c

// SHIFT(row, column): adds the product of a column of the inverse and the translation of a row to Y5.
#define SHIFT(row, column) \
	VPERMPD $0xFF, row, Y4 \
	VMULPD  column, Y4, Y4 \
	VADDPD  Y4, Y5, Y5

// INTERVAL(column, axis): adds the products of a column of the matrix and the bounds of the bottom level, in Y3 and Y4, to the bounds
// Y14 and Y8.
#define INTERVAL(column, axis) \
	VPERMPD $axis, Y3, Y5 \
	VPERMPD $axis, Y4, Y7 \
	VMULPD  column, Y5, Y5 \
	VMULPD  column, Y7, Y7 \
	VMINPD  Y5, Y7, Y11 \
	VMAXPD  Y7, Y5, Y7 \
	VADDPD  Y11, Y14, Y14 \
	VADDPD  Y7, Y8, Y8

// DOWN(from, to): down32 of four components. X4 holds the least finite float.
#define DOWN(from, to) \
	VCVTPD2PSY   from, to \
	VCVTPS2PD    to, Y2 \
	VCMPPD       $1, Y2, from, Y2 \ // the rounded value is greater
	VEXTRACTF128 $1, Y2, X3 \
	VSHUFPS      $0x88, X3, X2, X2 \
	VPSRAD       $31, to, X3 \
	VPADDD       X3, X3, X3 \
	VPXOR        X2, X3, X3 \ // −1 of a positive float, 1 of a negative one
	VPAND        X2, X3, X3 \
	VPADDD       X3, to, to \
	VMAXPS       X4, to, to

// LARGEST(y, x): sets the first component to the largest one; no component is negative.
#define LARGEST(y, x) \
	VEXTRACTF128 $1, y, X3 \
	VMAXPD       X3, x, x \
	VUNPCKHPD    x, x, X3 \
	VMAXSD       X3, x, x

// padding holds topSlack, 1, slack·unit, 2·unit and maxSpread.
DATA padding<>+0(SB)/8, $4.0
DATA padding<>+8(SB)/8, $1.0
DATA padding<>+16(SB)/8, $0x3EB0000000000000
DATA padding<>+24(SB)/8, $0x3E80000000000000
DATA padding<>+32(SB)/8, $64.0
GLOBL padding<>(SB), RODATA|NOPTR, $40

// REACH(x): sets the first component of x to reachOf of the box X0 and X1. X5 is the sign.
#define REACH(x) \
	VPANDN  X0, X5, x \
	VPANDN  X1, X5, X3 \
	VPMAXSD X3, x, x \
	VPSHUFD $1, x, X3 \
	VPSHUFD $2, x, X2 \
	VPMAXSD X3, X2, X3 \
	VPMAXSD X3, x, x

// func placeAVX2(inverse *[4][3]float64, m *[12]float32, bottom *Structure, x *placement) bool
TEXT ·placeAVX2(SB), NOSPLIT, $0-33
	MOVQ inverse+0(FP), DI
	MOVQ m+8(FP), SI
	MOVQ bottom+16(FP), DX
	MOVQ x+24(FP), R8
	MOVB $0, ret+32(FP)
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15 // the mask of an absolute value
	VBROADCASTSS limits<>+4(SB), X14
	VCVTPS2PD X14, Y14
	VXORPD Y13, Y13, Y13

	// An instance has a finite matrix.
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VCVTPS2PD 32(SI), Y2
	VANDPD Y15, Y0, Y3
	VANDPD Y15, Y1, Y4
	VANDPD Y15, Y2, Y5
	VCMPPD $2, Y14, Y3, Y3
	VCMPPD $2, Y14, Y4, Y4
	VCMPPD $2, Y14, Y5, Y5
	VANDPD Y4, Y3, Y3
	VANDPD Y5, Y3, Y3
	VMOVMSKPD Y3, AX
	CMPL AX, $15
	JNE  inactive

	// Y9 to Y11 are the columns of the inverse, and Y6 its translation.
	VPERMPD $0xC9, Y0, Y3
	VPERMPD $0xD2, Y0, Y4
	VPERMPD $0xC9, Y1, Y5
	VPERMPD $0xD2, Y1, Y6
	VPERMPD $0xC9, Y2, Y7
	VPERMPD $0xD2, Y2, Y8
	COFACTORS(Y5, Y6, Y7, Y8, Y9)
	COFACTORS(Y7, Y8, Y3, Y4, Y10)
	COFACTORS(Y3, Y4, Y5, Y6, Y11)
	VMULPD Y9, Y0, Y3
	VUNPCKHPD X3, X3, X4
	VEXTRACTF128 $1, Y3, X5
	VADDSD X4, X3, X3
	VADDSD X5, X3, X3
	VBROADCASTSD X3, Y3 // the determinant
	DIVIDED(Y9)
	DIVIDED(Y10)
	DIVIDED(Y11)
	VXORPD Y5, Y5, Y5
	SHIFT(Y0, Y9)
	SHIFT(Y1, Y10)
	SHIFT(Y2, Y11)
	VPCMPEQD Y12, Y12, Y12
	VPSLLQ $63, Y12, Y12 // the sign
	VXORPD Y12, Y5, Y6
	VBLENDPD $8, Y13, Y6, Y6
	VMOVUPD Y9, (DI) // the next column replaces the fourth component
	VMOVUPD Y10, 24(DI)
	VMOVUPD Y11, 48(DI)
	VMOVUPD X6, 72(DI)
	VEXTRACTF128 $1, Y6, X3
	VMOVSD X3, 88(DI)
	VANDPD Y15, Y9, Y9
	VANDPD Y15, Y10, Y10
	VANDPD Y15, Y11, Y11
	VANDPD Y15, Y6, Y6
	VCMPPD $2, Y14, Y9, Y3
	VCMPPD $2, Y14, Y10, Y4
	VCMPPD $2, Y14, Y11, Y5
	VCMPPD $2, Y14, Y6, Y7
	VANDPD Y4, Y3, Y3
	VANDPD Y7, Y5, Y5
	VANDPD Y5, Y3, Y3
	VMOVMSKPD Y3, AX
	CMPL AX, $15
	JNE  inactive
	VADDPD Y10, Y9, Y9
	VADDPD Y11, Y9, Y9 // sums of rows

	// Y0, Y1, Y2 and Y8 become the columns of the matrix.
	VUNPCKLPD Y1, Y0, Y3
	VUNPCKHPD Y1, Y0, Y4
	VUNPCKLPD Y13, Y2, Y5
	VUNPCKHPD Y13, Y2, Y7
	VPERM2F128 $0x20, Y5, Y3, Y0
	VPERM2F128 $0x31, Y5, Y3, Y2
	VPERM2F128 $0x20, Y7, Y4, Y1
	VPERM2F128 $0x31, Y7, Y4, Y8
	VANDPD Y15, Y0, Y10
	VANDPD Y15, Y1, Y3
	VANDPD Y15, Y2, Y4
	VADDPD Y3, Y10, Y10
	VADDPD Y4, Y10, Y10 // sums of rows

	VCVTPS2PD Structure_lo(DX), Y3 // the fourth components have no meaning
	VCVTPS2PD Structure_hi(DX), Y4
	VMOVAPD Y8, Y14
	INTERVAL(Y0, 0x00)
	INTERVAL(Y1, 0x55)
	INTERVAL(Y2, 0xAA)
	VXORPD Y12, Y8, Y8
	VBROADCASTSS limits<>+8(SB), X4
	DOWN(Y14, X0)
	DOWN(Y8, X1)
	VPSLLD $31, X15, X5 // the sign
	VXORPS X5, X1, X1
	LARGEST(Y6, X6)
	LARGEST(Y9, X9)
	LARGEST(Y10, X10)
	VCVTSS2SD Structure_reach(DX), X6, X7
	VADDSD X7, X6, X6
	VMULSD X10, X6, X6 // the offset
	VMULSD X10, X9, X9 // the scale
	VMOVSD X9, placement_scale(R8)
	VMOVSD X6, placement_offset(R8)
	MOVB $1, ret+32(FP)

	// placement.pad
	REACH(X7)
	VCVTSS2SD X7, X7, X7
	MOVB $0, placement_bounded(R8)
	VMOVSD padding<>+32(SB), X2
	VMULSD X2, X7, X8
	VUCOMISD X9, X2
	JCS  unbounded // less, or a NaN
	VUCOMISD X6, X8
	JCS  unbounded
	MOVB $1, placement_bounded(R8)
	VMULSD padding<>+0(SB), X9, X9
	VMAXSD padding<>+8(SB), X9, X9
	VMULSD X7, X9, X9
	VMULSD padding<>+0(SB), X6, X6
	VADDSD X6, X9, X9
	VMULSD padding<>+16(SB), X9, X9
	VMULSD padding<>+24(SB), X7, X7
	VADDSD X7, X9, X9
	VCVTSD2SS X9, X9, X9
	VBROADCASTSS X9, X9
	VSUBPS X9, X0, X0
	VADDPS X9, X1, X1
	VMAXPS X4, X0, X0
	VXORPS X5, X4, X4
	VMINPS X4, X1, X1
	REACH(X7)
	VMOVSS X7, placement_reach(R8)

unbounded:
	VMOVUPS X0, placement_lo(R8)
	VMOVUPS X1, placement_hi(R8)

inactive:
	VZEROUPPER
	RET
