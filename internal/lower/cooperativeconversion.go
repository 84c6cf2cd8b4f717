package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeConversionRules = rules{
	spirv.OpCooperativeMatrixConvertUseEXT:    cooperativeConvert,
	spirv.OpCooperativeMatrixTransposeNV:      cooperativeTranspose,
	spirv.OpCooperativeMatrixGetCoordinateEXT: cooperativeCoordinate,
}

// cooperativeConvert lowers OpCooperativeMatrixConvertUseEXT: a matrix with the
// same components, of another use.
func cooperativeConvert(f *function, in spirv.Inst) {
	f.define(in, f.arranged(in, inst.CooperativeMatrixConvertUseEXT(in).Matrix())...)
}

// cooperativeTranspose lowers OpCooperativeMatrixTransposeNV. The instruction has no rule that the component
// types are the same, unlike OpCooperativeMatrixConvertUseEXT: components are converted as by OpFConvert, or by
// the operand's OpSConvert or OpUConvert.
func cooperativeTranspose(f *function, in spirv.Inst) {
	id := inst.CooperativeMatrixTransposeNV(in).Matrix()
	from, to := f.typeOf(id), f.facts.Type(in.Type())
	if !isTile(from) || !isTile(to) {
		f.malformed("the operand is not a cooperative matrix; must be one")
	}
	parts := append([]ir.V(nil), f.scalars(id)...)
	switch a, b := from.Elem, to.Elem; {
	case a == b:
	case a == nil || b == nil || a.IsFloat() != b.IsFloat() || a.IsInt() != b.IsInt():
		f.unsupported("a transpose between components of another kind")
	case a.IsFloat():
		f.convertFloats(parts, a, b, f.narrowing(in))
	default:
		f.convertInts(parts, a.Signed, ir.Int(b.Width))
	}
	f.define(in, f.relaid(parts, f.tile(from), f.tile(to), true)...)
}

// convertInts replaces integers by those of type to.
func (f *function) convertInts(parts []ir.V, signed bool, to ir.Type) {
	for i, v := range parts {
		t := f.b.Func.Type(v)
		switch {
		case t.Bits() > to.Bits():
			parts[i] = f.b.Op(ir.Trunc, to, v)
		case t.Bits() < to.Bits() && signed:
			parts[i] = f.b.Op(ir.SExt, to, v)
		case t.Bits() < to.Bits():
			parts[i] = f.b.Op(ir.ZExt, to, v)
		}
	}
}

// arranged returns the scalars of the operand of a conversion, for a
// cooperative matrix in the distribution of the use of the result
// (SPV_EXT_cooperative_matrix_maintenance1; there also the decoration that
// transposes).
func (f *function) arranged(in spirv.Inst, id spirv.ID) []ir.V {
	from, to := f.typeOf(id), f.facts.Type(in.Type())
	parts := f.scalars(id)
	if !isTile(from) || !isTile(to) || from == to {
		return parts
	}
	transposed := f.facts.Has(in.Result(), spirv.DecorationCooperativeMatrixTransposeEXT)
	return f.relaid(parts, f.tile(from), f.tile(to), transposed)
}

// relaid returns the components that a lane holds of a matrix equal to
// another one, or to its transpose. If the two have different lines,
// a lane reads each component from another lane. The component it needs
// depends on the lane, so it selects among the components of a round.
func (f *function) relaid(parts []ir.V, from, to tile, transposed bool) []ir.V {
	rows, columns := to.rows, to.columns
	if transposed {
		rows, columns = columns, rows
	}
	if from.rows != rows || from.columns != columns {
		f.malformed("the matrix is %d×%d and its source %d×%d", to.rows, to.columns, from.rows, from.columns)
	}
	if from.wide != to.wide {
		f.malformed("the matrix has another scope than its source; must have the same")
	}
	if (from.byRow == to.byRow) != transposed {
		return parts
	}
	if n := to.lines * to.length; n > maxProduct && !to.wide {
		f.tooLarge("%d components per lane; at most %d", n, maxProduct)
	}
	out := make([]ir.V, to.components)
	if to.wide {
		f.exchange(&from, parts, from.length, func(r *exchangeRound) {
			for i := range to.components {
				if along := i % to.length; along >= r.first && along < r.last {
					line := f.b.Op(ir.Add, ir.I32, f.rank(&to), f.b.I32(uint32(i/to.length*to.lanes)))
					out[i] = r.along(along, line)
				}
			}
		})
		return out
	}
	lane := f.lane()
	for i := range to.components {
		first, along := i/to.length*to.lanes, i%to.length
		source := f.b.I32(uint32(along % from.lanes))
		held := parts[along/from.lanes*from.length:]
		for k := range min(to.lanes, to.lines-first) {
			x := f.b.Op(ir.Shuf, f.b.Func.Type(parts[0]), held[first+k], source)
			if k > 0 {
				x = f.b.Select(f.b.Cmp(ir.Eq, lane, f.b.I32(uint32(k))), x, out[i])
			}
			out[i] = x
		}
	}
	return out
}

// cooperativeCoordinate lowers OpCooperativeMatrixGetCoordinateEXT: the row and
// the column of a component that the lane holds.
func cooperativeCoordinate(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixGetCoordinateEXT(in)
	t := f.typeOf(v.Matrix())
	if !isTile(t) {
		f.malformed("the operand is not a cooperative matrix; must be one")
	}
	x := f.tile(t)
	row, column := f.coordinate(&x, f.typed(v.Index(), ir.I32))
	f.define(in, row, column)
}

// coordinate returns the row and the column of component i of the lane.
func (f *function) coordinate(x *tile, i ir.V) (row, column ir.V) {
	n := f.b.I32(uint32(x.length))
	round := f.b.Op(ir.UDiv, ir.I32, i, n)
	line := f.b.Op(ir.Add, ir.I32, f.rank(x), f.b.Op(ir.Mul, ir.I32, round, f.b.I32(uint32(x.lanes))))
	along := f.b.Op(ir.UMod, ir.I32, i, n)
	if x.byRow {
		return line, along
	}
	return along, line
}
