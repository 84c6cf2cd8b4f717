package vk

import "github.com/chiaro-gpu/chiaro/internal/raster"

// BiasRepresentation is the unit of the constant term of a depth bias (VkDepthBiasRepresentationEXT).
type BiasRepresentation uint8

// The units.
const (
	BiasLeastRepresentable           BiasRepresentation = BiasRepresentation(raster.BiasOfFormat)     // the minimum resolvable difference of the depth format
	BiasLeastRepresentableForceUnorm BiasRepresentation = BiasRepresentation(raster.BiasOfFixedPoint) // the same for all depths: 2⁻²⁴ of D32_SFLOAT
	BiasFloat                        BiasRepresentation = BiasRepresentation(raster.BiasAbsolute)     // 1
)

// check returns an error for a unit that is none of Vulkan's, or that the device of a profile does not have.
func (r BiasRepresentation) check(d *Device) error {
	switch {
	case r > BiasFloat:
		return usage("VUID-VkDepthBiasRepresentationInfoEXT-depthBiasRepresentation-parameter", "the representation of the depth bias is %d; must be at most %d", r, BiasFloat)
	case r == BiasLeastRepresentableForceUnorm && d.lacks("leastRepresentableValueForceUnormRepresentation"):
		return usage("VUID-VkDepthBiasRepresentationInfoEXT-leastRepresentableValueForceUnormRepresentation-08947", "the depth bias is in units of fixed point; must not be on this device")
	case r == BiasFloat && d.lacks("floatRepresentation"):
		return usage("VUID-VkDepthBiasRepresentationInfoEXT-floatRepresentation-08948", "the depth bias is absolute; must not be on this device")
	}
	return nil
}

// lacks reports whether the device checks and is that of a profile without a feature.
func (d *Device) lacks(feature string) bool {
	if d.checking == None {
		return false
	}
	on, known := d.env.Device.Feature(feature)
	return known && !on
}

// DepthBias has the terms of the depth bias (VkDepthBiasInfoEXT, VkDepthBiasRepresentationInfoEXT). The unit of the
// constant term is always exact (depthBiasExact).
type DepthBias struct {
	Constant, Clamp, Slope float32
	Representation         BiasRepresentation
}

// DepthRange is a range of depths (VkDepthClampRangeEXT).
type DepthRange struct {
	Min, Max float32
}

// check returns an error for a range that is not in order, or that exceeds 0 to 1 if depths are not unrestricted. A nil
// range is valid.
func (r *DepthRange) check(unrestricted bool) error {
	switch {
	case r == nil:
	case !(r.Min <= r.Max):
		return usage("VUID-VkDepthClampRangeEXT-pDepthClampRange-00999", "the range of depth clamping is %v to %v; must be in order", r.Min, r.Max)
	case !unrestricted && r.Min < 0:
		return usage("VUID-VkDepthClampRangeEXT-pDepthClampRange-09648", "the range of depth clamping begins at %v; must be at least 0", r.Min)
	case !unrestricted && r.Max > 1:
		return usage("VUID-VkDepthClampRangeEXT-pDepthClampRange-09649", "the range of depth clamping ends at %v; must be at most 1", r.Max)
	}
	return nil
}

// unrestricted reports whether depths of the device may be outside of 0 to 1.
func (c *CommandBuffer) unrestricted() bool { return c != nil && c.dev != nil && c.dev.unrestricted }
