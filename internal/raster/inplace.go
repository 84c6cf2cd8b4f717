package raster

import "math"

// Triangles in place
//
// With State.InPlace the primitives of a draw are the triangles of its batches: triangle i of batch n is primitive
// n·BatchSize + i. Neither the triangle nor the records of its vertices are copied; fragments read the batch, and the records
// by the numbers of the vertices. It suits small draws, because words of a triangle are in many cache lines: a batch is 10 KB.
// The state has no depth bias, and the vertices select neither viewport nor layer.

// Batches are batches of triangles in place, each followed by further words of its triangles, of which this package knows nothing.
type Batches struct {
	Rows  [][BatchSize]uint32
	Words int // of a batch with those that follow it
}

// At returns batch n.
func (b *Batches) At(n int) *Batch { return (*Batch)(b.Rows[n*b.Words:]) }

// inPlace is the triangle under setup.
type inPlace struct {
	slot      chunk // its number is next
	primitive draft // of the general path
	covered   bool
}

// BatchInPlace adds the items of the triangles of a batch from number i on up to n, of which the first one is primitive first. It
// returns the number of the next triangle that [Rasterizer.TriangleInPlace] must add, or n.
func (r *Rasterizer) BatchInPlace(b *Batch, first uint32, i, n uint) uint {
	states, blocks, low, high := &b[BatchState], &b[BatchBlock], &b[BatchMask], &b[BatchMask+1]
	// Neighbours are mostly in one tile, whose items are in list.
	last, words := uint32(BatchEmpty), 0
	var list []uint64
	end := min(n, BatchSize)
	for ; i < end; i++ {
		state := states[i]
		if state != last {
			if state >= BatchSplit {
				if state == BatchEmpty {
					continue
				}
				n = i
				break
			}
			if last != BatchEmpty {
				r.tiles[last] = list
			}
			last, list = state, *r.items(int32(state))
		}
		list = append(list, uint64(first+uint32(i))|uint64(blocks[i])<<32, uint64(low[i])|uint64(high[i])<<32)
		words += 2
	}
	if last != BatchEmpty {
		r.tiles[last] = list
	}
	r.words += words
	return n
}

// TriangleInPlace adds triangle i of a batch, which is primitive number, as [Rasterizer.BatchTriangle] would.
func (r *Rasterizer) TriangleInPlace(b *Batch, number uint32, i uint, v *[3]uint32, provoking, id uint32) {
	i %= BatchSize
	r.inPlace.slot.next, r.inPlace.covered = number, false
	switch b[BatchState][i] {
	case BatchUnclipped:
		r.batchUnclipped(b, i)
	case BatchSplit:
		r.batchSplit(b[BatchBlock][i], b.mask(i))
	case BatchFallback:
		if r.Triangle(*v, provoking, id); r.inPlace.covered {
			b.set(i, r.inPlace.primitive.slot())
		}
	}
}

// set makes triangle i of a batch a primitive of the general path.
func (b *Batch) set(i uint, p slot) {
	f := func(word int, list ...float32) {
		for k, x := range list {
			b[word+k][i] = math.Float32bits(x)
		}
	}
	b[BatchFlags][i] = p.Flags
	f(BatchX, p.X, p.Y)
	f(BatchZ, p.Z.C, p.Z.X, p.Z.Y)
	f(BatchW, p.W.C, p.W.X, p.W.Y)
	f(BatchQ1, p.Q1.X, p.Q1.Y)
	f(BatchQ2, p.Q2.X, p.Q2.Y)
	f(BatchL1, p.L1.X, p.L1.Y)
	f(BatchL2, p.L2.X, p.L2.Y)
	f(BatchQ1C, p.Q1.C, p.Q2.C, p.L1.C, p.L2.C)
}

// Depth returns triangle i of a batch as a primitive with the plane of the depth alone.
func (b *Batch) Depth(i uint) (p Primitive) {
	i %= BatchSize
	f := func(word int) float32 { return math.Float32frombits(b[word][i]) }
	p.X, p.Y, p.Z = f(BatchX), f(BatchY), Plane{f(BatchZ), f(BatchZ + 1), f(BatchZ + 2)}
	return p
}
