package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// vectors returns the first n operands of an extended instruction, float vectors of one
// size.
func (f *function) vectors(in spirv.Inst, n int) [][]ir.V {
	args := f.operandsOf(in)
	if len(args) < n {
		f.malformed("%d operands; must be %d", len(args), n)
	}
	for i, a := range args[:n] {
		f.checkFloats(a...)
		if len(a) == 0 || len(a) != len(args[0]) {
			f.malformed("the vectors have different sizes")
		}
		f.checkSameType(append([]ir.V{args[0][0]}, a...)...)
		args[i] = f.flushed(a...)
	}
	return args
}

func length(f *function, in spirv.Inst) {
	f.define(in, mathlib.Length(f.b, f.vectors(in, 1)[0]))
}

func distance(f *function, in spirv.Inst) {
	a := f.vectors(in, 2)
	f.define(in, mathlib.Distance(f.b, a[0], a[1]))
}

func cross(f *function, in spirv.Inst) {
	a := f.vectors(in, 2)
	if len(a[0]) != 3 {
		f.malformed("a cross product of vectors with %d components", len(a[0]))
	}
	f.define(in, mathlib.Cross(f.b, a[0], a[1])...)
}

func normalize(f *function, in spirv.Inst) {
	f.define(in, mathlib.Normalize(f.b, f.vectors(in, 1)[0])...)
}

func faceForward(f *function, in spirv.Inst) {
	a := f.vectors(in, 3)
	f.define(in, mathlib.FaceForward(f.b, a[0], a[1], a[2])...)
}

func reflectAt(f *function, in spirv.Inst) {
	a := f.vectors(in, 2)
	f.define(in, mathlib.Reflect(f.b, a[0], a[1])...)
}

func refractAt(f *function, in spirv.Inst) {
	a := f.vectors(in, 2)
	if len(a) != 3 || len(a[2]) != 1 {
		f.malformed("the ratio of refraction is not a scalar; must be one")
	}
	f.checkFloats(a[2][0])
	eta := a[2][0]
	if t := f.b.Func.Type(a[0][0]); f.b.Func.Type(eta) != t {
		eta = f.b.Op(ir.FCvt, t, eta)
	}
	f.define(in, mathlib.Refract(f.b, a[0], a[1], eta)...)
}

// squareMatrix returns the matrix operand of an extended instruction.
func (f *function) squareMatrix(in spirv.Inst) matrixValue {
	if len(in) < 6 {
		f.malformed("no operand")
	}
	g := f.grid(spirv.ID(in[5]))
	if g.columns != g.rows || g.columns < 2 || g.columns > 4 {
		f.malformed("the matrix has %d columns and %d rows; must have 2, 3 or 4 of both", g.columns, g.rows)
	}
	f.checkFloats(g.parts...)
	return g
}

func determinant(f *function, in spirv.Inst) {
	g := f.squareMatrix(in)
	f.define(in, mathlib.Determinant(f.b, g.columns, g.parts))
}

func matrixInverse(f *function, in spirv.Inst) {
	g := f.squareMatrix(in)
	f.define(in, mathlib.MatrixInverse(f.b, g.columns, g.parts)...)
}

// packed lowers an instruction that packs n scalars of a type into one value, unpacked the
// inverse.
func packed(n int, t ir.Type, g func(*ir.Builder, []ir.V) ir.V) rule {
	return func(f *function, in spirv.Inst) {
		x := f.operandsOf(in)[0]
		if len(x) != n || f.b.Func.Type(x[0]) != t {
			f.malformed("the operand has %d scalars; must have %d of type %s", len(x), n, t)
		}
		f.define(in, g(f.b, x))
	}
}

// unpackHalf lowers UnpackHalf2x16. Its halves are inputs of 16 bits, which DenormFlushToZero of that width flushes.
func unpackHalf(f *function, in spirv.Inst) {
	x := f.typed(spirv.ID(in[5]), ir.I32)
	if !f.float.flush.has(ir.F16) {
		f.define(in, mathlib.UnpackHalf2x16(f.b, x)...)
		return
	}
	half := func(n ir.V) ir.V {
		h := f.b.Op(ir.Bitcast, ir.F16, f.b.Op(ir.Trunc, ir.I16, n))
		return f.b.Op(ir.FCvt, ir.F32, f.flush(h))
	}
	f.define(in, half(x), half(f.b.Op(ir.LShr, ir.I32, x, f.b.I32(16))))
}

func unpacked(t ir.Type, g func(*ir.Builder, ir.V) []ir.V) rule {
	return func(f *function, in spirv.Inst) {
		f.define(in, g(f.b, f.typed(spirv.ID(in[5]), t))...)
	}
}
