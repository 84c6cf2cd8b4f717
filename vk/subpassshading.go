package vk

import (
	mathbits "math/bits"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// Limits of subpass shading (VK_HUAWEI_subpass_shading). The width and the height of a workgroup are powers of two.
const (
	MinSubpassWorkgroup      = 8
	MaxSubpassWorkgroup      = 32
	MaxSubpassWorkgroupRatio = MaxSubpassWorkgroup / MinSubpassWorkgroup // of the width and the height, either way
)

// SubpassWorkgroupSize returns the largest width and height of a workgroup that shades a subpass of the render pass. It is the
// same for all render passes (vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI).
func (p *RenderPass) SubpassWorkgroupSize() [2]uint32 {
	return [2]uint32{MaxSubpassWorkgroup, MaxSubpassWorkgroup}
}

// shades checks the subpass that a subpass shading pipeline is for.
func (d *Device) shades(info *ComputePipelineInfo) error {
	p, n := info.RenderPass, info.Subpass
	if p == nil {
		return nil
	}
	if err := check(d, "the render pass", p); err != nil {
		return err
	}
	switch {
	case n < 0 || n >= len(p.subpasses):
		return usage("VUID-VkSubpassShadingPipelineCreateInfoHUAWEI-subpass-04946", "the pipeline shades subpass %d; the render pass has %d", n, len(p.subpasses))
	case p.info.Subpasses[n].Point != SubpassShading:
		return usage("VUID-VkSubpassShadingPipelineCreateInfoHUAWEI-subpass-04946", "the pipeline shades subpass %d, which is for %v; must be for subpass shading", n, p.info.Subpasses[n].Point)
	}
	return nil
}

// checkShadingSize checks the workgroup of a subpass shading pipeline.
func (p *ComputePipeline) checkShadingSize() error {
	size := p.stage.Program.LocalSize
	w, h := size[0], size[1]
	switch {
	case size[2] != 1 || mathbits.OnesCount32(w) != 1 || mathbits.OnesCount32(h) != 1:
		return usage("", "a workgroup of subpass shading is %d×%d×%d; must be two powers of two and 1", w, h, size[2])
	case min(w, h) < MinSubpassWorkgroup || max(w, h) > MaxSubpassWorkgroup:
		return usage("", "a workgroup of subpass shading is %d×%d; must be %d to %d wide and high", w, h, MinSubpassWorkgroup, MaxSubpassWorkgroup)
	}
	return nil
}

// shadesAll returns the error of a render pass with subpass shading whose area is not the whole framebuffer (Vulkan,
// VkRenderPassBeginInfo): the first invocation is for the first pixel.
func (p *RenderPass) shadesAll(area Rect, f *FramebufferInfo) error {
	if area == (Rect{Width: f.Width, Height: f.Height}) {
		return nil
	}
	for i := range p.info.Subpasses {
		if p.info.Subpasses[i].Point == SubpassShading {
			return usage("", "the area is %d×%d from %d, %d on, and subpass %d is for subpass shading; must be the framebuffer of %d×%d", area.Width, area.Height, area.X, area.Y, i, f.Width, f.Height)
		}
	}
	return nil
}

// isShading reports whether a rendering is a subpass for subpass shading, which has no draws.
func (r *rendering) isShading() bool {
	return r.subpass != nil && r.subpass.pass.info.Subpasses[r.subpass.index].Point == SubpassShading
}

// SubpassShading runs the bound subpass shading pipeline for each pixel and layer of the current subpass, or for each pixel and
// view (vkCmdSubpassShadingHUAWEI). A subpass has one such command.
func (c *CommandBuffer) SubpassShading() {
	if !c.begin() {
		return
	}
	c.action()
	c.deferred("subpass shading", subpassShading{})
}

// subpassShading is a recorded SubpassShading.
type subpassShading struct{}

func (subpassShading) flags() QueueFlags { return QueueGraphics }

func (subpassShading) conditional() {}

func (subpassShading) run(x *executor) error {
	const rule = "VUID-vkCmdSubpassShadingHUAWEI-None-04931"
	g, p := &x.graphics, x.shading
	r := g.current
	switch {
	case r == nil || !r.isShading():
		return usage(rule, "subpass shading is outside of a subpass for it; must be inside")
	case g.shaded:
		return usage(rule, "subpass shading runs a second time in a subpass; must run once")
	case p == nil:
		x.find(vuid.VkCmdDraw_None_08606, "no subpass shading pipeline is bound; must be")
		return x.found()
	case !p.pass.compatible(r.subpass.pass):
		return usage("", "%v is not for a render pass that is compatible with the current one; must be", &p.object)
	case p.subpass != r.subpass.index:
		return usage("", "%v is for subpass %d; must be for the current one, %d", &p.object, p.subpass, r.subpass.index)
	}
	g.shaded = true
	if err := x.flush(); err != nil { // clears of attachments
		return err
	}
	size := p.stage.Program.LocalSize
	w, h, layers := r.target.Extent()
	groups := [3]uint32{(w + size[0] - 1) / size[0], (h + size[1] - 1) / size[1], layers}
	views := r.info.ViewMask
	if views == 0 {
		return x.launch(p, SubpassShading, [3]uint32{}, groups)
	}
	for groups[2] = 1; views != 0; views &= views - 1 {
		if err := x.launch(p, SubpassShading, [3]uint32{2: uint32(mathbits.TrailingZeros32(views))}, groups); err != nil {
			return err
		}
	}
	return nil
}
