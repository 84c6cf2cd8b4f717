package draw

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
)

// A clear is dropped for a tile if the next draw overwrites all bytes of the tile's texels: the clear
// cannot be seen.

// overwritesTarget reports whether covered pixels get all bytes of their texels in all color
// attachments from the draw alone. It is conservative. Logical operations, blending and partial
// write masks read the old texel; discard, sample masks and depth tests leave it; attachments without a
// location are not drawn. Each of them makes the clear visible.
func (d *recordedDraw) overwritesTarget() bool {
	f, k := d.pipeline.stages.Fragment, &d.key
	if d.target.Depth != nil || d.target.Stencil != nil || k.Samples != 1 || k.MaxPixels > 1 || k.FullyCovered || k.Multiview || k.Logic ||
		k.AlphaToCoverage || d.state.Multisample.Mask != nil || len(d.state.Discard.Rectangles) > 0 || d.state.Locations != nil {
		return false
	}
	if f.Effects.Discards || f.Effects.Ordered || shade.WritesMemory(f) || shade.ReadsTile(f) || shade.ReadsTileAttachments(f) || slices.ContainsFunc(f.Out, func(o ir.Output) bool { return o.Semantic != ir.Location }) {
		return false
	}
	for i, v := range d.target.Colors {
		if v == nil {
			continue
		}
		c := &k.Colors[i]
		if c.Layered || c.Blend.Enable || c.Blend.WriteMask != 15 || !fillsTexel(c.Format) {
			return false
		}
		for n := range uint32(4) {
			if !writesComponent(f, 4*uint32(i)+n) {
				return false
			}
		}
	}
	return d.target.Reached() == 1
}

// writesComponent reports whether a program writes a component of a color attachment.
func writesComponent(p *ir.Program, index uint32) bool {
	return slices.ContainsFunc(p.Out, func(o ir.Output) bool { return o.Index == index && o.Source == 0 })
}

// fillsTexel reports whether a format has four components and no padding.
func fillsTexel(i *format.Info) bool {
	f := i.Texel()
	if f == nil || len(f.Components()) != 4 {
		return false
	}
	bits := 0
	for _, c := range f.Components() {
		bits += c.Bits
	}
	return bits == 8*f.Bytes
}

// coversTile reports whether items with one mask each cover all of a tile. An item with n further
// blocks below sets n+1 bits of seen, eight apart. All 64 bits mean the whole tile. A full-screen
// triangle needs eight such items per tile.
func coversTile(items []uint64) bool {
	const across = raster.Tile / raster.Block
	const firstColumn = uint64(0x0101010101010101) // blocks of a tile with x = 0
	seen := uint64(0)
	for ; len(items) >= 2; items = items[2:] {
		if items[1] != ^uint64(0) {
			continue
		}
		head := [1]uint64{items[0]}
		below := raster.Item(head[:]).TakeRun()
		x, y := raster.Item(head[:]).At()
		if x%raster.Block != 0 || y%raster.Block != 0 {
			continue
		}
		seen |= firstColumn >> (across * (raster.MaxRun - below)) << (y/raster.Block%across*across + x/raster.Block%across)
	}
	return seen == ^uint64(0)
}
