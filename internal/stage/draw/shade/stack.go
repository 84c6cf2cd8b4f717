package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Stacks: primitives that cover the same pixels of a block, one after the other, are layers of a picture. A workgroup shades a stack of
// StackLayers items with equal masks, strip by strip, and all layers of a strip before the next one. The texels of a strip stay in
// registers between the layers, which share the work for addresses and coverage:
//
//	items of one layer at a time     for each layer, for each strip:   load, blend, store
//	a stack                          for each strip:                   load, for each layer: blend, store
//
// A pixel still has its layers in primitive order, and rounds each of them to the format of the attachment.

// StackLayers is the number of items of a stack, and StackWords their size in 64-bit words. An item that has no others with its mask is
// in a stack alone: the second item of it is NoLayer.
const (
	StackLayers = 4
	StackWords  = StackLayers * 2

	NoLayer = 1<<64 - 1
)

// stackedCode is the number of operations up to which a program has stacks. A longer program has more work than its layers share.
const stackedCode = 120

// Stackable reports whether fragments of a program can be shaded in stacks: its code is straight and short, and no lane reads another one of
// its quad.
func Stackable(p *ir.Program) bool {
	return Packable(p) && !p.Observed && p.SubgroupSize < raster.Block*raster.Block && len(p.Funcs) == 1 && len(p.Funcs[0].Code) <= stackedCode && !hasOp(p, ir.QuadSwap) && !p.Effects.Quads &&
		!p.Effects.Discards && !p.Modes.Has(ir.FullQuads) && !HasInput(p, ir.QuadX) && !HasInput(p, ir.QuadY) && !writesMask(p) && compose.Straight(p.Funcs[0])
}

// writesMask reports whether a program has an output that decides about the fragment's samples or tests.
func writesMask(p *ir.Program) bool {
	for _, o := range p.Out {
		if o.Semantic != ir.Location {
			return true
		}
	}
	return false
}

// Stackable reports whether fragments with the key can be shaded in stacks: a pixel has one sample, no test or counter sees a layer, and all
// primitives write the same layer of the attachments.
func (k *Key) Stackable() bool {
	if !k.Packable() || k.Packed || k.located || k.AlphaToCoverage || k.CountSamples || k.CountInvocations || k.Test.any() {
		return false
	}
	written := false
	for i := range k.Colors {
		c := &k.Colors[i]
		written = written || c.isWritten()
		if c.isWritten() && c.Layered && !k.Multiview {
			return false
		}
	}
	return written
}

// stack is the layers of the stack that the builder is in.
type stack struct {
	layers []layer
	layer  int                     // the current one
	texels [state.MaxColors][]ir.V // by attachment: the words that the layers below have left
	colors [state.MaxColors]color  // or the color
	kept   [state.MaxColors]bool   // it is in colors
}

// layer is an item of a stack.
type layer struct{ primitive, records ir.V } // byte offsets, as varPrimitive and varRecords

// stacked emits the code for a stack: a strip loop for all of its layers, and another one for an item alone.
func (s *shader) stacked(body func()) {
	b := s.B
	item := s.loadItem()
	h, corner := s.Handle(ir.StorageBuffer, layout.BindItems, false), s.corner
	number := func(n uint32) ir.V { return s.LoadOwn(ir.I32, h, item, 16*n) }
	alone := b.Cmp(ir.Eq, number(1), b.I32(NoLayer&(1<<32-1)))
	b.If(alone)
	s.forStrips(item, func(bits ir.V) { s.fragment(item, bits, body) })
	b.Else()
	s.corner = corner
	for n := range uint32(StackLayers) {
		n := number(n)
		s.stack.layers = append(s.stack.layers, layer{s.Scaled(n, 4*raster.PrimitiveWords), s.Scaled(n, 3*uint64(s.rec.KeptBytes()))})
	}
	s.forStrips(item, func(bits ir.V) {
		b.If(s.locatePixel(item, bits))
		s.forLayers(func() {
			if s.stack.layer > 0 {
				s.clearVariables()
			}
			s.setPoints()
			body()
			s.writeOutputs(true)
		})
		b.End()
	})
	b.End()
}

// forLayers emits code for each layer of the stack, or once outside of stacks.
func (s *shader) forLayers(code func()) {
	for s.stack.layer = range max(len(s.stack.layers), 1) {
		code()
	}
	s.stack.layer = 0
}

// primitiveOffset returns the byte offset of the primitive, of the current layer in a stack.
func (s *shader) primitiveOffset() ir.V {
	if len(s.stack.layers) > 0 {
		return s.stack.layers[s.stack.layer].primitive
	}
	return s.get(varPrimitive)
}

// recordsOffset returns the byte offset of the primitive's vertex records.
func (s *shader) recordsOffset() ir.V {
	if len(s.stack.layers) > 0 {
		return s.stack.layers[s.stack.layer].records
	}
	return s.get(varRecords)
}

// old returns the words of the texel of color attachment i before the fragment.
func (s *shader) old(i uint32, a *attachment) []ir.V {
	if words := s.stack.texels[i]; words != nil {
		return words
	}
	return a.load()
}

// beneath returns the color of color attachment i before the fragment.
func (s *shader) beneath(i uint32, a *attachment) color {
	if s.stack.kept[i] {
		return s.stack.colors[i]
	}
	return a.Unpack(s.old(i, a))
}

// keepsColor keeps the blended color of color attachment i for the layer above, rounded as the attachment stores it, and reports whether
// it does: the layer has none above, or the words of the texel are needed.
func (s *shader) keepsColor(i uint32, a *attachment, c color, mask uint8) bool {
	if s.stack.layer+1 >= len(s.stack.layers) || !a.Complete(mask) {
		return false
	}
	if c, s.stack.kept[i] = a.Stored(c); s.stack.kept[i] {
		s.stack.colors[i] = c
	}
	return s.stack.kept[i]
}

// write writes the words of the texel of color attachment i. Those of a layer below another one stay in registers.
func (s *shader) write(i uint32, a *attachment, words []ir.V) {
	if s.stack.layer+1 < len(s.stack.layers) {
		s.stack.texels[i] = words
		return
	}
	a.store(words)
}
