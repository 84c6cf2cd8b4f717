package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// drawCheck is a draw that full checking judges before it runs: the rules on draws that need the bound objects and the state that
// commands have set. The executor has its findings.
type drawCheck struct {
	*executor
	p       *GraphicsPipeline // nil with shader objects
	d       *drawable
	s       *state.State
	r       *rendering
	objects *combination
}

// checkDraw returns the first finding on a draw. The state has all viewports and scissors that are set.
func (x *executor) checkDraw(d *drawable, a *state.Args, indexed bool, indirect *state.Indirect) error {
	g := &x.graphics
	c := &drawCheck{x, g.bound.pipeline, d, &g.bound.draw, g.current, &g.bound.shaders}
	if c.p != nil {
		if err, ok := x.checkPipeline(c.p).(*UsageError); ok {
			x.findings = append(x.findings, err)
		}
		x.checkState(c.p, c.s)
		c.pipelineStates()
		c.meshQueries()
	} else {
		c.localInputs()
	}
	c.attachments()
	if indirect == nil {
		c.instances(a)
	}
	c.colors()
	c.coverage()
	c.states()
	c.vertices()
	c.attributes(a, indexed, indirect)
	u := d.uses.of(d.stages...)
	c.located(u)
	c.advanced()
	buffers := c.p != nil && c.p.flags&enum.PipelineFlagsDescriptorBuffer != 0
	idle := indirect != nil || a.Mesh || a.Count == 0 || a.Instances == 0
	mixes := c.objects.unmixed()
	if c.p != nil {
		mixes = unmixed(c.p.flags)
	}
	(&descriptorCheck{executor: x, point: Graphics, unmixed: mixes, layout: d.layout, buffers: buffers, idle: idle, objects: c.p == nil, mappings: d.mappings}).uses(u)
	c.feedback(u)
	c.checkTileDraw(u, idle)
	c.tileAttachments(idle)
	c.wrotes()
	return x.found()
}

// fragment returns the fragment stage; nil if the draw has none.
func (c *drawCheck) fragment() *shader.Stage { return c.stage(ir.Fragment) }

func (c *drawCheck) stage(of ir.Stage) *shader.Stage {
	for _, s := range c.d.stages {
		if s.Program.Stage == of {
			return s
		}
	}
	return nil
}

// last returns the last stage before rasterization.
func (c *drawCheck) last() (last *shader.Stage) {
	for _, s := range c.d.stages {
		if s.Program.Stage != ir.Fragment {
			last = s
		}
	}
	return last
}

// outputs reports whether a stage has an output.
func outputs(s *shader.Stage, semantic ir.Semantic, is func(*ir.Output) bool) bool {
	if s == nil {
		return false
	}
	for i := range s.Program.Out {
		if o := &s.Program.Out[i]; o.Semantic == semantic && is(o) {
			return true
		}
	}
	return false
}

// location returns the location of a color attachment, and whether it has one.
func (c *drawCheck) location(i int) (uint32, bool) {
	if l := c.graphics.remap.locations; l != nil {
		if i >= len(l) || l[i] == Unused {
			return 0, false
		}
		return l[i], true
	}
	return uint32(i), true
}

// writes reports whether the fragment stage writes a color attachment.
func (c *drawCheck) writes(i int) bool {
	at, ok := c.location(i)
	return ok && outputs(c.fragment(), ir.Location, func(o *ir.Output) bool { return o.Index/4 == at && o.Source == 0 })
}

// blend returns the blend state of a color attachment.
func (c *drawCheck) blend(i int) state.BlendAttachment {
	if i < len(c.s.Blend.Attachments) {
		return c.s.Blend.Attachments[i]
	}
	return state.BlendAttachment{WriteMask: 15}
}

// dynamic reports whether commands set a state, with its count: all of them with shader objects.
func (c *drawCheck) dynamic(set uint8) bool { return c.p == nil || c.p.keeps>>set&1 != 0 }

// samples returns the samples of a pixel.
func (c *drawCheck) samples() int { return int(max(c.s.Multisample.Samples, 1)) }

