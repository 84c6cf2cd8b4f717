package ray

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// The serialized opacity of a bottom level: the number of micromaps and their contents (the numbers of triangles and bytes,
// the triangles, the bytes up to a multiple of four), then for each geometry the number of its triangles and, unless that is
// 0, the number of its micromap plus 1 and the triangles' numbers. A structure without opacity has no micromaps and no
// geometries: a single 0, then another one.

// micromaps returns the micromaps of s, each once, and their numbers plus 1. A nil Micromap has the number 0.
func (s *Structure) micromaps() (list []*Micromap, numbers map[*Micromap]uint32) {
	numbers = map[*Micromap]uint32{nil: 0}
	for i := range s.opacity {
		m := s.opacity[i].of
		if _, known := numbers[m]; !known {
			list = append(list, m)
			numbers[m] = uint32(len(list))
		}
	}
	return list, numbers
}

// opacityWords returns the number of words of the opacity, and the bytes of the micromaps.
func (s *Structure) opacityWords() (words int, embedded uint64) {
	words = 2
	list, _ := s.micromaps()
	for _, m := range list {
		words += m.words()
		embedded += m.Size()
	}
	for i := range s.opacity {
		words++
		if n := len(s.opacity[i].numbers); n > 0 {
			words += 1 + n
		}
	}
	return words, embedded
}

// appendOpacity appends the opacity.
func (s *Structure) appendOpacity(b []byte) []byte {
	list, numbers := s.micromaps()
	b = appendWords(b, uint32(len(list)))
	for _, m := range list {
		b = m.append(b)
	}
	b = appendWords(b, uint32(len(s.opacity)))
	for i := range s.opacity {
		o := &s.opacity[i]
		b = appendWords(b, uint32(len(o.numbers)))
		if len(o.numbers) > 0 {
			b = appendWords(b, numbers[o.of])
			b = appendWords(b, o.numbers...)
		}
	}
	return b
}

// readOpacity reads and checks the opacity.
func (s *Structure) readOpacity(r *source) error {
	maps := make([]*Micromap, r.count(2))
	for i := range maps {
		m, err := readMicromap(r)
		if err != nil {
			return fmt.Errorf("micromap %d: %w", i, err)
		}
		maps[i] = m
		s.embedded += m.Size()
	}
	geometries := r.count(1)
	if geometries != 0 && geometries != len(s.geometries) {
		return fmt.Errorf("%w: %d geometries with opacity", ErrCorrupt, geometries)
	}
	if geometries > 0 {
		s.opacity = make([]opacityMap, geometries)
	}
	for i := range s.opacity {
		n := r.count(1)
		if n == 0 {
			continue
		}
		of := r.word()
		if uint64(of) > uint64(len(maps)) {
			return fmt.Errorf("%w: geometry %d has no micromap", ErrCorrupt, i)
		}
		if of > 0 {
			s.opacity[i].of = maps[of-1]
		}
		s.opacity[i].numbers = make([]uint32, r.bounded(uint64(n)))
		for k := range s.opacity[i].numbers {
			s.opacity[i].numbers[k] = r.word()
		}
	}
	return nil
}

// words returns the number of words of the serialized micromap.
func (m *Micromap) words() int { return 2 + microWords*len(m.triangles) + (len(m.data)+3)/4 }

// append appends the words of m.
func (m *Micromap) append(b []byte) []byte {
	b = appendWords(b, uint32(len(m.triangles)), uint32(len(m.data)))
	b = appendWords(b, wordsOf(m.triangles)...)
	b = append(b, m.data...)
	return append(b, make([]byte, -len(m.data)&3)...)
}

