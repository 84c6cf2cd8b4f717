package amber

import (
	"context"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// inputVariables returns the input attachment variables of the fragment shader of a pipeline.
func (m *machine) inputVariables(ctx context.Context, p *Pipeline) ([]shader.InputVariable, error) {
	for i := range p.Stages {
		a := &p.Stages[i]
		if a.Stage != Fragment || !a.Shader.maySubpass() {
			continue
		}
		code, err := m.stageModule(ctx, p, a)
		if err != nil {
			return nil, err
		}
		f, e, err := m.stageFacts(code, a, m.entryPoint(p, a), spirv.ExecutionModelFragment)
		if err != nil {
			return nil, err
		}
		return shader.InputVariables(f, e), nil
	}
	return nil, nil
}

// inputAttachments writes the descriptors of the input attachments that the script does not bind: the attachments that
// the indices of the variables select. If the script maps indices, the device selects them, and its own descriptor must
// be the same image, because either of them may be read.
func (m *machine) inputAttachments(c *Draw, b *bindings, indices *shader.InputIndices) error {
	p := c.Pipeline
	if n, colors := p.Graphics.locations(), indices.Colors; colors != nil && len(colors) != n {
		return m.fault(CodeRun, p.At, "pipeline %s has COLOR_INPUTS of %d attachments and %d color attachments; must be as many", p.Name, len(colors), n)
	}
	for i := range b.inputs {
		x := &b.inputs[i]
		bound := slices.IndexFunc(p.Bindings, func(y Binding) bool { return y.Set == x.At.Set && y.Binding == x.At.Binding })
		w := vk.Write{Binding: x.At.Binding, Type: descriptorTypes[InputAttachment]}
		for n := range uint32(x.Count) {
			buffer, level, aspect := p.Graphics.read(indices, x, n)
			if bound >= 0 {
				list := p.Bindings[bound].Buffers
				if indices.Mapped() && buffer != nil && int(n) < len(list) && list[n] != buffer {
					return m.fault(vuid.VkCmdDraw_pDepthInputAttachmentIndex_09595, c.At, "pipeline %s: input attachment %s at set %d, binding %d has another image than the attachment that it reads; must be the same", p.Name, x.Name, x.At.Set, x.At.Binding)
				}
				continue
			}
			var v *vk.ImageView
			if buffer != nil {
				var err error
				if v, err = m.aspectView(buffer, level, aspect); err != nil {
					return m.fault(CodeSize, p.At, "buffer %s as input attachment: %v", buffer.Name, err)
				}
			}
			w.Images = append(w.Images, vk.ImageDescriptor{View: v})
		}
		if bound >= 0 || len(w.Images) == 0 {
			continue
		}
		if err := b.sets[x.At.Set].Update(w); err != nil {
			return m.fault(CodeRun, c.At, "set %d, binding %d: %v", x.At.Set, x.At.Binding, err)
		}
	}
	return nil
}

// read returns the attachment that element n of a variable reads, with its level and aspect; a nil buffer if there is
// none.
func (g *Graphics) read(indices *shader.InputIndices, x *shader.InputVariable, n uint32) (b *Buffer, level int, aspect vk.Aspect) {
	switch at := indices.Find(x, n, g.locations()); at {
	case shader.ReadsNone:
	case shader.ReadsDepth, shader.ReadsStencil:
		channel := format.D
		if aspect = vk.Depth; at == shader.ReadsStencil {
			channel, aspect = format.S, vk.Stencil
		}
		if d := g.DepthStencil; d != nil && d.Texel != nil && d.Texel.Has(channel) {
			return d, 0, aspect
		}
	default:
		i := slices.IndexFunc(g.Colors, func(c ColorAttachment) bool { return c.Location == at })
		if i >= 0 {
			return g.Colors[i].Buffer, g.Colors[i].BaseMip, vk.Color
		}
	}
	return nil, 0, 0
}

// aspectView returns the view of one level and aspect of an attachment.
func (m *machine) aspectView(b *Buffer, level int, aspect vk.Aspect) (*vk.ImageView, error) {
	if aspectsOf(b.Texel) == aspect {
		return m.attachment(b, level)
	}
	return m.levelView(b, level, aspect)
}

// recordMapping records the output locations and the indices of input attachments of a draw, once any draw of the pass has
// some.
func (p *devicePass) recordMapping(s *drawState) {
	if s.locations != nil || s.inputs.Mapped() {
		p.mapped = true
	}
	if p.mapped {
		p.commands.SetRenderingAttachmentLocations(s.locations)
		p.commands.SetRenderingInputAttachmentIndices(vk.InputIndices(s.inputs))
	}
}

// mapInputs adds the mapping of attachments to a rendering.
func mapInputs(r *link.Rendering, s *drawState) {
	r.Locations, r.Inputs = references(s.locations), references(s.inputs.Colors)
	r.DepthInput, r.StencilInput = (*link.Ref)(s.inputs.Depth), (*link.Ref)(s.inputs.Stencil)
}

// maySubpass reports whether a shader may have input attachments: its text has the type, or it has no text.
func (s *Shader) maySubpass() bool {
	switch s.Format {
	case SPIRVHex, SPIRVBinary:
		return true
	}
	return strings.Contains(strings.ToLower(s.Source), "subpass")
}
