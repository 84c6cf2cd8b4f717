package ray

// Sizes are numbers of bytes that an application must provide.
type Sizes struct {
	// Structure is the size of a structure, Update and Build the sizes of the scratch memory.
	Structure, Update, Build uint64
}

const (
	// headerBytes covers the properties of a structure without primitives.
	headerBytes = 256
	// geometryBytes, triangleBytes, boxBytes, roundShare and instanceBytes cover a geometry and a primitive with its share of
	// the nodes.
	geometryBytes = 16
	triangleBytes = 88
	boxBytes      = 96
	roundShare    = 112
	instanceBytes = 256
	// movingBytes covers the motion of an instance.
	movingBytes = 192
	// scratchBytes is the size of the scratch memory: builds use memory of Go.
	scratchBytes = 64
)

// BuildSizes returns the sizes for a build of in with a number of instances in a top level. Of the geometries it reads
// the kind and the number of primitives. A larger number of geometries, primitives or instances never decreases a
// size.
func BuildSizes(in *Input, instances uint32) Sizes {
	s := Sizes{Structure: headerBytes, Update: scratchBytes, Build: scratchBytes}
	if in.Top {
		s.Structure += sizeOfInstance(in.Flags) * uint64(instances)
		return s
	}
	for i := range in.Geometries {
		g := &in.Geometries[i]
		s.Structure += geometryBytes + geometrySize(g.Kind, g.Primitives)
		if g.Moves {
			s.Structure += triangleBytes * uint64(g.Primitives)
		}
		if g.Opacity != nil {
			s.Structure += 4 * uint64(g.Primitives)
		}
	}
	return s
}

// geometrySize returns the size of the primitives of a geometry.
func geometrySize(k Kind, primitives uint32) uint64 {
	switch {
	case k == Boxes:
		return boxBytes * uint64(primitives)
	case k.isRound():
		return roundShare * uint64(primitives)
	}
	return triangleBytes * uint64(primitives)
}

// Size returns the size of the structure as BuildSizes does.
func (s *Structure) Size() uint64 {
	if s == nil {
		return 0
	}
	if s.top {
		return headerBytes + sizeOfInstance(s.flags)*uint64(len(s.instances))
	}
	n := headerBytes + s.opacityBytes()
	for _, g := range s.geometries {
		n += geometryBytes + geometrySize(s.kind, g.Primitives)
		if g.moves {
			n += triangleBytes * uint64(g.Primitives)
		}
	}
	return n
}

// sizeOfInstance returns the size of an instance of a build with flags.
func sizeOfInstance(f BuildFlags) uint64 {
	if f&BuildMotion != 0 {
		return instanceBytes + movingBytes
	}
	return instanceBytes
}

// CompactedSize returns the size of a compacted copy: the memory of its nodes and primitives.
func (s *Structure) CompactedSize() uint64 {
	if s == nil {
		return 0
	}
	n := uint64(headerBytes+geometryBytes*len(s.geometries)+nodeSize*len(s.nodes)+blockSize*(len(s.blocks)+len(s.moved))+
		boxWords*4*len(s.boxes)+roundBytes*len(s.rounds)+instanceWords*4*len(s.instances)) + s.opacityBytes()
	return min(n, s.Size())
}

// Compact returns a compacted copy of s. All structures are compact, and none changes: the copy is s.
func (s *Structure) Compact() *Structure { return s }
