package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

var (
	cudaModules   table[vk.CudaModule]
	cudaFunctions table[vk.CudaFunction]
)

var cudaCalls = map[int]call{
	abi.CmdCreateCudaModuleNV: on(func(a *abi.CreateCudaModuleNVArgs) abi.Result {
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		m, err := d.vk.NewCudaModule(abi.Bytes(a.PCreateInfo.PData, uint64(a.PCreateInfo.DataSize)))
		return created(d, &cudaModules, m, err, unsafe.Pointer(a.PModule))
	}),
	abi.CmdCreateCudaFunctionNV: on(func(a *abi.CreateCudaFunctionNVArgs) abi.Result {
		d, i := deviceOf(a.Device), a.PCreateInfo
		if d == nil {
			return abi.ErrorDeviceLost
		}
		f, err := d.vk.NewCudaFunction(cudaModules.get(uint64(i.Module)), abi.String(unsafe.Pointer(i.PName)))
		return created(d, &cudaFunctions, f, err, unsafe.Pointer(a.PFunction))
	}),
	abi.CmdGetCudaModuleCacheNV: on(func(a *abi.GetCudaModuleCacheNVArgs) abi.Result {
		data, err := cudaModules.get(uint64(a.Module)).Cache()
		if err != nil {
			*a.PCacheSize = 0
			return deviceOf(a.Device).result(err)
		}
		return putBytes(a.PCacheSize, a.PCacheData, data)
	}),
	abi.CmdGetImageViewHandleNVX: value(func(a *abi.GetImageViewHandleNVXArgs) uint64 {
		return uint64(uint32(viewHandle(a.Device, a.PInfo)))
	}),
	abi.CmdGetImageViewHandle64NVX: value(func(a *abi.GetImageViewHandle64NVXArgs) uint64 { return viewHandle(a.Device, a.PInfo) }),
	abi.CmdGetImageViewAddressNVX: on(func(a *abi.GetImageViewAddressNVXArgs) abi.Result {
		address, size, err := imageViews.get(uint64(a.ImageView)).Address()
		if err != nil {
			return abi.ErrorUnknown
		}
		a.PProperties.DeviceAddress, a.PProperties.Size = address, size
		return abi.Success
	}),
	abi.CmdGetDeviceCombinedImageSamplerIndexNVX: value(func(a *abi.GetDeviceCombinedImageSamplerIndexNVXArgs) uint64 {
		return vk.CombinedHandle(a.ImageViewIndex, a.SamplerIndex)
	}),
	abi.CmdDestroyCudaModuleNV:   run(func(a *abi.DestroyCudaModuleNVArgs) { destroy(&cudaModules, uint64(a.Module)) }),
	abi.CmdDestroyCudaFunctionNV: run(func(a *abi.DestroyCudaFunctionNVArgs) { destroy(&cudaFunctions, uint64(a.Function)) }),
}

// viewHandle returns the handle of an image view (VK_NVX_image_view_handle); 0 if it has none.
func viewHandle(on *abi.Dispatch, i *abi.ImageViewHandleInfoNVX) uint64 {
	d := deviceOf(on)
	t, known := link.DescriptorTypeOf(i.DescriptorType)
	if d == nil || !known {
		return 0
	}
	h, err := d.vk.ViewHandle(vk.ViewHandleInfo{Type: t, View: imageViews.get(uint64(i.ImageView)), Sampler: samplers.get(uint64(i.Sampler))})
	if err != nil {
		d.result(err)
		return 0
	}
	return h
}

var cudaCommands = map[int]recorder{
	abi.CmdCmdCudaLaunchKernelNV: rec(func(c *commandBuffer, a *abi.CmdCudaLaunchKernelNVArgs) {
		i := a.PLaunchInfo
		f := cudaFunctions.get(uint64(i.Function))
		info := vk.CudaLaunchInfo{
			Function: f, Grid: [3]uint32{i.GridDimX, i.GridDimY, i.GridDimZ}, Block: [3]uint32{i.BlockDimX, i.BlockDimY, i.BlockDimZ}, SharedBytes: i.SharedMemBytes,
			Params: cudaParams(f.ParamSizes(), i.PParams, i.ParamCount),
		}
		switch {
		case i.ExtraCount > 0:
			info.Extras = make([]uint64, 1)
		case i.PExtras != nil:
			info.Extras = []uint64{}
		}
		c.vk.CudaLaunchKernel(info)
	}),
}

// cudaParams reads the table of the addresses of parameters. The kernel has their sizes; a table of another length is not read.
func cudaParams(sizes []int, table unsafe.Pointer, n uint) [][]byte {
	if n != uint(len(sizes)) || table == nil {
		return make([][]byte, min(n, uint(len(sizes))+1))
	}
	list := make([][]byte, n)
	for i, p := range unsafe.Slice((*unsafe.Pointer)(table), n) {
		if p != nil {
			list[i] = abi.Bytes(p, uint64(sizes[i]))
		}
	}
	return list
}
