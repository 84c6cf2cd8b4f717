package transfer

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Blit is a region of a scaled copy (VkImageBlit). A box has two corners; if a coordinate of the second is less than in
// the first, the copy is mirrored along the axis.
type Blit struct {
	From, To       Subresource
	FromBox, ToBox [2][3]int
	Rotation       Rotation // of the coordinates of the source
}

// Filter is the filter of a blit. Weights are of a cubic one.
type Filter struct {
	Kind    enum.Filter
	Weights enum.CubicWeights
}

// taps is the number of texels along an axis.
func (f Filter) taps() int {
	switch f.Kind {
	case enum.FilterLinear:
		return 2
	case enum.FilterCubic:
		return 4
	}
	return 1
}

// tap is the source of a target coordinate along one axis: texels and their weights.
type tap struct {
	n      int
	texel  [4]int
	weight [4]float64
}

// Check returns the error of BlitImage, without copying.
func (r *Blit) Check(to, from *texture.Image, filter Filter) error {
	var x Blitter
	return x.begin(r, to, from, filter)
}

// BlitImage copies a region with scaling, conversion between formats and filtering between texels. Nearest is the texel that
// contains the scaled center of the target texel; linear and cubic filters sum in f64, in the order of the axes, and round
// once. Coordinates outside of the source level are clamped to it (Vulkan, Image Copies With Scaling).
func BlitImage(to, from *texture.Image, r *Blit, filter Filter) error {
	var x Blitter
	return x.Blit(to, from, r, filter)
}

// Blit is BlitImage with the memory of earlier calls.
func (x *Blitter) Blit(to, from *texture.Image, r *Blit, filter Filter) error {
	defer x.end()
	if err := x.begin(r, to, from, filter); err != nil {
		return err
	}
	x.findTaps(filter)
	x.run()
	return nil
}

// begin checks a region.
func (x *Blitter) begin(r *Blit, to, from *texture.Image, filter Filter) error {
	a, err := surfaceOf(from, r.From)
	if err != nil {
		return err
	}
	b, err := surfaceOf(to, r.To)
	if err != nil {
		return err
	}
	if err := blittable(to, from, filter); err != nil {
		return err
	}
	for _, m := range [...]*texture.Image{from, to} {
		if err := r.Rotation.check(m); err != nil {
			return err
		}
	}
	fromBox, toBox := r.FromBox, r.ToBox
	if from.Dim != ir.Dim3D {
		fromBox[0][2], fromBox[1][2] = 0, a.elements[2]
	}
	if to.Dim != ir.Dim3D {
		toBox[0][2], toBox[1][2] = 0, b.elements[2]
	}
	w, h, d, _ := from.AspectExtent(r.From.Aspect, r.From.Level)
	size := [3]int{w, h, d}
	if from.Dim != ir.Dim3D {
		size[2] = a.elements[2] // layers
	}
	for i := range 3 {
		if !within(fromBox, i, size[i]) || !within(toBox, i, b.elements[i]) {
			return outside("the box %v is copied to %v; must be within %v and %v texels", fromBox, toBox, size, b.elements)
		}
	}
	x.to, x.from, x.r, x.filtered = to, from, r, filter.Kind != enum.FilterNearest
	x.fromBox, x.toBox, x.size = fromBox, toBox, size
	return nil
}

// findTaps finds the taps of all target coordinates.
func (x *Blitter) findTaps(filter Filter) {
	for i := range 3 {
		// Between layers nothing is filtered.
		f := filter
		if i == 2 && x.from.Dim != ir.Dim3D || filter.Kind == enum.FilterCubic && i >= x.from.Dim.Axes() {
			f.Kind = enum.FilterNearest
		}
		// The coordinate of the source along axis i depends on the coordinate of the target along axis k.
		k, source := x.r.Rotation.axis(i, [2]int{x.fromBox[0][i], x.fromBox[1][i]})
		x.start[k], x.taps[i] = tapsOf(x.taps[i], source, [2]int{x.toBox[0][k], x.toBox[1][k]}, x.size[i], f)
	}
}

// maxKeptTaps bounds the taps along an axis that a Blitter retains.
const maxKeptTaps = 1 << 12