// view returns the view of an attachment to which the draw writes: in a custom resolve, to which it resolves.
func (c *drawCheck) view(a *AttachmentInfo) *ImageView {
	switch {
	case !c.graphics.resolving:
		return a.View
	case a.ResolveMode == ResolveCustom:
		return a.Resolve
	}
	return nil
}

// attachments checks the numbers of samples of the attachments, and which of them a pipeline writes.
func (c *drawCheck) attachments() {
	dynamic := c.r.subpass == nil
	if c.p != nil && c.s.Rasterization.Discard && !c.dynamic(uint8(setDiscard)) { // the pipeline has no state of samples
		return
	}
	if n := c.r.info.Samples; n > 1 && n != c.samples() {
		const words = "the draw has %d samples and the rendering %d; must be equal"
		switch {
		case c.dynamic(uint8(setSamples)):
			c.find(vuid.VkCmdDraw_None_09211, words, c.samples(), n)
		case dynamic:
			c.find(vuid.VkCmdDraw_pNext_07935, words, c.samples(), n)
		}
	}
	resolving := c.graphics.resolving // the draw writes the resolve attachments
	check := func(rule string, a *AttachmentInfo) {
		if a == nil || a.View == nil || resolving && (a.Resolve == nil || a.ResolveMode != ResolveCustom) {
			return
		}
		n := max(a.View.image.layout.Samples, 1)
		if resolving {
			n = max(a.Resolve.image.layout.Samples, 1)
		}
		if n == c.samples() || c.r.info.Samples > 1 { // the rules above
			return
		}
		if c.p != nil && dynamic && !resolving {
			c.find(rule, "%v has %d samples and the draw %d; must be equal", &a.View.object, n, c.samples())
		}
		if !c.s.Rasterization.Discard {
			c.find(vuid.VkCmdDraw_None_08644, "%v has %d samples and the draw %d; must be equal", &a.View.object, n, c.samples())
		}
	}
	for i := range c.r.info.Colors {
		check(vuid.VkCmdDraw_multisampledRenderToSingleSampled_07285, &c.r.info.Colors[i])
	}
	check(vuid.VkCmdDraw_multisampledRenderToSingleSampled_07286, c.r.info.Depth)
	check(vuid.VkCmdDraw_multisampledRenderToSingleSampled_07287, c.r.info.Stencil)
	if c.p == nil || !dynamic {
		return
	}
	formats, rule := c.p.rendering.Color, vuid.VkCmdDraw_pColorAttachments_08963
	if resolving && c.p.custom != nil {
		formats, rule = c.p.custom.Colors, vuid.VkCmdDraw_pColorAttachments_11539
	}
	for i, f := range formats {
		if i >= len(c.r.info.Colors) || f != 0 || !c.writes(i) || c.blend(i).WriteMask == 0 {
			continue
		}
		if a := &c.r.info.Colors[i]; !resolving && a.View != nil || resolving && a.Resolve != nil {
			c.find(rule, "%v writes color attachment %d and is for no format of it; must be for its format", &c.p.object, i)
		}
	}
}

// instances checks the instances of a draw in a rendering with views.
func (c *drawCheck) instances(a *state.Args) {
	most, known := c.dev.env.Device.Limit("maxMultiviewInstanceIndex")
	if n := uint64(a.FirstInstance) + uint64(a.Instances); c.r.info.ViewMask != 0 && known && a.Instances > 0 && n-1 > most {
		c.find(vuid.VkCmdDraw_maxMultiviewInstanceIndex_02688, "the greatest instance of a draw in a rendering with views is %d; must be at most %d", n-1, most)
	}
}

