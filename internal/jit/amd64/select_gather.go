package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// inRange sets K2 to the lanes of k with an access in range, at the offsets in off in handle u0; the
// size is 4 bytes, or 8 of a 64-bit atomic or a pair. The address is RDX + Z4, with Z4 as signed
// indices: gathers sign-extend 32-bit indices, so Z4 is the offset − 2³¹ and RDX the base + 2³¹. It
// returns false if no offset can be in range. In vector registers, for all lanes:
//
//	k2 = length >= reach
//	k2 = off <= length − reach   under k2
//
// The first comparison guards the subtraction, which would wrap for a short buffer.
func (m *machine) inRange(in *vcode.Inst, k, off Reg, field int32) bool {
	reach := reach(in)
	if in.Key.Aux > math.MaxUint32 || reach > math.MaxUint32 {
		return false
	}
	at := m.handleWord(in.Uses[0], RAX, field)
	m.inHandle(in, k, off, at, field)
	return true
}

// inHandle is inRange of an offset that can be in range. at is the field of the handle in memory.
func (m *machine) inHandle(in *vcode.Inst, k, off Reg, at Mem, field int32) {
	reach := reach(in)
	// Flipping the top bit subtracts 2³¹ modulo 2³²: 0 becomes −2³¹, 2³² − 1 becomes 2³¹ − 1.
	m.RM(VPXORD, V512, 4, off, m.word32(1<<31), BC)
	if in.Key.Flags&ir.Proven != 0 {
		at.Disp -= field
		m.RR(KMOVW, V128, 2, 0, k, 0)
		// The sum base + 2³¹ + Aux + (off − 2³¹) is the address.
		m.MovI(RDX, 1<<31+in.Key.Aux)
		m.GRM(ADD|W, RDX, at)
		return
	}
	m.RM(VPBROADCASTD, V512, 3, 0, at, 0)
	at.Disp -= field
	m.GRM(MOV|W, RDX, at)
	m.RMI(VPCMPUD, V512, 2, 3, m.word32(uint32(reach)), compareGE, K(k)|BC)
	m.RM(VPSUBD, V512, 3, 3, m.word32(uint32(reach)), BC)
	m.RRI(VPCMPUD, V512, 2, off, 3, compareLE, K(2))
	m.MovI(RCX, 1<<31+in.Key.Aux)
	m.GRR(ADD|W, RDX, RCX)
}

// gatherFrom loads a word for each lane at the offsets in off, 0 out of range. A gather costs one
// load per lane: 16 on two load ports take eight cycles at least, if all lines are in the L1 cache.
// Hence the attempts with contiguous words, windows and two runs before.
func (m *machine) gatherFrom(in *vcode.Inst, off Reg) {
	k := m.execution(in)
	found := m.inRange(in, k, off, target.HandleLength)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	if found {
		m.prefetchLanes(in, off)
		m.RM(VPGATHERDD, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	}
	m.define(in, 0)
}

// scatterTo stores a word of each lane, in ascending order, nothing out of range and nothing for
// helpers. A scatter of 16 words occupies the store port for at least 16 cycles on cores with one
// store per cycle. It takes two thirds of the time of stores lane by lane, whose indices pass through memory (measured on Zen 4).
func (m *machine) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	if m.inRange(in, m.storingLanes(in), off, target.HandleWrites) {
		m.RM(VPSCATTERDD, V512, m.vec(u, 0), 0, Indexed(RDX, 4, 1, 0), K(2))
	}
}

// storeByLane stores the low bits of each lane of a vector at RDX with the indices Z4, in ascending order of the lanes: there is no
// scatter of 8 or 16 bits. It jumps to some unless all lanes are in K2. Indices and values pass through the scratch memory. It
// clobbers RAX and RCX.
func (m *machine) storeByLane(store G, value Reg, some Label) {
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(AboveEqual, some)
	m.RM(VMOVDQU32_ST, V512, 4, 0, m.scratch(scratchOffset), 0)
	m.RM(VMOVDQU32_ST, V512, value, 0, m.scratch(scratchOperand), 0)
	for lane := range int32(zmmLanes) {
		m.GRM(MOVSXD|W, RAX, m.scratch(scratchOffset+4*lane))
		m.GRM(MOV, RCX, m.scratch(scratchOperand+4*lane))
		m.GRM(store, RCX, Indexed(RDX, RAX, 1, 0))
	}
}

