#include "go_asm.h"
#include "textflag.h"

// Four lanes.
#define V0 X0
#define V1 X1
#define V2 X2
#define V3 X3
#define V4 X4
#define V5 X5
#define V6 X6
#define V7 X7
#define V8 X8
#define V9 X9
#define V10 X10
#define V11 X11
#define V12 X12
#define V13 X13
#define V14 X14
#define V15 X15

#include "triangle_amd64.h"

// The registers:
//
//	DI                the session
//	R10, R11          the top of the stack and its base
//	R12 R13 R15       byte offsets of the near bounds x, y, z in a node
//	R8 R9             byte offsets of the far bounds x, y
//	Y0 to Y5          scale and offset of the near bounds x, y, z
//	Y6 to Y11         scale and offset of the far bounds x, y, z
//	DX                the current reference; in a leaf the index of the block
//	BX                the address of the node or of the block
//
// A leaf uses all registers but DI, R10 and R11; CONSTANTS loads them again.

#define CONSTANTS \
	MOVQ session_level(DI), AX \
	MOVQ level_near+0(AX), R12 \
	MOVQ level_near+8(AX), R13 \
	MOVQ level_near+16(AX), R15 \
	MOVQ level_far+0(AX), R8 \
	MOVQ level_far+8(AX), R9 \
	VBROADCASTSS level_nearScale+0(AX), Y0 \
	VBROADCASTSS level_nearOffset+0(AX), Y1 \
	VBROADCASTSS level_nearScale+4(AX), Y2 \
	VBROADCASTSS level_nearOffset+4(AX), Y3 \
	VBROADCASTSS level_nearScale+8(AX), Y4 \
	VBROADCASTSS level_nearOffset+8(AX), Y5 \
	VBROADCASTSS level_farScale+0(AX), Y6 \
	VBROADCASTSS level_farOffset+0(AX), Y7 \
	VBROADCASTSS level_farScale+4(AX), Y8 \
	VBROADCASTSS level_farOffset+4(AX), Y9 \
	VBROADCASTSS level_farScale+8(AX), Y10 \
	VBROADCASTSS level_farOffset+8(AX), Y11

// SLAB(k, near, far): the interval of the four triangles of a block along component k. The least product of the
// three vertices is the product of the near bound, because the fused operation is monotonic.
#define SLAB(k, near, far) \
	VBROADCASTSS level_nearScale+4*k(R15), X6 \
	VBROADCASTSS level_nearOffset+4*k(R15), X7 \
	VMOVUPS (16*k)(BX), X8 \
	VMOVUPS (48+16*k)(BX), X9 \
	VMOVUPS (96+16*k)(BX), X10 \
	VMOVAPS X8, X2 \
	VMOVAPS X9, X3 \
	VMOVAPS X10, X4 \
	VFMADD213PS X7, X6, X2 \
	VFMADD213PS X7, X6, X3 \
	VFMADD213PS X7, X6, X4 \
	VMINPS X3, X2, X2 \
	VMINPS X4, X2, near \
	VBROADCASTSS level_farScale+4*k(R15), X6 \
	VBROADCASTSS level_farOffset+4*k(R15), X7 \
	VFMADD213PS X7, X6, X8 \
	VFMADD213PS X7, X6, X9 \
	VFMADD213PS X7, X6, X10 \
	VMAXPS X9, X8, X8 \
	VMAXPS X10, X8, far

// BLEND(i) sets vector i of the positions of session.now to blend (motion.go) of those of the blocks at BX and AX.
#define BLEND(i) \
	VCVTPS2PD (16*i)(BX), Y0 \
	VCVTPS2PD (16*i)(AX), Y1 \
	VMULPD Y15, Y0, Y0 \
	VMULPD Y14, Y1, Y1 \
	VADDPD Y1, Y0, Y0 \
	VCVTPD2PSY Y0, X0 \
	VMOVUPS X0, (session_now+16*i)(DI)

// FETCH(child) asks for the memory of a child that the traversal visits later: the processor loads it during the
// visits before. The memory is a node, or an element of the list of what leaves refer to. It changes CX, R14 and the flags.
#define FETCH(child) \
	MOVL child, R14 \
	IMUL3Q $const_nodeSize, R14, CX \
	ADDQ session_nodes(DI), CX \
	ANDL $0xFFFFFFF, R14 \
	IMULQ session_leafSize(DI), R14 \
	ADDQ session_leafList(DI), R14 \
	TESTL child, child \
	CMOVQMI R14, CX \
	PREFETCHT0 (CX) \
	PREFETCHT0 64(CX) \
	PREFETCHT0 128(CX) \
	PREFETCHT0 192(CX)

