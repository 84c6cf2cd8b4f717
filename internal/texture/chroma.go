package texture

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Conversion is the Y′CbCr conversion of a view (VkSamplerYcbcrConversionCreateInfo). Samplers of such views
// must clamp to edges.
type Conversion struct {
	Model    enum.YcbcrModel
	Range    enum.YcbcrRange
	Swizzle  [4]enum.Swizzle     // applied before the conversion; the view's own swizzle must be the identity
	X, Y     enum.ChromaLocation // chroma locations
	Linear   bool                // chroma is interpolated linearly, else the nearest sample
	Explicit bool                // chroma is reconstructed at each texel before texels are filtered, else filtered separately
}

// conversion is the part of a Conversion on which generated code depends.
type conversion struct {
	converted   bool
	splitChroma bool // luma and chroma have separate texels (format.Info.ChannelSources)
	model       enum.YcbcrModel
	rng         enum.YcbcrRange
	x, y        enum.ChromaLocation // 0 if chroma is not interpolated
	linear      bool
	separate    bool // subsampled chroma is filtered separately (Vulkan §"Implicit Reconstruction")
}

// word packs the conversion in 7 bits, without splitChroma, which follows from the format: 100 combinations of model, range,
// separate, and 5 ways to interpolate.
func (k conversion) word() uint64 {
	if !k.converted {
		return 0
	}
	w := 10*(2*uint64(k.model)+uint64(k.rng)) + 1
	if k.linear {
		w += 1 + uint64(k.x) + 2*uint64(k.y)
	}
	if k.separate {
		w += 5
	}
	return w
}

// chroma reports whether the image's format has separate texels of luma and chroma.
func (m *Layout) chroma() bool {
	_, ok := m.info.ChannelSources()
	return ok
}

// planarFits reports whether extent and counts are valid for an image with luma and chroma
// (VUID-VkImageCreateInfo-format-06410, -06411, -06412, -04712, -04713).
func (m *Layout) planarFits() bool {
	if !m.chroma() {
		return true
	}
	x, y := m.info.Subsampled()
	return m.Dim == ir.Dim2D && m.Levels == 1 && m.Samples == 1 && m.Width%x == 0 && m.Height%y == 0
}

// wholeView returns an error unless d is a valid view of all channels of the image together.
func (m *Image) wholeView(d ViewDesc) error {
	switch {
	case d.Conversion == nil:
		return descErrorf("a view of all planes of an image of %s without a conversion; must have one", m.Format)
	case d.Format != "" && d.Format != m.Format, d.Dim != ir.Dim2D:
		return descErrorf("a %s view as %s of an image of %s; must be 2d and of the same format", d.Dim, d.Format, m.Format)
	}
	return nil
}

// convert adds the conversion of d, if any, to the key.
func (k *viewKey) convert(m *Image, d ViewDesc) error {
	v := d.Conversion
	if v == nil {
		return nil
	}
	f := format.Stored(k.format)
	switch {
	case v.Model > enum.YcbcrModelYcbcr2020 || v.Range > enum.YcbcrRangeItuNarrow || v.X > enum.ChromaLocationMidpoint || v.Y > enum.ChromaLocationMidpoint:
		return descErrorf("a conversion with an unknown model, range or location; must be Vulkan's")
	case d.Aspect > format.Color || f.Numeric != "UNORM" || k.samples > 0 || format.ByID(k.format) == nil:
		return descErrorf("a conversion of %s, aspect %d; must be of a UNORM color format with one sample", f.Name, d.Aspect)
	case k.swizzle != [4]enum.Swizzle{enum.SwizzleR, enum.SwizzleG, enum.SwizzleB, enum.SwizzleA}:
		return descErrorf("a conversion of a view with a swizzle; must be the identity")
	}
	for i, s := range v.Swizzle {
		if s > enum.SwizzleA {
			return descErrorf("swizzle %d; must be one of Vulkan's", s)
		}
		if s == enum.SwizzleIdentity {
			s = enum.SwizzleR + enum.Swizzle(i)
		}
		k.swizzle[i] = s
	}
	columns, _ := f.Subsampled()
	k.conversion = conversion{converted: true, splitChroma: m.chroma(), model: v.Model, rng: v.Range, linear: v.Linear, separate: columns > 1 && !v.Explicit}
	if v.Linear {
		k.x, k.y = v.X, v.Y
	}
	return nil
}

