// The test of a triangle (triangle.go) in lanes: of four triangles and a ray (kernel_amd64.s), or of a triangle and eight or sixteen
// rays (packet_amd64.s, packet512_amd64.s). The file that includes this one defines the vector registers V0 to V15, and SLAB.

// BLOCKS splits the reference to a leaf in DX: the index of the first block, and in CX the number of blocks after it.
#define BLOCKS \
	MOVL DX, CX \
	SHRL $28, CX \
	ANDL $7, CX \
	ANDL $0xFFFFFFF, DX

// FUNCTIONS shears u and v, and sets V9 to V11 to the edge functions, V12 and V13 to the least and the greatest of them. V0 to V2,
// V3 to V5 and V6 to V8 are the u, v and w of the vertices relative to the origin, V10 and V11 the shears.
#define FUNCTIONS \
	VMULPS V10, V6, V12 \
	VMULPS V11, V6, V13 \
	VSUBPS V12, V0, V0 \
	VSUBPS V13, V3, V3 \
	VMULPS V10, V7, V12 \
	VMULPS V11, V7, V13 \
	VSUBPS V12, V1, V1 \
	VSUBPS V13, V4, V4 \
	VMULPS V10, V8, V12 \
	VMULPS V11, V8, V13 \
	VSUBPS V12, V2, V2 \
	VSUBPS V13, V5, V5 \
	VMULPS V4, V2, V9 \
	VMULPS V1, V5, V12 \
	VSUBPS V12, V9, V9 \
	VMULPS V5, V0, V10 \
	VMULPS V2, V3, V12 \
	VSUBPS V12, V10, V10 \
	VMULPS V3, V1, V11 \
	VMULPS V0, V4, V12 \
	VSUBPS V12, V11, V11 \
	VMINPS V10, V9, V12 \
	VMAXPS V10, V9, V13 \
	VMINPS V11, V12, V12 \
	VMAXPS V11, V13, V13

// EDGES sets V14 in the lanes that miss and V0 to zero, after FUNCTIONS.
#define EDGES \
	FUNCTIONS \
	VXORPS V0, V0, V0 \
	VCMPPS $0x11, V0, V12, V14 \ // least < 0
	VCMPPS $0x11, V13, V0, V15 \ // 0 < greatest
	VANDPS V15, V14, V14

// QUOTIENT sets V1 to t, V5 to the sum of the edge functions, and V2 to 0 in the lanes in which both are finite. V4 is the inverse of
// the direction's w.
#define QUOTIENT \
	VADDPS V10, V9, V5 \
	VADDPS V11, V5, V5 \
	VMULPS V4, V6, V6 \
	VMULPS V4, V7, V7 \
	VMULPS V4, V8, V8 \
	VMULPS V6, V9, V1 \
	VMULPS V7, V10, V2 \
	VADDPS V2, V1, V1 \
	VMULPS V8, V11, V2 \
	VADDPS V2, V1, V1 \
	VDIVPS V5, V1, V1 \
	VSUBPS V5, V5, V2 \
	VSUBPS V1, V1, V3 \
	VADDPS V3, V2, V2

// DISTANCE is QUOTIENT, but sets V2 in the lanes with a result that is exact enough: no edge function is 0, and the sum and t are
// finite.
#define DISTANCE \
	VCMPPS $0x11, V12, V0, V14 \ // 0 < least
	VCMPPS $0x11, V0, V13, V15 \ // greatest < 0
	VORPS V15, V14, V14 \
	QUOTIENT \
	VCMPPS $0, V0, V2, V2 \
	VANDPS V14, V2, V2

// MEET sets V12 and V13 to the interval of the triangle's box.
#define MEET \
	SLAB(0, V12, V13) \
	SLAB(1, V14, V15) \
	VMAXPS V14, V12, V12 \
	VMINPS V15, V13, V13 \
	SLAB(2, V14, V15) \
	VMAXPS V14, V12, V12 \
	VMINPS V15, V13, V13

// COMPARE compares t in V1. It sets V8 in the lanes with low < t < high that are decided, and V2 in those that are left to Go: with
// t = low, t = high, or t outside of the interval of the triangle's box. Go clamps such a t to the box that has its padding; a t inside
// is inside of that larger box, too. V7 is high.
#define COMPARE(low, high) \
	MEET \
	VCMPPS $0x11, V12, V1, V4 \ // t < near
	VCMPPS $0x11, V1, V13, V9 \ // far < t
	VORPS V9, V4, V4 \
	VMOVUPS low, V6 \
	VMOVUPS high, V7 \
	VCMPPS $0x11, V1, V6, V8 \ // low < t
	VCMPPS $0x11, V7, V1, V9 \ // t < high
	VANDPS V9, V8, V8 \
	VANDNPS V8, V4, V8 \
	VCMPPS $0, V1, V6, V2 \ // low = t
	VCMPPS $0, V7, V1, V9 \ // t = high
	VORPS V9, V2, V2 \
	VORPS V4, V2, V2
