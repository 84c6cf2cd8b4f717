package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageOperandFamily checks image operands (SPIR-V §3.2.14), which the accesses
// of images hand over.
var imageOperandFamily = family{rules: []Rule{
	{Code: "SPV-ImageOperand-Bias", Section: "SPIR-V 3.2.14", Words: "Bias is a 32-bit float, for an implicit level of detail and an image with levels"},
	{Code: "SPV-ImageOperand-Lod", Section: "SPIR-V 3.2.14", Words: "Lod is a 32-bit float for an explicit level of detail, or a 32-bit integer for a fetch; it excludes Grad, and the image has levels"},
	{Code: "SPV-ImageOperand-Explicit", Section: "SPIR-V 3.3.10", Words: "an instruction with an explicit level of detail has the image operand Lod or Grad"},
	{Code: "SPV-ImageOperand-BiasLod", Section: "SPIR-V, SPV_AMD_texture_gather_bias_lod", Words: "a gather has at most one of the image operands Bias and Lod"},
	{Code: "SPV-ImageOperand-Grad", Section: "SPIR-V 3.2.14", Words: "Grad has two derivatives of 32-bit floats, each with a component for each dimension, for an explicit level of detail"},
	{Code: "SPV-ImageOperand-Offset", Section: "SPIR-V 3.2.14", Words: "an offset has a 32-bit integer for each dimension, and the image is no cube; ConstOffset is a constant; Offsets is an array of four, for a gather, ConstOffsets a constant one; an instruction has at most one kind of offset"},
	{Code: "SPV-ImageOperand-Sample", Section: "SPIR-V 3.2.14", Words: "Sample is a 32-bit integer, for the fetch, read or write of a multisampled image"},
	{Code: "SPV-ImageOperand-MinLod", Section: "SPIR-V 3.2.14", Words: "MinLod is a 32-bit float, for an implicit level of detail or with Grad, and an image with levels"},
	{Code: "SPV-ImageOperand-Memory", Section: "SPIR-V 3.2.14", Words: "a write has MakeTexelAvailable, a read MakeTexelVisible, both only with NonPrivateTexel"},
	{Code: "SPV-ImageOperand-Extend", Section: "SPIR-V 3.2.14", Words: "SignExtend and ZeroExtend are for integer texels, ZeroExtend for unsigned ones; they exclude one another"},
	{Code: vuid.StandaloneSpirv_Offset_04865, Section: environment, Words: "the image of an access with an offset has Sampled 1"},
	{Code: vuid.RuntimeSpirv_Offset_10213, Section: environment, Words: "Offset is only for gathers unless the feature maintenance8 is enabled", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_OpImage_06376, Section: environment, Words: "a constant offset of a gather is at least minTexelGatherOffset", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_OpImage_06377, Section: environment, Words: "a constant offset of a gather is at most maxTexelGatherOffset", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_OpImageSample_06435, Section: environment, Words: "a constant offset of a sample or a fetch is at least minTexelOffset", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_OpImageSample_06436, Section: environment, Words: "a constant offset of a sample or a fetch is at most maxTexelOffset", Need: NeedDevice},
}}

// offsets are the operands that shift a coordinate.
const offsets = spirv.ImageOperandsConstOffsetMask | spirv.ImageOperandsOffsetMask | spirv.ImageOperandsConstOffsetsMask | spirv.ImageOperandsOffsetsMask

// fourOffsets are the operands with an offset for each texel of a gather.
const fourOffsets = spirv.ImageOperandsConstOffsetsMask | spirv.ImageOperandsOffsetsMask

