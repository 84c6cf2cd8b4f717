package layout

import (
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Bindings of a draw's own resources.
const (
	BindParams            = compose.ParamsBinding + iota // ir.UniformBuffer: parameters
	BindVertexList                                       // ir.StorageBuffer: VertexIndex and InstanceIndex, or domain points
	BindRecords                                          // ir.StorageBuffer: vertex records that the stage writes, or that fragments read
	BindPrimitives                                       // ir.StorageBuffer: raster.Primitive, for fragments
	BindRests                                            // ir.StorageBuffer: raster.PrimitiveRest, for fragments
	BindItems                                            // ir.StorageBuffer: covered blocks of primitives or packed quads, for fragments
	BindCounts                                           // ir.StorageBuffer: counters of the draw
	BindInputs                                           // ir.StorageBuffer: vertex records that tessellation and geometry read
	BindPrimitiveVertices                                // ir.StorageBuffer: primitives of tessellation and geometry as tuples, triangles of the set-up program
	BindPatches                                          // ir.StorageBuffer: per-patch data, primitive records of a mesh program
	BindEmissions                                        // ir.StorageBuffer: emission marks of a geometry program, counts of task and mesh programs
	BindPayload                                          // ir.StorageBuffer: payloads of tasks
	BindCaptures                                         // ir.StorageBuffer: captured records of transform feedback
	BindTriangles                                        // ir.StorageBuffer: results of the set-up program
	BindDepth                                            // ir.Texels and ir.ImageShape, as for stencil and colors
	BindStencil
	BindVertex // one for each vertex buffer
	BindColor  = BindVertex + state.MaxBindings

	// BindPayloadShadow is an ir.StorageBuffer: shadows of the payloads of tasks. Task and mesh programs read no vertex records.
	BindPayloadShadow = BindInputs
)

// Words of the vertex program's parameters.
const (
	VertexCount = iota // number of invocations
	VertexBase         // BaseVertex
	VertexBaseInstance
	VertexDrawIndex
	VertexViewIndex
	VertexOffsets                                                // by vertex buffer: byte offset of its first element
	VertexWords   = (VertexOffsets + state.MaxBindings + 1) &^ 1 // even, so that a following array is aligned to 8 bytes
)

// Words of the fragment program's parameters. The stencil words exist for front faces, then for back
// faces.
const (
	FragmentConstants = 0 // four floats: blend constants
	FragmentBounds    = 4 // two floats: depth bounds
	FragmentView      = 6
	FragmentList      = 7 // a number of the bin list
	FragmentStencil   = 8 // compare mask, write mask, reference
	FragmentWords     = FragmentStencil + 2*StencilWords

	// With custom sample locations, x and y of each sample of each pixel of a grid of raster.MaxLocationGrid
	// pixels along each axis follow.
	FragmentLocations = FragmentWords
)

// FragmentParamWords returns the number of words of the fragment program's parameters.
func FragmentParamWords(s *state.State) int {
	if s.Multisample.Custom() == nil {
		return FragmentWords
	}
	return FragmentLocations + 2*raster.MaxLocationGrid*raster.MaxLocationGrid*int(max(s.Multisample.Samples, 1))
}

// StencilWords is the number of parameter words for each face.
const StencilWords = 3

// WriteFragmentParams writes the parameters of a fragment program.
func WriteFragmentParams(w []uint32, s *state.State, view, list uint32) {
	compose.SetFloats(w, FragmentConstants, s.Blend.Constants[:]...)
	w[FragmentView], w[FragmentList] = view, list
	z := &s.DepthStencil
	compose.SetFloats(w, FragmentBounds, z.MinBound, z.MaxBound)
	for i, f := range [2]*state.StencilFace{&z.Front, &z.Back} {
		copy(w[FragmentStencil+i*StencilWords:], []uint32{f.CompareMask, f.WriteMask, f.Reference})
	}
}

// WriteLocations writes the sample locations l after the other parameters. A smaller grid is repeated.
func WriteLocations(w []uint32, l *raster.SampleLocations, samples int) {
	at := FragmentLocations
	for y := range raster.MaxLocationGrid {
		for x := range raster.MaxLocationGrid {
			first := (x%l.Width + y%l.Height*l.Width) * samples
			for _, p := range l.Points[first : first+samples] {
				compose.SetFloats(w, at, float32(p[0])/(1<<raster.SubPixelBits), float32(p[1])/(1<<raster.SubPixelBits))
				at += 2
			}
		}
	}
}

// Counters of a draw.
const (
	CountPassed      = iota // samples that passed all tests
	CountInvocations        // fragment invocations
	NumCounts
)
