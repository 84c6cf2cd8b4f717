package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeCooperativeFamily checks cooperative matrices and vectors against the
// properties of a device, and the alignment of constant offsets and strides in
// memory (Vulkan, Runtime SPIR-V Validation).
var runtimeCooperativeFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_maxCooperativeVectorComponents_10094, Section: runtimeSection, Words: "a cooperative vector has at most maxCooperativeVectorComponents components", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensionsMaxDimension_10167, Section: runtimeSection, Words: "a cooperative matrix has at most cooperativeMatrixFlexibleDimensionsMaxDimension rows and columns", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpExtractSubArrayQCOM_12354, Section: runtimeSection, Words: "the index of OpExtractSubArrayQCOM is a multiple of the length of its result"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10090, Section: runtimeSection, Words: "a matrix of 8-bit floats in a product with a cooperative vector has an optimal layout"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10092, Section: runtimeSection, Words: "OpCooperativeVectorReduceSumAccumulateNV sums 16-bit or 32-bit floats, as the device supports, into a storage buffer", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10093, Section: runtimeSection, Words: "OpCooperativeVectorOuterProductAccumulateNV multiplies 16-bit floats to a matrix of 16 or 32 bits, as the device supports, in the training-optimal layout in a storage buffer", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10096, Section: runtimeSection, Words: "the stride of a matrix without an optimal layout, in a product with a cooperative vector, is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10097, Section: runtimeSection, Words: "the offset of a matrix in a product with a cooperative vector is a multiple of 64 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_10098, Section: runtimeSection, Words: "the offset of the bias of a cooperative vector is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_10099, Section: runtimeSection, Words: "the offset of a cooperative vector in memory is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10100, Section: runtimeSection, Words: "the offset of OpCooperativeVectorReduceSumAccumulateNV is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10101, Section: runtimeSection, Words: "the offset of OpCooperativeVectorOuterProductAccumulateNV is a multiple of 64 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadNV_06324, Section: runtimeSection, Words: "the stride of NVIDIA's cooperative matrix in memory is a multiple of 16 bytes, or of the size of a row or column if this is less"},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadKHR_08986, Section: runtimeSection, Words: "the stride of a cooperative matrix in memory is a multiple of 16 bytes, or of the size of a row or column if this is less"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeVectorIdEXT:                           cooperativeJudge((*cooperatives).cooperativeVectorType),
		spirv.OpTypeCooperativeMatrixKHR:                  cooperativeJudge((*cooperatives).cooperativeDimensions),
		spirv.OpExtractSubArrayQCOM:                       cooperativeJudge((*cooperatives).extractSubArray),
		spirv.OpCooperativeVectorMatrixMulNV:              cooperativeJudge((*cooperatives).vectorMatrixMul),
		spirv.OpCooperativeVectorMatrixMulAddNV:           cooperativeJudge((*cooperatives).vectorMatrixMulAdd),
		spirv.OpCooperativeVectorLoadNV:                   cooperativeJudge((*cooperatives).vectorInMemory),
		spirv.OpCooperativeVectorStoreNV:                  cooperativeJudge((*cooperatives).vectorInMemory),
		spirv.OpCooperativeVectorReduceSumAccumulateNV:    cooperativeJudge((*cooperatives).vectorReduce),
		spirv.OpCooperativeVectorOuterProductAccumulateNV: cooperativeJudge((*cooperatives).vectorProduct),
		spirv.OpCooperativeMatrixLoadKHR:                  cooperativeJudge((*cooperatives).matrixStride),
		spirv.OpCooperativeMatrixStoreKHR:                 cooperativeJudge((*cooperatives).matrixStride),
		spirv.OpCooperativeMatrixLoadNV:                   cooperativeJudge((*cooperatives).matrixStride),
		spirv.OpCooperativeMatrixStoreNV:                  cooperativeJudge((*cooperatives).matrixStride),
	},
}

// whole returns the value of an integer constant that does not depend on
// specialization.
func (c *subject) whole(id spirv.ID) (uint64, bool) {
	k := c.m.Const(id)
	if k == nil || !k.Known || k.Undef || k.Spec || !k.Type.IsInt() {
		return 0, false
	}
	return k.Bits, true
}

// multiple checks that a constant is a multiple; other values are for the run.
func (c *cooperatives) multiple(i int, code, what string, id spirv.ID, of uint64) {
	if n, ok := c.whole(id); c.vulkan && ok && of > 0 && n%of != 0 {
		c.fail(i, code, "%s is %d; must be a multiple of %d", what, n, of)
	}
}

