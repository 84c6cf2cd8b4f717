package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// CustomResolve lets a pipeline, or a secondary command buffer, draw in renderings with the flag CustomResolving
// (VkCustomResolveCreateInfoEXT). Undefined formats are attachments without a custom resolve.
type CustomResolve struct {
	Resolve        bool          // it draws after BeginCustomResolve, to the resolve attachments; otherwise before it
	Colors         []link.Format // of the resolve attachments
	Depth, Stencil link.Format
}

// check checks the formats.
func (k *CustomResolve) check() error {
	if k == nil {
		return nil
	}
	depth, stencil := AttachmentDescription{Format: k.Depth}, AttachmentDescription{Format: k.Stencil}
	switch {
	case len(k.Colors) > state.MaxColors:
		return usage("VUID-VkCustomResolveCreateInfoEXT-colorAttachmentCount-11507", "%d color attachments are resolved; must be at most %d", len(k.Colors), state.MaxColors)
	case k.Depth != 0 && depth.aspects()&Depth.inside() == 0:
		return usage("VUID-VkCustomResolveCreateInfoEXT-depthAttachmentFormat-11508", "depth is resolved to the format %v; must have depth", k.Depth)
	case k.Stencil != 0 && stencil.aspects()&Stencil.inside() == 0:
		return usage("VUID-VkCustomResolveCreateInfoEXT-stencilAttachmentFormat-11511", "stencil is resolved to the format %v; must have stencil", k.Stencil)
	case k.Depth != 0 && k.Stencil != 0 && k.Depth != k.Stencil:
		return usage("VUID-VkCustomResolveCreateInfoEXT-depthAttachmentFormat-11513", "depth is resolved to the format %v and stencil to %v; must be the same", k.Depth, k.Stencil)
	}
	return nil
}

// copied returns a copy that shares no memory.
func (k *CustomResolve) copied() *CustomResolve {
	if k == nil {
		return nil
	}
	out := *k
	out.Colors = slices.Clone(k.Colors)
	return &out
}

// customRules are the rules on the custom resolve of a pipeline or a command buffer: absent, present without need, the parts
// after and before BeginCustomResolve, the number of color attachments, and their formats with and without a resolve.
type customRules [7]string

var (
	customOfPipeline = customRules{"VUID-vkCmdDraw-None-11522", "VUID-vkCmdDraw-None-11523", "VUID-vkCmdDraw-customResolve-11524", "VUID-vkCmdDraw-customResolve-11525",
		"VUID-vkCmdDraw-None-11861", "VUID-vkCmdDraw-None-11862", "VUID-vkCmdDraw-None-11863"}
	customOfSecondary = customRules{"VUID-vkCmdExecuteCommands-pCommandBuffers-11500", "VUID-vkCmdExecuteCommands-pCommandBuffers-11501",
		"VUID-vkCmdExecuteCommands-pCommandBuffers-11502", "VUID-vkCmdExecuteCommands-pCommandBuffers-11503", "VUID-vkCmdExecuteCommands-colorAttachmentCount-11532",
		"VUID-vkCmdExecuteCommands-resolveImageView-11533", "VUID-vkCmdExecuteCommands-resolveImageView-11534"}
)

// suits returns the error of a pipeline or a command buffer that is not for the rendering, or not for its part.
func (k *CustomResolve) suits(o *object, r *rendering, resolving bool, rules *customRules) error {
	contains := r.info.Flags&CustomResolving != 0
	switch {
	case contains && k == nil:
		return usage(rules[0], "the rendering has a custom resolve, and %v is not for one; must be", o)
	case !contains && k != nil:
		return usage(rules[1], "%v is for a custom resolve, and the rendering has none; must have one", o)
	case k == nil:
		return nil
	case resolving && !k.Resolve:
		return usage(rules[2], "%v is for draws before the custom resolve; must be for the resolve", o)
	case !resolving && k.Resolve:
		return usage(rules[3], "%v is for the custom resolve, which has not begun; must have", o)
	case len(k.Colors) != len(r.info.Colors):
		return usage(rules[4], "%v resolves %d color attachments; must resolve %d as of the rendering", o, len(k.Colors), len(r.info.Colors))
	}
	for i, f := range k.Colors {
		switch v := r.info.Colors[i].Resolve; {
		case v != nil && v.format() != f.String():
			return usage(rules[5], "%v resolves color attachment %d to the format %v; must be %s", o, i, f, v.format())
		case v == nil && f != 0:
			return usage(rules[6], "%v resolves color attachment %d, which the rendering does not resolve; must not", o, i)
		}
	}
	return nil
}

