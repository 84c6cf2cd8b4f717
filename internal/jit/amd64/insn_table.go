package amd64

// The instructions of this encoder, one word each: opcode (Intel SDM vol. 2, "opcode" column), the
// mapping of operands to its fields, and the kinds of registers. Names are Intel's; the suffix _ST is
// the store form of a move (rm <- reg), _R has a general register as the source, _GX as the
// destination. KMOV_KR moves a general register to a mask register, KMOV_RK back. The prefix AVX_ is
// the VEX form, for processors without AVX-512.

// Float arithmetic.
const (
	VADDPS       Op = m0F | 0x58 | tFV | fRVM | fRound
	VADDPD       Op = m0F | p66 | w1 | 0x58 | tFV | fRVM | fRound
	VSUBPS       Op = m0F | 0x5C | tFV | fRVM | fRound
	VSUBPD       Op = m0F | p66 | w1 | 0x5C | tFV | fRVM | fRound
	VMULPS       Op = m0F | 0x59 | tFV | fRVM | fRound
	VMULPD       Op = m0F | p66 | w1 | 0x59 | tFV | fRVM | fRound
	VDIVPS       Op = m0F | 0x5E | tFV | fRVM | fRound
	VDIVPD       Op = m0F | p66 | w1 | 0x5E | tFV | fRVM | fRound
	VMINPS       Op = m0F | 0x5D | tFV | fRVM
	VMINPD       Op = m0F | p66 | w1 | 0x5D | tFV | fRVM
	VMAXPS       Op = m0F | 0x5F | tFV | fRVM
	VMAXPD       Op = m0F | p66 | w1 | 0x5F | tFV | fRVM
	VSQRTPS      Op = m0F | 0x51 | tFV | fRM | fRound
	VSQRTPD      Op = m0F | p66 | w1 | 0x51 | tFV | fRM | fRound
	VFMADD132PS  Op = m38 | p66 | 0x98 | tFV | fRVM | fRound
	VFMADD213PS  Op = m38 | p66 | 0xA8 | tFV | fRVM | fRound
	VFMADD231PS  Op = m38 | p66 | 0xB8 | tFV | fRVM | fRound
	VFMADD132PD  Op = m38 | p66 | w1 | 0x98 | tFV | fRVM | fRound
	VFMADD213PD  Op = m38 | p66 | w1 | 0xA8 | tFV | fRVM | fRound
	VFMADD231PD  Op = m38 | p66 | w1 | 0xB8 | tFV | fRVM | fRound
	VFMSUB132PS  Op = m38 | p66 | 0x9A | tFV | fRVM | fRound
	VFMSUB213PS  Op = m38 | p66 | 0xAA | tFV | fRVM | fRound
	VFMSUB231PS  Op = m38 | p66 | 0xBA | tFV | fRVM | fRound
	VFNMADD132PS Op = m38 | p66 | 0x9C | tFV | fRVM | fRound
	VFNMADD213PS Op = m38 | p66 | 0xAC | tFV | fRVM | fRound
	VFNMADD231PS Op = m38 | p66 | 0xBC | tFV | fRVM | fRound
	VFNMADD231PD Op = m38 | p66 | w1 | 0xBC | tFV | fRVM | fRound
	VFNMSUB231PS Op = m38 | p66 | 0xBE | tFV | fRVM | fRound
	VRCP14PS     Op = m38 | p66 | 0x4C | tFV | fRM
	VRSQRT14PS   Op = m38 | p66 | 0x4E | tFV | fRM
	VSCALEFPS    Op = m38 | p66 | 0x2C | tFV | fRVM | fRound
	VSCALEFPD    Op = m38 | p66 | w1 | 0x2C | tFV | fRVM | fRound
	VGETEXPPS    Op = m38 | p66 | 0x42 | tFV | fRM
	VGETEXPPD    Op = m38 | p66 | w1 | 0x42 | tFV | fRM
	VGETMANTPS   Op = m3A | p66 | 0x26 | tFV | fRM | fImm
	VRNDSCALEPS  Op = m3A | p66 | 0x08 | tFV | fRM | fImm
	VRNDSCALEPD  Op = m3A | p66 | w1 | 0x09 | tFV | fRM | fImm
	VREDUCEPS    Op = m3A | p66 | 0x56 | tFV | fRM | fImm
	VRANGEPS     Op = m3A | p66 | 0x50 | tFV | fRVM | fImm
	VRANGEPD     Op = m3A | p66 | w1 | 0x50 | tFV | fRVM | fImm
	VFIXUPIMMPS  Op = m3A | p66 | 0x54 | tFV | fRVM | fImm
)

