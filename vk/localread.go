package vk

import (
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Unused is the number of no attachment, location or index (VK_ATTACHMENT_UNUSED).
const Unused = state.Unused

// InputIndices are the InputAttachmentIndex decorations that read the attachments of a rendering
// (VkRenderingInputAttachmentIndexInfo).
type InputIndices struct {
	Colors         []uint32 // by color attachment, Unused for none; nil: attachment n has index n
	Depth, Stencil *uint32  // nil: variables without an index read it
}

// remap is the state of the local reads of a rendering.
type remap struct {
	locations []uint32 // of color attachments; nil: attachment n has location n
	inputs    shader.InputIndices
}

// SetRenderingAttachmentLocations sets the output locations that the color attachments of the rendering receive, by
// attachment: Unused is none. nil are the default ones: attachment n receives location n.
func (c *CommandBuffer) SetRenderingAttachmentLocations(locations []uint32) {
	const command = "vkCmdSetRenderingAttachmentLocations"
	colors, ok := c.localRead(command, "commandBuffer-09511")
	if !ok {
		return
	}
	if len(locations) > state.MaxColors {
		c.fail(usage("VUID-VkRenderingAttachmentLocationInfo-colorAttachmentCount-09514", "%d locations; must be at most %d", len(locations), state.MaxColors))
		return
	}
	if locations == nil {
		locations = identity(colors)
	}
	r := link.Rendering{Color: make([]link.Format, colors), Locations: references(locations)}
	err := c.remapError(&r, command, "VkRenderingAttachmentLocationInfo")
	for _, n := range locations {
		if err == nil && n != Unused && n >= state.MaxColors {
			err = usage("VUID-VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09515", "a color attachment has location %d; must be below %d", n, state.MaxColors)
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.deferred("set rendering attachment locations", &setLocations{slices.Clone(locations)})
}

// SetRenderingInputAttachmentIndices sets the indices of the input attachment variables that read the attachments of the
// rendering.
func (c *CommandBuffer) SetRenderingInputAttachmentIndices(indices InputIndices) {
	const command = "vkCmdSetRenderingInputAttachmentIndices"
	colors, ok := c.localRead(command, "commandBuffer-09518")
	if !ok {
		return
	}
	if len(indices.Colors) > state.MaxColors {
		c.fail(usage("VUID-VkRenderingInputAttachmentIndexInfo-colorAttachmentCount-09525", "%d indices; must be at most %d", len(indices.Colors), state.MaxColors))
		return
	}
	if indices.Colors == nil {
		indices.Colors = identity(colors)
	}
	m := shader.InputIndices{Colors: slices.Clone(indices.Colors), Depth: clone(indices.Depth), Stencil: clone(indices.Stencil)}
	r := link.Rendering{Color: make([]link.Format, colors), Inputs: references(m.Colors), DepthInput: (*link.Ref)(m.Depth), StencilInput: (*link.Ref)(m.Stencil)}
	if err := c.remapError(&r, command, "VkRenderingInputAttachmentIndexInfo"); err != nil {
		c.fail(err)
		return
	}
	c.deferred("set rendering input attachment indices", &setInputs{m})
}

func clone(n *uint32) *uint32 {
	if n == nil {
		return nil
	}
	x := *n
	return &x
}

// identity returns the numbers below n.
func identity(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

func references(list []uint32) []link.Ref {
	out := make([]link.Ref, len(list))
	for i, n := range list {
		out[i] = link.Ref(n)
	}
	return out
}

// localRead returns the number of color attachments of the rendering that a command remaps.
func (c *CommandBuffer) localRead(command, rule string) (colors int, ok bool) {
	if !c.starts(command) {
		return 0, false
	}
	if !c.scope.open() {
		c.fail(usage("VUID-"+command+"-renderpass", "the command is outside of a rendering; must be inside"))
		return 0, false
	}
	if colors, ok = c.scope.colors(); !ok {
		c.fail(usage("VUID-"+command+"-"+rule, "the rendering did not begin with BeginRendering in %v; must", &c.object))
	}
	return colors, ok
}

// remapError returns the first error of the rules of package link on a command and on its structure.
func (c *CommandBuffer) remapError(r *link.Rendering, command, structure string) error {
	for _, f := range link.Link(&link.Description{Kind: link.ShaderObjects, Rendering: r, Env: c.dev.env, Device: c.dev.env.Device}) {
		if f.Severity == diag.Error && (strings.HasPrefix(f.Code, "VUID-"+command) || strings.HasPrefix(f.Code, "VUID-"+structure)) {
			return usage(f.Code, "%s", f.Message)
		}
	}
	return nil
}

type setLocations struct{ locations []uint32 }

func (w *setLocations) run(x *executor) error {
	x.graphics.remap.locations = w.locations
	return nil
}

type setInputs struct{ inputs shader.InputIndices }

func (w *setInputs) run(x *executor) error {
	x.graphics.remap.inputs = w.inputs
	return nil
}

// inputVariables returns the input attachment variables of the fragment stage. A stage from a cache or from binary code whose
// module is not known has none: its descriptors show the attachments.
func (p *drawable) inputVariables() []shader.InputVariable {
	p.inputs.once.Do(func() {
		for _, s := range p.stages {
			if s.Program.Stage != ir.Fragment {
				continue
			}
			f := s.Facts
			if f == nil && s.Source != nil {
				f = s.Source()
			}
			if f == nil {
				continue
			}
			if e := f.EntryPoint(s.Program.Name, spirv.ExecutionModelFragment); e != nil {
				for _, v := range shader.InputVariables(f, e) {
					for _, r := range s.Program.Res { // the number of a mapped binding is another one
						if number, sort := r.Number(); (sort == ir.SortReadOnly || sort == ir.SortWritten) && r.Kind == ir.Texels && !r.Heap && r.Set == v.At.Set && number == v.At.Binding {
							v.At.Binding = r.Binding
							break
						}
					}
					p.inputs.list = append(p.inputs.list, v)
				}
			}
		}
	})
	return p.inputs.list
}

// inputs are input attachment variables, which the first draw that maps attachments finds.
type inputs struct {
	once sync.Once
	list []shader.InputVariable
}

// inputAttachments replaces the descriptors of input attachments by the attachments that commands have mapped to them. Without
// a mapping, and in render passes, the descriptors show the attachments.
func (x *executor) inputAttachments(p *drawable, a *state.Args) error {
	m := &x.graphics.remap.inputs
	if !m.Mapped() {
		return nil
	}
	t := &x.graphics.current.target
	variables := p.inputVariables()
	for i := range variables {
		v := &variables[i]
		if uint64(v.At.Set) >= uint64(len(a.Shader.Sets)) {
			continue
		}
		set := slices.Clone(a.Shader.Sets[v.At.Set])
		b := set.Find(v.At.Binding)
		if b == nil {
			continue
		}
		views := make([]*texture.View, v.Count)
		for n := range views {
			views[n] = m.Attachment(v, uint32(n), t)
			if n >= len(b.Views) {
				continue
			}
			if views[n] == nil {
				views[n] = b.Views[n]
			} else if x.dev.checking >= All && !shader.Shows(t, views[n], b.Views[n]) {
				return usage("VUID-vkCmdDraw-pDepthInputAttachmentIndex-09595", "the input attachment %s has another image than the attachment that it reads; must have the same", v.Name)
			}
		}
		b.Views = views
		a.Shader.Sets[v.At.Set] = compute.Set(set)
	}
	return nil
}

// checkRemap returns the error of a draw with a pipeline whose mapping is not the one that commands have set.
func (x *executor) checkRemap(p *GraphicsPipeline) error {
	g := &x.graphics
	n, r := len(g.current.info.Colors), &p.rendering
	locations, colors := g.remap.locations, g.remap.inputs.Colors
	if locations == nil {
		locations = identity(n)
	}
	if colors == nil {
		colors = identity(n)
	}
	same := func(have []link.Ref, want []uint32) bool {
		if have == nil {
			have = references(identity(n))
		}
		return slices.Equal(have, references(want))
	}
	index := func(have *link.Ref, want *uint32) bool {
		return (have == nil) == (want == nil) && (have == nil || uint32(*have) == *want)
	}
	switch {
	case !same(r.Locations, locations):
		return usage("VUID-vkCmdDraw-None-09548", "the pipeline has other locations of color attachments than the commands have set; must have the same")
	case !same(r.Inputs, colors):
		return usage("VUID-vkCmdDraw-None-09549", "the pipeline has other indices of input attachments than the commands have set; must have the same")
	case !index(r.DepthInput, g.remap.inputs.Depth):
		return usage(vuid.VkCmdDraw_None_10927, "the pipeline has another index of the depth attachment than the commands have set; must have the same")
	case !index(r.StencilInput, g.remap.inputs.Stencil):
		return usage(vuid.VkCmdDraw_None_10928, "the pipeline has another index of the stencil attachment than the commands have set; must have the same")
	}
	return nil
}
