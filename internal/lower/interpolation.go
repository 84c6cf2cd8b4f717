package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// interpolateAt lowers InterpolateAtCentroid, InterpolateAtSample and
// InterpolateAtOffset: the input that the first operand points at, elsewhere in the
// pixel. An input that is not interpolated is the same everywhere.
func interpolateAt(op spirv.GLSLOp) rule {
	return func(f *function, in spirv.Inst) {
		if len(in) < 6 {
			f.malformed("the input to interpolate is missing")
		}
		p := f.pointer(spirv.ID(in[5]))
		if p.memory != inInput || p.io == nil || f.prog.Stage != ir.Fragment {
			f.unsupported("of a pointer that is not an input of a fragment")
		}
		t := f.facts.Type(in.Type())
		f.sameType(p, t)
		read := f.centroid
		if op != spirv.GLSLInterpolateAtCentroid {
			if len(in) < 7 {
				f.malformed("the position of the interpolation is missing")
			}
			var at [2]ir.V
			if op == spirv.GLSLInterpolateAtSample {
				at = f.sampleOffset(spirv.ID(in[6]))
			} else {
				at = [2]ir.V(f.floats32(spirv.ID(in[6]), 2))
				f.checkOffset(at)
			}
			read = func(l *ioScalar) ir.V {
				return f.b.OpAux(ir.Interp, l.typ, f.inputNumber(l.input()), at[0], at[1])
			}
		}
		var parts []ir.V
		f.scalarsAt(*p, func(at *pointer, t ir.Type) {
			parts = append(parts, f.selectIO(at, t, func(l *ioScalar) ir.V {
				if !l.interpolated() {
					return f.readIO(at, l, t)
				}
				return read(l)
			}))
		})
		f.define(in, parts...)
	}
}

// interpolated reports whether the value of an input varies within the pixel: interpolated
// inputs from the previous stage, and the weights of the interpolation.
func (l *ioScalar) interpolated() bool {
	switch l.semantic {
	case ir.Location:
		return l.interpolation <= ir.Linear
	case ir.BaryCoord, ir.BaryCoordNoPersp:
		return !weightPairs[l.known].pull
	}
	return false
}

// centroid reads an input at its centroid.
func (f *function) centroid(l *ioScalar) ir.V {
	x := l.input()
	x.Sampling = ir.Centroid
	return f.b.OpAux(ir.In, l.typ, f.inputNumber(x))
}

// sampleOffset returns how far a sample is from the center of the pixel.
func (f *function) sampleOffset(id spirv.ID) (at [2]ir.V) {
	sample := f.ints32(id, 1)[0]
	for i := range at {
		n := f.inputNumber(ir.Input{Semantic: ir.SamplePosition, Type: ir.F32, Index: uint32(i)})
		at[i] = f.b.Op(ir.FSub, ir.F32, f.b.OpAux(ir.InAt, ir.F32, n, sample), f.b.Const(ir.F32, 0x3f000000))
	}
	return at
}
