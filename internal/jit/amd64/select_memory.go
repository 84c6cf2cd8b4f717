package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Immediates of VSHUFF32X4: the low halves of two vectors, and the high half of one, twice.
const (
	lowHalves  = 0x44
	highHalves = 0xee
)

// highHalf copies the upper eight lanes of s to the lower eight of d.
func (m *machine) highHalf(d, s Reg) { m.RRI(VSHUFF32X4, V512, d, s, s, highHalves, 0) }

// handle is the handle of the push constants, the workgroup memory or a table. A vector has handle
// numbers, a general register byte offsets (handleWord).
func handle(m *machine, in *vcode.Inst) {
	n := uint32(target.HandlePush)
	switch in.IR {
	case ir.Wg:
		n = target.HandleShared
	case ir.Table:
		n = target.HandleTables + uint32(in.Key.Aux)
	}
	m.broadcast(0, n)
	m.define(in, 0)
}

// resource is the handle of descriptor u0 of resource Aux, null out of range. The zeroing mask makes
// the handle 0, HandleNull, out of range, without a blend.
func resource(m *machine, in *vcode.Inst) {
	at := int32(in.Key.Aux) * target.ResourceBytes
	m.GRM(MOV|W, RAX, arg(target.ArgResources))
	m.loadVec(0, in.Uses[0])
	m.RMI(VPCMPUD, V512, 2, 0, At(RAX, at+target.ResourceCount), compareLT, BC)
	m.RM(VPADDD, V512, 0, 0, At(RAX, at), K(2)|Z|BC)
	m.define(in, 0)
}

// handleField gathers a 32-bit field of the handles in z in the lanes of k, which it clears. The
// other lanes of d are preserved. index becomes z in units of eight bytes, the greatest scale. A
// gather clears its mask as its lanes complete, so that it can be restarted after a page fault; the
// caller passes a copy.
func (m *machine) handleField(d, index, z, k Reg, field int32) {
	m.RRI(VPSLLD, V512, index, 0, z, target.HandleShift-3, 0)
	m.RM(VPGATHERDD, V512, d, 0, Indexed(R13, index, 8, field), K(k))
}

// Each lane may have another handle, as with an array of buffers; a uniform handle has scalar code.
func length(m *machine, in *vcode.Inst) {
	m.RR(VPXORD, V128, 3, 3, 3, 0)
	m.RR(KMOVW, V128, 2, 0, m.execution(in), 0)
	m.handleField(3, 2, m.vec(in.Uses[0], 0), 2, target.HandleRange)
	m.define(in, 3)
}

// offsetAt is u0 + u1·Aux, saturating.
func offsetAt(m *machine, in *vcode.Inst) {
	start, off := NoReg, uint64(0)
	if bits, ok := m.f.Const(in.Uses[0]); ok {
		off = bits
	} else {
		start = m.vec(in.Uses[0], 3)
	}
	m.define(in, m.offset(m.vec(in.Uses[1], 1), uint32(in.Key.Aux), start, uint32(off)))
}

// offset returns start + x·stride, saturating, in Z0 or x. The product saturates if x exceeds a
// maximum; the sum if it is less than start. With a constant start off, one comparison covers both. It
// clobbers K1 and K2.
func (m *machine) offset(x Reg, stride uint32, start Reg, off uint32) Reg {
	y, most := m.times(0, x, stride), maxIndex(stride, off)
	if most < math.MaxUint32 {
		m.RMI(VPCMPUD, V512, 2, x, m.word32(most), compareGT, BC)
	}
	k := Reg(2)
	switch {
	case start != NoReg:
		m.RR(VPADDD, V512, 0, y, start, 0)
		m.RRI(VPCMPUD, V512, 1, 0, start, compareLT, 0)
		if most < math.MaxUint32 {
			m.RR(KORW, V128, 1, 1, 2, 0)
		}
		k = 1
	case off != 0:
		m.RM(VPADDD, V512, 0, y, m.word32(off), BC)
	default:
		if most == math.MaxUint32 {
			return y
		}
		m.moveVec(0, y)
	}
	if k == 1 || most < math.MaxUint32 {
		m.RRI(VPTERNLOGD, V512, 0, 0, 0, 0xff, K(k)) // all ones
	}
	return 0
}

// maxIndex returns the greatest index for which index·stride + off does not saturate. It is
// floor((2³² − 1 − off) / stride); a stride of 0 never overflows.
func maxIndex(stride, off uint32) uint32 {
	if stride == 0 {
		return math.MaxUint32
	}
	return (math.MaxUint32 - off) / stride
}

