package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// With SanitizeRace threads log their accesses of .global and .shared, their fences and their barriers, for the detector of data races
// (package exec), and with SanitizeUniform their barriers, for it to find those that not all threads reach. The order is that of the
// memory consistency model of PTX: volatile accesses count as relaxed ones of scope .sys.

const (
	ruleRace    = "PTX: accesses that are not ordered"
	ruleBarrier = "PTX: a barrier that not all threads of the block reach"
)

// allDomains are the domains of a fence or a barrier: in PTX they order all memory.
const allDomains = 1<<ir.EventDomains - 1

// tracedAt identifies the message of an event.
type tracedAt struct {
	at    ptx.Position
	event ir.Event
}

// trace logs an event. Of malloc and free the exchanges of lists have one: they order the accesses of a block before and after it is free.
func (e *emitter) trace(of ir.Sanitizers, rule string, event ir.Event, args ...ir.V) {
	if e.ofHeap(e.f) && !e.in.Has(".acq_rel") {
		return
	}
	s := ir.Site{Sanitizer: of, Stage: ir.Compute, Rule: rule, Name: e.in.Name()}
	s.File, s.Line = e.source(e.item)
	if len(e.prog.Messages) >= maxChecks {
		e.prog.Messages = append(e.prog.Messages[:maxChecks], ir.Message{Kind: ir.Traced, Site: s, Event: ir.Event{Kind: ir.LostEvent}})
		return
	}
	at := tracedAt{e.in.Pos, event}
	n, ok := e.traced[at]
	if !ok {
		n = uint64(len(e.prog.Messages))
		var types []ir.Type
		for _, a := range args {
			types = append(types, e.b.Func.Type(a))
		}
		e.prog.Messages = append(e.prog.Messages, ir.Message{Kind: ir.Traced, Args: types, Site: s, Event: event})
		if e.traced == nil {
			e.traced = map[tracedAt]uint64{}
		}
		e.traced[at] = n
	}
	switch len(args) {
	case 0:
		e.b.OpAux(ir.Log, 0, n)
	case 1:
		e.b.OpAux(ir.LogEvent, e.b.Func.Type(args[0]), n, args[0], e.b.I32(0))
	default:
		e.b.OpAux(ir.LogEvent, e.b.Func.Type(args[0]), n, args...)
	}
}

// accessEvent returns the event of the access of the instruction to a space.
//
// The event of a plain access precedes it: only its order to the thread's own fences and atomics matters. The event of a strong one follows
// it: a strong read sees what the writes before it published, and with a schedule the threads may change before the access itself.
func (e *emitter) accessEvent(in space) ir.Event {
	event := ir.Event{Kind: ir.AccessEvent, Domain: ir.EventBuffers, Memory: "global memory"}
	if in == inShared {
		event.Domain, event.Memory = ir.EventWorkgroup, "shared memory"
	}
	e.describe(&event, in)
	return event
}

// tracesParts reports whether the emitter of the strong access logs its events: those of a comparison depend on the outcome, one of 128 bits
// is logged while its lock is taken, and a vector is a set of scalar accesses in any order (PTX ISA, "Vector Data-types").
func (e *emitter) tracesParts() bool {
	switch e.in.Op {
	case "ld", "st", "atom", "red":
		return !e.completes && (e.item.wide || e.isVector() || e.in.Has(".v8") || e.in.Has(".cas"))
	}
	return false
}

// tracePart logs a part of a strong access, if the instruction logs its parts.
func (e *emitter) tracePart(p place, plus, bytes uint64) {
	if event := e.accessEvent(p.space); event.Atomic && e.tracesParts() {
		e.traceAccess(p, plus, bytes, event)
	}
}

// traceCompared logs atom.cas. If the values were not equal, it is a read without a write: it has no release semantics.
func (e *emitter) traceCompared(p place, bytes uint64, equal ir.V) {
	if !e.tracesMemory(p.space) {
		return
	}
	event := e.accessEvent(p.space)
	e.b.If(equal)
	e.traceAccess(p, 0, bytes, event)
	e.b.Else()
	event.Write, event.Release = false, 0
	e.traceAccess(p, 0, bytes, event)
	e.b.End()
}

// tracesMemory reports whether accesses of a space have events.
func (e *emitter) tracesMemory(in space) bool {
	return e.o.Sanitize&ir.SanitizeRace != 0 && (in == inGlobal || in == inShared) && !e.in.Has(".const")
}

