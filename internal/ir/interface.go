package ir

// Semantic is the meaning of an input or output. Vulkan's §"Built-In Variables"
// defines it for each stage.
type Semantic uint8

// The semantics. Engines know those before Location; X, Y and Z of a vector are
// consecutive. The others belong to graphics stages. Index is the component of a vector
// or the element of an array.
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
	PrimitiveNumber  // i32: identifies the primitive among all with fragments that run together
	TileColor        // read by inat with the number of the sample: the value of the fragment's pixel in a color attachment; Index as of Location
	TileDepth        // the same of the depth attachment
	TileStencil      // and of the stencil attachment

	// Outputs of task and mesh programs, written by outat.
	TaskCount        // of element 0: the numbers of mesh workgroups in x, y and z that the task emits; Index is the dimension
	TaskPayload      // the words of the payload; of Index 1 the words of its shadow (PayloadShadowBinding)
	VertexCount      // of element 0: the vertices that the workgroup emits
	PrimitiveCount   // of element 0: the primitives that it emits
	PrimitiveIndices // of each primitive the numbers of its vertices; Index is the corner
	FlatIndices      // the numbers of the vertices of all primitives, one after the other (PrimitiveIndicesNV)
	CullPrimitive    // of each primitive, of type i32: not 0 discards it

	RayFrame     // of a shader of a ray: the address of its frame, of type i32
	RayPayload   // the address of the incoming payload or callable data, of type i32
	ShaderRecord // the device address of the data of the shader record, of type i64
	LaunchId     // a vector
	LaunchSize   // a vector

	// Inputs of a node of an execution graph, of type i32. Its resource in PayloadSet has all payloads.
	NodeInput     // the offset of the payloads of the workgroup
	NodeCount     // their number
	NodeArea      // the offset of the area of the payloads that the workgroup sends
	NodeShare     // the workgroups that have the payload
	NodeIndex     // ShaderIndexAMDX
	NodeRecursion // RemainingRecursionLevelsAMDX
	NodeTargets   // the offset of the lists of nodes that exist: for each NodeOutput their number and the offset of their indices

	Stored // f32, with the sanitizer uninit: 1 if an invocation has stored to the Location with the same Index

	RayShadow // i32, with the sanitizer uninit: the address of the shadow of private memory; slot n is the shadow of address n

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
	"quad.x", "quad.y", "framebufferlayer", "primitivenumber", "tilecolor", "tiledepth", "tilestencil",
	"taskcount", "taskpayload", "vertexcount", "primitivecount", "primitiveindices", "flatindices", "cullprimitive",
	"rayframe", "raypayload", "shaderrecord", "launchid", "launchsize",
	"nodeinput", "nodecount", "nodearea", "nodeshare", "nodeindex", "noderecursion", "nodetargets",
	"stored", "rayshadow",
}

// String returns the printed form, such as "global.x".
func (s Semantic) String() string { return semanticNames[s] }

// Engine reports whether engines know the semantic, a compute built-in.
func (s Semantic) Engine() bool { return s < Location }

// Rate is the set of invocations for which a value is the same.
type Rate uint8

// The rates, from the rarest change to the most frequent.
const (
	PerDispatch Rate = iota
	PerGroup
	PerSubgroup
	PerLane
)

// Rate returns the rate of a compute built-in, and PerLane for every other semantic.
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

// Interpolation is the method that computes a fragment's input from the values at the
// vertices of the primitive.
type Interpolation uint8

// The interpolations.
const (
	Perspective Interpolation = iota // weighted by 1/w
	Linear                           // linear in the framebuffer (NoPerspective)
	Flat                             // the value of the provoking vertex
	PerVertex                        // none: read by inat
	numInterpolations
)

var interpolationNames = [numInterpolations]string{"perspective", "linear", "flat", "pervertex"}

// String returns the printed form, such as "flat".
func (i Interpolation) String() string { return interpolationNames[i] }

// Sampling is the point of the fragment at which an input is interpolated.
type Sampling uint8

// The points.
const (
	Center   Sampling = iota
	Centroid          // within the primitive and the pixel
	Sample            // at the sample that is shaded
	numSamplings
)

var samplingNames = [numSamplings]string{"center", "centroid", "sample"}

// String returns the printed form, such as "centroid".
func (s Sampling) String() string { return samplingNames[s] }

// Input is a value that an invocation receives.
type Input struct {
	Semantic      Semantic
	Type          Type
	Index         uint32
	Interpolation Interpolation // of a fragment's Location
	Sampling      Sampling      // of a fragment's Location, BaryCoord and BaryCoordNoPersp, if interpolated
	Patch         bool          // one value for all vertices of the patch
}

// Output is a value that an invocation produces.
type Output struct {
	Semantic Semantic
	Type     Type
	Index    uint32
	Source   uint32 // of a fragment's Location: 1 for the second source of blending
	Patch    bool   // one value for all vertices of the patch
	Stream   uint32 // of geometry: the vertex stream
	Capture  uint32 // 1 + index in Program.Captures; 0: not captured
	Offset   uint32 // with Capture: bytes from the start of the vertex in the buffer

	PerPrimitive bool // of mesh: outat numbers primitives instead of vertices
	Signed       bool // of a fragment's Location that is an integer, in a program with the sanitizer undefined: it has a sign
}

// Capture is a transform feedback buffer that receives the vertices of a stage.
type Capture struct {
	Buffer uint32 // its number (XfbBuffer)
	Stride uint32 // bytes of a vertex
	Stream uint32 // of geometry: the stream of the vertices
}

// Limits of transform feedback.
const (
	MaxStreams       = 4    // vertex streams (maxTransformFeedbackStreams)
	MaxCaptures      = 4    // buffers (maxTransformFeedbackBuffers)
	MaxCaptureStride = 2048 // bytes of a vertex (maxTransformFeedbackBufferDataStride)
)
