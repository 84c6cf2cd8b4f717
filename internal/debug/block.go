package debug

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/vk"
)

// mayContain reports whether the block of a group of fragments may have a pixel (see raster.Item): true if it is not known.
func mayContain(g *exec.Group, attachments []vk.DebugAttachment, x, y uint32) bool {
	perItem := uint64(1) // groups
	if slices.ContainsFunc(g.Program.IDs, func(v ir.IDVar) bool { return v.Semantic == ir.SampleId }) && len(attachments) > 0 {
		perItem = uint64(attachments[0].View.Samples())
	}
	for r, res := range g.Program.Res {
		if res.Set != compute.OwnSet || res.Binding != layout.BindItems || res.Kind != ir.StorageBuffer || len(g.Job.Resources[r]) == 0 {
			continue
		}
		items := g.Job.Resources[r][0].Bytes
		total := uint64(len(items)) / 8
		groups := uint64(g.Job.Groups[0]) / perItem
		if groups == 0 || total%groups != 0 {
			return true
		}
		at := uint64(g.ID[0]) / perItem * (total / groups) * 8
		if at+8 > uint64(len(items)) {
			return true
		}
		corner := binary.LittleEndian.Uint32(items[at+4:])
		return besides(corner&0xffff, x) && besides(corner>>16, y)
	}
	return true
}

// besides reports whether a pixel may be in a block, along one axis. The block begins at the corner; a block of coarse fragments, whose
// low bits are the size of the fragments, at a multiple of its size before.
func besides(corner, pixel uint32) bool {
	return pixel >= corner&^(raster.Block-1) && pixel < corner+raster.Block
}
