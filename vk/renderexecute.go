package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/link"
)

// beginRendering begins a rendering: it clears attachments, unless it resumes a suspended one.
func (x *executor) beginRendering(r *rendering) error {
	g := &x.graphics
	resumes := r.info.Flags&Resuming != 0
	switch {
	case g.current != nil:
		return usage("VUID-vkCmdBeginRendering-renderpass", "a rendering is active; must not be")
	case resumes && g.suspended == nil:
		return usage("VUID-VkSubmitInfo-pCommandBuffers-06015", "a rendering resumes, and none is suspended; must be")
	case !resumes && g.suspended != nil:
		return usage("VUID-VkSubmitInfo-pCommandBuffers-06016", "a rendering begins while one is suspended; must resume it")
	case resumes && !r.continues(g.suspended):
		return usage("", "a rendering resumes with other attachments than the suspended one; must have the same")
	}
	if err := x.beginTile(r); err != nil {
		return err
	}
	for i := range r.before {
		if err := x.clearAlone(&r.before[i]); err != nil {
			return err
		}
	}
	x.dev.heap.defined.attach(&r.info)
	if resumes {
		r.keepSamples(g.suspended)
	} else {
		r.replicate()
	}
	if r.subpass != nil {
		x.order.beginSubpass(r.subpass)
	}
	x.order.loads(&x.dev.printer, r)
	if err := g.pass.Begin(&r.target, nil, x.dev.workers); err != nil {
		return stateError(err)
	}
	for i := range r.clears {
		if err := g.pass.Clear(x.ctx, &r.clears[i]); err != nil {
			return err
		}
	}
	if !resumes {
		g.remap = remap{}
	}
	if x.dev.checking >= All && !resumes {
		g.wrote = r.loaded()
		g.tiles.forget()
	}
	g.current, g.suspended, g.resolving, g.shaded = r, nil, false, false
	return nil
}

// clearAlone clears attachments in a pass of their own.
func (x *executor) clearAlone(b *clearAlone) error {
	var p draw.Pass
	if err := p.Begin(&b.target, &b.clears, x.dev.workers); err != nil {
		return stateError(err)
	}
	return p.End(x.ctx)
}

// continues reports whether a rendering has the attachments, the samples, the area and the views of a suspended one.
func (r *rendering) continues(o *rendering) bool {
	same := func(a, b *AttachmentInfo) bool { return a.origin() == b.origin() }
	if r.info.Samples != o.info.Samples || r.info.Area != o.info.Area || r.info.Layers != o.info.Layers || r.info.ViewMask != o.info.ViewMask || len(r.info.Colors) != len(o.info.Colors) {
		return false
	}
	for i := range r.info.Colors {
		if !same(&r.info.Colors[i], &o.info.Colors[i]) {
			return false
		}
	}
	return same(r.info.Depth, o.info.Depth) && same(r.info.Stencil, o.info.Stencil)
}

// endRendering runs the recorded draws and resolves the attachments, unless the rendering is suspended.
func (x *executor) endRendering() error {
	g := &x.graphics
	if g.current == nil {
		return usage("VUID-vkCmdEndRendering-renderpass", "no rendering is active; must be")
	}
	x.watch()
	err := g.pass.End(x.ctx)
	x.unwatch()
	x.releaseRegions()
	x.flushLogs() // the fragments of the draws have run
	x.setTile(false)
	x.order.stored(&g.current.info)
	x.order.ended(&x.dev.printer, g.current)
	if r := g.current; r.subpass != nil {
		x.order.endSubpass(r.subpass)
	}
	if err == nil && g.feedback != nil {
		err = usage("VUID-vkCmdEndRendering-None-06781", "transform feedback is active at the end of the rendering; must not be")
	}
	if err == nil && x.condition.rendering {
		err = usage("VUID-vkCmdEndConditionalRenderingEXT-None-01987", "a condition that began in the rendering is active at its end; must not be")
	}
	if err == nil {
		if g.current.info.Flags&Suspending != 0 {
			g.suspended = g.current
		} else {
			g.current.resolve()
		}
		g.current.scrub()
		g.finish()
		x.leaveTile(g.current)
	}
	g.current, g.ended, g.resolving = nil, g.ended[:0], false
	return err
}

// flushLogs prints the messages of the draws of the pass so far, and passes on their reports.
func (x *executor) flushLogs() {
	for _, log := range x.graphics.logs {
		x.dev.printer.flush(log.Log, log.stages...)
		x.order.shaders(&x.dev.printer, log.Log, Graphics, log.barriers, log.graph)
	}
	x.graphics.logs = nil
}