// numbers holds 1, 1/extreme, slack·unit, 1−slack·unit, 1+slack·unit, extreme, 8 and 16, which are classes of packets, leastOrigin and
// farthest.
DATA ·numbers+0(SB)/4, $0x3F800000
DATA ·numbers+4(SB)/4, $const_leastDirectionBits
DATA ·numbers+8(SB)/4, $0x35800000
DATA ·numbers+12(SB)/4, $0x3F7FFFF0
DATA ·numbers+16(SB)/4, $0x3F800008
DATA ·numbers+20(SB)/4, $const_mostDirectionBits
DATA ·numbers+24(SB)/4, $8
DATA ·numbers+28(SB)/4, $16
DATA ·numbers+32(SB)/4, $const_leastOriginBits
DATA ·numbers+36(SB)/4, $const_farthestBits
GLOBL ·numbers(SB), RODATA|NOPTR, $40

// AXES sets the axes of the level at DI, which are AX and those after it, its origin and its shears. BX has the signs of the
// direction.
#define AXES \
	BTL  AX, BX \
	SBBL CX, CX \
	ANDL $3, CX \
	ADDL AX, CX \
	LEAQ ·permutations(SB), DX \
	SHLQ $5, CX \
	ADDQ CX, DX \
	MOVQ 0(DX), R10 \
	MOVQ 8(DX), R11 \
	MOVQ 16(DX), R12 \
	MOVQ R10, level_axis+0(DI) \
	MOVQ R11, level_axis+8(DI) \
	MOVQ R12, level_axis+16(DI) \
	SHRQ $2, R10 \
	SHRQ $2, R11 \
	SHRQ $2, R12 \
	MOVL level_entered(DI)(R10*1), R13 \
	MOVL R13, level_origin+0(DI) \
	MOVL level_entered(DI)(R11*1), R13 \
	MOVL R13, level_origin+4(DI) \
	MOVL level_entered(DI)(R12*1), R13 \
	MOVL R13, level_origin+8(DI) \
	VMOVSS level_entered+16(DI)(R12*1), X8 \
	VMOVSS level_entered+16(DI)(R10*1), X9 \
	VDIVSS X8, X9, X9 \
	VMOVSS X9, level_shear+0(DI) \
	VMOVSS level_entered+16(DI)(R11*1), X9 \
	VDIVSS X8, X9, X9 \
	VMOVSS X9, level_shear+4(DI) \
	VMOVSS ·numbers+0(SB), X9 \
	VDIVSS X8, X9, X9 \
	VMOVSS X9, level_shear+8(DI) \
	SHRQ $2, R10 \
	SHRQ $2, R11 \
	SHRQ $2, R12 \
	MOVQ R10, level_component+0(DI) \
	MOVQ R11, level_component+8(DI) \
	MOVQ R12, level_component+16(DI)

// PLANES sets the planes of the level at DI by the signs of the direction in BX: a negative component enters through the greatest
// bound.
#define PLANES \
	XORL R8, R8 \
	BTL  $0, BX \
	SBBQ R8, R8 \
	ANDQ $32, R8 \
	MOVQ R8, level_near+0(DI) \
	XORQ $32, R8 \
	MOVQ R8, level_far+0(DI) \
	BTL  $1, BX \
	SBBQ R8, R8 \
	ANDQ $32, R8 \
	ADDQ $64, R8 \
	MOVQ R8, level_near+8(DI) \
	XORQ $32, R8 \
	MOVQ R8, level_far+8(DI) \
	BTL  $2, BX \
	SBBQ R8, R8 \
	ANDQ $32, R8 \
	ADDQ $128, R8 \
	MOVQ R8, level_near+16(DI) \
	XORQ $32, R8 \
	MOVQ R8, level_far+16(DI)