// contiguous jumps to slow unless the offsets in off are consecutive words in the lanes of k, and
// all 16 words are in range. It returns their memory. Divergence analysis cannot prove this if a
// coordinate was clamped, for example, but at run time it is nearly always so. The test, with the
// first lane's offset o:
//
//	z2 = o + 0, 4, …, 60
//	k2 = z2 ≠ off, in active lanes
//	kortestw k2, k2; jne slow
//
// If it succeeds one load replaces 16. The first lane may be inactive: its offset is then an
// arbitrary number, but the comparison of the active lanes still decides correctly.
func (m *machine) contiguous(in *vcode.Inst, k, off Reg, field int32, slow Label) Mem {
	m.consecutive(k, off, 4, slow)
	return m.firstBytes(in, m.handleWord(in.Uses[0], RAX, field), field, 64, slow)
}

// consecutive is the first test of contiguous, for elements of step bytes. RDX becomes the first offset.
func (m *machine) consecutive(k, off Reg, step uint32, slow Label) {
	var distances [16]uint32
	for i := range distances {
		distances[i] = step * uint32(i)
	}
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, 2, 0, off, 0)
	m.RM(VPADDD, V512, 2, 2, m.vector(distances), 0)
	m.RRI(VPCMPUD, V512, 2, 2, off, compareNE, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
}

// firstBytes returns the memory at the offset in RDX, and jumps to slow unless its bytes are in range. at is the field of the handle in
// memory.
func (m *machine) firstBytes(in *vcode.Inst, at Mem, field, bytes int32, slow Label) Mem {
	m.GRM(MOV, RCX, at)
	// length − Aux − bytes may be negative; the signed comparison with the zero-extended offset then
	// fails.
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+bytes)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, slow)
	return Indexed(RCX, RDX, 1, int32(in.Key.Aux))
}

// fixedHandle reports whether the handle of an access is a constant and needs no register.
func (m *machine) fixedHandle(in *vcode.Inst) bool {
	_, ok := m.f.Const(in.Uses[0])
	return ok
}

// readsTable reports whether the memory of an access is a table of constants.
func (m *machine) readsTable(in *vcode.Inst) bool {
	at, ok := m.f.Const(in.Uses[0])
	return ok && at/target.HandleBytes-target.HandleTables < uint64(len(m.prog.Tables))
}

// windowWords is the size of the window of loadWindow in words.
const windowWords = 32

// pairRegs are scratch registers for a window of 32 words: its halves, and the index of each lane's
// first word in it.
type pairRegs struct{ lo, hi, index Reg }

// loadWindow jumps to slow unless the pairs of words at the offsets in off, in the lanes of k, are
// in a window of windowWords words that starts at the first lane's, all in range. It loads the
// window into lo and hi, and the index of each lane's first word into index. Two loads and permutes
// are much faster than a gather, which loads lane by lane. Lanes that sample
// along a row of an image have this pattern nearly always, or nearly never. The window of 128 bytes,
// with the offsets of four lanes relative to the first one:
//
//	bytes 0 … 63         64 … 127
//	      lo             hi
//	offsets 0 8 4 20  →  index 0 2 1 5      VPERMI2D selects word index of lo:hi
func (m *machine) loadWindow(in *vcode.Inst, k, off Reg, z pairRegs, slow Label) {
	m.windowIndex(off, z.index)
	from := m.checkWindow(in, k, z.index, int32(in.Key.Aux)+4*windowWords, slow)
	from.Disp = int32(in.Key.Aux)
	m.RM(VMOVDQU32, V512, z.lo, 0, from, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, plusVectors(from, 1), 0)
	if in.Prefetch > 0 {
		m.GRM(PREFETCH, allCaches, plusVectors(from, 2))
	}
}

// windowIndex sets index to the distance of the offsets in off from the first lane's in words, and RDX to that.
func (m *machine) windowIndex(off, index Reg) {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, index, 0, off, 0)
	m.RR(VPSUBD, V512, index, off, index, 0)
	m.RRI(VPRORD, V512, index, 0, index, 2, 0) // between two words: a great number
}

