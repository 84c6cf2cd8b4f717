package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// cooperativeVulkanFamily judges what Vulkan asks of cooperative matrices and
// vectors beside the extensions of SPIR-V, as far as constants say it.
var cooperativeVulkanFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadKHR_08986, Section: environment, Words: "a constant stride of a cooperative matrix is a multiple of 16 bytes, or of a row or column that is smaller"},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadNV_06324, Section: environment, Words: "a constant stride of NVIDIA's cooperative matrices is a multiple of 16 bytes, or of a row or column that is smaller"},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadTensorNV_12429, Section: environment, Words: "the last size of the layout's block is a multiple of how many elements a function decodes at once"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10090, Section: environment, Words: "a matrix of floats of 8 bits that a vector is multiplied by has a layout for inferencing or training"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10092, Section: environment, Words: "floats of 16 or 32 bits, of which the device sums up such, are summed up in StorageBuffer or PhysicalStorageBuffer", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10093, Section: environment, Words: "outer products are of floats of 16 bits, summed up as floats of 16 or 32 bits, as the device does, in the layout for training, in StorageBuffer or PhysicalStorageBuffer", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxCooperativeVectorComponents_10094, Section: environment, Words: "a cooperative vector has maxCooperativeVectorComponents components at most", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10096, Section: environment, Words: "a constant stride of a matrix that a vector is multiplied by, by rows or by columns, is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10097, Section: environment, Words: "a constant offset of a matrix that a vector is multiplied by is a multiple of 64 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_10098, Section: environment, Words: "a constant offset of a bias is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_10099, Section: environment, Words: "a constant offset of a vector that is loaded or stored is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10100, Section: environment, Words: "a constant offset of a sum is a multiple of 16 bytes"},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10101, Section: environment, Words: "a constant offset of outer products is a multiple of 64 bytes"},
		{Code: vuid.RuntimeSpirv_OpExtractSubArrayQCOM_12354, Section: environment, Words: "a part of an array begins at a multiple of its length"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeVectorIdEXT:                           (*checker).vectorLimit,
		spirv.OpCooperativeMatrixLoadKHR:                  (*checker).matrixStrideLoad,
		spirv.OpCooperativeMatrixStoreKHR:                 (*checker).matrixStrideStore,
		spirv.OpCooperativeMatrixLoadNV:                   (*checker).matrixStrideLoadNV,
		spirv.OpCooperativeMatrixStoreNV:                  (*checker).matrixStrideStoreNV,
		spirv.OpCooperativeMatrixLoadTensorNV:             (*checker).decodedBlock,
		spirv.OpCooperativeVectorLoadNV:                   (*checker).vectorLoadOffset,
		spirv.OpCooperativeVectorStoreNV:                  (*checker).vectorStoreOffset,
		spirv.OpCooperativeVectorMatrixMulNV:              (*checker).vectorProductVulkan,
		spirv.OpCooperativeVectorMatrixMulAddNV:           (*checker).vectorProductVulkan,
		spirv.OpCooperativeVectorOuterProductAccumulateNV: (*checker).outerProductVulkan,
		spirv.OpCooperativeVectorReduceSumAccumulateNV:    (*checker).reduceSumVulkan,
		spirv.OpExtractSubArrayQCOM:                       (*checker).subArrayStart,
	},
}

// multiple judges that a constant is a multiple of so many bytes.
func (c *checker) multiple(i int, code string, id spirv.ID, scale, of int64, what string) {
	if n, ok := c.settled(id); c.vulkan && ok && of > 0 && n >= 0 && n < 1<<32 && n*scale%of != 0 {
		c.fail(i, code, "%s of %s is %d bytes; must be a multiple of %d", what, c.code.Inst(i).Op(), n*scale, of)
	}
}

func (c *checker) vectorLimit(i int, in spirv.Inst) {
	if !c.vulkan || !c.capable(spirv.CapabilityCooperativeVectorNV) {
		return
	}
	const code = vuid.RuntimeSpirv_maxCooperativeVectorComponents_10094
	n, ok := c.settled(inst.TypeVectorIdEXT(in).ComponentCount())
	if !ok {
		return
	}
	if most, known := c.limit(code, "maxCooperativeVectorComponents"); known && uint64(uint32(n)) > most {
		c.fail(i, code, "a vector of %d components; maxCooperativeVectorComponents is %d", uint32(n), most)
	}
}

// matrixStride judges the stride of a matrix in memory, whose rows, or columns
// where it is by columns, lie behind one another.
func (c *checker) matrixStride(i int, code string, t *facts.Type, pointer, stride spirv.ID, byColumn bool) {
	p := pointee(c.pointerOf(pointer))
	if !c.vulkan || !isCooperative(t) || t.Elem == nil || p == nil || !isNumbers(p) {
		return
	}
	s := c.shapeOfMatrix(t)
	along := s.columns
	if byColumn {
		along = s.rows
	}
	n, ok := c.settled(along)
	if ok && n > 0 {
		c.multiple(i, code, stride, int64(p.Scalar().Width/8)*int64(p.Components()), min(16, min(n, 16)*int64(t.Elem.Width/8)), "the stride")
	}
}

