package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var matrixRules = rules{
	spirv.OpTranspose:         transpose,
	spirv.OpVectorTimesScalar: vectorTimesScalar,
	spirv.OpMatrixTimesScalar: vectorTimesScalar,
	spirv.OpVectorTimesMatrix: vectorTimesMatrix,
	spirv.OpMatrixTimesVector: matrixTimesVector,
	spirv.OpMatrixTimesMatrix: matrixTimesMatrix,
	spirv.OpOuterProduct:      outerProduct,
	spirv.OpDot:               dot,
}

func (f *function) fmul(x, y ir.V) ir.V {
	t := f.b.Func.Type(x)
	return f.Make(ir.FMul, t, t, x, y, 0)
}

// sumOfProducts returns x0·y0 + x1·y1 + …, from left to right.
func (f *function) sumOfProducts(x, y []ir.V) ir.V {
	if len(x) != len(y) || len(x) == 0 {
		f.malformed("the vectors have different sizes")
	}
	f.checkFloats(x...)
	f.checkFloats(y...)
	t := f.b.Func.Type(x[0])
	sum := f.fmul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = f.Make(ir.FAdd, t, t, sum, f.fmul(x[i], y[i]), 0)
	}
	return sum
}

func dot(f *function, in spirv.Inst) {
	v := inst.Dot(in)
	if e, ok := f.encodingOf(f.facts.Type(in.Type())); ok {
		f.dotEncoded(in, e)
		return
	}
	f.define(in, f.sumOfProducts(f.scalars(v.Vector1()), f.scalars(v.Vector2())))
}

func vectorTimesScalar(f *function, in spirv.Inst) {
	v := inst.VectorTimesScalar(in)
	s := f.one(v.Scalar())
	x := f.scalars(v.Vector())
	if t := f.facts.Type(in.Type()); isTile(t) && t.Elem.IsInt() {
		parts := make([]ir.V, len(x))
		for i := range x {
			f.checkSameType(x[i], s)
			parts[i] = f.b.Op(ir.Mul, f.b.Func.Type(s), x[i], s)
		}
		f.define(in, parts...)
		return
	}
	f.checkFloats(s)
	f.checkFloats(x...)
	parts := make([]ir.V, len(x))
	for i := range x {
		parts[i] = f.fmul(x[i], s)
	}
	f.define(in, parts...)
}

// matrixValue is a matrix in column-major order.
type matrixValue struct {
	columns, rows int
	parts         []ir.V
}

func (f *function) grid(id spirv.ID) matrixValue {
	t := f.typeOf(id)
	g := matrixValue{t.Columns(), t.Rows(), f.scalars(id)}
	if g.columns == 0 || g.rows == 0 || g.columns*g.rows != len(g.parts) {
		f.malformed("%%%d is not a matrix", id)
	}
	return g
}

func (g matrixValue) column(i int) []ir.V { return g.parts[i*g.rows : (i+1)*g.rows] }

func (g matrixValue) row(i int) []ir.V {
	row := make([]ir.V, g.columns)
	for c := range row {
		row[c] = g.parts[c*g.rows+i]
	}
	return row
}

func vectorTimesMatrix(f *function, in spirv.Inst) {
	v := inst.VectorTimesMatrix(in)
	x, m := f.scalars(v.Vector()), f.grid(v.Matrix())
	parts := make([]ir.V, m.columns)
	for c := range parts {
		parts[c] = f.sumOfProducts(x, m.column(c))
	}
	f.define(in, parts...)
}

func matrixTimesVector(f *function, in spirv.Inst) {
	v := inst.MatrixTimesVector(in)
	m, x := f.grid(v.Matrix()), f.scalars(v.Vector())
	f.define(in, f.times(m, x)...)
}

// times returns the product of a matrix and a column vector.
func (f *function) times(m matrixValue, x []ir.V) []ir.V {
	parts := make([]ir.V, m.rows)
	for r := range parts {
		parts[r] = f.sumOfProducts(m.row(r), x)
	}
	return parts
}

func matrixTimesMatrix(f *function, in spirv.Inst) {
	v := inst.MatrixTimesMatrix(in)
	left, right := f.grid(v.LeftMatrix()), f.grid(v.RightMatrix())
	var parts []ir.V
	for c := range right.columns {
		parts = append(parts, f.times(left, right.column(c))...)
	}
	f.define(in, parts...)
}

func outerProduct(f *function, in spirv.Inst) {
	v := inst.OuterProduct(in)
	x, y := f.scalars(v.Vector1()), f.scalars(v.Vector2())
	f.checkFloats(x...)
	f.checkFloats(y...)
	var parts []ir.V
	for _, column := range y {
		for _, row := range x {
			parts = append(parts, f.fmul(row, column))
		}
	}
	f.define(in, parts...)
}

func transpose(f *function, in spirv.Inst) {
	m := f.grid(inst.Transpose(in).Matrix())
	var parts []ir.V
	for r := range m.rows {
		parts = append(parts, m.row(r)...)
	}
	f.define(in, parts...)
}
