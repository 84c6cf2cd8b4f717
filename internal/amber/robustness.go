package amber

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/link"
)

// Robustness is the robustness of a pipeline or of a stage, which overrides the pipeline's
// (VkPipelineRobustnessCreateInfo).
type Robustness struct{ Storage, Uniform, Vertex, Images RobustnessLevel }

// RobustnessLevel is a behaviour of accesses outside of a resource, with the values of
// VkPipelineRobustnessBufferBehavior and VkPipelineRobustnessImageBehavior.
type RobustnessLevel uint8

// robustnessLevels has the words of AmberScript, by level.
var robustnessLevels = [...]string{"default", "disabled", "robust", "robust2"}

// over sets the level of one kind of resource, unless it is the default.
func (l RobustnessLevel) over(level *exec.Robustness) {
	if l > 0 {
		*level = [...]exec.Robustness{exec.NotRobust, exec.Robust, exec.Robust2}[l-1]
	}
}

// over returns the defaults of the run with the robustness.
func (x *Robustness) over(defaults compute.Robustness) compute.Robustness {
	x.Storage.over(&defaults.Storage)
	x.Uniform.over(&defaults.Uniform)
	x.Images.over(&defaults.Images)
	x.Vertex.over(&defaults.Vertex)
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

// stageIR are the stages in programs.
var stageIR = map[Stage]ir.Stage{
	Compute: ir.Compute,
	Vertex:  ir.Vertex, TessellationControl: ir.TessControl, TessellationEvaluation: ir.TessEval, Geometry: ir.Geometry, Fragment: ir.Fragment,
}