// RAY(k) copies component k of the ray at SI in a packet's session to the level at DI.
#define RAY(k) \
	MOVL packetSession_origin+64*k(SI), AX \
	MOVL packetSession_direction+64*k(SI), CX \
	MOVL AX, level_entered+4*k(DI) \
	MOVL CX, level_entered+16+4*k(DI) \
	MOVL packetSession_nearScale+64*k(SI), AX \
	MOVL packetSession_nearOffset+64*k(SI), CX \
	MOVL AX, level_nearScale+4*k(DI) \
	MOVL CX, level_nearOffset+4*k(DI) \
	MOVL packetSession_farScale+64*k(SI), AX \
	MOVL packetSession_farOffset+64*k(SI), CX \
	MOVL AX, level_farScale+4*k(DI) \
	MOVL CX, level_farOffset+4*k(DI)

// func enterAVX2(l *level, p *placed, origin, direction *vec, reach, spread float32) int
TEXT ·enterAVX2(SB), NOSPLIT, $0-48
	MOVQ l+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ origin+16(FP), R8
	MOVQ direction+24(FP), R9
	TESTQ SI, SI
	JZ   world

	// The ray in object space, in 64 bits. The fourth components are elements of other columns.
	VMOVUPD placed_inverse+0(SI), Y4
	VMOVUPD placed_inverse+24(SI), Y5
	VMOVUPD placed_inverse+48(SI), Y6
	VPERMPD $0xF9, placed_inverse+64(SI), Y10 // the last column
	VCVTSS2SD 0(R8), X7, X7
	VCVTSS2SD 4(R8), X8, X8
	VCVTSS2SD 8(R8), X9, X9
	VBROADCASTSD X7, Y7
	VBROADCASTSD X8, Y8
	VBROADCASTSD X9, Y9
	VMULPD Y4, Y7, Y7
	VMULPD Y5, Y8, Y8
	VMULPD Y6, Y9, Y9
	VADDPD Y8, Y7, Y7
	VADDPD Y9, Y7, Y7
	VADDPD Y10, Y7, Y7
	VCVTPD2PSY Y7, X0
	VINSERTPS $8, X0, X0, X0 // clears the fourth component
	VCVTSS2SD 0(R9), X7, X7
	VCVTSS2SD 4(R9), X8, X8
	VCVTSS2SD 8(R9), X9, X9
	VBROADCASTSD X7, Y7
	VBROADCASTSD X8, Y8
	VBROADCASTSD X9, Y9
	VMULPD Y4, Y7, Y7
	VMULPD Y5, Y8, Y8
	VMULPD Y6, Y9, Y9
	VADDPD Y8, Y7, Y7
	VADDPD Y9, Y7, Y7
	VCVTPD2PSY Y7, X1
	VINSERTPS $8, X1, X1, X1
	JMP  setup

world:
	VMOVSD 0(R8), X0
	VINSERTPS $0x20, 8(R8), X0, X0
	VMOVSD 0(R9), X1
	VINSERTPS $0x20, 8(R9), X1, X1