// setResolved makes the target of the draws after BeginCustomResolve: the resolve attachments of the attachments with the
// mode ResolveCustom, and no others.
func (r *rendering) setResolved() {
	view := func(a *AttachmentInfo, of Aspect) *texture.View {
		if a == nil || a.View == nil || a.Resolve == nil || a.ResolveMode != ResolveCustom {
			return nil
		}
		return a.Resolve.attachment(of)
	}
	t := &r.resolved
	*t = state.Target{Colors: t.Colors[:0], Depth: view(r.info.Depth, Depth), Stencil: view(r.info.Stencil, Stencil), Rates: r.target.Rates, RateTexel: r.target.RateTexel}
	for i := range r.info.Colors {
		t.Colors = append(t.Colors, view(&r.info.Colors[i], Color))
	}
	t.Width, t.Height, t.Layers = r.target.Extent()
	if r.info.ViewMask != 0 {
		t.Layers = r.target.Layers
	}
}

// checkCustom checks the resolve modes of a rendering.
func (r *RenderingInfo) checkCustom() error {
	has := r.Flags&CustomResolving != 0
	each := func(a *AttachmentInfo) error {
		switch {
		case a == nil:
		case a.ResolveMode == ResolveCustom && !has:
			return usage("VUID-VkRenderingInfo-pColorAttachments-11515", "an attachment has a custom resolve, and the rendering has none; must have one")
		case has && a.ResolveMode != ResolveCustom && a.ResolveMode != ResolveNone:
			return usage("VUID-VkRenderingInfo-flags-11516", "an attachment has the resolve mode %d in a rendering with a custom resolve; must have that, or none", a.ResolveMode)
		}
		return nil
	}
	for i := range r.Colors {
		if err := each(&r.Colors[i]); err != nil {
			return err
		}
	}
	if err := each(r.Depth); err != nil {
		return err
	}
	return each(r.Stencil)
}

// beginCustomResolve is the recorded command.
type beginCustomResolve struct{}

func (*beginCustomResolve) run(x *executor) error {
	g := &x.graphics
	if g.current == nil {
		return usage("VUID-vkCmdBeginCustomResolveEXT-commandBuffer-11517", "no rendering is active; must be")
	}
	x.watch()
	err := g.pass.End(x.ctx)
	x.unwatch()
	if err != nil {
		return err
	}
	g.resolving = true
	return stateError(g.pass.Begin(g.target(), nil, x.dev.workers))
}

// target returns the attachments to which the current rendering draws.
func (g *graphics) target() *state.Target {
	if g.resolving {
		return &g.current.resolved
	}
	return &g.current.target
}

// BeginCustomResolve begins the custom resolve of a rendering with the flag CustomResolving: until its end, draws write the
// resolve attachments in place of the attachments with the mode ResolveCustom, and no others. Input attachments read the
// attachments.
func (c *CommandBuffer) BeginCustomResolve() {
	if !c.begin() {
		return
	}
	switch r := c.scope.rendering; {
	case r == nil || c.scope.pass != nil:
		c.fail(usage("VUID-vkCmdBeginCustomResolveEXT-commandBuffer-11517", "no rendering is active that BeginRendering began in %v; must be", &c.object))
	case c.scope.resolving:
		c.fail(usage("VUID-vkCmdBeginCustomResolveEXT-None-11518", "the custom resolve of the rendering has begun; must not have"))
	case r.info.Flags&CustomResolving == 0:
		c.fail(usage("VUID-vkCmdBeginCustomResolveEXT-None-11519", "the rendering has no custom resolve; must have one"))
	case r.info.Flags&Suspending != 0:
		c.fail(usage("VUID-vkCmdBeginCustomResolveEXT-None-11520", "the rendering is suspended at its end; must not be"))
	default:
		c.scope.resolving = true
		c.deferred("begin custom resolve", &beginCustomResolve{})
	}
}
