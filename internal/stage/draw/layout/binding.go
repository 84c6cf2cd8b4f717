package layout

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Bindings of the draw's own resources, in the set ownSet.
const (
	BindParams            = compose.ParamsBinding + iota // ir.UniformBuffer: the numbers of the draw that its programs read
	BindVertexList                                       // ir.StorageBuffer: what each invocation of the vertex program is
	BindRecords                                          // ir.StorageBuffer: the vertices behind it
	BindPrimitives                                       // ir.StorageBuffer: what the fragment program knows of each primitive
	BindItems                                            // ir.StorageBuffer: blocks of pixels of primitives
	BindCounts                                           // ir.StorageBuffer: samples that passed, for queries
	BindInputs                                           // ir.StorageBuffer: the vertices before a stage in the middle
	BindPrimitiveVertices                                // ir.StorageBuffer: the primitives before it
	BindPatches                                          // ir.StorageBuffer: what stands once for a patch
	BindEmissions                                        // ir.StorageBuffer: what is said of vertices that a geometry program emits
	BindCaptures                                         // ir.StorageBuffer: what transform feedback takes of each vertex
	BindTriangles                                        // ir.StorageBuffer: triangles that are set up
	BindDepth                                            // ir.Texels and ir.ImageShape
	BindStencil
	BindVertex // and one for each vertex buffer
	BindColor  = BindVertex + state.MaxBindings
)

// Words of the vertex program's parameters.
const (
	VertexCount = iota // invocations that there are
	VertexBase         // BaseVertex
	VertexBaseInstance
	VertexDrawIndex
	VertexViewIndex
	VertexOffsets                                                // of each vertex buffer: bytes from where it is bound to its first element
	VertexWords   = (VertexOffsets + state.MaxBindings + 1) &^ 1 // a buffer begins at a multiple of 8
)

// Words of the fragment program's parameters. Those of stencil stand for front faces
// and then for back faces.
const (
	FragmentConstants = 0 // four floats: of blending
	FragmentBounds    = 4 // two floats: of depth
	FragmentView      = 6
	FragmentStencil   = 7 // compare mask, write mask, reference
	FragmentWords     = FragmentStencil + 2*StencilWords
)

const StencilWords = 3

// WriteFragmentParams writes the parameters of the fragment program.
func WriteFragmentParams(w []uint32, s *state.State, view uint32) {
	compose.SetFloats(w, FragmentConstants, s.Blend.Constants[:]...)
	w[FragmentView] = view
	z := &s.DepthStencil
	compose.SetFloats(w, FragmentBounds, z.MinBound, z.MaxBound)
	for i, f := range [2]*state.StencilFace{&z.Front, &z.Back} {
		copy(w[FragmentStencil+i*StencilWords:], []uint32{f.CompareMask, f.WriteMask, f.Reference})
	}
}

// Counters of a draw.
const (
	CountPassed      = iota // samples that passed all tests
	CountInvocations        // of the fragment program
	NumCounts
)