setup:
	// X0 is the origin, X1 the direction, with 0 in the fourth lane.
	VMOVUPS X0, level_entered(DI)
	VMOVUPS X1, level_entered+16(DI)
	VSUBPS X0, X0, X4
	VSUBPS X1, X1, X5
	VADDPS X5, X4, X4
	VCMPPS $3, X4, X4, X4    // components that are not finite
	VMOVMSKPS X4, CX
	XORL  AX, AX
	TESTL CX, CX
	JNZ   extreme
	VPCMPEQD X15, X15, X15
	VPSRLD $1, X15, X14      // the mask of absolute values
	VPSLLD $31, X15, X15     // the mask of signs
	VANDPS X14, X0, X2
	VANDPS X14, X1, X3       // |direction|
	VSHUFPS $0xC9, X3, X3, X4 // y z x 0
	VSHUFPS $0xD2, X3, X3, X5 // z x y 0
	VMAXPS X4, X3, X6
	VMAXPS X5, X6, X6        // the largest in lanes 0 to 2
	VSHUFPS $0xC9, X2, X2, X4
	VSHUFPS $0xD2, X2, X2, X5
	VMAXPS X4, X2, X7
	VMAXPS X5, X7, X7
	VMAXSS ·numbers+32(SB), X7, X13 // of the origin
	VMOVD X6, CX
	CMPL CX, $const_leastDirectionBits
	JLT  extreme
	CMPL CX, $const_mostDirectionBits
	JGT  extreme
	VMOVD X7, CX
	CMPL CX, $const_mostDirectionBits
	JGT  extreme
	VMOVSS ·numbers+36(SB), X8 // farthest
	VUCOMISS reach+32(FP), X8
	JCS  extreme             // also a NaN

	// The longest component: the first one that equals the largest.
	VCMPPS $0, X6, X3, X4
	VMOVMSKPS X4, AX
	TZCNTL AX, AX
	VMOVMSKPS X1, BX
	ANDL $7, BX
	AXES
	PLANES

	// The slabs.
	VBROADCASTSS ·numbers+4(SB), X8 // 1/extreme
	VMULPS X8, X6, X8        // the least magnitude
	VMAXPS X8, X3, X3
	VANDPS X15, X1, X9       // signs
	VORPS  X9, X3, X3        // the direction without small components
	VMOVSS spread+36(FP), X10
	VMULSS ·numbers+8(SB), X10, X10
	VMULSS X13, X10, X10
	VBROADCASTSS X10, X10
	VORPS  X9, X10, X10      // the growth, with the sign of the direction
	VBROADCASTSS ·numbers+0(SB), X11
	VDIVPS X3, X11, X11      // scale
	VBROADCASTSS ·numbers+12(SB), X12
	VMULPS X12, X11, X12     // near scale
	VBROADCASTSS ·numbers+16(SB), X13
	VMULPS X13, X11, X13     // far scale
	VADDPS X10, X0, X2
	VSUBPS X10, X0, X4
	VMULPS X12, X2, X2
	VMULPS X13, X4, X4
	VXORPS X15, X2, X2
	VXORPS X15, X4, X4
	VMOVUPS X12, level_nearScale(DI)
	VMOVUPS X2, level_nearOffset(DI)
	VMOVUPS X13, level_farScale(DI)
	VMOVUPS X4, level_farOffset(DI)
	MOVB $0, level_wide(DI)
	MOVL $1, AX

extreme:
	VZEROUPPER
	MOVQ AX, ret+40(FP)
	RET

// func levelAVX2(l *level, s *packetSession, lane int)
TEXT ·levelAVX2(SB), NOSPLIT, $0-24
	MOVQ l+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ lane+16(FP), CX
	LEAQ (SI)(CX*4), SI
	RAY(0)
	RAY(1)
	RAY(2)
	MOVL packetSession_class(SI), AX
	MOVL AX, BX
	SHRL $3, AX
	ANDL $7, BX
	AXES
	PLANES
	MOVB $0, level_wide(DI)
	RET

// permutations holds the byte offsets of u, v, w in a vertex of a block by the longest component, for positive and
// for negative ones.
DATA ·permutations+0(SB)/8, $16
DATA ·permutations+8(SB)/8, $32
DATA ·permutations+16(SB)/8, $0
DATA ·permutations+32(SB)/8, $32
DATA ·permutations+40(SB)/8, $0
DATA ·permutations+48(SB)/8, $16
DATA ·permutations+64(SB)/8, $0
DATA ·permutations+72(SB)/8, $16
DATA ·permutations+80(SB)/8, $32
DATA ·permutations+96(SB)/8, $32
DATA ·permutations+104(SB)/8, $16
DATA ·permutations+112(SB)/8, $0
DATA ·permutations+128(SB)/8, $0
DATA ·permutations+136(SB)/8, $32
DATA ·permutations+144(SB)/8, $16
DATA ·permutations+160(SB)/8, $16
DATA ·permutations+168(SB)/8, $0
DATA ·permutations+176(SB)/8, $32
GLOBL ·permutations(SB), RODATA|NOPTR, $192

// func walkAVX2(s *session) int
TEXT ·walkAVX2(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), DI
	MOVQ session_sp(DI), R10
	MOVQ session_base(DI), R11
	VBROADCASTSS session_low(DI), Y0
	VBROADCASTSS session_high(DI), Y1
	VMOVUPS Y0, session_low(DI)
	VMOVUPS Y1, session_high(DI)
	CONSTANTS
	MOVL session_current(DI), DX
	CMPL DX, $-1
	JNE  dispatch

pop:
	CMPQ R10, R11
	JEQ  done
	SUBQ $8, R10
	MOVQ (R10), DX
	MOVQ DX, AX
	SHRQ $32, AX
	CMPL AX, session_high(DI)
	JA   pop
	MOVL DX, DX

