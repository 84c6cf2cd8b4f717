package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// The outputs of most stages are variables of private memory, which are handed on
// at the end of the entry point, or where a vertex is emitted: those scalars of
// them that the program stores to. Tessellation control writes them where it
// stores, as the other invocations of the patch see them.

// atEnd marks, in the place of a stream, where the outputs are handed on at the end
// of the entry point.
const atEnd = 1 << 32

// stageOutput gives an output its place.
func (u *unit) stageOutput(p *pointer, v *facts.Variable) {
	p.face = u.faceOf(v)
	u.outputModes(v, p.face)
	if u.prog.Stage == ir.TessControl {
		p.memory, p.arrayed = inOutput, p.face.arrayed
		return
	}
	p.memory = inSlots
	p.number, p.room = u.slots(v, -1)
	p.face.number = p.number
	u.handed = append(u.handed, p.face)
}

// outputModes takes in what decorations of built-in outputs say to whoever stands around
// the stage: of a variable, or of the members of its block.
func (u *unit) outputModes(v *facts.Variable, x *face) {
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

func (u *unit) outputMode(k spirv.BuiltIn, x *face, has func(spirv.Decoration) bool) {
	switch {
	case k == spirv.BuiltInSampleMask && has(spirv.DecorationOverrideCoverageNV):
		u.prog.Modes |= ir.OverrideCoverage
	case k == spirv.BuiltInLayer && has(spirv.DecorationViewportRelativeNV):
		u.prog.Modes |= ir.ViewportRelative
		for i := range x.leaves { // a layer that nothing is stored to is 0 (docs/undefined.md)
			x.written[i] = x.written[i] || x.leaves[i].semantic == ir.Layer
		}
	}
}

// initialisePatch gives an output of tessellation control its first value: each
// invocation that of its vertex, the first one that of the patch. Subgroups run one behind the
// other to their first barrier, so that nobody has stored anything else yet.
func (f *function) initialisePatch(p *pointer, v *facts.Variable) {
	c := f.facts.Const(v.Init)
	if c == nil || c.Type != v.Type {
		f.unsupported("an initializer that is no constant")
	}
	if c.Null || c.Undef { // as outputs are
		return
	}
	parts := f.constant(c)
	own := f.input32(ir.InvocationId)
	if !p.arrayed {
		f.b.If(f.b.Cmp(ir.Eq, own, f.b.I32(0)))
		f.store(p, parts)
		f.b.End()
		return
	}
	n := len(p.face.leaves)
	q := *p
	f.stepElement(&q, operand{v: own})
	mine := make([]ir.V, n)
	for i := range mine {
		var of []ir.V
		for k := i; k < len(parts); k += n {
			of = append(of, parts[k])
		}
		mine[i] = f.pick(of, operand{v: own})
	}
	f.store(&q, mine)
}

// firstStored returns the constant that the first instruction that stores to a whole
// output of a fragment shader stores, nil where it stores none: an invocation that
// stores nothing has it, for a color is undefined then, and so compilers, which take
// the values of other invocations for it, agree.
func (u *unit) firstStored(v *facts.Variable) *facts.Const {
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

// globalsOf returns the variables of module scope that have a place: those that the
// entry point uses, and the outputs of its interface that are initialised.
func (u *unit) globalsOf() []*facts.Variable {
	list := u.facts.Globals(u.entry)
	if u.prog.Stage == ir.Compute {
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

// mark notes that what a pointer points at is stored to.
func (p *pointer) mark() {
	if p.face == nil || p.memory != inSlots {
		return
	}
	for i, slot := range p.face.slots {
		if p.offset.dyn != 0 || slot == p.offset.imm {
			p.face.written[i] = true
		}
	}
}

// markAll notes that all of the variable may be stored to.
func (p *pointer) markAll() {
	if p.face != nil {
		for i := range p.face.written {
			p.face.written[i] = true
		}
	}
}

// storeLeaf writes the scalar of an output of tessellation control that a pointer
// points at.
func (f *function) storeLeaf(p *pointer, t ir.Type, v ir.V) {
	list := p.face.leaves
	one := func(l *leaf) {
		if l.typ != t {
			f.malformed("a pointer to another type than the value")
		}
		f.b.OpAux(ir.OutAt, t, f.outputNumber(l), f.operandValue(p.vertex), v)
	}
	if p.offset.dyn == 0 {
		if p.offset.imm < uint64(len(list)) {
			one(&list[p.offset.imm])
		}
		return
	}
	at := f.whole(p.offset)
	for i := p.offset.imm; i < uint64(len(list)); i++ {
		if l := &list[i]; l.typ == t {
			f.b.If(f.b.Cmp(ir.Eq, at, f.b.I32(uint32(i))))
			one(l)
			f.b.End()
		}
	}
}

// outputNumber returns the number of an output of the program.
func (u *unit) outputNumber(l *leaf) uint64 {
	x := ir.Output{Semantic: l.semantic, Type: l.typ, Index: l.index, Source: l.source, Patch: l.patch, Stream: l.stream, Capture: l.capture, Offset: l.offset}
	n, ok := u.outputs[x]
	if !ok {
		n = uint64(len(u.prog.Out))
		u.outputs[x] = n
		u.prog.Out = append(u.prog.Out, x)
	}
	return n
}

// openExit opens the block that the entry point of a stage with outputs leaves by a
// return.
func (f *function) openExit() {
	if len(f.handed) > 0 && f.prog.Stage != ir.Geometry || f.passing {
		f.exit = f.b.Block()
	}
}

// handOnAtEnd marks where outputs are handed on behind that block, unless no lane
// comes there.
func (f *function) handOnAtEnd() {
	if f.exit == 0 {
		return
	}
	f.b.End()
	if f.returned {
		f.b.OpAux(ir.Emit, ir.None, atEnd)
	}
}

// handOn hands the outputs on where that was marked, now that it is known what is
// stored to.
func (u *unit) handOn() {
	for _, f := range u.prog.Funcs {
		code := make([]ir.V, 0, len(f.Code))
		for _, v := range f.Code {
			x := f.Vals[v]
			if x.Op == ir.Emit && x.Aux == atEnd && u.passing {
				code = u.passOn(f, code, x)
				continue
			}
			if x.Op == ir.Emit {
				code = u.outs(f, code, x)
				if x.Aux == atEnd {
					continue
				}
			}
			code = append(code, v)
		}
		f.Code = code
	}
}

// outs appends the operations that hand on the outputs of a stream, or of all.
func (u *unit) outs(f *ir.Func, code []ir.V, at ir.Val) []ir.V {
	value := func(x ir.Val) ir.V {
		x.Origin = at.Origin
		f.Vals = append(f.Vals, x)
		return ir.V(len(f.Vals) - 1)
	}
	for _, x := range u.handed {
		for i := range x.leaves {
			l := &x.leaves[i]
			if !x.written[i] || at.Aux != atEnd && uint64(l.stream) != at.Aux {
				continue
			}
			slot := value(ir.Val{Op: ir.Const, Type: ir.I32, Aux: x.slots[i]})
			load := value(ir.Val{Op: ir.PLd, Type: l.typ, Aux: x.number, Args: [4]ir.V{slot}})
			code = append(code, load, value(ir.Val{Op: ir.Out, Type: l.typ, Aux: u.outputNumber(l), Args: [4]ir.V{load}}))
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
		f.malformed("a vertex in a stage that is not geometry")
	}
	if f.passing {
		f.malformed("a vertex in a shader that passes its primitive through")
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
