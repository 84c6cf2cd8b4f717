package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// The stages and accesses of the litmus tests, by the names of Vulkan.
const (
	computeShader, allCommands, copying, clearing, transferring, topOfPipe, drawIndirect2 = 0x800, 0x10000, 1 << 32, 1 << 35, 0x1000, 0x1, 0x2

	shaderRead, shaderWrite, storageRead, storageWrite, transferRead, transferWrite, memoryRead, memoryWrite = 0x20, 0x40, 1 << 33, 1 << 34, 0x800, 0x1000, 0x8000, 0x10000
)

// TestCommandRaces runs pairs of commands with barriers between them (Vulkan, "Memory Dependencies"): a write is before a later
// access if an execution dependency chain leads to it, the write is in a first access scope, and the access is in the second one of
// that or of a later dependency of the chain; a read is before a later write by an execution dependency alone. The dependencies of one
// barrier are all between the commands before and after it, so they do not chain with each other.
func TestCommandRaces(t *testing.T) {
	between := func(source, sourceAccess, target, targetAccess uint64) []MemoryDependency {
		return []MemoryDependency{{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: targetAccess}}
	}
	saxpy := func(u *unwritten, c *CommandBuffer, t *testing.T) { u.saxpyOf(t, c, u.x, u.y) }
	fill := func(u *unwritten, c *CommandBuffer, t *testing.T) { c.FillBuffer(u.y, 0, 32, 0) }
	from := func(u *unwritten, c *CommandBuffer, t *testing.T) { c.CopyBuffer(u.y, u.x, []BufferCopy{{0, 0, 32}}) }
	far := func(u *unwritten, c *CommandBuffer, t *testing.T) { c.FillBuffer(u.y, 128, 32, 0) }
	type step = func(u *unwritten, c *CommandBuffer, t *testing.T)
	cases := []struct {
		name     string
		a        step
		barriers [][]MemoryDependency
		b        step
		races    bool
	}{
		{"two dispatches", saxpy, nil, saxpy, true},
		{"two dispatches in order", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, computeShader, shaderRead|shaderWrite)}, saxpy, false},
		{"by storage accesses", saxpy, [][]MemoryDependency{between(computeShader, storageWrite, computeShader, storageRead|storageWrite)}, saxpy, false},
		{"by all memory", saxpy, [][]MemoryDependency{between(allCommands, memoryWrite, allCommands, memoryRead|memoryWrite)}, saxpy, false},
		{"execution alone", saxpy, [][]MemoryDependency{between(computeShader, 0, computeShader, 0)}, saxpy, true},
		{"not available", saxpy, [][]MemoryDependency{between(computeShader, transferWrite, computeShader, shaderRead|shaderWrite)}, saxpy, true},
		{"not visible", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, computeShader, transferRead)}, saxpy, true},
		{"visible to reads alone", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, computeShader, shaderRead)}, saxpy, true},
		{"from the wrong stage", saxpy, [][]MemoryDependency{between(copying, memoryWrite, computeShader, shaderRead|shaderWrite)}, saxpy, true},
		{"to the wrong stage", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, copying, memoryRead|memoryWrite)}, saxpy, true},
		{"to the top of the pipe", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, topOfPipe, 0)}, saxpy, true},
		{"a fill and a dispatch", fill, nil, saxpy, true},
		{"a fill and a dispatch in order", fill, [][]MemoryDependency{between(clearing, transferWrite, computeShader, shaderRead|shaderWrite)}, saxpy, false},
		{"a fill by the stage of transfers", fill, [][]MemoryDependency{between(transferring, transferWrite, computeShader, shaderRead|shaderWrite)}, saxpy, false},
		{"a fill by the stage of copies", fill, [][]MemoryDependency{between(copying, transferWrite, computeShader, shaderRead|shaderWrite)}, saxpy, true},
		{"a dispatch and a copy", saxpy, nil, from, true},
		{"a dispatch and a copy in order", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, copying, transferRead|transferWrite)}, from, false},
		{"a read before a write", from, [][]MemoryDependency{between(copying, 0, clearing, 0)}, fill, false},
		{"a read and a write", from, nil, fill, true},
		{"two reads", from, nil, func(u *unwritten, c *CommandBuffer, t *testing.T) {
			c.CopyBuffer(u.y, u.buffer(t), []BufferCopy{{0, 0, 32}})
		}, false},
		{"other bytes", saxpy, nil, far, false},
		{"a chain", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, copying, transferRead), between(copying, 0, computeShader, shaderRead|shaderWrite)}, saxpy, false},
		{"a broken chain", saxpy, [][]MemoryDependency{between(computeShader, shaderWrite, copying, transferRead), between(clearing, 0, computeShader, shaderRead|shaderWrite)}, saxpy, true},
		{"no chain within a barrier", saxpy, [][]MemoryDependency{append(between(computeShader, shaderWrite, copying, transferRead), between(copying, 0, computeShader, shaderRead|shaderWrite)...)}, saxpy, true},
		{"no chain within a barrier, in any order", saxpy, [][]MemoryDependency{append(between(copying, 0, computeShader, shaderRead|shaderWrite), between(computeShader, shaderWrite, copying, transferRead)...)}, saxpy, true},
		{"available by another dependency of the barrier", saxpy, [][]MemoryDependency{append(between(computeShader, shaderWrite, copying, 0), between(computeShader, 0, computeShader, shaderRead|shaderWrite)...)}, saxpy, true},
		{"ordered by one of two dependencies", saxpy, [][]MemoryDependency{append(between(copying, 0, clearing, 0), between(computeShader, shaderWrite, computeShader, shaderRead|shaderWrite)...)}, saxpy, false},
		{"available later in a chain", saxpy, [][]MemoryDependency{between(computeShader, 0, computeShader, 0), between(computeShader, shaderWrite, computeShader, shaderRead|shaderWrite)}, saxpy, false},
		{"a barrier of everything", saxpy, [][]MemoryDependency{{}}, saxpy, false},
		{"a barrier of nothing", saxpy, [][]MemoryDependency{{{}}}, saxpy, true},
	}
	for _, e := range []exec.Engine{nil, interp.Engine{}} {
		for _, k := range cases {
			u := newCompared(t, e)
			err := u.submit(t, u.record(t, func(c *CommandBuffer) {
				k.a(u, c, t)
				for _, d := range k.barriers {
					c.Barrier(d...)
				}
				k.b(u, c, t)
			}))
			if err != nil {
				t.Fatal(err)
			}
			if is := len(u.reports) > 0; is != k.races {
				t.Errorf("%s: the reports %+v; must be a race: %v", k.name, u.reports, k.races)
			}
			for _, r := range u.reports {
				if r.Sanitizer != "race" || !strings.Contains(r.Message, "of an earlier command are not ordered") {
					t.Errorf("%s: the report %+v", k.name, r)
				}
			}
		}
	}
}

