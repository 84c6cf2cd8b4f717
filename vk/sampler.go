package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Filter is a filter (VkFilter).
type Filter uint8

// The filters.
const (
	Nearest = Filter(texture.Nearest)
	Linear  = Filter(texture.Linear)
	Cubic   = Filter(texture.Cubic)
)

// CubicWeights is the kernel of a cubic filter (VkCubicFilterWeightsQCOM).
type CubicWeights uint8

// The kernels.
const (
	CatmullRom        = CubicWeights(texture.CatmullRom)
	ZeroTangent       = CubicWeights(texture.ZeroTangent)
	BSpline           = CubicWeights(texture.BSpline)
	MitchellNetravali = CubicWeights(texture.MitchellNetravali)
)

// AddressMode is the behavior outside of an image (VkSamplerAddressMode).
type AddressMode uint8

// The modes.
const (
	Repeat            = AddressMode(texture.Repeat)
	MirroredRepeat    = AddressMode(texture.MirroredRepeat)
	ClampToEdge       = AddressMode(texture.ClampToEdge)
	ClampToBorder     = AddressMode(texture.ClampToBorder)
	MirrorClampToEdge = AddressMode(texture.MirrorClampToEdge)
)

// LodClampNone is a MaxLod above every level.
const LodClampNone = 1000

// SamplerInfo describes a sampler (VkSamplerCreateInfo).
type SamplerInfo struct {
	Mag, Min       Filter
	MipLinear      bool
	Address        [3]AddressMode
	LodBias        float32
	MinLod, MaxLod float32
	Anisotropy     float32 // 1 or less disables it
	Compare        bool
	CompareOp      link.CompareOp
	Border         [4]uint32 // bits of floats or integers, by the format of the view
	Unnormalized   bool
	Reduction      Reduction
	NonSeamless    bool
	Weights        CubicWeights // of a filter Cubic

	// BlockWindow is the search window of block matching, in texels (VkSamplerBlockMatchWindowCreateInfoQCOM); BlockMost selects the
	// most different block, not the least.
	BlockWindow [2]uint32
	BlockMost   bool

	// Conversion converts the colors of views with the same conversion. Bindings with such a sampler are combined, and the
	// sampler is immutable.
	Conversion *YcbcrConversion
}

// Reduction is the combination of the texels of a filter (VkSamplerReductionMode).
type Reduction uint8

// The modes.
const (
	WeightedAverage Reduction = iota
	Minimum
	Maximum
	RangeClamp // of cubic filters (VK_QCOM_filter_cubic_clamp)
)

// Sampler is a sampler.
type Sampler struct {
	object
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
		Mag: texture.Filter(info.Mag), Min: texture.Filter(info.Min), MipLinear: info.MipLinear,
		LodBias: info.LodBias, MinLod: info.MinLod, MaxLod: info.MaxLod, Anisotropy: info.Anisotropy,
		Compare: info.Compare, CompareOp: texture.CompareOp(info.CompareOp), Border: info.Border,
		Unnormalized: info.Unnormalized, Reduction: texture.Reduction(info.Reduction), NonSeamless: info.NonSeamless,
		Cubic: texture.CubicWeights(info.Weights), Window: info.BlockWindow, WindowMost: info.BlockMost,
	}
	if info.Conversion != nil {
		if err := check(d, "the conversion", info.Conversion); err != nil {
			return nil, err
		}
		if err := info.Conversion.fits(&info); err != nil {
			return nil, err
		}
	}
	for i, a := range info.Address {
		desc.Address[i] = texture.AddressMode(a)
	}
	sampler, err := texture.NewSampler(desc)
	if err != nil {
		return nil, imageError(err)
	}
	s := &Sampler{sampler: sampler, conversion: info.Conversion}
	d.adopt(&s.object, "sampler", func() { d.samplers.drop(&s.number) })
	return s, nil
}

// refer calls each for the sampler.
func (s *Sampler) refer(each func(*object)) { each(&s.object) }
