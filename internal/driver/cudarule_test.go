package driver

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// cudaRuled has what the calls of TestCudaRules pass: objects of one device, and of another one.
type cudaRuled struct {
	*program
	other     *program
	module    abi.CudaModuleNV
	function  abi.CudaFunctionNV
	foreign   abi.CudaModuleNV
	foreignFn abi.CudaFunctionNV
	commands  abi.CommandBuffer
	text      []byte
	name      *byte
	full      *abi.AllocationCallbacks // with all functions that callbacks must have
	part      *abi.AllocationCallbacks // without a function for release
}

// newCudaRuled makes the objects.
func newCudaRuled(t *testing.T) *cudaRuled {
	r := &cudaRuled{program: newProgram(t), other: newProgram(t), text: []byte(countKernel), name: cText(t, "count")}
	r.module, r.function = cudaKernel(t, r.program, countKernel, "count")
	r.foreign, r.foreignFn = cudaKernel(t, r.other, countKernel, "count")
	_, r.commands = r.program.commands()
	at := unsafe.Pointer(&callback)
	r.part = &abi.AllocationCallbacks{PfnAllocation: at, PfnReallocation: at}
	r.full = &abi.AllocationCallbacks{PfnAllocation: at, PfnReallocation: at, PfnFree: at}
	return r
}

// makeModule calls vkCreateCudaModuleNV with a change of valid arguments.
func (r *cudaRuled) makeModule(change func(a *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV)) func() {
	return func() {
		var m abi.CudaModuleNV
		i := &abi.CudaModuleCreateInfoNV{SType: abi.StructureTypeCudaModuleCreateInfoNV, DataSize: uint(len(r.text)), PData: unsafe.Pointer(&r.text[0])}
		a := &abi.CreateCudaModuleNVArgs{Device: r.device, PCreateInfo: i, PModule: &m}
		change(a, i)
		do(abi.CmdCreateCudaModuleNV, a)
	}
}

// makeFunction calls vkCreateCudaFunctionNV with a change of valid arguments.
func (r *cudaRuled) makeFunction(change func(a *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV)) func() {
	return func() {
		var f abi.CudaFunctionNV
		i := &abi.CudaFunctionCreateInfoNV{SType: abi.StructureTypeCudaFunctionCreateInfoNV, Module: r.module, PName: r.name}
		a := &abi.CreateCudaFunctionNVArgs{Device: r.device, PCreateInfo: i, PFunction: &f}
		change(a, i)
		do(abi.CmdCreateCudaFunctionNV, a)
	}
}

// readCache calls vkGetCudaModuleCacheNV with a change of valid arguments.
func (r *cudaRuled) readCache(change func(a *abi.GetCudaModuleCacheNVArgs)) func() {
	return func() {
		data := make([]byte, 4096)
		size := uint(len(data))
		a := &abi.GetCudaModuleCacheNVArgs{Device: r.device, Module: r.module, PCacheSize: &size, PCacheData: unsafe.Pointer(&data[0])}
		change(a)
		do(abi.CmdGetCudaModuleCacheNV, a)
	}
}

// launch calls vkCmdCudaLaunchKernelNV with a change of valid arguments.
func (r *cudaRuled) launch(change func(a *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV)) func() {
	return func() {
		to, n := uint64(0), uint32(1)
		table := []unsafe.Pointer{unsafe.Pointer(&to), unsafe.Pointer(&n)}
		i := &abi.CudaLaunchInfoNV{SType: abi.StructureTypeCudaLaunchInfoNV, Function: r.function, GridDimX: 1, GridDimY: 1, GridDimZ: 1, BlockDimX: 1, BlockDimY: 1, BlockDimZ: 1, ParamCount: 2, PParams: unsafe.Pointer(&table[0])}
		a := &abi.CmdCudaLaunchKernelNVArgs{CommandBuffer: r.commands, PLaunchInfo: i}
		must(r.program, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: r.commands, PBeginInfo: &abi.CommandBufferBeginInfo{SType: abi.StructureTypeCommandBufferBeginInfo}})
		change(a, i)
		do(abi.CmdCmdCudaLaunchKernelNV, a)
		do(abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: r.commands})
	}
}

// destroyModule calls vkDestroyCudaModuleNV.
func (r *cudaRuled) destroyModule(d abi.Device, m abi.CudaModuleNV, c *abi.AllocationCallbacks) func() {
	return func() {
		do(abi.CmdDestroyCudaModuleNV, &abi.DestroyCudaModuleNVArgs{Device: d, Module: m, PAllocator: c})
	}
}

