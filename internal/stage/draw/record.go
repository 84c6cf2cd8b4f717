package draw

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// output names one component of what a stage hands on.
type output struct {
	semantic ir.Semantic
	index    uint32
}

// record is how a vertex stands in memory behind the vertex program: words of 32 bits,
// Position first, then 16 bytes for each location, then the built-ins that are one
// number each.
type record struct {
	stride uint32 // bytes
	places map[output]uint32
	last   bool // of the vertices that are rasterised
}

// positionBytes are those of Position, which no fragment reads: it is not kept with
// primitives.
const positionBytes = 16

// kept is how many bytes of a record are kept with primitives.
func (r *record) kept() uint32 { return r.stride - positionBytes }

// recordWords bounds a record: what maxVertexOutputComponents of 128 and built-ins
// need, with components that stand in 16 bytes a location.
const recordWords = 4 * 64

// newRecord lays out the outputs of a program, as far as wanted says that somebody
// reads them. Position has its place also where nothing is written to it.
func newRecord(outs []ir.Output, wanted func(ir.Output) bool) *record {
	r := &record{stride: positionBytes, places: map[output]uint32{}}
	var locations []uint32
	var single []output
	for _, o := range outs {
		switch {
		case o.Semantic == ir.Position:
			r.places[output{ir.Position, o.Index}] = 4 * o.Index
		case !wanted(o):
		case o.Semantic == ir.Location:
			for n := range o.Type.Slots() {
				locations = append(locations, (o.Index+n)/4)
			}
		case o.Semantic == ir.ViewportMaskPerView:
			single = append(single, output{ir.ViewportMask, 0})
		default:
			single = append(single, output{o.Semantic, o.Index})
		}
	}
	slices.Sort(locations)
	for _, l := range slices.Compact(locations) {
		for c := range uint32(4) {
			r.places[output{ir.Location, 4*l + c}] = r.stride + 4*c
		}
		r.stride += 16
	}
	slices.SortFunc(single, func(x, y output) int {
		if x.semantic != y.semantic {
			return int(x.semantic) - int(y.semantic)
		}
		return int(x.index) - int(y.index)
	})
	for _, o := range slices.Compact(single) {
		r.places[o] = r.stride
		r.stride += 4
	}
	r.stride = (r.stride + 15) &^ 15
	return r
}

// place returns where a component stands in the record, in bytes.
func (r *record) place(s ir.Semantic, index uint32) (uint32, bool) {
	at, ok := r.places[output{s, index}]
	return at, ok
}

// word returns the number of the word in which a component stands, or −1.
func (r *record) word(s ir.Semantic, index uint32) int {
	if at, ok := r.places[output{s, index}]; ok {
		return int(at / 4)
	}
	return -1
}

// layout is where in a record raster finds what it reads.
func (r *record) layout() raster.Layout {
	l := raster.Layout{
		Stride: int(r.stride / 4), Skip: positionBytes / 4, Clip: r.word(ir.ClipDistance, 0), Cull: r.word(ir.CullDistance, 0),
		Size: r.word(ir.PointSize, 0), Layer: r.word(ir.Layer, 0), Viewport: r.word(ir.ViewportIndex, 0),
	}
	for r.word(ir.ClipDistance, uint32(l.ClipCount)) >= 0 {
		l.ClipCount++
	}
	for r.word(ir.CullDistance, uint32(l.CullCount)) >= 0 {
		l.CullCount++
	}
	if mask := r.word(ir.ViewportMask, 0); mask >= 0 {
		l.Viewport, l.Mask = mask, true
	}
	return l
}
