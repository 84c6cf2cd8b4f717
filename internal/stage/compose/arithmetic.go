package compose

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Float returns an f32 constant.
func (w *Builder) Float(x float32) ir.V { return w.B.Const(ir.F32, uint64(math.Float32bits(x))) }

// FAdd adds in f32.
func (w *Builder) FAdd(x, y ir.V) ir.V { return w.B.Op(ir.FAdd, ir.F32, x, y) }

// FSub subtracts in f32.
func (w *Builder) FSub(x, y ir.V) ir.V { return w.B.Op(ir.FSub, ir.F32, x, y) }

// FMul multiplies in f32.
func (w *Builder) FMul(x, y ir.V) ir.V { return w.B.Op(ir.FMul, ir.F32, x, y) }

// NMin returns the f32 minimum; a NaN operand is ignored.
func (w *Builder) NMin(x, y ir.V) ir.V { return w.B.Op(ir.NMin, ir.F32, x, y) }

// NMax returns the f32 maximum; a NaN operand is ignored.
func (w *Builder) NMax(x, y ir.V) ir.V { return w.B.Op(ir.NMax, ir.F32, x, y) }

// Add adds in i32.
func (w *Builder) Add(x, y ir.V) ir.V { return w.B.Op(ir.Add, ir.I32, x, y) }

// Mul multiplies in i32.
func (w *Builder) Mul(x, y ir.V) ir.V { return w.B.Op(ir.Mul, ir.I32, x, y) }

// And is the bitwise and of i32.
func (w *Builder) And(x, y ir.V) ir.V { return w.B.Op(ir.And, ir.I32, x, y) }

// Or is the bitwise or of i32.
func (w *Builder) Or(x, y ir.V) ir.V { return w.B.Op(ir.Or, ir.I32, x, y) }

// Not inverts all bits.
func (w *Builder) Not(x ir.V) ir.V { return w.B.Op(ir.Not, w.B.Func.Type(x), x) }

// At returns base + n·stride, saturating: an offset never wraps back into range.
func (w *Builder) At(base, n ir.V, stride uint64) ir.V {
	return w.B.OpAux(ir.At, ir.I32, stride, base, n)
}

// Scaled returns n·size, the byte offset of element n.
func (w *Builder) Scaled(n ir.V, size uint64) ir.V { return w.Mul(n, w.B.I32(uint32(size))) }

// One returns the number 1 of a type.
func (w *Builder) One(t ir.Type) ir.V {
	switch t {
	case ir.F16:
		return w.B.Const(t, 0x3c00)
	case ir.F32:
		return w.B.Const(t, 0x3f800000)
	case ir.F64:
		return w.B.Const(t, 0x3ff<<52)
	}
	return w.B.Const(t, 1)
}

// Convert converts a value to the type in which the program reads it. Integers are truncated or
// extended, floats are converted to the nearest value. Between floats and integers the bits are kept.
func (w *Builder) Convert(v ir.V, signed bool, t ir.Type) ir.V {
	from := w.B.Func.Type(v)
	switch {
	case from == t:
		return v
	case from.IsFloat() && t.IsFloat():
		return w.B.Op(ir.FCanon, t, w.B.Op(ir.FCvt, t, v))
	case from.IsFloat():
		from = ir.Int(uint32(from.Bits()))
		v = w.B.Op(ir.Bitcast, from, v)
	}
	want := ir.Int(uint32(t.Bits()))
	switch {
	case want.Bits() < from.Bits():
		v = w.B.Op(ir.Trunc, want, v)
	case want.Bits() > from.Bits() && signed:
		v = w.B.Op(ir.SExt, want, v)
	case want.Bits() > from.Bits():
		v = w.B.Op(ir.ZExt, want, v)
	}
	if t.IsFloat() {
		return w.B.Op(ir.Bitcast, t, v)
	}
	return v
}

// Zero returns the number 0 of a type.
func (w *Builder) Zero(t ir.Type) ir.V { return w.B.Const(t, 0) }

// Missing returns an input that the preceding stage does not write: 0. The inputs Stored are 1: only some stages tell which of their
// outputs have a store.
func (w *Builder) Missing(in ir.Input) ir.V {
	if in.Semantic == ir.Stored {
		return w.One(in.Type)
	}
	return w.Zero(in.Type)
}
