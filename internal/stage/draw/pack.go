package draw

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Packs: the quads of small triangles are shaded together (package shade, pack.go). The quads of a tile are put into packs
// by list scheduling (Graham 1969): in primitive order, each quad goes to the first pack that has space and follows the pack
// with the previous quad of the same pixels. Two quads per pack, letters are pixels, numbers primitives:
//
//	quads   A1 A2 B2 C3 A3 B3
//	packs   A1 B2 │ A2 C3 │ A3 B3
//
// Fragments of different pixels of a tile may run in any order: nothing observes it.
//
// Triangles of a few pixels leave lanes of their quads idle. If no lane reads another one of its quad, a pack has the covered
// pixels of quads, a lane for each. They are in the same order: the next quad of the same pixels is in a later pack than the
// last pixel of a quad.

// packing selects the draws with packs; tests change it.
var packing = packSmall

const (
	packSmall  = iota // draws of a pipeline with small triangles and a long program, or with tiny ones and a short program
	packAll           // all that can be packed
	packPixels        // all that can be packed, pixels where quads are not needed
	packNone
)

// quadsAcross is the number of quads in a tile along an axis.
const quadsAcross = raster.Tile / 2

// packer puts quads into packs.
type packer struct {
	quads  int                              // of a pack
	pixels bool                             // these have one covered pixel each
	next   [quadsAcross * quadsAcross]int32 // by position in the tile: the first pack that may have the next quad
	fill   []uint16                         // by pack of the tile: its quads
	rows   [raster.Tile]uint64              // covered pixels of the tile
	stale  bool                             // next is of another bin list
}

// start begins a bin list with packs of n quads, or of n pixels.
func (p *packer) start(n int, pixels bool) {
	p.quads, p.pixels, p.stale = n, pixels, true
}

// pack appends the packs of the items of a tile to a list of packs. Numbers of packs count from the start of the list, so
// that the numbers in next of an earlier tile are too small to matter.
//
// Each pack from the first one with space on has space. After that one, a quad is in a pack only if the pack before has the
// previous quad of the same pixels. So no pack has more quads than the pack before.
func (p *packer) pack(to, items []uint64) []uint64 {
	if p.pixels {
		if list, ok := p.packOnce(to, items); ok {
			return list
		}
	}
	if p.stale {
		clear(p.next[:])
		p.stale = false
	}
	quads, fill := p.quads, p.fill[:0]
	first := len(to) / quads
	open := first // the first pack with space
	for ; len(items) >= 2; items = items[2:] {
		head, m := raster.Item(items), items[1]
		x, y := head.At()
		for left := quadsOf(m); left != 0; left &= left - 1 {
			at := uint(bits.TrailingZeros64(left))
			u, v := uint(x)+at%raster.Block, uint(y)+at/raster.Block // unsigned, so that divisions are shifts
			covered := uint32(m>>at&3 | m>>(at+raster.Block)&3<<2)
			next := &p.next[v/2%quadsAcross*quadsAcross+u/2%quadsAcross]
			n := max(open, int(*next))
			if p.pixels {
				to, fill, n = p.packPixels(to, fill, layout.NewQuad(head.Primitive(), uint32(u), uint32(v), 0), uint64(covered), first, n)
				*next = int32(n + 1)
				for open-first < len(fill) && int(fill[open-first]) == quads {
					open++
				}
				continue
			}
			*next = int32(n + 1)
			if n-first == len(fill) {
				fill = append(fill, 0)
				to = append(to, emptyPack[:quads]...)
			}
			f := &fill[n-first]
			to[n*quads+int(*f)] = uint64(layout.NewQuad(head.Primitive(), uint32(u), uint32(v), covered))
			if *f++; int(*f) < quads {
				continue
			}
			for open-first < len(fill) && int(fill[open-first]) == quads {
				open++
			}
		}
	}
	p.fill = fill
	return to
}

