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

// TestStaleAddresses writes results that are addresses to memory of the application with any values: they may be stale addresses
// of free objects of Go, which the garbage collector does not accept as pointers.
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
	close(stop)
	collector.Wait()
}

// freed returns addresses of objects that are free, in spans with objects that are kept.
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
