package shade

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// readInput returns the value of an input of the fragment program.
func (s *shader) readInput(in ir.Input) ir.V {
	b := s.B
	switch in.Semantic {
	case ir.Location, ir.Stored:
		return s.location(in)
	case ir.ClipDistance, ir.CullDistance:
		in.Interpolation = ir.Perspective
		return s.interpolated(in, s.perspective(s.shadedPoint()))
	case ir.FragCoord:
		return s.fragCoord(in.Index)
	case ir.FrontFacing:
		return b.Op(ir.ZExt, ir.I32, s.flagged(flagFront))
	case ir.PrimitiveId:
		return s.primitiveWord(ir.I32, primitiveID)
	case ir.Layer:
		return s.primitiveWord(ir.I32, primitiveLayer)
	case ir.FramebufferLayer:
		return s.layer()
	case ir.PrimitiveNumber:
		return s.Or(s.primitiveNumber(), b.Op(ir.Shl, ir.I32, s.param(ir.I32, layout.FragmentList), b.I32(primitiveNumberBits)))
	case ir.ViewportIndex:
		v := b.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(raster.ViewportShift))
		return s.And(v, b.I32(state.MaxViewports-1))
	case ir.ViewIndex:
		return s.param(ir.I32, layout.FragmentView)
	case ir.PointCoord:
		return s.get(varL1 + fragmentVar(in.Index))
	case ir.BaryCoord:
		return s.weightFrom(s.inputPoint(in)+2, in.Index)
	case ir.BaryCoordNoPersp:
		return s.weightFrom(s.inputPoint(in)+4, in.Index)
	case ir.SampleId:
		return s.sample()
	case ir.SamplePosition:
		return s.position(s.sample(), in.Index)
	case ir.SampleMask:
		return s.maskIn(in.Index)
	case ir.FullyCovered:
		return s.fullyCovered()
	case ir.FragSize:
		return s.size(in.Index)
	case ir.FragInvocationCount:
		if s.key.PerSample {
			return b.I32(s.key.Samples)
		}
		return b.I32(1)
	case ir.ShadingRate:
		return s.shadingRate()
	case ir.QuadX, ir.QuadY:
		x, y := s.localPixel()
		if in.Semantic == ir.QuadY {
			x = y
		}
		return s.And(x, b.I32(1))
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.Unsupported("input %s of a fragment program", in.Semantic)
	return s.Zero(in.Type)
}

// weightFrom returns the barycentric weight of vertex i; v and v+1 hold the weights of the second and
// third vertex.
func (s *shader) weightFrom(v fragmentVar, i uint32) ir.V {
	return s.vertexWeight(i, weights{s.get(v), s.get(v + 1)})
}

// maskIn returns a word of the built-in SampleMask: the samples that the primitive covers, or with
// PostDepthCoverage the samples that passed the early tests. For several pixels the set has up to 64
// bits, and the program reads two words (SampleMask has 32 bits per word).
func (s *shader) maskIn(word uint32) ir.V {
	set := s.shadedSamples()
	if s.vars[varEarlySet] != 0 {
		set = s.get(varEarlySet)
	}
	switch {
	case s.setType() == ir.I64:
		set = s.B.Op(ir.LShr, ir.I64, set, s.B.Const(ir.I64, uint64(32*word)))
		return s.B.Op(ir.Trunc, ir.I32, set)
	case word > 0:
		return s.B.I32(0)
	}
	return set
}

// location returns a component of an input from the previous stage.
func (s *shader) location(in ir.Input) ir.V {
	at := s.inputPoint(in)
	_, ok := s.rec.Offset(in.Semantic, in.Index)
	switch {
	case !ok && in.Semantic == ir.Stored:
		return s.Missing(in)
	// Integers and 64-bit types are always flat (Vulkan §"Interpolation Decorations").
	case in.Type != ir.F32 && in.Type != ir.F16:
	case in.Interpolation == ir.Perspective:
		return s.interpolated(in, weights{s.get(at + 2), s.get(at + 3)})
	case in.Interpolation == ir.Linear:
		return s.interpolated(in, weights{s.get(at + 4), s.get(at + 5)})
	}
	return s.flatInput(in)
}

// inputPoint returns the first of the variables with the interpolation point of an input.
func (s *shader) inputPoint(in ir.Input) fragmentVar {
	if s.samplingOf(in) == ir.Centroid {
		return varCX
	}
	return varDX
}

