package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// stageInput declares an input of a graphics stage. It is read at its use. If functions
// take pointers to inputs, or for a debugger, it also has a copy in private memory.
func (u *unit) stageInput(p *pointer, v *facts.Variable) {
	p.memory, p.io = inInput, u.ioVariableOf(v)
	p.arrayed = p.io.arrayed
	for i := range p.io.scalars {
		l := &p.io.scalars[i]
		if l.sampling == ir.Sample && l.interpolation <= ir.Linear {
			u.prog.Modes |= ir.PerSample
		}
	}
	if !u.takesInputPointers() && (!u.prog.Observed || p.arrayed || u.prog.Stage.OfRays()) {
		return
	}
	for i, slot := range p.io.slots {
		if uint64(i) != slot {
			return // 64-bit scalars: scalar indexes and slots differ
		}
	}
	p.io.number, p.extent = u.privateVariable(v, -1)
	p.io.copied = true
}

// takesInputPointers reports whether a function has a parameter that points to an input.
func (u *unit) takesInputPointers() bool {
	for _, f := range u.facts.CallTree(u.entry) {
		for i := range f.Params {
			if t := f.Params[i].Type; t.IsPointer() && t.Storage == spirv.StorageClassInput {
				return true
			}
		}
	}
	return false
}

// copyInputs fills the copies of inputs.
func (f *function) copyInputs() {
	for _, v := range f.moduleGlobals() {
		if p := f.globals[v.ID]; p.io != nil && p.io.copied {
			f.at = v.Index
			f.requestAnswers(p.io) // the entry point itself need not read the variable
			f.copyInput(v, p)
		}
	}
}

// copyInput fills the copy of an input.
func (f *function) copyInput(v *facts.Variable, p *pointer) {
	parts := f.load(p)
	to := &pointer{memory: inSlots, typ: v.Type, class: v.Storage, number: p.io.number, extent: p.extent}
	f.store(to, parts)
}

// copyRayLimit fills the copies of RayTmax again, after a report has changed it.
func (f *function) copyRayLimit() {
	for _, v := range f.moduleGlobals() {
		p := f.globals[v.ID]
		if p.io != nil && p.io.copied && len(p.io.scalars) > 0 && p.io.scalars[0].known == spirv.BuiltInRayTmaxKHR {
			f.copyInput(v, p)
		}
	}
}

// inCopy returns the pointer to the same pointee in the private copy of the input.
func (f *function) inCopy(p *pointer) *pointer {
	if !p.io.copied {
		f.unsupported("a pointer to an input of 64 bits as a value")
	}
	to := &pointer{memory: inSlots, typ: p.typ, class: p.class, number: p.io.number, extent: p.extent, offset: p.offset}
	if p.io.arrayed && !p.arrayed {
		to.offset = f.addIndex(to.offset, p.vertex, uint64(len(p.io.scalars)))
	}
	return to
}

// loadIO reads the pointee, a scalar of an input, or of a tessellation control or mesh output.
func (f *function) loadIO(p *pointer, t ir.Type) ir.V {
	f.traceOutput(p, t, ir.Event{Read: true}, f.b.I32(0))
	return f.selectIO(p, t, func(l *ioScalar) ir.V { return f.readIO(p, l, t) })
}

// selectIO returns the result of one for the scalar that p points to; a select among all
// readable scalars if the offset is known at run time only; 0 if it is out of range.
func (f *function) selectIO(p *pointer, t ir.Type, one func(*ioScalar) ir.V) ir.V {
	list := p.io.scalars
	if p.offset.dyn == 0 {
		if p.offset.imm >= uint64(len(list)) {
			return f.b.Const(t, 0)
		}
		return one(&list[p.offset.imm])
	}
	at, out := f.offsetValue(p.offset), f.b.Const(t, 0)
	for i := p.offset.imm; i < uint64(len(list)); i++ {
		if l := &list[i]; l.readableAs(t) {
			out = f.b.Select(f.b.Cmp(ir.Eq, at, f.b.I32(uint32(i))), one(l), out)
		}
	}
	return out
}

// readableAs reports whether a value of a type may be read from the scalar.
func (l *ioScalar) readableAs(t ir.Type) bool {
	return l.typ == t || t == ir.B1 && l.typ == ir.I32 || l.ofEngines && t == ir.I32 || l.firstText(t)
}

// firstText reports whether only the text of Vulkan 1.0 permits the type of a built-in:
// HelperInvocation is an integer there, and SamplePosition may have 64-bit floats
// (docs/versions.md). The value is the same in every reading.
func (l *ioScalar) firstText(t ir.Type) bool {
	return l.semantic == ir.NoSemantic && l.known == spirv.BuiltInHelperInvocation && t == ir.I32 ||
		l.semantic == ir.SamplePosition && t == ir.F64
}

// readIO reads a scalar as a value of type t.
func (f *function) readIO(p *pointer, l *ioScalar, t ir.Type) ir.V {
	switch {
	case l.ofEngines:
		return f.builtIn(l.known, int(l.index))
	case l.known == spirv.BuiltInHelperInvocation && l.semantic == ir.NoSemantic:
		helper := f.b.Op(ir.Helper, ir.B1)
		if t == ir.I32 {
			return f.b.Select(helper, f.b.I32(1), f.b.I32(0))
		}
		return helper
	case !l.readableAs(t):
		f.malformed("the pointee has another type than the value")
	case l.semantic == ir.ViewIndex && f.options.ViewIndexFromDevice:
		return f.builtIn(spirv.BuiltInDeviceIndex, 0)
	case l.ofRay:
		return f.readRay(l)
	case l.ofMeshViews():
		return f.readMeshViews(l)
	case l.ofPair():
		return f.pairComponent(l)
	}
	var v ir.V
	switch n := uint64(0); {
	case p.memory == inOutput:
		v = f.b.OpAux(ir.OutGet, l.typ, f.outputNumber(l), f.operandValue(p.vertex))
		if l.view > 0 {
			v = f.b.Select(f.ofView(l), v, f.b.Const(l.typ, 0))
		}
	default:
		n = f.inputNumber(l.input())
		switch {
		case p.io.arrayed:
			v = f.b.OpAux(ir.InAt, l.typ, n, f.operandValue(p.vertex))
		case l.interpolation == ir.PerVertex: // ExplicitInterpAMD; a plain read is undefined (docs/undefined.md)
			v = f.b.OpAux(ir.InAt, l.typ, n, f.b.I32(0))
		default:
			v = f.b.OpAux(ir.In, l.typ, n)
		}
	}
	switch {
	case t == ir.F64 && l.semantic == ir.SamplePosition:
		v = f.b.Op(ir.FCvt, ir.F64, v)
	case t == ir.B1:
		v = f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, v, f.b.I32(0)))
	}
	return v
}

// input returns the scalar as an input of the program.
func (l *ioScalar) input() ir.Input {
	x := ir.Input{Semantic: l.semantic, Type: l.typ, Index: l.index, Interpolation: l.interpolation, Sampling: l.sampling, Patch: l.patch}
	if x.Interpolation >= ir.Flat {
		x.Sampling = ir.Center
	}
	return x
}

// inputNumber returns the index of an input in Program.In, which it declares.
func (u *unit) inputNumber(x ir.Input) uint64 {
	n, ok := u.inputs[x]
	if !ok {
		n = uint64(len(u.prog.In))
		u.inputs[x] = n
		u.prog.In = append(u.prog.In, x)
	}
	return n
}
