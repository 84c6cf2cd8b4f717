package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var (
	memories table[vk.Memory]
	buffers  table[vk.Buffer]
)

var memoryCalls = map[int]call{
	abi.CmdAllocateMemory: on(allocateMemory),
	abi.CmdFreeMemory:     run(freeMemory),
	abi.CmdMapMemory:      on(mapMemory),
	abi.CmdUnmapMemory:    run(func(a *abi.UnmapMemoryArgs) { unmap(a.Device, a.Memory, 0) }),
	abi.CmdMapMemory2:     on(mapMemory2),
	abi.CmdUnmapMemory2: on(func(a *abi.UnmapMemory2Args) abi.Result {
		return unmap(a.Device, a.PMemoryUnmapInfo.Memory, a.PMemoryUnmapInfo.Flags)
	}),
	abi.CmdFlushMappedMemoryRanges:      on(func(*abi.FlushMappedMemoryRangesArgs) abi.Result { return abi.Success }),
	abi.CmdInvalidateMappedMemoryRanges: on(func(*abi.InvalidateMappedMemoryRangesArgs) abi.Result { return abi.Success }),
	abi.CmdGetDeviceMemoryCommitment: run(func(a *abi.GetDeviceMemoryCommitmentArgs) {
		*a.PCommittedMemoryInBytes = memories.get(uint64(a.Memory)).Size()
	}),
	abi.CmdGetDeviceMemoryOpaqueCaptureAddress: value(func(a *abi.GetDeviceMemoryOpaqueCaptureAddressArgs) uint64 {
		return memories.get(uint64(a.PInfo.Memory)).OpaqueAddress()
	}),

	abi.CmdCreateBuffer:      on(createBuffer),
	abi.CmdDestroyBuffer:     run(func(a *abi.DestroyBufferArgs) { destroy(&buffers, uint64(a.Buffer)) }),
	abi.CmdCreateBufferView:  on(createBufferView),
	abi.CmdDestroyBufferView: run(func(a *abi.DestroyBufferViewArgs) { destroy(&bufferViews, uint64(a.BufferView)) }),
	abi.CmdBindBufferMemory:  on(bindBufferMemory),
	abi.CmdBindBufferMemory2: on(bindBufferMemory2),
	abi.CmdGetBufferMemoryRequirements: run(func(a *abi.GetBufferMemoryRequirementsArgs) {
		putRequirements(a.PMemoryRequirements, buffers.get(uint64(a.Buffer)).Requirements())
	}),
	abi.CmdGetBufferMemoryRequirements2: run(func(a *abi.GetBufferMemoryRequirements2Args) {
		putRequirements2(a.PMemoryRequirements, buffers.get(uint64(a.PInfo.Buffer)).Requirements())
	}),
	abi.CmdGetDeviceBufferMemoryRequirements: run(getDeviceBufferMemoryRequirements),
	abi.CmdGetBufferDeviceAddress:            value(func(a *abi.GetBufferDeviceAddressArgs) uint64 { return buffers.get(uint64(a.PInfo.Buffer)).Address() }),
	abi.CmdGetBufferOpaqueCaptureAddress: value(func(a *abi.GetBufferOpaqueCaptureAddressArgs) uint64 {
		return buffers.get(uint64(a.PInfo.Buffer)).OpaqueAddress()
	}),
}

func allocateMemory(a *abi.AllocateMemoryArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PAllocateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	info := vk.MemoryInfo{Size: i.AllocationSize, Type: vk.MemoryType(i.MemoryTypeIndex)}
	taken := func(bool) {}
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeMemoryAllocateFlagsInfo:
			info.DeviceAddress = (*abi.MemoryAllocateFlagsInfo)(s).Flags&abi.MemoryAllocateDeviceAddressBit != 0
		case abi.StructureTypeMemoryOpaqueCaptureAddressAllocateInfo:
			info.OpaqueAddress = (*abi.MemoryOpaqueCaptureAddressAllocateInfo)(s).OpaqueCaptureAddress
		case abi.StructureTypeMemoryDedicatedAllocateInfo:
			x := (*abi.MemoryDedicatedAllocateInfo)(s)
			info.Buffer, info.Image = buffers.get(uint64(x.Buffer)), images.get(uint64(x.Image))
		case abi.StructureTypeImportMemoryHostPointerInfoEXT:
			info.Host = abi.Bytes((*abi.ImportMemoryHostPointerInfoEXT)(s).PHostPointer, i.AllocationSize)
		case abi.StructureTypeExportMemoryAllocateInfo:
			info.Export = exports(s)
		case abi.StructureTypeImportMemoryFdInfoKHR:
			if x := (*abi.ImportMemoryFdInfoKHR)(s); x.HandleType != 0 && info.File == nil {
				taken = importMemory(x, &info)
			}
		}
	})
	info.Export = (info.Export || d.maps != nil && info.Host == nil && info.Type != vk.TileMemory) && info.File == nil // imported memory has a file
	m, err := d.vk.Allocate(info)
	r := created(d, &memories, m, err, unsafe.Pointer(a.PMemory))
	d.allocations.allocated(r, *(*abi.DeviceMemory)(unsafe.Pointer(a.PMemory)), i.AllocationSize, imports(&info))
	taken(r == abi.Success)
	return r
}

