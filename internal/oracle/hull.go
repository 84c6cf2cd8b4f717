package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Accesses at texels that the verdict does not determine: with anisotropy, a scheme that Vulkan leaves to the implementation ("Texel Anisotropic Filtering"),
// projections, offsets, gathers. Each filter is a mean of texels with weights of at least 0, so that its result is between the least and the
// greatest texel of the image and the border.

// meanSteps are the filters that one access may have in a row: of each probe of an anisotropic filter, of the probes, and of two levels.
const meanSteps = 3

// hull returns the ranges from the least texel to the greatest one.
func (tex *Texture) hull(s *Sampler) []Number {
	out := make([]Number, 4)
	for c := range out {
		n, most := Number{Low: math.Inf(1), High: math.Inf(-1)}, 0.0
		add := func(t Number) {
			n.Any = n.Any || t.Any || t.infinite()
			n.Low, n.High, most = min(n.Low, t.Low), max(n.High, t.High), max(most, magnitude(t))
		}
		for _, l := range tex.Levels {
			for i := range l.Texels {
				add(l.Texels[i][c])
			}
		}
		if s.Address[0] == ClampToBorder || s.Address[1] == ClampToBorder {
			add(point(s.Border[c]))
		}
		for range meanSteps {
			n = tex.filtered(n, most)
		}
		out[c] = n
	}
	return out
}

// compares are the accesses with a mean of comparisons of depths as their result, each 0 or 1.
var compares = map[spirv.Op]bool{
	spirv.OpImageSampleDrefImplicitLod: true, spirv.OpImageSampleDrefExplicitLod: true, spirv.OpImageSampleProjDrefImplicitLod: true,
	spirv.OpImageSampleProjDrefExplicitLod: true, spirv.OpImageDrefGather: true,
}

// within returns the permitted values of an access at texels that the verdict does not determine; nil is any.
func (x *frame) within(in spirv.Inst, t *facts.Type, tex *Texture, s *Sampler) []Number {
	if s == nil || t.Scalar() == nil || !t.Scalar().IsFloat() || t.Scalar().Width != 32 {
		return nil
	}
	for _, n := range x.operand(in[4]) { // a coordinate that is no number selects no texel
		if n.Any || n.infinite() {
			return nil
		}
	}
	switch in.Op() {
	case spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		// The last coordinate divides the others.
		if at := x.operand(in[4]); len(at) == 0 || at[len(at)-1].Low <= 0 && at[len(at)-1].High >= 0 {
			return nil
		}
	}
	if op := in.Op(); compares[op] {
		if d := x.operand(in[5]); !s.Compare || len(d) != 1 || d[0].Any {
			return nil
		}
		n := Number{High: 1 + meanSteps*4*operationError}
		return []Number{n, n, n, n}[:max(1, int(t.Count))]
	}
	switch in.Op() {
	case spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod:
	case spirv.OpImageGather:
		c := x.operand(in[5])
		if s.Compare || len(c) != 1 || c[0].Any || c[0].Bits > 3 {
			return nil
		}
		n := tex.hull(s)[c[0].Bits]
		return []Number{n, n, n, n}
	default:
		return nil
	}
	if s.Compare || x.openDetail(in) {
		return nil
	}
	return tex.hull(s)
}

// openDetail reports whether an operand of an access of a level, a gradient or a bias may be no number.
func (x *frame) openDetail(in spirv.Inst) bool {
	if len(in) <= 6 {
		return false
	}
	operands := spirv.ImageOperands(in[5])
	ids := 0
	for _, o := range []spirv.ImageOperands{spirv.ImageOperandsBiasMask, spirv.ImageOperandsLodMask, spirv.ImageOperandsGradMask} {
		if operands&o != 0 {
			ids++
		}
	}
	if operands&spirv.ImageOperandsGradMask != 0 {
		ids++
	}
	for _, id := range in[6:min(6+ids, len(in))] {
		for _, n := range x.operand(id) {
			if n.Any || n.infinite() {
				return true
			}
		}
	}
	return false
}
