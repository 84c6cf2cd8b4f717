package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tileAccesses are the accesses of attachments by the commands of a subpass with tile shading, for full checking. A dispatch must not
// read an attachment as another image if any command of the subpass writes it as a tile attachment, an earlier or a later one.
type tileAccesses struct {
	written []*ImageView // as tile attachments
	beside  []*ImageView // read by dispatches, and not as tile attachments
}

func (t *tileAccesses) forget() { t.written, t.beside = emptied(t.written), emptied(t.beside) }

// noted adds a view to a list that lacks it.
func noted(list []*ImageView, v *ImageView) []*ImageView {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// checkTileImages checks the images of tile attachments: each is an attachment of the rendering, of a kind that the device permits.
// Dispatches do not write tile attachments of depth and stencil.
func (x *executor) checkTileImages(d *descriptorCheck, u *uses) {
	for i := range u.images {
		use := &u.images[i]
		if v := d.bound(use.program, use.image).view; v != nil && use.image.Tile && !use.Subpass {
			x.checkTileImage(d, use, v)
		}
	}
	if d.point != Compute || d.idle {
		return
	}
	for i := range u.images {
		use := &u.images[i]
		if v := d.bound(use.program, use.image).view; v != nil && !use.image.Tile && !use.Subpass {
			x.checkBesideTiles(use, v)
		}
	}
}

// checkTileImage checks the view of a tile attachment.
func (x *executor) checkTileImage(d *descriptorCheck, use *imageUse, v *ImageView) {
	r := x.graphics.current
	color := slices.ContainsFunc(r.info.Colors, func(a AttachmentInfo) bool { return a.overlaps(v, Color) })
	depth, stencil := r.info.Depth.overlaps(v, Depth), r.info.Stencil.overlaps(v, Stencil)
	switch {
	case !color && !depth && !stencil && !r.inputs(v):
		x.find("", "%v is a tile attachment of the shader and no attachment of the subpass; must be one", &v.object)
	case d.point == Compute && (depth || stencil) && use.Op == ir.TextureWrite:
		x.find(vuid.VkCmdDispatch_aspectMask_10673, "the shader writes %v, an attachment of depth or stencil; must not", &v.object)
	case color && x.dev.lacks("tileShadingColorAttachments"):
		x.find(vuid.RuntimeSpirv_OpTypeImage_10707, "%v is a color attachment; needs the feature tileShadingColorAttachments", &v.object)
	case depth && x.dev.lacks("tileShadingDepthAttachments"):
		x.find(vuid.RuntimeSpirv_OpTypeImage_10708, "%v is the depth attachment; needs the feature tileShadingDepthAttachments", &v.object)
	case stencil && x.dev.lacks("tileShadingStencilAttachments"):
		x.find(vuid.RuntimeSpirv_OpTypeImage_10709, "%v is the stencil attachment; needs the feature tileShadingStencilAttachments", &v.object)
	case !color && !depth && !stencil && x.dev.lacks("tileShadingInputAttachments"):
		x.find(vuid.RuntimeSpirv_OpTypeImage_10710, "%v is an input attachment; needs the feature tileShadingInputAttachments", &v.object)
	case use.sampler != nil && x.dev.lacks("tileShadingSampledAttachments"):
		x.find(vuid.RuntimeSpirv_OpTypeSampledImage_10711, "%v is sampled; needs the feature tileShadingSampledAttachments", &v.object)
	}
	if d.idle || !use.writes() {
		return
	}
	t := &x.graphics.tiles
	t.written = noted(t.written, v)
	if i := slices.IndexFunc(t.beside, v.meets); i >= 0 {
		x.find(vuid.VkCmdDispatch_None_10676, "the shader writes %v as a tile attachment, which a dispatch before it read as %v; must be read only as a tile attachment", &v.object, &t.beside[i].object)
	}
}

// checkBesideTiles finds a dispatch that accesses an attachment of the rendering otherwise than as a tile attachment: it must not write
// it, nor read one that the subpass writes as a tile attachment.
func (x *executor) checkBesideTiles(use *imageUse, v *ImageView) {
	r, t := x.graphics.current, &x.graphics.tiles
	shows := r.inputs(v) || r.info.Depth.overlaps(v, Depth) || r.info.Stencil.overlaps(v, Stencil) ||
		slices.ContainsFunc(r.info.Colors, func(a AttachmentInfo) bool { return a.overlaps(v, Color) })
	switch {
	case !shows:
	case use.writes():
		x.find(vuid.VkCmdDispatch_None_10675, "%v shows an attachment and is written; must be written only as a tile attachment", &v.object)
	case use.Op == ir.TextureQueryLod || use.Op == ir.TextureFootprint: // they read no memory of the image
	case slices.ContainsFunc(t.written, v.meets):
		x.find(vuid.VkCmdDispatch_None_10676, "%v shows an attachment that the subpass writes as a tile attachment, and is read; must be read only as one", &v.object)
	default:
		t.beside = noted(t.beside, v)
	}
}

// writes reports whether the use may write the image.
func (u *imageUse) writes() bool { return u.Op == ir.TextureWrite || u.Op == ir.TextureTexel }

// inputs reports whether a view shows an input attachment of the subpass.
func (r *rendering) inputs(v *ImageView) bool { return slices.ContainsFunc(r.inputViews, v.meets) }

// meets reports whether two views have a subresource in common.
func (v *ImageView) meets(o *ImageView) bool {
	common := func(x, n, y, m int) bool { return x < y+m && y < x+n }
	aspect := func(a Aspect) bool { return v.aspect(a) != nil && o.aspect(a) != nil }
	return v.image == o.image && (aspect(Color) || aspect(Depth) || aspect(Stencil)) &&
		common(v.info.BaseLevel, v.levels(), o.info.BaseLevel, o.levels()) &&
		(v.info.Type == enum.ViewType3d || o.info.Type == enum.ViewType3d || common(v.info.BaseLayer, v.layers(), o.info.BaseLayer, o.layers()))
}
