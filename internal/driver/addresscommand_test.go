package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestAddressTransfers fills, updates and copies memory, copies it to an image and back, copies the results of queries, and dispatches, all
// at device addresses.
func TestAddressTransfers(t *testing.T) {
	p := newProgram(t)
	_, address, content := p.addressed(abi.BufferUsageTransferDstBit|abi.BufferUsageTransferSrcBit|abi.BufferUsageIndirectBufferBit, 64)
	words := func(first, n uint64) abi.DeviceAddressRangeKHR {
		return abi.DeviceAddressRangeKHR{Address: address + 4*first, Size: 4 * n}
	}
	var m abi.Image
	must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{ImageType: abi.ImageType2d, Format: abi.FormatR8g8b8a8Unorm, Extent: abi.Extent3D{Width: 2, Height: 2, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: abi.ImageUsageTransferDstBit | abi.ImageUsageTransferSrcBit}})
	var memory abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 4096}, PMemory: &memory})
	must(p, abi.CmdBindImageMemory, &abi.BindImageMemoryArgs{Device: p.device, Image: m, Memory: memory})
	image := func(r abi.DeviceAddressRangeKHR, row uint32) *abi.CopyDeviceMemoryImageInfoKHR {
		return &abi.CopyDeviceMemoryImageInfoKHR{Image: m, RegionCount: 1, PRegions: &abi.DeviceMemoryImageCopyKHR{
			AddressRange: r, AddressRowLength: row, ImageSubresource: abi.ImageSubresourceLayers{AspectMask: abi.ImageAspectColorBit, LayerCount: 1}, ImageExtent: abi.Extent3D{Width: 2, Height: 2, Depth: 1},
		}}
	}
	b, numbered := p.buffer(8)
	pipe, layout, set := p.kernel(numbers, b)
	var pool abi.QueryPool
	must(p, abi.CmdCreateQueryPool, &abi.CreateQueryPoolArgs{Device: p.device, PQueryPool: &pool, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: abi.QueryTypeTimestamp, QueryCount: 1}})
	update := [3]uint32{2, 1, 1}
	p.submit(func(c abi.CommandBuffer) {
		all := words(0, 48)
		do(abi.CmdCmdFillMemoryKHR, &abi.CmdFillMemoryKHRArgs{CommandBuffer: c, PDstRange: &all, Data: 7})
		three := words(1, 3)
		do(abi.CmdCmdUpdateMemoryKHR, &abi.CmdUpdateMemoryKHRArgs{CommandBuffer: c, PDstRange: &three, DataSize: 12, PData: unsafe.Pointer(&update)})
		regions := [2]abi.DeviceMemoryCopyKHR{{SrcRange: words(1, 3), DstRange: words(8, 3)}, {SrcRange: words(0, 2), DstRange: words(16, 2)}}
		do(abi.CmdCmdCopyMemoryKHR, &abi.CmdCopyMemoryKHRArgs{CommandBuffer: c, PCopyMemoryInfo: &abi.CopyDeviceMemoryInfoKHR{RegionCount: 2, PRegions: &regions[0]}})
		do(abi.CmdCmdCopyMemoryToImageKHR, &abi.CmdCopyMemoryToImageKHRArgs{CommandBuffer: c, PCopyMemoryInfo: image(words(0, 4), 0)})
		do(abi.CmdCmdCopyImageToMemoryKHR, &abi.CmdCopyImageToMemoryKHRArgs{CommandBuffer: c, PCopyMemoryInfo: image(words(24, 5), 3)})
		do(abi.CmdCmdResetQueryPool, &abi.CmdResetQueryPoolArgs{CommandBuffer: c, QueryPool: pool, QueryCount: 1})
		do(abi.CmdCmdWriteTimestamp, &abi.CmdWriteTimestampArgs{CommandBuffer: c, QueryPool: pool})
		do(abi.CmdCmdCopyQueryPoolResultsToMemoryKHR, &abi.CmdCopyQueryPoolResultsToMemoryKHRArgs{
			CommandBuffer: c, QueryPool: pool, QueryCount: 1, QueryResultFlags: abi.QueryResult64Bit | abi.QueryResultWithAvailabilityBit,
			PDstRange: &abi.StridedDeviceAddressRangeKHR{Address: address + 4*32, Size: 16, Stride: 16},
		})
		bindKernel(c, pipe, layout, set)
		push(c, layout, 3)
		do(abi.CmdCmdDispatchIndirect2KHR, &abi.CmdDispatchIndirect2KHRArgs{CommandBuffer: c, PInfo: &abi.DispatchIndirect2InfoKHR{AddressRange: words(8, 3)}})
	})
	p.multiples(numbered, 3)
	for _, x := range []struct {
		first int
		want  []uint32
	}{{0, []uint32{7, 2, 1, 1, 7}}, {8, []uint32{2, 1, 1, 7}}, {16, []uint32{7, 2, 7}}, {24, []uint32{7, 2, 7, 1, 1, 7}}, {34, []uint32{1, 0, 7}}, {47, []uint32{7, 0}}} {
		if got := content[x.first:][:len(x.want)]; !slices.Equal(got, x.want) {
			t.Errorf("words from %d on: %v; must be %v", x.first, got, x.want)
		}
	}
	do(abi.CmdDestroyQueryPool, &abi.DestroyQueryPoolArgs{Device: p.device, QueryPool: pool})
}

