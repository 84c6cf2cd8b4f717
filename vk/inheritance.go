package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/link"
)

// InheritanceInfo is the state that a secondary command buffer inherits (VkCommandBufferInheritanceInfo).
type InheritanceInfo struct {
	// Continue lets the command buffer draw in the rendering in which it is executed
	// (VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT): a subpass of a render pass, or a rendering with the attachments of
	// Rendering.
	Continue    bool
	RenderPass  *RenderPass
	Subpass     int
	Framebuffer *Framebuffer // nil if it is not known

	// Rendering is the attachments without a render pass (VkCommandBufferInheritanceRenderingInfo), with the mapping of local
	// reads, and Flags and Samples of the rendering.
	Rendering *link.Rendering
	Flags     RenderingFlags
	Samples   int // 0 is 1

	CustomResolve *CustomResolve // with Rendering
	Tiles         TileShading    // of the rendering
	TileMemory    *Memory        // that is bound in the rendering; nil for none

	// Queries that may be active, and conditional rendering.
	Occlusion   bool
	Control     QueryControl
	Statistics  Statistics
	Conditional bool

	Heaps InheritedHeaps
}

// inherit checks and copies the inheritance of a recording.
func (c *CommandBuffer) inherit(info *InheritanceInfo) (*InheritanceInfo, error) {
	if info == nil {
		return nil, nil
	}
	i := *info
	if !c.secondary {
		i.Heaps = InheritedHeaps{} // ignored
	}
	if err := i.Heaps.own(); err != nil {
		return nil, err
	}
	if c.secondary {
		if err := i.checkTiles(c.dev); err != nil {
			return nil, err
		}
	}
	switch {
	case !c.secondary && i.Continue:
		return nil, usage("VUID-vkBeginCommandBuffer-commandBuffer-00051", "%v is a primary command buffer and continues a rendering; must be a secondary one", &c.object)
	case !i.Continue:
		i.RenderPass, i.Framebuffer, i.Rendering, i.CustomResolve, i.TileMemory = nil, nil, nil, nil, nil // ignored
		return &i, nil
	case i.RenderPass == nil && i.Rendering == nil:
		return nil, usage("VUID-VkCommandBufferBeginInfo-flags-06003", "%v continues a rendering without a render pass or attachments; must have one", &c.object)
	}
	if i.Rendering != nil {
		r := *i.Rendering
		r.Color, r.Locations, r.Inputs = slices.Clone(r.Color), slices.Clone(r.Locations), slices.Clone(r.Inputs)
		i.Rendering = &r
	}
	if err := i.CustomResolve.check(); err != nil {
		return nil, err
	}
	i.CustomResolve = i.CustomResolve.copied()
	if i.RenderPass != nil {
		if err := check(c.dev, "the render pass", i.RenderPass); err != nil {
			return nil, err
		}
		if n := len(i.RenderPass.subpasses); i.Subpass < 0 || i.Subpass >= n {
			return nil, usage("VUID-VkCommandBufferBeginInfo-flags-06001", "%v continues subpass %d; the render pass has %d", &c.object, i.Subpass, n)
		}
	}
	if i.Framebuffer != nil {
		if err := check(c.dev, "the framebuffer", i.Framebuffer); err != nil {
			return nil, err
		}
	}
	if i.TileMemory != nil {
		if err := i.TileMemory.checkTile(c.dev); err != nil {
			return nil, err
		}
	}
	return &i, nil
}

// refer calls each for the objects that the recording holds.
func (i *InheritanceInfo) refer(each func(*object)) {
	if i.RenderPass != nil {
		each(&i.RenderPass.object)
	}
	if i.Framebuffer != nil {
		each(&i.Framebuffer.object)
	}
	if i.TileMemory != nil {
		each(&i.TileMemory.object)
	}
}

// checkExecute returns the error of a secondary command buffer that does not suit the rendering in which it is executed.
func (c *CommandBuffer) checkExecute(s *CommandBuffer) error {
	i := s.inherited
	continues := i != nil && i.Continue
	if c.secondary && c.inherited != nil && c.inherited.Continue {
		return c.inherited.checkNested(s)
	}
	switch r := c.scope.rendering; {
	case r == nil && continues:
		return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00100", "%v continues a rendering, and none is active; must be one", &s.object)
	case r == nil:
		return nil
	case !continues:
		return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00096", "%v does not continue a rendering, and one is active; must continue it", &s.object)
	case c.scope.pass != nil:
		switch {
		case i.RenderPass == nil || !i.RenderPass.compatible(c.scope.pass.pass):
			return usage("VUID-vkCmdExecuteCommands-pBeginInfo-06020", "%v continues a render pass that is not compatible with the active one; must be", &s.object)
		case i.Subpass != c.scope.pass.subpass:
			return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-06019", "%v continues subpass %d; must continue the current one, %d", &s.object, i.Subpass, c.scope.pass.subpass)
		case i.Framebuffer != nil && i.Framebuffer != c.scope.pass.framebuffer:
			return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00099", "%v is for another framebuffer than that of the render pass; must be for the same, or for none", &s.object)
		}
		return nil
	case i.RenderPass != nil:
		return usage("VUID-vkCmdExecuteCommands-pBeginInfo-06025", "%v continues a render pass, and the rendering has none; must have none", &s.object)
	default:
		if err := i.CustomResolve.suits(&s.object, r, c.scope.resolving, &customOfSecondary); err != nil {
			return err
		}
		return i.checkRendering(&s.object, r, c.scope.resolving)
	}
}

