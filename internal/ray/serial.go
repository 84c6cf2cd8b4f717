package ray

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// SerialVersion is the version of the serialized form.
const SerialVersion = "6"

// The serialized form consists of Vulkan's 64-bit words (the size with Vulkan's 32 bytes of UUIDs before it, the size
// of the structure, the number of handles, the handles) and of 32-bit words, all little endian:
//
//	serialMagic, top, kind, flags, the number of geometries and their words
//	bottom level: root, the numbers of nodes, blocks, moved blocks, boxes and rounds, and their words; the opacity
//	top level: the number of instances, and for each its words and its motion
//
// A top level holds instances only: their tree depends on the bottom levels, which are others after a deserialization.
const (
	serialMagic   = 0x31796172 // "ray1"
	uuidBytes     = 32
	nodeWords     = nodeSize / 4
	blockWords    = blockSize / 4
	boxWords      = 8
	geometryWords = 3
	// instanceWords: 12 of the matrix, custom index, record offset, mask, flags, the index of the handle plus 1, and the kind of
	// motion: none, of a matrix, which follows, or of a decomposition, of which both ends follow.
	instanceWords = 18
)

// ErrCorrupt is wrapped by the errors of Deserialize.
var ErrCorrupt = errors.New("corrupt serialized acceleration structure")

// Handles returns the references of the bottom levels: one for each instance that has one, in the order of the instances. Vulkan
// leaves number and order to the implementation, but applications write a handle for each instance.
func (s *Structure) Handles() []uint64 {
	if s == nil {
		return nil
	}
	list := make([]uint64, 0, s.handles())
	for i := range s.instances {
		if r := s.instances[i].Reference; r != 0 {
			list = append(list, r)
		}
	}
	return list
}

// handles returns the number of Handles.
func (s *Structure) handles() (n int) {
	for i := range s.instances {
		if s.instances[i].Reference != 0 {
			n++
		}
	}
	return n
}

// SerializedSize returns the number of bytes that Serialize writes.
func (s *Structure) SerializedSize() uint64 {
	if s == nil {
		return 0
	}
	return s.serializedSize(s.handles())
}

// serializedSize is SerializedSize of a structure with a number of handles.
func (s *Structure) serializedSize(handles int) uint64 {
	words := 5 + geometryWords*len(s.geometries)
	if s.top {
		words += 1 + instanceWords*len(s.instances)
		for i := range s.instances {
			words += s.motion(i).words()
		}
	} else {
		opacity, _ := s.opacityWords()
		words += 6 + opacity + nodeWords*len(s.nodes) + blockWords*(len(s.blocks)+len(s.moved)) + boxWords*len(s.boxes) + roundWords*len(s.rounds)
	}
	return uint64(24 + 8*handles + 4*words)
}

// Serialize writes s to the first SerializedSize bytes of to. It writes nothing if to is shorter.
func (s *Structure) Serialize(to []byte) {
	if s == nil {
		return
	}
	handles := s.Handles()
	size := s.serializedSize(len(handles))
	if uint64(len(to)) < size {
		return
	}
	b := to[:0:size]
	b = binary.LittleEndian.AppendUint64(b, size+uuidBytes)
	_, embedded := s.opacityWords()
	b = binary.LittleEndian.AppendUint64(b, s.Size()+embedded-s.embedded)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(handles)))
	for _, h := range handles {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	var top uint32
	if s.top {
		top = 1
	}
	b = appendWords(b, serialMagic, top, uint32(s.kind), uint32(s.flags), uint32(len(s.geometries)))
	for _, g := range s.geometries {
		moves := uint32(0)
		if g.moves {
			moves = 1
		}
		b = appendWords(b, uint32(g.Flags), g.Primitives, moves)
	}
	if s.top {
		b = appendWords(b, uint32(len(s.instances)))
		last := uint32(0) // number of a handle
		for i := range s.instances {
			p := &s.instances[i]
			for _, x := range p.Transform {
				b = appendWords(b, math.Float32bits(x))
			}
			number := uint32(0)
			if p.Reference != 0 {
				last++
				number = last
			}
			b = appendWords(b, p.Custom, p.RecordOffset, uint32(p.Mask), uint32(p.Flags), number)
			b = s.motion(i).append(b)
		}
		return
	}
	b = appendWords(b, uint32(s.root), uint32(len(s.nodes)), uint32(len(s.blocks)), uint32(len(s.moved)), uint32(len(s.boxes)), uint32(len(s.rounds)))
	b = appendWords(b, wordsOf(s.nodes)...)
	b = appendWords(b, wordsOf(s.blocks)...)
	b = appendWords(b, wordsOf(s.moved)...)
	b = appendWords(b, wordsOf(s.boxes)...)
	b = appendWords(b, wordsOf(s.rounds)...)
	s.appendOpacity(b)
}

