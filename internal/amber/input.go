package amber

import (
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Input attachments are descriptors for a draw. The runner binds the attachments that the indices of the fragment
// shader's variables select (Vulkan §"Fragment Input Attachment Interface"). If a script maps indices, as dynamic
// rendering does, its own descriptor must be the same image, because either of them may be read. If it does not, its
// descriptor is the input attachment of a render pass.

// inputAttachments binds the input attachments of a draw.
func (r *runner) inputAttachments(c *Draw, inputs []shader.InputVariable, m *shader.InputIndices, t *state.Target, a *state.Args) error {
	if m.Colors != nil && len(m.Colors) != len(t.Colors) {
		return r.fault(CodeRun, c.Pipeline.At, "pipeline %s has COLOR_INPUTS of %d attachments and %d color attachments; must be as many", c.Pipeline.Name, len(m.Colors), len(t.Colors))
	}
	for i := range inputs {
		x := &inputs[i]
		bound := a.Shader.Images[x.At]
		var views []*texture.View
		for n := range x.Count {
			v := m.Attachment(x, uint32(n), t)
			switch {
			case n >= uint64(len(bound)):
			case v == nil, !m.Mapped():
				v = bound[n]
			case !shader.Shows(t, v, bound[n]):
				return r.fault(vuid.VkCmdDraw_pDepthInputAttachmentIndex_09595, c.At, "pipeline %s: input attachment %s at set %d, binding %d has another image than the attachment that it reads; must be the same", c.Pipeline.Name, x.Name, x.At.Set, x.At.Binding)
			}
			views = append(views, v)
		}
		a.Shader.Images[x.At] = views
	}
	return nil
}
