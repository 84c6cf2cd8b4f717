package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Picture is an image of two dimensions with one level, whose texels have four components of 16 bits, unsigned and normalized. A sampler
// filters them linearly and clamps coordinates to the edges.
type Picture struct {
	Width, Height int
	Texels        []uint16 // row by row
}

const (
	// leastFraction is the least number of bits of the weights of texels (subTexelPrecisionBits).
	leastFraction = 4

	// filterError bounds the error of the weighted sum of texels of a picture, for a filter with 8 bits. By the text it may be as small
	// as of a Texture, but filters of devices have fewer bits than 16.
	filterError = 0x1p-8
)

// object executes an instruction whose value is a descriptor.
func (x *frame) object(in spirv.Inst) bool {
	var v value
	switch in.Op() {
	case spirv.OpLoad:
		if p := x.m.Variable(spirv.ID(in[3])); p != nil {
			set, ok := x.m.Decoration(p.ID, spirv.DecorationDescriptorSet)
			binding, ok2 := x.m.Decoration(p.ID, spirv.DecorationBinding)
			if ok && ok2 {
				at := Place{set.Literal(), binding.Literal()}
				v.picture, v.texture, v.sampler = x.job.Pictures[at], x.job.Textures[at], x.job.Samplers[at]
			}
		}
	case spirv.OpCopyObject, spirv.OpSampledImage, spirv.OpImage:
		v = x.vals[spirv.ID(in[3])]
		if in.Op() == spirv.OpSampledImage {
			v.sampler = x.vals[spirv.ID(in[4])].sampler
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
	default:
		return false
	}
	x.vals[in.Result()] = v
	return true
}

// texel returns the permitted values of a fetch, a sample or a property of a picture; nil is any.
func (x *frame) texel(in spirv.Inst, t *facts.Type) []Number {
	of := x.vals[spirv.ID(in[3])]
	if of.texture != nil {
		return x.textured(in, t, of.texture, of.sampler)
	}
	p := of.picture
	if p == nil {
		return nil
	}
	operands, list := spirv.ImageOperandsMaskNone, in[4:]
	if len(in) > 5 {
		operands = spirv.ImageOperands(in[5])
	}
	switch op := in.Op(); {
	case op == spirv.OpImageQueryLevels:
		return []Number{{Bits: 1}}
	case op == spirv.OpImageQuerySize, op == spirv.OpImageQuerySizeLod && x.isZero(list[0]):
		return []Number{{Bits: uint64(p.Width)}, {Bits: uint64(p.Height)}}
	case !t.Scalar().IsFloat() || t.Scalar().Width != 32:
		return nil
	case op == spirv.OpImageFetch && (operands == spirv.ImageOperandsMaskNone || operands == spirv.ImageOperandsLodMask && x.isZero(in[6])):
		at := x.operand(list[0])
		if len(at) != 2 || at[0].Any || at[1].Any || at[0].Bits >= uint64(p.Width) || at[1].Bits >= uint64(p.Height) {
			return nil
		}
		return p.at(int(at[0].Bits), int(at[1].Bits))
	case op == spirv.OpImageSampleExplicitLod && (operands == spirv.ImageOperandsLodMask || operands == spirv.ImageOperandsGradMask):
		if at := x.operand(list[0]); len(at) == 2 {
			return p.sample(at[0], at[1]) // of the one level
		}
	}
	return nil
}

// isZero reports whether an integer is 0.
func (x *frame) isZero(id uint32) bool {
	n := x.operand(id)
	return len(n) == 1 && !n[0].Any && n[0].Bits == 0
}

func (p *Picture) component(x, y, c int) float64 {
	return float64(p.Texels[4*(y*p.Width+x)+c]) / math.MaxUint16
}

// at returns a texel: a quotient.
func (p *Picture) at(x, y int) []Number {
	out := make([]Number, 4)
	for c := range out {
		v := p.component(x, y, c)
		out[c] = Number{Low: float64(v * (1 - operationError)), High: min(float64(v*(1+operationError)), 1)}
	}
	return out
}

// sample returns the linearly filtered values at coordinates in ranges. The filter is bilinear between the centers of texels, so that its
// extremes are at the ends of the ranges and at centers.
func (p *Picture) sample(u, v Number) []Number {
	columns, rows := places(u, p.Width), places(v, p.Height)
	if len(columns) == 0 || len(rows) == 0 || len(columns)*len(rows) > 1<<12 {
		return nil
	}
	out := make([]Number, 4)
	for c := range out {
		n := Number{Low: math.Inf(1), High: math.Inf(-1)}
		for _, a := range columns {
			for _, b := range rows {
				v := p.between(a, b, c)
				n.Low, n.High = min(n.Low, v), max(n.High, v)
			}
		}
		out[c] = Number{Low: max(n.Low-filterError, 0), High: min(n.High+filterError, 1)}
	}
	return out
}

// between filters a component at a place in units of texels, from the center of the first one.
func (p *Picture) between(x, y float64, c int) float64 {
	i, j := math.Floor(x), math.Floor(y)
	a, b := x-i, y-j
	row := func(j int) float64 {
		left, right := p.component(int(i), j, c), p.component(min(int(i)+1, p.Width-1), j, c)
		return left + float64(a*(right-left))
	}
	top, bottom := row(int(j)), row(min(int(j)+1, p.Height-1))
	return top + float64(b*(bottom-top))
}

// places returns the ends of a range of a coordinate, with the errors of the weight and of the product with the size, and the centers
// between them; nothing if there are too many, or the range is any.
func places(n Number, size int) (list []float64) {
	if n.Any || n.infinite() || size < 1 {
		return nil
	}
	place := func(v, error float64) float64 {
		at := float64(v * float64(size))
		error = float64(error * (math.Ldexp(1, -leastFraction) + float64(math.Abs(at)*operationError)))
		return max(0, min(at-0.5+error, float64(size-1)))
	}
	low, high := place(n.Low, -1), place(n.High, 1)
	if high-low > 1<<10 {
		return nil
	}
	list = append(list, low)
	for k := math.Floor(low) + 1; k < high; k++ {
		list = append(list, k)
	}
	return append(list, high)
}