// packOnce is pack for pixels if no pixel is covered twice: then any order will do. It is the common case of a mesh, and takes
// a third of the time. ok is false if a pixel is covered twice.
func (p *packer) packOnce(to, items []uint64) (list []uint64, ok bool) {
	pixels, ok := p.coveredOnce(items)
	if !ok {
		return nil, false
	}
	at, length := len(to), (pixels+p.quads-1)/p.quads*p.quads
	to = slices.Grow(to, length)[:at+length]
	packs := to[at:]
	for ; len(items) >= 2; items = items[2:] {
		head := raster.Item(items)
		x, y := head.At()
		first := uint64(layout.NewQuad(head.Primitive(), uint32(x), uint32(y), 0))
		n := 0
		for m := items[1]; m != 0 && n < len(packs); m &= m - 1 {
			packs[n] = first + pixelOf[m&-m*deBruijn>>58]
			n++
		}
		packs = packs[n:]
	}
	clear(packs)
	return to, true
}

// coveredOnce returns the number of pixels that the items of a tile cover; ok is false if they cover one twice.
func (p *packer) coveredOnce(items []uint64) (pixels int, ok bool) {
	rows, twice := &p.rows, uint64(0)
	clear(rows[:])
	for ; len(items) >= 2; items = items[2:] {
		m := items[1]
		x, y := raster.Item(items).At()
		pixels += bits.OnesCount64(m)
		// An item that ends at row 63 has no bits for the rows after it.
		for shift := uint(x) % raster.Tile; m != 0; m >>= raster.Block {
			row := m & (1<<raster.Block - 1) << shift
			covered := rows[uint(y)%raster.Tile]
			twice |= covered & row
			rows[uint(y)%raster.Tile] = covered | row
			y++
		}
	}
	return pixels, twice == 0
}

// deBruijn is a sequence whose 64 parts of six bits are different: a power of two times deBruijn has a number of its own in the high bits
// (Leiserson, Prokop, Randall 1998, "Using de Bruijn Sequences to Index a 1 in a Computer Word").
const deBruijn = 0x03f79d71b4ca8b09

// pixelOf has for each pixel of a block the quad with that pixel alone, less the quad of the block's first pixel. The index is the high
// bits of the pixel's bit times deBruijn: on many processors a multiplication is faster than a search of the bit.
var pixelOf = func() (list [raster.Block * raster.Block]uint64) {
	for i := range list {
		x, y := uint32(i%raster.Block), uint32(i/raster.Block)
		list[uint64(1)<<i*deBruijn>>58] = uint64(layout.NewQuad(0, x&^1, y&^1, 1<<(x&1+2*(y&1))))
	}
	return list
}()

// packPixels appends the covered pixels of a quad to packs from number n on, of which the list's first one is number first. It
// returns the number of the last one used.
func (p *packer) packPixels(to []uint64, fill []uint16, q layout.Quad, covered uint64, first, n int) ([]uint64, []uint16, int) {
	const shift = 32 + layout.QuadCoverShift
	for ; ; n++ {
		if n-first == len(fill) {
			fill = append(fill, 0)
			to = append(to, emptyPack[:p.quads]...)
		}
		f := int(fill[n-first])
		for pack := to[n*p.quads:][:p.quads]; f < len(pack) && covered != 0; f++ {
			pack[f] = uint64(q) | covered&-covered<<shift
			covered &= covered - 1
		}
		if fill[n-first] = uint16(f); covered == 0 {
			return to, fill, n
		}
	}
}

// emptyPack has quads without covered pixels.
var emptyPack [maxPackQuads]uint64

// maxPackQuads is the maximum number of quads or pixels of a pack.
const maxPackQuads = 256

// quadsOf returns the bits of the first pixels of the quads of a block that have a covered pixel.
func quadsOf(m uint64) uint64 {
	m |= m >> 1
	m |= m >> raster.Block
	return m & 0x0055005500550055
}

// packs reports whether the draw has packs, and whether of pixels.
func (d *recordedDraw) packs() (packed, pixels bool) {
	p := d.pipeline
	size := p.triangleSize.Load()
	packed = p.packable && !p.observed && d.key.Packable() && (packing == packAll || packing == packPixels || packing == packSmall && (size == smallTriangles || size == tinyTriangles))
	return packed, packed && p.pixels && !p.wholeQuads.Load() && (packing == packPixels || packing == packSmall && size == tinyTriangles)
}

// Sizes of the triangles of a pipeline, as far as they are known.
const (
	unknownTriangles = iota
	smallTriangles   // packs are worth it
	tinyTriangles    // packs of pixels are
	otherTriangles   // they were not: the triangles are larger now, or cover each other
)

