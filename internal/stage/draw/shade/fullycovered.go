package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// fullyCovered returns the built-in FullyCoveredEXT: the primitive covers all pixels of the fragment
// completely. It is false without conservative rasterization
// (fullyCoveredFragmentShaderInputVariable). The mask is the last word of an item. A coarse fragment
// needs the bits of all its pixels.
func (s *shader) fullyCovered() ir.V {
	b := s.B
	if !s.key.FullyCovered {
		return b.I32(0)
	}
	item := s.perItem(func() ir.V { return s.Scaled(s.itemNumber(), s.itemBytes()) })
	offset := 8 + 8*s.key.Samples
	if s.inStrips() {
		return s.coveredBit(item, s.inStrip[0], s.inStrip[1], offset)
	}
	corner := s.LoadOwn(ir.I32, s.Handle(ir.StorageBuffer, layout.BindItems, false), item, 4)
	inBlock := func(v fragmentVar, shift uint32) ir.V {
		at := b.Op(ir.LShr, ir.I32, corner, b.I32(shift))
		return b.Op(ir.Sub, ir.I32, s.get(v), s.And(at, b.I32(s.coordinateMask())))
	}
	x, y := inBlock(varX, 0), inBlock(varY, 16)
	if !s.coarse() {
		return s.coveredBit(item, x, y, offset)
	}
	return s.forPixels(b.I32(1), func(px, py, all ir.V) ir.V {
		return s.And(all, s.coveredBit(item, s.Add(x, px), s.Add(y, py), offset))
	})
}
