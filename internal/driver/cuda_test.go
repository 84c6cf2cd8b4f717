package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestCuda checks that no command of VK_NV_cuda_kernel_launch pretends: creation and queries return an error and no handle, and a
// command buffer with a launch cannot be executed.
func TestCuda(t *testing.T) {
	p := newProgram(t)
	text := []byte(".version 8.0\n")
	module, function, size := abi.CudaModuleNV(1), abi.CudaFunctionNV(1), uint(7)
	for name, r := range map[string]abi.Result{
		"vkCreateCudaModuleNV": do(abi.CmdCreateCudaModuleNV, &abi.CreateCudaModuleNVArgs{Device: p.device, PModule: &module,
			PCreateInfo: &abi.CudaModuleCreateInfoNV{SType: abi.StructureTypeCudaModuleCreateInfoNV, DataSize: uint(len(text)), PData: unsafe.Pointer(&text[0])}}),
		"vkCreateCudaFunctionNV": do(abi.CmdCreateCudaFunctionNV, &abi.CreateCudaFunctionNVArgs{Device: p.device, PFunction: &function,
			PCreateInfo: &abi.CudaFunctionCreateInfoNV{SType: abi.StructureTypeCudaFunctionCreateInfoNV, PName: cText(t, "main")}}),
		"vkGetCudaModuleCacheNV": do(abi.CmdGetCudaModuleCacheNV, &abi.GetCudaModuleCacheNVArgs{Device: p.device, PCacheSize: &size}),
	} {
		if r >= 0 {
			t.Errorf("%s returns %d; must be an error", name, r)
		}
	}
	if module != 0 || function != 0 || size != 0 {
		t.Errorf("the handles are %#x and %#x, the size %d; must be 0", module, function, size)
	}
	do(abi.CmdDestroyCudaModuleNV, &abi.DestroyCudaModuleNVArgs{Device: p.device, Module: 3})
	do(abi.CmdDestroyCudaFunctionNV, &abi.DestroyCudaFunctionNVArgs{Device: p.device, Function: 3})

	_, c := p.commands()
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	do(abi.CmdCmdCudaLaunchKernelNV, &abi.CmdCudaLaunchKernelNVArgs{CommandBuffer: c, PLaunchInfo: &abi.CudaLaunchInfoNV{SType: abi.StructureTypeCudaLaunchInfoNV, GridDimX: 1, GridDimY: 1, GridDimZ: 1}})
	if r := do(abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c}); r >= 0 {
		t.Errorf("vkEndCommandBuffer returns %d; must be an error", r)
	}
}
