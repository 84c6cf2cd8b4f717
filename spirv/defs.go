package spirv

// defs maps the id of each result to the number of its instruction plus one.
// A sane module numbers its ids densely and gets an array; where the bound
// lies far beyond the words, a map of the results that are there keeps the
// memory in proportion to the stream. It is a Go map, since nobody can choose
// ids that collide in one.
type defs struct {
	dense  []uint32
	sparse map[uint32]uint32
}

// isDense reports whether a module of so many words gets the array.
func isDense(bound uint32, words int) bool { return uint64(bound) <= 2*uint64(words) }

func (d *defs) at(id uint32) uint32 {
	if int(id) < len(d.dense) {
		return d.dense[id]
	}
	return d.sparse[id]
}

// set enters a result, unless it is there; then it returns what is there.
func (d *defs) set(id, inst uint32) (old uint32) {
	if int(id) < len(d.dense) {
		if old = d.dense[id]; old == 0 {
			d.dense[id] = inst
		}
		return old
	}
	if old = d.sparse[id]; old == 0 {
		d.sparse[id] = inst
	}
	return old
}
