package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// sampleMask returns the image operands of a sampling instruction.
func (a *imageAccess) sampleMask(in spirv.Inst) {
	if a.how.Has(typing.Dref) || a.how.Has(typing.Gather) {
		v := inst.ImageSampleDrefImplicitLod(in) // a gather has its component in place of the reference
		a.mask, _ = v.ImageOperands()
		a.operands = v.ImageOperandsWords()
		return
	}
	v := inst.ImageSampleImplicitLod(in)
	a.mask, _ = v.ImageOperands()
	a.operands = v.ImageOperandsWords()
}

// imageSample checks the instructions OpImage…Sample….
func (c *images) imageSample(i int, in spirv.Inst) {
	op := in.Op()
	a := imageAccess{i: i, op: op, how: typing.TraitsOf(op)}
	v := inst.ImageSampleImplicitLod(in)
	if a.how.Has(typing.ImplicitLod) {
		c.implicitLod(i, op)
	}
	if !a.result(c.subject, in) || !a.sampledOperand(c.subject, v.SampledImage()) {
		return
	}
	a.sampleMask(in)
	if a.how.Has(typing.Dref) {
		if s := a.texel; !s.IsInt() && !s.IsFloat() {
			c.fail(i, "SPV-Image-Result", "%s yields %s; must yield a scalar number", op, c.typeName(s))
			return
		}
	} else if !a.fourTexel(c.subject) {
		return
	}
	if !a.single(c.subject) {
		return
	}
	if m := a.image.Image; a.how.Has(typing.Projective) {
		switch m.Dim {
		case spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimRect:
		default:
			a.unsuited(c.subject, "of dimension %s; must be 1D, 2D, 3D or Rect", m.Dim)
		}
		if m.Arrayed {
			a.unsuited(c.subject, "with layers; must have none")
		}
	}
	a.sampledType(c.subject)
	c.imageSign(i, op, a.image, a.mask)
	if a.how.Has(typing.ExplicitLod) && c.capable(spirv.CapabilityKernel) {
		a.coordinate(c.subject, v.Coordinate(), func(t *facts.Type) bool { return isSingle(t) || isWord(t) }, "of integers or floats of 32 bits")
	} else {
		a.coordinate(c.subject, v.Coordinate(), c.sampleFloat(), "of floats of 32 bits")
	}
	if a.how.Has(typing.Dref) {
		c.dref(&a, inst.ImageSampleDrefImplicitLod(in).DRef())
		a.threeDim(c.subject)
	}
	c.imageOperands(&a)
}

// dref checks the reference of a comparison.
func (c *images) dref(a *imageAccess, id spirv.ID) {
	if t := c.m.TypeOf(id); t != nil && !isSingle(t) && !(c.capable(spirv.CapabilityFloat16ImageAMD) && t.IsFloat() && t.Width == 16) {
		c.fail(a.i, "SPV-Image-Dref", "the reference of %s is %s; must be a float of 32 bits", a.op, c.typeName(t))
	}
}

// imageGather checks the instructions that gather.
func (c *images) imageGather(i int, in spirv.Inst) {
	op := in.Op()
	a := imageAccess{i: i, op: op, how: typing.TraitsOf(op)}
	v := inst.ImageGather(in)
	if !a.result(c.subject, in) || !a.fourTexel(c.subject) || !a.sampledOperand(c.subject, v.SampledImage()) || !a.single(c.subject) {
		return
	}
	a.sampleMask(in)
	a.sampledType(c.subject)
	c.imageSign(i, op, a.image, a.mask)
	switch d := a.image.Image.Dim; d {
	case spirv.Dim2D, spirv.DimCube, spirv.DimRect:
	default:
		if a.threeDim(c.subject); !c.vulkan || !a.how.Has(typing.Dref) || d != spirv.Dim3D {
			a.unsuited(c.subject, "of dimension %s; must be 2D, Cube or Rect", d)
		}
	}
	a.coordinate(c.subject, v.Coordinate(), c.sampleFloat(), "of floats of 32 bits")
	if a.how.Has(typing.Dref) {
		c.dref(&a, inst.ImageDrefGather(in).DRef())
	} else {
		c.gatherComponent(i, op, v.Component())
	}
	c.imageOperands(&a)
}

// gatherComponent checks the component that is gathered.
func (c *images) gatherComponent(i int, op spirv.Op, id spirv.ID) {
	t := c.m.TypeOf(id)
	switch {
	case t == nil:
	case !isWord(t):
		c.fail(i, "SPV-Image-Component", "the component of %s is %s; must be an integer of 32 bits", op, c.typeName(t))
	case c.vulkan && c.declaredConstant(id) == nil:
		c.fail(i, vuid.StandaloneSpirv_OpImageGather_04664, "the component of %s is %s; must be a constant", op, c.name(id))
	default:
		if k := c.m.Const(id); k != nil && !k.Spec {
			if n, ok := k.Int(); ok && n&^3 != 0 {
				c.fail(i, "SPV-Image-Component", "the component of %s is %d; must be 0, 1, 2 or 3", op, n)
			}
		}
	}
}

// inDerivatives are the models that may have derivatives.
const inDerivatives = inFragment | inGLCompute | inMeshEXT | inTaskEXT

