package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// accesses are the rules of loads and stores of types other than 32 bits. Handles may differ between
// lanes here: accesses with one handle for all lanes are other instructions of vcode (Gather,
// StridedLoad and so on), unless they are wide, strided and narrow, or narrow stores.
func accesses() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.F16} {
		r[codegen.Rule{ir.Ld, t, ir.H}] = loadNarrow
		r[codegen.Rule{ir.St, t, ir.H}] = storeNarrow
	}
	for _, t := range [...]ir.Type{ir.I64, ir.F64} {
		r[codegen.Rule{ir.Ld, t, ir.H}] = loadWide
		r[codegen.Rule{ir.St, t, ir.H}] = storeWide
	}
	return r
}

// gatherWideApart gathers 64 bits for each lane, 0 out of range. VPGATHERQQ has eight 64-bit indices, so
// that a part needs two gathers. The indices are whole addresses, since each lane may have another
// buffer, and there is no common base.
func gatherWideApart(m *machine, in *vcode.Inst) {
	m.RR(VPXORD, V128, 7, 7, 7, 0)
	m.RR(VPXORD, V128, 8, 8, 8, 0)
	m.checkedEights(in, m.execution(in), 8, target.HandleLength, func(half int) {
		// A gather clears its mask lane by lane as it loads (so that it can resume after a fault),
		// and checkedEights still needs K2.
		m.RR(KMOVW, V128, 1, 0, 2, 0)
		m.RM(VPGATHERQQ, V512, 7+Reg(half), 0, Indexed(NoReg, 5, 1, 0), K(1))
	})
	m.defineHalf(in, 0, 7)
	m.defineHalf(in, 1, 8)
}

