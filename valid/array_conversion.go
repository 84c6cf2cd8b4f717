package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// arrayConversionFamily checks the conversions between arrays and cooperative
// matrices (SPV_QCOM_cooperative_matrix_conversion): element types, lengths, and
// the scope, use and size of the matrix. The matrix type itself is checked by
// cooperative.go.
var arrayConversionFamily = family{
	rules: []Rule{
		{Code: "SPV-ArrayConversion-Array", Section: "SPIR-V, SPV_QCOM_cooperative_matrix_conversion", Words: "a conversion of arrays works on 32-bit integers and on 16-bit and 32-bit floats; between array and matrix, the array has the components of the matrix or 32-bit unsigned integers"},
		{Code: "SPV-ArrayConversion-Size", Section: "SPIR-V, SPV_QCOM_cooperative_matrix_conversion", Words: "a bit cast of arrays preserves the number of bits; a part of an array is within the array; between array and matrix, the array has the length, or the bits, of a matrix row, or of a column of B"},
		{Code: "SPV-ArrayConversion-Matrix", Section: "SPIR-V, SPV_QCOM_cooperative_matrix_conversion", Words: "the matrix has the scope Subgroup; A and B have 8-bit integers or 16-bit or 32-bit floats, and rows and columns of 256 bits; an accumulator has 32-bit integers or these floats"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpBitCastArrayQCOM:              cooperativeJudge((*cooperatives).castArray),
		spirv.OpExtractSubArrayQCOM:           cooperativeJudge((*cooperatives).subArray),
		spirv.OpCompositeConstructCoopMatQCOM: cooperativeJudge((*cooperatives).matrixOfArray),
		spirv.OpCompositeExtractCoopMatQCOM:   cooperativeJudge((*cooperatives).arrayOfMatrix),
	},
}

// isConvertible reports whether a type is an array with elements of a type that
// these conversions accept. It is true if the type is not known.
func isConvertible(t *facts.Type) bool {
	if t == nil {
		return true
	}
	if t.Op != spirv.OpTypeArray {
		return false
	}
	e := t.Elem
	return e == nil || isWord(e) || e.IsFloat() && !e.Encoded && (e.Width == 16 || e.Width == 32)
}

// arrays checks the operand and the result of a conversion between arrays, and
// reports whether both are known and correct.
func (c *cooperatives) arrays(i int, op spirv.Op, t, x *facts.Type) bool {
	for _, o := range [...]*facts.Type{x, t} {
		if !isConvertible(o) {
			c.fail(i, "SPV-ArrayConversion-Array", "%s of or to %s; must be an array of integers or floats of 32 bits or floats of 16", op, c.typeName(o))
			return false
		}
	}
	return t != nil && x != nil && t.Elem != nil && x.Elem != nil
}

// arrayLength returns the length of an array; 0 if it is not known before
// specialization.
func arrayLength(t *facts.Type) uint64 {
	if t.Length == nil || !t.Length.Known || t.Length.Spec {
		return 0
	}
	return t.Count
}

func (c *cooperatives) castArray(i int, in spirv.Inst) {
	t, x := c.m.Type(in.Type()), c.m.TypeOf(inst.BitCastArrayQCOM(in).SourceArray())
	if !c.arrays(i, in.Op(), t, x) {
		return
	}
	n, m := arrayLength(t), arrayLength(x)
	if n != 0 && m != 0 && n < 1<<32 && m < 1<<32 && n*uint64(t.Elem.Width) != m*uint64(x.Elem.Width) {
		c.fail(i, "SPV-ArrayConversion-Size", "%s of %d times %d bits yields %d times %d; must have the same number of bits", in.Op(), m, x.Elem.Width, n, t.Elem.Width)
	}
}

func (c *cooperatives) subArray(i int, in spirv.Inst) {
	v := inst.ExtractSubArrayQCOM(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.SourceArray())
	if !c.arrays(i, in.Op(), t, x) { // the typing table checks that the elements are equal
		return
	}
	n, m := arrayLength(t), arrayLength(x)
	start, _ := c.settled(v.Index()) // 0 if it is not known
	if n != 0 && m != 0 && (n > m || uint64(start) > m-n) {
		c.fail(i, "SPV-ArrayConversion-Size", "%s yields %d elements from index %d of %d; must be within the array", in.Op(), n, start, m)
	}
}

func (c *cooperatives) matrixOfArray(i int, in spirv.Inst) {
	v := inst.CompositeConstructCoopMatQCOM(in)
	c.matrixAndArray(i, c.m.Type(v.Type()), c.m.TypeOf(v.SourceArray()))
}

func (c *cooperatives) arrayOfMatrix(i int, in spirv.Inst) {
	v := inst.CompositeExtractCoopMatQCOM(in)
	c.matrixAndArray(i, c.m.TypeOf(v.SourceCooperativeMatrix()), c.m.Type(v.Type()))
}

// rowBits is the number of bits in a convertible row of A or column of B.
const rowBits = 256

// matrixAndArray checks a matrix and an array of one of its rows or columns: a
// row of A or of an accumulator, a column of B. The array holds either the
// matrix components or the same bits as 32-bit words.
func (c *cooperatives) matrixAndArray(i int, t, x *facts.Type) {
	const matrix, size = "SPV-ArrayConversion-Matrix", "SPV-ArrayConversion-Size"
	if !c.matrixOperand(i, t, "the matrix") || t.Elem == nil || x == nil {
		return
	}
	if x.Op != spirv.OpTypeArray || unlike(x.Elem, t.Elem) && (!isWord(x.Elem) || x.Elem.Signed) {
		c.fail(i, "SPV-ArrayConversion-Array", "the array is %s; must be an array of %s, like the matrix, or of unsigned integers of 32 bits", c.typeName(x), c.typeName(t.Elem))
		return
	}
	s := c.shapeOfMatrix(t)
	if n, ok := c.settled(s.scope); ok && spirv.Scope(n) != spirv.ScopeSubgroup {
		c.fail(i, matrix, "the scope of the matrix is %s; must be Subgroup", spirv.Scope(n))
	}
	use, ok := c.settled(s.use)
	if !ok || x.Elem == nil {
		return
	}
	along, e := s.columns, t.Elem
	small := e.IsInt() && e.Width == 8
	switch spirv.CooperativeMatrixUse(use) {
	case spirv.CooperativeMatrixUseMatrixBKHR:
		along = s.rows
	case spirv.CooperativeMatrixUseMatrixAccumulatorKHR:
		small = isWord(e)
	}
	if !small && (!e.IsFloat() || e.Encoded || e.Width != 16 && e.Width != 32) {
		c.fail(i, matrix, "the matrix of the use %s is of %s; must be of floats of 16 or 32 bits or integers of 8, an accumulator of 32", spirv.CooperativeMatrixUse(use), c.typeName(e))
		return
	}
	n, known := c.settled(along)
	if spirv.CooperativeMatrixUse(use) != spirv.CooperativeMatrixUseMatrixAccumulatorKHR {
		if known && n != rowBits/int64(e.Width) {
			c.fail(i, matrix, "%d of %s of the matrix are in an array; must be %d bits", n, c.typeName(e), rowBits)
			return
		}
		n, known = rowBits/int64(e.Width), true
	}
	if x.Elem != e {
		n = n * int64(e.Width) / 32
	}
	if l := arrayLength(x); known && l != 0 && l != uint64(n) {
		c.fail(i, size, "the array has %d elements; must have %d, like the matrix", l, n)
	}
}
