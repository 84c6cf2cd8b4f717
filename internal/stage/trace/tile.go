package trace

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// A subgroup runs a tile of the launch, so that its rays are close to each other and traverse together. Lanes are in the order of
// Morton (1966, "A computer oriented geodetic data base"): bit 0 of a lane is bit 0 of x, bit 1 is bit 0 of y, bit 2 is bit 1 of x, so
// that each aligned part of the lanes is a tile too. In a launch that has no tiles, a subgroup runs a part of a row.

// mostTiled is the largest width and height of a launch with tiles: no number of an invocation overflows.
const mostTiled = 1 << 24

// tileSize returns the size of the tile of a subgroup.
func tileSize(subgroup uint32) (wide, high uint32) {
	n := bits.TrailingZeros32(subgroup)
	return 1 << ((n + 1) / 2), 1 << (n / 2)
}

// launchID returns a component of the launch id.
func (c *composer) launchID(k uint32) ir.V {
	b, size := c.w.B, c.prog.SubgroupSize
	id := c.w.BuiltIn(ir.GlobalInvocationIdX + ir.Semantic(k))
	if wide, high := tileSize(size); k < 2 && high > 1 {
		// The first place of the tile, and the place of the lane in it.
		at, side := id, high
		if k == 0 {
			at, side = b.Op(ir.LShr, ir.I32, id, b.I32(uint32(bits.TrailingZeros32(size)))), wide
		}
		at = c.w.Mul(at, b.I32(side))
		lane := c.w.And(c.w.BuiltIn(ir.GlobalInvocationIdX), b.I32(size-1))
		for bit := uint32(0); 1<<bit < side; bit++ {
			moved := c.w.And(lane, b.I32(1<<(2*bit+k)))
			if bit+k > 0 {
				moved = b.Op(ir.LShr, ir.I32, moved, b.I32(bit+k))
			}
			at = c.w.Add(at, moved)
		}
		rows := b.Cmp(ir.Eq, c.w.Param(ir.I32, paramTiled), b.I32(0))
		id = b.Select(rows, id, at)
	}
	return c.w.Add(id, c.w.Param(ir.I32, paramOrigin+k))
}
