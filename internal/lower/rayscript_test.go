package lower

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
)

// sceneScript is the acceleration structures of a script:
//
//	bottom                      a bottom level; its geometries follow
//	triangles opaque 0 0 0 …    a geometry of triangles, nine numbers each; opaque or -
//	micromap 2 1 0xe4           the triangles of the next line have a micromap triangle of 2 bits for a state (or 1), a level and bytes
//	boxes - 0 0 0 1 1 1         a geometry of boxes, six numbers each
//	spheres - 0 0 0 1           a geometry of spheres: center and radius
//	swept - 0 0 0 1 4 0 0 1     a geometry of swept spheres with caps: center and radius of both ends
//	instance 5 0xff 3 0 …       an instance of the last bottom level: custom index, mask, record offset and flags, and the
//	                            12 numbers of its matrix, row by row, unless it is the identity
//	top 0.0                     a top level with the instances since the last one is the next descriptor at 0.0; the n-th
//	                            one from 1 on has the address n·2³² + n; with heap for 0.0, the next descriptor of the heap
type sceneScript struct {
	bottom    ray.Input
	built     *ray.Structure // of bottom; nil if it is not built
	micromap  *ray.Opacity   // of the next triangles
	instances []ray.Instance
	table     map[uint64]*ray.Structure
}

// item adds a line to the scene. It returns false if the line is not about structures.
func (s *sceneScript) item(key string, f []string) (ok bool, err error) {
	switch key {
	case "bottom":
		s.bottom, s.built = ray.Input{}, nil
	case "triangles", "boxes", "spheres", "swept":
		err = s.geometry(key, f)
	case "micromap":
		err = s.opacity(f)
	case "instance":
		err = s.instance(f)
	default:
		return false, nil
	}
	return true, err
}

const vertexFloat3 = 106 // VK_FORMAT_R32G32B32_SFLOAT

func (s *sceneScript) geometry(key string, f []string) error {
	var flags ray.GeometryFlags
	if f[0] == "opaque" {
		flags = ray.GeometryOpaque
	}
	numbers, err := floats(f[1:])
	if err != nil {
		return err
	}
	if key == "spheres" || key == "swept" {
		s.bottom.Geometries = append(s.bottom.Geometries, rounds(key, flags, numbers))
		return nil
	}
	var data []byte
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	g := ray.Geometry{Kind: ray.Boxes, Flags: flags, Primitives: uint32(len(numbers) / 6), BoxData: data, BoxStride: 24}
	if key == "triangles" {
		g = ray.Geometry{Kind: ray.Triangles, Flags: flags, Primitives: uint32(len(numbers) / 9),
			Vertices: data, VertexFormat: vertexFloat3, VertexStride: 12, MaxVertex: uint32(len(numbers) / 3)}
	}
	g.Opacity, s.micromap = s.micromap, nil
	s.bottom.Geometries = append(s.bottom.Geometries, g)
	return nil
}

// opacity sets the opacity of the next triangles.
func (s *sceneScript) opacity(f []string) error {
	n, err := words(f)
	if err != nil || len(n) < 3 {
		return fmt.Errorf("a micromap has a format, a level and data: %w", err)
	}
	in := ray.MicromapInput{Count: 1, Triangles: []byte{0, 0, 0, 0, byte(n[1]), 0, byte(n[0]), 0}, Most: 1 << 20}
	for _, x := range n[2:] {
		in.Data = append(in.Data, byte(x))
	}
	m, err := ray.BuildMicromap(&in)
	s.micromap = &ray.Opacity{Map: m, Indices: []byte{0}, IndexSize: 1}
	return err
}

// rounds returns a geometry of spheres or swept spheres: a center and a radius for each end.
func rounds(key string, flags ray.GeometryFlags, numbers []float32) ray.Geometry {
	g := ray.Geometry{Kind: ray.Spheres, Flags: flags, Primitives: uint32(len(numbers) / 4), VertexFormat: vertexFloat3, VertexStride: 16}
	if key == "swept" {
		g.Kind, g.Primitives = ray.SweptSpheres, g.Primitives/2
	}
	for _, x := range numbers {
		g.Vertices = binary.LittleEndian.AppendUint32(g.Vertices, math.Float32bits(x))
	}
	const float1 = 100 // VK_FORMAT_R32_SFLOAT
	g.Rounds = ray.Rounds{Radii: g.Vertices[min(12, len(g.Vertices)):], RadiusFormat: float1, RadiusStride: 16, Chained: true}
	return g
}

func (s *sceneScript) instance(f []string) (err error) {
	if s.built == nil {
		if s.built, err = ray.Build(&s.bottom); err != nil {
			return err
		}
	}
	x := ray.Instance{Transform: [12]float32{0: 1, 5: 1, 10: 1}, Bottom: s.built}
	n, err := words(f[:4])
	if err != nil {
		return err
	}
	x.Custom, x.Mask, x.RecordOffset, x.Flags, x.Reference = n[0], uint8(n[1]), n[2], ray.InstanceFlags(n[3]), 1
	if len(f) > 4 {
		m, err := floats(f[4:])
		if err != nil || len(m) != 12 {
			return fmt.Errorf("a matrix of %d numbers; must have 12: %w", len(m), err)
		}
		x.Transform = [12]float32(m)
	}
	s.instances = append(s.instances, x)
	return nil
}

// top builds a top level of the instances and returns its descriptor.
func (s *sceneScript) top() (exec.Buffer, error) {
	t, err := ray.Build(&ray.Input{Top: true, Instances: s.instances})
	if err != nil {
		return exec.Buffer{}, err
	}
	s.instances = nil
	number := uint64(len(s.table) + 1)
	number |= number << 32
	put(&s.table, number, t)
	return exec.Buffer{Bytes: binary.LittleEndian.AppendUint64(nil, number)}, nil
}

// service returns the service for the structures.
func (s *sceneScript) service() exec.RayService { return trace.NewService(s.table) }

func floats(f []string) (out []float32, err error) {
	for _, x := range f {
		n, err := strconv.ParseFloat(x, 32)
		if err != nil {
			return nil, err
		}
		out = append(out, float32(n))
	}
	return out, nil
}
