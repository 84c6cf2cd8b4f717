package layout

// Quad is a quad of 2×2 pixels of a primitive, for packed fragments:
//
//	bits 0–31    number of the primitive
//	bits 32–45   half of x of its first pixel
//	bits 46–59   half of y
//	bits 60–63   covered pixels; bit 2·row + column is the pixel's
type Quad uint64

// Shifts and the mask of the parts of a Quad's high word.
const (
	QuadYShift     = 14
	QuadCoverShift = 28
	QuadHalfMask   = 1<<QuadYShift - 1
)

// NewQuad returns the quad whose first pixel is (x, y), two even numbers below 2¹⁵.
func NewQuad(primitive, x, y, covered uint32) Quad {
	return Quad(primitive) | Quad(x/2|y/2<<QuadYShift|covered<<QuadCoverShift)<<32
}

// Primitive returns the number of the primitive.
func (q Quad) Primitive() uint32 { return uint32(q) }

// At returns the first pixel.
func (q Quad) At() (x, y int) {
	return int(2 * (q >> 32 & QuadHalfMask)), int(2 * (q >> (32 + QuadYShift) & QuadHalfMask))
}

// Covered reports whether any pixel is covered.
func (q Quad) Covered() bool { return q>>(32+QuadCoverShift) != 0 }

// Uncovered returns the quad without covered pixels.
func (q Quad) Uncovered() Quad { return q & (1<<(32+QuadCoverShift) - 1) }
