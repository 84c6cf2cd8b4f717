package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmHandle is the handle of the push constants, the workgroup memory or a table. A lane has the
// handle's number, not its byte offset: 32 bits are enough, and the operations on vectors scale it.
func ymmHandle(m ymm, in *vcode.Inst) {
	n := uint32(target.HandlePush)
	switch in.IR {
	case ir.Wg:
		n = target.HandleShared
	case ir.Table:
		n = target.HandleTables + uint32(in.Key.Aux)
	}
	d := m.dest(in, 0)
	m.fill(d, n)
	m.done(in, d)
}

// ymmResource is the handle of descriptor u0 of resource Aux, null out of range. index >= count is
// max(count, index) = index, because unsigned comparisons are missing. VPANDN makes the handle 0,
// HandleNull, out of range; its length is 0, so that each access is out of range.
func ymmResource(m ymm, in *vcode.Inst) {
	at := int32(in.Key.Aux) * target.ResourceBytes
	m.GRM(MOV|W, RAX, arg(target.ArgResources))
	index := m.vec(in.Uses[0], 0)
	m.rm(AVX_VPBROADCASTD, 1, 0, At(RAX, at+target.ResourceCount))
	m.rr(AVX_VPMAXUD, 2, 1, index)
	m.rr(AVX_VPCMPEQD, 2, 2, index) // out of range
	m.rm(AVX_VPBROADCASTD, 1, 0, At(RAX, at))
	m.rr(AVX_VPADDD, 1, 1, index)
	m.rr(AVX_VPANDN, 0, 2, 1)
	m.done(in, 0)
}

// The index scale of a gather is at most 8, and a handle has 32 bytes, so the numbers are shifted by
// two. The gather clears its mask register, which is therefore a copy; inactive lanes stay 0.
func ymmLength(m ymm, in *vcode.Inst) {
	m.rri(AVX_VPSLLD, 1, 0, m.vec(in.Uses[0], 0), target.HandleShift-3)
	m.loadVec(2, in.Masks[0])
	m.zero(0)
	m.rm(AVX_VPGATHERDD, 0, 2, Indexed(R13, 1, 8, target.HandleRange))
	m.done(in, 0)
}

// ymmOffset is u0 + u1·Aux, saturating. A saturated offset, 2³² − 1, is out of range of a buffer
// below 4 GiB.
func ymmOffset(m ymm, in *vcode.Inst) {
	start, off := NoReg, uint64(0)
	if bits, ok := m.f.Const(in.Uses[0]); ok {
		off = bits
	} else {
		start = m.vec(in.Uses[0], 3)
	}
	m.offset(m.vec(in.Uses[1], 1), uint32(in.Key.Aux), start, uint32(off))
	m.done(in, 0)
}

// offset puts start + x·stride into Y0; see machine.offset. It clobbers Y1 to Y3.
//
// x > most is max(x, most + 1) = x. A constant start is included in most, so that one comparison
// serves both overflows. A variable start needs one more: the sum wrapped if it is less than start.
func (m ymm) offset(x Reg, stride uint32, start Reg, off uint32) {
	if stride != 0 && stride&(stride-1) == 0 {
		m.rri(AVX_VPSLLD, 0, 0, x, uint8(bits.TrailingZeros32(stride)))
	} else {
		m.word(AVX_VPMULLD, 0, x, stride)
	}
	most := maxIndex(stride, off)
	if most < math.MaxUint32 {
		m.word(AVX_VPMAXUD, 2, x, most+1)
		m.rr(AVX_VPCMPEQD, 2, 2, x)
	}
	switch {
	case start != NoReg:
		m.rr(AVX_VPADDD, 0, 0, start)
		m.rr(AVX_VPMAXUD, 1, 0, start)
		m.rr(AVX_VPCMPEQD, 1, 1, 0) // the sum is no less
		m.fill(3, math.MaxUint32)
		m.rr(AVX_VPXOR, 1, 1, 3)
		m.rr(AVX_VPOR, 0, 0, 1)
	case off != 0:
		m.word(AVX_VPADDD, 0, 0, off)
	}
	if most < math.MaxUint32 {
		m.rr(AVX_VPOR, 0, 0, 2)
	}
}

// storingLanes returns the mask of an instruction without helper lanes, in y if that differs. It
// clobbers Y3 and Y4. Helper invocations of fragment shaders compute derivatives but must have no
// side effects. Without a demote in the program no lane becomes a helper, and the mask is used
// unchanged.
func (m ymm) storingLanes(in *vcode.Inst, y Reg) Reg {
	k := m.execution(in, y)
	if !m.facts.Demotes {
		return k
	}
	m.expand(3, At(R14, m.record.Helpers+8*int32(in.Part)))
	m.rr(AVX_VPANDN, y, 3, k)
	return y
}

// octetOf returns the numbers first, first+step, …
func octetOf(first, step uint32) (v [8]uint32) {
	for i := range v {
		v[i] = first + step*uint32(i)
	}
	return v
}

// ymmInput is a built-in of a compute program. Workgroup IDs are arguments of the call, local IDs
// are rows of the record; a global ID is group · size + local ID. SubgroupLocalInvocationId
// continues over the parts of a subgroup with more than eight lanes.
func ymmInput(m ymm, in *vcode.Inst) {
	s, d := m.prog.In[in.Key.Aux].Semantic, m.dest(in, 0)
	local := func(row ir.Semantic) Mem { return m.local(in, row) }
	switch s {
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		m.rm(AVX_VPBROADCASTD, d, 0, arg(target.ArgGroup+int(s-ir.WorkgroupIdX)))
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		m.rm(AVX_VPBROADCASTD, d, 0, arg(target.ArgNumGroups+int(s-ir.NumWorkgroupsX)))
	case ir.LocalInvocationIndex:
		m.rm(AVX_VMOVUPS, d, 0, local(0))
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		m.rm(AVX_VMOVUPS, d, 0, local(1+s-ir.LocalInvocationIdX))
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		m.rm(AVX_VPBROADCASTD, d, 0, arg(target.ArgGroup+int(i)))
		m.word(AVX_VPMULLD, d, d, m.prog.LocalSize[i])
		m.rm(AVX_VPADDD, d, d, local(1+i))
	case ir.SubgroupId:
		m.rm(AVX_VPBROADCASTD, d, 0, At(R14, target.RecordID))
	case ir.NumSubgroups:
		m.fill(d, m.prog.Subgroups())
	case ir.SubgroupLocalInvocationId:
		m.rm(AVX_VMOVUPS, d, 0, m.vector8(octetOf(uint32(in.Part)*ymmLanes, 1)))
	default:
		m.zero(d)
	}
	m.done(in, d)
}
