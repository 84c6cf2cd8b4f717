package draw

import (
	"encoding/binary"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

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

// rate is the size of a fragment: the logarithms of its pixels along both axes.
type rate struct{ x, y uint8 }

// rateOf decodes the flags of SPIR-V's Fragment Shading Rate, which texels of an
// attachment have too.
func rateOf(flags uint32) rate { return rate{uint8(flags >> 2 & 3), uint8(flags & 3)} }

// combined makes one rate of two. Sizes are powers of two, so that a product is a sum.
func (c RateCombiner) combined(a, b rate) rate {
	switch c {
	case RateReplace:
		return b
	case RateMin:
		return rate{min(a.x, b.x), min(a.y, b.y)}
	case RateMax:
		return rate{max(a.x, b.x), max(a.y, b.y)}
	case RateMul:
		return rate{a.x + b.x, a.y + b.y}
	}
	return a
}

// clamped returns the rate that stands for r where pixels have so many samples: itself,
// or of those below it one of the greatest area, then of the least aspect ratio, then
// the wide one (Vulkan §"Combining the Fragment Shading Rates").
func (r rate) clamped(samples uint32) (best rate) {
	sum := func(r rate) uint32 { return 1<<r.x + 1<<r.y }
	for x := range min(r.x, 2) + 1 {
		for y := range min(r.y, 2) + 1 {
			c := rate{x, y}
			if samples<<(x+y) > MaxFragmentSamples {
				continue
			}
			area, most := x+y, best.x+best.y
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
			return wrong("fragments of %d×%d pixels; must be 1, 2 or 4 along each axis", r.Width, r.Height)
		}
	}
	if r.Combiners[0] >= numCombiners || r.Combiners[1] >= numCombiners {
		return wrong("combiners of shading rates %d and %d; must be below %d", r.Combiners[0], r.Combiners[1], numCombiners)
	}
	return nil
}

// checkRates returns an error where the shading rate attachment is none.
func (t *Target) checkRates() error {
	if t.Rates == nil {
		return nil
	}
	if f := t.Rates.Format(); f != "R8_UINT" || t.Rates.Samples() != 1 {
		return wrong("a shading rate attachment of format %s with %d samples; must be R8_UINT with 1", f, t.Rates.Samples())
	}
	for _, n := range t.RateTexel {
		if n < raster.Block || n > raster.Tile || bits.OnesCount32(n) != 1 {
			return wrong("a texel of the shading rate attachment for %d pixels; must be 8, 16, 32 or 64", n)
		}
	}
	return nil
}

// rating finds the rates of a draw's fragments.
type rating struct {
	pipeline   rate
	combiners  [2]RateCombiner
	samples    uint32
	word       int // of a vertex's record, with the primitive's rate; −1 without
	attachment *texture.View
	texel      [2]uint32 // logarithms of the pixels for one of its texels
	layers     bool      // the layer drawn to chooses its layer
	memory     []byte    // of the attachment
	shape      [5]uint32 // width, height, and where texels stand: the first, and bytes from row to row and from layer to layer
}

// ratingOf returns what says the rates of a draw.
func (p *Pipeline) ratingOf(s *State, t *Target) rating {
	log := func(n uint32) uint8 { return uint8(bits.Len32(max(n, 1)) - 1) }
	r := rating{
		pipeline: rate{log(s.Rate.Width), log(s.Rate.Height)}, combiners: s.Rate.Combiners, samples: max(s.Multisample.Samples, 1),
		word: p.rec.word(ir.PrimitiveShadingRate, 0), attachment: t.Rates,
	}
	if t.Rates != nil {
		r.texel = [2]uint32{uint32(log(t.RateTexel[0])), uint32(log(t.RateTexel[1]))}
		_, _, layers := t.extent()
		r.layers = layers > 1 && layered(t.Rates)
	}
	return r
}

// pixels is how many pixels a fragment may have; 1 where sample shading is enabled,
// or the program reads what stands at its pixel.
func (r *rating) pixels(s *State, f *ir.Program) uint32 {
	if s.Multisample.SampleShading || f.Modes.Has(ir.PerSample) || f.Modes.Has(ir.OverrideCoverage) || readsTile(f) {
		return 1
	}
	most := r.of(0, 0)
	varies := r.word >= 0 && r.combiners[0] != RateKeep && r.combiners[1] != RateReplace || r.attachment != nil && r.combiners[1] != RateKeep
	if varies {
		most = rate{2, 2}.clamped(r.samples)
	}
	return 1 << (most.x + most.y)
}

// of is the rate of a fragment, by what the primitive and the attachment say.
func (r *rating) of(primitive, texel uint32) rate {
	in := func(x rate) rate { return x.clamped(r.samples) }
	x := r.combiners[0].combined(in(r.pipeline), in(rateOf(primitive)))
	return in(r.combiners[1].combined(in(x), in(rateOf(texel))))
}

// find finds the memory of the attachment.
func (r *rating) find() {
	if r.attachment == nil {
		return
	}
	r.memory = r.attachment.Memory().Bytes
	w, h, _ := r.attachment.Extent()
	r.shape[0], r.shape[1] = uint32(w), uint32(h)
	shape := r.attachment.Shape().Bytes
	for i := range uint32(3) {
		r.shape[2+i] = binary.LittleEndian.Uint32(shape[4*(ir.ShapeLevels+ir.MaxLevels*i):])
	}
}

// at is the attachment's texel for a pixel: 0, which is one pixel, where it has none.
func (r *rating) at(x, y int, layer uint32) uint32 {
	if r.attachment == nil {
		return 0
	}
	if !r.layers {
		layer = 0
	}
	u, v := uint64(x)>>r.texel[0], uint64(y)>>r.texel[1]
	_, _, layers := r.attachment.Extent()
	if u >= uint64(r.shape[0]) || v >= uint64(r.shape[1]) || uint64(layer) >= uint64(layers) {
		return 0
	}
	at := uint64(r.shape[2]) + v*uint64(r.shape[3]) + uint64(layer)*uint64(r.shape[4]) + u
	if at >= uint64(len(r.memory)) {
		return 0
	}
	return uint32(r.memory[at])
}

// rate notes in each item the size of its fragments, in low bits of the block's place:
// blocks stand at multiples of their size, so that all of one is within one texel of
// the attachment.
func (d *drawing) rate(s *sheet) {
	r := &d.rating
	kept := int(d.pipeline.rec.kept() / 4)
	view := d.params.words(vertexWords + fragmentWords)[vertexWords+fragmentView]
	words := d.itemWords()
	last, size := [2]uint32{}, r.of(0, 0)
	for at := 0; at < len(s.items); at += words {
		item := raster.Item(s.items[at:])
		p := &d.raster.Primitives[item.Primitive()]
		flags, layer := uint32(0), p.Layer
		if r.word >= 0 {
			flags = d.raster.Varyings[int(3*item.Primitive()+p.Provoking())*kept+r.word-positionBytes/4]
		}
		if d.key.views {
			layer = view
		}
		x, y := item.At()
		if now := [2]uint32{flags, r.at(x, y, layer)}; now != last { // most are like those before
			last, size = now, r.of(flags, now[1])
		}
		item[0] |= uint64(size.x)<<32 | uint64(size.y)<<48
	}
}
