package rayscene

import "slices"

// Matrix has the 3 rows of 4 numbers of a transform from an instance to the world.
type Matrix [12]float32

// linear returns a transformed direction.
func (m *Matrix) linear(p vector) vector {
	return vector{dot(vector{m[0], m[1], m[2]}, p), dot(vector{m[4], m[5], m[6]}, p), dot(vector{m[8], m[9], m[10]}, p)}
}

// Scene is instances of one mesh, and a camera.
type Scene struct {
	Name      string
	Vertices  []float32 // 3 of each vertex
	Indices   []uint32  // 3 of each triangle
	Instances []Matrix

	eye, at vector  // of the camera, and the point that it looks at
	zoom    float32 // half of the height of the picture at the distance 1
}

// Triangles returns the number of triangles of the mesh.
func (s *Scene) Triangles() int { return len(s.Indices) / 3 }

// makers are the scenes.
var makers = []struct {
	name string
	make func(s *Scene)
}{{"soup", (*Scene).soup}, {"terrain", (*Scene).terrain}, {"instances", (*Scene).balls}, {"room", (*Scene).room}}

// Names returns the names of the scenes.
func Names() (list []string) {
	for _, m := range makers {
		list = append(list, m.name)
	}
	return list
}

// New makes a scene; nil if there is none of the name.
//
//	soup       a million small triangles, their order random in space
//	terrain    a million triangles of a height field
//	instances  10,000 instances of a ball of 10,092 triangles
//	room       a box whose sides are strips, 8 to 10 long and 1 to 2 thousandths wide, and 500 ribbons across it
func New(name string) *Scene {
	for _, m := range makers {
		if m.name != name {
			continue
		}
		s := &Scene{Name: name, zoom: 0.5}
		m.make(s)
		if s.Instances == nil {
			s.Instances = []Matrix{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}
		}
		return s
	}
	return nil
}

// Moved returns the vertices of a next frame.
func (s *Scene) Moved() []float32 {
	to := slices.Clone(s.Vertices)
	for i := 0; i < len(to); i += 3 {
		p := s.Vertices[i:]
		to[i] += times(0.01, noise(times(3, p[1]), times(3, p[2])))
		to[i+1] += times(0.01, noise(times(3, p[2]), times(3, p[0])))
	}
	return to
}

func (s *Scene) vertex(p vector) uint32 {
	s.Vertices = append(s.Vertices, p[:]...)
	return uint32(len(s.Vertices)/3 - 1)
}

// cells makes two triangles of each cell of a grid of w·h cells, whose vertices begin at first.
func (s *Scene) cells(first, w, h uint32) {
	for y := range h {
		for x := range w {
			a := first + y*(w+1) + x
			s.Indices = append(s.Indices, a, a+1, a+w+1, a+1, a+w+2, a+w+1)
		}
	}
}

func (s *Scene) soup() {
	const radius = 0.01
	for i := range uint32(1_000_000) {
		center := vector{signed(3*i, 1), signed(3*i+1, 1), signed(3*i+2, 1)}
		for j := range uint32(3) {
			at := 9*i + 3*j
			s.Indices = append(s.Indices, s.vertex(plus(center, scale(vector{signed(at, 2), signed(at+1, 2), signed(at+2, 2)}, radius))))
		}
	}
	s.eye = vector{0.6, 0.5, -2.8}
}

func (s *Scene) terrain() {
	const w, h = 1000, 500
	for y := range uint32(h + 1) {
		for x := range uint32(w + 1) {
			px, pz := times(0.02, float32(x))-10, times(0.02, float32(y))-5
			s.vertex(vector{px, times(0.7, turbulence(times(0.6, px)+40, times(0.6, pz)+30)), pz})
		}
	}
	s.cells(0, w, h)
	s.eye, s.at = vector{0, 2.6, -7}, vector{0, 0, 0.5}
}

func (s *Scene) balls() {
	const n = 29 // cells of a side of the cube that is made round
	for face := range uint32(6) {
		first := uint32(len(s.Vertices) / 3)
		axis := face / 2
		for y := range n + 1 {
			for x := range n + 1 {
				a, b := float32(2*x)/n-1, float32(2*y)/n-1
				var p vector
				p[axis] = 2*float32(face&1) - 1
				if face&1 == 0 { // the other way around, so that all faces show their outside
					a, b = b, a
				}
				p[(axis+1)%3], p[(axis+2)%3] = a, b
				p = normal(p)
				bump := noise(times(4, p[0])+10, times(4, p[1])+10) + noise(times(4, p[2])+10, times(4, p[0])+30)
				s.vertex(scale(p, 1+times(0.12, bump)))
			}
		}
		s.cells(first, n, n)
	}
	for i := range uint32(10_000) {
		s.Instances = append(s.Instances, placed(i))
	}
	s.eye = vector{0, 4, -16}
}

// placed returns a random rotation, size and place (Shoemake 1992, "Uniform Random Rotations").
func placed(i uint32) Matrix {
	var q [4]float32
	length := float32(0)
	for k := 64 * i; k < 64*i+60 && (length > 1 || length < 0.01); k += 4 {
		length = 0
		for c := range q {
			q[c] = signed(k+uint32(c), 5)
			length += times(q[c], q[c])
		}
	}
	k := 1 / root(length)
	x, y, z, w := times(q[0], k), times(q[1], k), times(q[2], k), times(q[3], k)
	size := 0.15 + times(0.2, unit(i, 6))
	twice := func(a, b, c, d float32) float32 { return times(2*size, times(a, b)+times(c, d)) }
	along := func(a, b float32) float32 { return size - twice(a, a, b, b) }
	return Matrix{
		along(y, z), twice(x, y, -z, w), twice(x, z, y, w), times(10, signed(3*i, 7)),
		twice(x, y, z, w), along(x, z), twice(y, z, -x, w), times(5, signed(3*i+1, 7)),
		twice(x, z, -y, w), twice(y, z, x, w), along(x, y), times(10, signed(3*i+2, 7)),
	}
}

func (s *Scene) quad(a, b, c, d vector) {
	k := s.vertex(a)
	s.vertex(b)
	s.vertex(c)
	s.vertex(d)
	s.Indices = append(s.Indices, k, k+1, k+2, k, k+2, k+3)
}

// side is a parallelogram of long strips.
func (s *Scene) side(origin, along, across vector) {
	const n = 4000
	for i := range n {
		a := plus(origin, scale(across, float32(i)/n))
		b := plus(origin, scale(across, float32(i+1)/n))
		s.quad(a, plus(a, along), plus(b, along), b)
	}
}

func (s *Scene) room() {
	x, y, z := vector{10, 0, 0}, vector{0, 4, 0}, vector{0, 0, 8}
	corner := vector{-5, 0, -4}
	s.side(corner, y, x)
	s.side(corner, z, y)
	s.side(plus(corner, z), x, y)
	s.side(plus(corner, x), y, z)
	s.side(plus(corner, y), z, x)
	s.side(corner, x, z)
	for i := range uint32(500) {
		a := vector{-5, times(4, unit(8*i, 9)), times(4, signed(8*i+1, 9))}
		b := vector{5, times(4, unit(8*i+2, 9)), times(4, signed(8*i+3, 9))}
		width := vector{0, times(0.02, signed(8*i+4, 9)), times(0.02, signed(8*i+5, 9))}
		s.quad(a, b, plus(b, width), plus(a, width))
	}
	s.eye, s.at, s.zoom = vector{-4.2, 2.2, -3.3}, vector{1, 1.6, 0}, 0.7
}
