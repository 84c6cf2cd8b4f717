package state

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// State is the fixed-function state of a pipeline. Comments name the state that is compiled into
// programs ("compiled into …"); all other state can change between draws without a compilation.
type State struct {
	Assembly      Assembly
	Vertex        VertexInput // compiled into the vertex program
	Viewports     []Viewport  // at most MaxViewports; at least 1 unless rasterization is disabled
	Scissors      []Rect      // one for each viewport
	Rasterization Rasterization
	Discard       DiscardRectangles
	Multisample   Multisample
	Rate          ShadingRate
	DepthStencil  DepthStencil
	Blend         Blend
	ViewMask      uint32 // bit n draws view n, into layer n; 0: no multiview
	Dither        bool   // legacy dithering (VK_EXT_legacy_dithering); compiled into the fragment program

	// Locations are the output locations that color attachments receive, by attachment
	// (VkRenderingAttachmentLocationInfo). Unused is none. nil: attachment n receives location n.
	Locations []uint32
}

// Unused is the location of an attachment that receives no output (VK_ATTACHMENT_UNUSED).
const Unused = ^uint32(0)

// Limits of a pipeline's state.
const (
	MaxViewports  = 16
	MaxBindings   = 32   // vertex buffers (maxVertexInputBindings)
	MaxAttributes = 32   // vertex attribute locations (maxVertexInputAttributes)
	MaxOffset     = 2047 // bytes of an attribute in its element (maxVertexInputAttributeOffset)
	MaxStride     = 1 << 14
	MaxColors     = 8 // color attachments (maxColorAttachments)
	MaxSamples    = 64
	MaxEmitted    = 1024 // vertices of a geometry invocation (maxGeometryOutputVertices), vertices or primitives of a mesh workgroup
)

// Assembly is the input assembly state (Vulkan §"Drawing Commands").
type Assembly struct {
	Topology    enum.Topology
	Restart     bool   // an index of all ones begins a new primitive strip or fan
	PatchPoints uint32 // vertices of a patch
	LowerLeft   bool   // origin of the tessellation domain at the lower left (VkTessellationDomainOrigin)
}

// VertexInput describes the vertex buffers and attributes.
type VertexInput struct {
	Bindings   []VertexBinding
	Attributes []VertexAttribute
}

// VertexBinding is the layout of a vertex buffer.
type VertexBinding struct {
	Binding  uint32
	Stride   uint32 // bytes
	Instance bool   // elements advance with instances
	Divisor  uint32 // with Instance: instances for each element; 0: all instances
}

// VertexAttribute is one location of the vertex program.
type VertexAttribute struct {
	Location, Binding uint32
	Format            string // Vulkan's name without VK_FORMAT_
	Offset            uint32 // bytes in the element
}

// Viewport is a viewport transformation (VkViewport). A negative height mirrors.
type Viewport struct {
	X, Y, Width, Height float32
	MinDepth, MaxDepth  float32
}

// Rect is a rectangle of pixels (VkRect2D).
type Rect struct {
	X, Y          int32
	Width, Height uint32
}

// LineStipple is a line stipple (VkPipelineRasterizationLineStateCreateInfo).
type LineStipple struct {
	Factor  uint32 // repetitions of each bit, 1 to 256; 0: no stipple
	Pattern uint16 // drawn pixels, from the least significant bit on
}

// MaxStipple is the maximum of LineStipple.Factor.
const MaxStipple = 256

// Rasterization is the rasterization state.
type Rasterization struct {
	Discard     bool // no rasterization
	PolygonMode enum.PolygonMode
	Cull        enum.CullMode
	Clockwise   bool // clockwise triangles are front faces

	DepthClamp         bool // clamp depths to the viewport's range; compiled into the fragment program
	DepthUnrestricted  bool // no clamp to 0…1 (VK_EXT_depth_range_unrestricted); compiled into the fragment program
	ClampRange         bool // MinClamp and MaxClamp are the range of DepthClamp (VK_EXT_depth_clamp_control)
	MinClamp, MaxClamp float32
	DepthClip          bool // clip at the near and far plane
	NegativeOneZ       bool // clip space depth −1…1 (VK_EXT_depth_clip_control)
	LastVertex         bool // the provoking vertex is the last one
	DepthBias          bool
	BiasConstant       float32
	BiasSlope          float32
	BiasClamp          float32
	BiasScale          raster.BiasScale // unit of BiasConstant
	LineMode           enum.LineMode    // SmoothLines is compiled into the fragment program
	LineWidth          float32          // pixels; 0 is 1
	Stipple            LineStipple

	Conservative      int8    // 1: overestimation, −1: underestimation
	ExtraOverestimate float32 // pixels

	Stream uint32 // rasterized stream of the geometry program
}

// Multisample is the multisample state.
type Multisample struct {
	Samples         uint32     // for each pixel; 0 is 1; compiled into the fragment program
	SampleShading   bool       // compiled into the fragment program
	MinShading      float32    // with SampleShading: share of separately shaded samples; compiled into the fragment program
	Mask            *[2]uint32 // sample mask; nil: all samples
	Located         bool       // Locations replace the standard sample locations; compiled into the fragment program
	Locations       *SampleLocations
	AlphaToCoverage bool // compiled into the fragment program
	AlphaToOne      bool // compiled into the fragment program
}

// SampleLocations are custom sample locations (VkSampleLocationsInfoEXT): of sample i of pixel (x, y)
// Points[(x mod Width + y mod Height · Width) · samples + i], in pixels from the pixel's corner.
type SampleLocations struct {
	Width, Height uint32 // of the grid: 1 or raster.MaxLocationGrid
	Points        [][2]float32
}

