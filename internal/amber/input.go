package amber

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Input attachments are descriptors for a draw. The runner binds the attachments that the indices of the fragment
// shader's variables select (Vulkan §"Fragment Input Attachment Interface"). If a script maps indices, as dynamic
// rendering does, its own descriptor must be the same image, because either of them may be read. If it does not, its
// descriptor is the input attachment of a render pass.

// inputVariable is an input attachment variable of a fragment shader, or an array of them.
type inputVariable struct {
	name  string
	at    compute.Binding
	index *uint32 // InputAttachmentIndex; nil: none
	count uint64
	float bool // reads floats, not integers
}

// maxInputs bounds the elements of an array of input attachments.
const maxInputs = 1 << 10

// inputVariables returns the input attachment variables of an entry point.
func inputVariables(f *facts.Module, e *facts.EntryPoint) (list []inputVariable) {
	for _, v := range imageVariables(f, e) {
		if v.image.Image.Dim != spirv.DimSubpassData {
			continue
		}
		x := inputVariable{name: f.Name(v.ID), at: v.at, count: 1, float: v.image.Elem != nil && v.image.Elem.IsFloat()}
		for t := v.Type; t.IsArray(); t = t.Elem {
			x.count = min(x.count*min(t.Count, maxInputs), maxInputs)
		}
		if o, ok := f.Decoration(v.ID, spirv.DecorationInputAttachmentIndex); ok && len(o.Operands) > 0 {
			x.index = &o.Operands[0]
		}
		list = append(list, x)
	}
	return list
}

// inputAttachments binds the input attachments of a draw.
func (r *runner) inputAttachments(c *Draw, inputs []inputVariable, m *inputIndices, t *state.Target, a *state.Args) error {
	if m.colors != nil && len(m.colors) != len(t.Colors) {
		return r.fault(CodeRun, c.Pipeline.At, "pipeline %s has COLOR_INPUTS of %d attachments and %d color attachments; must be as many", c.Pipeline.Name, len(m.colors), len(t.Colors))
	}
	for i := range inputs {
		x := &inputs[i]
		bound := a.Shader.Images[x.at]
		var views []*texture.View
		for n := range x.count {
			v := m.attachment(x, uint32(n), t)
			switch {
			case n >= uint64(len(bound)):
			case v == nil, !m.mapped():
				v = bound[n]
			case !shows(t, v, bound[n]):
				return r.fault(vuid.VkCmdDraw_pDepthInputAttachmentIndex_09595, c.At, "pipeline %s: input attachment %s at set %d, binding %d has another image than the attachment that it reads; must be the same", c.Pipeline.Name, x.name, x.at.Set, x.at.Binding)
			}
			views = append(views, v)
		}
		a.Shader.Images[x.at] = views
	}
	return nil
}

// mapped reports whether the script maps indices.
func (m *inputIndices) mapped() bool { return m.colors != nil || m.depth != nil || m.stencil != nil }

// attachment returns the attachment that element n of a variable reads, or nil.
func (m *inputIndices) attachment(x *inputVariable, n uint32, t *state.Target) *texture.View {
	other, index := t.Stencil, m.stencil
	if x.float {
		other, index = t.Depth, m.depth
	}
	switch {
	case x.index == nil && index == nil, x.index != nil && index != nil && *index == *x.index+n:
		return other
	case x.index == nil:
		return nil
	}
	for i, v := range t.Colors {
		if m.colors == nil && uint32(i) == *x.index+n || m.colors != nil && m.colors[i] == *x.index+n {
			return v
		}
	}
	return nil
}

// shows reports whether a descriptor shows the attachment that a variable reads. Depth and stencil are one image.
func shows(t *state.Target, v, bound *texture.View) bool {
	if v == t.Depth || v == t.Stencil {
		return sameTexels(t.Depth, bound) || sameTexels(t.Stencil, bound)
	}
	return sameTexels(v, bound)
}

// sameTexels reports whether two views show the same memory.
func sameTexels(a, b *texture.View) bool {
	x, y := a.Memory().Bytes, b.Memory().Bytes
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}
