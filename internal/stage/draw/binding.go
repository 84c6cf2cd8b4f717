package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Bindings of the draw's own resources, in the set ownSet.
const (
	bindParams     = iota // ir.UniformBuffer: the numbers of the draw that its programs read
	bindList              // ir.StorageBuffer: what each invocation of the vertex program is
	bindRecords           // ir.StorageBuffer: the vertices behind it
	bindPrimitives        // ir.StorageBuffer: what the fragment program knows of each primitive
	bindItems             // ir.StorageBuffer: blocks of pixels of primitives
	bindCounts            // ir.StorageBuffer: samples that passed, for queries
	bindInputs            // ir.StorageBuffer: the vertices before a stage in the middle
	bindParts             // ir.StorageBuffer: the primitives before it
	bindPatches           // ir.StorageBuffer: what stands once for a patch
	bindMarks             // ir.StorageBuffer: what is said of vertices that a geometry program emits
	bindCaptured          // ir.StorageBuffer: what transform feedback takes of each vertex
	bindBatches           // ir.StorageBuffer: triangles that are set up
	bindDepth             // ir.Texels and ir.ImageShape
	bindStencil
	bindVertex // and one for each vertex buffer
	bindColor  = bindVertex + MaxBindings
)

// Words of the vertex program's parameters.
const (
	vertexCount = iota // invocations that there are
	vertexBase         // BaseVertex
	vertexBaseInstance
	vertexDrawIndex
	vertexViewIndex
	vertexOffsets                                          // of each vertex buffer: bytes from where it is bound to its first element
	vertexWords   = (vertexOffsets + MaxBindings + 1) &^ 1 // a buffer begins at a multiple of 8
)

// params reads word n of the parameters of the program that is written.
func (w *weaver) params(t ir.Type, n uint32) ir.V {
	return w.own(t, w.handle(ir.UniformBuffer, bindParams, false), w.b.I32(0), 4*n)
}

// Words of the fragment program's parameters. Those of stencil stand for front faces
// and then for back faces.
const (
	fragmentConstants = 0 // four floats: of blending
	fragmentBounds    = 4 // two floats: of depth
	fragmentView      = 6
	fragmentStencil   = 7 // compare mask, write mask, reference
	fragmentWords     = fragmentStencil + 2*stencilWords
)

const stencilWords = 3

// fragmentParams writes them.
func (d *recorded) fragmentParams(w []uint32) {
	setFloats(w, fragmentConstants, d.state.Blend.Constants[:]...)
	z := &d.state.DepthStencil
	setFloats(w, fragmentBounds, z.MinBound, z.MaxBound)
	for i, f := range [2]*StencilFace{&z.Front, &z.Back} {
		copy(w[fragmentStencil+i*stencilWords:], []uint32{f.CompareMask, f.WriteMask, f.Reference})
	}
}
