package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var barrierRules = rules{
	spirv.OpControlBarrier:          controlBarrier,
	spirv.OpMemoryBarrier:           memoryBarrier,
	spirv.OpControlBarrierArriveEXT: barrierArrive,
	spirv.OpControlBarrierWaitEXT:   controlBarrier,
}

// controlBarrier lowers OpControlBarrier. The lanes of a subgroup go in
// lockstep, so that a barrier of a subgroup only orders memory.
func controlBarrier(f *function, in spirv.Inst) {
	b := inst.ControlBarrier(in)
	order := f.order(b.Memory(), b.Semantics())
	switch s := f.scope(b.Execution()); s {
	case spirv.ScopeWorkgroup:
		f.emit(ir.Val{Op: ir.Barrier, Flags: order})
	case spirv.ScopeSubgroup, spirv.ScopeInvocation:
		f.emit(ir.Val{Op: ir.Fence, Flags: order})
	default:
		f.unsupported("of scope %s", s)
	}
}

// barrierArrive lowers the first half of a barrier that is split in two. It
// orders memory; the second half waits, as a whole barrier does, which is later
// than all have arrived (SPV_EXT_split_barrier).
func barrierArrive(f *function, in spirv.Inst) {
	b := inst.ControlBarrierArriveEXT(in)
	switch s := f.scope(b.Execution()); s {
	case spirv.ScopeWorkgroup, spirv.ScopeSubgroup:
		f.emit(ir.Val{Op: ir.Fence, Flags: f.order(b.Memory(), b.Semantics())})
	default:
		f.unsupported("of scope %s", s)
	}
}

func memoryBarrier(f *function, in spirv.Inst) {
	b := inst.MemoryBarrier(in)
	f.emit(ir.Val{Op: ir.Fence, Flags: f.order(b.Memory(), b.Semantics())})
}

// order returns ir.Coherent if a scope and memory semantics order accesses as
// observed outside the workgroup, to memory visible there. An operand that
// is not constant is assumed to do so.
func (f *function) order(scope, semantics spirv.ID) ir.Flags {
	const (
		orders = spirv.MemorySemanticsAcquireMask | spirv.MemorySemanticsReleaseMask |
			spirv.MemorySemanticsAcquireReleaseMask | spirv.MemorySemanticsSequentiallyConsistentMask
		within = spirv.MemorySemanticsWorkgroupMemoryMask | spirv.MemorySemanticsSubgroupMemoryMask
		beyond = spirv.MemorySemanticsUniformMemoryMask | spirv.MemorySemanticsCrossWorkgroupMemoryMask |
			spirv.MemorySemanticsAtomicCounterMemoryMask | spirv.MemorySemanticsImageMemoryMask | spirv.MemorySemanticsOutputMemoryMask
	)
	if c := f.facts.Const(scope); c != nil && c.Known {
		switch spirv.Scope(c.Bits) {
		case spirv.ScopeWorkgroup, spirv.ScopeSubgroup, spirv.ScopeInvocation:
			return 0
		}
	}
	if c := f.facts.Const(semantics); c != nil && c.Known {
		if s := spirv.MemorySemantics(c.Bits); s&orders == 0 || s&within != 0 && s&beyond == 0 {
			return 0
		}
	}
	return ir.Coherent
}

// scope returns the value of a scope id.
func (f *function) scope(id spirv.ID) spirv.Scope {
	return spirv.Scope(f.known(id))
}

// known returns the value of an operand that must be a constant.
func (f *function) known(id spirv.ID) uint64 {
	c := f.facts.Const(id)
	if c == nil || !c.Known || !c.Type.IsInt() {
		f.malformed("%%%d is not a constant; must be one", id)
	}
	return c.Bits
}
