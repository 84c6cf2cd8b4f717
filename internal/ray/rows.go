package ray

import (
	"math/bits"
	"unsafe"
)

// Rows are memory of rays by word: word i of the ray of lane l is Memory[i·Stride+l]. A ray has the words of a Query and then those of
// the number of its structure.
type Rows struct {
	Memory []uint32
	Stride int
	Lanes  int // at most PacketLanes
}

// wordSize is the size of a word in bytes.
const wordSize = 4

// The words of a query that decide whether its traversal begins.
const (
	wordCommitted = int(unsafe.Offsetof(Query{}.Committed) / wordSize) // its kind
	wordStarted   = int(unsafe.Offsetof(Query{}.started) / wordSize)
	wordEnded     = int(unsafe.Offsetof(Query{}.ended) / wordSize)
)

// The kind is the first word of a hit.
var _ [0]struct{} = [unsafe.Offsetof(Hit{}.Kind)]struct{}{}

// full reports whether machine code accesses the rows.
func (r *Rows) full() bool { return hasKernel && r.Lanes == PacketLanes }

// row returns the first PacketLanes words of a row, or the lanes if they are fewer.
func (r *Rows) row(i int) []uint32 { return r.Memory[i*r.Stride:][:min(r.Lanes, PacketLanes)] }

// Begin reports whether the traversals of all lanes begin, in the structure of a number.
func (r *Rows) Begin(lanes uint32, structure uint64) bool {
	if r.full() {
		r.row(int(QueryWords) + 1) // it exists
		return beginsAVX2(&r.Memory[0], wordSize*r.Stride, structure, lanes)
	}
	return !r.differs(wordStarted, 0, lanes) && !r.differs(wordEnded, 0, lanes) && !r.differs(wordCommitted, 0, lanes) &&
		!r.differs(int(QueryWords), uint32(structure), lanes) && !r.differs(int(QueryWords)+1, uint32(structure>>32), lanes)
}

// differs reports whether one of the lanes of a row is not x.
func (r *Rows) differs(i int, x, lanes uint32) bool {
	row := r.row(i)
	if r.full() {
		return differsAVX2(&row[0], x, lanes)
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if row[bits.TrailingZeros32(lanes)] != x {
			return true
		}
	}
	return false
}

// Fill sets lanes of a row to x.
func (r *Rows) Fill(i int, x, lanes uint32) {
	row := r.row(i)
	if r.full() {
		fillRowAVX2(&row[0], x, lanes)
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		row[bits.TrailingZeros32(lanes)] = x
	}
}

// Load copies the rays to p.
func (r *Rows) Load(p *PacketRays) {
	to := (*[unsafe.Sizeof(*p) / wordSize]uint32)(unsafe.Pointer(p))
	if r.full() {
		r.row(len(to)/PacketLanes - 1) // it exists
		copyRowsAVX2(&to[0], &r.Memory[0], wordSize*r.Stride, len(to)/PacketLanes)
		return
	}
	for i := 0; i < len(to); i += PacketLanes {
		copy(to[i:i+PacketLanes], r.row(i/PacketLanes))
	}
}

// Store copies the hits of lanes to the rows from i on.
func (r *Rows) Store(i int, h *PacketHits, lanes uint32) {
	r.store(i, (*[unsafe.Sizeof(*h) / wordSize]uint32)(unsafe.Pointer(h))[:], lanes)
}

// StoreKeys copies the last candidates of queries to the rows from i on.
func (r *Rows) StoreKeys(i int, h *PacketHits, lanes uint32) {
	t := (*[PacketLanes]uint32)(unsafe.Pointer(&h.T))
	for n, row := range [4]*[PacketLanes]uint32{t, &h.Instance, &h.Geometry, &h.Primitive} {
		r.store(i+n, row[:], lanes)
	}
}

// store copies lanes of rows of a packet to the rows from i on.
func (r *Rows) store(i int, from []uint32, lanes uint32) {
	if lanes == 0 {
		return
	}
	if r.full() {
		r.row(i + len(from)/PacketLanes - 1) // it exists
		blendRowsAVX2(&r.Memory[i*r.Stride], wordSize*r.Stride, &from[0], len(from)/PacketLanes, lanes)
		return
	}
	for n := 0; n < len(from); n += PacketLanes {
		row := r.row(i + n/PacketLanes)
		for rest := lanes; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			row[lane] = from[n+lane]
		}
	}
}
