package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
)

// The load and the store operation of an attachment access all texels of the render area, whatever the draws write: a load reads them, a clear
// and DONT_CARE write them, and a store operation other than NONE writes them. They are in the stage COLOR_ATTACHMENT_OUTPUT, of depth and stencil the
// load operation in EARLY_FRAGMENT_TESTS and the store operation in LATE_FRAGMENT_TESTS; resolves write in COLOR_ATTACHMENT_OUTPUT (Vulkan, "Load
// Operations", "Store Operations", "Render Pass Resolve Operations"). Draws write only texels that the store operation writes, so they need no access of their own:
// NONE is as DONT_CARE if values were written to the attachment in the render pass.
// A rendering uses its own attachments in order: the load operations happen before its commands, the store operations after them.

// usedAttachment is an attachment of a rendering, with its stages and accesses.
type usedAttachment struct {
	*AttachmentInfo
	of           *ImageView // single in place of its implicit image, which is no memory of the application
	aspect       Aspect
	name         string
	first, last  uint64 // the stages of the load and the store operation
	reads, write uint64 // accesses
}

// attachments returns the attachments.
func (r *rendering) attachments() (list []usedAttachment) {
	add := func(a *AttachmentInfo, u usedAttachment) {
		if v := a.origin(); v != nil {
			u.AttachmentInfo, u.of = a, v
			list = append(list, u)
		}
	}
	for i := range r.info.Colors {
		if i < len(r.target.Colors) {
			add(&r.info.Colors[i], usedAttachment{
				aspect: Color, name: "color attachment " + uintText(uint64(i)), first: stageColorAttachmentOutput, last: stageColorAttachmentOutput,
				reads: accessColorAttachmentRead, write: accessColorAttachmentWrite,
			})
		}
	}
	tests := usedAttachment{first: stageEarlyFragmentTests, last: stageLateFragmentTests, reads: accessDepthStencilAttachmentRead, write: accessDepthStencilAttachmentWrite}
	tests.aspect, tests.name = Depth, "depth attachment"
	add(r.info.Depth, tests)
	tests.aspect, tests.name = Stencil, "stencil attachment"
	add(r.info.Stencil, tests)
	return list
}

// loads adds the load operations of a rendering, unless it resumes a suspended one.
func (o *commandOrder) loads(p *printer, r *rendering) {
	if o == nil {
		return
	}
	resumes := r.info.Flags&Resuming != 0
	if !resumes {
		o.renderings++
	}
	if o.rendering = o.renderings; resumes || r.info.Tiles.Enable {
		return
	}
	var list []*commandAccess
	for _, a := range r.attachments() {
		mask := r.info.ViewMask
		if a.views != 0 {
			mask &= a.views
		}
		of := accessOfArea{loadOf(a.name), a.first, a.write, true, mask}
		switch a.Load {
		case LoadNone:
			continue
		case Load:
			of.access, of.write = a.reads, false
		}
		list = append(list, r.accessed(a.of, a.aspect, of)...)
	}
	o.attached(p, list)
}

// loadOf is the name of the load operation of an attachment.
func loadOf(attachment string) string { return "load operation of " + attachment }

// supersede forgets an access of the current rendering by its name.
func (o *commandOrder) supersede(name string) {
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.remove(func(a *commandAccess) bool { return a.attachment && a.rendering == o.rendering && a.name == name })
}

// ended ends the order inside of a rendering, and adds its resolves and its store operations.
func (o *commandOrder) ended(p *printer, r *rendering) {
	if o == nil {
		return
	}
	if r.info.Flags&Suspending == 0 && !r.info.Tiles.Enable {
		var list []*commandAccess
		for _, a := range r.attachments() {
			mask := r.info.ViewMask
			if a.Resolve != nil && a.single == nil && a.ResolveMode.fixed() {
				list = append(list, r.accessed(a.Resolve, a.aspect, accessOfArea{"resolve operation of " + a.name, stageColorAttachmentOutput, accessColorAttachmentWrite, true, mask})...)
			}
			if a.Store == storeLater {
				continue
			}
			key := writtenAttachment{a.of, a.aspect}
			if a.Store != StoreNone || o.written[key] {
				// It is after the load operation, on the same texels: an order with it is one with both.
				o.supersede(loadOf(a.name))
				list = append(list, r.accessed(a.of, a.aspect, accessOfArea{"store operation of " + a.name, a.last, a.write, true, mask})...)
			}
			delete(o.written, key)
		}
		o.attached(p, list)
	}
	o.rendering = 0
}

// writtenAttachment is an aspect of an attachment to which the commands of a render pass wrote values.
type writtenAttachment struct {
	of     *ImageView
	aspect Aspect
}

// wrote keeps the attachments that a draw or a clear in a rendering writes, by bits of colors, wroteDepth and wroteStencil. Only a store operation
// NONE, of this subpass or of a later one, depends on it.
func (o *commandOrder) wrote(r *rendering, bits uint16) {
	if o == nil || bits == 0 || r.info.Tiles.Enable {
		return
	}
	add := func(a *AttachmentInfo, aspect Aspect, bit uint16) {
		if v := a.origin(); v != nil && bits&bit != 0 && (a.Store == StoreNone || a.Store == storeLater) {
			if o.written == nil {
				o.written = map[writtenAttachment]bool{}
			}
			o.written[writtenAttachment{v, aspect}] = true
		}
	}
	for i := range r.info.Colors {
		add(&r.info.Colors[i], Color, 1<<i)
	}
	add(r.info.Depth, Depth, wroteDepth)
	add(r.info.Stencil, Stencil, wroteStencil)
}

// clearBits returns the attachments that clears write, in the form of graphics.wrote.
func clearBits(k *draw.Clears) (bits uint16) {
	for i := range k.Colors {
		if k.Colors[i].Do {
			bits |= 1 << i
		}
	}
	if k.Depth.Do {
		bits |= wroteDepth
	}
	if k.Stencil.Do {
		bits |= wroteStencil
	}
	return bits
}

// attached adds accesses of attachments.
func (o *commandOrder) attached(p *printer, list []*commandAccess) {
	if len(list) == 0 {
		return
	}
	for _, a := range list {
		a.attachment = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, o.now())
}

// accessOfArea is the access of an operation to the texels of the render area.
type accessOfArea struct {
	name          string
	stage, access uint64
	write         bool
	views         uint32 // 0 for the layers of the rendering
}

// accessed returns the access of the texels of an aspect of a view in the area of the rendering; none if it has several places in memory,
// or too many ranges.
func (r *rendering) accessed(of *ImageView, aspect Aspect, x accessOfArea) []*commandAccess {
	v := of.attachment(aspect)
	if v == nil || of.image == nil || of.image.sparse != nil {
		return nil
	}
	x0, y0, x1, y1 := 0, 0, 1<<30, 1<<30
	if a := r.info.Area; a.Width > 0 && a.Height > 0 {
		x0, y0, x1, y1 = int(a.X), int(a.Y), int(a.X)+int(a.Width), int(a.Y)+int(a.Height)
	}
	layers := max(int(r.info.Layers), 1)
	if r.info.ViewMask != 0 {
		layers = 32
	}
	var spans []exec.Span
	for layer := range layers {
		if r.info.ViewMask != 0 && x.views>>layer&1 == 0 {
			continue
		}
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
	if spans = joined(spans); len(spans) == 0 || len(spans) > maxSpans {
		return nil
	}
	return []*commandAccess{{Access: exec.Access{Write: x.write, Spans: spans}, name: x.name, stage: x.stage, access: x.access}}
}
