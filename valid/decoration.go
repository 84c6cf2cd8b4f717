package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// decorationFamily checks decorations against their targets (SPIR-V §3.2.20): the
// kind of the target, its storage class, and the operands of the decoration.
//
// annotation.go calls target and memberTarget for every target, directly
// decorated or through a group; decorated.go checks combinations. Built-ins,
// interpolation, locations and block layout have families of their own.
var decorationFamily = family{
	rules: []Rule{
		{Code: "SPV-Decoration-SpecId", Section: "SPIR-V 3.2.20", Words: "SpecId is on a scalar specialization constant"},
		{Code: "SPV-Decoration-Struct", Section: "SPIR-V 3.2.20", Words: "Block, BufferBlock, GLSLShared, GLSLPacked and CPacked are on struct types"},
		{Code: "SPV-Decoration-ArrayStride", Section: "SPIR-V 3.2.20", Words: "ArrayStride is on an array or pointer type, and is not 0"},
		{Code: "SPV-Decoration-BuiltIn", Section: "SPIR-V 3.2.20", Words: "BuiltIn is on a variable, a member of a struct or a constant; WorkgroupSize is on a constant unless the module is of kernels, and in Vulkan a subgroup built-in is on a variable"},
		{Code: "SPV-Decoration-MemoryObject", Section: "SPIR-V 3.2.20", Words: "a decoration of memory is on a variable or a parameter that is a pointer; ExplicitInterpAMD is on one into Input or Output"},
		{Code: "SPV-Decoration-Variable", Section: "SPIR-V 3.2.20", Words: "a decoration of an interface is on a variable"},
		{Code: "SPV-Decoration-MemberOnly", Section: "SPIR-V 3.2.20", Words: "RowMajor, ColMajor, MatrixStride and PayloadDispatchIndirectAMDX are on members of structs; Offset is on one or on a variable"},
		{Code: "SPV-Decoration-NotMember", Section: "SPIR-V 3.2.20", Words: "a decoration of a whole object is on no member"},
		{Code: "SPV-Decoration-Twice", Section: "SPIR-V 2.16.1", Words: "a target has each decoration at most once, except for the decorations that may repeat"},
		{Code: "SPV-Decoration-Exclusive", Section: "SPIR-V 3.2.20", Words: "Block excludes BufferBlock, Restrict Aliased, RestrictPointer AliasedPointer, RowMajor ColMajor, NoContraction FPFastMathMode, Offset OffsetIdEXT, ArrayStride ArrayStrideIdEXT"},
		{Code: "SPV-Decoration-FastMath", Section: "SPIR-V 3.2.15", Words: "AllowTransform requires AllowContract and AllowReassoc"},
		{Code: "SPV-Decoration-Wrap", Section: "SPIR-V 3.2.20", Words: "NoSignedWrap and NoUnsignedWrap are on integer instructions that can wrap"},
		{Code: "SPV-Decoration-Rounding", Section: "SPIR-V 3.2.20", Words: "in a shader, FPRoundingMode is on a conversion between float widths, and its result is only stored; in a kernel it is on a conversion from or to floats"},
		{Code: "SPV-Decoration-Value", Section: "SPIR-V 3.2.20", Words: "RelaxedPrecision and NonUniform are on no type; NoContraction is on an arithmetic instruction"},
		{Code: "SPV-Decoration-Semantic", Section: "SPIR-V, SPV_GOOGLE_hlsl_functionality1", Words: "UserSemantic of HLSL is on a variable or a member, and the counter of a CounterBuffer is a variable"},
		{Code: "SPV-Decoration-TileImage", Section: "SPIR-V, SPV_EXT_shader_tile_image", Words: "no variable in TileImageEXT is Coherent if NonCoherentColorAttachmentReadEXT is declared"},
		{Code: "SPV-Decoration-UTF", Section: "SPIR-V, SPV_KHR_constant_data", Words: "UTFEncodedKHR is on an array of 8-bit integers"},
		{Code: "SPV-Decoration-FloatMath", Section: "SPIR-V 3.2.20", Words: "FPFastMathMode is on an instruction with float operands or a float result"},
		{Code: "SPV-Decoration-Uniform", Section: "SPIR-V 3.2.20", Words: "Uniform and UniformId are on values"},
		{Code: "SPV-Decoration-NonWritable", Section: "SPIR-V 3.2.20", Words: "NonWritable and NonReadable are on storage images, buffers and tensors; from SPIR-V 1.4 on, NonWritable is also on variables of Function and Private"},
		{Code: "SPV-Decoration-Component", Section: "SPIR-V 3.2.20", Words: "Component is on a variable of Input or Output"},
		{Code: "SPV-Decoration-Index", Section: "Vulkan, Fragment Output Interface", Words: "in Vulkan, Index is on a variable of Output, of a fragment shader, and is 0 or 1", Need: NeedVulkan},
		{Code: "SPV-Decoration-Coherent", Section: "SPIR-V 3.2.20", Words: "Coherent and Volatile are not used with the Vulkan memory model"},
		{Code: "SPV-Decoration-Import", Section: "SPIR-V 2.15", Words: "an imported variable has no initializer"},
		{Code: "SPV-Decoration-BlockNested", Section: "SPIR-V 2.16.2", Words: "no Block or BufferBlock contains another"},
		{Code: "SPV-Decoration-BlockArray", Section: "SPIR-V 2.16.2", Words: "an array of Blocks or BufferBlocks has no ArrayStride"},
		{Code: vuid.StandaloneSpirv_GLSLShared_04669, Section: environment, Words: "GLSLShared and GLSLPacked are not used"},
		{Code: vuid.StandaloneSpirv_FPRoundingMode_04675, Section: environment, Words: "FPRoundingMode is to the nearest even or towards zero"},
	},
	after: []func(*checker){(*checker).decorationsDiffer},
}