// chromaTexel is the texel Cr, Y′, Cb as assembled from several sources; Bits is not their memory width.
func chromaTexel() texel {
	x := texel{wordBytes: 4}
	for i := range 3 {
		x.channels[i] = &format.Component{Channel: format.Channel(i), Numeric: format.UNorm, Bits: 8}
	}
	return x
}

// chromaTaps are the chroma samples along an axis from which a texel's chroma is interpolated; hi and its
// weight are 0 (no value) if one sample suffices.
type chromaTaps struct{ lo, hi, weight ir.V }

// chromaTapsOf returns the samples for the texel at i of an axis of size texels (format.ChromaTap), clamped
// to the existing ones. div is the subsampling factor, 1 or 2. For the texels 0 … 3 of a row with div 2, and
// chroma samples c0 and c1:
//
//	CositedEven   c0        (c0+c1)/2       c1        c1 (clamped)
//	Midpoint      c0        ¾c0+¼c1     ¼c0+¾c1       c1
func (c *code) chromaTapsOf(i ir.V, div int, at enum.ChromaLocation, size ir.V) (s chromaTaps) {
	half := func(v ir.V) ir.V { return c.Op(ir.AShr, ir.I32, v, c.I32(1)) }
	switch {
	case div == 1:
		return chromaTaps{lo: i}
	case !c.v.linear:
		return chromaTaps{lo: half(i)}
	}
	odd := c.fmul(c.stof(c.Op(ir.And, ir.I32, i, c.I32(1))), c.num(0.5))
	last := c.sub(half(size), c.I32(1))
	if at == enum.ChromaLocationCositedEven {
		s.lo, s.weight = half(i), odd
		s.hi = c.Op(ir.SMin, ir.I32, c.add(s.lo, c.I32(1)), last)
		return s
	}
	first := half(c.sub(i, c.I32(1)))
	s.lo, s.weight = c.Op(ir.SMax, ir.I32, first, c.I32(0)), c.fsub(c.num(0.75), odd)
	s.hi = c.Op(ir.SMin, ir.I32, c.add(first, c.I32(1)), last)
	return s
}

// part selects the values of texels with separate luma and chroma that a filter reads.
type part uint8

const (
	lumaAndChroma part = iota // chroma reconstructed at the texel of luma
	onlyLuma
	onlyChroma // at a place in samples of chroma
)

// sampleSeparately filters luma with the sampler's filter, and chroma with the filter and the locations of the conversion
// (Vulkan §"Implicit Reconstruction"). If chroma is not interpolated, its locations are the midpoints, which the
// specification permits.
func (f *filter) sampleSeparately(with enum.Filter) values {
	luma, chroma := *f, *f
	luma.part, chroma.part = onlyLuma, onlyChroma
	n := luma.sample(with)
	with = enum.FilterNearest
	if f.v.linear {
		with = enum.FilterLinear
	}
	c := chroma.sample(with)
	n[format.R], n[format.B] = c[format.R], c[format.B]
	return n
}

// chromaAxis returns the sample's coordinate along axis i in samples of chroma (format.ChromaCoordinate).
func (f *filter) chromaAxis(i int) axis {
	parts, _ := format.ByID(f.v.format).ChannelSources()
	div, at := parts[format.B].DivX, f.v.x
	if i > 0 {
		div, at = parts[format.B].DivY, f.v.y
	}
	size := f.m.extent[i]
	u := f.fmul(f.coord[i], f.stof(size))
	if div == 2 {
		if size = f.Op(ir.LShr, ir.I32, size, f.I32(1)); f.v.linear && at == enum.ChromaLocationCositedEven {
			u = f.fadd(u, f.num(0.5))
		}
		u = f.fmul(u, f.num(0.5))
	}
	return axis{u: u, size: size, length: f.stof(size), counts: true, mode: enum.AddressModeClampToEdge}
}

// chromaTap returns the values of a part at a texel of the level.
func (f *filter) chromaTap(at []ir.V, layer ir.V, proven ir.Flags) (n values) {
	parts, _ := format.ByID(f.v.format).ChannelSources()
	switch f.part {
	case onlyLuma:
		n[format.G] = f.loadSources(parts[format.G:][:1], at, layer, proven)[0]
	case onlyChroma:
		both := f.loadSources([]format.ChannelSource{parts[format.R], parts[format.B]}, at, layer, proven)
		n[format.R], n[format.B] = both[0], both[1]
	default:
		return f.reconstruct(at, layer, proven)
	}
	return n
}

