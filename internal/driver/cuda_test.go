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

// cudaKernel makes the module and the kernel.
func cudaKernel(t *testing.T, p *program) (module abi.CudaModuleNV, function abi.CudaFunctionNV) {
	text := []byte(countKernel)
	must(p, abi.CmdCreateCudaModuleNV, &abi.CreateCudaModuleNVArgs{Device: p.device, PModule: &module,
		PCreateInfo: &abi.CudaModuleCreateInfoNV{SType: abi.StructureTypeCudaModuleCreateInfoNV, DataSize: uint(len(text)), PData: unsafe.Pointer(&text[0])}})
	must(p, abi.CmdCreateCudaFunctionNV, &abi.CreateCudaFunctionNVArgs{Device: p.device, PFunction: &function,
		PCreateInfo: &abi.CudaFunctionCreateInfoNV{SType: abi.StructureTypeCudaFunctionCreateInfoNV, Module: module, PName: cText(t, "count")}})
	return module, function
}

// TestCudaCache checks the size protocol of the cache, and that a module of the cache has the same one.
func TestCudaCache(t *testing.T) {
	p := newProgram(t)
	module, function := cudaKernel(t, p)
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
	_, function := cudaKernel(t, p)
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