dispatch:
	TESTL DX, DX
	JS    leaf
	IMUL3Q $const_nodeSize, DX, BX
	ADDQ  session_nodes(DI), BX
	MOVQ  session_level(DI), AX
	MOVQ  level_far+16(AX), AX
	VMOVUPS (BX)(R12*1), Y12
	VFMADD213PS Y1, Y0, Y12
	VMOVUPS (BX)(R8*1), Y14
	VFMADD213PS Y7, Y6, Y14
	VMOVUPS (BX)(R13*1), Y13
	VFMADD213PS Y3, Y2, Y13
	VMAXPS Y13, Y12, Y12
	VMOVUPS (BX)(R9*1), Y15
	VFMADD213PS Y9, Y8, Y15
	VMINPS Y15, Y14, Y14
	VMOVUPS (BX)(R15*1), Y13
	VFMADD213PS Y5, Y4, Y13
	VMAXPS Y13, Y12, Y12
	VMOVUPS (BX)(AX*1), Y15
	VFMADD213PS Y11, Y10, Y15
	VMINPS Y15, Y14, Y14
	VMAXPS session_low(DI), Y12, Y12
	VMINPS session_high(DI), Y14, Y14
	VCMPPS $0x12, Y14, Y12, Y13 // near <= far
	VMOVMSKPS Y13, AX
	TESTL AX, AX
	JZ    pop
	TZCNTL AX, CX
	MOVL  node_child(BX)(CX*4), DX
	BLSRL AX, AX
	JZ    dispatch

	// Two or more children: sort them on the stack, the closest last. Most nodes have one or two.
	VMOVUPS Y12, session_near(DI)
	MOVL   session_near(DI)(CX*4), CX
	SHLQ   $32, CX
	ORQ    CX, DX
	TZCNTL AX, CX
	MOVL   node_child(BX)(CX*4), SI
	MOVL   session_near(DI)(CX*4), CX
	SHLQ   $32, CX
	ORQ    CX, SI
	MOVQ   DX, R14
	CMPQ   SI, DX
	CMOVQCS SI, DX // the closer one
	CMOVQCS R14, SI
	MOVQ   SI, (R10)
	FETCH(SI)
	BLSRL  AX, AX
	JNZ    more
	ADDQ   $8, R10
	MOVL   DX, DX
	JMP    dispatch

more:
	MOVQ  R10, SI
	MOVQ  DX, 8(R10)
	ADDQ  $16, R10

next:
	TZCNTL AX, CX
	BLSRL AX, AX
	MOVL  node_child(BX)(CX*4), DX
	MOVL  session_near(DI)(CX*4), CX
	SHLQ  $32, CX
	ORQ   CX, DX
	MOVQ  R10, R14

shift:
	MOVQ  -8(R14), CX
	CMPQ  CX, DX
	JAE   insert
	MOVQ  CX, (R14)
	SUBQ  $8, R14
	CMPQ  R14, SI
	JNE   shift

insert:
	MOVQ  DX, (R14)
	ADDQ  $8, R10
	TESTL AX, AX
	JNZ   next
	SUBQ  $8, R10
	MOVL  (R10), DX
	JMP   dispatch

leaf:
	CMPL session_leaves(DI), $0
	JNE  leave
	BLOCKS
	MOVQ session_level(DI), R15
	MOVQ level_axis+0(R15), R8
	MOVQ level_axis+8(R15), R9
	MOVQ level_axis+16(R15), R12

block:
	IMUL3Q $const_blockSize, DX, BX
	MOVQ  session_moved(DI), AX
	TESTQ AX, AX
	JNZ   moving
	ADDQ  session_blocks(DI), BX

positions:
	VBROADCASTSS level_origin+8(R15), X9
	VBROADCASTSS level_shear+0(R15), X10
	VBROADCASTSS level_shear+4(R15), X11
	VBROADCASTSS level_origin+0(R15), X12
	VBROADCASTSS level_origin+4(R15), X13
	VMOVUPS (BX)(R12*1), X6
	VMOVUPS 48(BX)(R12*1), X7
	VMOVUPS 96(BX)(R12*1), X8
	VSUBPS X9, X6, X6
	VSUBPS X9, X7, X7
	VSUBPS X9, X8, X8
	VMOVUPS (BX)(R8*1), X0
	VMOVUPS 48(BX)(R8*1), X1
	VMOVUPS 96(BX)(R8*1), X2
	VMOVUPS (BX)(R9*1), X3
	VMOVUPS 48(BX)(R9*1), X4
	VMOVUPS 96(BX)(R9*1), X5
	VSUBPS X12, X0, X0
	VSUBPS X12, X1, X1
	VSUBPS X12, X2, X2
	VSUBPS X13, X3, X3
	VSUBPS X13, X4, X4
	VSUBPS X13, X5, X5
	EDGES
	VMOVMSKPS X14, AX
	XORL  $15, AX
	JNZ   candidates

