package vk

import (
	"cmp"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
)

// structures are the acceleration structures of a device that have content. The ranges of those in one memory are disjoint, as
// the bytes of structures would be: a build drops all structures that its range overlaps. So the memory of all structures is
// bounded by the memory of the device. The micromaps that bottom levels retain are in no such range: each counts as an allocation.
type structures struct {
	heap    *heap
	mu      sync.Mutex
	built   map[*Memory][]*AccelerationStructure // ascending by their first byte
	numbers map[uint64]*AccelerationStructure    // those of built
	service *trace.Service                       // of built; nil after a change
	bottoms uint64                               // counts the changes of structures that are no top levels
	given   uint64                               // private numbers
	held    map[*ray.Micromap]int                // the micromaps that structures of built retain, and the numbers of those
	garbage garbage                              // the structures that were dropped
	scan    func() uint64                        // scanned of a test; nil is that of the collector
}

// privateNumbers is the first number of structures without a device address. No memory has such an address.
const privateNumbers = 1 << 63

// place sets the memory and the number of a structure, once its buffer has memory. It reports whether the structure has them.
func (s *structures) place(a *AccelerationStructure) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placed(a)
}

// placed is place with s.mu held.
func (s *structures) placed(a *AccelerationStructure) bool {
	b := a.info.Buffer
	if a.number != 0 || b.memory == nil {
		return a.number != 0
	}
	a.memory, a.from = b.memory, b.offset+a.info.Offset
	if at := b.Address(); at != 0 {
		a.setNumber(at + a.info.Offset)
	} else {
		s.given++
		a.setNumber(privateNumbers + s.given)
	}
	return true
}

// put sets the content of a structure, and drops the content of all others that its range overlaps. Nothing remains of a build
// in a memory that is freed, nor of one without memory for its micromaps.
func (s *structures) put(a *AccelerationStructure, c *content) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.placed(a) || !a.alive() || !a.memory.alive() {
		return nil
	}
	if s.built == nil {
		s.built, s.numbers = map[*Memory][]*AccelerationStructure{}, map[uint64]*AccelerationStructure{}
	}
	if c.reuses && a.content != nil {
		a.content.shared = true
	}
	list := s.built[a.memory]
	first, _ := slices.BinarySearchFunc(list, a.from, func(x *AccelerationStructure, at uint64) int { return cmp.Compare(x.from+x.info.Size-1, at) })
	last := first
	for ; last < len(list) && list[last].from < a.from+a.info.Size; last++ {
		s.empty(list[last])
	}
	if err := s.hold(c); err != nil {
		s.built[a.memory] = slices.Delete(list, first, last)
		return err
	}
	c.compacted = a.info.Size < c.structure.Size()
	a.content = c
	s.built[a.memory] = slices.Replace(list, first, last, a)
	s.numbers[a.number] = a
	s.changed(c)
	return nil
}

// hold reserves memory for the micromaps of a content, unless another content has them.
func (s *structures) hold(c *content) error {
	list := c.structure.Micromaps()
	for i, m := range list {
		if s.held[m] == 0 {
			if err := s.heap.reserve(m.Size()); err != nil {
				s.release(list[:i])
				return err
			}
		}
		if s.held == nil {
			s.held = map[*ray.Micromap]int{}
		}
		s.held[m]++
	}
	return nil
}

// release is the inverse of hold.
func (s *structures) release(list []*ray.Micromap) {
	for _, m := range list {
		if s.held[m]--; s.held[m] == 0 {
			delete(s.held, m)
			s.heap.unreserve(m.Size())
		}
	}
}

// empty drops the content of a structure. It stays in built.
func (s *structures) empty(a *AccelerationStructure) {
	delete(s.numbers, a.number)
	s.changed(a.content)
	s.release(a.content.structure.Micromaps())
	if !a.content.shared {
		s.garbage.add(a.content.structure.CompactedSize())
	}
	a.content = nil
}

// changed notes a change of a content.
func (s *structures) changed(c *content) {
	s.service = nil
	if c.level == BottomLevel {
		s.bottoms++
	}
}

// drop drops a structure.
func (s *structures) drop(a *AccelerationStructure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.content == nil {
		return
	}
	s.empty(a)
	list := s.built[a.memory]
	if i := slices.Index(list, a); len(list) == 1 {
		delete(s.built, a.memory)
	} else {
		s.built[a.memory] = slices.Delete(list, i, i+1)
	}
}

// forget drops all structures in a memory that is freed.
func (s *structures) forget(m *Memory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.built[m] {
		s.empty(a)
	}
	delete(s.built, m)
}

// content returns a copy of the content of a structure; nil if it has none. A later table may change the structure of the
// content itself.
func (s *structures) content(a *AccelerationStructure) *content {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.content == nil {
		return nil
	}
	c := *a.content
	return &c
}

// sharedContent is content for a copy of the structure: no update may write into the memory of either one.
func (s *structures) sharedContent(a *AccelerationStructure) *content {
	s.mu.Lock()
	if a.content != nil {
		a.content.shared = true
	}
	s.mu.Unlock()
	return s.content(a)
}

// version counts the changes of bottom levels.
func (s *structures) version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bottoms
}

// at returns the bottom level that was built at a device address; nil if there is none.
func (s *structures) at(address uint64) *ray.Structure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bottom(address)
}

// bottom is at with s.mu held. It returns no top level: two of them that refer to each other would retain all their earlier
// versions.
func (s *structures) bottom(address uint64) *ray.Structure {
	if a := s.numbers[address]; a != nil && a.content.level == BottomLevel {
		return a.content.structure
	}
	return nil
}

// rays returns the service of the rays of commands, which find structures by their numbers. Instances of top levels have the
// present structures at their addresses.
func (s *structures) rays() *trace.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.service == nil {
		s.service = trace.NewService(s.table())
	}
	return s.service
}

// table returns the structures by their numbers. s.mu is held.
func (s *structures) table() ray.Table {
	out := make(ray.Table, len(s.numbers))
	for n, a := range s.numbers {
		s.relink(a.content)
		out[n] = a.content.structure
	}
	return out
}

// relink gives the instances of a top level the present structures at their addresses. s.mu is held.
func (s *structures) relink(c *content) {
	if c.level == TopLevel && c.linked != s.bottoms {
		c.structure, c.linked = c.structure.Relink(s.bottom), s.bottoms
	}
}
