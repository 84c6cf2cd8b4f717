package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// st.async and red.async are complete at once: no thread can tell, because it waits for the bytes at the mbarrier object. The completion of
// the bytes releases what was stored (PTX ISA, "st.async", "red.async"). A block is a cluster of its own.

// asyncStore are the modifiers of both instructions besides the ones of st and red.
const asyncStore = ".async .mbarrier::complete_tx::bytes "

// isAsync reports whether an instruction is st.async or red.async. The other forms have no object as their third operand.
func (e *emitter) isAsync() bool {
	async, want := e.in.Has(".async"), 2
	if async {
		want = 3
	}
	if len(e.in.Operands) != want {
		malformed(e.in.Pos, "%s has %d operands; must have %d", e.in.Name(), len(e.in.Operands), want)
	}
	if async != e.in.Has(".mbarrier::complete_tx::bytes") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	return async
}

// storeOrAsync emits st.
func (e *emitter) storeOrAsync() {
	if e.in.Has(".bulk") {
		e.storeBulk()
		return
	}
	async := e.isAsync()
	if e.store(); async {
		e.completeBytes(uint64(len(e.elements(e.operand(1)))))
	}
}

// redOrAsync emits red.
func (e *emitter) redOrAsync() {
	if !e.isAsync() {
		e.red()
		return
	}
	if t := e.typ(0); isFloat(t) || ptx.TypeSize(t) < 4 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	e.atomic(e.operand(0), e.in.Operands[1:2], func(ir.V) {})
	e.completeBytes(1)
}

// completeBytes completes the transaction of n elements at the mbarrier object.
func (e *emitter) completeBytes(n uint64) {
	zero := e.b.Const(ir.I64, 0)
	tx := e.b.Const(ir.I64, -(n * uint64(ptx.TypeSize(e.typ(0)))))
	e.completes = true
	e.changeObject(e.operand(2), func(old ir.V) ir.V { return e.nextObject(old, zero, zero, tx) })
	e.completes = false
}
