package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// regionOf is the handle of the region that contains the Aux bytes at the address u0, or null.
func regionOf(m *machine, in *vcode.Inst) { m.oneRegion(in, m.commonRegion, m.searchRegions) }

// oneRegion emits regionOf for lanes that usually have the same region, with the code for that case and for any lanes.
func (m *machine) oneRegion(in *vcode.Inst, common func(in *vcode.Inst, slow Label), search func(*vcode.Inst)) {
	if in.Key.Aux > maxDisp {
		search(in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	common(in, slow)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		search(in)
		m.Jmp(resume)
	})
}

// findRegion sets RDX to the entry of the last region that begins at or before the address in RCX: its start, then its size. The binary
// search is searchRegions' for one lane, in bytes of the table. It clobbers RAX.
func (m *machine) findRegion() {
	loop, next, found := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.GRM(MOV|W, RDX, arg(target.ArgRegions))
	m.GRM(MOV|W, RAX, arg(target.ArgRegionStep))
	m.ShiftI(ShlI, true, RAX, target.RegionShift+3)
	m.Jcc(Equal, found)
	m.Bind(loop)
	m.GRM(CMP|W, RCX, Indexed(RDX, RAX, 1, 0))
	m.Jcc(Below, next)
	m.GRR(ADD|W, RDX, RAX)
	m.Bind(next)
	m.ShiftI(ShrI, true, RAX, 1)
	m.GI(CmpI, true, RAX, target.RegionSize)
	m.Jcc(NotEqual, loop)
	m.Bind(found)
}

// regionHandle changes the entry of a region in RDX to the region's handle. The handles follow each other in the order of the table.
func (m *machine) regionHandle() {
	m.GRM(SUB|W, RDX, arg(target.ArgRegions))
	m.ShiftI(ShrI, true, RDX, target.RegionShift+3)
	m.GRM(ADD|W, RDX, arg(target.ArgRegionFirst))
}

// address moves the address in a Gen, or in lane 0 of a Wide, to g.
func (m *machine) address(g Reg, u vcode.Reg) {
	if m.class(u) == vcode.Gen {
		m.loadGen(g, u)
		return
	}
	m.set.firstWide(g, u)
}

// scalarLoadWide loads 64 bits at a constant offset, 0 out of range. It clobbers RAX and RCX.
func (m *machine) scalarLoadWide(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off, _ := m.f.Const(in.Uses[1])
	off += in.Key.Aux
	at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	d := m.resultReg(in)
	m.GMI(CmpI, true, at, int32(off)+8)
	m.Jcc(Less, slow)
	at.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, at)
	m.GRM(MOV|W, d, At(RCX, int32(off)))
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.GRR(XOR, d, d)
		m.Jmp(resume)
	})
	m.storeGen(in.Defs[0], d)
}

// firstWide moves lane 0 of a Wide.
func (m zmm) firstWide(g Reg, u vcode.Reg) { m.RR(VMOVQ_GX, V128, m.half(u, 0, 5), 0, g, 0) }

// regionGen is the handle of the region of the address that is lane 0 of u0, or null. It clobbers RCX and RDX.
func (m *machine) regionGen(in *vcode.Inst) {
	null, out := m.NewLabel(), m.NewLabel()
	m.address(RCX, in.Uses[0])
	m.findRegion()
	m.GRM(SUB|W, RCX, At(RDX, 0))
	m.GRM(MOV|W, RAX, At(RDX, target.RegionSize))
	m.GI(SubI, true, RAX, int32(in.Key.Aux))
	m.Jcc(Less, null) // in no region, or greater than it
	m.GRR(CMP|W, RCX, RAX)
	m.Jcc(Above, null)
	m.regionHandle()
	m.GRR(MOV|W, RAX, RDX)
	m.ShiftI(ShlI, true, RAX, target.HandleShift)
	m.Jmp(out)
	m.Bind(null)
	m.GRR(XOR, RAX, RAX)
	m.Bind(out)
}

