package raster

import "math"

// DepthBias is the offset added to the depths of polygons (Vulkan, Depth Bias).
type DepthBias struct {
	Enable                 bool
	Constant, Slope, Clamp float32
	// Bits is the width of the depth attachment's format in bits. Float tells that it is a
	// floating-point format: the minimum resolvable difference r then depends on the primitive's
	// greatest depth.
	Bits  int
	Float bool
	Scale BiasScale
}

// BiasScale is the unit of DepthBias.Constant (VkDepthBiasRepresentationEXT, with its values).
type BiasScale uint8

// The units. Each is exact (depthBiasExact).
const (
	BiasOfFormat     BiasScale = iota // the minimum resolvable difference of the format
	BiasOfFixedPoint                  // 2^−Bits also for floats, Bits being the mantissa's and one more
	BiasAbsolute                      // 1
)

// floatMantissa is the number of mantissa bits of the floating-point depth format.
const floatMantissa = 23

// offset returns the depth bias of polygon p, with z its greatest depth: m·Slope + r·Constant, clamped. The
// maximum slope m is approximated as max(|∂z/∂x|, |∂z/∂y|), which the specification permits.
func (d *DepthBias) offset(p *Primitive, z float32) float32 {
	if !d.Enable {
		return 0
	}
	abs := func(x float32) float32 { return max(x, -x) }
	slope := max(abs(p.Z.X), abs(p.Z.Y))
	o := float32(float32(slope*d.Slope) + float32(d.resolution(z)*d.Constant))
	switch {
	case d.Clamp > 0:
		return min(o, d.Clamp)
	case d.Clamp < 0:
		return max(o, d.Clamp)
	}
	return o
}

// resolution returns r, the minimum resolvable difference of depths: 2^−Bits in fixed point; for floats the
// unit in the last place of z, the primitive's greatest depth; or as Scale selects.
func (d *DepthBias) resolution(z float32) float32 {
	switch {
	case d.Scale == BiasAbsolute:
		return 1
	case !d.Float:
		return float32(math.Ldexp(1, -d.Bits))
	case d.Scale == BiasOfFixedPoint:
		return float32(math.Ldexp(1, -(floatMantissa + 1)))
	}
	_, e := math.Frexp(float64(z)) // |z| < 2^e
	return float32(math.Ldexp(1, e-1-floatMantissa))
}
