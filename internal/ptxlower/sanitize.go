package ptxlower

import (
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
)

// maxChecks bounds the messages of the checks of a program. A larger one is not checked further.
const maxChecks = 1 << 12

// source returns the file and the line of an instruction: by .loc, else the line of the module.
func (f *function) source(it *item) (file string, line uint32) {
	if it.loc == nil || len(it.loc.Words) < 2 {
		return "PTX", uint32(it.in.Pos.Line)
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
	for _, o := range e.in.Operands[1:] {
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
