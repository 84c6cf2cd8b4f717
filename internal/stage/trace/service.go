package trace

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// Service serves the rays of runs with the structures of a table, which must not change as long as a run has the service.
// A number without a structure is the null structure: every ray misses.
type Service struct {
	structures ray.Table
}

// NewService returns a service with the structures of a table.
func NewService(structures ray.Table) *Service { return &Service{structures: structures} }

// words is the form of a query in private memory.
type words [ray.QueryWords]uint32

// The slots of a ray before RayStructure are a query.
var _ [ray.QueryWords]struct{} = [ir.RayStructure]struct{}{}

// ServeRays serves the requests of all lanes, ascending.
func (s *Service) ServeRays(c *exec.RayCall) {
	r, _ := c.Scratch.(*request)
	if r == nil {
		if r = idleRequests.Get(); r == nil {
			r = &request{walker: ray.NewWalker()}
		}
		c.Scratch = r
	}
	r.known, r.walker.Wide = false, c.Wide
	for i, word := range c.Lanes {
		for base := 64 * i; word != 0; base, word = base+ray.PacketLanes, word>>ray.PacketLanes {
			lanes := uint32(word & (1<<ray.PacketLanes - 1))
			if r.begins(c, base, lanes, s.structures) {
				r.proceedAll(lanes)
				continue
			}
			for ; lanes != 0; lanes &= lanes - 1 {
				lane := base + bits.TrailingZeros32(lanes)
				r.at(c, lane, s.structures)
				if c.Request[lane] == ir.RayProceed {
					r.proceed()
				} else {
					r.answer(c.Request[lane])
				}
			}
		}
	}
	r.memory, r.structure, r.rows.Memory = nil, nil, nil
}

// request is a request on the ray of one lane, or on those of a packet. It is reused: the traversal keeps no pointer to it, but
// the compiler does not know that.
type request struct {
	walker    *ray.Walker
	known     bool           // number and structure are set
	number    uint64         // of the structure
	structure *ray.Structure // nil is the null structure
	query     ray.Query
	packet    ray.Packet
	rows      ray.Rows

	memory []uint32 // the ray: its slot i is memory[i·stride]
	stride int
}

// idleRequests are the requests of no worker.
var idleRequests exec.FreeList[request]

// Release makes the request one of no worker.
func (r *request) Release() { idleRequests.Put(r, exec.MaxIdleWorkers()) }

// at makes the request one on the ray of a lane.
func (r *request) at(c *exec.RayCall, lane int, structures ray.Table) {
	r.memory, r.stride = c.Memory[int(c.Slot[lane])*c.Stride+lane:], c.Stride
	if n := uint64(r.get(ir.RayStructure)) | uint64(r.get(ir.RayStructure+1))<<32; n != r.number || !r.known {
		r.known, r.number, r.structure = true, n, structures[n]
	}
}

func (r *request) get(slot int) uint32 { return r.memory[slot*r.stride] }

// load copies n slots to the query.
func (r *request) load(slot, n int) {
	q := (*words)(unsafe.Pointer(&r.query))[slot : slot+n]
	for i, at := 0, slot*r.stride; i < n; i, at = i+1, at+r.stride {
		q[i] = r.memory[at]
	}
}

// store copies n slots from the query.
func (r *request) store(slot, n int) {
	q := (*words)(unsafe.Pointer(&r.query))[slot : slot+n]
	for i, at := 0, slot*r.stride; i < n; i, at = i+1, at+r.stride {
		r.memory[at] = q[i]
	}
}

// proceed continues the traversal. The fields of a hit that does not exist keep their values. At the begin of a traversal,
// its state and the committed hit are zeros.
func (r *request) proceed() {
	if r.get(ir.RayStarted) == 0 && r.get(ir.RayCommitted+ir.HitKind) == ir.HitNone {
		r.query = ray.Query{}
		r.load(0, ir.RayCommitted)
		r.load(ir.RayEnded, 1)
	} else {
		r.load(0, ir.RayCandidate)
		r.load(ir.RayTrail, ir.RayStructure-ir.RayTrail)
	}
	before := r.query.Committed
	if r.walker.Next(r.structure, &r.query) {
		r.store(ir.RayCandidate, ir.HitSlots)
		r.store(ir.RayTrail, ir.RayStarted-ir.RayTrail)
	} else {
		r.memory[(ir.RayCandidate+ir.HitKind)*r.stride] = ir.HitNone
	}
	r.store(ir.RayStarted, ir.RayStructure-ir.RayStarted)
	if r.query.Committed != before {
		r.store(ir.RayCommitted, ir.HitSlots)
	}
}

// answer writes the answer to a request about a hit.
func (r *request) answer(which uint32) {
	hit, slot := &r.query.Candidate, ir.RayCandidate
	if which >= ir.RayOfCommitted {
		which, hit, slot = which-ir.RayOfCommitted, &r.query.Committed, ir.RayCommitted
	}
	switch which {
	case ir.RayInstance, ir.RayObjectToWorld, ir.RayWorldToObject: // the most frequent ones read few slots
		r.load(slot+ir.HitKind, 1)
		r.load(slot+ir.HitInstance, 1)
		r.load(ir.RayTime, 1)
	default:
		r.load(0, ir.RayCommitted)
		r.load(slot, ir.HitSlots)
	}
	var a [ir.RayAnswerSlots]float32
	switch {
	case which == ir.RayInstance:
		custom, offset, kind := r.structure.InstanceWords(hit.Instance)
		for i, x := range [...]uint32{custom, offset, uint32(kind)} {
			a[i] = math.Float32frombits(x)
		}
	case hit.Kind != ray.None:
		switch which {
		case ir.RayObjectToWorld:
			m := r.structure.ObjectToWorld(hit.Instance, r.query.Time)
			a = columns(&m)
		case ir.RayWorldToObject:
			m := r.structure.WorldToObject(hit.Instance, r.query.Time)
			a = columns(&m)
		case ir.RayObjectRay:
			origin, direction := r.structure.ObjectRay(hit.Instance, &r.query)
			copy(a[:], origin[:])
			copy(a[3:], direction[:])
		case ir.RaySphere:
			centers, radii := r.structure.Round(hit)
			copy(a[:], centers[0][:])
			copy(a[3:], centers[1][:])
			copy(a[6:], radii[:])
		case ir.RayVertices:
			for i, v := range r.structure.Positions(hit, r.query.Time) {
				copy(a[3*i:], v[:])
			}
		}
	}
	for i, at := 0, ir.RayAnswer*r.stride; i < len(a); i, at = i+1, at+r.stride {
		r.memory[at] = math.Float32bits(a[i])
	}
}

// columns returns the columns of a matrix of 3 rows of 4.
func columns(m *[12]float32) (a [ir.RayAnswerSlots]float32) {
	for c := range 4 {
		a[3*c], a[3*c+1], a[3*c+2] = m[c], m[4+c], m[8+c]
	}
	return a
}
