package ray

import "unsafe"

// HitKind values of triangles, as in SPIR-V. Spheres and swept spheres are FrontFacing.
const (
	FrontFacing = 0xFE
	BackFacing  = 0xFF
)

// Hit is a candidate or a committed intersection. It consists of 4-byte fields.
type Hit struct {
	Kind Kind
	// Generated: a shader reported the hit of a box.
	Generated uint32
	T         float32
	// U and V are the barycentric coordinates of the second and the third vertex. U of a swept sphere is the place along
	// its axis: 0 and 1 are the caps.
	U, V float32
	// Instance is the index in the top level, Custom its custom index, RecordOffset its offset in the shader
	// binding table.
	Instance, Custom, RecordOffset uint32
	Geometry, Primitive            uint32
	// HitKind is FrontFacing, BackFacing or the number that a shader reported.
	HitKind uint32
	// Opaque is 1 if the candidate is opaque.
	Opaque uint32
	// Place locates the primitive in its structure.
	Place uint32
}

// key orders the candidates of a ray.
type key struct {
	t                             float32
	instance, geometry, primitive uint32
}

// less reports whether k is before o.
func (k key) less(o key) bool {
	switch {
	case k.t != o.t:
		return k.t < o.t
	case k.instance != o.instance:
		return k.instance < o.instance
	case k.geometry != o.geometry:
		return k.geometry < o.geometry
	}
	return k.primitive < o.primitive
}

// Query is a ray and the state of its traversal. It consists of 4-byte fields and holds no pointer, so that a
// shader's memory can hold it. To start a traversal, set the fields before Committed and make the others zero.
type Query struct {
	Origin    [3]float32
	TMin      float32
	Direction [3]float32
	TMax      float32
	Time      float32
	Flags     RayFlags
	// Mask has 8 bits.
	Mask uint32

	// Committed is the closest hit so far, Candidate the intersection that a shader decides.
	Committed, Candidate Hit

	// last is the key of the last candidate if started is 1.
	last    key
	started uint32
	ended   uint32
}

// QueryWords is the number of 32-bit words of a Query.
const QueryWords = unsafe.Sizeof(Query{}) / 4

// Confirm makes the candidate, which is not a box, the committed hit.
func (q *Query) Confirm() {
	if q.Candidate.Kind == None || q.Candidate.Kind == Boxes {
		return
	}
	q.commit(q.Candidate)
}

// Generate makes a hit at t with the candidate, a box, the committed hit, if t is inside the ray's interval and
// closer than the committed hit. It reports whether it is.
func (q *Query) Generate(t float32, kind uint32) bool {
	if q.Candidate.Kind != Boxes || !(t >= q.TMin && t <= q.TMax) || q.Committed.Kind != None && t >= q.Committed.T {
		return false
	}
	h := q.Candidate
	h.T, h.HitKind, h.Generated = t, kind, 1
	q.commit(h)
	return true
}

// commit makes h the committed hit.
func (q *Query) commit(h Hit) {
	q.Committed = h
	if q.Flags&RayTerminateOnFirstHit != 0 {
		q.ended = 1
	}
}

// Terminate ends the traversal: the next call of Next returns false.
func (q *Query) Terminate() { q.ended = 1 }

// valid reports whether the ray can hit anything: its interval is not empty and has no NaN.
func (q *Query) valid() bool { return q.TMin <= q.TMax && q.TMax >= 0 && q.Mask&0xFF != 0 }

// complete reports whether the committed hit is no farther than the last candidate. No remaining candidate is closer.
func (q *Query) complete() bool {
	return q.started != 0 && q.Committed.Kind != None && q.Committed.T <= q.last.t
}

// limit returns the distance that a candidate must not exceed.
func (q *Query) limit() float32 {
	if q.Committed.Kind != None {
		return min(q.Committed.T, q.TMax)
	}
	return q.TMax
}

// opaque reports whether a primitive is opaque: the ray's flags override the instance's, which override the
// geometry's.
func (q *Query) opaque(i InstanceFlags, g GeometryFlags) bool {
	switch {
	case q.Flags&RayOpaque != 0:
		return true
	case q.Flags&RayNoOpaque != 0:
		return false
	case i&InstanceForceOpaque != 0:
		return true
	case i&InstanceForceNoOpaque != 0:
		return false
	}
	return g&GeometryOpaque != 0
}