// destroyFunction calls vkDestroyCudaFunctionNV.
func (r *cudaRuled) destroyFunction(d abi.Device, f abi.CudaFunctionNV, c *abi.AllocationCallbacks) func() {
	return func() {
		do(abi.CmdDestroyCudaFunctionNV, &abi.DestroyCudaFunctionNVArgs{Device: d, Function: f, PAllocator: c})
	}
}

// cudaViolation is calls that break a rule.
type cudaViolation struct {
	rule  string
	calls func()
}

// creations break rules on the commands that create a module and a function.
func (r *cudaRuled) creations(t *testing.T) []cudaViolation {
	layout := &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo}
	m := func(rule string, change func(a *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV)) cudaViolation {
		return cudaViolation{rule, r.makeModule(change)}
	}
	f := func(rule string, change func(a *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV)) cudaViolation {
		return cudaViolation{rule, r.makeFunction(change)}
	}
	return []cudaViolation{
		m("", func(*abi.CreateCudaModuleNVArgs, *abi.CudaModuleCreateInfoNV) {}),
		m("", func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.PAllocator = r.full }),
		m(vuid.VkCreateCudaModuleNV_device_parameter, func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.Device = nil }),
		m(vuid.VkCreateCudaModuleNV_pCreateInfo_parameter, func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.PCreateInfo = nil }),
		m(vuid.VkCreateCudaModuleNV_pAllocator_parameter, func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.PAllocator = r.part }),
		m(vuid.VkCreateCudaModuleNV_pModule_parameter, func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.PModule = nil }),
		m(vuid.VkCudaModuleCreateInfoNV_sType_sType, func(_ *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV) { i.SType = layout.SType }),
		m(vuid.VkCudaModuleCreateInfoNV_pNext_pNext, func(_ *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV) { i.PNext = unsafe.Pointer(layout) }),
		m(vuid.VkCudaModuleCreateInfoNV_pData_parameter, func(_ *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV) { i.PData = nil }),
		m(vuid.VkCudaModuleCreateInfoNV_dataSize_arraylength, func(_ *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV) { i.DataSize = 0 }),
		m(vuid.VkCudaModuleCreateInfoNV_dataSize_09413, func(_ *abi.CreateCudaModuleNVArgs, i *abi.CudaModuleCreateInfoNV) { // a cache without its last byte
			size := uint(0)
			do(abi.CmdGetCudaModuleCacheNV, &abi.GetCudaModuleCacheNVArgs{Device: r.device, Module: r.module, PCacheSize: &size})
			data := make([]byte, size)
			do(abi.CmdGetCudaModuleCacheNV, &abi.GetCudaModuleCacheNVArgs{Device: r.device, Module: r.module, PCacheSize: &size, PCacheData: unsafe.Pointer(&data[0])})
			i.PData, i.DataSize = unsafe.Pointer(&data[0]), size-1
		}),
		f("", func(*abi.CreateCudaFunctionNVArgs, *abi.CudaFunctionCreateInfoNV) {}),
		f("", func(a *abi.CreateCudaFunctionNVArgs, _ *abi.CudaFunctionCreateInfoNV) { a.PAllocator = r.full }),
		f(vuid.VkCreateCudaFunctionNV_device_parameter, func(a *abi.CreateCudaFunctionNVArgs, _ *abi.CudaFunctionCreateInfoNV) { a.Device = nil }),
		f(vuid.VkCreateCudaFunctionNV_pCreateInfo_parameter, func(a *abi.CreateCudaFunctionNVArgs, _ *abi.CudaFunctionCreateInfoNV) { a.PCreateInfo = nil }),
		f(vuid.VkCreateCudaFunctionNV_pAllocator_parameter, func(a *abi.CreateCudaFunctionNVArgs, _ *abi.CudaFunctionCreateInfoNV) { a.PAllocator = r.part }),
		f(vuid.VkCreateCudaFunctionNV_pFunction_parameter, func(a *abi.CreateCudaFunctionNVArgs, _ *abi.CudaFunctionCreateInfoNV) { a.PFunction = nil }),
		f(vuid.VkCudaFunctionCreateInfoNV_sType_sType, func(_ *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV) { i.SType = layout.SType }),
		f(vuid.VkCudaFunctionCreateInfoNV_pNext_pNext, func(_ *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV) {
			i.PNext = unsafe.Pointer(layout)
		}),
		f(vuid.VkCudaFunctionCreateInfoNV_module_parameter, func(_ *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV) { i.Module = 0 }),
		f(vuid.VkCudaFunctionCreateInfoNV_pName_parameter, func(_ *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV) { i.PName = cText(t, "\xff") }),
	}
}

