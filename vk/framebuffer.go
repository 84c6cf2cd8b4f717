package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// FramebufferInfo describes a framebuffer. An imageless one has no Attachments: BeginRenderPass has them.
type FramebufferInfo struct {
	RenderPass            *RenderPass // or one that is compatible with it
	Imageless             bool
	Attachments           []*ImageView // one for each attachment of the render pass
	Width, Height, Layers uint32
}

// Framebuffer is the views of the attachments of a render pass, and its size.
type Framebuffer struct {
	object
	info FramebufferInfo
	pass *RenderPass
}

// maxFramebuffer is maxFramebufferWidth and maxFramebufferHeight, and maxFramebufferLayers.
const (
	maxFramebuffer       = 1 << 14
	maxFramebufferLayers = 1 << 11
)

// NewFramebuffer makes a framebuffer. The render pass may be closed afterwards.
func (d *Device) NewFramebuffer(info FramebufferInfo) (*Framebuffer, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the render pass", info.RenderPass); err != nil {
		return nil, err
	}
	switch {
	case info.Width == 0 || info.Height == 0 || info.Layers == 0:
		return nil, usage("VUID-VkFramebufferCreateInfo-width-00885", "the framebuffer has %d×%d pixels and %d layers; must have at least 1 each", info.Width, info.Height, info.Layers)
	case info.Width > maxFramebuffer || info.Height > maxFramebuffer || info.Layers > maxFramebufferLayers:
		return nil, usage("VUID-VkFramebufferCreateInfo-width-00886", "the framebuffer has %d×%d pixels and %d layers; must have at most %d along each axis and %d layers", info.Width, info.Height, info.Layers, maxFramebuffer, maxFramebufferLayers)
	case info.RenderPass.info.Subpasses[0].ViewMask != 0 && info.Layers != 1:
		return nil, usage("VUID-VkFramebufferCreateInfo-renderPass-02531", "the framebuffer of a render pass with views has %d layers; must have 1", info.Layers)
	case info.Imageless && len(info.Attachments) > 0:
		return nil, usage("VUID-VkFramebufferCreateInfo-flags-03191", "an imageless framebuffer has views; must have none")
	}
	f := &Framebuffer{info: info, pass: info.RenderPass}
	f.info.Attachments = slices.Clone(info.Attachments)
	if !info.Imageless {
		if err := f.checkViews(d, f.info.Attachments); err != nil {
			return nil, err
		}
		if err := f.pass.checkTileResolves(f.info.Attachments, "VUID-VkFramebufferCreateInfo-pAttachments-12327"); err != nil {
			return nil, err
		}
	}
	d.adopt(&f.object, "framebuffer", nil)
	return f, nil
}

// checkViews checks the views of the attachments.
func (f *Framebuffer) checkViews(d *Device, views []*ImageView) error {
	list := f.pass.info.Attachments
	if len(views) != len(list) {
		return usage("VUID-VkFramebufferCreateInfo-attachmentCount-00876", "the framebuffer has %d attachments; must have %d as the render pass", len(views), len(list))
	}
	for i, v := range views {
		if err := check(d, "an attachment", v); err != nil {
			return err
		}
		if v.view == nil {
			return usage("", "%v has no texels to draw to; must have some", &v.object)
		}
		want := &list[i]
		name := v.format()
		width, height, _ := v.view.Extent()
		switch {
		case name != want.Format.String():
			return usage("VUID-VkFramebufferCreateInfo-pAttachments-00880", "attachment %d has the format %s; must have %v as in the render pass", i, name, want.Format)
		case v.view.Samples() != max(want.Samples, 1):
			return usage("VUID-VkFramebufferCreateInfo-pAttachments-00881", "attachment %d has %d samples; must have %d as in the render pass", i, v.view.Samples(), max(want.Samples, 1))
		case v.levels() != 1:
			return usage("VUID-VkFramebufferCreateInfo-pAttachments-00883", "attachment %d has %d levels; must have 1", i, v.levels())
		case !f.pass.rates(uint32(i)) && (uint32(width) < f.info.Width || uint32(height) < f.info.Height):
			return usage("VUID-VkFramebufferCreateInfo-flags-04533", "attachment %d has %d×%d pixels; must have at least %d×%d", i, width, height, f.info.Width, f.info.Height)
		}
	}
	return nil
}

// rates reports whether an attachment has the fragment sizes of a subpass: it is smaller than the framebuffer.
func (p *RenderPass) rates(n uint32) bool {
	return slices.ContainsFunc(p.info.Subpasses, func(s Subpass) bool { return attachmentOf(s.ShadingRate) == n })
}

