package vk

import (
	"context"
	"errors"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// StageInfo describes a stage of a pipeline.
type StageInfo struct {
	Module         *ShaderModule
	Entry          string // "main" if it is empty
	Specialization facts.Spec
	Flags          link.StageFlags
	SubgroupSize   uint32 // required lanes; 0 for any
	Robustness     *Robustness
}

// Robustness is the result of accesses outside the range of a descriptor; the zero value is exact: loads return 0,
// stores are discarded.
type Robustness struct {
	Storage, Uniform BufferBehavior
	Vertex           BufferBehavior // of vertex inputs; RobustBufferAccess2 is Exact
	Images           ImageBehavior

	// Bindings has the bindings of buffers with another behavior.
	Bindings map[SetBinding]BufferBehavior
}

// SetBinding is the numbers of a set and of a binding in it.
type SetBinding struct {
	Set, Binding uint32
}

// BufferBehavior is the behavior of accesses outside a buffer descriptor (VkPipelineRobustnessBufferBehavior).
type BufferBehavior uint8

// The behaviors, the strictest first. At each of them a shader reaches no memory outside the buffer.
const (
	Exact               BufferBehavior = BufferBehavior(exec.Strict)
	RobustBufferAccess2 BufferBehavior = BufferBehavior(exec.Robust2)
	RobustBufferAccess  BufferBehavior = BufferBehavior(exec.Robust)
	NotRobust           BufferBehavior = BufferBehavior(exec.NotRobust)
)

// ImageBehavior is the behavior of reads and fetches outside an image (VkPipelineRobustnessImageBehavior).
type ImageBehavior uint8

// The behaviors, the strictest first. Each reads 0, except for the alpha of a format without alpha: at RobustImageAccess2 it
// is 1, at the others 0.
const (
	RobustImageAccess2 ImageBehavior = iota
	RobustImageAccess
	NotRobustImages
)

// ComputePipelineInfo describes a compute pipeline.
type ComputePipelineInfo struct {
	Stage  StageInfo
	Layout *PipelineLayout
}

// ComputePipeline is a compiled compute shader.
type ComputePipeline struct {
	object
	layout     *PipelineLayout
	shader     *link.Shader
	stage      *shader.Stage
	pipeline   *compute.Pipeline
	robustness compute.Robustness
}

// NewComputePipeline compiles a compute shader. The module and the layout may be closed afterwards. With checking it
// returns an *InvalidModuleError or a *LinkError. An *UnsupportedError names a feature that Chiaro does not have. The
// compilation ends with ctx.
func (d *Device) NewComputePipeline(ctx context.Context, info ComputePipelineInfo) (*ComputePipeline, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	if err := check(d, "the module", info.Stage.Module); err != nil {
		return nil, err
	}
	if err := check(d, "the layout", info.Layout); err != nil {
		return nil, err
	}
	s, err := d.stage(ctx, &info.Stage, spirv.ExecutionModelGLCompute)
	if err != nil {
		return nil, err
	}
	if d.checking > None {
		layout := info.Layout.link
		err := linked(&link.Description{Name: "pipeline", Kind: link.Compute, Stages: []link.Shader{*s}, Layout: &layout, Env: d.env, Device: d.env.Device})
		if err != nil {
			return nil, err
		}
	}
	p := &ComputePipeline{layout: info.Layout, shader: s}
	if p.stage, err = shader.Compile(ctx, s, d.lowering); err != nil {
		return nil, compileError(err)
	}
	if r := info.Stage.Robustness; r != nil {
		p.robustness = *r.inside()
	}
	if p.pipeline, err = compute.NewPipeline(p.stage.Program, d.engine, exec.Options{Stop: ctx.Err}); err != nil {
		return nil, compileError(err)
	}
	d.adopt(&p.object, "compute pipeline", func() { p.pipeline.Close() })
	return p, nil
}

// stage returns the specialized entry point of a stage.
func (d *Device) stage(ctx context.Context, info *StageInfo, model spirv.ExecutionModel) (*link.Shader, error) {
	m, err := d.specialize(ctx, info.Module, info.Specialization)
	if err != nil {
		return nil, err
	}
	entry := info.Entry
	if entry == "" {
		entry = "main"
	}
	s, err := shader.Find(m, entry, model)
	if err != nil {
		return nil, usage("VUID-VkPipelineShaderStageCreateInfo-pName-00707", "%v", err)
	}
	s.Flags, s.SubgroupSize = info.Flags, info.SubgroupSize
	return s, nil
}

// linked returns a *LinkError if the parts of a pipeline do not fit.
func linked(d *link.Description) error {
	findings := link.Link(d)
	for i := range findings {
		if findings[i].Severity == diag.Error {
			return &LinkError{findings}
		}
	}
	return nil
}

// compileError returns the public form of an error of a compilation.
func compileError(err error) error {
	var missing *lower.Unsupported
	var engine *exec.UnsupportedError
	var malformed *lower.Malformed
	var limit *exec.LimitError
	switch {
	case errors.As(err, &missing), errors.As(err, &engine):
		return &UnsupportedError{err.Error(), err}
	case errors.As(err, new(*state.StateError)):
		return stateError(err)
	case errors.As(err, &malformed):
		return &InvalidModuleError{Cause: err}
	case errors.As(err, &limit):
		return &UnsupportedError{err.Error(), err}
	}
	return err
}

// inside returns the robustness of package compute.
func (r *Robustness) inside() *compute.Robustness {
	buffers := func(b BufferBehavior) exec.Robustness { return exec.Robustness(min(b, NotRobust)) }
	images := [...]exec.Robustness{RobustImageAccess2: exec.Robust2, RobustImageAccess: exec.Robust, NotRobustImages: exec.NotRobust}
	c := &compute.Robustness{
		Storage: buffers(r.Storage), Uniform: buffers(r.Uniform), Vertex: buffers(r.Vertex), Images: images[min(r.Images, NotRobustImages)],
	}
	for at, b := range r.Bindings {
		if c.Bindings == nil {
			c.Bindings = map[compute.Binding]exec.Robustness{}
		}
		c.Bindings[compute.Binding(at)] = buffers(b)
	}
	return c
}

// Stage returns the specialized module and the interface of the pipeline's stage.
func (p *ComputePipeline) Stage() link.Shader {
	if p == nil || p.shader == nil {
		return link.Shader{}
	}
	return *p.shader
}