// regionOffsetGen is lane 0 of u1 less the start of the region with handle u0, 0 for null. It clobbers RCX.
func (m *machine) regionOffsetGen(in *vcode.Inst) {
	out := m.NewLabel()
	m.loadGen(RAX, in.Uses[0])
	m.GRR(TEST|W, RAX, RAX)
	m.Jcc(Equal, out)
	m.ShiftI(ShrI, true, RAX, target.HandleShift)
	m.GRM(SUB|W, RAX, arg(target.ArgRegionFirst))
	m.ShiftI(ShlI, true, RAX, target.RegionShift+3)
	m.GRM(ADD|W, RAX, arg(target.ArgRegions))
	m.address(RCX, in.Uses[1])
	m.GRM(SUB, RCX, At(RAX, 0))
	m.GRR(MOV, RAX, RCX)
	m.Bind(out)
}

// commonRegion is regionOf if all lanes of the mask are in the region of the first lane, and jumps to slow otherwise.
func (m *machine) commonRegion(in *vcode.Inst, slow Label) {
	var address [2]Reg
	for i := range address {
		address[i] = m.half(in.Uses[0], i, 5+Reg(i))
	}
	k := m.execution(in)
	m.RR(VMOVQ_GX, V128, address[0], 0, RCX, 0)
	m.findRegion()
	m.RM(VPBROADCASTQ, V512, 2, 0, At(RDX, 0), 0)
	m.GRM(MOV|W, RCX, At(RDX, target.RegionSize))
	m.GI(SubI, true, RCX, int32(in.Key.Aux))
	m.Jcc(Less, slow) // in no region, or greater than it
	m.RR(VPBROADCASTQ_R, V512, 3, 0, RCX, 0)
	m.RR(VPSUBQ, V512, 4, address[0], 2, 0)
	m.RRI(VPCMPUQ, V512, 2, 4, 3, compareGT, K(k))
	m.RRI(KSHIFTRW, V128, 3, 0, k, 8, 0)
	m.RR(VPSUBQ, V512, 4, address[1], 2, 0)
	m.RRI(VPCMPUQ, V512, 3, 4, 3, compareGT, K(3))
	m.RR(KORTESTW, V128, 2, 0, 3, 0)
	m.Jcc(NotEqual, slow)
	m.regionHandle()
	m.RR(VPBROADCASTD_R, V512, 0, 0, RDX, 0)
	m.define(in, 0)
}

// searchRegions is regionOf if the lanes may be in different regions. A binary search without branches
// (Knuth 1998, vol. 3, 6.2.1, uniform binary search) finds the last region of each lane that begins at or before the address:
//
//	position = 0
//	for step = entries/2; step > 0; step /= 2
//		if address[position + step] <= u0: position += step
//
// The access is in that region, or in none. Positions are in words of the table. Lanes without an invocation have any address, and
// positions in the table all the same.
func (m *machine) searchRegions(in *vcode.Inst) {
	var address [2]Reg
	for i := range address {
		m.RR(VPXORD, V128, Reg(i), Reg(i), Reg(i), 0)
		address[i] = m.half(in.Uses[0], i, 5+Reg(i))
	}
	gather := func(d, position Reg, field int32) {
		m.RR(KXNORW, V128, 1, 1, 1, 0)
		m.RM(VPGATHERQQ, V512, d, 0, Indexed(RDX, position, 8, field), K(1))
	}
	loop, found := m.NewLabel(), m.NewLabel()
	m.GRM(MOV|W, RDX, arg(target.ArgRegions))
	m.GRM(MOV|W, RAX, arg(target.ArgRegionStep))
	m.GRR(TEST|W, RAX, RAX)
	m.Jcc(Equal, found)
	m.RM(VPBROADCASTQ, V512, 4, 0, arg(target.ArgRegionStep), 0)
	m.RRI(VPSLLQ, V512, 4, 0, 4, target.RegionShift, 0)
	m.Bind(loop)
	for i, a := range address {
		m.RR(VPADDQ, V512, 2, Reg(i), 4, 0)
		gather(3, 2, 0)
		m.RRI(VPCMPUQ, V512, 2, 3, a, compareLE, 0)
		m.RR(VMOVDQA64, V512, Reg(i), 0, 2, K(2))
	}
	m.RRI(VPSRLQ, V512, 4, 0, 4, 1, 0)
	m.ShiftI(ShrI, true, RAX, 1)
	m.Jcc(NotEqual, loop)
	m.Bind(found)
	for i, a := range address {
		position := Reg(i)
		gather(3, position, 0)
		m.RR(VPSUBQ, V512, 2, a, 3, 0)
		gather(3, position, target.RegionSize)
		// In range: 0 <= offset <= size − Aux. Signed, the comparison fails if the size is less than Aux.
		m.RM(VPSUBQ, V512, 3, 3, m.word64(in.Key.Aux), BC)
		m.RRI(VPCMPQ, V512, 2, 2, 3, compareLE, 0)
		m.RMI(VPCMPQ, V512, 2, 2, m.word64(0), compareGE, K(2)|BC)
		m.RRI(VPSRLQ, V512, position, 0, position, target.RegionShift, 0)
		m.RM(VPADDQ, V512, position, position, arg(target.ArgRegionFirst), K(2)|Z|BC)
		m.RR(VPMOVQD, V512, position, 0, position, 0)
	}
	m.join(0, 0, 1)
	m.define(in, 0)
}