// target checks a decoration of an id.
func (c *checker) target(i int, id spirv.ID, kind spirv.Decoration, words []uint32) {
	d := c.code.DefInst(id)
	if d == nil {
		return
	}
	op := d.Op()
	c.namedTarget(i, id, d, kind)
	c.targetOfOperand(i, id, d, kind, words)
	c.namedStorage(i, id, d, kind)
	switch kind {
	case spirv.DecorationSpecId:
		switch op {
		case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant, spirv.OpSpecConstantDataKHR:
		default:
			c.fail(i, "SPV-Decoration-SpecId", "SpecId on %s, the result of %s; must be on OpSpecConstantTrue, OpSpecConstantFalse or OpSpecConstant", c.name(id), op)
		}
	case spirv.DecorationBlock, spirv.DecorationBufferBlock, spirv.DecorationGLSLShared, spirv.DecorationGLSLPacked, spirv.DecorationCPacked:
		if op != spirv.OpTypeStruct {
			c.fail(i, "SPV-Decoration-Struct", "%s on %s, the result of %s; must be on a struct type", kind, c.name(id), op)
		}
	case spirv.DecorationArrayStride:
		c.arrayStride(i, id, op, words)
	case spirv.DecorationBuiltIn:
		c.builtInTarget(i, id, op, words)
	case spirv.DecorationOffset: // of transform feedback, it is also on a variable
		if op != spirv.OpVariable && op != spirv.OpUntypedVariableKHR {
			c.fail(i, "SPV-Decoration-MemberOnly", "Offset on %s, the result of %s; must be on a member of a struct or a variable", c.name(id), op)
		}
	case spirv.DecorationRowMajor, spirv.DecorationColMajor, spirv.DecorationMatrixStride:
		c.fail(i, "SPV-Decoration-MemberOnly", "%s on %s; must be on a member of a struct", kind, c.name(id))
	case spirv.DecorationNoPerspective, spirv.DecorationFlat, spirv.DecorationPatch, spirv.DecorationCentroid, spirv.DecorationSample,
		spirv.DecorationRestrict, spirv.DecorationAliased, spirv.DecorationVolatile, spirv.DecorationCoherent,
		spirv.DecorationNonWritable, spirv.DecorationNonReadable, spirv.DecorationXfbBuffer, spirv.DecorationXfbStride,
		spirv.DecorationComponent, spirv.DecorationStream, spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer,
		spirv.DecorationPerPrimitiveEXT, spirv.DecorationPerVertexKHR, spirv.DecorationPerViewNV, spirv.DecorationPerTaskNV,
		spirv.DecorationExplicitInterpAMD:
		c.memoryObject(i, id, d, kind)
		if kind == spirv.DecorationCoherent {
			c.coherentTile(i, id)
		}
	case spirv.DecorationInvariant, spirv.DecorationConstant, spirv.DecorationLocation, spirv.DecorationBinding,
		spirv.DecorationDescriptorSet, spirv.DecorationInputAttachmentIndex:
		switch {
		case op == spirv.OpVariable, op == spirv.OpUntypedVariableKHR:
		case kind == spirv.DecorationConstant && c.capable(spirv.CapabilityKernel) && op == spirv.OpFunctionParameter && c.m.TypeOf(id).IsPointer():
			c.fail(i, "SPV-Decoration-Variable", "Constant on the parameter %s; must be on a variable", c.name(id)).warn() // of kernels: docs/differences.md
		default:
			c.fail(i, "SPV-Decoration-Variable", "%s on %s, the result of %s; must be on a variable", kind, c.name(id), op)
		}
	case spirv.DecorationIndex:
		c.blendIndex(i, id, op, words)
	case spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap:
		if !c.wraps(kind, d) {
			c.fail(i, "SPV-Decoration-Wrap", "%s on the result of %s; must be on an integer instruction that can wrap", kind, op)
		}
	case spirv.DecorationNoContraction:
		c.noContraction(i, id, d)
	case spirv.DecorationRelaxedPrecision, spirv.DecorationNonUniform:
		if isType(op) || op == spirv.OpLabel || op == spirv.OpFunction && kind != spirv.DecorationRelaxedPrecision {
			c.fail(i, "SPV-Decoration-Value", "%s on %s, the result of %s; must be on a value", kind, c.name(id), op)
		}
	case spirv.DecorationUniform, spirv.DecorationUniformId:
		if t := c.m.TypeOf(id); !op.HasType() || t.IsVoid() {
			c.fail(i, "SPV-Decoration-Uniform", "%s on %s, the result of %s, which is no value; must be on a value", kind, c.name(id), op)
		}
	case spirv.DecorationUserSemantic:
		if v := c.m.Variable(id); c.m.Extension("SPV_GOOGLE_hlsl_functionality1") && v == nil {
			c.fail(i, "SPV-Decoration-Semantic", "UserSemantic on %s; must be on a variable", c.name(id))
		}
	case spirv.DecorationCounterBuffer:
		if len(words) > 0 && c.m.Variable(spirv.ID(words[0])) == nil && c.code.Def(spirv.ID(words[0])) >= 0 {
			c.fail(i, "SPV-Decoration-Semantic", "the counter of %s is %s; must be a variable", c.name(id), c.name(spirv.ID(words[0])))
		}
	case spirv.DecorationUTFEncodedKHR:
		if t := c.m.Type(id); t == nil || !t.IsArray() || t.Elem != nil && (!t.Elem.IsInt() || t.Elem.Width != 8) {
			c.fail(i, "SPV-Decoration-UTF", "UTFEncodedKHR on %s; must be on an array of 8-bit integers", c.name(id))
		}
	case spirv.DecorationCooperativeMatrixTransposeEXT:
		c.transposedTarget(i, id, d)
	case spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT:
		c.saturatedTarget(i, id, d)
	case spirv.DecorationFPRoundingMode:
		c.roundingMode(i, id, d)
	case spirv.DecorationFPFastMathMode:
		c.fastMathMode(i, words)
		c.floatMath(i, id, d)
	case spirv.DecorationLinkageAttributes:
		c.imported(i, id, words)
	case spirv.DecorationNodeMaxPayloadsAMDX, spirv.DecorationNodeSharesPayloadLimitsWithAMDX, spirv.DecorationPayloadNodeNameAMDX,
		spirv.DecorationPayloadNodeBaseIndexAMDX, spirv.DecorationPayloadNodeSparseArrayAMDX, spirv.DecorationPayloadNodeArraySizeAMDX,
		spirv.DecorationTrackFinishWritingAMDX:
		c.payloadDecoration(i, id, kind, words)
	case spirv.DecorationPayloadDispatchIndirectAMDX:
		c.fail(i, "SPV-Decoration-MemberOnly", "%s on %s; must be on a member of a struct", kind, c.name(id))
	}
}

