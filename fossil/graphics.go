package fossil

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// graphics reads a graphics pipeline.
func (b *builder) graphics(p *graphicsPipeline) {
	d := b.out.Description
	d.Kind, d.Flags = link.Graphics, enum.PipelineFlags(p.Flags)
	var parts flags
	var out rendering
	var rate shadingRate
	var where locations
	var from inputs
	found := b.common(p.Next, map[structureType]any{stParts: &parts, stRendering: &out, stShadingRate: &rate, stLocations: &where, stInputs: &from})
	if found[stParts] {
		d.Parts = enum.Parts(parts.Flags)
	}
	if found[stShadingRate] {
		d.ShadingRate = &link.ShadingRate{Width: rate.Size.Width, Height: rate.Size.Height}
		for i, c := range rate.Combiners {
			d.ShadingRate.Combiners[i] = enum.RateCombiner(c)
		}
	}
	b.layout(p.Layout)
	if b.hash(p.RenderPass) != 0 {
		b.renderPass(p.RenderPass)
		d.Subpass = p.Subpass
	} else if found[stRendering] {
		d.Rendering = out.state()
		if found[stLocations] {
			d.Rendering.Locations = refs(where.List)
		}
		if found[stInputs] {
			d.Rendering.Inputs, d.Rendering.DepthInput, d.Rendering.StencilInput = refs(from.Color), (*link.Ref)(from.Depth), (*link.Ref)(from.Stencil)
		}
	}
	b.stages(p.Stages)
	b.fixed(p)
}

// fixed reads the states of the fixed functions.
func (b *builder) fixed(p *graphicsPipeline) {
	d := b.out.Description
	b.vertex(p.Vertex)
	if a := p.Assembly; a != nil {
		d.Assembly = &link.InputAssembly{Topology: enum.Topology(a.Topology), PrimitiveRestart: a.Restart != 0}
	}
	if t := p.Tessellation; t != nil {
		var origin domainOrigin
		b.read(t.Next, map[structureType]any{stDomainOrigin: &origin})
		d.Tessellation = &link.Tessellation{PatchControlPoints: t.Points, Origin: enum.DomainOrigin(origin.Origin)}
	}
	if v := p.Viewport; v != nil {
		var control negativeOneToOne
		b.read(v.Next, map[structureType]any{stNegativeOneToOne: &control})
		d.Viewport = &link.Viewport{Viewports: v.Viewports, Scissors: v.Scissors, NegativeOneToOne: control.On != 0}
	}
	b.rasterization(p.Rasterization)
	if m := p.Multisample; m != nil {
		b.read(m.Next, nil)
		d.Multisample = &link.Multisample{
			Samples: m.Samples, SampleShading: m.SampleShading != 0, MinShading: m.MinShading,
			AlphaToCoverage: m.AlphaToCoverage != 0, AlphaToOne: m.AlphaToOne != 0,
		}
	}
	if s := p.DepthStencil; s != nil {
		d.DepthStencil = &link.DepthStencil{
			DepthTest: s.Test != 0, DepthWrite: s.Write != 0, Compare: enum.CompareOp(s.Compare), BoundsTest: s.Bounds != 0,
			StencilTest: s.Stencil != 0, Front: s.Front.state(), Back: s.Back.state(),
		}
	}
	b.blend(p.Blend)
	b.dynamic(p.Dynamic)
	if slices.Contains(d.Dynamic, enum.DynamicStateVertexInput) {
		d.Vertex = nil // Vulkan ignores this state; it does not describe the state that commands set
	}
	if t := d.Tessellation; t != nil && slices.Contains(d.Dynamic, enum.DynamicStatePatchControlPoints) {
		d.Tessellation = nil
	}
}

func (f *stencilFace) state() link.StencilFace {
	return link.StencilFace{
		Fail: enum.StencilOp(f.FailOp), Pass: enum.StencilOp(f.PassOp), DepthFail: enum.StencilOp(f.DepthFailOp),
		Compare: enum.CompareOp(f.CompareOp), CompareMask: f.CompareMask, WriteMask: f.WriteMask, Reference: f.Reference,
	}
}

func (b *builder) vertex(v *vertexInput) {
	if v == nil {
		return
	}
	var steps divisors
	b.read(v.Next, map[structureType]any{stDivisors: &steps})
	out := &link.VertexInput{}
	for _, k := range v.Bindings {
		n := link.VertexBinding{Binding: k.Binding, Stride: k.Stride, Rate: enum.InputRate(k.Rate)}
		for i := range steps.List {
			if steps.List[i].Binding == k.Binding {
				n.Divisor = &steps.List[i].Divisor
			}
		}
		out.Bindings = append(out.Bindings, n)
	}
	for _, k := range steps.List {
		if !slices.ContainsFunc(out.Bindings, func(b link.VertexBinding) bool { return b.Binding == k.Binding }) {
			out.Divisors = append(out.Divisors, link.Divisor{Binding: k.Binding, Divisor: k.Divisor})
		}
	}
	for _, a := range v.Attributes {
		out.Attributes = append(out.Attributes, link.Attribute{Location: a.Location, Binding: a.Binding, Format: link.Format(a.Format), Offset: a.Offset})
	}
	b.out.Description.Vertex = out
}