// Custom returns the custom sample locations, nil if samples have the standard ones.
func (m *Multisample) Custom() *SampleLocations {
	if !m.Located {
		return nil
	}
	return m.Locations
}

// check returns an error if the locations are not for n samples.
func (l *SampleLocations) check(n uint32) error {
	w, h := l.Width, l.Height
	if w != 1 && w != raster.MaxLocationGrid || h != 1 && h != raster.MaxLocationGrid {
		return Errorf("a grid of sample locations has %d×%d pixels; must have 1 or %d along each axis", w, h, raster.MaxLocationGrid)
	}
	if have := len(l.Points); uint64(have) != uint64(w)*uint64(h)*uint64(n) {
		return Errorf("%d sample locations for a grid of %d×%d pixels with %d samples; must be one for each sample", have, w, h, n)
	}
	return nil
}

// Raster writes the locations in sub-pixels to a list of the rasterizer.
func (l *SampleLocations) Raster(to *raster.SampleLocations) {
	to.Width, to.Height = int(l.Width), int(l.Height)
	for i, p := range l.Points {
		to.Points[i] = [2]uint8{raster.Location(p[0]), raster.Location(p[1])}
	}
}

// StencilFace is the stencil test of front or back faces. Masks and reference can change without a
// compilation.
type StencilFace struct {
	Fail, Pass, DepthFail             enum.StencilOp
	Compare                           enum.CompareOp
	CompareMask, WriteMask, Reference uint32
}

// DepthStencil is the state of depth and stencil tests. It is compiled into the fragment program,
// apart from bounds, masks and references.
type DepthStencil struct {
	Test, Write        bool
	Compare            enum.CompareOp
	Bounds             bool
	MinBound, MaxBound float32
	Stencil            bool
	Front, Back        StencilFace
	Late               bool // the fragment program reads depth or stencil as earlier fragments left it: tests and writes follow it
}

// BlendAttachment is the blend state of one color attachment, compiled into the fragment program.
type BlendAttachment struct {
	Enable             bool
	SrcColor, DstColor enum.BlendFactor
	ColorOp            enum.BlendOp
	SrcAlpha, DstAlpha enum.BlendFactor
	AlphaOp            enum.BlendOp
	Advanced           AdvancedBlend // of an advanced operation
	WriteMask          uint8         // bit i enables component i
}

// AdvancedBlend has the parameters of an advanced blend operation (VkColorBlendAdvancedEXT).
type AdvancedBlend struct {
	SrcStraight, DstStraight bool // the color is not premultiplied
	Clamp                    bool // results are clamped to 0…1
	Overlap                  Overlap
}

// Overlap is how the coverages of source and destination relate (VkBlendOverlapEXT, with its values).
type Overlap uint8

// The overlaps.
const (
	OverlapUncorrelated Overlap = iota
	OverlapDisjoint
	OverlapConjoint
)

// Blend is the blend state. It is compiled into the fragment program, apart from the constants.
type Blend struct {
	Attachments []BlendAttachment // a missing one writes all components without blending
	Logic       bool              // LogicOp replaces blending
	LogicOp     enum.LogicOp
	Constants   [4]float32
}

// DiscardRectangles restrict fragments to rectangles, or to their outside (Vulkan §"Discard Rectangles
// Test"). An empty list disables the test.
type DiscardRectangles struct {
	Exclusive  bool // discard samples inside of the rectangles instead of those outside
	Rectangles []Rect
}

// MaxDiscardRectangles is the maximum number of rectangles (maxDiscardRectangles).
const MaxDiscardRectangles = 8

// Raster converts the rectangle for the rasterizer. Negative coordinates are cut off.
func (r Rect) Raster() raster.Rect {
	end := func(at int32, n uint32) int32 { return int32(min(max(int64(at)+int64(n), 0), 1<<16)) }
	return raster.Rect{X0: max(r.X, 0), Y0: max(r.Y, 0), X1: end(r.X, r.Width), Y1: end(r.Y, r.Height)}
}

// checkLocations returns an error if a location is invalid, or two attachments have one location.
func (s *State) checkLocations() error {
	if n := len(s.Locations); n > MaxColors {
		return Errorf("locations of %d color attachments; must be at most %d", n, MaxColors)
	}
	seen := uint32(0)
	for _, l := range s.Locations {
		switch {
		case l == Unused:
			continue
		case l >= MaxColors:
			return Errorf("location %d of a color attachment; must be below %d", l, MaxColors)
		case seen>>l&1 != 0:
			return Errorf("location %d for two color attachments; must be for one", l)
		}
		seen |= 1 << l
	}
	return nil
}

// Static returns the part of a face that code depends on.
func (f StencilFace) Static() StencilFace {
	f.CompareMask, f.WriteMask, f.Reference = 0, 0, 0
	return f
}

// Writes reports whether the test can change the stencil value.
func (f *StencilFace) Writes() bool {
	return f.Fail != enum.StencilOpKeep || f.Pass != enum.StencilOpKeep || f.DepthFail != enum.StencilOpKeep
}

// UsesReference reports whether the comparison or an operation depends on the reference value.
func (f *StencilFace) UsesReference() bool {
	return f.Compare != enum.CompareOpAlways && f.Compare != enum.CompareOpNever ||
		f.Fail == enum.StencilOpReplace || f.Pass == enum.StencilOpReplace || f.DepthFail == enum.StencilOpReplace
}

// KeepsOnFail reports whether the stencil value stays if the depth or stencil test fails.
func (f *StencilFace) KeepsOnFail() bool {
	return f.Fail == enum.StencilOpKeep && f.DepthFail == enum.StencilOpKeep
}