// traceAccess logs the access of the instruction to so many bytes at plus, if they are in memory.
func (e *emitter) traceAccess(p place, plus, bytes uint64, event ir.Event) {
	if !e.tracesMemory(p.space) {
		return
	}
	event.Size = uint32(bytes)
	var args []ir.V
	var inside ir.V
	if p.space == inShared {
		offset := e.plus(p.offset, plus)
		args = []ir.V{e.b.Op(ir.ZExt, ir.I64, offset), e.b.I32(0)}
		inside = e.b.Bool(false)
		if bytes <= uint64(e.sharedEnd) {
			inside = e.b.Cmp(ir.ULe, offset, e.b.I32(e.sharedEnd-uint32(bytes)))
		}
	} else {
		args = []ir.V{e.plus(e.as(p.address, ir.I64), plus)}
		inside = e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, e.b.Op(ir.Len, ir.I32, p.handle), e.b.I32(0)))
	}
	e.b.If(inside)
	e.trace(ir.SanitizeRace, ruleRace, event, args...)
	e.b.End()
}

// plus returns the sum of an address and a number of bytes.
func (e *emitter) plus(v ir.V, n uint64) ir.V {
	if n == 0 {
		return v
	}
	t := e.b.Func.Type(v)
	return e.b.Op(ir.Add, t, v, e.b.Const(t, n))
}

// describe sets the properties of the access of the instruction to a space.
func (e *emitter) describe(x *ir.Event, in space) {
	if e.in.Op == "mbarrier" || e.in.Has(".mbarrier") || e.completes {
		e.describeObject(x)
		return
	}
	switch e.in.Op {
	case "st", "stmatrix":
		x.Write = true
	case "cp":
		x.Read, x.Write = in == inGlobal, in == inShared
	case "wmma":
		x.Write = e.in.Has(".store")
		x.Read = !x.Write
	case "atom", "red":
		x.Read, x.Write, x.Atomic = true, true, true
	default:
		x.Read = true
	}
	for _, m := range e.in.Mods {
		switch m {
		case ".volatile", ".relaxed", ".mmio":
			x.Atomic = true
		case ".acquire", ".release", ".acq_rel":
			x.Atomic = true
			if x.Read && m != ".release" {
				x.Acquire = allDomains
			}
			if x.Write && m != ".acquire" {
				x.Release = allDomains
			}
		case ".cta":
			x.Scope = ir.EventGroup
		}
	}
	if !x.Atomic {
		x.Scope = 0
	}
}

// traceBarrier logs a barrier of the block, or of a warp. Any threads of a warp may have one of their own.
func (e *emitter) traceBarrier(scope uint8) {
	event := ir.Event{Kind: ir.BarrierEvent, Scope: scope, Execution: scope, Acquire: allDomains, Release: allDomains, Barrier: e.barrierNumber()}
	switch {
	case e.o.Sanitize&ir.SanitizeUniform != 0 && scope == ir.EventGroup:
		e.trace(ir.SanitizeUniform, ruleBarrier, event)
	case e.o.Sanitize&ir.SanitizeRace != 0:
		e.trace(ir.SanitizeRace, ruleRace, event)
	}
}

// barrierNumber identifies the barrier of the block that the instruction executes, because several instructions may execute it: those of
// barrier.red execute none of barrier.sync, and that of the cluster is one of its own. It is 0 if the number is no constant.
func (e *emitter) barrierNumber() uint8 {
	const reduces, ofCluster = 16, 33 // 1 to 16 are those of barrier.sync
	switch i := e.barrierOperand(); {
	case e.in.Has(".warp"):
	case e.in.Has(".cluster"):
		return ofCluster
	case i < len(e.in.Operands) && e.operand(i).Kind == ptx.Immediate:
		n := uint8(1 + e.constant(e.operand(i).Expr)&15)
		if e.in.Has(".red") {
			n += reduces
		}
		return n
	}
	return 0
}

// barrierOperand returns which operand has the number of the barrier.
func (e *emitter) barrierOperand() int {
	if e.in.Has(".red") {
		return 1
	}
	return 0
}

// traceFence logs a fence.
func (e *emitter) traceFence() {
	if e.o.Sanitize&ir.SanitizeRace == 0 {
		return
	}
	event := ir.Event{Kind: ir.FenceEvent, Acquire: allDomains, Release: allDomains}
	if e.in.Has(".cta") {
		event.Scope = ir.EventGroup
	}
	e.trace(ir.SanitizeRace, ruleRace, event)
}

// traceEnd logs the end of the thread: barriers do not wait for it afterwards (PTX ISA, "barrier").
func (f *function) traceEnd(it *item) {
	if f.o.Sanitize&ir.SanitizeUniform == 0 || !f.barriers() {
		return
	}
	if it == nil { // the end of the body
		it = &item{in: &ptx.Instr{Pos: f.f.Pos, Op: "ret"}, at: f.top}
	}
	e := &emitter{function: f, in: it.in, item: it, scope: it.at}
	e.trace(ir.SanitizeUniform, ruleBarrier, ir.Event{Kind: ir.LeaveEvent})
}

// barriers reports whether the program has barriers of the block.
func (u *unit) barriers() bool {
	for _, f := range u.list {
		for i := range f.items {
			if in := f.items[i].in; (in.Op == "bar" || in.Op == "barrier") && !in.Has(".warp") {
				return true
			}
		}
	}
	return false
}
