package amber

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Way is the way to make the pipelines of a script. All ways have the same results.
type Way = host.Way

// The ways.
const (
	Whole         = host.Whole
	Libraries     = host.Libraries
	Binaries      = host.Binaries
	Objects       = host.Objects
	LinkedObjects = host.LinkedObjects
)

// computeProgram makes a program by the way of the options.
func (m *machine) computeProgram(ctx context.Context, p *Pipeline) (*host.ComputeProgram, error) {
	if m.options.Way.Objects() {
		list, err := m.newObjects(ctx, p)
		if err != nil {
			return nil, err
		}
		return &host.ComputeProgram{Object: list[0]}, nil
	}
	a := &p.Stages[0]
	stage, err := m.stage(ctx, p, a)
	if err != nil {
		return nil, err
	}
	defer stage.Module.Close()
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	x, err := host.ComputePipeline(ctx, m.device, m.options.Way, vk.ComputePipelineInfo{Creation: creationOf(p), Stage: *stage, Layout: b.layout})
	if err != nil {
		return nil, m.stageError(a, stage.Entry, err)
	}
	return &host.ComputeProgram{Pipeline: x}, nil
}

// drawProgram is a graphics pipeline, or instead of it shader objects and their state.
type drawProgram struct {
	pipeline *vk.GraphicsPipeline
	objects  *drawObjects
	state    *vk.FixedState
}

func (x *drawProgram) bind(c *vk.CommandBuffer) {
	if x.objects != nil {
		c.BindShaders(graphicsStages, x.objects[:])
		recordState(c, x.state)
		return
	}
	c.BindGraphicsPipeline(x.pipeline)
}

// drawProgram returns the program of a draw by the way of the options.
func (m *machine) drawProgram(ctx context.Context, p *Pipeline, s *drawState) (x drawProgram, err error) {
	if !m.options.Way.Objects() {
		x.pipeline, err = m.graphicsPipeline(ctx, p, s)
		return x, err
	}
	x.state = &s.FixedState
	x.objects, err = m.drawObjects(ctx, p, x.state)
	return x, err
}

// drawPipeline makes a pipeline by the way of the options.
func (m *machine) drawPipeline(ctx context.Context, info vk.GraphicsPipelineInfo) (*vk.GraphicsPipeline, error) {
	switch m.options.Way {
	case Libraries:
		var list []*vk.GraphicsPipeline
		defer func() {
			for _, l := range list {
				l.Close()
			}
		}()
		for part := enum.PartsVertexInputInterface; part <= enum.PartsFragmentOutputInterface; part <<= 1 {
			library := info
			library.Parts, library.Flags = part, info.Flags|enum.PipelineFlagsLibrary
			l, err := m.device.NewGraphicsPipeline(ctx, library)
			if err != nil {
				return nil, err
			}
			list = append(list, l)
		}
		return m.device.NewGraphicsPipeline(ctx, vk.GraphicsPipelineInfo{Creation: info.Creation, Libraries: list, Layout: info.Layout})
	case Binaries:
		captured := info
		captured.Flags |= enum.PipelineFlagsCaptureData
		p, err := m.device.NewGraphicsPipeline(ctx, captured)
		if err != nil {
			return nil, err
		}
		if info.Binaries, err = host.ReadBack(m.device, p); err != nil {
			return nil, err
		}
	}
	return m.device.NewGraphicsPipeline(ctx, info)
}
