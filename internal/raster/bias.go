package raster

import "math"

// DepthBias is an offset of polygons' depths (Vulkan, Depth Bias).
type DepthBias struct {
	Enable                 bool
	Constant, Slope, Clamp float32
	// Bits is how many bits the depth attachment has. Float says that they are a
	// float's: the least difference then depends on the primitive.
	Bits  int
	Float bool
}

// of returns the offset of a polygon's depths, whose greatest is z. The slope is the
// greater of the two along the axes, as the specification allows.
func (d *DepthBias) of(p *Primitive, z float32) float32 {
	if !d.Enable {
		return 0
	}
	abs := func(x float32) float32 { return max(x, -x) }
	slope := max(abs(p.Z.X), abs(p.Z.Y))
	o := float32(float32(slope*d.Slope) + float32(d.least(z)*d.Constant))
	switch {
	case d.Clamp > 0:
		return min(o, d.Clamp)
	case d.Clamp < 0:
		return max(o, d.Clamp)
	}
	return o
}

// least returns the least difference of depths that can surely be told apart, for a
// primitive whose greatest depth is z.
func (d *DepthBias) least(z float32) float32 {
	if !d.Float {
		return float32(math.Ldexp(1, -d.Bits))
	}
	_, e := math.Frexp(float64(z)) // z is below 2^e
	return float32(math.Ldexp(1, e-1-23))
}
