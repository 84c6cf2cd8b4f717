package ir

// Modes is a set of execution modes: properties of a stage that the code around it
// needs.
type Modes uint64

// The modes, named after SPIR-V's.
const (
	EarlyTests            Modes = 1 << iota // EarlyFragmentTests
	EarlyAndLateTests                       // EarlyAndLateFragmentTestsAMD
	DepthReplacing                          // FragDepth is written
	DepthGreater                            // and is no less than the depth of the fragment
	DepthLess                               // and is no greater
	DepthUnchanged                          // and is the same
	StencilReplacing                        // FragStencilRef is written
	StencilUnchangedFront                   // and is the state's reference, if the primitive is front-facing
	StencilGreaterFront                     // and is no less
	StencilLessFront                        // and is no greater
	StencilUnchangedBack                    // the same if it is back-facing
	StencilGreaterBack
	StencilLessBack
	PostDepthCoverage // the coverage that is read is the coverage after the early tests
	OverrideCoverage  // OverrideCoverageNV: the samples of SampleMask are the fragment's, whatever was covered
	PerSample         // an invocation for each sample: an input is of one
	InterlockPixel    // PixelInterlockOrderedEXT, or unordered
	InterlockSample
	InterlockRate
	FullQuads       // RequireFullQuadsKHR
	QuadDerivatives // QuadDerivativesKHR

	TessTriangles
	TessQuads
	TessIsolines
	SpacingEqual
	SpacingFractionalEven
	SpacingFractionalOdd
	VertexOrderCw
	VertexOrderCcw
	PointMode

	InputPoints
	InputLines
	InputLinesAdjacency
	InputTriangles
	InputTrianglesAdjacency
	OutputPoints
	OutputLineStrip
	OutputTriangleStrip
	OutputLines
	OutputTriangles

	Xfb              // outputs are captured
	ViewportRelative // ViewportRelativeNV: Layer counts from the number of the viewport
	MeshNV           // a task or mesh shader of SPV_NV_mesh_shader: WorkgroupId.x counts from the first workgroup of the draw
	MeshNode         // a mesh shader that is a node of an execution graph: the workgroups of a draw are those of several payloads

	TileShading     // of a module with TileShadingQCOM: it runs only in a rendering with tile shading
	TileNonCoherent // NonCoherentTileAttachmentReadQCOM: tile attachments are read in any order
)

var modeNames = [...]string{
	"earlytests", "earlyandlatetests", "depthreplacing", "depthgreater", "depthless", "depthunchanged",
	"stencilreplacing", "stencilunchangedfront", "stencilgreaterfront", "stencillessfront",
	"stencilunchangedback", "stencilgreaterback", "stencillessback", "postdepthcoverage", "overridecoverage", "persample",
	"interlockpixel", "interlocksample", "interlockrate", "fullquads", "quadderivatives",
	"triangles", "quads", "isolines", "equal", "fractionaleven", "fractionalodd", "cw", "ccw", "pointmode",
	"inputpoints", "inputlines", "inputlinesadjacency", "inputtriangles", "inputtrianglesadjacency",
	"outputpoints", "outputlinestrip", "outputtrianglestrip", "outputlines", "outputtriangles", "xfb", "viewportrelative", "meshnv", "meshnode",
	"tileshading", "tilenoncoherent",
}

// Has reports whether all of the modes are in the set.
func (m Modes) Has(all Modes) bool { return m&all == all }

// String returns the printed form: a space and a word for each mode.
func (m Modes) String() string {
	s := ""
	for i, name := range modeNames {
		s += word(m>>i&1 != 0, " "+name)
	}
	return s
}