// Float logic.
const (
	VANDPS  Op = m0F | 0x54 | tFV | fRVM
	VANDNPS Op = m0F | 0x55 | tFV | fRVM
	VORPS   Op = m0F | 0x56 | tFV | fRVM
	VXORPS  Op = m0F | 0x57 | tFV | fRVM
)

// Integer.
const (
	VPADDD         Op = m0F | p66 | 0xFE | tFV | fRVM
	VPADDQ         Op = m0F | p66 | w1 | 0xD4 | tFV | fRVM
	VPADDW         Op = m0F | p66 | 0xFD | tFVM | fRVM
	VPADDB         Op = m0F | p66 | 0xFC | tFVM | fRVM
	VPSUBD         Op = m0F | p66 | 0xFA | tFV | fRVM
	VPSUBQ         Op = m0F | p66 | w1 | 0xFB | tFV | fRVM
	VPSUBW         Op = m0F | p66 | 0xF9 | tFVM | fRVM
	VPSUBB         Op = m0F | p66 | 0xF8 | tFVM | fRVM
	VPMULLD        Op = m38 | p66 | 0x40 | tFV | fRVM
	VPMULLQ        Op = m38 | p66 | w1 | 0x40 | tFV | fRVM
	VPMADDWD       Op = m0F | p66 | 0xF5 | tFVM | fRVM
	VPMULLW        Op = m0F | p66 | 0xD5 | tFVM | fRVM
	VPMULDQ        Op = m38 | p66 | w1 | 0x28 | tFV | fRVM
	VPMULUDQ       Op = m0F | p66 | w1 | 0xF4 | tFV | fRVM
	VPMINSD        Op = m38 | p66 | 0x39 | tFV | fRVM
	VPMINUD        Op = m38 | p66 | 0x3B | tFV | fRVM
	VPMAXSD        Op = m38 | p66 | 0x3D | tFV | fRVM
	VPMAXUD        Op = m38 | p66 | 0x3F | tFV | fRVM
	VPMINSQ        Op = m38 | p66 | w1 | 0x39 | tFV | fRVM
	VPMINUQ        Op = m38 | p66 | w1 | 0x3B | tFV | fRVM
	VPMAXUQ        Op = m38 | p66 | w1 | 0x3F | tFV | fRVM
	VPMAXSQ        Op = m38 | p66 | w1 | 0x3D | tFV | fRVM
	VPABSD         Op = m38 | p66 | 0x1E | tFV | fRM
	VPABSQ         Op = m38 | p66 | w1 | 0x1F | tFV | fRM
	VPANDD         Op = m0F | p66 | 0xDB | tFV | fRVM
	VPANDQ         Op = m0F | p66 | w1 | 0xDB | tFV | fRVM
	VPANDND        Op = m0F | p66 | 0xDF | tFV | fRVM
	VPORD          Op = m0F | p66 | 0xEB | tFV | fRVM
	VPORQ          Op = m0F | p66 | w1 | 0xEB | tFV | fRVM
	VPXORD         Op = m0F | p66 | 0xEF | tFV | fRVM
	VPXORQ         Op = m0F | p66 | w1 | 0xEF | tFV | fRVM
	VPTERNLOGD     Op = m3A | p66 | 0x25 | tFV | fRVM | fImm
	VPTERNLOGQ     Op = m3A | p66 | w1 | 0x25 | tFV | fRVM | fImm
	VPSLLVD        Op = m38 | p66 | 0x47 | tFV | fRVM
	VPSRLVD        Op = m38 | p66 | 0x45 | tFV | fRVM
	VPSRAVD        Op = m38 | p66 | 0x46 | tFV | fRVM
	VPSLLVQ        Op = m38 | p66 | w1 | 0x47 | tFV | fRVM
	VPSRLVQ        Op = m38 | p66 | w1 | 0x45 | tFV | fRVM
	VPSRAVQ        Op = m38 | p66 | w1 | 0x46 | tFV | fRVM
	VPSLLVW        Op = m38 | p66 | w1 | 0x12 | tFVM | fRVM
	VPROLVD        Op = m38 | p66 | 0x15 | tFV | fRVM
	VPRORVD        Op = m38 | p66 | 0x14 | tFV | fRVM
	VPSLLD         Op = m0F | p66 | 0x72 | tFV | fVMI | 6<<shExt | fImm
	VPSRLD         Op = m0F | p66 | 0x72 | tFV | fVMI | 2<<shExt | fImm
	VPSRAD         Op = m0F | p66 | 0x72 | tFV | fVMI | 4<<shExt | fImm
	VPSRAW         Op = m0F | p66 | 0x71 | tFVM | fVMI | 4<<shExt | fImm
	VPSRLW         Op = m0F | p66 | 0x71 | tFVM | fVMI | 2<<shExt | fImm
	VPROLD         Op = m0F | p66 | 0x72 | tFV | fVMI | 1<<shExt | fImm
	VPRORD         Op = m0F | p66 | 0x72 | tFV | fVMI | 0<<shExt | fImm
	VPSLLQ         Op = m0F | p66 | w1 | 0x73 | tFV | fVMI | 6<<shExt | fImm
	VPSRLQ         Op = m0F | p66 | w1 | 0x73 | tFV | fVMI | 2<<shExt | fImm
	VPSRAQ         Op = m0F | p66 | w1 | 0x72 | tFV | fVMI | 4<<shExt | fImm
	VPLZCNTD       Op = m38 | p66 | 0x44 | tFV | fRM
	VPLZCNTQ       Op = m38 | p66 | w1 | 0x44 | tFV | fRM
	VPCONFLICTD    Op = m38 | p66 | 0xC4 | tFV | fRM
	VPOPCNTD       Op = m38 | p66 | 0x55 | tFV | fRM
	VPOPCNTQ       Op = m38 | p66 | w1 | 0x55 | tFV | fRM
	VPOPCNTB       Op = m38 | p66 | 0x54 | tFVM | fRM
	VPSHUFBITQMB   Op = m38 | p66 | 0x8F | tFVM | fRVM | dstMask
	VPDPBUSD       Op = m38 | p66 | 0x50 | tFV | fRVM
	VPDPWSSD       Op = m38 | p66 | 0x52 | tFV | fRVM
	VPSHUFB        Op = m38 | p66 | tFVM | fRVM
	VPSHUFD        Op = m0F | p66 | 0x70 | tFV | fRM | fImm
	VGF2P8AFFINEQB Op = m3A | p66 | w1 | 0xCE | tFV | fRVM | fImm
	VPMULTISHIFTQB Op = m38 | p66 | w1 | 0x83 | tFV | fRVM
	VPSHLDD        Op = m3A | p66 | 0x71 | tFV | fRVM | fImm
	VPSHLDVD       Op = m38 | p66 | 0x71 | tFV | fRVM
)

