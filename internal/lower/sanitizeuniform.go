package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The findings on values and control flow that must be uniform.
var (
	nonUniformIndex = finding{ir.SanitizeUniform, "VUID-RuntimeSpirv-subgroupSize-10149"}
	inactiveLane    = finding{ir.SanitizeUniform, "a group operation reads an inactive lane"}
	pushIndex       = finding{ir.SanitizeUniform, "VUID-RuntimeSpirv-None-04745"}
	broadcastFrom   = finding{ir.SanitizeUniform, "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277"}
	quadBroadcastId = finding{ir.SanitizeUniform, "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06276"}
	partialBarrier  = finding{ir.SanitizeUniform, "OpControlBarrier that not all invocations reach"}
	partialSplit    = finding{ir.SanitizeUniform, "VUID-RuntimeSpirv-OpControlBarrierArriveEXT-13558"}
	partialQuad     = finding{ir.SanitizeUniform, "a derivative if a neighbor lane is not active"}
	inverseOf       = finding{ir.SanitizeUniform, "OpGroupNonUniformInverseBallot of ballots that differ"}
)

// checkUniform: an index of a descriptor that is not the same in the subgroup's active lanes, without NonUniform.
func (f *function) checkUniform(chain, index spirv.ID, i operand) {
	if i.v == 0 || f.facts.Has(chain, spirv.DecorationNonUniform) || f.facts.Has(index, spirv.DecorationNonUniform) {
		return
	}
	f.report(nonUniformIndex, f.not(f.b.Op(ir.AllEq, ir.B1, i.v)), fmt.Sprintf("the index %%d of a descriptor is not uniform; %%%%%d has no NonUniform", chain), i.v)
}

// checkLane: a lane that is not active, or not in the subgroup.
func (f *function) checkLane(lane ir.V) {
	if !f.sanitizes(ir.SanitizeUniform) {
		return
	}
	one := f.b.I32(1)
	f.report(inactiveLane, f.b.Cmp(ir.Eq, f.b.Op(ir.Shuf, ir.I32, one, lane), f.b.I32(0)), "the value of invocation %d of the subgroup, which is not active", lane)
}

// checkSwap: another invocation of the quad that is not active. other is the number of a lane that a quad swap of the lanes' own numbers
// reads: the own one if the other lane is inactive.
func (f *function) checkSwap(own, other ir.V) {
	f.report(inactiveLane, f.b.Cmp(ir.Eq, own, other), "the value of another invocation of the quad, which is not active")
}

// checkInverse: a ballot that is not the same in the subgroup's active lanes.
func (f *function) checkInverse(w []ir.V) {
	if !f.sanitizes(ir.SanitizeUniform) {
		return
	}
	same := f.b.Bool(true)
	for _, x := range w {
		same = f.b.Op(ir.And, ir.B1, same, f.b.Op(ir.AllEq, ir.B1, x))
	}
	f.report(inverseOf, f.not(same), "the ballot is not uniform in the subgroup")
}

// checkQuad: a derivative in control flow that not all invocations of the quad reach.
func checkQuad(f *function, in spirv.Inst) {
	if f.prog.Stage != ir.Fragment && !f.inQuadGroups() || f.options.SubgroupSize < 4 {
		return
	}
	own := f.lane()
	alone := f.b.Bool(false)
	for direction := uint64(1); direction <= acrossX|acrossY; direction++ { // an inactive lane reads as the own one
		other := f.b.OpAux(ir.QuadSwap, ir.I32, direction, own)
		alone = f.b.Op(ir.Or, ir.B1, alone, f.b.Cmp(ir.Eq, own, other))
	}
	f.report(partialQuad, alone, "a derivative that not all invocations of the quad reach")
	f.traceDerivative()
}

// checkPush: an index into an array of push constants that is not the same in the subgroup's active lanes.
func (f *function) checkPush(i operand) {
	if i.v != 0 {
		f.report(pushIndex, f.not(f.b.Op(ir.AllEq, ir.B1, i.v)), "the index %d of push constants is not uniform", i.v)
	}
}

// checkBroadcast: a number of an invocation that is not the same in the subgroup, or in the quad.
func checkBroadcast(f *function, in spirv.Inst) {
	args := f.groupOperands(in)
	if len(args) < 2 {
		return
	}
	id := f.toInt(f.one(spirv.ID(args[1])), ir.I32)
	if _, known := f.constBits(id); known {
		return
	}
	if in.Op() == spirv.OpGroupNonUniformBroadcast {
		f.report(broadcastFrom, f.not(f.b.Op(ir.AllEq, ir.B1, id)), "the number %d of the invocation is not uniform in the subgroup", id)
		return
	}
	same := f.b.Bool(true)
	for direction := uint64(1); direction <= acrossX|acrossY && f.options.SubgroupSize >= 4; direction++ {
		same = f.b.Op(ir.And, ir.B1, same, f.b.Cmp(ir.Eq, id, f.b.OpAux(ir.QuadSwap, ir.I32, direction, id)))
	}
	f.report(quadBroadcastId, f.not(same), "the number %d of the invocation is not uniform in the quad", id)
}
