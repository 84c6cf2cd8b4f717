package amber

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Way is the way to make the pipelines of a script. All ways have the same results.
type Way uint8

// The ways.
const (
	Whole     Way = iota // each pipeline as one
	Libraries            // a graphics pipeline of four libraries; a compute pipeline from a cache
	Binaries             // from binaries that are written and read back
)

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
