package texture

import "sync"

// joined is the planes of an image that has a memory for each plane, one after another, for views of all planes together: such
// a view addresses its texels from one base. Programs only read through such views, so that copies of the planes as of the
// start of a program are exact: a write through a view of a plane is visible after a dependency, which commands make.
type joined struct {
	mu     sync.Mutex
	planes []plane
	memory []byte // nil until there is a view
}

// PlaneSize returns the bytes of memory that a plane of an image with a memory for each plane needs; 0 if there is no plane n.
func (l *Layout) PlaneSize(n int) uint64 {
	if n < 0 || n >= len(l.parts) {
		return 0
	}
	return l.parts[n].size
}

// split returns the memories of the planes in one memory.
func (l *Layout) split(memory []byte) (list [][]byte) {
	for i := range l.parts {
		p := &l.parts[i]
		list = append(list, memory[p.offset:][:p.size:p.size])
	}
	return list
}

// OnPlanes returns an image whose planes have memories of their own; see On.
func (l *Layout) OnPlanes(memories [][]byte) (*Image, error) {
	if !l.Disjoint || len(memories) != len(l.parts) {
		return nil, descErrorf("%d memories for an image of %s; must be one for each plane of a disjoint image", len(memories), l.Format)
	}
	m := &Image{Layout: l, joined: &joined{}}
	for i := range l.parts {
		p := plane{planeLayout: l.parts[i]}
		if uint64(len(memories[i])) < p.size {
			return nil, descErrorf("%d bytes of memory of plane %d; must be at least %d", len(memories[i]), i, p.size)
		}
		p.memory = memories[i][:p.size:p.size]
		m.planes = append(m.planes, p)
	}
	m.joined.planes = m.planes
	return m, nil
}

// whole returns the memory of a view of all planes.
func (j *joined) whole(size uint64) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.memory == nil {
		j.memory = make([]byte, size)
	}
	return j.memory
}

// refresh copies the planes.
func (j *joined) refresh() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.planes {
		copy(j.memory[j.planes[i].offset:], j.planes[i].memory)
	}
}
