package lower

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// With Options.Sanitize the program checks itself, as with the sanitizers of LLVM: before an instruction the invocation logs a
// message of kind ir.Undefined if the operands have no defined result, and after it one about a result, such as a NaN. The
// results remain as in docs/undefined.md. The checks are ordinary operations, so that both engines and all stages have them.

// finding is what a check reports.
type finding struct {
	of   ir.Sanitizers // one
	rule string        // a VUID, or the case of a row of docs/undefined.md
}

// check is a check before an instruction.
type check struct {
	of ir.Sanitizers // any of them has it
	do func(f *function, in spirv.Inst)
	// after: it follows the instruction. An atomic reads the value of the ones before it: with Job.Schedule others may come between an event
	// before the instruction and the access.
	after bool
}

// sanitize lowers an instruction between its checks. Others are at the accesses themselves: checkRange, checkIndexes,
// checkInitialized, checkTexel, checkLane.
func (f *function) sanitize(op spirv.Op, in spirv.Inst) {
	floats := f.sanitizes(ir.SanitizeFloat) && in.Result() != 0 && computesFloat(op)
	run := func(after bool) {
		for _, c := range checks[op] {
			if c.after == after && f.sanitizes(c.of) && (c.of&ir.SanitizeRace == 0 || inGroups(f.prog.Stage) || c.of == ir.SanitizeRace && f.traces()) {
				c.do(f, in)
			}
		}
	}
	run(false)
	if floats {
		checkFloatOperands(f, in)
	}
	f.lower(op, in)
	run(true)
	if floats {
		checkFloatResult(f, in)
	}
}

// sanitizes reports whether the program has one of the sanitizers.
func (u *unit) sanitizes(s ir.Sanitizers) bool { return u.options.Sanitize&s != 0 }

// maxChecks bounds the messages of checks, below maxMessages so that the shader's own have room. A larger program is not
// checked further.
const maxChecks = maxMessages / 2

// report appends a message on the current instruction, for the lanes in which c is 1. text has the formats of debugPrintf for
// args.
func (f *function) report(of finding, c ir.V, text string, args ...ir.V) {
	if !f.sanitizes(of.of) {
		return
	}
	bits, known := f.constBits(c)
	if known && bits == 0 {
		return
	}
	n, ok := f.checkMessage(ir.Undefined, text, f.typesOf(args), f.site(of))
	if !ok {
		return
	}
	if !known {
		f.guard(c)
	}
	f.log(n, args)
	f.logIdentity()
	if !known {
		f.b.End()
	}
}

// branch is an if of a function.
type branch struct {
	in *ir.Func
	at ir.V
}

// guard opens an if of a sanitizer, which is no branch of the shader.
func (f *function) guard(c ir.V) {
	if f.guards == nil {
		f.guards = map[branch]bool{}
	}
	f.guards[branch{f.b.Func, f.b.If(c)}] = true
}

// logIdentity adds the values that identify the invocation to the latest message.
func (f *function) logIdentity() {
	for _, x := range f.identity() {
		f.b.Op(ir.LogArg, x.Type, f.b.OpAux(ir.In, x.Type, f.inputNumber(x)))
	}
}

// messageOf identifies a message of a check.
type messageOf struct {
	text string
	site ir.Site
}

// checkMessage returns the number of a message of a check; equal ones of a program are one. Further values identify the
// invocation. It returns false if there are too many messages.
func (u *unit) checkMessage(kind ir.MessageKind, text string, types []ir.Type, at ir.Site) (uint64, bool) {
	key := messageOf{text, at}
	if n, ok := u.checks[key]; ok {
		return n, true
	}
	if len(u.checks) >= maxChecks || len(u.prog.Messages) >= maxMessages {
		return 0, false
	}
	if u.checks == nil {
		u.checks = map[messageOf]uint64{}
	}
	n := uint64(len(u.prog.Messages))
	u.checks[key] = n
	for _, x := range u.identity() {
		types = append(types, x.Type)
		at.Where++
	}
	u.prog.Messages = append(u.prog.Messages, ir.Message{Kind: kind, Text: text, Args: types, Site: at})
	return n, true
}

// site returns the site of the current instruction.
func (f *function) site(of finding) ir.Site {
	in := f.facts.Code.Inst(f.at)
	s := ir.Site{Sanitizer: of.of, Stage: f.prog.Stage, Rule: of.rule, Instruction: uint32(f.at + 1), Name: in.Op().String()}
	if v := inst.ExtInst(in); in.Op() == spirv.OpExtInst && f.facts.ExtSet(v.Set()) == spirv.ExtSetGLSL {
		s.Name = spirv.GLSLOp(v.Instruction()).String()
	}
	if r := in.Result(); r != 0 {
		s.Name += fmt.Sprintf(" %%%d", r)
	}
	if p, ok := f.facts.Line(f.at); ok {
		s.File, s.Line = p.File, uint32(p.Line)
	}
	return s
}

