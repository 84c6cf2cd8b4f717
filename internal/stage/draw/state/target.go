package state

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Target is the set of attachments of a draw. Views are Dim2D, arrayed or not; writable ones have a
// single level.
type Target struct {
	Colors  []*texture.View // by location; nil: no attachment
	Depth   *texture.View   // depth aspect
	Stencil *texture.View   // stencil aspect

	// Rates is the fragment shading rate attachment, in format R8_UINT; nil: none. A texel applies to
	// RateTexel pixels along each axis, a power of two from 8 to 64.
	Rates     *texture.View
	RateTexel [2]uint32

	// Width, Height and Layers are the framebuffer's size; 0 is the size of the attachments.
	Width, Height, Layers uint32
}

// Extent returns the size that all attachments have in common.
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

// maxLayers is maxFramebufferLayers.
const maxLayers = 1 << 11

// Reached returns the number of layers that primitives can be in: the layers that all attachments have. The framebuffer
// may have fewer; Vulkan leaves undefined where a primitive of another layer is drawn, and GL on Vulkan relies on it.
func (t *Target) Reached() uint32 {
	if t.IsBare() {
		return maxLayers // a fragment shader can store by layer
	}
	x := *t
	x.Layers = 0
	_, _, layers := x.Extent()
	return layers
}

// Memory appends the memory of the attachments that draws write.
func (t *Target) Memory(list [][]byte) [][]byte {
	for _, v := range t.Colors {
		list = append(list, v.Memory().Bytes)
	}
	return append(list, t.Depth.Memory().Bytes, t.Stencil.Memory().Bytes)
}

// CheckLimits returns an error if the target exceeds a limit.
func (t *Target) CheckLimits() error {
	if n := len(t.Colors); n > MaxColors {
		return &exec.LimitError{Quantity: "color attachments", Value: uint64(n), Max: MaxColors}
	}
	if w, h, _ := t.Extent(); w > 1<<14 || h > 1<<14 {
		return &exec.LimitError{Quantity: "pixels of a framebuffer along an axis", Value: uint64(max(w, h)), Max: 1 << 14}
	}
	return nil
}

// IsBare reports whether the target has no attachments. Each color can be nil.
func (t *Target) IsBare() bool {
	return t.Depth == nil && t.Stencil == nil && !slices.ContainsFunc(t.Colors, func(v *texture.View) bool { return v != nil })
}

// maxBareSamples bounds the samples of a framebuffer without attachments, because coverage alone needs
// memory. It is maxFramebufferWidth · maxFramebufferHeight with four samples.
const maxBareSamples = 1 << 30

// checkBare returns an error if a target without attachments has too many samples.
func (t *Target) checkBare(samples uint32) error {
	if !t.IsBare() {
		return nil
	}
	w, h, _ := t.Extent()
	if n := uint64(w) * uint64(h) * uint64(samples); n > maxBareSamples {
		return &exec.LimitError{Quantity: "samples of a framebuffer without attachments", Value: n, Max: maxBareSamples}
	}
	return nil
}

// Check returns an error if the attachments do not suit the sample count and views of the state.
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

// checkRates returns an error if the shading rate attachment is invalid.
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

// Layered reports whether a view has several layers.
func Layered(v *texture.View) bool {
	_, _, n := v.Extent()
	return n > 1
}
