package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// imageCase is an image with texels, a view, a sampler, and the query that a shader makes
// at many coordinates.
type imageCase struct {
	image   texture.Desc
	view    texture.ViewDesc
	sampler texture.SamplerDesc
	border  uint32 // VkBorderColor
	op      string
	offset  bool // a constant one
	made    *texture.Image
}

// imageFormats are those that cases have, of each kind of numbers.
var imageFormats = []string{
	"R8_UNORM", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_SRGB", "R5G6B5_UNORM_PACK16", "R4G4B4A4_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32",
	"R16_UNORM", "R16G16_SNORM", "R16G16B16A16_SFLOAT", "R32_SFLOAT", "R32G32B32A32_SFLOAT", "B10G11R11_UFLOAT_PACK32", "E5B9G9R9_UFLOAT_PACK32",
	"R8G8B8A8_UINT", "R16_SINT", "R32G32_UINT", "D16_UNORM", "D32_SFLOAT", "BC1_RGBA_UNORM_BLOCK", "BC3_SRGB_BLOCK", "BC4_SNORM_BLOCK", "BC5_UNORM_BLOCK", "BC7_UNORM_BLOCK",
}

// imageOps are the queries of a shader.
var imageOps = []string{"lod", "lod", "lod", "grad", "gather", "fetch", "dref", "drefgather", "proj", "aniso", "chroma"}

// drawImage generates a case that Vulkan defines: of any of imageOps if op is empty.
func drawImage(r *rand.Rand, op string) *imageCase {
	c := &imageCase{op: imageOps[r.IntN(len(imageOps))]}
	if op != "" {
		c.op = op
	}
	switch c.op {
	case "aniso":
		c.drawAnisotropy(r)
		return c
	case "chroma":
		c.drawChroma(r)
		return c
	}
	c.image = texture.Desc{Format: imageFormats[r.IntN(len(imageFormats))], Dim: []ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim2D, ir.Dim2D, ir.Dim3D}[r.IntN(5)], Packed: true, Layers: 1}
	if strings.HasPrefix(c.op, "dref") {
		c.image.Format = []string{"D16_UNORM", "D32_SFLOAT"}[r.IntN(2)]
	}
	info := format.InfoByName(c.image.Format)
	gather := strings.HasSuffix(c.op, "gather")
	if gather || info.Compressed || c.image.Dim == ir.Dim3D && info.Aspects != format.Color {
		c.image.Dim = ir.Dim2D
	}
	cube := c.image.Dim == ir.Dim2D && c.op != "fetch" && c.op != "proj" && r.IntN(4) == 0
	c.image.Width, c.image.Height, c.image.Depth = 1+r.IntN(24), 1, 1
	switch c.image.Dim {
	case ir.Dim2D:
		c.image.Height = 1 + r.IntN(24)
	case ir.Dim3D:
		c.image.Height, c.image.Depth = 1+r.IntN(12), 1+r.IntN(6)
	}
	c.view = texture.ViewDesc{Dim: c.image.Dim}
	if c.image.Dim != ir.Dim3D && c.op != "proj" && r.IntN(3) == 0 {
		c.image.Layers, c.view.Arrayed = 1+r.IntN(4), true
	}
	if cube {
		c.image.Height, c.view.Dim = c.image.Width, ir.DimCube
		c.image.Layers *= 6
	}
	c.view.Layers = c.image.Layers
	c.image.Levels = 1
	for n := max(c.image.Width, c.image.Height, c.image.Depth); n > 1 && r.IntN(4) > 0; n /= 2 {
		c.image.Levels++
	}
	c.view.BaseLevel = r.IntN(c.image.Levels)
	c.view.Levels = c.image.Levels - c.view.BaseLevel
	if r.IntN(4) == 0 {
		for i := range c.view.Swizzle {
			c.view.Swizzle[i] = enum.Swizzle(r.IntN(7))
			if s := &c.view.Swizzle[i]; info.Aspects != format.Color { // one is undefined, and the peer has no alpha
				switch {
				case i == 3:
					*s = enum.SwizzleIdentity
				case *s == enum.SwizzleOne, *s == enum.SwizzleA:
					*s = enum.SwizzleZero
				}
			}
		}
	}
	c.drawSampler(r, info)
	if cube && gather && (info.Sampled != format.Float || c.sampler.Reduction > 0) { // the peer has another texel at corners
		c.view.Dim, c.view.Arrayed = ir.Dim2D, true
	}
	c.offset = c.view.Dim != ir.DimCube && r.IntN(4) == 0
	return c
}

