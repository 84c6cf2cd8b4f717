package amber

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// recordState records the commands that set the state of a script, whether the draw needs it or not.
func recordState(c *vk.CommandBuffer, f *vk.FixedState) {
	c.SetVertexInput(*f.Vertex)
	c.SetTopology(f.Assembly.Topology)
	c.SetPrimitiveRestart(f.Assembly.PrimitiveRestart)
	c.SetPatchControlPoints(f.Tessellation.PatchControlPoints)
	c.SetDomainOrigin(f.Tessellation.Origin)
	c.SetViewports(f.Viewports)
	c.SetScissors(f.Scissors)
	c.SetNegativeOneToOne(f.NegativeOneToOne)
	recordRasterization(c, f)
	recordMultisample(c, f)
	recordTests(c, f)
	recordBlend(c, f)
}

func recordRasterization(c *vk.CommandBuffer, f *vk.FixedState) {
	r := f.Rasterization
	c.SetRasterizerDiscard(r.Discard)
	c.SetPolygonMode(r.Polygon)
	c.SetCullMode(r.Cull)
	c.SetFrontFace(r.Front)
	c.SetProvokingVertex(r.Provoking)
	c.SetRasterizationStream(r.Stream)
	c.SetDepthClamp(r.DepthClamp)
	if r.DepthClip != nil { // without the command it is the opposite of the clamp
		c.SetDepthClip(*r.DepthClip)
	}
	c.SetDepthBiasEnable(r.DepthBias)
	c.SetDepthBias(f.BiasConstant, f.BiasClamp, f.BiasSlope)
	c.SetLineWidth(r.LineWidth)
	c.SetLineMode(r.Lines)
	c.SetLineStippleEnable(r.Stippled)
	c.SetLineStipple(f.LineStipple, f.LinePattern)
	c.SetConservativeMode(r.Conservative)
	c.SetExtraOverestimation(f.ExtraOverestimate)
	c.SetDiscardRectangles(f.DiscardRectangles)
	c.SetDiscardRectangleMode(f.DiscardExclusive)
	c.SetDiscardRectangleEnable(len(f.DiscardRectangles) > 0)
	if x := f.ShadingRate; x != nil {
		c.SetFragmentShadingRate(x.Width, x.Height, x.Combiners)
	} else {
		c.SetFragmentShadingRate(1, 1, [2]enum.RateCombiner{})
	}
}

func recordMultisample(c *vk.CommandBuffer, f *vk.FixedState) {
	x := f.Multisample
	c.SetSamples(max(x.Samples, 1))
	mask := [2]uint32{^uint32(0), ^uint32(0)}
	if f.SampleMask != nil {
		mask = *f.SampleMask
	}
	c.SetSampleMask(mask)
	c.SetAlphaToCoverage(x.AlphaToCoverage)
	c.SetAlphaToOne(x.AlphaToOne)
}

func recordTests(c *vk.CommandBuffer, f *vk.FixedState) {
	d := f.DepthStencil
	c.SetDepthTest(d.DepthTest)
	c.SetDepthWrite(d.DepthWrite)
	c.SetDepthCompareOp(d.Compare)
	c.SetDepthBoundsTest(d.BoundsTest)
	c.SetDepthBounds(f.DepthBounds[0], f.DepthBounds[1])
	c.SetStencilTest(d.StencilTest)
	for faces, s := range map[vk.Faces]*link.StencilFace{vk.FrontFace: &d.Front, vk.BackFace: &d.Back} {
		c.SetStencilOp(faces, s.Fail, s.Pass, s.DepthFail, s.Compare)
		c.SetStencilCompareMask(faces, s.CompareMask)
		c.SetStencilWriteMask(faces, s.WriteMask)
		c.SetStencilReference(faces, s.Reference)
	}
}

func recordBlend(c *vk.CommandBuffer, f *vk.FixedState) {
	b := f.Blend
	c.SetLogicOpEnable(b.Logic)
	c.SetLogicOp(b.LogicOp)
	c.SetBlendConstants(f.BlendConstants)
	for i := range b.Attachments {
		a := &b.Attachments[i]
		c.SetBlendEnable(i, a.Enable)
		if a.ColorOp == a.AlphaOp && a.ColorOp >= enum.BlendOpZero {
			c.SetColorBlendAdvanced(i, vk.ColorBlendAdvanced{Op: a.ColorOp, BlendAdvanced: vk.BlendAdvanced{SrcPremultiplied: true, DstPremultiplied: true}})
		} else {
			c.SetBlendEquation(i, *a)
		}
		c.SetColorWriteMask(i, a.Writes())
	}
}
