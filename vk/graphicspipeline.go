package vk

import (
	"context"
	"errors"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// GraphicsPipelineInfo describes a graphics pipeline. A stage is nil if the pipeline does not have it.
type GraphicsPipelineInfo struct {
	Creation
	Vertex, TessControl, TessEvaluation, Geometry, Fragment *StageInfo
	Task, Mesh                                              *StageInfo // in place of the stages from Vertex to Geometry
	ClusterCulling                                          *StageInfo // before Vertex; for DrawCluster

	Layout *PipelineLayout
	State  FixedState

	// Libraries provide parts of the pipeline. Parts are those that stages, Layout and State describe: with the flag
	// Library or with libraries none if it is 0, else all. Stages and state of other parts are ignored.
	Libraries []*GraphicsPipeline
	Parts     enum.Parts

	// Groups are the shader groups that sequences of generated commands select; the groups of GroupPipelines follow.
	Groups         []ShaderGroup
	GroupPipelines []*GraphicsPipeline

	// RenderPass, if it is not nil, is the render pass that the pipeline is for, and Subpass its subpass: State.Rendering is
	// ignored. The pipeline draws in all compatible render passes.
	RenderPass *RenderPass
	Subpass    int
}

// GraphicsPipeline is a graphics pipeline.
type GraphicsPipeline struct {
	object
	built
	drawable
	static  state.State
	dynamic []*dynamicState
	library *assembly // of a library
	sources []*stageCreation

	clipFollowsClamp bool     // depth clipping is the opposite of depth clamping
	stippled         bool     // static
	loops            bool     // the aspects with feedback loops are dynamic
	strides          bool     // of vertex buffers are dynamic
	enables          uint8    // that are dynamic
	keeps            uint64   // the states that the pipeline leaves as commands set them: bits of bound.have
	settable         uint64   // keeps, and the viewports and scissors if commands set them without their count
	stageBits        uint8    // the stages that it has: bits by ShaderStage
	modes            ir.Modes // of the stages before rasterization

	clusters *clusterStage // nil without cluster culling
	groups   shaderGroups

	rendering link.Rendering
	custom    *CustomResolve
	pass      *RenderPass // nil for dynamic rendering
	subpass   int
}

// graphicsStage is a stage of graphics pipelines.
type graphicsStage struct {
	model spirv.ExecutionModel
	stage ir.Stage
	info  func(*GraphicsPipelineInfo) *StageInfo
	put   func(*draw.Stages, *ir.Program)
}

// graphicsStages are the stages in order.
var graphicsStages = [...]graphicsStage{
	{spirv.ExecutionModelVertex, ir.Vertex, func(p *GraphicsPipelineInfo) *StageInfo { return p.Vertex }, func(s *draw.Stages, p *ir.Program) { s.Vertex = p }},
	{spirv.ExecutionModelTessellationControl, ir.TessControl, func(p *GraphicsPipelineInfo) *StageInfo { return p.TessControl }, func(s *draw.Stages, p *ir.Program) { s.TessControl = p }},
	{spirv.ExecutionModelTessellationEvaluation, ir.TessEval, func(p *GraphicsPipelineInfo) *StageInfo { return p.TessEvaluation }, func(s *draw.Stages, p *ir.Program) { s.TessEval = p }},
	{spirv.ExecutionModelGeometry, ir.Geometry, func(p *GraphicsPipelineInfo) *StageInfo { return p.Geometry }, func(s *draw.Stages, p *ir.Program) { s.Geometry = p }},
	{spirv.ExecutionModelTaskEXT, ir.Task, func(p *GraphicsPipelineInfo) *StageInfo { return p.Task }, func(s *draw.Stages, p *ir.Program) { s.Task = p }},
	{spirv.ExecutionModelMeshEXT, ir.Mesh, func(p *GraphicsPipelineInfo) *StageInfo { return p.Mesh }, func(s *draw.Stages, p *ir.Program) { s.Mesh = p }},
	{spirv.ExecutionModelFragment, ir.Fragment, func(p *GraphicsPipelineInfo) *StageInfo { return p.Fragment }, func(s *draw.Stages, p *ir.Program) { s.Fragment = p }},
}

// rayModels are the execution models of ray tracing stages.
var rayModels = map[ir.Stage]spirv.ExecutionModel{
	ir.RayGen: spirv.ExecutionModelRayGenerationKHR, ir.Intersection: spirv.ExecutionModelIntersectionKHR, ir.AnyHit: spirv.ExecutionModelAnyHitKHR,
	ir.ClosestHit: spirv.ExecutionModelClosestHitKHR, ir.Miss: spirv.ExecutionModelMissKHR, ir.Callable: spirv.ExecutionModelCallableKHR,
}

// modelOf returns the execution model of a stage.
func modelOf(stage ir.Stage) spirv.ExecutionModel {
	if m, ok := rayModels[stage]; ok {
		return m
	}
	for i := range graphicsStages {
		if graphicsStages[i].stage == stage {
			return graphicsStages[i].model
		}
	}
	return spirv.ExecutionModelGLCompute
}

// NewGraphicsPipeline makes a graphics pipeline; errors are those of NewComputePipeline. The code for the formats of
// attachments and images is compiled when a draw first has them.
func (d *Device) NewGraphicsPipeline(ctx context.Context, info GraphicsPipelineInfo) (_ *GraphicsPipeline, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	groups, err := d.shaderGroups(ctx, &info)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			groups.close()
		}
	}()
	defer info.Cache.unuse()
	if err := info.Cache.use("VUID-vkCreateGraphicsPipelines-pipelineCache-02876"); err != nil {
		return nil, err
	}
	c, err := d.newCreation(&info.Creation)
	if err != nil {
		return nil, err
	}
	c.debugged = d.debugger != nil
	a, err := c.assemble(ctx, &info)
	if err != nil {
		return nil, err
	}
	p := &GraphicsPipeline{built: built{flags: info.Flags}, groups: groups}
	for _, s := range c.stages {
		p.sources = append(p.sources, s.kept())
	}
	if info.Flags&enum.PipelineFlagsLibrary != 0 {
		p.library = a
	} else if err := p.link(ctx, d, a); err != nil {
		return nil, err
	}
	p.built = c.finish()
	p.pieces = a.pieces()
	d.adopt(&p.object, "graphics pipeline", func() {
		groups.close()
		if p.clusters != nil {
			p.clusters.pipeline.Close()
		}
		if p.pipeline != nil {
			p.pipeline.Close()
		}
	})
	return p, nil
}