func (c *cooperatives) cooperativeVectorType(i int, in spirv.Inst) {
	if t := c.m.Type(in.Result()); c.vulkan && t != nil && c.capable(spirv.CapabilityCooperativeVectorNV) {
		c.atMost(i, vuid.RuntimeSpirv_maxCooperativeVectorComponents_10094, "maxCooperativeVectorComponents", "the number of components", t.Count)
	}
}

func (c *cooperatives) cooperativeDimensions(i int, in spirv.Inst) {
	const code, limit = vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensionsMaxDimension_10167, "cooperativeMatrixFlexibleDimensionsMaxDimension"
	v := inst.TypeCooperativeMatrixKHR(in)
	rows, ok := c.whole(v.Rows())
	columns, ok2 := c.whole(v.Columns())
	if c.vulkan && ok && ok2 {
		c.atMost(i, code, limit, "the larger dimension of the matrix", max(rows, columns))
	}
}

func (c *cooperatives) extractSubArray(i int, in spirv.Inst) {
	v := inst.ExtractSubArrayQCOM(in)
	if t := c.m.Type(v.Type()); t.IsArray() {
		c.multiple(i, vuid.RuntimeSpirv_OpExtractSubArrayQCOM_12354, "the index", v.Index(), t.Count)
	}
}

// matrixInMemory is the operands of a multiplication by a matrix in memory.
type matrixInMemory struct {
	offset, interpretation, layout, stride spirv.ID
}

func (c *cooperatives) vectorMatrixMul(i int, in spirv.Inst) {
	v := inst.CooperativeVectorMatrixMulNV(in)
	stride, _ := v.MatrixStride()
	c.matrixMul(i, matrixInMemory{v.MatrixOffset(), v.MatrixInterpretation(), v.MemoryLayout(), stride})
}

func (c *cooperatives) vectorMatrixMulAdd(i int, in spirv.Inst) {
	v := inst.CooperativeVectorMatrixMulAddNV(in)
	stride, _ := v.MatrixStride()
	c.matrixMul(i, matrixInMemory{v.MatrixOffset(), v.MatrixInterpretation(), v.MemoryLayout(), stride})
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_10098, "the offset of the bias", v.BiasOffset(), 16)
}

// matrixMul checks the place and the layout of a matrix in memory.
func (c *cooperatives) matrixMul(i int, m matrixInMemory) {
	if !c.vulkan {
		return
	}
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10097, "the offset of the matrix", m.offset, 64)
	layout, ok := c.whole(m.layout)
	if !ok || layout == uint64(spirv.CooperativeVectorMatrixLayoutInferencingOptimalNV) || layout == uint64(spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV) {
		return
	}
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10096, "the stride of the matrix", m.stride, 16)
	switch n, ok := c.whole(m.interpretation); {
	case !ok:
	case n == uint64(spirv.ComponentTypeFloatE4M3NV), n == uint64(spirv.ComponentTypeFloatE5M2NV):
		c.fail(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10090, "a matrix of %s in the layout %s; must be in InferencingOptimalNV or TrainingOptimalNV",
			spirv.ComponentType(n), spirv.CooperativeVectorMatrixLayout(layout))
	}
}

func (c *cooperatives) vectorInMemory(i int, in spirv.Inst) {
	offset := inst.CooperativeVectorStoreNV(in).Offset()
	if in.Op() == spirv.OpCooperativeVectorLoadNV {
		offset = inst.CooperativeVectorLoadNV(in).Offset()
	}
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_10099, "the offset", offset, 16)
}

// accumulates checks a sum that is made in memory: the pointer, and whether the
// device sums floats of a width.
func (c *cooperatives) accumulates(i int, code string, pointer spirv.ID, width uint32) {
	if p := c.pointerOf(pointer); p != nil && p.Storage != spirv.StorageClassStorageBuffer && p.Storage != spirv.StorageClassPhysicalStorageBuffer {
		c.fail(i, code, "the pointer is into %s; must be into StorageBuffer or PhysicalStorageBuffer", p.Storage)
		return
	}
	name := "cooperativeVectorTrainingFloat" + itoa(uint64(width)) + "Accumulation"
	if has, ok := c.limit(code, name); ok && has == 0 {
		c.fail(i, code, "a sum of floats of %d bits on a device without %s; must have it", width, name)
	}
}

func (c *cooperatives) vectorReduce(i int, in spirv.Inst) {
	const code = vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10092
	v := inst.CooperativeVectorReduceSumAccumulateNV(in)
	t := c.m.TypeOf(v.V())
	if !c.vulkan || t == nil || t.Elem == nil {
		return
	}
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10100, "the offset", v.Offset(), 16)
	if e := t.Elem; !e.IsFloat() || e.Encoded || e.Width != 16 && e.Width != 32 {
		c.fail(i, code, "a sum of %s; must be of floats of 16 or 32 bits", c.typeName(e))
		return
	}
	c.accumulates(i, code, v.Pointer(), t.Elem.Width)
}

