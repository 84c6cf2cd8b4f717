package amber

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Robustness is the robustness of a pipeline or of a stage, which overrides the pipeline's
// (VkPipelineRobustnessCreateInfo).
type Robustness struct{ Storage, Uniform, Vertex, Images RobustnessLevel }

// RobustnessLevel is a behaviour of accesses outside of a resource, with the values of
// VkPipelineRobustnessBufferBehavior and VkPipelineRobustnessImageBehavior.
type RobustnessLevel uint8

// robustnessLevels has the words of AmberScript, by level.
var robustnessLevels = [...]string{"default", "disabled", "robust", "robust2"}

// buffers sets the behavior of buffers, unless the level is the default.
func (l RobustnessLevel) buffers(b *vk.BufferBehavior) {
	if l > 0 {
		*b = [...]vk.BufferBehavior{vk.NotRobust, vk.RobustBufferAccess, vk.RobustBufferAccess2}[l-1]
	}
}

// over returns the defaults of the run with the robustness.
func (x *Robustness) over(defaults vk.Robustness) vk.Robustness {
	x.Storage.buffers(&defaults.Storage)
	x.Uniform.buffers(&defaults.Uniform)
	x.Vertex.buffers(&defaults.Vertex)
	if l := x.Images; l > 0 {
		defaults.Images = [...]vk.ImageBehavior{vk.NotRobustImages, vk.RobustImageAccess, vk.RobustImageAccess2}[l-1]
	}
	return defaults
}

// link returns the robustness as package link checks it; nil if x is nil.
func (x *Robustness) link() *link.Robustness {
	if x == nil {
		return nil
	}
	return &link.Robustness{
		StorageBuffers: enum.BufferRobustness(x.Storage), UniformBuffers: enum.BufferRobustness(x.Uniform),
		VertexInputs: enum.BufferRobustness(x.Vertex), Images: enum.ImageRobustness(x.Images),
	}
}

// robustness reads a ROBUSTNESS block: of the pipeline, or of a shader of it.
func (p *parser) robustness(q *Pipeline) {
	into := &q.Robustness
	if !p.lex.peek().eol {
		a := p.attached(q)
		if a == nil {
			return
		}
		into = &a.Robustness
	}
	p.endLine()
	x := Robustness{}
	for {
		w, ok := p.blockWord("ROBUSTNESS")
		if !ok {
			break
		}
		level := map[string]*RobustnessLevel{"STORAGE_BUFFERS": &x.Storage, "UNIFORM_BUFFERS": &x.Uniform, "VERTEX_INPUTS": &x.Vertex, "IMAGES": &x.Images}[w.text]
		if level == nil {
			p.fail(CodeWord, w.pos, "%s is nothing that ROBUSTNESS has", w)
			return
		}
		*level = RobustnessLevel(p.oneOf("a level of robustness", robustnessLevels[:]...))
		p.endLine()
	}
	*into = &x
}

// robustnessOf returns the robustness of a stage of a pipeline; nil if the script sets none.
func (p *Pipeline) robustnessOf(a *Attachment) *Robustness {
	if a.Robustness != nil {
		return a.Robustness
	}
	return p.Robustness
}