// NewGraphicsPipelines makes pipelines, as NewComputePipelines does.
func (d *Device) NewGraphicsPipelines(ctx context.Context, infos []GraphicsPipelineInfo) ([]*GraphicsPipeline, error) {
	return batch(infos, func(i *GraphicsPipelineInfo) *Creation { return &i.Creation }, func(i *GraphicsPipelineInfo) (*GraphicsPipeline, error) {
		return d.NewGraphicsPipeline(ctx, *i)
	})
}

// link makes the pipeline of its parts. The programs of the stages are compiled: that is the same with and without
// link-time optimization, which is the composition of the stages for the state of a draw.
func (p *GraphicsPipeline) link(ctx context.Context, d *Device, a *assembly) (err error) {
	if a.stages[StageVertex] == nil && a.stages[StageMesh] == nil {
		return usage("VUID-VkGraphicsPipelineCreateInfo-stage-02096", "the pipeline has no vertex or mesh stage; must have one")
	}
	if p.flags&enum.PipelineFlagsDescriptorHeap != 0 {
		a.layout = &PipelineLayout{}
	}
	p.layout, p.static, p.robustness = a.layout, a.state.state(), map[ir.Stage]*compute.Robustness{}
	if a.pass == nil {
		p.static.Blend.Attachments = onlyColors(p.static.Blend.Attachments, len(a.state.Rendering.Color))
	}
	p.clipFollowsClamp = orZero(a.state.Rasterization).DepthClip == nil && !slices.Contains(a.state.Dynamic, enum.DynamicStateDepthClipEnable)
	p.static.Rasterization.Stipple = state.LineStipple{Factor: a.state.LineStipple, Pattern: a.state.LinePattern}
	p.stippled = orZero(a.state.Rasterization).Stippled
	p.rendering, p.custom, p.pass, p.subpass = a.state.Rendering, a.state.CustomResolve, a.pass, a.subpass
	if err := p.setDynamic(a.state.Dynamic); err != nil {
		return err
	}
	var programs draw.Stages
	for i, s := range a.stages {
		if s == nil {
			continue
		}
		p.stageBits |= 1 << i
		if graphicsStages[i].stage != ir.Fragment {
			p.modes |= s.stage.Program.Modes
		}
		graphicsStages[i].put(&programs, s.stage.Program)
		p.stages = append(p.stages, s.stage)
		if p.flags&enum.PipelineFlagsDescriptorHeap != 0 {
			if err := p.addMappings(d, s.mappings, s.stage.Program); err != nil {
				return err
			}
		}
		if s.robustness != nil {
			p.robustness[graphicsStages[i].stage] = s.robustness.inside()
		}
	}
	if a.culling != nil {
		if p.clusters, err = d.clusterStage(ctx, a, p.flags&enum.PipelineFlagsDescriptorHeap != 0); err != nil {
			return err
		}
	}
	if p.pipeline, err = draw.New(programs, p.static, d.engine, exec.Options{}); err != nil && p.clusters != nil {
		p.clusters.pipeline.Close()
	}
	return compileError(err)
}

