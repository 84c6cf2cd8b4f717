package driver

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// memoryCommands are copies between device addresses that are in memory.
var memoryCommands = map[int]recorder{
	abi.CmdCmdCopyMemoryIndirectKHR: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryIndirectKHRArgs) {
		i := a.PCopyMemoryIndirectInfo
		c.vk.CopyMemoryIndirect(vk.CopyMemoryIndirectInfo{
			SourceFlags: vk.AddressCopyFlags(i.SrcCopyFlags), TargetFlags: vk.AddressCopyFlags(i.DstCopyFlags),
			Count: i.CopyCount, Range: vk.AddressRange(i.CopyAddressRange),
		})
	}),
	abi.CmdCmdCopyMemoryIndirectNV: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryIndirectNVArgs) {
		c.vk.CopyMemoryIndirect(vk.CopyMemoryIndirectInfo{Count: a.CopyCount, Range: addresses(a.CopyBufferAddress, a.CopyCount, a.Stride)})
	}),
	abi.CmdCmdCopyMemoryToImageIndirectKHR: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryToImageIndirectKHRArgs) {
		i := a.PCopyMemoryToImageIndirectInfo
		c.vk.CopyMemoryToImageIndirect(vk.CopyMemoryToImageIndirectInfo{
			SourceFlags: vk.AddressCopyFlags(i.SrcCopyFlags), Count: i.CopyCount, Range: vk.AddressRange(i.CopyAddressRange),
			Target: images.get(uint64(i.DstImage)), Subresources: each(array(i.PImageSubresources, i.CopyCount), layersAt),
		})
	}),
	abi.CmdCmdCopyMemoryToImageIndirectNV: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryToImageIndirectNVArgs) {
		c.vk.CopyMemoryToImageIndirect(vk.CopyMemoryToImageIndirectInfo{
			Count: a.CopyCount, Range: addresses(a.CopyBufferAddress, a.CopyCount, a.Stride),
			Target: images.get(uint64(a.DstImage)), Subresources: each(array(a.PImageSubresources, a.CopyCount), layersAt),
		})
	}),
}

// addresses is the range of n elements.
func addresses(address uint64, n, stride uint32) vk.AddressRange {
	size := uint64(n) * uint64(stride)
	return vk.AddressRange{Address: address, Size: min(size, math.MaxUint64-address), Stride: uint64(stride)}
}

func layersAt(s *abi.ImageSubresourceLayers) vk.Layers { return layers(*s) }

// deferredOperation is a VkDeferredOperationKHR. No command of the driver defers its work: all operations are complete.
type deferredOperation struct{}

// Close does nothing: there is no work.
func (*deferredOperation) Close() error { return nil }

var deferredOperations table[deferredOperation]

// hostCalls are commands of the host of VK_KHR_deferred_host_operations and VK_EXT_pageable_device_local_memory.
var hostCalls = map[int]call{
	abi.CmdCreateDeferredOperationKHR: on(func(a *abi.CreateDeferredOperationKHRArgs) abi.Result {
		return created(deviceOf(a.Device), &deferredOperations, &deferredOperation{}, nil, unsafe.Pointer(a.PDeferredOperation))
	}),
	abi.CmdDestroyDeferredOperationKHR:           run(func(a *abi.DestroyDeferredOperationKHRArgs) { destroy(&deferredOperations, uint64(a.Operation)) }),
	abi.CmdGetDeferredOperationMaxConcurrencyKHR: value(func(*abi.GetDeferredOperationMaxConcurrencyKHRArgs) uint64 { return 0 }),
	abi.CmdGetDeferredOperationResultKHR:         on(func(*abi.GetDeferredOperationResultKHRArgs) abi.Result { return abi.Success }),
	abi.CmdDeferredOperationJoinKHR:              on(func(*abi.DeferredOperationJoinKHRArgs) abi.Result { return abi.Success }),
	abi.CmdSetDeviceMemoryPriorityEXT:            run(func(*abi.SetDeviceMemoryPriorityEXTArgs) {}), // all memory is in one place
}