func newCompared(t *testing.T, e exec.Engine) *unwritten {
	u := &unwritten{}
	u.rig = newRig(t, DeviceInfo{Engine: e, Sanitize: SanitizeRace, Reports: func(r Report) { u.reports = append(u.reports, r) }}, storage)
	return u
}

// TestBufferBarriers: a buffer memory barrier orders the accesses of its range alone.
func TestBufferBarriers(t *testing.T) {
	for _, c := range []struct {
		offset, size uint64
		races        bool
	}{{0, 32, false}, {0, WholeSize, false}, {128, 64, true}, {64, WholeSize, true}} {
		u := newCompared(t, nil)
		err := u.submit(t, u.record(t, func(b *CommandBuffer) {
			b.FillBuffer(u.y, 0, 32, 0)
			b.Barrier(MemoryDependency{SourceStages: clearing, SourceAccess: transferWrite, TargetStages: computeShader, TargetAccess: shaderRead | shaderWrite, Buffer: u.y, Offset: c.offset, Size: c.size})
			u.saxpyOf(t, b, u.x, u.y)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != c.races {
			t.Errorf("offset %d, size %d: the reports %+v; must be a race: %v", c.offset, c.size, u.reports, c.races)
		}
	}
}

// TestBufferBarrierOrder: the range of a buffer memory barrier limits its access scopes alone, so that a read of other bytes is before
// a later write (Vulkan, "Buffer Memory Barriers").
func TestBufferBarrierOrder(t *testing.T) {
	u := newCompared(t, nil)
	err := u.submit(t, u.record(t, func(b *CommandBuffer) {
		b.CopyBuffer(u.y, u.x, []BufferCopy{{0, 0, 32}})
		b.Barrier(MemoryDependency{SourceStages: copying, TargetStages: clearing, Buffer: u.y, Offset: 128, Size: 64})
		b.FillBuffer(u.y, 0, 32, 0)
	}))
	if err != nil || len(u.reports) > 0 {
		t.Errorf("the error %v and the reports %+v; must be none", err, u.reports)
	}
}

// TestReadIndirectArguments: the first scope of a dependency from the stage COMPUTE_SHADER has the logically earlier stage
// DRAW_INDIRECT of a dispatch, which reads its arguments.
func TestReadIndirectArguments(t *testing.T) {
	for source, races := range map[uint64]bool{computeShader: false, drawIndirect2: false, copying: true} {
		u := newCompared(t, nil)
		err := u.submit(t, u.record(t, func(b *CommandBuffer) {
			b.BindPipeline(u.saxpy)
			b.BindSets(Compute, u.pipeline, 0, []*Set{u.set}, nil)
			b.PushConstants(u.pipeline, 0, push(2))
			b.DispatchIndirect(u.y, 128)
			b.Barrier(MemoryDependency{SourceStages: source, TargetStages: clearing})
			b.FillBuffer(u.y, 128, 12, 1)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != races {
			t.Errorf("from stage %#x: the reports %+v; must be a race: %v", source, u.reports, races)
		}
	}
}

// storeHalf stores to element I of an array of 16-bit integers, where I is a push constant.
const storeHalf = `OpCapability Shader
OpCapability StorageBuffer16BitAccess
OpExtension "SPV_KHR_16bit_storage"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %y %push
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pushes Block
OpMemberDecorate %pushes 0 Offset 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%half = OpTypeInt 16 0
%halves = OpTypeRuntimeArray %half
%block = OpTypeStruct %halves
%pushes = OpTypeStruct %uint
%pblock = OpTypePointer StorageBuffer %block
%phalf = OpTypePointer StorageBuffer %half
%ppushes = OpTypePointer PushConstant %pushes
%ppuint = OpTypePointer PushConstant %uint
%zero = OpConstant %uint 0
%y = OpVariable %pblock StorageBuffer
%push = OpVariable %ppushes PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%pi = OpAccessChain %ppuint %push %zero
%i = OpLoad %uint %pi
%p = OpAccessChain %phalf %y %zero %i
%h = OpUConvert %half %i
OpStore %p %h
OpReturn
OpFunctionEnd
`

// TestHalvesOfWords: two dispatches that store to different bytes of a word do not race.
func TestHalvesOfWords(t *testing.T) {
	for second, races := range map[byte]bool{0: true, 1: false, 2: false} {
		u := newCompared(t, nil)
		p := must(u.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, storeHalf)}, Layout: u.pipeline}))(t)
		err := u.submit(t, u.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, u.pipeline, 0, []*Set{u.set}, nil)
			for _, i := range []byte{0, second} {
				c.PushConstants(u.pipeline, 0, []byte{i, 0, 0, 0})
				c.Dispatch(1, 1, 1)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != races {
			t.Errorf("halves 0 and %d: the reports %+v; must be a race: %v", second, u.reports, races)
		}
	}
}

// TestAlikeRaces: commands that all race in the same way have one report.
func TestAlikeRaces(t *testing.T) {
	u := newCompared(t, nil)
	err := u.submit(t, u.record(t, func(c *CommandBuffer) {
		for range 20 {
			c.FillBuffer(u.y, 0, 32, 0)
		}
	}))
	if err != nil || len(u.reports) != 1 {
		t.Errorf("the error %v and %d reports; must be one report", err, len(u.reports))
	}
}

// TestComparedAccesses: a submission keeps its last accesses, as far as their number and their bytes have limits.
func TestComparedAccesses(t *testing.T) {
	many := make([]exec.Span, maxSpans/4)
	for _, c := range []struct {
		spans     []exec.Span
		add, kept int
	}{{many, 3, 3}, {many, 6, 4}, {many[:1], maxCompared + 5, maxCompared}} {
		o, first := (&queueOrders{}).add(), []*commandAccess(nil)
		for range c.add {
			a := &commandAccess{Access: exec.Access{Spans: c.spans}}
			first = append(first, a)
			o.add(nil, []*commandAccess{a}, 0)
		}
		if len(o.accesses) != c.kept || o.accesses[0] != first[c.add-c.kept] || o.spans != c.kept*len(c.spans) {
			t.Errorf("%d of %d accesses of %d spans are kept, with %d spans; must be the last %d", len(o.accesses), c.add, len(c.spans), o.spans, c.kept)
		}
	}
}

// TestIndirectRace: the arguments of an indirect dispatch are read by the stage DRAW_INDIRECT.
func TestIndirectRace(t *testing.T) {
	for _, c := range []struct {
		target, access uint64
		races          bool
	}{{drawIndirect2, 1, false}, {computeShader, 1, true}, {drawIndirect2, shaderRead, true}, {allCommands, memoryRead, false}} {
		u := newCompared(t, nil)
		err := u.submit(t, u.record(t, func(b *CommandBuffer) {
			b.FillBuffer(u.y, 128, 12, 1)
			b.Barrier(MemoryDependency{SourceStages: clearing, SourceAccess: transferWrite, TargetStages: c.target, TargetAccess: c.access})
			b.BindPipeline(u.saxpy)
			b.BindSets(Compute, u.pipeline, 0, []*Set{u.set}, nil)
			b.PushConstants(u.pipeline, 0, push(2))
			b.DispatchIndirect(u.y, 128)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != c.races {
			t.Errorf("to stage %#x, access %#x: the reports %+v; must be a race: %v", c.target, c.access, u.reports, c.races)
		}
	}
}

// TestImageBarrierMemory: a barrier of an image is on the memory of all its planes, and a sparse one on any memory.
func TestImageBarrierMemory(t *testing.T) {
	memory := make([]byte, 1<<17) // too large for the stack, which moves when it grows: spans are addresses
	planes := [3][]byte{memory[:8], memory[64:72], memory[128:136]}
	other := memory[192:200]
	for _, x := range []struct {
		image *Image
		bytes []byte
		want  bool
	}{
		{&Image{bytes: planes}, planes[0], true}, {&Image{bytes: planes}, planes[2], true}, {&Image{bytes: planes}, other, false},
		{&Image{sparse: &sparseImage{}}, other, true},
	} {
		if d := (MemoryDependency{Image: x.image}); d.covers(spanOf(x.bytes)) != x.want {
			t.Errorf("the barrier of an image with sparse memory: %v covers the bytes: %v; must be %v", x.image.sparse != nil, !x.want, x.want)
		}
	}
}
