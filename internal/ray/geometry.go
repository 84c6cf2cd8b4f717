package ray

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Kind is the kind of primitives of a geometry and of a hit.
type Kind uint32

// The kinds. None is the kind of a hit that does not exist.
const (
	None Kind = iota
	Triangles
	Boxes
	Spheres
	SweptSpheres
)

// float3 is the number of VK_FORMAT_R32G32B32_SFLOAT.
const float3 = 106

// A Geometry is a list of primitives of one kind in the application's memory. A build reads triangles twice and retains
// no memory; a primitive with an index, a vertex or a box outside the memory is inactive.
type Geometry struct {
	Kind       Kind
	Flags      GeometryFlags
	Primitives uint32

	// Vertices holds the vertices of triangles, or the centers of spheres, at multiples of VertexStride, of the Vulkan format with the number
	// VertexFormat. A format without a third component has z = 0.
	Vertices     []byte
	VertexFormat uint32
	VertexStride uint64
	// MaxVertex is the number of the last vertex. An index beyond it makes its primitive inactive.
	MaxVertex uint32
	// FirstVertex is added to each index, or to the number of each vertex if the geometry has no indices.
	FirstVertex uint32
	// Indices holds indices of IndexSize bytes (1, 2 or 4; 0: no indices).
	Indices   []byte
	IndexSize int
	// Transform is a matrix of 3 rows and 4 columns that transforms the vertices, or nil.
	Transform *[12]float32

	// Moves: the vertices move from those in Vertices, at time 0, to those in Moved, at time 1.
	Moves bool
	Moved []byte

	// Opacity is the micromap of triangles, or nil.
	Opacity *Opacity

	// BoxData holds boxes (VkAabbPositionsKHR) at multiples of BoxStride.
	BoxData   []byte
	BoxStride uint64

	// Rounds has further data of spheres and swept spheres. They have no MaxVertex, no Transform, and indices of 2 or 4 bytes.
	Rounds Rounds
}

// vec is a vector or a position.
type vec [3]float32

// triangle is the positions of a triangle's vertices.
type triangle [3]vec

// isFinite reports whether x is neither a NaN nor infinite.
func isFinite(x float32) bool { return x-x == 0 }

// isFinite reports whether all components of v are finite.
func (v vec) isFinite() bool { return isFinite(v[0]) && isFinite(v[1]) && isFinite(v[2]) }

// A reader reads the primitives of a geometry.
type reader struct {
	g *Geometry
	// codec decodes the vertices; nil for three 32-bit floats.
	codec *format.Codec
	// flat: the format has no third component.
	flat   bool
	source meshSource
	// vertices is the number of vertices that MaxVertex and the memory permit; 0 if the format has no codec.
	vertices uint64
	// radius decodes radii; nil for 32-bit floats. radii is the number of radii in the memory.
	radius *format.Codec
	radii  uint64
	// moved reads the positions at time 1; nil if they are the same.
	moved *reader
}

// newReader returns a reader of g.
func newReader(g *Geometry) reader {
	r := reader{g: g}
	size := uint64(12)
	if g.Kind.isRound() && !r.setRadii() {
		return r
	}
	if g.Kind != Boxes && g.VertexFormat != float3 {
		if !r.setFormat() {
			return r
		}
		size = uint64(r.codec.Bytes)
	}
	if n := uint64(len(g.Vertices)); n >= size {
		r.vertices = math.MaxUint64
		if g.Kind == Triangles {
			r.vertices = uint64(g.MaxVertex) + 1
		}
		if g.VertexStride > 0 {
			r.vertices = min(r.vertices, (n-size)/g.VertexStride+1)
		}
	}
	return r
}

// setFormat sets the codec of the vertices. It reports whether their format has one.
func (r *reader) setFormat() bool {
	if r.codec = codecOf(r.g.VertexFormat); r.codec == nil {
		return false
	}
	r.flat = !format.ByID(r.g.VertexFormat).Texel().Has(format.B)
	return true
}

// codecOf returns the codec of the colors of a Vulkan format; nil if it has none.
func codecOf(id uint32) *format.Codec {
	f := format.ByID(id).Texel()
	if f == nil || f.IsDepthStencil() {
		return nil
	}
	if codec, ok := f.Codec(format.Color); ok {
		return &codec
	}
	return nil
}

