package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// LodClampNone is a MaxLod above every level.
const LodClampNone = 1000

// SamplerInfo describes a sampler (VkSamplerCreateInfo).
type SamplerInfo struct {
	Mag, Min       enum.Filter
	MipLinear      bool
	Address        [3]enum.AddressMode
	LodBias        float32
	MinLod, MaxLod float32
	Anisotropy     float32 // 1 or less disables it
	Compare        bool
	CompareOp      enum.CompareOp
	Border         [4]uint32 // bits of floats or integers, by the format of the view
	BorderFormat   link.Format
	BorderIndex    BorderIndex // of the registered color that Border equals
	Unnormalized   bool
	Reduction      enum.Reduction
	NonSeamless    bool
	Weights        enum.CubicWeights // of a filter Cubic

	// Processing is for the instructions of image processing alone (VK_SAMPLER_CREATE_IMAGE_PROCESSING_BIT_QCOM).
	Processing bool

	// BlockWindow is the search window of block matching, in texels (VkSamplerBlockMatchWindowCreateInfoQCOM); BlockMost selects the
	// most different block, not the least.
	BlockWindow [2]uint32
	BlockMost   bool

	// Conversion converts the colors of views with the same conversion. Bindings with such a sampler are combined, and the
	// sampler is immutable.
	Conversion *YcbcrConversion
}

// Sampler is a sampler.
type Sampler struct {
	object
	info       SamplerInfo
	sampler    *texture.Sampler
	conversion *YcbcrConversion
	number     uint64 // in descriptors in memory; guarded by the table of the device
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(info SamplerInfo) (*Sampler, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	desc := texture.SamplerDesc{
		Mag: info.Mag, Min: info.Min, MipLinear: info.MipLinear,
		LodBias: info.LodBias, MinLod: info.MinLod, MaxLod: info.MaxLod, Anisotropy: info.Anisotropy,
		Compare: info.Compare, CompareOp: info.CompareOp, Border: info.Border,
		Unnormalized: info.Unnormalized, Reduction: info.Reduction, NonSeamless: info.NonSeamless,
		Cubic: info.Weights, Window: info.BlockWindow, WindowMost: info.BlockMost,
	}
	if info.Conversion != nil {
		if err := check(d, "the conversion", info.Conversion); err != nil {
			return nil, err
		}
		if err := info.Conversion.fits(&info); err != nil {
			return nil, err
		}
	}
	desc.Address = info.Address
	sampler, err := texture.NewSampler(desc)
	if err != nil {
		return nil, imageError(err)
	}
	s := &Sampler{info: info, sampler: sampler, conversion: info.Conversion}
	d.adopt(&s.object, "sampler", func() { d.samplers.drop(&s.number) })
	return s, nil
}

// same reports whether two samplers are identically defined: objects of the same parameters are interchangeable.
func (s *Sampler) same(o *Sampler) bool {
	return s == o || s != nil && o != nil && s.dev == o.dev && s.info == o.info
}

// refer calls each for the sampler.
func (s *Sampler) refer(each func(*object)) { each(&s.object) }
