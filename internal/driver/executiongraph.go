package driver

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Execution graphs (VK_AMDX_shader_enqueue).

var graphCalls = map[int]call{
	abi.CmdCreateExecutionGraphPipelinesAMDX: on(createGraphPipelines),
	abi.CmdGetExecutionGraphPipelineScratchSizeAMDX: on(func(a *abi.GetExecutionGraphPipelineScratchSizeAMDXArgs) abi.Result {
		s := graphOf(a.ExecutionGraph).ScratchSize()
		a.PSizeInfo.MinSize, a.PSizeInfo.MaxSize, a.PSizeInfo.SizeGranularity = s.Min, s.Max, s.Granularity
		return abi.Success
	}),
	abi.CmdGetExecutionGraphPipelineNodeIndexAMDX: on(func(a *abi.GetExecutionGraphPipelineNodeIndexAMDXArgs) abi.Result {
		name := abi.String(unsafe.Pointer(a.PNodeInfo.PName))
		n, ok := graphOf(a.ExecutionGraph).NodeIndex(name, a.PNodeInfo.Index)
		if !ok {
			return deviceOf(a.Device).result(&vk.UsageError{Message: "the execution graph has no node of the name " + name + " and the index; must have one"})
		}
		*a.PNodeIndex = n
		return abi.Success
	}),
}

var graphCommands = map[int]recorder{
	abi.CmdCmdInitializeGraphScratchMemoryAMDX: rec(func(c *commandBuffer, a *abi.CmdInitializeGraphScratchMemoryAMDXArgs) {
		c.vk.InitializeGraphScratch(graphOf(a.ExecutionGraph), vk.GraphScratch{Address: a.Scratch, Size: a.ScratchSize})
	}),
	abi.CmdCmdDispatchGraphAMDX: rec(func(c *commandBuffer, a *abi.CmdDispatchGraphAMDXArgs) {
		c.vk.DispatchGraph(vk.GraphScratch{Address: a.Scratch, Size: a.ScratchSize}, c.graphStarts(a.PCountInfo))
	}),
	abi.CmdCmdDispatchGraphIndirectAMDX: rec(func(c *commandBuffer, a *abi.CmdDispatchGraphIndirectAMDXArgs) {
		i := a.PCountInfo
		c.vk.DispatchGraphIndirect(vk.GraphScratch{Address: a.Scratch, Size: a.ScratchSize}, i.Count, i.Infos[0], i.Stride)
	}),
	abi.CmdCmdDispatchGraphIndirectCountAMDX: rec(func(c *commandBuffer, a *abi.CmdDispatchGraphIndirectCountAMDXArgs) {
		c.vk.DispatchGraphIndirectCount(vk.GraphScratch{Address: a.Scratch, Size: a.ScratchSize}, a.CountInfo)
	}),
}

// graphOf returns an execution graph; nil if there is none.
func graphOf(h abi.Pipeline) *vk.GraphPipeline {
	if p := pipelines.get(uint64(h)); p != nil {
		return p.graph
	}
	return nil
}

// graphStarts reads the payloads of a dispatch, which are in memory of the host. The bound graph has their sizes.
func (c *commandBuffer) graphStarts(i *abi.DispatchGraphCountInfoAMDX) (list []vk.GraphStart) {
	for k := range min(i.Count, maxElements) {
		p := (*abi.DispatchGraphInfoAMDX)(hostAddress(i.Infos[0], uint64(k)*i.Stride))
		if p == nil {
			return list
		}
		s := vk.GraphStart{Node: p.NodeIndex, Count: p.PayloadCount, Stride: p.PayloadStride}
		if size := c.graph.PayloadSize(s.Node); size > 0 && s.Count > 0 && s.Count <= vk.MaxGraphPayloads && p.Payloads[0] != 0 && s.Stride < math.MaxInt32 {
			s.Payloads = abi.Bytes(hostAddress(p.Payloads[0], 0), uint64(s.Count-1)*s.Stride+size)
		}
		list = append(list, s)
	}
	return list
}

// hostAddress returns the pointer that an union of a host and a device address has, plus an offset.
func hostAddress(a, offset uint64) unsafe.Pointer {
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&a)), offset)
}

// graphInfo reads the creation of an execution graph.
func graphInfo(i *abi.ExecutionGraphPipelineCreateInfoAMDX, cache abi.PipelineCache) vk.GraphPipelineInfo {
	info := vk.GraphPipelineInfo{Creation: creation(i.Flags, i.PNext, cache, i.BasePipelineHandle, i.BasePipelineIndex), Layout: pipelineLayouts.get(uint64(i.Layout))}
	for _, s := range array(i.PStages, i.StageCount) {
		info.Stages = append(info.Stages, stageInfo(&s))
	}
	if l := i.PLibraryInfo; l != nil {
		for _, h := range array(l.PLibraries, l.LibraryCount) {
			switch p := pipelines.get(uint64(h)); {
			case p != nil && p.compute != nil:
				info.Computes = append(info.Computes, p.compute)
			case p != nil && p.graphics != nil:
				info.Meshes = append(info.Meshes, p.graphics)
			default:
				info.Libraries = append(info.Libraries, graphOf(h))
			}
		}
	}
	return info
}

func createGraphPipelines(a *abi.CreateExecutionGraphPipelinesAMDXArgs) abi.Result {
	b := pipelineBatch[abi.ExecutionGraphPipelineCreateInfoAMDX, vk.GraphPipelineInfo, vk.GraphPipeline]{
		read: func(i *abi.ExecutionGraphPipelineCreateInfoAMDX) vk.GraphPipelineInfo {
			return graphInfo(i, a.PipelineCache)
		},
		make: (*vk.Device).NewGraphPipelines,
		feedback: func(i *abi.ExecutionGraphPipelineCreateInfoAMDX, x *vk.GraphPipelineInfo) {
			putFeedback(i.PNext, x.Feedback)
		},
		wrap: func(p *vk.GraphPipeline) *pipeline { return &pipeline{graph: p} },
	}
	return b.create(a.Device, a.PCreateInfos, a.PPipelines, a.CreateInfoCount)
}
