package driver

import (
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestStaleAddresses writes addresses as results to memory of the application that holds stale addresses of freed Go objects. The
// garbage collector does not accept those as pointers.
func TestStaleAddresses(t *testing.T) {
	p := newProgram(t)
	const count = 64
	bytes, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(bytes)
	words := unsafe.Slice((*uintptr)(unsafe.Pointer(&bytes[0])), count)
	handles := (**abi.Dispatch)(unsafe.Pointer(&bytes[0]))
	var memory abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 64}, PMemory: &memory})
	defer do(abi.CmdFreeMemory, &abi.FreeMemoryArgs{Device: p.device, Memory: memory})
	var pool abi.CommandPool
	must(p, abi.CmdCreateCommandPool, &abi.CreateCommandPoolArgs{Device: p.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool})
	defer do(abi.CmdDestroyCommandPool, &abi.DestroyCommandPoolArgs{Device: p.device, CommandPool: pool})

	stale, kept := freed()
	defer runtime.KeepAlive(kept)
	defer collecting()()
	for n := range 400 {
		one := uint32(1)
		for _, call := range []func(){
			func() {
				must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: memory, Size: abi.WholeSize, PpData: unsafe.Pointer(handles)})
			},
			func() {
				must(p, abi.CmdMapMemory2, &abi.MapMemory2Args{Device: p.device, PMemoryMapInfo: &abi.MemoryMapInfo{Memory: memory, Size: abi.WholeSize}, PpData: unsafe.Pointer(handles)})
			},
			func() { do(abi.CmdGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: p.device, PQueue: handles}) },
			func() {
				do(abi.CmdGetDeviceQueue2, &abi.GetDeviceQueue2Args{Device: p.device, PQueueInfo: &abi.DeviceQueueInfo2{}, PQueue: handles})
			},
			func() {
				must(p, abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: &one, PPhysicalDevices: handles})
			},
			func() {
				must(p, abi.CmdEnumeratePhysicalDeviceGroups, &abi.EnumeratePhysicalDeviceGroupsArgs{Instance: p.instance, PPhysicalDeviceGroupCount: &one, PPhysicalDeviceGroupProperties: (*abi.PhysicalDeviceGroupProperties)(unsafe.Pointer(handles))})
			},
			func() {
				must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: p.device, PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 8}, PCommandBuffers: handles})
				do(abi.CmdFreeCommandBuffers, &abi.FreeCommandBuffersArgs{Device: p.device, CommandPool: pool, CommandBufferCount: 8, PCommandBuffers: handles})
			},
		} {
			for i := range words {
				words[i] = stale[(count*n+i)%len(stale)]
			}
			call()
		}
	}
}

// collecting runs the garbage collector until its result is called.
func collecting() (end func()) {
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() {
		close(stop)
		collector.Wait()
	}
}

// freed returns addresses of freed objects in spans with live objects.
func freed() (stale []uintptr, kept []*[96]byte) {
	for n := range 1 << 13 {
		x := new([96]byte)
		if n%8 == 0 {
			kept = append(kept, x)
		} else {
			stale = append(stale, uintptr(unsafe.Pointer(x)))
		}
	}
	runtime.GC()
	runtime.GC()
	slices.Reverse(stale) // the allocator takes the first ones again
	return stale, kept
}

// outside returns zero memory that is not of Go: the collector does not read it, as it does not read the application's.
func outside[T any](t *testing.T, n int) []T {
	t.Helper()
	bytes, err := syscall.Mmap(-1, 0, max(n*int(unsafe.Sizeof(*new(T))), 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(bytes) })
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), n)
}

