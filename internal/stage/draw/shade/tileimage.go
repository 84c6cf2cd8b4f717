package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Tile images are attachments that fragment programs read at their own pixel (Vulkan §"Fragment Shader
// Tile Image Reads"). One worker shades a tile in primitive order, so all these reads are coherent
// without further work.

// tileImage reads sample n of an attachment. The result is 0 without an attachment, and outside of it,
// which helper invocations can be.
func (s *shader) tileImage(in ir.Input, n ir.V) ir.V {
	binding, form, arrayed := uint32(layout.BindDepth), s.key.Tile.depth, s.key.Tile.depthLayered
	switch in.Semantic {
	case ir.TileStencil:
		binding, form, arrayed = layout.BindStencil, s.key.Tile.stencil, s.key.Tile.stencilLayered
	case ir.TileColor:
		l := in.Index / 4
		if l >= state.MaxColors {
			return s.Zero(in.Type)
		}
		binding, form, arrayed = layout.BindColor+l, s.key.Colors[l].Format, s.key.Colors[l].Layered
	}
	if form == nil {
		return s.Zero(in.Type)
	}
	b := s.B
	done := b.Block(in.Type)
	b.If(s.inAttachment(binding, n))
	if a, ok := s.attachment(binding, form, arrayed, n); ok {
		b.Br(done, s.tileNumber(in, &a))
	}
	b.End()
	b.Br(done, s.Zero(in.Type))
	b.End()
	return b.Param(done, 0)
}

// tileNumber returns the component in the type of the program's input.
func (s *shader) tileNumber(in ir.Input, a *attachment) ir.V {
	words := a.load()
	if in.Semantic == ir.TileStencil {
		return a.Raw(words, 0)
	}
	return s.Convert(a.Unpack(words)[in.Index%4], a.Signed(), in.Type)
}

// inAttachment reports whether the attachment contains sample n of the fragment's pixel. Only helper
// invocations can be outside: covered pixels are within the framebuffer.
func (s *shader) inAttachment(binding uint32, n ir.V) ir.V {
	b := s.B
	in := b.Cmp(ir.ULt, n, b.I32(s.key.Samples))
	if !s.helpers {
		return in
	}
	shape := s.Handle(ir.ImageShape, binding, false)
	within := func(v fragmentVar, word uint32) {
		most := s.LoadOwn(ir.I32, shape, b.I32(0), 4*word)
		in = b.Op(ir.And, ir.B1, in, b.Cmp(ir.ULt, s.get(v), most))
	}
	within(varX, ir.ShapeWidth)
	within(varY, ir.ShapeHeight)
	return in
}