// TestAddressDraws draws by each indirect command at addresses, with vertex and index buffers, conditional rendering and transform feedback at
// addresses. Each draw that runs multiplies the pixels by 0.5.
func TestAddressDraws(t *testing.T) {
	p := newProgram(t)
	bind := p.graphicsShaders()
	_, address, words := p.addressed(abi.BufferUsageIndirectBufferBit|abi.BufferUsageIndexBufferBit|abi.BufferUsageVertexBufferBit, 32)
	copy(words, []uint32{3, 1, 0, 0, 3, 1, 0, 0, 0, 1, 0, 1, 2, 36, 0, 77}) // a draw, an indexed draw, a count, indices, a counter in bytes, a predicate
	at := func(first, n uint64) abi.DeviceAddressRangeKHR {
		return abi.DeviceAddressRangeKHR{Address: address + 4*first, Size: 4 * n}
	}
	strided := func(first, n uint64) abi.StridedDeviceAddressRangeKHR {
		return abi.StridedDeviceAddressRangeKHR{Address: address + 4*first, Size: 4 * n, Stride: 4 * n}
	}
	keep := [2]uint32{abi.FragmentShadingRateCombinerOpKeepKHR, abi.FragmentShadingRateCombinerOpKeepKHR}
	pixels := p.drawn(func(c abi.CommandBuffer) {
		bind(c)
		do(abi.CmdCmdSetSampleLocationsEnableEXT, &abi.CmdSetSampleLocationsEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthBias, &abi.CmdSetDepthBiasArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthClampRangeEXT, &abi.CmdSetDepthClampRangeEXTArgs{CommandBuffer: c, DepthClampMode: abi.DepthClampModeViewportRangeEXT})
		do(abi.CmdCmdSetFragmentShadingRateKHR, &abi.CmdSetFragmentShadingRateKHRArgs{CommandBuffer: c, PFragmentSize: &abi.Extent2D{Width: 1, Height: 1}, CombinerOps: &keep[0]})
		do(abi.CmdCmdSetColorBlendAdvancedEXT, &abi.CmdSetColorBlendAdvancedEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorBlendAdvanced: &abi.ColorBlendAdvancedEXT{AdvancedBlendOp: abi.BlendOpMultiplyEXT, SrcPremultiplied: 1, DstPremultiplied: 1}})
		do(abi.CmdCmdBindIndexBuffer3KHR, &abi.CmdBindIndexBuffer3KHRArgs{CommandBuffer: c, PInfo: &abi.BindIndexBuffer3InfoKHR{AddressRange: at(10, 3), IndexType: abi.IndexTypeUint32}})
		do(abi.CmdCmdBindVertexBuffers3KHR, &abi.CmdBindVertexBuffers3KHRArgs{CommandBuffer: c, BindingCount: 1, PBindingInfos: &abi.BindVertexBuffer3InfoKHR{SetStride: 1, AddressRange: strided(0, 4)}})
		do(abi.CmdCmdDrawIndirect2KHR, &abi.CmdDrawIndirect2KHRArgs{CommandBuffer: c, PInfo: &abi.DrawIndirect2InfoKHR{AddressRange: strided(0, 4), DrawCount: 1}})
		do(abi.CmdCmdDrawIndexedIndirect2KHR, &abi.CmdDrawIndexedIndirect2KHRArgs{CommandBuffer: c, PInfo: &abi.DrawIndirect2InfoKHR{AddressRange: strided(4, 5), DrawCount: 1}})
		do(abi.CmdCmdDrawIndirectCount2KHR, &abi.CmdDrawIndirectCount2KHRArgs{CommandBuffer: c, PInfo: &abi.DrawIndirectCount2InfoKHR{AddressRange: strided(0, 4), CountAddressRange: at(9, 1), MaxDrawCount: 1}})
		do(abi.CmdCmdDrawIndexedIndirectCount2KHR, &abi.CmdDrawIndexedIndirectCount2KHRArgs{CommandBuffer: c, PInfo: &abi.DrawIndirectCount2InfoKHR{AddressRange: strided(4, 5), CountAddressRange: at(9, 1), MaxDrawCount: 1}})
		do(abi.CmdCmdDrawIndirectByteCount2EXT, &abi.CmdDrawIndirectByteCount2EXTArgs{CommandBuffer: c, InstanceCount: 1, PCounterInfo: &abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: at(13, 1)}, VertexStride: 12})
		do(abi.CmdCmdBeginConditionalRendering2EXT, &abi.CmdBeginConditionalRendering2EXTArgs{CommandBuffer: c, PConditionalRenderingBegin: &abi.ConditionalRenderingBeginInfo2EXT{AddressRange: at(14, 1)}})
		do(abi.CmdCmdDraw, &abi.CmdDrawArgs{CommandBuffer: c, VertexCount: 3, InstanceCount: 1})
		do(abi.CmdCmdEndConditionalRenderingEXT, &abi.CmdEndConditionalRenderingEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdBindTransformFeedbackBuffers2EXT, &abi.CmdBindTransformFeedbackBuffers2EXTArgs{CommandBuffer: c, BindingCount: 1, PBindingInfos: &abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: at(16, 16)}})
		do(abi.CmdCmdBeginTransformFeedback2EXT, &abi.CmdBeginTransformFeedback2EXTArgs{CommandBuffer: c, CounterRangeCount: 1, PCounterInfos: &abi.BindTransformFeedbackBuffer2InfoEXT{}})
		do(abi.CmdCmdEndTransformFeedback2EXT, &abi.CmdEndTransformFeedback2EXTArgs{CommandBuffer: c, CounterRangeCount: 1, PCounterInfos: &abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: at(15, 1)}})
	})
	for i, v := range pixels {
		if v != 0xff040404 {
			t.Fatalf("pixel %d is %#x; must be 0xff040404", i, v)
		}
	}
	if words[15] != 0 {
		t.Errorf("the counter of transform feedback is %d; must be 0", words[15])
	}
}