// regionOffset is u1 − the address of the region u0, modulo 2³², and 0 for the null handle. Usually all lanes have the same region.
func regionOffset(m *machine, in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	m.commonHandle(in, m.execution(in), slow)
	m.GRM(MOV|W, RDX, arg(target.ArgRegionFirst))
	m.ShiftI(ShrI, true, RAX, target.HandleShift)
	m.GRR(SUB|W, RAX, RDX)
	m.GRM(CMP|W, RAX, arg(target.ArgRegionCount))
	m.Jcc(AboveEqual, slow)
	m.ShiftI(ShlI, true, RAX, target.RegionShift+3)
	m.GRM(ADD|W, RAX, arg(target.ArgRegions))
	m.RM(VPBROADCASTD, V512, 4, 0, At(RAX, 0), 0)
	m.lowWords(0, in.Uses[1])
	m.RR(VPSUBD, V512, 0, 0, 4, 0)
	m.define(in, 0)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.regionOffsets(in)
		m.Jmp(resume)
	})
}

// regionOffsets is regionOffset if the lanes may have different regions.
func (m *machine) regionOffsets(in *vcode.Inst) {
	h, k := m.vec(in.Uses[0], 2), m.execution(in)
	m.GRM(MOV|W, RDX, arg(target.ArgRegions))
	m.RM(VPSUBD, V512, 3, h, arg(target.ArgRegionFirst), BC)
	m.RMI(VPCMPUD, V512, 3, 3, arg(target.ArgRegionCount), compareLT, K(k)|BC)
	m.RRI(VPSLLD, V512, 3, 0, 3, target.RegionShift, 0)
	m.RR(VPXORD, V128, 4, 4, 4, 0)
	m.RM(VPGATHERDD, V512, 4, 0, Indexed(RDX, 3, 8, 0), K(3))
	m.RR(VPTESTMD, V512, 3, h, h, 0)
	m.lowWords(0, in.Uses[1])
	m.RR(VPSUBD, V512, 0, 0, 4, K(3)|Z)
	m.define(in, 0)
}

