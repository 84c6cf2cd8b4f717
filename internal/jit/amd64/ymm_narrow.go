package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// narrowWindow is the size in bytes of the memory that one load of gatherNarrow reads.
const narrowWindow = 16

// gatherNarrow loads 8 or 16 bits for each lane at varying offsets, with one handle for all lanes. The fastest way first:
//
//	window    one load of 16 bytes from the first lane's offset, and VPSHUFB: texels of neighboring pixels, and consecutive elements
//	words     a gather of the word at each offset, shifted (machine.gatherNarrowWords)
//	lanes     lane by lane: a buffer of less than a word
func (m ymm) gatherNarrow(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		ymmLoad(m, in)
		return
	}
	apart, resume := m.NewLabel(), m.NewLabel()
	at := m.narrowWindow(in, apart)
	m.rm(AVX_VBROADCASTI128, 0, 0, at)
	d := m.dest(in, 0)
	m.rr(AVX_VPSHUFB, d, 0, 2)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		short := m.NewLabel()
		m.Bind(apart)
		m.gatherNarrowWords(in, short)
		m.Jmp(resume)
		m.Bind(short)
		ymmLoad(m, in)
		m.Jmp(resume)
	})
}

// narrowWindow jumps to slow unless the elements of the active lanes are in the narrowWindow bytes from the first lane's on, at multiples
// of their size, all in range. It returns their memory, and sets Y2 to the control of VPSHUFB: the bytes of the element, and bytes with
// the top bit, which become 0. An inactive lane has some element. It clobbers Y3.
//
//	8 bits     distance d    →  0x80808000 + d
//	16 bits    distance d    →  0x80800100 + d·0x101
func (m ymm) narrowWindow(in *vcode.Inst, slow Label) Mem {
	size := uint32(in.Key.Type.Size())
	within := uint32(narrowWindow) - size
	off := m.vec(in.Uses[1], 1)
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rr(AVX_VPSUBD, 2, off, 2)
	tested := Reg(2)
	if !m.always(in) {
		m.rr(AVX_VPAND, 3, 2, m.execution(in, 3))
		tested = 3
	}
	m.rm(AVX_VPTEST, tested, 0, m.words(^within))
	m.Jcc(NotEqual, slow)
	at := m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleLength), target.HandleLength, narrowWindow, slow)
	m.word(AVX_VPAND, 2, 2, within)
	if size == 1 {
		m.word(AVX_VPOR, 2, 2, 0x80808000)
	} else {
		m.rri(AVX_VPSLLD, 3, 0, 2, 8)
		m.rr(AVX_VPOR, 2, 2, 3)
		m.word(AVX_VPOR, 2, 2, 0x80800100)
	}
	return at
}

// gatherNarrowWords is machine.gatherNarrowWords without its other ways. It jumps to short if the buffer has less than a word.
func (m ymm) gatherNarrowWords(in *vcode.Inst, short Label) {
	bits := uint32(in.Key.Type.Bits())
	k, off := NoReg, m.vec(in.Uses[1], 1)
	if !m.always(in) {
		k = m.execution(in, 0)
	}
	at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+4)
	m.Jcc(Less, short)
	at.Disp -= target.HandleLength
	m.splat(4, RCX)
	m.rr(AVX_VPMINUD, 4, off, 4)
	m.rr(AVX_VPSUBD, 3, off, 4)
	m.word(AVX_VPMINUD, 2, 3, 4-bits/8)
	m.rr(AVX_VPCMPEQD, 2, 2, 3)
	m.among(2, k)
	m.rri(AVX_VPSLLD, 3, 0, 3, 3)
	// The indices of gathers are signed: see inRange.
	m.word(AVX_VPXOR, 4, 4, 1<<31)
	m.MovI(RDX, 1<<31+in.Key.Aux)
	m.GRM(ADD|W, RDX, at)
	m.zero(0)
	m.rm(AVX_VPGATHERDD, 0, 2, Indexed(RDX, 4, 1, 0))
	m.rr(AVX_VPSRLVD, 0, 0, 3)
	m.word(AVX_VPAND, 0, 0, 1<<bits-1)
	m.done(in, 0)
}

