package vk

import (
	"context"
	"errors"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// StageInfo describes a stage of a pipeline. Its code is that of Module, or Code, or the code that Identifier identifies: a
// pipeline with an identifier needs the flag FailOnPipelineCompileRequired, and a cache with the stage.
type StageInfo struct {
	Module         *ShaderModule
	Code           []byte // SPIR-V
	Identifier     []byte // of a module; see ShaderModule.Identifier
	Entry          string // "main" if it is empty
	Specialization facts.Spec
	Flags          enum.StageFlags
	SubgroupSize   uint32 // required lanes; 0 for any
	Robustness     *Robustness
	Mappings       []Mapping // with descriptor heaps

	// Of a node of an execution graph (VkPipelineShaderStageNodeCreateInfoAMDX):
	Node      string  // its name, "" for that of the entry point
	NodeIndex *uint32 // nil for that of the shader (VK_SHADER_INDEX_UNUSED_AMDX)
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
	Creation
	Stage  StageInfo
	Layout *PipelineLayout // nil with the flag DescriptorHeap

	// RenderPass, if it is not nil, makes a subpass shading pipeline: it shades Subpass, whose input attachments it reads
	// (VkSubpassShadingPipelineCreateInfoHUAWEI).
	RenderPass *RenderPass
	Subpass    int

	Indirect IndirectPlace // by which sequences of generated commands select the pipeline; zero for none
}

// ComputePipeline is a compiled compute shader.
type ComputePipeline struct {
	object
	built
	layout     *PipelineLayout
	source     *stageCreation
	stage      *shader.Stage
	pipeline   *compute.Pipeline
	robustness compute.Robustness
	mappings   []compute.Mapping // with descriptor heaps
	uses       uses
	pass       *RenderPass // of a subpass shading pipeline
	subpass    int
	node       *graphNode // of a library for execution graphs, which has no pipeline
	indirect   IndirectPlace
	serial     uint64 // among the device's pipelines with a place
}

// NewComputePipeline compiles a compute shader. The module and the layout may be closed afterwards. With checking it
// returns an *InvalidModuleError or a *LinkError. An *UnsupportedError names a feature that Chiaro does not have. The
// compilation ends with ctx.
func (d *Device) NewComputePipeline(ctx context.Context, info ComputePipelineInfo) (_ *ComputePipeline, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	layout, err := layoutOf(d, info.Layout, info.heaps(), "VUID-VkComputePipelineCreateInfo-flags-11311")
	if err != nil {
		return nil, err
	}
	if err := d.shades(&info); err != nil {
		return nil, err
	}
	if err := info.Indirect.check(); err != nil {
		return nil, err
	}
	defer info.Cache.unuse()
	if err := info.Cache.use(vuid.VkCreateComputePipelines_pipelineCache_02873); err != nil {
		return nil, err
	}
	c, err := d.newCreation(&info.Creation)
	if err != nil {
		return nil, err
	}
	c.debugged = d.debugger != nil
	if err := c.add(ctx, &info.Stage, spirv.ExecutionModelGLCompute); err != nil {
		return nil, err
	}
	if d.checking > None {
		if err := linked(c.description(&link.Description{NoLayout: info.heaps()}, link.Compute, info.Layout)); err != nil {
			return nil, err
		}
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	p := &ComputePipeline{layout: layout, source: c.stages[0].kept(), stage: c.stages[0].stage(), pass: info.RenderPass, subpass: info.Subpass}
	if p.pass != nil {
		if err := p.checkShadingSize(); err != nil {
			return nil, err
		}
	}
	if r := c.robustnessOf(&info.Stage); r != nil {
		p.robustness = *r.inside()
	}
	if info.heaps() {
		if p.mappings, err = d.mappings(info.Stage.Mappings, p.stage.Program); err != nil {
			return nil, err
		}
	}
	if info.Flags&enum.PipelineFlagsLibrary != 0 {
		if p.node, err = d.graphNode(ctx, c.stages[0]); err != nil {
			return nil, err
		}
		p.node.robustness, p.node.mappings = p.robustness, p.mappings
		p.built = c.finish()
		d.adopt(&p.object, "compute pipeline", func() {})
		return p, nil
	}
	create := compute.NewPipeline
	if info.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0 {
		create = compute.NewDeferred // no machine code before the first dispatch
	}
	if p.pipeline, err = create(p.stage.Program, d.engine, exec.Options{Stop: ctx.Err}); err != nil {
		return nil, compileError(err)
	}
	p.built, p.indirect = c.finish(), info.Indirect
	d.adopt(&p.object, "compute pipeline", func() {
		d.indirect.remove(p.serial)
		p.pipeline.Close()
	})
	if p.indirect.Address != 0 { // last: memory may have any serial, and submissions use the pipeline from here on
		p.serial = d.indirect.add(p)
	}
	return p, nil
}

// NewComputePipelines makes pipelines. If some of them fail, they are nil and the error is a *PipelineError: all are
// attempted, up to the first failure of one with the flag EarlyReturnOnFailure.
func (d *Device) NewComputePipelines(ctx context.Context, infos []ComputePipelineInfo) ([]*ComputePipeline, error) {
	return batch(infos, func(i *ComputePipelineInfo) *Creation { return &i.Creation }, func(i *ComputePipelineInfo) (*ComputePipeline, error) {
		return d.NewComputePipeline(ctx, *i)
	})
}

// entry returns the specialized entry point of a stage.
func (d *Device) entry(ctx context.Context, m *ShaderModule, info *StageInfo, model spirv.ExecutionModel) (*link.Shader, error) {
	specialized, err := d.specialize(ctx, m, info.Specialization)
	if err != nil {
		return nil, err
	}
	s, err := shader.Find(specialized, entryName(info), model)
	if err != nil {
		return nil, usage("VUID-VkPipelineShaderStageCreateInfo-pName-00707", "%v", err)
	}
	s.Flags, s.SubgroupSize, s.Mappings = info.Flags, info.SubgroupSize, linkMappings(info.Mappings)
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

// Stage returns the specialized module and the interface of the pipeline's stage; zero values if the module is not known.
func (p *ComputePipeline) Stage() link.Shader {
	if p == nil || p.source == nil {
		return link.Shader{}
	}
	return p.dev.describe(p.source)
}

// describe returns the specialized module and the interface of a stage; zero values if the module is not known.
func (d *Device) describe(s *stageCreation) link.Shader {
	if s.shader != nil {
		return *s.shader
	}
	x, err := d.stageOf(context.Background(), s)
	if err != nil {
		return link.Shader{}
	}
	return *x
}
