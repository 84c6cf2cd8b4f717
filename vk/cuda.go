package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// CudaModule is a module of CUDA kernels (VkCudaModuleNV). No device can make one: see [Device.NewCudaModule].
type CudaModule struct{ object }

// CudaFunction is a kernel of a module (VkCudaFunctionNV). No device can make one.
type CudaFunction struct{ object }

// CudaLaunchInfo describes a launch of a kernel (VkCudaLaunchInfoNV).
type CudaLaunchInfo struct {
	Function    *CudaFunction
	Grid, Block [3]uint32 // blocks of the grid, threads of a block
	SharedBytes uint32    // of dynamic shared memory for each block
	Params      [][]byte  // the bytes of each argument
	Extras      []uint64  // reserved; must be nil
}

// noPTX is the error of all calls that need the meaning of PTX.
func noPTX(what string) error {
	return &UnsupportedError{Feature: what + ": the code of CUDA kernels is PTX, which Chiaro cannot read"}
}

// NewCudaModule would make a module of PTX, or of the data of [CudaModule.Cache]. It always returns an error: a *UsageError for
// data that no module has, else an *UnsupportedError.
func (d *Device) NewCudaModule(data []byte) (*CudaModule, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, usage(vuid.VkCudaModuleCreateInfoNV_dataSize_arraylength, "the data of a CUDA module has 0 bytes; must have more")
	}
	return nil, noPTX("a CUDA module")
}

// NewCudaFunction would return the kernel of a module with a name. It always returns an error, an *UnsupportedError if the module
// can be used.
func (d *Device) NewCudaFunction(m *CudaModule, name string) (*CudaFunction, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the CUDA module", m); err != nil {
		return nil, err
	}
	return nil, noPTX("the CUDA function " + name)
}

// Cache would return the compiled code of the module (vkGetCudaModuleCacheNV). It always returns an error, an *UnsupportedError if
// the module can be used.
func (m *CudaModule) Cache() ([]byte, error) {
	if err := check(nil, "the CUDA module", m); err != nil {
		return nil, err
	}
	return nil, noPTX("the cache of a CUDA module")
}

// CudaLaunchKernel would run a kernel (vkCmdCudaLaunchKernelNV). The command buffer becomes invalid: with the rule that the command
// breaks, else with an *UnsupportedError.
func (c *CommandBuffer) CudaLaunchKernel(info CudaLaunchInfo) {
	const command = "vkCmdCudaLaunchKernelNV"
	if !c.starts(command) || !c.onFamily(command, "a launch of a CUDA kernel") || !c.notSuspended(command) {
		return
	}
	for i, rule := range [...]string{vuid.VkCudaLaunchInfoNV_gridDimX_09406, vuid.VkCudaLaunchInfoNV_gridDimY_09407, vuid.VkCudaLaunchInfoNV_gridDimZ_09408} {
		if most := compute.MaxGroups()[i]; info.Grid[i] > most {
			c.fail(usage(rule, "the grid has %d blocks in %c; must have at most %d", info.Grid[i], "xyz"[i], most))
			return
		}
	}
	switch {
	case len(info.Extras) > 0:
		c.fail(usage(vuid.VkCudaLaunchInfoNV_extraCount_09411, "the launch has %d extras; must have none", len(info.Extras)))
	case info.Extras != nil:
		c.fail(usage(vuid.VkCudaLaunchInfoNV_pExtras_09412, "the list of extras is given; must be nil"))
	default:
		c.fail(noPTX("a launch of a CUDA kernel"))
	}
}
