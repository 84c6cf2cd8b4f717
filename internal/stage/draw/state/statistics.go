package state

// Statistics are pipeline statistics (Vulkan §"Pipeline Statistics Queries" and §"Primitives Generated
// Queries"). They do not depend on the number of workers.
type Statistics struct {
	InputVertices         uint64 // vertices of complete primitives; restart indices do not count
	InputPrimitives       uint64 // complete primitives
	VertexInvocations     uint64
	ControlPatches        uint64 // patches of tessellation control
	EvaluationInvocations uint64
	GeometryInvocations   uint64
	GeometryPrimitives    uint64 // emitted by geometry programs, in all streams
	ClippingInvocations   uint64 // primitives before clipping; 0 without rasterization
	ClippingPrimitives    uint64 // primitives after clipping
	FragmentInvocations   uint64 // without helper invocations
	TaskInvocations       uint64
	MeshInvocations       uint64
	MeshPrimitives        uint64 // emitted by mesh workgroups

	// Generated are the primitives that reach transform feedback, by stream. They count even if it is
	// not active.
	Generated [MaxStreams]uint64
}

// Add adds other statistics.
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
	s.TaskInvocations += t.TaskInvocations
	s.MeshInvocations += t.MeshInvocations
	s.MeshPrimitives += t.MeshPrimitives
	for i, n := range t.Generated {
		s.Generated[i] += n
	}
}