// Compares to mask.
const (
	VCMPPS     Op = m0F | 0xC2 | tFV | fRVM | fImm | dstMask
	VCMPPD     Op = m0F | p66 | w1 | 0xC2 | tFV | fRVM | fImm | dstMask
	VPCMPD     Op = m3A | p66 | 0x1F | tFV | fRVM | fImm | dstMask
	VPCMPUD    Op = m3A | p66 | 0x1E | tFV | fRVM | fImm | dstMask
	VPCMPQ     Op = m3A | p66 | w1 | 0x1F | tFV | fRVM | fImm | dstMask
	VPCMPUQ    Op = m3A | p66 | w1 | 0x1E | tFV | fRVM | fImm | dstMask
	VPCMPB     Op = m3A | p66 | 0x3F | tFVM | fRVM | fImm | dstMask
	VPCMPW     Op = m3A | p66 | w1 | 0x3F | tFVM | fRVM | fImm | dstMask
	VPTESTMD   Op = m38 | p66 | 0x27 | tFV | fRVM | dstMask
	VPTESTNMD  Op = m38 | pF3 | 0x27 | tFV | fRVM | dstMask
	VPTESTNMQ  Op = m38 | pF3 | w1 | 0x27 | tFV | fRVM | dstMask
	VFPCLASSPS Op = m3A | p66 | 0x66 | tFV | fRM | fImm | dstMask
)