// scatterNarrow stores 8 or 16 bits of each lane at varying offsets, with one handle for all lanes: with one store if all lanes store
// consecutive elements, all in range, otherwise lane by lane, without a loop if all lanes store in range. The packing saturates, which changes no value: the bits above a narrow
// value are 0.
func (m ymm) scatterNarrow(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		ymmStore(m, in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	size := uint32(in.Key.Type.Size())
	off := m.vec(in.Uses[1], 1)
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rm(AVX_VPADDD, 2, 2, m.vector8(octetOf(0, size)))
	m.rr(AVX_VPCMPEQD, 2, 2, off)
	if !m.always(in) || m.facts.Demotes {
		m.rr(AVX_VPAND, 2, 2, m.storingLanes(in, 0))
	}
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GI(CmpI, false, RAX, allLanes8)
	m.Jcc(NotEqual, slow)
	at := m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleWrites), target.HandleWrites, ymmLanes*int32(size), slow)
	m.storeNarrowRow(m.vec(in.Uses[2], 0), size, at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		apart := m.NewLabel()
		m.Bind(slow)
		if h, ok := m.ownable(in); ok {
			m.GMI(CmpI, false, At(R13, h+target.HandlePolicy), target.HandleOwned)
			m.Jcc(NotEqual, apart)
			m.storeNarrowBlended(in, apart)
			m.Jmp(resume)
		}
		m.Bind(apart)
		some := m.NewLabel()
		if m.storeNarrowByLane(in, some) {
			m.Jmp(resume)
		}
		m.Bind(some)
		ymmStore(m, in)
		m.Jmp(resume)
	})
}

// storeNarrowByLane stores 8 or 16 bits of each lane, in ascending order of the lanes. It jumps to some unless all lanes store, with
// whole words in range. It returns false without code if none does. The offsets and values pass through the scratch memory, from which
// the lanes are loaded one by one:
//
//	movsxd rax, [offset of the lane]
//	mov    ecx, [its value]
//	mov    [rdx + rax], cl
func (m ymm) storeNarrowByLane(in *vcode.Inst, some Label) bool {
	at, found := m.inRange(in, m.storingLanes(in, 0), m.vec(in.Uses[1], 1), target.HandleWrites)
	if !found {
		return false
	}
	store := MOVB_ST
	if in.Key.Type.Size() == 2 {
		store = MOVW_ST
	}
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GI(CmpI, false, RAX, allLanes8)
	m.Jcc(NotEqual, some)
	m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(0))
	m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand))
	for lane := range int32(ymmLanes) {
		m.GRM(MOVSXD|W, RAX, m.scratch(4*lane))
		m.GRM(MOV, RCX, m.scratch(scratchOperand+4*lane))
		m.GRM(store, RCX, Indexed(at.Base, RAX, 1, at.Disp))
	}
	return true
}

// storeNarrowRow stores 8 or 16 bits of each lane of y. It clobbers RAX and Y2.
func (m ymm) storeNarrowRow(y Reg, size uint32, at Mem) {
	m.highHalf(2, y)
	m.RR(AVX_VPACKUSDW, V128, 2, y, 2, 0)
	if size == 2 {
		m.RM(AVX_VMOVUPS_ST, V128, 2, 0, at, 0)
		return
	}
	m.RM(AVX_VPSHUFB, V128, 2, 2, m.vector8([8]uint32{0x06040200, 0x0e0c0a08}), 0)
	m.RR(AVX_VMOVQ_GX, V128, 2, 0, RAX, 0)
	m.GRM(MOV_ST|W, RAX, at)
}

// storeNarrowBlended stores 8 or 16 bits of some lanes to a row of an owned handle, and writes the other elements back. It jumps to apart
// unless the offsets of the storing lanes are those of a row from the first lane's offset on, which is in range.
func (m ymm) storeNarrowBlended(in *vcode.Inst, apart Label) {
	size, extend := uint32(in.Key.Type.Size()), AVX_VPMOVZXBD
	if size == 2 {
		extend = AVX_VPMOVZXWD
	}
	off := m.vec(in.Uses[1], 1)
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rm(AVX_VPADDD, 2, 2, m.vector8(octetOf(0, size)))
	m.rr(AVX_VPCMPEQD, 2, 2, off)
	k := m.storingLanes(in, 1)
	m.rr(AVX_VPANDN, 2, 2, k)
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(NotEqual, apart)
	at := m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleWrites), target.HandleWrites, ymmLanes*int32(size), apart)
	none := m.NewLabel()
	m.rr(AVX_VMOVMSKPS, RAX, 0, k)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(Equal, none)
	m.rm(extend, 2, 0, at)
	m.blend(0, 2, m.vec(in.Uses[2], 0), k)
	m.storeNarrowRow(0, size, at)
	m.Bind(none)
}
