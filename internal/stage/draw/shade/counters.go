package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// countInvocation counts an invocation of the fragment program. Helper invocations do not count.
func (s *shader) countInvocation() {
	if s.key.CountInvocations {
		s.countAt(layout.CountInvocations)
	}
}

// countAt increments a counter of the draw. The result is unused, which permits an engine to combine
// the lanes of a strip before the atomic.
func (s *shader) countAt(n uint32) {
	h := s.Handle(ir.StorageBuffer, layout.BindCounts, true)
	s.B.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Args: [4]ir.V{h, s.B.I32(8 * n), s.B.Const(ir.I64, 1)}})
}

// countPassed counts a sample that passed all tests, for occlusion queries.
func (s *shader) countPassed() {
	if s.key.CountSamples {
		s.countAt(layout.CountPassed)
	}
}
