package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageTypeFamily checks the types of images (SPIR-V §3.3.6) and how a format
// fits them (Vulkan, Image Format and Type Matching).
var imageTypeFamily = family{
	rules: []Rule{
		{Code: "SPV-Image-SampledType", Section: "SPIR-V 3.3.6", Words: "the sampled type of an image is void or a scalar number"},
		{Code: "SPV-Image-Literal", Section: "SPIR-V 3.3.6", Words: "Depth and Sampled of an image are 0, 1 or 2, Arrayed and MS 0 or 1"},
		{Code: "SPV-Image-Dim", Section: "SPIR-V 3.3.6", Words: "images of subpasses and tiles are used without a sampler and have no format; tiles have neither depth nor layers"},
		{Code: "SPV-Image-Capability", Section: "SPIR-V 3.2.30", Words: "an image needs its capability: for 64-bit integers, for multisampled images without a sampler, and for the read or write of storage images that are 1D, Buffer, Rect, arrayed cubes or arrayed and multisampled"},
		{Code: "SPV-Image-OpenCL", Section: "OpenCL SPIR-V Environment", Words: "in OpenCL, the sampled type is void, Sampled is 0, an image has an access qualifier and one sample, and only 1D and 2D images have layers"},
		{Code: "SPV-SampledImage-Type", Section: "SPIR-V 3.3.6", Words: "a sampled image has an image that is usable with a sampler"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_04656, Section: environment, Words: "the sampled type of an image is a 32-bit float, or a 32-bit or 64-bit integer"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_04657, Section: environment, Words: "Sampled of an image is 1 or 2"},
		{Code: vuid.StandaloneSpirv_OpTypeSampledImage_06671, Section: environment, Words: "the image of a sampled image has Sampled 1"},
		{Code: vuid.StandaloneSpirv_Image_04965, Section: environment, Words: "the format of an image has the kind, width and signedness of the sampled type, after the sign or zero extension of the access"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_09638, Section: environment, Words: "no image has the dimension Rect"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_06214, Section: environment, Words: "the image of a subpass has no layers, and Sampled 2"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeImage:        imageJudge((*images).typeImage),
		spirv.OpTypeSampledImage: imageJudge((*images).typeSampledImage),
	},
}

func (c *images) typeImage(i int, in spirv.Inst) {
	v := inst.TypeImage(in)
	c.imageSampledType(i, v)
	for _, l := range [...]struct {
		what       string
		value, max uint32
	}{{"depth", v.Depth(), 2}, {"arrayed", v.Arrayed(), 1}, {"multisampled", v.MS(), 1}, {"sampled", v.Sampled(), 2}} {
		if l.value > l.max {
			c.fail(i, "SPV-Image-Literal", "%s is %d; must be at most %d", l.what, l.value, l.max)
			return
		}
	}
	c.imageDim(i, v)
	if v.MS() == 1 && v.Sampled() == 2 && v.Dim() != spirv.DimSubpassData && !c.capable(spirv.CapabilityStorageImageMultisample) {
		c.fail(i, "SPV-Image-Capability", "a multisampled image that is used without a sampler; needs the capability StorageImageMultisample")
	}
	switch c.env.API {
	case Vulkan:
		if v.Sampled() == 0 {
			c.fail(i, vuid.StandaloneSpirv_OpTypeImage_04657, "sampled is 0; must be 1 or 2")
		}
		if v.Dim() == spirv.DimRect {
			c.fail(i, vuid.StandaloneSpirv_OpTypeImage_09638, "the dimension is Rect; must be another")
		}
		c.imageFormat(i, v.ImageFormat(), c.m.Type(v.SampledType()))
	case OpenCL:
		c.imageOpenCL(i, v)
	}
}

// imageSampledType checks the sampled type.
func (c *images) imageSampledType(i int, v inst.TypeImage) {
	t := c.m.Type(v.SampledType())
	if t == nil {
		return
	}
	number := t.IsInt() || t.IsFloat()
	wide := t.IsInt() && t.Width == 64
	switch {
	case wide && c.older() && !c.capable(spirv.CapabilityInt64ImageEXT):
		c.fail(i, vuid.StandaloneSpirv_OpTypeImage_04656, "the sampled type is %s; must have 32 bits in %s, or have the capability Int64ImageEXT", c.typeName(t), text11)
	case c.vulkan && !(number && !t.Encoded && (t.Width == 32 || wide)):
		c.fail(i, vuid.StandaloneSpirv_OpTypeImage_04656, "the sampled type is %s; must be a float of 32 bits or an integer of 32 or 64 bits", c.typeName(t))
	case c.env.API == OpenCL && !t.IsVoid():
		c.fail(i, "SPV-Image-OpenCL", "the sampled type is %s; must be void", c.typeName(t))
	case !number && !t.IsVoid():
		c.fail(i, "SPV-Image-SampledType", "the sampled type is %s; must be void or a scalar number", c.typeName(t))
	case wide && !c.vulkan && c.capable(spirv.CapabilityShader) && !c.capable(spirv.CapabilityInt64ImageEXT):
		c.fail(i, "SPV-Image-Capability", "the sampled type is a 64-bit integer; needs the capability Int64ImageEXT")
	}
}

// imageDim checks the requirements of the dimension.
func (c *images) imageDim(i int, v inst.TypeImage) {
	dim := v.Dim()
	if dim != spirv.DimSubpassData && dim != spirv.DimTileImageDataEXT {
		return
	}
	switch tile := dim == spirv.DimTileImageDataEXT; {
	case c.vulkan && !tile && (v.Sampled() != 2 || v.Arrayed() != 0 && !c.older()):
		c.fail(i, vuid.StandaloneSpirv_OpTypeImage_06214, "the image of a subpass with sampled %d and arrayed %d; must be 2 and 0", v.Sampled(), v.Arrayed())
	case v.Sampled() != 2:
		c.fail(i, "SPV-Image-Dim", "sampled is %d of the dimension %s; must be 2", v.Sampled(), dim)
	case v.ImageFormat() != spirv.ImageFormatUnknown:
		c.fail(i, "SPV-Image-Dim", "the format is %s of the dimension %s; must be Unknown", v.ImageFormat(), dim)
	case tile && c.m.Type(v.SampledType()).IsVoid():
		c.fail(i, "SPV-Image-Dim", "the sampled type is void of the dimension %s; must be a scalar number", dim)
	case tile && v.Depth() != 0:
		c.fail(i, "SPV-Image-Dim", "depth is %d of the dimension %s; must be 0", v.Depth(), dim)
	case tile && v.Arrayed() != 0:
		c.fail(i, "SPV-Image-Dim", "arrayed is 1 of the dimension %s; must be 0", dim)
	}
}

// imageOpenCL checks the requirements of OpenCL on an image type.
func (c *images) imageOpenCL(i int, v inst.TypeImage) {
	_, access := v.AccessQualifier()
	switch dim := v.Dim(); {
	case dim != spirv.Dim1D && dim != spirv.Dim2D && dim != spirv.Dim3D && dim != spirv.DimBuffer:
		c.fail(i, "SPV-Image-OpenCL", "the dimension is %s; must be 1D, 2D, 3D or Buffer", dim)
	case v.Arrayed() == 1 && dim != spirv.Dim1D && dim != spirv.Dim2D:
		c.fail(i, "SPV-Image-OpenCL", "an image of dimension %s has layers; must be 1D or 2D", dim)
	case v.MS() != 0 && !c.m.Extension("cl_khr_gl_msaa_sharing"):
		c.fail(i, "SPV-Image-OpenCL", "a multisampled image; must have one sample")
	case v.Sampled() != 0:
		c.fail(i, "SPV-Image-OpenCL", "sampled is %d; must be 0", v.Sampled())
	case !access:
		c.fail(i, "SPV-Image-OpenCL", "an image without an access qualifier; must have one")
	}
}

// formatKind is the numeric type of the texels of a format (Vulkan, Image Format
// and Type Matching).
type formatKind struct{ float, signed, wide bool }

// kindOf returns the kind of a format; false for Unknown and for formats without
// a row here.
func kindOf(f spirv.ImageFormat) (formatKind, bool) {
	switch f {
	case spirv.ImageFormatUnknown:
		return formatKind{}, false
	case spirv.ImageFormatR64i:
		return formatKind{signed: true, wide: true}, true
	case spirv.ImageFormatR64ui:
		return formatKind{wide: true}, true
	case spirv.ImageFormatRgba32i, spirv.ImageFormatRgba16i, spirv.ImageFormatRgba8i, spirv.ImageFormatR32i, spirv.ImageFormatRg32i,
		spirv.ImageFormatRg16i, spirv.ImageFormatRg8i, spirv.ImageFormatR16i, spirv.ImageFormatR8i:
		return formatKind{signed: true}, true
	case spirv.ImageFormatRgba32ui, spirv.ImageFormatRgba16ui, spirv.ImageFormatRgba8ui, spirv.ImageFormatR32ui, spirv.ImageFormatRgb10a2ui,
		spirv.ImageFormatRg32ui, spirv.ImageFormatRg16ui, spirv.ImageFormatRg8ui, spirv.ImageFormatR16ui, spirv.ImageFormatR8ui:
		return formatKind{}, true
	}
	return formatKind{float: true}, f <= spirv.ImageFormatR8Snorm
}

// imageFormat checks the format against the sampled type, except the sign: an
// access may select sign or zero extension.
func (c *images) imageFormat(i int, f spirv.ImageFormat, t *facts.Type) {
	k, ok := kindOf(f)
	if !ok || t == nil || !t.IsInt() && !t.IsFloat() {
		return
	}
	if k.float != t.IsFloat() || !k.float && k.wide != (t.Width == 64) {
		c.fail(i, vuid.StandaloneSpirv_Image_04965, "the format is %s and the sampled type %s; must match", f, c.typeName(t))
	}
}

// imageSign checks the sign of the format against the sign of the sampled type, as
// an access by instruction i extends it.
func (c *images) imageSign(i int, op spirv.Op, t *facts.Type, mask spirv.ImageOperands) {
	if !c.vulkan || t == nil || t.Image == nil || !t.Elem.IsInt() {
		return
	}
	k, ok := kindOf(t.Image.Format)
	if !ok || k.float {
		return
	}
	signed := t.Elem.Signed
	switch {
	case mask&spirv.ImageOperandsSignExtendMask != 0:
		signed = true
	case mask&spirv.ImageOperandsZeroExtendMask != 0:
		signed = false
	}
	if signed != k.signed {
		c.fail(i, vuid.StandaloneSpirv_Image_04965, "%s accesses texels of the format %s as %s; must access %s", op, t.Image.Format, signs(signed), signs(k.signed)).also(c, t.Index, "the image")
	}
}

func signs(signed bool) string {
	if signed {
		return "signed integers"
	}
	return "unsigned integers"
}

func (c *images) typeSampledImage(i int, in spirv.Inst) {
	t := c.m.Type(inst.TypeSampledImage(in).ImageType())
	switch {
	case t == nil:
	case t.Image == nil:
		c.fail(i, "SPV-SampledImage-Type", "the sampled image is of %s; must be of an image", c.typeName(t))
	case c.vulkan && t.Image.Sampled != 1:
		c.fail(i, vuid.StandaloneSpirv_OpTypeSampledImage_06671, "the sampled image is of an image with sampled %d; must be 1", t.Image.Sampled)
	case t.Image.Sampled > 1:
		c.fail(i, "SPV-SampledImage-Type", "the sampled image is of an image with sampled %d; must be 0 or 1", t.Image.Sampled)
	case t.Image.Dim == spirv.DimSubpassData || t.Image.Dim == spirv.DimBuffer && c.since(spirv.Version16):
		c.fail(i, "SPV-SampledImage-Type", "the sampled image is of an image of dimension %s; must be another", t.Image.Dim)
	}
}
