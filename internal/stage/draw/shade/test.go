package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Tests of a sample (Vulkan §"Fragment Operations"): depth bounds, stencil, depth. They run before the
// fragment program (early Z) if it demands that or no result can tell the difference, otherwise after
// it.

// test emits the tests of sample n and calls passed to emit code for a passing sample. An attachment
// that does not exist passes its test and writes nothing.
func (s *shader) test(n ir.V, passed func()) {
	if !s.key.Test.any() {
		s.countPassed()
		passed()
		return
	}
	s.testThen(n, passed, func(ir.V) {})
}

// testThen is test if there are tests. then emits code after the tests, for passing and failing
// samples within the depth bounds.
func (s *shader) testThen(n ir.V, passed func(), then func(pass ir.V)) {
	k := &s.key.Test
	d := s.depthTest(n)
	if k.Bounds && d.present {
		within := d.withinBounds()
		s.Probe(ir.ProbeBounds, within)
		s.B.If(within)
		defer s.B.End()
	}
	pass := d.passes()
	if d.present {
		s.Probe(ir.ProbeDepth, pass)
	}
	if k.Stencil != nil {
		pass = s.stencilTest(n, pass)
	}
	s.B.If(pass)
	if k.Write && d.present {
		d.store()
	}
	s.countPassed()
	passed()
	s.B.End()
	then(pass)
}

// testsDepthAlone reports whether the depth test is the only one. A debugger shows the tests of covered samples.
func (s *shader) testsDepthAlone() bool {
	return s.key.Test.Depth != nil && s.key.Test.Stencil == nil && !s.key.Test.Bounds && !s.From.Observed
}

// testDepth emits the depth test of sample n of covered pixels, and reports whether the sample is covered and passes. Its depth
// in the attachment is read without a condition: another sample of the pixel is covered, so that the pixel is in the attachment.
// A branch for each sample of the edge of a triangle could not be predicted.
func (s *shader) testDepth(n, covered ir.V) ir.V {
	d := s.depthTest(n)
	pass := s.B.Op(ir.And, ir.B1, covered, d.passes())
	s.B.If(pass)
	if s.key.Test.Write && d.present {
		d.store()
	}
	s.countPassed()
	s.B.End()
	return pass
}