// corners returns the vertex numbers of triangle p.
func (r *reader) corners(p uint32) (i, j, k uint64, ok bool) {
	g := r.g
	size := 3 * uint64(g.IndexSize)
	at := size * uint64(p)
	if at+size > uint64(len(g.Indices)) {
		return 0, 0, 0, false
	}
	b := g.Indices[at : at+size]
	switch g.IndexSize {
	case 4:
		i, j, k = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:])), uint64(binary.LittleEndian.Uint32(b[8:]))
	case 2:
		i, j, k = uint64(binary.LittleEndian.Uint16(b)), uint64(binary.LittleEndian.Uint16(b[2:])), uint64(binary.LittleEndian.Uint16(b[4:]))
	case 1:
		i, j, k = uint64(b[0]), uint64(b[1]), uint64(b[2])
	default:
		i = 3 * uint64(p)
		j, k = i+1, i+2
	}
	first := uint64(g.FirstVertex)
	i, j, k = i+first, j+first, k+first
	return i, j, k, max(i, j, k) < r.vertices
}

// indexAt returns index i, of 1, 2 or 4 bytes at a multiple of a stride. It is not ok outside the memory.
func indexAt(list []byte, bytes int, stride, i uint64) (x uint32, ok bool) {
	at, size := i*stride, uint64(len(list))
	if at > size || size-at < uint64(bytes) {
		return 0, false
	}
	switch b := list[at:]; bytes {
	case 4:
		return binary.LittleEndian.Uint32(b), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(b)), true
	default:
		return uint32(b[0]), true
	}
}

// decoded returns vertex i of a format with a codec.
func (r *reader) decoded(i uint64) vec {
	c := r.codec.Load(r.g.Vertices[i*r.g.VertexStride:][:r.codec.Bytes])
	if r.flat {
		c[2] = 0
	}
	return vec{math.Float32frombits(uint32(c[0])), math.Float32frombits(uint32(c[1])), math.Float32frombits(uint32(c[2]))}
}

// vertex returns the components of vertex i, three 32-bit floats.
func (r *reader) vertex(i uint64) (x, y, z float32) {
	b := r.g.Vertices[i*r.g.VertexStride:][:12]
	two := binary.LittleEndian.Uint64(b) // one load for two components
	return math.Float32frombits(uint32(two)), math.Float32frombits(uint32(two >> 32)), math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
}

// triangle returns the positions of triangle p. An inactive triangle, one with a position that is not finite and one
// outside the memory are not ok.
func (r *reader) triangle(p uint32) (t triangle, ok bool) {
	i, j, k, ok := r.corners(p)
	if !ok {
		return t, false
	}
	if r.codec != nil {
		t = triangle{r.decoded(i), r.decoded(j), r.decoded(k)}
	} else {
		t[0][0], t[0][1], t[0][2] = r.vertex(i)
		t[1][0], t[1][1], t[1][2] = r.vertex(j)
		t[2][0], t[2][1], t[2][2] = r.vertex(k)
	}
	if m := r.g.Transform; m != nil {
		t = triangle{transformPoint(m, t[0]), transformPoint(m, t[1]), transformPoint(m, t[2])}
	}
	return t, t[0].isFinite() && t[1].isFinite() && t[2].isFinite()
}

// box returns the corners of box p, which are finite. An inactive box, one with a NaN and one outside the memory are
// not ok. A box with a minimum beyond its maximum has no points: it is not ok either.
func (r *reader) box(p uint32) (lo, hi vec, ok bool) {
	at := uint64(p) * r.g.BoxStride
	if at > uint64(len(r.g.BoxData)) || uint64(len(r.g.BoxData))-at < 24 {
		return lo, hi, false
	}
	b := r.g.BoxData[at:][:24]
	ok = true
	for k := range lo {
		lo[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		hi[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[12+4*k:]))
		ok = ok && lo[k] <= hi[k]
		lo[k], hi[k] = finite(lo[k]), finite(hi[k])
	}
	return lo, hi, ok
}

// finite returns the closest finite float to x.
func finite(x float32) float32 { return min(max(x, -math.MaxFloat32), math.MaxFloat32) }

// transformPoint returns the position v transformed by the matrix m of 3 rows and 4 columns, rounded once.
func transformPoint(m *[12]float32, v vec) (r vec) {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	for k := range r {
		row := m[4*k:][:4]
		r[k] = float32(float64(float64(float64(row[0])*x)+float64(float64(row[1])*y)) + float64(float64(row[2])*z) + float64(row[3]))
	}
	return r
}