// imageOperands checks the image operands of an access in the order of their
// bits, which is also the order of their ids.
func (c *images) imageOperands(a *imageAccess) {
	rest := a.operands
	next := func() (id spirv.ID) {
		if len(rest) > 0 {
			id, rest = spirv.ID(rest[0]), rest[1:]
		}
		return id
	}
	has := func(m spirv.ImageOperands) bool { return a.mask&m != 0 }
	if a.how.Has(typing.ExplicitLod) && !has(spirv.ImageOperandsLodMask|spirv.ImageOperandsGradMask) {
		c.fail(a.i, "SPV-ImageOperand-Explicit", "%s without the image operands Lod and Grad; must have one of them", a.op).warn() // the peers and the tests of the field take it
	}
	if a.how.Has(typing.Gather) && has(spirv.ImageOperandsBiasMask) && has(spirv.ImageOperandsLodMask) { // others have an explicit or an implicit level
		c.fail(a.i, "SPV-ImageOperand-BiasLod", "%s with Bias and Lod; must have at most one of them", a.op)
	}
	if has(spirv.ImageOperandsBiasMask) {
		c.operandBias(a, next())
	}
	if has(spirv.ImageOperandsLodMask) {
		c.operandLod(a, next())
	}
	if has(spirv.ImageOperandsGradMask) {
		c.operandGrad(a, next(), next())
	}
	for _, m := range [...]spirv.ImageOperands{spirv.ImageOperandsConstOffsetMask, spirv.ImageOperandsOffsetMask, spirv.ImageOperandsConstOffsetsMask} {
		if has(m) {
			c.operandOffset(a, m, next())
		}
	}
	if has(spirv.ImageOperandsSampleMask) {
		c.operandSample(a, next())
	} else if a.image.Image.MS {
		c.fail(a.i, "SPV-ImageOperand-Sample", "%s of a multisampled image without the image operand Sample; must have it", a.op)
	}
	if has(spirv.ImageOperandsMinLodMask) {
		c.operandMinLod(a, next())
	}
	if has(spirv.ImageOperandsMakeTexelAvailableMask) {
		c.operandMemory(a, "MakeTexelAvailable", a.op == spirv.OpImageWrite, next())
	}
	if has(spirv.ImageOperandsMakeTexelVisibleMask) {
		c.operandMemory(a, "MakeTexelVisible", a.op == spirv.OpImageRead || a.op == spirv.OpImageSparseRead, next())
	}
	c.operandExtend(a)
	if has(spirv.ImageOperandsOffsetsMask) {
		c.operandOffset(a, spirv.ImageOperandsOffsetsMask, next())
	}
	if m := a.mask & offsets; m&(m-1) != 0 {
		c.fail(a.i, "SPV-ImageOperand-Offset", "%s with %s; must have at most one kind of offset", a.op, m)
	}
	if c.vulkan && a.mask&offsets != 0 && a.image.Image.Sampled != 1 {
		c.fail(a.i, vuid.StandaloneSpirv_Offset_04865, "%s with an offset into an image with sampled %d; must be 1", a.op, a.image.Image.Sampled).newer(c)
	}
}

// levels reports whether images of a dimension have levels of detail.
func levels(m *facts.Image) bool {
	switch m.Dim {
	case spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimCube:
		return !m.MS
	}
	return false
}

// levelled checks that the image of an operand has levels of detail.
func (c *images) levelled(a *imageAccess, name, code string) {
	if m := a.image.Image; !levels(m) {
		c.fail(a.i, code, "%s with the image operand %s and an image of dimension %s, multisampled %t; must be 1D, 2D, 3D or Cube with one sample", a.op, name, m.Dim, m.MS)
	}
}

// gatherLod reports whether the access is a gather that may choose a level.
func (c *images) gatherLod(a *imageAccess) bool {
	return a.how.Has(typing.Gather) && !a.how.Has(typing.Dref) && c.capable(spirv.CapabilityImageGatherBiasLodAMD)
}

func (c *images) operandBias(a *imageAccess, id spirv.ID) {
	if !a.how.Has(typing.ImplicitLod) && !c.gatherLod(a) {
		c.fail(a.i, "SPV-ImageOperand-Bias", "%s with the image operand Bias; must have an implicit level of detail", a.op)
		return
	}
	c.operandType(a, "Bias", "SPV-ImageOperand-Bias", id, c.sampleFloat(), "a float of 32 bits")
	c.levelled(a, "Bias", "SPV-ImageOperand-Bias")
}

// operandType checks the type of an operand.
func (c *images) operandType(a *imageAccess, name, code string, id spirv.ID, ok func(*facts.Type) bool, want string) {
	if t := c.m.TypeOf(id); t != nil && !ok(t) {
		c.fail(a.i, code, "the image operand %s is %s; must be %s", name, c.typeName(t), want)
	}
}

