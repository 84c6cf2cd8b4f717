package raster

// Viewport is a viewport in pixels (VkViewport). Height may be negative.
type Viewport struct {
	X, Y, Width, Height float32
	MinDepth, MaxDepth  float32
}

// Rect is a rectangle of pixels, from X0, Y0 inclusive to X1, Y1 exclusive.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// Intersect returns what r and q share; it may be empty.
func (r Rect) Intersect(q Rect) Rect {
	return Rect{max(r.X0, q.X0), max(r.Y0, q.Y0), min(r.X1, q.X1), min(r.Y1, q.Y1)}
}

// Empty reports whether r has no pixel.
func (r Rect) Empty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// transform is the viewport transformation (Vulkan, Controlling the Viewport):
// normalised device coordinates times scale plus offset, rounded at each step.
type transform struct {
	scale, offset [3]float32
	min, max      float32 // of depths, in order
}

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

// viewports is which viewports a primitive has, by the mask of its provoking vertex: no
// others than there are.
func (r *Rasterizer) viewports(provoking uint32) uint32 {
	n := min(len(r.views), len(r.state.Scissors), 32)
	if len(r.stipples) < n {
		r.stipples = make([]float64, n)
	}
	return r.word(provoking, r.records.Viewport) & uint32(1<<n-1)
}
