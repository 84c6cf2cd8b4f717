package ray

import "slices"

// Opacity gives the triangles of a geometry triangles of a micromap.
type Opacity struct {
	Map *Micromap
	// Indices holds the numbers of triangles of Map, of IndexSize bytes (1, 2 or 4) at multiples of IndexStride. Without
	// indices (IndexSize 0), triangle i has number i.
	Indices     []byte
	IndexSize   int
	IndexStride uint64
	// Base is added to each number that is not a special index.
	Base uint32
}

// opacityMap is the opacity of the triangles of a geometry: for each the number of a triangle of a micromap, or the complement
// of the state that it has everywhere.
type opacityMap struct {
	of      *Micromap
	numbers []uint32
}

// newOpacity returns the opacity of a geometry; the zero value if it has no micromap.
func newOpacity(g *Geometry) (m opacityMap) {
	o := g.Opacity
	if o == nil || g.Kind != Triangles {
		return m
	}
	m = opacityMap{of: o.Map, numbers: make([]uint32, g.Primitives)}
	for i := range m.numbers {
		m.numbers[i] = o.number(uint64(i))
	}
	return m
}

// number returns the number of triangle i. One that is not in the memory is unknown-opaque.
func (o *Opacity) number(i uint64) uint32 {
	if o.IndexSize != 0 {
		x, ok := indexAt(o.Indices, o.IndexSize, o.IndexStride, i)
		if !ok {
			return ^uint32(unknownOpaque)
		}
		unused := 32 - 8*o.IndexSize
		if special := uint32(int32(x<<unused) >> unused); ^special < microStates {
			return special
		}
		i = uint64(x)
	}
	if i += uint64(o.Base); i >= MaxMicromapTriangles {
		return ^uint32(unknownOpaque)
	}
	return uint32(i)
}

// setOpacity sets the opacity of the geometries.
func (s *Structure) setOpacity(geometries []Geometry) {
	for i := range geometries {
		if m := newOpacity(&geometries[i]); m.numbers != nil {
			if s.opacity == nil {
				s.opacity = make([]opacityMap, len(geometries))
			}
			s.opacity[i] = m
		}
	}
	of := map[*Micromap][]*opacityMap{}
	for i := range s.opacity {
		if o := &s.opacity[i]; o.of != nil {
			of[o.of] = append(of[o.of], o)
		}
	}
	for m, list := range of {
		thin(m, list)
	}
}

// thin gives all geometries with micromap m one that has only the triangles that they name, if those have less than half of its bytes. A
// structure retains little more than it needs of a micromap that is built again or destroyed.
func thin(m *Micromap, list []*opacityMap) {
	named := make([]bool, len(m.triangles))
	for _, o := range list {
		for _, k := range o.numbers {
			if uint64(k) < uint64(len(named)) {
				named[k] = true
			}
		}
	}
	bytes, triangles := uint64(0), []uint32(nil)
	for k, t := range m.triangles {
		if !named[k] {
			continue
		}
		if bytes += MicromapSize(1, MicroBytes(t.format, t.level)); bytes >= m.Size()/2 {
			return
		}
		triangles = append(triangles, uint32(k))
	}
	part := m.part(triangles)
	for _, o := range list {
		o.of = part
		o.renumber(triangles)
	}
}

// renumber gives the triangles the numbers of a micromap that has only some of those that they had, in ascending order.
func (o *opacityMap) renumber(triangles []uint32) {
	for i, k := range o.numbers {
		if ^k < microStates {
			continue
		}
		at, ok := slices.BinarySearch(triangles, k)
		if !ok {
			at = len(triangles) // it named none of the micromap
		}
		o.numbers[i] = uint32(at)
	}
}

// Micromaps returns the micromaps of a bottom level that its size does not count, each once.
func (s *Structure) Micromaps() []*Micromap {
	if s == nil || s.embedded > 0 {
		return nil
	}
	list, _ := s.micromaps()
	return list
}

// MixesOpacity reports whether some triangles of a geometry have parts of a micromap, and others a state everywhere.
func (s *Structure) MixesOpacity(geometry int) bool {
	if s == nil || geometry >= len(s.opacity) {
		return false
	}
	parts, whole := false, false
	for _, n := range s.opacity[geometry].numbers {
		if ^n < microStates {
			whole = true
		} else {
			parts = true
		}
	}
	return parts && whole
}

// HasOpacity reports whether a geometry has a micromap.
func (s *Structure) HasOpacity() bool { return s.opacity != nil }

// flagsAt returns the flags of a geometry where a ray with flags q hits triangle p of an instance: the micromap decides
// whether the hit is opaque. It is not ok if the ray passes through.
func (s *Structure) flagsAt(q RayFlags, i InstanceFlags, geometry, p uint32, u, v float32) (flags GeometryFlags, ok bool) {
	flags = s.geometries[geometry].Flags
	if s.opacity == nil || i&InstanceDisableMicromaps != 0 {
		return flags, true
	}
	m := &s.opacity[geometry]
	if uint64(p) >= uint64(len(m.numbers)) {
		return flags, true
	}
	state := ^m.numbers[p]
	if state >= microStates {
		state = m.of.state(m.numbers[p], u, v)
	}
	if q&RayForceMicromap2State != 0 || i&InstanceForceMicromap2State != 0 {
		state &= 1 // unknown-transparent is transparent, unknown-opaque opaque
	}
	switch state {
	case transparent:
		return 0, false
	case opaquePart:
		return flags | GeometryOpaque, true
	}
	return flags &^ GeometryOpaque, true
}

// opacityBytes returns the size of the numbers of s.
func (s *Structure) opacityBytes() (n uint64) {
	for i := range s.opacity {
		n += 4 * uint64(len(s.opacity[i].numbers))
	}
	return n + s.embedded
}