// identities are the inputs that identify an invocation of a stage. The log knows those of compute.
var identities = map[ir.Stage][]ir.Input{
	ir.Vertex:      {{Semantic: ir.VertexIndex, Type: ir.I32}, {Semantic: ir.InstanceIndex, Type: ir.I32}},
	ir.TessControl: {{Semantic: ir.PrimitiveId, Type: ir.I32}, {Semantic: ir.InvocationId, Type: ir.I32}},
	ir.TessEval:    {{Semantic: ir.PrimitiveId, Type: ir.I32}, {Semantic: ir.TessCoord, Type: ir.F32}, {Semantic: ir.TessCoord, Type: ir.F32, Index: 1}},
	ir.Geometry:    {{Semantic: ir.PrimitiveId, Type: ir.I32}, {Semantic: ir.InvocationId, Type: ir.I32}},
	ir.Fragment:    {{Semantic: ir.FragCoord, Type: ir.F32}, {Semantic: ir.FragCoord, Type: ir.F32, Index: 1}},
	ir.Task:        workgroupIdentity,
	ir.Mesh:        workgroupIdentity,
}

var workgroupIdentity = []ir.Input{
	{Semantic: ir.WorkgroupIdX, Type: ir.I32}, {Semantic: ir.WorkgroupIdY, Type: ir.I32}, {Semantic: ir.WorkgroupIdZ, Type: ir.I32},
	{Semantic: ir.LocalInvocationIndex, Type: ir.I32},
}

var launchIdentity = []ir.Input{{Semantic: ir.LaunchId, Type: ir.I32}, {Semantic: ir.LaunchId, Type: ir.I32, Index: 1}, {Semantic: ir.LaunchId, Type: ir.I32, Index: 2}}

// identity returns the inputs that identify the invocation.
func (u *unit) identity() []ir.Input {
	if u.prog.Stage >= ir.RayGen {
		return launchIdentity
	}
	return identities[u.prog.Stage]
}

// escaped returns a text as a part of a format of debugPrintf.
func escaped(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// not returns the complement of a boolean.
func (f *function) not(c ir.V) ir.V { return f.b.Op(ir.Not, ir.B1, c) }

// eachOperands calls yield with the scalars of the operands of each component; an operand with one scalar is an operand of
// every component. It ends at a type that is of another kind: the lowering of the instruction reports the malformed operand.
func (f *function) eachOperands(words []uint32, is func(ir.Type) bool, yield func(x []ir.V)) {
	args := f.operands(words)
	for i := range args[0] {
		x := make([]ir.V, len(args))
		for k, a := range args {
			if len(a) != len(args[0]) && len(a) != 1 {
				return
			}
			x[k] = a[min(i, len(a)-1)]
			if !is(f.b.Func.Type(x[k])) {
				return
			}
		}
		yield(x)
	}
}

// checks are the checks before instructions.
var checks = allChecks()

func allChecks() map[spirv.Op][]check {
	list := map[spirv.Op][]check{}
	add := func(of ir.Sanitizers, do func(f *function, in spirv.Inst), ops ...spirv.Op) {
		for _, op := range ops {
			list[op] = append(list[op], check{of: of, do: do})
		}
	}
	add(ir.SanitizeUndefined, checkDivisor, spirv.OpUDiv, spirv.OpUMod, spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod)
	add(ir.SanitizeUndefined, checkShift, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic)
	add(ir.SanitizeUndefined, checkField(5), spirv.OpBitFieldInsert)
	add(ir.SanitizeUndefined, checkField(4), spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract)
	add(ir.SanitizeUndefined, checkConversion, spirv.OpConvertFToS, spirv.OpConvertFToU)
	add(ir.SanitizeUndefined, checkDomain, spirv.OpExtInst)
	add(ir.SanitizeBounds, checkComponent(3, 4, extractedComponent), spirv.OpVectorExtractDynamic)
	add(ir.SanitizeBounds, checkComponent(3, 5, insertedComponent), spirv.OpVectorInsertDynamic)
	add(ir.SanitizeUniform, checkQuad, derivatives[:]...)
	add(ir.SanitizeUniform, checkBroadcast, spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformQuadBroadcast)
	add(ir.SanitizeUndefined, checkFloatDivisor, spirv.OpFRem)
	add(ir.SanitizeRace, traceLoad, spirv.OpLoad)
	add(ir.SanitizeRace, traceStore, spirv.OpStore)
	add(ir.SanitizeRace, traceCopy, spirv.OpCopyMemory)
	add(ir.SanitizeRace, traceMemoryBarrier, spirv.OpMemoryBarrier)
	add(ir.SanitizeRace|ir.SanitizeUniform, traceControlBarrier(ir.BarrierEvent), spirv.OpControlBarrier)
	add(ir.SanitizeRace|ir.SanitizeUniform, traceControlBarrier(ir.ArriveEvent), spirv.OpControlBarrierArriveEXT)
	add(ir.SanitizeRace, traceControlBarrier(ir.WaitEvent), spirv.OpControlBarrierWaitEXT)
	add(ir.SanitizeUndefined, checkGeneratedHit, spirv.OpRayQueryGenerateIntersectionKHR)
	addRayChecks(add)
	for op := range atomicRules {
		do := traceAtomicUpdate
		switch op {
		case spirv.OpAtomicLoad:
			do = traceAtomicLoad
		case spirv.OpAtomicStore:
			do = traceAtomicStore
		case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
			do = traceCompareExchange
		}
		list[op] = append(list[op], check{of: ir.SanitizeRace, do: do, after: true})
	}
	return list
}