// colors checks the blend state and the write masks of the color attachments.
func (c *drawCheck) colors() {
	if c.s.Rasterization.Discard || c.p == nil && c.objects[StageFragment] == nil {
		return
	}
	for i := range c.r.info.Colors {
		view := c.view(&c.r.info.Colors[i])
		if view == nil {
			continue
		}
		f := format.InfoByName(view.format())
		if c.dynamic(uint8(setBlendEnable)) {
			if c.blend(i).Enable && f != nil && featuresOf(f.Name, false)&FormatColorAttachmentBlend == 0 {
				c.find(vuid.VkCmdDraw_blendEnable_04727, "color attachment %d blends and has the format %s; must be a format that blends", i, f.Name)
			}
			c.everySet(vuid.VkCmdDraw_firstAttachment_07476, "vkCmdSetColorBlendEnableEXT", c.graphics.bound.blends, i)
		}
		if c.dynamic(uint8(setWriteMask)) {
			if m := c.blend(i).WriteMask; f != nil && f.Name == "E5B9G9R9_UFLOAT_PACK32" && m != 0 && m != 15 {
				c.find(vuid.VkCmdDraw_None_09116, "color attachment %d has the format %s and the write mask %#x; must be 0 or 0xf", i, f.Name, m)
			}
			c.everySet(vuid.VkCmdDraw_firstAttachment_07478, "vkCmdSetColorWriteMaskEXT", c.graphics.bound.masks, i)
		}
	}
	if on := c.dev.feature("colorWriteEnable"); on && (c.p == nil || c.p.enables>>enableWrites&1 != 0) {
		if e := &c.graphics.bound.enables; e.set>>enableWrites&1 != 0 && e.writes < len(c.r.info.Colors) {
			c.find(vuid.VkCmdDraw_attachmentCount_07750, "the writes of %d color attachments are enabled or disabled; must be of all %d", e.writes, len(c.r.info.Colors))
		}
	}
}

// everySet checks that the commands of a state have set it for a color attachment. A draw without any such command breaks another rule.
func (c *drawCheck) everySet(rule, command string, set uint8, i int) {
	if set != 0 && set>>i&1 == 0 {
		c.find(rule, "%s has not set the state of color attachment %d; must set it for all", command, i)
	}
}

// coverage checks the states of multisampling that commands set.
func (c *drawCheck) coverage() {
	m := &c.s.Multisample
	alpha := outputs(c.fragment(), ir.Location, func(o *ir.Output) bool { return o.Index == 3 && o.Source == 0 })
	if m.AlphaToCoverage && !alpha && c.dynamic(uint8(setAlphaToCoverage)) {
		rule := vuid.VkCmdDraw_alphaToCoverageEnable_08919
		if c.p == nil {
			rule = vuid.VkCmdDraw_alphaToCoverageEnable_08920
		}
		c.find(rule, "alpha to coverage is enabled and no fragment stage writes the alpha of location 0; must write it")
	}
	smooth := c.s.Rasterization.LineMode == enum.LineModeBresenham || c.s.Rasterization.LineMode == enum.LineModeRectangularSmooth
	if c.dynamic(uint8(setLineMode)) && smooth && topologyClass(c.topology()) == enum.TopologyLineList && (m.AlphaToCoverage || m.AlphaToOne || m.SampleShading) {
		c.find(vuid.VkCmdDraw_None_10608, "lines have the mode %v, and alpha to coverage, alpha to one or sample shading is enabled; must be disabled", c.s.Rasterization.LineMode)
	}
}

// topology returns the topology of the primitives that are rasterized.
func (c *drawCheck) topology() enum.Topology {
	last := c.last()
	if last == nil {
		return c.s.Assembly.Topology
	}
	switch m := last.Program.Modes; {
	case m.Has(ir.OutputPoints), last.Program.Stage == ir.TessEval && m.Has(ir.PointMode):
		return enum.TopologyPointList
	case m.Has(ir.OutputLineStrip), m.Has(ir.OutputLines), last.Program.Stage == ir.TessEval && m.Has(ir.TessIsolines):
		return enum.TopologyLineList
	case last.Program.Stage != ir.Vertex:
		return enum.TopologyTriangleList
	}
	return c.s.Assembly.Topology
}

// topologyClass returns the list topology of the topology class (Vulkan, Topology Class).
func topologyClass(t enum.Topology) enum.Topology {
	switch t {
	case enum.TopologyLineStrip, enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency:
		return enum.TopologyLineList
	case enum.TopologyTriangleStrip, enum.TopologyTriangleFan, enum.TopologyTriangleListWithAdjacency, enum.TopologyTriangleStripWithAdjacency:
		return enum.TopologyTriangleList
	}
	return t
}