// end drops the images and large memory.
func (x *Blitter) end() {
	x.to, x.from, x.r = nil, nil, nil
	for i := range x.taps {
		if cap(x.taps[i]) > maxKeptTaps {
			x.taps[i] = nil
		}
	}
	x.line.end()
}

// within reports whether an edge of a box is in a range of n texels and has at least one texel.
func within(box [2][3]int, axis, n int) bool {
	x, y := box[0][axis], box[1][axis]
	return x >= 0 && y >= 0 && x <= n && y <= n && x != y
}

// blittable returns an error if values cannot be converted, or not filtered.
func blittable(to, from *texture.Image, filter Filter) error {
	s, t := from.Info(), to.Info()
	switch {
	case from.Samples > 1 || to.Samples > 1:
		return outside("a blit of images of %d and %d samples; must have 1", from.Samples, to.Samples)
	case t.Compressed:
		return outside("a blit to %s; must not be compressed", to.Format)
	case s.Sampled != t.Sampled, s.Aspects != format.Color && from.Format != to.Format:
		return outside("a blit of %s to %s; must have values of the same type, and depth and stencil the same format", from.Format, to.Format)
	case s.Planes > 0 || t.Planes > 0 || chroma(s) || chroma(t):
		return outside("a blit of %s to %s; must not have separate luma and chroma", from.Format, to.Format)
	case filter.Kind > enum.FilterCubic || filter.Weights > enum.CubicWeightsMitchellNetravali:
		return outside("a blit with filter %d and weights %d; must be Vulkan's", filter.Kind, filter.Weights)
	case filter.Kind == enum.FilterCubic && from.Dim != ir.Dim2D:
		return outside("a cubic blit of a %s image; must be 2d", from.Dim)
	case filter.Kind != enum.FilterNearest && (s.Sampled != format.Float || s.Wide || s.Aspects != format.Color):
		return outside("a filtered blit of %s; must have colors of 32-bit floats", from.Format)
	}
	return nil
}

// chroma reports whether a format has separate texels of luma and chroma.
func chroma(i *format.Info) bool {
	_, ok := i.ChannelSources()
	return ok
}

// tapsOf returns the taps of the target coordinates from start on: the center of a target texel is scaled to the source.
// They are in the memory of list if it suffices.
func tapsOf(list []tap, from, to [2]int, size int, filter Filter) (int, []tap) {
	scale := float64(from[1]-from[0]) / float64(to[1]-to[0])
	start := min(to[0], to[1])
	n := max(to[0], to[1]) - start
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	for i := range list {
		u := float64((float64(start+i)+0.5-float64(to[0]))*scale) + float64(from[0])
		t := &list[i]
		t.n, t.weight[0] = filter.taps(), 1
		first := 0 // relative to the texel below u
		if t.n > 1 {
			u -= 0.5
		}
		switch f := u - math.Floor(u); t.n {
		case 2:
			t.weight = [4]float64{1 - f, f}
		case 4:
			t.weight, first = texture.CubicAt(filter.Weights, f), -1
		}
		for k := range t.texel {
			t.texel[k] = min(max(int(math.Floor(u))+first+k, 0), size-1)
		}
		t.pack()
	}
	return start, list
}

// pack removes the texels without weight.
func (t *tap) pack() {
	n := 0
	for k := range t.n {
		if t.weight[k] != 0 {
			t.texel[n], t.weight[n] = t.texel[k], t.weight[k]
			n++
		}
	}
	t.n = n
}

// Blitter copies regions, one at a time. The zero Blitter is ready for use.
type Blitter struct {
	to, from       *texture.Image
	r              *Blit
	fromBox, toBox [2][3]int
	size           [3]int // of the source
	taps           [3][]tap
	start          [3]int
	filtered       bool
	line           line
}

func (x *Blitter) run() {
	if x.r.Rotation%2 == 0 {
		x.rows()
		return
	}
	columns, rows := x.taps[1], x.taps[0] // of the target
	from, to := x.from.Codec(x.r.From.Aspect), x.to.Codec(x.r.To.Aspect)
	for k := range x.taps[2] {
		for j := range rows {
			for i := range columns {
				at := coord(x.to, x.r.To, x.start[0]+i, x.start[1]+j, x.start[2]+k)
				x.to.Store(at, to.Convert(from, x.value(&rows[j], &columns[i], &x.taps[2][k])))
			}
		}
	}
}

