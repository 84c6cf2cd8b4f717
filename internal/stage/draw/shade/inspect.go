package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// WalksStrips reports whether a program of [Program] whose key is not packed loops over strips, and over identical blocks
// below the first.
func WalksStrips(p *ir.Program) bool { return p.Invocations() < raster.Block*raster.Block }

func writesTexels(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		t := f.Texture
		return t != nil && (t.Op == ir.TextureWrite || t.Op == ir.TextureTexel)
	})
}

// WritesMemory reports whether a program writes buffers, images or memory by address.
func WritesMemory(p *ir.Program) bool { return p.Effects.Writes || writesTexels(p) }

// HasInput reports whether a program has an input of the semantic.
func HasInput(p *ir.Program, x ir.Semantic) bool {
	return slices.ContainsFunc(p.In, func(in ir.Input) bool { return in.Semantic == x })
}

// ReadsTile reports whether a program reads attachments.
func ReadsTile(p *ir.Program) bool {
	return HasInput(p, ir.TileColor) || HasInput(p, ir.TileDepth) || HasInput(p, ir.TileStencil)
}