// scatterWideApart scatters 64 bits of each lane, in ascending order, nothing out of range and nothing for
// helpers. VPSCATTERQQ stores overlapping lanes from the lowest to the highest (Intel SDM vol. 2,
// VPSCATTERQQ), and so the highest lane wins, as in the IR.
func scatterWideApart(m *machine, in *vcode.Inst) {
	m.checkedEights(in, m.storingLanes(in), 8, target.HandleWrites, func(half int) {
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

// evenMask sets K2 to the even ones of 32 elements of 16 bits. It clobbers RAX. Elements of 16 bits
// with a stride of four bytes are the even ones of a vector:
//
//	element   31 30 … 3 2 1 0
//	mask       0  1 … 0 1 0 1     0x55555555
func (m *machine) evenMask() Opt {
	m.MovI(RAX, 0x55555555)
	m.RR(KMOVD_KR, V128, 2, 0, RAX, 0)
	return K(2)
}

// loadNarrow loads 8 or 16 bits for each lane, 0 out of range: with one load if the access is
// strided and in range. The sizes of the check: 16 elements of 2 bytes end at byte 32, and with a
// stride of 4 the last one ends at byte 62. Words beyond are in no active element of the mask, and a
// masked load never faults for these.
func loadNarrow(m *machine, in *vcode.Inst) {
	if in.Stride == 0 {
		gatherNarrow(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if in.Step*in.Stride == 2 {
		at, _ := m.boundsCheck(stridedForm(in), 32, target.HandleLength, slow)
		// Zero extension is the register format of narrow types (element).
		m.RM(VPMOVZXWD, V512, 0, 0, at, 0)
	} else {
		at, _ := m.boundsCheck(stridedForm(in), 62, target.HandleLength, slow)
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
// and shifts the first byte to the bottom. A 16-bit value at address a, with s = 8·(a mod 4), from
// the aligned words w0 at a and w1 at a + 1:
//
//	a mod 4    in w0            in w1         result
//	0, 1, 2    bits s to s+15   (same word)   w0 >> s
//	3          bits 24 to 31    bits 0 to 7   w0 >> 24 | w1 << 8
//
// In the other cases w1 << (32 − s) reaches only bits from 16 on, or is 0 for s = 0, since variable
// shifts by 32 yield 0; the truncation removes them.
func gatherNarrow(m *machine, in *vcode.Inst) {
	bits := uint32(in.Key.Type.Bits())
	m.RR(VPXORD, V128, 7, 7, 7, 0)
	m.RR(VPXORD, V128, 8, 8, 8, 0)
	m.checkedEights(in, m.execution(in), uint64(bits/8), target.HandleLength, func(half int) {
		to := 7 + Reg(half)
		// The low two bits of the address are in the low word.
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

// narrowWindow loads elements of 8 or 16 bits into Z0, and jumps to slow unless the elements of the lanes of k are in the windows from the first
// lane's on, at multiples of their size, all in range. There is one window of 64 bytes, or one of 32 bytes for each half of the lanes if
// these are likely two rows. VPERMW selects the 16 bits with each element into the even 16 bits, and a shift selects a byte of these:
//
//	distance of a byte    5 = 2·2 + 1    →  bits 16·2 … 16·2 + 15, shifted right by 8
func (m *machine) narrowWindow(in *vcode.Inst, k, off Reg, slow Label) {
	size, bytes, halves := int32(in.Key.Type.Size()), int32(64), m.likelyTwoRuns(in)
	if halves {
		bytes = 32
		m.broadcastFirsts(2, off)
	} else {
		m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
		m.RR(VPBROADCASTD, V512, 2, 0, off, 0)
	}
	m.RR(VPSUBD, V512, 2, off, 2, 0)
	if size == 2 {
		m.RRI(VPRORD, V512, 2, 0, 2, 1, 0) // between two elements: a great number
	}
	m.RMI(VPCMPUD, V512, 2, 2, m.word32(uint32(bytes/size)-1), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	if halves {
		low, high := m.boundsCheckHalves(in, off, 3, bytes, target.HandleLength, slow)
		m.RM(VMOVDQU32, V256, 0, 0, low, 0)
		m.RMI(VINSERTI32X8, V512, 0, 0, high, 1, 0)
	} else {
		at := m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleLength), target.HandleLength, bytes, slow)
		m.RM(VMOVDQU32, V512, 0, 0, at, 0)
	}
	if size == 1 {
		m.RRI(VPSLLD, V512, 3, 0, 2, 3, 0)
		m.word(narrowInt, VPANDD, 3, 3, 8, 0)
		m.RRI(VPSRLD, V512, 2, 0, 2, 1, 0)
	}
	if halves {
		m.RM(VPADDD, V512, 2, 2, m.vector([16]uint32{8: 16, 9: 16, 10: 16, 11: 16, 12: 16, 13: 16, 14: 16, 15: 16}), 0)
	}
	m.RR(VPERMW, V512, 0, 2, 0, m.evenMask()|Z)
	if size == 1 {
		m.RR(VPSRLVD, V512, 0, 0, 3, 0)
		m.truncate(0, 8)
	}
}

// gatherNarrowWords is gatherNarrow with one handle for all lanes, the byte offset of a general register. Elements that are in no window
// need one gather of words: the word at the offset, or the last one in range if that is before, shifted. With L the length, for 16 bits:
//
//	offset         word at        shift
//	o ≤ L − 4      o              0
//	L − 3, L − 2   L − 4          8, 16
//	from L − 1 on  out of range
//
// A buffer without a word needs gathers of aligned words.
func (m *machine) gatherNarrowWords(in *vcode.Inst) {
	bits := uint32(in.Key.Type.Bits())
	apart, short, resume := m.NewLabel(), m.NewLabel(), m.NewLabel()
	if in.Key.Aux > maxDisp {
		gatherNarrow(m, in)
		return
	}
	inWindow := func() {
		m.narrowWindow(in, m.execution(in), m.vec(in.Uses[1], 1), apart)
		m.define(in, 0)
	}
	noRuns, runs := m.NewLabel(), m.likelyTwoRuns(in) && m.prog.Stage == ir.Compute // filters of other stages have no runs
	if runs {
		m.loadNarrowHalves(in, m.contiguousHalves(in, m.execution(in), m.vec(in.Uses[1], 1), bits/8, target.HandleLength, noRuns))
	} else {
		inWindow()
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		if runs {
			m.Bind(noRuns)
			inWindow()
			m.Jmp(resume)
		}
		m.Bind(apart)
		k, off := m.execution(in), m.vec(in.Uses[1], 1)
		at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
		m.GRM(MOV, RCX, at)
		m.GI(SubI, true, RCX, int32(in.Key.Aux)+4)
		m.Jcc(Less, short)
		at.Disp -= target.HandleLength
		m.RR(VPBROADCASTD_R, V512, 3, 0, RCX, 0)
		m.RR(VPMINUD, V512, 4, off, 3, 0)
		m.RR(VPSUBD, V512, 5, off, 4, 0)
		m.RMI(VPCMPUD, V512, 2, 5, m.word32(4-bits/8), compareLE, K(k)|BC)
		m.RRI(VPSLLD, V512, 5, 0, 5, 3, 0)
		// The indices of gathers are signed: see inRange.
		m.RM(VPXORD, V512, 4, 4, m.word32(1<<31), BC)
		m.MovI(RDX, 1<<31+in.Key.Aux)
		m.GRM(ADD|W, RDX, at)
		m.RR(VPXORD, V128, 0, 0, 0, 0)
		m.RM(VPGATHERDD, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
		m.RR(VPSRLVD, V512, 0, 0, 5, 0)
		m.truncate(0, bits)
		m.define(in, 0)
		m.Jmp(resume)
		m.Bind(short)
		gatherNarrow(m, in)
		m.Jmp(resume)
	})
}

// scatterNarrowRuns is scatterNarrow with one handle for all lanes, of which the elements are one run, or two runs, or else are stored
// lane by lane if all lanes store, with whole words in range.
func (m *machine) scatterNarrowRuns(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		scatterNarrow(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	k, off, size := m.storingLanes(in), m.vec(in.Uses[1], 1), uint32(in.Key.Type.Size())
	if m.likelyTwoRuns(in) {
		m.storeNarrowHalves(in, m.contiguousHalves(in, k, off, size, target.HandleWrites, slow), k)
	} else {
		m.consecutive(k, off, size, slow)
		at := m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleWrites), target.HandleWrites, zmmLanes*int32(size), slow)
		m.RM(truncation(size), V512, m.vec(in.Uses[2], 0), 0, at, K(k))
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		some := m.NewLabel()
		m.Bind(slow)
		if m.inRange(in, m.storingLanes(in), m.vec(in.Uses[1], 1), target.HandleWrites) {
			store := MOVB_ST
			if size == 2 {
				store = MOVW_ST
			}
			m.storeByLane(store, m.vec(in.Uses[2], 0), some)
			m.Jmp(resume)
		}
		m.Bind(some)
		scatterNarrow(m, in)
		m.Jmp(resume)
	})
}

// truncation returns the store of the low bytes of each lane.
func truncation(size uint32) Op {
	if size == 1 {
		return VPMOVDB
	}
	return VPMOVDW
}

// gatherWord gathers the aligned words at eight addresses in the lanes of K2, 0 in the others. It
// clobbers the addresses and K1. Four bytes at an aligned address are never on two pages, so that a
// word with one byte in range does not fault.
func (m *machine) gatherWord(d, at Reg) {
	m.word(wideInt, VPANDQ, at, at, 1<<64-4, 0)
	// The gather preserves lanes outside the mask.
	m.RR(VPXORD, V128, d, d, d, 0)
	m.RR(KMOVW, V128, 1, 0, 2, 0)
	m.RM(VPGATHERQD, V512, d, 0, Indexed(NoReg, at, 1, 0), K(1))
}

// storeNarrow stores 8 or 16 bits of each lane, nothing out of range and nothing for helpers: with
// one store if the access is strided, all lanes are active, and all is in range. Unlike a load, a
// store must not write between the elements or in inactive lanes, hence the condition on the mask.
// VPMOVDW truncates 16 lanes to 32 bytes of memory in one instruction.
func storeNarrow(m *machine, in *vcode.Inst) {
	if in.Stride == 0 || m.storeOpt(in) != 0 {
		scatterNarrow(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if in.Step*in.Stride == 2 {
		at, _ := m.boundsCheck(stridedForm(in), 32, target.HandleWrites, slow)
		m.RM(VPMOVDW, V512, m.vec(in.Uses[2], 0), 0, at, 0)
	} else {
		at, _ := m.boundsCheck(stridedForm(in), 62, target.HandleWrites, slow)
		m.RM(VMOVDQU16_ST, V512, m.vec(in.Uses[2], 0), 0, at, m.evenMask())
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		scatterNarrow(m, in)
		m.Jmp(resume)
	})
}

// scatterNarrow stores 8 or 16 bits of each lane, in ascending order, nothing out of range and
// nothing for helpers. It compresses the active lanes and then shifts them out, one by one. There is
// no scatter of bytes, and a read-modify-write of the word would race with other workers. The loop
// has one iteration per active lane:
//
//	rax = lowest address; ecx = lowest value
//	mov [rax], cl
//	rotate addresses by 64 bits, values by 32
func scatterNarrow(m *machine, in *vcode.Inst) {
	bits := in.Key.Type.Bits()
	k := m.storingLanes(in)
	m.loadVec(7, in.Uses[2])
	m.highHalf(8, 7)
	move := MOVW_ST
	if bits == 8 {
		move = MOVB_ST
	}
	m.checkedEights(in, k, uint64(bits/8), target.HandleWrites, func(half int) {
		value := 7 + Reg(half)
		again, done := m.NewLabel(), m.NewLabel()
		m.RR(KMOVW_RK, V128, RDX, 0, 2, 0)
		m.GI(AndI, false, RDX, 0xff)
		m.GRR(POPCNT, RDX, RDX)
		m.Jcc(Equal, done)
		// After the compression the active lanes are the lowest ones, in the same order, and a count
		// of iterations replaces the mask.
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
