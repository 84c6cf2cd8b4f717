#include "go_asm.h"
#include "textflag.h"

// Sixteen lanes.
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define V15 Z15

#include "triangle_amd64.h"
#include "packet_amd64.h"

// SLABS(row, r0, r1, r2) loads the three components of a row.
#define SLABS(row, r0, r1, r2) \
	VMOVUPS row(DI), r0 \
	VMOVUPS row+64(DI), r1 \
	VMOVUPS row+128(DI), r2

// CROSS(bound, scale, offset, r) sets r to the distances at which the rays cross a bound of the child at SI.
#define CROSS(bound, scale, offset, r) \
	VMOVAPS scale, r \
	VFMADD132PS.BCST bound, offset, r

// RELATIVE(axis, r0, r1, r2) sets three registers to the component at the byte offset axis of the vertices of the triangle at SI,
// relative to the origins.
#define RELATIVE(axis, r0, r1, r2) \
	VMOVUPS packetSession_origin(DI)(axis*4), Z15 \
	VBROADCASTSS (SI)(axis*1), r0 \
	VBROADCASTSS 48(SI)(axis*1), r1 \
	VBROADCASTSS 96(SI)(axis*1), r2 \
	VSUBPS Z15, r0, r0 \
	VSUBPS Z15, r1, r1 \
	VSUBPS Z15, r2, r2

// The registers are those of packet_amd64.s, and:
//
//	Z16 to Z27        near scales x, y, z, near offsets, far scales, far offsets of the rays
//	Z28 Z29           low and high
//	R15               in a leaf: the session
//	R11 R13           in a leaf: rays that may hit the triangle, rays that are left to Go

// func walkPacketAVX512(s *packetSession) int
TEXT ·walkPacketAVX512(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), DI
	SLABS(packetSession_nearScale, Z16, Z17, Z18)
	SLABS(packetSession_nearOffset, Z19, Z20, Z21)
	SLABS(packetSession_farScale, Z22, Z23, Z24)
	SLABS(packetSession_farOffset, Z25, Z26, Z27)
	VMOVUPS packetSession_low(DI), Z28
	VMOVUPS packetSession_high(DI), Z29
	CMPL packetSession_resume(DI), $0
	JNE  resume
	VISIT
	CROSS((SI)(R12*1), Z16, Z19, Z1)
	CROSS((SI)(R8*1), Z22, Z25, Z2)
	CROSS((SI)(R13*1), Z17, Z20, Z3)
	VMAXPS Z3, Z1, Z1
	CROSS((SI)(R9*1), Z23, Z26, Z3)
	VMINPS Z3, Z2, Z2
	CROSS((SI)(R15*1), Z18, Z21, Z3)
	VMAXPS Z3, Z1, Z1
	CROSS((SI)(R11*1), Z24, Z27, Z3)
	VMINPS Z3, Z2, Z2
	VMAXPS Z28, Z1, Z1
	VMINPS Z29, Z2, Z2
	VCMPPS $0x12, Z2, Z1, K1 // near <= far
	KMOVW K1, SI
	ANDL  packetSession_lanes(DI), SI // the rays that reach the child
	JZ    nextChild
	PUSH
	MOVQ DI, R15

triangle:
	TZCNTL CX, AX
	BLSRL CX, CX
	PLACE
	RELATIVE(R12, Z6, Z7, Z8)
	RELATIVE(R8, Z0, Z1, Z2)
	RELATIVE(R9, Z3, Z4, Z5)
	VMOVUPS packetSession_shear+0(DI), Z10
	VMOVUPS packetSession_shear+64(DI), Z11
	FUNCTIONS
	VPXORD Z0, Z0, Z0
	VCMPPS $0x11, Z0, Z12, K1 // least < 0
	VCMPPS $0x11, Z13, Z0, K2 // 0 < greatest
	KANDW K1, K2, K3
	KNOTW K3, K3
	KMOVW K3, R11
	ANDL R14, R11
	JNZ  candidates

