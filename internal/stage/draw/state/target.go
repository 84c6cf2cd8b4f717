package state

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
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

// Extent returns the pixels and layers that all attachments have.
func (t *Target) Extent() (width, height, layers uint32) {
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

// CheckLimits returns an error where the target exceeds a limit.
func (t *Target) CheckLimits() error {
	if n := len(t.Colors); n > MaxColors {
		return &exec.LimitError{Quantity: "color attachments", Value: uint64(n), Max: MaxColors}
	}
	if w, h, _ := t.Extent(); w > 1<<14 || h > 1<<14 {
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
	w, h, _ := t.Extent()
	if n := uint64(w) * uint64(h) * uint64(samples); n > maxBareSamples {
		return &exec.LimitError{Quantity: "samples of a framebuffer without attachments", Value: n, Max: maxBareSamples}
	}
	return nil
}

// Check returns an error where the attachments do not fit the state.
func (t *Target) Check(samples, views uint32) error {
	if err := t.checkBare(samples); err != nil {
		return err
	}
	each := func(what string, v *texture.View) error {
		if v != nil && uint32(v.Samples()) != samples {
			return Errorf("%s has %d samples; the pipeline has %d", what, v.Samples(), samples)
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
	if _, _, n := t.Extent(); uint32(bits.Len32(views)) > n {
		return Errorf("view %d of a target of %d layers", bits.Len32(views)-1, n)
	}
	if w, h, _ := t.Extent(); w > 1<<14 || h > 1<<14 {
		return &exec.LimitError{Quantity: "pixels of a framebuffer along an axis", Value: uint64(max(w, h)), Max: 1 << 14}
	}
	return nil
}

// checkRates returns an error where the shading rate attachment is none.
func (t *Target) checkRates() error {
	if t.Rates == nil {
		return nil
	}
	if f := t.Rates.Format(); f != "R8_UINT" || t.Rates.Samples() != 1 {
		return Errorf("a shading rate attachment of format %s with %d samples; must be R8_UINT with 1", f, t.Rates.Samples())
	}
	for _, n := range t.RateTexel {
		if n < raster.Block || n > raster.Tile || bits.OnesCount32(n) != 1 {
			return Errorf("a texel of the shading rate attachment for %d pixels; must be 8, 16, 32 or 64", n)
		}
	}
	return nil
}

// Layered reports whether a view has more than one layer.
func Layered(v *texture.View) bool {
	_, _, n := v.Extent()
	return n > 1
}