// appendWords appends words, little endian.
func appendWords(b []byte, words ...uint32) []byte {
	for _, x := range words {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// wordsOf returns the words of a list, which consist of 4-byte fields.
func wordsOf[T node | block | box | round | microTriangle](list []T) []uint32 {
	if len(list) == 0 {
		return nil
	}
	var one T
	return unsafe.Slice((*uint32)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(one)/4))
}

// source reads words from memory that another thread may write: it reads each byte once.
type source struct {
	b     []byte
	short bool
}

// word returns the next word.
func (r *source) word() uint32 {
	if len(r.b) < 4 {
		r.short = true
		return 0
	}
	x := binary.LittleEndian.Uint32(r.b)
	r.b = r.b[4:]
	return x
}

// long returns the next 64-bit word.
func (r *source) long() uint64 { return uint64(r.word()) | uint64(r.word())<<32 }

// count returns the next word, a number of elements with a number of words each.
func (r *source) count(words int) int {
	n := r.word()
	if uint64(n)*uint64(words)*4 > uint64(len(r.b)) {
		r.short = true
		return 0
	}
	return int(n)
}

// read reads the words of a list of n elements.
func read[T node | block | box | round | microTriangle](r *source, n int) []T {
	if n == 0 {
		return nil
	}
	list := make([]T, n)
	words := wordsOf(list)
	for i := range words {
		words[i] = r.word()
	}
	return list
}

// Deserialize reads a structure from the start of from. The function find returns the bottom level of a handle, or
// nil; its instances are then inactive.
func Deserialize(from []byte, find func(reference uint64) *Structure) (*Structure, error) {
	r := source{b: from}
	r.long()
	r.long()
	count := r.long()
	blocks := count == BlockFormat
	if blocks {
		count = 0
	}
	if count > uint64(len(r.b))/8 {
		return nil, fmt.Errorf("%w: %d handles", ErrCorrupt, count)
	}
	handles := make([]uint64, count)
	for i := range handles {
		handles[i] = r.long()
	}
	if r.word() != serialMagic {
		return nil, fmt.Errorf("%w: no magic number", ErrCorrupt)
	}
	s := &Structure{root: emptyRef, spread: 1}
	if s.top = r.word() != 0; s.top && blocks {
		return nil, fmt.Errorf("%w: a top level with blocks", ErrCorrupt)
	}
	s.kind, s.flags = Kind(r.word()), BuildFlags(r.word())
	s.geometries = make([]geometryInfo, r.count(geometryWords))
	for i := range s.geometries {
		s.geometries[i] = geometryInfo{GeometryFlags(r.word()), r.word(), r.word() != 0}
	}
	var err error
	if s.top {
		s, err = readTop(&r, s, handles, find)
	} else {
		s.root = ref(r.word())
		nodes, blocks, moved := r.count(nodeWords), r.count(blockWords), r.count(blockWords)
		boxes, rounds := r.count(boxWords), r.count(roundWords)
		s.nodes = read[node](&r, nodes)
		s.blocks = read[block](&r, blocks)
		s.moved = read[block](&r, moved)
		s.boxes = read[box](&r, boxes)
		s.rounds = read[round](&r, rounds)
		if err = s.readOpacity(&r); err == nil {
			err = s.check()
		}
	}
	switch {
	case r.short:
		return nil, fmt.Errorf("%w: the data end too early", ErrCorrupt)
	case err != nil:
		return nil, err
	}
	return s, nil
}

// readTop reads the instances of a top level and builds it.
func readTop(r *source, s *Structure, handles []uint64, find func(uint64) *Structure) (*Structure, error) {
	in := Input{Flags: s.flags, Top: true}
	in.Instances = make([]Instance, r.count(instanceWords))
	for i := range in.Instances {
		p := &in.Instances[i]
		for k := range p.Transform {
			p.Transform[k] = math.Float32frombits(r.word())
		}
		p.Custom, p.RecordOffset, p.Mask, p.Flags = r.word(), r.word(), uint8(r.word()), InstanceFlags(r.word())
		if h := r.word(); h > uint32(len(handles)) {
			return nil, fmt.Errorf("%w: instance %d has no handle", ErrCorrupt, i)
		} else if h > 0 {
			p.Reference = handles[h-1]
			p.Bottom = find(p.Reference)
		}
		var err error
		if p.Motion, err = readMotion(r); err != nil {
			return nil, err
		}
	}
	return Build(&in)
}

// Unlinked reports whether an instance of s has a reference without a bottom level.
func (s *Structure) Unlinked() bool {
	if s == nil {
		return false
	}
	for i := range s.instances {
		if p := &s.instances[i]; s.bottoms[i] == nil && p.Reference != 0 {
			return true
		}
	}
	return false
}

// Relink returns s with the bottom levels that find returns for the references of its instances: s itself if it has
// them.
func (s *Structure) Relink(find func(reference uint64) *Structure) *Structure {
	if s == nil || !s.top {
		return s
	}
	in := Input{Flags: s.flags, Top: true, Instances: make([]Instance, len(s.instances))}
	same := true
	for i := range s.instances {
		in.Instances[i] = s.instance(i)
		if x := &in.Instances[i]; x.Reference != 0 {
			old := x.Bottom
			x.Bottom = find(x.Reference)
			same = same && x.Bottom == old
		}
	}
	if same {
		return s
	}
	if r, err := Build(&in); err == nil {
		return r
	}
	return s
}
