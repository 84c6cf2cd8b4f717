package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeFunctionRules = rules{
	spirv.OpCooperativeMatrixPerElementOpEXT: cooperativePerElement,
	spirv.OpCooperativeMatrixReduceEXT:       cooperativeReduce,
}

// Instructions on cooperative matrices that call a function of the module
// (SPV_EXT_cooperative_matrix_maintenance1, SPV_NV_cooperative_matrix2). It is
// called for components of the matrix only, not for the padding of lanes.

// cooperativePerElement lowers OpCooperativeMatrixPerElementOpEXT.
func cooperativePerElement(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixPerElementOpEXT(in)
	t := f.facts.Type(in.Type())
	if !isTile(t) || f.typeOf(v.Matrix()) != t {
		f.malformed("the type of the result is not that matrix type; must be")
	}
	x := f.tile(t)
	matrix := f.scalars(v.Matrix())
	parts := make([]ir.V, 0, x.components)
	for first := uint64(0); first < x.components; first += x.length {
		parts = append(parts, f.inside(&x, first, x.length, func(i uint64) ir.V {
			row, column := f.coordinate(&x, f.b.I32(uint32(first+i)))
			args := [][]ir.V{{row}, {column}, {matrix[first+i]}}
			for _, id := range v.Operands() {
				more := f.scalars(id)
				if o := f.typeOf(id); isTile(o) {
					if o != t {
						f.malformed("the matrix has another type than the first; must have the same")
					}
					more = more[first+i : first+i+1]
				}
				args = append(args, more)
			}
			return f.only(f.call(v.Func(), args...))
		})...)
	}
	f.define(in, parts...)
}

// only returns the result of a function that returns a scalar.
func (f *function) only(parts []ir.V) ir.V {
	if len(parts) != 1 {
		f.malformed("the function returns %d scalars; must return 1", len(parts))
	}
	return parts[0]
}

// inside returns n components that begin with component first of the lane, all
// of one line; if the matrix does not have the line they are 0 and not computed.
func (f *function) inside(x *tile, first, n uint64, yield func(i uint64) ir.V) []ir.V {
	parts := make([]ir.V, n)
	compute := func() {
		for i := range n {
			parts[i] = yield(i)
		}
	}
	before := first / x.length * x.lanes
	if before+x.lanes <= x.lines {
		compute()
		return parts
	}
	t := f.scalar(x.elem)
	types, zeros := make([]ir.Type, n), make([]ir.V, n)
	for i := range n {
		types[i], zeros[i] = t, f.b.Const(t, 0)
	}
	label := f.b.Block(types...)
	f.b.If(f.b.Cmp(ir.ULt, f.rank(x), f.b.I32(uint32(x.lines-before))))
	compute()
	f.b.Br(label, parts...)
	f.b.Else()
	f.b.Br(label, zeros...)
	f.b.End()
	f.b.End()
	for i := range n {
		parts[i] = f.b.Param(label, int(i))
	}
	return parts
}

// reduction is a reduction of a matrix that is distributed by columns.
type reduction struct {
	function *function
	from, to tile
	parts    []ir.V
	combine  spirv.ID
}

// cooperativeReduce lowers OpCooperativeMatrixReduceEXT. Columns are combined
// from the top to the bottom, rows from the left to the right; for both,
// columns first.
func cooperativeReduce(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixReduceEXT(in)
	tm, tr := f.typeOf(v.Matrix()), f.facts.Type(in.Type())
	if !isTile(tm) || !isTile(tr) || tm.Elem != tr.Elem {
		f.malformed("the operand or the result is not a cooperative matrix, or their component types differ")
	}
	r := reduction{f, f.tile(tm), f.tile(tr), f.scalars(v.Matrix()), v.CombineFunc()}
	if r.from.byRow || r.to.byRow {
		f.malformed("the reduced matrix is not an accumulator; must be one")
	}
	if r.from.wide != r.to.wide {
		f.malformed("the result has another scope than the reduced matrix; must have the same")
	}
	if n := r.from.rows * r.from.columns; n > maxProduct {
		f.tooLarge("a reduction of %d components; at most %d", n, maxProduct)
	}
	switch mode := v.Reduce(); mode {
	case spirv.CooperativeMatrixReduceRowMask:
		f.define(in, r.rows()...)
	case spirv.CooperativeMatrixReduceColumnMask:
		f.define(in, r.columns()...)
	case spirv.CooperativeMatrixReduceRowMask | spirv.CooperativeMatrixReduceColumnMask:
		all := r.across(r.sums(), 1)[0]
		parts := make([]ir.V, r.to.components)
		for i := range parts {
			parts[i] = all
		}
		f.define(in, parts...)
	case spirv.CooperativeMatrixReduce2x2Mask:
		f.define(in, r.squares()...)
	default:
		f.malformed("a reduction of %s", mode)
	}
}

