package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Statistics count what draws did (Vulkan §"Pipeline Statistics Queries" and
// §"Primitives Generated Queries"). They are the same whatever the number of workers.
type Statistics struct {
	InputVertices         uint64 // of the input assembly, in primitives that are complete; indices that restart a strip are none
	InputPrimitives       uint64 // that are complete
	VertexInvocations     uint64
	ControlPatches        uint64 // of tessellation control
	EvaluationInvocations uint64
	GeometryInvocations   uint64
	GeometryPrimitives    uint64 // that geometry programs emitted, to any stream
	ClippingInvocations   uint64 // primitives before clipping: 0 where nothing is rasterised
	ClippingPrimitives    uint64 // and behind it
	FragmentInvocations   uint64 // without helpers

	// Generated are the primitives that reached transform feedback, by stream, whether
	// or not it is active.
	Generated [MaxStreams]uint64
}

// handOn hands primitives of a stream on from the last stage before the rasterizer: to
// transform feedback, and counts them.
func (d *drawing) handOn(stream uint32, f *flow) {
	if s := d.statistics(); s != nil {
		s.Generated[stream] += uint64(len(f.primitives))
		if d.programs[geometry] != nil {
			s.GeometryPrimitives += uint64(len(f.primitives))
		}
	}
	d.feedback(stream, f)
}

// assembled counts a chunk, whose vertices run.
func (d *drawing) assembled() {
	if s := d.statistics(); s != nil {
		s.InputPrimitives += uint64(len(d.chunk.primitives))
		s.VertexInvocations += uint64(d.chunk.vertices())
	}
}

// statistics is what the worker counts on, nil where nobody wants to know.
func (d *drawing) statistics() *Statistics {
	if d.args.Statistics == nil {
		return nil
	}
	return &d.counted
}

// add adds what was counted on another.
func (s *Statistics) add(t *Statistics) {
	s.InputVertices += t.InputVertices
	s.InputPrimitives += t.InputPrimitives
	s.VertexInvocations += t.VertexInvocations
	s.ControlPatches += t.ControlPatches
	s.EvaluationInvocations += t.EvaluationInvocations
	s.GeometryInvocations += t.GeometryInvocations
	s.GeometryPrimitives += t.GeometryPrimitives
	s.ClippingInvocations += t.ClippingInvocations
	s.ClippingPrimitives += t.ClippingPrimitives
	s.FragmentInvocations += t.FragmentInvocations
	for i, n := range t.Generated {
		s.Generated[i] += n
	}
}

// verticesIn returns how many vertices n primitives have that follow each other in a
// strip, or a list, each counted once.
func (m *assembler) verticesIn(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	switch m.topology {
	case LineStrip:
		return n + 1
	case TriangleStrip, TriangleFan:
		return n + 2
	case LineStripAdjacency:
		return n + 3
	case TriangleStripAdjacency:
		return 2*n + 4
	case PatchList:
		return n * m.patch
	case LineListAdjacency:
		return n * 4
	case TriangleListAdjacency:
		return n * 6
	}
	return n * m.topology.corners()
}

// clipped counts primitives before and behind clipping, of which raster has the
// vertices.
func (d *drawing) clipped(f *flow) {
	s := d.statistics()
	if s == nil {
		return
	}
	s.ClippingInvocations += uint64(len(f.primitives))
	n := f.topology.corners()
	for i := range f.primitives {
		if p := &f.primitives[i]; d.raster.SurvivesClipping(p.v[:n], p.provoking) {
			s.ClippingPrimitives++
		}
	}
}

// invoked counts an invocation of the fragment program. Helpers add nothing.
func (s *fragmentShader) invoked() {
	if s.key.invocations {
		s.countAt(countInvocations)
	}
}

// countAt adds 1 to a counter of the draw.
func (s *fragmentShader) countAt(n uint32) {
	h := s.handle(ir.StorageBuffer, bindCounts, true)
	s.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Args: [4]ir.V{h, s.b.I32(8 * n), s.b.Const(ir.I64, 1)}})
}

// Counters of a draw.
const (
	countPassed      = iota // samples that passed all tests
	countInvocations        // of the fragment program
	numCounts
)
