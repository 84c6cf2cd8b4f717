// What the traversals of packets by vectors of 8 and of 16 lanes share.

// INTERVAL loads the interval around all rays, and the byte offsets of the near and the far bounds in a node.
#define INTERVAL \
	MOVQ packetSession_near+0(DI), R12 \
	MOVQ packetSession_near+8(DI), R13 \
	MOVQ packetSession_near+16(DI), R15 \
	MOVQ packetSession_far+0(DI), R8 \
	MOVQ packetSession_far+8(DI), R9 \
	MOVQ packetSession_far+16(DI), R11 \
	VBROADCASTSS packetSession_plane+0(DI), Y4 \
	VBROADCASTSS packetSession_plane+4(DI), Y5 \
	VBROADCASTSS packetSession_plane+8(DI), Y6 \
	VBROADCASTSS packetSession_plane+12(DI), Y7 \
	VBROADCASTSS packetSession_plane+16(DI), Y8 \
	VBROADCASTSS packetSession_plane+20(DI), Y9 \
	VBROADCASTSS packetSession_scale+0(DI), Y10 \
	VBROADCASTSS packetSession_scale+4(DI), Y11 \
	VBROADCASTSS packetSession_scale+8(DI), Y12 \
	VBROADCASTSS packetSession_scale+12(DI), Y13 \
	VBROADCASTSS packetSession_scale+16(DI), Y14 \
	VBROADCASTSS packetSession_scale+20(DI), Y15

// BOX(k) stores the least and the greatest component k of the four triangles of the block at BX, in the places of a node's bounds.
#define BOX(k) \
	VMOVUPS (16*k)(BX), X0 \
	VMOVUPS (48+16*k)(BX), X1 \
	VMOVUPS (96+16*k)(BX), X2 \
	VMINPS X1, X0, X3 \
	VMAXPS X1, X0, X0 \
	VMINPS X2, X3, X3 \
	VMAXPS X2, X0, X0 \
	VMOVUPS X3, packetSession_boxes+64*k(DI) \
	VMOVUPS X0, packetSession_boxes+32+64*k(DI)

// BETWEEN(bounds, V): the distances of the interval around all rays in boxes: V0 from and V1 to. The bounds belong to a node.
// V is the letter of the registers.
#define BETWEEN(nearX, nearY, nearZ, farX, farY, farZ, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15) \
	VSUBPS nearX, V4, V0 \
	VMULPS V10, V0, V1 \
	VMULPS V11, V0, V0 \
	VMINPS V1, V0, V0 \
	VSUBPS nearY, V5, V1 \
	VMULPS V12, V1, V2 \
	VMULPS V13, V1, V1 \
	VMINPS V2, V1, V1 \
	VMAXPS V1, V0, V0 \
	VSUBPS nearZ, V6, V1 \
	VMULPS V14, V1, V2 \
	VMULPS V15, V1, V1 \
	VMINPS V2, V1, V1 \
	VMAXPS V1, V0, V0 \
	VBROADCASTSS packetSession_least(DI), V1 \
	VMAXPS V1, V0, V0 \
	VSUBPS farX, V7, V1 \
	VMULPS V10, V1, V2 \
	VMULPS V11, V1, V1 \
	VMAXPS V2, V1, V1 \
	VSUBPS farY, V8, V2 \
	VMULPS V12, V2, V3 \
	VMULPS V13, V2, V2 \
	VMAXPS V3, V2, V2 \
	VMINPS V2, V1, V1 \
	VSUBPS farZ, V9, V2 \
	VMULPS V14, V2, V3 \
	VMULPS V15, V2, V2 \
	VMAXPS V3, V2, V2 \
	VMINPS V2, V1, V1 \
	VBROADCASTSS packetSession_most(DI), V2 \
	VMINPS V2, V1, V1

// PLACE sets SI to the address of triangle AX of the leaf, in its block.
#define PLACE \
	MOVL AX, SI \
	MOVL AX, BX \
	ANDL $3, SI \
	SHRL $2, BX \
	ADDL DX, BX \
	IMUL3Q $const_blockSize, BX, BX \
	ADDQ packetSession_blocks(DI), BX \
	LEAQ (BX)(SI*4), SI

// ASK asks for the memory of the child DX: the processor loads it during the visits before. It clobbers CX and SI.
#define ASK \
	MOVL  DX, SI \
	IMUL3Q $const_nodeSize, SI, CX \
	ADDQ  packetSession_nodes(DI), CX \
	ANDL  $0xFFFFFFF, SI \
	IMULQ packetSession_leafSize(DI), SI \
	ADDQ  packetSession_leafList(DI), SI \
	TESTL DX, DX \
	CMOVQMI SI, CX \
	PREFETCHT0 (CX) \
	PREFETCHT0 64(CX) \
	PREFETCHT0 128(CX) \
	PREFETCHT0 192(CX)

