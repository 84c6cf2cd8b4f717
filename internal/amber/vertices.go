package amber

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// drawArgs are the arguments of a draw, and the corners of a rectangle or a grid, which are vertices after those of the
// pipeline.
type drawArgs struct {
	First, Count, FirstInstance, Instances uint32
	BaseVertex                             int32
	DrawIndex                              uint32
	Corners                                []byte
}

// vertices sets the vertices of a draw: the vertices of the pipeline, or for rectangles and
// grids their corners, at location 0.
func (r *runner) vertices(c *Draw, s *drawState, a *drawArgs) error {
	g := &c.Pipeline.Graphics
	a.Instances = 1
	if c.Kind == DrawMesh {
		return nil
	}
	for i := range g.Vertices {
		if err := r.vertexInput(i, &g.Vertices[i], s.Vertex); err != nil {
			return err
		}
	}
	if c.Kind == DrawCluster { // its shader has the vertices
		return nil
	}
	if c.Kind != DrawArray {
		return r.corners(c, s, a)
	}
	a.First, a.Count, a.FirstInstance, a.Instances = c.Start, c.Count, c.StartInstance, c.NumInstance
	a.DrawIndex = c.DrawIndex
	if x := c.ByteCount; x != nil {
		return r.byteCount(c, x, a)
	}
	if !c.Indexed {
		if a.Count == 0 && len(g.Vertices) > 0 {
			a.Count = left(g.Vertices[0].Buffer.Elements(), c.Start)
		}
		return nil
	}
	b := g.Indices // all of them, with the start added to each, as in Amber
	a.First, a.BaseVertex = 0, int32(c.Start)+c.BaseVertex
	if a.Count == 0 {
		a.Count = uint32(b.Elements())
	}
	return nil
}

// byteCount sets the count of vertices from a number of bytes: the captured vertices (Vulkan §"Transform Feedback").
func (r *runner) byteCount(c *Draw, x *ByteCount, a *drawArgs) error {
	data := r.memory[x.Counter]
	if x.CounterOffset > len(data)-4 {
		return r.fault(CodeSize, c.At, "a counter at byte %d of buffer %s, which has %d bytes; 4 bytes from there on must exist", x.CounterOffset, x.Counter.Name, len(data))
	}
	n := int64(binary.LittleEndian.Uint32(data[x.CounterOffset:]))
	a.Count = uint32(max(n-int64(x.Offset), 0) / int64(x.Stride))
	return nil
}

// left returns the number of elements, of n, from a start on.
func left(n int, start uint32) uint32 { return uint32(max(n-int(start), 0)) }

// vertexInput adds the i-th attribute with a binding of its own.
func (r *runner) vertexInput(i int, v *VertexInput, into *link.VertexInput) error {
	f := v.Format
	if f == nil {
		f = v.Buffer.Texel
	}
	if f == nil {
		f = texelOf(v.Buffer.Type)
	}
	if f == nil {
		return r.fault(CodeType, v.Buffer.At, "buffer %s has elements of type %s, which are no vertex data", v.Buffer.Name, v.Buffer.Type)
	}
	stride := v.Stride
	if stride == 0 {
		stride = v.Buffer.Shape.Stride
	}
	if n := len(r.memory[v.Buffer]); v.Range > n {
		return r.fault(CodeSize, v.Buffer.At, "buffer %s has %d bytes; vertex data at location %d names %d bytes", v.Buffer.Name, n, v.Location, v.Range)
	}
	b := link.VertexBinding{Binding: uint32(i), Stride: uint32(stride)}
	if v.PerInstance {
		b.Rate = enum.InputRateInstance
	}
	return addVertices(into, b, uint32(v.Location), uint32(v.Offset), f)
}

// addVertices adds a binding of vertices with its attribute.
func addVertices(into *link.VertexInput, b link.VertexBinding, location, offset uint32, f *format.Format) error {
	code, err := formatOf(f)
	into.Bindings = append(into.Bindings, b)
	into.Attributes = append(into.Attributes, link.Attribute{Location: location, Binding: b.Binding, Format: code, Offset: offset})
	return err
}

// corners sets the vertices of a rectangle, which is a strip or a patch, or of a grid with
// cells of two triangles each.
func (r *runner) corners(c *Draw, s *drawState, a *drawArgs) error {
	g := &c.Pipeline.Graphics
	x, y, w, h := float32(c.X), float32(c.Y), float32(c.Width), float32(c.Height)
	if !c.Normalized {
		fw, fh := float32(g.Width), float32(g.Height)
		x, y = float32(float32(x/fw)*2)-1, float32(float32(y/fh)*2)-1
		w, h = float32(w/fw)*2, float32(h/fh)*2
	}
	var data []byte
	at := func(x, y float32) {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(y))
	}
	if c.Kind == DrawRect {
		s.Assembly.Topology = enum.TopologyTriangleStrip
		if c.Patch {
			s.Assembly.Topology, s.Tessellation.PatchControlPoints = enum.TopologyPatchList, 4
		}
		at(x, y+h)
		at(x, y)
		at(x+w, y+h)
		at(x+w, y)
	} else {
		s.Assembly.Topology = enum.TopologyTriangleList
		dx, dy := w/float32(c.CellsX), h/float32(c.CellsY)
		if c.CellsX > maxCells || c.CellsY > maxCells || c.CellsX*c.CellsY > maxCells {
			return r.fault(CodeSize, c.At, "a grid of %d×%d cells; at most %d are drawn", c.CellsX, c.CellsY, maxCells)
		}
		for j := range c.CellsY {
			for i := range c.CellsX {
				x0, y0 := x+float32(dx*float32(i)), y+float32(dy*float32(j))
				x1, y1 := x+float32(dx*float32(i+1)), y+float32(dy*float32(j+1))
				for _, p := range [][2]float32{{x0, y0}, {x0, y1}, {x1, y1}, {x1, y1}, {x1, y0}, {x0, y0}} {
					at(p[0], p[1])
				}
			}
		}
	}
	a.Count = uint32(len(data) / 8)
	a.Corners = data
	f, _ := format.ByName("R32G32_SFLOAT")
	v := s.Vertex
	v.Bindings = slices.DeleteFunc(v.Bindings, func(b link.VertexBinding) bool { return v.Attributes[b.Binding].Location == 0 })
	v.Attributes = slices.DeleteFunc(v.Attributes, func(x link.Attribute) bool { return x.Location == 0 })
	return addVertices(v, link.VertexBinding{Binding: uint32(len(g.Vertices)), Stride: 8}, 0, 0, &f)
}

// maxCells bounds the cells of a grid.
const maxCells = 1 << 20