// Moves.
const (
	VMOVUPS      Op = m0F | 0x10 | tFVM | fRM
	VMOVUPS_ST   Op = m0F | 0x11 | tFVM | fMR
	VMOVAPS      Op = m0F | 0x28 | tFVM | fRM
	VMOVAPS_ST   Op = m0F | 0x29 | tFVM | fMR
	VMOVUPD      Op = m0F | p66 | w1 | 0x10 | tFVM | fRM
	VMOVDQU32    Op = m0F | pF3 | 0x6F | tFVM | fRM
	VMOVDQU32_ST Op = m0F | pF3 | 0x7F | tFVM | fMR
	VMOVDQA32    Op = m0F | p66 | 0x6F | tFVM | fRM
	VMOVDQA32_ST Op = m0F | p66 | 0x7F | tFVM | fMR
	VMOVDQU64    Op = m0F | pF3 | w1 | 0x6F | tFVM | fRM
	VMOVDQU64_ST Op = m0F | pF3 | w1 | 0x7F | tFVM | fMR
	VMOVDQA64    Op = m0F | p66 | w1 | 0x6F | tFVM | fRM
	VMOVDQA64_ST Op = m0F | p66 | w1 | 0x7F | tFVM | fMR
	VMOVDQU8     Op = m0F | pF2 | 0x6F | tFVM | fRM
	VMOVDQU8_ST  Op = m0F | pF2 | 0x7F | tFVM | fMR
	VMOVDQU16    Op = m0F | pF2 | w1 | 0x6F | tFVM | fRM
	VMOVDQU16_ST Op = m0F | pF2 | w1 | 0x7F | tFVM | fMR
	VMOVNTPS_ST  Op = m0F | 0x2B | tFVM | fMR | fMemOnly
	VBLENDMPS    Op = m38 | p66 | 0x65 | tFV | fRVM
	VPBLENDMD    Op = m38 | p66 | 0x64 | tFV | fRVM
	VPBLENDMQ    Op = m38 | p66 | w1 | 0x64 | tFV | fRVM
)

