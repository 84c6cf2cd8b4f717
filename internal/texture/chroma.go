package texture

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Conversion is how luma and chroma of a view become colors
// (VkSamplerYcbcrConversionCreateInfo). Samplers of such views clamp to edges, and
// chroma is always reconstructed at each texel before texels are filtered.
type Conversion struct {
	Model   format.Model
	Range   format.Range
	Swizzle [4]Swizzle      // before the conversion; the view's own must be the identity
	X, Y    format.Location // of chroma
	Linear  bool            // chroma is filtered
}

// conversion is that of a view as its code depends on it.
type conversion struct {
	converted bool
	parted    bool // its format has luma and chroma in parts (format.Info.Parts)
	model     format.Model
	rng       format.Range
	x, y      format.Location
	linear    bool
}

// word packs the conversion in 7 bits; whether it is parted the format says.
func (k conversion) word() uint64 {
	if !k.converted {
		return 0
	}
	w := uint64(k.model) + 1 | uint64(k.rng)<<3 | uint64(k.x)<<4 | uint64(k.y)<<5
	if k.linear {
		w |= 1 << 6
	}
	return w
}

// chroma reports whether the image has luma and chroma in parts.
func (m *Image) chroma() bool {
	_, ok := m.info.ChannelSources()
	return ok
}

// planarFits reports whether extent and counts are those that an image with luma
// and chroma may have (VUID-VkImageCreateInfo-format-06410, -06411, -06412, -04712,
// -04713).
func (m *Image) planarFits() bool {
	if !m.chroma() {
		return true
	}
	x, y := m.info.Subsampled()
	return m.Dim == ir.Dim2D && m.Levels == 1 && m.Samples == 1 && m.Width%x == 0 && m.Height%y == 0
}

// joinPlanes gives the planes of an image in planes one memory, for a view shows
// them together.
func (m *Image) joinPlanes() error {
	if m.info.Planes == 0 {
		return nil
	}
	var memories [][]byte
	base := 0
	for i := range m.planes {
		p := &m.planes[i]
		for n := range p.levels {
			p.levels[n].at += uint32(base)
		}
		base += len(p.memory)
		memories = append(memories, p.memory)
	}
	if base > MaxBytes {
		return wrong("%d bytes of planes; must be at most %d", base, MaxBytes)
	}
	all := slices.Concat(memories...)
	for i := range m.planes {
		m.planes[i].memory = all
	}
	return nil
}

// wholeView returns an error where d is no view of all parts of the image.
func (m *Image) wholeView(d ViewDesc) error {
	switch {
	case d.Conversion == nil:
		return wrong("a view of all of an image of %s without a conversion", m.Format)
	case d.Format != "" && d.Format != m.Format, d.Dim != ir.Dim2D:
		return wrong("a view of %s as %s of an image of %s; must be 2d and of its format", d.Dim, d.Format, m.Format)
	}
	return nil
}

// convert makes the key that of a view with a conversion, where d has one.
func (k *viewKey) convert(m *Image, d ViewDesc) error {
	v := d.Conversion
	if v == nil {
		return nil
	}
	f := format.ByID(k.format)
	switch {
	case v.Model > format.Model2020 || v.Range > format.RangeNarrow || v.X > format.Midpoint || v.Y > format.Midpoint:
		return wrong("a conversion with a model, range or location that Vulkan does not have")
	case d.Aspect > format.Color || f.Numeric != "UNORM" || k.samples > 0:
		return wrong("a conversion of %s, aspect %d; must be of color in UNORM, of one sample", f.Name, d.Aspect)
	case k.swizzle != [4]Swizzle{Red, Green, Blue, Alpha}:
		return wrong("a conversion of a view with a swizzle; must be the identity")
	}
	for i, s := range v.Swizzle {
		if s >= numSwizzles {
			return wrong("swizzle %d; must be one of Vulkan's", s)
		}
		if s == Identity {
			s = Red + Swizzle(i)
		}
		k.swizzle[i] = s
	}
	k.conversion = conversion{true, m.chroma(), v.Model, v.Range, v.X, v.Y, v.Linear}
	return nil
}

// chromaTexel is a texel of three numbers that stand in parts.
func chromaTexel() texel {
	x := texel{unit: 4}
	for i := range 3 {
		x.lanes[i] = &format.Component{Channel: format.Channel(i), Numeric: format.UNorm, Bits: 8}
	}
	return x
}

// sharing is the samples of chroma along an axis that a texel takes: hi and its
// weight are 0 (no value) where it takes one.
type sharing struct{ lo, hi, weight ir.V }

