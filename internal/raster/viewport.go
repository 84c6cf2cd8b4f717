package raster

import "math"

// Viewport is a viewport in pixels (VkViewport). Height may be negative, which flips y.
type Viewport struct {
	X, Y, Width, Height float32
	MinDepth, MaxDepth  float32
}

// Rect is a rectangle of pixels [X0, X1) × [Y0, Y1).
type Rect struct{ X0, Y0, X1, Y1 int32 }

// Intersect returns the intersection of r and q, which may be empty.
func (r Rect) Intersect(q Rect) Rect {
	return Rect{max(r.X0, q.X0), max(r.Y0, q.Y0), min(r.X1, q.X1), min(r.Y1, q.Y1)}
}

// Empty reports whether r contains no pixel.
func (r Rect) Empty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// transform is the viewport transformation (Vulkan, Controlling the Viewport): normalised device coordinates
// times scale plus offset, each step rounded to float32.
type transform struct {
	scale, offset [3]float32
	min, max      float32 // the range of depth clamping, in order
}

// transform returns the transformation of the viewport.
func (v *Viewport) transform(negativeOneToOne bool) transform {
	half := func(x float32) float32 { return float32(x * 0.5) }
	t := transform{
		scale:  [3]float32{half(v.Width), half(v.Height), float32(v.MaxDepth - v.MinDepth)},
		offset: [3]float32{float32(v.X + half(v.Width)), float32(v.Y + half(v.Height)), v.MinDepth},
		min:    min(v.MinDepth, v.MaxDepth),
		max:    max(v.MinDepth, v.MaxDepth),
	}
	if negativeOneToOne {
		t.scale[2] = half(t.scale[2])
		t.offset[2] = half(float32(v.MinDepth + v.MaxDepth))
	}
	return t
}

// safe reports whether a vertex in the view volume is inside of the guard band, with a depth that is a number. The bounds leave room for
// rounding, and fail for a NaN.
func (t *transform) safe() bool {
	for axis, most := range [...]float32{guardBand / 4, guardBand / 4, math.MaxFloat32 / 4} {
		if !(max(t.scale[axis], -t.scale[axis]) <= most && max(t.offset[axis], -t.offset[axis]) <= most) {
			return false
		}
	}
	return true
}

// viewports returns the mask of the viewports that a primitive is drawn in, by its provoking vertex
// (Layout.Mask), less those that do not exist.
func (r *Rasterizer) viewports(provoking uint32) uint32 {
	n := min(len(r.views), len(r.state.Scissors), 32)
	if len(r.stippleCounters) < n {
		r.stippleCounters = make([]float64, n)
	}
	return r.word(provoking, r.records.Viewport) & uint32(1<<n-1)
}
