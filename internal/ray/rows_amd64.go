package ray

// Operations on rows: 16 words, one for each ray of a packet. A stride is the distance of two rows in bytes; the rows of a packet
// follow one another.

// copyRowsAVX2 copies rows, at least one, with a stride to the rows of a packet.
//
//go:noescape
func copyRowsAVX2(to, from *uint32, stride, rows int)

// blendRowsAVX2 copies lanes of the rows of a packet, at least one, to rows with a stride.
//
//go:noescape
func blendRowsAVX2(to *uint32, stride int, from *uint32, rows int, lanes uint32)

// fillRowAVX2 sets lanes of a row to x.
//
//go:noescape
func fillRowAVX2(to *uint32, x, lanes uint32)

// differsAVX2 reports whether one of the lanes of a row is not x.
//
//go:noescape
func differsAVX2(row *uint32, x, lanes uint32) bool

// beginsAVX2 reports whether the queries of lanes in rows with a stride begin, in the structure of a number.
//
//go:noescape
func beginsAVX2(memory *uint32, stride int, structure uint64, lanes uint32) bool

// equalAVX2 returns the lanes of a row that are x.
//
//go:noescape
func equalAVX2(row *[PacketLanes]uint32, x uint32) uint32

// beginAVX2 sets the intervals of rays. It returns the lanes that can hit anything, and whether their flags or masks differ.
//
//go:noescape
func beginAVX2(r *PacketRays, low, high *rows, lanes uint32) (valid uint32, different bool)
