package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// controlBarrier lowers OpControlBarrier. The lanes of a subgroup go in
// lockstep, so that a barrier of a subgroup only orders memory.
func controlBarrier(f *function, in spirv.Inst) {
	switch s := f.scope(inst.ControlBarrier(in).Execution()); s {
	case spirv.ScopeWorkgroup:
		f.emit(ir.Val{Op: ir.Barrier})
	case spirv.ScopeSubgroup, spirv.ScopeInvocation:
		f.emit(ir.Val{Op: ir.Fence})
	default:
		f.unsupported("of scope %s", s)
	}
}

// barrierArrive lowers the first half of a barrier that is split in two. It
// orders memory; the second half waits, as a whole barrier does, which is later
// than all have arrived (SPV_EXT_split_barrier).
func barrierArrive(f *function, in spirv.Inst) {
	switch s := f.scope(inst.ControlBarrierArriveEXT(in).Execution()); s {
	case spirv.ScopeWorkgroup, spirv.ScopeSubgroup:
		f.emit(ir.Val{Op: ir.Fence})
	default:
		f.unsupported("of scope %s", s)
	}
}

func memoryBarrier(f *function, _ spirv.Inst) { f.emit(ir.Val{Op: ir.Fence}) }

// scope returns the value of a scope id.
func (f *function) scope(id spirv.ID) spirv.Scope {
	return spirv.Scope(f.known(id))
}

// known returns the value of an operand that must be a constant.
func (f *function) known(id spirv.ID) uint64 {
	c := f.facts.Const(id)
	if c == nil || !c.Known || !c.Type.IsInt() {
		f.malformed("%%%d is no constant", id)
	}
	return c.Bits
}
