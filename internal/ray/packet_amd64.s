#include "go_asm.h"
#include "textflag.h"

// Eight lanes.
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15

#include "triangle_amd64.h"
#include "packet_amd64.h"

// bits holds the bit of each ray.
DATA bits<>+0(SB)/8, $0x0000000200000001
DATA bits<>+8(SB)/8, $0x0000000800000004
DATA bits<>+16(SB)/8, $0x0000002000000010
DATA bits<>+24(SB)/8, $0x0000008000000040
DATA bits<>+32(SB)/8, $0x0000020000000100
DATA bits<>+40(SB)/8, $0x0000080000000400
DATA bits<>+48(SB)/8, $0x0000200000001000
DATA bits<>+56(SB)/8, $0x0000800000004000
GLOBL bits<>(SB), RODATA|NOPTR, $64

// LANES(from, low, high) sets all bits of the lanes in the register from, in two halves.
#define LANES(from, low, high) \
	VMOVD from, X0 \
	VPBROADCASTD X0, Y0 \
	VMOVDQU bits<>+0(SB), Y2 \
	VMOVDQU bits<>+32(SB), Y3 \
	VPAND Y2, Y0, low \
	VPAND Y3, Y0, high \
	VPCMPEQD Y2, low, low \
	VPCMPEQD Y3, high, high

// COMPONENT(k): component k of the origins Y0, Y1, Y2 and the directions Y3, Y4, Y5 of four rays in object space, in 64
// bits.
#define COMPONENT(k) \
	VBROADCASTSD placed_inverse+8*k(SI), Y6 \
	VBROADCASTSD placed_inverse+24+8*k(SI), Y7 \
	VBROADCASTSD placed_inverse+48+8*k(SI), Y8 \
	VBROADCASTSD placed_inverse+72+8*k(SI), Y9 \
	VMULPD Y6, Y0, Y10 \
	VMULPD Y7, Y1, Y11 \
	VADDPD Y11, Y10, Y10 \
	VMULPD Y8, Y2, Y11 \
	VADDPD Y11, Y10, Y10 \
	VADDPD Y9, Y10, Y10 \
	VCVTPD2PSY Y10, X10 \
	VMOVUPS X10, packetSession_origin+64*k(R12) \
	VMULPD Y6, Y3, Y10 \
	VMULPD Y7, Y4, Y11 \
	VADDPD Y11, Y10, Y10 \
	VMULPD Y8, Y5, Y11 \
	VADDPD Y11, Y10, Y10 \
	VCVTPD2PSY Y10, X10 \
	VMOVUPS X10, packetSession_direction+64*k(R12)

// COPY(k) copies component k of eight rays.
#define COPY(k) \
	VMOVUPS PacketRays_Origin+64*k(R9), Y0 \
	VMOVUPS PacketRays_Direction+64*k(R9), Y1 \
	VMOVUPS Y0, packetSession_origin+64*k(R10) \
	VMOVUPS Y1, packetSession_direction+64*k(R10)

// SCALE(k, d, magnitude): the slabs of component k from the direction and its magnitude. Y12 is the growth, Y13 the least
// magnitude, Y14 the mask of absolute values and Y15 that of signs.
#define SCALE(k, d, magnitude) \
	VMAXPS Y13, magnitude, magnitude \
	VANDPS Y15, d, d \
	VORPS d, magnitude, magnitude \
	VORPS d, Y12, Y0 \
	VBROADCASTSS ·numbers+0(SB), Y1 \
	VDIVPS magnitude, Y1, Y1 \
	VBROADCASTSS ·numbers+12(SB), Y2 \
	VMULPS Y2, Y1, Y2 \
	VBROADCASTSS ·numbers+16(SB), Y6 \
	VMULPS Y6, Y1, Y6 \
	VMOVUPS Y2, packetSession_nearScale+64*k(R10) \
	VMOVUPS Y6, packetSession_farScale+64*k(R10) \
	VMOVUPS packetSession_origin+64*k(R10), Y1 \
	VADDPS Y0, Y1, Y10 \
	VSUBPS Y0, Y1, Y1 \
	VMULPS Y2, Y10, Y10 \
	VMULPS Y6, Y1, Y1 \
	VXORPS Y15, Y10, Y10 \
	VXORPS Y15, Y1, Y1 \
	VMOVUPS Y10, packetSession_nearOffset+64*k(R10) \
	VMOVUPS Y1, packetSession_farOffset+64*k(R10)

