package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// With SanitizeUninit a tessellation control or mesh program has an output of the semantic Stored for each component of a Location to
// which it stores: the invocations of a patch or a mesh store to any of its elements, so that no single one knows which have a value. The
// number is 1 for an element with a store, and 0 for others, as all outputs are at the start. The next stage reads the number beside the
// component, interpolated like it: the value at a fragment is undefined if it is not 1. Without such an output in the preceding stage
// the number is 1.

// noteStored stores 1 to the output Stored of a scalar.
func (f *function) noteStored(p *pointer, l *ioScalar) {
	if l.semantic != ir.Location || l.view > 0 || !f.sanitizes(ir.SanitizeUninit) || f.prog.Stage != ir.TessControl && f.prog.Stage != ir.Mesh {
		return
	}
	out := ioScalar{semantic: ir.Stored, typ: ir.F32, index: l.index, patch: l.patch, perPrimitive: l.perPrimitive}
	f.b.OpAux(ir.OutAt, ir.F32, f.outputNumber(&out), f.operandValue(p.vertex), f.floatOf(ir.F32, 1))
}

// storedInput returns the input Stored of a component of a Location; false for another value, or in a stage without such inputs.
func (u *unit) storedInput(x *ir.Val) (in ir.Input, ok bool) {
	if u.prog.Stage != ir.TessEval && u.prog.Stage != ir.Fragment || x.Op != ir.In && x.Op != ir.InAt && x.Op != ir.Interp {
		return in, false
	}
	in = u.prog.In[x.Aux]
	if in.Semantic != ir.Location {
		return in, false
	}
	if in.Type != ir.F32 && in.Type != ir.F16 && in.Interpolation < ir.Flat {
		in.Interpolation, in.Sampling = ir.Flat, ir.Center
	}
	in.Semantic, in.Type = ir.Stored, ir.F32
	return in, true
}

// storedOutput returns the output Stored of a component of a Location that a tessellation control program reads.
func (u *unit) storedOutput(x *ir.Val) (out ir.Output, ok bool) {
	if u.prog.Stage != ir.TessControl || x.Op != ir.OutGet || u.prog.Out[x.Aux].Semantic != ir.Location {
		return out, false
	}
	o := u.prog.Out[x.Aux]
	return ir.Output{Semantic: ir.Stored, Type: ir.F32, Index: o.Index, Patch: o.Patch}, true
}

// followsStored reports whether the program reads components that may have no store.
func (u *unit) followsStored() bool {
	if !u.sanitizes(ir.SanitizeUninit) {
		return false
	}
	for _, f := range u.prog.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if _, ok := u.storedInput(x); ok {
				return true
			}
			if _, ok := u.storedOutput(x); ok {
				return true
			}
		}
	}
	return false
}

// storedSource returns the source of the value of an input, or of an output that the program reads; nil if it is always defined.
func (w *follower) storedSource(x *ir.Val) *source {
	name := ""
	if in, ok := w.storedInput(x); ok {
		name = fmt.Sprintf("the input at Location %d", in.Index/4)
	}
	if out, ok := w.storedOutput(x); ok {
		name = fmt.Sprintf("the output at Location %d", out.Index/4)
	}
	switch {
	case name == "":
		return nil
	case w.sets[name] == nil:
		w.sets[name] = &source{undefinedOutput, []string{name}}
	}
	return w.sets[name]
}

// storedShadow returns the shadow of the value of an input, or of an output that the program reads; 0 if it is always defined.
func (x *instrumented) storedShadow(op ir.Val) ir.V {
	var v ir.V
	if in, ok := x.storedInput(&op); ok {
		switch {
		case op.Op == ir.InAt:
			v = x.b.OpAux(ir.InAt, ir.F32, x.inputNumber(in), op.Args[0])
		default:
			v = x.b.OpAux(ir.In, ir.F32, x.inputNumber(in))
		}
	} else if out, ok := x.storedOutput(&op); ok {
		l := ioScalar{semantic: out.Semantic, typ: out.Type, index: out.Index, patch: out.Patch}
		v = x.b.OpAux(ir.OutGet, ir.F32, x.outputNumber(&l), op.Args[0])
	} else {
		return 0
	}
	off := x.b.Op(ir.FAbs, ir.F32, x.b.Op(ir.FSub, ir.F32, v, x.f.floatOf(ir.F32, 1)))
	return x.b.Cmp(ir.FLe, x.f.floatOf(ir.F32, storedError), off)
}

// storedError is more than the rounding of an interpolated 1, and less than the weight of a vertex at nearly all fragments.
const storedError = 1.0 / (1 << 12)
