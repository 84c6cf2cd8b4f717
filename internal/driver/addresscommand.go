package driver

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// addressCommands are the commands of VK_KHR_device_address_commands: those of buffers, at addresses.
var addressCommands = map[int]recorder{
	abi.CmdCmdBindIndexBuffer3KHR: rec(func(c *commandBuffer, a *abi.CmdBindIndexBuffer3KHRArgs) {
		b, offset := c.at(&a.PInfo.AddressRange)
		c.vk.BindIndexBuffer2(b, offset, a.PInfo.AddressRange.Size, indexBytes(a.PInfo.IndexType))
	}),
	abi.CmdCmdBindVertexBuffers3KHR: rec(func(c *commandBuffer, a *abi.CmdBindVertexBuffers3KHRArgs) {
		for i, x := range array(a.PBindingInfos, a.BindingCount) {
			b, offset := c.strided(&x.AddressRange)
			bind := vk.VertexBind{VertexBuffer: vk.VertexBuffer{Buffer: b, Offset: offset, Size: x.AddressRange.Size}, SetStride: x.SetStride != 0, Stride: stride(x.AddressRange.Stride)}
			c.vk.BindVertexBuffers3(int(a.FirstBinding)+i, []vk.VertexBind{bind})
		}
	}),
	abi.CmdCmdDrawIndirect2KHR: rec(func(c *commandBuffer, a *abi.CmdDrawIndirect2KHRArgs) { c.vk.DrawIndirect(c.indirect(a.PInfo, false)) }),
	abi.CmdCmdDrawIndexedIndirect2KHR: rec(func(c *commandBuffer, a *abi.CmdDrawIndexedIndirect2KHRArgs) {
		c.vk.DrawIndirect(c.indirect(a.PInfo, true))
	}),
	abi.CmdCmdDrawMeshTasksIndirect2EXT: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirect2EXTArgs) {
		c.vk.DrawMeshTasksIndirect(c.indirect(a.PInfo, false))
	}),
	abi.CmdCmdDrawIndirectCount2KHR: rec(func(c *commandBuffer, a *abi.CmdDrawIndirectCount2KHRArgs) {
		c.vk.DrawIndirect(c.counted(a.PInfo, false))
	}),
	abi.CmdCmdDrawIndexedIndirectCount2KHR: rec(func(c *commandBuffer, a *abi.CmdDrawIndexedIndirectCount2KHRArgs) {
		c.vk.DrawIndirect(c.counted(a.PInfo, true))
	}),
	abi.CmdCmdDrawMeshTasksIndirectCount2EXT: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirectCount2EXTArgs) {
		c.vk.DrawMeshTasksIndirect(c.counted(a.PInfo, false))
	}),
	abi.CmdCmdDispatchIndirect2KHR: rec(func(c *commandBuffer, a *abi.CmdDispatchIndirect2KHRArgs) {
		c.vk.DispatchIndirect(c.at(&a.PInfo.AddressRange))
	}),
	abi.CmdCmdFillMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdFillMemoryKHRArgs) {
		b, offset := c.at(a.PDstRange)
		c.vk.FillBuffer(b, offset, a.PDstRange.Size, a.Data)
	}),
	abi.CmdCmdUpdateMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdUpdateMemoryKHRArgs) {
		b, offset := c.at(a.PDstRange)
		c.vk.UpdateBuffer(b, offset, abi.Bytes(a.PData, a.DataSize))
	}),
	abi.CmdCmdCopyMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryKHRArgs) {
		for _, r := range array(a.PCopyMemoryInfo.PRegions, a.PCopyMemoryInfo.RegionCount) {
			source, from := c.at(&r.SrcRange)
			target, to := c.at(&r.DstRange)
			c.vk.CopyBuffer(source, target, []vk.BufferCopy{{Source: from, Target: to, Size: min(r.SrcRange.Size, r.DstRange.Size)}})
		}
	}),
	abi.CmdCmdCopyMemoryToImageKHR: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryToImageKHRArgs) {
		c.imageCopies(a.PCopyMemoryInfo, func(b *vk.Buffer, i *vk.Image, list []vk.BufferImageCopy) { c.vk.CopyBufferToImage(b, i, list) })
	}),
	abi.CmdCmdCopyImageToMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdCopyImageToMemoryKHRArgs) {
		c.imageCopies(a.PCopyMemoryInfo, func(b *vk.Buffer, i *vk.Image, list []vk.BufferImageCopy) { c.vk.CopyImageToBuffer(i, b, list) })
	}),
	abi.CmdCmdCopyQueryPoolResultsToMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdCopyQueryPoolResultsToMemoryKHRArgs) {
		b, offset := c.strided(a.PDstRange)
		c.vk.CopyQueries(queryPools.get(uint64(a.QueryPool)), int(a.FirstQuery), int(a.QueryCount), b, offset, a.PDstRange.Stride, vk.QueryFlags(a.QueryResultFlags))
	}),
	abi.CmdCmdBeginConditionalRendering2EXT: rec(func(c *commandBuffer, a *abi.CmdBeginConditionalRendering2EXTArgs) {
		i := a.PConditionalRenderingBegin
		b, offset := c.at(&i.AddressRange)
		c.vk.BeginConditionalRendering(b, offset, i.Flags&abi.ConditionalRenderingInvertedBitEXT != 0)
	}),
	abi.CmdCmdBindTransformFeedbackBuffers2EXT: rec(func(c *commandBuffer, a *abi.CmdBindTransformFeedbackBuffers2EXTArgs) {
		c.vertex = c.vertex[:0]
		for _, x := range array(a.PBindingInfos, a.BindingCount) {
			b, offset := c.at(&x.AddressRange)
			c.vertex = append(c.vertex, vk.VertexBuffer{Buffer: b, Offset: offset, Size: x.AddressRange.Size})
		}
		c.vk.BindTransformFeedbackBuffers(int(a.FirstBinding), c.vertex)
	}),
	abi.CmdCmdBeginTransformFeedback2EXT: rec(func(c *commandBuffer, a *abi.CmdBeginTransformFeedback2EXTArgs) {
		c.vk.BeginTransformFeedback(int(a.FirstCounterRange), c.counters(array(a.PCounterInfos, a.CounterRangeCount)))
	}),
	abi.CmdCmdEndTransformFeedback2EXT: rec(func(c *commandBuffer, a *abi.CmdEndTransformFeedback2EXTArgs) {
		c.vk.EndTransformFeedback(int(a.FirstCounterRange), c.counters(array(a.PCounterInfos, a.CounterRangeCount)))
	}),
	abi.CmdCmdDrawIndirectByteCount2EXT: rec(func(c *commandBuffer, a *abi.CmdDrawIndirectByteCount2EXTArgs) {
		b, offset := c.at(&a.PCounterInfo.AddressRange)
		c.vk.DrawByteCount(a.InstanceCount, a.FirstInstance, vk.CounterBuffer{Buffer: b, Offset: offset}, a.CounterOffset, a.VertexStride)
	}),
}