// TestIgnoredAddresses reads structs whose pointers to state that Vulkan ignores are stale addresses of free objects of Go: they must
// not be in variables of pointers, where the garbage collector finds them.
func TestIgnoredAddresses(t *testing.T) {
	stale, kept := freed()
	defer runtime.KeepAlive(kept)
	next := 0
	wrong := func(to unsafe.Pointer) {
		*(*uintptr)(to) = stale[next%len(stale)]
		next++
	}
	name := outside[byte](t, 5)
	copy(name, "main")
	stage := &outside[abi.PipelineShaderStageCreateInfo](t, 1)[0]
	stage.Stage, stage.PName = abi.ShaderStageVertexBit, &name[0]
	raster := &outside[abi.PipelineRasterizationStateCreateInfo](t, 1)[0]
	groups := outside[abi.GraphicsShaderGroupCreateInfoNV](t, 8)
	chained := &outside[abi.GraphicsPipelineShaderGroupsCreateInfoNV](t, 1)[0]
	chained.SType, chained.GroupCount, chained.PGroups = abi.StructureTypeGraphicsPipelineShaderGroupsCreateInfoNV, uint32(len(groups)), &groups[0]
	for i := range groups {
		groups[i].StageCount, groups[i].PStages = 1, stage
	}
	pipeline := &outside[abi.GraphicsPipelineCreateInfo](t, 1)[0]
	pipeline.StageCount, pipeline.PStages, pipeline.PRasterizationState = 1, stage, raster
	bindings := outside[abi.DescriptorSetLayoutBinding](t, 64)
	set := &outside[abi.DescriptorSetLayoutCreateInfo](t, 1)[0]
	set.BindingCount, set.PBindings = uint32(len(bindings)), &bindings[0]
	for i := range bindings {
		bindings[i].DescriptorType, bindings[i].DescriptorCount = abi.DescriptorTypeStorageBuffer, 1
	}
	tokens := outside[abi.IndirectCommandsLayoutTokenNV](t, 64)
	stream := &outside[abi.IndirectCommandsLayoutCreateInfoNV](t, 1)[0]
	stream.TokenCount, stream.PTokens = uint32(len(tokens)), &tokens[0]
	for i := range tokens {
		tokens[i].TokenType = abi.IndirectCommandsTokenTypeDispatchNV
	}
	defer collecting()()
	for range 2000 {
		for i := range bindings {
			wrong(unsafe.Pointer(&bindings[i].PImmutableSamplers))
			wrong(unsafe.Pointer(&tokens[i].PIndexTypes))
			wrong(unsafe.Pointer(&tokens[i].PIndexTypeValues))
		}
		for i := range groups {
			wrong(unsafe.Pointer(&groups[i].PTessellationState))
		}
		wrong(unsafe.Pointer(&pipeline.PTessellationState))
		wrong(unsafe.Pointer(&pipeline.PDepthStencilState))
		wrong(unsafe.Pointer(&pipeline.PColorBlendState))
		pipeline.PNext = nil
		graphicsInfo(pipeline, 0)
		raster.RasterizerDiscardEnable = abi.True
		wrong(unsafe.Pointer(&pipeline.PViewportState))
		wrong(unsafe.Pointer(&pipeline.PMultisampleState))
		pipeline.PNext = unsafe.Pointer(chained)
		graphicsInfo(pipeline, 0)
		raster.RasterizerDiscardEnable = abi.False
		*(*uintptr)(unsafe.Pointer(&pipeline.PViewportState)) = 0
		*(*uintptr)(unsafe.Pointer(&pipeline.PMultisampleState)) = 0
		setLayoutInfo(set)
		streamLayout(stream)
	}
}

// TestIgnoredReplayHandles reads a shader group of a device without the feature of replay handles: the pointer to one may be anything.
func TestIgnoredReplayHandles(t *testing.T) {
	group := &outside[abi.RayTracingShaderGroupCreateInfoKHR](t, 1)[0]
	*(*uintptr)(unsafe.Pointer(&group.PShaderGroupCaptureReplayHandle)) = 16
	i := &abi.RayTracingPipelineCreateInfoKHR{GroupCount: 1, PGroups: group}
	if info := rayInfo(i, 0, false); len(info.ReplayHandles) != 1 || info.ReplayHandles[0] != nil {
		t.Errorf("the replay handles are %v; must be one nil", info.ReplayHandles)
	}
}