nextTriangle:
	TESTL CX, CX
	JNZ  triangle
	MOVQ packetSession_sp(DI), R10
	CMPL packetSession_changed(DI), $0
	JEQ  reload
	MOVL $0, packetSession_changed(DI)
	VMOVUPS packetSession_high(DI), Z29
	VPANDD packetSession_members(DI), Z29, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VSHUFPS $0x4E, X0, X0, X1
	VMAXPS X1, X0, X0
	VMOVSHDUP X0, X1
	VMAXSS X1, X0, X0
	VMOVSS X0, packetSession_most(DI)

reload:
	INTERVAL
	JMP pop

candidates:
	VCMPPS $0x11, Z12, Z0, K1 // 0 < least
	VCMPPS $0x11, Z0, Z13, K2 // greatest < 0
	KORW K1, K2, K1
	VMOVUPS packetSession_shear+128(DI), Z4
	QUOTIENT
	VCMPPS $0, Z0, Z2, K2
	KANDW K1, K2, K3
	KMOVW K3, BX             // exact enough
	MOVL BX, R13
	NOTL R13
	ANDL R11, R13            // rays that are left to Go
	ANDL BX, R11
	JZ   decide
	VCMPPS $0x11, Z0, Z5, K1 // a negative sum
	KMOVW K1, BX
	MOVL BX, R10
	NOTL R10
	ANDL packetSession_culledNegative(DI), BX
	ANDL packetSession_culledPositive(DI), R10
	ORL  BX, R10
	NOTL R10
	ANDL R10, R11            // rays with a triangle that is not culled
	MEET
	VCMPPS $0x11, Z12, Z1, K1 // t < near
	VCMPPS $0x11, Z1, Z13, K2 // far < t
	KORW  K1, K2, K1
	VCMPPS $0, Z1, Z28, K2 // low = t
	VCMPPS $0, Z29, Z1, K3 // t = high
	KORW  K2, K3, K2
	KORW  K1, K2, K2
	KMOVW K2, BX
	ANDL R11, BX             // a tie, a distance at the first one, or one outside of the box
	ORL  BX, R13
	VCMPPS $0x11, Z1, Z28, K2 // low < t
	VCMPPS $0x11, Z29, Z1, K3 // t < high
	KANDW K2, K3, K2
	KANDNW K2, K1, K2
	KMOVW K2, BX
	ANDL BX, R11
	JZ   decide
	KMOVW R11, K1
	VMOVAPS Z1, K1, Z29
	VMOVUPS Z29, packetSession_high(DI)
	VMOVUPS Z5, K1, packetSession_sum(DI)
	VMOVUPS Z10, K1, packetSession_second(DI)
	VMOVUPS Z11, K1, packetSession_third(DI)
	LEAL (AX)(DX*4), BX
	VPBROADCASTD BX, Z4
	VMOVDQU32 Z4, K1, packetSession_place(DI)
	VPBROADCASTD packetSession_number(DI), Z4
	VMOVDQU32 Z4, K1, packetSession_instance(DI)
	MOVL $1, packetSession_changed(DI)

decide:
	TESTL R13, R13
	JZ   nextTriangle
	MOVL R13, packetSession_slow(DI)
	MOVL DX, packetSession_block(DI)
	MOVL AX, packetSession_triangle(DI)
	MOVL CX, packetSession_rest(DI)
	MOVL $0, packetSession_half(DI)
	MOVL R14, packetSession_lanes(DI)
	VZEROUPPER
	MOVQ $const_walkBlock, ret+8(FP)
	RET

resume:
	MOVL $0, packetSession_resume(DI)
	MOVL packetSession_block(DI), DX
	MOVL packetSession_rest(DI), CX
	MOVL packetSession_lanes(DI), R14
	MOVQ packetSession_axis+0(DI), R8
	MOVQ packetSession_axis+8(DI), R9
	MOVQ packetSession_axis+16(DI), R12
	MOVQ DI, R15
	JMP  nextTriangle

leave:
	MOVL DX, packetSession_current(DI)
	MOVL R14, packetSession_lanes(DI)
	MOVQ R10, packetSession_sp(DI)
	VZEROUPPER
	MOVQ $const_walkLeaf, ret+8(FP)
	RET

done:
	MOVQ R10, packetSession_sp(DI)
	VZEROUPPER
	MOVQ $const_walkEnd, ret+8(FP)
	RET
