package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestTileMemory finds the heap of tile memory, and fills, copies and discards a buffer in it, in primary and in secondary command buffers.
func TestTileMemory(t *testing.T) {
	p := newProgram(t)
	var properties abi.PhysicalDeviceMemoryProperties
	do(abi.CmdGetPhysicalDeviceMemoryProperties, &abi.GetPhysicalDeviceMemoryPropertiesArgs{PhysicalDevice: p.physical, PMemoryProperties: &properties})
	types := properties.MemoryTypes[:properties.MemoryTypeCount]
	kind := slices.IndexFunc(types, func(m abi.MemoryType) bool {
		return properties.MemoryHeaps[m.HeapIndex].Flags&abi.MemoryHeapTileMemoryBitQCOM != 0
	})
	if kind < 0 || properties.MemoryHeaps[types[kind].HeapIndex].Size != vk.TileHeapSize {
		t.Fatalf("the memory is %+v; must have tile memory", properties)
	}
	chain := abi.PhysicalDeviceTileMemoryHeapPropertiesQCOM{SType: abi.StructureTypePhysicalDeviceTileMemoryHeapPropertiesQCOM, QueueSubmitBoundary: 7, TileBufferTransfers: 7}
	do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: p.physical, PProperties: &abi.PhysicalDeviceProperties2{SType: abi.StructureTypePhysicalDeviceProperties2, PNext: unsafe.Pointer(&chain)}})
	if chain.QueueSubmitBoundary != abi.False || chain.TileBufferTransfers != abi.True {
		t.Errorf("queueSubmitBoundary is %d and tileBufferTransfers %d; must be false and true", chain.QueueSubmitBoundary, chain.TileBufferTransfers)
	}
	var tile abi.Buffer
	must(p, abi.CmdCreateBuffer, &abi.CreateBufferArgs{Device: p.device, PBuffer: &tile, PCreateInfo: &abi.BufferCreateInfo{
		SType: abi.StructureTypeBufferCreateInfo, Size: 16, Usage: abi.BufferUsageTileMemoryBitQCOM | abi.BufferUsageTransferDstBit | abi.BufferUsageTransferSrcBit,
	}})
	needs := abi.TileMemoryRequirementsQCOM{SType: abi.StructureTypeTileMemoryRequirementsQCOM}
	r := abi.MemoryRequirements2{SType: abi.StructureTypeMemoryRequirements2, PNext: unsafe.Pointer(&needs)}
	do(abi.CmdGetBufferMemoryRequirements2, &abi.GetBufferMemoryRequirements2Args{Device: p.device, PInfo: &abi.BufferMemoryRequirementsInfo2{SType: abi.StructureTypeBufferMemoryRequirementsInfo2, Buffer: tile}, PMemoryRequirements: &r})
	if needs.Size != 16 || needs.Alignment == 0 || r.MemoryRequirements.MemoryTypeBits>>kind&1 == 0 {
		t.Fatalf("a buffer of 16 bytes needs %+v of tile memory, and %+v", needs, r.MemoryRequirements)
	}
	var m abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PMemory: &m, PAllocateInfo: &abi.MemoryAllocateInfo{SType: abi.StructureTypeMemoryAllocateInfo, AllocationSize: needs.Size, MemoryTypeIndex: uint32(kind)}})
	must(p, abi.CmdBindBufferMemory, &abi.BindBufferMemoryArgs{Device: p.device, Buffer: tile, Memory: m})
	out, content := p.buffer(12)
	bind := abi.TileMemoryBindInfoQCOM{SType: abi.StructureTypeTileMemoryBindInfoQCOM, Memory: m}
	copyTo := func(c abi.CommandBuffer, at uint64) {
		do(abi.CmdCmdCopyBuffer, &abi.CmdCopyBufferArgs{CommandBuffer: c, SrcBuffer: tile, DstBuffer: out, RegionCount: 1, PRegions: &abi.BufferCopy{DstOffset: at, Size: 16}})
	}
	inherits := p.inheritsTile(&bind)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindTileMemoryQCOM, &abi.CmdBindTileMemoryQCOMArgs{CommandBuffer: c, PTileMemoryBindInfo: &bind})
		do(abi.CmdCmdFillBuffer, &abi.CmdFillBufferArgs{CommandBuffer: c, DstBuffer: tile, Size: 16, Data: 5})
		copyTo(c, 0)
		do(abi.CmdCmdBeginRendering, &abi.CmdBeginRenderingArgs{CommandBuffer: c, PRenderingInfo: &abi.RenderingInfo{SType: abi.StructureTypeRenderingInfo, Flags: abi.RenderingContentsSecondaryCommandBuffersBit, RenderArea: abi.Rect2D{Extent: abi.Extent2D{Width: 4, Height: 4}}, LayerCount: 1}})
		do(abi.CmdCmdExecuteCommands, &abi.CmdExecuteCommandsArgs{CommandBuffer: c, CommandBufferCount: 1, PCommandBuffers: &inherits})
		do(abi.CmdCmdEndRendering, &abi.CmdEndRenderingArgs{CommandBuffer: c})
		copyTo(c, 16)
		do(abi.CmdCmdBindTileMemoryQCOM, &abi.CmdBindTileMemoryQCOMArgs{CommandBuffer: c})
		copyTo(c, 32)
	})
	if want := []uint32{5, 5, 5, 5, 5, 5, 5, 5, 0, 0, 0, 0}; !slices.Equal(content, want) {
		t.Errorf("the words are %d; must be %d", content, want)
	}
}

