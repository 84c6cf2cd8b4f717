package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// cooperativeFunctionFamily checks the instructions that apply a function to the
// elements of a cooperative matrix, and the one that returns the coordinate of an
// element (SPV_NV_cooperative_matrix2, SPV_EXT_cooperative_matrix_maintenance1).
var cooperativeFunctionFamily = family{
	rules: []Rule{
		{Code: "SPV-CooperativeMatrix-Function", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "the operand of a per-element operation on a cooperative matrix is a function"},
		{Code: "SPV-CooperativeMatrix-PerElement", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "a function for each element has parameters for the row and the column, 32-bit integers, for the element, and for each further operand, an element if this is a matrix of the same type; it returns an element"},
		{Code: "SPV-CooperativeMatrix-Reduce", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "a function that combines elements has two elements as parameters and returns one"},
		{Code: "SPV-CooperativeMatrix-ReduceShape", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "a reduction works on accumulators of the same scope and component type: by row it preserves the rows, by column the columns, and 2x2, which excludes the others, halves both"},
		{Code: "SPV-CooperativeMatrix-Coordinate", Section: "SPIR-V, SPV_EXT_cooperative_matrix_maintenance1", Words: "the coordinate of an element is a vector of two 32-bit integers, for an index of 32 bits"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCooperativeMatrixPerElementOpEXT:  cooperativeJudge((*cooperatives).matrixPerElement),
		spirv.OpCooperativeMatrixReduceEXT:        cooperativeJudge((*cooperatives).matrixReduce),
		spirv.OpCooperativeMatrixGetCoordinateEXT: cooperativeJudge((*cooperatives).matrixCoordinate),
	},
}

// appliedFunction returns the type of the applied function; nil if the operand is
// not a function, or not known.
func (c *cooperatives) appliedFunction(i int, id spirv.ID) *facts.Type {
	d := c.code.DefInst(id)
	if d == nil {
		return nil
	}
	if d.Op() != spirv.OpFunction {
		if d.Op().HasType() { // an id without a type is reported by the rules on ids
			c.fail(i, "SPV-CooperativeMatrix-Function", "%s is the result of %s; must be a function", c.name(id), d.Op())
		}
		return nil
	}
	if t := c.m.Type(inst.Function(d).FunctionType()); t != nil && t.Op == spirv.OpTypeFunction {
		return t
	}
	return nil
}

// matrixOperand checks that a type is a cooperative matrix with a use, and reports
// whether it is known to be.
func (c *cooperatives) matrixOperand(i int, t *facts.Type, what string) bool {
	if t != nil && t.Op != spirv.OpTypeCooperativeMatrixKHR {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "%s of %s is %s; must be an OpTypeCooperativeMatrixKHR", what, c.code.Inst(i).Op(), c.typeName(t))
	}
	return t != nil && t.Op == spirv.OpTypeCooperativeMatrixKHR
}

// unlike reports whether two types are known and differ.
func unlike(x, y *facts.Type) bool { return x != nil && y != nil && x != y }

// matrixPerElement checks the function's parameters: row, column, element, and one
// for each further operand.
func (c *cooperatives) matrixPerElement(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixPerElementOpEXT(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Matrix())
	if !c.matrixOperand(i, x, "the matrix") {
		return
	}
	const code = "SPV-CooperativeMatrix-PerElement"
	if unlike(t, x) {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "%s of %s yields %s; must preserve the type", in.Op(), c.typeName(x), c.typeName(t))
	}
	f := c.appliedFunction(i, v.Func())
	if f == nil {
		return
	}
	if unlike(f.Elem, x.Elem) {
		c.fail(i, code, "the function returns %s; must return %s, the element type of the matrix", c.typeName(f.Elem), c.typeName(x.Elem))
	}
	if n := 3 + len(v.Operands()); len(f.Params) != n {
		c.fail(i, code, "the function has %d parameters; must have %d: row, column, element and each operand", len(f.Params), n)
		return
	}
	for n, p := range f.Params[:2] {
		if p != nil && !isWord(p) {
			c.fail(i, code, "parameter %d of the function is %s; must be an integer of 32 bits", n, c.typeName(p))
		}
	}
	if unlike(f.Params[2], x.Elem) {
		c.fail(i, code, "parameter 2 of the function is %s; must be %s, the element type of the matrix", c.typeName(f.Params[2]), c.typeName(x.Elem))
	}
	for n, id := range v.Operands() {
		want := c.m.TypeOf(id)
		if isCooperative(want) {
			if want != x {
				c.fail(i, code, "operand %d is the matrix %s; must be %s, like the first", n, c.typeName(want), c.typeName(x))
				continue
			}
			want = x.Elem
		}
		if p := f.Params[3+n]; unlike(p, want) {
			c.fail(i, code, "parameter %d of the function is %s; must be %s, like operand %d", 3+n, c.typeName(p), c.typeName(want), n)
		}
	}
}