// maxSources bounds the rows of the source that a row of the target depends on: the texels of two axes.
const maxSources = 16

// sourceRow is a row of the source that a row of the target depends on, with its coordinates and weights along two axes.
type sourceRow struct {
	texels []byte
	y, z   int
	j, k   float64
}

// rows writes row by row: the rows of the source are found once for each.
func (x *Blitter) rows() {
	from, to := x.from.Codec(x.r.From.Aspect), x.to.Codec(x.r.To.Aspect)
	raw := x.copies()
	inFloats := !raw && from.Sampled == format.Float && !from.Wide && !to.Wide && x.line.begin(x.taps[0])
	var list [maxSources]sourceRow
	for k := range x.taps[2] {
		for j := range x.taps[1] {
			out := x.to.TexelRow(coord(x.to, x.r.To, x.start[0], x.start[1]+j, x.start[2]+k))
			rows := x.sources(list[:0], &x.taps[1][j], &x.taps[2][k])
			if raw {
				copyTexels(out, rows[0].texels, x.taps[0], to.Bytes)
				continue
			}
			if inFloats {
				x.line.sum(rows, x.taps[0], from, x.filtered)
				to.StoreRow(out, x.line.out)
				continue
			}
			for i := range x.taps[0] {
				to.Store(out[i*to.Bytes:], to.Convert(from, x.sum(rows, &x.taps[0][i], from)))
			}
		}
	}
}

// sources adds the rows of the source for taps along the axes y and z.
func (x *Blitter) sources(list []sourceRow, j, k *tap) []sourceRow {
	for c := range k.n {
		for b := range j.n {
			row := x.from.TexelRow(coord(x.from, x.r.From, 0, j.texel[b], k.texel[c]))
			list = append(list, sourceRow{row, j.texel[b], k.texel[c], j.weight[b], k.weight[c]})
		}
	}
	return list
}

// copies reports whether texels are copied as bytes: without a filter, between images of one color format in which each value has
// one code.
func (x *Blitter) copies() bool {
	f := x.from.Info()
	if x.from.Format != x.to.Format || f.Aspects != format.Color || f.Numeric == "SNORM" {
		return false
	}
	for _, axis := range x.taps {
		for i := range axis {
			if axis[i].n != 1 {
				return false
			}
		}
	}
	return true
}

// copyTexels copies the texels of taps, runs of neighbors together.
func copyTexels(to, from []byte, taps []tap, size int) {
	for i := 0; i < len(taps); {
		first, n := taps[i].texel[0], 1
		for i+n < len(taps) && taps[i+n].texel[0] == first+n {
			n++
		}
		copy(to[i*size:], from[first*size:(first+n)*size])
		i += n
	}
}

// sum returns the value of a target texel from the rows of the source.
func (x *Blitter) sum(rows []sourceRow, i *tap, from *format.Codec) [4]uint64 {
	if !x.filtered {
		return from.Load(rows[0].texels[i.texel[0]*from.Bytes:])
	}
	var sum [4]float64
	for r := range rows {
		row := &rows[r]
		for a := range i.n {
			v := from.Load(row.texels[i.texel[a]*from.Bytes:])
			w := i.weight[a] * row.j * row.k
			for n := range sum {
				sum[n] += float64(w * float64(math.Float32frombits(uint32(v[n]))))
			}
		}
	}
	return floats(&sum)
}

// floats returns the bits of a value.
func floats(sum *[4]float64) (out [4]uint64) {
	for c := range out {
		out[c] = uint64(math.Float32bits(float32(sum[c])))
	}
	return out
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

// value returns the value of a target texel, in a turned region.
func (x *Blitter) value(i, j, k *tap) [4]uint64 {
	if !x.filtered {
		return x.from.Load(coord(x.from, x.r.From, i.texel[0], j.texel[0], k.texel[0]))
	}
	var sum [4]float64
	for c := range k.n {
		for b := range j.n {
			for a := range i.n {
				w := i.weight[a] * j.weight[b] * k.weight[c]
				v := x.from.Load(coord(x.from, x.r.From, i.texel[a], j.texel[b], k.texel[c]))
				for n := range sum {
					sum[n] += float64(w * float64(math.Float32frombits(uint32(v[n]))))
				}
			}
		}
	}
	return floats(&sum)
}