// blendIndex checks Index: the input of the blending unit for an output.
func (c *checker) blendIndex(i int, id spirv.ID, op spirv.Op, words []uint32) {
	if v := c.m.Variable(id); v == nil {
		c.fail(i, "SPV-Decoration-Variable", "Index on %s, the result of %s; must be on a variable", c.name(id), op)
	} else if c.vulkan && v.Storage != spirv.StorageClassOutput {
		c.fail(i, "SPV-Decoration-Index", "Index on %s in %s; must be on a variable in Output", c.name(id), v.Storage).also(c, v.Index, "the variable")
	} else if c.vulkan && len(words) > 0 && words[0] > 1 {
		c.fail(i, "SPV-Decoration-Index", "Index %d on %s; the blending unit has the inputs 0 and 1", words[0], c.name(id)).warn()
	}
}

// noContraction checks the target of NoContraction. An id that no instruction computes is an error. An integer, or the
// result of an instruction that is not arithmetic, is a warning: compilers decorate all values of a precise expression.
func (c *checker) noContraction(i int, id spirv.ID, d spirv.Inst) {
	op := d.Op()
	if op == spirv.OpSpecConstantOp && len(d) > 3 {
		op = spirv.Op(d[3])
	}
	computed := op.HasType() && op.Class() != spirv.ClassConstantCreation
	switch op {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter, spirv.OpFunction, spirv.OpUndef:
		computed = false
	case spirv.OpExtInst:
		return // most extended instructions are arithmetic
	}
	t := c.m.TypeOf(id)
	switch {
	case !computed:
		c.fail(i, "SPV-Decoration-Value", "NoContraction on %s, the result of %s; must be on an arithmetic instruction", c.name(id), op)
	case op.Class() != spirv.ClassArithmetic:
		c.fail(i, "SPV-Decoration-Value", "NoContraction on %s, the result of %s, which is not arithmetic; must be on an arithmetic instruction", c.name(id), op).warn()
	case t != nil && t.Scalar() != nil && t.Scalar().IsInt():
		c.fail(i, "SPV-Decoration-Value", "NoContraction on %s, the result of %s on integers; must be on arithmetic of floats", c.name(id), op).warn()
	}
}

