package raster

// Plane is a linear function of the place in the framebuffer: C + X·dx + Y·dy,
// where dx and dy are pixels from the primitive's reference.
type Plane struct{ C, X, Y float32 }

// Primitive is what a fragment needs of the primitive that made it. Its memory is
// read by programs as it stands: 32-bit words in this order.
//
// A vertex's weights in linear interpolation are 1−L1−L2, L1 and L2; in
// perspective interpolation 1−b1−b2, b1 and b2, with b1 = Q1/W and b2 = Q2/W, W
// being the reciprocal of the clip coordinate w there. Where all vertices have the
// same w, Flags lacks Perspective, and Q1 and Q2 are L1 and L2. The weights are
// those of the primitive as it was before it was clipped.
type Primitive struct {
	ID    uint32 // PrimitiveId
	Flags uint32
	Layer uint32

	X, Y           float32 // the reference, in pixels
	Z, W           Plane   // depth in the framebuffer, and 1/w
	Q1, Q2, L1, L2 Plane   // of a point L1 and L2 are PointCoord
	MinZ, MaxZ     float32 // the viewport's depths, in order: what depth is clamped to
}

// PrimitiveWords is the size of a Primitive in 32-bit words.
const PrimitiveWords = 25

// The flags.
const (
	FrontFacing = 1 << iota // every point and line is
	Perspective
	IsPoint
	IsLine
)

// Behind the flags there stand, among the records that are kept with the primitive, the
// number of that with the flat values and that of its third vertex: a point has one
// vertex three times, a line its first one twice. Those of the others are 0 and 1. Then
// comes the number of its viewport.
const (
	ProvokingShift = 4
	ThirdShift     = 6
	ViewportShift  = 8
	viewportBits   = 8
)

// Provoking returns which of the records that are kept with it has the flat values.
func (p *Primitive) Provoking() uint32 { return p.Flags >> ProvokingShift & 3 }

// Viewport returns the number of its viewport.
func (p *Primitive) Viewport() uint32 { return p.Flags >> ViewportShift & (1<<viewportBits - 1) }

// draft is a primitive that is being covered.
type draft struct {
	Primitive           // without what stands behind the flags
	vertex    [3]uint32 // numbers of records
	provoking uint32
	viewport  uint32
}

// Item is what a primitive covers of a block of pixels: PrimitiveNumber says which
// primitive, and one 64-bit mask for each sample of a pixel has a bit for each pixel
// of the block, row by row.
//
// Items stand in memory as 64-bit words: the number of the primitive in the low half
// of the first, then x and y of the block's first pixel, 16 bits each; then the masks;
// then, with [State.Inner], one of the pixels that are wholly covered.
type Item []uint64

// ItemWords returns the size of an item in 64-bit words.
func ItemWords(samples int, inner bool) int {
	if inner {
		return 2 + samples
	}
	return 1 + samples
}

// Within RunArea pixels along each axis, x and y have bits to spare. With State.Columns
// it stands there how many blocks are like the item's below it, in the same tile: two bits
// in x from RunShift on, and what is more in y.
const (
	RunShift = 14
	RunArea  = 1 << RunShift
)

// MaxRun is how many there are at most: those of a tile.
const MaxRun = Tile/Block - 1

// runBits has n in the first word of an item.
func runBits(n int) uint64 {
	return uint64(n&3)<<(32+RunShift) | uint64(n>>2)<<(48+RunShift)
}

func itemHead(primitive uint32, x, y int32) uint64 {
	return uint64(primitive) | uint64(uint16(x))<<32 | uint64(uint16(y))<<48
}

// Primitive returns the number of the primitive.
func (i Item) Primitive() uint32 { return uint32(i[0]) }

// At returns the place of the block's first pixel.
func (i Item) At() (x, y int) { return int(uint16(i[0] >> 32)), int(uint16(i[0] >> 48)) }

// TakeRun returns how many blocks below the item's are like it, and takes that from where
// it is: with State.Columns.
func (i Item) TakeRun() (n int) {
	n = int(i[0]>>(32+RunShift)&3 | i[0]>>(48+RunShift)<<2)
	i[0] &^= runBits(MaxRun)
	return n
}
