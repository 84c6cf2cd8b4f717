package spirv

// defs maps the id of each result to the number of its instruction plus one.
// Most modules number their ids densely and get an array. If the bound is far
// larger than the number of words, a map of the existing results bounds the
// memory by the size of the stream. A Go map has a random hash seed, so an
// attacker cannot choose ids that collide.
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

// set stores a result, unless the id has one; then it returns the old one.
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
