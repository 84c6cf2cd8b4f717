#include "go_asm.h"
#include "textflag.h"

// bit holds the bit of each ray.
DATA bit<>+0(SB)/8, $0x0000000200000001
DATA bit<>+8(SB)/8, $0x0000000800000004
DATA bit<>+16(SB)/8, $0x0000002000000010
DATA bit<>+24(SB)/8, $0x0000008000000040
DATA bit<>+32(SB)/8, $0x0000020000000100
DATA bit<>+40(SB)/8, $0x0000080000000400
DATA bit<>+48(SB)/8, $0x0000200000001000
DATA bit<>+56(SB)/8, $0x0000800000004000
GLOBL bit<>(SB), RODATA|NOPTR, $64

// LANES(from) sets all bits of the lanes in the register from, in Y14 and Y15.
#define LANES(from) \
	VMOVD from, X0 \
	VPBROADCASTD X0, Y0 \
	VMOVDQU bit<>+0(SB), Y2 \
	VMOVDQU bit<>+32(SB), Y3 \
	VPAND Y2, Y0, Y14 \
	VPAND Y3, Y0, Y15 \
	VPCMPEQD Y2, Y14, Y14 \
	VPCMPEQD Y3, Y15, Y15

// func copyRowsAVX2(to, from *uint32, stride, rows int)
TEXT ·copyRowsAVX2(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ stride+16(FP), AX
	MOVQ rows+24(FP), CX

copy:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ AX, SI
	ADDQ $64, DI
	SUBQ $1, CX
	JNZ  copy
	VZEROUPPER
	RET

// func blendRowsAVX2(to *uint32, stride int, from *uint32, rows int, lanes uint32)
TEXT ·blendRowsAVX2(SB), NOSPLIT, $0-36
	MOVQ to+0(FP), DI
	MOVQ stride+8(FP), BX
	MOVQ from+16(FP), SI
	MOVQ rows+24(FP), CX
	MOVL lanes+32(FP), AX
	LANES(AX)

blend:
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	VPBLENDVB Y14, (SI), Y0, Y0
	VPBLENDVB Y15, 32(SI), Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, SI
	ADDQ BX, DI
	SUBQ $1, CX
	JNZ  blend
	VZEROUPPER
	RET

// func fillRowAVX2(to *uint32, x, lanes uint32)
TEXT ·fillRowAVX2(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVL lanes+12(FP), AX
	LANES(AX)
	MOVL x+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	VMOVDQU (DI), Y1
	VMOVDQU 32(DI), Y2
	VPBLENDVB Y14, Y0, Y1, Y1
	VPBLENDVB Y15, Y0, Y2, Y2
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	VZEROUPPER
	RET

// func differsAVX2(row *uint32, x, lanes uint32) bool
TEXT ·differsAVX2(SB), NOSPLIT, $0-17
	MOVQ row+0(FP), DI
	MOVL lanes+12(FP), AX
	LANES(AX)
	MOVL x+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	VPXOR (DI), Y0, Y1
	VPXOR 32(DI), Y0, Y2
	VPAND Y14, Y1, Y1
	VPAND Y15, Y2, Y2
	VPOR  Y2, Y1, Y1
	VPTEST Y1, Y1
	SETNE ret+16(FP)
	VZEROUPPER
	RET

// func beginsAVX2(memory *uint32, stride int, structure uint64, lanes uint32) bool
TEXT ·beginsAVX2(SB), NOSPLIT, $0-33
	MOVQ memory+0(FP), DI
	MOVQ stride+8(FP), BX
	MOVL lanes+24(FP), AX
	LANES(AX)
	IMUL3Q $const_wordCommitted, BX, CX
	VMOVDQU (DI)(CX*1), Y0
	VMOVDQU 32(DI)(CX*1), Y1
	IMUL3Q $const_wordStarted, BX, CX
	VPOR  (DI)(CX*1), Y0, Y0
	VPOR  32(DI)(CX*1), Y1, Y1
	IMUL3Q $const_wordEnded, BX, CX
	VPOR  (DI)(CX*1), Y0, Y0
	VPOR  32(DI)(CX*1), Y1, Y1
	IMUL3Q $const_QueryWords, BX, CX
	MOVQ structure+16(FP), DX
	VMOVD DX, X2
	VPBROADCASTD X2, Y2
	VPXOR (DI)(CX*1), Y2, Y3
	VPOR  Y3, Y0, Y0
	VPXOR 32(DI)(CX*1), Y2, Y3
	VPOR  Y3, Y1, Y1
	ADDQ  BX, CX
	SHRQ $32, DX
	VMOVD DX, X2
	VPBROADCASTD X2, Y2
	VPXOR (DI)(CX*1), Y2, Y3
	VPOR  Y3, Y0, Y0
	VPXOR 32(DI)(CX*1), Y2, Y3
	VPOR  Y3, Y1, Y1
	VPAND Y14, Y0, Y0
	VPAND Y15, Y1, Y1
	VPOR  Y1, Y0, Y0
	VPTEST Y0, Y0
	SETEQ ret+32(FP)
	VZEROUPPER
	RET

// func equalAVX2(row *[PacketLanes]uint32, x uint32) uint32
TEXT ·equalAVX2(SB), NOSPLIT, $0-20
	MOVQ row+0(FP), DI
	MOVL x+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	VPCMPEQD (DI), Y0, Y1
	VPCMPEQD 32(DI), Y0, Y2
	VMOVMSKPS Y1, AX
	VMOVMSKPS Y2, BX
	SHLL $8, BX
	ORL  BX, AX
	MOVL AX, ret+16(FP)
	VZEROUPPER
	RET

// VALID(o, lanes) sets the least distances of the half of the packet at the byte offset o, and lanes to its rays that can hit
// anything. Y11 is 0, Y12 is 255.
#define VALID(o, lanes) \
	VMOVUPS PacketRays_TMin+o(SI), Y0 \
	VMOVUPS PacketRays_TMax+o(SI), Y1 \
	VMAXPS Y11, Y0, Y2 \
	VADDPS Y11, Y2, Y2 \
	VMOVUPS Y2, o(R8) \
	VMOVUPS Y1, o(R9) \
	VCMPPS $0x12, Y1, Y0, Y2 \ // TMin <= TMax
	VCMPPS $0x12, Y1, Y11, Y3 \ // 0 <= TMax
	VANDPS Y3, Y2, Y2 \
	VPAND PacketRays_Mask+o(SI), Y12, Y3 \
	VPCMPEQD Y11, Y3, Y3 \
	VPANDN Y2, Y3, Y2 \
	VPAND Y2, lanes, lanes

// func beginAVX2(r *PacketRays, low, high *rows, lanes uint32) (valid uint32, different bool)
TEXT ·beginAVX2(SB), NOSPLIT, $0-37
	MOVQ r+0(FP), SI
	MOVQ low+8(FP), R8
	MOVQ high+16(FP), R9
	MOVL lanes+24(FP), AX
	LANES(AX)
	VPXOR Y11, Y11, Y11
	VPCMPEQD Y12, Y12, Y12
	VPSRLD $24, Y12, Y12
	VALID(0, Y14)
	VALID(32, Y15)
	VMOVMSKPS Y14, AX
	VMOVMSKPS Y15, BX
	SHLL $8, BX
	ORL  BX, AX
	MOVL AX, valid+32(FP)
	JZ   none
	TZCNTL AX, AX
	VPBROADCASTD PacketRays_Flags(SI)(AX*4), Y0
	VPBROADCASTD PacketRays_Mask(SI)(AX*4), Y1
	VPXOR PacketRays_Flags+0(SI), Y0, Y2
	VPXOR PacketRays_Mask+0(SI), Y1, Y3
	VPOR  Y3, Y2, Y2
	VPAND Y14, Y2, Y2
	VPXOR PacketRays_Flags+32(SI), Y0, Y4
	VPXOR PacketRays_Mask+32(SI), Y1, Y3
	VPOR  Y3, Y4, Y4
	VPAND Y15, Y4, Y4
	VPOR  Y4, Y2, Y2
	VPTEST Y2, Y2
	SETNE different+36(FP)
	VZEROUPPER
	RET

none:
	MOVB $0, different+36(FP)
	VZEROUPPER
	RET
