package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Early and late tests (SPV_AMD_shader_early_and_late_fragment_tests, "conservative depth"): a program
// declares a bound of its output depth or stencil reference relative to the value without the output.
// If the tests fail for every value within the bound, the program does not run. Only the late tests
// write; if a failing test writes a stencil value, the program runs.

// promise is the declared relation of an output to the value that the fragment has without the output.
type promise uint8

const (
	nothing promise = iota
	equal
	noLess
	noGreater
)

// promised returns the promise that execution modes declare. replaced is the mode of a program that
// has the output.
func (s *shader) promised(replaced, unchanged, greater, less ir.Modes) promise {
	switch m := s.From.Modes; {
	case !m.Has(replaced), m.Has(unchanged):
		return equal
	case m.Has(greater):
		return noLess
	case m.Has(less):
		return noGreater
	}
	return nothing
}

// earlyAndLate reports whether tests run on both sides of the program. A program that can add samples
// has no early tests.
func (s *shader) earlyAndLate() bool {
	return s.From.Modes.Has(ir.EarlyAndLateTests) && !s.From.Modes.Has(ir.OverrideCoverage) && !s.earlyTests() && s.key.Test.any()
}

// mayPass returns the covered invocations that can pass the tests with at least one sample. It
// writes nothing and only removes invocations: the late tests decide again, with the real outputs.
func (s *shader) mayPass(covered ir.V) ir.V {
	b := s.B
	merge := b.Block(ir.B1)
	b.If(covered)
	s.forEachSample(func(n ir.V) {
		b.If(s.Not(s.certainlyFails(n)))
		b.Br(merge, b.Bool(true))
		b.End()
	})
	b.End()
	b.Br(merge, b.Bool(false))
	b.End()
	return b.Param(merge, 0)
}

// certainlyFails reports whether sample n fails the tests without a write, for every promised output.
func (s *shader) certainlyFails(n ir.V) ir.V {
	b, k := s.B, &s.key.Test
	d := s.depthTestOf(n, func() ir.V { return s.plane(primitiveZ, s.samplePoint(n)) })
	out, fails := b.Bool(false), b.Bool(false)
	if d.present {
		if k.Bounds {
			out = s.Not(d.withinBounds())
		}
		fails = d.fails(s.promised(ir.DepthReplacing, ir.DepthUnchanged, ir.DepthGreater, ir.DepthLess))
	}
	if k.Stencil != nil {
		fails = s.stencilCertainlyFails(n, fails)
	}
	return b.Op(ir.Or, ir.B1, out, fails)
}

// fails reports whether the depth test fails for every depth within the promise.
func (d *depthTest) fails(p promise) ir.V {
	less, equals, x, y := d.operands()
	return d.shader.failsCompare(d.shader.key.Test.Compare, p, less, equals, x, y)
}

// stencilCertainlyFails reports whether the stencil test fails, or the depth test does (fails), and
// the stencil value stays in both cases.
func (s *shader) stencilCertainlyFails(n, fails ir.V) ir.V {
	k, b := &s.key.Test, s.B
	a, ok := s.attachment(layout.BindStencil, k.Stencil, k.stencilLayered, n)
	if !ok {
		return fails
	}
	old := a.Raw(a.load(), 0)
	face := func(f *state.StencilFace, first uint32, p promise) ir.V {
		word := func(n uint32) ir.V { return s.param(ir.I32, layout.FragmentStencil+first+n) }
		mask := word(0)
		v := b.Bool(false)
		if f.Fail == enum.StencilOpKeep {
			v = s.failsCompare(f.Compare, p, ir.ULt, ir.Eq, s.And(s.And(word(2), b.I32(0xff)), mask), s.And(old, mask))
			if f.DepthFail == enum.StencilOpKeep {
				v = b.Op(ir.Or, ir.B1, v, fails)
			}
		}
		return v
	}
	front := face(&k.Front, 0, s.promised(ir.StencilReplacing, ir.StencilUnchangedFront, ir.StencilGreaterFront, ir.StencilLessFront))
	back := face(&k.Back, layout.StencilWords, s.promised(ir.StencilReplacing, ir.StencilUnchangedBack, ir.StencilGreaterBack, ir.StencilLessBack))
	return b.Select(s.flagged(flagFront), front, back)
}

// failsCompare reports whether a comparison with y fails for all values within the promise about x.
// Example: DepthGreater promises an output ≥ z. With the comparison less, z ≥ old implies output ≥
// old, so that the sample fails for certain. With greater it may still pass.
func (s *shader) failsCompare(o enum.CompareOp, p promise, less, equals ir.Op, x, y ir.V) ir.V {
	switch {
	case o == enum.CompareOpNever, p == equal, p == noLess && (o == enum.CompareOpLess || o == enum.CompareOpLessOrEqual), p == noGreater && (o == enum.CompareOpGreater || o == enum.CompareOpGreaterOrEqual):
		return s.Not(s.compared(o, less, equals, x, y))
	case p == noLess && o == enum.CompareOpEqual:
		return s.compared(enum.CompareOpGreater, less, equals, x, y)
	case p == noGreater && o == enum.CompareOpEqual:
		return s.compared(enum.CompareOpLess, less, equals, x, y)
	}
	return s.B.Bool(false)
}
