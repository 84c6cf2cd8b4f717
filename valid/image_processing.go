package valid

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageProcessingFamily checks SPV_QCOM_image_processing and its successors.
var imageProcessingFamily = family{
	rules: []Rule{
		{Code: "SPV-ImageProcessing-Decoration", Section: "SPIR-V, SPV_QCOM_image_processing", Words: "weights, and the images and samplers of block matching, are variables with the decoration for it"},
		{Code: "SPV-ImageProcessing-Use", Section: "SPIR-V, SPV_QCOM_image_processing", Words: "only image processing instructions use variables that are decorated for image processing"},
		{Code: "SPV-ImageProcessing-Operand", Section: "SPIR-V, SPV_QCOM_image_processing", Words: "coordinates and sizes have two components: 32-bit floats for a filter, 32-bit unsigned integers for block matching"},
		{Code: "SPV-ImageProcessing-Gather", Section: "SPIR-V, SPV_QCOM_image_processing3", Words: "the mode of OpImageGatherQCOM is a constant 32-bit integer from 0 to 3, and the module declares its capability"},
		{Code: vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06980, Section: environment, Words: "the weights of OpImageSampleWeightedQCOM are in UniformConstant, a 2D image array without depth, with one sample and Sampled 1"},
		{Code: vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06981, Section: environment, Words: "the weights of OpImageSampleWeightedQCOM are decorated WeightTextureQCOM"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06983, Section: environment, Words: "target and reference of block matching are in UniformConstant, a 2D image without layers and depth, with one sample and Sampled 1"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06984, Section: environment, Words: "target and reference of block matching are decorated BlockMatchTextureQCOM"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06988, Section: environment, Words: "a constant block size is at most maxBlockMatchRegion", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06989, Section: environment, Words: "the height of a constant box is at least 1 and at most the height of maxBoxFilterBlockSize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchWindow_09220, Section: environment, Words: "target and reference of windowed and gathered block matching are in UniformConstant, a 2D image without layers and depth, with one sample and Sampled 1"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchWindow_09221, Section: environment, Words: "target and reference of windowed and gathered block matching are decorated BlockMatchTextureQCOM"},
		{Code: vuid.RuntimeSpirv_maxBlockMatchRegion_09225, Section: environment, Words: "a constant block size of windowed and gathered block matching is at most maxBlockMatchRegion", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpImageSampleWeightedQCOM: imageJudge((*images).sampleWeighted),
		spirv.OpImageBoxFilterQCOM:      imageJudge((*images).boxFilter),
		spirv.OpImageGatherQCOM:         imageJudge((*images).gatherQCOM),
	},
	ops: []group{
		{imageJudge((*images).blockMatch), []spirv.Op{
			spirv.OpImageBlockMatchSSDQCOM, spirv.OpImageBlockMatchSADQCOM, spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM,
			spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM,
		}},
		{imageJudge((*images).processingUse), append(typing.With(typing.ImplicitLod|typing.ExplicitLod|typing.Gather),
			spirv.OpImageFetch, spirv.OpImageSparseFetch, spirv.OpImageRead, spirv.OpImageSparseRead, spirv.OpImageWrite, spirv.OpImage,
			spirv.OpImageQueryLod, spirv.OpImageQueryFormat, spirv.OpImageQueryOrder, spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize,
			spirv.OpImageQueryLevels, spirv.OpImageQuerySamples)},
	},
}

// imageOrigin returns the variables from which an image, or a sampled image, and
// its sampler are loaded; nil if the load is not visible. Both are the same if
// the variable holds a sampled image.
func (c *images) imageOrigin(id spirv.ID) (image, sampler *facts.Variable) {
	d := c.code.DefInst(id)
	if d == nil {
		return nil, nil
	}
	if d.Op() == spirv.OpSampledImage {
		v := inst.SampledImage(d)
		return c.loadedFrom(v.Image()), c.loadedFrom(v.Sampler())
	}
	v := c.loadedFrom(id)
	return v, v
}

// loadedFrom returns the variable that a value is loaded from, also from an
// element of it.
func (c *images) loadedFrom(id spirv.ID) *facts.Variable {
	d := c.code.DefInst(id)
	if d == nil || d.Op() != spirv.OpLoad {
		return nil
	}
	p := inst.Load(d).Pointer()
	for range maxChain {
		if v := c.m.Variable(p); v != nil {
			return v
		}
		switch d := c.code.DefInst(p); {
		case d == nil:
			return nil
		case d.Op() == spirv.OpAccessChain, d.Op() == spirv.OpInBoundsAccessChain:
			p = inst.AccessChain(d).Base()
		default:
			return nil
		}
	}
	return nil
}

// maxChain is how many access chains are followed from one to the next.
const maxChain = 16

// carries reports whether the variable of an image or a sampler has a decoration, or an object that the image is made from.
// Compilers decorate the access chain of an element of an array, not the array. A load of a combined image is
// no object of the interface: its decoration does not count.
func (c *images) carries(id spirv.ID, d spirv.Decoration, sampler bool) bool {
	combined := true
	for range maxChain {
		def := c.code.DefInst(id)
		if c.m.Has(id, d) && !(combined && def != nil && def.Op() == spirv.OpLoad) {
			return true
		}
		switch {
		case def == nil:
			return false
		case def.Op() == spirv.OpSampledImage:
			combined = false
			if v := inst.SampledImage(def); sampler {
				id = v.Sampler()
			} else {
				id = v.Image()
			}
		case def.Op() == spirv.OpLoad:
			id = inst.Load(def).Pointer()
		case def.Op() == spirv.OpAccessChain, def.Op() == spirv.OpInBoundsAccessChain:
			id = inst.AccessChain(def).Base()
		default:
			return false
		}
	}
	return false
}

// processed checks one image of image processing: its decoration and its type.
func (c *images) processed(i int, op spirv.Op, what string, id spirv.ID, decoration spirv.Decoration, code, kind string, arrayed bool) {
	image, _ := c.imageOrigin(id)
	if image == nil {
		return
	}
	if !c.carries(id, decoration, false) {
		if !c.vulkan {
			code = "SPV-ImageProcessing-Decoration"
		}
		c.fail(i, code, "%s of %s is %s, which has no decoration %s; must have it", what, op, c.name(image.ID), decoration).also(c, image.Index, "the variable")
	}
	t := c.m.TypeOf(id)
	if t != nil && t.Op == spirv.OpTypeSampledImage {
		t = t.Elem
	}
	if !c.vulkan || t == nil || t.Image == nil {
		return
	}
	if m := t.Image; image.Storage != spirv.StorageClassUniformConstant || m.Depth != 0 || m.Dim != spirv.Dim2D || m.Arrayed != arrayed || m.MS || m.Sampled != 1 {
		c.fail(i, kind, "%s of %s is of the storage class %s and %s; must be UniformConstant, and 2D with depth 0, layers %t, one sample, sampled 1", what, op, image.Storage, c.typeName(t), arrayed).also(c, t.Index, "the image")
	}
}

// processedTexel checks the result of image processing, and the image that it
// reads.
func (c *images) processedTexel(i int, in spirv.Inst, id spirv.ID) {
	a := imageAccess{i: i, op: in.Op()}
	if a.result(c.subject, in) && a.fourTexel(c.subject) && a.sampledOperand(c.subject, id) {
		a.single(c.subject)
	}
}

// two checks an operand of two components.
func (c *images) two(i int, op spirv.Op, what string, id spirv.ID, float bool) {
	if t := c.m.TypeOf(id); t != nil && (!isVectorOf(t, 2, float, 32) || !float && t.Elem.Signed) {
		want := "unsigned integers"
		if float {
			want = "floats"
		}
		c.fail(i, "SPV-ImageProcessing-Operand", "%s of %s is %s; must be a vector of 2 %s of 32 bits", what, op, c.typeName(t), want)
	}
}

func (c *images) sampleWeighted(i int, in spirv.Inst) {
	v := inst.ImageSampleWeightedQCOM(in)
	c.processedTexel(i, in, v.Texture())
	c.two(i, in.Op(), "the coordinate", v.Coordinates(), true)
	if a := (imageAccess{i: i, op: in.Op()}); a.sampledOperand(c.subject, v.Weights()) {
		a.single(c.subject)
	}
	c.processed(i, in.Op(), "the weights", v.Weights(), spirv.DecorationWeightTextureQCOM, vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06981, vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06980, true)
	c.processedElsewhere(i, in.Op(), v.Texture())
}

func (c *images) boxFilter(i int, in spirv.Inst) {
	v := inst.ImageBoxFilterQCOM(in)
	c.processedTexel(i, in, v.Texture())
	c.two(i, in.Op(), "the coordinate", v.Coordinates(), true)
	c.two(i, in.Op(), "the box", v.BoxSize(), true)
	c.processedElsewhere(i, in.Op(), v.Texture())
	k := c.m.Const(v.BoxSize())
	h := k.Elem(1)
	if !c.vulkan || h == nil || !h.Known || !h.Type.IsFloat() {
		return
	}
	const code = vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06989
	y := float64(math.Float32frombits(uint32(h.Bits)))
	if y < 1 {
		c.fail(i, code, "the height of the box is %g; must be at least 1", y)
	}
	if l, ok := c.limit(code, "maxBoxFilterBlockSize[1]"); ok && y > float64(l) {
		c.fail(i, code, "the height of the box is %g; must be at most maxBoxFilterBlockSize.height, %d", y, l)
	}
}

// blockMatch checks the instructions that match blocks.
func (c *images) blockMatch(i int, in spirv.Inst) {
	op, v := in.Op(), inst.ImageBlockMatchSSDQCOM(in)
	texture, kind, region := vuid.RuntimeSpirv_OpImageBlockMatchWindow_09221, vuid.RuntimeSpirv_OpImageBlockMatchWindow_09220, vuid.RuntimeSpirv_maxBlockMatchRegion_09225
	if op == spirv.OpImageBlockMatchSSDQCOM || op == spirv.OpImageBlockMatchSADQCOM {
		texture, kind, region = vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06984, vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06983, vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06988
	}
	c.processedTexel(i, in, v.Target())
	if a := (imageAccess{i: i, op: op}); a.sampledOperand(c.subject, v.Reference()) {
		a.single(c.subject)
	}
	for _, o := range [...]struct {
		what string
		id   spirv.ID
	}{{"the target", v.Target()}, {"the reference", v.Reference()}} {
		c.processed(i, op, o.what, o.id, spirv.DecorationBlockMatchTextureQCOM, texture, kind, false)
		if op != spirv.OpImageBlockMatchWindowSSDQCOM && op != spirv.OpImageBlockMatchWindowSADQCOM {
			continue
		}
		if _, s := c.imageOrigin(o.id); s != nil && !c.carries(o.id, spirv.DecorationBlockMatchSamplerQCOM, true) {
			c.fail(i, "SPV-ImageProcessing-Decoration", "the sampler of %s of %s is %s, which has no decoration BlockMatchSamplerQCOM; must have it", o.what, op, c.name(s.ID)).also(c, s.Index, "the variable")
		}
	}
	c.two(i, op, "the coordinate of the target", v.TargetCoordinates(), false)
	c.two(i, op, "the coordinate of the reference", v.ReferenceCoordinates(), false)
	c.two(i, op, "the size of the block", v.BlockSize(), false)
	k := c.m.Const(v.BlockSize())
	for n, dimension := range [...]string{"width", "height"} {
		e := k.Elem(n)
		if !c.vulkan || e == nil || !e.Known || !e.Type.IsInt() {
			continue
		}
		if l, ok := c.limit(region, "maxBlockMatchRegion["+itoa(uint64(n))+"]"); ok && e.Bits > l {
			c.fail(i, region, "the %s of the block is %d; must be at most maxBlockMatchRegion.%s, %d", dimension, e.Bits, dimension, l)
		}
	}
}

// processingUse checks an instruction that is not of image processing. All but
// OpImageWrite have the image as the first operand after the result.
func (c *images) processingUse(i int, in spirv.Inst) {
	if !c.m.Extension("SPV_QCOM_image_processing") && !c.m.Extension("SPV_QCOM_image_processing2") {
		return
	}
	image := inst.ImageSampleImplicitLod(in).SampledImage
	if in.Op() == spirv.OpImageWrite {
		image = inst.ImageWrite(in).Image
	}
	c.processedElsewhere(i, in.Op(), image())
}

// processedElsewhere checks that an image or a sampler operand is not decorated
// for another instruction.
func (c *images) processedElsewhere(i int, op spirv.Op, id spirv.ID) {
	image, sampler := c.imageOrigin(id)
	for _, v := range [...]*facts.Variable{image, sampler} {
		if v == nil {
			continue
		}
		for _, d := range [...]spirv.Decoration{spirv.DecorationWeightTextureQCOM, spirv.DecorationBlockMatchTextureQCOM, spirv.DecorationBlockMatchSamplerQCOM} {
			if c.m.Has(v.ID, d) {
				c.fail(i, "SPV-ImageProcessing-Use", "%s uses %s, which is decorated %s; must use an object without it", op, c.name(v.ID), d).also(c, v.Index, "the variable")
				return
			}
		}
	}
}

// gatherQCOM checks OpImageGatherQCOM.
func (c *images) gatherQCOM(i int, in spirv.Inst) {
	op, v := in.Op(), inst.ImageGatherQCOM(in)
	a := imageAccess{i: i, op: op, how: typing.Gather}
	if !a.result(c.subject, in) || !a.fourTexel(c.subject) || !a.sampledOperand(c.subject, v.SampledImage()) || !a.single(c.subject) {
		return
	}
	a.mask, _ = v.ImageOperands()
	a.operands = v.ImageOperandsWords()
	a.sampledType(c.subject)
	a.coordinate(c.subject, v.Coordinate(), c.sampleFloat(), "of floats of 32 bits")
	c.gatherComponent(i, op, v.Component())
	c.imageOperands(&a)
	t, k := c.m.TypeOf(v.Mode()), c.declaredConstant(v.Mode())
	switch {
	case t == nil:
	case !isWord(t) || k == nil:
		c.fail(i, "SPV-ImageProcessing-Gather", "the mode of %s is %s; must be a constant integer of 32 bits", op, c.name(v.Mode()))
	case !k.Known:
	case k.Bits > uint64(spirv.GatherModesGatherV2QCOM):
		c.fail(i, "SPV-ImageProcessing-Gather", "the mode of %s is %d; must be 0 to 3", op, k.Bits)
	case k.Bits == uint64(spirv.GatherModesGather4x1QCOM) && !c.capable(spirv.CapabilityImageGatherLinearQCOM):
		c.fail(i, "SPV-ImageProcessing-Gather", "the mode of %s is Gather4x1QCOM; needs the capability ImageGatherLinearQCOM", op)
	case k.Bits != uint64(spirv.GatherModesGather4x1QCOM) && !c.capable(spirv.CapabilityImageGatherExtendedModesQCOM):
		c.fail(i, "SPV-ImageProcessing-Gather", "the mode of %s is %s; needs the capability ImageGatherExtendedModesQCOM", op, spirv.GatherModes(k.Bits))
	}
}

// quadFamily checks the operands of image processing that are the same for all
// invocations of a quad. The walk records the instructions; after the walk, divergence
// analysis (uniformity.go, divergence.go) compares the invocations of a quad. An operand
// that certainly differs is an error, an operand that may differ a warning.
var quadFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06979, Section: environment, Words: "the texture and the weights of OpImageSampleWeightedQCOM are dynamically uniform for the quad"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchSADQCOM_06982, Section: environment, Words: "target, reference and block size of block matching are dynamically uniform for the quad"},
		{Code: vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06990, Section: environment, Words: "the texture and the box size of OpImageBoxFilterQCOM are dynamically uniform"},
		{Code: vuid.RuntimeSpirv_OpImageBlockMatchWindow_09219, Section: environment, Words: "target, reference and block size of windowed and gathered block matching are dynamically uniform for the quad"},
	},
	ops: []group{{(*checker).quadOperand, []spirv.Op{
		spirv.OpImageSampleWeightedQCOM, spirv.OpImageBoxFilterQCOM, spirv.OpImageBlockMatchSSDQCOM, spirv.OpImageBlockMatchSADQCOM,
		spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM, spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM,
	}}},
	after: []func(*checker){(*checker).quadOperands},
}