// Broadcast, permute, compress.
const (
	VBROADCASTSS    Op = m38 | p66 | 0x18 | tT1S | fRM | srcXMM
	VBROADCASTSD    Op = m38 | p66 | w1 | 0x19 | tT1S | fRM | srcXMM | fNo128
	VPBROADCASTD    Op = m38 | p66 | 0x58 | tT1S | fRM | srcXMM
	VPBROADCASTQ    Op = m38 | p66 | w1 | 0x59 | tT1S | fRM | srcXMM
	VPBROADCASTB    Op = m38 | p66 | 0x78 | tT1b | fRM | srcXMM
	VPBROADCASTW    Op = m38 | p66 | 0x79 | tT1w | fRM | srcXMM
	VPBROADCASTD_R  Op = m38 | p66 | 0x7C | fRM | srcGPR
	VPBROADCASTQ_R  Op = m38 | p66 | w1 | 0x7C | fRM | srcGPR
	VBROADCASTF32X4 Op = m38 | p66 | 0x1A | tT4d | fRM | fMemOnly | fNo128
	VBROADCASTI32X4 Op = m38 | p66 | 0x5A | tT4d | fRM | fMemOnly | fNo128
	VPERMD          Op = m38 | p66 | 0x36 | tFV | fRVM | fNo128
	VPERMPS         Op = m38 | p66 | 0x16 | tFV | fRVM | fNo128
	VPERMQ          Op = m38 | p66 | w1 | 0x36 | tFV | fRVM | fNo128
	VPERMI2PS       Op = m38 | p66 | 0x77 | tFV | fRVM
	VPERMI2D        Op = m38 | p66 | 0x76 | tFV | fRVM
	VPERMT2PS       Op = m38 | p66 | 0x7F | tFV | fRVM
	VPERMT2D        Op = m38 | p66 | 0x7E | tFV | fRVM
	VPERMB          Op = m38 | p66 | 0x8D | tFVM | fRVM
	VPERMW          Op = m38 | p66 | w1 | 0x8D | tFVM | fRVM
	VPERMILPS       Op = m3A | p66 | 0x04 | tFV | fRM | fImm
	VPERMILPS_V     Op = m38 | p66 | 0x0C | tFV | fRVM
	VSHUFPS         Op = m0F | 0xC6 | tFV | fRVM | fImm
	VSHUFF32X4      Op = m3A | p66 | 0x23 | tFV | fRVM | fImm | fNo128
	VUNPCKLPS       Op = m0F | 0x14 | tFV | fRVM
	VUNPCKHPS       Op = m0F | 0x15 | tFV | fRVM
	VALIGND         Op = m3A | p66 | 0x03 | tFV | fRVM | fImm
	VCOMPRESSPS     Op = m38 | p66 | 0x8A | tT1S | fMR
	VPCOMPRESSD     Op = m38 | p66 | 0x8B | tT1S | fMR
	VPCOMPRESSQ     Op = m38 | p66 | w1 | 0x8B | tT1S | fMR
	VEXPANDPS       Op = m38 | p66 | 0x88 | tT1S | fRM
	VPEXPANDD       Op = m38 | p66 | 0x89 | tT1S | fRM
	VPEXPANDQ       Op = m38 | p66 | w1 | 0x89 | tT1S | fRM
	VEXTRACTF32X4   Op = m3A | p66 | 0x19 | tT4d | fMR | dstXMM | fImm | fNo128
	VEXTRACTI32X4   Op = m3A | p66 | 0x39 | tT4d | fMR | dstXMM | fImm | fNo128
	VINSERTF32X4    Op = m3A | p66 | 0x18 | tT4d | fRVM | srcXMM | fImm | fNo128
	VEXTRACTI32X8   Op = m3A | p66 | 0x3B | tT8d | fMR | dstHalf | fImm | fOnly512
	VINSERTI32X8    Op = m3A | p66 | 0x3A | tT8d | fRVM | srcHalf | fImm | fOnly512
)

// Gather / scatter.
const (
	VGATHERDPS  Op = m38 | p66 | 0x92 | tT1S | fRM | fVSIB
	VGATHERDPD  Op = m38 | p66 | w1 | 0x92 | tT1S | fRM | fVSIBHalf
	VGATHERQPD  Op = m38 | p66 | w1 | 0x93 | tT1S | fRM | fVSIB
	VPGATHERDD  Op = m38 | p66 | 0x90 | tT1S | fRM | fVSIB
	VPGATHERDQ  Op = m38 | p66 | w1 | 0x90 | tT1S | fRM | fVSIBHalf
	VPGATHERQQ  Op = m38 | p66 | w1 | 0x91 | tT1S | fRM | fVSIB
	VPGATHERQD  Op = m38 | p66 | 0x91 | tT1S | fRM | fVSIB | dstHalf
	VPSCATTERQD Op = m38 | p66 | 0xA1 | tT1S | fMR | fVSIB | srcHalf
	VPSCATTERDD Op = m38 | p66 | 0xA0 | tT1S | fMR | fVSIB
	VPSCATTERQQ Op = m38 | p66 | w1 | 0xA1 | tT1S | fMR | fVSIB
	VSCATTERDPS Op = m38 | p66 | 0xA2 | tT1S | fMR | fVSIB
)

