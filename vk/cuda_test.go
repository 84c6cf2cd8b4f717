package vk

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// scaleAdd is c[i] += s·a[i] of n numbers, a count of launches in a variable of the module, and the sum of the blocks in shared memory.
const scaleAdd = `
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 launches = 5;
.extern .shared .align 4 .b8 scratch[];
.visible .entry scale_add(.param .u64 a, .param .u64 c, .param .f32 s, .param .u32 n, .param .u64 out)
{
	.reg .pred %p<2>;
	.reg .f32 %f<5>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<9>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	ld.param.u32 %r5, [n];
	setp.ge.u32 %p1, %r4, %r5;
	@%p1 bra DONE;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [c];
	mul.wide.u32 %rd3, %r4, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	ld.global.f32 %f2, [%rd5];
	ld.param.f32 %f3, [s];
	fma.rn.f32 %f4, %f1, %f3, %f2;
	st.global.f32 [%rd5], %f4;
	mov.u32 %r6, scratch;
	red.shared.add.u32 [%r6+4], 1;
DONE:
	bar.sync 0;
	ld.shared.u32 %r6, [scratch+4];
	setp.ne.u32 %p1, %r4, 0;
	@%p1 ret;
	atom.global.add.u32 %r7, [launches], 1;
	ld.param.u64 %rd6, [out];
	st.global.v2.u32 [%rd6], {%r6, %r7};
	ret;
}
`

