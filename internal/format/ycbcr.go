package format

import "github.com/chiaro-gpu/chiaro/enum"

// Conversion converts Cr, Y′, Cb to red, green, blue: Matrix·(Cr, Y′, Cb) + Offset, range expansion included (Vulkan
// §"Sampler Y′CbCr Conversion").
type Conversion struct {
	Matrix [3][3]float32 // rows: R, G, B; columns: the values in R, G, B
	Offset [3]float32
	Same   bool // identity: Convert returns its argument
}

// lumaWeights are the weights of red and blue in luma, in 1/10000, by model (Khronos Data Format §"Color
// models").
var lumaWeights = [...][2]int{enum.YcbcrModelYcbcr709: {2126, 722}, enum.YcbcrModelYcbcr601: {2990, 1140}, enum.YcbcrModelYcbcr2020: {2627, 593}}

// NewConversion returns the conversion for components of the given width, 1 to 32 bits. m and r must be valid. It
// computes in float64, each step rounded, and rounds the results to float32.
func NewConversion(m enum.YcbcrModel, r enum.YcbcrRange, bits int) (c Conversion) {
	if m == enum.YcbcrModelRgbIdentity {
		c.Same = true
		c.Matrix = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		return c
	}
	// Range expansion of luma and of chroma: value·scale − less.
	codes := float64(uint64(1)<<bits - 1)
	steps := float64(uint64(1) << bits)
	scaleY, lessY, scaleC, lessC := 1.0, 0.0, 1.0, float64(steps/float64(2*codes))
	if r == enum.YcbcrRangeItuNarrow {
		scaleY, lessY = float64(256*codes)/float64(219*steps), 16.0/219
		scaleC, lessC = float64(256*codes)/float64(224*steps), 128.0/224
	}
	// Model conversion from Cr, Y′, Cb.
	model := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	if m != enum.YcbcrModelYcbcrIdentity {
		red, blue := lumaWeights[m][0], lumaWeights[m][1]
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

// Convert returns the color of a texel's values R, G, B, A. Alpha is unchanged, and nothing is clamped. Sums
// run from the offset over luma and Cb to Cr, each step rounded to float32; factors of 0 are skipped.
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

// ChromaTap returns the chroma samples for luma texel i along an axis with subsampling factor div, 1 or 2: the first
// sample's index, and the weight of the next one (Vulkan §"Explicit Reconstruction"). The first may be −1, and the
// next may be past the end: the sampler's addressing modes apply.
func ChromaTap(i, div int, at enum.ChromaLocation, linear bool) (first int, next float32) {
	switch {
	case div == 1:
		return i, 0
	case !linear:
		return i >> 1, 0
	case at == enum.ChromaLocationCositedEven:
		return i >> 1, float32(i&1) / 2
	}
	return (i - 1) >> 1, 0.75 - float32(i&1)/2
}

// MixChroma interpolates chroma between four samples, s[row][column], first across by x, then down by y. The
// weights are multiples of ¼, so that only products and sums are rounded.
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

// ChromaCoordinate returns the coordinate in chroma samples of the unnormalized luma coordinate u, along an axis with
// subsampling factor div, 1 or 2, for filters that read chroma separately (Vulkan §"Implicit Reconstruction").
func ChromaCoordinate(u float32, div int, at enum.ChromaLocation) float32 {
	switch {
	case div == 1:
		return u
	case at == enum.ChromaLocationCositedEven:
		return float32(float32(u+0.5) * 0.5)
	}
	return float32(u * 0.5)
}
