package amber

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// shadeProgram is a subpass shading pipeline and the render pass that it shades, which has one subpass.
type shadeProgram struct {
	pipeline *vk.ComputePipeline
	begin    vk.RenderPassBegin
}

// shadeProgram returns the program of a subpass shading pipeline, made when it is first needed.
func (m *machine) shadeProgram(ctx context.Context, p *Pipeline) (*shadeProgram, error) {
	if x := m.shaders[p]; x != nil {
		return x, nil
	}
	x := &shadeProgram{}
	if err := m.shadePass(p, &x.begin); err != nil {
		return nil, err
	}
	a := &p.Stages[0]
	s, err := m.stage(ctx, p, a)
	if err != nil {
		return nil, err
	}
	defer s.Module.Close()
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	x.pipeline, err = m.device.NewComputePipeline(ctx, vk.ComputePipelineInfo{Creation: creationOf(p), Stage: *s, Layout: b.layout, RenderPass: x.begin.RenderPass})
	if err != nil {
		return nil, m.stageError(a, s.Entry, err)
	}
	m.shaders[p] = x
	return x, nil
}

// shadePass makes the render pass and the framebuffer: the color attachments by location are the input attachments by index.
func (m *machine) shadePass(p *Pipeline, begin *vk.RenderPassBegin) error {
	g := &p.Graphics
	if g.DepthStencil != nil {
		return m.unsupported(p.At, "depth and stencil attachments of subpass shading")
	}
	sub := vk.Subpass{Point: vk.SubpassShading}
	for len(sub.Inputs) < g.locations() {
		sub.Inputs = append(sub.Inputs, vk.InputReference{Attachment: vk.Unused})
	}
	info := vk.RenderPassInfo{}
	f := vk.FramebufferInfo{Width: uint32(g.Width), Height: uint32(g.Height)}
	for i, c := range g.Colors {
		v, err := m.attachment(c.Buffer, c.BaseMip)
		if err != nil {
			return m.fault(CodeSize, p.At, "buffer %s as color: %v", c.Buffer.Name, err)
		}
		format, err := formatOf(c.Buffer.Texel)
		if err != nil {
			return err
		}
		info.Attachments = append(info.Attachments, vk.AttachmentDescription{Format: format, Samples: c.Buffer.Image.Samples})
		f.Attachments = append(f.Attachments, v)
		if n := uint32(c.Buffer.Image.layers()); f.Layers == 0 || n < f.Layers {
			f.Layers = n
		}
		sub.Inputs[c.Location] = vk.InputReference{Attachment: uint32(i), Aspects: vk.Color}
	}
	f.Layers = max(f.Layers, 1)
	info.Subpasses = []vk.Subpass{sub}
	var err error
	if begin.RenderPass, err = m.device.NewRenderPass(info); err != nil {
		return host.Cause(err)
	}
	f.RenderPass = begin.RenderPass
	begin.Framebuffer, err = m.device.NewFramebuffer(f)
	return host.Cause(err)
}

// shade runs a subpass shading pipeline.
func (m *machine) shade(ctx context.Context, c *Shade) error {
	p := c.Pipeline
	x, err := m.shadeProgram(ctx, p)
	if err != nil {
		return err
	}
	b, err := m.bind(ctx, p)
	if err != nil {
		return err
	}
	if err := m.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	b.record(m, p, vk.SubpassShading)
	m.commands.BeginRenderPass(x.begin, vk.Inline)
	m.commands.BindPipeline(x.pipeline)
	m.commands.SubpassShading()
	m.commands.EndRenderPass()
	return m.submitted(ctx, p, c.At)
}
