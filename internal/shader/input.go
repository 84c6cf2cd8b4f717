package shader

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// ImageVariable is a variable of an image, or of an array of images.
type ImageVariable struct {
	*facts.Variable
	At    compute.Binding
	Image *facts.Type
}

// ImageVariables returns the image variables of an entry point.
func ImageVariables(f *facts.Module, e *facts.EntryPoint) (list []ImageVariable) {
	for _, v := range f.Globals(e) {
		t := v.Type
		for t.IsArray() || t != nil && t.Op == spirv.OpTypeSampledImage {
			t = t.Elem
		}
		set, _ := f.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok := f.Decoration(v.ID, spirv.DecorationBinding)
		if t != nil && t.Image != nil && ok && len(set.Operands) > 0 && len(binding.Operands) > 0 {
			list = append(list, ImageVariable{v, compute.Binding{Set: set.Operands[0], Binding: binding.Operands[0]}, t})
		}
	}
	return list
}

// InputVariable is an input attachment variable of a fragment shader, or an array of them.
type InputVariable struct {
	Name  string
	At    compute.Binding
	Index *uint32 // InputAttachmentIndex; nil: none
	Count uint64
	Float bool // reads floats, not integers
}

// MaxInputs bounds the elements of an array of input attachments.
const MaxInputs = 1 << 10

// InputVariables returns the input attachment variables of an entry point.
func InputVariables(f *facts.Module, e *facts.EntryPoint) (list []InputVariable) {
	for _, v := range ImageVariables(f, e) {
		if v.Image.Image.Dim != spirv.DimSubpassData {
			continue
		}
		x := InputVariable{Name: f.Name(v.ID), At: v.At, Count: 1, Float: v.Image.Elem != nil && v.Image.Elem.IsFloat()}
		for t := v.Type; t.IsArray(); t = t.Elem {
			x.Count = min(x.Count*min(t.Count, MaxInputs), MaxInputs)
		}
		if o, ok := f.Decoration(v.ID, spirv.DecorationInputAttachmentIndex); ok && len(o.Operands) > 0 {
			x.Index = &o.Operands[0]
		}
		list = append(list, x)
	}
	return list
}

// InputIndices are the InputAttachmentIndex decorations that read attachments (VkRenderingInputAttachmentIndexInfo).
// state.Unused is no index.
type InputIndices struct {
	Colors         []uint32 // by color attachment; nil: attachment n has index n
	Depth, Stencil *uint32  // nil: variables without an index read it
}

// Mapped reports whether the indices are not the default ones.
func (m *InputIndices) Mapped() bool { return m.Colors != nil || m.Depth != nil || m.Stencil != nil }

// The results of Find that are not a color attachment.
const (
	ReadsNone = -1 - iota
	ReadsDepth
	ReadsStencil
)

// Find returns the number of the color attachment, of some number of them, that element n of a variable reads (Vulkan
// §"Fragment Input Attachment Interface"), or ReadsDepth, ReadsStencil or ReadsNone.
func (m *InputIndices) Find(x *InputVariable, n uint32, colors int) int {
	other, index := ReadsStencil, m.Stencil
	if x.Float {
		other, index = ReadsDepth, m.Depth
	}
	switch {
	case x.Index == nil && index == nil, x.Index != nil && index != nil && *index != state.Unused && *index == *x.Index+n:
		return other
	case x.Index == nil:
		return ReadsNone
	}
	for i := range colors {
		if m.Colors == nil && uint32(i) == *x.Index+n || i < len(m.Colors) && m.Colors[i] != state.Unused && m.Colors[i] == *x.Index+n {
			return i
		}
	}
	return ReadsNone
}

// Attachment returns the attachment that element n of a variable reads, or nil.
func (m *InputIndices) Attachment(x *InputVariable, n uint32, t *state.Target) *texture.View {
	switch i := m.Find(x, n, len(t.Colors)); i {
	case ReadsNone:
		return nil
	case ReadsDepth:
		return t.Depth
	case ReadsStencil:
		return t.Stencil
	default:
		return t.Colors[i]
	}
}

// Shows reports whether a descriptor shows the attachment v that a variable reads. Depth and stencil are one image.
func Shows(t *state.Target, v, bound *texture.View) bool {
	if v == t.Depth || v == t.Stencil {
		return SameTexels(t.Depth, bound) || SameTexels(t.Stencil, bound)
	}
	return SameTexels(v, bound)
}

// SameTexels reports whether two views show the same memory.
func SameTexels(a, b *texture.View) bool {
	x, y := a.Memory().Bytes, b.Memory().Bytes
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}