// both returns two components combined.
func (r *reduction) both(x, y ir.V) ir.V {
	return r.function.only(r.function.call(r.combine, []ir.V{x}, []ir.V{y}))
}

// rows returns a result with one value in each row: the reduction of the row.
func (r *reduction) rows() []ir.V {
	if r.to.rows != r.from.rows {
		r.function.malformed("the result has %d rows; must have %d", r.to.rows, r.from.rows)
	}
	parts := make([]ir.V, r.to.components)
	for row, v := range r.across(r.parts, r.from.length) {
		for at := uint64(row); at < r.to.components; at += r.to.length {
			parts[at] = v
		}
	}
	return parts
}

// across combines the columns, of each of which parts has n components, and
// returns the n values of all.
func (r *reduction) across(parts []ir.V, n uint64) []ir.V {
	out := make([]ir.V, n)
	r.function.exchange(&r.from, parts, n, func(o *exchangeRound) {
		for i := range out {
			for column := o.first; column < o.last; column++ {
				x := o.value(column, uint64(i))
				if column > 0 {
					x = r.both(out[i], x)
				}
				out[i] = x
			}
		}
	})
	return out
}

// sums returns the value of each column that the lane holds.
func (r *reduction) sums() []ir.V {
	var out []ir.V
	for first := uint64(0); first < r.from.components; first += r.from.length {
		out = append(out, r.function.inside(&r.from, first, 1, func(uint64) ir.V {
			v := r.parts[first]
			for _, x := range r.parts[first+1 : first+r.from.length] {
				v = r.both(v, x)
			}
			return v
		})...)
	}
	return out
}

// columns returns a result with one value in each column.
func (r *reduction) columns() []ir.V {
	if r.to.columns != r.from.columns {
		r.function.malformed("the result has %d columns; must have %d", r.to.columns, r.from.columns)
	}
	var parts []ir.V
	for _, v := range r.sums() {
		for range r.to.length {
			parts = append(parts, v)
		}
	}
	return parts
}

// squares returns a result with one component for each two by two: the
// upper with the lower one of both columns, and then both columns. Columns 2c and
// 2c+1 of the matrix are with other lanes than column c of the result, in one of
// two rounds.
func (r *reduction) squares() []ir.V {
	if r.to.rows*2 != r.from.rows || r.to.columns*2 != r.from.columns {
		r.function.malformed("the result is %d×%d; must be half of %d×%d", r.to.rows, r.to.columns, r.from.rows, r.from.columns)
	}
	n := r.to.length
	var pairs []ir.V
	for first := uint64(0); first < r.from.components; first += r.from.length {
		pairs = append(pairs, r.function.inside(&r.from, first, n, func(i uint64) ir.V {
			return r.both(r.parts[first+2*i], r.parts[first+2*i+1])
		})...)
	}
	left, right := r.side(pairs, 0), r.side(pairs, 1)
	var parts []ir.V
	for first := uint64(0); first < r.to.components; first += n {
		parts = append(parts, r.function.inside(&r.to, first, n, func(i uint64) ir.V {
			return r.both(left[first+i], right[first+i])
		})...)
	}
	return parts
}

// side returns for each component of the result the pair of column 2c, or of
// column 2c+1.
func (r *reduction) side(pairs []ir.V, side uint32) []ir.V {
	n := r.to.length
	out := make([]ir.V, r.to.components)
	twice := r.function.b.Op(ir.Shl, ir.I32, r.function.rank(&r.to), r.function.b.I32(1))
	column := r.function.b.Op(ir.Add, ir.I32, twice, r.function.b.I32(side))
	if r.from.wide {
		r.function.exchange(&r.from, pairs, n, func(o *exchangeRound) {
			for i := range out {
				first := uint32(uint64(i) / n * r.to.lanes * 2)
				line := r.function.b.Op(ir.Add, ir.I32, column, r.function.b.I32(first))
				out[i] = o.across(line, uint64(i)%n, out[i])
			}
		})
		return out
	}
	lanes := r.function.b.I32(uint32(r.from.lanes))
	source := r.function.b.Op(ir.UMod, ir.I32, column, lanes)
	near := r.function.b.Cmp(ir.ULt, column, lanes)
	for i := range out {
		at := 2*(uint64(i)/n*n) + uint64(i)%n
		out[i] = r.function.b.Op(ir.Shuf, r.function.b.Func.Type(pairs[at]), pairs[at], source)
		if at+n < uint64(len(pairs)) {
			out[i] = r.function.b.Select(near, out[i], r.function.b.Op(ir.Shuf, r.function.b.Func.Type(out[i]), pairs[at+n], source))
		}
	}
	return out
}
