package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// halfBytes is the size of half a register.
const halfBytes = 4 * zmmLanes / 2

// halved reports whether offsets of an access that have no shape are likely those of
// two rows of a workgroup, of half as many lanes each, such as lines of an image. Each
// has a place of its own, so that there is no register left for the handle.
func (m *machine) likelyTwoRuns(in *vcode.Inst) bool {
	return m.fixedHandle(in) && m.prog.LocalSize[0] == zmmLanes/2
}

// firstOfHalves gives each half of d what the half's first lane has in x.
func (m *machine) broadcastFirsts(d, x Reg) {
	m.RM(VMOVDQU32, V512, d, 0, m.vector([16]uint32{8: 8, 9: 8, 10: 8, 11: 8, 12: 8, 13: 8, 14: 8, 15: 8}), 0)
	m.RR(VPERMD, V512, d, d, x, 0)
}

// unlikeRuns makes K2 the lanes, of those that o masks, whose offset in off is not that
// of their place in a run of words that begins with the first lane of their half.
func (m *machine) notTwoRuns(off Reg, o Opt) {
	m.broadcastFirsts(2, off)
	m.RM(VPADDD, V512, 2, 2, m.vector([16]uint32{0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28}), 0)
	m.RRI(VPCMPUD, V512, 2, 2, off, compareNE, o)
}

// halfPlaces leaves for far unless so many bytes from the offsets of the first lane of
// each half on are in range, and returns their places. There must be no register for the
// handle. It uses RAX, RCX, RDX and z.
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

// twoRows is consecutive for each half of the lanes by itself.
func (m *machine) contiguousHalves(in *vcode.Inst, k, off Reg, field int32, slow Label) [2]Mem {
	m.notTwoRuns(off, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	low, high := m.boundsCheckHalves(in, off, 3, halfBytes, field, slow)
	return [2]Mem{low, high}
}

// loadHalves loads each half of the lanes from its place.
func (m *machine) loadHalves(in *vcode.Inst, at [2]Mem) {
	m.RM(VMOVDQU32, V256, 0, 0, at[0], 0)
	d, o := m.dest(in, 0)
	m.RMI(VINSERTI32X8, V512, d, 0, at[1], 1, o)
	m.done(in, d)
}

// storeHalves stores each half to its place, the lanes that o masks. It uses K3.
func (m *machine) storeHalves(in *vcode.Inst, at [2]Mem, o Opt) {
	v := m.vec(in.Uses[2], 0)
	m.RM(VMOVDQU32_ST, V256, v, 0, at[0], o)
	if o != 0 {
		m.RRI(KSHIFTRW, V128, 3, 0, Reg(o), zmmLanes/2, 0)
		o = K(3)
	}
	m.RMI(VEXTRACTI32X8, V512, v, 0, at[1], 1, o)
}

// runs finds where the two runs of words begin that offsets are.
func (m *machine) twoRuns(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off := m.vec(in.Uses[0], 1)
	m.notTwoRuns(off, 0)
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
		m.MovI(RDX, 1<<63)
		m.Jmp(resume)
	})
}

// halfWindow is the addresses of two runs of words, the first 0 where not all of both
// can be accessed.
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

// held is where the two halves stand of an access that has a HalfWindow. It leaves for
// far where that knows of no place.
func (m *machine) checkedHalves(in *vcode.Inst, slow Label) [2]Mem {
	n := len(in.Uses)
	first := m.gen(in.Uses[n-2], RAX)
	m.GRR(TEST|W, first, first)
	m.Jcc(Equal, slow)
	imm := int32(in.Key.Aux)
	return [2]Mem{At(first, imm), At(m.gen(in.Uses[n-1], RCX), imm)}
}

// heldOffsets puts the offsets of such an access into Z1.
func (m *machine) checkedOffsets(in *vcode.Inst) {
	m.RR(VPBROADCASTD_R, V512, 1, 0, m.gen(in.Uses[len(in.Uses)-3], RAX), 0)
	m.with(VPADDD, 1, 1, in.Uses[1], 0)
}

// gatherHalves loads two runs of words, in range as a whole, whatever lanes want them;
// else each lane's, out of line.
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

// scatterHalves stores two runs of words.
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
