package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// countKernel adds n to the word at an address.
const countKernel = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 to, .param .u32 n)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [to];
	ld.param.u32 %r1, [n];
	red.global.add.u32 [%rd1], %r1;
	ret;
}
`

// cudaKernel makes a module and its kernel with a name.
func cudaKernel(t *testing.T, p *program, source, name string) (module abi.CudaModuleNV, function abi.CudaFunctionNV) {
	text := []byte(source)
	must(p, abi.CmdCreateCudaModuleNV, &abi.CreateCudaModuleNVArgs{Device: p.device, PModule: &module,
		PCreateInfo: &abi.CudaModuleCreateInfoNV{SType: abi.StructureTypeCudaModuleCreateInfoNV, DataSize: uint(len(text)), PData: unsafe.Pointer(&text[0])}})
	must(p, abi.CmdCreateCudaFunctionNV, &abi.CreateCudaFunctionNVArgs{Device: p.device, PFunction: &function,
		PCreateInfo: &abi.CudaFunctionCreateInfoNV{SType: abi.StructureTypeCudaFunctionCreateInfoNV, Module: module, PName: cText(t, name)}})
	return module, function
}

// TestCudaCache checks the size protocol of the cache, and that a module of the cache has the same one.
func TestCudaCache(t *testing.T) {
	p := newProgram(t)
	module, function := cudaKernel(t, p, countKernel, "count")
	query := func(m abi.CudaModuleNV, size *uint, to unsafe.Pointer) abi.Result {
		return do(abi.CmdGetCudaModuleCacheNV, &abi.GetCudaModuleCacheNVArgs{Device: p.device, Module: m, PCacheSize: size, PCacheData: to})
	}
	size := uint(0)
	if r := query(module, &size, nil); r != abi.Success || size <= uint(len(countKernel)) {
		t.Fatalf("the size of the cache is %d, %d; must be larger than the PTX, and VK_SUCCESS", size, r)
	}
	data := make([]byte, size)
	if r := query(module, &size, unsafe.Pointer(&data[0])); r != abi.Success || size != uint(len(data)) {
		t.Errorf("the cache has %d bytes, %d; must have %d", size, r, len(data))
	}
	short := size - 1
	if r := query(module, &short, unsafe.Pointer(&data[0])); r != abi.Incomplete {
		t.Errorf("a query with too little space returns %d; must return VK_INCOMPLETE", r)
	}
	var again abi.CudaModuleNV
	must(p, abi.CmdCreateCudaModuleNV, &abi.CreateCudaModuleNVArgs{Device: p.device, PModule: &again,
		PCreateInfo: &abi.CudaModuleCreateInfoNV{SType: abi.StructureTypeCudaModuleCreateInfoNV, DataSize: size, PData: unsafe.Pointer(&data[0])}})
	do(abi.CmdDestroyCudaFunctionNV, &abi.DestroyCudaFunctionNVArgs{Device: p.device, Function: function})
	for _, m := range []abi.CudaModuleNV{module, again} {
		do(abi.CmdDestroyCudaModuleNV, &abi.DestroyCudaModuleNVArgs{Device: p.device, Module: m})
	}
	if r := query(module, &size, nil); r >= 0 || size != 0 {
		t.Errorf("the cache of a destroyed module: %d and the size %d; must be an error and 0", r, size)
	}
}

// TestCudaLaunch launches a kernel with its parameters. A launch with too few, or without a table, is dropped.
func TestCudaLaunch(t *testing.T) {
	p := newProgram(t)
	_, function := cudaKernel(t, p, countKernel, "count")
	_, to, content := p.addressed(abi.BufferUsageStorageBufferBit, 4)
	content[0] = 4
	n := uint32(3)
	table := []unsafe.Pointer{unsafe.Pointer(&to), unsafe.Pointer(&n)}
	p.submit(func(c abi.CommandBuffer) {
		for _, x := range []struct {
			count uint
			table unsafe.Pointer
		}{{2, unsafe.Pointer(&table[0])}, {1, unsafe.Pointer(&table[0])}, {2, nil}} {
			do(abi.CmdCmdCudaLaunchKernelNV, &abi.CmdCudaLaunchKernelNVArgs{CommandBuffer: c, PLaunchInfo: &abi.CudaLaunchInfoNV{
				SType: abi.StructureTypeCudaLaunchInfoNV, Function: function, GridDimX: 2, GridDimY: 1, GridDimZ: 1,
				BlockDimX: 5, BlockDimY: 1, BlockDimZ: 1, ParamCount: x.count, PParams: x.table,
			}})
		}
	})
	if content[0] != 4+2*5*3 {
		t.Errorf("the word is %d; must be 34", content[0])
	}
}

// copyKernel writes the word 7 to a texel of a surface, and reads it as a texture.
const copyKernel = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 surface, .param .u64 texture, .param .u64 to)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [surface];
	ld.param.u64 %rd2, [texture];
	ld.param.u64 %rd3, [to];
	sust.b.2d.b32.trap [%rd1, {4, 1}], 7;
	tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd2, {1, 1}];
	st.global.u32 [%rd3], %r0;
	ret;
}
`

