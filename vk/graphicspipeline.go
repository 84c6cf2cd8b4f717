package vk

import (
	"context"
	"errors"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// GraphicsPipelineInfo describes a graphics pipeline. A stage is nil if the pipeline does not have it.
type GraphicsPipelineInfo struct {
	Vertex, TessControl, TessEvaluation, Geometry, Fragment *StageInfo

	Layout *PipelineLayout
	State  FixedState
}

// GraphicsPipeline is a graphics pipeline for dynamic rendering.
type GraphicsPipeline struct {
	object
	drawable
	static  state.State
	dynamic []*dynamicState

	clipFollowsClamp bool  // depth clipping is the opposite of depth clamping
	stippled         bool  // static
	strides          bool  // of vertex buffers are dynamic
	enables          uint8 // that are dynamic
}

// graphicsStages are the stages in order.
var graphicsStages = [...]struct {
	model spirv.ExecutionModel
	stage ir.Stage
	info  func(*GraphicsPipelineInfo) *StageInfo
	put   func(*draw.Stages, *ir.Program)
}{
	{spirv.ExecutionModelVertex, ir.Vertex, func(p *GraphicsPipelineInfo) *StageInfo { return p.Vertex }, func(s *draw.Stages, p *ir.Program) { s.Vertex = p }},
	{spirv.ExecutionModelTessellationControl, ir.TessControl, func(p *GraphicsPipelineInfo) *StageInfo { return p.TessControl }, func(s *draw.Stages, p *ir.Program) { s.TessControl = p }},
	{spirv.ExecutionModelTessellationEvaluation, ir.TessEval, func(p *GraphicsPipelineInfo) *StageInfo { return p.TessEvaluation }, func(s *draw.Stages, p *ir.Program) { s.TessEval = p }},
	{spirv.ExecutionModelGeometry, ir.Geometry, func(p *GraphicsPipelineInfo) *StageInfo { return p.Geometry }, func(s *draw.Stages, p *ir.Program) { s.Geometry = p }},
	{spirv.ExecutionModelFragment, ir.Fragment, func(p *GraphicsPipelineInfo) *StageInfo { return p.Fragment }, func(s *draw.Stages, p *ir.Program) { s.Fragment = p }},
}

// NewGraphicsPipeline makes a graphics pipeline; errors are those of NewComputePipeline. The code for the formats of
// attachments and images is compiled when a draw first has them.
func (d *Device) NewGraphicsPipeline(ctx context.Context, info GraphicsPipelineInfo) (*GraphicsPipeline, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	if err := check(d, "the layout", info.Layout); err != nil {
		return nil, err
	}
	if err := info.State.check(); err != nil {
		return nil, err
	}
	p := &GraphicsPipeline{drawable: drawable{layout: info.Layout, robustness: map[ir.Stage]*compute.Robustness{}}, static: info.State.state()}
	p.clipFollowsClamp = orZero(info.State.Rasterization).DepthClip == nil && !slices.Contains(info.State.Dynamic, link.DynamicStateDepthClipEnable)
	p.static.Rasterization.Stipple = state.LineStipple{Factor: info.State.LineStipple, Pattern: info.State.LinePattern}
	p.stippled = orZero(info.State.Rasterization).Stippled
	for _, s := range info.State.Dynamic {
		e, ok := enableOf(s)
		switch {
		case ok:
			p.enables |= 1 << e
			continue
		case s == link.DynamicStateVertexInputBindingStride:
			p.strides = true
			continue
		case s == link.DynamicStateVertexInput:
			p.strides = true
		case s == link.DynamicStateAttachmentFeedbackLoopEnable: // no code depends on it
			continue
		}
		x := dynamicOf(s)
		if x == nil {
			return nil, &UnsupportedError{Feature: "the dynamic state " + s.String()}
		}
		p.dynamic = append(p.dynamic, x)
	}
	stages, err := d.graphicsStages(ctx, &info)
	if err != nil {
		return nil, err
	}
	if d.checking > None {
		description := info.State.description()
		layout := info.Layout.link
		description.Name, description.Kind, description.Stages, description.Layout = "pipeline", link.Graphics, slices.Clone(stages), &layout
		description.Env, description.Device = d.env, d.env.Device
		if err := linked(&description); err != nil {
			return nil, err
		}
	}
	var programs draw.Stages
	for i := range stages {
		s := &stages[i]
		compiled, err := shader.Compile(ctx, s, d.lowering)
		if err != nil {
			return nil, compileError(err)
		}
		p.stages = append(p.stages, compiled)
		for _, g := range graphicsStages {
			if g.model == s.Entry.Model {
				g.put(&programs, compiled.Program)
				if r := g.info(&info).Robustness; r != nil {
					p.robustness[g.stage] = r.inside()
				}
			}
		}
	}
	if p.pipeline, err = draw.New(programs, p.static, d.engine, exec.Options{}); err != nil {
		return nil, compileError(err)
	}
	d.adopt(&p.object, "graphics pipeline", func() { p.pipeline.Close() })
	return p, nil
}

// graphicsStages returns the specialized entry points.
func (d *Device) graphicsStages(ctx context.Context, info *GraphicsPipelineInfo) (out []link.Shader, err error) {
	for _, g := range graphicsStages {
		s := g.info(info)
		if s == nil {
			continue
		}
		if err := check(d, "the module", s.Module); err != nil {
			return nil, err
		}
		x, err := d.stage(ctx, s, g.model)
		if err != nil {
			return nil, err
		}
		out = append(out, *x)
	}
	if info.Vertex == nil {
		return nil, usage("VUID-VkGraphicsPipelineCreateInfo-stage-02096", "the pipeline has no vertex stage; must have one")
	}
	return out, nil
}

// stateError returns the public form of an error of package draw.
func stateError(err error) error {
	var bad *state.StateError
	if errors.As(err, &bad) {
		return usage("", "%v", bad)
	}
	return err
}