func (c *images) operandLod(a *imageAccess, id spirv.ID) {
	const code = "SPV-ImageOperand-Lod"
	if a.mask&spirv.ImageOperandsGradMask != 0 {
		c.fail(a.i, code, "%s with the image operands Lod and Grad; must have one of them", a.op)
	}
	switch {
	case a.how.Has(typing.ExplicitLod) || c.gatherLod(a):
		c.operandType(a, "Lod", code, id, c.sampleFloat(), "a float of 32 bits")
	case a.op == spirv.OpImageFetch || a.op == spirv.OpImageSparseFetch:
		c.operandType(a, "Lod", code, id, isWord, "an integer of 32 bits")
	case c.capable(spirv.CapabilityImageReadWriteLodAMD) && !a.how.Has(typing.ImplicitLod|typing.Gather):
		c.operandType(a, "Lod", code, id, isWord, "an integer of 32 bits")
	default:
		c.fail(a.i, code, "%s with the image operand Lod; must have an explicit level of detail, or be a fetch", a.op)
		return
	}
	c.levelled(a, "Lod", code)
}

func (c *images) operandGrad(a *imageAccess, ids ...spirv.ID) {
	const code = "SPV-ImageOperand-Grad"
	if !a.how.Has(typing.ExplicitLod) {
		c.fail(a.i, code, "%s with the image operand Grad; must have an explicit level of detail", a.op)
		return
	}
	ok := c.sampleFloat()
	for _, id := range ids {
		t := c.m.TypeOf(id)
		if t == nil {
			continue
		}
		if n := axes(a.image.Image.Dim); t.IsMatrix() || t.Scalar() == nil || !ok(t.Scalar()) || t.Components() != n {
			c.fail(a.i, code, "the image operand Grad has %s; must have %d floats of 32 bits", c.typeName(t), n)
		}
	}
}

func (c *images) operandSample(a *imageAccess, id spirv.ID) {
	const code = "SPV-ImageOperand-Sample"
	switch a.op {
	case spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageSparseFetch, spirv.OpImageSparseRead:
	default:
		c.fail(a.i, code, "%s with the image operand Sample; must be a fetch, a read or a write", a.op)
		return
	}
	if !a.image.Image.MS {
		c.fail(a.i, code, "%s with the image operand Sample and an image of one sample; must be multisampled", a.op)
	}
	c.operandType(a, "Sample", code, id, isWord, "an integer of 32 bits")
}

func (c *images) operandMinLod(a *imageAccess, id spirv.ID) {
	const code = "SPV-ImageOperand-MinLod"
	if !a.how.Has(typing.ImplicitLod) && a.mask&spirv.ImageOperandsGradMask == 0 {
		c.fail(a.i, code, "%s with the image operand MinLod; must have an implicit level of detail, or Grad", a.op)
		return
	}
	c.operandType(a, "MinLod", code, id, c.sampleFloat(), "a float of 32 bits")
	c.levelled(a, "MinLod", code)
}

// operandMemory checks MakeTexelAvailable and MakeTexelVisible.
func (c *images) operandMemory(a *imageAccess, name string, suited bool, scope spirv.ID) {
	if !suited {
		c.fail(a.i, "SPV-ImageOperand-Memory", "%s with the image operand %s; must be a write for MakeTexelAvailable, a read for MakeTexelVisible", a.op, name)
		return
	}
	if a.mask&spirv.ImageOperandsNonPrivateTexelMask == 0 {
		c.fail(a.i, "SPV-ImageOperand-Memory", "%s with the image operand %s; must have NonPrivateTexel too", a.op, name)
	}
	c.operandScope(a.i, scope)
}

// operandExtend checks SignExtend and ZeroExtend.
func (c *images) operandExtend(a *imageAccess) {
	const both = spirv.ImageOperandsSignExtendMask | spirv.ImageOperandsZeroExtendMask
	s := a.texel.Scalar()
	if a.mask&both == 0 || s == nil {
		return
	}
	switch {
	case a.mask&both == both:
		c.fail(a.i, "SPV-ImageOperand-Extend", "%s with SignExtend and ZeroExtend; must have at most one of them", a.op)
	case !s.IsInt():
		c.fail(a.i, "SPV-ImageOperand-Extend", "%s of %s with %s; must be of integers", a.op, c.typeName(a.texel), a.mask&both)
	case s.Signed && a.mask&spirv.ImageOperandsZeroExtendMask != 0:
		c.fail(a.i, "SPV-ImageOperand-Extend", "%s of %s with ZeroExtend; must be of unsigned integers", a.op, c.typeName(a.texel))
	}
}

