package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// saxpy is y[i] = a·x[i] + y[i] with x at binding 0, y at binding 1 and a as a push constant, for 4 invocations a group.
const saxpy = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %x %y %push
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pushes Block
OpMemberDecorate %pushes 0 Offset 0
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pushes = OpTypeStruct %float
%pin = OpTypePointer Input %uvec3
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%ppushes = OpTypePointer PushConstant %pushes
%ppfloat = OpTypePointer PushConstant %float
%zero = OpConstant %uint 0
%id = OpVariable %pin Input
%x = OpVariable %pblock StorageBuffer
%y = OpVariable %pblock StorageBuffer
%push = OpVariable %ppushes PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %ppfloat %push %zero
%a = OpLoad %float %pa
%px = OpAccessChain %pfloat %x %zero %i
%xi = OpLoad %float %px
%py = OpAccessChain %pfloat %y %zero %i
%yi = OpLoad %float %py
%ax = OpFMul %float %a %xi
%s = OpFAdd %float %ax %yi
OpStore %py %s
OpReturn
OpFunctionEnd
`

func code(t testing.TB, text string) []byte {
	t.Helper()
	version, _ := asm.Target("vulkan1.3")
	words := asmtest.Words(t, text, version)
	return asm.Bytes(words)
}

// must returns x if there is no error.
func must[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// rig is a device with the objects of saxpy: 8 floats of x, then 8 floats of y, at the offsets 0 and 64 of one memory.
type rig struct {
	dev      *Device
	memory   *Memory
	x, y     *Buffer
	layout   *SetLayout
	pipeline *PipelineLayout
	pool     *Pool
	set      *Set
	saxpy    *ComputePipeline
}

func newRig(t testing.TB, info DeviceInfo, kind link.DescriptorType) *rig {
	t.Helper()
	info.Checking = max(info.Checking, Pipelines)
	r := &rig{dev: must(Chiaro().NewDevice(info))(t)}
	t.Cleanup(func() { r.dev.Close() })
	r.memory = must(r.dev.Allocate(MemoryInfo{Size: 4096}))(t)
	const all = StorageBuffer | TransferSource | TransferTarget | IndirectBuffer
	r.x = must(r.dev.NewBuffer(BufferInfo{Size: 32, Usage: all}))(t)
	r.y = must(r.dev.NewBuffer(BufferInfo{Size: 256, Usage: all}))(t)
	for offset, b := range map[uint64]*Buffer{0: r.x, 64: r.y} {
		if err := b.Bind(r.memory, offset); err != nil {
			t.Fatal(err)
		}
	}
	r.layout = must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 1, Type: kind, Count: 1, Stages: link.AllStages},
		{Binding: 0, Type: kind, Count: 1, Stages: link.AllStages},
	}}))(t)
	r.pipeline = must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout}, Push: []link.Range{{Size: 4, Stages: link.AllStages}}}))(t)
	r.pool = must(r.dev.NewPool(PoolInfo{MaxSets: 2}))(t)
	r.set = must(r.pool.Allocate(r.layout))(t)
	if err := r.set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{r.x, 0, WholeSize}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	module := must(r.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)
	r.saxpy = must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: r.pipeline}))(t)
	module.Close()
	for i := range 8 {
		r.put(0, i, float32(i))
		r.put(64, i, 100)
	}
	return r
}

// relayout gives the rig a set, a pipeline layout and a pipeline with another set layout.
func (r *rig) relayout(t testing.TB, info SetLayoutInfo, pool PoolInfo) {
	t.Helper()
	l := must(r.dev.NewSetLayout(info))(t)
	pool.MaxSets = 1
	r.set = must(must(r.dev.NewPool(pool))(t).Allocate(l))(t)
	r.pipeline = must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: r.pipeline.link.Push}))(t)
	r.saxpy = must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)}, Layout: r.pipeline}))(t)
}

// waiting records a dispatch with the factor 2 that waits for an event.
func (r *rig) waiting(t testing.TB) (*Event, *CommandBuffer) {
	t.Helper()
	e := must(r.dev.NewEvent())(t)
	return e, r.record(t, func(c *CommandBuffer) {
		c.WaitEvents(e)
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(2))
		c.Dispatch(2, 1, 1)
	})
}

func (r *rig) put(offset, i int, v float32) {
	binary.LittleEndian.PutUint32(r.memory.Bytes()[offset+4*i:], math.Float32bits(v))
}

func (r *rig) get(offset, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[offset+4*i:]))
}

var storage = link.DescriptorType(iface.StorageBuffer)

func push(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) }

// record records commands that record adds.
func (r *rig) record(t testing.TB, record func(c *CommandBuffer)) *CommandBuffer {
	t.Helper()
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	record(c)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	return c
}

// submit runs a command buffer to its end.
func (r *rig) submit(t testing.TB, c *CommandBuffer) error {
	t.Helper()
	f := must(r.dev.NewFence(false))(t)
	defer f.Close()
	if err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}, Fence: f}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return f.Wait(ctx)
}

// TestDispatch runs saxpy twice in one command buffer: memory is coherent from one command to the next.
func TestDispatch(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(2))
		c.Dispatch(2, 1, 1)
		c.Barrier()
		c.PushConstants(r.pipeline, 0, push(10))
		c.Dispatch(1, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		want := 100 + 2*float32(i)
		if i < 4 {
			want += 10 * float32(i)
		}
		if got := r.get(64, i); got != want {
			t.Errorf("y[%d] = %v, want %v", i, got, want)
		}
	}
}

// TestDynamicOffset moves the range of y by 64 bytes.
func TestDynamicOffset(t *testing.T) {
	r := newRig(t, DeviceInfo{}, link.StorageBufferDynamic)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, []uint32{0, 64}) // binding 0, then 1
		c.PushConstants(r.pipeline, 0, push(1))
		c.Dispatch(2, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got := r.get(128, i); got != float32(i) {
			t.Errorf("y'[%d] = %v, want %d", i, got, i)
		}
		if got := r.get(64, i); got != 100 {
			t.Errorf("y[%d] = %v, want 100", i, got)
		}
	}
}

// TestIndirect (row H08, with TestDispatch) takes the number of workgroups from a buffer that an earlier command fills.
func TestIndirect(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	c := r.record(t, func(c *CommandBuffer) {
		c.FillBuffer(r.y, 128, 12, 1)
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(1))
		c.DispatchIndirect(r.y, 128)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		want := float32(100)
		if i < 4 {
			want += float32(i)
		}
		if got := r.get(64, i); got != want {
			t.Errorf("y[%d] = %v, want %v", i, got, want)
		}
	}
}

// TestTransfer copies, fills and updates buffers.
func TestTransfer(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	c := r.record(t, func(c *CommandBuffer) {
		c.CopyBuffer(r.x, r.y, []BufferCopy{{Source: 4, Target: 0, Size: 8}})
		c.UpdateBuffer(r.y, 8, push(7))
		c.FillBuffer(r.y, 32, WholeSize, 0xdeadbeef)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{1, 2, 7, 100} {
		if got := r.get(64, i); got != want {
			t.Errorf("y[%d] = %v, want %v", i, got, want)
		}
	}
	for i := 96; i < 64+256; i += 4 {
		if got := binary.LittleEndian.Uint32(r.memory.Bytes()[i:]); got != 0xdeadbeef {
			t.Fatalf("byte %d: %#x", i, got)
		}
	}
}

// TestLost submits a dispatch that never ends: the device is lost by its timeout, its context, its budget or a stall, and the
// error has the loop and the reason.
func TestLost(t *testing.T) {
	for name, info := range map[string]DeviceInfo{"timeout": {Timeout: 50 * time.Millisecond}, "context": {}, "budget": {Budget: 1 << 16}, "stall": {Stall: 50 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			running := func() {}
			if name == "context" {
				info.Until, running = context.WithCancel(context.Background())
				defer running()
			}
			testLost(t, info, running)
		})
	}
}

// testLost calls running after the shader began.
func testLost(t *testing.T, info DeviceInfo, running func()) {
	r := newRig(t, info, storage)
	module := must(r.dev.NewShaderModule(context.Background(), code(t, endless)))(t)
	p := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: r.pipeline}))(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.Dispatch(1, 1, 1)
	})
	word := (*uint32)(unsafe.Pointer(&r.memory.Bytes()[0])) // x[0], which the shader sets
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for atomic.LoadUint32(word) != begun {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
		running()
	}()
	err := r.submit(t, c)
	close(ended)
	<-watched
	var lost *LostError
	if !errors.Is(err, ErrDeviceLost) || !errors.As(err, &lost) || lost.Command != "dispatch" || lost.Location == nil {
		t.Fatalf("%v: must be a loss with the command and the location", err)
	}
	if budget := errors.As(err, new(*BudgetError)); budget != (info.Budget > 0) || budget == (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		t.Errorf("%v: has another reason", err)
	}
	if _, err := r.dev.Allocate(MemoryInfo{Size: 16}); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("allocation after the loss: %v", err)
	}
}

// endless sets x[0] to begun, and loops without end.
const begun, endless = 7, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %x
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %uints ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uints = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uints
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%zero = OpConstant %uint 0
%device = OpConstant %uint 1
%begun = OpConstant %uint 7
%x = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%px = OpAccessChain %puint %x %zero %zero
OpAtomicStore %px %device %zero %begun
OpBranch %head
%head = OpLabel
OpLoopMerge %end %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd
`
