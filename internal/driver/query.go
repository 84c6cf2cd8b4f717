package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var queryCalls = map[int]call{
	abi.CmdCreateQueryPool:     on(createQueryPool),
	abi.CmdDestroyQueryPool:    run(func(a *abi.DestroyQueryPoolArgs) { destroy(&queryPools, uint64(a.QueryPool)) }),
	abi.CmdGetQueryPoolResults: on(getQueryPoolResults),
	abi.CmdResetQueryPool: run(func(a *abi.ResetQueryPoolArgs) {
		_ = queryPools.get(uint64(a.QueryPool)).Reset(int(a.FirstQuery), int(a.QueryCount)) // the call has no result
	}),
}

// queryTypes are the types of queries by VkQueryType.
var queryTypes = map[uint32]vk.QueryType{
	abi.QueryTypeOcclusion: vk.Occlusion, abi.QueryTypePipelineStatistics: vk.PipelineStatistics, abi.QueryTypeTimestamp: vk.Timestamps,
	abi.QueryTypeTransformFeedbackStreamEXT: vk.TransformFeedbackStream, abi.QueryTypePrimitivesGeneratedEXT: vk.PrimitivesGenerated,
	abi.QueryTypeMeshPrimitivesGeneratedEXT:            vk.MeshPrimitivesGenerated,
	abi.QueryTypeAccelerationStructureCompactedSizeKHR: vk.CompactedSize, abi.QueryTypeAccelerationStructureSerializationSizeKHR: vk.SerializationSize,
	abi.QueryTypeAccelerationStructureSerializationBottomLevelPointersKHR: vk.SerializationPointers, abi.QueryTypeAccelerationStructureSizeKHR: vk.StructureSize,
	abi.QueryTypeMicromapCompactedSizeEXT: vk.MicromapCompactedSize, abi.QueryTypeMicromapSerializationSizeEXT: vk.MicromapSerializationSize,
}

func createQueryPool(a *abi.CreateQueryPoolArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	t, ok := queryTypes[i.QueryType]
	if !ok {
		return abi.ErrorFeatureNotPresent
	}
	q, err := d.vk.NewQueryPool(vk.QueryPoolInfo{Type: t, Count: int(i.QueryCount), Statistics: vk.Statistics(i.PipelineStatistics)})
	return created(d, &queryPools, q, err, unsafe.Pointer(a.PQueryPool))
}

func getQueryPoolResults(a *abi.GetQueryPoolResultsArgs) abi.Result {
	q := queryPools.get(uint64(a.QueryPool))
	if q == nil {
		return abi.ErrorDeviceLost
	}
	return deviceOf(a.Device).result(q.Results(forever, int(a.FirstQuery), int(a.QueryCount), abi.Bytes(a.PData, uint64(a.DataSize)), a.Stride, vk.QueryFlags(a.Flags)))
}

var queryCommands = map[int]recorder{
	abi.CmdCmdBeginQuery: rec(func(c *commandBuffer, a *abi.CmdBeginQueryArgs) {
		c.vk.BeginQuery(queryPools.get(uint64(a.QueryPool)), int(a.Query), vk.QueryControl(a.Flags))
	}),
	abi.CmdCmdEndQuery: rec(func(c *commandBuffer, a *abi.CmdEndQueryArgs) {
		c.vk.EndQuery(queryPools.get(uint64(a.QueryPool)), int(a.Query))
	}),
	abi.CmdCmdBeginQueryIndexedEXT: rec(func(c *commandBuffer, a *abi.CmdBeginQueryIndexedEXTArgs) {
		c.vk.BeginQueryIndexed(queryPools.get(uint64(a.QueryPool)), int(a.Query), vk.QueryControl(a.Flags), a.Index)
	}),
	abi.CmdCmdEndQueryIndexedEXT: rec(func(c *commandBuffer, a *abi.CmdEndQueryIndexedEXTArgs) {
		c.vk.EndQueryIndexed(queryPools.get(uint64(a.QueryPool)), int(a.Query), a.Index)
	}),
	abi.CmdCmdResetQueryPool: rec(func(c *commandBuffer, a *abi.CmdResetQueryPoolArgs) {
		c.vk.ResetQueries(queryPools.get(uint64(a.QueryPool)), int(a.FirstQuery), int(a.QueryCount))
	}),
	abi.CmdCmdWriteTimestamp: rec(func(c *commandBuffer, a *abi.CmdWriteTimestampArgs) {
		c.vk.WriteTimestamp(queryPools.get(uint64(a.QueryPool)), int(a.Query))
	}),
	abi.CmdCmdWriteTimestamp2: rec(func(c *commandBuffer, a *abi.CmdWriteTimestamp2Args) {
		c.vk.WriteTimestamp(queryPools.get(uint64(a.QueryPool)), int(a.Query))
	}),
	abi.CmdCmdCopyQueryPoolResults: rec(func(c *commandBuffer, a *abi.CmdCopyQueryPoolResultsArgs) {
		c.vk.CopyQueries(queryPools.get(uint64(a.QueryPool)), int(a.FirstQuery), int(a.QueryCount), buffers.get(uint64(a.DstBuffer)), a.DstOffset, a.Stride, vk.QueryFlags(a.Flags))
	}),
}