// matrixStrideKHR is matrixStride where a layout says how the matrix lies.
func (c *checker) matrixStrideKHR(i int, t *facts.Type, pointer, layout, stride spirv.ID) {
	l, ok := c.settled(layout)
	if !ok || stride == 0 {
		return
	}
	switch l := spirv.CooperativeMatrixLayout(l); l {
	case spirv.CooperativeMatrixLayoutRowMajorKHR, spirv.CooperativeMatrixLayoutColumnMajorKHR:
		c.matrixStride(i, vuid.RuntimeSpirv_OpCooperativeMatrixLoadKHR_08986, t, pointer, stride, l == spirv.CooperativeMatrixLayoutColumnMajorKHR)
	}
}

func (c *checker) matrixStrideLoad(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadKHR(in)
	stride, _ := v.Stride()
	c.matrixStrideKHR(i, c.m.Type(v.Type()), v.Pointer(), v.MemoryLayout(), stride)
}

func (c *checker) matrixStrideStore(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreKHR(in)
	stride, _ := v.Stride()
	c.matrixStrideKHR(i, c.m.TypeOf(v.Object()), v.Pointer(), v.MemoryLayout(), stride)
}

// matrixStrideOf is matrixStride where a Boolean says how the matrix lies.
func (c *checker) matrixStrideOf(i int, t *facts.Type, pointer, stride, columnMajor spirv.ID) {
	if k := c.m.Const(columnMajor); k != nil && k.Known && !k.Spec && k.Type.IsBool() {
		c.matrixStride(i, vuid.RuntimeSpirv_OpCooperativeMatrixLoadNV_06324, t, pointer, stride, k.Bits != 0)
	}
}

func (c *checker) matrixStrideLoadNV(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadNV(in)
	c.matrixStrideOf(i, c.m.Type(v.Type()), v.Pointer(), v.Stride(), v.ColumnMajor())
}

func (c *checker) matrixStrideStoreNV(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreNV(in)
	c.matrixStrideOf(i, c.m.TypeOf(v.Object()), v.Pointer(), v.Stride(), v.ColumnMajor())
}

// layoutSteps is how far back the making of a tensor layout is followed.
const layoutSteps = 64

// decodedBlock judges the block of a layout whose elements a function decodes
// several at a time.
func (c *checker) decodedBlock(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadTensorNV(in)
	if !c.vulkan || v.TensorAddressingOperands()&spirv.TensorAddressingOperandsDecodeVectorFuncMask == 0 {
		return
	}
	words := v.TensorAddressingOperandsWords()
	if len(words) == 0 {
		return
	}
	f := c.m.Function(spirv.ID(words[len(words)-1])) // DecodeVectorFunc is the last bit
	if f == nil || !f.Return.IsVector() || f.Return.Count == 0 {
		return
	}
	block, ok := c.blockSize(v.TensorLayout())
	if n := int64(f.Return.Components()); ok && n > 0 && block%n != 0 {
		c.fail(i, vuid.RuntimeSpirv_OpCooperativeMatrixLoadTensorNV_12429, "%s decodes %d elements at once and the last size of a block is %d; must be a multiple", c.name(f.ID), n, block)
	}
}

// blockSize returns the last size of a layout's block, false where it is not
// known.
func (c *checker) blockSize(layout spirv.ID) (int64, bool) {
	for range layoutSteps {
		d := c.code.DefInst(layout)
		if d == nil {
			return 0, false
		}
		switch d.Op() {
		case spirv.OpCreateTensorLayoutNV:
			return 1, true
		case spirv.OpTensorLayoutSetBlockSizeNV:
			v := inst.TensorLayoutSetBlockSizeNV(d)
			if n := len(v.BlockSize()); n > 0 {
				return c.settled(v.BlockSize()[n-1])
			}
			return 0, false
		case spirv.OpTensorLayoutSetDimensionNV, spirv.OpTensorLayoutSetStrideNV, spirv.OpTensorLayoutSliceNV, spirv.OpTensorLayoutSetClampValueNV:
			layout = inst.TensorLayoutSetDimensionNV(d).TensorLayout()
		default:
			return 0, false
		}
	}
	return 0, false
}

func (c *checker) vectorLoadOffset(i int, in spirv.Inst) {
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_10099, inst.CooperativeVectorLoadNV(in).Offset(), 1, 16, "the offset")
}

func (c *checker) vectorStoreOffset(i int, in spirv.Inst) {
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_10099, inst.CooperativeVectorStoreNV(in).Offset(), 1, 16, "the offset")
}

