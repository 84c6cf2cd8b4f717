package raster

import "math"

// projected is a vertex in the framebuffer.
type projected struct {
	point         // in sub-pixels, where sides has no bit of clipped
	z, w  float32 // depth in the framebuffer, and the reciprocal of w
	sides sides
}

// sides says on which side of which planes a vertex lies: a bit is set where it is
// outside.
type sides uint32

const (
	outLeft sides = 1 << iota
	outRight
	outTop
	outBottom
	outNear
	outFar
	behind // w is not positive
	beyond // so far to the side that sub-pixels do not reach
	lost   // not finite
	outDistance
)

const (
	// dropping are the sides of the view volume: a primitive that is wholly outside
	// one of them has no sample.
	dropping     = outLeft | outRight | outTop | outBottom | outNear | outFar
	allDistances = outDistance * (1<<MaxDistances - 1)
	// clipped are the sides for which a primitive must be clipped where it is not
	// wholly inside. Those of the frame are left to the bounds of coverage.
	clipped = outNear | outFar | behind | beyond | allDistances
)

// guardBand is how far from the origin of the framebuffer a vertex may lie, in pixels:
// edges of such triangles have exact 64-bit equations.
const guardBand = 1 << 15

// clipSpace is the position of a vertex in clip coordinates.
type clipSpace struct{ x, y, z, w float32 }

func (r *Rasterizer) position(n uint32) clipSpace {
	at := int(n)*r.records.Stride + r.records.Position
	p := r.records.Words[at : at+4 : at+4]
	return clipSpace{math.Float32frombits(p[0]), math.Float32frombits(p[1]), math.Float32frombits(p[2]), math.Float32frombits(p[3])}
}

// project finds where vertex n comes to lie in a viewport (Vulkan, Coordinate
// Transformations and Controlling the Viewport).
func (r *Rasterizer) project(v *projected, n uint32, t *transform) {
	p := r.position(n)
	v.point, v.z, v.w, v.sides = point{}, 0, 0, r.sides(n, p)
	if v.sides&(behind|lost) != 0 {
		return
	}
	w := 1 / p.w
	x := float32(float32(float32(p.x*w)*t.scale[0]) + t.offset[0])
	y := float32(float32(float32(p.y*w)*t.scale[1]) + t.offset[1])
	v.z, v.w = float32(float32(float32(p.z*w)*t.scale[2])+t.offset[2]), w
	if !(x > -guardBand && x < guardBand && y > -guardBand && y < guardBand) {
		v.sides |= beyond
		return
	}
	v.point = point{snap(float64(x)), snap(float64(y))}
}

// sides returns on which side of the view volume and of its clip distances a vertex
// is. A distance that is no number is outside.
func (r *Rasterizer) sides(n uint32, p clipSpace) (s sides) {
	if !finite(p.x) || !finite(p.y) || !finite(p.z) || !finite(p.w) {
		return lost
	}
	set := func(b bool, side sides) {
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
	set(!(p.w > minW), behind)
	for i := range r.records.ClipCount {
		set(!(r.distance(n, r.records.Clip+i) >= 0), outDistance<<i)
	}
	return s
}

// minW is the least w that is in front of the eye: its reciprocal is finite.
const minW = 1e-37

func (r *Rasterizer) distance(n uint32, place int) float32 {
	return math.Float32frombits(r.word(n, place))
}

func finite(x float32) bool { return float32(x-x) == 0 }

// snap rounds a place in pixels to sub-pixels, to the nearest, ties to even. x is
// less than 2²² in magnitude.
func snap(x float64) int32 {
	const shift = 3 << 51 // the unit of whose sum with x is one
	return int32(uint32(math.Float64bits(float64(float64(x*one) + shift))))
}
