package format

// Model is the color model that texels have in memory (VkSamplerYcbcrModelConversion).
type Model uint8

// The models, as Vulkan numbers them.
const (
	ModelRGB   Model = iota // nothing is converted
	ModelYCbCr              // the range alone is expanded
	Model709
	Model601
	Model2020
)

// Range is how numbers stand for luma and chroma (VkSamplerYcbcrRange).
type Range uint8

// The ranges, as Vulkan numbers them.
const (
	RangeFull   Range = iota // all codes
	RangeNarrow              // luma from 16, chroma from 16 to 240, of 8 bits
)

// Location is where samples of chroma lie (VkChromaLocation).
type Location uint8

// The locations, as Vulkan numbers them.
const (
	CositedEven Location = iota // where luma of even coordinates lies
	Midpoint                    // halfway to the next
)

// Conversion makes red, green and blue of Cr, luma and Cb: each is its row's sum
// of products and the offset (Vulkan §"Sampler Y′CbCr Conversion").
type Conversion struct {
	Matrix [3][3]float32 // of the numbers in red, green, blue
	Offset [3]float32
	Same   bool // nothing is changed
}

// luma has by model the parts of 10000 that red and blue have of luma (Khronos
// Data Format §"Color models").
var luma = [...][2]int{Model709: {2126, 722}, Model601: {2990, 1140}, Model2020: {2627, 593}}

// NewConversion returns the conversion of texels whose components have so many
// bits, 1 to 32. Model and Range must be of those above. All is worked out in
// float64, rounded at each step and once more to float32.
func NewConversion(m Model, r Range, bits int) (c Conversion) {
	if m == ModelRGB {
		c.Same = true
		c.Matrix = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		return c
	}
	// Range expansion: number·scale − less, of luma and of chroma.
	codes := float64(uint64(1)<<bits - 1)
	steps := float64(uint64(1) << bits)
	scaleY, lessY, scaleC, lessC := 1.0, 0.0, 1.0, float64(steps/float64(2*codes))
	if r == RangeNarrow {
		scaleY, lessY = float64(256*codes)/float64(219*steps), 16.0/219
		scaleC, lessC = float64(256*codes)/float64(224*steps), 128.0/224
	}
	// Model conversion, of Cr, luma, Cb.
	model := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	if m != ModelYCbCr {
		red, blue := luma[m][0], luma[m][1]
		green := 10000 - red - blue
		model[0] = [3]float64{float64(2*(10000-red)) / 10000, 1, 0}
		model[1] = [3]float64{-float64(2*red*(10000-red)) / float64(10000*green), 1, -float64(2*blue*(10000-blue)) / float64(10000*green)}
		model[2] = [3]float64{0, 1, float64(2*(10000-blue)) / 10000}
	}
	for i, row := range model {
		c.Matrix[i] = [3]float32{float32(float64(row[0] * scaleC)), float32(float64(row[1] * scaleY)), float32(float64(row[2] * scaleC))}
		chroma := float64(float64(row[0]+row[2]) * lessC)
		c.Offset[i] = float32(-float64(chroma + float64(row[1]*lessY)))
	}
	return c
}

// Convert returns the color of a texel's numbers, in the order R, G, B, A. Alpha
// stays, and nothing is clamped. Sums run from the offset over luma and Cb to Cr,
// each step rounded; a factor of 0 adds nothing.
func (c *Conversion) Convert(v [4]float32) [4]float32 {
	if c.Same {
		return v
	}
	out := [4]float32{A: v[A]}
	for i, row := range c.Matrix {
		sum := c.Offset[i]
		for _, ch := range [3]Channel{G, B, R} {
			if row[ch] != 0 {
				sum = float32(sum + float32(row[ch]*v[ch]))
			}
		}
		out[i] = sum
	}
	return out
}

// ChromaTap returns which samples of chroma a texel at i takes along an axis that
// has one for div texels, 1 or 2: the first, and how much of the one after it
// (Vulkan §"Explicit Reconstruction"). The first may be −1 and the one after it
// past the last: they are addressed as the sampler's modes say.
func ChromaTap(i, div int, at Location, linear bool) (first int, next float32) {
	switch {
	case div == 1:
		return i, 0
	case !linear:
		return i >> 1, 0
	case at == CositedEven:
		return i >> 1, float32(i&1) / 2
	}
	return (i - 1) >> 1, 0.75 - float32(i&1)/2
}

// MixChroma returns the chroma between four samples, two across and two down.
// The parts are quarters, so that only products and sums are rounded: first
// across, then down.
func MixChroma(s [2][2]float32, x, y float32) float32 {
	across := func(r [2]float32) float32 {
		if x == 0 {
			return r[0]
		}
		return float32(float32(r[0]*(1-x)) + float32(r[1]*x))
	}
	upper := across(s[0])
	if y == 0 {
		return upper
	}
	return float32(float32(upper*(1-y)) + float32(across(s[1])*y))
}

// ChromaCoordinate returns where along an axis that has one sample of chroma for
// div texels, 1 or 2, chroma of an unnormalised coordinate lies, for filters that
// read chroma by themselves (Vulkan §"Implicit Reconstruction").
func ChromaCoordinate(u float32, div int, at Location) float32 {
	switch {
	case div == 1:
		return u
	case at == CositedEven:
		return float32(float32(u+0.5) * 0.5)
	}
	return float32(u * 0.5)
}
