package vk

import (
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// Viewport is a viewport transformation (VkViewport).
type Viewport struct {
	X, Y, Width, Height float32
	MinDepth, MaxDepth  float32
}

// Rect is a rectangle of pixels (VkRect2D).
type Rect struct {
	X, Y          int32
	Width, Height uint32
}

// FixedState is the fixed-function state of a graphics pipeline: the parts of Vulkan's structs that decide about the
// pipeline are those of package link; numbers that they lack are beside them. A nil part has the values of zeros; with Checking it is an
// error if Vulkan requires the part.
type FixedState struct {
	Vertex        *link.VertexInput
	Assembly      *link.InputAssembly
	Tessellation  *link.Tessellation
	Rasterization *link.Rasterization
	Multisample   *link.Multisample
	DepthStencil  *link.DepthStencil
	Blend         *link.ColorBlend
	ShadingRate   *link.ShadingRate
	Rendering     link.Rendering
	CustomResolve *CustomResolve // nil: for renderings without the flag CustomResolving
	Dynamic       []enum.DynamicState

	Viewports         []Viewport
	Scissors          []Rect
	NegativeOneToOne  bool    // clip space depth −1 to 1
	BiasConstant      float32 // of depth bias
	BiasClamp         float32 //
	BiasSlope         float32 //
	BiasUnit          BiasRepresentation
	ClampRange        *DepthRange      // of depth clamping; nil is the viewport's
	SampleLocations   *SampleLocations // if Multisample.Locations enables them
	DepthBounds       [2]float32       // of the depth bounds test
	BlendConstants    [4]float32
	BlendAdvanced     *BlendAdvanced // nil: both colors are premultiplied, their coverages uncorrelated
	SampleMask        *[2]uint32     // nil is all samples
	LineStipple       uint32         // factor; 0 is no stipple
	LinePattern       uint16
	DiscardRectangles []Rect
	DiscardExclusive  bool
	ExtraOverestimate float32 // pixels
}

// orZero returns x, or a zero value if it is nil.
func orZero[T any](x *T) T {
	if x == nil {
		var zero T
		return zero
	}
	return *x
}

// state returns the state in the form of package draw.
func (f *FixedState) state() (s state.State) {
	assembly, tessellation := orZero(f.Assembly), orZero(f.Tessellation)
	s.Assembly = state.Assembly{
		Topology: assembly.Topology, Restart: assembly.PrimitiveRestart,
		PatchPoints: tessellation.PatchControlPoints, LowerLeft: tessellation.Origin == enum.DomainOriginLowerLeft,
	}
	s.Vertex = vertexInput(orZero(f.Vertex))
	s.Viewports, s.Scissors = viewports(f.Viewports), rects(f.Scissors)
	s.Rasterization = f.rasterization()
	s.Discard = state.DiscardRectangles{Exclusive: f.DiscardExclusive, Rectangles: rects(f.DiscardRectangles)}
	m := orZero(f.Multisample)
	s.Multisample = state.Multisample{
		Samples: m.Samples, SampleShading: m.SampleShading, MinShading: m.MinShading, Mask: f.SampleMask,
		AlphaToCoverage: m.AlphaToCoverage, AlphaToOne: m.AlphaToOne, Located: m.Locations,
	}
	s.Multisample.Locations, _ = f.SampleLocations.state() // checked if it is used
	d := orZero(f.DepthStencil)
	s.DepthStencil = state.DepthStencil{
		Test: d.DepthTest, Write: d.DepthWrite, Compare: d.Compare, Bounds: d.BoundsTest,
		MinBound: f.DepthBounds[0], MaxBound: f.DepthBounds[1], Stencil: d.StencilTest, Front: stencilFace(d.Front), Back: stencilFace(d.Back),
		Late: d.Ordered,
	}
	b := orZero(f.Blend)
	s.Blend = state.Blend{Logic: b.Logic, LogicOp: b.LogicOp, Constants: f.BlendConstants}
	for i := range b.Attachments {
		a := blendAttachment(&b.Attachments[i])
		if k := f.BlendAdvanced; k != nil {
			a.Advanced = k.state()
		}
		s.Blend.Attachments = append(s.Blend.Attachments, a)
	}
	if r := f.ShadingRate; r != nil {
		s.Rate = shadingRate(r)
	}
	s.ViewMask = f.Rendering.ViewMask
	return s
}

func (f *FixedState) rasterization() state.Rasterization {
	r := orZero(f.Rasterization)
	clip := !r.DepthClamp
	if r.DepthClip != nil {
		clip = *r.DepthClip
	}
	out := state.Rasterization{
		Discard: r.Discard, PolygonMode: r.Polygon, Cull: r.Cull, Clockwise: r.Front == enum.FrontFaceClockwise,
		DepthClamp: r.DepthClamp, DepthClip: clip, NegativeOneZ: f.NegativeOneToOne, LastVertex: r.Provoking == enum.ProvokingVertexLastVertex,
		DepthBias: r.DepthBias, BiasConstant: f.BiasConstant, BiasSlope: f.BiasSlope, BiasClamp: f.BiasClamp, BiasScale: raster.BiasScale(f.BiasUnit),
		LineMode: r.Lines, LineWidth: r.LineWidth, ExtraOverestimate: f.ExtraOverestimate,
		Conservative: conservative(r.Conservative), Stream: r.Stream,
	}
	if k := f.ClampRange; k != nil {
		out.ClampRange, out.MinClamp, out.MaxClamp = true, k.Min, k.Max
	}
	if r.Stippled {
		out.Stipple = state.LineStipple{Factor: f.LineStipple, Pattern: f.LinePattern}
	}
	return out
}

// conservative returns the sign that package draw has for a mode.
func conservative(m enum.ConservativeMode) int8 {
	switch m {
	case enum.ConservativeModeOverestimate:
		return 1
	case enum.ConservativeModeUnderestimate:
		return -1
	}
	return 0
}

func vertexInput(v link.VertexInput) (out state.VertexInput) {
	for _, b := range v.Bindings {
		x := state.VertexBinding{Binding: b.Binding, Stride: b.Stride, Instance: b.Rate == enum.InputRateInstance, Divisor: 1}
		if b.Divisor != nil {
			x.Divisor = *b.Divisor
		}
		out.Bindings = append(out.Bindings, x)
	}
	for _, a := range v.Attributes {
		out.Attributes = append(out.Attributes, state.VertexAttribute{Location: a.Location, Binding: a.Binding, Format: a.Format.String(), Offset: a.Offset})
	}
	return out
}

func stencilFace(f link.StencilFace) state.StencilFace {
	return state.StencilFace{
		Fail: f.Fail, Pass: f.Pass, DepthFail: f.DepthFail, Compare: f.Compare,
		CompareMask: f.CompareMask, WriteMask: f.WriteMask, Reference: f.Reference,
	}
}

func blendAttachment(b *link.Blend) state.BlendAttachment {
	return state.BlendAttachment{
		Enable: b.Enable, SrcColor: b.SrcColor, DstColor: b.DstColor, ColorOp: b.ColorOp,
		SrcAlpha: b.SrcAlpha, DstAlpha: b.DstAlpha, AlphaOp: b.AlphaOp, WriteMask: uint8(b.Writes()),
	}
}

func viewports(list []Viewport) (out []state.Viewport) {
	for _, v := range list {
		out = append(out, state.Viewport(v))
	}
	return out
}

func rects(list []Rect) (out []state.Rect) {
	for _, r := range list {
		out = append(out, state.Rect(r))
	}
	return out
}

// description returns the description of a pipeline with this state, for the rules of package link.
func (f *FixedState) description() link.Description {
	rendering := f.Rendering
	if k := f.CustomResolve; k != nil && k.Resolve {
		rendering.Color, rendering.Depth, rendering.Stencil = k.Colors, k.Depth, k.Stencil
	}
	return link.Description{
		Vertex: f.Vertex, Assembly: f.Assembly, Tessellation: f.Tessellation, Rasterization: f.Rasterization, Multisample: f.Multisample,
		DepthStencil: f.DepthStencil, Blend: f.Blend, ShadingRate: f.ShadingRate, Rendering: &rendering,
		Viewport: &link.Viewport{Viewports: uint32(len(f.Viewports)), Scissors: uint32(len(f.Scissors)), NegativeOneToOne: f.NegativeOneToOne},
		Dynamic:  slices.Clone(f.Dynamic), HasDynamic: true,
	}
}

func shadingRate(r *link.ShadingRate) state.ShadingRate {
	return state.ShadingRate{Width: r.Width, Height: r.Height, Combiners: [2]enum.RateCombiner{r.Combiners[0], r.Combiners[1]}}
}

// The greatest values of the enumerations that package draw has.
const (
	maxTopology  = uint32(enum.TopologyPatchList)
	maxPolygon   = uint32(enum.PolygonModePoint)
	maxCull      = uint32(enum.CullModeFront | enum.CullModeBack)
	maxCompare   = uint32(enum.CompareOpAlways)
	maxStencilOp = uint32(enum.StencilOpDecrementAndWrap)
	maxFactor    = uint32(enum.BlendFactorOneMinusSrc1Alpha)
	maxBlendOp   = uint32(enum.BlendOpMax)
	maxLogicOp   = uint32(enum.LogicOpSet)
	maxLineMode  = uint32(enum.LineModeRectangularSmooth)
	maxCombiner  = uint32(enum.RateCombinerMul)
)

// enumeration is a value with its bound.
type enumeration struct {
	name       string
	value, max uint32
}

// check returns an *UnsupportedError for an enumeration value that package draw does not have, and a *UsageError for
// numbers that it refuses.
func (f *FixedState) check(dev *Device) error {
	r, d, b := orZero(f.Rasterization), orZero(f.DepthStencil), orZero(f.Blend)
	list := []enumeration{
		{"topology", uint32(orZero(f.Assembly).Topology), maxTopology},
		{"polygon mode", uint32(r.Polygon), maxPolygon}, {"cull mode", uint32(min(r.Cull, 1<<31)), maxCull}, {"front face", uint32(r.Front), 1},
		{"line mode", uint32(r.Lines), maxLineMode}, {"conservative mode", uint32(r.Conservative), 2}, {"provoking vertex", uint32(r.Provoking), 1},
		{"depth comparison", uint32(d.Compare), maxCompare}, {"logic operation", uint32(b.LogicOp), maxLogicOp},
	}
	for _, s := range []link.StencilFace{d.Front, d.Back} {
		list = append(list, enumeration{"stencil operation", uint32(max(s.Fail, s.Pass, s.DepthFail)), maxStencilOp}, enumeration{"stencil comparison", uint32(s.Compare), maxCompare})
	}
	for i := range b.Attachments {
		a := &b.Attachments[i]
		list = append(list, enumeration{"blend factor", uint32(max(a.SrcColor, a.DstColor, a.SrcAlpha, a.DstAlpha)), maxFactor})
		if isAdvanced(a.ColorOp) || isAdvanced(a.AlphaOp) { // checkAdvanced
			continue
		}
		list = append(list, enumeration{"blend operation", uint32(max(a.ColorOp, a.AlphaOp)), maxBlendOp})
	}
	if s := f.ShadingRate; s != nil {
		list = append(list, enumeration{"shading rate combiner", uint32(max(s.Combiners[0], s.Combiners[1])), maxCombiner})
	}
	for _, e := range list {
		if e.value > e.max {
			return &UnsupportedError{Feature: "the " + e.name + " " + strconv.FormatUint(uint64(e.value), 10)}
		}
	}
	if n := len(b.Attachments); n > state.MaxColors {
		return usage("", "%d color attachments are blended; must be at most %d", n, state.MaxColors)
	}
	if n := orZero(f.Multisample).Samples; n > state.MaxSamples || n&(n-1) != 0 {
		return usage("VUID-VkPipelineMultisampleStateCreateInfo-rasterizationSamples-parameter", "%d samples; must be a power of two up to %d", n, state.MaxSamples)
	}
	if err := f.checkAdvanced(dev); err != nil {
		return err
	}
	if err := f.CustomResolve.check(); err != nil {
		return err
	}
	if err := f.BiasUnit.check(dev); err != nil {
		return err
	}
	if err := f.ClampRange.check(dev.unrestricted); err != nil {
		return err
	}
	return f.checkLocations()
}
