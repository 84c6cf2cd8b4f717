package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
)

// describeSettings adds the state of STATE blocks. Without one, the sample count and the shading rate stay unknown.
func describeSettings(g *Graphics, d *link.Description) {
	if len(g.Settings) == 0 {
		return
	}
	s := g.settings()
	if s.Rasterization.LineWidth == 0 {
		s.Rasterization.LineWidth = d.Rasterization.LineWidth
	}
	d.Rasterization, d.Tessellation.Origin = s.Rasterization, s.Tessellation.Origin
	if d.Assembly != nil {
		d.Assembly.PrimitiveRestart = s.Assembly.PrimitiveRestart
	}
	n := 1 + uint32(len(s.Viewports))
	d.Viewport = &link.Viewport{Viewports: n, Scissors: n, NegativeOneToOne: s.NegativeOneToOne}
	if s.dither {
		d.Flags |= enum.PipelineFlagsEnableLegacyDithering
	}
	d.Multisample, d.ShadingRate = s.Multisample, s.rate()
	d.Multisample.Samples = g.samples()
}

// describeInputs adds the input attachments of a pipeline: of its render pass, if the script binds all of them and maps
// no indices. Otherwise the runner binds them, and the pipeline has dynamic rendering, which maps indices and locations.
func describeInputs(out *Described, p *Pipeline) error {
	d, s := out.Description, p.Graphics.settings()
	dynamic := s.locations != nil || s.inputs.Mapped()
	for i := range out.Stages {
		for k := range out.Stages[i].inputs {
			x := &out.Stages[i].inputs[k]
			if d.Layout != nil && addInput(d.Layout, x) {
				dynamic = true
			}
		}
	}
	if dynamic {
		return describeRendering(d, &p.Graphics, s)
	}
	for i := range out.Stages {
		for k := range out.Stages[i].inputs {
			if err := addSubpassInput(d.Pass, p, &out.Stages[i].inputs[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSubpassInput adds the images of an input attachment variable with an index to the subpass.
func addSubpassInput(pass *link.RenderPass, p *Pipeline, x *shader.InputVariable) error {
	i := slices.IndexFunc(p.Bindings, func(b Binding) bool { return b.Set == x.At.Set && b.Binding == x.At.Binding })
	if i < 0 || x.Index == nil || *x.Index > shader.MaxInputs {
		return nil
	}
	sub := &pass.Subpasses[0]
	for n, b := range p.Bindings[i].Buffers {
		if b == nil || b.Texel == nil || uint64(n) >= x.Count {
			continue
		}
		for len(sub.Input) <= int(*x.Index)+n {
			sub.Input = append(sub.Input, link.Unused)
		}
		a := link.PassAttachment{}
		if b.Image != nil {
			a.Samples = uint32(b.Image.Samples)
		}
		if err := a.Format.UnmarshalText([]byte(b.Texel.Name)); err != nil {
			return err
		}
		sub.Input[int(*x.Index)+n] = link.Ref(len(pass.Attachments))
		pass.Attachments = append(pass.Attachments, a)
	}
	return nil
}

// describeRendering replaces the render pass by dynamic rendering.
func describeRendering(d *link.Description, g *Graphics, s *drawState) error {
	r := &link.Rendering{ViewMask: s.Rendering.ViewMask}
	mapInputs(r, s)
	for _, c := range g.Colors {
		for len(r.Color) <= c.Location {
			r.Color = append(r.Color, 0)
		}
		if c.Buffer.Texel == nil {
			continue
		}
		if err := r.Color[c.Location].UnmarshalText([]byte(c.Buffer.Texel.Name)); err != nil {
			return err
		}
	}
	if b := g.DepthStencil; b != nil && b.Texel != nil {
		if b.Texel.Has(format.D) {
			if err := r.Depth.UnmarshalText([]byte(b.Texel.Name)); err != nil {
				return err
			}
		}
		if b.Texel.Has(format.S) {
			if err := r.Stencil.UnmarshalText([]byte(b.Texel.Name)); err != nil {
				return err
			}
		}
	}
	d.Pass, d.Rendering = nil, r
	return nil
}

// fragmentStage is the only stage of input attachments.
var fragmentStage, _ = link.ParseStage(Fragment.String())

// addInput adds the descriptors of an input attachment variable to a layout. It returns false if the script has a binding
// there.
func addInput(l *link.Layout, x *shader.InputVariable) bool {
	i := slices.IndexFunc(l.Sets, func(s link.Set) bool { return s.Number == x.At.Set })
	if i < 0 {
		i = len(l.Sets)
		l.Sets = append(l.Sets, link.Set{Number: x.At.Set})
	}
	set := &l.Sets[i]
	if slices.ContainsFunc(set.Bindings, func(b link.Binding) bool { return b.Binding == x.At.Binding }) {
		return false
	}
	set.Bindings = append(set.Bindings, link.Binding{Binding: x.At.Binding, Type: link.DescriptorType(iface.InputAttachment), Count: uint32(x.Count), Stages: fragmentStage})
	return true
}

// references returns numbers of attachments. vk.Unused is link.Unused.
func references(list []uint32) (out []link.Ref) {
	for _, n := range list {
		out = append(out, link.Ref(n))
	}
	return out
}

// settings returns the state of the STATE blocks alone.
func (g *Graphics) settings() *drawState {
	s := newDrawState()
	for _, set := range g.Settings {
		set(s)
	}
	return s
}

// samples returns the sample count of the attachments.
func (g *Graphics) samples() uint32 {
	n := 1
	for _, c := range g.Colors {
		if c.Buffer.Image != nil {
			n = max(n, c.Buffer.Image.Samples)
		}
	}
	if b := g.DepthStencil; b != nil && b.Image != nil {
		n = max(n, b.Image.Samples)
	}
	return uint32(n)
}
