package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// accesses are the rules of loads and stores of types other than 32 bits.
func accesses() map[rule]emitter {
	r := map[rule]emitter{}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.F16} {
		r[rule{ir.Ld, t, ir.H}] = loadNarrow
		r[rule{ir.St, t, ir.H}] = storeNarrow
	}
	for _, t := range [...]ir.Type{ir.I64, ir.F64} {
		r[rule{ir.Ld, t, ir.H}] = loadWide
		r[rule{ir.St, t, ir.H}] = storeWide
	}
	return r
}

// loadWide gathers 64 bits for each lane, 0 out of range.
func loadWide(m *machine, in *vcode.Inst) {
	m.RR(VPXORD, V128, 7, 7, 7, 0)
	m.RR(VPXORD, V128, 8, 8, 8, 0)
	m.checkedEights(in, m.execution(in), 8, handleLength, func(half int) {
		m.RR(KMOVW, V128, 1, 0, 2, 0)
		m.RM(VPGATHERQQ, V512, 7+Reg(half), 0, Indexed(NoReg, 5, 1, 0), K(1))
	})
	m.defineHalf(in, 0, 7)
	m.defineHalf(in, 1, 8)
}

// storeWide scatters 64 bits of each lane, in ascending order, nothing out of range and nothing for
// helpers.
func storeWide(m *machine, in *vcode.Inst) {
	m.checkedEights(in, m.storingLanes(in), 8, handleWrites, func(half int) {
		m.RR(KMOVW, V128, 1, 0, 2, 0)
		m.RM(VPSCATTERQQ, V512, m.half(in.Uses[2], half, 7), 0, Indexed(NoReg, 5, 1, 0), K(1))
	})
}

// stridedForm returns the strided access that a Lane access with a Stride may be.
func stridedForm(in *vcode.Inst) *vcode.Inst {
	row := *in
	row.Uses = in.Uses[len(in.Uses)-4:]
	return &row
}

// evenMask sets K2 to the even ones of 32 elements of 16 bits. It clobbers RAX.
func (m *machine) evenMask() Opt {
	m.MovI(RAX, 0x55555555)
	m.RR(KMOVD_KR, V128, 2, 0, RAX, 0)
	return K(2)
}

// loadNarrow loads 8 or 16 bits for each lane, 0 out of range: with one load if the access is strided
// and in range.
func loadNarrow(m *machine, in *vcode.Inst) {
	if in.Stride == 0 {
		gatherNarrow(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if in.Step*in.Stride == 2 {
		at, _ := m.boundsCheck(stridedForm(in), 32, handleLength, slow)
		m.RM(VPMOVZXWD, V512, 0, 0, at, 0)
	} else {
		at, _ := m.boundsCheck(stridedForm(in), 62, handleLength, slow)
		m.RM(VMOVDQU16, V512, 0, 0, at, m.evenMask()|Z)
	}
	m.define(in, 0)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		gatherNarrow(m, in)
		m.Jmp(resume)
	})
}

// gatherNarrow gathers 8 or 16 bits for each lane, 0 out of range. There are no gathers of bytes, so
// it gathers the aligned words of the first and the last byte, which are on the same pages as these,
// and shifts the first byte to the bottom.
func gatherNarrow(m *machine, in *vcode.Inst) {
	bits := uint32(in.Key.Type.Bits())
	m.RR(VPXORD, V128, 7, 7, 7, 0)
	m.RR(VPXORD, V128, 8, 8, 8, 0)
	m.checkedEights(in, m.execution(in), uint64(bits/8), handleLength, func(half int) {
		to := 7 + Reg(half)
		m.RR(VPMOVQD, V512, 5, 0, 0, 0)
		m.word(narrowInt, VPANDD, 0, 0, 3, 0)
		m.RRI(VPSLLD, V512, 0, 0, 0, 3, 0) // bits below the first byte
		m.moveVec(2, 5)
		m.gatherWord(to, 2)
		m.RR(VPSRLVD, V512, to, to, 0, 0)
		if bits == 16 {
			m.word(wideInt, VPADDQ, 2, 5, 1, 0)
			m.gatherWord(1, 2)
			m.broadcast(6, 32)
			m.RR(VPSUBD, V512, 6, 6, 0, 0)
			m.RR(VPSLLVD, V512, 1, 1, 6, 0)
			m.RR(VPORD, V512, to, to, 1, 0)
		}
	})
	m.join(0, 7, 8)
	m.truncate(0, bits)
	m.define(in, 0)
}

// gatherWord gathers the aligned words at eight addresses in the lanes of K2, 0 in the others. It
// clobbers the addresses and K1.
func (m *machine) gatherWord(d, at Reg) {
	m.word(wideInt, VPANDQ, at, at, 1<<64-4, 0)
	m.RR(VPXORD, V128, d, d, d, 0)
	m.RR(KMOVW, V128, 1, 0, 2, 0)
	m.RM(VPGATHERQD, V512, d, 0, Indexed(NoReg, at, 1, 0), K(1))
}

// storeNarrow stores 8 or 16 bits of each lane, nothing out of range and nothing for helpers: with one
// store if the access is strided, all lanes are active, and all is in range.
func storeNarrow(m *machine, in *vcode.Inst) {
	if in.Stride == 0 || m.storeOpt(in) != 0 {
		scatterNarrow(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if in.Step*in.Stride == 2 {
		at, _ := m.boundsCheck(stridedForm(in), 32, handleWrites, slow)
		m.RM(VPMOVDW, V512, m.vec(in.Uses[2], 0), 0, at, 0)
	} else {
		at, _ := m.boundsCheck(stridedForm(in), 62, handleWrites, slow)
		m.RM(VMOVDQU16_ST, V512, m.vec(in.Uses[2], 0), 0, at, m.evenMask())
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		scatterNarrow(m, in)
		m.Jmp(resume)
	})
}

// scatterNarrow stores 8 or 16 bits of each lane, in ascending order, nothing out of range and nothing
// for helpers. It compresses the active lanes and then shifts them out, one by one.
func scatterNarrow(m *machine, in *vcode.Inst) {
	bits := in.Key.Type.Bits()
	k := m.storingLanes(in)
	m.loadVec(7, in.Uses[2])
	m.highHalf(8, 7)
	move := MOVW_ST
	if bits == 8 {
		move = MOVB_ST
	}
	m.checkedEights(in, k, uint64(bits/8), handleWrites, func(half int) {
		value := 7 + Reg(half)
		again, done := m.NewLabel(), m.NewLabel()
		m.RR(KMOVW_RK, V128, RDX, 0, 2, 0)
		m.GI(AndI, false, RDX, 0xff)
		m.GRR(POPCNT, RDX, RDX)
		m.Jcc(Equal, done)
		m.RR(VPCOMPRESSQ, V512, 5, 0, 5, K(2)|Z)
		m.RR(VPCOMPRESSD, V512, value, 0, value, K(2)|Z)
		m.Bind(again)
		m.RR(VMOVQ_GX, V128, 5, 0, RAX, 0)
		m.RR(VMOVD_ST, V128, value, 0, RCX, 0)
		m.GRM(move, RCX, At(RAX, 0))
		m.RRI(VALIGND, V512, 5, 5, 5, 2, 0)
		m.RRI(VALIGND, V512, value, value, value, 1, 0)
		m.GI(SubI, false, RDX, 1)
		m.Jcc(NotEqual, again)
		m.Bind(done)
	})
}
