package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Tile images are the attachments as fragment programs read them: at the fragment's
// pixel, behind all fragments of it that were before (Vulkan §"Fragment Shader Tile
// Image Reads"). A tile of the picture is drawn in order, so that all such reads are
// coherent.

// tileKey is what the code of reads of depth and stencil depends on.
type tileKey struct {
	depth, stencil               string // formats; "" where there is no attachment or nothing reads it
	depthLayered, stencilLayered bool
}

// tileKeyOf returns the key of a program and a target.
func tileKeyOf(p *ir.Program, t *Target) (k tileKey) {
	if hasInput(p, ir.TileDepth) && t.Depth != nil {
		k.depth, k.depthLayered = t.Depth.Format(), layered(t.Depth)
	}
	if hasInput(p, ir.TileStencil) && t.Stencil != nil {
		k.stencil, k.stencilLayered = t.Stencil.Format(), layered(t.Stencil)
	}
	return k
}

// readsTile reports whether a program reads attachments.
func readsTile(p *ir.Program) bool {
	return hasInput(p, ir.TileColor) || hasInput(p, ir.TileDepth) || hasInput(p, ir.TileStencil)
}

// tile writes a read of sample n of an attachment: 0 where there is none, and outside
// of it, where helper invocations may stand.
func (s *fragmentShader) tile(in ir.Input, n ir.V) ir.V {
	binding, name, arrayed := uint32(bindDepth), s.key.tile.depth, s.key.tile.depthLayered
	switch in.Semantic {
	case ir.TileStencil:
		binding, name, arrayed = bindStencil, s.key.tile.stencil, s.key.tile.stencilLayered
	case ir.TileColor:
		l := in.Index / 4
		if l >= MaxColors {
			return s.zero(in.Type)
		}
		binding, name, arrayed = bindColor+l, s.key.colors[l].format, s.key.colors[l].layered
	}
	if name == "" {
		return s.zero(in.Type)
	}
	b := s.b
	done := b.Block(in.Type)
	b.If(s.inAttachment(binding, n))
	if a, ok := s.attachment(binding, name, arrayed, n); ok {
		b.Br(done, s.tileNumber(in, &a))
	}
	b.End()
	b.Br(done, s.zero(in.Type))
	b.End()
	return b.Param(done, 0)
}

// tileNumber is the component that is read, as the program has it.
func (s *fragmentShader) tileNumber(in ir.Input, a *attachment) ir.V {
	words := a.load()
	if in.Semantic == ir.TileStencil {
		return a.Raw(words, 0)
	}
	return s.typed(a.Unpack(words)[in.Index%4], a.Signed(), in.Type)
}

// inAttachment reports whether an attachment has sample n of the fragment's pixel.
func (s *fragmentShader) inAttachment(binding uint32, n ir.V) ir.V {
	b := s.b
	in := b.Cmp(ir.ULt, n, b.I32(s.key.samples))
	if !s.helpers {
		return in
	}
	shape := s.handle(ir.ImageShape, binding, false)
	within := func(v fragmentVar, word uint32) {
		most := s.own(ir.I32, shape, b.I32(0), 4*word)
		in = b.Op(ir.And, ir.B1, in, b.Cmp(ir.ULt, s.get(v), most))
	}
	within(varX, ir.ShapeWidth)
	within(varY, ir.ShapeHeight)
	return in
}
