package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// checkFormats returns an error if a storage image or storage texel buffer has another format than the shader
// declares: its texels would be undefined (Vulkan, Compatibility Between SPIR-V Image Formats and Vulkan
// Formats).
func (r *runner) checkFormats(p *Pipeline, f *facts.Module, e *facts.EntryPoint) error {
	for _, v := range f.Globals(e) {
		t := v.Type
		for t.IsArray() {
			t = t.Elem
		}
		if t == nil || t.Image == nil || t.Image.Sampled != 2 {
			continue
		}
		want := format.OfShader(t.Image.Format.String())
		set, _ := f.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok := f.Decoration(v.ID, spirv.DecorationBinding)
		if want == "" || !ok || len(set.Operands) == 0 || len(binding.Operands) == 0 {
			continue
		}
		for i := range p.Bindings {
			b := &p.Bindings[i]
			if b.Set != set.Operands[0] || b.Binding != binding.Operands[0] {
				continue
			}
			for _, x := range b.Buffers {
				if x == nil {
					continue
				}
				got := x.Texel
				if got == nil && b.Kind == StorageTexelBuffer {
					got = texelOf(x.Type)
				}
				if got != nil && !sameChannels(got, want) {
					return r.fault(CodeType, b.At, "image %s has the format %s; the shader declares %s, that is %s", x.Name, got.Name, t.Image.Format, want)
				}
			}
		}
	}
	return nil
}

// sameChannels reports whether a format has the channels of the named one with the same bits and numbers. Their
// order may differ: scripts declare Rgba8 for B8G8R8A8_UNORM, and drivers use the format of the view.
func sameChannels(f *format.Format, name string) bool {
	g, _ := format.ByName(name)
	a, b := f.Components(), g.Components()
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y format.Component) bool {
			return x.Channel == y.Channel && x.Bits == y.Bits && x.Numeric == y.Numeric
		}) {
			return false
		}
	}
	return true
}
