package amber

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// fixedOf returns the state of a draw as package vk has it.
func fixedOf(s *state.State) (vk.FixedState, error) {
	r, m, d := &s.Rasterization, &s.Multisample, &s.DepthStencil
	vertex, err := vertexOf(&s.Vertex)
	if err != nil {
		return vk.FixedState{}, err
	}
	f := vk.FixedState{
		Vertex:       vertex,
		Assembly:     &link.InputAssembly{Topology: s.Assembly.Topology, PrimitiveRestart: s.Assembly.Restart},
		Tessellation: &link.Tessellation{PatchControlPoints: s.Assembly.PatchPoints},
		Rasterization: &link.Rasterization{
			DepthClamp: r.DepthClamp, DepthClip: &r.DepthClip, Discard: r.Discard, Polygon: r.PolygonMode, Cull: r.Cull,
			DepthBias: r.DepthBias, LineWidth: r.LineWidth, Stream: r.Stream, HasStream: true, Lines: r.LineMode, Stippled: r.Stipple.Factor != 0,
		},
		Multisample: &link.Multisample{
			Samples: m.Samples, SampleShading: m.SampleShading, MinShading: m.MinShading, AlphaToCoverage: m.AlphaToCoverage, AlphaToOne: m.AlphaToOne,
		},
		DepthStencil: &link.DepthStencil{
			DepthTest: d.Test, DepthWrite: d.Write, Compare: d.Compare, BoundsTest: d.Bounds, StencilTest: d.Stencil,
			Front: stencilOf(&d.Front), Back: stencilOf(&d.Back),
		},
		Blend:            blendOf(&s.Blend),
		NegativeOneToOne: r.NegativeOneZ, BiasConstant: r.BiasConstant, BiasClamp: r.BiasClamp, BiasSlope: r.BiasSlope,
		DepthBounds: [2]float32{d.MinBound, d.MaxBound}, BlendConstants: s.Blend.Constants, SampleMask: m.Mask,
		LineStipple: r.Stipple.Factor, LinePattern: r.Stipple.Pattern, DiscardExclusive: s.Discard.Exclusive, ExtraOverestimate: r.ExtraOverestimate,
	}
	if s.Assembly.LowerLeft {
		f.Tessellation.Origin = enum.DomainOriginLowerLeft
	}
	if r.Clockwise {
		f.Rasterization.Front = enum.FrontFaceClockwise
	}
	if r.LastVertex {
		f.Rasterization.Provoking = enum.ProvokingVertexLastVertex
	}
	switch {
	case r.Conservative > 0:
		f.Rasterization.Conservative = enum.ConservativeModeOverestimate
	case r.Conservative < 0:
		f.Rasterization.Conservative = enum.ConservativeModeUnderestimate
	}
	if x := s.Rate; x != (state.ShadingRate{}) {
		f.ShadingRate = &link.ShadingRate{Width: x.Width, Height: x.Height, Combiners: [2]enum.RateCombiner{x.Combiners[0], x.Combiners[1]}}
	}
	for _, v := range s.Viewports {
		f.Viewports = append(f.Viewports, vk.Viewport(v))
	}
	f.Scissors, f.DiscardRectangles = rectsOf(s.Scissors), rectsOf(s.Discard.Rectangles)
	f.Rendering.ViewMask = s.ViewMask
	return f, nil
}

func vertexOf(v *state.VertexInput) (*link.VertexInput, error) {
	x := &link.VertexInput{}
	for _, b := range v.Bindings {
		y := link.VertexBinding{Binding: b.Binding, Stride: b.Stride}
		if b.Instance {
			y.Rate = enum.InputRateInstance
		}
		x.Bindings = append(x.Bindings, y)
	}
	for _, a := range v.Attributes {
		y := link.Attribute{Location: a.Location, Binding: a.Binding, Offset: a.Offset}
		if err := y.Format.UnmarshalText([]byte(a.Format)); err != nil {
			return nil, err
		}
		x.Attributes = append(x.Attributes, y)
	}
	return x, nil
}

func stencilOf(f *state.StencilFace) link.StencilFace {
	return link.StencilFace{
		Fail: f.Fail, Pass: f.Pass, DepthFail: f.DepthFail, Compare: f.Compare,
		CompareMask: f.CompareMask, WriteMask: f.WriteMask, Reference: f.Reference,
	}
}

func blendOf(b *state.Blend) *link.ColorBlend {
	x := &link.ColorBlend{Logic: b.Logic, LogicOp: b.LogicOp}
	for i := range b.Attachments {
		a := &b.Attachments[i]
		mask := uint32(a.WriteMask)
		x.Attachments = append(x.Attachments, link.Blend{
			Enable: a.Enable, SrcColor: a.SrcColor, DstColor: a.DstColor, ColorOp: a.ColorOp,
			SrcAlpha: a.SrcAlpha, DstAlpha: a.DstAlpha, AlphaOp: a.AlphaOp, Mask: &mask,
		})
	}
	return x
}

func rectsOf(list []state.Rect) (out []vk.Rect) {
	for _, r := range list {
		out = append(out, vk.Rect(r))
	}
	return out
}
