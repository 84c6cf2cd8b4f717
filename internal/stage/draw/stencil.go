package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// code returns of a face what code depends on.
func (f StencilFace) code() StencilFace {
	f.CompareMask, f.WriteMask, f.Reference = 0, 0, 0
	return f
}

// writes reports whether a value may change.
func (f *StencilFace) writes() bool { return f.Fail != Keep || f.Pass != Keep || f.DepthFail != Keep }

// stencilTest writes the stencil test of sample n, which changes the attachment, and
// reports whether the sample passes it and the depth test (Vulkan §"Stencil Test").
func (s *fragmentShader) stencilTest(n, depth ir.V) ir.V {
	k, b := &s.key.test, s.b
	a, ok := s.attachment(bindStencil, k.stencil, k.stencilLayered, n)
	if !ok {
		return depth
	}
	front := s.flagged(flagFront)
	face := s.at(b.I32(0), b.Select(front, b.I32(0), b.I32(1)), 4*stencilWords)
	if k.front == k.back {
		return s.stencilFace(&k.front, &a, face, depth)
	}
	merge := b.Block(ir.B1)
	b.If(front)
	b.Br(merge, s.stencilFace(&k.front, &a, face, depth))
	b.Else()
	b.Br(merge, s.stencilFace(&k.back, &a, face, depth))
	b.End()
	b.End()
	return b.Param(merge, 0)
}

// stencilFace is the test for one face, whose parameters stand so far behind those of
// front faces.
func (s *fragmentShader) stencilFace(f *StencilFace, a *attachment, face, depth ir.V) ir.V {
	b := s.b
	word := func(n uint32) ir.V {
		return s.load(ir.I32, s.handle(ir.UniformBuffer, bindParams, false), face, 4*(fragmentStencil+n))
	}
	old := a.Raw(a.load(), 0)
	reference := s.and(s.reference(word(2)), b.I32(0xff))
	mask := word(0)
	pass := s.compared(f.Compare, ir.ULt, ir.Eq, s.and(reference, mask), s.and(old, mask))
	if f.writes() {
		next := b.Select(pass, b.Select(depth, s.stencilOp(f.Pass, old, reference), s.stencilOp(f.DepthFail, old, reference)), s.stencilOp(f.Fail, old, reference))
		mask := word(1)
		next = s.or(s.and(next, mask), s.and(old, s.not(mask)))
		a.store([]ir.V{next})
	}
	return b.Op(ir.And, ir.B1, pass, depth)
}

// reference is the reference value: the program's where it gives one, and the tests are
// behind it.
func (s *fragmentShader) reference(state ir.V) ir.V {
	for k, o := range s.from.Out {
		if o.Semantic == ir.FragStencilRef && !s.earlyTests() {
			return s.output(k)
		}
	}
	return state
}

// stencilOp is what becomes of a stencil value of 8 bits.
func (s *fragmentShader) stencilOp(o StencilOp, old, reference ir.V) ir.V {
	b, most := s.b, s.b.I32(0xff)
	switch o {
	case Zero:
		return b.I32(0)
	case Replace:
		return reference
	case IncrementClamp:
		return b.Op(ir.UMin, ir.I32, s.add(old, b.I32(1)), most)
	case DecrementClamp:
		return b.Op(ir.Sub, ir.I32, b.Op(ir.UMax, ir.I32, old, b.I32(1)), b.I32(1))
	case Invert:
		return b.Op(ir.Xor, ir.I32, old, most)
	case IncrementWrap:
		return s.and(s.add(old, b.I32(1)), most)
	case DecrementWrap:
		return s.and(b.Op(ir.Sub, ir.I32, old, b.I32(1)), most)
	}
	return old
}
