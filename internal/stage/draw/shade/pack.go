package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Packed fragments: a workgroup shades a pack, quads of several primitives (layout.Quad), four lanes for each. Many small
// triangles fill few lanes of a strip: a triangle of two pixels fills two of 16. No pack has two quads of one pixel, and the
// packs of a pixel are in primitive order. Everything that belongs to the item in a strip belongs to the lane in a pack.

// Packable reports whether the results of a program do not depend on which pixels share a subgroup, so that its fragments
// can be packed. Programs with other effects than on attachments keep the order of strips.
func Packable(p *ir.Program) bool {
	if e := p.Effects; e.GroupOps || e.Ordered || WritesMemory(p) || len(p.Messages) > 0 || ReadsTile(p) || ReadsTileAttachments(p) || p.SubgroupSize < quadLanes {
		return false
	}
	return !slices.ContainsFunc(p.In, func(in ir.Input) bool { return in.Semantic.Engine() }) &&
		!hasOp(p, ir.Shuf) && !hasOp(p, ir.Helper)
}

// quadLanes is the number of lanes of a quad.
const quadLanes = 4

// Packable reports whether fragments with the key can be packed: a pixel has one sample, and a fragment one pixel.
func (k *Key) Packable() bool {
	return k.Samples == 1 && !k.PerSample && k.MaxPixels <= 1 && !k.FullyCovered
}

// CanPackPixels reports whether a program needs whole quads at most for texture code, which may turn out not to need them
// (NeedsQuads).
func CanPackPixels(p *ir.Program) bool {
	return Packable(p) && !p.Modes.Has(ir.FullQuads) && (samplesImages(p) || !hasOp(p, ir.QuadSwap))
}

// NeedsQuads reports whether a program of [Program], with that many swaps in quads after texture code is linked, reads other lanes
// of its quad: the level of detail of images with one level, for example, needs no derivatives. The two swaps that find the
// active quads do not count; packs of pixels do not have them.
func (k *Key) NeedsQuads(swaps int) bool { return swaps > 2 || swaps > 0 && k.Pixels }

// PackQuads returns the number of quads, or pixels, of a pack of a program of [Program] with the packed key k.
func PackQuads(p *ir.Program, k *Key) int {
	if k.Pixels {
		return int(p.Invocations())
	}
	return int(p.Invocations() / quadLanes)
}

// packLanes returns the lanes of a pack: as many as a strip has.
func (s *shader) packLanes() uint32 {
	n := s.Program.SubgroupSize
	if Long(s.From) {
		n *= 2
	}
	return n
}

// packQuads returns the number of quads, or pixels, of a pack.
func (s *shader) packQuads() uint32 {
	if s.key.Pixels {
		return s.packLanes()
	}
	return s.packLanes() / quadLanes
}

// loadQuad reads the lane's quad: its primitive, the position of its first pixel, and whether the pixel is covered. Example
// with eight quads of a pack:
//
//	lane    0 1 2 3   4 5 6 7  …  28 29 30 31
//	quad       0         1     …       7        of the pack
//	pixel   0 1 2 3   0 1 2 3  …   0  1  2  3   2·row + column
//
// With packs of pixels each lane has a quad of its own, with one covered pixel at most. The quads of a pack that is not full
// name primitive 0 and cover nothing: all loads stay inside of their buffers.
func (s *shader) loadQuad() {
	b, lane := s.B, s.BuiltIn(ir.LocalInvocationIndex)
	part := func(v ir.V, shift, mask uint32) ir.V {
		return s.And(b.Op(ir.LShr, ir.I32, v, b.I32(shift)), b.I32(mask))
	}
	number := lane
	if !s.key.Pixels {
		number = b.Op(ir.LShr, ir.I32, lane, b.I32(2))
	}
	n := s.Add(s.Scaled(s.BuiltIn(ir.WorkgroupIdX), uint64(s.packQuads())), number)
	// Each lane has an address of its own: the quads of a pack belong to different primitives.
	h, at := s.Handle(ir.StorageBuffer, layout.BindItems, false), s.Scaled(n, 8)
	number = s.LoadOwn(ir.I32, h, at, 0)
	high := s.LoadOwn(ir.I32, h, at, 4)
	if s.key.InPlace {
		batch, lane := b.Op(ir.UDiv, ir.I32, number, b.I32(raster.BatchSize)), s.And(number, b.I32(raster.BatchSize-1))
		words := uint64(raster.BatchWords + layout.KeptWords*len(s.kept))
		s.set(varPrimitive, s.Add(s.Scaled(batch, raster.BatchRow*words), s.Scaled(lane, 4)))
		s.set(varRecords, s.Scaled(number, layout.TriangleBytes))
	} else {
		s.set(varPrimitive, s.Scaled(number, 4*raster.PrimitiveWords))
		s.set(varRecords, s.Scaled(number, 3*uint64(s.rec.KeptBytes())))
	}
	// Positions of quads are in units of two pixels.
	s.corner = [2]ir.V{s.Scaled(part(high, 0, layout.QuadHalfMask), 2), s.Scaled(part(high, layout.QuadYShift, layout.QuadHalfMask), 2)}
	if s.key.Pixels {
		// One bit is set: of column 1 if it is bit 1 or 3, of row 1 if it is bit 2 or 3.
		covered := func(bits uint32) ir.V {
			return s.Not(b.Cmp(ir.Eq, s.And(high, b.I32(bits<<layout.QuadCoverShift)), b.I32(0)))
		}
		s.packed = covered(0b1111)
		s.inStrip = [2]ir.V{b.Op(ir.ZExt, ir.I32, covered(0b1010)), b.Op(ir.ZExt, ir.I32, covered(0b1100))}
		return
	}
	s.inStrip = [2]ir.V{part(lane, 0, 1), part(lane, 1, 1)}
	// Lanes without a covered pixel are helpers for the derivatives of the quad.
	bit := s.Add(s.And(lane, b.I32(quadLanes-1)), b.I32(layout.QuadCoverShift))
	s.packed = b.Cmp(ir.Eq, s.And(b.Op(ir.LShr, ir.I32, high, bit), b.I32(1)), b.I32(1))
}