// drawSampler draws a sampler that fits the image.
func (c *imageCase) drawSampler(r *rand.Rand, info *format.Info) {
	s := &c.sampler
	floats := info.Sampled == format.Float
	s.MaxLod = 20
	for i := range s.Address {
		s.Address[i] = enum.AddressMode(r.IntN(5))
	}
	c.border = []uint32{0, 2, 4, 1000287003}[r.IntN(4)]
	switch {
	case !floats:
		c.border = []uint32{1, 3, 5}[r.IntN(3)]
		s.Border = [4]uint32{c.border / 5, c.border / 5, c.border / 5, min(c.border/3, 1)}
	case c.border == 1000287003:
		for i := range s.Border {
			s.Border[i] = math.Float32bits(float32(r.IntN(5)) / 4)
		}
	default:
		color := math.Float32bits(float32(c.border / 4))
		s.Border = [4]uint32{color, color, color, math.Float32bits(float32(min(c.border, 1)))}
	}
	if !floats {
		return
	}
	s.Mag, s.Min, s.MipLinear = enum.Filter(r.IntN(2)), enum.Filter(r.IntN(2)), r.IntN(2) == 0
	if r.IntN(3) == 0 {
		s.MinLod, s.MaxLod, s.LodBias = float32(r.IntN(3))/2, 1.5+float32(r.IntN(3))/2, float32(r.IntN(9)-4)/4
		if s.MinLod, s.MaxLod = s.MinLod+1.0/16, s.MaxLod+1.0/16; s.MipLinear { // not in the middle of two levels, or of the precision of one's weight
			s.MinLod, s.MaxLod = float32(int(s.MinLod)), float32(int(s.MaxLod))
		}
	}
	switch {
	case strings.HasPrefix(c.op, "dref"):
		s.Compare, s.CompareOp = true, enum.CompareOp(r.IntN(8))
	case r.IntN(5) == 0: // the peer weights levels, and reduces the nearest texels
		s.Reduction, s.MipLinear, s.Mag = enum.Reduction(1+r.IntN(2)), false, s.Min
	case c.op == "lod" && c.view.Dim <= ir.Dim2D && !c.view.Arrayed && r.IntN(4) == 0:
		*s = texture.SamplerDesc{Mag: s.Mag, Min: s.Mag, Unnormalized: true, Border: s.Border, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge + enum.AddressMode(r.IntN(2)), enum.AddressModeClampToEdge}}
		c.view.Levels = 1
	}
	if s.NonSeamless = c.view.Dim == ir.DimCube && r.IntN(3) == 0; s.NonSeamless { // the peer has this mode alone
		s.Address = [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	}
}

// fill makes the image and sets its texels: floats between 0 and 1, any other bits.
func (c *imageCase) fill(r *rand.Rand) error {
	m, err := texture.NewImage(c.image)
	if err != nil {
		return err
	}
	c.made = m
	if c.op == "aniso" {
		return c.slope()
	}
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for _, a := range m.Aspects()[1:] { // of chroma
		copy(m.LevelBytes(a, 0), random(len(m.LevelBytes(a, 0))))
	}
	for l := range m.Levels {
		w, h, d := m.LevelExtent(l)
		if b := m.Blocks(l, 0); b != nil {
			layout := format.InfoByName(c.image.Format).Layout()
			columns, _, _ := layout.Blocks(w, h, d)
			for layer := range m.Layers {
				if err := m.WriteBlocks(l, layer, 0, 0, columns, random(len(b))); err != nil {
					return err
				}
			}
			continue
		}
		copy(m.LevelBytes(0, l), random(len(m.LevelBytes(0, l))))
		if !strings.Contains(c.image.Format, "FLOAT") {
			continue
		}
		for n := range w * h * d * m.Layers {
			var v [4]uint64
			for k := range v {
				v[k] = uint64(math.Float32bits(float32(r.IntN(65)) / 64))
			}
			m.Store(texture.Coord{X: n % w, Y: n / w % h, Z: n / (w * h) % d, Layer: n / (w * h * d), Level: l}, v)
		}
	}
	return nil
}

