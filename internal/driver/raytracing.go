package driver

import (
	"fmt"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

var rayCalls = map[int]call{
	abi.CmdCreateRayTracingPipelinesKHR: on(createRayTracingPipelines),
	abi.CmdGetRayTracingShaderGroupHandlesKHR: on(func(a *abi.GetRayTracingShaderGroupHandlesKHRArgs) abi.Result {
		return putHandles(a.Device, a.Pipeline, abi.Bytes(a.PData, uint64(a.DataSize)), vuid.VkGetRayTracingShaderGroupHandlesKHR_dataSize_02420, func(p *vk.RayTracingPipeline) ([]byte, error) {
			return p.GroupHandles(int(a.FirstGroup), int(a.GroupCount))
		})
	}),
	abi.CmdGetRayTracingCaptureReplayShaderGroupHandlesKHR: on(func(a *abi.GetRayTracingCaptureReplayShaderGroupHandlesKHRArgs) abi.Result {
		return putHandles(a.Device, a.Pipeline, abi.Bytes(a.PData, uint64(a.DataSize)), vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_dataSize_03484, func(p *vk.RayTracingPipeline) ([]byte, error) {
			return p.ReplayHandles(int(a.FirstGroup), int(a.GroupCount))
		})
	}),
	abi.CmdGetRayTracingShaderGroupStackSizeKHR: value(func(a *abi.GetRayTracingShaderGroupStackSizeKHRArgs) uint64 {
		p := pipelines.get(uint64(a.Pipeline))
		if p == nil {
			return 0
		}
		n, _ := p.rays.GroupStackSize(int(a.Group), vk.GroupShader(min(a.GroupShader, math.MaxUint8)))
		return n
	}),
}

// putHandles writes the handles of groups of a pipeline. If the memory is too short for all of them, it writes none: a part of a handle
// could select another group.
func putHandles(device *abi.Dispatch, h abi.Pipeline, to []byte, rule string, get func(*vk.RayTracingPipeline) ([]byte, error)) abi.Result {
	d, p := deviceOf(device), pipelines.get(uint64(h))
	if d == nil || p == nil {
		return abi.ErrorDeviceLost
	}
	handles, err := get(p.rays)
	if err == nil && len(to) < len(handles) {
		err = &vk.UsageError{Rule: rule, Message: fmt.Sprintf("the memory for handles has %d bytes; must have at least %d", len(to), len(handles))}
	}
	if err == nil {
		copy(to, handles)
	}
	return d.result(err)
}

var rayCommands = map[int]recorder{
	abi.CmdCmdTraceRaysKHR: rec(func(c *commandBuffer, a *abi.CmdTraceRaysKHRArgs) {
		c.vk.TraceRays(shaderTables(a.PRaygenShaderBindingTable, a.PMissShaderBindingTable, a.PHitShaderBindingTable, a.PCallableShaderBindingTable), a.Width, a.Height, a.Depth)
	}),
	abi.CmdCmdTraceRaysIndirectKHR: rec(func(c *commandBuffer, a *abi.CmdTraceRaysIndirectKHRArgs) {
		c.vk.TraceRaysIndirect(shaderTables(a.PRaygenShaderBindingTable, a.PMissShaderBindingTable, a.PHitShaderBindingTable, a.PCallableShaderBindingTable), a.IndirectDeviceAddress)
	}),
	abi.CmdCmdTraceRaysIndirect2KHR: rec(func(c *commandBuffer, a *abi.CmdTraceRaysIndirect2KHRArgs) {
		c.vk.TraceRaysIndirect2(a.IndirectDeviceAddress)
	}),
	abi.CmdCmdSetRayTracingPipelineStackSizeKHR: rec(func(c *commandBuffer, a *abi.CmdSetRayTracingPipelineStackSizeKHRArgs) {
		c.vk.SetRayTracingPipelineStackSize(a.PipelineStackSize)
	}),
}

// shaderTables reads the tables of a trace.
func shaderTables(raygen, miss, hit, callable *abi.StridedDeviceAddressRegionKHR) vk.ShaderTables {
	table := func(r *abi.StridedDeviceAddressRegionKHR) vk.ShaderTable {
		if r == nil {
			return vk.ShaderTable{}
		}
		return vk.ShaderTable{Address: r.DeviceAddress, Stride: r.Stride, Size: r.Size}
	}
	return vk.ShaderTables{RayGen: table(raygen), Miss: table(miss), Hit: table(hit), Callable: table(callable)}
}

// rayModels are the execution models by the bits of stages.
var rayModels = map[uint32]spirv.ExecutionModel{
	abi.ShaderStageRaygenBitKHR: spirv.ExecutionModelRayGenerationKHR, abi.ShaderStageAnyHitBitKHR: spirv.ExecutionModelAnyHitKHR,
	abi.ShaderStageClosestHitBitKHR: spirv.ExecutionModelClosestHitKHR, abi.ShaderStageMissBitKHR: spirv.ExecutionModelMissKHR,
	abi.ShaderStageIntersectionBitKHR: spirv.ExecutionModelIntersectionKHR, abi.ShaderStageCallableBitKHR: spirv.ExecutionModelCallableKHR,
}

// rayInfo reads the creation of a ray tracing pipeline. Unless it replays, the pointers to replay handles may be anything.
func rayInfo(i *abi.RayTracingPipelineCreateInfoKHR, cache abi.PipelineCache, replays bool) vk.RayTracingPipelineInfo {
	info := vk.RayTracingPipelineInfo{
		Creation: creation(i.Flags, i.PNext, cache, i.BasePipelineHandle, i.BasePipelineIndex), Depth: i.MaxPipelineRayRecursionDepth,
		Layout: pipelineLayouts.get(uint64(i.Layout)),
	}
	stages := array(i.PStages, i.StageCount)
	for k := range stages {
		s := &stages[k]
		model, ok := rayModels[s.Stage]
		if !ok {
			model = spirv.ExecutionModelKernel // an error
		}
		info.Stages = append(info.Stages, vk.RayStageInfo{Model: model, StageInfo: stageInfo(s)})
	}
	groups := array(i.PGroups, i.GroupCount)
	for k := range groups {
		g := &groups[k]
		ref := func(n uint32) *link.Ref { r := link.Ref(n); return &r }
		info.Groups = append(info.Groups, link.Group{
			Type: enum.GroupType(g.Type), General: ref(g.GeneralShader), ClosestHit: ref(g.ClosestHitShader), AnyHit: ref(g.AnyHitShader), Intersection: ref(g.IntersectionShader),
		})
		var handle []byte
		if replays && g.PShaderGroupCaptureReplayHandle != nil {
			handle = slices.Clone(abi.Bytes(g.PShaderGroupCaptureReplayHandle, vk.ReplayHandleSize))
		}
		info.ReplayHandles = append(info.ReplayHandles, handle)
	}
	if x := i.PLibraryInterface; x != nil {
		info.Interface = &link.RayInterface{Payload: x.MaxPipelineRayPayloadSize, HitAttribute: x.MaxPipelineRayHitAttributeSize}
	}
	if l := i.PLibraryInfo; l != nil {
		for _, h := range array(l.PLibraries, l.LibraryCount) {
			var p *vk.RayTracingPipeline
			if x := pipelines.get(uint64(h)); x != nil {
				p = x.rays
			}
			info.Libraries = append(info.Libraries, p)
		}
	}
	if s := i.PDynamicState; s != nil {
		for _, n := range array(s.PDynamicStates, s.DynamicStateCount) {
			info.DynamicStackSize = info.DynamicStackSize || n == abi.DynamicStateRayTracingPipelineStackSizeKHR
		}
	}
	return info
}

// createRayTracingPipelines makes pipelines. It never defers an operation.
func createRayTracingPipelines(a *abi.CreateRayTracingPipelinesKHRArgs) abi.Result {
	d := deviceOf(a.Device)
	b := pipelineBatch[abi.RayTracingPipelineCreateInfoKHR, vk.RayTracingPipelineInfo, vk.RayTracingPipeline]{
		read: func(i *abi.RayTracingPipelineCreateInfoKHR) vk.RayTracingPipelineInfo {
			return rayInfo(i, a.PipelineCache, d != nil && d.replays)
		},
		make: (*vk.Device).NewRayTracingPipelines,
		feedback: func(i *abi.RayTracingPipelineCreateInfoKHR, x *vk.RayTracingPipelineInfo) {
			putFeedback(i.PNext, x.Feedback)
		},
		wrap: func(p *vk.RayTracingPipeline) *pipeline { return &pipeline{rays: p} },
	}
	r := b.create(a.Device, a.PCreateInfos, a.PPipelines, a.CreateInfoCount)
	if r == abi.Success && a.DeferredOperation != 0 {
		return abi.OperationNotDeferredKHR
	}
	return r
}
