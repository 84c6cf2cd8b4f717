package graph

import "encoding/binary"

// RunAreas runs workgroups of a program of Compose that has no payloads, in chunks, and visits the areas of the workgroups, of size bytes
// each, in the order of their numbers with x fastest. A chunk has so many areas that they are in the cache.
func RunAreas(groups [3]uint32, size uint32, dispatch func(params []byte, groups uint32) error, visit func(area []byte) error) error {
	const areas = 4 * paramWords
	total := uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2])
	chunk := max(min(total, 1<<20/uint64(size)), 1)
	m := make([]byte, (areas+7)&^7+chunk*uint64(size))
	put := func(word int, x uint64) { binary.LittleEndian.PutUint32(m[4*word:], uint32(x)) }
	for i, x := range groups {
		put(paramGroups+i, uint64(x))
	}
	put(paramEach, total)
	put(paramMost, 1)
	put(paramTotal, 1)
	put(paramAreas, (areas+7)&^7)
	put(paramAreaBytes, uint64(size))
	all := m[(areas+7)&^7:]
	for first := uint64(0); first < total; first += chunk {
		n := min(chunk, total-first)
		put(paramFirst, first)
		clear(all)
		if err := dispatch(m, uint32(n)); err != nil {
			return err
		}
		for i := range n {
			if err := visit(all[i*uint64(size):][:size]); err != nil {
				return err
			}
		}
	}
	return nil
}
