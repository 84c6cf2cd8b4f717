package raster

// shelf is where primitives of one tile stand side by side, so that who goes through
// the tile's items goes through memory in order.
type shelf struct{ next, end uint32 }

const shelfSize = 16

// number returns the number that the next primitive has if it is kept: that of a place
// among those of the tile where its items begin.
func (r *Rasterizer) number(tile int32) uint32 {
	s := &r.shelves[tile]
	if s.next == s.end {
		s.next = uint32(len(r.Primitives))
		s.end = s.next + shelfSize
		r.Primitives = longer(r.Primitives, shelfSize)
		r.Kept = longer(r.Kept, shelfSize*3*r.records.Stride)
	}
	r.shelf = s
	return s.next
}

// longer returns a list with n more elements, whatever they are.
func longer[T any](list []T, n int) []T {
	if n += len(list); n <= cap(list) {
		return list[:n]
	}
	return append(list, make([]T, n-len(list))...)
}

// keep adds a primitive to the others where something of it was covered, with the
// records of its vertices. The items of it, which stand already, have the number that
// it then has.
func (r *Rasterizer) keep(p *Primitive, covered bool) {
	if !covered {
		return
	}
	n := r.shelf.next
	r.shelf.next++
	q := &r.Primitives[n]
	*q = *p
	first := 3 * n
	for i, v := range p.Vertex {
		if i > 0 && v == p.Vertex[0] { // as points and lines have it
			q.Vertex[i] = first
		} else {
			q.Vertex[i] = r.record(first+uint32(i), v)
		}
	}
	switch p.Provoking {
	case p.Vertex[0], p.Vertex[1], p.Vertex[2]:
		for i, v := range p.Vertex {
			if v == p.Provoking {
				q.Provoking = q.Vertex[i]
			}
		}
	default: // an edge or a corner of a polygon, which lack a third vertex
		q.Provoking = r.record(first+2, p.Provoking)
	}
}

// record copies the record of a vertex to where number n of those that are kept stands,
// and returns n.
func (r *Rasterizer) record(n, vertex uint32) uint32 {
	size := r.records.Stride
	copy(r.Kept[int(n)*size:][:size], r.records.Words[int(vertex)*size:][:size])
	return n
}

// Bytes returns about how much memory what was made since [Rasterizer.Begin] takes.
func (r *Rasterizer) Bytes() int {
	return 8*r.words + 4*PrimitiveWords*len(r.Primitives) + 4*len(r.Kept)
}
