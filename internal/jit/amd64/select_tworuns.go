package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// halfLanes are the lanes of half a register, and halfBytes its size.
const (
	halfLanes = zmmLanes / 2
	halfBytes = 4 * halfLanes
)

// likelyTwoRuns reports whether varying offsets are likely two runs of consecutive elements, one in
// each half of the lanes: two lines of an image, in a workgroup half as wide as a vector. The handle
// must be constant, because no general register is left for it. Local sizes such as 8×8 are common
// for image filters: 16 lanes are two rows of eight texels.
//
//	lanes  0 … 7     row y,     offsets o0, o0+4, … o0+28
//	lanes  8 … 15    row y + 1, offsets o1, o1+4, …
func (m *machine) likelyTwoRuns(in *vcode.Inst) bool {
	return m.fixedHandle(in) && m.prog.LocalSize[0] == halfLanes
}

// broadcastFirsts sets each half of d to the value in the half's first lane of x. VPERMD with
// indices 0 (eight times) and 8 (eight times); zeros need no entry in the literal.
func (m *machine) broadcastFirsts(d, x Reg) {
	m.RM(VMOVDQU32, V512, d, 0, m.vector([16]uint32{8: 8, 9: 8, 10: 8, 11: 8, 12: 8, 13: 8, 14: 8, 15: 8}), 0)
	m.RR(VPERMD, V512, d, d, x, 0)
}

// notTwoRuns sets K2 to the lanes, under the mask o, with an offset in off other than its position
// in a run of elements of so many bytes from the first lane of its half on. Under a mask inactive lanes never differ.
func (m *machine) notTwoRuns(off Reg, size uint32, o Opt) {
	m.broadcastFirsts(2, off)
	var steps [16]uint32
	for i := range steps {
		steps[i] = uint32(i%halfLanes) * size
	}
	m.RM(VPADDD, V512, 2, 2, m.vector(steps), 0)
	m.RRI(VPCMPUD, V512, 2, 2, off, compareNE, o)
}

// boundsCheckHalves jumps to slow unless so many bytes from the offsets of both halves' first lanes
// on are in range, and returns their memory. The handle must be constant. It clobbers RAX, RCX, RDX
// and z. Offsets are unsigned 32-bit numbers and are zero-extended in RDX and RAX, and RCX is
// signed: it is negative for a short buffer.
func (m *machine) boundsCheckHalves(in *vcode.Inst, off, z Reg, bytes, field int32, slow Label) (low, high Mem) {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.highHalf(z, off)
	m.RR(VMOVD_ST, V128, z, 0, RAX, 0)
	at := m.handleWord(in.Uses[0], RAX, field)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+bytes)
	m.GRR(CMP|W, RCX, RDX)
	m.Jcc(Less, slow)
	m.GRR(CMP|W, RCX, RAX)
	m.Jcc(Less, slow)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	return Indexed(RCX, RDX, 1, int32(in.Key.Aux)), Indexed(RCX, RAX, 1, int32(in.Key.Aux))
}

// contiguousHalves is contiguous for each half of the lanes, with elements of so many bytes.
func (m *machine) contiguousHalves(in *vcode.Inst, k, off Reg, size uint32, field int32, slow Label) [2]Mem {
	m.notTwoRuns(off, size, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	low, high := m.boundsCheckHalves(in, off, 3, halfLanes*int32(size), field, slow)
	return [2]Mem{low, high}
}

// loadHalves loads each half of the lanes. The second load is the memory operand of the insertion,
// so that two instructions load 16 words.
func (m *machine) loadHalves(in *vcode.Inst, at [2]Mem) {
	m.RM(VMOVDQU32, V256, 0, 0, at[0], 0)
	d, o := m.dest(in, 0)
	m.RMI(VINSERTI32X8, V512, d, 0, at[1], 1, o)
	m.done(in, d)
}

// loadPairHalves loads two adjacent words for each lane, such as a texel of 64 bits, each half of the lanes with one instruction.
func (m *machine) loadPairHalves(in *vcode.Inst, at [2]Mem, z pairRegs) {
	m.RM(VMOVDQU32, V512, z.lo, 0, at[0], 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, at[1], 0)
	m.deinterleave(in, 0, z)
}

// loadNarrowHalves loads 8 or 16 bits for each lane, each half of the lanes with one instruction.
func (m *machine) loadNarrowHalves(in *vcode.Inst, at [2]Mem) {
	extend := VPMOVZXWD
	if in.Key.Type.Bits() == 8 {
		extend = VPMOVZXBD
	}
	m.RM(extend, V256, 0, 0, at[0], 0)
	m.RM(extend, V256, 2, 0, at[1], 0)
	m.RRI(VINSERTI32X8, V512, 0, 0, 2, 1, 0)
	m.define(in, 0)
}

// storeNarrowHalves stores 8 or 16 bits of each lane of the mask k, each half with one instruction. It clobbers K3 and Z3.
func (m *machine) storeNarrowHalves(in *vcode.Inst, at [2]Mem, k Reg) {
	truncate := truncation(uint32(in.Key.Type.Size()))
	v := m.vec(in.Uses[2], 0)
	m.RM(truncate, V256, v, 0, at[0], K(k))
	m.RRI(KSHIFTRW, V128, 3, 0, k, halfLanes, 0)
	m.highHalf(3, v)
	m.RM(truncate, V256, 3, 0, at[1], K(3))
}

// storeHalves stores each half, in the lanes of the mask o. It clobbers K3. VEXTRACTI32X8 stores the
// upper half directly. Its mask has eight bits, for lanes 8 to 15, shifted down.
func (m *machine) storeHalves(in *vcode.Inst, at [2]Mem, o Opt) {
	v := m.vec(in.Uses[2], 0)
	m.RM(VMOVDQU32_ST, V256, v, 0, at[0], o)
	if o != 0 {
		m.RRI(KSHIFTRW, V128, 3, 0, Reg(o), zmmLanes/2, 0)
		o = K(3)
	}
	m.RMI(VEXTRACTI32X8, V512, v, 0, at[1], 1, o)
}

// twoRuns detects two runs of words: it yields the offsets of their first words, or a negative
// number. It runs once before several accesses that share the offsets, up to a constant; each of
// them then needs only the check of its bounds (twoRunsCheck).
func (m *machine) twoRuns(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off := m.vec(in.Uses[0], 1)
	m.notTwoRuns(off, 4, 0)
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.highHalf(3, off)
	m.RR(VMOVD_ST, V128, 3, 0, RAX, 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	m.Bind(resume)
	m.storeGen(in.Defs[0], RDX)
	m.storeGen(in.Defs[1], RAX)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		// Negative as a 64-bit number, which no zero-extended offset is.
		m.MovI(RDX, 1<<63)
		m.Jmp(resume)
	})
}

