package raster

// State is what rasterisation depends on beside the vertices. It says nothing of
// depth tests, which come after.
type State struct {
	// Viewports and Scissors go together by number; a vertex may choose
	// ([Layout.Viewport]). A primitive that chooses one that is not there is dropped.
	Viewports []Viewport
	Scissors  []Rect

	// Area is the render area and what the attachments have, in pixels.
	Area Rect

	// Layers is how many layers there are: a primitive of another is dropped.
	Layers uint32

	Samples int // of a pixel: 1, 2, 4, 8, 16, 32 or 64

	CullFront, CullBack bool
	Clockwise           bool // front faces are (VK_FRONT_FACE_CLOCKWISE)

	PolygonMode PolygonMode

	// ProvokingLast chooses the last vertex of a primitive for its flat values
	// (VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT).
	ProvokingLast bool

	// DepthClip clips to the near and far plane (depthClipEnable). DepthClamp
	// belongs to the fragments.
	DepthClip bool
	// NegativeOneToOne makes −w ≤ z ≤ w of 0 ≤ z ≤ w
	// (VkPipelineViewportDepthClipControlCreateInfoEXT).
	NegativeOneToOne bool

	Bias DepthBias

	LineWidth float32
	LineMode  LineMode
	Stipple   Stipple

	// Aligned has all blocks stand at multiples of Block.
	Aligned bool

	// Columns has one item stand for several blocks one below the other that are wholly
	// covered. The area then ends within RunArea pixels.
	Runs bool

	Conservative Conservative
	// Inner has items say which pixels are wholly covered, where rasterisation is
	// conservative.
	Inner bool
	// ExtraSize is extraPrimitiveOverestimationSize, in pixels.
	ExtraSize float32
}

// PolygonMode is how polygons are drawn.
type PolygonMode uint8

// The polygon modes.
const (
	Fill PolygonMode = iota
	Line
	Point
)

// LineMode is how lines are rasterised (VkLineRasterizationMode).
type LineMode uint8

// The line modes. Default is Rectangular (strictLines).
const (
	DefaultLines LineMode = iota
	Rectangular
	Bresenham
	Smooth
)

// Conservative is a mode of conservative rasterisation.
type Conservative uint8

// The modes.
const (
	Exact Conservative = iota
	Overestimate
	Underestimate
)

// Layout is where in a vertex's record of 32-bit words things stand. A place of −1
// is none.
type Layout struct {
	Stride   int // words of a record
	Position int // four floats
	Clip     int // ClipCount floats, the clip distances
	Cull     int // CullCount floats, the cull distances
	Size     int // of a point, in pixels
	Layer    int
	Viewport int

	// Mask has Viewport be a mask: a primitive is of each viewport whose bit its
	// provoking vertex has, from the lowest on (ViewportMaskNV).
	Mask bool
	// Relative has layers count from the number of the viewport (ViewportRelativeNV).
	Relative bool

	ClipCount, CullCount int

	Skip int // words in front that are not kept with primitives
}

// varyings is how many words of a record are kept with primitives.
func (l *Layout) varyings() int { return l.Stride - l.Skip }

// MaxDistances is how many clip and cull distances there may be together
// (maxCombinedClipAndCullDistances).
const MaxDistances = 8

// Records are the records of vertices, one behind the other.
type Records struct {
	Layout
	Words []uint32
}