// Converts.
const (
	VCVTDQ2PS   Op = m0F | 0x5B | tFV | fRM | fRound
	VCVTUDQ2PS  Op = m0F | pF2 | 0x7A | tFV | fRM | fRound
	VCVTPS2DQ   Op = m0F | p66 | 0x5B | tFV | fRM | fRound
	VCVTTPS2DQ  Op = m0F | pF3 | 0x5B | tFV | fRM
	VCVTTPS2UDQ Op = m0F | 0x78 | tFV | fRM
	VCVTPS2UDQ  Op = m0F | 0x79 | tFV | fRM | fRound
	VCVTPS2PD   Op = m0F | 0x5A | tHV | fRM | srcHalf
	VCVTPD2PS   Op = m0F | p66 | w1 | 0x5A | tFV | fRM | dstHalf | fRound
	VCVTDQ2PD   Op = m0F | pF3 | 0xE6 | tHV | fRM | srcHalf
	VCVTUDQ2PD  Op = m0F | pF3 | 0x7A | tHV | fRM | srcHalf
	VCVTTPD2DQ  Op = m0F | p66 | w1 | 0xE6 | tFV | fRM | dstHalf
	VCVTTPD2UDQ Op = m0F | w1 | 0x78 | tFV | fRM | dstHalf
	VCVTQQ2PD   Op = m0F | pF3 | w1 | 0xE6 | tFV | fRM | fRound
	VCVTTPD2QQ  Op = m0F | p66 | w1 | 0x7A | tFV | fRM
	VCVTTPD2UQQ Op = m0F | p66 | w1 | 0x78 | tFV | fRM
	VCVTTPS2QQ  Op = m0F | p66 | 0x7A | tHV | fRM | srcHalf
	VCVTTPS2UQQ Op = m0F | p66 | 0x78 | tHV | fRM | srcHalf
	VCVTUQQ2PD  Op = m0F | pF3 | w1 | 0x7A | tFV | fRM | fRound
	VCVTUQQ2PS  Op = m0F | pF2 | w1 | 0x7A | tFV | fRM | dstHalf | fRound
	VCVTQQ2PS   Op = m0F | w1 | 0x5B | tFV | fRM | dstHalf | fRound
	VCVTPH2PS   Op = m38 | p66 | 0x13 | tHVM | fRM | srcHalf
	VCVTPS2PH   Op = m3A | p66 | 0x1D | tHVM | fMR | dstHalf | fImm
	VPMOVZXBD   Op = m38 | p66 | 0x31 | tQVM | fRM | srcQuarter
	VPMOVZXWD   Op = m38 | p66 | 0x33 | tHVM | fRM | srcHalf
	VPMOVSXBD   Op = m38 | p66 | 0x21 | tQVM | fRM | srcQuarter
	VPMOVSXWD   Op = m38 | p66 | 0x23 | tHVM | fRM | srcHalf
	VPMOVSXDQ   Op = m38 | p66 | 0x25 | tHVM | fRM | srcHalf
	VPMOVZXDQ   Op = m38 | p66 | 0x35 | tHVM | fRM | srcHalf
	VPMOVDB     Op = m38 | pF3 | 0x31 | tQVM | fMR | dstQuarter
	VPMOVDW     Op = m38 | pF3 | 0x33 | tHVM | fMR | dstHalf
	VPMOVUSQD   Op = m38 | pF3 | 0x15 | tHVM | fMR | dstHalf
	VPMOVQD     Op = m38 | pF3 | 0x35 | tHVM | fMR | dstHalf
	VPMOVM2D    Op = m38 | pF3 | 0x38 | fRM | srcMask
	VPMOVD2M    Op = m38 | pF3 | 0x39 | fRM | dstMask | fRegOnly
)