// coherentTile checks Coherent on a tile image.
func (c *checker) coherentTile(i int, id spirv.ID) {
	v := c.m.Variable(id)
	if v == nil || v.Storage != spirv.StorageClassTileImageEXT {
		return
	}
	if c.tileMode == nil {
		c.tileMode = &facts.Mode{Index: -1}
		for k := range c.m.EntryPoints {
			if m, ok := c.m.EntryPoints[k].Mode(spirv.ExecutionModeNonCoherentColorAttachmentReadEXT); ok {
				c.tileMode = &m
				break
			}
		}
	}
	if at := c.tileMode.Index; at >= 0 {
		c.fail(i, "SPV-Decoration-TileImage", "Coherent on the tile image %s with NonCoherentColorAttachmentReadEXT; must not have both", c.name(id)).also(c, at, "the mode")
	}
}

// vulkanDecoration checks the decorations that Vulkan restricts, on any target: a
// group counts even if nothing has its decorations.
func (c *checker) vulkanDecoration(i int, kind spirv.Decoration, words []uint32) {
	if !c.vulkan {
		return
	}
	switch kind {
	case spirv.DecorationGLSLShared, spirv.DecorationGLSLPacked:
		c.fail(i, vuid.StandaloneSpirv_GLSLShared_04669, "%s; must not be used in Vulkan", kind)
	case spirv.DecorationFPRoundingMode:
		if len(words) == 0 {
			return
		}
		if m := spirv.FPRoundingMode(words[0]); m != spirv.FPRoundingModeRTE && m != spirv.FPRoundingModeRTZ {
			c.fail(i, vuid.StandaloneSpirv_FPRoundingMode_04675, "FPRoundingMode %s; must be RTE or RTZ in Vulkan", m)
		}
	}
}

