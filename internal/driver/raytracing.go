package driver

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

var rayCalls = map[int]call{
	abi.CmdCreateRayTracingPipelinesKHR: on(createRayTracingPipelines),
	abi.CmdGetRayTracingShaderGroupHandlesKHR: on(func(a *abi.GetRayTracingShaderGroupHandlesKHRArgs) abi.Result {
		d, p := deviceOf(a.Device), pipelines.get(uint64(a.Pipeline))
		if d == nil || p == nil {
			return abi.ErrorDeviceLost
		}
		handles, err := p.rays.GroupHandles(int(a.FirstGroup), int(a.GroupCount))
		if err == nil {
			copy(abi.Bytes(a.PData, uint64(a.DataSize)), handles)
		}
		return d.result(err)
	}),
	abi.CmdGetRayTracingCaptureReplayShaderGroupHandlesKHR: on(func(a *abi.GetRayTracingCaptureReplayShaderGroupHandlesKHRArgs) abi.Result {
		d, p := deviceOf(a.Device), pipelines.get(uint64(a.Pipeline))
		if d == nil || p == nil {
			return abi.ErrorDeviceLost
		}
		handles, err := p.rays.ReplayHandles(int(a.FirstGroup), int(a.GroupCount))
		if err == nil {
			copy(abi.Bytes(a.PData, uint64(a.DataSize)), handles)
		}
		return d.result(err)
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

// rayInfo reads the creation of a ray tracing pipeline.
func rayInfo(i *abi.RayTracingPipelineCreateInfoKHR, cache abi.PipelineCache) vk.RayTracingPipelineInfo {
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
		if g.PShaderGroupCaptureReplayHandle != nil {
			handle = append([]byte(nil), abi.Bytes(g.PShaderGroupCaptureReplayHandle, vk.ReplayHandleSize)...)
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

// createRayTracingPipelines makes pipelines at once. An operation that may defer it is told so.
func createRayTracingPipelines(a *abi.CreateRayTracingPipelinesKHRArgs) abi.Result {
	b := pipelineBatch[abi.RayTracingPipelineCreateInfoKHR, vk.RayTracingPipelineInfo, vk.RayTracingPipeline]{
		read: func(i *abi.RayTracingPipelineCreateInfoKHR) vk.RayTracingPipelineInfo {
			return rayInfo(i, a.PipelineCache)
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