// ClearValue is the value of a cleared attachment: bits of floats or integers of a color, or depth as bits of a float and
// stencil (VkClearValue).
type ClearValue struct {
	Color   [4]uint32
	Depth   uint32
	Stencil uint32
}

// RenderPassBegin describes the begin of a render pass (VkRenderPassBeginInfo). An empty Area is the framebuffer.
type RenderPassBegin struct {
	RenderPass  *RenderPass
	Framebuffer *Framebuffer
	Area        Rect
	Clears      []ClearValue // by attachment; of those that are not cleared it is ignored
	Attachments []*ImageView // of an imageless framebuffer
}

// SubpassContents is the place of the draws of a subpass (VkSubpassContents).
type SubpassContents uint8

// The contents.
const (
	Inline             SubpassContents = iota // the primary command buffer
	Secondary                                 // secondary command buffers
	InlineAndSecondary                        // both
)

// passInstance is a render pass that began.
type passInstance struct {
	pass        *RenderPass
	framebuffer *Framebuffer
	views       []*ImageView
	renderings  []*rendering // by subpass
	subpass     int          // the current one
}

func (p *passInstance) forget() {
	*p = passInstance{renderings: emptied(p.renderings), views: emptied(p.views)}
}

// passScratch is the attachments of a subpass, for newRendering, which copies them.
type passScratch struct {
	colors         []AttachmentInfo
	depth, stencil AttachmentInfo
}

// BeginRenderPass begins a render pass with its first subpass.
func (c *CommandBuffer) BeginRenderPass(info RenderPassBegin, contents SubpassContents) {
	if !c.begin() {
		return
	}
	p, err := c.passInstance(&info, contents)
	if err == nil && p.pass.info.Tiles.Enable && c.simultaneous {
		err = usage("VUID-vkCmdBeginRenderPass2-flags-10652", "the render pass has tile shading, and %v may be submitted while it is pending; must not", &c.object)
	}
	if err != nil {
		c.fail(err)
	}
	if c.failed() {
		return
	}
	c.refer(&p.pass.object)
	c.refer(&p.framebuffer.object)
	c.passLayouts(p, false)
	c.enter(p, 0, contents)
}

// enter begins a subpass.
func (c *CommandBuffer) enter(p *passInstance, subpass int, contents SubpassContents) {
	p.subpass = subpass
	r := p.renderings[subpass]
	r.info.Flags = r.info.Flags&LegacyDithering | [...]RenderingFlags{0, SecondaryContents, SecondaryContents | InlineContents}[contents]
	c.scope = scope{rendering: r, pass: p}
	c.commands = append(c.commands, command{kind: beginRendering, a: r})
}

// passInstance makes the renderings of the subpasses.
func (c *CommandBuffer) passInstance(info *RenderPassBegin, contents SubpassContents) (*passInstance, error) {
	if c.scope.open() {
		return nil, usage("VUID-vkCmdBeginRenderPass2-renderpass", "a rendering is active; must not be")
	}
	if c.secondary {
		return nil, usage("VUID-vkCmdBeginRenderPass2-bufferlevel", "%v is a secondary command buffer; must be a primary one", &c.object)
	}
	if contents > InlineAndSecondary {
		return nil, &UnsupportedError{Feature: "subpass contents that are none of Vulkan's"}
	}
	if err := check(c.dev, "the render pass", info.RenderPass); err != nil {
		return nil, err
	}
	if err := check(c.dev, "the framebuffer", info.Framebuffer); err != nil {
		return nil, err
	}
	p, f := info.RenderPass, info.Framebuffer
	if !p.compatible(f.pass) {
		return nil, usage("VUID-VkRenderPassBeginInfo-renderPass-00904", "%v is not compatible with the render pass of %v; must be", &p.object, &f.object)
	}
	views := f.info.Attachments
	if f.info.Imageless {
		views = info.Attachments
		if len(views) != len(p.info.Attachments) {
			return nil, usage("VUID-VkRenderPassBeginInfo-framebuffer-03208", "%d views of the %d attachments of an imageless framebuffer; must be as many", len(views), len(p.info.Attachments))
		}
		if err := f.checkViews(c.dev, views); err != nil {
			return nil, err
		}
		if err := p.checkTileResolves(views, "VUID-VkRenderPassBeginInfo-framebuffer-12328"); err != nil {
			return nil, err
		}
	} else if len(info.Attachments) > 0 {
		return nil, usage("VUID-VkRenderPassBeginInfo-framebuffer-03207", "views for %v, which has its own; must be none", &f.object)
	}
	last := -1
	for i := range p.info.Attachments {
		if a := &p.info.Attachments[i]; a.Load == ClearOnLoad || a.StencilLoad == ClearOnLoad && a.aspects()&format.Stencil != 0 {
			last = i
		}
	}
	if len(info.Clears) <= last {
		return nil, usage("VUID-VkRenderPassBeginInfo-clearValueCount-00902", "there are %d clear values, and attachment %d is cleared; must have a value", len(info.Clears), last)
	}
	area := info.Area
	if area.Width == 0 || area.Height == 0 {
		area = Rect{Width: f.info.Width, Height: f.info.Height}
	}
	if area.X < 0 || area.Y < 0 || uint64(area.X)+uint64(area.Width) > uint64(f.info.Width) || uint64(area.Y)+uint64(area.Height) > uint64(f.info.Height) {
		return nil, usage("VUID-VkRenderPassBeginInfo-pNext-02852", "the area is %d×%d from %d, %d on; must be within the framebuffer of %d×%d", area.Width, area.Height, area.X, area.Y, f.info.Width, f.info.Height)
	}
	if err := p.shadesAll(area, &f.info); err != nil {
		return nil, err
	}
	out := take[passInstance](c)
	out.pass, out.framebuffer = p, f
	out.views = append(out.views, views...)
	for i := range p.subpasses {
		m := instance{c: c, form: &p.subpasses[i], info: &p.info.Subpasses[i], views: views, clears: info.Clears, area: area, size: &f.info}
		out.renderings = append(out.renderings, m.rendering())
	}
	return out, nil
}

