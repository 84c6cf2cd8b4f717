package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Without QuadDerivativesKHR the derivative group of a fragment is its primitive (Vulkan, "Derivative Operations"): all invocations of the
// primitive must execute the same dynamic instances of a derivative. With SanitizeUniform each fragment logs its start and its
// derivatives, with a number of the dynamic instance: a hash of the iterations of the loops around the instruction, and of the calls
// and of the loops around those (SPIR-V, "Dynamic Instance"). The log compares them at the end of the primitives.

var partialPrimitive = finding{ir.SanitizeUniform, "a derivative in control flow that is not uniform in the primitive, without QuadDerivativesKHR"}

// paths are the numbers of dynamic instances in a module.
type paths struct {
	known, followed bool
	calls           uint64 // 1 + the variable with the hash of the calls; 0 before it is needed
}

// pathLoop is a loop construct, and the variable with the number of its iteration.
type pathLoop struct {
	header   *facts.Block
	variable uint64
}

// followsPaths reports whether the program has derivatives that all invocations of a primitive must execute together.
func (u *unit) followsPaths() bool {
	if p := &u.paths; !p.known {
		p.known = true
		if u.prog.Stage != ir.Fragment || !u.sanitizes(ir.SanitizeUniform) || u.prog.Modes.Has(ir.QuadDerivatives) || u.options.SubgroupSize < 4 {
			return false
		}
		for i := range u.facts.Code.Len() {
			p.followed = p.followed || derives(u.facts.Code.Inst(i).Op())
		}
	}
	return u.paths.followed
}

// tracePrimitive logs the start of a fragment.
func (f *function) tracePrimitive() {
	if f.followsPaths() {
		f.traceQuad(ir.Site{Sanitizer: ir.SanitizeUniform, Stage: ir.Fragment, Rule: partialPrimitive.rule}, ir.PrimitiveEvent, f.b.I32(0))
	}
}

// traceDerivative logs a derivative.
func (f *function) traceDerivative() {
	if f.followsPaths() {
		f.traceQuad(f.site(partialPrimitive), ir.DerivativeEvent, f.path())
	}
}

// traceQuad logs an event that helper invocations have, too. Without space for its message the derivative is not checked.
func (f *function) traceQuad(at ir.Site, kind ir.EventKind, path ir.V) {
	if len(f.prog.Messages) >= maxChecks {
		return
	}
	n := uint64(len(f.prog.Messages))
	f.prog.Messages = append(f.prog.Messages, ir.Message{Kind: ir.Traced, Args: []ir.Type{ir.I64, ir.I32}, Site: at, Event: ir.Event{Kind: kind}})
	wide := func(x ir.V, shift uint64) ir.V {
		return f.b.Op(ir.Shl, ir.I64, f.b.Op(ir.ZExt, ir.I64, x), f.b.Const(ir.I64, shift))
	}
	read := func(s ir.Semantic, t ir.Type, index uint32) ir.V {
		return f.b.OpAux(ir.In, t, f.inputNumber(ir.Input{Semantic: s, Type: t, Index: index}))
	}
	pixel := func(axis uint32) ir.V { return f.b.Op(ir.FToU, ir.I32, read(ir.FragCoord, ir.F32, axis)) }
	value := wide(read(ir.PrimitiveNumber, ir.I32, 0), 32)
	value = f.b.Op(ir.Or, ir.I64, value, f.b.Op(ir.Or, ir.I64, wide(pixel(0), 0), wide(pixel(1), 16)))
	f.b.OpAux(ir.LogEvent, ir.I64, n, value, path)
}

// path returns the number of the dynamic instance of the current instruction.
func (f *function) path() ir.V {
	h := f.b.I32(0)
	if f.paths.calls > 0 {
		h = f.pathVariable(f.paths.calls - 1)
	}
	for _, l := range f.loops {
		if facts.Dominates(l.header, f.block) && (l.header.MergeBlock == nil || !facts.Dominates(l.header.MergeBlock, f.block)) {
			h = f.mix(h, f.pathVariable(l.variable))
		}
	}
	return h
}

// mix returns a hash of a hash and a number: a step of Fibonacci hashing (Knuth 1998, 6.4), with its high bits in the low ones.
func (f *function) mix(h, x ir.V) ir.V {
	b := f.b
	const golden, half = 0x9e3779b1, 16
	h = b.Op(ir.Mul, ir.I32, b.Op(ir.Xor, ir.I32, h, b.Op(ir.Add, ir.I32, x, b.I32(1))), b.I32(golden))
	return b.Op(ir.Xor, ir.I32, h, b.Op(ir.LShr, ir.I32, h, b.I32(half)))
}

// newPathVariable adds a variable of one number, and returns its number; ok is false if private memory has no space for it.
func (f *function) newPathVariable(function int) (n uint64, ok bool) {
	if f.private >= maxPrivate {
		return 0, false
	}
	f.private++
	f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "path", Slots: 1, Func: function})
	return uint64(len(f.prog.Vars) - 1), true
}

func (f *function) pathVariable(n uint64) ir.V {
	return f.b.OpAux(ir.PLd, ir.I32, n, f.b.I32(0))
}

func (f *function) setPathVariable(n uint64, to ir.V) {
	f.b.OpAux(ir.PSt, ir.I32, n, f.b.I32(0), to)
}

// enterLoop sets the number of iterations to 0, before a loop.
func (f *function) enterLoop(header *facts.Block) {
	if !f.followsPaths() {
		return
	}
	if n, ok := f.newPathVariable(f.number); ok {
		f.loops = append(f.loops, pathLoop{header, n})
		f.setPathVariable(n, f.b.I32(0))
	}
}

// countIteration counts an iteration of the loop that enterLoop has entered, at its beginning.
func (f *function) countIteration() {
	if f.followsPaths() && len(f.loops) > 0 && f.loops[len(f.loops)-1].header == f.block {
		n := f.loops[len(f.loops)-1].variable
		f.setPathVariable(n, f.b.Op(ir.Add, ir.I32, f.pathVariable(n), f.b.I32(1)))
	}
}

// enterCall adds the call of the current instruction to the hash of the calls. The result restores it after the call.
func (f *function) enterCall() (leave func()) {
	if !f.followsPaths() {
		return func() {}
	}
	if f.paths.calls == 0 {
		n, ok := f.newPathVariable(-1)
		if !ok {
			return func() {}
		}
		f.paths.calls = 1 + n
	}
	before := f.pathVariable(f.paths.calls - 1)
	f.setPathVariable(f.paths.calls-1, f.mix(f.path(), f.b.I32(uint32(f.at))))
	return func() { f.setPathVariable(f.paths.calls-1, before) }
}

// derives reports whether an instruction is a derivative, or uses one for an implicit level of detail.
func derives(op spirv.Op) bool { return slices.Contains(derivatives[:], op) }

// derivatives are derivatives and instructions that use them.
var derivatives = [...]spirv.Op{
	spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpDPdxFine, spirv.OpDPdyFine, spirv.OpFwidthFine,
	spirv.OpDPdxCoarse, spirv.OpDPdyCoarse, spirv.OpFwidthCoarse,
	spirv.OpImageSampleImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjImplicitLod,
	spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSparseSampleImplicitLod, spirv.OpImageSparseSampleDrefImplicitLod,
	spirv.OpImageQueryLod,
}
