package rayscene

// Ray is a ray; the direction has the length 1.
type Ray struct {
	Origin    vector
	Tmin      float32
	Direction vector
	Tmax      float32
}

// far is the Tmax of all rays.
const far = 1e6

// Hit is the nearest intersection of a ray.
type Hit struct {
	T         float32 // negative if there is none
	Primitive uint32  // a triangle of the mesh
	Instance  uint32
}

// Primary returns the rays from the eye through the centers of the pixels of a picture, row by row.
func (s *Scene) Primary(width, height int) []Ray {
	forward := normal(minus(s.at, s.eye))
	right := normal(cross(vector{0, 1, 0}, forward))
	up := cross(forward, right)
	list := make([]Ray, 0, width*height)
	half := s.zoom / float32(height)
	for y := range height {
		for x := range width {
			a, b := times(half, float32(2*x+1-width)), times(half, float32(height-2*y-1))
			d := plus(forward, plus(scale(right, a), scale(up, b)))
			list = append(list, Ray{Origin: s.eye, Direction: normal(d), Tmax: far})
		}
	}
	return list
}

// Incoherent returns a ray from each hit, in a direction of the cosine distribution about the normal that faces the ray (Malley's
// method; Pharr, Jakob & Humphreys 2023, "Physically Based Rendering", A.5.3). A ray without a hit takes the hit before it. It
// returns nil if there is no hit at all.
func (s *Scene) Incoherent(rays []Ray, hits []Hit) []Ray {
	last := 0
	for last < len(hits) && hits[last].T < 0 {
		last++
	}
	if last == len(hits) {
		return nil
	}
	list := make([]Ray, len(rays))
	for i := range rays {
		if hits[i].T >= 0 {
			last = i
		}
		from, n := s.surface(&rays[last], &hits[last])
		list[i] = Ray{Origin: from, Direction: about(n, uint32(i)), Tmin: 1e-4, Tmax: far}
	}
	return list
}

// surface returns the point of a hit and the normal of the triangle on the side of the ray.
func (s *Scene) surface(r *Ray, h *Hit) (point, n vector) {
	m := &s.Instances[h.Instance]
	corner := func(i uint32) vector {
		at := 3 * s.Indices[3*h.Primitive+i]
		return vector(s.Vertices[at : at+3])
	}
	a := corner(0)
	n = normal(cross(m.linear(minus(corner(1), a)), m.linear(minus(corner(2), a))))
	if dot(n, r.Direction) > 0 {
		n = scale(n, -1)
	}
	return plus(r.Origin, scale(r.Direction, h.T)), n
}

// about returns direction i of a cosine distribution about n: n plus a point on the unit sphere.
func about(n vector, i uint32) vector {
	for k := uint32(0); ; k += 3 {
		p := vector{signed(64*i+k, 21), signed(64*i+k+1, 22), signed(64*i+k+2, 23)}
		if l := dot(p, p); l <= 1 && l > 0.01 {
			if d := plus(n, normal(p)); dot(d, d) > 1e-4 {
				return normal(d)
			}
		}
	}
}
