package driver

import (
	"context"
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// pipeline is a VkPipeline of any kind.
type pipeline struct {
	compute  *vk.ComputePipeline
	graphics *vk.GraphicsPipeline
	rays     *vk.RayTracingPipeline
	graph    *vk.GraphPipeline
}

// Close frees the pipeline.
func (p *pipeline) Close() error { return p.vk().Close() }

// vk returns the pipeline; nil if there is none.
func (p *pipeline) vk() vk.Pipeline {
	switch {
	case p == nil:
		return nil
	case p.compute != nil:
		return p.compute
	case p.rays != nil:
		return p.rays
	case p.graph != nil:
		return p.graph
	}
	return p.graphics
}

var pipelines table[pipeline]

var pipelineCalls = map[int]call{
	abi.CmdCreateShaderModule:      on(createShaderModule),
	abi.CmdDestroyShaderModule:     run(func(a *abi.DestroyShaderModuleArgs) { destroy(&shaderModules, uint64(a.ShaderModule)) }),
	abi.CmdCreateComputePipelines:  on(createComputePipelines),
	abi.CmdCreateGraphicsPipelines: on(createGraphicsPipelines),
	abi.CmdDestroyPipeline:         run(func(a *abi.DestroyPipelineArgs) { destroy(&pipelines, uint64(a.Pipeline)) }),
	abi.CmdCreatePipelineCache:     on(createPipelineCache),
	abi.CmdDestroyPipelineCache:    run(func(a *abi.DestroyPipelineCacheArgs) { destroy(&pipelineCaches, uint64(a.PipelineCache)) }),
	abi.CmdGetPipelineCacheData:    on(getPipelineCacheData),
	abi.CmdMergePipelineCaches:     on(mergePipelineCaches),
}

func createShaderModule(a *abi.CreateShaderModuleArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	m, err := d.newModule(i)
	return created(d, &shaderModules, m, err, unsafe.Pointer(a.PShaderModule))
}

// stageInfo reads a stage of a pipeline.
func stageInfo(i *abi.PipelineShaderStageCreateInfo) vk.StageInfo {
	s := vk.StageInfo{Module: shaderModules.get(uint64(i.Module)), Entry: abi.String(unsafe.Pointer(i.PName)), Flags: enum.StageFlags(i.Flags), Specialization: specialization(i.PSpecializationInfo)}
	abi.Chain(i.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo:
			s.SubgroupSize = (*abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo)(p).RequiredSubgroupSize
		case abi.StructureTypeShaderModuleCreateInfo:
			c := (*abi.ShaderModuleCreateInfo)(p)
			s.Code = append([]byte(nil), abi.Bytes(unsafe.Pointer(c.PCode), uint64(c.CodeSize))...)
		case abi.StructureTypePipelineShaderStageModuleIdentifierCreateInfoEXT:
			c := (*abi.PipelineShaderStageModuleIdentifierCreateInfoEXT)(p)
			s.Identifier = append([]byte(nil), array(c.PIdentifier, c.IdentifierSize)...)
		case abi.StructureTypeShaderDescriptorSetAndBindingMappingInfoEXT:
			s.Mappings = mappings((*abi.ShaderDescriptorSetAndBindingMappingInfoEXT)(p))
		case abi.StructureTypePipelineShaderStageNodeCreateInfoAMDX:
			n := (*abi.PipelineShaderStageNodeCreateInfoAMDX)(p)
			if s.Node = abi.String(unsafe.Pointer(n.PName)); n.Index != abi.ShaderIndexUnusedAMDX {
				index := n.Index
				s.NodeIndex = &index
			}
		}
	})
	return s
}

// specialization reads the values of specialization constants. Values have 1, 2, 4 or 8 bytes; those outside of the data are
// left out.
func specialization(i *abi.SpecializationInfo) facts.Spec {
	if i == nil || i.MapEntryCount == 0 {
		return nil
	}
	data, out := abi.Bytes(i.PData, uint64(i.DataSize)), facts.Spec{}
	for _, e := range array(i.PMapEntries, i.MapEntryCount) {
		if uint64(e.Offset)+uint64(e.Size) > uint64(len(data)) || e.Size > 8 {
			continue
		}
		var b [8]byte
		copy(b[:], data[e.Offset:uint64(e.Offset)+uint64(e.Size)])
		out[e.ConstantID] = binary.LittleEndian.Uint64(b[:])
	}
	return out
}

// creation reads the parts that all pipelines have.
func creation(flags uint32, chain unsafe.Pointer, cache abi.PipelineCache, base abi.Pipeline, index int32) vk.Creation {
	c := vk.Creation{Flags: enum.PipelineFlags(flags), Cache: pipelineCaches.get(uint64(cache)), Binaries: binaries(chain)}
	if f := abi.Find[abi.PipelineCreateFlags2CreateInfo](chain, abi.StructureTypePipelineCreateFlags2CreateInfo); f != nil {
		c.Flags = enum.PipelineFlags(f.Flags)
	}
	if c.Flags&abi.PipelineCreateDerivativeBit != 0 {
		if c.Base = pipelines.get(uint64(base)).vk(); c.Base == nil && index >= 0 {
			n := int(index)
			c.BaseIndex = &n
		}
	}
	if feedbackOf(chain) != nil {
		c.Feedback = &vk.CreationFeedback{}
	}
	return c
}

func feedbackOf(chain unsafe.Pointer) *abi.PipelineCreationFeedbackCreateInfo {
	return abi.Find[abi.PipelineCreationFeedbackCreateInfo](chain, abi.StructureTypePipelineCreationFeedbackCreateInfo)
}

