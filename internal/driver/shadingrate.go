package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Fragments have 1, 2 or 4 pixels along each axis, and at most state.MaxFragmentSamples samples.
const maxFragmentSide = 4

// shadingRates are the sizes of fragments that vkGetPhysicalDeviceFragmentShadingRatesKHR lists: the largest first, as Vulkan
// requires, with the numbers of samples of a pixel for which they work.
var shadingRates = func() (out []abi.PhysicalDeviceFragmentShadingRateKHR) {
	for width := uint32(maxFragmentSide); width > 0; width /= 2 {
		for height := uint32(maxFragmentSide); height > 0; height /= 2 {
			samples := 2*min(state.MaxSamples, state.MaxFragmentSamples/(width*height)) - 1
			if width*height == 1 {
				samples = ^uint32(0) // fragments without a rate
			}
			out = append(out, abi.PhysicalDeviceFragmentShadingRateKHR{SampleCounts: samples, FragmentSize: abi.Extent2D{Width: width, Height: height}})
		}
	}
	return out
}()

// physicalExtensionCalls are queries of extensions about physical devices.
var physicalExtensionCalls = map[int]call{
	abi.CmdGetPhysicalDeviceFragmentShadingRatesKHR: on(func(a *abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs) abi.Result {
		return list(a.PFragmentShadingRateCount, a.PFragmentShadingRates, shadingRates, func(to *abi.PhysicalDeviceFragmentShadingRateKHR, r abi.PhysicalDeviceFragmentShadingRateKHR) {
			to.SampleCounts, to.FragmentSize = r.SampleCounts, r.FragmentSize
		})
	}),
	abi.CmdGetPhysicalDeviceMultisamplePropertiesEXT: run(func(a *abi.GetPhysicalDeviceMultisamplePropertiesEXTArgs) {
		if p := physicalOf(a.PhysicalDevice); p != nil {
			grid := p.vk.MaxSampleLocationGrid(a.Samples)
			a.PMultisampleProperties.MaxSampleLocationGridSize = abi.Extent2D{Width: grid[0], Height: grid[1]}
		}
	}),
}
