package valid

import (
	"strconv"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageFamily checks the instructions that access images (SPIR-V §3.3.10).
// Image operands, queries and Qualcomm's image processing are in files of
// their own.
var imageFamily = family{
	rules: []Rule{
		{Code: "SPV-Image-Result", Section: "SPIR-V 3.3.10", Words: "the result of an image access has the kind and the number of components of the instruction"},
		{Code: "SPV-Image-Sparse", Section: "SPIR-V 3.3.10", Words: "the result of a sparse access is a struct of an integer residency code and the texel"},
		{Code: "SPV-Image-Texel", Section: "SPIR-V 3.3.10", Words: "the components of a texel have the sampled type of the image"},
		{Code: "SPV-Image-Operand", Section: "SPIR-V 3.3.10", Words: "the image operand of an instruction is an image or a sampled image, as the instruction defines"},
		{Code: "SPV-Image-Kind", Section: "SPIR-V 3.3.10", Words: "the image of an instruction has a dimension, layers, samples and a Sampled value that the instruction supports"},
		{Code: "SPV-Image-Coordinate", Section: "SPIR-V 3.3.10", Words: "a coordinate has integers or floats, as the instruction defines, and a component for each dimension, the layer and the divisor"},
		{Code: "SPV-Image-Dref", Section: "SPIR-V 3.3.10", Words: "the reference of a comparison is a 32-bit float"},
		{Code: "SPV-Image-Component", Section: "SPIR-V 3.3.10", Words: "the component of a gather is a 32-bit integer; a constant one is 0, 1, 2 or 3"},
		{Code: "SPV-Image-Format", Section: "SPIR-V 3.2.30", Words: "an access of an image without a format needs the capability for it"},
		{Code: "SPV-Image-Model", Section: "SPIR-V 3.3.10", Words: "an implicit level of detail needs derivatives: a fragment shader or derivative groups; subpasses need a fragment or a subpass shader, tiles a fragment shader"},
		{Code: "SPV-Image-Resident", Section: "SPIR-V 3.3.10", Words: "OpImageSparseTexelsResident converts an integer to a Boolean"},
		{Code: "SPV-Image-Reserved", Section: "SPIR-V 3.3.10", Words: "a reserved instruction is not used"},
		{Code: "SPV-SampledImage-Operand", Section: "SPIR-V 3.3.10", Words: "OpSampledImage combines a sampler and an image of the image type of the result; only the depth may differ"},
		{Code: "SPV-SampledImage-Use", Section: "SPIR-V 2.16.1", Words: "the result of OpSampledImage or OpVmeImageINTEL is only used in its block, by instructions with a sampled image operand"},
		{Code: vuid.StandaloneSpirv_OpImage_04777, Section: environment, Words: "no comparison uses a 3D image"},
		{Code: vuid.StandaloneSpirv_OpImageGather_04664, Section: environment, Words: "the component of a gather is a constant"},
		{Code: vuid.StandaloneSpirv_Result_04780, Section: environment, Words: "the result of OpImageRead is a vector of four components"},
		{Code: vuid.StandaloneSpirv_SubpassData_04660, Section: environment, Words: "the coordinate of a subpass is the constant (0, 0)"},
		{Code: vuid.RuntimeSpirv_OpImageWrite_07112, Section: environment, Words: "the written texel has at least as many components as the image format"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpImage:                     imageJudge((*images).imageOf),
		spirv.OpSampledImage:              imageJudge((*images).sampledImage),
		spirv.OpImageFetch:                imageJudge((*images).imageFetch),
		spirv.OpImageSparseFetch:          imageJudge((*images).imageFetch),
		spirv.OpImageRead:                 imageJudge((*images).imageRead),
		spirv.OpImageSparseRead:           imageJudge((*images).imageRead),
		spirv.OpImageWrite:                imageJudge((*images).imageWrite),
		spirv.OpImageGather:               imageJudge((*images).imageGather),
		spirv.OpImageSparseGather:         imageJudge((*images).imageGather),
		spirv.OpImageDrefGather:           imageJudge((*images).imageGather),
		spirv.OpImageSparseDrefGather:     imageJudge((*images).imageGather),
		spirv.OpImageSparseTexelsResident: imageJudge((*images).texelsResident),
		spirv.OpColorAttachmentReadEXT:    imageJudge((*images).tileRead),
		spirv.OpDepthAttachmentReadEXT:    imageJudge((*images).tileRead),
		spirv.OpStencilAttachmentReadEXT:  imageJudge((*images).tileRead),
	},
	ops: []group{{imageJudge((*images).imageSample), typing.With(typing.ImplicitLod | typing.ExplicitLod)}, {imageJudge((*images).imageReserved), []spirv.Op{
		spirv.OpImageSparseSampleProjImplicitLod, spirv.OpImageSparseSampleProjExplicitLod,
		spirv.OpImageSparseSampleProjDrefImplicitLod, spirv.OpImageSparseSampleProjDrefExplicitLod,
	}}},
	after: []func(*checker){func(c *checker) { c.image.sampledImageUses() }},
}

// imageJudge makes a check of images a judge.
func imageJudge(check func(c *images, i int, in spirv.Inst)) judge {
	return func(c *checker, i int, in spirv.Inst) { check(&c.image, i, in) }
}

// images checks images: their types, accesses, operands, queries and variables.
type images struct {
	*position
	sampled []int // OpSampledImage instructions so far
}

// imageAccess is an instruction that accesses an image.
type imageAccess struct {
	i        int
	op       spirv.Op
	how      typing.Traits
	image    *facts.Type // the type of the image; nil if it is not known
	texel    *facts.Type // the type read or written; nil if it is not known
	mask     spirv.ImageOperands
	operands []uint32 // of the mask
}

// axes returns how many coordinates a point within one layer has.
func axes(d spirv.Dim) int {
	switch d {
	case spirv.Dim1D, spirv.DimBuffer:
		return 1
	case spirv.Dim3D, spirv.DimCube:
		return 3
	}
	return 2
}

// coordinates returns how many components a coordinate must have.
func (a *imageAccess) coordinates() int {
	m := a.image.Image
	if m.Dim == spirv.DimCube && !a.how.Has(typing.ImplicitLod|typing.ExplicitLod|typing.Gather) {
		return 3 // a face, or a face of a layer, in place of the third
	}
	n := axes(m.Dim)
	if m.Arrayed {
		n++
	}
	if a.how.Has(typing.Projective) {
		n++
	}
	return n
}

// coordinate checks the type and the number of components of a coordinate. A
// message names the allowed types by words.
func (a *imageAccess) coordinate(c *subject, id spirv.ID, ok func(*facts.Type) bool, what string) {
	t := c.m.TypeOf(id)
	if t == nil {
		return
	}
	if t.IsMatrix() || t.Scalar() == nil || !ok(t.Scalar()) {
		c.fail(a.i, "SPV-Image-Coordinate", "the coordinate of %s is %s; must be %s", a.op, c.typeName(t), what)
		return
	}
	if n := a.coordinates(); t.Components() < n {
		c.fail(a.i, "SPV-Image-Coordinate", "the coordinate of %s has %s; must have at least %d", a.op, components(t.Components()), n)
	}
}

func components(n int) string {
	if n == 1 {
		return "1 component"
	}
	return strconv.Itoa(n) + " components"
}

// isSingle reports whether a type is a float of 32 bits.
func isSingle(t *facts.Type) bool { return t.IsFloat() && t.Width == 32 && !t.Encoded }

// isWord reports whether a type is an integer of 32 bits.
func isWord(t *facts.Type) bool { return t.IsInt() && t.Width == 32 }

// sampleFloat returns the test for the type of a float operand of a sampling
// instruction.
func (c *images) sampleFloat() (ok func(*facts.Type) bool) {
	if c.capable(spirv.CapabilityFloat16ImageAMD) {
		return func(t *facts.Type) bool { return t.IsFloat() && (t.Width == 32 || t.Width == 16) && !t.Encoded }
	}
	return isSingle
}

// result finds the texel type: the type of the result, or the second member of
// the result of a sparse access. It returns false if the result has another form.
func (a *imageAccess) result(c *subject, in spirv.Inst) bool {
	t := c.m.Type(in.Type())
	if t == nil || !a.how.Has(typing.Sparse) {
		a.texel = t
		return t != nil
	}
	if !t.IsStruct() || len(t.Members) != 2 || t.Members[0].Type != nil && !t.Members[0].Type.IsInt() {
		c.fail(a.i, "SPV-Image-Sparse", "the result of %s is %s; must be a struct of an integer and a texel", a.op, c.typeName(t))
		return false
	}
	a.texel = t.Members[1].Type
	return a.texel != nil
}

// numbers reports whether a type is a number or a vector of numbers.
func numbers(t *facts.Type) bool {
	s := t.Scalar()
	return !t.IsMatrix() && (s.IsInt() || s.IsFloat())
}

// fourTexel checks that a texel is a vector of four numbers.
func (a *imageAccess) fourTexel(c *subject) bool {
	if !a.texel.IsVector() || !numbers(a.texel) || a.texel.Components() != 4 {
		c.fail(a.i, "SPV-Image-Result", "%s yields %s; must yield a vector of 4 numbers", a.op, c.typeName(a.texel))
		return false
	}
	return true
}

// sampledOperand finds the image of a sampled image.
func (a *imageAccess) sampledOperand(c *subject, id spirv.ID) bool {
	t := c.m.TypeOf(id)
	switch {
	case t != nil && t.Op != spirv.OpTypeSampledImage:
		c.fail(a.i, "SPV-Image-Operand", "%s of %s; must be of a sampled image", a.op, c.name(id))
		return false
	case t == nil || t.Elem == nil || t.Elem.Image == nil:
		return false
	}
	a.image = t.Elem
	return true
}

// imageOperand finds the image of an image.
func (a *imageAccess) imageOperand(c *subject, id spirv.ID) bool {
	t := c.m.TypeOf(id)
	switch {
	case t != nil && t.Image == nil:
		c.fail(a.i, "SPV-Image-Operand", "%s of %s; must be of an image", a.op, c.name(id))
		return false
	case t == nil:
		return false
	}
	a.image = t
	return true
}

// sampledType checks that the texel is of the sampled type.
func (a *imageAccess) sampledType(c *subject) {
	s := a.image.Elem
	if s == nil || s.IsVoid() && !a.how.Has(typing.Dref) || a.texel.Scalar() == s {
		return
	}
	if s.IsVoid() && c.env.API == OpenCL {
		return
	}
	c.fail(a.i, "SPV-Image-Texel", "%s of %s with an image of the sampled type %s; must be the same", a.op, c.typeName(a.texel), c.typeName(s)).also(c, a.image.Index, "the image")
}

// single checks that the image is not multisampled.
func (a *imageAccess) single(c *subject) bool {
	if a.image.Image.MS {
		c.fail(a.i, "SPV-Image-Kind", "%s of a multisampled image; must have one sample", a.op).also(c, a.image.Index, "the image")
	}
	return !a.image.Image.MS
}

// unsuited reports an image that an instruction cannot access.
func (a *imageAccess) unsuited(c *subject, format string, args ...any) {
	c.fail(a.i, "SPV-Image-Kind", a.op.String()+" of an image "+format, args...).also(c, a.image.Index, "the image")
}

// threeDim checks that a comparison has no image of three dimensions.
func (a *imageAccess) threeDim(c *subject) {
	if c.vulkan && a.how.Has(typing.Dref) && a.image.Image.Dim == spirv.Dim3D {
		c.fail(a.i, vuid.StandaloneSpirv_OpImage_04777, "%s of an image of dimension 3D; must be another", a.op).also(c, a.image.Index, "the image")
	}
}

func (c *images) imageReserved(i int, in spirv.Inst) {
	c.fail(i, "SPV-Image-Reserved", "%s; must not be used", in.Op())
}

// imageOf checks OpImage.
func (c *images) imageOf(i int, in spirv.Inst) {
	t, v := c.m.Type(in.Type()), inst.Image(in)
	s := c.m.TypeOf(v.SampledImage())
	switch {
	case t == nil || s == nil:
	case t.Image == nil:
		c.fail(i, "SPV-Image-Result", "OpImage yields %s; must yield an image", c.typeName(t))
	case s.Op != spirv.OpTypeSampledImage && s.Op != spirv.OpTypeVmeImageINTEL:
		c.fail(i, "SPV-Image-Operand", "OpImage of %s; must be of a sampled image", c.name(v.SampledImage()))
	case s.Elem != nil && s.Elem != t:
		c.fail(i, "SPV-Image-Result", "OpImage yields %s of %s; must yield the image type of the sampled image", c.typeName(t), c.typeName(s))
	}
}

func (c *images) texelsResident(i int, in spirv.Inst) {
	t, s := c.m.Type(in.Type()), c.m.TypeOf(inst.ImageSparseTexelsResident(in).ResidentCode())
	switch {
	case t != nil && !t.IsBool():
		c.fail(i, "SPV-Image-Resident", "OpImageSparseTexelsResident yields %s; must yield a Boolean", c.typeName(t))
	case s != nil && !s.IsInt():
		c.fail(i, "SPV-Image-Resident", "the residency code is %s; must be an integer", c.typeName(s))
	}
}