// arrayStride checks ArrayStride.
func (c *checker) arrayStride(i int, id spirv.ID, op spirv.Op, words []uint32) {
	switch op {
	case spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR:
	default:
		c.fail(i, "SPV-Decoration-ArrayStride", "ArrayStride on %s, the result of %s; must be on an array or pointer type", c.name(id), op)
		return
	}
	if len(words) > 0 && words[0] == 0 && op != spirv.OpTypePointer && op != spirv.OpTypeUntypedPointerKHR {
		c.fail(i, "SPV-Decoration-ArrayStride", "ArrayStride is 0; must be above 0")
	}
	t := c.m.Type(id)
	if !t.IsArray() {
		return
	}
	for t.IsArray() {
		t = t.Elem
	}
	if t.IsStruct() && c.isBlock(t) {
		c.fail(i, "SPV-Decoration-BlockArray", "ArrayStride on an array of the block %s; must have none", c.name(t.ID)).also(c, t.Index, "the block")
	}
}

// isBlock reports whether a struct is decorated Block or BufferBlock.
func (c *checker) isBlock(t *facts.Type) bool {
	return c.m.Has(t.ID, spirv.DecorationBlock) || c.m.Has(t.ID, spirv.DecorationBufferBlock)
}

// builtInTarget checks the target of BuiltIn.
func (c *checker) builtInTarget(i int, id spirv.ID, op spirv.Op, words []uint32) {
	size := len(words) > 0 && spirv.BuiltIn(words[0]) == spirv.BuiltInWorkgroupSize
	switch {
	case op == spirv.OpVariable || op == spirv.OpUntypedVariableKHR:
		if size && !c.vulkan && !c.capable(spirv.CapabilityKernel) { // Vulkan has a rule of its own, which permits it with TileShadingRateQCOM; OpenCL's is a variable
			c.fail(i, "SPV-Decoration-BuiltIn", "WorkgroupSize on the variable %s; must be on a constant", c.name(id))
		}
	case constantDef(op):
		if !size {
			c.fail(i, "SPV-Decoration-BuiltIn", "BuiltIn %s on the constant %s; must be on a variable or a member", spirv.BuiltIn(words[0]), c.name(id))
		}
	default:
		c.fail(i, "SPV-Decoration-BuiltIn", "BuiltIn on %s, the result of %s; must be on a variable, a member or a constant", c.name(id), op)
	}
}

