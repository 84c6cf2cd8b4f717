package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The tests of a sample (Vulkan §"Fragment Operations"): depth bounds, stencil, depth.
// They stand before the fragment program where nothing that it does can tell, or where
// it demands so, and else behind it.

// test writes the tests of sample n and calls passed for what is done where it passes.
func (s *shader) test(n ir.V, passed func()) {
	if !s.key.Test.any() {
		s.countPassed()
		passed()
		return
	}
	s.testThen(n, passed, func(ir.V) {})
}

// testThen is test where there are any tests. It calls behind for what is done then, where
// it passes or not, as far as the depth is within bounds.
func (s *shader) testThen(n ir.V, passed func(), behind func(pass ir.V)) {
	k := &s.key.Test
	d := s.depthTest(n)
	if k.Bounds && d.present {
		s.B.If(d.withinBounds())
		defer s.B.End()
	}
	pass := d.passes()
	if k.Stencil != "" {
		pass = s.stencilTest(n, pass)
	}
	s.B.If(pass)
	if k.Write && d.present {
		d.store()
	}
	s.countPassed()
	passed()
	s.B.End()
	behind(pass)
}
