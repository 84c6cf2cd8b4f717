package main

import (
	"math"
	"math/rand/v2"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// The implementation chooses the weights of a footprint (Vulkan §"Texel Anisotropic
// Filtering"). If the texels form a slope, the mean of any footprint that is symmetric
// about the sample position is the value at that position, so both sides must return it.

// drawAnisotropy draws a case of anisotropy: the peer has it of two dimensions and one
// filter.
func (c *imageCase) drawAnisotropy(r *rand.Rand) {
	c.image = texture.Desc{Format: "R32G32B32A32_SFLOAT", Dim: ir.Dim2D, Width: 32 << r.IntN(2), Height: 32 << r.IntN(2), Layers: 1, Levels: 1 + r.IntN(4), Packed: true}
	c.view = texture.ViewDesc{Dim: ir.Dim2D, Levels: c.image.Levels, Layers: 1}
	edge := enum.AddressModeClampToEdge
	c.sampler = texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: r.IntN(2) == 0, MaxLod: 20, Anisotropy: float32(1 + r.IntN(16)), Address: [3]enum.AddressMode{edge, edge, edge}}
}

// slope fills the image with numbers that grow evenly along each axis, alike in each
// level.
func (c *imageCase) slope() error {
	for l := range c.made.Levels {
		w, h, _ := c.made.LevelExtent(l)
		for n := range w * h {
			x, y := (float64(n%w)+0.5)/float64(w), (float64(n/w)+0.5)/float64(h)
			var v [4]uint64
			for i, f := range [4]float64{x, y, x - y, x + 2*y} {
				v[i] = uint64(math.Float32bits(float32(f)))
			}
			c.made.Store(texture.Coord{X: n % w, Y: n / w, Level: l}, v)
		}
	}
	return nil
}

// drawFootprint draws a place in the middle, and derivatives that do not reach the
// edges: the one at right angles to the other, up to 16 times shorter.
func (c *imageCase) drawFootprint(r *rand.Rand, p *point) {
	for i := range 2 {
		p.at[i] = 0.4 + 0.2*r.Float32()
	}
	angle, length := r.Float64()*2*math.Pi, math.Exp2(-2-4*r.Float64())
	short := length * math.Exp2(-4*r.Float64())
	p.dx = [3]float32{float32(length * math.Cos(angle)), float32(length * math.Sin(angle))}
	p.dy = [3]float32{float32(-short * math.Sin(angle)), float32(short * math.Cos(angle))}
	if r.IntN(2) == 0 {
		p.dx, p.dy = p.dy, p.dx
	}
}

// drawChroma draws an image in planes with a conversion. Its samplers clamp, and filter
// chroma as they filter all, as every device can have it.
func (c *imageCase) drawChroma(r *rand.Rand) {
	names := []string{"G8_B8_R8_3PLANE_420_UNORM", "G8_B8R8_2PLANE_420_UNORM", "G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16"}
	c.image = texture.Desc{Format: names[r.IntN(len(names))], Dim: ir.Dim2D, Width: 2 + 2*r.IntN(12), Height: 2 + 2*r.IntN(12), Layers: 1, Levels: 1, Packed: true}
	filter, edge := enum.Filter(r.IntN(2)), enum.AddressModeClampToEdge
	at := enum.ChromaLocation(r.IntN(2))
	c.view = texture.ViewDesc{Dim: ir.Dim2D, Levels: 1, Layers: 1, Conversion: &texture.Conversion{
		Model: enum.YcbcrModel(r.IntN(5)), Range: enum.YcbcrRange(r.IntN(2)), X: at, Y: at, Linear: filter == enum.FilterLinear}}
	c.sampler = texture.SamplerDesc{Mag: filter, Min: filter, MaxLod: 20, Address: [3]enum.AddressMode{edge, edge, edge}}
}

// coarsest returns how far apart texels of the last level are.
func (c *imageCase) coarsest() float64 {
	w, h, _ := c.made.LevelExtent(c.made.Levels - 1)
	return 1 / float64(min(w, h))
}

// sitedApart reports whether unfiltered chroma may be another sample: Chiaro's locations are
// the midpoints then, others may use the given ones (Vulkan §"Implicit Reconstruction").
func (c *imageCase) sitedApart() bool {
	v := c.view.Conversion
	return v != nil && !v.Linear && v.X == enum.ChromaLocationCositedEven
}