// twoRunsCheck yields the addresses of two runs of words, the first null if not all of both is in
// range. u1 is a uniform part of the offsets: the run is at u1 + u2, modulo 2³² as the LEA of 32
// bits computes it.
func (m *machine) twoRunsCheck(in *vcode.Inst, field int32) {
	slow, resume := m.NewLabel(), m.NewLabel()
	low := m.gen(in.Uses[2], RDX)
	m.GRR(TEST|W, low, low)
	m.Jcc(Less, slow)
	base := m.gen(in.Uses[1], RCX)
	m.GRM(LEA, RDX, Indexed(base, low, 1, 0))
	m.GRM(LEA, RAX, Indexed(base, m.gen(in.Uses[3], RAX), 1, 0))
	m.GRM(MOV, RCX, m.handleWord(in.Uses[0], RCX, field))
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+halfBytes)
	m.GRR(CMP|W, RCX, RDX)
	m.Jcc(Less, slow)
	m.GRR(CMP|W, RCX, RAX)
	m.Jcc(Less, slow)
	at := m.handleWord(in.Uses[0], RCX, 0)
	m.GRM(ADD|W, RDX, at)
	m.GRM(ADD|W, RAX, at)
	m.Bind(resume)
	m.storeGen(in.Defs[0], RDX)
	m.storeGen(in.Defs[1], RAX)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.GRR(XOR, RDX, RDX)
		m.Jmp(resume)
	})
}

// checkedHalves returns the memory of the two halves of an access that has a TwoRunsCheck. It jumps
// to slow if that check failed. An address in a general register needs neither a handle nor an
// offset.
func (m *machine) checkedHalves(in *vcode.Inst, slow Label) [2]Mem {
	n := len(in.Uses)
	first := m.gen(in.Uses[n-2], RAX)
	m.GRR(TEST|W, first, first)
	m.Jcc(Equal, slow)
	imm := int32(in.Key.Aux)
	return [2]Mem{At(first, imm), At(m.gen(in.Uses[n-1], RCX), imm)}
}

// checkedOffsets puts the offsets of such an access into Z1. On the slow path the offsets of the
// lanes are u1 of the check plus the vector of the access.
func (m *machine) checkedOffsets(in *vcode.Inst) {
	m.RR(VPBROADCASTD_R, V512, 1, 0, m.gen(in.Uses[len(in.Uses)-3], RAX), 0)
	m.with(VPADDD, 1, 1, in.Uses[1], 0)
}

// gatherHalves loads two checked runs of words, also for inactive lanes; on the slow path each lane's
// word.
func (m *machine) gatherHalves(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	m.loadHalves(in, m.checkedHalves(in, slow))
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.checkedOffsets(in)
		m.gatherFrom(in, 1)
		m.Jmp(resume)
	})
}

// scatterHalves stores two checked runs of words.
func (m *machine) scatterHalves(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	o := m.storeOpt(in)
	m.storeHalves(in, m.checkedHalves(in, slow), o)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.checkedOffsets(in)
		m.scatterTo(in, 1, in.Uses[2])
		m.Jmp(resume)
	})
}
