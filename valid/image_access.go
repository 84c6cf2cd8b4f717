package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// accessMask returns the image operands of a fetch or a read.
func (a *imageAccess) accessMask(in spirv.Inst) {
	v := inst.ImageFetch(in) // a read has the same form
	a.mask, _ = v.ImageOperands()
	a.operands = v.ImageOperandsWords()
}

func (c *images) imageFetch(i int, in spirv.Inst) {
	op := in.Op()
	a := imageAccess{i: i, op: op, how: typing.TraitsOf(op)}
	v := inst.ImageFetch(in)
	if !a.result(c.subject, in) || !a.fourTexel(c.subject) || !a.imageOperand(c.subject, v.Image()) {
		return
	}
	a.accessMask(in)
	switch m := a.image.Image; {
	case m.Dim == spirv.DimCube || m.Dim == spirv.DimTileImageDataEXT:
		a.unsuited(c.subject, "of dimension %s; must be another", m.Dim)
	case m.Sampled != 1:
		a.unsuited(c.subject, "with sampled %d; must be 1", m.Sampled)
	}
	a.sampledType(c.subject)
	c.imageSign(i, op, a.image, a.mask)
	a.coordinate(c.subject, v.Coordinate(), isWord, "of integers of 32 bits")
	c.imageOperands(&a)
}

func (c *images) imageRead(i int, in spirv.Inst) {
	op := in.Op()
	a := imageAccess{i: i, op: op, how: typing.TraitsOf(op)}
	v := inst.ImageRead(in)
	if !a.result(c.subject, in) {
		return
	}
	switch {
	case !numbers(a.texel):
		c.fail(i, "SPV-Image-Result", "%s yields %s; must yield a number or a vector of numbers", op, c.typeName(a.texel))
		return
	case c.vulkan && a.texel.Components() != 4:
		c.fail(i, vuid.StandaloneSpirv_Result_04780, "%s yields %s; must yield a vector of 4 components", op, c.typeName(a.texel))
	}
	if !a.imageOperand(c.subject, v.Image()) {
		return
	}
	a.accessMask(in)
	c.readable(&a)
	c.storageImage(&a)
	if a.image.Image.Dim == spirv.DimSubpassData {
		models := inFragment
		if c.capable(spirv.CapabilitySubpassShadingHUAWEI) {
			models |= inGLCompute
		}
		c.onlyIn(i, models, "SPV-Image-Model")
		if c.vulkan {
			c.subpassCoordinate(&a, v.Coordinate())
		}
	}
	a.sampledType(c.subject)
	c.imageSign(i, op, a.image, a.mask)
	c.accessCoordinate(&a, v.Coordinate())
	c.imageOperands(&a)
}

// readable checks that an image can be read.
func (c *images) readable(a *imageAccess) {
	switch m := a.image.Image; {
	case m.Dim == spirv.DimTileImageDataEXT:
		a.unsuited(c.subject, "of dimension %s; must be another", m.Dim)
	case m.Dim == spirv.DimSubpassData && a.how.Has(typing.Sparse):
		a.unsuited(c.subject, "of dimension %s; must be another", m.Dim)
	case m.Sampled == 1:
		a.unsuited(c.subject, "with sampled 1; must be 0 or 2")
	case c.vulkan && m.Format == spirv.ImageFormatUnknown && m.Dim != spirv.DimSubpassData && !c.capable(spirv.CapabilityStorageImageReadWithoutFormat):
		c.fail(a.i, "SPV-Image-Format", "%s of an image without a format; needs the capability StorageImageReadWithoutFormat", a.op).also(c, a.image.Index, "the image")
	}
}

// storageImage checks that the module declares the capability that a storage image
// of a dimension needs beyond the capability of a sampled one.
func (c *images) storageImage(a *imageAccess) {
	m := a.image.Image
	if m.Sampled != 2 {
		return
	}
	var need spirv.Capability
	switch {
	case m.Dim == spirv.Dim1D:
		need = spirv.CapabilityImage1D
	case m.Dim == spirv.DimBuffer:
		need = spirv.CapabilityImageBuffer
	case m.Dim == spirv.DimRect:
		need = spirv.CapabilityImageRect
	case m.Dim == spirv.DimCube && m.Arrayed:
		need = spirv.CapabilityImageCubeArray
	case m.Dim == spirv.Dim2D && m.Arrayed && m.MS:
		need = spirv.CapabilityImageMSArray
	default:
		return
	}
	if !c.capable(need) {
		layered, sampled := map[bool]string{true: " with layers"}, map[bool]string{true: " and samples"}
		c.fail(a.i, "SPV-Image-Capability", "%s of a storage image of dimension %s%s%s; needs the capability %s", a.op, m.Dim, layered[m.Arrayed], sampled[m.MS], need).also(c, a.image.Index, "the image")
	}
}

// accessCoordinate checks the coordinate of a read or a write.
func (c *images) accessCoordinate(a *imageAccess, id spirv.ID) {
	a.coordinate(c.subject, id, func(t *facts.Type) bool { return isWord(t) || isSingle(t) }, "of integers or floats of 32 bits")
}

