package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// YcbcrConversionInfo describes a conversion (VkSamplerYcbcrConversionCreateInfo).
type YcbcrConversionInfo struct {
	Format           link.Format
	Model            enum.YcbcrModel
	Range            enum.YcbcrRange
	Components       [4]enum.Swizzle
	XOffset, YOffset enum.ChromaLocation
	ChromaFilter     enum.Filter

	// ForceExplicit requests that chroma is reconstructed at each texel before texels are filtered, not filtered separately.
	ForceExplicit bool
}

// YcbcrConversion is the conversion of samplers and of views (VkSamplerYcbcrConversion). Both have the same one, or two with
// equal descriptions.
type YcbcrConversion struct {
	object
	info YcbcrConversionInfo
}

// NewYcbcrConversion makes a conversion.
func (d *Device) NewYcbcrConversion(info YcbcrConversionInfo) (*YcbcrConversion, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := info.check(); err != nil {
		return nil, err
	}
	if f := format.ByID(uint32(info.Format)); d.checking > None && info.Range == enum.YcbcrRangeItuNarrow && f.ComponentBits() < 8 {
		return nil, usage("VUID-VkSamplerYcbcrConversionCreateInfo-ycbcrRange-02748", "the narrow range of components of %d bits; must have at least 8", f.ComponentBits())
	}
	c := &YcbcrConversion{info: info}
	d.adopt(&c.object, "Y′CbCr conversion", nil)
	return c, nil
}

// check checks the description.
func (i *YcbcrConversionInfo) check() error {
	const rule = "VUID-VkSamplerYcbcrConversionCreateInfo-"
	f := format.ByID(uint32(i.Format))
	switch {
	case f == nil || f.Numeric != "UNORM" || f.Aspects&format.Color == 0 && f.Planes == 0:
		return usage(rule+"format-04061", "the format is %s; must be a UNORM color format", i.Format)
	case i.Model > enum.YcbcrModelYcbcr2020:
		return usage(rule+"ycbcrModel-parameter", "the model is %d; must be one of Vulkan's", i.Model)
	case i.Range > enum.YcbcrRangeItuNarrow:
		return usage(rule+"ycbcrRange-parameter", "the range is %d; must be one of Vulkan's", i.Range)
	case i.XOffset > enum.ChromaLocationMidpoint:
		return usage(rule+"xChromaOffset-parameter", "the horizontal chroma location is %d; must be one of Vulkan's", i.XOffset)
	case i.YOffset > enum.ChromaLocationMidpoint:
		return usage(rule+"yChromaOffset-parameter", "the vertical chroma location is %d; must be one of Vulkan's", i.YOffset)
	case i.ChromaFilter > enum.FilterLinear:
		return usage(rule+"chromaFilter-parameter", "the chroma filter is %d; must be nearest or linear", i.ChromaFilter)
	}
	for n, s := range i.Components {
		if s > enum.SwizzleA {
			return usage("VUID-VkComponentMapping-r-parameter", "the swizzle of component %d is %d; must be one of Vulkan's", n, s)
		}
	}
	of := func(n int) enum.Swizzle {
		if i.Components[n] == enum.SwizzleIdentity {
			return enum.SwizzleR + enum.Swizzle(n)
		}
		return i.Components[n]
	}
	if x, _ := f.Subsampled(); x == 2 {
		switch {
		case of(1) != enum.SwizzleG:
			return usage(rule+"components-02581", "the swizzle of green is %d with subsampled chroma; must be the identity", i.Components[1])
		case of(3) != enum.SwizzleA && i.Components[3] != enum.SwizzleOne && i.Components[3] != enum.SwizzleZero:
			return usage(rule+"components-02582", "the swizzle of alpha is %d with subsampled chroma; must be the identity, zero or one", i.Components[3])
		case of(0) != enum.SwizzleR && of(0) != enum.SwizzleB:
			return usage(rule+"components-02583", "the swizzle of red is %d with subsampled chroma; must be the identity or blue", i.Components[0])
		case of(2) != enum.SwizzleB && of(2) != enum.SwizzleR:
			return usage(rule+"components-02584", "the swizzle of blue is %d with subsampled chroma; must be the identity or red", i.Components[2])
		case (of(0) == enum.SwizzleR) != (of(2) == enum.SwizzleB):
			return usage(rule+"components-02585", "the swizzles of red and blue are %d and %d with subsampled chroma; must exchange them, or both be the identity", i.Components[0], i.Components[2])
		}
	}
	if i.Model != enum.YcbcrModelRgbIdentity {
		for n := range 3 {
			if s := of(n); s == enum.SwizzleZero || s == enum.SwizzleOne {
				return usage(rule+"ycbcrModel-01655", "the swizzle of component %d is a constant; must be a component", n)
			}
		}
	}
	return nil
}

// inside returns the conversion of package texture; nil for none.
func (c *YcbcrConversion) inside() *texture.Conversion {
	if c == nil {
		return nil
	}
	i := &c.info
	return &texture.Conversion{
		Model: i.Model, Range: i.Range, X: i.XOffset, Y: i.YOffset, Linear: i.ChromaFilter == enum.FilterLinear, Swizzle: i.Components,
		Explicit: i.ForceExplicit,
	}
}

// same reports whether two conversions are identically defined, or both are nil.
func (c *YcbcrConversion) same(o *YcbcrConversion) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c.info == o.info
}

// fits checks a sampler with the conversion.
func (c *YcbcrConversion) fits(s *SamplerInfo) error {
	switch {
	case s.Address != [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion has the addressing modes %v; must clamp to the edges", s.Address)
	case s.Anisotropy > 1:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion is anisotropic; must not be")
	case s.Unnormalized:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion has unnormalized coordinates; must not have them")
	case s.Reduction != enum.ReductionWeightedAverage:
		return usage("VUID-VkSamplerCreateInfo-None-01647", "a sampler with a Y′CbCr conversion has the reduction %d; must have the weighted average", s.Reduction)
	case s.Mag == enum.FilterCubic || s.Min == enum.FilterCubic:
		return usage("VUID-VkSamplerCreateInfo-minFilter-01645", "a sampler with a Y′CbCr conversion has a cubic filter; must be nearest or linear")
	}
	return nil
}

// converts checks that a view and the immutable sampler of an element of the binding have the same conversion.
func (s *layoutSlot) converts(at uint32, x *ImageDescriptor) error {
	var of, want *YcbcrConversion
	if x.View != nil {
		of = x.View.info.Conversion
	}
	if s.immutable != nil {
		want = s.immutable[at].conversion
	}
	switch {
	case s.kind == samplerSlot || x.View == nil || of == nil && want == nil:
		return nil
	case s.kind == viewSlot:
		return usage("VUID-VkWriteDescriptorSet-descriptorType-01946", "a view with a Y′CbCr conversion is written to binding %d, which has no samplers; must have none", s.number)
	case s.immutable == nil:
		return usage("VUID-VkWriteDescriptorSet-descriptorType-02738", "a view with a Y′CbCr conversion is written to binding %d without immutable samplers; must have them", s.number)
	case !of.same(want):
		return usage("VUID-VkWriteDescriptorSet-descriptorType-01948", "the Y′CbCr conversions of a view and of the immutable sampler of binding %d differ; must be identical", s.number)
	}
	return nil
}