// matrixReduce checks OpCooperativeMatrixReduceEXT.
func (c *cooperatives) matrixReduce(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixReduceEXT(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Matrix())
	if !c.matrixOperand(i, t, "the result") || !c.matrixOperand(i, x, "the matrix") {
		return
	}
	c.reduceShape(i, t, x, v.Reduce())
	f := c.appliedFunction(i, v.CombineFunc())
	if f == nil {
		return
	}
	const code = "SPV-CooperativeMatrix-Reduce"
	if unlike(f.Elem, x.Elem) || len(f.Params) != 2 || unlike(f.Params[0], x.Elem) || unlike(f.Params[1], x.Elem) {
		c.fail(i, code, "the function %s does not combine two of %s; must have two such parameters and result", c.name(v.CombineFunc()), c.typeName(x.Elem))
	}
}

// reduceShape checks the types of a matrix and of its reduction.
func (c *cooperatives) reduceShape(i int, t, x *facts.Type, how spirv.CooperativeMatrixReduce) {
	const code = "SPV-CooperativeMatrix-ReduceShape"
	a, b := c.shapeOfMatrix(t), c.shapeOfMatrix(x)
	const (
		row    = spirv.CooperativeMatrixReduceRowMask
		column = spirv.CooperativeMatrixReduceColumnMask
		four   = spirv.CooperativeMatrixReduce2x2Mask
	)
	for _, o := range [...]struct {
		bad  bool
		what string
	}{
		{unlike(t.Elem, x.Elem), "components differ"},
		{c.differ(a.scope, b.scope), "scopes differ"},
		{!c.used(a.use, spirv.CooperativeMatrixUseMatrixAccumulatorKHR) || !c.used(b.use, spirv.CooperativeMatrixUseMatrixAccumulatorKHR), "uses are not the accumulator use"},
		{how == 0, "reduction has no direction"},
		{how&four != 0 && how != four, "reduction of 2x2 is combined with another"},
		{how == four && (!c.half(a.rows, b.rows) || !c.half(a.columns, b.columns)), "rows and columns of the result are not half of the rows and columns of the matrix"},
		{how == row && c.differ(a.rows, b.rows), "numbers of rows differ"},
		{how == column && c.differ(a.columns, b.columns), "numbers of columns differ"},
	} {
		if o.bad {
			c.fail(i, code, "the %s; must match the reduction", o.what)
		}
	}
}

// half reports whether constant x is half of constant y, or one is not known.
func (c *cooperatives) half(x, y spirv.ID) bool {
	a, ok := c.settled(x)
	b, ok2 := c.settled(y)
	return !ok || !ok2 || a >= 0 && a <= 1<<32 && a*2 == b
}

func (c *cooperatives) matrixCoordinate(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixGetCoordinateEXT(in)
	const code = "SPV-CooperativeMatrix-Coordinate"
	if t := c.m.Type(v.Type()); t != nil && (!t.IsVector() || t.Components() != 2 || t.Elem != nil && !isWord(t.Elem)) {
		c.fail(i, code, "the coordinate is %s; must be a vector of two integers of 32 bits", c.typeName(t))
	}
	if t := c.m.TypeOf(v.Index()); t != nil && !isWord(t) {
		c.fail(i, code, "the index is %s; must be an integer of 32 bits", c.typeName(t))
	}
	c.matrixOperand(i, c.m.TypeOf(v.Matrix()), "the matrix")
}