// bufferInfo reads the creation of a buffer.
func bufferInfo(i *abi.BufferCreateInfo) vk.BufferInfo {
	info := vk.BufferInfo{Size: i.Size, Usage: vk.BufferUsage(i.Usage), Flags: vk.BufferFlags(i.Flags)}
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeBufferOpaqueCaptureAddressCreateInfo:
			info.OpaqueAddress = (*abi.BufferOpaqueCaptureAddressCreateInfo)(s).OpaqueCaptureAddress
		case abi.StructureTypeBufferUsageFlags2CreateInfo:
			info.Usage = vk.BufferUsage((*abi.BufferUsageFlags2CreateInfo)(s).Usage)
		}
	})
	return info
}

func createBuffer(a *abi.CreateBufferArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	b, err := d.vk.NewBuffer(bufferInfo(a.PCreateInfo))
	return created(d, &buffers, b, err, unsafe.Pointer(a.PBuffer))
}

func createBufferView(a *abi.CreateBufferViewArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	v, err := d.vk.NewBufferView(vk.BufferViewInfo{Buffer: buffers.get(uint64(i.Buffer)), Format: format(i.Format), Offset: i.Offset, Range: i.Range})
	return created(d, &bufferViews, v, err, unsafe.Pointer(a.PView))
}

func bindBufferMemory(a *abi.BindBufferMemoryArgs) abi.Result {
	return deviceOf(a.Device).result(buffers.get(uint64(a.Buffer)).Bind(memories.get(uint64(a.Memory)), a.MemoryOffset))
}

func bindBufferMemory2(a *abi.BindBufferMemory2Args) abi.Result {
	result := abi.Result(abi.Success)
	for _, i := range array(a.PBindInfos, a.BindInfoCount) {
		r := deviceOf(a.Device).result(bindRule("Buffer", buffers.get(uint64(i.Buffer)).Bind(memories.get(uint64(i.Memory)), i.MemoryOffset)))
		if r != abi.Success {
			result = r
		}
		putStatus(i.PNext, r)
	}
	return result
}

// putStatus writes the result of one bind of several.
func putStatus(chain unsafe.Pointer, r abi.Result) {
	if s := abi.Find[abi.BindMemoryStatus](chain, abi.StructureTypeBindMemoryStatus); s != nil && s.PResult != nil {
		*s.PResult = r
	}
}

func putRequirements(to *abi.MemoryRequirements, r vk.MemoryRequirements) {
	*to = abi.MemoryRequirements{Size: r.Size, Alignment: r.Alignment, MemoryTypeBits: r.Types}
}

func putRequirements2(to *abi.MemoryRequirements2, r vk.MemoryRequirements) {
	putRequirements(&to.MemoryRequirements, r)
	if d := abi.Find[abi.MemoryDedicatedRequirements](to.PNext, abi.StructureTypeMemoryDedicatedRequirements); d != nil {
		d.PrefersDedicatedAllocation, d.RequiresDedicatedAllocation = flag(r.PrefersDedicated), flag(r.RequiresDedicated)
	}
	if t := abi.Find[abi.TileMemoryRequirementsQCOM](to.PNext, abi.StructureTypeTileMemoryRequirementsQCOM); t != nil {
		t.Size, t.Alignment = r.Tile()
	}
}

// flag returns a VkBool32.
func flag(on bool) uint32 {
	if on {
		return abi.True
	}
	return abi.False
}

func getDeviceBufferMemoryRequirements(a *abi.GetDeviceBufferMemoryRequirementsArgs) {
	if d := deviceOf(a.Device); d != nil {
		r, _ := d.vk.BufferRequirements(bufferInfo(a.PInfo.PCreateInfo)) // the call has no result
		putRequirements2(a.PMemoryRequirements, r)
	}
}