func (c *cooperatives) vectorProduct(i int, in spirv.Inst) {
	const code = vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10093
	if !c.vulkan {
		return
	}
	v := inst.CooperativeVectorOuterProductAccumulateNV(in)
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10101, "the offset", v.Offset(), 64)
	for _, id := range [...]spirv.ID{v.A(), v.B()} {
		if t := c.m.TypeOf(id); t != nil && t.Elem != nil && !(t.Elem.IsFloat() && t.Elem.Width == 16 && !t.Elem.Encoded) {
			c.fail(i, code, "the operand %s is %s; must be of floats of 16 bits", c.name(id), c.typeName(t))
			return
		}
	}
	if layout, ok := c.whole(v.MemoryLayout()); ok && layout != uint64(spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV) {
		c.fail(i, code, "the layout is %s; must be TrainingOptimalNV", spirv.CooperativeVectorMatrixLayout(layout)).warn() // SPIR-V itself allows it
		return
	}
	switch n, ok := c.whole(v.MatrixInterpretation()); {
	case !ok:
	case n == uint64(spirv.ComponentTypeFloat16NV):
		c.accumulates(i, code, v.Pointer(), 16)
	case n == uint64(spirv.ComponentTypeFloat32NV):
		c.accumulates(i, code, v.Pointer(), 32)
	default:
		c.fail(i, code, "the matrix is of %s; must be of Float16NV or Float32NV", spirv.ComponentType(n))
	}
}

// matrixStride checks the stride of a cooperative matrix in memory, counted in units of
// the pointee of the pointer.
func (c *cooperatives) matrixStride(i int, in spirv.Inst) {
	var pointer, stride, layout spirv.ID
	code, t := vuid.RuntimeSpirv_OpCooperativeMatrixLoadKHR_08986, c.m.Type(in.Type())
	switch in.Op() {
	case spirv.OpCooperativeMatrixLoadKHR:
		v := inst.CooperativeMatrixLoadKHR(in)
		pointer, layout = v.Pointer(), v.MemoryLayout()
		stride, _ = v.Stride()
	case spirv.OpCooperativeMatrixStoreKHR:
		v := inst.CooperativeMatrixStoreKHR(in)
		pointer, layout, t = v.Pointer(), v.MemoryLayout(), c.m.TypeOf(v.Object())
		stride, _ = v.Stride()
	case spirv.OpCooperativeMatrixLoadNV:
		v := inst.CooperativeMatrixLoadNV(in)
		pointer, stride, layout, code = v.Pointer(), v.Stride(), v.ColumnMajor(), vuid.RuntimeSpirv_OpCooperativeMatrixLoadNV_06324
	default:
		v := inst.CooperativeMatrixStoreNV(in)
		pointer, stride, layout, t, code = v.Pointer(), v.Stride(), v.ColumnMajor(), c.m.TypeOf(v.Object()), vuid.RuntimeSpirv_OpCooperativeMatrixLoadNV_06324
	}
	p := c.pointerOf(pointer)
	if !c.vulkan || t == nil || t.Elem == nil || p == nil || p.Elem == nil || p.Elem.Scalar() == nil {
		return
	}
	n, ok := c.whole(stride)
	line, ok2 := c.lineBytes(t, layout)
	if !ok || !ok2 {
		return
	}
	least := min(line, 16)
	if bytes := saturate(n) * p.Elem.Size(0, false); least&(least-1) == 0 && bytes%least != 0 {
		c.fail(i, code, "the stride is %d bytes; must be a multiple of %d", bytes, least)
	}
}

// lineBytes returns the number of bytes of a row of a cooperative matrix, or of a
// column if the layout is column-major.
func (c *cooperatives) lineBytes(t *facts.Type, layout spirv.ID) (uint64, bool) {
	k := c.m.Const(layout)
	matrix := t.Op == spirv.OpTypeCooperativeMatrixKHR || t.Op == spirv.OpTypeCooperativeMatrixNV
	if !matrix || k == nil || !k.Known || k.Bits > uint64(spirv.CooperativeMatrixLayoutColumnMajorKHR) {
		return 0, false
	}
	v := inst.TypeCooperativeMatrixKHR(c.code.Inst(t.Index)) // NVIDIA's has the same first operands
	id := v.Columns()
	if k.Bits == uint64(spirv.CooperativeMatrixLayoutColumnMajorKHR) {
		id = v.Rows()
	}
	n, ok := c.whole(id)
	return saturate(n) * uint64(t.Elem.Width/8), ok && n > 0 && t.Elem.Width >= 8
}