// checkWindow jumps to slow unless the lanes of k are in the window, and so many bytes are in range. It returns the memory at the first
// lane's offset.
func (m *machine) checkWindow(in *vcode.Inst, k, index Reg, reach int32, slow Label) Mem {
	// The second word of a pair must be inside too.
	m.RMI(VPCMPUD, V512, 2, index, m.word32(windowWords-2), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, reach)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, slow)
	return Indexed(RCX, RDX, 1, 0)
}

// window finds the window of several gathers: the part of loadWindow before its loads.
func (m *machine) window(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	distance := *in
	distance.Defs = in.Defs[1:]
	index, _ := m.dest(&distance, 3)
	m.windowIndex(m.vec(in.Uses[1], 1), index)
	m.done(&distance, index)
	at := m.checkWindow(in, m.execution(in), index, int32(in.Key.Aux), slow)
	m.GRM(LEA|W, RDX, at)
	m.Bind(resume)
	m.storeGen(in.Defs[0], RDX)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.GRR(XOR, RDX, RDX)
		m.Jmp(resume)
	})
}

// gatherWindow is gather for one word, or two adjacent ones, with a Window.
func (m *machine) gatherWindow(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	p := m.gen(in.Uses[2], RDX)
	m.GRR(TEST|W, p, p)
	m.Jcc(Equal, slow)
	z := pairRegs{0, 2, 3}
	from := At(p, int32(in.Key.Aux))
	m.RM(VMOVDQU32, V512, z.lo, 0, from, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, plusVectors(from, 1), 0)
	if len(in.Defs) > 1 {
		m.loadVec(z.index, in.Uses[3]) // the first result may be in its register
		m.permutePair(in, 0, z)
	} else {
		m.permuteWindow(in, 0, z, func(d Reg) { m.loadVec(d, in.Uses[3]) })
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		if len(in.Defs) > 1 {
			m.loadVec(3, in.Uses[3])
			m.wideWindow(in, pairRegs{0, 2, 3}, resume)
			m.gatherPairSlow(in)
		} else {
			m.gatherFrom(in, m.vec(in.Uses[1], 1))
		}
		m.Jmp(resume)
	})
}

// gatherPair loads two adjacent words for each lane. A pair is two adjacent words, for example a
// texel of 64 bits or two members of a struct.
func (m *machine) gatherPair(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		m.gatherPairSlow(in)
		return
	}
	noRuns, apart, resume := m.NewLabel(), m.NewLabel(), m.NewLabel()
	z := pairRegs{0, 2, 3}
	inWindow := func() {
		m.loadWindow(in, m.execution(in), m.vec(in.Uses[1], 1), z, apart)
		m.permutePair(in, 0, z)
	}
	// Texels of filters and pairs of triangles are rarely two runs.
	runs := m.likelyTwoRuns(in) && in.Prefetch == 0 && in.Key.Flags&ir.Proven == 0
	if runs {
		m.loadPairHalves(in, m.contiguousHalves(in, m.execution(in), m.vec(in.Uses[1], 1), 8, target.HandleLength, noRuns), z)
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
		if in.Prefetch == 0 { // texels in no window are rarely in a wide one
			m.wideWindow(in, z, resume)
		}
		if in.Key.Flags&ir.Proven != 0 {
			m.loadPairsByLane(in, resume, z)
		} else {
			m.gatherPairSlow(in)
		}
		m.Jmp(resume)
	})
}

// wideWindow is gatherPair for a window of twice windowWords: two words of records of 16 bytes, such as vertices. index is from
// loadWindow. It jumps to done unless the window does not have all pairs, or is not in range.
func (m *machine) wideWindow(in *vcode.Inst, z pairRegs, done Label) {
	slow := m.NewLabel()
	m.RMI(VPCMPUD, V512, 2, z.index, m.word32(2*windowWords-2), compareGT, K(m.execution(in))|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	m.RR(VMOVD_ST, V128, m.vec(in.Uses[1], 1), 0, RDX, 0)
	at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+8*windowWords)
	m.GRR(CMP|W, RCX, RDX)
	m.Jcc(Less, slow)
	at.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, at)
	from := Indexed(RCX, RDX, 1, int32(in.Key.Aux))
	for i := range in.Defs {
		one := *in
		one.Defs = in.Defs[i : i+1]
		if i > 0 {
			m.RM(VPADDD, V512, z.index, z.index, m.word32(1), BC)
		}
		for half, to := range [...]Reg{4, z.hi} {
			m.RM(VMOVDQU32, V512, z.lo, 0, plusVectors(from, int32(2*half)), 0)
			m.moveVec(to, z.index)
			m.RM(VPERMI2D, V512, to, z.lo, plusVectors(from, int32(2*half+1)), 0)
		}
		m.RMI(VPCMPUD, V512, 2, z.index, m.word32(windowWords-1), compareGT, BC)
		m.RR(VMOVDQA32, V512, 4, 0, z.hi, K(2))
		d, o := m.dest(&one, 4)
		if d != 4 {
			m.RR(VMOVDQA32, V512, d, 0, 4, o)
		}
		m.done(&one, d)
	}
	m.Jmp(done)
	m.Bind(slow)
}

