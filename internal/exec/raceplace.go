package exec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector identifies memory by its address in the process, so that descriptors of the same bytes are the same
// memory. A run passes it the resources of each program.

// traced is a program with events, and the resources of its latest job.
type traced struct {
	lost    bool            // it has events that it does not log
	orders  bool            // it has fences, barriers, or atomics with semantics
	writes  bool            // it writes memory
	simple  bool            // its invocations are ordered by whole control barriers of the workgroup alone
	written map[string]bool // the memory that it writes
	sites   []site          // by message
	job     *Job            // nil if it is not known
	own     map[string]bool // memory of which no two invocations of the job access the same byte; nil before the first question
	aliased map[string]bool // memory that the program reads by this name and writes by another; nil before compare
}

// site has the facts about the accesses of a message.
type site struct {
	resource int    // its number; -1 for none
	memory   uint32 // the number of its name, from 1
	args     int    // values, without those that identify the invocation
	follows  uint8
}

// The values of site.follows.
const (
	unknown = iota
	followed
	ignored // reads alone do not race
)

// maxAliased bounds the descriptors of a job that are compared. With more, all memory counts as shared.
const maxAliased = 1 << 10

// programOf returns the facts about a program.
func (r *races) programOf(p *ir.Program) *traced {
	if r.last.of == p {
		return r.last.traced
	}
	x := r.programs[p]
	if x == nil {
		x = &traced{written: map[string]bool{}}
		for i := range p.Messages {
			e := &p.Messages[i].Event
			x.lost = x.lost || e.Kind == ir.LostEvent
			x.orders = x.orders || e.Kind != ir.AccessEvent && e.Kind != ir.NoEvent && e.Kind != ir.LeaveEvent || e.Atomic && e.Acquire|e.Release != 0
			s := site{resource: resourceOf(p, e), args: len(p.Messages[i].Args) - int(p.Messages[i].Where)}
			if e.Kind == ir.AccessEvent {
				s.memory = r.names[e.Memory]
				if s.memory == 0 {
					s.memory = uint32(len(r.names)) + 1
					r.names[e.Memory] = s.memory
				}
			}
			x.sites = append(x.sites, s)
			if e.Write {
				x.written[e.Memory], x.writes = true, true
			}
		}
		x.simple = isSimple(p)
		r.programs[p] = x
	}
	r.last.of, r.last.traced = p, x
	return x
}

// isSimple reports whether the clocks of a program are those of workgroups: no atomic publishes the clock of an invocation,
// no barrier is of a part of the workgroup, and no store is available to a part of it, nor visible to a load by a part.
func isSimple(p *ir.Program) bool {
	orders, atomics := false, false
	for i := range p.Messages {
		switch e := &p.Messages[i].Event; e.Kind {
		case ir.AccessEvent:
			atomics = atomics || e.Atomic
			orders = orders || e.Atomic && e.Acquire|e.Release != 0
			if !e.Atomic && e.Scope == ir.EventSubgroup {
				return false
			}
		case ir.FenceEvent:
			if orders = true; e.Scope == ir.EventSubgroup { // it counts for the next barrier
				return false
			}
		case ir.BarrierEvent:
			if orders = true; !forGroup(e) {
				return false
			}
		case ir.NoEvent, ir.LeaveEvent:
		default:
			return false
		}
	}
	return !orders || !atomics
}

// place records the resources of a job.
func (r *races) place(p *ir.Program, j *Job) {
	x := r.programOf(p)
	x.job, x.own, x.aliased = j, nil, nil
	for i := range x.sites {
		x.sites[i].follows = unknown
	}
	r.jobs++
}

// follows reports whether the accesses of a message can race.
func (r *races) follows(p *traced, of *ir.Program, message uint32) bool {
	s := &p.sites[message]
	if s.follows == unknown {
		s.follows = ignored
		memory := of.Messages[message].Memory
		if r.commands || (p.written[memory] || p.writes && p.shares(of, memory)) && !r.owns(p, of, memory) {
			s.follows = followed
		}
	}
	return s.follows == followed
}

// owns reports whether no two invocations of the only job of the log access the same byte of memory.
func (r *races) owns(p *traced, of *ir.Program, memory string) bool {
	if !r.oneJob || r.jobs > 1 {
		return false
	}
	if p.own == nil {
		p.own = p.ownMemory(of)
		if p.own == nil {
			p.own = map[string]bool{}
		}
	}
	return p.own[memory]
}

// resourceOf returns the number of the resource of an access; -1 if it has none.
func resourceOf(p *ir.Program, e *ir.Event) int {
	if e.Kind != ir.AccessEvent || !e.Bound {
		return -1
	}
	return slices.IndexFunc(p.Res, func(x ir.Resource) bool { return x.Set == e.Set && x.Binding == e.Binding && x.Kind == e.Resource })
}

// bytesOf returns the descriptor of a resource; no bytes if there is none.
func (x *traced) bytesOf(resource int, element uint32) []byte {
	if resource < 0 || resource >= len(x.job.Resources) || uint64(element) >= uint64(len(x.job.Resources[resource])) {
		return nil
	}
	return x.job.Resources[resource][element].Bytes
}

// place is where an access is.
type place struct {
	space
	at, size uint64
	linear   bool // the same access with another offset in the same descriptor is in the same space, at the same distance
}

// locate returns the place of an access. args are the values of its message, without those that identify the invocation.
func (x *traced) locate(m *record, args []uint64) (p place) {
	e, s := m.event, &x.sites[m.number]
	// Texels have several coordinates, and neighboring device addresses can be of two regions.
	p.linear = e.Texel == 0 && len(args) > 1
	if at, size, ok := x.addressOf(e, s, args); ok {
		p.at, p.size = at, size
		return p
	}
	p.memory, p.size = s.memory, uint64(e.Size)
	p.at, p.element = placeOf(e, args)
	return p
}