// bytes returns the texels of all levels, and the offset of each level.
func (c *imageCase) bytes() (data []byte, offsets, planes []uint32) {
	if c.view.Conversion != nil {
		for _, a := range c.made.Aspects() {
			for len(data)%16 != 0 {
				data = append(data, 0)
			}
			planes = append(planes, uint32(len(data)))
			data = append(data, c.made.LevelBytes(a, 0)...)
		}
		return data, []uint32{0}, planes
	}
	for l := range c.made.Levels {
		for len(data)%16 != 0 {
			data = append(data, 0)
		}
		offsets = append(offsets, uint32(len(data)))
		if c.made.Blocks(l, 0) == nil {
			data = append(data, c.made.LevelBytes(0, l)...)
			continue
		}
		for layer := range c.made.Layers {
			data = append(data, c.made.Blocks(l, layer)...)
		}
	}
	return data, offsets, nil
}

// point is one place: coordinates, level of detail, reference, derivatives.
type point struct {
	at        [4]float32
	lod, dref float32
	dx, dy    [3]float32
}

// drawPoint draws a place, in 1024ths of a texel, never at the middle of one.
func (c *imageCase) drawPoint(r *rand.Rand) (p point) {
	w, h, d := c.made.LevelExtent(c.view.BaseLevel)
	size := [3]int{w, h, d}
	axes := c.view.Dim.Axes()
	if c.op == "fetch" {
		for i := range axes {
			p.at[i] = math.Float32frombits(uint32(r.IntN(size[i] + 2)))
		}
		p.lod = math.Float32frombits(uint32(r.IntN(c.view.Levels)))
		if c.view.Arrayed {
			p.at[axes] = math.Float32frombits(uint32(r.IntN(c.view.Layers)))
		}
		return p
	}
	for i := range axes {
		n := float32(size[i])
		if c.view.Dim == ir.DimCube {
			p.at[i] = float32(r.NormFloat64())
			continue
		}
		p.at[i] = (float32(r.IntN(3*1024*size[i])) - 1024*n + 0.5) / 1024
		if !c.sampler.Unnormalized {
			p.at[i] /= n
		}
	}
	if c.op == "aniso" {
		c.drawFootprint(r, &p)
		return p
	}
	p.lod, p.dref = float32(r.IntN(100)-20)/16+1.0/128, float32(r.IntN(64))/64+1.0/256
	// derivatives along the axes, so that approximations of their length are exact
	along := float32(math.Exp2(r.Float64()*6 - 2))
	p.dx[0] = along / float32(size[0])
	p.dy[1] = along / float32(size[1]) * float32(math.Exp2(r.Float64()-1))
	switch {
	case c.op == "proj":
		q := float32(int(1) << r.IntN(3))
		for i := range axes {
			p.at[i] *= q
		}
		p.at[axes] = q
	case c.view.Arrayed:
		p.at[axes] = float32(r.IntN(13)-3) / 3
	}
	return p
}

