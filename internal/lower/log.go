package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var logRules = rules{
	spirv.OpReadClockKHR: readClock,
}

// maxMessages bounds the messages of a program.
const maxMessages = 1 << 16

// logMessage appends a message of the invocation and its arguments, scalar by scalar.
func (f *function) logMessage(kind ir.MessageKind, text string, args []ir.V) {
	if len(f.prog.Messages) >= maxMessages {
		f.tooLarge("more than %d messages", maxMessages)
	}
	n := uint64(len(f.prog.Messages))
	f.prog.Messages = append(f.prog.Messages, ir.Message{Kind: kind, Text: text, Args: f.typesOf(args)})
	f.log(n, args)
}

// log logs message n with values.
func (f *function) log(n uint64, args []ir.V) {
	f.b.OpAux(ir.Log, ir.None, n)
	for _, v := range args {
		f.b.Op(ir.LogArg, f.b.Func.Type(v), v)
	}
}

// typesOf returns the types of values.
func (f *function) typesOf(list []ir.V) (types []ir.Type) {
	for _, v := range list {
		types = append(types, f.b.Func.Type(v))
	}
	return types
}

// debugPrintf lowers NonSemantic.DebugPrintf; its result type has no values.
func debugPrintf(f *function, in spirv.Inst) {
	v := inst.NonSemanticDebugPrintfDebugPrintf(in)
	text, ok := f.facts.String(v.Format())
	if !ok {
		f.malformed("%%%d is not a string", v.Format())
	}
	var args []ir.V
	for _, id := range v.Operands() {
		args = append(args, f.scalars(id)...)
		if len(args) > maxLeaves {
			f.tooLarge("a message of more than %d scalars", maxLeaves)
		}
	}
	f.logMessage(ir.Print, text, args)
}

// abort lowers OpAbortKHR: the invocation logs its message and ends. Other invocations
// continue, which the specification allows.
func (f *function) abort(in spirv.Inst) {
	v := inst.AbortKHR(in)
	args := f.scalars(v.Message())
	f.logMessage(ir.Abort, "", args)
	if at := f.messageOffsets(f.facts.Type(v.MessageType()), facts.Member{}, 0, nil); len(at) == len(args) {
		f.prog.Messages[len(f.prog.Messages)-1].At = at
	}
	f.b.Emit(ir.Val{Op: ir.Kill})
}

// messageOffsets appends the byte offsets of the scalars of a message type. The member has the layout of a matrix. An array without
// a stride has the size of its elements as stride.
func (u *unit) messageOffsets(t *facts.Type, m facts.Member, at uint64, out []uint32) []uint32 {
	list := func(elem *facts.Type, n, stride uint64) []uint32 {
		if elem == nil {
			u.malformed("a type is missing")
		}
		if stride == 0 {
			stride = elem.Size(m.MatrixStride, m.RowMajor)
		}
		for i := uint64(0); i < n && len(out) < maxLeaves; i++ {
			out = u.messageOffsets(elem, m, at+i*stride, out)
		}
		return out
	}
	switch {
	case t == nil:
		u.malformed("a type is missing")
	case t.IsStruct():
		next := uint64(0) // without offsets the members follow one another
		for i := range t.Members {
			member := &t.Members[i]
			if member.Type == nil {
				u.malformed("a type is missing")
			}
			if member.HasOffset {
				next = uint64(member.Offset)
			}
			out = u.messageOffsets(member.Type, *member, at+next, out)
			next += member.Size()
		}
		return out
	case t.Op == spirv.OpTypeMatrix && m.RowMajor && t.Elem != nil:
		for column := range t.Count {
			for row := range t.Elem.Count {
				out = append(out, uint32(at+row*uint64(m.MatrixStride)+column*uint64(t.Scalar().Width)/8))
			}
		}
		return out
	case t.Op == spirv.OpTypeMatrix:
		return list(t.Elem, t.Count, uint64(m.MatrixStride))
	case t.IsVector():
		return list(t.Elem, t.Count, 0)
	case t.IsArray():
		return list(t.Elem, t.Count, uint64(t.ArrayStride))
	}
	return append(out, uint32(min(at, math.MaxUint32)))
}

// clockStep is the increment of the clock per reading.
const clockStep = 1

// readClock lowers OpReadClockKHR as a deterministic counter: the number of times that
// the invocation has read a clock, this time included. Unlike real time it is the same
// on every run and machine; it increases monotonically, and is equal in all invocations
// that took the same path.
func readClock(f *function, in spirv.Inst) {
	switch s := f.scope(inst.ReadClockKHR(in).Scope()); s {
	case spirv.ScopeSubgroup, spirv.ScopeDevice:
	default:
		f.unsupported("of scope %s", s)
	}
	now := f.readCounter()
	if f.facts.Type(in.Type()).IsVector() {
		high := f.b.Op(ir.LShr, ir.I64, now, f.b.Const(ir.I64, 32))
		f.define(in, f.b.Op(ir.Trunc, ir.I32, now), f.b.Op(ir.Trunc, ir.I32, high))
		return
	}
	f.define(in, now)
}

// readCounter increments and reads the clock.
func (f *function) readCounter() ir.V {
	n := f.clockVariable()
	slot := f.b.I32(0)
	now := f.b.Op(ir.Add, ir.I64, f.b.OpAux(ir.PLd, ir.I64, n, slot), f.b.Const(ir.I64, clockStep))
	f.b.OpAux(ir.PSt, ir.I64, n, slot, now)
	return now
}

// clockVariable returns the private variable that counts the readings.
func (u *unit) clockVariable() uint64 {
	if u.clocked == 0 {
		u.prog.Vars = append(u.prog.Vars, ir.Var{Name: "clock", Slots: 2, Func: -1})
		u.clocked = uint64(len(u.prog.Vars))
	}
	return u.clocked - 1
}