// implicitLod checks the entry points of an instruction with an implicit level of
// detail: a fragment shader, or a workgroup with a derivative group mode.
func (c *images) implicitLod(i int, op spirv.Op) {
	c.derivativeModel(i, op, inDerivatives, "SPV-Image-Model")
}

// derivativeModel checks the models and the modes of the entry points that call
// an instruction that computes derivatives.
func (c *position) derivativeModel(i int, op spirv.Op, allowed modelSet, code string) {
	models := c.callerModels()
	if models&^inFragment == 0 || c.onlyIn(i, allowed, code) {
		return
	}
	for _, e := range c.callersOf(c.fn) {
		switch e.Model {
		case spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelTaskNV:
			if !e.HasMode(spirv.ExecutionModeDerivativeGroupQuadsKHR) && !e.HasMode(spirv.ExecutionModeDerivativeGroupLinearKHR) {
				c.fail(i, code, "%s in a function that the %s entry point %q calls, which has no derivative group; needs the execution mode DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR", op, e.Model, e.Name).also(c, e.Index, "the entry point")
				return
			}
		}
	}
}

// sampledImage checks OpSampledImage.
func (c *images) sampledImage(i int, in spirv.Inst) {
	v := inst.SampledImage(in)
	t, m, s := c.m.Type(in.Type()), c.m.TypeOf(v.Image()), c.m.TypeOf(v.Sampler())
	if t == nil {
		return
	}
	c.sampled = append(c.sampled, i)
	switch {
	case t.Op != spirv.OpTypeSampledImage:
		c.fail(i, "SPV-SampledImage-Operand", "OpSampledImage yields %s; must yield a sampled image", c.typeName(t))
	case m != nil && m.Image == nil:
		c.fail(i, "SPV-SampledImage-Operand", "the image of OpSampledImage is %s; must be an image", c.typeName(m))
	case m != nil && t.Elem != nil && t.Elem.Image != nil && !alikeImages(m, t.Elem):
		c.fail(i, "SPV-SampledImage-Operand", "the image of OpSampledImage is %s, and the result %s; must differ at most in depth", c.typeName(m), c.typeName(t)).also(c, m.Index, "the image's type")
	case m != nil && m.Image.Sampled > 1:
		c.fail(i, "SPV-SampledImage-Operand", "the image of OpSampledImage has sampled %d; must be 0 or 1", m.Image.Sampled)
	case s != nil && s.Op != spirv.OpTypeSampler:
		c.fail(i, "SPV-SampledImage-Operand", "the sampler of OpSampledImage is %s; must be a sampler", c.typeName(s))
	}
}

// alikeImages reports whether two image types differ in depth at most.
func alikeImages(a, b *facts.Type) bool {
	x, y := *a.Image, *b.Image
	x.Depth, y.Depth = 0, 0
	return a.Elem == b.Elem && x == y
}

// sampledImageUses checks the uses of the results of OpSampledImage and OpVmeImageINTEL. It reads
// the operands only of instructions that have such an id among their words.
func (c *images) sampledImageUses() {
	if len(c.sampled) == 0 {
		return
	}
	made := make(map[spirv.ID]int, len(c.sampled))
	for _, i := range c.sampled {
		made[c.code.Inst(i).Result()] = i
	}
	for i := c.sampled[0] + 1; i < c.code.Len(); i++ {
		if !c.code.Known(i) {
			continue
		}
		in := c.code.Inst(i)
		for _, w := range in[1:] {
			if d, ok := made[spirv.ID(w)]; ok && i != d {
				c.sampledImageUse(i, in, made)
				break
			}
		}
	}
}

// sampledImageUse checks the operands of one instruction.
func (c *images) sampledImageUse(i int, in spirv.Inst, made map[spirv.ID]int) {
	op := in.Op()
	for w := c.code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindIdRef || len(w.Words) == 0 {
			continue
		}
		d, ok := made[spirv.ID(w.Words[0])]
		if !ok || d == i {
			continue
		}
		maker, takes, must := c.code.Inst(d).Op(), takesSampledImage(op), "must sample or query"
		if maker == spirv.OpVmeImageINTEL {
			takes, must = takesMotionImage(op), "must estimate motion"
		}
		switch {
		case !takes:
			c.fail(i, "SPV-SampledImage-Use", "%s uses the result of %s %s; %s", op, maker, c.name(spirv.ID(w.Words[0])), must).also(c, d, "the sampled image")
		case c.blockOf[i] != c.blockOf[d]:
			c.fail(i, "SPV-SampledImage-Use", "the result of %s %s is used in another block; must be used in its own", maker, c.name(spirv.ID(w.Words[0]))).also(c, d, "the sampled image")
		}
	}
}

// takesSampledImage reports whether an instruction has a sampled image as an
// operand itself.
func takesSampledImage(op spirv.Op) bool {
	switch op {
	case spirv.OpImageQueryLod, spirv.OpImageGatherQCOM, spirv.OpImageSampleFootprintNV:
		return true
	}
	if takesAnySampledImage(op) {
		return true
	}
	return typing.TraitsOf(op).Has(typing.ImplicitLod | typing.ExplicitLod | typing.Gather | typing.Processing)
}

// takesAnySampledImage reports whether an instruction has a combined image of every
// kind as an operand.
func takesAnySampledImage(op spirv.Op) bool {
	switch op {
	case spirv.OpImage, spirv.OpCopyObject, spirv.OpName, spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpExtInst:
		return true
	}
	return false
}
