package fossil

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// maxBindings bounds the bindings of one set layout, and the set layouts of one
// pipeline layout.
const maxBindings = 1 << 16

// layout reads the pipeline layout of a handle, and the set layouts in it.
func (b *builder) layout(handle string) {
	h := b.hash(handle)
	if h == 0 {
		b.out.Description.NoLayout = true
		return
	}
	p, err := keep(b, Ref{PipelineLayout, h}, func(d *document) map[string]*pipelineLayout { return d.PipelineLayouts })
	if err != nil {
		b.fail(err)
		return
	}
	out := &link.Layout{Flags: enum.LayoutFlags(p.Flags)}
	for _, r := range p.Push {
		out.Push = append(out.Push, link.Range{Offset: r.Offset, Size: r.Size, Stages: link.StagesOf(r.Stages)})
	}
	if len(p.Sets) > maxBindings {
		b.fail(fmt.Errorf("pipeline layout %s has %d sets; must have at most %d", h, len(p.Sets), maxBindings))
		return
	}
	for i, handle := range p.Sets {
		if set := b.setLayout(uint32(i), handle); set != nil {
			out.Sets = append(out.Sets, *set)
		}
	}
	b.out.Description.Layout = out
}

// setLayout reads the layout of one set.
func (b *builder) setLayout(number uint32, handle string) *link.Set {
	h := b.hash(handle)
	if h == 0 {
		return &link.Set{Number: number, Null: true}
	}
	s, err := keep(b, Ref{SetLayout, h}, func(d *document) map[string]*setLayout { return d.SetLayouts })
	if err != nil {
		b.fail(err)
		return nil
	}
	if len(s.Bindings) > maxBindings {
		b.fail(fmt.Errorf("set layout %s has %d bindings; must have at most %d", h, len(s.Bindings), maxBindings))
		return nil
	}
	var flags bindingFlags
	var mutable mutableTypes
	b.read(s.Next, map[structureType]any{stBindingFlags: &flags, stMutable: &mutable})
	out := &link.Set{Number: number, Flags: enum.SetFlags(s.Flags)}
	if n := len(flags.Flags); n > 0 && n != len(s.Bindings) {
		flagged := uint32(n)
		out.Flagged = &flagged
	}
	for i, k := range s.Bindings {
		t, ok := link.DescriptorTypeOf(k.Type)
		if !ok {
			t = link.DescriptorType(fmt.Sprint(k.Type))
		}
		v := link.Binding{Binding: k.Binding, Type: t, Count: k.Count, Stages: link.StagesOf(k.Stages), Samplers: len(k.Samplers) > 0}
		b.immutable(k.Samplers, &v)
		if i < len(flags.Flags) {
			v.Flags = enum.BindingFlags(flags.Flags[i])
		}
		if i < len(mutable.Lists) {
			if t == link.Mutable {
				v.Mutable = []link.DescriptorType{} // it is known to be empty
			}
			for _, m := range mutable.Lists[i] {
				t, _ := link.DescriptorTypeOf(m)
				v.Mutable = append(v.Mutable, t)
			}
		}
		out.Bindings = append(out.Bindings, v)
	}
	return out
}

// immutable reads the immutable samplers of a binding.
func (b *builder) immutable(handles []string, to *link.Binding) {
	for _, handle := range handles {
		h := b.hash(handle)
		if h == 0 {
			to.Immutable = nil
			return
		}
		s, err := keep(b, Ref{Sampler, h}, func(d *document) map[string]*sampler { return d.Samplers })
		if err != nil {
			b.fail(err)
			return
		}
		var conversion struct{}
		const subsampled = 1 | 2 // VK_SAMPLER_CREATE_SUBSAMPLED_BIT_EXT, …_COARSE_RECONSTRUCTION_BIT_EXT
		n := link.Sampler{
			Ycbcr:        b.read(s.Next, map[structureType]any{stYcbcr: &conversion})[stYcbcr],
			Unnormalized: s.Texels != 0,
			Subsampled:   s.Flags&subsampled != 0,
			Border:       s.Border == 1000287003 || s.Border == 1000287004, // VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, …_INT_CUSTOM_EXT
		}
		to.Ycbcr = to.Ycbcr || n.Ycbcr
		to.Immutable = append(to.Immutable, n)
	}
}