// reconstruct returns Cr, Y′ and Cb of a texel within the level: chroma is interpolated across, then down
// (Vulkan §"Explicit Reconstruction").
func (f *filter) reconstruct(at []ir.V, layer ir.V, proven ir.Flags) (n values) {
	parts, _ := format.ByID(f.v.format).ChannelSources()
	n[format.G] = f.loadSources(parts[format.G:][:1], at, layer, proven)[0]
	b := parts[format.B]
	x := f.chromaTapsOf(at[0], b.DivX, f.v.x, f.m.extent[0])
	y := f.chromaTapsOf(at[1], b.DivY, f.v.y, f.m.extent[1])
	chroma := []format.ChannelSource{parts[format.R], b}
	across := func(row ir.V) []ir.V {
		return f.lerpTaps(f.loadSources(chroma, []ir.V{x.lo, row}, layer, proven), x, func() []ir.V { return f.loadSources(chroma, []ir.V{x.hi, row}, layer, proven) })
	}
	both := f.lerpTaps(across(y.lo), y, func() []ir.V { return across(y.hi) })
	n[format.R], n[format.B] = both[0], both[1]
	return n
}

// lerpTaps interpolates the values of two samples, with the roundings of format.MixChroma.
func (f *filter) lerpTaps(lo []ir.V, s chromaTaps, more func() []ir.V) []ir.V {
	if s.hi == 0 {
		return lo
	}
	rest := f.fsub(f.num(1), s.weight)
	hi := more()
	out := make([]ir.V, len(lo))
	for i := range lo {
		out[i] = f.fadd(f.fmul(lo[i], rest), f.fmul(hi[i], s.weight))
	}
	return out
}

// loadSources loads channels at a texel position; channels that share a texel load it once.
func (f *filter) loadSources(parts []format.ChannelSource, at []ir.V, layer ir.V, proven ir.Flags) (n []ir.V) {
	var words []ir.V
	for i, p := range parts {
		g, _ := format.ByName(p.Format)
		x := texelAs(g)
		if i == 0 || p.Plane != parts[i-1].Plane || p.Format != parts[i-1].Format {
			word := func(k int) ir.V { return f.shapeWord(ir.ShapeLevels + ir.MaxLevels*k + p.Plane) }
			m := mip{base: word(0), rowPitch: word(1)}
			if layer != 0 {
				m.slice = word(2)
			}
			words = f.load(&x, f.texelOffset(&x, m, at, layer, 0), proven)
		}
		k := x.channels[p.Component]
		n = append(n, f.scaleComponent(k, f.decodeComponent(&x, k, words), 1))
	}
	return n
}

// convert applies the color model conversion to filtered values, (R, G, B) = M·(Cr, Y′, Cb) + offset, with the
// order of operations of format.Conversion.Convert. The matrix M is a constant of the code; it includes the
// range expansion.
func (c *code) convert(n [4]ir.V) []ir.V {
	var v [4]ir.V
	for i, s := range c.v.swizzle {
		switch s {
		case enum.SwizzleZero:
			v[i] = c.num(0)
		case enum.SwizzleOne:
			v[i] = c.num(1)
		default:
			v[i] = n[s-enum.SwizzleR]
		}
	}
	conv := format.NewConversion(c.v.model, c.v.rng, format.ByID(c.v.format).ComponentBits())
	if conv.Same {
		return c.convertTypes(v[:])
	}
	out := slices.Clone(v[:])
	for i, row := range conv.Matrix {
		sum := c.num(float64(conv.Offset[i]))
		// luma, Cb, Cr: a factor of 0 adds nothing
		for _, ch := range [3]format.Channel{format.G, format.B, format.R} {
			if row[ch] != 0 {
				sum = c.fadd(sum, c.fmul(c.num(float64(row[ch])), v[ch]))
			}
		}
		out[i] = sum
	}
	return c.convertTypes(out)
}

// convertTypes converts floats to the function's result type.
func (c *code) convertTypes(v []ir.V) []ir.V {
	x := chromaTexel()
	for i := range v {
		v[i] = c.convertType(&x, v[i])
	}
	return v
}