// instance makes the rendering of a subpass.
type instance struct {
	c      *CommandBuffer
	form   *subpassForm
	info   *Subpass
	views  []*ImageView
	clears []ClearValue
	area   Rect
	size   *FramebufferInfo
}

// rendering replaces numbers of attachments by views. An error is in the command buffer.
func (m *instance) rendering() *rendering {
	s := m.info
	scratch := &m.c.subpass
	scratch.colors = slices.Grow(scratch.colors[:0], len(s.Colors))[:len(s.Colors)]
	clear(scratch.colors)
	info := RenderingInfo{Area: m.area, Layers: m.size.Layers, ViewMask: s.ViewMask, Colors: scratch.colors, Samples: s.Samples, Tiles: m.form.pass.info.Tiles}
	info.Tiles.Apron = s.apron(info.Tiles)
	if s.Flags&DitheredSubpass != 0 {
		info.Flags = LegacyDithering
	}
	for i, n := range s.Colors {
		a := &info.Colors[i]
		m.attach(a, n, Color)
		if i < len(s.Resolves) && s.Resolves[i] != Unused {
			a.Resolve, a.ResolveMode = m.views[s.Resolves[i]], ResolveAverage
		} else if n != Unused && m.implicit(n) {
			a.ResolveMode = ResolveAverage
		}
	}
	if n := attachmentOf(s.Depth); n != Unused {
		info.Depth = m.depth(&scratch.depth, n, Depth, s.DepthResolveMode)
		info.Stencil = m.depth(&scratch.stencil, n, Stencil, s.StencilResolve)
	}
	if n := attachmentOf(s.ShadingRate); n != Unused {
		info.ShadingRate = &ShadingRateAttachment{m.views[n], s.ShadingTexel}
	}
	r := m.c.newRendering(info)
	r.subpass = m.form
	r.target.Width, r.target.Height = m.size.Width, m.size.Height
	for _, l := range m.form.loads {
		if l.attachment != attachmentOf(s.Depth) && !slices.Contains(s.Colors, l.attachment) {
			r.before = append(r.before, m.alone(l)...)
			r.inTile(m.views[l.attachment])
		}
	}
	for _, input := range s.Inputs {
		if v := input.Attachment; v != Unused {
			m.views[v].refer(m.c.each)
			if r.info.Tiles.Enable {
				r.inputViews = append(r.inputViews, m.views[v])
			}
			if m.implicit(v) {
				m.c.implicitInput(r, m.views[v])
			}
		}
	}
	return r
}

// attach sets the view of an attachment, its load operation if the subpass uses it first, and its store operation if it is the last
// to use it.
func (m *instance) attach(a *AttachmentInfo, n uint32, of Aspect) {
	if n == Unused {
		return
	}
	a.View = m.views[n]
	d := &m.form.pass.info.Attachments[n]
	load, store, value := d.Load, d.Store, ClearValue{}
	if of == Stencil {
		load, store = d.StencilLoad, d.StencilStore
	}
	views, first := m.form.first(n)
	if a.Load = LoadNone; first {
		a.Load, a.views = load, views
	}
	if a.Store = storeLater; slices.Contains(m.form.stores, n) {
		a.Store = store
	}
	if !first || load != ClearOnLoad {
		return
	}
	if int(n) < len(m.clears) {
		value = m.clears[n]
	}
	switch of {
	case Color:
		a.Clear = value.Color
	case Depth:
		a.Clear[0] = value.Depth
	case Stencil:
		a.Clear[0] = value.Stencil
	}
}

