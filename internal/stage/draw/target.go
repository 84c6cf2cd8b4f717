package draw

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Target is what is drawn to. Views of it are of Dim2D, arrayed or not; those that are
// written must show one level.
type Target struct {
	Colors  []*texture.View // by location; nil where nothing is kept
	Depth   *texture.View   // of the depth aspect
	Stencil *texture.View   // of the stencil aspect

	// Rates is the fragment shading rate attachment, of format R8_UINT; nil is none. One
	// of its texels is for RateTexel pixels along each axis: a power of two from 8 to 64.
	Rates     *texture.View
	RateTexel [2]uint32

	// Width, Height and Layers are the framebuffer's; 0 is that of the attachments.
	Width, Height, Layers uint32
}

// extent returns the pixels and layers that all attachments have.
func (t *Target) extent() (width, height, layers uint32) {
	width, height, layers = t.Width, t.Height, t.Layers
	least := func(n *uint32, m int) {
		if *n == 0 || uint32(m) < *n {
			*n = uint32(m)
		}
	}
	each := func(v *texture.View) {
		if v != nil {
			w, h, l := v.Extent()
			least(&width, w)
			least(&height, h)
			least(&layers, l)
		}
	}
	for _, v := range t.Colors {
		each(v)
	}
	each(t.Depth)
	each(t.Stencil)
	return width, height, max(layers, 1)
}

// checkLimits returns an error where the target exceeds a limit.
func (t *Target) checkLimits() error {
	if n := len(t.Colors); n > MaxColors {
		return &exec.LimitError{Quantity: "color attachments", Value: uint64(n), Max: MaxColors}
	}
	if w, h, _ := t.extent(); w > 1<<14 || h > 1<<14 {
		return &exec.LimitError{Quantity: "pixels of a framebuffer along an axis", Value: uint64(max(w, h)), Max: 1 << 14}
	}
	return nil
}

// maxBareSamples bounds the samples of a framebuffer without attachments, whose coverage
// takes memory though nothing else of it does: maxFramebufferWidth and
// maxFramebufferHeight with four samples.
const maxBareSamples = 1 << 30

// checkBare returns an error where a target without attachments has too many samples.
func (t *Target) checkBare(samples uint32) error {
	if t.Depth != nil || t.Stencil != nil || slices.ContainsFunc(t.Colors, func(v *texture.View) bool { return v != nil }) {
		return nil
	}
	w, h, _ := t.extent()
	if n := uint64(w) * uint64(h) * uint64(samples); n > maxBareSamples {
		return &exec.LimitError{Quantity: "samples of a framebuffer without attachments", Value: n, Max: maxBareSamples}
	}
	return nil
}

// check returns an error where the attachments do not fit the state.
func (t *Target) check(samples, views uint32) error {
	if err := t.checkBare(samples); err != nil {
		return err
	}
	each := func(what string, v *texture.View) error {
		if v != nil && uint32(v.Samples()) != samples {
			return wrong("%s has %d samples; the pipeline has %d", what, v.Samples(), samples)
		}
		return nil
	}
	for _, v := range t.Colors {
		if err := each("a color attachment", v); err != nil {
			return err
		}
	}
	if err := each("the depth attachment", t.Depth); err != nil {
		return err
	}
	if err := each("the stencil attachment", t.Stencil); err != nil {
		return err
	}
	if err := t.checkRates(); err != nil {
		return err
	}
	if _, _, n := t.extent(); uint32(bits.Len32(views)) > n {
		return wrong("view %d of a target of %d layers", bits.Len32(views)-1, n)
	}
	if w, h, _ := t.extent(); w > 1<<14 || h > 1<<14 {
		return &exec.LimitError{Quantity: "pixels of a framebuffer along an axis", Value: uint64(max(w, h)), Max: 1 << 14}
	}
	return nil
}