// Bounds of the choice. Fewer than minPackSample items of a bin list decide nothing; without packs about maxPackSample are
// counted. A strip of a long program costs half of a pack to all of it: texels of neighbours are in a few lines. Short programs
// have no packs of quads: the lanes of a strip share the loads of a primitive, and the lanes of a pack do not. packedAbove and
// packedBelow are the numbers of strips in place of a pack at which the choice changes.
const (
	minPackSample = 48
	maxPackSample = 256
	packedAbove   = 2.5
	packedBelow   = 1.7
)

// tinyBelow and tinyAbove are the covered pixels of a quad at which the choice between quads and pixels changes. Lanes share the
// loads of a quad's primitive, and not those of a pixel's.
const (
	tinyBelow = 2.3
	tinyAbove = 2.7
)

// sparseBelow and sparseAbove are the covered pixels of a strip at which a short program begins and ends to have packs of pixels. Such
// a strip costs about as much as one of a full block, and its loads are for few pixels.
const (
	sparseBelow = 2.4
	sparseAbove = 2.8
)

// packSample counts the strips, the quads and the pixels of some items of a bin list.
type packSample struct{ items, strips, quads, pixels int }

// count counts the items of a tile. A strip has four pixel rows.
func (s *packSample) count(items []uint64) {
	for ; len(items) >= 2; items = items[2:] {
		m := items[1]
		s.items++
		s.quads += bits.OnesCount64(quadsOf(m))
		s.pixels += bits.OnesCount64(m)
		if uint32(m) != 0 {
			s.strips++
		}
		if m>>32 != 0 {
			s.strips++
		}
	}
}

// chooseSize sets the size of the triangles of the draw's pipeline by a sample of a bin list. length is the number of quads or
// pixels of all its packs, with idle ones.
func (d *recordedDraw) chooseSize(s *packSample, length int) {
	const packQuads = 8 // of a program with two subgroups of 16
	quads := float32(length)
	if d.key.Pixels {
		quads /= 4
	}
	size, before := &d.pipeline.triangleSize, d.pipeline.triangleSize.Load()
	now, perQuad := before, float32(s.pixels)/float32(max(s.quads, 1))
	switch {
	case s.items < minPackSample:
	case !d.pipeline.long:
		now = d.chooseSparse(s, length)
	case d.key.Packed && float32(s.strips) < packedBelow*quads/packQuads:
		now = otherTriangles
	case before == tinyTriangles && perQuad > tinyAbove:
		now = smallTriangles
	case before == smallTriangles || before == unknownTriangles && !d.key.Packed && float32(s.strips) > packedAbove*float32(s.quads)/packQuads:
		now = smallTriangles
		if d.pipeline.pixels && perQuad < tinyBelow && !d.pipeline.wholeQuads.Load() && !d.key.NeedsQuads(d.heldFragment.QuadSwaps) {
			now = tinyTriangles
		}
	}
	if now != before {
		size.Store(now)
	}
}

// chooseSparse is chooseSize for a short program. Lanes of packs without a pixel count as pixels.
func (d *recordedDraw) chooseSparse(s *packSample, length int) int32 {
	before := d.pipeline.triangleSize.Load()
	switch {
	case d.key.Packed && float32(length) > sparseAbove*float32(s.strips):
		return otherTriangles
	case before == unknownTriangles && !d.key.Packed && float32(s.pixels) < sparseBelow*float32(s.strips) &&
		!d.pipeline.wholeQuads.Load() && !d.key.NeedsQuads(d.heldFragment.QuadSwaps):
		return tinyTriangles
	}
	return before
}

// inPlace reports whether the triangles of the draw, which are many enough for the set-up program, are the primitives of its
// packs as they are.
func (d *recordedDraw) inPlace() bool {
	n := uint64(state.Primitives(d.state.Assembly.Topology, d.args.Count)) * uint64(d.args.Instances)
	return d.key.Packed && state.Corners(d.state.Assembly.Topology) == 3 && n <= frontend.MaxInPlace && d.args.Feedback == nil && !d.key.Test.Clamp && d.pipeline.front.CanBeInPlace(&d.state)
}
