package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// itemWords is the size of an item in words of 64 bits.
func (d *recorded) itemWords() int { return raster.ItemWords(int(d.key.samples), d.key.inner) }

// fullyCovered is FullyCoveredEXT: all pixels of the fragment are wholly covered by the
// primitive as it is. Without conservative rasterization it is false
// (fullyCoveredFragmentShaderInputVariable).
func (s *fragmentShader) fullyCovered() ir.V {
	b := s.b
	if !s.key.inner {
		return b.I32(0)
	}
	item := s.ofItem(func() ir.V { return s.nth(s.item(), s.itemBytes()) })
	behind := 8 + 8*s.key.samples
	if s.inStrips() {
		return s.coveredBit(item, s.inStrip[0], s.inStrip[1], behind)
	}
	corner := s.own(ir.I32, s.handle(ir.StorageBuffer, bindItems, false), item, 4)
	inBlock := func(v fragmentVar, shift uint32) ir.V {
		at := b.Op(ir.LShr, ir.I32, corner, b.I32(shift))
		return b.Op(ir.Sub, ir.I32, s.get(v), s.and(at, b.I32(s.placeBits())))
	}
	x, y := inBlock(varX, 0), inBlock(varY, 16)
	if !s.coarse() {
		return s.coveredBit(item, x, y, behind)
	}
	return s.forPixels(b.I32(1), func(px, py, all ir.V) ir.V {
		return s.and(all, s.coveredBit(item, s.add(x, px), s.add(y, py), behind))
	})
}

// placeBits are those of a coordinate of an item's place.
func (s *fragmentShader) placeBits() uint32 {
	if s.coarse() {
		return 0xffff &^ (raster.Block - 1)
	}
	return 0xffff
}
