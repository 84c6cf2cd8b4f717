package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// A geometry shader with PassthroughNV inputs emits its input primitive: each vertex has
// its own values of those inputs, and shares the outputs that the shader stored (Vulkan
// §"Geometry Shader Passthrough"). lower appends the emission at the shader's exit.

// isPassthroughInput reports whether a variable is an input decorated PassthroughNV, or
// has such members.
func (u *unit) isPassthroughInput(v *facts.Variable) bool {
	if u.prog.Stage != ir.Geometry || v.Storage != spirv.StorageClassInput || !v.Type.IsArray() || v.Type.Elem == nil {
		return false
	}
	if u.facts.Has(v.ID, spirv.DecorationPassthroughNV) {
		return true
	}
	t := v.Type.Elem
	for i := range t.Members {
		if t.IsStruct() && u.facts.HasMember(t.ID, i, spirv.DecorationPassthroughNV) {
			return true
		}
	}
	return false
}

// findPassthrough collects the PassthroughNV inputs, and sets the output primitive to the
// input primitive.
func (u *unit) findPassthrough() {
	for _, id := range u.entry.Interface {
		v := u.facts.Variable(id)
		if v == nil || v.Type == nil || !u.isPassthroughInput(v) {
			continue
		}
		u.at = v.Index
		for _, l := range u.ioVariableOf(v).scalars {
			if l.passes {
				u.passed = append(u.passed, l)
			}
		}
		u.passing = true
	}
	if !u.passing {
		return
	}
	p := u.prog
	p.Modes &^= ir.OutputPoints | ir.OutputLineStrip | ir.OutputTriangleStrip
	switch m := p.Modes; {
	case m.Has(ir.InputPoints):
		p.Modes, p.OutputVertices = m|ir.OutputPoints, 1
	case m.Has(ir.InputLines):
		p.Modes, p.OutputVertices = m|ir.OutputLineStrip, 2
	case m.Has(ir.InputTriangles):
		p.Modes, p.OutputVertices = m|ir.OutputTriangleStrip, 3
	default:
		u.malformed("inputs of primitives with adjacent vertices that are passed through")
	}
}

// passPrimitiveID passes PrimitiveId through unless the shader stores to it
// (docs/undefined.md).
func (u *unit) passPrimitiveID() {
	if !u.passing {
		return
	}
	for _, x := range u.handed {
		for i, l := range x.scalars {
			if l.semantic == ir.PrimitiveId && x.written[i] {
				return
			}
		}
	}
	u.passed = append(u.passed, ioScalar{semantic: ir.PrimitiveId, typ: ir.I32})
}

// passthroughCode appends the operations that emit the primitive.
func (u *unit) passthroughCode(f *ir.Func, code []ir.V, at ir.Val) []ir.V {
	value := func(op ir.Op, t ir.Type, aux uint64, args ...ir.V) ir.V {
		x := ir.Val{Op: op, Type: t, Aux: aux, Origin: at.Origin}
		copy(x.Args[:], args)
		f.Vals = append(f.Vals, x)
		v := ir.V(len(f.Vals) - 1)
		if op != ir.Const {
			code = append(code, v)
		}
		return v
	}
	for n := range u.prog.OutputVertices {
		vertex := value(ir.Const, ir.I32, uint64(n))
		for i := range u.passed {
			l := &u.passed[i]
			in := ir.V(0)
			if l.semantic == ir.PrimitiveId {
				in = value(ir.In, l.typ, u.inputNumber(l.input()))
			} else {
				in = value(ir.InAt, l.typ, u.inputNumber(l.input()), vertex)
			}
			value(ir.Out, l.typ, u.outputNumber(l), in)
		}
		code = u.outputCode(f, code, at)
		value(ir.Emit, ir.None, 0)
	}
	value(ir.EndPrim, ir.None, 0)
	return code
}
