package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

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
