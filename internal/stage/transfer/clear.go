package transfer

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Range is levels and layers of aspects of an image (VkImageSubresourceRange). Aspects, Levels and Layers of 0 are all.
type Range struct {
	Aspects           format.Aspect
	BaseLevel, Levels int
	BaseLayer, Layers int
}

// Check returns the error of Clear, without clearing.
func (r Range) Check(m *texture.Image) error {
	_, err := r.of(m)
	return err
}

// Exists returns an error unless the image has the levels and layers.
func (r Range) Exists(m *texture.Image) error {
	_, err := r.counted(m)
	return err
}

// of returns the range with its counts, of an image that can be cleared.
func (r Range) of(m *texture.Image) (Range, error) {
	r, err := r.counted(m)
	if err == nil && m.Info().Compressed {
		err = outside("an image of %s; must not be compressed", m.Format)
	}
	return r, err
}

// counted returns the range with its counts.
func (r Range) counted(m *texture.Image) (Range, error) {
	if m == nil {
		return r, outside("no image; must be one")
	}
	if r.Levels == 0 {
		r.Levels = m.Levels - r.BaseLevel
	}
	if r.Layers == 0 {
		r.Layers = m.Layers - r.BaseLayer
	}
	if r.BaseLevel < 0 || r.Levels < 1 || r.Levels > m.Levels-r.BaseLevel || r.BaseLayer < 0 || r.Layers < 1 || r.Layers > m.Layers-r.BaseLayer {
		return r, outside("%d levels from %d on, %d layers from %d on; the image has %d and %d", r.Levels, r.BaseLevel, r.Layers, r.BaseLayer, m.Levels, m.Layers)
	}
	return r, nil
}

// Clear sets all texels of a range to one value: the bits of four components, as texture.Image.Store has them. depth is the
// value of the depth aspect, and value of the others; stencil is its first component.
func Clear(m *texture.Image, r Range, value, depth [4]uint64) error {
	r, err := r.of(m)
	if err != nil {
		return err
	}
	for _, a := range m.Aspects() {
		if r.Aspects != 0 && r.Aspects&a == 0 {
			continue
		}
		v := value
		if a == format.Depth {
			v = depth
		}
		for level := r.BaseLevel; level < r.BaseLevel+r.Levels; level++ {
			_, _, slices, _ := m.AspectExtent(a, level)
			for layer := r.BaseLayer; layer < r.BaseLayer+r.Layers; layer++ {
				for z := range slices {
					m.Clear(texture.Coord{Z: z, Layer: layer, Level: level, Aspect: a}, v)
				}
			}
		}
	}
	return nil
}