// uses break rules on the commands that use a module and a function.
func (r *cudaRuled) uses() []cudaViolation {
	layout := &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo}
	g := func(rule string, change func(a *abi.GetCudaModuleCacheNVArgs)) cudaViolation {
		return cudaViolation{rule, r.readCache(change)}
	}
	l := func(rule string, change func(a *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV)) cudaViolation {
		return cudaViolation{rule, r.launch(change)}
	}
	const grid = 1 << 31 // is more than maxComputeWorkGroupCount
	return []cudaViolation{
		g("", func(*abi.GetCudaModuleCacheNVArgs) {}),
		g("", func(a *abi.GetCudaModuleCacheNVArgs) { a.PCacheData = nil }),
		g(vuid.VkGetCudaModuleCacheNV_device_parameter, func(a *abi.GetCudaModuleCacheNVArgs) { a.Device = nil }),
		g(vuid.VkGetCudaModuleCacheNV_module_parameter, func(a *abi.GetCudaModuleCacheNVArgs) { a.Module = 0x123 }),
		g(vuid.VkGetCudaModuleCacheNV_module_parent, func(a *abi.GetCudaModuleCacheNVArgs) { a.Module = r.foreign }),
		g(vuid.VkGetCudaModuleCacheNV_pCacheSize_parameter, func(a *abi.GetCudaModuleCacheNVArgs) { a.PCacheSize = nil }),
		{vuid.VkGetCudaModuleCacheNV_pCacheData_parameter, func() {
			size := uint(16)
			a := []uintptr{uintptr(unsafe.Pointer(r.device)), uintptr(r.module), uintptr(unsafe.Pointer(&size)), 1} // 1 is no pointer of Go
			Call(abi.CmdGetCudaModuleCacheNV, unsafe.Pointer(&a[0]))
			runtime.KeepAlive(&size)
		}},
		l("", func(*abi.CmdCudaLaunchKernelNVArgs, *abi.CudaLaunchInfoNV) {}),
		l(vuid.VkCmdCudaLaunchKernelNV_commandBuffer_parameter, func(a *abi.CmdCudaLaunchKernelNVArgs, _ *abi.CudaLaunchInfoNV) { a.CommandBuffer = nil }),
		l(vuid.VkCmdCudaLaunchKernelNV_pLaunchInfo_parameter, func(a *abi.CmdCudaLaunchKernelNVArgs, _ *abi.CudaLaunchInfoNV) { a.PLaunchInfo = nil }),
		{vuid.VkCmdCudaLaunchKernelNV_commandBuffer_recording, func() { // after the end of the last one
			i := &abi.CudaLaunchInfoNV{SType: abi.StructureTypeCudaLaunchInfoNV, Function: r.function}
			do(abi.CmdCmdCudaLaunchKernelNV, &abi.CmdCudaLaunchKernelNVArgs{CommandBuffer: r.commands, PLaunchInfo: i})
		}},
		l(vuid.VkCudaLaunchInfoNV_sType_sType, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.SType = layout.SType }),
		l(vuid.VkCudaLaunchInfoNV_pNext_pNext, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.PNext = unsafe.Pointer(layout) }),
		l(vuid.VkCudaLaunchInfoNV_function_parameter, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.Function = 0x123 }),
		l(vuid.VkCudaLaunchInfoNV_gridDimX_09406, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.GridDimX = grid }),
		l(vuid.VkCudaLaunchInfoNV_gridDimY_09407, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.GridDimY = grid }),
		l(vuid.VkCudaLaunchInfoNV_gridDimZ_09408, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.GridDimZ = grid }),
		l(vuid.VkCudaLaunchInfoNV_paramCount_09409, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.ParamCount = 1 }),
		l(vuid.VkCudaLaunchInfoNV_pParams_09410, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.PParams = nil }),
		l(vuid.VkCudaLaunchInfoNV_pParams_09410, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { // the address of the second one is null
			i.PParams = unsafe.Pointer(&[]unsafe.Pointer{unsafe.Pointer(i), nil}[0])
		}),
		l(vuid.VkCudaLaunchInfoNV_extraCount_09411, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.ExtraCount = 1 }),
		l(vuid.VkCudaLaunchInfoNV_pExtras_09412, func(_ *abi.CmdCudaLaunchKernelNVArgs, i *abi.CudaLaunchInfoNV) { i.PExtras = unsafe.Pointer(i) }),
	}
}

