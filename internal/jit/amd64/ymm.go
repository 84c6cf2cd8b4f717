package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymm is the selection for AVX2 with FMA and F16C. Its methods hide the methods of machine, which are for
// AVX-512, if they use vectors or masks.
//
// A mask is a vector with all ones or all zeros in each 32-bit lane. Scratch within one vcode
// instruction are Y0 to Y4, RAX, RCX and RDX; the other vectors are allocatable, for values and
// masks alike. Y1 to Y4 hold values too where no instruction needs them as scratch (shared.go). A
// value with 64 bits per lane occupies two vectors, from Y15 downwards. AVX2 lacks mask registers,
// embedded broadcasts, embedded rounding, scatters and half of the vector registers.
//
// A lane of a mask must be all ones or all zeros, never another value: VBLENDVPS and VMOVMSKPS read
// only its sign bit, VPAND and VPANDN use all bits, and a shift by 31 turns it into 1 or 0. The exception is a mask of
// which one choice reads the signs (fuse_signmask.go). A mask
// is stored with 32 bytes, like a vector. The layout of a vector is
//
//	lane   7  6  5  4 | 3  2  1  0        a "half" is one side of the bar, 128 bits
type ymm struct{ *machine }

const ymmLanes = 8

// allLanes8 is the VMOVMSKPS result for a mask of all lanes. VMOVMSKPS collects the sign bits of the
// eight lanes in the low bits of a general register, lane 0 in bit 0, and clears the other bits.
const allLanes8 = 0xff

// Masks have no register file of their own: Pools lets the register allocator assign them from the
// vectors. Eleven vectors are never scratch, for values and masks together, against 23 vectors and five masks of
// AVX-512.
func (m ymm) machineFor(f *vcode.Func) *regalloc.Machine {
	const some, most = 2, 4
	r := &regalloc.Machine{Clobbers: m.clobbers, SlotOperands: slotOperands}
	r.Registers[vcode.Vec] = int(ymmFile.end - ymmFile.first)
	r.Registers[vcode.Gen] = len(generals)
	r.Pools[vcode.Mask] = vcode.Vec
	reservePairs(r, f, some, most)
	return r
}

// clobbers reports whether an instruction preserves no register. An exit to Go preserves nothing, so
// every live value is in its stack slot across such an instruction. Operations with AVX2 code
// preserve everything.
func (m ymm) clobbers(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Call, vcode.Barrier:
		return true
	case vcode.Lane, vcode.Strip:
		return !m.native(in)
	}
	return false
}

// ymmEmitter emits a Lane instruction.
type ymmEmitter func(m ymm, in *vcode.Inst)

// towardZero is a rounding mode of MXCSR, ldmxcsr the opcode extension of LDMXCSR.
const (
	towardZero = 0x6000
	ldmxcsr    = 2
)

// ymmNative reports whether an IR operation has AVX2 code. Two limits are on immediates. The
// multiplication of At has 32 bits per lane, so a larger stride has no code. The address of Ld and
// St is computed with a 32-bit immediate (eachAccess).
func ymmNative(k ir.Key, op ir.Op) bool {
	switch {
	case op == ir.At && k.Aux > math.MaxUint32, (op == ir.Ld || op == ir.St) && k.Aux > maxDisp:
		return false
	}
	return ymmRules.Of(op, k) != nil
}

func (m ymm) native(in *vcode.Inst) bool {
	if in.Op == vcode.Strip {
		return m.groupNative(in)
	}
	return in.Op == vcode.Lane && ymmNative(in.Key, in.IR)
}

// lane emits an IR operation: by its rule, or as a service call that is skipped if no lane is active.
// AVX2 has no embedded rounding, so rounding toward zero switches MXCSR.
//
// LDMXCSR delays the instructions after it, which is acceptable, because few operations round toward
// zero: conversions with an explicit rounding mode and the shaders that request it in their
// execution mode. Around one operation:
//
//	ldmxcsr [toward zero]
//	vaddps  ymm5, ymm6, ymm7
//	ldmxcsr [nearest]
func (m ymm) lane(in *vcode.Inst) {
	if in.Op == vcode.Strip && m.native(in) {
		ymmGroups[in.IR](m, in)
		return
	}
	if m.native(in) {
		cuts := in.Key.Flags&ir.RTZ != 0 && in.IR.Is(ir.Rounds)
		if cuts {
			m.GRM(LDMXCSR, ldmxcsr, m.word32(mxcsr|towardZero))
		}
		ymmRules.Of(in.IR, in.Key)(m, in)
		if cuts {
			m.GRM(LDMXCSR, ldmxcsr, m.word32(mxcsr))
		}
		return
	}
	// The exit to Go is far more expensive than this test, and divergent code has many instructions
	// without an active lane.
	skip := m.NewLabel()
	m.testMasks(in.Masks)
	m.Jcc(Equal, skip)
	m.skipUnheeded(in, skip)
	m.callService(in)
	m.Bind(skip)
}

// initial expands the bits of the lanes to a mask. A part with fewer than eight invocations has
// zeros in the upper bits, so their lanes are inactive from the start.
func (m ymm) initial(to Mem, part int) {
	m.expand(0, At(R14, int32(target.RecordInitial+8*part)))
	m.RM(AVX_VMOVUPS_ST, V256, 0, 0, to, 0)
}

// expand sets y to the mask of eight bits in memory. It clobbers Y4.
//
// Example with the bits 0b101, lanes from 0 on:
//
//	broadcast     5  5  5  5 …
//	and           1  0  4  0 …     with 1 2 4 8 …
//	compare      −1  0 −1  0 …     lane i has bit i
func (m ymm) expand(y Reg, at Mem) {
	m.RM(AVX_VMOVUPS, V256, 4, 0, m.vector8([8]uint32{1, 2, 4, 8, 16, 32, 64, 128}), 0)
	m.RM(AVX_VPBROADCASTD, V256, y, 0, at, 0)
	m.rr(AVX_VPAND, y, y, 4)
	m.rr(AVX_VPCMPEQD, y, y, 4)
}

// clear zeros n bytes, a multiple of 64, from [r] on, and changes r if they are many. It clobbers Y0
// and RCX. The length is a multiple of a cache line, two vectors. The loop clears one line per
// iteration.
func (m ymm) clear(r Reg, off int32, n int) {
	const unrolled = 16
	m.zero(0)
	line := func(off int32) {
		m.RM(AVX_VMOVUPS_ST, V256, 0, 0, At(r, off), 0)
		m.RM(AVX_VMOVUPS_ST, V256, 0, 0, At(r, off+32), 0)
	}
	if n/64 <= unrolled {
		for i := range n / 64 {
			line(off + int32(64*i))
		}
		return
	}
	m.GI(AddI, true, r, off)
	m.MovI(RCX, uint64(n/64))
	again := m.NewLabel()
	m.Bind(again)
	line(0)
	m.GI(AddI, true, r, 64)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, again)
}
