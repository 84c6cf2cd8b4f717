package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Tile images are the attachments as fragment programs read them: at the fragment's
// pixel, behind all fragments of it that were before (Vulkan §"Fragment Shader Tile
// Image Reads"). A tile of the picture is drawn in order, so that all such reads are
// coherent.

// tileImage writes a read of sample n of an attachment: 0 where there is none, and outside
// of it, where helper invocations may stand.
func (s *shader) tileImage(in ir.Input, n ir.V) ir.V {
	binding, name, arrayed := uint32(layout.BindDepth), s.key.Tile.depth, s.key.Tile.depthLayered
	switch in.Semantic {
	case ir.TileStencil:
		binding, name, arrayed = layout.BindStencil, s.key.Tile.stencil, s.key.Tile.stencilLayered
	case ir.TileColor:
		l := in.Index / 4
		if l >= state.MaxColors {
			return s.Zero(in.Type)
		}
		binding, name, arrayed = layout.BindColor+l, s.key.Colors[l].Format, s.key.Colors[l].Layered
	}
	if name == "" {
		return s.Zero(in.Type)
	}
	b := s.B
	done := b.Block(in.Type)
	b.If(s.inAttachment(binding, n))
	if a, ok := s.attachment(binding, name, arrayed, n); ok {
		b.Br(done, s.tileNumber(in, &a))
	}
	b.End()
	b.Br(done, s.Zero(in.Type))
	b.End()
	return b.Param(done, 0)
}

// tileNumber is the component that is read, as the program has it.
func (s *shader) tileNumber(in ir.Input, a *attachment) ir.V {
	words := a.load()
	if in.Semantic == ir.TileStencil {
		return a.Raw(words, 0)
	}
	return s.Convert(a.Unpack(words)[in.Index%4], a.Signed(), in.Type)
}

// inAttachment reports whether an attachment has sample n of the fragment's pixel.
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
