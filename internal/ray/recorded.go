package ray

import "math"

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
	return p.Custom, p.RecordOffset, p.Bottom.Kind()
}

// place returns the place of a triangle or a round of a bottom level, or UnknownPlace. It visits all primitives: shaders seldom read the
// positions of recorded hits, and an index would cost memory in each structure.
func (s *Structure) place(geometry, primitive uint32) uint32 {
	if s == nil || primitive == math.MaxUint32 { // which lanes without a triangle have
		return UnknownPlace
	}
	for i := range s.rounds {
		if r := &s.rounds[i]; r.primitive == primitive && r.geometry == geometry {
			return uint32(i)
		}
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		for k := range b.primitive {
			if b.primitive[k] == primitive && b.geometry[k] == geometry {
				return uint32(4*i + k)
			}
		}
	}
	return UnknownPlace
}