// memoryObject checks a decoration of a variable or a parameter.
func (c *checker) memoryObject(i int, id spirv.ID, d spirv.Inst, kind spirv.Decoration) {
	switch d.Op() {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter:
	case spirv.OpRawAccessChainNV:
		return
	case spirv.OpBufferPointerEXT:
		if t := c.m.Type(d.Type()); kind == spirv.DecorationNonWritable && t.IsPointer() && t.Storage != spirv.StorageClassStorageBuffer {
			c.fail(i, "SPV-Heap-NonWritable", "NonWritable on %s, a pointer into %s; must be into StorageBuffer", c.name(id), t.Storage)
		}
		return
	default:
		c.fail(i, "SPV-Decoration-MemoryObject", "%s on %s, the result of %s; must be on a variable or a parameter", kind, c.name(id), d.Op())
		return
	}
	t := c.m.Type(d.Type())
	if t == nil {
		return
	}
	if !t.IsPointer() {
		if !(t.IsArray() && t.Elem.IsPointer()) {
			c.fail(i, "SPV-Decoration-MemoryObject", "%s on %s, which is %s; must be a pointer", kind, c.name(id), c.typeName(t))
		}
		return
	}
	switch kind {
	case spirv.DecorationNonWritable, spirv.DecorationNonReadable:
		c.nonWritable(i, id, d, t, kind)
	case spirv.DecorationComponent:
		through := t.Storage == spirv.StorageClassInput || t.Storage == spirv.StorageClassOutput
		switch {
		case through:
		case !c.vulkan || isRayStorage(t.Storage) && d.Op() != spirv.OpFunctionParameter:
			c.fail(i, "SPV-Decoration-Component", "Component on a variable of %s; must be of Input or Output", t.Storage)
		case d.Op() == spirv.OpFunctionParameter: // variables are checked with their locations
			c.fail(i, vuid.StandaloneSpirv_Location_06672, "Component on the parameter %s, a pointer into %s; must be on an input or output", c.name(id), t.Storage)
		}
	case spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationSample, spirv.DecorationCentroid:
		if c.vulkan && d.Op() == spirv.OpFunctionParameter && t.Storage != spirv.StorageClassInput && t.Storage != spirv.StorageClassOutput {
			c.fail(i, vuid.StandaloneSpirv_Flat_04670, "%s on the parameter %s, a pointer into %s; must be on a variable in Input or Output", kind, c.name(id), t.Storage)
		}
	case spirv.DecorationExplicitInterpAMD:
		if t.Storage != spirv.StorageClassInput && t.Storage != spirv.StorageClassOutput {
			c.fail(i, "SPV-Decoration-MemoryObject", "%s on %s in %s; must be in Input or Output", kind, c.name(id), t.Storage)
		}
	case spirv.DecorationPerVertexKHR:
		if c.vulkan && d.Op() == spirv.OpFunctionParameter && t.Storage != spirv.StorageClassInput {
			c.fail(i, vuid.StandaloneSpirv_PerVertexKHR_06777, "PerVertexKHR on the parameter %s, a pointer into %s; must be on an input of a fragment shader", c.name(id), t.Storage)
		}
	case spirv.DecorationCoherent, spirv.DecorationVolatile:
		c.notCoherent(i, kind)
	}
}

// notCoherent checks that a decoration is not used with the Vulkan memory model,
// under which each access declares its coherence.
func (c *checker) notCoherent(i int, kind spirv.Decoration) {
	if c.m.HasMemory && c.m.Memory == spirv.MemoryModelVulkan {
		c.fail(i, "SPV-Decoration-Coherent", "%s with the Vulkan memory model; must be on the accesses instead", kind)
	}
}

// nonWritable checks the targets of NonWritable and NonReadable.
func (c *checker) nonWritable(i int, id spirv.ID, d spirv.Inst, t *facts.Type, kind spirv.Decoration) {
	e := t.Elem
	if v := c.m.Variable(id); v != nil {
		e = v.Type
	}
	for e.IsArray() {
		e = e.Elem
	}
	switch t.Storage {
	case spirv.StorageClassStorageBuffer:
		if e == nil || t.Op == spirv.OpTypeUntypedPointerKHR || c.m.Has(e.ID, spirv.DecorationBlock) {
			return
		}
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR,
		spirv.StorageClassTileAttachmentQCOM, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric:
		return
	case spirv.StorageClassUniform:
		if e == nil || t.Op == spirv.OpTypeUntypedPointerKHR || c.m.Has(e.ID, spirv.DecorationBlock) || c.m.Has(e.ID, spirv.DecorationBufferBlock) {
			return
		}
	case spirv.StorageClassUniformConstant:
		if e == nil || e.Op == spirv.OpTypeTensorARM || e.Op == spirv.OpTypeImage && e.Image != nil && e.Image.Sampled != 1 || e.Op == spirv.OpTypeBufferEXT {
			return
		}
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		if kind == spirv.DecorationNonWritable && c.since(spirv.Version14) && d.Op() != spirv.OpFunctionParameter {
			return
		}
	}
	if c.capable(spirv.CapabilityKernel) {
		return
	}
	c.fail(i, "SPV-Decoration-NonWritable", "%s on %s, a pointer into %s; must be on a storage image, a buffer or a tensor", kind, c.name(id), t.Storage)
}

