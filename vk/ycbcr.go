package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// YcbcrModel is a color model of texels in memory (VkSamplerYcbcrModelConversion).
type YcbcrModel uint8

// The models.
const (
	YcbcrIdentityRGB = YcbcrModel(format.ModelRGB)   // no conversion
	YcbcrIdentity    = YcbcrModel(format.ModelYCbCr) // range expansion alone
	Ycbcr709         = YcbcrModel(format.Model709)
	Ycbcr601         = YcbcrModel(format.Model601)
	Ycbcr2020        = YcbcrModel(format.Model2020)
)

// YcbcrRange is the encoding of luma and chroma (VkSamplerYcbcrRange).
type YcbcrRange uint8

// The ranges.
const (
	FullRange   = YcbcrRange(format.RangeFull)
	NarrowRange = YcbcrRange(format.RangeNarrow)
)

// ChromaLocation is the place of chroma samples (VkChromaLocation).
type ChromaLocation uint8

// The locations.
const (
	CositedEven = ChromaLocation(format.CositedEven)
	Midpoint    = ChromaLocation(format.Midpoint)
)

// YcbcrConversionInfo describes a conversion (VkSamplerYcbcrConversionCreateInfo).
type YcbcrConversionInfo struct {
	Format           link.Format
	Model            YcbcrModel
	Range            YcbcrRange
	Components       [4]Swizzle
	XOffset, YOffset ChromaLocation
	ChromaFilter     Filter

	// ForceExplicit requests explicit reconstruction of chroma. Chiaro always reconstructs explicitly.
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
	case i.Model > Ycbcr2020:
		return usage(rule+"ycbcrModel-parameter", "the model is %d; must be one of Vulkan's", i.Model)
	case i.Range > NarrowRange:
		return usage(rule+"ycbcrRange-parameter", "the range is %d; must be one of Vulkan's", i.Range)
	case i.XOffset > Midpoint:
		return usage(rule+"xChromaOffset-parameter", "the horizontal chroma location is %d; must be one of Vulkan's", i.XOffset)
	case i.YOffset > Midpoint:
		return usage(rule+"yChromaOffset-parameter", "the vertical chroma location is %d; must be one of Vulkan's", i.YOffset)
	case i.ChromaFilter > Linear:
		return usage(rule+"chromaFilter-parameter", "the chroma filter is %d; must be nearest or linear", i.ChromaFilter)
	}
	for n, s := range i.Components {
		if s > Alpha {
			return usage("VUID-VkComponentMapping-r-parameter", "the swizzle of component %d is %d; must be one of Vulkan's", n, s)
		}
	}
	of := func(n int) Swizzle {
		if i.Components[n] == Identity {
			return Red + Swizzle(n)
		}
		return i.Components[n]
	}
	if x, _ := f.Subsampled(); x == 2 {
		switch {
		case of(1) != Green:
			return usage(rule+"components-02581", "the swizzle of green is %d with subsampled chroma; must be the identity", i.Components[1])
		case of(3) != Alpha && i.Components[3] != One && i.Components[3] != Zero:
			return usage(rule+"components-02582", "the swizzle of alpha is %d with subsampled chroma; must be the identity, zero or one", i.Components[3])
		case of(0) != Red && of(0) != Blue:
			return usage(rule+"components-02583", "the swizzle of red is %d with subsampled chroma; must be the identity or blue", i.Components[0])
		case of(2) != Blue && of(2) != Red:
			return usage(rule+"components-02584", "the swizzle of blue is %d with subsampled chroma; must be the identity or red", i.Components[2])
		case (of(0) == Red) != (of(2) == Blue):
			return usage(rule+"components-02585", "the swizzles of red and blue are %d and %d with subsampled chroma; must exchange them, or both be the identity", i.Components[0], i.Components[2])
		}
	}
	if i.Model != YcbcrIdentityRGB {
		for n := range 3 {
			if s := of(n); s == Zero || s == One {
				return usage(rule+"ycbcrModel-01655", "the swizzle of component %d is a constant; must be a component", n)
			}
		}
	}
	if i.Range == NarrowRange && f.ComponentBits() < 8 {
		return usage(rule+"ycbcrRange-02748", "the narrow range of components of %d bits; must have at least 8", f.ComponentBits())
	}
	return nil
}

// inside returns the conversion of package texture; nil for none.
func (c *YcbcrConversion) inside() *texture.Conversion {
	if c == nil {
		return nil
	}
	i := &c.info
	out := &texture.Conversion{Model: format.Model(i.Model), Range: format.Range(i.Range), X: format.Location(i.XOffset), Y: format.Location(i.YOffset), Linear: i.ChromaFilter == Linear}
	for n, s := range i.Components {
		out.Swizzle[n] = texture.Swizzle(s)
	}
	return out
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
	case s.Address != [3]AddressMode{ClampToEdge, ClampToEdge, ClampToEdge}:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion has the addressing modes %v; must clamp to the edges", s.Address)
	case s.Anisotropy > 1:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion is anisotropic; must not be")
	case s.Unnormalized:
		return usage("VUID-VkSamplerCreateInfo-addressModeU-01646", "a sampler with a Y′CbCr conversion has unnormalized coordinates; must not have them")
	case s.Reduction != WeightedAverage:
		return usage("VUID-VkSamplerCreateInfo-None-01647", "a sampler with a Y′CbCr conversion has the reduction %d; must have the weighted average", s.Reduction)
	case s.Mag == Cubic || s.Min == Cubic:
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