var addressCalls = map[int]call{
	abi.CmdCreateAccelerationStructure2KHR: on(func(a *abi.CreateAccelerationStructure2KHRArgs) abi.Result {
		d, i := deviceOf(a.Device), a.PCreateInfo
		if d == nil {
			return abi.ErrorDeviceLost
		}
		b, offset, err := d.vk.BufferAt(i.AddressRange.Address, i.AddressRange.Size)
		var s *vk.AccelerationStructure
		if err == nil {
			s, err = d.vk.NewAccelerationStructure(structureInfo(b, offset, i.AddressRange.Size, levelOf(i.Type), i.CreateFlags, 0, i.PNext))
		}
		return created(d, &structures, s, err, unsafe.Pointer(a.PAccelerationStructure))
	}),
}

// at returns a buffer for a range of addresses, and the offset of the range in it.
func (c *commandBuffer) at(r *abi.DeviceAddressRangeKHR) (*vk.Buffer, uint64) {
	return c.vk.BufferAt(r.Address, r.Size)
}

// stride returns a stride of 64 bits as one of 32: no stride that a device permits is as large as the bound.
func stride(bytes uint64) uint32 { return uint32(min(bytes, math.MaxUint32)) }

// strided is at for a range with a stride.
func (c *commandBuffer) strided(r *abi.StridedDeviceAddressRangeKHR) (*vk.Buffer, uint64) {
	return c.vk.BufferAt(r.Address, r.Size)
}

// indirect reads the draws of an indirect command.
func (c *commandBuffer) indirect(i *abi.DrawIndirect2InfoKHR, indexed bool) vk.IndirectInfo {
	b, offset := c.strided(&i.AddressRange)
	return vk.IndirectInfo{Buffer: b, Offset: offset, Draws: i.DrawCount, Stride: stride(i.AddressRange.Stride), Indexed: indexed}
}

// counted reads the draws of an indirect command whose number is in memory.
func (c *commandBuffer) counted(i *abi.DrawIndirectCount2InfoKHR, indexed bool) vk.IndirectInfo {
	b, offset := c.strided(&i.AddressRange)
	count, at := c.at(&i.CountAddressRange)
	return vk.IndirectInfo{Buffer: b, Offset: offset, Draws: i.MaxDrawCount, Stride: stride(i.AddressRange.Stride), Indexed: indexed, Count: count, CountOffset: at}
}

// counters reads the counters of transform feedback; one without an address has no buffer.
func (c *commandBuffer) counters(list []abi.BindTransformFeedbackBuffer2InfoEXT) []vk.CounterBuffer {
	return each(list, func(x *abi.BindTransformFeedbackBuffer2InfoEXT) vk.CounterBuffer {
		b, offset := c.at(&x.AddressRange)
		return vk.CounterBuffer{Buffer: b, Offset: offset}
	})
}

// imageCopies records the copies between an image and ranges of addresses.
func (c *commandBuffer) imageCopies(i *abi.CopyDeviceMemoryImageInfoKHR, record func(*vk.Buffer, *vk.Image, []vk.BufferImageCopy)) {
	for _, r := range array(i.PRegions, i.RegionCount) {
		b, at := c.at(&r.AddressRange)
		record(b, images.get(uint64(i.Image)), []vk.BufferImageCopy{{
			Rotation: rotation(r.PNext), BufferOffset: at, RowLength: int(r.AddressRowLength), ImageHeight: int(r.AddressImageHeight),
			Image: layers(r.ImageSubresource), Offset: offset(r.ImageOffset), Extent: extent(r.ImageExtent),
		}})
	}
}