// sharing returns the samples along an axis of the texel at i of size
// (format.ChromaTap), clamped to those that there are.
func (c *code) sharing(i ir.V, div int, at format.Location, size ir.V) (s sharing) {
	half := func(v ir.V) ir.V { return c.Op(ir.AShr, ir.I32, v, c.I32(1)) }
	switch {
	case div == 1:
		return sharing{lo: i}
	case !c.v.linear:
		return sharing{lo: half(i)}
	}
	odd := c.fmul(c.stof(c.Op(ir.And, ir.I32, i, c.I32(1))), c.num(0.5))
	last := c.sub(half(size), c.I32(1))
	if at == format.CositedEven {
		s.lo, s.weight = half(i), odd
		s.hi = c.Op(ir.SMin, ir.I32, c.add(s.lo, c.I32(1)), last)
		return s
	}
	first := half(c.sub(i, c.I32(1)))
	s.lo, s.weight = c.Op(ir.SMax, ir.I32, first, c.I32(0)), c.fsub(c.num(0.75), odd)
	s.hi = c.Op(ir.SMin, ir.I32, c.add(first, c.I32(1)), last)
	return s
}

// reconstructed are Cr, luma and Cb of the texel at a place within the level
// (Vulkan §"Explicit Reconstruction").
func (f *filter) reconstructed(at []ir.V, layer ir.V, proven ir.Flags) (n values) {
	parts, _ := format.ByID(f.v.format).ChannelSources()
	n[format.G] = f.part(parts[format.G:][:1], at, layer, proven)[0]
	b := parts[format.B]
	x := f.sharing(at[0], b.DivX, f.v.x, f.m.extent[0])
	y := f.sharing(at[1], b.DivY, f.v.y, f.m.extent[1])
	chroma := []format.ChannelSource{parts[format.R], b}
	across := func(row ir.V) []ir.V {
		return f.mixed(f.part(chroma, []ir.V{x.lo, row}, layer, proven), x, func() []ir.V { return f.part(chroma, []ir.V{x.hi, row}, layer, proven) })
	}
	both := f.mixed(across(y.lo), y, func() []ir.V { return across(y.hi) })
	n[format.R], n[format.B] = both[0], both[1]
	return n
}

// mixed weights numbers of two samples as format.MixChroma does.
func (f *filter) mixed(lo []ir.V, s sharing, more func() []ir.V) []ir.V {
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

// part reads the numbers of parts at a place: texels that several share once.
func (f *filter) part(parts []format.ChannelSource, at []ir.V, layer ir.V, proven ir.Flags) (n []ir.V) {
	var words []ir.V
	for i, p := range parts {
		g, _ := format.ByName(p.Format)
		x := texelAs(g)
		if i == 0 || p.Plane != parts[i-1].Plane || p.Format != parts[i-1].Format {
			word := func(k int) ir.V { return f.word(ir.ShapeLevels + ir.MaxLevels*k + p.Plane) }
			m := mip{at: word(0), row: word(1)}
			if layer != 0 {
				m.slice = word(2)
			}
			words = f.load(&x, f.begin(&x, m, at, layer, 0), proven)
		}
		k := x.lanes[p.Component]
		n = append(n, f.scale(k, f.number(&x, k, words), 1))
	}
	return n
}

// convert makes colors of filtered numbers, in the steps of
// format.Conversion.Convert.
func (c *code) convert(n [4]ir.V) []ir.V {
	var v [4]ir.V
	for i, s := range c.v.swizzle {
		switch s {
		case Zero:
			v[i] = c.num(0)
		case One:
			v[i] = c.num(1)
		default:
			v[i] = n[s-Red]
		}
	}
	conv := format.NewConversion(c.v.model, c.v.rng, format.ByID(c.v.format).ComponentBits())
	if conv.Same {
		return c.typedAll(v[:])
	}
	out := slices.Clone(v[:])
	for i, row := range conv.Matrix {
		sum := c.num(float64(conv.Offset[i]))
		for _, ch := range [3]format.Channel{format.G, format.B, format.R} {
			if row[ch] != 0 {
				sum = c.fadd(sum, c.fmul(c.num(float64(row[ch])), v[ch]))
			}
		}
		out[i] = sum
	}
	return c.typedAll(out)
}

// typedAll gives floats the function's type.
func (c *code) typedAll(v []ir.V) []ir.V {
	x := chromaTexel()
	for i := range v {
		v[i] = c.typed(&x, v[i])
	}
	return v
}