// subpassCoordinate checks the coordinate of a subpass.
func (c *images) subpassCoordinate(a *imageAccess, id spirv.ID) {
	if c.older() && a.image.Image.Arrayed {
		if !c.layerOfPixel(id) && c.m.TypeOf(id) != nil {
			c.fail(a.i, vuid.StandaloneSpirv_SubpassData_04660, "the coordinate of the layered subpass is %s; must be a vector formed with the constants 0 and 0, and the layer, in %s", c.name(id), text11)
		}
		return
	}
	k := c.declaredConstant(id)
	zero := k != nil && k.Known && !k.Spec && k.Type.IsVector()
	for n := 0; zero && n < k.Type.Components(); n++ {
		zero = isZero(k.Elem(n))
	}
	if !zero && c.m.TypeOf(id) != nil {
		c.fail(a.i, vuid.StandaloneSpirv_SubpassData_04660, "the coordinate of the subpass is %s; must be the constant (0, 0)", c.name(id))
	}
}

func (c *images) imageWrite(i int, in spirv.Inst) {
	op := in.Op()
	a := imageAccess{i: i, op: op}
	v := inst.ImageWrite(in)
	if !a.imageOperand(c.subject, v.Image()) {
		return
	}
	a.mask, _ = v.ImageOperands()
	a.operands = v.ImageOperandsWords()
	m := a.image.Image
	switch {
	case m.Dim == spirv.DimSubpassData || m.Dim == spirv.DimTileImageDataEXT:
		a.unsuited(c.subject, "of dimension %s; must be another", m.Dim)
	case m.Sampled == 1:
		a.unsuited(c.subject, "with sampled 1; must be 0 or 2")
	case c.vulkan && m.Format == spirv.ImageFormatUnknown && !c.capable(spirv.CapabilityStorageImageWriteWithoutFormat):
		c.fail(i, "SPV-Image-Format", "%s of an image without a format; needs the capability StorageImageWriteWithoutFormat", op).also(c, a.image.Index, "the image")
	}
	c.storageImage(&a)
	c.accessCoordinate(&a, v.Coordinate())
	if a.texel = c.m.TypeOf(v.Texel()); a.texel == nil {
		return
	}
	if !numbers(a.texel) {
		c.fail(i, "SPV-Image-Result", "the texel of %s is %s; must be a number or a vector of numbers", op, c.typeName(a.texel))
		return
	}
	a.sampledType(c.subject)
	c.imageSign(i, op, a.image, a.mask)
	if n := formatComponents(m.Format); c.vulkan && a.texel.Components() < n {
		c.fail(i, vuid.RuntimeSpirv_OpImageWrite_07112, "%s of %s to an image of the format %s; must have at least %d components", op, c.typeName(a.texel), m.Format, n)
	}
	c.imageOperands(&a)
}

// formatComponents returns how many components a format has; 0 of Unknown.
func formatComponents(f spirv.ImageFormat) int {
	switch f {
	case spirv.ImageFormatR32f, spirv.ImageFormatR16f, spirv.ImageFormatR16, spirv.ImageFormatR8, spirv.ImageFormatR16Snorm, spirv.ImageFormatR8Snorm,
		spirv.ImageFormatR32i, spirv.ImageFormatR16i, spirv.ImageFormatR8i, spirv.ImageFormatR32ui, spirv.ImageFormatR16ui, spirv.ImageFormatR8ui,
		spirv.ImageFormatR64i, spirv.ImageFormatR64ui:
		return 1
	case spirv.ImageFormatRg32f, spirv.ImageFormatRg16f, spirv.ImageFormatRg16, spirv.ImageFormatRg8, spirv.ImageFormatRg16Snorm, spirv.ImageFormatRg8Snorm,
		spirv.ImageFormatRg32i, spirv.ImageFormatRg16i, spirv.ImageFormatRg8i, spirv.ImageFormatRg32ui, spirv.ImageFormatRg16ui, spirv.ImageFormatRg8ui:
		return 2
	case spirv.ImageFormatR11fG11fB10f:
		return 3
	case spirv.ImageFormatUnknown:
		return 0
	}
	return 4
}

// tileRead checks the reads of a tile's attachments.
func (c *images) tileRead(i int, in spirv.Inst) {
	op := in.Op()
	t := c.m.Type(in.Type())
	c.onlyIn(i, inFragment, "SPV-Image-Model")
	if t == nil {
		return
	}
	a := imageAccess{i: i, op: op, texel: t}
	sample, sampled := spirv.ID(0), false
	switch op {
	case spirv.OpColorAttachmentReadEXT:
		v := inst.ColorAttachmentReadEXT(in)
		if !numbers(t) {
			c.fail(i, "SPV-Image-Result", "%s yields %s; must yield a number or a vector of numbers", op, c.typeName(t))
			return
		}
		if !a.imageOperand(c.subject, v.Attachment()) {
			return
		}
		if d := a.image.Image.Dim; d != spirv.DimTileImageDataEXT {
			a.unsuited(c.subject, "of dimension %s; must be TileImageDataEXT", d)
		}
		a.sampledType(c.subject)
		sample, sampled = v.Sample()
	case spirv.OpDepthAttachmentReadEXT:
		if !isSingle(t) {
			c.fail(i, "SPV-Image-Result", "%s yields %s; must yield a float of 32 bits", op, c.typeName(t))
		}
		sample, sampled = inst.DepthAttachmentReadEXT(in).Sample()
	case spirv.OpStencilAttachmentReadEXT:
		if !isWord(t) {
			c.fail(i, "SPV-Image-Result", "%s yields %s; must yield an integer of 32 bits", op, c.typeName(t))
		}
		sample, sampled = inst.StencilAttachmentReadEXT(in).Sample()
	}
	if s := c.m.TypeOf(sample); sampled && s != nil && !isWord(s) {
		c.fail(i, "SPV-ImageOperand-Sample", "the sample of %s is %s; must be an integer of 32 bits", op, c.typeName(s))
	}
}