// searchRegions is regionOf if the lanes may be in different regions, for four lanes at a time.
func (m ymm) searchRegions(in *vcode.Inst) {
	gather := func(field int32) { // to Y4, at the positions in Y0
		m.rr(AVX_VPCMPEQD, 3, 3, 3)
		m.rm(AVX_VPGATHERDQ, 4, 3, Indexed(RDX, 0, 8, field))
	}
	m.GRM(MOV|W, RDX, arg(target.ArgRegions))
	for i := range 2 {
		loop, found := m.NewLabel(), m.NewLabel()
		m.zero(0)
		m.GRM(MOV|W, RAX, arg(target.ArgRegionStep))
		m.GRR(TEST|W, RAX, RAX)
		m.Jcc(Equal, found)
		m.loadHalf(1, in.Uses[0], i)
		m.long(AVX_VPXOR, 1, 1, sign64)
		m.Bind(loop)
		m.GRM(LEA, RCX, Indexed(RAX, RAX, 1, 0))
		m.RR(AVX_VMOVD, V128, 2, 0, RCX, 0)
		m.rr(AVX_VPBROADCASTD, 2, 0, 2)
		m.rr(AVX_VPADDD, 2, 2, 0)
		m.rr(AVX_VPCMPEQD, 3, 3, 3)
		m.rm(AVX_VPGATHERDQ, 4, 3, Indexed(RDX, 2, 8, 0))
		// The comparison is signed: flipping the top bits makes it unsigned.
		m.long(AVX_VPXOR, 4, 4, sign64)
		m.rr(AVX_VPCMPGTQ, 4, 4, 1)
		m.lowWords(4, 4, 4)
		m.blend(0, 2, 0, 4)
		m.ShiftI(ShrI, true, RAX, 1)
		m.Jcc(NotEqual, loop)
		m.Bind(found)
		gather(0)
		m.loadHalf(1, in.Uses[0], i)
		m.rr(AVX_VPSUBQ, 1, 1, 4)
		gather(target.RegionSize)
		m.long(AVX_VPSUBQ, 4, 4, in.Key.Aux)
		// Out of range: offset > size − Aux, or a sign.
		m.rr(AVX_VPCMPGTQ, 4, 1, 4)
		m.rr(AVX_VPOR, 4, 4, 1)
		m.rri(AVX_VSHUFPS, 4, 4, 4, 0xdd) // the high words
		m.rri(AVX_VPERMQ, 4, 0, 4, 0xd8)
		m.rri(AVX_VPSRAD, 4, 0, 4, 31)
		m.rri(AVX_VPSRLD, 0, 0, 0, target.RegionShift)
		m.rm(AVX_VPBROADCASTD, 2, 0, arg(target.ArgRegionFirst))
		m.rr(AVX_VPADDD, 0, 0, 2)
		m.rr(AVX_VPANDN, 0, 4, 0)
		m.RM(AVX_VMOVUPS_ST, V128, 0, 0, m.scratch(int32(16*i)), 0)
	}
	m.rm(AVX_VMOVUPS, 0, 0, m.scratch(0))
	m.done(in, 0)
}

// regionOffsets is regionOffset if the lanes may have different regions, for eight lanes.
func (m ymm) regionOffsets(in *vcode.Inst) {
	h := m.vec(in.Uses[0], 0)
	m.GRM(MOV|W, RDX, arg(target.ArgRegions))
	m.rm(AVX_VPBROADCASTD, 1, 0, arg(target.ArgRegionFirst))
	m.rr(AVX_VPSUBD, 1, h, 1)
	m.rm(AVX_VPBROADCASTD, 2, 0, arg(target.ArgRegionCount))
	m.rr(AVX_VPMAXUD, 2, 2, 1)
	m.rr(AVX_VPCMPEQD, 2, 2, 1) // no region
	m.with(AVX_VPANDN, 2, 2, in.Masks[0])
	m.rri(AVX_VPSLLD, 1, 0, 1, target.RegionShift)
	m.zero(4)
	m.rm(AVX_VPGATHERDD, 4, 2, Indexed(RDX, 1, 8, 0))
	m.loadHalf(1, in.Uses[1], 0)
	m.loadHalf(2, in.Uses[1], 1)
	m.lowWords(1, 1, 2)
	m.rr(AVX_VPSUBD, 1, 1, 4)
	m.zero(2)
	m.rr(AVX_VPCMPEQD, 2, 2, h) // null
	m.rr(AVX_VPANDN, 0, 2, 1)
	m.done(in, 0)
}

// regions are the rules of device addresses.
func regions() map[codegen.Rule]emitter {
	return map[codegen.Rule]emitter{{ir.Region, ir.H, ir.I64}: regionOf, {ir.RegionOff, ir.I32, ir.H}: regionOffset}
}

func ymmRegions() map[codegen.Rule]ymmEmitter {
	return map[codegen.Rule]ymmEmitter{{ir.Region, ir.H, ir.I64}: ymmRegionOf, {ir.RegionOff, ir.I32, ir.H}: ymmRegionOffset}
}