// endSubmission returns an error if a suspended rendering was not resumed.
func (x *executor) endSubmission() error {
	if x.graphics.suspended == nil {
		return nil
	}
	x.graphics.suspended = nil
	return &LostError{Command: commandNames[endRendering], Cause: usage("VUID-VkSubmitInfo-pCommandBuffers-06014", "a rendering is suspended at the end of its submission; must have resumed")}
}

// flush runs the recorded draws of the current rendering.
func (x *executor) flush() error {
	g := &x.graphics
	x.watch()
	err := g.pass.End(x.ctx)
	x.unwatch()
	if err != nil {
		return err
	}
	return stateError(g.pass.Begin(g.target(), nil, x.dev.workers))
}

// clearAttachments records a clear in the rendering: of all views, if it has views.
func (x *executor) clearAttachments(k *draw.Clears) error {
	g := &x.graphics
	if g.current == nil {
		return usage("VUID-vkCmdClearAttachments-renderpass", "the command is outside of a rendering; must be inside")
	}
	all := *k
	all.ViewMask = g.current.info.ViewMask
	x.order.wrote(g.current, clearBits(k))
	x.watch() // it can run the draws before it
	defer x.unwatch()
	return g.pass.Clear(x.ctx, &all)
}

// checkPipeline returns the error of a draw with a pipeline that is not for the rendering.
func (x *executor) checkPipeline(p *GraphicsPipeline) error {
	r := x.graphics.current
	if p.pass != nil || r.subpass != nil {
		switch {
		case r.isShading():
			return usage("VUID-vkCmdSubpassShadingHUAWEI-None-04931", "a draw is in a subpass for subpass shading; must be in another")
		case p.pass == nil || r.subpass == nil || !p.pass.compatible(r.subpass.pass):
			return usage("VUID-vkCmdDraw-renderPass-02684", "%v is not for a render pass that is compatible with the current one; must be", &p.object)
		case p.subpass != r.subpass.index:
			return usage("VUID-vkCmdDraw-subpass-02685", "%v is for subpass %d; must be for the current one, %d", &p.object, p.subpass, r.subpass.index)
		}
		return nil
	}
	if err := p.custom.suits(&p.object, r, x.graphics.resolving, &customOfPipeline); err != nil {
		return err
	}
	dithers := r.info.Flags&LegacyDithering != 0
	switch pipeline := p.flags&enum.PipelineFlagsEnableLegacyDithering != 0; {
	case dithers && !pipeline:
		return usage("VUID-vkCmdDraw-None-09642", "the rendering has legacy dithering, and %v has none; must have it", &p.object)
	case pipeline && !dithers:
		return usage("VUID-vkCmdDraw-None-09643", "%v has legacy dithering, and the rendering has none; must have it", &p.object)
	case p.rendering.ViewMask != r.info.ViewMask:
		return usage("VUID-vkCmdDraw-viewMask-06178", "%v has the view mask %#x; must be %#x as of the rendering", &p.object, p.rendering.ViewMask, r.info.ViewMask)
	case len(p.rendering.Color) != len(r.info.Colors) && !p.dev.feature("dynamicRenderingUnusedAttachments"):
		return usage("VUID-vkCmdDraw-colorAttachmentCount-06179", "%v has %d color attachments; must have %d as the rendering", &p.object, len(p.rendering.Color), len(r.info.Colors))
	}
	for i, f := range p.rendering.Color[:min(len(p.rendering.Color), len(r.info.Colors))] {
		if err := r.info.Colors[i].checkFormat("VUID-vkCmdDraw-dynamicRenderingUnusedAttachments-08910", p, f); err != nil {
			return err
		}
	}
	if err := r.info.Depth.checkFormat("VUID-vkCmdDraw-dynamicRenderingUnusedAttachments-08914", p, p.rendering.Depth); err != nil {
		return err
	}
	if err := r.info.Stencil.checkFormat("VUID-vkCmdDraw-dynamicRenderingUnusedAttachments-08917", p, p.rendering.Stencil); err != nil {
		return err
	}
	return x.checkRemap(p)
}

// checkFormat returns the error of a draw with a pipeline that is for another format of an attachment. A pipeline with an undefined
// format does not use the attachment, if the device has dynamicRenderingUnusedAttachments.
func (a *AttachmentInfo) checkFormat(rule string, p *GraphicsPipeline, f link.Format) error {
	if a == nil || a.View == nil || a.View.format() == f.String() || f == 0 && !p.dev.without("dynamicRenderingUnusedAttachments") {
		return nil
	}
	return usage(rule, "%v is for the format %v of an attachment; must be for %s as the rendering", &p.object, f, a.View.format())
}