// depth returns an aspect of the depth and stencil attachment in a; nil if the view lacks it.
func (m *instance) depth(a *AttachmentInfo, n uint32, of Aspect, mode ResolveMode) *AttachmentInfo {
	if m.views[n].attachment(of) == nil {
		return nil
	}
	*a = AttachmentInfo{}
	m.attach(a, n, of)
	if r := attachmentOf(m.info.DepthResolve); r != Unused && mode != ResolveNone && m.views[r].attachment(of) != nil {
		a.Resolve, a.ResolveMode = m.views[r], mode
	} else if m.implicit(n) {
		a.ResolveMode = mode
	}
	return a
}

// implicit reports whether the subpass draws with several samples to an attachment of one.
func (m *instance) implicit(n uint32) bool {
	return m.info.Samples > 1 && m.form.pass.info.samples(n) == 1
}

// alone returns the clears of an attachment that the subpass uses first, but only to read it or to resolve to it.
func (m *instance) alone(l firstUse) (out []clearAlone) {
	for _, of := range [...]Aspect{Color, Depth, Stencil} {
		v := m.views[l.attachment].attachment(of)
		if v == nil {
			continue
		}
		var a AttachmentInfo
		if m.attach(&a, l.attachment, of); a.Load != ClearOnLoad {
			continue
		}
		x := clearAlone{clears: draw.Clears{Area: state.Rect(m.area), Layers: m.size.Layers, ViewMask: a.views}}
		x.target.Width, x.target.Height = m.size.Width, m.size.Height
		switch of {
		case Color:
			x.target.Colors = append(x.target.Colors, v)
			x.clears.Colors = []draw.Clear{a.clear()}
		case Depth:
			x.target.Depth, x.clears.Depth = v, a.clear()
		case Stencil:
			x.target.Stencil, x.clears.Stencil = v, a.clear()
		}
		m.views[l.attachment].refer(m.c.each)
		out = append(out, x)
	}
	return out
}

// NextSubpass ends the current subpass, resolves its attachments and begins the next one.
func (c *CommandBuffer) NextSubpass(contents SubpassContents) {
	if !c.begin() {
		return
	}
	p := c.scope.pass
	switch {
	case c.scope.perTile:
		c.fail(usage("", "the subpass ends in a part that runs for each tile; must end it before"))
	case p == nil:
		c.fail(usage("VUID-vkCmdNextSubpass2-renderpass", "no render pass is active that began with BeginRenderPass; must be"))
	case p.subpass+1 >= len(p.renderings):
		c.fail(usage("VUID-vkCmdNextSubpass2-None-03102", "the current subpass is the last of the %d; must not be", len(p.renderings)))
	case contents > InlineAndSecondary:
		c.fail(&UnsupportedError{Feature: "subpass contents that are none of Vulkan's"})
	default:
		c.commands = append(c.commands, command{kind: endRendering})
		c.enter(p, p.subpass+1, contents)
	}
}

// EndRenderPass ends the render pass with its last subpass.
func (c *CommandBuffer) EndRenderPass() {
	if !c.begin() {
		return
	}
	p := c.scope.pass
	switch {
	case c.scope.perTile:
		c.outsideTiles("VUID-vkCmdEndRenderPass-None-10653")
	case p == nil:
		c.fail(usage("VUID-vkCmdEndRenderPass2-None-06171", "no render pass is active that began with BeginRenderPass; must be"))
	case p.subpass+1 < len(p.renderings):
		c.fail(usage("VUID-vkCmdEndRenderPass2-None-03103", "the current subpass is %d of %d; must be the last", p.subpass, len(p.renderings)))
	default:
		c.scope = scope{}
		c.commands = append(c.commands, command{kind: endRendering})
		c.passLayouts(p, true)
	}
}

// SubpassAttachments returns the number of color attachments of a subpass, and whether it has a depth or stencil attachment.
func (p *RenderPass) SubpassAttachments(subpass int) (colors int, depth bool) {
	if p == nil || subpass < 0 || subpass >= len(p.info.Subpasses) {
		return 0, false
	}
	s := &p.info.Subpasses[subpass]
	return len(s.Colors), attachmentOf(s.Depth) != Unused
}

// RenderAreaGranularity returns the multiples at which areas of the render pass are fastest: any area is as fast.
func (p *RenderPass) RenderAreaGranularity() (width, height uint32) { return 1, 1 }