// inheritsTile returns a secondary command buffer without commands that inherits tile memory in a rendering.
func (p *program) inheritsTile(bind *abi.TileMemoryBindInfoQCOM) (c abi.CommandBuffer) {
	var pool abi.CommandPool
	must(p, abi.CmdCreateCommandPool, &abi.CreateCommandPoolArgs{Device: p.device, PCreateInfo: &abi.CommandPoolCreateInfo{SType: abi.StructureTypeCommandPoolCreateInfo}, PCommandPool: &pool})
	must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: p.device, PCommandBuffers: &c, PAllocateInfo: &abi.CommandBufferAllocateInfo{SType: abi.StructureTypeCommandBufferAllocateInfo, CommandPool: pool, Level: abi.CommandBufferLevelSecondary, CommandBufferCount: 1}})
	rendering := abi.CommandBufferInheritanceRenderingInfo{SType: abi.StructureTypeCommandBufferInheritanceRenderingInfo, PNext: unsafe.Pointer(bind), RasterizationSamples: 1}
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{
		SType: abi.StructureTypeCommandBufferBeginInfo, Flags: abi.CommandBufferUsageRenderPassContinueBit,
		PInheritanceInfo: &abi.CommandBufferInheritanceInfo{SType: abi.StructureTypeCommandBufferInheritanceInfo, PNext: unsafe.Pointer(&rendering)},
	}})
	must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
	return c
}

// TestBindRules binds at wrong places by VkBindImageMemoryInfo and VkBindBufferMemoryInfo, which have rules of their own.
func TestBindRules(t *testing.T) {
	for of, want := range bindRules {
		if got := bindRule("Image", &vk.UsageError{Rule: of}).(*vk.UsageError).Rule; got != want {
			t.Errorf("%s becomes %s; must become %s", of, got, want)
		}
	}
	for _, x := range [][3]string{
		{"Image", "VUID-vkBindImageMemory-image-07460", "VUID-VkBindImageMemoryInfo-image-07460"},
		{"Image", "VUID-VkBindImageMemoryInfo-image-07736", "VUID-VkBindImageMemoryInfo-image-07736"},
		{"Buffer", "VUID-vkBindBufferMemory-memory-10740", "VUID-VkBindBufferMemoryInfo-memory-10740"},
		{"Buffer", "", ""},
	} {
		if got := bindRule(x[0], &vk.UsageError{Rule: x[1]}).(*vk.UsageError).Rule; got != x[2] {
			t.Errorf("%s becomes %s; must become %s", x[1], got, x[2])
		}
	}
	if got := bindRule("Buffer", vk.ErrOpaqueAddress); got != vk.ErrOpaqueAddress {
		t.Errorf("another error becomes %v; must stay", got)
	}
}