// onlyColors returns the states of n color attachments, and those of all further ones that a rendering may have: draws of the
// pipeline do not write them (VK_EXT_dynamic_rendering_unused_attachments).
func onlyColors(list []state.BlendAttachment, n int) []state.BlendAttachment {
	for len(list) < min(n, state.MaxColors) {
		list = append(list, state.BlendAttachment{WriteMask: 15})
	}
	for len(list) < state.MaxColors {
		list = append(list, state.BlendAttachment{})
	}
	return list
}

// Stages returns the specialized modules and the interfaces of the stages that the pipeline has beside its libraries;
// zero values if a module is not known.
func (p *GraphicsPipeline) Stages() []link.Shader {
	if p == nil {
		return nil
	}
	var list []link.Shader
	for _, s := range p.sources {
		list = append(list, p.dev.describe(s))
	}
	return list
}

// setDynamic sets the states that commands set.
func (p *GraphicsPipeline) setDynamic(list []enum.DynamicState) error {
	p.keeps = ^statesOfNeeds
	for _, s := range list {
		p.keeps |= needsByState()[s]
	}
	p.settable = p.keeps
	if slices.Contains(list, enum.DynamicStateViewport) {
		p.settable |= 1 << haveViewports
	}
	if slices.Contains(list, enum.DynamicStateScissor) {
		p.settable |= 1 << haveScissors
	}
	for _, s := range list {
		e, ok := enableOf(s)
		switch {
		case ok:
			p.enables |= 1 << e
			continue
		case s == enum.DynamicStateVertexInputBindingStride:
			p.strides = true
			continue
		case s == enum.DynamicStateVertexInput:
			p.strides = true
		case s == enum.DynamicStateAttachmentFeedbackLoopEnable: // no code depends on it
			p.loops = true
			continue
		}
		x := dynamicOf(s)
		if x == nil {
			return &UnsupportedError{Feature: "the dynamic state " + s.String()}
		}
		p.dynamic = append(p.dynamic, x)
	}
	return nil
}

// stateError returns the public form of an error of package draw.
func stateError(err error) error {
	if err == nil {
		return nil // without the allocation of bad
	}
	var bad *state.StateError
	if errors.As(err, &bad) {
		return usage("", "%v", bad)
	}
	return err
}
