package texture

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Filter is how a texel is made of those around a place (VkFilter).
type Filter uint8

// The filters.
const (
	Nearest Filter = iota
	Linear
	Cubic // Catmull–Rom, or as CubicWeights says
)

// AddressMode is what stands outside of an image (VkSamplerAddressMode).
type AddressMode uint8

// The address modes.
const (
	Repeat AddressMode = iota
	MirroredRepeat
	ClampToEdge
	ClampToBorder
	MirrorClampToEdge
)

// CompareOp is how a reference compares with a texel (VkCompareOp).
type CompareOp uint8

// The comparisons: the reference stands on the left.
const (
	Never CompareOp = iota
	Less
	Equal
	LessOrEqual
	Greater
	NotEqual
	GreaterOrEqual
	Always
)

// Reduction is what becomes of the texels that a filter reads
// (VkSamplerReductionMode).
type Reduction uint8

// The reductions.
const (
	Average Reduction = iota
	Min
	Max
	RangeClamp // the average, kept within the texels that have weight (VK_QCOM_filter_cubic_clamp)
)

// CubicWeights are the weights of a cubic filter (VkCubicFilterWeightsQCOM).
type CubicWeights uint8

// The weights.
const (
	CatmullRom CubicWeights = iota
	ZeroTangent
	BSpline
	MitchellNetravali
)

// SamplerDesc is a sampler (VkSamplerCreateInfo).
type SamplerDesc struct {
	Mag, Min     Filter
	MipLinear    bool
	Address      [3]AddressMode // of u, v, w
	LodBias      float32
	MinLod       float32
	MaxLod       float32
	Anisotropy   float32 // the greatest ratio; 1 or less is none
	Compare      bool
	CompareOp    CompareOp
	Border       [4]uint32 // bits of floats or integers, as the view has them
	Unnormalized bool      // coordinates count texels
	Reduction    Reduction
	Cubic        CubicWeights
	NonSeamless  bool // faces of a cube are filtered each by itself

	Window     [2]uint32 // extent of the window of a match; 0 is 1 (VkSamplerBlockMatchWindowCreateInfoQCOM)
	WindowMost bool      // the most different block is wanted, not the least
}

// MaxWindow bounds a window along each axis (maxBlockMatchWindow).
const MaxWindow = 64

// samplerKey is all of a sampler that its code depends on.
type samplerKey struct {
	mag, min     Filter
	mipLinear    bool
	address      [3]AddressMode
	anisotropic  bool
	compare      bool
	op           CompareOp
	unnormalized bool
	reduction    Reduction
	cubic        CubicWeights
	nonSeamless  bool
	windowMost   bool
	rangeClamp   bool
}

// word packs the key; it is never 0.
func (k samplerKey) word() uint64 {
	w := uint64(1)<<63 | uint64(k.mag) | uint64(k.min)<<2 | uint64(k.op)<<4 | uint64(k.reduction)<<8 | uint64(k.cubic)<<10
	for i, a := range k.address {
		w |= uint64(a) << (12 + 3*i)
	}
	for i, on := range []bool{k.mipLinear, k.anisotropic, k.compare, k.unnormalized, k.nonSeamless, k.windowMost, k.rangeClamp} {
		if on {
			w |= 1 << (24 + i)
		}
	}
	return w
}

// Sampler is what a descriptor of a sampler names. It is safe for concurrent use.
// A nil Sampler is the null descriptor.
type Sampler struct {
	key   samplerKey
	state []byte
}

// MaxAnisotropy bounds the ratio of anisotropy (maxSamplerAnisotropy).
const MaxAnisotropy = 16

// NewSampler returns a sampler. The error is a *DescError.
func NewSampler(d SamplerDesc) (*Sampler, error) {
	switch {
	case d.Mag > Cubic || d.Min > Cubic || d.CompareOp > Always || d.Reduction > RangeClamp || d.Cubic > MitchellNetravali:
		return nil, wrong("a sampler with a filter, comparison or reduction that Vulkan does not have")
	case d.Address[0] > MirrorClampToEdge || d.Address[1] > MirrorClampToEdge || d.Address[2] > MirrorClampToEdge:
		return nil, wrong("a sampler with address modes %d; must be Vulkan's", d.Address)
	case !(d.MinLod <= d.MaxLod) || d.LodBias != d.LodBias:
		return nil, wrong("a sampler with levels of detail from %g to %g, bias %g", d.MinLod, d.MaxLod, d.LodBias)
	case d.Window[0] > MaxWindow || d.Window[1] > MaxWindow:
		return nil, wrong("a sampler with a window of %d×%d texels; must be at most %d", d.Window[0], d.Window[1], MaxWindow)
	case d.Compare && d.Reduction != Average:
		return nil, wrong("a sampler that compares and reduces")
	case d.Reduction == RangeClamp && (d.Mag != Cubic || d.Min != Cubic):
		return nil, wrong("a sampler that clamps averages to the texels' range without cubic filters")
	}
	k := samplerKey{mag: d.Mag, min: d.Min, mipLinear: d.MipLinear, address: d.Address, anisotropic: d.Anisotropy > 1, unnormalized: d.Unnormalized,
		reduction: d.Reduction, nonSeamless: d.NonSeamless, windowMost: d.WindowMost}
	if d.Compare {
		k.compare, k.op = true, d.CompareOp
	}
	if d.Mag == Cubic || d.Min == Cubic {
		k.cubic = d.Cubic
	}
	if d.Reduction == RangeClamp {
		k.reduction, k.rangeClamp = Average, true
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

// State returns what a program finds at a resource of kind ir.SamplerState.
func (s *Sampler) State() exec.Buffer {
	if s == nil {
		return exec.Buffer{}
	}
	return exec.Buffer{Bytes: s.state}
}