// wraps reports whether an instruction can wrap (SPIR-V §3.2.20, NoSignedWrap and
// NoUnsignedWrap).
func (c *checker) wraps(kind spirv.Decoration, d spirv.Inst) bool {
	switch d.Op() {
	case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpShiftLeftLogical, spirv.OpSNegate:
		return true
	case spirv.OpExtInst:
		v := inst.ExtInst(d)
		switch c.m.ExtSet(v.Set()) {
		case spirv.ExtSetGLSL:
			return kind == spirv.DecorationNoSignedWrap && spirv.GLSLOp(v.Instruction()) == spirv.GLSLSAbs
		case spirv.ExtSetOpenCL:
			return kind == spirv.DecorationNoSignedWrap && spirv.OpenCLOp(v.Instruction()) == spirv.OpenCLSAbs
		}
		return true
	}
	return false
}

// fastMathMode checks the mask of FPFastMathMode.
func (c *checker) fastMathMode(i int, words []uint32) {
	if len(words) == 0 {
		return
	}
	m := spirv.FPFastMathMode(words[0])
	const both = spirv.FPFastMathModeAllowContractMask | spirv.FPFastMathModeAllowReassocMask
	if m&spirv.FPFastMathModeAllowTransformMask != 0 && m&both != both {
		c.fail(i, "SPV-Decoration-FastMath", "AllowTransform without AllowContract and AllowReassoc; must have both")
	}
}

// floatMath checks the target of FPFastMathMode. Each extended instruction set has
// its own rule, so OpExtInst passes.
func (c *checker) floatMath(i int, id spirv.ID, d spirv.Inst) {
	op := d.Op()
	if op == spirv.OpExtInst {
		return
	}
	number := func(t *facts.Type) bool { // a type of numbers other than floats
		s := t.Scalar()
		return t != nil && s != nil && !s.IsFloat()
	}
	bad := !op.HasType() || number(c.m.Type(d.Type()))
	if op.HasType() && bad {
		c.idPositions = c.code.IDs(c.code.Def(id), c.idPositions[:0])
		for _, at := range c.idPositions {
			bad = bad && (at < 3 || number(c.m.TypeOf(spirv.ID(d[at]))))
		}
	}
	if bad {
		c.fail(i, "SPV-Decoration-FloatMath", "FPFastMathMode on %s, the result of %s; must be on an instruction with float operands or a float result", c.name(id), op)
	}
}

// imported checks LinkageAttributes on a variable.
func (c *checker) imported(i int, id spirv.ID, words []uint32) {
	v := c.m.Variable(id)
	if v == nil || v.Init == 0 || len(words) == 0 {
		return
	}
	if spirv.LinkageType(words[len(words)-1]) == spirv.LinkageTypeImport {
		c.fail(i, "SPV-Decoration-Import", "the variable %s is imported and has an initializer; must not have one", c.name(id)).also(c, v.Index, "the variable")
	}
}

