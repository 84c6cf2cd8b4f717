package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// trinary are the instructions of SPV_AMD_shader_trinary_minmax: the minimum and maximum
// operations, and whether the result is the median.
var trinary = map[spirv.AMDShaderTrinaryMinmaxOp]struct {
	least, greatest ir.Op
	middle          bool
}{
	spirv.AMDShaderTrinaryMinmaxFMin3AMD: {least: ir.FMin},
	spirv.AMDShaderTrinaryMinmaxUMin3AMD: {least: ir.UMin},
	spirv.AMDShaderTrinaryMinmaxSMin3AMD: {least: ir.SMin},
	spirv.AMDShaderTrinaryMinmaxFMax3AMD: {least: ir.FMax},
	spirv.AMDShaderTrinaryMinmaxUMax3AMD: {least: ir.UMax},
	spirv.AMDShaderTrinaryMinmaxSMax3AMD: {least: ir.SMax},
	spirv.AMDShaderTrinaryMinmaxFMid3AMD: {ir.FMin, ir.FMax, true},
	spirv.AMDShaderTrinaryMinmaxUMid3AMD: {ir.UMin, ir.UMax, true},
	spirv.AMDShaderTrinaryMinmaxSMid3AMD: {ir.SMin, ir.SMax, true},
}

// trinaryMinmax lowers them: the same operation twice, or for the median
// max(min(x, y), min(max(x, y), z)).
func trinaryMinmax(f *function, in spirv.Inst) {
	row, ok := trinary[spirv.AMDShaderTrinaryMinmaxOp(inst.ExtInst(in).Instruction())]
	if !ok {
		f.malformed("the instruction set does not have this instruction")
	}
	f.eachComponent(in, f.operandsOf(in), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
		if len(a) != 3 {
			f.malformed("%d operands; must be 3", len(a))
		}
		x, y, z := a[0].Value, a[1].Value, a[2].Value
		f.checkSameType(x, y, z)
		if a[0].Type != t || !row.least.Row().On.Has(t) {
			f.malformed("the instruction is not defined for the types of the operands")
		}
		low := f.b.Op(row.least, t, x, y)
		if !row.middle {
			return f.b.Op(row.least, t, low, z)
		}
		high := f.b.Op(row.least, t, f.b.Op(row.greatest, t, x, y), z)
		return f.b.Op(row.greatest, t, low, high)
	})
}

// amdBallot lowers the instructions of SPV_AMD_shader_ballot. An inactive lane yields 0.
func amdBallot(f *function, in spirv.Inst) {
	args := in[5:]
	x := f.scalars(spirv.ID(args[0]))
	lane := f.lane()
	switch n := spirv.AMDShaderBallotOp(inst.ExtInst(in).Instruction()); n {
	case spirv.AMDShaderBallotSwizzleInvocationsAMD:
		offsets := f.words32(spirv.ID(args[1]), 4)
		offset := f.selectPart(offsets, operand{v: f.b.Op(ir.And, ir.I32, lane, f.b.I32(3))})
		first := f.b.Op(ir.And, ir.I32, lane, f.b.I32(^uint32(3)))
		f.define(in, f.fromLane(x, f.b.Op(ir.Add, ir.I32, first, offset))...)
	case spirv.AMDShaderBallotSwizzleInvocationsMaskedAMD: // within 32 lanes
		m := f.words32(spirv.ID(args[1]), 3)
		to := f.b.Op(ir.Or, ir.I32, f.b.Op(ir.And, ir.I32, lane, m[0]), m[1])
		to = f.b.Op(ir.And, ir.I32, f.b.Op(ir.Xor, ir.I32, to, m[2]), f.b.I32(31))
		first := f.b.Op(ir.And, ir.I32, lane, f.b.I32(^uint32(31)))
		f.define(in, f.fromLane(x, f.b.Op(ir.Or, ir.I32, first, to))...)
	case spirv.AMDShaderBallotWriteInvocationAMD:
		written := f.scalars(spirv.ID(args[1]))
		if len(written) != len(x) {
			f.malformed("the operands have different sizes")
		}
		here := f.b.Cmp(ir.Eq, lane, f.toInt(f.one(spirv.ID(args[2])), ir.I32))
		parts := make([]ir.V, len(x))
		for i := range x {
			f.checkSameType(x[i], written[i])
			parts[i] = f.b.Select(here, written[i], x[i])
		}
		f.define(in, parts...)
	case spirv.AMDShaderBallotMbcntAMD:
		mask := f.splitBits(f.typed(spirv.ID(args[0]), ir.I64), ir.I32, 32, 2)
		sum := f.b.I32(0)
		for i, w := range mask {
			below := f.b.Op(ir.And, ir.I32, w, f.maskWord(belowMask, i))
			sum = f.b.Op(ir.Add, ir.I32, sum, f.b.Op(ir.BitCount, ir.I32, below))
		}
		f.define(in, sum)
	default:
		f.unsupported("%s", n)
	}
}

// words32 returns the components of an operand, a vector of n 32-bit integers.
func (f *function) words32(id spirv.ID, n int) []ir.V {
	w := f.scalars(id)
	if len(w) != n || f.b.Func.Type(w[0]) != ir.I32 {
		f.malformed("%%%d is not a vector of %d 32-bit integers", id, n)
	}
	return w
}