// fragCoord returns a component of FragCoord. An invocation for one sample has the position of its
// sample. FragCoord.w is 1/w of the vertex positions, interpolated linearly in screen space.
func (s *shader) fragCoord(i uint32) ir.V {
	switch {
	case i == 2:
		return s.plane(primitiveZ, s.shadedPoint())
	case i == 3:
		return s.plane(primitiveW, s.shadedPoint())
	case s.key.PerSample:
		return s.FAdd(s.toFloat(s.get(varX+fragmentVar(i))), s.position(s.sample(), i))
	}
	return s.pixelCenter(varX + fragmentVar(i))
}

// setPoints stores the interpolation points and the weights at them.
func (s *shader) setPoints() {
	at := s.entryCenter()
	if s.key.PerSample {
		at = s.samplePoint(s.sample())
	}
	s.setPoint(varDX, at)
	s.setWeights(varDX, ir.Center, at)
	if s.multi() && s.centroids() {
		at = s.centroid()
		s.setPoint(varCX, at)
		s.setWeights(varCX, ir.Centroid, at)
	}
}

// setPoint stores a point in two variables.
func (s *shader) setPoint(v fragmentVar, at point) {
	s.set(v, at.dx)
	s.set(v+1, at.dy)
}

// setWeights stores those weights at a point that the inputs need, in the variables after the point.
func (s *shader) setWeights(v fragmentVar, p ir.Sampling, at point) {
	if s.interpolates(ir.Perspective, p) {
		s.setPair(v+2, s.perspective(at))
	}
	if s.interpolates(ir.Linear, p) {
		s.setPair(v+4, s.linear(at))
	}
}

func (s *shader) setPair(v fragmentVar, w weights) {
	s.set(v, w.b1)
	s.set(v+1, w.b2)
}

// interpolatedAt returns an input at an offset from the pixel's center, in pixels
// (InterpolateAtOffset). Offsets beyond half a pixel extrapolate; the plane equations hold
// everywhere.
func (s *shader) interpolatedAt(in ir.Input, dx, dy ir.V) ir.V {
	middle := s.isZero(dx) && s.isZero(dy) && !s.key.PerSample
	switch {
	case middle && in.Semantic != ir.Location && s.samplingOf(in) == ir.Center: // the center is the interpolation point
		return s.readInput(in)
	case in.Semantic == ir.Location && (in.Interpolation == ir.Flat || in.Type != ir.F32 && in.Type != ir.F16):
		return s.flatInput(in)
	}
	c := s.centerPoint()
	at := point{s.FAdd(c.dx, dx), s.FAdd(c.dy, dy)}
	switch in.Semantic {
	case ir.Location:
		return s.interpolated(in, s.weightsAt(in.Interpolation, at))
	case ir.BaryCoord, ir.BaryCoordNoPersp:
		w := s.weightsAt(weightsOf(in), at)
		return s.vertexWeight(in.Index, w)
	case ir.FragCoord:
		if in.Index == 3 {
			return s.plane(primitiveW, at)
		}
	}
	s.Unsupported("input %s elsewhere in the pixel", in.Semantic)
	return s.Zero(in.Type)
}

// isZero reports whether a value is the constant +0.
func (s *shader) isZero(v ir.V) bool {
	x := s.B.Func.Val(v)
	return x.Op == ir.Const && x.Aux == 0
}

// checkSample reports a sample number of InterpolateAtSample that the fragment does not have: the position is undefined (GLSL.std.450).
// The position along x is read first, and has the report.
func (s *shader) checkSample(in ir.Input, i ir.V) {
	if in.Index != 0 || !s.Program.Checked(ir.SanitizeUndefined) {
		return
	}
	s.B.If(s.B.Cmp(ir.ULe, s.B.I32(s.key.Samples), i))
	text := fmt.Sprintf("InterpolateAtSample of sample %%ld; must be less than the number of samples, %d", s.key.Samples)
	s.report(ir.SanitizeUndefined, "InterpolateAtSample of a sample that the fragment does not have", text, s.B.Op(ir.SExt, ir.I64, i))
	s.B.End()
}

// vertexInput returns an input of vertex i of the primitive, 0 if there is no such vertex. For
// SamplePosition and attachments, i is a sample number.
func (s *shader) vertexInput(in ir.Input, i ir.V) ir.V {
	switch in.Semantic {
	case ir.SamplePosition:
		s.checkSample(in, i)
		return s.position(i, in.Index)
	case ir.TileColor, ir.TileDepth, ir.TileStencil:
		return s.tileImage(in, i)
	}
	v := s.Zero(in.Type)
	for n := range uint32(3) {
		v = s.B.Select(s.B.Cmp(ir.Eq, i, s.B.I32(n)), s.vertexWord(in, n), v)
	}
	return v
}
