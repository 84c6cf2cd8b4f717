package amd64

// Op is a vector or mask instruction, encoded as a bit field; insn_table.go lists all of them. With a
// table of data instead of one function per instruction, the encoder has two short functions.
//
// Example: VPADDD is opcode FE in map 0F with the prefix 66, three operands, and a full vector or a
// broadcast in memory:
//
//	VPADDD  m0F | p66 | 0xFE | tFV | fRVM
type Op uint64

// Fields of an Op.
const (
	shMap = 8  // 3 bits: opcode map, 1 = 0F, 2 = 0F38, 3 = 0F3A, 5 and 6 = FP16
	shPP  = 11 // 2 bits: mandatory prefix, 1 = 66, 2 = F3, 3 = F2
	shW   = 13 // 1 bit
	shTup = 14 // 4 bits: the unit of a one-byte displacement
	shFrm = 18 // 3 bits: the encoding field of each operand
	shExt = 21 // 3 bits: opcode extension in ModRM.reg
	shVL  = 26 // 2 bits: VEX.L of the three-operand mask instructions
	shSrc = 36 // 3 bits: kind of the last source
	shDst = 39 // 3 bits: kind of the destination
)

// Opcode maps, mandatory prefixes, W.
const (
	m0F Op = 1 << shMap
	m38 Op = 2 << shMap
	m3A Op = 3 << shMap
	mp5 Op = 5 << shMap
	mp6 Op = 6 << shMap

	p66 Op = 1 << shPP
	pF3 Op = 2 << shPP
	pF2 Op = 3 << shPP

	w1 Op = 1 << shW
)

// Tuple types (Intel SDM vol. 2, 2.7.5, "compressed displacement").
const (
	tNone Op = iota << shTup
	tFV      // a full vector, or one element broadcast
	tHV      // half a vector, or one 32-bit element broadcast
	tFVM     // a full vector
	tHVM     // half a vector
	tQVM     // a quarter of a vector
	tT1S     // one element of 32 or 64 bits, by W
	tT1b     // one byte
	tT1w     // one 16-bit word
	tT4d     // four 32-bit words
	tFVH     // a full vector of 16-bit elements, or one broadcast
	tT1q     // one element of 64 bits
	tT8d     // eight 32-bit words

	tupMask Op = 15 << shTup
)

// Operand forms. The operand order of the emitters is destination first.
const (
	fRVM Op = iota << shFrm // reg, vvvv, rm
	fRM                     // reg, rm
	fMR                     // rm, reg: stores, extracts, compresses
	fVMI                    // vvvv, rm, imm with an opcode extension
	fMVR                    // rm, vvvv, reg: masked stores of VEX

	frmMask Op = 7 << shFrm
)

// Flags.
const (
	fImm      Op = 1 << 24 // an 8-bit immediate follows
	fVEX      Op = 1 << 25 // VEX encoding; EVEX otherwise
	fRound    Op = 1 << 29 // supports embedded rounding
	fMemOnly  Op = 1 << 30 // r/m is memory
	fRegOnly  Op = 1 << 31 // r/m is a register
	fVSIB     Op = 1 << 32 // the index is a vector of the same length as the data
	fVSIBHalf Op = 1 << 33 // the index is a vector of half the length
	fNo128    Op = 1 << 34 // exists for 256 and 512 bits only
	fOnly128  Op = 1 << 35 // exists for 128 bits only
	fOnly512  Op = 1 << 43 // exists for 512 bits only
	fIs4      Op = 1 << 42 // the immediate's high four bits are a fourth register
)

// Kinds of register operands other than a vector of the instruction's length.
const (
	kindHalf    = 1 + iota // a vector of half the length, 128 bits at least
	kindQuarter            // a quarter, 128 bits at least
	kindXMM                // 128 bits
	kindGPR                // general register, 32 or 64 bits by W
	kindMask               // mask register

	srcHalf    Op = kindHalf << shSrc
	srcQuarter Op = kindQuarter << shSrc
	srcXMM     Op = kindXMM << shSrc
	srcGPR     Op = kindGPR << shSrc
	srcMask    Op = kindMask << shSrc
	dstHalf    Op = kindHalf << shDst
	dstQuarter Op = kindQuarter << shDst
	dstXMM     Op = kindXMM << shDst
	dstGPR     Op = kindGPR << shDst
	dstMask    Op = kindMask << shDst
	allMask    Op = srcMask | dstMask
)

func (o Op) form() Op    { return o & frmMask }
func (o Op) wide() bool  { return o&w1 != 0 }
func (o Op) srcKind() Op { return o >> shSrc & 7 }
func (o Op) dstKind() Op { return o >> shDst & 7 }

// VL is the length of an instruction's vectors.
type VL uint8

// Vector lengths.
const (
	V128 VL = iota
	V256
	V512
)

// Opt are the EVEX modifiers of an instruction: mask, zeroing, broadcast, rounding. The low bits
// resemble the last EVEX byte: aaa is the mask, bit 3 becomes z, bit 4 b.
type Opt uint16

// K masks the destination with mask register n, 1 to 7, and preserves the other lanes.
func K(n Reg) Opt { return Opt(n & 7) }

// Modifiers. Rounding needs register operands and V512.
const (
	Z  Opt = 1 << 3 // zero the other lanes
	BC Opt = 1 << 4 // the memory operand is one element for all lanes

	embedded Opt = 1 << 5
	RN       Opt = embedded | 0<<6 // round to nearest even
	RD       Opt = embedded | 1<<6 // round down
	RU       Opt = embedded | 2<<6 // round up
	RZ       Opt = embedded | 3<<6 // round toward zero
)

// is4 encodes a fourth register as an immediate.
func is4(r Reg) uint8 { return uint8(r) << 4 }

// disp8 returns the unit in bytes of a one-byte displacement of op.
//
// EVEX scales a displacement of one byte by the size of the memory operand, so that it reaches 128
// vectors instead of 128 bytes. Examples with 512 bits:
//
//	full vector         64
//	broadcast           4, or 8 with W
//	half vector         32    as the source of a widening conversion
func (o Op) disp8(vl VL, broadcast bool) int32 {
	element := int32(4) << (o >> shW & 1)
	if broadcast {
		switch o & tupMask {
		case tFVH:
			return 2
		case tHV:
			return 4
		}
		return element
	}
	full := int32(16) << vl
	switch o & tupMask {
	case tFV, tFVM, tFVH:
		return full
	case tHV, tHVM:
		return full / 2
	case tQVM:
		return full / 4
	case tT1S:
		return element
	case tT1w:
		return 2
	case tT4d:
		return 16
	case tT1q:
		return 8
	case tT8d:
		return 32
	}
	return 1
}
