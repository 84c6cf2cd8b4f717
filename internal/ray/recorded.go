package ray

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// A recorded hit is one that a shader made of numbers, without a traversal.

// UnknownPlace is Hit.Place of a recorded hit.
const UnknownPlace = math.MaxUint32

// InstanceWords returns what a recorded hit has of instance i: the custom index, the offset in the shader binding table, and the kind
// of the primitives.
func (s *Structure) InstanceWords(i uint32) (custom, recordOffset uint32, kind Kind) {
	if s == nil || uint64(i) >= uint64(len(s.instances)) {
		return
	}
	p := &s.instances[i]
	return p.Custom, p.RecordOffset, s.bottoms[i].Kind()
}

// located returns the bottom level of a hit and the place of its primitive there.
func (s *Structure) located(h *Hit) (bottom *Structure, place uint32, ok bool) {
	if s == nil || uint64(h.Instance) >= uint64(len(s.instances)) {
		return nil, 0, false
	}
	bottom, place = s.bottoms[h.Instance], h.Place
	if place == UnknownPlace {
		place = bottom.place(h.Geometry, h.Primitive)
	}
	return bottom, place, bottom != nil
}

// register finds the primitives of a bottom level by their numbers. The first search makes it: few applications record hits.
type register struct {
	once sync.Once
	list []registered // sorted
}

// registered is a primitive and its place.
type registered struct {
	number number
	place  uint32
}

// number is the number of a primitive in its bottom level: the number of the geometry is in the high half.
type number uint64

// place returns the place of a primitive of a bottom level, or UnknownPlace.
func (s *Structure) place(geometry, primitive uint32) uint32 {
	if s == nil {
		return UnknownPlace
	}
	s.register.once.Do(s.makeRegister)
	list := s.register.list
	i, ok := slices.BinarySearchFunc(list, number(geometry)<<32|number(primitive), func(x registered, n number) int {
		return cmp.Compare(x.number, n)
	})
	if !ok {
		return UnknownPlace
	}
	return list[i].place
}

// makeRegister makes the register.
func (s *Structure) makeRegister() {
	list := make([]registered, 0, max(len(s.rounds), 4*len(s.blocks)))
	add := func(geometry, primitive uint32, place int) {
		list = append(list, registered{number(geometry)<<32 | number(primitive), uint32(place)})
	}
	switch {
	case s.kind.isRound():
		for i := range s.rounds {
			add(s.rounds[i].geometry, s.rounds[i].primitive, i)
		}
	case s.kind == Triangles:
		for i := range s.blocks {
			b := &s.blocks[i]
			for lane := 0; lane < 4 && b.used(lane); lane++ {
				add(b.geometry[lane], b.primitive[lane], 4*i+lane)
			}
		}
	}
	slices.SortFunc(list, func(a, b registered) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place))
	})
	s.register.list = list
}
