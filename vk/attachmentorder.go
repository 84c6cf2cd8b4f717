package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// The load operations of a rendering write all texels of its area in the stages COLOR_ATTACHMENT_OUTPUT, of depth and stencil in those of the
// fragment tests, if they clear or do not care; resolves write in COLOR_ATTACHMENT_OUTPUT (Vulkan, "Load Operations", "Render Pass Resolve Operations").
// The texels that draws write are not known. A rendering uses its own attachments in order: the load operations happen before
// its commands.

// loads adds the load operations of a rendering that is not of a render pass, and is not a part of a suspended one.
func (o *commandOrder) loads(p *printer, r *rendering) {
	if o == nil {
		return
	}
	o.renderings++
	if o.rendering = o.renderings; r.subpass != nil || r.info.Flags&(Resuming|Suspending) != 0 || r.info.Tiles.Enable {
		return
	}
	var list []*commandAccess
	add := func(a *AttachmentInfo, v *texture.View, stage, access uint64) {
		if a == nil || a.Load == Load || a.single != nil { // the implicit image of single is no memory of the application
			return
		}
		list = append(list, r.written(a.View, v, "load operation", stage, access)...)
	}
	for i := range r.info.Colors {
		if i < len(r.target.Colors) {
			add(&r.info.Colors[i], r.target.Colors[i], stageColorAttachmentOutput, accessColorAttachmentWrite)
		}
	}
	const tests = stageEarlyFragmentTests | stageLateFragmentTests // the store operation is in the latter, and writes the same texels
	add(r.info.Depth, r.target.Depth, tests, accessDepthStencilAttachmentWrite)
	add(r.info.Stencil, r.target.Stencil, tests, accessDepthStencilAttachmentWrite)
	o.attached(p, list)
}

// ended ends the order inside of a rendering, and adds its resolves.
func (o *commandOrder) ended(p *printer, r *rendering) {
	if o == nil {
		return
	}
	if r.subpass == nil && r.info.Flags&Suspending == 0 && !r.info.Tiles.Enable {
		var list []*commandAccess
		for i := range r.info.Colors {
			if a := &r.info.Colors[i]; a.Resolve != nil && a.ResolveMode != ResolveNone && a.Resolve.view != nil {
				list = append(list, r.written(a.Resolve, a.Resolve.view, "resolve operation", stageColorAttachmentOutput, accessColorAttachmentWrite)...)
			}
		}
		o.attached(p, list)
	}
	o.rendering = 0
}

// attached adds accesses of attachments.
func (o *commandOrder) attached(p *printer, list []*commandAccess) {
	if len(list) == 0 {
		return
	}
	for _, a := range list {
		a.rendering = o.rendering
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, o.now())
}

// written returns the write of the texels of a view in the area of the rendering; none if it has several places in memory, or too
// many ranges.
func (r *rendering) written(of *ImageView, v *texture.View, name string, stage, access uint64) []*commandAccess {
	if of == nil || v == nil || of.image == nil || of.image.sparse != nil {
		return nil
	}
	x0, y0, x1, y1 := 0, 0, 1<<30, 1<<30
	if a := r.info.Area; a.Width > 0 && a.Height > 0 {
		x0, y0, x1, y1 = int(a.X), int(a.Y), int(a.X)+int(a.Width), int(a.Y)+int(a.Height)
	}
	var spans []exec.Span
	for layer := range 32 * max(int(r.info.Layers), 1) {
		if r.info.ViewMask == 0 && layer >= max(int(r.info.Layers), 1) || r.info.ViewMask != 0 && layer >= 32 {
			break
		}
		if r.info.ViewMask == 0 || r.info.ViewMask>>layer&1 != 0 {
			v.Rows(layer, x0, y0, x1, y1, func(row []byte) {
				for _, s := range spanOf(row) {
					if n := len(spans); n > 0 && spans[n-1].End == s.Start { // most rows touch
						spans[n-1].End = s.End
					} else if n <= maxSpans {
						spans = append(spans, s)
					}
				}
			})
		}
	}
	if spans = joined(spans); len(spans) == 0 || len(spans) > maxSpans {
		return nil
	}
	return []*commandAccess{{Access: exec.Access{Write: true, Spans: spans}, name: name, stage: stage, access: access}}
}