// Scalar.
const (
	VMOVSS      Op = m0F | pF3 | 0x10 | tT1S | fRM | fMemOnly | fOnly128
	VMOVSS_ST   Op = m0F | pF3 | 0x11 | tT1S | fMR | fMemOnly | fOnly128
	VMOVD       Op = m0F | p66 | 0x6E | tT1S | fRM | srcGPR | fOnly128
	VMOVD_ST    Op = m0F | p66 | 0x7E | tT1S | fMR | dstGPR | fOnly128
	VMOVQ       Op = m0F | p66 | w1 | 0x6E | tT1S | fRM | srcGPR | fOnly128
	VMOVHPD     Op = m0F | p66 | w1 | 0x16 | tT1S | fRVM | fMemOnly | fOnly128
	VMOVQ_ST    Op = m0F | p66 | w1 | 0xD6 | tT1S | fMR | fMemOnly | fOnly128
	VMOVQ_GX    Op = m0F | p66 | w1 | 0x7E | fMR | dstGPR | fRegOnly | fOnly128
	VADDSS      Op = m0F | pF3 | 0x58 | tT1S | fRVM | fOnly128
	VMULSS      Op = m0F | pF3 | 0x59 | tT1S | fRVM | fOnly128
	VFMADD231SS Op = m38 | p66 | 0xB9 | tT1S | fRVM | fOnly128
	VPEXTRB_ST  Op = m3A | p66 | 0x14 | tT1b | fMR | fMemOnly | fImm | fOnly128
)

// Fp16.
const (
	VADDPH      Op = mp5 | 0x58 | tFVH | fRVM | fRound
	VMULPH      Op = mp5 | 0x59 | tFVH | fRVM | fRound
	VFMADD231PH Op = mp6 | p66 | 0xB8 | tFVH | fRVM | fRound
	VSQRTPH     Op = mp5 | 0x51 | tFVH | fRM | fRound
	VCMPPH      Op = m3A | 0xC2 | tFVH | fRVM | fImm | dstMask
)

// Bf16.
const (
	VDPBF16PS     Op = m38 | pF3 | 0x52 | tFV | fRVM
	VCVTNEPS2BF16 Op = m38 | pF3 | 0x72 | tFV | fRM | dstHalf
)

// Mask registers.
const (
	KMOVW    Op = m0F | 0x90 | fRM | fVEX | allMask
	KMOVQ    Op = m0F | w1 | 0x90 | fRM | fVEX | allMask
	KMOVW_ST Op = m0F | 0x91 | fMR | fVEX | srcMask | fMemOnly
	KMOVQ_ST Op = m0F | w1 | 0x91 | fMR | fVEX | srcMask | fMemOnly
	KMOVW_KR Op = m0F | 0x92 | fRM | fVEX | dstMask | srcGPR
	KMOVD_KR Op = m0F | pF2 | 0x92 | fRM | fVEX | dstMask | srcGPR
	KMOVQ_KR Op = m0F | pF2 | w1 | 0x92 | fRM | fVEX | dstMask | srcGPR
	KMOVW_RK Op = m0F | 0x93 | fRM | fVEX | dstGPR | srcMask
	KMOVD_RK Op = m0F | pF2 | 0x93 | fRM | fVEX | dstGPR | srcMask
	KMOVQ_RK Op = m0F | pF2 | w1 | 0x93 | fRM | fVEX | dstGPR | srcMask
	KANDW    Op = m0F | 0x41 | fRVM | fVEX | 1<<shVL | allMask
	KANDNW   Op = m0F | 0x42 | fRVM | fVEX | 1<<shVL | allMask
	KNOTW    Op = m0F | 0x44 | fRM | fVEX | allMask
	KORW     Op = m0F | 0x45 | fRVM | fVEX | 1<<shVL | allMask
	KXNORW   Op = m0F | 0x46 | fRVM | fVEX | 1<<shVL | allMask
	KXORW    Op = m0F | 0x47 | fRVM | fVEX | 1<<shVL | allMask
	KUNPCKBW Op = m0F | p66 | 0x4B | fRVM | fVEX | 1<<shVL | allMask
	KORTESTW Op = m0F | 0x98 | fRM | fVEX | allMask
	KTESTW   Op = m0F | 0x99 | fRM | fVEX | allMask
	KORTESTQ Op = m0F | w1 | 0x98 | fRM | fVEX | allMask
	KSHIFTRW Op = m3A | p66 | w1 | 0x30 | fRM | fVEX | allMask | fImm
	KSHIFTLW Op = m3A | p66 | w1 | 0x32 | fRM | fVEX | allMask | fImm
)

