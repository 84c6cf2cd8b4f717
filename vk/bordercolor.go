package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// BorderColor is a custom border color (VkSamplerCustomBorderColorCreateInfoEXT).
type BorderColor struct {
	Color  [4]uint32 // bits of floats or integers
	Format link.Format
}

// BorderIndex is the index of a registered custom border color, plus 1; 0 is none (VkSamplerCustomBorderColorIndexCreateInfoEXT).
type BorderIndex uint32

// MaxBorderColors bounds the registered border colors of a device (maxCustomBorderColorSamplers).
const MaxBorderColors = 1 << 20

// borderColors are the custom border colors that are registered, by index.
type borderColors struct {
	mu   sync.Mutex
	list map[uint32]registeredBorder
}

type registeredBorder struct {
	BorderColor
	stamp uint64 // Device.stamps of the registration
}

// RegisterBorderColor registers a custom border color (vkRegisterCustomBorderColorEXT) at the index at, or at a free one if it is nil.
// It returns false if the index is taken, or none is free.
func (d *Device) RegisterBorderColor(c BorderColor, at *uint32) (index uint32, ok bool) {
	if d.Err() != nil {
		return 0, false
	}
	b := &d.borders
	b.mu.Lock()
	defer b.mu.Unlock()
	free := func(i uint32) bool { _, taken := b.list[i]; return !taken }
	switch {
	case len(b.list) == MaxBorderColors, at != nil && (*at >= MaxBorderColors || !free(*at)):
		return 0, false
	case at != nil:
		index = *at
	default:
		for index = uint32(len(b.list)); !free(index); index = (index + 1) % MaxBorderColors {
		}
	}
	if b.list == nil {
		b.list = map[uint32]registeredBorder{}
	}
	b.list[index] = registeredBorder{c, d.stamps.Add(1)}
	return index, true
}

// UnregisterBorderColor frees an index of a border color.
func (d *Device) UnregisterBorderColor(index uint32) {
	if d.Err() != nil {
		return
	}
	d.borders.mu.Lock()
	defer d.borders.mu.Unlock()
	delete(d.borders.list, index)
}

// border checks that the border color of a sampler is registered, and was before the command was recorded.
func (c *descriptorCheck) border(s *Sampler) {
	if s.info.BorderIndex == 0 {
		return
	}
	index, rule := uint32(s.info.BorderIndex-1), vuid.VkCmdDraw_index_11450
	b := &c.dev.borders
	b.mu.Lock()
	r, ok := b.list[index]
	b.mu.Unlock()
	switch {
	case !ok:
		c.find(rule, "%v has the border color of index %d, which is not registered; must be", &s.object, index)
	case r.stamp > c.recorded:
		c.find(rule, "%v has the border color of index %d, which was registered after the command was recorded; must be before", &s.object, index)
	case r.BorderColor != BorderColor{s.info.Border, s.info.BorderFormat}:
		c.find(rule, "%v has another border color than the one that is registered with its index %d; must be identically defined", &s.object, index)
	}
}
