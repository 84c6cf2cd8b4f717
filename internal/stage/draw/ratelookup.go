package draw

import (
	"encoding/binary"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// rateLookup computes the fragment sizes of a draw. The three sources are combined in pairs,
// pipeline with primitive, then the result with the attachment. Example with Keep and Max: pipeline
// 1×2, primitive 2×2, texel 2×1: Keep selects 1×2, and Max makes 2×2.
type rateLookup struct {
	pipeline   state.FragmentSize
	combiners  [2]enum.RateCombiner
	samples    uint32
	word       int // word of the primitive's rate in a vertex record; −1: none
	attachment *texture.View
	texel      [2]uint32 // logarithms of the pixels of a texel
	layers     bool      // the attachment's layer is the framebuffer's layer
	memory     []byte    // of the attachment
	shape      [5]uint32 // width, height, offset of the first texel, row pitch, layer pitch
}

// newRateLookup returns the rate lookup of a draw.
func (p *Pipeline) newRateLookup(s *state.State, t *state.Target) rateLookup {
	log := func(n uint32) uint8 { return uint8(bits.Len32(max(n, 1)) - 1) }
	r := rateLookup{
		pipeline: state.FragmentSize{LogX: log(s.Rate.Width), LogY: log(s.Rate.Height)}, combiners: s.Rate.Combiners, samples: max(s.Multisample.Samples, 1),
		word: p.front.Record.Word(ir.PrimitiveShadingRate, 0), attachment: t.Rates,
	}
	if t.Rates != nil {
		r.texel = [2]uint32{uint32(log(t.RateTexel[0])), uint32(log(t.RateTexel[1]))}
		_, _, layers := t.Extent()
		r.layers = layers > 1 && state.Layered(t.Rates)
	}
	return r
}

// maxPixels returns the maximum number of pixels of a fragment. It is 1 with sample shading, and if
// the program reads attachments at its pixel.
func (r *rateLookup) maxPixels(s *state.State, f *ir.Program) uint32 {
	if s.Multisample.SampleShading || f.Modes.Has(ir.PerSample) || f.Modes.Has(ir.OverrideCoverage) || shade.ReadsTile(f) {
		return 1
	}
	most := r.combine(0, 0)
	varies := r.word >= 0 && r.combiners[0] != enum.RateCombinerKeep && r.combiners[1] != enum.RateCombinerReplace || r.attachment != nil && r.combiners[1] != enum.RateCombinerKeep
	if varies {
		most = state.FragmentSize{LogX: 2, LogY: 2}.Clamp(r.samples)
	}
	return 1 << (most.LogX + most.LogY)
}

// combine returns the fragment size for the rates of the primitive and the attachment.
func (r *rateLookup) combine(primitive, texel uint32) state.FragmentSize {
	in := func(x state.FragmentSize) state.FragmentSize { return x.Clamp(r.samples) }
	x := state.Combine(r.combiners[0], in(r.pipeline), in(state.DecodeRate(primitive)))
	return in(state.Combine(r.combiners[1], in(x), in(state.DecodeRate(texel))))
}

// resolve finds the texels of the attachment. Shape has the levels of the view in words of four
// bytes; element 0 of each list is the base level.
func (r *rateLookup) resolve() {
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

// texelAt returns the attachment's texel for a pixel; outside of the attachment 0, a size of one
// pixel.
func (r *rateLookup) texelAt(x, y int, layer uint32) uint32 {
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
