package ir

// Semantic is what an input or output stands for. What it is in each stage is
// Vulkan's §"Built-In Variables".
type Semantic uint8

// The semantics. First those that engines know: X, Y and Z of a vector follow each
// other. Those behind them are of graphics stages; of vectors Index is the component, of
// arrays the element.
const (
	NoSemantic Semantic = iota
	GlobalInvocationIdX
	GlobalInvocationIdY
	GlobalInvocationIdZ
	LocalInvocationIdX
	LocalInvocationIdY
	LocalInvocationIdZ
	WorkgroupIdX
	WorkgroupIdY
	WorkgroupIdZ
	NumWorkgroupsX
	NumWorkgroupsY
	NumWorkgroupsZ
	LocalInvocationIndex
	SubgroupLocalInvocationId
	SubgroupId
	NumSubgroups

	Location // Index is 4·location + component; a value of 64 bits has two components and names the lower one
	VertexIndex
	InstanceIndex
	BaseVertex
	BaseInstance
	DrawIndex
	ViewIndex
	PrimitiveId
	InvocationId
	PatchVertices
	TessCoord      // a vector
	TessLevelOuter // an array
	TessLevelInner // an array
	Position       // a vector
	PointSize
	ClipDistance // an array
	CullDistance // an array
	Layer
	ViewportIndex
	ViewportMask        // an array
	PositionPerView     // an array of vectors by view: Index is 4·view + component
	ViewportMaskPerView // an array by view
	FragCoord           // a vector
	FrontFacing         // of type i32: 0 or 1, as all semantics that are booleans
	PointCoord          // a vector
	SampleId
	SamplePosition // a vector
	SampleMask     // an array
	FragDepth
	FragStencilRef
	BaryCoord        // a vector
	BaryCoordNoPersp // a vector
	PrimitiveShadingRate
	ShadingRate
	FullyCovered
	FragSize // a vector
	FragInvocationCount
	QuadX            // i32, 0 or 1: in which column of its quad the lane is
	QuadY            // i32, 0 or 1: in which row of its quad the lane is
	FramebufferLayer // the layer that is drawn to
	TileColor        // read by inat, which names the sample: what stands at the fragment's pixel in a color attachment; Index as of Location
	TileDepth        // the same of the depth attachment
	TileStencil      // and of the stencil attachment

	numSemantics
)

var semanticNames = [numSemantics]string{
	"none", "global.x", "global.y", "global.z", "local.x", "local.y", "local.z",
	"workgroup.x", "workgroup.y", "workgroup.z", "numworkgroups.x", "numworkgroups.y", "numworkgroups.z",
	"localindex", "subgrouplane", "subgroupid", "numsubgroups", "location",
	"vertexindex", "instanceindex", "basevertex", "baseinstance", "drawindex", "viewindex", "primitiveid",
	"invocationid", "patchvertices", "tesscoord", "tesslevelouter", "tesslevelinner", "position", "pointsize",
	"clipdistance", "culldistance", "layer", "viewportindex", "viewportmask", "positionperview", "viewportmaskperview", "fragcoord", "frontfacing",
	"pointcoord", "sampleid", "sampleposition", "samplemask", "fragdepth", "fragstencilref", "barycoord",
	"barycoordnopersp", "primitiveshadingrate", "shadingrate", "fullycovered", "fragsize", "fraginvocationcount",
	"quad.x", "quad.y", "framebufferlayer", "tilecolor", "tiledepth", "tilestencil",
}

// String returns the printed form, such as "global.x".
func (s Semantic) String() string { return semanticNames[s] }

// Engine reports whether engines know the semantic: that of a compute built-in.
func (s Semantic) Engine() bool { return s < Location }

// Rate says for how many invocations a value is the same.
type Rate uint8

// The rates, from the rarest change on.
const (
	PerDispatch Rate = iota
	PerGroup
	PerSubgroup
	PerLane
)

// Rate returns the rate of a compute built-in; that of others is PerLane.
func (s Semantic) Rate() Rate {
	switch s {
	case NumWorkgroupsX, NumWorkgroupsY, NumWorkgroupsZ, NumSubgroups, NoSemantic:
		return PerDispatch
	case WorkgroupIdX, WorkgroupIdY, WorkgroupIdZ:
		return PerGroup
	case SubgroupId:
		return PerSubgroup
	}
	return PerLane
}

// Interpolation says how a fragment's input is made of those of the primitive's
// vertices.
type Interpolation uint8

// The interpolations.
const (
	Perspective Interpolation = iota // weighted by 1/w
	Linear                           // linear in the framebuffer (NoPerspective)
	Flat                             // that of the provoking vertex
	PerVertex                        // none: read by inat
	numInterpolations
)

var interpolationNames = [numInterpolations]string{"perspective", "linear", "flat", "pervertex"}

// String returns the printed form, such as "flat".
func (i Interpolation) String() string { return interpolationNames[i] }

// Place says where in the fragment an input is interpolated.
type Place uint8

// The places.
const (
	Center   Place = iota
	Centroid       // within the primitive and the pixel
	Sample         // at the sample that is shaded
	numPlaces
)

var placeNames = [numPlaces]string{"center", "centroid", "sample"}

// String returns the printed form, such as "centroid".
func (p Place) String() string { return placeNames[p] }

// Input is a value that an invocation is given.
type Input struct {
	Semantic      Semantic
	Type          Type
	Index         uint32
	Interpolation Interpolation // of a fragment's Location
	Place         Place         // of a fragment's Location, BaryCoord and BaryCoordNoPersp, where it is interpolated
	Patch         bool          // it is one for all vertices of the patch
}

// Output is a value that an invocation hands on.
type Output struct {
	Semantic Semantic
	Type     Type
	Index    uint32
	Source   uint32 // of a fragment's Location: 1 for the second source of blending
	Patch    bool   // it is one for all vertices of the patch
	Stream   uint32 // of geometry: the vertex stream
	Capture  uint32 // 1 + which of the program's captures takes it; 0: none
	Offset   uint32 // with Capture: bytes from where the vertex begins there
}

// Capture is a buffer of transform feedback that a stage's vertices go to.
type Capture struct {
	Buffer uint32 // its number (XfbBuffer)
	Stride uint32 // bytes of a vertex
	Stream uint32 // of geometry: whose vertices
}

// Limits of transform feedback.
const (
	MaxStreams       = 4    // vertex streams (maxTransformFeedbackStreams)
	MaxCaptures      = 4    // buffers (maxTransformFeedbackBuffers)
	MaxCaptureStride = 2048 // bytes of a vertex (maxTransformFeedbackBufferDataStride)
)