func (b *builder) rasterization(r *rasterization) {
	if r == nil {
		return
	}
	var clip depthClip
	var captured stream
	var coverage conservative
	var line lines
	var vertex provoking
	found := b.read(r.Next, map[structureType]any{stDepthClip: &clip, stStream: &captured, stConservative: &coverage, stLines: &line, stProvoking: &vertex})
	out := &link.Rasterization{
		DepthClamp: r.Clamp != 0, Discard: r.Discard != 0, Polygon: enum.PolygonMode(r.Polygon), Cull: enum.CullMode(r.Cull), Front: enum.FrontFace(r.Front),
		DepthBias: r.Bias != 0, LineWidth: r.LineWidth, Stream: captured.Stream, HasStream: found[stStream],
		Conservative: enum.ConservativeMode(coverage.Mode), Lines: enum.LineMode(line.Mode), Stippled: line.Stippled != 0,
		Provoking: enum.ProvokingVertex(vertex.Mode),
	}
	if found[stDepthClip] {
		on := clip.On != 0
		out.DepthClip = &on
	}
	b.out.Description.Rasterization = out
}

func (b *builder) blend(c *colorBlend) {
	if c == nil {
		return
	}
	b.read(c.Next, nil)
	out := &link.ColorBlend{Logic: c.Logic != 0, LogicOp: enum.LogicOp(c.LogicOp)}
	for i := range c.Attachments {
		a := &c.Attachments[i]
		out.Attachments = append(out.Attachments, link.Blend{
			Enable: a.Enable != 0, SrcColor: enum.BlendFactor(a.SrcColor), DstColor: enum.BlendFactor(a.DstColor), ColorOp: enum.BlendOp(a.ColorOp),
			SrcAlpha: enum.BlendFactor(a.SrcAlpha), DstAlpha: enum.BlendFactor(a.DstAlpha), AlphaOp: enum.BlendOp(a.AlphaOp), Mask: &a.Mask,
		})
	}
	b.out.Description.Blend = out
}

func (b *builder) dynamic(s *dynamicState) {
	d := b.out.Description
	d.HasDynamic = true
	if s == nil {
		return
	}
	for _, v := range s.States {
		d.Dynamic = append(d.Dynamic, enum.DynamicState(v))
	}
}

func refs(list []uint32) []link.Ref {
	out := make([]link.Ref, len(list))
	for i, v := range list {
		out[i] = link.Ref(v)
	}
	return out
}

func (r *rendering) state() *link.Rendering {
	out := &link.Rendering{ViewMask: r.ViewMask, Depth: link.Format(r.Depth), Stencil: link.Format(r.Stencil)}
	for _, f := range r.Color {
		out.Color = append(out.Color, link.Format(f))
	}
	return out
}

// renderPass reads the render pass of a handle.
func (b *builder) renderPass(handle string) {
	p, err := keep(b, Ref{RenderPass, b.hash(handle)}, func(d *document) map[string]*renderPass { return d.RenderPasses })
	if err != nil {
		b.fail(err)
		return
	}
	var views multiview
	var none struct{}
	found := b.read(p.Next, map[structureType]any{stMultiview: &views, stDensityMap: &none})
	out := &link.RenderPass{}
	for _, a := range p.Attachments {
		out.Attachments = append(out.Attachments, link.PassAttachment{Format: link.Format(a.Format), Samples: a.Samples})
	}
	for i := range p.Subpasses {
		s := &p.Subpasses[i]
		var rate shadingRateAttachment
		b.read(s.Next, map[structureType]any{stShadingRateAttachment: &rate})
		k := link.Subpass{
			Input: attachments(s.Input), Color: attachments(s.Color), Resolve: attachments(s.Resolve), ViewMask: s.ViewMask,
			ShadingRate: rate.Attachment != nil && link.Ref(rate.Attachment.Attachment) != link.Unused, DensityMap: found[stDensityMap],
		}
		for i, a := range s.Input {
			if a.Aspects != 0 && k.Aspects == nil {
				k.Aspects = make([]link.Aspects, len(s.Input))
			}
			if a.Aspects != 0 {
				k.Aspects[i] = link.Aspects(a.Aspects)
			}
		}
		k.FragmentRegion = s.Flags&4 != 0 // VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT
		if s.Depth != nil {
			n := link.Ref(s.Depth.Attachment)
			k.Depth = &n
		}
		if found[stMultiview] && i < len(views.Masks) {
			k.ViewMask = views.Masks[i]
		}
		out.Subpasses = append(out.Subpasses, k)
	}
	b.out.Description.Pass = out
}

func attachments(list []attachmentRef) []link.Ref {
	out := make([]link.Ref, len(list))
	for i, a := range list {
		out[i] = link.Ref(a.Attachment)
	}
	return out
}
