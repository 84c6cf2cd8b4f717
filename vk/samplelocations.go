package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// SampleLocations are the places of samples in their pixels (VkSampleLocationsInfoEXT), the same for all pixels (x, y) of
// equal x mod Width and equal y mod Height.
type SampleLocations struct {
	Samples       uint32 // of a pixel
	Width, Height uint32 // of the grid in pixels

	// Points are the places, from the upper left corner of the pixel (0, 0) on: of sample i of pixel (x, y) of the grid
	// Points[(x+y·Width)·Samples+i]. They are clamped to CoordinateRange.
	Points [][2]float32
}

// SampleLocationsProperties are the limits of sample locations (VkPhysicalDeviceSampleLocationsPropertiesEXT).
type SampleLocationsProperties struct {
	Samples         uint32 // the supported numbers of samples, as a set of bits
	Grid            [2]uint32
	CoordinateRange [2]float32
	SubPixelBits    uint32
	Variable        bool // a render pass may use different locations
}

// SampleLocationsProperties returns the limits of sample locations.
func (p *PhysicalDevice) SampleLocationsProperties() SampleLocationsProperties {
	if p == nil {
		return SampleLocationsProperties{}
	}
	return SampleLocationsProperties{
		Samples: uint32(p.sampleCounts()), Grid: p.MaxSampleLocationGrid(1), CoordinateRange: [2]float32{0, raster.MaxLocation},
		SubPixelBits: uint32(p.limit("sampleLocationSubPixelBits", raster.LocationBits)), Variable: p.limit("variableSampleLocations", 1) != 0,
	}
}

// sampleCounts returns the numbers of samples with locations of their own, as a set of bits.
func (p *PhysicalDevice) sampleCounts() uint64 {
	const own = 2*state.MaxSamples - 1
	if n, known := p.Limits.Limit("sampleLocationSampleCounts"); known {
		return n & own
	}
	return own
}

// MaxSampleLocationGrid returns the greatest grid of sample locations for a number of samples
// (VkMultisamplePropertiesEXT); 0, 0 for a number that images cannot have.
func (p *PhysicalDevice) MaxSampleLocationGrid(samples uint32) [2]uint32 {
	if p == nil || samples&(samples-1) != 0 || uint64(samples)&p.sampleCounts() == 0 {
		return [2]uint32{}
	}
	return [2]uint32{raster.MaxLocationGrid, raster.MaxLocationGrid}
}

// state checks the locations and returns a copy in the form of package draw. A nil list is none.
func (l *SampleLocations) state() (*state.SampleLocations, error) {
	return l.checked([2]string{"VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07610", "VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07611"})
}

// checked is state with the rules on the width and the height of the grid.
func (l *SampleLocations) checked(grid [2]string) (*state.SampleLocations, error) {
	if l == nil {
		return nil, nil
	}
	if n := l.Samples; n == 0 || n > state.MaxSamples || n&(n-1) != 0 {
		return nil, usage("VUID-VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", "%d sample locations of a pixel; must be a power of two up to %d", n, state.MaxSamples)
	}
	for axis, n := range [...]uint32{l.Width, l.Height} {
		if n == 0 || raster.MaxLocationGrid%n != 0 {
			return nil, usage(grid[axis], "the grid of sample locations is %d×%d; must divide %d×%d", l.Width, l.Height, raster.MaxLocationGrid, raster.MaxLocationGrid)
		}
	}
	if want := l.Width * l.Height * l.Samples; uint32(len(l.Points)) != want {
		return nil, usage("VUID-VkSampleLocationsInfoEXT-sampleLocationsCount-01527", "%d sample locations; must be %d", len(l.Points), want)
	}
	return &state.SampleLocations{Width: l.Width, Height: l.Height, Points: slices.Clone(l.Points)}, nil
}

// checkLocations checks the sample locations of a pipeline.
func (f *FixedState) checkLocations() error {
	m, l := orZero(f.Multisample), f.SampleLocations
	if !m.Locations && !slices.Contains(f.Dynamic, enum.DynamicStateSampleLocationsEnable) || slices.Contains(f.Dynamic, enum.DynamicStateSampleLocations) {
		return nil // not used
	}
	if _, err := l.state(); err != nil {
		return err
	}
	switch n := max(m.Samples, 1); {
	case l == nil && m.Locations:
		return usage("VUID-VkPipelineSampleLocationsStateCreateInfoEXT-sampleLocationsInfo-parameter", "samples have their own locations, and there are none; must be some")
	case l != nil && l.Samples != n && !slices.Contains(f.Dynamic, enum.DynamicStateRasterizationSamples):
		return usage("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07612", "%d sample locations of a pixel of %d samples; must be as many", l.Samples, n)
	}
	return nil
}

// setSampleLocations is a recorded setting of sample locations.
type setSampleLocations struct{ locations *state.SampleLocations }

func (w *setSampleLocations) run(x *executor) error {
	b := &x.graphics.bound
	b.have |= 1 << haveLocations
	b.dynamic.Multisample.Locations = w.locations
	return nil
}

// SetSampleLocationsEnable replaces the standard sample locations by those of SetSampleLocations.
func (c *CommandBuffer) SetSampleLocationsEnable(on bool) { c.set(setLocated, flag(on)) }

// SetSampleLocations sets the sample locations.
func (c *CommandBuffer) SetSampleLocations(l SampleLocations) {
	if !c.begin() {
		return
	}
	locations, err := l.checked([2]string{vuid.VkCmdDraw_sampleLocationsEnable_07485, vuid.VkCmdDraw_sampleLocationsEnable_07486})
	if err != nil {
		c.fail(err)
		return
	}
	w := take[setSampleLocations](c)
	*w = setSampleLocations{locations}
	c.deferred("set sample locations", w)
}