// wordBytes returns a word as the bytes of an argument.
func wordBytes(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// addressBytes returns a device address as the bytes of an argument.
func addressBytes(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// TestCudaLaunch runs a kernel twice on every engine: on buffers by their addresses, with shared memory and a variable that keeps its value.
func TestCudaLaunch(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		d := must(Chiaro().NewDevice(info))(t)
		defer d.Close()
		memory, at := indirect(t, d)
		m := must(d.NewCudaModule([]byte(scaleAdd)))(t)
		copied := must(d.NewCudaModule(must(m.Cache())(t)))(t)
		defer copied.Close()
		f := must(d.NewCudaFunction(m, "scale_add"))(t)
		if got, want := f.ParamSizes(), []int{8, 8, 4, 4, 8}; !slices.Equal(got, want) {
			t.Errorf("the parameters have %d bytes; must have %d", got, want)
		}
		const n = 70
		for i := range n {
			putFloat(memory.Bytes()[4*i:], float32(i))
			putFloat(memory.Bytes()[512+4*i:], 1)
		}
		launch := CudaLaunchInfo{Function: f, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, SharedBytes: 8,
			Params: [][]byte{addressBytes(at), addressBytes(at + 512), wordBytes(math.Float32bits(0.5)), wordBytes(n), addressBytes(at + 2048)}}
		runOn(t, d, func(c *CommandBuffer) {
			c.CudaLaunchKernel(launch)
			c.Barrier()
			c.CudaLaunchKernel(launch)
		})
		for i := range n {
			if got, want := getWord(memory.Bytes()[512+4*i:]), math.Float32bits(1+float32(i)); got != want {
				t.Fatalf("number %d is %#x; must be %#x", i, got, want)
			}
		}
		if threads, launches := getWord(memory.Bytes()[2048:]), getWord(memory.Bytes()[2052:]); threads != 64 || launches != 6 {
			t.Errorf("%d threads of block 0 and %d launches; must be 64 and 6", threads, launches)
		}
		if err := errors.Join(f.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestCudaModuleRules makes modules and functions of data that has faults.
func TestCudaModuleRules(t *testing.T) {
	d := newRuled(t).dev
	m := must(d.NewCudaModule([]byte(scaleAdd)))(t)
	cache := must(m.Cache())(t)
	for _, x := range []struct {
		data []byte
		rule string
	}{
		{nil, "VUID-VkCudaModuleCreateInfoNV-dataSize-arraylength"},
		{[]byte(scaleAdd + "\x00more"), "VUID-VkCudaModuleCreateInfoNV-dataSize-09413"},
		{cache[:len(cache)-1], "VUID-VkCudaModuleCreateInfoNV-dataSize-09413"},
		{append(cache[:len(cache):len(cache)], 0), "VUID-VkCudaModuleCreateInfoNV-dataSize-09413"},
	} {
		_, err := d.NewCudaModule(x.data)
		wantRule(t, err, x.rule)
	}
	var invalid *InvalidModuleError
	var faults *ptx.Error
	if _, err := d.NewCudaModule([]byte(".version 7.0\n.target sm_70\n.entry main() { add.u32 %r1, 1, 2; }")); !errors.As(err, &invalid) || !errors.As(err, &faults) {
		t.Errorf("a module with a fault: %v; must be an *InvalidModuleError with a *ptx.Error", err)
	}
	if _, err := d.NewCudaFunction(m, "missing"); err == nil || !strings.Contains(err.Error(), "scale_add") {
		t.Errorf("a kernel that is not there: %v; must name the ones that are", err)
	}
	if _, err := d.NewCudaFunction(nil, "scale_add"); err == nil {
		t.Error("a function of no module has no error")
	}
	if _, err := (*CudaModule)(nil).Cache(); err == nil {
		t.Error("the cache of no module has no error")
	}
}

// TestCudaLaunchRules records launches that break a rule of VkCudaLaunchInfoNV or of vkCmdCudaLaunchKernelNV each.
func TestCudaLaunchRules(t *testing.T) {
	r := newRuled(t)
	transfers := slices.IndexFunc(queueFamilies[:], func(f QueueFamily) bool { return f.Flags&shaderQueue == 0 })
	m := must(r.dev.NewCudaModule([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry main(.param .u32 n) { ret; }")))(t)
	valid := CudaLaunchInfo{Function: must(r.dev.NewCudaFunction(m, "main"))(t), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: [][]byte{make([]byte, 4)}}
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
		{"VUID-VkCudaLaunchInfoNV-paramCount-09409", 0, with(func(i *CudaLaunchInfo) { i.Params = nil })},
		{"VUID-VkCudaLaunchInfoNV-pParams-09410", 0, with(func(i *CudaLaunchInfo) { i.Params = [][]byte{make([]byte, 8)} })},
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

// largeParameter is a kernel with the greatest parameters, whose last word it writes to the address in the first 8 bytes.
const largeParameter = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry last(.param .align 8 .b8 p[4096])
{
	.reg .b32 %r1;
	.reg .b64 %rd1;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [p+4092];
	st.global.u32 [%rd1], %r1;
	ret;
}
`

// TestCudaLargeParameter launches a kernel with 4096 bytes of parameters.
func TestCudaLargeParameter(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	memory, at := indirect(t, d)
	f := must(d.NewCudaFunction(must(d.NewCudaModule([]byte(largeParameter)))(t), "last"))(t)
	p := append(addressBytes(at), make([]byte, 4088)...)
	copy(p[4092:], wordBytes(77))
	runOn(t, d, func(c *CommandBuffer) {
		c.CudaLaunchKernel(CudaLaunchInfo{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: [][]byte{p}})
	})
	if got := getWord(memory.Bytes()); got != 77 {
		t.Errorf("the word is %d; must be 77", got)
	}
}

// wideCounter adds one to a number of 128 bits for each thread and round, over a carry between the halves.
const wideCounter = `
.version 8.3
.target sm_90
.address_size 64
.visible .entry count(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<2>;
	.reg .b64 %rd<5>;
	.reg .b128 %q<3>;
	ld.param.u64 %rd0, [out];
	mov.u32 %r0, 0;
ROUND:
	ld.relaxed.gpu.global.b128 %q0, [%rd0];
AGAIN:
	mov.b128 {%rd1, %rd2}, %q0;
	add.cc.u64 %rd3, %rd1, 1;
	addc.u64 %rd4, %rd2, 0;
	mov.b128 %q1, {%rd3, %rd4};
	atom.global.cas.b128 %q0, [%rd0], %q0, %q1;
	mov.b128 {%rd3, %rd4}, %q0;
	setp.ne.u64 %p0, %rd3, %rd1;
	setp.ne.or.u64 %p0, %rd4, %rd2, %p0;
	@%p0 bra AGAIN;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p0, %r0, 50;
	@%p0 bra ROUND;
	ret;
}
`

// TestCudaWideAtomics launches kernels of two modules on two queues at the same time: their atomics of 128 bits on one number exclude each
// other. The locks end with the last of the modules.
func TestCudaWideAtomics(t *testing.T) {
	r := newRig(t, DeviceInfo{Queues: allQueues, Workers: 2}, storage)
	memory, at := indirect(t, r.dev)
	before := r.dev.objects.Load()
	const blocks, threads, rounds = 4, 32, 50
	binary.LittleEndian.PutUint64(memory.Bytes(), math.MaxUint64-99)
	binary.LittleEndian.PutUint64(memory.Bytes()[8:], 3)
	var modules []*CudaModule
	var waits []func() error
	for family := range 2 {
		m := must(r.dev.NewCudaModule([]byte(wideCounter)))(t)
		f := must(r.dev.NewCudaFunction(m, "count"))(t)
		modules = append(modules, m)
		c := must(r.recordFor(t, family, func(c *CommandBuffer) {
			c.CudaLaunchKernel(CudaLaunchInfo{Function: f, Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{threads, 1, 1}, Params: [][]byte{addressBytes(at)}})
		}))(t)
		fence := must(r.dev.NewFence(false))(t)
		if err := r.dev.queues[family].Submit(SubmitInfo{Commands: []*CommandBuffer{c}, Fence: fence}); err != nil {
			t.Fatal(err)
		}
		waits = append(waits, func() error {
			err := fence.Wait(t.Context())
			return errors.Join(err, fence.Close(), c.Close(), f.Close())
		})
	}
	for _, wait := range waits {
		if err := wait(); err != nil {
			t.Fatal(err)
		}
	}
	low, high := binary.LittleEndian.Uint64(memory.Bytes()), binary.LittleEndian.Uint64(memory.Bytes()[8:])
	if low != 2*blocks*threads*rounds-100 || high != 4 {
		t.Errorf("the number is %d, %d; must be %d, 4", low, high, 2*blocks*threads*rounds-100)
	}
	if modules[0].locks != modules[1].locks {
		t.Error("the modules have two memories of locks; must have one")
	}
	if err := errors.Join(modules[0].Close(), modules[1].Close()); err != nil {
		t.Error(err)
	}
	if after := r.dev.objects.Load(); after != before {
		t.Errorf("%d objects are left; must be none", after-before)
	}
}
