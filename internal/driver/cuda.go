package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// The driver does not announce VK_NV_cuda_kernel_launch, because it has no compiler for PTX. A program that calls the commands of the
// extension gets the errors of package vk, and no handle.

var cudaCalls = map[int]call{
	abi.CmdCreateCudaModuleNV: on(func(a *abi.CreateCudaModuleNVArgs) abi.Result {
		*a.PModule = 0
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		_, err := d.vk.NewCudaModule(abi.Bytes(a.PCreateInfo.PData, uint64(a.PCreateInfo.DataSize)))
		return d.result(err)
	}),
	abi.CmdCreateCudaFunctionNV: on(func(a *abi.CreateCudaFunctionNVArgs) abi.Result {
		*a.PFunction = 0
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		_, err := d.vk.NewCudaFunction(nil, "")
		return d.result(err)
	}),
	abi.CmdGetCudaModuleCacheNV: on(func(a *abi.GetCudaModuleCacheNVArgs) abi.Result {
		*a.PCacheSize = 0
		_, err := (*vk.CudaModule)(nil).Cache()
		return deviceOf(a.Device).result(err)
	}),
	abi.CmdDestroyCudaModuleNV:   run(func(*abi.DestroyCudaModuleNVArgs) {}),
	abi.CmdDestroyCudaFunctionNV: run(func(*abi.DestroyCudaFunctionNVArgs) {}),
}

var cudaCommands = map[int]recorder{
	abi.CmdCmdCudaLaunchKernelNV: rec(func(c *commandBuffer, a *abi.CmdCudaLaunchKernelNVArgs) {
		i := a.PLaunchInfo
		info := vk.CudaLaunchInfo{
			Grid: [3]uint32{i.GridDimX, i.GridDimY, i.GridDimZ}, Block: [3]uint32{i.BlockDimX, i.BlockDimY, i.BlockDimZ}, SharedBytes: i.SharedMemBytes,
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
