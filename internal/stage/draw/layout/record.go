package layout

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// Component names a scalar component of a stage's output.
type Component struct {
	Semantic ir.Semantic
	Index    uint32
}

// Record is the memory layout of a vertex between stages, in 32-bit words: Position first, then 16
// bytes for each location, then the scalar
// built-ins (diagram in the package comment).
type Record struct {
	Stride     uint32 // bytes
	offsets    map[Component]uint32
	raster     raster.Layout // the result of Raster: each draw needs it
	Rasterized bool          // the rasterizer reads these records
}

// PositionBytes is the size of Position. Fragments do not read it, so primitives do not keep it.
const PositionBytes = 16

// Words of a primitive's memory for set-up and for fragments of draws in place.
const (
	TriangleVertices  = 0 // three numbers of vertices
	TriangleProvoking = 3
	TriangleID        = 4
	TriangleBytes     = 24
)

// KeptWords is the number of words of a component of [Record.Kept] that follow the batch of a triangle in place: the value at its
// first vertex, and the differences of the values at the second and third vertex from it.
const KeptWords = 3

// maxKept bounds the components of [Record.Kept].
const maxKept = 16

// Kept returns the byte offsets of the components of records that a fragment program interpolates. The set-up program keeps them with
// the triangles in place, so that a fragment reads neither the numbers of the vertices nor their records.
func (r *Record) Kept(p *ir.Program) (list []uint32) {
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op != ir.In && x.Op != ir.Interp {
				continue
			}
			in := p.In[x.Aux]
			at, ok := r.Offset(in.Semantic, in.Index)
			if ok && in.Semantic == ir.Location && in.Type == ir.F32 && (in.Interpolation == ir.Perspective || in.Interpolation == ir.Linear) {
				list = append(list, at)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxKept)]
}

// KeptBytes returns the bytes of a record that primitives keep for fragments.
func (r *Record) KeptBytes() uint32 { return r.Stride - PositionBytes }

// MaxRecordWords bounds a record: the limit maxVertexOutputComponents (128) and built-ins, if each
// component occupies a location of its own.
const MaxRecordWords = 4 * 64

// NewRecord lays out the outputs of a program that wanted selects. Position always has space.
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
	r.raster = r.layout()
	return r
}

// Offset returns the byte offset of a component, and whether it exists.
func (r *Record) Offset(s ir.Semantic, index uint32) (uint32, bool) {
	at, ok := r.offsets[Component{s, index}]
	return at, ok
}

// Word returns the word index of a component, or −1.
func (r *Record) Word(s ir.Semantic, index uint32) int {
	if at, ok := r.offsets[Component{s, index}]; ok {
		return int(at / 4)
	}
	return -1
}

// Raster returns the layout in the form that the rasterizer reads.
func (r *Record) Raster() raster.Layout { return r.raster }

// layout computes the result of Raster.
func (r *Record) layout() raster.Layout {
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
