package amber

import (
	"context"
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// stage returns a stage of a pipeline with a module of its own. FULLY_POPULATED is not held against the size of the
// workgroup: scripts of the conformance tests use it with workgroups that have a partial subgroup.
func (m *machine) stage(ctx context.Context, p *Pipeline, a *Attachment) (*vk.StageInfo, error) {
	code, err := m.stageModule(ctx, p, a)
	if err != nil {
		return nil, err
	}
	module, err := m.device.NewShaderModule(ctx, code)
	if err != nil {
		return nil, m.fault(CodeShader, a.Shader.At, "shader %s: %v", a.Shader.Name, err)
	}
	level := m.robustness(p, a)
	return &vk.StageInfo{
		Module: module, Entry: m.entryPoint(p, a), Specialization: a.specialization(), SubgroupSize: uint32(a.Subgroup.RequiredSize),
		Mappings: p.Mappings, Robustness: &level,
	}, nil
}

// creationOf returns the flags of a pipeline.
func creationOf(p *Pipeline) (c vk.Creation) {
	if p.mapped() {
		c.Flags |= enum.PipelineFlagsDescriptorHeap
	}
	return c
}

// stageError adds the shader's name to an error of the compilation of its stage.
func (m *machine) stageError(a *Attachment, entry string, err error) error {
	var rule *vk.UsageError
	if errors.As(err, &rule) && rule.Rule == "VUID-VkPipelineShaderStageCreateInfo-pName-00707" {
		return m.fault(CodeShader, a.Shader.At, "shader %s has no %s entry point %q", a.Shader.Name, a.Stage, entry)
	}
	return m.shaderError(a.Shader, host.CompileCause(err))
}

// pushBytes returns the number of bytes of push constants of a pipeline.
func (m *machine) pushBytes(p *Pipeline) uint64 {
	if p.Push == nil {
		return 0
	}
	return uint64(len(m.memory[p.Push]))
}

// robustness returns the robustness of a stage: the options' with the script's.
func (m *machine) robustness(p *Pipeline, a *Attachment) vk.Robustness {
	level := m.options.Robustness
	if own := m.options.StageRobustness[objectStages[a.Stage]]; own != nil {
		level = *own
	}
	if x := p.robustnessOf(a); x != nil {
		level = x.over(level)
	}
	return level
}

// entryPoint returns the name of a stage's entry point: the one that was set last.
func (r *runner) entryPoint(p *Pipeline, a *Attachment) string {
	if name, ok := r.entryPoints[entryKey{p, a.Stage}]; ok {
		return name
	}
	return a.EntryPoint
}

// shaderError adds the shader's name to an error.
func (r *runner) shaderError(s *Shader, err error) error {
	if host.CompilerLacks(err) {
		return r.unsupported(s.At, fmt.Sprintf("shader %s: %v", s.Name, err))
	}
	if host.CompilerRejects(err) {
		return r.fault(CodeShader, s.At, "shader %s: %v", s.Name, err)
	}
	return fmt.Errorf("%s:%s: shader %s: %w", r.script.File, s.At, s.Name, err)
}

// models are the execution models of the stages.
var models = map[Stage]spirv.ExecutionModel{
	Compute: spirv.ExecutionModelGLCompute,
	Vertex:  spirv.ExecutionModelVertex, TessellationControl: spirv.ExecutionModelTessellationControl,
	TessellationEvaluation: spirv.ExecutionModelTessellationEvaluation, Geometry: spirv.ExecutionModelGeometry,
	ClusterCulling: spirv.ExecutionModelClusterCullingHUAWEI,
	Task:           spirv.ExecutionModelTaskEXT, Mesh: spirv.ExecutionModelMeshEXT, Fragment: spirv.ExecutionModelFragment,
	RayGeneration: spirv.ExecutionModelRayGenerationKHR, AnyHit: spirv.ExecutionModelAnyHitKHR, ClosestHit: spirv.ExecutionModelClosestHitKHR,
	Miss: spirv.ExecutionModelMissKHR, Intersection: spirv.ExecutionModelIntersectionKHR, Callable: spirv.ExecutionModelCallableKHR,
}

// numGraphicsStages is the number of graphics stages, which are the first stages.
const numGraphicsStages = ClusterCulling + 1

// stageModule returns the module of a stage. The implicit vertex shader writes the position
// of each vertex unchanged.
func (r *runner) stageModule(ctx context.Context, p *Pipeline, a *Attachment) ([]byte, error) {
	if a.Shader.Format != Passthrough {
		return r.module(ctx, p, a)
	}
	s := a.Shader
	return r.assemble(&Shader{Name: s.Name, Stage: s.Stage, Format: SPIRVAssembly, Source: passthrough, Line: s.Line, At: s.At})
}

// stageFacts reads the module of a stage with the specialization of its pipeline.
func (r *runner) stageFacts(module []byte, a *Attachment, entry string, model spirv.ExecutionModel) (*facts.Module, *facts.EntryPoint, error) {
	s := a.Shader
	m, err := spirv.Decode(module)
	if err != nil {
		return nil, nil, r.fault(CodeShader, s.At, "shader %s: %v", s.Name, err)
	}
	f := facts.Gather(m, a.specialization())
	e := f.EntryPoint(entry, model)
	if e == nil {
		return nil, nil, r.fault(CodeShader, s.At, "shader %s has no %s entry point %q", s.Name, a.Stage, entry)
	}
	return f, e, nil
}

// StageOf returns the stage of an execution model; Multi if scripts have none of it.
func StageOf(m spirv.ExecutionModel) Stage {
	for s, of := range models {
		if of == m {
			return s
		}
	}
	return Multi
}
