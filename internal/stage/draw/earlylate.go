package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Early and late tests (SPV_AMD_shader_early_and_late_fragment_tests): a program that
// gives depth or stencil reference, and promises on which side of the fragment's own
// they lie, is not run where the tests behind it fail for all that it may give. What
// tests write they write behind it; so where failing writes something, it is run.

// promise is what is known of a value that a program gives: how it stands to the one
// that there would be without.
type promise uint8

const (
	nothing promise = iota
	equal
	noLess
	noGreater
)

// promised chooses what modes say: replaced is whether the program gives the value at
// all.
func (s *fragmentShader) promised(replaced, unchanged, greater, less ir.Modes) promise {
	switch m := s.from.Modes; {
	case !m.Has(replaced), m.Has(unchanged):
		return equal
	case m.Has(greater):
		return noLess
	case m.Has(less):
		return noGreater
	}
	return nothing
}

// earlyAndLate reports whether tests stand on both sides of the program. Before one that
// may add samples nothing is known of them.
func (s *fragmentShader) earlyAndLate() bool {
	return s.from.Modes.Has(ir.EarlyAndLateTests) && !s.from.Modes.Has(ir.OverrideCoverage) && !s.earlyTests() && s.key.test.any()
}

// hopeful leaves of what is covered those invocations that may pass the tests with a
// sample.
func (s *fragmentShader) hopeful(covered ir.V) ir.V {
	b := s.b
	merge := b.Block(ir.B1)
	b.If(covered)
	s.forSamples(func(n ir.V) {
		b.If(s.not(s.doomed(n)))
		b.Br(merge, b.Bool(true))
		b.End()
	})
	b.End()
	b.Br(merge, b.Bool(false))
	b.End()
	return b.Param(merge, 0)
}

// doomed reports whether sample n fails the tests, and writes nothing, whatever the
// program gives.
func (s *fragmentShader) doomed(n ir.V) ir.V {
	b, k := s.b, &s.key.test
	d := s.depthTestOf(n, func() ir.V { return s.plane(primitiveZ, s.spotOf(n)) })
	out, fails := b.Bool(false), b.Bool(false)
	if d.open {
		if k.bounds {
			out = s.not(d.bounded())
		}
		fails = d.fails(s.promised(ir.DepthReplacing, ir.DepthUnchanged, ir.DepthGreater, ir.DepthLess))
	}
	if k.stencil != "" {
		fails = s.stencilDoomed(n, fails)
	}
	return b.Op(ir.Or, ir.B1, out, fails)
}

// fails reports whether the depth test fails of any depth that keeps the promise.
func (d *depthTest) fails(p promise) ir.V {
	less, equals, x, y := d.operands()
	return d.failsCompare(d.key.test.compare, p, less, equals, x, y)
}

// stencilDoomed reports whether the stencil or the depth test fails, of which fails
// says whether that is sure of depth, and the stencil value stays.
func (s *fragmentShader) stencilDoomed(n, fails ir.V) ir.V {
	k, b := &s.key.test, s.b
	a, ok := s.attachment(bindStencil, k.stencil, k.stencilLayered, n)
	if !ok {
		return fails
	}
	old := a.Raw(a.load(), 0)
	face := func(f *StencilFace, first uint32, p promise) ir.V {
		word := func(n uint32) ir.V { return s.params(ir.I32, fragmentStencil+first+n) }
		mask := word(0)
		v := b.Bool(false)
		if f.Fail == Keep {
			v = s.failsCompare(f.Compare, p, ir.ULt, ir.Eq, s.and(s.and(word(2), b.I32(0xff)), mask), s.and(old, mask))
			if f.DepthFail == Keep {
				v = b.Op(ir.Or, ir.B1, v, fails)
			}
		}
		return v
	}
	front := face(&k.front, 0, s.promised(ir.StencilReplacing, ir.StencilUnchangedFront, ir.StencilGreaterFront, ir.StencilLessFront))
	back := face(&k.back, stencilWords, s.promised(ir.StencilReplacing, ir.StencilUnchangedBack, ir.StencilGreaterBack, ir.StencilLessBack))
	return b.Select(s.flagged(flagFront), front, back)
}

// failsCompare reports whether a comparison with y fails of all values that stand to x
// as the promise says.
func (s *fragmentShader) failsCompare(o CompareOp, p promise, less, equals ir.Op, x, y ir.V) ir.V {
	switch {
	case o == Never, p == equal, p == noLess && (o == Less || o == LessOrEqual), p == noGreater && (o == Greater || o == GreaterOrEqual):
		return s.not(s.compared(o, less, equals, x, y))
	case p == noLess && o == Equal:
		return s.compared(Greater, less, equals, x, y)
	case p == noGreater && o == Equal:
		return s.compared(Less, less, equals, x, y)
	}
	return s.b.Bool(false)
}
