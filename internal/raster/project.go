package raster

import "math"

// projected is a vertex in the framebuffer.
type projected struct {
	point           // in sub-pixels; undefined with outEye, outGuardBand or notFinite
	z, w    float32 // framebuffer depth, and 1/w
	outcode outcode
}

// outcode has a bit for each plane of which a vertex is outside (the region codes of the Cohen–Sutherland
// algorithm).
type outcode uint32

const (
	outLeft outcode = 1 << iota
	outRight
	outTop
	outBottom
	outNear
	outFar
	outEye       // w ≤ minW: not in front of the eye
	outGuardBand // outside the guard band
	notFinite    // a coordinate is an infinity or NaN
	outDistance
)

const (
	// viewVolume are the sides of the view volume. A primitive with all vertices outside one of them covers
	// no sample.
	viewVolume   = outLeft | outRight | outTop | outBottom | outNear | outFar
	allDistances = outDistance * (1<<MaxDistances - 1)
	// needsClipping are the planes at which a partly outside primitive is clipped geometrically. The
	// sides of the viewport are not among them: coverage ends there anyway.
	needsClipping = outNear | outFar | outEye | outGuardBand | allDistances
)

// guardBand is the greatest distance of a vertex from the framebuffer's origin along each axis, in pixels,
// at which a triangle is not clipped. Edge functions within it are exact in 64 bits.
const guardBand = 1 << 15

// clipSpace is a vertex position in clip coordinates.
type clipSpace struct{ x, y, z, w float32 }

// wide returns the coordinates in float64.
func (p clipSpace) wide() [4]float64 {
	return [4]float64{float64(p.x), float64(p.y), float64(p.z), float64(p.w)}
}

// position returns the position of vertex n.
func (r *Rasterizer) position(n uint32) clipSpace {
	at := int(n)*r.records.Stride + r.records.Position
	p := r.records.Words[at : at+4 : at+4]
	return clipSpace{math.Float32frombits(p[0]), math.Float32frombits(p[1]), math.Float32frombits(p[2]), math.Float32frombits(p[3])}
}

// project computes vertex n's position in a viewport (Vulkan, Coordinate Transformations and Controlling the
// Viewport), each step rounded to float32.
func (r *Rasterizer) project(v *projected, n uint32, t *transform) {
	p := r.position(n)
	v.point, v.z, v.w, v.outcode = point{}, 0, 0, r.outcodeOf(n, p)
	if v.outcode&(outEye|notFinite) != 0 {
		return
	}
	w := 1 / p.w
	x := float32(float32(float32(p.x*w)*t.scale[0]) + t.offset[0])
	y := float32(float32(float32(p.y*w)*t.scale[1]) + t.offset[1])
	v.z, v.w = float32(float32(float32(p.z*w)*t.scale[2])+t.offset[2]), w
	if !(x > -guardBand && x < guardBand && y > -guardBand && y < guardBand) {
		v.outcode |= outGuardBand
		return
	}
	v.point = point{snap(float64(x)), snap(float64(y))}
}

// outcodeOf returns the outcode of vertex n at p, without outGuardBand. A NaN clip distance is outside.
func (r *Rasterizer) outcodeOf(n uint32, p clipSpace) (s outcode) {
	if !finite(p.x) || !finite(p.y) || !finite(p.z) || !finite(p.w) {
		return notFinite
	}
	set := func(b bool, side outcode) {
		if b {
			s |= side
		}
	}
	if !(p.x >= -p.w && p.x <= p.w && p.y >= -p.w && p.y <= p.w) {
		set(p.x < -p.w, outLeft)
		set(p.x > p.w, outRight)
		set(p.y < -p.w, outTop)
		set(p.y > p.w, outBottom)
	}
	if r.state.DepthClip {
		near := float32(0)
		if r.state.NegativeOneToOne {
			near = -p.w
		}
		set(p.z < near, outNear)
		set(p.z > p.w, outFar)
	}
	set(!(p.w > minW), outEye)
	for i := range r.records.ClipCount {
		set(!(r.distance(n, r.records.Clip+i) >= 0), outDistance<<i)
	}
	return s
}

// minW bounds the w in front of the eye: a greater w has a finite reciprocal.
const minW = 1e-37

// distance returns the float at an offset of a vertex's record.
func (r *Rasterizer) distance(n uint32, offset int) float32 {
	return math.Float32frombits(r.word(n, offset))
}

// finite reports whether x is neither an infinity nor NaN.
func finite(x float32) bool { return float32(x-x) == 0 }

// snap rounds a coordinate in pixels to the nearest sub-pixel, ties to even. |x| must be less than 2²². Adding
// 1.5·2⁵² leaves the rounded integer in the low bits of the sum.
func snap(x float64) int32 {
	const shift = 3 << 51 // as a float64, 1.5·2⁵²: the sum's unit in the last place is 1
	return int32(uint32(math.Float64bits(float64(float64(x*one) + shift))))
}
