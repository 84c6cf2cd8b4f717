package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var stageOutputRules = rules{
	spirv.OpEmitVertex:         emitVertex,
	spirv.OpEmitStreamVertex:   emitVertex,
	spirv.OpEndPrimitive:       endPrimitive,
	spirv.OpEndStreamPrimitive: endPrimitive,
}

// The outputs of most stages are private variables. The scalars that the program may
// store to are written out at the end of the entry point, or at each emitted vertex.
// Tessellation control and mesh write them at the store, because the invocations of a
// patch or workgroup share them.

// atExit is the stream of the ir.Emit that marks the end of the entry point, at which
// outputs are written out.
const atExit = 1 << 32

// stageOutput declares an output.
func (u *unit) stageOutput(p *pointer, v *facts.Variable) {
	p.io = u.ioVariableOf(v)
	p.io.name = u.variableName(v.ID)
	u.outputModes(v, p.io)
	if u.prog.Stage == ir.TessControl || hasWorkgroups(u.prog.Stage) {
		p.memory, p.arrayed = inOutput, p.io.arrayed
		return
	}
	p.memory = inSlots
	p.number, p.extent = u.privateVariable(v, -1)
	p.io.number = p.number
	u.handed = append(u.handed, p.io)
}

// outputModes sets the program modes that decorations of built-in outputs, or of the
// members of an output block, require.
func (u *unit) outputModes(v *facts.Variable, x *ioVariable) {
	if k, ok := u.facts.BuiltIn(v.ID); ok {
		u.outputMode(k, x, func(d spirv.Decoration) bool { return u.facts.Has(v.ID, d) })
	}
	t := v.Type
	for t.IsArray() && t.Elem != nil {
		t = t.Elem
	}
	for i := range t.Members {
		if k, ok := u.facts.MemberBuiltIn(t.ID, i); ok && t.IsStruct() {
			u.outputMode(k, x, func(d spirv.Decoration) bool { return u.facts.HasMember(t.ID, i, d) })
		}
	}
}

func (u *unit) outputMode(k spirv.BuiltIn, x *ioVariable, has func(spirv.Decoration) bool) {
	switch {
	case k == spirv.BuiltInSampleMask && has(spirv.DecorationOverrideCoverageNV):
		u.prog.Modes |= ir.OverrideCoverage
	case k == spirv.BuiltInLayer && has(spirv.DecorationViewportRelativeNV):
		u.prog.Modes |= ir.ViewportRelative
		for i := range x.scalars { // a layer without a store is 0 (docs/undefined.md)
			x.written[i] = x.written[i] || x.scalars[i].semantic == ir.Layer
		}
	}
}

// initialisePatchOutput initializes an output of tessellation control: each invocation its
// own vertex, the first one the patch. Subgroups run one after the other until their
// first barrier, so that no store of another invocation precedes it.
func (f *function) initialisePatchOutput(p *pointer, v *facts.Variable) {
	c := f.facts.Const(v.Init)
	if c == nil || c.Type != v.Type {
		f.unsupported("an initializer that is not a constant")
	}
	if c.Undef || c.Null && !f.sanitizes(ir.SanitizeUninit) { // outputs are 0 at the start
		return
	}
	parts := f.constant(c)
	own := f.input32(ir.InvocationId)
	f.unmarked = true // initializers are before all phases
	defer func() { f.unmarked = false }()
	if !p.arrayed {
		f.b.If(f.b.Cmp(ir.Eq, own, f.b.I32(0)))
		f.store(p, parts)
		f.b.End()
		return
	}
	n := len(p.io.scalars)
	q := *p
	f.stepElement(&q, operand{v: own})
	mine := make([]ir.V, n)
	for i := range mine {
		var of []ir.V
		for k := i; k < len(parts); k += n {
			of = append(of, parts[k])
		}
		mine[i] = f.selectPart(of, operand{v: own})
	}
	f.store(&q, mine)
}

