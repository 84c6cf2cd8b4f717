package raster

import "unsafe"

// shelf is where primitives of one tile stand side by side, so that who goes through
// the tile's items goes through memory in order.
type shelf struct{ next, end uint32 }

const shelfSize = 16

// number returns the number that the primitive has if it is kept: that of a place
// among those of the tile where its items begin, wherever the parts lie that it is
// covered in.
func (r *Rasterizer) number(tile int32) uint32 {
	if r.shelf != nil {
		return r.shelf.next
	}
	s := &r.shelves[tile]
	if s.next == s.end {
		r.extend(s)
	}
	r.shelf = s
	return s.next
}

// extend gives a tile room for more primitives.
func (r *Rasterizer) extend(s *shelf) {
	s.next = uint32(len(r.Primitives))
	s.end = s.next + shelfSize
	r.Primitives = longer(r.Primitives, shelfSize)
	r.Varyings = longer(r.Varyings, shelfSize*3*r.records.varyings())
	r.ahead(s.end)
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
func (r *Rasterizer) keep(p *draft, covered bool) {
	if !covered {
		return
	}
	q := r.kept(p)
	q.X, q.Y, q.Z, q.W, q.Q1, q.Q2, q.L1, q.L2 = p.X, p.Y, p.Z, p.W, p.Q1, p.Q2, p.L1, p.L2
}

// varyings is keep for a primitive whose place and planes are yet to be made: it returns
// where that is to be done.
func (r *Rasterizer) kept(p *draft) *Primitive {
	q, roles := r.next(&p.vertex, p.provoking)
	q.ID, q.Flags, q.Layer, q.MinZ, q.MaxZ = p.ID, p.Flags|roles|p.viewport<<ViewportShift, p.Layer, p.MinZ, p.MaxZ
	return q
}

// next is the place of the primitive that is being covered, and what its flags say of
// the records of its vertices, which are copied to where they stand with it.
func (r *Rasterizer) next(v *[3]uint32, provoking uint32) (q *Primitive, roles uint32) {
	n := r.shelf.next
	r.shelf.next++
	r.ahead(n + 1)
	r.shelf = nil
	r.record(3*n, v[0])
	r.record(3*n+1, v[1])
	if v[2] != v[0] { // as points and lines have it
		r.record(3*n+2, v[2])
		roles = 2 << ThirdShift
	}
	switch provoking {
	case v[0]:
	case v[1]:
		roles |= 1 << ProvokingShift
	case v[2]:
		roles |= 2 << ProvokingShift
	default: // an edge or a corner of a polygon, which lack a third vertex
		r.record(3*n+2, provoking)
		roles |= 2 << ProvokingShift
	}
	return &r.Primitives[n], roles
}

// ahead fetches into the caches the place of a primitive and where its records stand, as
// far as that lies in lines of the caches in which the one before has no part: the next
// one of the tile may come long after others, and so may the next shelf.
func (r *Rasterizer) ahead(n uint32) {
	if int(n) < cap(r.Primitives) {
		at := unsafe.Pointer(&r.Primitives[:n+1][n])
		prefetch(at, cacheLine-1, (4*PrimitiveWords+cacheLine-1)/cacheLine)
	}
	size := 3 * r.records.varyings()
	if at := int(n) * size; size > 0 && at+size <= cap(r.Varyings) {
		at := unsafe.Pointer(&r.Varyings[:at+size][at])
		prefetch(at, cacheLine-1, min((4*size+cacheLine-1)/cacheLine, mostLines))
	}
}

// fewWords is up to how many words it is quicker to copy one by one.
const fewWords = 8

// record copies the record of a vertex to where number n of those that are kept stands.
func (r *Rasterizer) record(n, vertex uint32) {
	size := r.records.varyings()
	to, from := r.Varyings[int(n)*size:][:size], r.records.Words[int(vertex)*r.records.Stride+r.records.Skip:][:size]
	if size > fewWords {
		copy(to, from)
		return
	}
	for i := range to {
		to[i] = from[i]
	}
}

// Bytes returns about how much memory what was made since [Rasterizer.Begin] takes.
func (r *Rasterizer) Bytes() int {
	return 8*r.words + 4*PrimitiveWords*len(r.Primitives) + 4*len(r.Varyings)
}