// memberTarget checks a decoration of a member.
func (c *checker) memberTarget(i int, id spirv.ID, member uint32, kind spirv.Decoration, words []uint32) {
	switch kind {
	case spirv.DecorationSpecId, spirv.DecorationBlock, spirv.DecorationBufferBlock, spirv.DecorationArrayStride,
		spirv.DecorationArrayStrideIdEXT, spirv.DecorationGLSLShared, spirv.DecorationGLSLPacked, spirv.DecorationCPacked, spirv.DecorationAliased,
		spirv.DecorationConstant, spirv.DecorationUniform, spirv.DecorationUniformId, spirv.DecorationSaturatedConversion,
		spirv.DecorationIndex, spirv.DecorationBinding, spirv.DecorationDescriptorSet, spirv.DecorationFuncParamAttr,
		spirv.DecorationFPRoundingMode, spirv.DecorationFPFastMathMode, spirv.DecorationLinkageAttributes, spirv.DecorationNoContraction,
		spirv.DecorationInputAttachmentIndex, spirv.DecorationAlignment, spirv.DecorationMaxByteOffset, spirv.DecorationAlignmentId,
		spirv.DecorationMaxByteOffsetId, spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap, spirv.DecorationNonUniform,
		spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer, spirv.DecorationCounterBuffer:
		c.fail(i, "SPV-Decoration-NotMember", "%s on a member of a struct; must be on a whole object", kind)
	case spirv.DecorationCoherent, spirv.DecorationVolatile:
		c.notCoherent(i, kind)
	case spirv.DecorationNodeMaxPayloadsAMDX, spirv.DecorationNodeSharesPayloadLimitsWithAMDX, spirv.DecorationPayloadNodeNameAMDX,
		spirv.DecorationPayloadNodeBaseIndexAMDX, spirv.DecorationPayloadNodeSparseArrayAMDX, spirv.DecorationPayloadNodeArraySizeAMDX,
		spirv.DecorationTrackFinishWritingAMDX:
		c.fail(i, "SPV-Decoration-NotMember", "%s on a member of a struct; must be on a whole object", kind)
	case spirv.DecorationPayloadDispatchIndirectAMDX:
		c.dispatchMember(i, id, member)
	default:
		c.namedMember(i, id, member, kind)
	}
}

// roundingMode checks the target of FPRoundingMode and records it for
// storedRoundings.
func (c *checker) roundingMode(i int, id spirv.ID, d spirv.Inst) {
	if c.capable(spirv.CapabilityKernel) && !c.capable(spirv.CapabilityShader) {
		c.kernelRounding(i, d)
		return
	}
	if c.roundedQuotient(d) {
		return
	}
	if !c.freeRounding() {
		c.fail(i, "SPV-Capability-Missing", "FPRoundingMode in a module without 16-bit storage; a capability of SPV_KHR_16bit_storage must be declared")
	}
	if d.Op() != spirv.OpFConvert {
		c.fail(i, "SPV-Decoration-Rounding", "FPRoundingMode on the result of %s; must be on OpFConvert", d.Op())
		return
	}
	c.rounded = append(c.rounded, rounding{i, id})
}

// roundedQuotient reports whether an instruction is a division or a square root that may
// have a rounding mode (SPV_INTEL_rounded_divide_sqrt).
func (c *checker) roundedQuotient(d spirv.Inst) bool {
	if !c.capable(spirv.CapabilityRoundedDivideSqrtINTEL) {
		return false
	}
	switch d.Op() {
	case spirv.OpFDiv:
		return true
	case spirv.OpExtInst:
		v := inst.ExtInst(d)
		switch c.m.ExtSet(v.Set()) {
		case spirv.ExtSetOpenCL:
			return spirv.OpenCLOp(v.Instruction()) == spirv.OpenCLSqrt
		case spirv.ExtSetGLSL:
			return spirv.GLSLOp(v.Instruction()) == spirv.GLSLSqrt
		}
	}
	return false
}

// kernelRounding checks the target of FPRoundingMode in a kernel.
func (c *checker) kernelRounding(i int, d spirv.Inst) {
	op := d.Op()
	switch op {
	case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpFConvert, spirv.OpQuantizeToF16,
		spirv.OpConvertFToBF16INTEL, spirv.OpRoundFToTF32INTEL:
		return
	}
	if c.roundedQuotient(d) {
		return
	}
	c.fail(i, "SPV-Decoration-Rounding", "FPRoundingMode on the result of %s; must be on a conversion from or to floats", op)
}

// rounding is a value decorated FPRoundingMode.
type rounding struct {
	at int
	id spirv.ID
}
