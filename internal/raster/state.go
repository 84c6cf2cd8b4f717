package raster

import "github.com/chiaro-gpu/chiaro/enum"

// State is the fixed-function state of rasterisation. Depth tests are not part of it: they follow.
type State struct {
	// Viewports and Scissors are paired by index; a vertex may select one ([Layout.Viewport]). A primitive
	// that selects an index without both is dropped.
	Viewports []Viewport
	Scissors  []Rect

	// Area is the intersection of the render area and the attachments' extent, in pixels.
	Area Rect

	// Layers is the number of layers: a primitive of any other layer is in the last one.
	Layers uint32

	Samples int // samples per pixel: 1, 2, 4, 8, 16, 32 or 64
	// Locations are custom sample locations; nil for the standard ones. Conservative rasterisation ignores
	// them. Width·Height·Samples locations are used.
	Locations *SampleLocations

	CullFront, CullBack bool
	Clockwise           bool // clockwise polygons are front-facing (VK_FRONT_FACE_CLOCKWISE)

	PolygonMode enum.PolygonMode

	// ProvokingLast selects the last vertex of a primitive for its flat values
	// (VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT).
	ProvokingLast bool

	// DepthClip clips to the near and far plane (depthClipEnable). Depth clamping is applied to fragments,
	// by the caller.
	DepthClip bool
	// NegativeOneToOne makes the depth range of the view volume −w ≤ z ≤ w instead of 0 ≤ z ≤ w
	// (VkPipelineViewportDepthClipControlCreateInfoEXT).
	NegativeOneToOne bool

	Bias DepthBias

	// ClampDepth makes MinDepth and MaxDepth the range of depth clamping in place of the viewport's
	// (VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT).
	ClampDepth         bool
	MinDepth, MaxDepth float32

	LineWidth float32
	LineMode  enum.LineMode
	Stipple   Stipple

	// Short leaves Rasterizer.Rests empty: no fragment program reads them.
	Short bool

	// InPlace makes triangles of batches the primitives of their items (inplace.go).
	InPlace bool

	// Aligned makes all blocks begin at multiples of Block instead of at any even pixel.
	Aligned bool

	// Runs lets one item represent a vertical run of fully covered blocks. Area must then be within
	// RunArea pixels.
	Runs bool

	Conservative enum.ConservativeMode
	// Inner adds to each item the mask of fully covered pixels. It requires conservative rasterisation.
	Inner bool
	// ExtraSize is extraPrimitiveOverestimationSize in pixels, at most MaxExtraSize.
	ExtraSize float32
}

// Layout holds the offsets, in 32-bit words, of fixed-function outputs in a vertex's record; −1 means that
// the record lacks the output.
type Layout struct {
	Stride   int // words per record
	Position int // four floats, always there
	Clip     int // ClipCount floats, the clip distances
	Cull     int // CullCount floats, the cull distances
	Size     int // PointSize, in pixels
	Layer    int
	Viewport int

	// Mask makes Viewport a bit mask: a primitive is drawn in each viewport that its provoking vertex's mask
	// contains, from the lowest on (ViewportMaskNV).
	Mask bool
	// Relative adds the viewport's number to Layer (ViewportRelativeNV).
	Relative bool

	ClipCount, CullCount int

	Skip int // words at the record's start that are not copied to Rasterizer.Varyings
}

// varyings is the number of a record's words that are copied to Rasterizer.Varyings.
func (l *Layout) varyings() int { return l.Stride - l.Skip }

// MaxDistances bounds the sum of ClipCount and CullCount (maxCombinedClipAndCullDistances).
const MaxDistances = 8

// Records are the vertices' records, one after another, each Stride words long.
type Records struct {
	Layout
	Words []uint32
}
