package spirv

// defs maps the id of each result to the number of its instruction plus one.
// A sane module numbers its ids densely and gets an array; where the bound
// lies far beyond the words, an open-addressing table of the results that are
// there keeps the memory in proportion to the stream.
type defs struct {
	dense []uint32
	ids   []uint32 // of the open-addressing table; 0 is an empty slot
	insts []uint32
}

// room makes place for the ids below bound, in a module of so many words and
// instructions.
func (d *defs) room(bound uint32, words, insts int, spare []uint32) {
	if uint64(bound) <= uint64(words) {
		d.dense = spare[:bound:bound]
		return
	}
	size := 8
	for size < 2*insts {
		size *= 2
	}
	d.ids, d.insts = make([]uint32, size), make([]uint32, size)
}

func (d *defs) at(id uint32) uint32 {
	if int(id) < len(d.dense) {
		return d.dense[id]
	}
	if d.ids == nil || id == 0 {
		return 0
	}
	return d.insts[d.slot(id)]
}

// set enters a result and reports whether it was new.
func (d *defs) set(id, inst uint32) bool {
	if int(id) < len(d.dense) {
		old := d.dense[id]
		d.dense[id] = inst
		return old == 0
	}
	s := d.slot(id)
	if d.ids[s] == id {
		return false
	}
	d.ids[s], d.insts[s] = id, inst
	return true
}

func (d *defs) slot(id uint32) uint32 {
	mask := uint32(len(d.ids) - 1)
	h := id * 0x9e3779b1
	h ^= h >> 16
	for {
		h &= mask
		if d.ids[h] == id || d.ids[h] == 0 {
			return h
		}
		h++
	}
}
