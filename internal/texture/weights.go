package texture

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// MaxWeights bounds a weight filter's extent along each axis, MaxPhases its number of phases
// (maxWeightFilterDimension, maxWeightFilterPhases).
const (
	MaxWeights = 64
	MaxPhases  = 1024
)

// Weights describes the filter in a weight image's view (VkImageViewSampleWeightCreateInfoQCOM). In an array of
// Dim2D each layer holds the filter of one phase. An array of Dim1D is a separable filter: layer 0 holds the
// weights along x, layer 1 the weights along y.
type Weights struct {
	Center, Size [2]int
	Phases       int // subpixel phases of both axes together: a power of four
}

// weights returns the word ir.ShapeWeights of a view of an image with the given extent; 0 if the view has no
// weights.
func (d *ViewDesc) weights(width, height int) (uint32, error) {
	w := d.Weights
	if w == nil {
		return 0, nil
	}
	along := bits.TrailingZeros(uint(w.Phases)) / 2
	switch {
	case !d.Arrayed || d.Dim != ir.Dim1D && d.Dim != ir.Dim2D || d.Levels != 1:
		return 0, descErrorf("weights in a view of %s with %d levels, arrayed %t; must be an array of 1d or 2d with one level", d.Dim, d.Levels, d.Arrayed)
	case w.Phases < 1 || w.Phases > MaxPhases || w.Phases != 1<<(2*along):
		return 0, descErrorf("weights of %d phases; must be a power of four, at most %d", w.Phases, MaxPhases)
	case d.Dim == ir.Dim2D && d.Layers < w.Phases || d.Layers < 2 && d.Dim == ir.Dim1D:
		return 0, descErrorf("weights of %d phases in %d layers; must have a layer for each phase, or one for each axis", w.Phases, d.Layers)
	}
	packed := uint32(along) << 24
	for i, size := range w.Size {
		held := [...]int{width, height}[i]
		if d.Dim == ir.Dim1D {
			held = width >> along &^ 3
		}
		switch {
		case size < 1 || size > MaxWeights || size > held:
			return 0, descErrorf("%d weights along axis %d; must be 1 to %d, which the texels of the view bound", size, i, min(held, MaxWeights))
		case w.Center[i] < 0 || w.Center[i] >= size:
			return 0, descErrorf("the center of weights at %d; must be within 0 and %d", w.Center[i], size-1)
		}
		packed |= uint32(w.Center[i])<<(6*i) | uint32(size-1)<<(12+6*i)
	}
	return packed, nil
}
