package amd64

// The VEX forms of AVX, AVX2, FMA and F16C, in addition to those at the end of insn_table.go. Their
// tuple is the size of the memory operand: VEX scales no displacement.

// Integer.
const (
	AVX_VPADDQ   Op = m0F | p66 | 0xD4 | fRVM | fVEX
	AVX_VPSUBQ   Op = m0F | p66 | 0xFB | fRVM | fVEX
	AVX_VPMULDQ  Op = m38 | p66 | 0x28 | fRVM | fVEX
	AVX_VPMULUDQ Op = m0F | p66 | 0xF4 | fRVM | fVEX
	AVX_VPMINSD  Op = m38 | p66 | 0x39 | fRVM | fVEX
	AVX_VPMINUD  Op = m38 | p66 | 0x3B | fRVM | fVEX
	AVX_VPMAXSD  Op = m38 | p66 | 0x3D | fRVM | fVEX
	AVX_VPMAXUD  Op = m38 | p66 | 0x3F | fRVM | fVEX
	AVX_VPABSD   Op = m38 | p66 | 0x1E | fRM | fVEX
	AVX_VPANDN   Op = m0F | p66 | 0xDF | fRVM | fVEX
	AVX_VPSRAVD  Op = m38 | p66 | 0x46 | fRVM | fVEX
	AVX_VPSLLVQ  Op = m38 | p66 | w1 | 0x47 | fRVM | fVEX
	AVX_VPSRLVQ  Op = m38 | p66 | w1 | 0x45 | fRVM | fVEX
	AVX_VPSLLD   Op = m0F | p66 | 0x72 | fVMI | 6<<shExt | fImm | fVEX | fRegOnly
	AVX_VPSRLD   Op = m0F | p66 | 0x72 | fVMI | 2<<shExt | fImm | fVEX | fRegOnly
	AVX_VPSRAD   Op = m0F | p66 | 0x72 | fVMI | 4<<shExt | fImm | fVEX | fRegOnly
	AVX_VPSRAW   Op = m0F | p66 | 0x71 | fVMI | 4<<shExt | fImm | fVEX | fRegOnly
	AVX_VPSRLW   Op = m0F | p66 | 0x71 | fVMI | 2<<shExt | fImm | fVEX | fRegOnly
	AVX_VPMADDWD Op = m0F | p66 | 0xF5 | fRVM | fVEX
	AVX_VPSLLQ   Op = m0F | p66 | 0x73 | fVMI | 6<<shExt | fImm | fVEX | fRegOnly
	AVX_VPSRLQ   Op = m0F | p66 | 0x73 | fVMI | 2<<shExt | fImm | fVEX | fRegOnly
	AVX_VPCMPEQQ Op = m38 | p66 | 0x29 | fRVM | fVEX
	AVX_VPCMPGTQ Op = m38 | p66 | 0x37 | fRVM | fVEX
	AVX_VPTEST   Op = m38 | p66 | 0x17 | fRM | fVEX
	AVX_VPSHUFD  Op = m0F | p66 | 0x70 | fRM | fImm | fVEX
)

// Float.
const (
	AVX_VADDPD       Op = m0F | p66 | 0x58 | fRVM | fVEX
	AVX_VSUBPD       Op = m0F | p66 | 0x5C | fRVM | fVEX
	AVX_VMULPD       Op = m0F | p66 | 0x59 | fRVM | fVEX
	AVX_VDIVPD       Op = m0F | p66 | 0x5E | fRVM | fVEX
	AVX_VMINPD       Op = m0F | p66 | 0x5D | fRVM | fVEX
	AVX_VMAXPD       Op = m0F | p66 | 0x5F | fRVM | fVEX
	AVX_VSQRTPD      Op = m0F | p66 | 0x51 | fRM | fVEX
	AVX_VCMPPD       Op = m0F | p66 | 0xC2 | fRVM | fVEX | fImm
	AVX_VFMADD231PD  Op = m38 | p66 | w1 | 0xB8 | fRVM | fVEX
	AVX_VFMADD213PD  Op = m38 | p66 | w1 | 0xA8 | fRVM | fVEX
	AVX_VFNMADD231PD Op = m38 | p66 | w1 | 0xBC | fRVM | fVEX
	AVX_VROUNDPS     Op = m3A | p66 | 0x08 | fRM | fVEX | fImm
	AVX_VROUNDPD     Op = m3A | p66 | 0x09 | fRM | fVEX | fImm
)

