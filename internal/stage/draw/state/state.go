package state

import "github.com/chiaro-gpu/chiaro/internal/raster"

// State is what a graphics pipeline has beside its shaders. Of each part it is said
// what compiles programs anew where it changes; all else is read at each draw and
// may change freely between draws.
type State struct {
	Assembly      Assembly
	Vertex        VertexInput // compiles the vertex program
	Viewports     []Viewport  // at most MaxViewports, and at least 1 where anything is rasterised
	Scissors      []Rect      // one for each viewport
	Rasterization Rasterization
	Discard       DiscardRectangles
	Multisample   Multisample
	Rate          ShadingRate
	DepthStencil  DepthStencil
	Blend         Blend
	ViewMask      uint32 // bit n: the draw is made once more for view n, into layer n; 0 is one draw without views
}

// Limits of a pipeline's state.
const (
	MaxViewports  = 16
	MaxBindings   = 32   // of vertex buffers (maxVertexInputBindings)
	MaxAttributes = 32   // locations of vertex attributes (maxVertexInputAttributes)
	MaxOffset     = 2047 // bytes of an attribute in its vertex (maxVertexInputAttributeOffset)
	MaxStride     = 1 << 14
	MaxColors     = 8 // color attachments (maxColorAttachments)
	MaxSamples    = 64
)

// Topology is what primitives vertices make (VkPrimitiveTopology, with its numbers).
type Topology uint8

// The topologies.
const (
	PointList Topology = iota
	LineList
	LineStrip
	TriangleList
	TriangleStrip
	TriangleFan
	LineListAdjacency
	LineStripAdjacency
	TriangleListAdjacency
	TriangleStripAdjacency
	PatchList
	numTopologies
)

// Assembly is how vertices become primitives (Vulkan §"Drawing Commands").
type Assembly struct {
	Topology    Topology
	Restart     bool   // an index of all ones begins a new strip or fan
	PatchPoints uint32 // vertices of a patch
	LowerLeft   bool   // the domain of patches has its origin at the lower left (VkTessellationDomainOrigin)
}

// VertexInput is where the vertex program finds its attributes.
type VertexInput struct {
	Bindings   []VertexBinding
	Attributes []VertexAttribute
}

// VertexBinding is how vertices, or instances, stand in a buffer.
type VertexBinding struct {
	Binding  uint32
	Stride   uint32 // bytes
	Instance bool   // its elements are for instances
	Divisor  uint32 // with Instance: how many instances share one element; 0: all
}

// VertexAttribute is one location of the vertex program.
type VertexAttribute struct {
	Location, Binding uint32
	Format            string // Vulkan's name without VK_FORMAT_
	Offset            uint32 // bytes in the element
}

// Viewport is a transformation from clip coordinates to the framebuffer (VkViewport).
// A height may be negative.
type Viewport struct {
	X, Y, Width, Height float32
	MinDepth, MaxDepth  float32
}

// Rect is pixels of a framebuffer (VkRect2D).
type Rect struct {
	X, Y          int32
	Width, Height uint32
}

// PolygonMode is how triangles are drawn (VkPolygonMode).
type PolygonMode uint8

// The polygon modes.
const (
	Fill PolygonMode = iota
	Outline
	Corners
)

// Cull are the faces of triangles that are not drawn (VkCullModeFlags).
type Cull uint8

// The faces.
const (
	CullFront Cull = 1 << iota
	CullBack
)

// LineMode is how lines are drawn (VkLineRasterizationMode).
type LineMode uint8

// The line modes.
const (
	DefaultLines LineMode = iota
	RectangularLines
	BresenhamLines
	SmoothLines
)

// LineStipple takes parts of lines away (VkPipelineRasterizationLineStateCreateInfo).
type LineStipple struct {
	Factor  uint32 // how often each bit of the pattern is used: 1 to 256; 0 is no stipple
	Pattern uint16 // from the least significant bit on: what is drawn
}

// MaxStipple is the greatest factor of a stipple.
const MaxStipple = 256

// Rasterization is how primitives become fragments.
type Rasterization struct {
	Discard     bool // nothing is rasterised
	PolygonMode PolygonMode
	Cull        Cull
	Clockwise   bool // triangles whose vertices go round clockwise in the framebuffer are front ones

	DepthClamp        bool // depths are clamped to the viewport's, at each fragment. It compiles the fragment program
	DepthUnrestricted bool // depths of floats may lie outside of 0 and 1 (VK_EXT_depth_range_unrestricted). Likewise
	DepthClip         bool // primitives are clipped at the near and the far plane
	NegativeOneZ      bool // depths before the viewport are −1 to 1 (VK_EXT_depth_clip_control)
	LastVertex        bool // the provoking vertex is the last one
	DepthBias         bool
	BiasConstant      float32
	BiasSlope         float32
	BiasClamp         float32
	LineMode          LineMode // SmoothLines compiles the fragment program, or no longer
	LineWidth         float32  // pixels; 0 is 1
	Stipple           LineStipple

	Conservative      int8    // 1: overestimated, −1: underestimated
	ExtraOverestimate float32 // pixels

	Stream uint32 // of the geometry program: the one that is rasterised
}

