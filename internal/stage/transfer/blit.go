package transfer

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Blit is a region of a scaled copy (VkImageBlit). A box has two corners; if a coordinate of the second is less than that of
// the first, the copy is mirrored along the axis.
type Blit struct {
	From, To       Subresource
	FromBox, ToBox [2][3]int
}

// tap is the source of a target coordinate along one axis: two texels, and the weight of the second.
type tap struct {
	texel  [2]int
	weight float64
}

// Check returns the error of BlitImage, without copying.
func (r *Blit) Check(to, from *texture.Image, linear bool) error {
	_, err := r.blitter(to, from, linear)
	return err
}

// BlitImage copies a region with scaling, conversion between formats and, if linear, filtering between texels. Nearest takes
// the texel that contains the scaled center of the target texel; linear interpolates in f64, in the order of the axes, and
// rounds once. Coordinates outside of the source level are clamped to it (Vulkan, Image Copies With Scaling).
func BlitImage(to, from *texture.Image, r *Blit, linear bool) error {
	x, err := r.blitter(to, from, linear)
	if err != nil {
		return err
	}
	x.run()
	return nil
}

// blitter checks a region.
func (r *Blit) blitter(to, from *texture.Image, linear bool) (*blitter, error) {
	a, err := surfaceOf(from, r.From)
	if err != nil {
		return nil, err
	}
	b, err := surfaceOf(to, r.To)
	if err != nil {
		return nil, err
	}
	if err := blittable(to, from, r, linear); err != nil {
		return nil, err
	}
	fromBox, toBox := r.FromBox, r.ToBox
	if from.Dim != ir.Dim3D {
		fromBox[0][2], fromBox[1][2] = 0, a.elements[2]
	}
	if to.Dim != ir.Dim3D {
		toBox[0][2], toBox[1][2] = 0, b.elements[2]
	}
	w, h, _, _ := from.AspectExtent(r.From.Aspect, r.From.Level)
	size := [3]int{w, h, a.elements[2]}
	x := &blitter{to: to, from: from, r: r, linear: linear}
	for i := range 3 {
		if !within(fromBox, i, size[i]) || !within(toBox, i, b.elements[i]) {
			return nil, outside("the box %v is copied to %v; must be within %v and %v texels", fromBox, toBox, size, b.elements)
		}
		// Between layers nothing is filtered.
		filtered := linear && (i < 2 || from.Dim == ir.Dim3D)
		x.start[i], x.taps[i] = tapsOf([2]int{fromBox[0][i], fromBox[1][i]}, [2]int{toBox[0][i], toBox[1][i]}, size[i], filtered)
	}
	return x, nil
}

// within reports whether an edge of a box is in a range of n texels and has at least one texel.
func within(box [2][3]int, axis, n int) bool {
	x, y := box[0][axis], box[1][axis]
	return x >= 0 && y >= 0 && x <= n && y <= n && x != y
}

// blittable returns an error if values cannot be converted, or not filtered.
func blittable(to, from *texture.Image, r *Blit, linear bool) error {
	s, t := format.InfoByName(from.Format), format.InfoByName(to.Format)
	switch {
	case from.Samples > 1 || to.Samples > 1:
		return outside("a blit of images of %d and %d samples; must have 1", from.Samples, to.Samples)
	case t.Compressed:
		return outside("a blit to %s; must not be compressed", to.Format)
	case s.Sampled != t.Sampled || s.Wide != t.Wide, s.Aspects != format.Color && from.Format != to.Format:
		return outside("a blit of %s to %s; must have values of the same type, and depth and stencil the same format", from.Format, to.Format)
	case linear && (s.Sampled != format.Float || s.Wide || s.Aspects != format.Color):
		return outside("a linear blit of %s; must have colors of 32-bit floats", from.Format)
	}
	return nil
}

// tapsOf returns the taps of the target coordinates from start on: the center of a target texel is scaled to the source.
func tapsOf(from, to [2]int, size int, linear bool) (start int, list []tap) {
	scale := float64(from[1]-from[0]) / float64(to[1]-to[0])
	start = min(to[0], to[1])
	list = make([]tap, max(to[0], to[1])-start)
	for i := range list {
		u := (float64(start+i)+0.5-float64(to[0]))*scale + float64(from[0])
		t := &list[i]
		if linear {
			u -= 0.5
			t.weight = u - math.Floor(u)
		}
		n := int(math.Floor(u))
		t.texel = [2]int{min(max(n, 0), size-1), min(max(n+1, 0), size-1)}
	}
	return start, list
}

// blitter copies one region.
type blitter struct {
	to, from *texture.Image
	r        *Blit
	taps     [3][]tap
	start    [3]int
	linear   bool
}

func (x *blitter) run() {
	for k := range x.taps[2] {
		for j := range x.taps[1] {
			for i := range x.taps[0] {
				at := coord(x.to, x.r.To, x.start[0]+i, x.start[1]+j, x.start[2]+k)
				x.to.Store(at, x.value(&x.taps[0][i], &x.taps[1][j], &x.taps[2][k]))
			}
		}
	}
}

// coord names a texel; z is a slice of a volume, or a layer.
func coord(m *texture.Image, s Subresource, x, y, z int) texture.Coord {
	at := texture.Coord{X: x, Y: y, Level: s.Level, Layer: s.BaseLayer, Aspect: s.Aspect}
	if m.Dim == ir.Dim3D {
		at.Z = z
	} else {
		at.Layer += z
	}
	return at
}

// value returns the value of a target texel.
func (x *blitter) value(i, j, k *tap) [4]uint64 {
	if !x.linear {
		return x.from.Load(coord(x.from, x.r.From, i.texel[0], j.texel[0], k.texel[0]))
	}
	var sum [4]float64
	for n := range 8 {
		w := weight(i, n&1) * weight(j, n>>1&1) * weight(k, n>>2)
		if w == 0 {
			continue
		}
		v := x.from.Load(coord(x.from, x.r.From, i.texel[n&1], j.texel[n>>1&1], k.texel[n>>2]))
		for c := range sum {
			sum[c] += w * float64(math.Float32frombits(uint32(v[c])))
		}
	}
	var out [4]uint64
	for c := range out {
		out[c] = uint64(math.Float32bits(float32(sum[c])))
	}
	return out
}

// weight returns the weight of one of the texels of a tap.
func weight(t *tap, second int) float64 {
	if second == 1 {
		return t.weight
	}
	return 1 - t.weight
}