// times multiplies x by a constant, modulo 2³². It returns d, or x if the constant is 1.
func (m *machine) times(d, x Reg, by uint32) Reg {
	switch {
	case by == 1:
		return x
	case by != 0 && by&(by-1) == 0:
		m.RRI(VPSLLD, V512, d, 0, x, uint8(bits.TrailingZeros32(by)), 0)
	default:
		m.RM(VPMULLD, V512, d, x, m.word32(by), BC)
	}
	return d
}

// checkedEights finds the lanes of k with an access of size bytes in range, and calls access for each
// group of eight lanes, half 0 and 1, with their mask in K2 and their addresses in Z5. field is the
// bound of the access. It clobbers K1 and Z0 to Z6; access may clobber K1 and all vectors but Z3 and
// Z4.
func (m *machine) checkedEights(in *vcode.Inst, k Reg, size uint64, field int32, access func(half int)) {
	reach := in.Key.Aux + size
	if in.Key.Aux > math.MaxUint32 || reach > math.MaxUint32 {
		return
	}
	m.handleNumbers(in)
	m.loadVec(1, in.Uses[1])
	m.RR(VPXORD, V128, 3, 3, 3, 0)
	m.RR(KMOVW, V128, 2, 0, k, 0)
	m.handleField(3, 2, 0, 2, field)
	// In range: length >= reach, and then off <= length - reach.
	m.RMI(VPCMPUD, V512, 2, 3, m.word32(uint32(reach)), compareGE, K(k)|BC)
	m.RM(VPSUBD, V512, 3, 3, m.word32(uint32(reach)), BC)
	m.RRI(VPCMPUD, V512, 2, 1, 3, compareLE, K(2))
	m.highHalf(3, 1)
	m.highHalf(4, 2)
	m.gatherAddresses(5, 2, 1, in.Key.Aux)
	access(0)
	m.RRI(KSHIFTRW, V128, 2, 0, 2, 8, 0)
	m.gatherAddresses(5, 4, 3, in.Key.Aux)
	access(1)
}

// handleNumbers loads the numbers of the handles of a Lane access, one for each lane, or of a Gather into Z0. It clobbers RAX.
func (m *machine) handleNumbers(in *vcode.Inst) {
	if in.Op == vcode.Lane {
		m.loadVec(0, in.Uses[0])
		return
	}
	if n, ok := m.f.Const(in.Uses[0]); ok {
		m.broadcast(0, uint32(n>>target.HandleShift))
		return
	}
	m.loadGen(RAX, in.Uses[0])
	m.ShiftI(ShrI, true, RAX, target.HandleShift)
	m.RR(VPBROADCASTD_R, V512, 0, 0, RAX, 0)
}

// gatherAddresses gathers the base addresses of eight handles and adds the offsets in off, in the
// lanes of K2. It clobbers K1. 64-bit addresses need two gathers of eight lanes. The offsets are
// zero-extended to 64 bits, so a sum cannot wrap.
func (m *machine) gatherAddresses(d, index, off Reg, imm uint64) {
	m.RR(VPXORD, V128, d, d, d, 0)
	m.RR(KMOVW, V128, 1, 0, 2, 0)
	m.RM(VPGATHERDQ, V512, d, 0, Indexed(R13, index, 8, 0), K(1))
	m.RR(VPMOVZXDQ, V512, off, 0, off, 0)
	m.RR(VPADDQ, V512, d, d, off, 0)
	if imm != 0 {
		m.RM(VPADDQ, V512, d, d, m.word64(imm), BC)
	}
}

// gatherApart gathers 32 bits for each lane, 0 out of range, from handles that differ between lanes.
func gatherApart(m *machine, in *vcode.Inst) {
	m.RR(VPXORD, V128, 7, 7, 7, 0)
	m.RR(VPXORD, V128, 8, 8, 8, 0)
	m.checkedEights(in, m.execution(in), 4, target.HandleLength, func(half int) {
		m.RR(KMOVW, V128, 1, 0, 2, 0)
		m.RM(VPGATHERQD, V512, 7+Reg(half), 0, Indexed(NoReg, 5, 1, 0), K(1))
	})
	m.RRI(VSHUFF32X4, V512, 7, 7, 8, lowHalves, 0)
	m.define(in, 7)
}