// Multisample is how samples are covered.
type Multisample struct {
	Samples         uint32     // of a pixel; 0 is 1. It compiles the fragment program
	SampleShading   bool       // compiles the fragment program
	MinShading      float32    // with SampleShading: the part of the samples that is shaded apart; likewise
	Mask            *[2]uint32 // samples that may be covered; nil is all
	AlphaToCoverage bool       // compiles the fragment program
	AlphaToOne      bool       // compiles the fragment program
}

// CompareOp is a comparison (VkCompareOp, with its numbers).
type CompareOp uint8

// The comparisons.
const (
	Never CompareOp = iota
	Less
	Equal
	LessOrEqual
	Greater
	NotEqual
	GreaterOrEqual
	Always
)

// StencilOp is what becomes of a stencil value (VkStencilOp, with its numbers).
type StencilOp uint8

// The operations.
const (
	Keep StencilOp = iota
	Zero
	Replace
	IncrementClamp
	DecrementClamp
	Invert
	IncrementWrap
	DecrementWrap
)

// StencilFace is the stencil test of front or back faces. Masks and reference are
// read at draw.
type StencilFace struct {
	Fail, Pass, DepthFail             StencilOp
	Compare                           CompareOp
	CompareMask, WriteMask, Reference uint32
}

// DepthStencil is the depth and stencil tests. All but bounds, masks and references
// compiles the fragment program.
type DepthStencil struct {
	Test, Write        bool
	Compare            CompareOp
	Bounds             bool
	MinBound, MaxBound float32
	Stencil            bool
	Front, Back        StencilFace
}

// BlendFactor is what a color is multiplied by (VkBlendFactor, with its numbers).
type BlendFactor uint8

// The factors.
const (
	FactorZero BlendFactor = iota
	FactorOne
	SrcColor
	OneMinusSrcColor
	DstColor
	OneMinusDstColor
	SrcAlpha
	OneMinusSrcAlpha
	DstAlpha
	OneMinusDstAlpha
	ConstantColor
	OneMinusConstantColor
	ConstantAlpha
	OneMinusConstantAlpha
	SrcAlphaSaturate
	Src1Color
	OneMinusSrc1Color
	Src1Alpha
	OneMinusSrc1Alpha
	numFactors
)

// BlendOp joins two colors (VkBlendOp, with its numbers).
type BlendOp uint8

// The operations.
const (
	BlendAdd BlendOp = iota
	BlendSubtract
	BlendReverseSubtract
	BlendMin
	BlendMax
	numBlendOps
)

// LogicOp is an operation on bits (VkLogicOp, with its numbers).
type LogicOp uint8

// The operations.
const (
	LogicClear LogicOp = iota
	LogicAnd
	LogicAndReverse
	LogicCopy
	LogicAndInverted
	LogicNoOp
	LogicXor
	LogicOr
	LogicNor
	LogicEquivalent
	LogicInvert
	LogicOrReverse
	LogicCopyInverted
	LogicOrInverted
	LogicNand
	LogicSet
	numLogicOps
)

// BlendAttachment is what becomes of one color attachment. It compiles the fragment
// program.
type BlendAttachment struct {
	Enable             bool
	SrcColor, DstColor BlendFactor
	ColorOp            BlendOp
	SrcAlpha, DstAlpha BlendFactor
	AlphaOp            BlendOp
	WriteMask          uint8 // bit i: component i is written
}

// Blend is what becomes of colors. All but the constants compiles the fragment
// program.
type Blend struct {
	Attachments []BlendAttachment // a missing one writes all components
	Logic       bool              // LogicOp takes the place of blending
	LogicOp     LogicOp
	Constants   [4]float32
}

// DiscardRectangles are where fragments may not lie, or nowhere else (Vulkan §"Discard
// Rectangles Test"). Without rectangles there is no test.
type DiscardRectangles struct {
	Exclusive  bool // samples in a rectangle are taken away, and not those in none
	Rectangles []Rect
}

// MaxDiscardRectangles is how many there may be (maxDiscardRectangles).
const MaxDiscardRectangles = 8

// Raster returns the rectangle as raster has it, of what lies at no negative place.
func (r Rect) Raster() raster.Rect {
	end := func(at int32, n uint32) int32 { return int32(min(max(int64(at)+int64(n), 0), 1<<16)) }
	return raster.Rect{X0: max(r.X, 0), Y0: max(r.Y, 0), X1: end(r.X, r.Width), Y1: end(r.Y, r.Height)}
}

// Static returns of a face what code depends on.
func (f StencilFace) Static() StencilFace {
	f.CompareMask, f.WriteMask, f.Reference = 0, 0, 0
	return f
}

// Writes reports whether a value may change.
func (f *StencilFace) Writes() bool { return f.Fail != Keep || f.Pass != Keep || f.DepthFail != Keep }

// KeepsOnFail reports whether a face writes nothing where the depth test fails.
func (f *StencilFace) KeepsOnFail() bool { return f.Fail == Keep && f.DepthFail == Keep }