// NODEBETWEEN is BETWEEN for the children of the node at BX.
#define NODEBETWEEN \
	BETWEEN((BX)(R12*1), (BX)(R13*1), (BX)(R15*1), (BX)(R8*1), (BX)(R9*1), (BX)(R11*1), Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

// LEAFBETWEEN is BETWEEN for the triangles of the block at BX.
#define LEAFBETWEEN \
	BOX(0) \
	BOX(1) \
	BOX(2) \
	BETWEEN(packetSession_boxes(DI)(R12*1), packetSession_boxes(DI)(R13*1), packetSession_boxes(DI)(R15*1), packetSession_boxes(DI)(R8*1), packetSession_boxes(DI)(R9*1), packetSession_boxes(DI)(R11*1), X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15)

// SLAB(k, near, far): the intervals of the rays of R15 in the box of the triangle at SI along component k. The least product
// of the bounds is the product of the near bound, because the fused operation is monotonic.
#define SLAB(k, near, far) \
	VBROADCASTSS (16*k)(SI), V2 \
	VBROADCASTSS (48+16*k)(SI), V3 \
	VBROADCASTSS (96+16*k)(SI), V4 \
	VMINPS V3, V2, V6 \
	VMINPS V4, V6, V6 \
	VMAXPS V3, V2, V7 \
	VMAXPS V4, V7, V7 \
	VMOVUPS packetSession_nearScale+64*k(R15), V8 \
	VMOVUPS packetSession_nearOffset+64*k(R15), V9 \
	VMOVAPS V6, V2 \
	VMOVAPS V7, V3 \
	VFMADD213PS V9, V8, V2 \
	VFMADD213PS V9, V8, V3 \
	VMINPS V3, V2, near \
	VMOVUPS packetSession_farScale+64*k(R15), V8 \
	VMOVUPS packetSession_farOffset+64*k(R15), V9 \
	VFMADD213PS V9, V8, V6 \
	VFMADD213PS V9, V8, V7 \
	VMAXPS V7, V6, far

// VISIT takes the next reference from the stack, and goes to leaf or to each child that the interval around all rays meets, with its
// number in CX and its address in SI. It begins with the reference of the session, if it has one.
#define VISIT \
	MOVQ packetSession_sp(DI), R10 \
	INTERVAL \
	MOVL packetSession_current(DI), DX \
	MOVL packetSession_lanes(DI), R14 \
	CMPL DX, $-1 \
	JNE  dispatch \
pop: \
	CMPQ R10, packetSession_base(DI) \
	JEQ  done \
	SUBQ $16, R10 \
	MOVQ (R10), DX \
	MOVQ 8(R10), R14 \
	MOVQ DX, AX \
	SHRQ $32, AX \
	CMPL AX, packetSession_most(DI) \
	JA   pop \
	MOVL DX, DX \
dispatch: \
	TESTL DX, DX \
	JS    leaf \
	IMUL3Q $const_nodeSize, DX, BX \
	ADDQ  packetSession_nodes(DI), BX \
	NODEBETWEEN \
	VCMPPS $0x12, Y1, Y0, Y1 \
	VMOVMSKPS Y1, AX \
	TESTL AX, AX \
	JZ    pop \
	VMOVUPS Y0, packetSession_distances(DI) \
	MOVQ R10, packetSession_first(DI) \
	MOVL R14, packetSession_lanes(DI) \
child: \
	TZCNTL AX, CX \
	BLSRL AX, AX \
	LEAQ  (BX)(CX*4), SI

// PUSH puts the child CX with the rays SI on the stack, before the children that are farther away, and goes to the next one. At leaf it
// sets CX to the triangles with boxes that the interval around all rays meets, from the last block to the first one, and R8, R9 and R12
// to the axes. In a far session these are all triangles: the interval has no room for the padding of their boxes.
#define PUSH \
	MOVL  packetSession_distances(DI)(CX*4), R14 \
	MOVL  node_child(BX)(CX*4), DX \
	SHLQ  $32, R14 \
	ORQ   R14, DX \
	MOVQ  R10, CX \
shift: \
	CMPQ  CX, packetSession_first(DI) \
	JEQ   insert \
	MOVQ  -16(CX), R14 \
	CMPQ  R14, DX \
	JAE   insert \
	MOVQ  R14, (CX) \
	MOVQ  -8(CX), R14 \
	MOVQ  R14, 8(CX) \
	SUBQ  $16, CX \
	JMP   shift \
insert: \
	MOVQ  DX, (CX) \
	MOVQ  SI, 8(CX) \
	ADDQ  $16, R10 \
	ASK \
nextChild: \
	TESTL AX, AX \
	JNZ   child \
	JMP   pop \
leaf: \
	CMPL packetSession_leaves(DI), $0 \
	JNE  leave \
	BLOCKS \
	LEAL (DX)(CX*1), BX \
	IMUL3Q $const_blockSize, BX, BX \
	ADDQ packetSession_blocks(DI), BX \
	XORL AX, AX \
boxes: \
	VPCMPEQD X1, X1, X1 \
	CMPL packetSession_unboxed(DI), $0 \
	JNE  used \
	LEAFBETWEEN \
	VCMPPS $0x12, X1, X0, X1 \
used: \
	VPCMPEQD X2, X2, X2 \
	VPCMPEQD block_primitive(BX), X2, X2 \
	VPANDN X1, X2, X1 \
	VMOVMSKPS X1, SI \
	SHLL $4, AX \
	ORL  SI, AX \
	SUBQ $const_blockSize, BX \
	SUBL $1, CX \
	JNS  boxes \
	MOVL AX, CX \
	TESTL CX, CX \
	JZ   pop \
	MOVQ R10, packetSession_sp(DI) \
	MOVQ packetSession_axis+0(DI), R8 \
	MOVQ packetSession_axis+8(DI), R9 \
	MOVQ packetSession_axis+16(DI), R12
