package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// extendedCommands are the commands of extensions that draw, or decide whether to draw.
var extendedCommands = map[int]recorder{
	abi.CmdCmdBeginConditionalRenderingEXT: rec(func(c *commandBuffer, a *abi.CmdBeginConditionalRenderingEXTArgs) {
		i := a.PConditionalRenderingBegin
		c.vk.BeginConditionalRendering(buffers.get(uint64(i.Buffer)), i.Offset, i.Flags&abi.ConditionalRenderingInvertedBitEXT != 0)
	}),
	abi.CmdCmdEndConditionalRenderingEXT: rec(func(c *commandBuffer, a *abi.CmdEndConditionalRenderingEXTArgs) { c.vk.EndConditionalRendering() }),
	abi.CmdCmdBindTransformFeedbackBuffersEXT: rec(func(c *commandBuffer, a *abi.CmdBindTransformFeedbackBuffersEXTArgs) {
		c.vk.BindTransformFeedbackBuffers(int(a.FirstBinding), c.vertexBuffers(a.BindingCount, a.PBuffers, a.POffsets, a.PSizes))
	}),
	abi.CmdCmdBeginTransformFeedbackEXT: rec(func(c *commandBuffer, a *abi.CmdBeginTransformFeedbackEXTArgs) {
		c.vk.BeginTransformFeedback(int(a.FirstCounterBuffer), counterBuffers(a.CounterBufferCount, a.PCounterBuffers, a.PCounterBufferOffsets))
	}),
	abi.CmdCmdEndTransformFeedbackEXT: rec(func(c *commandBuffer, a *abi.CmdEndTransformFeedbackEXTArgs) {
		c.vk.EndTransformFeedback(int(a.FirstCounterBuffer), counterBuffers(a.CounterBufferCount, a.PCounterBuffers, a.PCounterBufferOffsets))
	}),
	abi.CmdCmdDrawIndirectByteCountEXT: rec(func(c *commandBuffer, a *abi.CmdDrawIndirectByteCountEXTArgs) {
		c.vk.DrawByteCount(a.InstanceCount, a.FirstInstance, vk.CounterBuffer{Buffer: buffers.get(uint64(a.CounterBuffer)), Offset: a.CounterBufferOffset}, a.CounterOffset, a.VertexStride)
	}),
	abi.CmdCmdDrawMultiEXT: rec(func(c *commandBuffer, a *abi.CmdDrawMultiEXTArgs) {
		c.vk.DrawMulti(strided(a.PVertexInfo, a.DrawCount, a.Stride, func(d *abi.MultiDrawInfoEXT) vk.MultiDraw {
			return vk.MultiDraw{First: d.FirstVertex, Count: d.VertexCount}
		}), a.InstanceCount, a.FirstInstance)
	}),
	abi.CmdCmdDrawMultiIndexedEXT: rec(func(c *commandBuffer, a *abi.CmdDrawMultiIndexedEXTArgs) {
		c.vk.DrawMultiIndexed(strided(a.PIndexInfo, a.DrawCount, a.Stride, func(d *abi.MultiDrawIndexedInfoEXT) vk.MultiDraw {
			return vk.MultiDraw{First: d.FirstIndex, Count: d.IndexCount, Base: d.VertexOffset}
		}), a.InstanceCount, a.FirstInstance, a.PVertexOffset)
	}),
}

// strided converts n elements of the application that are stride bytes apart.
func strided[A, V any](p *A, n, stride uint32, f func(*A) V) []V {
	if p == nil || n > maxElements {
		return nil
	}
	out := make([]V, n)
	for i := range out {
		out[i] = f(at[A](unsafe.Pointer(p), uintptr(i)*uintptr(stride)))
	}
	return out
}

// counterBuffers returns places of byte counts; a missing buffer is none.
func counterBuffers(n uint32, list *abi.Buffer, offsets *uint64) []vk.CounterBuffer {
	var out []vk.CounterBuffer
	for i, h := range array(list, n) {
		b := vk.CounterBuffer{Buffer: buffers.get(uint64(h))}
		if offsets != nil {
			b.Offset = array(offsets, n)[i]
		}
		out = append(out, b)
	}
	return out
}

var extendedCalls = map[int]call{
	abi.CmdGetPhysicalDeviceCalibrateableTimeDomainsKHR: on(func(a *abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs) abi.Result {
		return list(a.PTimeDomainCount, a.PTimeDomains, []uint32{abi.TimeDomainDeviceKHR, abi.TimeDomainClockMonotonicKHR}, func(to *uint32, d uint32) { *to = d })
	}),
	abi.CmdGetCalibratedTimestampsKHR: on(getCalibratedTimestamps),
	abi.CmdGetMemoryHostPointerPropertiesEXT: on(func(a *abi.GetMemoryHostPointerPropertiesEXTArgs) abi.Result {
		a.PMemoryHostPointerProperties.MemoryTypeBits = 1 << vk.PlainMemory
		if uintptr(a.PHostPointer)%vk.HostAlignment != 0 {
			return abi.ErrorInvalidExternalHandle
		}
		return abi.Success
	}),
}