// TestAddressStructure makes a structure in a range of addresses. A range that is not in memory has none, and commands on it do nothing.
func TestAddressStructure(t *testing.T) {
	p := newProgram(t)
	_, area, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR, 4096)
	var s, none abi.AccelerationStructureKHR
	must(p, abi.CmdCreateAccelerationStructure2KHR, &abi.CreateAccelerationStructure2KHRArgs{Device: p.device, PAccelerationStructure: &s, PCreateInfo: &abi.AccelerationStructureCreateInfo2KHR{
		AddressRange: abi.DeviceAddressRangeKHR{Address: area + 256, Size: 4096}, Type: 1,
	}})
	for _, r := range []abi.DeviceAddressRangeKHR{{Address: area + 8, Size: 512}, {Address: area, Size: 1 << 40}, {Size: 512}, {}} {
		if got := do(abi.CmdCreateAccelerationStructure2KHR, &abi.CreateAccelerationStructure2KHRArgs{Device: p.device, PAccelerationStructure: &none, PCreateInfo: &abi.AccelerationStructureCreateInfo2KHR{AddressRange: r, Type: 1}}); got == abi.Success {
			t.Errorf("a structure was made in %+v; must fail", r)
		}
	}
	if got := Call(abi.CmdGetAccelerationStructureDeviceAddressKHR, unsafe.Pointer(&abi.GetAccelerationStructureDeviceAddressKHRArgs{Device: p.device, PInfo: &abi.AccelerationStructureDeviceAddressInfoKHR{AccelerationStructure: s}})); uint64(got) != area+256 {
		t.Errorf("the structure has the address %#x; must have that of its range, %#x", got, area+256)
	}
	do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: s})

	_, address, words := p.addressed(abi.BufferUsageTransferDstBit, 16)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdFillMemoryKHR, &abi.CmdFillMemoryKHRArgs{CommandBuffer: c, PDstRange: &abi.DeviceAddressRangeKHR{Address: 16, Size: 64}, Data: 5})
		do(abi.CmdCmdFillMemoryKHR, &abi.CmdFillMemoryKHRArgs{CommandBuffer: c, PDstRange: &abi.DeviceAddressRangeKHR{Address: address + 60, Size: 1 << 20}, Data: 6})
		do(abi.CmdCmdFillMemoryKHR, &abi.CmdFillMemoryKHRArgs{CommandBuffer: c, PDstRange: &abi.DeviceAddressRangeKHR{Address: address, Size: 8}, Data: 7})
	})
	if want := []uint32{7, 7, 0}; !slices.Equal(words[:3], want) || words[15] != 0 {
		t.Errorf("words %v; must be %v", words, want)
	}
}
