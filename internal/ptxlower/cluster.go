package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// A launch has no clusters, so that each block is a cluster of its own (PTX ISA, "Cluster of Cooperative Thread Arrays"): the shared memory
// of the cluster is the block's, and its barrier the block's.

// mapAddress emits mapa: the address of a variable in the shared memory of the block with a rank, which is this block.
func (e *emitter) mapAddress() {
	t := irType(e.typ(0))
	e.result(e.read(e.operand(1), t))
}

// rank emits getctarank: the rank of the block with an address in its shared memory.
func (e *emitter) rank() {
	e.result(e.b.I32(0))
}

// clusterBarrier emits barrier.cluster: no thread waits before all have arrived, so that the wait alone is a barrier.
func (e *emitter) clusterBarrier() {
	if e.in.Has(".arrive") {
		e.b.Emit(ir.Val{Op: ir.Fence, Flags: ir.Coherent})
		return
	}
	if e.yields {
		e.yieldingBarrier(e.b.I32(clusterNumber), nil, 0)
		return
	}
	e.traceBarrier(ir.EventGroup)
	e.b.Emit(ir.Val{Op: ir.Barrier})
}

// launchControl emits clusterlaunchcontrol. All blocks of a launch count as started, so that no request cancels one: a response is 16 zeros.
func (e *emitter) launchControl() {
	const response = 16
	b, in := e.b, e.in
	zero := b.Const(ir.I64, 0)
	switch {
	case in.Has(".try_cancel") && in.Has(".async") && in.Has(".mbarrier::complete_tx::bytes"):
		to := e.bulkAddress(0)
		e.checkSure(e.sure, "the operand")
		e.sure = 0
		e.inSpace(to, inShared, response, func(p place) {
			e.storePlace(p, 0, zero, 0)
			e.storePlace(p, response/2, zero, 0)
		})
		e.completes = true
		e.changeObject(e.operand(1), func(old ir.V) ir.V { return e.nextObject(old, zero, zero, b.Const(ir.I64, ^uint64(response)+1)) })
		e.completes = false
	case in.Has(".query_cancel") && in.Has(".is_canceled"):
		e.result(b.Bool(false))
	case in.Has(".query_cancel") && len(in.Mods) > 1 && strings.HasPrefix(in.Mods[1], ".get_first_ctaid"):
		for _, o := range e.elements(e.operand(0)) {
			e.write(o, b.I32(0))
		}
	default:
		unsupported(in.Pos, "%s", in.Name())
	}
}
