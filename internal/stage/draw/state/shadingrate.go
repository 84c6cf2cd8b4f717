package state

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
)

// ShadingRate is the pipeline's fragment size and its combination with the sizes of primitives and of
// an attachment (Vulkan §"Fragment Shading Rates"). Fragments have one, two or four pixels along each
// axis and at most MaxFragmentSamples samples; larger ones are clamped. The maximum size is part of
// the fragment program's key.
type ShadingRate struct {
	Width, Height uint32 // pixels: 1, 2 or 4; 0 is 1

	// Combiners combine the pipeline's rate with the primitive's, and the result with the
	// attachment's.
	Combiners [2]enum.RateCombiner
}

// MaxFragmentSamples is the maximum number of samples of a coarse fragment
// (maxFragmentShadingRateCoverageSamples): the mask of a shader has one word (maxSampleMaskWords).
const MaxFragmentSamples = 32

// FragmentSize is a fragment size: base-2 logarithms of its pixels along both axes.
type FragmentSize struct{ LogX, LogY uint8 }

// DecodeRate decodes the bits of SPIR-V's Fragment Shading Rate. Texels of the attachment use the same
// bits.
func DecodeRate(flags uint32) FragmentSize {
	return FragmentSize{uint8(flags >> 2 & 3), uint8(flags & 3)}
}

// Combine combines two sizes. Sizes are powers of two, so a product is a sum of logarithms.
func Combine(c enum.RateCombiner, a, b FragmentSize) FragmentSize {
	switch c {
	case enum.RateCombinerReplace:
		return b
	case enum.RateCombinerMin:
		return FragmentSize{min(a.LogX, b.LogX), min(a.LogY, b.LogY)}
	case enum.RateCombinerMax:
		return FragmentSize{max(a.LogX, b.LogX), max(a.LogY, b.LogY)}
	case enum.RateCombinerMul:
		return FragmentSize{a.LogX + b.LogX, a.LogY + b.LogY}
	}
	return a
}

// Clamp returns the largest permitted size within r for pixels with a number of samples: by area, then
// by the smaller aspect ratio, then by width (Vulkan §"Combining the Fragment Shading Rates").
func (r FragmentSize) Clamp(samples uint32) (best FragmentSize) {
	sum := func(r FragmentSize) uint32 { return 1<<r.LogX + 1<<r.LogY }
	for x := range min(r.LogX, 2) + 1 {
		for y := range min(r.LogY, 2) + 1 {
			c := FragmentSize{x, y}
			if samples<<(x+y) > MaxFragmentSamples {
				continue
			}
			area, most := x+y, best.LogX+best.LogY
			if area > most || area == most && sum(c) <= sum(best) {
				best = c
			}
		}
	}
	return best
}

// check returns an error if the rate is invalid.
func (r *ShadingRate) check() error {
	for _, n := range [2]uint32{r.Width, r.Height} {
		if n > 4 || bits.OnesCount32(n) > 1 {
			return Errorf("fragments of %d×%d pixels; must be 1, 2 or 4 along each axis", r.Width, r.Height)
		}
	}
	if r.Combiners[0] > enum.RateCombinerMul || r.Combiners[1] > enum.RateCombinerMul {
		return Errorf("combiners of shading rates %d and %d; must be at most %d", r.Combiners[0], r.Combiners[1], enum.RateCombinerMul)
	}
	return nil
}
