package layout

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// Component names one component of what a stage hands on.
type Component struct {
	Semantic ir.Semantic
	Index    uint32
}

// Record is how a vertex stands in memory behind the vertex program: words of 32 bits,
// Position first, then 16 bytes for each location, then the built-ins that are one
// number each.
type Record struct {
	Stride     uint32 // bytes
	offsets    map[Component]uint32
	Rasterized bool // of the vertices that are rasterised
}

// PositionBytes are those of Position, which no fragment reads: it is not kept with
// primitives.
const PositionBytes = 16

// KeptBytes is how many bytes of a record are kept with primitives.
func (r *Record) KeptBytes() uint32 { return r.Stride - PositionBytes }

// MaxRecordWords bounds a record: what maxVertexOutputComponents of 128 and built-ins
// need, with components that stand in 16 bytes a location.
const MaxRecordWords = 4 * 64

// NewRecord lays out the outputs of a program, as far as wanted says that somebody
// reads them. Position has its place also where nothing is written to it.
func NewRecord(outs []ir.Output, wanted func(ir.Output) bool) *Record {
	r := &Record{Stride: PositionBytes, offsets: map[Component]uint32{}}
	var locations []uint32
	var single []Component
	for _, o := range outs {
		switch {
		case o.Semantic == ir.Position:
			r.offsets[Component{ir.Position, o.Index}] = 4 * o.Index
		case !wanted(o):
		case o.Semantic == ir.Location:
			for n := range o.Type.Slots() {
				locations = append(locations, (o.Index+n)/4)
			}
		case o.Semantic == ir.ViewportMaskPerView:
			single = append(single, Component{ir.ViewportMask, 0})
		default:
			single = append(single, Component{o.Semantic, o.Index})
		}
	}
	slices.Sort(locations)
	for _, l := range slices.Compact(locations) {
		for c := range uint32(4) {
			r.offsets[Component{ir.Location, 4*l + c}] = r.Stride + 4*c
		}
		r.Stride += 16
	}
	slices.SortFunc(single, func(x, y Component) int {
		if x.Semantic != y.Semantic {
			return int(x.Semantic) - int(y.Semantic)
		}
		return int(x.Index) - int(y.Index)
	})
	for _, o := range slices.Compact(single) {
		r.offsets[o] = r.Stride
		r.Stride += 4
	}
	r.Stride = (r.Stride + 15) &^ 15
	return r
}

// Offset returns where a component stands in the record, in bytes.
func (r *Record) Offset(s ir.Semantic, index uint32) (uint32, bool) {
	at, ok := r.offsets[Component{s, index}]
	return at, ok
}

// Word returns the number of the word in which a component stands, or −1.
func (r *Record) Word(s ir.Semantic, index uint32) int {
	if at, ok := r.offsets[Component{s, index}]; ok {
		return int(at / 4)
	}
	return -1
}

// Raster is where in a record raster finds what it reads.
func (r *Record) Raster() raster.Layout {
	l := raster.Layout{
		Stride: int(r.Stride / 4), Skip: PositionBytes / 4, Clip: r.Word(ir.ClipDistance, 0), Cull: r.Word(ir.CullDistance, 0),
		Size: r.Word(ir.PointSize, 0), Layer: r.Word(ir.Layer, 0), Viewport: r.Word(ir.ViewportIndex, 0),
	}
	for r.Word(ir.ClipDistance, uint32(l.ClipCount)) >= 0 {
		l.ClipCount++
	}
	for r.Word(ir.CullDistance, uint32(l.CullCount)) >= 0 {
		l.CullCount++
	}
	if mask := r.Word(ir.ViewportMask, 0); mask >= 0 {
		l.Viewport, l.Mask = mask, true
	}
	return l
}
