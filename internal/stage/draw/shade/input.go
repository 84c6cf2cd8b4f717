package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// readInput writes what an input of a fragment program is.
func (s *shader) readInput(in ir.Input) ir.V {
	b := s.B
	switch in.Semantic {
	case ir.Location:
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

// weightFrom is the weight of vertex i, those of the second and the third standing in
// variables.
func (s *shader) weightFrom(v fragmentVar, i uint32) ir.V {
	return s.vertexWeight(i, weights{s.get(v), s.get(v + 1)})
}

// maskIn is a word of the mask of samples that the invocation stands for: those that
// the primitive covers, unless the program wants those that passed the tests before it.
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

// location writes what a component of an input from the stage before is.
func (s *shader) location(in ir.Input) ir.V {
	at := s.inputPoint(in)
	switch {
	case in.Type != ir.F32 && in.Type != ir.F16:
	case in.Interpolation == ir.Perspective:
		return s.interpolated(in, weights{s.get(at + 2), s.get(at + 3)})
	case in.Interpolation == ir.Linear:
		return s.interpolated(in, weights{s.get(at + 4), s.get(at + 5)})
	}
	return s.flatInput(in)
}

// inputPoint is where the variables begin that say where an input is interpolated.
func (s *shader) inputPoint(in ir.Input) fragmentVar {
	if s.placeOf(in) == ir.Centroid {
		return varCX
	}
	return varDX
}

// fragCoord writes a component of FragCoord: where the invocation is for a sample,
// that of the sample.
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

// setPoints leaves where inputs are interpolated, and the weights there.
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

// setPoint leaves a spot in two variables.
func (s *shader) setPoint(v fragmentVar, at point) {
	s.set(v, at.dx)
	s.set(v+1, at.dy)
}

// setWeights leaves the weights at a spot in the variables behind it, those that
// inputs need.
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

// interpolatedAt writes an input at a place that the program chooses, so many pixels
// from the middle of the pixel.
func (s *shader) interpolatedAt(in ir.Input, dx, dy ir.V) ir.V {
	middle := s.isZero(dx) && s.isZero(dy) && !s.key.PerSample
	switch {
	case middle && in.Semantic != ir.Location && s.placeOf(in) == ir.Center: // which is its place then
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

// isZero reports whether a value is known to be 0, and no −0.
func (s *shader) isZero(v ir.V) bool {
	x := s.B.Func.Val(v)
	return x.Op == ir.Const && x.Aux == 0
}

// vertexInput writes an input of vertex i of the primitive, 0 where there is none. Of
// SamplePosition and of attachments it is that of sample i.
func (s *shader) vertexInput(in ir.Input, i ir.V) ir.V {
	switch in.Semantic {
	case ir.SamplePosition:
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