// permutePair defines results i and i + 1: the words of the window at index and index + 1.
func (m *machine) permutePair(in *vcode.Inst, i int, z pairRegs) {
	m.permuteWindow(in, i, z, func(d Reg) { m.moveVec(d, z.index) })
	m.permuteWindow(in, i+1, z, func(d Reg) { m.RM(VPADDD, V512, d, z.index, m.word32(1), BC) })
}

// deinterleave defines results i and i + 1: the even words and the odd ones. Lane i of the results
// is word 2i and word 2i + 1:
//
//	lo:hi   a0 b0 a1 b1 … a15 b15
//	i       a0 a1 … a15
//	i + 1   b0 b1 … b15
func (m *machine) deinterleave(in *vcode.Inst, i int, z pairRegs) {
	for n := range 2 {
		m.permuteWindow(in, i+n, z, func(d Reg) { m.RM(VMOVDQA32, V512, d, 0, m.vector(everySecond(uint32(n))), 0) })
	}
}

// permuteWindow defines result i: the words of the window at the indices that index puts into a
// register. It clobbers Z4. VPERMI2D overwrites its index register, so each result needs a copy of
// the index, and for a masked result a register of its own.
func (m *machine) permuteWindow(in *vcode.Inst, i int, z pairRegs, number func(d Reg)) {
	one := *in
	one.Defs = in.Defs[i : i+1]
	d, o := m.dest(&one, 4)
	to := d
	if o != 0 {
		to = 4
	}
	number(to)
	m.RR(VPERMI2D, V512, to, z.lo, z.hi, 0)
	if to != d {
		m.RR(VMOVDQA32, V512, d, 0, to, o)
	}
	m.done(&one, d)
}

// gatherPairSlow is gatherPair for arbitrary offsets: two gathers of 64 bits for eight lanes each,
// then deinterleave. If a second word may be out of range it gathers each word by itself.
func (m *machine) gatherPairSlow(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off := m.vec(in.Uses[1], 1)
	k := m.execution(in)
	m.inRange(in, k, off, target.HandleLength)
	if in.Key.Flags&ir.Proven == 0 {
		// An active lane that is out of range differs from the mask in range.
		m.RR(KXORW, V128, 3, k, 2, 0)
		m.RR(KORTESTW, V128, 3, 0, 3, 0)
		m.Jcc(NotEqual, slow)
	}
	m.prefetchLanes(in, off)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	m.RR(VPXORD, V128, 2, 2, 2, 0)
	m.highHalf(3, 4)
	m.RRI(KSHIFTRW, V128, 3, 0, 2, 8, 0)
	// One 64-bit load per lane replaces two of 32 bits.
	m.RM(VPGATHERDQ, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	m.RM(VPGATHERDQ, V512, 2, 0, Indexed(RDX, 3, 1, 0), K(3))
	m.deinterleave(in, 0, pairRegs{0, 2, 3})
	m.Bind(resume)
	if in.Key.Flags&ir.Proven != 0 {
		return
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.loadVec(1, in.Uses[1])
		for i := range in.Defs {
			one := *in
			one.Defs, one.Key.Aux = in.Defs[i:i+1], in.Key.Aux+4*uint64(i)
			m.gatherFrom(&one, 1)
		}
		m.Jmp(resume)
	})
}