// readMicromap reads and checks a micromap.
func readMicromap(r *source) (*Micromap, error) {
	m := &Micromap{}
	triangles, bytes := r.count(microWords), r.word()
	m.triangles = read[microTriangle](r, triangles)
	padded := 4 * r.bounded((uint64(bytes)+3)/4)
	m.data = slices.Clone(r.b[:min(uint64(bytes), padded)])
	r.b = r.b[padded:]
	for i, t := range m.triangles {
		if n := MicroBytes(t.format, t.level); t != (microTriangle{}) && (n == 0 || uint64(t.offset)+n > uint64(len(m.data))) {
			return nil, fmt.Errorf("%w: triangle %d has no data", ErrCorrupt, i)
		}
	}
	return m, nil
}

// A BuiltMicromap is a micromap with the flags of its build (VkBuildMicromapFlagBitsEXT). Its serialized form has both: a copy of the
// micromap can be compacted if the build allows that.
type BuiltMicromap struct {
	Map   *Micromap
	Flags uint32
}

// SerializedSize returns the number of bytes that Serialize writes: their number, in 64 bits, the flags and the words of the micromap.
func (m BuiltMicromap) SerializedSize() uint64 { return 8 + 4*uint64(1+m.Map.words()) }

// Serialize writes m to the first SerializedSize bytes of to. It writes nothing if to is shorter.
func (m BuiltMicromap) Serialize(to []byte) {
	if n := m.SerializedSize(); uint64(len(to)) >= n {
		m.Map.append(appendWords(binary.LittleEndian.AppendUint64(to[:0:n], n), m.Flags))
	}
}

// DeserializeMicromap reads a micromap from the start of from.
func DeserializeMicromap(from []byte) (m BuiltMicromap, err error) {
	r := source{b: from}
	r.long()
	m.Flags = r.word()
	m.Map, err = readMicromap(&r)
	if err == nil && r.short {
		err = fmt.Errorf("%w: the data end too early", ErrCorrupt)
	}
	return m, err
}

// A serialized micromap that is an acceleration structure has Vulkan's 64-bit words as other structures have (the size with
// Vulkan's 32 bytes of UUIDs before it, the size of the micromap, no blocks), then microMagic, the flags of its build, and the
// words of the micromap.
const (
	microMagic     = 0x316d6d6f // "omm1"
	microHeader    = 24
	microFlagWords = 2
)

// BlockFormat is the number of handles of a serialized bottom level, or micromap, in place of which blocks follow: the low 32 bits are
// the number of blocks.
const BlockFormat = 0xffffffff << 32

// StructureMicromap is a micromap that is an acceleration structure, with the flags of its build.
type StructureMicromap struct {
	Map   *Micromap
	Flags BuildFlags
	Bytes uint64 // the size of the structure
}

// SerializedSize returns the number of bytes that Serialize writes.
func (m StructureMicromap) SerializedSize() uint64 {
	return microHeader + 4*uint64(microFlagWords+m.Map.words())
}

// Serialize writes m to the first SerializedSize bytes of to. It writes nothing if to is shorter.
func (m StructureMicromap) Serialize(to []byte) {
	n := m.SerializedSize()
	if uint64(len(to)) < n {
		return
	}
	b := to[:0:n]
	for _, x := range [...]uint64{n + uuidBytes, m.Bytes, BlockFormat} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	m.Map.append(appendWords(b, microMagic, uint32(m.Flags)))
}

// DeserializeStructureMicromap reads a micromap that is an acceleration structure from the start of from. It is not ok if the data are
// of another structure.
func DeserializeStructureMicromap(from []byte) (m StructureMicromap, ok bool, err error) {
	r := source{b: from}
	r.long()
	r.long()
	if r.long() != BlockFormat || r.word() != microMagic {
		return m, false, nil
	}
	m.Flags = BuildFlags(r.word())
	m.Map, err = readMicromap(&r)
	if err == nil && r.short {
		err = fmt.Errorf("%w: the data end too early", ErrCorrupt)
	}
	return m, true, err
}

// bounded returns n, the number of words that follow, or 0 if the data are shorter.
func (r *source) bounded(n uint64) uint64 {
	if n > uint64(len(r.b))/4 {
		r.short = true
		return 0
	}
	return n
}
