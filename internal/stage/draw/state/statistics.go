package state

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

// Add adds what was counted on another.
func (s *Statistics) Add(t *Statistics) {
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