// gatherQuads loads a word or two adjacent ones for each quad, at the offset of its first lane, and copies them to its lanes:
//
//	offsets   a a a a  b b b b  c c c c  d d d d   →   a b c d
//	words     a0 a1 b0 b1 c0 c1 d0 d1              →   a0 a0 a0 a0  b0 b0 b0 b0  …
//
// A gather of four lanes costs a fourth of one of sixteen.
func (m *machine) gatherQuads(in *vcode.Inst) {
	k := m.execution(in)
	if !m.inRange(in, k, m.vec(in.Uses[1], 1), target.HandleLength) {
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		return
	}
	m.RM(VMOVDQA32, V512, 0, 0, m.vector(quadLanes(0, 4, 1)), 0)
	m.RR(VPERMD, V512, 4, 0, 4, 0)
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 {
		m.RR(VPMOVM2D, V512, 3, 0, 2, 0)
		m.RR(VPERMD, V512, 3, 0, 3, 0)
		m.RR(VPMOVD2M, V128, 2, 0, 3, 0)
	}
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	words := uint32(len(in.Defs))
	if words == 1 {
		m.RM(VPGATHERDD, V128, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	} else {
		m.RM(VPGATHERDQ, V256, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	}
	for i := range in.Defs {
		one := *in
		one.Defs = in.Defs[i : i+1]
		d, o := m.dest(&one, 4)
		m.RM(VMOVDQA32, V512, 3, 0, m.vector(quadLanes(uint32(i), words, 4)), 0)
		m.RR(VPERMD, V512, d, 3, 0, o)
		m.done(&one, d)
	}
}

// quadLanes returns the numbers first, first + step, …, each repeated so many times.
func quadLanes(first, step, times uint32) (v [16]uint32) {
	for i := range v {
		v[i] = (first + uint32(i)/times*step) % 16
	}
	return v
}

// everySecond returns the numbers of every second of 32 words.
func everySecond(first uint32) (v [16]uint32) {
	for i := range v {
		v[i] = first + 2*uint32(i)
	}
	return v
}

// The order of attempts is from cheap to expensive: no check, one run of words, two runs, a window
// of words or pairs, and at last a gather.
func (m *machine) gather(in *vcode.Inst) {
	switch {
	case in.Key.Type.Bits() < 32:
		m.gatherNarrowWords(in)
		return
	case in.Bytes:
		m.byteLookup(in)
		return
	case in.Quads && in.Key.Aux <= maxDisp:
		m.gatherQuads(in)
		return
	case in.Checked && len(in.Uses) == 4:
		m.gatherWindow(in)
		return
	case in.Checked:
		m.gatherHalves(in)
		return
	case len(in.Uses) > 2:
		m.gatherPairs(in)
		return
	case len(in.Defs) > 1:
		m.gatherPair(in)
		return
	}
	// The fast checks use the immediate as a displacement. Lanes look up unrelated words of a table.
	if in.Key.Aux > maxDisp || in.Key.Flags&ir.Proven != 0 && m.readsTable(in) {
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	switch {
	case m.likelyTwoRuns(in):
		m.loadHalves(in, m.contiguousHalves(in, m.execution(in), m.vec(in.Uses[1], 1), 4, target.HandleLength, slow))
	case in.Key.Flags&ir.Proven != 0 && in.Prefetch == 0:
		// Lanes of neighbours load words of neighbours: pixels in a pack, of which several belong to one triangle.
		z := pairRegs{0, 2, 3}
		m.loadWindow(in, m.execution(in), m.vec(in.Uses[1], 1), z, slow)
		m.permuteWindow(in, 0, z, func(d Reg) { m.moveVec(d, z.index) })
	default:
		at := m.contiguous(in, m.execution(in), m.vec(in.Uses[1], 1), target.HandleLength, slow)
		d, o := m.dest(in, 0)
		m.RM(VMOVDQU32, V512, d, 0, at, o)
		m.done(in, d)
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		m.Jmp(resume)
	})
}

func (m *machine) scatter(in *vcode.Inst) {
	switch {
	case in.Key.Type.Bits() < 32:
		m.scatterNarrowRuns(in)
		return
	case in.Checked:
		m.scatterHalves(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	// Stores must not touch inactive lanes, even if the memory between is in range.
	k := m.storingLanes(in)
	if m.likelyTwoRuns(in) {
		m.storeHalves(in, m.contiguousHalves(in, k, m.vec(in.Uses[1], 1), 4, target.HandleWrites, slow), K(k))
	} else {
		at := m.contiguous(in, k, m.vec(in.Uses[1], 1), target.HandleWrites, slow)
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, at, K(k))
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		m.Jmp(resume)
	})
}