// firstStoredConstant returns the constant of the first OpStore to a whole fragment shader
// output, nil if that stores another value. It initializes the output: without a store
// the color is undefined, and optimizing compilers resolve that to the value that other
// invocations store, so results agree with theirs.
func (u *unit) firstStoredConstant(v *facts.Variable) *facts.Const {
	for _, fn := range u.facts.CallTree(u.entry) {
		for _, b := range fn.Blocks {
			for i := b.Index; i < b.End; i++ {
				in := u.facts.Code.Inst(i)
				if in.Op() != spirv.OpStore || inst.Store(in).Pointer() != v.ID {
					continue
				}
				if c := u.facts.Const(inst.Store(in).Object()); c != nil && c.Type == v.Type && !c.Null && !c.Undef {
					return c
				}
				return nil
			}
		}
	}
	return nil
}

// moduleGlobals returns the module-scope variables to allocate: those that the entry point
// uses, and the initialized outputs of its interface.
func (u *unit) moduleGlobals() []*facts.Variable {
	list := u.facts.Globals(u.entry)
	if u.prog.Stage == ir.Compute && !u.ofClusters() {
		return list
	}
	used := map[spirv.ID]bool{}
	for _, v := range list {
		used[v.ID] = true
	}
	for _, id := range u.entry.Interface {
		if v := u.facts.Variable(id); v != nil && v.Storage == spirv.StorageClassOutput && v.Init != 0 && !used[id] {
			used[id] = true
			list = append(list, v)
		}
	}
	return list
}

// noteStore marks the pointee of an output as stored to.
func (p *pointer) noteStore() {
	if p.io == nil || p.memory != inSlots {
		return
	}
	for i, slot := range p.io.slots {
		if p.offset.dyn != 0 || slot == p.offset.imm {
			p.io.written[i] = true
		}
	}
}

// noteStoreAll marks all scalars of the variable as stored to.
func (p *pointer) noteStoreAll() {
	if p.io != nil {
		for i := range p.io.written {
			p.io.written[i] = true
		}
	}
}

// storeIO writes the pointee, a scalar of a tessellation control or mesh output.
func (f *function) storeIO(p *pointer, t ir.Type, v ir.V) {
	f.traceOutput(p, t, ir.Event{Write: true}, v)
	list := p.io.scalars
	if t == ir.B1 {
		v, t = f.b.Op(ir.ZExt, ir.I32, v), ir.I32
	}
	one := func(l *ioScalar) {
		if l.typ != t {
			f.malformed("the pointee has another type than the value")
		}
		if l.view > 0 {
			f.b.If(f.ofView(l))
			defer f.b.End()
		}
		f.checkPrimitive(p, l, v)
		f.b.OpAux(ir.OutAt, t, f.outputNumber(l), f.operandValue(p.vertex), v)
		f.noteStored(p, l)
	}
	if p.offset.dyn == 0 {
		if p.offset.imm < uint64(len(list)) {
			one(&list[p.offset.imm])
		}
		return
	}
	at := f.offsetValue(p.offset)
	for i := p.offset.imm; i < uint64(len(list)); i++ {
		if l := &list[i]; l.typ == t {
			f.b.If(f.b.Cmp(ir.Eq, at, f.b.I32(uint32(i))))
			one(l)
			f.b.End()
		}
	}
}

// outputNumber returns the index of an output in Program.Out, which it declares.
func (u *unit) outputNumber(l *ioScalar) uint64 {
	x := ir.Output{Semantic: l.semantic, Type: l.typ, Index: l.index, Source: l.source, Patch: l.patch, Stream: l.stream, Capture: l.capture, Offset: l.offset, PerPrimitive: l.perPrimitive, Signed: l.signed}
	n, ok := u.outputs[x]
	if !ok {
		n = uint64(len(u.prog.Out))
		u.outputs[x] = n
		u.prog.Out = append(u.prog.Out, x)
	}
	return n
}

// openExit opens the block that returns of the entry point branch to, if the stage has
// outputs to write out.
func (f *function) openExit() {
	if len(f.handed) > 0 && f.prog.Stage != ir.Geometry || f.passing || f.copiesTaskMemory() {
		f.exit = f.b.Block()
	}
}

