package amber

import (
	"context"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// graphicsProgram is the programs of a graphics pipeline and their sources.
type graphicsProgram struct {
	*draw.Pipeline
	stages []stageProgram
	inputs []shader.InputVariable // of the fragment shader
}

// stageProgram is the program of one stage.
type stageProgram struct {
	source
	ir     *ir.Program
	inputs []shader.InputVariable
}

// models are the execution models of the stages of graphics.
var models = map[Stage]spirv.ExecutionModel{
	Vertex: spirv.ExecutionModelVertex, TessellationControl: spirv.ExecutionModelTessellationControl,
	TessellationEvaluation: spirv.ExecutionModelTessellationEvaluation, Geometry: spirv.ExecutionModelGeometry,
	Fragment: spirv.ExecutionModelFragment,
}

// graphicsProgram returns a pipeline's programs, made when they are first asked for.
func (r *runner) graphicsProgram(ctx context.Context, p *Pipeline) (*graphicsProgram, error) {
	key := graphicsKey{pipeline: p}
	for i := range p.Stages {
		if a := &p.Stages[i]; a.Stage < numGraphicsStages {
			key.entryPoints[a.Stage] = r.entryPoint(p, a)
		}
	}
	if g, ok := r.device.graphics[key]; ok {
		return g, nil
	}
	g := &graphicsProgram{}
	var stages draw.Stages
	for i := range p.Stages {
		a := &p.Stages[i]
		s, err := r.graphicsStage(ctx, p, a)
		if err != nil {
			return nil, err
		}
		g.stages = append(g.stages, *s)
		switch a.Stage {
		case Vertex:
			stages.Vertex = s.ir
		case TessellationControl:
			stages.TessControl = s.ir
		case TessellationEvaluation:
			stages.TessEval = s.ir
		case Geometry:
			stages.Geometry = s.ir
		case Fragment:
			stages.Fragment, g.inputs = s.ir, s.inputs
		default:
			return nil, r.unsupported(p.At, "shaders of the stage "+a.Stage.String())
		}
	}
	var err error
	if g.Pipeline, err = draw.New(stages, p.Graphics.settings().State, r.options.Engine, exec.Options{}); err != nil {
		return nil, fmt.Errorf("%s:%s: pipeline %s: %w", r.script.File, p.At, p.Name, err)
	}
	r.device.graphics[key] = g
	return g, nil
}

// numGraphicsStages is the number of graphics stages, which are the first stages.
const numGraphicsStages = TessellationEvaluation + 1

// graphicsStage makes the program of one stage.
func (r *runner) graphicsStage(ctx context.Context, p *Pipeline, a *Attachment) (*stageProgram, error) {
	data, err := r.stageModule(ctx, p, a)
	if err != nil {
		return nil, err
	}
	f, e, err := r.stageFacts(data, a, r.entryPoint(p, a), models[a.Stage])
	if err != nil {
		return nil, err
	}
	if err := r.checkFormats(p, f, e); err != nil {
		return nil, err
	}
	options := r.options.Lowering
	if n := a.Subgroup.RequiredSize; n != 0 {
		options.SubgroupSize = uint32(n)
	}
	made, err := shader.Lower(ctx, valid.Assume(f), e, options)
	if err != nil {
		return nil, r.shaderError(a.Shader, err)
	}
	return &stageProgram{source{f, a.Shader}, made.Program, shader.InputVariables(f, e)}, nil
}

// stageModule returns the module of a stage. The implicit vertex shader writes the position
// of each vertex unchanged.
func (r *runner) stageModule(ctx context.Context, p *Pipeline, a *Attachment) ([]byte, error) {
	if a.Shader.Format != Passthrough {
		return r.module(ctx, p, a)
	}
	s := *a.Shader
	s.Format, s.Source, s.TargetEnv = SPIRVAssembly, passthrough, ""
	return r.assemble(&s)
}

// stageFacts reads the module of a stage with the specialization of its pipeline.
func (r *runner) stageFacts(module []byte, a *Attachment, entry string, model spirv.ExecutionModel) (*facts.Module, *facts.EntryPoint, error) {
	s := a.Shader
	m, err := spirv.Decode(module)
	if err != nil {
		return nil, nil, r.fault(CodeShader, s.At, "shader %s: %v", s.Name, err)
	}
	spec := facts.Spec{}
	for _, c := range a.Specialize {
		spec[c.ID] = c.Bits
	}
	f := facts.Gather(m, spec)
	e := f.EntryPoint(entry, model)
	if e == nil {
		return nil, nil, r.fault(CodeShader, s.At, "shader %s has no %s entry point %q", s.Name, a.Stage, entry)
	}
	return f, e, nil
}