nextBlock:
	SUBL $1, CX
	JS   reload
	INCL DX
	JMP  block

reload:
	CONSTANTS
	JMP pop

moving:
	ADDQ  BX, AX
	ADDQ  session_blocks(DI), BX
	VBROADCASTSD session_toMoved(DI), Y14
	VBROADCASTSD session_toStill(DI), Y15
	BLEND(0)
	BLEND(1)
	BLEND(2)
	BLEND(3)
	BLEND(4)
	BLEND(5)
	BLEND(6)
	BLEND(7)
	BLEND(8)
	VMOVDQU block_primitive(BX), X0
	VMOVDQU X0, session_now+block_primitive(DI)
	LEAQ  session_now(DI), BX
	JMP   positions

candidates:
	VPCMPEQD X14, X14, X14
	VPCMPEQD block_primitive(BX), X14, X14
	VMOVMSKPS X14, SI
	NOTL SI
	ANDL SI, AX // lanes with a triangle
	JZ   nextBlock
	VBROADCASTSS level_shear+8(R15), X4
	DISTANCE
	VMOVMSKPS X2, SI
	NOTL SI
	TESTL AX, SI
	JNZ  slow
	VMOVUPS X5, session_edges+0(DI)
	VMOVUPS X10, session_edges+16(DI)
	VMOVUPS X11, session_edges+32(DI)
	COMPARE(session_low(DI), session_high(DI))
	VMOVMSKPS X8, SI
	VMOVMSKPS X2, R14
	VMOVMSKPS X5, R13
	MOVL R13, BX
	NOTL BX
	ANDL session_culledNegative(DI), R13
	ANDL session_culledPositive(DI), BX
	ORL  R13, BX
	NOTL BX
	ANDL BX, AX // lanes that are not culled
	TESTL AX, R14
	JNZ  slow // a tie, a distance at the last candidate, or one outside of the box
	ANDL AX, SI
	JZ   nextBlock
	CMPL session_always(DI), $0
	JNE  slow

	// The closest lane. Distances are positive, so that their bits compare as they do.
	VMOVUPS X1, session_near(DI)
	MOVL $0x7FFFFFFF, R14

lane:
	TZCNTL SI, BX
	BLSRL SI, SI
	MOVL session_near(DI)(BX*4), AX
	CMPL AX, R14
	JA   farther
	JEQ  slow
	MOVL AX, R14
	MOVL BX, R13

farther:
	TESTL SI, SI
	JNZ  lane
	VMOVD R14, X2
	VPBROADCASTD X2, Y2
	VMOVUPS Y2, session_high(DI)
	LEAL (R13)(DX*4), AX
	MOVL AX, session_place(DI)
	MOVL session_edges+0(DI)(R13*4), AX
	MOVL AX, session_sum(DI)
	MOVL session_edges+16(DI)(R13*4), AX
	MOVL AX, session_second(DI)
	MOVL session_edges+32(DI)(R13*4), AX
	MOVL AX, session_third(DI)
	JMP  nextBlock

slow:
	MOVL DX, session_block(DI)
	MOVL $-1, AX
	SUBL $1, CX
	JS   leaveBlock
	SHLL $28, CX
	LEAL 1(DX), AX
	ORL  CX, AX
	ORL  $0x80000000, AX

leaveBlock:
	MOVL AX, session_current(DI)
	MOVQ R10, session_sp(DI)
	VZEROUPPER
	MOVQ $const_walkBlock, ret+8(FP)
	RET

leave:
	MOVL DX, session_current(DI)
	MOVQ R10, session_sp(DI)
	VZEROUPPER
	MOVQ $const_walkLeaf, ret+8(FP)
	RET

done:
	MOVQ R10, session_sp(DI)
	VZEROUPPER
	MOVQ $const_walkEnd, ret+8(FP)
	RET
