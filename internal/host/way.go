package host

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Way is the way to make pipelines. All ways have the same results.
type Way uint8

// The ways.
const (
	Whole         Way = iota // each pipeline as one
	Libraries                // a graphics pipeline of four libraries; a compute pipeline from a cache
	Binaries                 // from binaries that are written and read back
	Objects                  // no pipelines: shader objects, and commands that set all state
	LinkedObjects            // the same, and the objects of a graphics pipeline are linked
)

// Objects reports whether the way has shader objects instead of pipelines.
func (w Way) Objects() bool { return w == Objects || w == LinkedObjects }

// ComputeProgram is a compute pipeline, or instead of it a shader object.
type ComputeProgram struct {
	Pipeline *vk.ComputePipeline
	Object   *vk.Shader
}

// NewComputeProgram makes a program by a way. A shader object has the robustness of its device
// (VkPipelineRobustnessCreateInfo extends no VkShaderCreateInfoEXT).
func NewComputeProgram(ctx context.Context, d *vk.Device, w Way, info vk.ComputePipelineInfo) (*ComputeProgram, error) {
	if !w.Objects() {
		p, err := ComputePipeline(ctx, d, w, info)
		return &ComputeProgram{Pipeline: p}, err
	}
	s := &info.Stage
	if !DeviceRobustness(s.Robustness) {
		return nil, &vk.UnsupportedError{Feature: "shader objects with a robustness of their own: they have the robustness of the device"}
	}
	list, err := d.NewShaders(ctx, []vk.ShaderInfo{{Stage: vk.StageCompute, Code: s.Code, Entry: s.Entry, Layout: info.Layout, Specialization: s.Specialization, SubgroupSize: s.SubgroupSize}})
	if err != nil {
		return nil, err
	}
	return &ComputeProgram{Object: list[0]}, nil
}

// DeviceRobustness reports whether a stage has the robustness of the device, which shader objects have.
func DeviceRobustness(r *vk.Robustness) bool {
	return r == nil || r.Storage|r.Uniform|r.Vertex == vk.Exact && r.Images == vk.RobustImageAccess2 && len(r.Bindings) == 0
}

// Stage returns the module and the interface of the program.
func (x *ComputeProgram) Stage() link.Shader {
	if x.Object != nil {
		return x.Object.Stage()
	}
	return x.Pipeline.Stage()
}

// Bind binds the program for the following dispatches.
func (x *ComputeProgram) Bind(c *vk.CommandBuffer) {
	if x.Object != nil {
		c.BindShaders([]vk.ShaderStage{vk.StageCompute}, []*vk.Shader{x.Object})
		return
	}
	c.BindPipeline(x.Pipeline)
}

// Close frees the program.
func (x *ComputeProgram) Close() {
	if x.Object != nil {
		x.Object.Close()
		return
	}
	x.Pipeline.Close()
}

// ComputePipeline makes a pipeline by a way that has pipelines.
func ComputePipeline(ctx context.Context, d *vk.Device, w Way, info vk.ComputePipelineInfo) (*vk.ComputePipeline, error) {
	switch w {
	case Libraries:
		cache, err := filled(ctx, d, info)
		if err != nil {
			return nil, err
		}
		defer cache.Close()
		info.Cache, info.Flags = cache, info.Flags|enum.PipelineFlagsFailOnPipelineCompileRequired
	case Binaries:
		captured := info
		captured.Flags |= enum.PipelineFlagsCaptureData
		p, err := d.NewComputePipeline(ctx, captured)
		if err != nil {
			return nil, err
		}
		if info.Binaries, err = ReadBack(d, p); err != nil {
			return nil, err
		}
	}
	return d.NewComputePipeline(ctx, info)
}

// filled returns a cache with the data of a cache that has the stage of a pipeline.
func filled(ctx context.Context, d *vk.Device, info vk.ComputePipelineInfo) (*vk.PipelineCache, error) {
	cache, err := d.NewPipelineCache(nil)
	if err != nil {
		return nil, err
	}
	defer cache.Close()
	info.Cache = cache
	p, err := d.NewComputePipeline(ctx, info)
	if err != nil {
		return nil, err
	}
	p.Close()
	data, err := cache.Data()
	if err != nil {
		return nil, err
	}
	return d.NewPipelineCache(data)
}

// ReadBack closes a pipeline and returns its binaries, made of their data.
func ReadBack(d *vk.Device, p interface {
	vk.Pipeline
	Close() error
}) ([]*vk.PipelineBinary, error) {
	defer p.Close()
	list, err := d.NewPipelineBinaries(vk.PipelineBinaryInfo{Pipeline: p})
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
	return d.NewPipelineBinaries(vk.PipelineBinaryInfo{Data: data})
}