// checkNested returns the error of a secondary command buffer that does not suit the inheritance of the one that executes it.
func (i *InheritanceInfo) checkNested(s *CommandBuffer) error {
	switch n := s.inherited; {
	case n == nil || !n.Continue:
		return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00096", "%v does not continue a rendering, and one is active; must continue it", &s.object)
	case i.RenderPass == nil && n.RenderPass != nil:
		return usage("VUID-vkCmdExecuteCommands-pBeginInfo-06025", "%v continues a render pass, and the rendering has none; must have none", &s.object)
	case i.RenderPass == nil:
		return nil // the primary command buffer's rendering is not known
	case n.RenderPass == nil || !n.RenderPass.compatible(i.RenderPass):
		return usage("VUID-vkCmdExecuteCommands-pBeginInfo-06020", "%v continues a render pass that is not compatible with the active one; must be", &s.object)
	case n.Subpass != i.Subpass:
		return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-06019", "%v continues subpass %d; must continue the current one, %d", &s.object, n.Subpass, i.Subpass)
	case n.Framebuffer != nil && i.Framebuffer != nil && n.Framebuffer != i.Framebuffer:
		return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00099", "%v is for another framebuffer than that of the render pass; must be for the same, or for none", &s.object)
	}
	return nil
}

// checkInherited returns the error of a secondary command buffer that is executed while a query or a condition is active
// that it does not inherit, or that inherits other heaps than the bound ones.
func (x *executor) checkInherited(s *CommandBuffer) error {
	if x.dev.checking < All {
		return nil
	}
	i := orZero(s.inherited)
	for _, q := range x.graphics.queries {
		switch info := &q.pool.info; {
		case info.Type == Occlusion && !i.Occlusion:
			return usage("VUID-vkCmdExecuteCommands-commandBuffer-00102", "an occlusion query is active, and %v does not inherit it; must", &s.object)
		case info.Type == Occlusion && q.control&^i.Control != 0:
			return usage("VUID-vkCmdExecuteCommands-commandBuffer-00103", "a precise occlusion query is active, and %v inherits one that is not; must inherit a precise one", &s.object)
		case info.Type == PipelineStatistics && info.Statistics&^i.Statistics != 0:
			return usage("VUID-vkCmdExecuteCommands-commandBuffer-00104", "a query of pipeline statistics is active, and %v does not inherit all of them; must", &s.object)
		}
	}
	if x.condition.active && !i.Conditional {
		return usage("", "a condition is active, and %v does not inherit it; must", &s.object)
	}
	return i.Heaps.checkBound(x.heaps, s)
}

// checkRendering compares the attachments with those of a rendering. The samples in a custom resolve are its own.
func (i *InheritanceInfo) checkRendering(o *object, r *rendering, resolving bool) error {
	format := func(a *AttachmentInfo) string {
		if a == nil || a.View == nil {
			return "UNDEFINED"
		}
		return a.View.format()
	}
	in := i.Rendering
	switch {
	case in.ViewMask != r.info.ViewMask:
		return usage("VUID-vkCmdExecuteCommands-viewMask-06031", "%v is for the view mask %#x; must be for %#x as of the rendering", o, in.ViewMask, r.info.ViewMask)
	case len(in.Color) != len(r.info.Colors):
		return usage("VUID-vkCmdExecuteCommands-colorAttachmentCount-06027", "%v is for %d color attachments; must be for %d as the rendering", o, len(in.Color), len(r.info.Colors))
	case in.Depth.String() != format(r.info.Depth):
		return usage("VUID-vkCmdExecuteCommands-pDepthAttachment-06029", "%v is for the depth format %v; must be for %s as the rendering", o, in.Depth, format(r.info.Depth))
	case in.Stencil.String() != format(r.info.Stencil):
		return usage("VUID-vkCmdExecuteCommands-pStencilAttachment-06030", "%v is for the stencil format %v; must be for %s as the rendering", o, in.Stencil, format(r.info.Stencil))
	case (i.Flags^r.info.Flags)&LegacyDithering != 0:
		return usage("VUID-vkCmdExecuteCommands-flags-06026", "%v is for a rendering with other flags; must be for the same", o)
	}
	for n, f := range in.Color {
		a := &r.info.Colors[n]
		if want := format(a); a.View != nil && f.String() != want {
			return usage("VUID-vkCmdExecuteCommands-imageView-06028", "%v is for the format %v of color attachment %d; must be for %s as the rendering", o, f, n, want)
		}
		if have := a.View; have != nil && !resolving && have.view.Samples() != max(i.Samples, 1) {
			return usage("VUID-vkCmdExecuteCommands-pNext-06035", "%v is for %d samples; must be for %d as the rendering", o, max(i.Samples, 1), have.view.Samples())
		}
	}
	return nil
}
