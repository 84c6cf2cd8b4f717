package raster

// Plane is a linear function of the position in the framebuffer: C + X·dx + Y·dy, (dx, dy) being the
// distance in pixels from the primitive's reference point.
type Plane struct{ C, X, Y float32 }

// Primitive holds the values that most fragments interpolate. Programs read its memory as it is: PrimitiveWords
// 32-bit words in the order of the fields. It is as large as a cache line, because large meshes write and read millions of them.
//
// The vertices' weights in linear interpolation are 1−L1−L2, L1 and L2. In perspective interpolation they
// are 1−b1−b2, b1 and b2, with b1 = Q1/W and b2 = Q2/W, W being the plane of 1/w. If all vertices have the
// same w, Flags lacks Perspective, and Q1 and Q2 equal L1 and L2. The weights belong to the primitive
// before clipping.
type Primitive struct {
	ID    uint32 // PrimitiveId
	Flags uint32

	X, Y   float32 // the reference point, in pixels
	Z, W   Plane   // framebuffer depth, and 1/w
	Q1, Q2 Plane
}

// PrimitiveRest holds the values of a primitive that few fragment programs read, PrimitiveRestWords words in memory.
type PrimitiveRest struct {
	Layer      uint32
	L1, L2     Plane   // of a point, they are PointCoord
	MinZ, MaxZ float32 // bounds of depth clamping, in order: the viewport's depth range unless State.ClampDepth is set
}

// slot is both parts of a primitive.
type slot struct {
	*Primitive
	*PrimitiveRest
}

// Sizes of a [Primitive] and of a [PrimitiveRest] in 32-bit words.
const (
	PrimitiveWords     = 16
	PrimitiveRestWords = 9
)

// The bits of Primitive.Flags below ProvokingShift.
const (
	FrontFacing = 1 << iota // always set for points and lines
	Perspective
	IsPoint
	IsLine
)

// Fields of Primitive.Flags: two bits from ProvokingShift on number the record, among the primitive's three,
// with the flat values; two bits from ThirdShift on the record of the third vertex. (Record 0 is always the first vertex.
// A point has one vertex three times, and a line its second vertex twice: Vulkan §"Barycentric Interpolation".) Then
// follow 8 bits with the viewport's number.
const (
	ProvokingShift = 4
	ThirdShift     = 6
	ViewportShift  = 8
	viewportBits   = 8
)

// Provoking returns the index, 0 to 2, of the primitive's record that holds the flat values.
func (p *Primitive) Provoking() uint32 { return p.Flags >> ProvokingShift & 3 }

// Viewport returns the number of the primitive's viewport.
func (p *Primitive) Viewport() uint32 { return p.Flags >> ViewportShift & (1<<viewportBits - 1) }

// draft is a primitive under setup, before it is known to cover anything.
type draft struct {
	Primitive               // Flags without the fields from ProvokingShift on
	PrimitiveRest           // complete, also with State.Short
	vertex        [3]uint32 // record numbers
	provoking     uint32
	viewport      uint32
}

// slot returns both parts.
func (p *draft) slot() slot { return slot{&p.Primitive, &p.PrimitiveRest} }

// Item is the coverage of one primitive in one block, as 64-bit words:
//
//	word 0         bits 0–31 primitive's index, 32–47 x and 48–63 y of the block's first pixel
//	words 1…n      one mask for each of the n samples of a pixel; bit 8·row+column is the pixel's
//	word n+1       with State.Inner only: the fully covered pixels
type Item []uint64

// ItemWords returns the size of an item in 64-bit words.
func ItemWords(samples int, inner bool) int {
	if inner {
		return 2 + samples
	}
	return 1 + samples
}

// With State.Runs all coordinates are less than RunArea pixels, and the free bits hold the number of further
// blocks below the item's block, in the same tile, with the same coverage (a run): its low two bits are in x
// from RunShift on, its higher bits in y.
const (
	RunShift = 14
	RunArea  = 1 << RunShift
)

// MaxRun is the greatest number of further blocks in a run: a run does not leave its tile.
const MaxRun = Tile/Block - 1

// runBits returns n at its position in the first word of an item.
func runBits(n int) uint64 {
	return uint64(n&3)<<(32+RunShift) | uint64(n>>2)<<(48+RunShift)
}

// itemHead returns the first word of an item.
func itemHead(primitive uint32, x, y int32) uint64 {
	return uint64(primitive) | uint64(uint16(x))<<32 | uint64(uint16(y))<<48
}

// Primitive returns the primitive's index.
func (i Item) Primitive() uint32 { return uint32(i[0]) }

// At returns the block's first pixel. With State.Runs, call TakeRun before.
func (i Item) At() (x, y int) { return int(uint16(i[0] >> 32)), int(uint16(i[0] >> 48)) }

// TakeRun returns the number of further blocks in the item's run, and clears it in the item. Call it with
// State.Runs only.
func (i Item) TakeRun() (n int) {
	n = int(i[0]>>(32+RunShift)&3 | i[0]>>(48+RunShift)<<2)
	i[0] &^= runBits(MaxRun)
	return n
}