// quadOperand records an instruction for quadOperands.
func (c *checker) quadOperand(i int, _ spirv.Inst) {
	if c.vulkan {
		c.quads = append(c.quads, i)
	}
}

// namedOperand is an operand with its name in messages.
type namedOperand struct {
	what string
	id   spirv.ID
}

// quadOperands checks the recorded instructions.
func (c *checker) quadOperands() {
	if len(c.quads) == 0 {
		return
	}
	all, quad := c.values(), c.newFlow(true)
	for _, i := range c.quads {
		switch in := c.code.Inst(i); in.Op() {
		case spirv.OpImageSampleWeightedQCOM:
			v := inst.ImageSampleWeightedQCOM(in)
			quad.uniform(i, vuid.RuntimeSpirv_OpImageSampleWeightedQCOM_06979, "a quad", namedOperand{"the texture", v.Texture()}, namedOperand{"the weights", v.Weights()})
		case spirv.OpImageBoxFilterQCOM:
			v := inst.ImageBoxFilterQCOM(in)
			operands := []namedOperand{{"the texture", v.Texture()}, {"the box size", v.BoxSize()}}
			if !quad.uniform(i, vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06990, "a quad", operands...) {
				all.uniform(i, vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06990, "a subgroup", operands...)
			}
		default:
			code := vuid.RuntimeSpirv_OpImageBlockMatchWindow_09219
			if op := in.Op(); op == spirv.OpImageBlockMatchSSDQCOM || op == spirv.OpImageBlockMatchSADQCOM {
				code = vuid.RuntimeSpirv_OpImageBlockMatchSADQCOM_06982
			}
			v := inst.ImageBlockMatchSSDQCOM(in)
			quad.uniform(i, code, "a quad", namedOperand{"the target", v.Target()}, namedOperand{"the reference", v.Reference()}, namedOperand{"the block size", v.BlockSize()})
		}
	}
}