// TestImageViewHandles launches a kernel on the handles of an image view (VK_NVX_image_view_handle).
func TestImageViewHandles(t *testing.T) {
	p := newProgram(t)
	_, function := cudaKernel(t, p, copyKernel, "copy")
	var m abi.Image
	must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{ImageType: abi.ImageType2d, Format: abi.FormatR32Uint, Extent: abi.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: abi.ImageUsageSampledBit | abi.ImageUsageStorageBit}})
	var memory abi.DeviceMemory
	flags := abi.MemoryAllocateFlagsInfo{SType: abi.StructureTypeMemoryAllocateFlagsInfo, Flags: abi.MemoryAllocateDeviceAddressBit}
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&flags), AllocationSize: 4096}, PMemory: &memory})
	must(p, abi.CmdBindImageMemory, &abi.BindImageMemoryArgs{Device: p.device, Image: m, Memory: memory})
	var v abi.ImageView
	must(p, abi.CmdCreateImageView, &abi.CreateImageViewArgs{Device: p.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{Image: m, ViewType: abi.ImageViewType2d, Format: abi.FormatR32Uint,
		SubresourceRange: abi.ImageSubresourceRange{AspectMask: abi.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}}})
	handle := func(kind uint32) *abi.ImageViewHandleInfoNVX {
		return &abi.ImageViewHandleInfoNVX{SType: abi.StructureTypeImageViewHandleInfoNVX, ImageView: v, DescriptorType: kind}
	}
	surface := uint64(Call(abi.CmdGetImageViewHandle64NVX, unsafe.Pointer(&abi.GetImageViewHandle64NVXArgs{Device: p.device, PInfo: handle(abi.DescriptorTypeStorageImage)})))
	texture := uint64(Call(abi.CmdGetImageViewHandleNVX, unsafe.Pointer(&abi.GetImageViewHandleNVXArgs{Device: p.device, PInfo: handle(abi.DescriptorTypeSampledImage)})))
	if none := Call(abi.CmdGetImageViewHandle64NVX, unsafe.Pointer(&abi.GetImageViewHandle64NVXArgs{Device: p.device, PInfo: handle(abi.DescriptorTypeUniformBuffer)})); none != 0 {
		t.Errorf("the handle as a buffer is %#x; must be 0", none)
	}
	if combined := uint64(Call(abi.CmdGetDeviceCombinedImageSamplerIndexNVX, unsafe.Pointer(&abi.GetDeviceCombinedImageSamplerIndexNVXArgs{Device: p.device, ImageViewIndex: texture}))); combined != texture {
		t.Errorf("the texture without a sampler is %#x; must be %#x", combined, texture)
	}
	var at abi.ImageViewAddressPropertiesNVX
	must(p, abi.CmdGetImageViewAddressNVX, &abi.GetImageViewAddressNVXArgs{Device: p.device, ImageView: v, PProperties: &at})
	if at.DeviceAddress == 0 || at.Size < 64 {
		t.Errorf("the image has the address %#x and %d bytes; must have an address and at least 64", at.DeviceAddress, at.Size)
	}
	_, to, content := p.addressed(abi.BufferUsageStorageBufferBit, 4)
	table := []unsafe.Pointer{unsafe.Pointer(&surface), unsafe.Pointer(&texture), unsafe.Pointer(&to)}
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdCudaLaunchKernelNV, &abi.CmdCudaLaunchKernelNVArgs{CommandBuffer: c, PLaunchInfo: &abi.CudaLaunchInfoNV{
			SType: abi.StructureTypeCudaLaunchInfoNV, Function: function, GridDimX: 1, GridDimY: 1, GridDimZ: 1, BlockDimX: 1, BlockDimY: 1, BlockDimZ: 1,
			ParamCount: 3, PParams: unsafe.Pointer(&table[0])}})
	})
	if content[0] != 7 {
		t.Errorf("the texel is %d; must be 7", content[0])
	}
}
