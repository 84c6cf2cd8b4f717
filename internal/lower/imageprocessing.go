package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var imageProcessingRules = rules{
	spirv.OpImageBoxFilterQCOM:           boxFilter,
	spirv.OpImageSampleWeightedQCOM:      sampleWeighted,
	spirv.OpImageBlockMatchSADQCOM:       blockMatch(ir.TextureMatch, false),
	spirv.OpImageBlockMatchSSDQCOM:       blockMatch(ir.TextureMatch, true),
	spirv.OpImageBlockMatchWindowSADQCOM: blockMatch(ir.TextureMatchWindow, false),
	spirv.OpImageBlockMatchWindowSSDQCOM: blockMatch(ir.TextureMatchWindow, true),
	spirv.OpImageBlockMatchGatherSADQCOM: blockMatch(ir.TextureMatchGather, false),
	spirv.OpImageBlockMatchGatherSSDQCOM: blockMatch(ir.TextureMatchGather, true),
}

// Image processing (SPV_QCOM_image_processing, SPV_QCOM_image_processing2) is of
// images of two dimensions without layers, of the second image too, but of weights.

// processing begins a call of image processing.
func (f *function) processing(op ir.TextureOp, id spirv.ID) *textureCall {
	c := f.sampled(op, id, &imageOperands{})
	if t := &c.head; t.Dim != ir.Dim2D || t.Arrayed || t.Type != ir.F32 {
		f.unsupported("image processing of an image of %s, arrayed %t, with components of %s", t.Dim, t.Arrayed, t.Type)
	}
	return c
}

// second sets the second image of the call.
func (c *textureCall) second(id spirv.ID, arrayed bool) {
	if t := c.f.typeOf(id); t.Op != spirv.OpTypeImage && t.Op != spirv.OpTypeSampledImage {
		c.f.unsupported("image processing with %s", t.Op)
	}
	x := c.f.image(id)
	im := x.typ.Image
	if im.Dim != spirv.Dim2D || im.Arrayed != arrayed || im.MS || c.f.componentType(x.typ.Elem) != ir.F32 {
		c.f.unsupported("image processing with a second image of %s, arrayed %t", im.Dim, im.Arrayed)
	}
	c.other = &x
	c.texel = append(c.texel, x.index)
}

// boxFilter lowers OpImageBoxFilterQCOM.
func boxFilter(f *function, in spirv.Inst) {
	v := inst.ImageBoxFilterQCOM(in)
	c := f.processing(ir.TextureBox, v.Texture())
	c.at = f.floats32(v.Coordinates(), 2)
	c.texel = f.floats32(v.BoxSize(), 2)
	f.texelResult(in, c)
}

// sampleWeighted lowers OpImageSampleWeightedQCOM.
func sampleWeighted(f *function, in spirv.Inst) {
	v := inst.ImageSampleWeightedQCOM(in)
	c := f.processing(ir.TextureWeighted, v.Texture())
	c.at = f.floats32(v.Coordinates(), 2)
	c.second(v.Weights(), true)
	f.texelResult(in, c)
}

// blockMatch lowers the instructions OpImageBlockMatch….
func blockMatch(op ir.TextureOp, squared bool) rule {
	return func(f *function, in spirv.Inst) {
		v := inst.ImageBlockMatchSSDQCOM(in)
		c := f.processing(op, v.Target())
		c.head.Squared = squared
		c.at = f.ints32(v.TargetCoordinates(), 2)
		c.second(v.Reference(), false)
		from := f.ints32(v.ReferenceCoordinates(), 2)
		c.checkReference(from)
		c.texel = append(c.texel, from...)
		c.texel = append(c.texel, f.ints32(v.BlockSize(), 2)...)
		f.texelResult(in, c)
	}
}