// closeExit ends that block and marks the position of the outputs, unless no lane
// reaches it.
func (f *function) closeExit() {
	if f.exit == 0 {
		return
	}
	f.b.End()
	switch {
	case !f.returned:
	case f.copiesTaskMemory():
		f.copyPayload()
	default:
		f.b.OpAux(ir.Emit, ir.None, atExit)
	}
}

// insertOutputs replaces the marks by the operations that write outputs out. All
// functions are lowered then, so that the stored scalars are known.
func (u *unit) insertOutputs() {
	for _, f := range u.prog.Funcs {
		code := make([]ir.V, 0, len(f.Code))
		for _, v := range f.Code {
			x := f.Vals[v]
			if x.Op == ir.Emit && x.Aux == atExit && u.passing {
				code = u.passthroughCode(f, code, x)
				continue
			}
			if x.Op == ir.Emit {
				code = u.outputCode(f, code, x)
				if x.Aux == atExit {
					continue
				}
				code = u.forgetOutputs(f, append(code, v), x)
				continue
			}
			code = append(code, v)
		}
		f.Code = code
	}
}

// outputCode appends the operations that write out the outputs of a stream, or all.
func (u *unit) outputCode(f *ir.Func, code []ir.V, at ir.Val) []ir.V {
	value := func(x ir.Val) ir.V { return newValue(f, at, x) }
	for _, x := range u.handed {
		for i := range x.scalars {
			l := &x.scalars[i]
			if !x.written[i] || at.Aux != atExit && uint64(l.stream) != at.Aux {
				continue
			}
			code = u.checkOutput(x, i, code, value)
			slot := value(ir.Val{Op: ir.Const, Type: ir.I32, Aux: x.slots[i]})
			load := value(ir.Val{Op: ir.PLd, Type: l.typ, Aux: x.number, Args: [4]ir.V{slot}})
			code = append(code, load, value(ir.Val{Op: ir.Out, Type: l.typ, Aux: u.outputNumber(l), Args: [4]ir.V{load}}))
		}
	}
	return code
}

// newValue adds a value at the place of another one in the module.
func newValue(f *ir.Func, at, x ir.Val) ir.V {
	x.Origin = at.Origin
	f.Vals = append(f.Vals, x)
	return ir.V(len(f.Vals) - 1)
}

// forgetOutputs appends stores to the shadows of the outputs after a vertex is emitted: "After execution, the values of all output
// variables are undefined" (SPIR-V, OpEmitVertex, OpEmitStreamVertex).
func (u *unit) forgetOutputs(f *ir.Func, code []ir.V, at ir.Val) []ir.V {
	for _, x := range u.handed {
		s, ok := u.shadows[x.number]
		if !ok {
			continue
		}
		forget := func(slot uint64) {
			n := newValue(f, at, ir.Val{Op: ir.Const, Type: ir.I32, Aux: slot})
			zero := newValue(f, at, ir.Val{Op: ir.Const, Type: ir.I32})
			code = append(code, newValue(f, at, ir.Val{Op: ir.PSt, Type: ir.I32, Aux: s.number, Args: [4]ir.V{n, zero}}))
		}
		forget(s.all)
		for i, written := range x.written {
			if written {
				forget(x.slots[i])
			}
		}
	}
	return code
}

// emitVertex lowers OpEmitVertex and OpEmitStreamVertex, endPrimitive OpEndPrimitive
// and OpEndStreamPrimitive.
func emitVertex(f *function, in spirv.Inst) { f.stream(ir.Emit, in) }

func endPrimitive(f *function, in spirv.Inst) { f.stream(ir.EndPrim, in) }

func (f *function) stream(op ir.Op, in spirv.Inst) {
	if f.prog.Stage != ir.Geometry {
		f.malformed("a vertex is emitted in a stage other than geometry")
	}
	if f.passing {
		f.malformed("a vertex is emitted in a shader that passes its primitive through")
	}
	n := uint64(0)
	if len(in) > 1 {
		n = f.known(spirv.ID(in[1]))
	}
	if n > 3 {
		f.unsupported("stream %d", n)
	}
	f.b.OpAux(op, ir.None, n)
}