// AVX2 (VEX) forms for machines without AVX-512.
const (
	AVX_VADDPS       Op = m0F | 0x58 | fRVM | fVEX
	AVX_VSUBPS       Op = m0F | 0x5C | fRVM | fVEX
	AVX_VMULPS       Op = m0F | 0x59 | fRVM | fVEX
	AVX_VDIVPS       Op = m0F | 0x5E | fRVM | fVEX
	AVX_VMINPS       Op = m0F | 0x5D | fRVM | fVEX
	AVX_VMAXPS       Op = m0F | 0x5F | fRVM | fVEX
	AVX_VSQRTPS      Op = m0F | 0x51 | fRM | fVEX
	AVX_VFMADD231PS  Op = m38 | p66 | 0xB8 | fRVM | fVEX
	AVX_VFMADD213PS  Op = m38 | p66 | 0xA8 | fRVM | fVEX
	AVX_VFMSUB231PS  Op = m38 | p66 | 0xBA | fRVM | fVEX
	AVX_VFMSUB213PS  Op = m38 | p66 | 0xAA | fRVM | fVEX
	AVX_VFNMADD231PS Op = m38 | p66 | 0xBC | fRVM | fVEX
	AVX_VFNMADD213PS Op = m38 | p66 | 0xAC | fRVM | fVEX
	AVX_VANDPS       Op = m0F | 0x54 | fRVM | fVEX
	AVX_VXORPS       Op = m0F | 0x57 | fRVM | fVEX
	AVX_VCMPPS       Op = m0F | 0xC2 | fRVM | fVEX | fImm
	AVX_VPADDD       Op = m0F | p66 | 0xFE | fRVM | fVEX
	AVX_VPSUBD       Op = m0F | p66 | 0xFA | fRVM | fVEX
	AVX_VPMULLD      Op = m38 | p66 | 0x40 | fRVM | fVEX
	AVX_VPCMPEQD     Op = m0F | p66 | 0x76 | fRVM | fVEX
	AVX_VPCMPGTD     Op = m0F | p66 | 0x66 | fRVM | fVEX
	AVX_VPAND        Op = m0F | p66 | 0xDB | fRVM | fVEX
	AVX_VPOR         Op = m0F | p66 | 0xEB | fRVM | fVEX
	AVX_VPXOR        Op = m0F | p66 | 0xEF | fRVM | fVEX
	AVX_VPSLLVD      Op = m38 | p66 | 0x47 | fRVM | fVEX
	AVX_VPSRLVD      Op = m38 | p66 | 0x45 | fRVM | fVEX
	AVX_VPERMD       Op = m38 | p66 | 0x36 | fRVM | fVEX | fNo128
	AVX_VPSHUFB      Op = m38 | p66 | fRVM | fVEX
	AVX_VMOVUPS      Op = m0F | 0x10 | fRM | fVEX
	AVX_VMOVUPS_ST   Op = m0F | 0x11 | fMR | fVEX
	AVX_VBROADCASTSS Op = m38 | p66 | 0x18 | fRM | fVEX | srcXMM
	AVX_VCVTDQ2PS    Op = m0F | 0x5B | fRM | fVEX
	AVX_VCVTTPS2DQ   Op = m0F | pF3 | 0x5B | fRM | fVEX
	AVX_VMOVMSKPS    Op = m0F | 0x50 | fRM | fVEX | dstGPR | fRegOnly
)
