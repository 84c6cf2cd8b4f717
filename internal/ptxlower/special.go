package ptxlower

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// vectors are the special registers with a part for each dimension, and the input of the first one.
var vectors = map[string]ir.Semantic{"%tid": ir.LocalInvocationIdX, "%ctaid": ir.WorkgroupIdX, "%nctaid": ir.NumWorkgroupsX, "%clusterid": ir.WorkgroupIdX, "%nclusterid": ir.NumWorkgroupsX}

// special returns the value of a special register. A block is a cluster of its own, and the device is one multiprocessor.
func (e *emitter) special(o *ptx.Operand) ir.V {
	b := e.b
	axis := slices.Index([]string{".x", ".y", ".z", ".w"}, o.Part)
	if s, ok := vectors[o.Name]; axis == 3 && (ok || o.Name == "%ntid") {
		return b.I32(0) // not used (PTX ISA)
	} else if ok && axis >= 0 {
		return e.input32(s + ir.Semantic(axis))
	}
	lane := func(op func(ir.V) ir.V) ir.V { return op(b.Op(ir.Shl, ir.I32, b.I32(1), e.laneID())) }
	below := func(bit ir.V) ir.V { return b.Op(ir.Sub, ir.I32, bit, b.I32(1)) }
	not := func(v ir.V) ir.V { return b.Op(ir.Not, ir.I32, v) }
	switch o.Name {
	case "%ntid":
		if axis >= 0 {
			return b.I32(e.prog.LocalSize[axis])
		}
	case "%laneid":
		return e.laneID()
	case "%warpid":
		return e.input32(ir.SubgroupId)
	case "%nwarpid":
		return b.I32(e.prog.Subgroups())
	case "%lanemask_eq":
		return lane(func(v ir.V) ir.V { return v })
	case "%lanemask_lt":
		return lane(below)
	case "%lanemask_le":
		return lane(func(v ir.V) ir.V { return b.Op(ir.Or, ir.I32, v, below(v)) })
	case "%lanemask_ge":
		return lane(func(v ir.V) ir.V { return not(below(v)) })
	case "%lanemask_gt":
		return lane(func(v ir.V) ir.V { return not(b.Op(ir.Or, ir.I32, v, below(v))) })
	case "%nsmid", "%cluster_nctarank", "%cluster_nctaid":
		return b.I32(1)
	case "%smid", "%gridid", "%cluster_ctarank", "%cluster_ctaid", "%is_explicit_cluster":
		return b.I32(0)
	case "%heap_begin":
		return b.Const(ir.I64, e.o.Heap)
	case "%heap_end":
		return b.Const(ir.I64, e.o.Heap+HeapBytes)
	case "%dynamic_smem_size":
		return b.I32(e.o.SharedBytes)
	case "%total_smem_size":
		return b.I32(e.sharedEnd)
	case "%aggr_smem_size":
		return b.I32(e.systemEnd)
	case "%clock", "%clock64", "%clock_hi", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi":
		return e.readClock(o.Name)
	}
	if strings.HasPrefix(o.Name, "%envreg") || strings.HasPrefix(o.Name, "%pm") {
		return b.I32(0)
	}
	unsupported(o.Pos, "the register %s%s", o.Name, o.Part)
	return 0
}

// readClock emits a reading of a clock: the number of readings of the thread, this one included, as OpReadClockKHR.
func (e *emitter) readClock(name string) ir.V {
	if e.clock == 0 {
		e.clock = e.variable("clock", 2) + 1
	}
	n, slot := e.clock-1, e.b.I32(0)
	now := e.b.Op(ir.Add, ir.I64, e.b.OpAux(ir.PLd, ir.I64, n, slot), e.b.Const(ir.I64, 1))
	e.b.OpAux(ir.PSt, ir.I64, n, slot, now)
	switch name {
	case "%clock_hi", "%globaltimer_hi":
		return e.b.Op(ir.Trunc, ir.I32, e.b.Op(ir.LShr, ir.I64, now, e.b.Const(ir.I64, 32)))
	case "%clock", "%globaltimer_lo":
		return e.b.Op(ir.Trunc, ir.I32, now)
	}
	return now
}

// message emits a message without arguments.
func (e *emitter) message(m ir.Message) {
	e.prog.Messages = append(e.prog.Messages, m)
	e.b.OpAux(ir.Log, 0, uint64(len(e.prog.Messages)-1))
}

// trap ends the thread, and makes the launch fail.
func (e *emitter) trap() {
	if e.ofHeap(e.f) { // its lines are none of the module
		e.abort("free of a pointer that malloc did not return, or of one that is free")
		return
	}
	e.abort("trap")
}

// abort ends the thread at the instruction, and makes the launch fail.
func (e *emitter) abort(cause string) {
	e.b.If(e.b.Bool(true)) // no code may follow a kill in its region
	e.abortHere(cause)
	e.b.End()
}

// abortHere is abort at the end of a region.
func (e *emitter) abortHere(cause string) {
	m := ir.Message{Kind: ir.Abort, Text: cause}
	if !e.ofHeap(e.f) {
		m.Line, m.Column = uint32(e.in.Pos.Line), uint32(e.in.Pos.Col)
	}
	e.message(m)
	e.b.Emit(ir.Val{Op: ir.Kill})
}

func (e *emitter) brkpt() { e.message(ir.Message{Kind: ir.Break}) }
