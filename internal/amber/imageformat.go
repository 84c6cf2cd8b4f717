package amber

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
)

// checkStage is checkFormats of a stage that was made.
func (r *runner) checkStage(p *Pipeline, s link.Shader) error {
	f := s.Module.Facts()
	return r.checkFormats(p, f, f.EntryPoint(s.Entry.Name, s.Entry.Model))
}

// checkFormats returns an error if an image or texel buffer has a format that the shader cannot read: its texels would
// be undefined (Vulkan, Compatibility Between SPIR-V Image Formats and Vulkan Formats). A mutable binding has such
// images too: the shader must not access them by way of this variable.
func (r *runner) checkFormats(p *Pipeline, f *facts.Module, e *facts.EntryPoint) error {
	vars := shader.ImageVariables(f, e)
	shared := map[[2]uint32]int{}
	for _, v := range vars {
		shared[[2]uint32{v.At.Set, v.At.Binding}]++
	}
	for _, v := range vars {
		for i := range p.Bindings {
			b := &p.Bindings[i]
			if b.Set != v.At.Set || b.Binding != v.At.Binding || b.Mutable != nil {
				continue
			}
			for _, x := range b.Buffers {
				if x == nil {
					continue
				}
				if problem := mismatch(v.Image, b, x, shared[[2]uint32{b.Set, b.Binding}] > 1); problem != "" {
					return r.fault(CodeType, b.At, "image %s has the format %s", x.Name, problem)
				}
			}
		}
	}
	return nil
}

// mismatch returns the format of a buffer and the one that a variable of an image type needs, "" if they agree. If variables share the
// binding, the shader may access each kind of number by way of another.
func mismatch(t *facts.Type, b *Binding, x *Buffer, shared bool) string {
	got := x.Texel
	if got == nil && (b.Kind == StorageTexelBuffer || b.Kind == UniformTexelBuffer) {
		got = texelOf(x.Type)
	}
	if got == nil {
		return ""
	}
	if t.Image.Sampled == 2 {
		want := format.OfShader(t.Image.Format.String())
		if want != "" && !sameChannels(got, want) {
			return fmt.Sprintf("%s; the shader declares %s, that is %s", got.Name, t.Image.Format, want)
		}
	}
	if whole, known := wholeNumbers(got); known && !shared && t.Elem != nil && whole == t.Elem.IsFloat() { // VUID-vkCmdDispatch-format-07753
		return fmt.Sprintf("%s; the shader reads %s", got.Name, map[bool]string{true: "floating-point numbers", false: "integers"}[whole])
	}
	return ""
}

// wholeNumbers reports whether shaders read the texels of a format as integers, and whether that is known: views of
// depth and stencil have one of the two.
func wholeNumbers(f *format.Format) (whole, known bool) {
	for _, c := range f.Components() {
		if c.Numeric != format.None {
			return c.Numeric == format.UInt || c.Numeric == format.SInt, !f.IsDepthStencil()
		}
	}
	return false, false
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
