package texture

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// SamplerDesc describes a sampler (VkSamplerCreateInfo).
type SamplerDesc struct {
	Mag, Min     enum.Filter         // magnification and minification
	MipLinear    bool                // interpolate between levels (VK_SAMPLER_MIPMAP_MODE_LINEAR)
	Address      [3]enum.AddressMode // along u, v, w
	LodBias      float32             // added to λ together with the operand Bias
	MinLod       float32             // λ is clamped to MinLod … MaxLod
	MaxLod       float32
	Anisotropy   float32        // greatest ratio, at most MaxAnisotropy; 1 or less disables
	Compare      bool           // depth comparison (compareEnable)
	CompareOp    enum.CompareOp // used with Compare
	Border       [4]uint32      // RGBA as bits of floats or integers, by the view's format
	Unnormalized bool           // coordinates are in texels, not from 0 to 1
	Reduction    enum.Reduction
	Cubic        enum.CubicWeights
	NonSeamless  bool // faces of a cube are filtered separately

	Window     [2]uint32 // extent of the search window of block matching; 0 is 1 (VkSamplerBlockMatchWindowCreateInfoQCOM)
	WindowMost bool      // block matching selects the most different block, not the least
}

// MaxWindow bounds a search window along each axis, in texels (maxBlockMatchWindow).
const MaxWindow = 64

// samplerKey is the part of a sampler on which generated code depends.
type samplerKey struct {
	mag, min     enum.Filter
	mipLinear    bool
	address      [3]enum.AddressMode
	anisotropic  bool
	compare      bool
	op           enum.CompareOp
	unnormalized bool
	reduction    enum.Reduction
	cubic        enum.CubicWeights
	nonSeamless  bool
	windowMost   bool
	rangeClamp   bool
}

// word packs the key into 64 bits; it is never 0, the null descriptor's word. The bits, from the lowest:
//
//	 0–1  mag          2–3  min       4–7  op     8–9  reduction     10–11  cubic
//	12–20  address, 3 bits each      24–30  the flags, in the order of the list below      63  always set
//
// Queries read the parts that package ir names: ir.SamplerMagnify, ir.SamplerAddress and ir.SamplerUnnormalized.
func (k samplerKey) word() uint64 {
	w := uint64(1)<<63 | uint64(filterBits(k.mag)) | uint64(filterBits(k.min))<<2 | uint64(k.op)<<4 | uint64(reductionBits(k.reduction))<<8 | uint64(k.cubic)<<10
	for i, a := range k.address {
		w |= uint64(a) << (ir.SamplerAddress + ir.SamplerAddressBits*i)
	}
	for i, on := range []bool{k.mipLinear, k.anisotropic, k.compare, k.unnormalized, k.nonSeamless, k.windowMost, k.rangeClamp} {
		if on {
			w |= 1 << (24 + i)
		}
	}
	return w
}

// filterBits returns the two bits of a filter in a key; negative if there is no such filter.
func filterBits(f enum.Filter) int {
	return slices.Index([]enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic}, f)
}

// reductionBits returns the two bits of a reduction in a key; negative if there is no such reduction.
func reductionBits(r enum.Reduction) int {
	return slices.Index([]enum.Reduction{enum.ReductionWeightedAverage, enum.ReductionMin, enum.ReductionMax, enum.ReductionWeightedAverageRangeclamp}, r)
}

// Sampler is an immutable sampler. It is safe for concurrent use. A nil Sampler is the null descriptor.
type Sampler struct {
	key   samplerKey
	state []byte
}

// MaxAnisotropy bounds the ratio of anisotropy (maxSamplerAnisotropy).
const MaxAnisotropy = 16

// NewSampler returns a sampler. The error is a *DescError.
func NewSampler(d SamplerDesc) (*Sampler, error) {
	switch {
	case filterBits(d.Mag) < 0 || filterBits(d.Min) < 0 || d.Compare && d.CompareOp > enum.CompareOpAlways || reductionBits(d.Reduction) < 0 || d.Cubic > enum.CubicWeightsMitchellNetravali:
		return nil, descErrorf("a sampler with an unknown filter, comparison or reduction; must be Vulkan's")
	case d.Address[0] > enum.AddressModeMirrorClampToEdge || d.Address[1] > enum.AddressModeMirrorClampToEdge || d.Address[2] > enum.AddressModeMirrorClampToEdge:
		return nil, descErrorf("a sampler with address modes %d; must be Vulkan's", d.Address)
	case !(d.MinLod <= d.MaxLod) || d.LodBias != d.LodBias:
		return nil, descErrorf("a sampler with levels of detail from %g to %g, bias %g; must be ascending numbers", d.MinLod, d.MaxLod, d.LodBias)
	case d.Window[0] > MaxWindow || d.Window[1] > MaxWindow:
		return nil, descErrorf("a sampler with a window of %d×%d texels; must have at most %d", d.Window[0], d.Window[1], MaxWindow)
	case d.Compare && d.Reduction != enum.ReductionWeightedAverage:
		return nil, descErrorf("a sampler with a comparison and a reduction; must have at most one")
	case d.Reduction == enum.ReductionWeightedAverageRangeclamp && (d.Mag != enum.FilterCubic || d.Min != enum.FilterCubic):
		return nil, descErrorf("a sampler with range clamping and without cubic filters; must have both or neither")
	}
	k := samplerKey{mag: d.Mag, min: d.Min, mipLinear: d.MipLinear, address: d.Address, anisotropic: d.Anisotropy > 1, unnormalized: d.Unnormalized,
		reduction: d.Reduction, nonSeamless: d.NonSeamless, windowMost: d.WindowMost}
	if d.Compare {
		k.compare, k.op = true, d.CompareOp
	}
	if d.Mag == enum.FilterCubic || d.Min == enum.FilterCubic {
		k.cubic = d.Cubic
	}
	if d.Reduction == enum.ReductionWeightedAverageRangeclamp {
		k.reduction, k.rangeClamp = enum.ReductionWeightedAverage, true
	}
	s := &Sampler{key: k, state: make([]byte, 4*ir.SamplerWords)}
	binary.LittleEndian.PutUint64(s.state[4*ir.SamplerKey:], k.word())
	put := func(i int, bits uint32) { binary.LittleEndian.PutUint32(s.state[4*i:], bits) }
	put(ir.SamplerBias, math.Float32bits(d.LodBias))
	put(ir.SamplerMinLod, math.Float32bits(d.MinLod))
	put(ir.SamplerMaxLod, math.Float32bits(d.MaxLod))
	put(ir.SamplerAniso, math.Float32bits(min(max(d.Anisotropy, 1), MaxAnisotropy)))
	for i, x := range d.Window {
		put(ir.SamplerWindow+i, max(x, 1))
	}
	for i, x := range d.Border {
		put(ir.SamplerBorder+i, x)
	}
	return s, nil
}

// SameCode reports whether programs have the same code for both samplers. o is not nil.
func (s *Sampler) SameCode(o *Sampler) bool { return s.key == o.key }

// Code returns a number that is equal for samplers with the same code.
func (s *Sampler) Code() uint64 { return binary.LittleEndian.Uint64(s.state[4*ir.SamplerKey:]) }

// State returns the sampler's state words, to be bound to a resource of kind ir.SamplerState. It is empty for
// nil.
func (s *Sampler) State() exec.Buffer {
	if s == nil {
		return exec.Buffer{}
	}
	return exec.Buffer{Bytes: s.state}
}
