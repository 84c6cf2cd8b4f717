package ptxlower

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// The rules of the reports of sanitizers.
const (
	ruleGlobal = "PTX: an access of .global or .const outside of memory"
	ruleShared = "PTX: an access of .shared outside of the memory of the block"
	ruleLocal  = "PTX: an access of .local outside of the memory of the thread"
	ruleParam  = "PTX: an access of .param outside of the parameters"
	ruleNaN    = "PTX: a NaN of operands that are none"

	ruleAlignment = "PTX: an address that is no multiple of the size of the access"
	ruleDivision  = "PTX: an integer division by 0"
	ruleOverflow  = "PTX: a division of the least number by −1"
	ruleTable     = "PTX: brx.idx beyond its table"
	ruleMember    = "PTX: a mask without the thread that has it"
	ruleLane      = "PTX: shfl reads a thread that does not execute it"
	ruleWarp      = "PTX: an aligned instruction that not all threads of the warp execute"
)

// maxChecks bounds the messages of the checks of a program. A larger one is not checked further.
const maxChecks = 1 << 12

// source returns the file and the line of an instruction: by .loc, else the line of the module.
func (f *function) source(it *item) (file string, line uint32) {
	if it.loc == nil || len(it.loc.Words) < 2 {
		return cmp.Or(f.o.File, "PTX"), uint32(it.in.Pos.Line)
	}
	n, _ := strconv.ParseUint(it.loc.Words[1], 0, 32) // the parser has read a number
	return f.image.files[it.loc.Words[0]], uint32(n)
}

// report emits a message of a sanitizer for the threads in which c is 1. text has the formats of printf for args.
func (e *emitter) report(of ir.Sanitizers, rule string, c ir.V, text string, args ...ir.V) {
	if len(e.prog.Messages) >= maxChecks || e.ofHeap(e.f) {
		return
	}
	var types []ir.Type
	for _, a := range args {
		types = append(types, e.b.Func.Type(a))
	}
	s := ir.Site{Sanitizer: of, Stage: ir.Compute, Rule: rule, Name: e.in.Name()}
	s.File, s.Line = e.source(e.item)
	e.prog.Messages = append(e.prog.Messages, ir.Message{Kind: ir.Undefined, Text: text, Args: types, Site: s})
	e.b.If(c)
	e.b.OpAux(ir.Log, 0, uint64(len(e.prog.Messages)-1))
	for _, a := range args {
		e.b.OpAux(ir.LogArg, e.b.Func.Type(a), 0, a)
	}
	e.b.End()
}

// checkRange reports an access of so many bytes that is outside of its memory.
func (e *emitter) checkRange(p place, address ir.V, bytes uint64) {
	if e.o.Sanitize&ir.SanitizeBounds == 0 {
		return
	}
	beyond := func(rule, name string, size uint32) {
		c := e.b.Bool(true)
		if bytes <= uint64(size) {
			c = e.b.Cmp(ir.ULt, e.b.I32(size-uint32(bytes)), p.offset)
		}
		e.report(ir.SanitizeBounds, rule, c, "%u bytes at offset %u of %u bytes of "+name, e.b.I32(uint32(bytes)), p.offset, e.b.I32(size))
	}
	switch p.space {
	case inGlobal:
		c := e.b.Cmp(ir.Eq, e.b.Op(ir.Len, ir.I32, p.handle), e.b.I32(0))
		e.report(ir.SanitizeBounds, ruleGlobal, c, "%u bytes at address 0x%lx, which no allocation holds", e.b.I32(uint32(bytes)), address)
	case inShared:
		beyond(ruleShared, "shared memory", e.sharedEnd)
	case inParam:
		beyond(ruleParam, "parameters", e.prog.PushBytes)
	case inLocal:
		beyond(ruleLocal, "local memory", e.localBytes)
	}
}

// checkAlignment reports an access at an address that is no multiple of its size, of all elements for a vector.
func (e *emitter) checkAlignment(p place, address ir.V) {
	size := uint64(ptx.TypeSize(lastType(e.in)))
	if n := len(e.in.Operands); e.in.Op == "ld" || e.in.Op == "st" || e.in.Op == "ldu" {
		if o := e.in.Operands[map[bool]int{true: 0, false: n - 1}[e.in.Op == "ld" || e.in.Op == "ldu"]]; o.Kind == ptx.Vector {
			size *= uint64(len(o.Elems))
		}
	} else if e.in.Op != "atom" && e.in.Op != "red" && e.in.Op != "mbarrier" {
		return
	}
	if e.o.Sanitize&ir.SanitizeUndefined == 0 || size < 2 || size&(size-1) != 0 {
		return
	}
	if p.space != inGlobal {
		address = p.offset
	}
	t := e.b.Func.Type(address)
	low := e.b.Op(ir.And, t, address, e.b.Const(t, size-1))
	e.report(ir.SanitizeUndefined, ruleAlignment, e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, low, e.b.Const(t, 0))), "%u bytes at an address with the rest %u",
		e.b.I32(uint32(size)), e.as(low, ir.I32))
}