// scatterApart scatters 32 bits of each lane, in ascending order, nothing out of range and nothing for
// helpers. VPSCATTERQD writes overlapping elements from the lowest lane to the highest (Intel SDM),
// and the eights follow in order.
func scatterApart(m *machine, in *vcode.Inst) {
	k := m.storingLanes(in)
	m.loadVec(7, in.Uses[2])
	m.highHalf(8, 7)
	m.checkedEights(in, k, 4, target.HandleWrites, func(half int) {
		m.RR(KMOVW, V128, 1, 0, 2, 0)
		m.RM(VPSCATTERQD, V512, 7+Reg(half), 0, Indexed(NoReg, 5, 1, 0), K(1))
	})
}

// storingLanes returns the mask of an instruction without helper lanes, in K1 if that differs.
func (m *machine) storingLanes(in *vcode.Inst) Reg {
	k := m.execution(in)
	if !m.facts.Demotes {
		return k
	}
	m.RM(KMOVW, V128, 2, 0, At(R14, m.record.Helpers+8*int32(in.Part)), 0)
	m.RR(KANDNW, V128, 1, 2, k, 0)
	return 1
}

// variableIndices finds a slot of a variable: K2 becomes the lanes in range, Z0 the index of the word
// relative to the returned memory.
func (m *machine) variableIndices(in *vcode.Inst) Mem {
	v := m.prog.Vars[in.Key.Aux]
	slot := m.vec(in.Uses[0], 0)
	m.RMI(VPCMPUD, V512, 2, slot, m.word32(v.Slots), compareLT, K(m.execution(in))|BC)
	m.RM(VPMULLD, V512, 0, slot, m.word32(uint32(m.record.Lanes)), BC)
	m.RM(VPADDD, V512, 0, 0, m.iota16(), 0)
	first := int32(m.varBase(int(in.Key.Aux)))*m.record.Lanes + int32(in.Part)*zmmLanes
	return Indexed(R14, 0, 4, m.record.Private+4*first)
}

// privateLoad loads a slot of a variable at the index of each lane, 0 out of range.
func privateLoad(m *machine, in *vcode.Inst) {
	at := m.variableIndices(in)
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	m.RM(VPGATHERDD, V512, 1, 0, at, K(2))
	m.define(in, 1)
}

// privateStore stores a slot of a variable at the index of each lane, nothing out of range.
func privateStore(m *machine, in *vcode.Inst) {
	at := m.variableIndices(in)
	m.RM(VPSCATTERDD, V512, m.vec(in.Uses[1], 1), 0, at, K(2))
}

// input is a built-in of a compute program.
func input(m *machine, in *vcode.Inst) {
	s := m.prog.In[in.Key.Aux].Semantic
	word := func(at Mem) { m.RM(VPBROADCASTD, V512, 0, 0, at, 0) }
	local := func(row ir.Semantic) Mem { return m.local(in, row) }
	switch s {
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		word(arg(target.ArgGroup + int(s-ir.WorkgroupIdX)))
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		word(arg(target.ArgNumGroups + int(s-ir.NumWorkgroupsX)))
	case ir.LocalInvocationIndex:
		m.RM(VMOVDQU32, V512, 0, 0, local(0), 0)
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		m.RM(VMOVDQU32, V512, 0, 0, local(1+s-ir.LocalInvocationIdX), 0)
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		word(arg(target.ArgGroup + int(i)))
		m.RM(VPMULLD, V512, 0, 0, m.word32(m.prog.LocalSize[i]), BC)
		m.RM(VPADDD, V512, 0, 0, local(1+i), 0)
	case ir.SubgroupId:
		word(At(R14, target.RecordID))
	case ir.NumSubgroups:
		word(m.word32(m.prog.Subgroups()))
	case ir.SubgroupLocalInvocationId:
		m.broadcast(0, uint32(in.Part)*zmmLanes)
		m.RM(VPADDD, V512, 0, 0, m.iota16(), 0)
	default:
		m.broadcast(0, 0)
	}
	m.define(in, 0)
}

// fence orders all earlier memory accesses before all later ones, if other threads can see them:
// mfence. x86 reorders only a store with a later load (TSO, Sewell et al. 2010), and MFENCE prevents
// that. Memory that no other thread can see needs no fence: code in one thread sees its own accesses
// in order.
func fence(m *machine, in *vcode.Inst) {
	if in.Key.Flags&ir.Coherent != 0 {
		m.Code = append(m.Code, 0x0f, 0xae, 0xf0)
	}
}
