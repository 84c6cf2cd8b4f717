package raster

import "unsafe"

// chunk is a range [next, end) of free slots in [Rasterizer.Primitives] that belongs to one tile.
// Primitives are allocated per tile in chunks of chunkSize, because fragments are shaded tile by tile: a
// tile's items then read primitives and varyings at mostly increasing addresses.
type chunk struct{ next, end uint32 }

// chunkSize is the number of primitives in a chunk. The slots a tile does not use are lost.
const chunkSize = 16

// reserve returns the index that the current primitive will have if it is committed: the next slot of the
// given tile, which is the tile of its first item. Later items, of other tiles, get the same index.
func (r *Rasterizer) reserve(tile int32) uint32 {
	if r.chunk != nil {
		return r.chunk.next
	}
	if r.state.InPlace {
		r.chunk = &r.inPlace.slot
		return r.chunk.next
	}
	s := &r.chunks[tile]
	if s.next == s.end {
		r.newChunk(tile)
	}
	r.chunk = s
	return s.next
}

// newChunk replaces a tile's used-up chunk by a new one at the end of Primitives.
func (r *Rasterizer) newChunk(tile int32) {
	s := &r.chunks[tile]
	s.next = uint32(len(r.Primitives))
	s.end = s.next + chunkSize
	r.used[tile/64] |= 1 << (tile % 64)
	r.Primitives = extend(r.Primitives, chunkSize)
	if !r.state.Short {
		r.Rests = extend(r.Rests, chunkSize)
	}
	r.Varyings = extend(r.Varyings, chunkSize*3*r.records.varyings())
	r.prefetchSlot(s.end)
}

// extend returns the list with n more elements of unspecified value (reused memory is not cleared).
func extend[T any](list []T, n int) []T {
	if n += len(list); n <= cap(list) {
		return list[:n]
	}
	return append(list, make([]T, n-len(list))...)
}

// commit adds primitive p, with the varyings of its vertices, to the slot that its items already name. A
// primitive that covers nothing is dropped, and its slot is reused by the tile's next primitive.
func (r *Rasterizer) commit(p *draft, covered bool) {
	if !covered {
		return
	}
	q := r.commitHeader(p)
	q.X, q.Y, q.Z, q.W, q.Q1, q.Q2, q.L1, q.L2 = p.X, p.Y, p.Z, p.W, p.Q1, p.Q2, p.L1, p.L2
}

// commitHeader is commit for a covered primitive before its reference point and planes are computed: the
// caller writes them to the result, in place, which saves a copy.
func (r *Rasterizer) commitHeader(p *draft) slot {
	q, roles := r.commitVaryings(&p.vertex, p.provoking)
	q.ID, q.Flags, q.Layer, q.MinZ, q.MaxZ = p.ID, p.Flags|roles|p.viewport<<ViewportShift, p.Layer, p.MinZ, p.MaxZ
	return q
}

// commitVaryings uses up the reserved slot for the current primitive, copies the records of its vertices, and
// returns the slot and the flag bits that tell which record is which.
func (r *Rasterizer) commitVaryings(v *[3]uint32, provoking uint32) (q slot, roles uint32) {
	if r.state.InPlace {
		r.chunk, r.inPlace.covered = nil, true
		return r.inPlace.primitive.slot(), 0
	}
	n := r.chunk.next
	r.chunk.next++
	if r.recent != r.chunk {
		if r.recent != nil {
			r.prefetchSlot(r.recent.next)
		}
		r.recent = r.chunk
	}
	r.chunk = nil
	r.copyVaryings(3*n, v[0])
	r.copyVaryings(3*n+1, v[1])
	switch v[2] {
	case v[0]: // a point
	case v[1]: // a line
		roles = 1 << ThirdShift
	default:
		r.copyVaryings(3*n+2, v[2])
		roles = 2 << ThirdShift
	}
	switch provoking {
	case v[0]:
	case v[1]:
		roles |= 1 << ProvokingShift
	case v[2]:
		roles |= 2 << ProvokingShift
	default: // an edge or a corner of a polygon: its third record is free
		r.copyVaryings(3*n+2, provoking)
		roles |= 2 << ProvokingShift
	}
	return r.slot(n), roles
}

// slot returns the slot with index n.
func (r *Rasterizer) slot(n uint32) slot {
	rest := &r.dropped
	if !r.state.Short {
		rest = &r.Rests[n]
	}
	return slot{&r.Primitives[n], rest}
}

// prefetchSlot prefetches slot n of Primitives and its varyings, less the cache line that they share with
// slot n−1. It runs for a tile whose next primitive does not follow at once: the slot may have left the caches by then.
// Consecutive slots need no prefetch.
func (r *Rasterizer) prefetchSlot(n uint32) {
	if int(n) < cap(r.Primitives) {
		at := unsafe.Pointer(&r.Primitives[:n+1][n])
		prefetch(at, cacheLine-1, (4*PrimitiveWords+cacheLine-1)/cacheLine)
	}
	if int(n) < cap(r.Rests) && !r.state.Short {
		prefetch(unsafe.Pointer(&r.Rests[:n+1][n]), cacheLine-1, 1)
	}
	size := 3 * r.records.varyings()
	if at := int(n) * size; size > 0 && at+size <= cap(r.Varyings) {
		at := unsafe.Pointer(&r.Varyings[:at+size][at])
		prefetch(at, cacheLine-1, min((4*size+cacheLine-1)/cacheLine, maxPrefetchLines))
	}
}

// maxLoopCopy is the number of words up to which a loop copies faster than a call of memmove.
const maxLoopCopy = 8

// copyVaryings copies the record of a vertex, without its first Skip words, to index n of Varyings.
func (r *Rasterizer) copyVaryings(n, vertex uint32) {
	size := r.records.varyings()
	to, from := r.Varyings[int(n)*size:][:size], r.records.Words[int(vertex)*r.records.Stride+r.records.Skip:][:size]
	if size > maxLoopCopy {
		copy(to, from)
		return
	}
	for ; len(to) >= 4 && len(from) >= 4; to, from = to[4:], from[4:] { // a location
		*(*[4]uint32)(to) = *(*[4]uint32)(from)
	}
	for i := range to {
		to[i] = from[i]
	}
}

// Bytes returns the approximate size in bytes of all items, primitives and varyings since
// [Rasterizer.Begin].
func (r *Rasterizer) Bytes() int {
	return 8*r.words + 4*PrimitiveWords*len(r.Primitives) + 4*PrimitiveRestWords*len(r.Rests) + 4*len(r.Varyings)
}