// checkDivision reports an integer division without a result.
func (e *emitter) checkDivision(x, y ir.V) {
	if e.o.Sanitize&ir.SanitizeUndefined == 0 {
		return
	}
	t := e.b.Func.Type(x)
	zero := e.b.Cmp(ir.Eq, y, e.b.Const(t, 0))
	e.report(ir.SanitizeUndefined, ruleDivision, zero, "a division of "+map[bool]string{true: "%d", false: "%u"}[isSigned(e.typ(0))]+" by 0", x)
	if isSigned(e.typ(0)) {
		both := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.Eq, x, e.b.Const(t, 1<<(t.Bits()-1))), e.b.Cmp(ir.Eq, y, e.b.Const(t, t.Mask())))
		e.report(ir.SanitizeUndefined, ruleOverflow, both, "a division of the least number by -1")
	}
}

// checkTable reports an index of brx.idx beyond its table.
func (e *emitter) checkTable(x ir.V, n int) {
	if e.o.Sanitize&ir.SanitizeUndefined != 0 {
		e.report(ir.SanitizeUndefined, ruleTable, e.b.Cmp(ir.ULe, e.b.I32(uint32(n)), x), "the index %u of a table of %u", x, e.b.I32(uint32(n)))
	}
}

// checkMember reports a mask of threads, at operand i, that lacks the thread.
func (e *emitter) checkMember(i int) {
	if e.o.Sanitize&ir.SanitizeUniform == 0 || !e.in.Has(".sync") {
		return
	}
	m := e.members(i)
	own := e.b.Op(ir.And, ir.I32, m, e.b.Op(ir.Shl, ir.I32, e.b.I32(1), e.laneID()))
	e.report(ir.SanitizeUniform, ruleMember, e.b.Cmp(ir.Eq, own, e.b.I32(0)), "the mask 0x%x lacks thread %u of the warp", m, e.laneID())
}

// checkLane reports the read of a thread that does not execute the instruction, if p is 1.
func (e *emitter) checkLane(p, lane ir.V) {
	if e.o.Sanitize&ir.SanitizeUniform == 0 {
		return
	}
	there := e.b.Op(ir.And, ir.I32, e.ballot(e.b.Bool(true)), e.b.Op(ir.Shl, ir.I32, e.b.I32(1), e.b.Op(ir.And, ir.I32, lane, e.b.I32(31))))
	absent := e.b.Op(ir.And, ir.B1, p, e.b.Cmp(ir.Eq, there, e.b.I32(0)))
	e.report(ir.SanitizeUniform, ruleLane, absent, "the value of thread %d of the warp, which does not execute it", lane)
}

// ofMatrices are the instructions of matrices, which a whole warp executes.
var ofMatrices = map[string]bool{"mma": true, "wmma": true, "ldmatrix": true, "stmatrix": true, "movmatrix": true}

// checkWarp reports an instruction of matrices that not all threads of the warp execute.
func (e *emitter) checkWarp() {
	if e.o.Sanitize&ir.SanitizeUniform == 0 || !e.in.Has(".aligned") || !ofMatrices[e.in.Op] {
		return
	}
	active := e.ballot(e.b.Bool(true))
	e.report(ir.SanitizeUniform, ruleWarp, e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, active, e.b.I32(allLanes))), "only the threads 0x%x of the warp execute it", active)
}

// floatChecks are the instructions with results that SanitizeFloat checks.
var floatChecks = map[string]bool{"add": true, "sub": true, "mul": true, "mad": true, "fma": true, "div": true, "rcp": true, "sqrt": true, "rsqrt": true, "lg2": true, "ex2": true, "sin": true, "cos": true}

// checkFloat calls do, which emits the instruction, and reports a NaN that it makes of numbers.
func (e *emitter) checkFloat(do func(*emitter)) {
	if e.o.Sanitize&ir.SanitizeFloat == 0 || !floatChecks[e.in.Op] || len(e.types) == 0 || !isFloat(e.types[0]) || e.in.Operands[0].Kind != ptx.Symbol {
		do(e)
		return
	}
	t := irType(e.types[0])
	isNaN := func(v ir.V) ir.V { return e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.FEq, v, v)) }
	numbers := e.b.Bool(true)
	operands := e.in.Operands[1:]
	if len(e.types) > 1 { // the last one alone has the type
		for _, o := range operands[:len(operands)-1] {
			numbers = e.b.Op(ir.And, ir.B1, numbers, e.b.Op(ir.Not, ir.B1, isNaN(e.widened(o))))
		}
		operands = operands[len(operands)-1:]
	}
	for _, o := range operands {
		numbers = e.b.Op(ir.And, ir.B1, numbers, e.b.Op(ir.Not, ir.B1, isNaN(e.read(o, t))))
	}
	do(e)
	d := e.read(e.in.Operands[0], t)
	e.report(ir.SanitizeFloat, ruleNaN, e.b.Op(ir.And, ir.B1, numbers, isNaN(d)), "a NaN")
}

// sourceFiles returns the names of the files of a module, by the numbers that .loc has.
func sourceFiles(m *ptx.Module) map[string]string {
	files := map[string]string{}
	for _, x := range m.Items {
		if d, ok := x.(*ptx.Directive); ok && d.Name == ".file" && len(d.Words) >= 2 {
			files[d.Words[0]] = strings.Trim(d.Words[1], `"`)
		}
	}
	return files
}