// destructions break rules on the commands that destroy, and then follow them.
func (r *cudaRuled) destructions() []cudaViolation {
	var m abi.CudaModuleNV
	var f abi.CudaFunctionNV
	more := func() { // objects that the calls with wrong callbacks destroy
		r.makeModule(func(a *abi.CreateCudaModuleNVArgs, _ *abi.CudaModuleCreateInfoNV) { a.PModule = &m })()
		r.makeFunction(func(a *abi.CreateCudaFunctionNVArgs, i *abi.CudaFunctionCreateInfoNV) { a.PFunction, i.Module = &f, m })()
	}
	return []cudaViolation{
		{vuid.VkDestroyCudaFunctionNV_device_parameter, r.destroyFunction(nil, r.function, nil)},
		{vuid.VkDestroyCudaFunctionNV_function_parameter, r.destroyFunction(r.device, 0, nil)},
		{vuid.VkDestroyCudaFunctionNV_function_parameter, r.destroyFunction(r.device, 0x123, nil)},
		{vuid.VkDestroyCudaFunctionNV_function_parent, r.destroyFunction(r.device, r.foreignFn, nil)},
		{"", more},
		{vuid.VkDestroyCudaFunctionNV_pAllocator_parameter, func() { r.destroyFunction(r.device, f, r.part)() }},
		{vuid.VkDestroyCudaModuleNV_pAllocator_parameter, func() { r.destroyModule(r.device, m, r.part)() }},
		{vuid.VkDestroyCudaModuleNV_device_parameter, r.destroyModule(nil, r.module, nil)},
		{vuid.VkDestroyCudaModuleNV_module_parameter, r.destroyModule(r.device, 0, nil)},
		{vuid.VkDestroyCudaModuleNV_module_parameter, r.destroyModule(r.device, 0x123, nil)},
		{vuid.VkDestroyCudaModuleNV_module_parent, r.destroyModule(r.device, r.foreign, nil)},
		{"", more},
		{"", func() { r.destroyFunction(r.device, f, nil)() }},
		{"", func() { r.destroyModule(r.device, m, nil)() }},
	}
}

// TestCudaRules breaks the rules of the commands of CUDA kernels by calls, one after the other: a messenger hears of each and of nothing
// else, and of nothing for calls that follow the rules.
func TestCudaRules(t *testing.T) {
	list := listen(t)
	r := newCudaRuled(t)
	for _, p := range []*program{r.program, r.other} {
		info := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback)}
		var m abi.DebugUtilsMessengerEXT
		must(p, abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: p.instance, PCreateInfo: &info, PMessenger: &m})
	}
	for _, x := range slices.Concat(r.creations(t), r.uses(), r.destructions()) {
		got := slices.Compact(told(t, r.program, list, x.calls))
		if x.rule == "" && len(got) > 0 {
			t.Errorf("valid calls: heard of %v; must hear of nothing", got)
		}
		if x.rule != "" && (len(got) != 1 || got[0] != x.rule) {
			t.Errorf("heard of %v; must hear of %s", got, x.rule)
		}
	}
}

// TestCudaQueues makes a module and a function on a device without queues.
func TestCudaQueues(t *testing.T) {
	r := newCudaRuled(t)
	bare := &device{}
	for name, rule := range map[string]string{"vkCreateCudaModuleNV": vuid.VkCreateCudaModuleNV_device_queuecount, "vkCreateCudaFunctionNV": vuid.VkCreateCudaFunctionNV_device_queuecount} {
		for _, d := range []*device{bare, deviceOf(r.device)} {
			var got []string
			c := &formCheck{device: d, report: func(rule, _ string) { got = append(got, rule) }}
			f := formsByName()[name]
			c.fields(f, (&formMemory{}).alloc(f.Size))
			if slices.Contains(got, rule) != (d == bare) {
				t.Errorf("%s of a device with queues %t: heard of %v", name, d != bare, got)
			}
		}
	}
}