// addressOf returns the address and the size of an access; ok is false if it has no bytes.
func (x *traced) addressOf(e *ir.Event, s *site, args []uint64) (at, size uint64, ok bool) {
	if x.job == nil || ofGroup(e) {
		return 0, 0, false
	}
	size = uint64(e.Size)
	switch n := int(e.Texel); {
	case n > 0:
		element := uint32(args[n+2])
		bytes := x.bytesOf(s.resource, element)
		offset, texel := texelOffset(x.bytesOf(s.resource+1, element), e, args)
		if len(bytes) == 0 || texel == 0 {
			return 0, 0, false
		}
		return addressOf(bytes) + offset, texel, true
	case len(args) == 1: // the access has a device address; the regions are in ascending order
		i, found := slices.BinarySearchFunc(x.job.Regions, args[0], func(g Region, a uint64) int {
			switch {
			case a < g.Address:
				return 1
			case a >= g.Address+uint64(len(g.Bytes)):
				return -1
			}
			return 0
		})
		if !found {
			return 0, 0, false
		}
		g := x.job.Regions[i]
		return addressOf(g.Bytes) + args[0] - g.Address, size, true
	}
	bytes := x.bytesOf(s.resource, uint32(args[1]))
	return addressOf(bytes) + args[0], size, len(bytes) > 0
}

// ofGroup reports whether an access is of memory that each workgroup or patch has of its own.
func ofGroup(e *ir.Event) bool { return e.Domain == ir.EventWorkgroup || e.Domain == ir.EventOutputs }

// placeOf returns the first byte of an access without an address, and the index of its descriptor. A texel is a word.
func placeOf(e *ir.Event, args []uint64) (at uint64, element uint32) {
	if n := int(e.Texel); n > 0 {
		for i, x := range args[:n] {
			at |= x << (15 * i) // images have at most 16,384 texels in a direction; buffers have one
		}
		at |= args[n]<<45 | args[n+1]<<50
		return at * 4, uint32(args[n+2])
	}
	if len(args) == 1 || e.Domain == ir.EventOutputs { // an address, or a place and a value
		return args[0], 0
	}
	return args[0], uint32(args[1])
}

// addressOf returns the address of the first byte.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// texelOffset returns the offset of a texel in the memory of an image, and the bytes of a texel: 0 of an image without a
// shape, and of a sample or a level that it does not have. args are the coordinates, the level and the sample.
func texelOffset(shape []byte, e *ir.Event, args []uint64) (offset, size uint64) {
	word := func(i uint64) uint64 {
		if 4*i+4 > uint64(len(shape)) {
			return 0
		}
		return uint64(binary.LittleEndian.Uint32(shape[4*i:]))
	}
	n := int(e.Texel)
	level, sample := args[n], args[n+1]
	if level >= max(word(ir.ShapeLevelsN), 1) || sample >= max(word(ir.ShapeSamples), 1) {
		return 0, 0
	}
	size = word(ir.ShapeTexel)
	offset = word(ir.ShapeLevels+level) + args[0]*size
	// A row has a pitch, and a layer or a slice has another; the texels of one sample of a row are dense.
	rows := min(int(e.Axes), 2)
	if rows == 2 {
		pitch := word(ir.ShapeLevels + ir.MaxLevels + level)
		offset += args[1]*pitch + sample*pitch/max(word(ir.ShapeSamples), 1)
	}
	if n > rows {
		offset += args[n-1] * word(ir.ShapeLevels+2*ir.MaxLevels+level)
	}
	return offset, size
}

// shares reports whether a program that reads memory by one name writes bytes of it by another.
func (x *traced) shares(p *ir.Program, memory string) bool {
	if x.job == nil {
		return false
	}
	if x.aliased == nil {
		x.compare(p)
	}
	return x.aliased[memory]
}

// compare finds the memory that the program reads by one name and writes by another.
func (x *traced) compare(p *ir.Program) {
	x.aliased = map[string]bool{}
	var written []Span
	all, seen := false, map[int]bool{}
	for i := range p.Messages {
		e := &p.Messages[i].Event
		switch n := x.sites[i].resource; {
		case e.Kind != ir.AccessEvent || !e.Write || ofGroup(e):
		case n < 0: // by address
			for _, g := range x.job.Regions {
				written = append(written, Span{addressOf(g.Bytes), addressOf(g.Bytes) + uint64(len(g.Bytes))})
			}
		case !seen[n]:
			seen[n] = true
			written = x.spans(written, n)
		}
		all = all || len(written) > maxAliased
	}
	for i := range p.Messages {
		e, n := &p.Messages[i].Event, x.sites[i].resource
		if e.Kind != ir.AccessEvent || e.Write || ofGroup(e) || len(written) == 0 || x.aliased[e.Memory] {
			continue
		}
		x.aliased[e.Memory] = all || n < 0
		for _, s := range x.spans(nil, n) {
			x.aliased[e.Memory] = x.aliased[e.Memory] || slices.ContainsFunc(written, func(w Span) bool { return w.Start < s.End && s.Start < w.End })
		}
	}
}

// spans adds the bytes of a resource to a list.
func (x *traced) spans(list []Span, resource int) []Span {
	if resource < 0 || resource >= len(x.job.Resources) {
		return list
	}
	for _, b := range x.job.Resources[resource] {
		if len(list) > maxAliased {
			return list
		}
		if len(b.Bytes) > 0 {
			list = append(list, Span{addressOf(b.Bytes), addressOf(b.Bytes) + uint64(len(b.Bytes))})
		}
	}
	return list
}