// putFeedback writes the feedback of a creation.
func putFeedback(chain unsafe.Pointer, f *vk.CreationFeedback) {
	to := feedbackOf(chain)
	if to == nil || f == nil {
		return
	}
	put := func(to *abi.PipelineCreationFeedback, f vk.Feedback) {
		*to = abi.PipelineCreationFeedback{Duration: uint64(f.Duration)}
		for bit, on := range []bool{f.Valid, f.CacheHit, f.BaseAcceleration} {
			to.Flags |= flag(on) << bit
		}
	}
	if to.PPipelineCreationFeedback != nil {
		put(to.PPipelineCreationFeedback, f.Pipeline)
	}
	stages := array(to.PPipelineStageCreationFeedbacks, to.PipelineStageCreationFeedbackCount)
	for i := range stages {
		if i < len(f.Stages) {
			put(&stages[i], f.Stages[i])
		}
	}
}

// computeInfo reads the creation of a compute pipeline.
func computeInfo(i *abi.ComputePipelineCreateInfo, cache abi.PipelineCache) vk.ComputePipelineInfo {
	info := vk.ComputePipelineInfo{Creation: creation(i.Flags, i.PNext, cache, i.BasePipelineHandle, i.BasePipelineIndex), Stage: stageInfo(&i.Stage), Layout: pipelineLayouts.get(uint64(i.Layout))}
	if s := abi.Find[abi.SubpassShadingPipelineCreateInfoHUAWEI](i.PNext, abi.StructureTypeSubpassShadingPipelineCreateInfoHUAWEI); s != nil {
		info.RenderPass, info.Subpass = renderPasses.get(uint64(s.RenderPass)), int(s.Subpass)
	}
	if b := abi.Find[abi.ComputePipelineIndirectBufferInfoNV](i.PNext, abi.StructureTypeComputePipelineIndirectBufferInfoNV); b != nil {
		info.Indirect = vk.IndirectPlace{Address: b.DeviceAddress, Size: b.Size}
	}
	return info
}

func createComputePipelines(a *abi.CreateComputePipelinesArgs) abi.Result {
	b := pipelineBatch[abi.ComputePipelineCreateInfo, vk.ComputePipelineInfo, vk.ComputePipeline]{
		read:     func(i *abi.ComputePipelineCreateInfo) vk.ComputePipelineInfo { return computeInfo(i, a.PipelineCache) },
		make:     (*vk.Device).NewComputePipelines,
		feedback: func(i *abi.ComputePipelineCreateInfo, x *vk.ComputePipelineInfo) { putFeedback(i.PNext, x.Feedback) },
		wrap:     func(p *vk.ComputePipeline) *pipeline { return &pipeline{compute: p} },
	}
	return b.create(a.Device, a.PCreateInfos, a.PPipelines, a.CreateInfoCount)
}

// pipelineBatch is the creation of several pipelines of one kind: C describes a pipeline to Vulkan, V to package vk, and P is
// the pipeline.
type pipelineBatch[C, V, P any] struct {
	read     func(*C) V
	make     func(*vk.Device, context.Context, []V) ([]*P, error)
	feedback func(*C, *V)
	wrap     func(*P) *pipeline
}

// create makes the pipelines. The handle of a pipeline that is not made is 0.
func (b *pipelineBatch[C, V, P]) create(h abi.Device, infos *C, handles *abi.Pipeline, n uint32) abi.Result {
	d, from, out := deviceOf(h), array(infos, n), array(handles, n)
	clear(out)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	if n > maxElements {
		return outOfHost
	}
	list := each(array(infos, n), b.read)
	made, err := b.make(d.vk, forever, list)
	for k, p := range made {
		b.feedback(&from[k], &list[k])
		if p == nil {
			continue
		}
		if r := created(d, &pipelines, b.wrap(p), nil, unsafe.Pointer(&out[k])); r != abi.Success {
			err = errors.Join(err, &vk.OutOfMemoryError{})
		}
	}
	return d.result(err)
}

func createPipelineCache(a *abi.CreatePipelineCacheArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	create := d.vk.NewPipelineCache
	if i.Flags&abi.PipelineCacheCreateExternallySynchronizedBit != 0 {
		create = d.vk.NewExternalPipelineCache
	}
	c, err := create(abi.Bytes(i.PInitialData, uint64(i.InitialDataSize)))
	return created(d, &pipelineCaches, c, err, unsafe.Pointer(a.PPipelineCache))
}

func getPipelineCacheData(a *abi.GetPipelineCacheDataArgs) abi.Result {
	return deviceOf(a.Device).putData(pipelineCaches.get(uint64(a.PipelineCache)), a.PDataSize, a.PData)
}

// putData answers a query for the data of a cache; a stale handle has a nil cache, whose Data fails.
func (d *device) putData(cache interface{ Data() ([]byte, error) }, size *uint, to unsafe.Pointer) abi.Result {
	data, err := cache.Data()
	if err != nil {
		return d.result(err)
	}
	return putBytes(size, to, data)
}

// putBytes answers a query for data in two calls. Data that does not fit is not written in part: a part is of no use.
func putBytes(size *uint, to unsafe.Pointer, data []byte) abi.Result {
	switch {
	case to == nil:
		*size = uint(len(data))
		return abi.Success
	case *size < uint(len(data)):
		*size = 0
		return abi.Incomplete
	}
	*size = uint(copy(unsafe.Slice((*byte)(to), *size), data))
	return abi.Success
}

func mergePipelineCaches(a *abi.MergePipelineCachesArgs) abi.Result {
	var others []*vk.PipelineCache
	for _, h := range array(a.PSrcCaches, a.SrcCacheCount) {
		others = append(others, pipelineCaches.get(uint64(h)))
	}
	return deviceOf(a.Device).result(pipelineCaches.get(uint64(a.DstCache)).Merge(others...))
}
