package amber

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Way is the way to make the pipelines of a script. All ways have the same results.
type Way uint8

// The ways.
const (
	Whole         Way = iota // each pipeline as one
	Libraries                // a graphics pipeline of four libraries; a compute pipeline from a cache
	Binaries                 // from binaries that are written and read back
	Objects                  // no pipelines: shader objects, and commands that set all state
	LinkedObjects            // the same, and the objects of a graphics pipeline are linked
)

// computeProgram is a compute pipeline, or instead of it a shader object.
type computeProgram struct {
	pipeline *vk.ComputePipeline
	object   *vk.Shader
}

func (x *computeProgram) stage() link.Shader {
	if x.object != nil {
		return x.object.Stage()
	}
	return x.pipeline.Stage()
}

func (x *computeProgram) bind(c *vk.CommandBuffer) {
	if x.object != nil {
		c.BindShaders([]vk.ShaderStage{vk.StageCompute}, []*vk.Shader{x.object})
		return
	}
	c.BindPipeline(x.pipeline)
}

func (x *computeProgram) close() {
	if x.object != nil {
		x.object.Close()
		return
	}
	x.pipeline.Close()
}

// computeProgram makes a program by the way of the options.
func (m *machine) computeProgram(ctx context.Context, p *Pipeline) (*computeProgram, error) {
	if m.options.Way.objects() {
		list, err := m.newObjects(ctx, p)
		if err != nil {
			return nil, err
		}
		return &computeProgram{object: list[0]}, nil
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
	x, err := m.computePipeline(ctx, vk.ComputePipelineInfo{Creation: creationOf(p), Stage: *stage, Layout: b.layout})
	if err != nil {
		return nil, m.stageError(a, stage.Entry, err)
	}
	return &computeProgram{pipeline: x}, nil
}

// computePipeline makes a pipeline by the way of the options.
func (m *machine) computePipeline(ctx context.Context, info vk.ComputePipelineInfo) (*vk.ComputePipeline, error) {
	switch m.options.Way {
	case Libraries:
		cache, err := m.filled(ctx, info)
		if err != nil {
			return nil, err
		}
		defer cache.Close()
		info.Cache, info.Flags = cache, info.Flags|enum.PipelineFlagsFailOnPipelineCompileRequired
	case Binaries:
		captured := info
		captured.Flags |= enum.PipelineFlagsCaptureData
		p, err := m.device.NewComputePipeline(ctx, captured)
		if err != nil {
			return nil, err
		}
		if info.Binaries, err = m.readBack(p); err != nil {
			return nil, err
		}
	}
	return m.device.NewComputePipeline(ctx, info)
}

// filled returns a cache with the data of a cache that has the stage of a pipeline.
func (m *machine) filled(ctx context.Context, info vk.ComputePipelineInfo) (*vk.PipelineCache, error) {
	cache, err := m.device.NewPipelineCache(nil)
	if err != nil {
		return nil, err
	}
	defer cache.Close()
	info.Cache = cache
	p, err := m.device.NewComputePipeline(ctx, info)
	if err != nil {
		return nil, err
	}
	p.Close()
	data, err := cache.Data()
	if err != nil {
		return nil, err
	}
	return m.device.NewPipelineCache(data)
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
	if !m.options.Way.objects() {
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
		if info.Binaries, err = m.readBack(p); err != nil {
			return nil, err
		}
	}
	return m.device.NewGraphicsPipeline(ctx, info)
}

// readBack closes a pipeline and returns its binaries, made of their data.
func (m *machine) readBack(p interface {
	vk.Pipeline
	Close() error
}) ([]*vk.PipelineBinary, error) {
	defer p.Close()
	list, err := m.device.NewPipelineBinaries(vk.PipelineBinaryInfo{Pipeline: p})
	if err != nil {
		return nil, err
	}
	var data []vk.PipelineBinaryData
	for _, b := range list {
		defer b.Close()
		d, err := b.Data()
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	return m.device.NewPipelineBinaries(vk.PipelineBinaryInfo{Data: data})
}