// vectorProductVulkan judges the product of a matrix and a vector.
func (c *checker) vectorProductVulkan(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	p := productOf(in)
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10097, p.offset, 1, 64, "the offset of the matrix")
	if in.Op() == spirv.OpCooperativeVectorMatrixMulAddNV {
		c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_10098, inst.CooperativeVectorMatrixMulAddNV(in).BiasOffset(), 1, 16, "the offset of the bias")
	}
	l, ok := c.settled(p.layout)
	if !ok {
		return
	}
	switch l := spirv.CooperativeVectorMatrixLayout(l); l {
	case spirv.CooperativeVectorMatrixLayoutInferencingOptimalNV, spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV:
		return
	default:
		as, known := c.settled(p.matrixAs)
		if e := spirv.ComponentType(as); known && (e == spirv.ComponentTypeFloatE4M3NV || e == spirv.ComponentTypeFloatE5M2NV) {
			c.fail(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10090, "the matrix of %s has the layout %s; must have InferencingOptimalNV or TrainingOptimalNV", e, l)
		}
	}
	if p.strided {
		c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10096, p.stride, 1, 16, "the stride")
	}
}

// device reports whether anything is known of the device, and notes where not
// that the rule was not judged.
func (c *checker) device(code string) bool {
	if c.env.Device == nil {
		c.unknown(code)
	}
	return c.env.Device != nil
}

// trains judges the floats that are summed up, and where.
func (c *checker) trains(i int, code string, pointer spirv.ID, width uint32) {
	if p := c.pointerOf(pointer); p != nil && p.Storage != spirv.StorageClassStorageBuffer && p.Storage != spirv.StorageClassPhysicalStorageBuffer {
		c.fail(i, code, "%s points to %s; must point to StorageBuffer or PhysicalStorageBuffer", c.name(pointer), p.Storage)
	}
	property := "cooperativeVectorTrainingFloat32Accumulation"
	if width == 16 {
		property = "cooperativeVectorTrainingFloat16Accumulation"
	}
	if on, known := c.limit(code, property); known && on == 0 {
		c.fail(i, code, "floats of %d bits are summed up; needs %s", width, property)
	}
}

func (c *checker) reduceSumVulkan(i int, in spirv.Inst) {
	v := inst.CooperativeVectorReduceSumAccumulateNV(in)
	const code = vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10092
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10100, v.Offset(), 1, 16, "the offset")
	t := c.m.TypeOf(v.V())
	if !c.vulkan || !c.device(code) || t == nil || t.Elem == nil {
		return
	}
	e := t.Elem
	if !e.IsFloat() || e.Encoded || e.Width != 16 && e.Width != 32 {
		c.fail(i, code, "%s of %s; must be of floats of 16 or 32 bits", in.Op(), c.typeName(e))
		return
	}
	c.trains(i, code, v.Pointer(), e.Width)
}

func (c *checker) outerProductVulkan(i int, in spirv.Inst) {
	v := inst.CooperativeVectorOuterProductAccumulateNV(in)
	const code = vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10093
	c.multiple(i, vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10101, v.Offset(), 1, 64, "the offset")
	if !c.vulkan || !c.device(code) {
		return
	}
	for _, id := range [...]spirv.ID{v.A(), v.B()} {
		if t := c.m.TypeOf(id); t != nil && t.Elem != nil && (!t.Elem.IsFloat() || t.Elem.Encoded || t.Elem.Width != 16) {
			c.fail(i, code, "%s of %s; must be of floats of 16 bits", in.Op(), c.typeName(t.Elem))
			break
		}
	}
	if l, ok := c.settled(v.MemoryLayout()); ok && spirv.CooperativeVectorMatrixLayout(l) != spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV {
		c.fail(i, code, "the layout is %s; must be TrainingOptimalNV", spirv.CooperativeVectorMatrixLayout(l))
	}
	width := uint32(32)
	switch as, ok := c.settled(v.MatrixInterpretation()); {
	case !ok:
		return
	case spirv.ComponentType(as) == spirv.ComponentTypeFloat16NV:
		width = 16
	case spirv.ComponentType(as) != spirv.ComponentTypeFloat32NV:
		c.fail(i, code, "the matrix is of %s; must be of Float16NV or Float32NV", spirv.ComponentType(as))
		return
	}
	c.trains(i, code, v.Pointer(), width)
}

// subArrayStart judges where a part of an array begins.
func (c *checker) subArrayStart(i int, in spirv.Inst) {
	v := inst.ExtractSubArrayQCOM(in)
	t := c.m.Type(v.Type())
	if !c.vulkan || t == nil || t.Op != spirv.OpTypeArray {
		return
	}
	n := arrayLength(t)
	if at, ok := c.settled(v.Index()); ok && n > 0 && n < 1<<32 && at%int64(n) != 0 {
		c.fail(i, vuid.RuntimeSpirv_OpExtractSubArrayQCOM_12354, "a part of %d elements begins at %d; must begin at a multiple", n, at)
	}
}