// moved returns places near p, p first: coordinates off by so much of a texel of the
// coarsest level that is read, and the level of detail by its own precision.
func (c *imageCase) moved(p point) []point {
	list := []point{p}
	if c.op == "fetch" {
		return list
	}
	level := c.view.BaseLevel
	if !strings.HasSuffix(c.op, "gather") && !c.sampler.Unnormalized {
		most := float64(p.lod)
		if c.op == "aniso" {
			most = 20
		}
		if c.op == "grad" {
			w, h, _ := c.made.LevelExtent(level)
			most = math.Log2(float64(max(p.dx[0]*float32(w), p.dy[1]*float32(h)))) + 0.1
			if c.view.Dim == ir.DimCube { // its derivatives are the derivatives on the face
				most = 20
			}
		}
		most = min(max(most+float64(c.sampler.LodBias), float64(c.sampler.MinLod)), float64(c.sampler.MaxLod))
		level += min(max(int(math.Ceil(most)), 0), c.view.Levels-1)
	}
	w, h, d := c.made.LevelExtent(level)
	size := [3]int{w, h, d}
	const off = 1.02 / 256
	for i := range c.view.Dim.Axes() {
		by := float32(off) / float32(size[i])
		switch {
		case c.view.Dim == ir.DimCube:
			by = 2 * off / float32(w) * max(abs(p.at[0]), abs(p.at[1]), abs(p.at[2]))
		case c.sampler.Unnormalized:
			by = off
		case c.op == "proj":
			by *= p.at[c.view.Dim.Axes()]
		}
		for _, q := range list {
			for _, sign := range []float32{-1, 1} {
				q := q
				q.at[i] += sign * by
				list = append(list, q)
			}
		}
	}
	if c.op == "gather" || c.op == "drefgather" {
		return list
	}
	for _, q := range list {
		for _, sign := range []float32{-1, 1} {
			q := q
			q.lod += sign * 1.02 / 16
			for k := range q.dx { // 2^(1/16) is less than 1.05
				q.dx[k], q.dy[k] = q.dx[k]*(1+sign/20), q.dy[k]*(1+sign/20)
			}
			list = append(list, q)
		}
	}
	return list
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// append appends the point as the shader reads it.
func (p point) append(b []byte) []byte {
	for _, x := range [...]float32{p.at[0], p.at[1], p.at[2], p.at[3], p.lod, p.dref, 0, 0, p.dx[0], p.dx[1], p.dx[2], 0, p.dy[0], p.dy[1], p.dy[2], 0} {
		b = binary.NativeEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// request appends the image, the view and the sampler as the client reads them.
func (c *imageCase) request(b []byte) []byte {
	put := func(list ...uint32) {
		for _, x := range list {
			b = binary.NativeEndian.AppendUint32(b, x)
		}
	}
	info, m := format.InfoByName(c.image.Format), c.made
	flags, aspect, view := uint32(0), uint32(1), uint32(c.view.Dim)
	if c.view.Dim == ir.DimCube {
		flags = 0x10
	}
	if info.Aspects != format.Color {
		aspect = 2
	}
	if c.view.Arrayed {
		view = map[ir.Dim]uint32{ir.Dim1D: 4, ir.Dim2D: 5, ir.DimCube: 6}[c.view.Dim]
	}
	data, offsets, planes := c.bytes()
	put(info.ID, uint32(m.Dim), flags, uint32(m.Width), uint32(m.Height), uint32(m.Depth), uint32(m.Levels), uint32(m.Layers), aspect)
	put(offsets...)
	put(uint32(len(data)))
	b = append(b, data...)
	put(view)
	for _, s := range c.view.Swizzle {
		put(uint32(s))
	}
	put(uint32(c.view.BaseLevel), uint32(c.view.Levels), uint32(c.view.BaseLayer), uint32(c.view.Layers))
	s := &c.sampler
	put(word(s.NonSeamless)*4, uint32(s.Mag), uint32(s.Min), word(s.MipLinear), uint32(s.Address[0]), uint32(s.Address[1]), uint32(s.Address[2]),
		math.Float32bits(s.LodBias), math.Float32bits(s.Anisotropy), word(s.Compare), uint32(s.CompareOp),
		math.Float32bits(s.MinLod), math.Float32bits(s.MaxLod), c.border)
	put(s.Border[:]...)
	put(word(s.Unnormalized), uint32(s.Reduction))
	v := c.view.Conversion
	if v == nil {
		v = &texture.Conversion{}
	}
	put(uint32(len(planes)))
	put(append(planes, 0, 0, 0)[:3]...)
	put(uint32(v.Model), uint32(v.Range), uint32(v.Swizzle[0]), uint32(v.Swizzle[1]), uint32(v.Swizzle[2]), uint32(v.Swizzle[3]), uint32(v.X), uint32(v.Y), word(v.Linear))
	return b
}

func word(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// traits are possible causes of a difference.
func (c *imageCase) traits() []string {
	s := &c.sampler
	list := []string{"op " + c.op, "dim " + c.view.Dim.String(), "format " + c.image.Format}
	add := func(on bool, what string) {
		if on {
			list = append(list, what)
		}
	}
	add(c.view.Arrayed, "arrayed")
	add(s.Mag != s.Min, "mag and min differ")
	add(s.Mag == enum.FilterLinear && s.Min == enum.FilterLinear, "linear")
	add(s.Mag == enum.FilterNearest && s.Min == enum.FilterNearest, "nearest")
	add(s.MipLinear && c.view.Levels > 1, "levels filtered")
	add(c.view.Levels > 1, "levels")
	for i := range c.view.Dim.Axes() {
		add(c.view.Dim != ir.DimCube || s.NonSeamless && i < 2, fmt.Sprintf("address mode %d", s.Address[i]))
	}
	add(s.Compare, fmt.Sprintf("compare %d", s.CompareOp))
	add(s.Reduction > 0, "minimum or maximum")
	add(s.Unnormalized, "unnormalized")
	add(s.NonSeamless, "not seamless")
	add(c.offset, "offset")
	add(c.view.Swizzle != [4]enum.Swizzle{}, "swizzle")
	add(s.LodBias != 0, "bias")
	if v := c.view.Conversion; v != nil {
		list = append(list, fmt.Sprintf("model %d", v.Model), fmt.Sprintf("range %d", v.Range), fmt.Sprintf("chroma location %d", v.X))
	}
	return append(list, fmt.Sprintf("border %d", c.border))
}