// Moves within and between vectors.
const (
	AVX_VPBLENDD       Op = m3A | p66 | 0x02 | fRVM | fVEX | fImm
	AVX_VPBLENDW       Op = m3A | p66 | 0x0E | fRVM | fVEX | fImm
	AVX_VBLENDVPS      Op = m3A | p66 | 0x4A | fRVM | fVEX | fIs4
	AVX_VBLENDVPD      Op = m3A | p66 | 0x4B | fRVM | fVEX | fIs4
	AVX_VSHUFPS        Op = m0F | 0xC6 | fRVM | fVEX | fImm
	AVX_VUNPCKLPS      Op = m0F | 0x14 | fRVM | fVEX
	AVX_VUNPCKHPS      Op = m0F | 0x15 | fRVM | fVEX
	AVX_VBROADCASTI128 Op = m38 | p66 | 0x5A | tT4d | fRM | fVEX | fMemOnly | fNo128
	AVX_VPERM2F128     Op = m3A | p66 | 0x06 | fRVM | fVEX | fImm | fNo128
	AVX_VPALIGNR       Op = m3A | p66 | 0x0F | fRVM | fVEX | fImm
	AVX_VPERMQ         Op = m3A | p66 | w1 | fRM | fVEX | fImm | fNo128
	AVX_VINSERTF128    Op = m3A | p66 | 0x18 | tT4d | fRVM | fVEX | fImm | srcXMM | fNo128
	AVX_VEXTRACTF128   Op = m3A | p66 | 0x19 | tT4d | fMR | fVEX | fImm | dstXMM | fNo128
	AVX_VPBROADCASTD   Op = m38 | p66 | 0x58 | tT1S | fRM | fVEX | srcXMM
	AVX_VBROADCASTSD   Op = m38 | p66 | 0x19 | tT1q | fRM | fVEX | srcXMM | fNo128
	AVX_VPACKUSDW      Op = m38 | p66 | 0x2B | fRVM | fVEX
	AVX_VMOVD          Op = m0F | p66 | 0x6E | tT1S | fRM | fVEX | srcGPR | fOnly128
	AVX_VMOVD_ST       Op = m0F | p66 | 0x7E | tT1S | fMR | fVEX | dstGPR | fOnly128
	AVX_VMOVQ          Op = m0F | p66 | w1 | 0x6E | tT1S | fRM | fVEX | srcGPR | fRegOnly | fOnly128
	AVX_VMOVQ_LD       Op = m0F | pF3 | 0x7E | tT1q | fRM | fVEX | fMemOnly | fOnly128
	AVX_VMOVHPD        Op = m0F | p66 | 0x16 | tT1q | fRVM | fVEX | fMemOnly | fOnly128
	AVX_VMOVQ_ST       Op = m0F | p66 | 0xD6 | tT1q | fMR | fVEX | fMemOnly | fOnly128
	AVX_VMOVHPD_ST     Op = m0F | p66 | 0x17 | tT1q | fMR | fVEX | fMemOnly | fOnly128
	AVX_VMOVQ_GX       Op = m0F | p66 | w1 | 0x7E | fMR | fVEX | dstGPR | fRegOnly | fOnly128
	AVX_VPINSRD        Op = m3A | p66 | 0x22 | tT1S | fRVM | fVEX | fImm | srcGPR | fOnly128
	AVX_VPEXTRD        Op = m3A | p66 | 0x16 | tT1S | fMR | fVEX | fImm | dstGPR | fOnly128
	AVX_VMOVMSKPD      Op = m0F | p66 | 0x50 | fRM | fVEX | dstGPR | fRegOnly
	AVX_VMOVNTPS_ST    Op = m0F | 0x2B | fMR | fVEX | fMemOnly
)

// Gathers take their mask, which they clear, as the operand in the middle.
const (
	AVX_VPGATHERDD    Op = m38 | p66 | 0x90 | fRVM | fVEX | fVSIB
	AVX_VPGATHERDQ    Op = m38 | p66 | w1 | 0x90 | fRVM | fVEX | fVSIBHalf
	AVX_VPGATHERQD    Op = m38 | p66 | 0x91 | fRVM | fVEX | fVSIB | dstHalf
	AVX_VPMASKMOVD    Op = m38 | p66 | 0x8C | fRVM | fVEX | fMemOnly
	AVX_VPMASKMOVD_ST Op = m38 | p66 | 0x8E | fMVR | fVEX | fMemOnly
)

// Converts.
const (
	AVX_VCVTDQ2PD  Op = m0F | pF3 | 0xE6 | tHV | fRM | fVEX | srcHalf
	AVX_VCVTTPD2DQ Op = m0F | p66 | 0xE6 | tFV | fRM | fVEX | dstHalf
	AVX_VCVTPS2PD  Op = m0F | 0x5A | tHV | fRM | fVEX | srcHalf
	AVX_VCVTPD2PS  Op = m0F | p66 | 0x5A | tFV | fRM | fVEX | dstHalf
	AVX_VCVTPH2PS  Op = m38 | p66 | 0x13 | tHVM | fRM | fVEX | srcHalf
	AVX_VCVTPS2PH  Op = m3A | p66 | 0x1D | tHVM | fMR | fVEX | fImm | dstHalf
	AVX_VPMOVZXWD  Op = m38 | p66 | 0x33 | tHVM | fRM | fVEX | srcHalf
	AVX_VPMOVZXBD  Op = m38 | p66 | 0x31 | tQVM | fRM | fVEX | srcQuarter
	AVX_VPMOVZXDQ  Op = m38 | p66 | 0x35 | tHVM | fRM | fVEX | srcHalf
	AVX_VPMOVSXDQ  Op = m38 | p66 | 0x25 | tHVM | fRM | fVEX | srcHalf
)