// func enterPacketAVX2(s *packetSession, p *placed, rays *PacketRays, reach, spread float32)
TEXT ·enterPacketAVX2(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ rays+16(FP), R8
	XORL CX, CX

half:
	LEAQ (R8)(CX*1), R9
	LEAQ (DI)(CX*1), R10
	TESTQ SI, SI
	JZ   world
	XORL DX, DX

quarter:
	LEAQ (R9)(DX*1), R11
	LEAQ (R10)(DX*1), R12
	VCVTPS2PD PacketRays_Origin+0(R11), Y0
	VCVTPS2PD PacketRays_Origin+64(R11), Y1
	VCVTPS2PD PacketRays_Origin+128(R11), Y2
	VCVTPS2PD PacketRays_Direction+0(R11), Y3
	VCVTPS2PD PacketRays_Direction+64(R11), Y4
	VCVTPS2PD PacketRays_Direction+128(R11), Y5
	COMPONENT(0)
	COMPONENT(1)
	COMPONENT(2)
	ADDQ $16, DX
	CMPQ DX, $32
	JNE  quarter
	JMP  setup

world:
	COPY(0)
	COPY(1)
	COPY(2)

setup:
	VMOVUPS packetSession_origin+0(R10), Y0
	VMOVUPS packetSession_origin+64(R10), Y1
	VMOVUPS packetSession_origin+128(R10), Y2
	VMOVUPS packetSession_direction+0(R10), Y3
	VMOVUPS packetSession_direction+64(R10), Y4
	VMOVUPS packetSession_direction+128(R10), Y5
	VSUBPS Y0, Y0, Y6
	VSUBPS Y1, Y1, Y7
	VADDPS Y7, Y6, Y6
	VSUBPS Y2, Y2, Y7
	VADDPS Y7, Y6, Y6
	VSUBPS Y3, Y3, Y7
	VADDPS Y7, Y6, Y6
	VSUBPS Y4, Y4, Y7
	VADDPS Y7, Y6, Y6
	VSUBPS Y5, Y5, Y7
	VADDPS Y7, Y6, Y6
	VCMPPS $3, Y6, Y6, Y15   // rays that are not finite
	VPCMPEQD Y14, Y14, Y14
	VPSRLD $1, Y14, Y14
	VANDPS Y14, Y3, Y7       // |direction|
	VANDPS Y14, Y4, Y8
	VANDPS Y14, Y5, Y9
	VMAXPS Y8, Y7, Y10
	VMAXPS Y9, Y10, Y10      // the longest component
	VANDPS Y14, Y0, Y0
	VANDPS Y14, Y1, Y1
	VANDPS Y14, Y2, Y2
	VMAXPS Y1, Y0, Y11
	VMAXPS Y2, Y11, Y11
	VBROADCASTSS ·numbers+32(SB), Y12
	VMAXPS Y11, Y12, Y12
	VMOVUPS Y12, packetSession_grow(R10) // the largest component of the origin
	VBROADCASTSS reach+24(FP), Y12
	VADDPS Y12, Y11, Y11     // the extent
	VBROADCASTSS ·numbers+4(SB), Y12
	VCMPPS $0x11, Y12, Y10, Y13
	VORPS Y13, Y15, Y15
	VCMPPS $0x11, Y12, Y11, Y13
	VORPS Y13, Y15, Y15
	VBROADCASTSS ·numbers+20(SB), Y12
	VCMPPS $0x11, Y10, Y12, Y13
	VORPS Y13, Y15, Y15
	VCMPPS $0x11, packetSession_grow(R10), Y12, Y13
	VORPS Y13, Y15, Y15

	// The class.
	VCMPPS $0, Y10, Y7, Y12
	VCMPPS $0, Y10, Y8, Y13
	VPBROADCASTD ·numbers+24(SB), Y1
	VPBROADCASTD ·numbers+28(SB), Y0
	VBLENDVPS Y13, Y1, Y0, Y0
	VANDNPS Y0, Y12, Y0
	VPSRLD $31, Y3, Y1
	VPOR  Y1, Y0, Y0
	VPSRLD $31, Y4, Y1
	VPSLLD $1, Y1, Y1
	VPOR  Y1, Y0, Y0
	VPSRLD $31, Y5, Y1
	VPSLLD $2, Y1, Y1
	VPOR  Y1, Y0, Y0
	VPOR  Y15, Y0, Y0
	VMOVUPS Y0, packetSession_class(R10)

	// The slabs.
	VMOVSS spread+28(FP), X12
	VMULSS ·numbers+8(SB), X12, X12
	VBROADCASTSS X12, Y12
	VMULPS Y11, Y12, Y11
	VMULPS packetSession_grow(R10), Y12, Y12
	VMOVUPS Y11, packetSession_grow(R10)
	VBROADCASTSS ·numbers+4(SB), Y13
	VMULPS Y10, Y13, Y13
	VPCMPEQD Y15, Y15, Y15
	VPSLLD $31, Y15, Y15
	SCALE(0, Y3, Y7)
	SCALE(1, Y4, Y8)
	SCALE(2, Y5, Y9)
	ADDQ $32, CX
	CMPQ CX, $64
	JNE  half
	VZEROUPPER
	RET

// SHEAR(o) sets the shears of the half of the packet at the byte offset o.
#define SHEAR(o) \
	VMOVUPS packetSession_direction+o(DI)(R10*4), Y2 \
	VMOVUPS packetSession_direction+o(DI)(R8*4), Y3 \
	VMOVUPS packetSession_direction+o(DI)(R9*4), Y4 \
	VDIVPS Y2, Y3, Y3 \
	VDIVPS Y2, Y4, Y4 \
	VDIVPS Y2, Y1, Y5 \
	VMOVUPS Y3, packetSession_shear+o(DI) \
	VMOVUPS Y4, packetSession_shear+64+o(DI) \
	VMOVUPS Y5, packetSession_shear+128+o(DI)

// RANGE(row, i) sets range i to the least and the negated greatest number of the members, Y14 and Y15, in a row. Y11 is
// the mask of signs, Y12 and Y13 are infinities.
#define RANGE(row, i) \
	VMOVUPS row(DI), Y0 \
	VMOVUPS row+32(DI), Y1 \
	VBLENDVPS Y14, Y0, Y12, Y2 \
	VBLENDVPS Y15, Y1, Y12, Y3 \
	VMINPS Y3, Y2, Y2 \
	VBLENDVPS Y14, Y0, Y13, Y4 \
	VBLENDVPS Y15, Y1, Y13, Y5 \
	VMAXPS Y5, Y4, Y4 \
	VXORPS Y11, Y4, Y4 \
	VPERM2F128 $0x20, Y4, Y2, Y5 \
	VPERM2F128 $0x31, Y4, Y2, Y6 \
	VMINPS Y6, Y5, Y5 \
	VSHUFPS $0x4E, Y5, Y5, Y6 \
	VMINPS Y6, Y5, Y5 \
	VMOVSHDUP Y5, Y6 \
	VMINPS Y6, Y5, Y5 \
	VMOVSS X5, packetSession_ranges+8*i(DI) \
	VEXTRACTF128 $1, Y5, X5 \
	VMOVSS X5, packetSession_ranges+8*i+4(DI)

// func gatherAVX2(s *packetSession, class int32, lanes uint32) uint32
TEXT ·gatherAVX2(SB), NOSPLIT, $0-20
	MOVQ s+0(FP), DI
	MOVL class+8(FP), DX
	MOVL lanes+12(FP), AX
	LANES(AX, Y14, Y15)
	VMOVD DX, X0
	VPBROADCASTD X0, Y0
	VPCMPEQD packetSession_class(DI), Y0, Y2
	VPCMPEQD packetSession_class+32(DI), Y0, Y3
	VPAND Y2, Y14, Y14
	VPAND Y3, Y15, Y15
	VMOVDQU Y14, packetSession_members(DI)
	VMOVDQU Y15, packetSession_members+32(DI)
	VMOVMSKPS Y14, AX
	VMOVMSKPS Y15, BX
	SHLL $8, BX
	ORL  BX, AX
	MOVL AX, ret+16(FP)
	TESTL DX, DX
	JS   end
	POPCNTL AX, AX
	CMPL AX, $const_leastPacket
	JLT  end
	MOVL DX, CX
	SHRL $3, CX              // the longest component
	BTL  CX, DX
	SBBL BX, BX
	ANDL $3, BX
	ADDL BX, CX
	SHLQ $5, CX
	LEAQ ·permutations(SB), BX
	MOVQ 0(BX)(CX*1), R8
	MOVQ 8(BX)(CX*1), R9
	MOVQ 16(BX)(CX*1), R10
	VBROADCASTSS ·numbers+0(SB), Y1
	SHEAR(0)
	SHEAR(32)
	VPCMPEQD Y11, Y11, Y11
	VPSLLD $31, Y11, Y11     // signs
	VPCMPEQD Y12, Y12, Y12
	VPSLLD $24, Y12, Y12
	VPSRLD $1, Y12, Y12      // infinity
	VPOR  Y11, Y12, Y13
	RANGE(packetSession_origin, 0)
	RANGE(packetSession_origin+64, 1)
	RANGE(packetSession_origin+128, 2)
	RANGE(packetSession_nearScale, 3)
	RANGE(packetSession_nearScale+64, 4)
	RANGE(packetSession_nearScale+128, 5)
	RANGE(packetSession_farScale, 6)
	RANGE(packetSession_farScale+64, 7)
	RANGE(packetSession_farScale+128, 8)
	RANGE(packetSession_shear, 9)
	RANGE(packetSession_shear+64, 10)
	RANGE(packetSession_low, 11)
	RANGE(packetSession_high, 12)
	RANGE(packetSession_grow, 13)

end:
	VZEROUPPER
	RET

// The registers:
//
//	DI                the session
//	R10               the top of the stack
//	R12 R13 R15       byte offsets of the near bounds x, y, z in a node
//	R8 R9 R11         byte offsets of the far bounds x, y, z
//	Y4 to Y9          the planes of the interval: near x, y, z, far x, y, z
//	Y10 to Y15        its scales x, y, z
//	DX                the current reference; in a leaf the index of its first block
//	BX                the address of the node or of the block
//	R14               the rays that reach it
//	CX                in a leaf: the triangles that are not tested yet, by their numbers in it
//	AX                in a leaf: the number of the triangle
//
// The tests of triangles use all registers but DI; INTERVAL loads them again.

// REACH(o, lanes): the rays of the half of the packet at the byte offset o that reach the child at SI.
#define REACH(o, lanes) \
	VBROADCASTSS (SI)(R12*1), Y0 \
	VMOVUPS packetSession_nearOffset+o(DI), Y1 \
	VFMADD231PS packetSession_nearScale+o(DI), Y0, Y1 \
	VBROADCASTSS (SI)(R8*1), Y0 \
	VMOVUPS packetSession_farOffset+o(DI), Y2 \
	VFMADD231PS packetSession_farScale+o(DI), Y0, Y2 \
	VBROADCASTSS (SI)(R13*1), Y0 \
	VMOVUPS packetSession_nearOffset+64+o(DI), Y3 \
	VFMADD231PS packetSession_nearScale+64+o(DI), Y0, Y3 \
	VMAXPS Y3, Y1, Y1 \
	VBROADCASTSS (SI)(R9*1), Y0 \
	VMOVUPS packetSession_farOffset+64+o(DI), Y3 \
	VFMADD231PS packetSession_farScale+64+o(DI), Y0, Y3 \
	VMINPS Y3, Y2, Y2 \
	VBROADCASTSS (SI)(R15*1), Y0 \
	VMOVUPS packetSession_nearOffset+128+o(DI), Y3 \
	VFMADD231PS packetSession_nearScale+128+o(DI), Y0, Y3 \
	VMAXPS Y3, Y1, Y1 \
	VBROADCASTSS (SI)(R11*1), Y0 \
	VMOVUPS packetSession_farOffset+128+o(DI), Y3 \
	VFMADD231PS packetSession_farScale+128+o(DI), Y0, Y3 \
	VMINPS Y3, Y2, Y2 \
	VMAXPS packetSession_low+o(DI), Y1, Y1 \
	VMINPS packetSession_high+o(DI), Y2, Y2 \
	VCMPPS $0x12, Y2, Y1, Y1 \
	VMOVMSKPS Y1, lanes

// KEEP(row, value) stores value in a row of the rays Y2.
#define KEEP(row, value) \
	VMOVUPS row(R15), Y3 \
	VBLENDVPS Y2, value, Y3, Y3 \
	VMOVUPS Y3, row(R15)

// func walkPacketAVX2(s *packetSession) int
TEXT ·walkPacketAVX2(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), DI
	CMPL packetSession_resume(DI), $0
	JNE  resume
	VISIT
	MOVL  packetSession_lanes(DI), R14
	XORL  DX, DX
	TESTL $0xFF, R14
	JZ    second
	REACH(0, DX)

second:
	TESTL $0xFF00, R14
	JZ    reached
	REACH(32, SI)
	SHLL  $8, SI
	ORL   SI, DX

reached:
	ANDL  R14, DX
	JZ    nextChild
	MOVL  DX, SI
	PUSH

triangle:
	TZCNTL CX, AX
	BLSRL CX, CX
	PLACE
	XORL R13, R13
	MOVQ DI, R15
	MOVL R14, R10
	ANDL $0xFF, R10
	JZ   nextHalf

half:
	VBROADCASTSS (SI)(R12*1), Y6
	VBROADCASTSS 48(SI)(R12*1), Y7
	VBROADCASTSS 96(SI)(R12*1), Y8
	VMOVUPS packetSession_origin(R15)(R12*4), Y9
	VBROADCASTSS (SI)(R8*1), Y0
	VBROADCASTSS 48(SI)(R8*1), Y1
	VBROADCASTSS 96(SI)(R8*1), Y2
	VMOVUPS packetSession_origin(R15)(R8*4), Y12
	VBROADCASTSS (SI)(R9*1), Y3
	VBROADCASTSS 48(SI)(R9*1), Y4
	VBROADCASTSS 96(SI)(R9*1), Y5
	VMOVUPS packetSession_origin(R15)(R9*4), Y13
	VMOVUPS packetSession_shear+0(R15), Y10
	VMOVUPS packetSession_shear+64(R15), Y11
	VSUBPS Y9, Y6, Y6
	VSUBPS Y9, Y7, Y7
	VSUBPS Y9, Y8, Y8
	VSUBPS Y12, Y0, Y0
	VSUBPS Y12, Y1, Y1
	VSUBPS Y12, Y2, Y2
	VSUBPS Y13, Y3, Y3
	VSUBPS Y13, Y4, Y4
	VSUBPS Y13, Y5, Y5
	EDGES
	VMOVMSKPS Y14, R11
	XORL $0xFF, R11
	ANDL R10, R11
	JNZ  candidates

nextHalf:
	TESTQ R13, R13
	JNZ  nextTriangle
	MOVL R14, R10
	SHRL $8, R10
	JZ   nextTriangle
	MOVL $32, R13
	LEAQ 32(DI), R15
	JMP  half

nextTriangle:
	TESTL CX, CX
	JNZ  triangle
	MOVQ packetSession_sp(DI), R10
	CMPL packetSession_changed(DI), $0
	JEQ  reload
	MOVL $0, packetSession_changed(DI)
	VMOVUPS packetSession_high(DI), Y0
	VMOVUPS packetSession_high+32(DI), Y1
	VANDPS packetSession_members(DI), Y0, Y0
	VANDPS packetSession_members+32(DI), Y1, Y1
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
	MOVL AX, packetSession_triangle(DI)
	MOVL CX, packetSession_rest(DI)
	VMOVUPS packetSession_shear+128(R15), Y4
	DISTANCE
	VMOVMSKPS Y2, CX
	MOVL CX, AX
	NOTL AX
	ANDL R11, AX // rays that are left to Go
	ANDL CX, R11
	JZ   decide
	COMPARE(packetSession_low(R15), packetSession_high(R15))
	VMOVMSKPS Y8, CX
	VMOVMSKPS Y2, BX
	VMOVMSKPS Y5, R8
	MOVL R8, R9
	NOTL R9
	ANDL packetSession_culledNegative(DI), R8
	ANDL packetSession_culledPositive(DI), R9
	ORL  R8, R9
	NOTL R9
	ANDL R9, R11 // rays with a triangle that is not culled
	ANDL R11, BX // a tie, a distance at the first one, or one outside of the box
	ORL  BX, AX
	ANDL R11, CX
	JZ   decide
	VMOVD CX, X2
	VPBROADCASTD X2, Y2
	VMOVDQU bits<>+0(SB), Y3
	VPAND Y3, Y2, Y2
	VPCMPEQD Y3, Y2, Y2
	VBLENDVPS Y2, Y1, Y7, Y7
	VMOVUPS Y7, packetSession_high(R15)
	KEEP(packetSession_sum, Y5)
	KEEP(packetSession_second, Y10)
	KEEP(packetSession_third, Y11)
	MOVL packetSession_triangle(DI), BX
	LEAL (BX)(DX*4), BX
	VMOVD BX, X4
	VPBROADCASTD X4, Y4
	KEEP(packetSession_place, Y4)
	VPBROADCASTD packetSession_number(DI), Y4
	KEEP(packetSession_instance, Y4)
	MOVL $1, packetSession_changed(DI)

decide:
	TESTL AX, AX
	JNZ  slow
	MOVL packetSession_triangle(DI), AX
	MOVL packetSession_rest(DI), CX

restore:
	PLACE
	MOVQ packetSession_axis+0(DI), R8
	MOVQ packetSession_axis+8(DI), R9
	MOVQ packetSession_axis+16(DI), R12
	JMP  nextHalf

resume:
	MOVL $0, packetSession_resume(DI)
	MOVL packetSession_block(DI), DX
	MOVL packetSession_triangle(DI), AX
	MOVL packetSession_rest(DI), CX
	MOVL packetSession_half(DI), R13
	MOVL packetSession_lanes(DI), R14
	JMP  restore

slow:
	MOVL AX, packetSession_slow(DI)
	MOVL DX, packetSession_block(DI)
	MOVL R13, packetSession_half(DI)
	MOVL R14, packetSession_lanes(DI)
	VZEROUPPER
	MOVQ $const_walkBlock, ret+8(FP)
	RET

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

// COLUMN(row, field) sets a row of hits to a field of all.
#define COLUMN(row, field) \
	VPBROADCASTD field(SI), Y0 \
	VMOVDQU Y0, row(DX) \
	VMOVDQU Y0, row+32(DX)

// MOVE(to, from) copies a row of the session to one of hits.
#define MOVE(to, from) \
	VMOVDQU from(DI), Y0 \
	VMOVDQU from+32(DI), Y1 \
	VMOVDQU Y0, to(DX) \
	VMOVDQU Y1, to+32(DX)

// func describeAVX2(s *packetSession, h *PacketHits, x *describedHits, decided uint32)
TEXT ·describeAVX2(SB), NOSPLIT, $0-28
	MOVQ s+0(FP), DI
	MOVQ h+8(FP), DX
	MOVQ x+16(FP), SI
	MOVL decided+24(FP), AX
	LANES(AX, Y4, Y5)
	VPSRLD $31, Y4, Y4
	VPSRLD $31, Y5, Y5
	VMOVDQU Y4, PacketHits_Opaque(DX)
	VMOVDQU Y5, PacketHits_Opaque+32(DX)
	VPXOR Y0, Y0, Y0
	VMOVDQU Y0, PacketHits_Generated(DX)
	VMOVDQU Y0, PacketHits_Generated+32(DX)
	VPBROADCASTD describedHits_hitKind(SI), Y1
	VMOVDQU packetSession_sum(DI), Y2
	VMOVDQU packetSession_sum+32(DI), Y3
	VPSRLD $31, Y2, Y2
	VPSRLD $31, Y3, Y3
	VPXOR Y1, Y2, Y2 // the kinds differ in the last bit
	VPXOR Y1, Y3, Y3
	VMOVDQU Y2, PacketHits_HitKind(DX)
	VMOVDQU Y3, PacketHits_HitKind+32(DX)
	COLUMN(PacketHits_Kind, describedHits_kind)
	COLUMN(PacketHits_Instance, describedHits_instance)
	COLUMN(PacketHits_Custom, describedHits_custom)
	COLUMN(PacketHits_RecordOffset, describedHits_recordOffset)
	MOVE(PacketHits_T, packetSession_high)
	MOVE(PacketHits_Place, packetSession_place)
	VZEROUPPER
	RET

// func coordinatesAVX2(s *packetSession, u, v *rows)
TEXT ·coordinatesAVX2(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), DI
	MOVQ u+8(FP), SI
	MOVQ v+16(FP), DX
	VMOVUPS packetSession_sum(DI), Y0
	VMOVUPS packetSession_sum+32(DI), Y1
	VMOVUPS packetSession_second(DI), Y2
	VMOVUPS packetSession_second+32(DI), Y3
	VMOVUPS packetSession_third(DI), Y4
	VMOVUPS packetSession_third+32(DI), Y5
	VDIVPS Y0, Y2, Y2
	VDIVPS Y1, Y3, Y3
	VDIVPS Y0, Y4, Y4
	VDIVPS Y1, Y5, Y5
	VMOVUPS Y2, (SI)
	VMOVUPS Y3, 32(SI)
	VMOVUPS Y4, (DX)
	VMOVUPS Y5, 32(DX)
	VZEROUPPER
	RET
