package state

import "math/bits"

// ShadingRate is how many pixels a fragment has: what the pipeline says of it, and
// how that is combined with what primitives and an attachment say (Vulkan §"Fragment
// Shading Rates"). Fragments are of one, two or four pixels along each axis, and have
// no more than MaxFragmentSamples samples; others are clamped to the next rate below.
// Whether there may be fragments of more than one pixel, and of how many, compiles the
// fragment program.
type ShadingRate struct {
	Width, Height uint32 // pixels: 1, 2 or 4; 0 is 1

	// Combiners are for the pipeline's rate with the primitive's, and for what that
	// gives with the attachment's.
	Combiners [2]RateCombiner
}

// RateCombiner makes one rate of two (VkFragmentShadingRateCombinerOpKHR, with its
// numbers).
type RateCombiner uint8

// The combiners.
const (
	RateKeep RateCombiner = iota
	RateReplace
	RateMin
	RateMax
	RateMul
	numCombiners
)

// MaxFragmentSamples is how many samples a fragment of several pixels has at most
// (maxFragmentShadingRateCoverageSamples).
const MaxFragmentSamples = 64

// FragmentSize is the size of a fragment: the logarithms of its pixels along both axes.
type FragmentSize struct{ LogX, LogY uint8 }

// DecodeRate decodes the flags of SPIR-V's Fragment Shading Rate, which texels of an
// attachment have too.
func DecodeRate(flags uint32) FragmentSize {
	return FragmentSize{uint8(flags >> 2 & 3), uint8(flags & 3)}
}

// Combine makes one rate of two. Sizes are powers of two, so that a product is a sum.
func (c RateCombiner) Combine(a, b FragmentSize) FragmentSize {
	switch c {
	case RateReplace:
		return b
	case RateMin:
		return FragmentSize{min(a.LogX, b.LogX), min(a.LogY, b.LogY)}
	case RateMax:
		return FragmentSize{max(a.LogX, b.LogX), max(a.LogY, b.LogY)}
	case RateMul:
		return FragmentSize{a.LogX + b.LogX, a.LogY + b.LogY}
	}
	return a
}

// Clamp returns the rate that stands for r where pixels have so many samples: itself,
// or of those below it one of the greatest area, then of the least aspect ratio, then
// the wide one (Vulkan §"Combining the Fragment Shading Rates").
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

// check returns an error where the rate is none of Vulkan's.
func (r *ShadingRate) check() error {
	for _, n := range [2]uint32{r.Width, r.Height} {
		if n > 4 || bits.OnesCount32(n) > 1 {
			return Errorf("fragments of %d×%d pixels; must be 1, 2 or 4 along each axis", r.Width, r.Height)
		}
	}
	if r.Combiners[0] >= numCombiners || r.Combiners[1] >= numCombiners {
		return Errorf("combiners of shading rates %d and %d; must be below %d", r.Combiners[0], r.Combiners[1], numCombiners)
	}
	return nil
}
