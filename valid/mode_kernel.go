package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
)

// kernelModeFamily checks the execution modes of SPV_INTEL_kernel_attributes beside the size of the workgroup. mode.go checks their models.
var kernelModeFamily = family{
	rules: []Rule{
		{Code: "SPV-Mode-KernelSize", Section: "SPIR-V, SPV_INTEL_kernel_attributes", Words: "MaxWorkDimINTEL is at most 3; LocalSize is within MaxWorkgroupSizeINTEL, and is 1 in each dimension beyond MaxWorkDimINTEL"},
	},
	after: []func(*checker){(*checker).kernelModes},
}

// kernelModes checks each entry point that limits its workgroup.
func (c *checker) kernelModes() {
	if !c.capable(spirv.CapabilityKernelAttributesINTEL) {
		return
	}
	const axes = "xyz"
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		size, sized := e.Mode(spirv.ExecutionModeLocalSize)
		sized = sized && len(size.Operands) == len(axes)
		if m, ok := e.Mode(spirv.ExecutionModeMaxWorkgroupSizeINTEL); ok && sized && len(m.Operands) == len(axes) {
			for k, most := range m.Operands {
				if size.Operands[k] > most {
					c.fail(m.Index, "SPV-Mode-KernelSize", "MaxWorkgroupSizeINTEL is %d in %c, and LocalSize is %d; must be at least as large", most, axes[k], size.Operands[k]).also(c, size.Index, "the mode LocalSize")
				}
			}
		}
		m, ok := e.Mode(spirv.ExecutionModeMaxWorkDimINTEL)
		if !ok || len(m.Operands) == 0 {
			continue
		}
		dims := m.Operands[0]
		if dims > uint32(len(axes)) {
			c.fail(m.Index, "SPV-Mode-KernelSize", "MaxWorkDimINTEL is %d; must be at most %d", dims, len(axes))
			continue
		}
		for k := dims; sized && k < uint32(len(axes)); k++ {
			if size.Operands[k] != 1 {
				c.fail(m.Index, "SPV-Mode-KernelSize", "MaxWorkDimINTEL is %d, and LocalSize is %d in %c; must be 1 there", dims, size.Operands[k], axes[k]).also(c, size.Index, "the mode LocalSize")
			}
		}
	}
}
