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
	if e := p.Effects; e.GroupOps || e.Ordered || WritesMemory(p) || len(p.Messages) > 0 || ReadsTile(p) || p.SubgroupSize < quadLanes {
		return false
	}
	return !slices.ContainsFunc(p.In, func(in ir.Input) bool { return in.Semantic.Engine() }) &&
		!hasOp(p, ir.Shuf) && !hasOp(p, ir.Helper)
}

// quadLanes is the number of lanes of a quad.
const quadLanes = 4

// Packable reports whether fragments with the key can be packed: a pixel has one sample, and a fragment one pixel.
func (k *Key) Packable() bool { return k.Samples == 1 && k.MaxPixels <= 1 && !k.FullyCovered }

// PackQuads returns the number of quads of a pack of a program of [Program] with a packed key.
func PackQuads(p *ir.Program) int { return int(p.Invocations() / quadLanes) }

// packLanes returns the lanes of a pack: as many as a strip has.
func (s *shader) packLanes() uint32 {
	n := s.Program.SubgroupSize
	if Long(s.From) {
		n *= 2
	}
	return n
}

// loadQuad reads the lane's quad: its primitive, the position of its first pixel, and whether the pixel is covered. Example
// with eight quads of a pack:
//
//	lane    0 1 2 3   4 5 6 7  …  28 29 30 31
//	quad       0         1     …       7        of the pack
//	pixel   0 1 2 3   0 1 2 3  …   0  1  2  3   2·row + column
//
// The quads of a pack that is not full name primitive 0 and cover nothing: all loads stay inside of their buffers.
func (s *shader) loadQuad() {
	b, lane := s.B, s.BuiltIn(ir.LocalInvocationIndex)
	part := func(v ir.V, shift, mask uint32) ir.V {
		return s.And(b.Op(ir.LShr, ir.I32, v, b.I32(shift)), b.I32(mask))
	}
	n := s.Add(s.Scaled(s.BuiltIn(ir.WorkgroupIdX), uint64(s.packLanes()/quadLanes)), b.Op(ir.LShr, ir.I32, lane, b.I32(2)))
	// Each lane has an address of its own: the quads of a pack belong to different primitives.
	h, at := s.Handle(ir.StorageBuffer, layout.BindItems, false), s.Scaled(n, 8)
	number, high := s.LoadOwn(ir.I32, h, at, 0), s.LoadOwn(ir.I32, h, at, 4)
	if s.key.InPlace {
		batch, lane := b.Op(ir.UDiv, ir.I32, number, b.I32(raster.BatchSize)), s.And(number, b.I32(raster.BatchSize-1))
		s.set(varPrimitive, s.Add(s.Scaled(batch, raster.BatchBytes), s.Scaled(lane, 4)))
		s.set(varRecords, s.Scaled(number, layout.TriangleBytes))
	} else {
		s.set(varPrimitive, s.Scaled(number, 4*raster.PrimitiveWords))
		s.set(varRecords, s.Scaled(number, 3*uint64(s.rec.KeptBytes())))
	}
	// Positions of quads are in units of two pixels.
	s.corner = [2]ir.V{s.Scaled(part(high, 0, layout.QuadHalfMask), 2), s.Scaled(part(high, layout.QuadYShift, layout.QuadHalfMask), 2)}
	s.inStrip = [2]ir.V{part(lane, 0, 1), part(lane, 1, 1)}
	// Lanes without a covered pixel are helpers for the derivatives of the quad.
	bit := s.Add(s.And(lane, b.I32(quadLanes-1)), b.I32(layout.QuadCoverShift))
	s.packed = b.Cmp(ir.Eq, s.And(b.Op(ir.LShr, ir.I32, high, bit), b.I32(1)), b.I32(1))
}