// operandOffset checks one of the offsets.
func (c *images) operandOffset(a *imageAccess, m spirv.ImageOperands, id spirv.ID) {
	const code = "SPV-ImageOperand-Offset"
	t, k := c.m.TypeOf(id), c.declaredConstant(id)
	gather := a.how.Has(typing.Gather)
	if a.image.Image.Dim == spirv.DimCube {
		c.fail(a.i, code, "%s with the image operand %s and an image of dimension Cube; must be another", a.op, m)
		return
	}
	if t == nil {
		return
	}
	if m&(spirv.ImageOperandsConstOffsetMask|spirv.ImageOperandsConstOffsetsMask) != 0 && k == nil {
		c.fail(a.i, code, "the image operand %s is %s; must be a constant", m, c.name(id))
		return
	}
	shift := t
	if m&fourOffsets != 0 {
		if !gather {
			c.fail(a.i, code, "%s with the image operand %s; must be a gather", a.op, m)
			return
		}
		if t.Op != spirv.OpTypeArray || t.Count != 4 {
			c.fail(a.i, code, "the image operand %s is %s; must be an array of 4 offsets", m, c.typeName(t))
			return
		}
		shift = t.Elem
	}
	n := axes(a.image.Image.Dim)
	if shift == nil {
		return
	}
	if shift.IsMatrix() || !shift.Scalar().IsInt() || shift.Scalar().Width != 32 || shift.Components() != n {
		c.fail(a.i, code, "the image operand %s is %s; must have %d integers of 32 bits", m, c.typeName(t), n)
		return
	}
	if !c.vulkan {
		return
	}
	if m == spirv.ImageOperandsOffsetMask && !gather && !c.offsetAllowed() {
		c.fail(a.i, vuid.RuntimeSpirv_Offset_10213, "%s with the image operand Offset; must be a gather or have the feature maintenance8", a.op)
	}
	c.offsetRange(a, m, k)
}

// offsetAllowed reports whether Offset is allowed on instructions other than
// gathers: by the feature maintenance8, or by the environment if the device is not
// known.
func (c *images) offsetAllowed() bool {
	if on, known := c.env.Device.feature("maintenance8"); known {
		return on
	}
	return c.env.AllowTextureOffset || c.env.BeforeLegalization
}

// offsetRange checks constant offsets beside the limits of the device.
func (c *images) offsetRange(a *imageAccess, m spirv.ImageOperands, k *facts.Const) {
	low, lowest, high, highest := vuid.RuntimeSpirv_OpImageSample_06435, "minTexelOffset", vuid.RuntimeSpirv_OpImageSample_06436, "maxTexelOffset"
	if a.how.Has(typing.Gather) {
		low, lowest, high, highest = vuid.RuntimeSpirv_OpImage_06376, "minTexelGatherOffset", vuid.RuntimeSpirv_OpImage_06377, "maxTexelGatherOffset"
	}
	if k == nil || !k.Known {
		return
	}
	judge := func(e *facts.Const) {
		if e == nil || !e.Known || !e.Type.IsInt() {
			return
		}
		v := int64(int32(uint32(e.Bits)))
		if l, ok := c.limit(low, lowest); ok && v < int64(l) {
			c.fail(a.i, low, "an offset of %d; must be at least %s, %d", v, lowest, int64(l))
		}
		if l, ok := c.limit(high, highest); ok && v > int64(l) {
			c.fail(a.i, high, "an offset of %d; must be at most %s, %d", v, highest, int64(l))
		}
	}
	switch {
	case m&fourOffsets != 0:
		for n := range 4 {
			e := k.Elem(n)
			judge(e.Elem(0))
			judge(e.Elem(1))
		}
	case k.Type.IsVector():
		for n := range k.Type.Components() {
			judge(k.Elem(n))
		}
	default:
		judge(k)
	}
}
