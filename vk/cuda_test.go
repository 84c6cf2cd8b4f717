package vk

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestCudaWithoutPTX checks that every CUDA call fails with an *UnsupportedError that names PTX.
func TestCudaWithoutPTX(t *testing.T) {
	d := newRuled(t).dev
	m := &CudaModule{}
	d.adopt(&m.object, "CUDA module", nil) // as if it had been made
	defer m.Close()
	c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.CudaLaunchKernel(CudaLaunchInfo{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}})
	_, module := d.NewCudaModule([]byte(".version 8.0\n.target sm_75\n.address_size 64\n"))
	_, function := d.NewCudaFunction(m, "saxpy")
	_, cache := m.Cache()
	for call, err := range map[string]error{"NewCudaModule": module, "NewCudaFunction": function, "Cache": cache, "CudaLaunchKernel": c.End()} {
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "PTX") {
			t.Errorf("%s: %v; want an *UnsupportedError that names PTX", call, err)
		}
	}
	_, err := d.NewCudaModule(nil)
	wantRule(t, err, "VUID-VkCudaModuleCreateInfoNV-dataSize-arraylength")
	for call, err := range map[string]error{
		"NewCudaFunction": func() error { _, err := d.NewCudaFunction(nil, "saxpy"); return err }(),
		"Cache":           func() error { _, err := (*CudaModule)(nil).Cache(); return err }(),
	} {
		if err == nil || errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s of no module: %v; want that it needs one", call, err)
		}
	}
}

// TestCudaLaunchRules records launches that break a rule of VkCudaLaunchInfoNV or of vkCmdCudaLaunchKernelNV each.
func TestCudaLaunchRules(t *testing.T) {
	r := newRuled(t)
	transfers := slices.IndexFunc(queueFamilies[:], func(f QueueFamily) bool { return f.Flags&shaderQueue == 0 })
	valid := CudaLaunchInfo{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	with := func(change func(*CudaLaunchInfo)) func(c *CommandBuffer) {
		info := valid
		change(&info)
		return func(c *CommandBuffer) { c.CudaLaunchKernel(info) }
	}
	for _, x := range []struct {
		rule   string
		family int
		record func(c *CommandBuffer)
	}{
		{"VUID-VkCudaLaunchInfoNV-gridDimX-09406", 0, with(func(i *CudaLaunchInfo) { i.Grid[0] = math.MaxUint32 })},
		{"VUID-VkCudaLaunchInfoNV-gridDimY-09407", 0, with(func(i *CudaLaunchInfo) { i.Grid[1] = math.MaxUint32 })},
		{"VUID-VkCudaLaunchInfoNV-gridDimZ-09408", 0, with(func(i *CudaLaunchInfo) { i.Grid[2] = math.MaxUint32 })},
		{"VUID-VkCudaLaunchInfoNV-extraCount-09411", 0, with(func(i *CudaLaunchInfo) { i.Extras = []uint64{0} })},
		{"VUID-VkCudaLaunchInfoNV-pExtras-09412", 0, with(func(i *CudaLaunchInfo) { i.Extras = []uint64{} })},
		{"VUID-vkCmdCudaLaunchKernelNV-commandBuffer-recording", 0, func(c *CommandBuffer) { c.End(); c.CudaLaunchKernel(valid) }},
		{"VUID-vkCmdCudaLaunchKernelNV-commandBuffer-cmdpool", transfers, func(c *CommandBuffer) { c.CudaLaunchKernel(valid) }},
		{"VUID-vkCmdCudaLaunchKernelNV-suspended", 0, func(c *CommandBuffer) {
			info := r.rendering()
			info.Flags = Suspending
			c.BeginRendering(info)
			c.EndRendering()
			c.CudaLaunchKernel(valid)
		}},
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Family: x.family}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		x.record(c)
		wantRule(t, c.Err(), x.rule)
	}
}
