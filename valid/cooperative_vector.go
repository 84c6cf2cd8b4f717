package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// cooperativeVectorFamily checks vectors with a constant as length
// (OpTypeVectorIdEXT), and the instructions that load, store and multiply them
// (SPV_NV_cooperative_vector, SPV_EXT_long_vector). Instructions that accept any
// vector are checked by the typing table.
var cooperativeVectorFamily = family{
	rules: []Rule{
		{Code: "SPV-CooperativeVector-Component", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "the components of a cooperative vector are numbers, or with the capability LongVectorEXT any scalars"},
		{Code: "SPV-CooperativeVector-Count", Section: "SPIR-V, SPV_EXT_long_vector", Words: "the number of components of a vector is a constant 32-bit integer of at least 1"},
		{Code: "SPV-CooperativeVector-Vector", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "a load, a store, a product and a sum of cooperative vectors have a cooperative vector for each vector operand and result"},
		{Code: "SPV-CooperativeVector-Pointer", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "a cooperative vector is loaded and stored through a pointer to an array of numbers or vectors of numbers, in shared memory"},
		{Code: "SPV-CooperativeVector-Offset", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "an offset is a 32-bit or 64-bit integer, a stride a 32-bit integer"},
		{Code: "SPV-CooperativeVector-Result", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "the product of a matrix and a vector has 32-bit integers or 16-bit or 32-bit floats, one for each row of the matrix"},
		{Code: "SPV-CooperativeVector-Input", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "the vector of a product, if it is not packed, has one component for each column of the matrix"},
		{Code: "SPV-CooperativeVector-Constant", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "interpretations, sizes and the layout of a matrix are 32-bit constants, and the transpose flag is a Boolean constant"},
		{Code: "SPV-CooperativeVector-Layout", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "the layout of a matrix is one of the defined layouts"},
		{Code: "SPV-CooperativeVector-Product", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "the vectors of an outer product have the same component type"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeVectorIdEXT:                           cooperativeJudge((*cooperatives).typeVectorID),
		spirv.OpCooperativeVectorLoadNV:                   cooperativeJudge((*cooperatives).vectorLoad),
		spirv.OpCooperativeVectorStoreNV:                  cooperativeJudge((*cooperatives).vectorStore),
		spirv.OpCooperativeVectorMatrixMulNV:              cooperativeJudge((*cooperatives).vectorMultiply),
		spirv.OpCooperativeVectorMatrixMulAddNV:           cooperativeJudge((*cooperatives).vectorMultiplyAdd),
		spirv.OpCooperativeVectorOuterProductAccumulateNV: cooperativeJudge((*cooperatives).vectorOuterProduct),
		spirv.OpCooperativeVectorReduceSumAccumulateNV:    cooperativeJudge((*cooperatives).vectorReduceSum),
	},
}

func (c *cooperatives) typeVectorID(i int, in spirv.Inst) {
	v := inst.TypeVectorIdEXT(in)
	if t := c.m.Type(v.ComponentType()); t != nil && !t.IsInt() && !t.IsFloat() && (!t.IsBool() || !c.capable(spirv.CapabilityLongVectorEXT)) {
		c.fail(i, "SPV-CooperativeVector-Component", "the components are %s; must be numbers", c.typeName(t))
	}
	id := v.ComponentCount()
	if k := c.wordConstant(i, id, "the number of components", "SPV-CooperativeVector-Count"); k != nil && k.Known && !k.Spec && k.Bits == 0 {
		c.fail(i, "SPV-CooperativeVector-Count", "a vector of no components; must have at least 1")
	}
}

// wordConstant checks that an operand is a constant 32-bit integer, and returns
// it; nil if it is not.
func (c *cooperatives) wordConstant(i int, id spirv.ID, what, code string) *facts.Const {
	k := c.declaredConstant(id)
	switch {
	case c.code.Def(id) < 0, c.typeless(id) && !isType(c.code.Inst(i).Op()): // SPV-Id-Untyped
		return nil
	case k == nil || k.Type != nil && !isWord(k.Type):
		c.fail(i, code, "%s is %s; must be a constant integer of 32 bits", what, c.name(id))
		return nil
	}
	return k
}

// isVectorID reports whether a type is a vector of OpTypeVectorIdEXT, or is not
// known.
func isVectorID(t *facts.Type) bool { return t == nil || t.Op == spirv.OpTypeVectorIdEXT }

// vectorOperand checks that a type is a cooperative vector, and reports whether it
// is known to be.
func (c *cooperatives) vectorOperand(i int, t *facts.Type, what string) bool {
	if !isVectorID(t) {
		c.fail(i, "SPV-CooperativeVector-Vector", "%s of %s is %s; must be a cooperative vector", what, c.code.Inst(i).Op(), c.typeName(t))
	}
	return t != nil && isVectorID(t)
}

// vectorPointer checks the pointer to an array of vectors or matrices, and returns
// its type; nil if it is not a pointer.
func (c *cooperatives) vectorPointer(i int, id spirv.ID) *facts.Type {
	p := c.m.TypeOf(id)
	if p == nil {
		return nil
	}
	const code = "SPV-CooperativeVector-Pointer"
	if p.Op != spirv.OpTypePointer {
		c.fail(i, code, "%s is %s; must be a pointer to an array", c.name(id), c.typeName(p))
		return nil
	}
	switch p.Storage {
	case spirv.StorageClassWorkgroup, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassCrossWorkgroup:
	default:
		c.fail(i, code, "%s points to %s; must point to Workgroup, StorageBuffer, PhysicalStorageBuffer or CrossWorkgroup", c.name(id), p.Storage)
		return p
	}
	if e := p.Elem; e != nil && (!e.IsArray() || e.Elem != nil && !isNumbers(e.Elem)) {
		c.fail(i, code, "%s points to %s; must point to an array of numbers or of vectors of numbers", c.name(id), c.typeName(e))
	}
	return p
}

// isNumbers reports whether a type is a number or a vector of numbers.
func isNumbers(t *facts.Type) bool {
	return (t.IsScalar() || t.IsVector()) && t.Scalar() != nil && !t.Scalar().IsBool()
}

// vectorOffset checks an offset in bytes.
func (c *cooperatives) vectorOffset(i int, id spirv.ID, what string) {
	if t := c.m.TypeOf(id); t != nil && (!t.IsInt() || t.Width != 32 && t.Width != 64) {
		c.fail(i, "SPV-CooperativeVector-Offset", "%s of %s is %s; must be an integer of 32 or 64 bits", what, c.code.Inst(i).Op(), c.typeName(t))
	}
}

// vectorStride checks the stride of a matrix, if it has one.
func (c *cooperatives) vectorStride(i int, id spirv.ID, has bool) {
	if t := c.m.TypeOf(id); has && t != nil && !isWord(t) {
		c.fail(i, "SPV-CooperativeVector-Offset", "the stride of %s is %s; must be an integer of 32 bits", c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *cooperatives) vectorLoad(i int, in spirv.Inst) {
	v := inst.CooperativeVectorLoadNV(in)
	c.vectorOperand(i, c.m.Type(v.Type()), "the result")
	c.vectorOffset(i, v.Offset(), "the offset")
	if p := c.vectorPointer(i, v.Pointer()); p != nil {
		mask, _ := v.MemoryAccess()
		c.accesses(i, access{reads: p}, mask, v.MemoryAccessWords())
	}
}

func (c *cooperatives) vectorStore(i int, in spirv.Inst) {
	v := inst.CooperativeVectorStoreNV(in)
	c.vectorOperand(i, c.m.TypeOf(v.Object()), "the object")
	c.vectorOffset(i, v.Offset(), "the offset")
	if p := c.vectorPointer(i, v.Pointer()); p != nil {
		mask, _ := v.MemoryAccess()
		c.accesses(i, access{writes: p}, mask, v.MemoryAccessWords())
	}
}

// product is the operands common to products with and without a bias: an m×k
// matrix times a vector of k components.
type product struct {
	typ, input, inputAs      spirv.ID
	matrix, offset, matrixAs spirv.ID
	m, k, layout, transpose  spirv.ID
	stride                   spirv.ID
	strided                  bool
}

// productOf returns the operands of a product.
func productOf(in spirv.Inst) product {
	if in.Op() == spirv.OpCooperativeVectorMatrixMulAddNV {
		v := inst.CooperativeVectorMatrixMulAddNV(in)
		p := product{typ: v.Type(), input: v.Input(), inputAs: v.InputInterpretation(), matrix: v.Matrix(), offset: v.MatrixOffset(),
			matrixAs: v.MatrixInterpretation(), m: v.M(), k: v.K(), layout: v.MemoryLayout(), transpose: v.Transpose()}
		p.stride, p.strided = v.MatrixStride()
		return p
	}
	v := inst.CooperativeVectorMatrixMulNV(in)
	p := product{typ: v.Type(), input: v.Input(), inputAs: v.InputInterpretation(), matrix: v.Matrix(), offset: v.MatrixOffset(),
		matrixAs: v.MatrixInterpretation(), m: v.M(), k: v.K(), layout: v.MemoryLayout(), transpose: v.Transpose()}
	p.stride, p.strided = v.MatrixStride()
	return p
}

func (c *cooperatives) vectorMultiply(i int, in spirv.Inst) {
	p := productOf(in)
	c.product(i, &p)
}

func (c *cooperatives) vectorMultiplyAdd(i int, in spirv.Inst) {
	c.vectorMultiply(i, in)
	v := inst.CooperativeVectorMatrixMulAddNV(in)
	c.vectorPointer(i, v.Bias())
	c.vectorOffset(i, v.BiasOffset(), "the offset of the bias")
	c.wordConstant(i, v.BiasInterpretation(), "the interpretation of the bias", "SPV-CooperativeVector-Constant")
}

// product checks the product of a matrix and a vector.
func (c *cooperatives) product(i int, p *product) {
	const code = "SPV-CooperativeVector-Constant"
	c.vectorPointer(i, p.matrix)
	c.vectorOffset(i, p.offset, "the offset of the matrix")
	c.vectorStride(i, p.stride, p.strided)
	as := c.wordConstant(i, p.inputAs, "the interpretation of the input", code)
	c.wordConstant(i, p.matrixAs, "the interpretation of the matrix", code)
	c.wordConstant(i, p.m, "the number of rows", code)
	c.wordConstant(i, p.k, "the number of columns", code)
	c.vectorMatrixLayout(i, p.layout)
	if t := c.m.TypeOf(p.transpose); t != nil && (!t.IsBool() || c.declaredConstant(p.transpose) == nil) {
		c.fail(i, code, "the transpose flag of the matrix is %s; must be a Boolean constant", c.name(p.transpose))
	}
	if t := c.m.Type(p.typ); c.vectorOperand(i, t, "the result") && t.Elem != nil {
		e := t.Elem
		if !isWord(e) && (!e.IsFloat() || e.Encoded || e.Width != 16 && e.Width != 32) {
			c.fail(i, "SPV-CooperativeVector-Result", "the components of the result are %s; must be integers of 32 bits or floats of 16 or 32", c.typeName(e))
		}
		if m, ok := c.settled(p.m); ok && lengthOf(t) != 0 && uint64(uint32(m)) != t.Count {
			c.fail(i, "SPV-CooperativeVector-Result", "the result has %d components; the matrix has %d rows", t.Count, uint32(m))
		}
	}
	t := c.m.TypeOf(p.input)
	if !c.vectorOperand(i, t, "the input") || as == nil || !as.Known || as.Spec {
		return
	}
	switch spirv.ComponentType(as.Bits) {
	case spirv.ComponentTypeSignedInt8PackedNV, spirv.ComponentTypeUnsignedInt8PackedNV:
		return
	}
	if k, ok := c.settled(p.k); ok && lengthOf(t) != 0 && uint64(uint32(k)) != t.Count {
		c.fail(i, "SPV-CooperativeVector-Input", "the input has %d components; the matrix has %d columns", t.Count, uint32(k))
	}
}

// vectorMatrixLayout checks the layout operand of a matrix.
func (c *cooperatives) vectorMatrixLayout(i int, id spirv.ID) {
	k := c.wordConstant(i, id, "the layout of the matrix", "SPV-CooperativeVector-Constant")
	if k != nil && k.Known && !k.Spec && spirv.KindCooperativeVectorMatrixLayout.Enumerant(uint32(k.Bits)) == nil {
		c.fail(i, "SPV-CooperativeVector-Layout", "the layout of the matrix is %d; must be a defined layout", k.Bits)
	}
}

func (c *cooperatives) vectorOuterProduct(i int, in spirv.Inst) {
	v := inst.CooperativeVectorOuterProductAccumulateNV(in)
	c.vectorPointer(i, v.Pointer())
	c.vectorOffset(i, v.Offset(), "the offset")
	a, b := c.m.TypeOf(v.A()), c.m.TypeOf(v.B())
	if c.vectorOperand(i, a, "the first vector") && c.vectorOperand(i, b, "the second vector") && a.Elem != b.Elem {
		c.fail(i, "SPV-CooperativeVector-Product", "the outer product of %s and %s; must have the same component type", c.typeName(a), c.typeName(b))
	}
	c.vectorMatrixLayout(i, v.MemoryLayout())
	if t := c.m.TypeOf(v.MatrixInterpretation()); t != nil && !isWord(t) {
		c.fail(i, "SPV-CooperativeVector-Constant", "the interpretation of the matrix is %s; must be an integer of 32 bits", c.typeName(t))
	}
	stride, has := v.MatrixStride()
	c.vectorStride(i, stride, has)
}

func (c *cooperatives) vectorReduceSum(i int, in spirv.Inst) {
	v := inst.CooperativeVectorReduceSumAccumulateNV(in)
	c.vectorPointer(i, v.Pointer())
	c.vectorOffset(i, v.Offset(), "the offset")
	c.vectorOperand(i, c.m.TypeOf(v.V()), "the vector")
}
