package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// stencilTest emits the stencil test of sample n with its stencil write, and reports whether the
// sample passes this test and the depth test (Vulkan §"Stencil Test").
func (s *shader) stencilTest(n, depth ir.V) ir.V {
	k, b := &s.key.Test, s.B
	a, ok := s.attachment(layout.BindStencil, k.Stencil, k.stencilLayered, n)
	if !ok {
		return depth
	}
	front := s.flagged(flagFront)
	face := s.At(b.I32(0), b.Select(front, b.I32(0), b.I32(1)), 4*layout.StencilWords)
	if k.Front == k.Back {
		return s.stencilFace(&k.Front, &a, face, depth)
	}
	merge := b.Block(ir.B1)
	b.If(front)
	b.Br(merge, s.stencilFace(&k.Front, &a, face, depth))
	b.Else()
	b.Br(merge, s.stencilFace(&k.Back, &a, face, depth))
	b.End()
	b.End()
	return b.Param(merge, 0)
}

// stencilFace emits the test for one face. face is the byte offset of its parameters from the front
// face's. The operation depends on both results, also if the sample fails: Fail, DepthFail or Pass.
// So the stencil is stored outside of the branch for passing samples.
func (s *shader) stencilFace(f *state.StencilFace, a *attachment, face, depth ir.V) ir.V {
	b := s.B
	word := func(n uint32) ir.V {
		return s.Load(ir.I32, s.Handle(ir.UniformBuffer, layout.BindParams, false), face, 4*(layout.FragmentStencil+n))
	}
	old := a.Raw(a.load(), 0)
	reference := s.And(s.reference(word(2)), b.I32(0xff))
	mask := word(0)
	pass := s.compared(f.Compare, ir.ULt, ir.Eq, s.And(reference, mask), s.And(old, mask))
	s.Probe(ir.ProbeStencil, pass)
	if f.Writes() {
		next := b.Select(pass, b.Select(depth, s.stencilOp(f.Pass, old, reference), s.stencilOp(f.DepthFail, old, reference)), s.stencilOp(f.Fail, old, reference))
		mask := word(1)
		next = s.Or(s.And(next, mask), s.And(old, s.Not(mask)))
		a.store([]ir.V{next})
	}
	return b.Op(ir.And, ir.B1, pass, depth)
}

// reference returns the reference value: the program's output if it has one and the tests are late,
// otherwise the state's.
func (s *shader) reference(value ir.V) ir.V {
	for k, o := range s.From.Out {
		if o.Semantic == ir.FragStencilRef && !s.earlyTests() {
			return s.Output(k)
		}
	}
	return value
}

// stencilOp applies a stencil operation to an 8-bit value.
func (s *shader) stencilOp(o enum.StencilOp, old, reference ir.V) ir.V {
	b, most := s.B, s.B.I32(0xff)
	switch o {
	case enum.StencilOpZero:
		return b.I32(0)
	case enum.StencilOpReplace:
		return reference
	case enum.StencilOpIncrementAndClamp:
		return b.Op(ir.UMin, ir.I32, s.Add(old, b.I32(1)), most)
	case enum.StencilOpDecrementAndClamp:
		return b.Op(ir.Sub, ir.I32, b.Op(ir.UMax, ir.I32, old, b.I32(1)), b.I32(1))
	case enum.StencilOpInvert:
		return b.Op(ir.Xor, ir.I32, old, most)
	case enum.StencilOpIncrementAndWrap:
		return s.And(s.Add(old, b.I32(1)), most)
	case enum.StencilOpDecrementAndWrap:
		return s.And(b.Op(ir.Sub, ir.I32, old, b.I32(1)), most)
	}
	return old
}
