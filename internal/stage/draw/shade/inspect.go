package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// longCode is the number of operations from which a strip has two subgroups: a long program waits for
// its own results, and an engine can interleave two subgroups. Loops and image samples, which are
// linked later, count as long.
const longCode = 400

// WalksStrips reports whether a program of [Program] whose key is not packed loops over strips, and over identical blocks
// below the first.
func WalksStrips(p *ir.Program) bool { return p.Invocations() < raster.Block*raster.Block }

// Long reports whether a program is long enough for two subgroups in a strip, which an engine can interleave.
func Long(p *ir.Program) bool {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Code)
	}
	return hasOp(p, ir.Loop) || n > longCode || samplesImages(p)
}

func samplesImages(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool { return f.Texture != nil && f.Texture.Op == ir.TextureSample })
}

func hasOp(p *ir.Program, op ir.Op) bool {
	for _, f := range p.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool { return f.Val(v).Op == op }) {
			return true
		}
	}
	return false
}

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

// ReadsTileAttachments reports whether a program reads attachments as images of descriptors, at any pixel of the tile.
func ReadsTileAttachments(p *ir.Program) bool {
	return slices.ContainsFunc(p.Res, func(r ir.Resource) bool { return r.Tile })
}

// ReadsTile reports whether a program reads attachments.
func ReadsTile(p *ir.Program) bool {
	return HasInput(p, ir.TileColor) || HasInput(p, ir.TileDepth) || HasInput(p, ir.TileStencil)
}
