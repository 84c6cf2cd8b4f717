package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// residentTexels writes to y[i], for i from 0 to 3, 1 if texel 16384·i of a texel buffer of R32_SFLOAT has memory, and 0 if not.
const residentTexels = `OpCapability Shader
OpCapability ImageBuffer
OpCapability SparseResidency
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %t %y
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%sparse = OpTypeStruct %uint %float4
%texels = OpTypeImage %float Buffer 0 0 0 2 R32f
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pin = OpTypePointer Input %uint3
%pt = OpTypePointer UniformConstant %texels
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%n0 = OpConstant %uint 0
%page = OpConstant %uint 16384
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%id = OpVariable %pin Input
%t = OpVariable %pt UniformConstant
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%ids = OpLoad %uint3 %id
%i = OpCompositeExtract %uint %ids 0
%at = OpIMul %uint %i %page
%tv = OpLoad %texels %t
%r = OpImageSparseRead %sparse %tv %at
%c = OpCompositeExtract %uint %r 0
%is = OpImageSparseTexelsResident %bool %c
%v = OpSelect %float %is %f1 %f0
%p = OpAccessChain %pfloat %y %n0 %i
OpStore %p %v
OpReturn
OpFunctionEnd
`

// TestSparseTexels asks a shader which texels of a sparse buffer have memory, by a buffer view and by a descriptor in memory, after each
// of several binds.
func TestSparseTexels(t *testing.T) {
	sparseSystem(t)
	r := newMemoryRig(t)
	d := r.dev
	bindings := []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.StorageTexelBuffer), Count: 1, Stages: link.AllStages},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
	}
	const usage = StorageTexelBuffer | DeviceAddress
	b := must(d.NewBuffer(BufferInfo{Size: 4 * SparseBlock, Usage: usage, Flags: BufferSparseBinding | BufferSparseResidency}))(t)
	whole := must(d.NewBuffer(BufferInfo{Size: 4 * SparseBlock, Usage: usage, Flags: BufferSparseBinding}))(t)
	format := formatOf(t, "R32_SFLOAT")
	memory := must(d.Allocate(MemoryInfo{Size: 4 * SparseBlock, Type: SparseMemory}))(t)
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{whole, []SparseBind{{Size: 4 * SparseBlock, Memory: memory}}}}})
	module := must(d.NewShaderModule(t.Context(), code(t, residentTexels)))(t)

	// run returns a function that compares y with the pages of want.
	run := func(l *SetLayout, bind func(c *CommandBuffer, p *PipelineLayout)) func(name, want string) {
		layout := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
		pipeline := must(d.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: layout}))(t)
		c := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(pipeline)
			bind(c, layout)
			c.Dispatch(1, 1, 1)
		})
		return func(name, want string) {
			t.Helper()
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			got := ""
			for i := range 4 {
				got += string(rune('0' + int(r.get(64, i))))
			}
			if got != want {
				t.Errorf("%s: pages with memory: %s; must be %s", name, got, want)
			}
		}
	}
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: bindings}))(t)
	pool := must(d.NewPool(PoolInfo{MaxSets: 2}))(t)
	ofView := func(b *Buffer) func(name, want string) {
		set := must(pool.Allocate(l))(t)
		v := must(d.NewBufferView(BufferViewInfo{Buffer: b, Format: format}))(t)
		if err := set.Update(Write{Binding: 0, Texels: []*BufferView{v}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}}); err != nil {
			t.Fatal(err)
		}
		return run(l, func(c *CommandBuffer, p *PipelineLayout) { c.BindSets(Compute, p, 0, []*Set{set}, nil) })
	}
	inMemory := must(d.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: bindings}))(t)
	for i, info := range []DescriptorInfo{{Address: b.Address(), Range: b.Size(), Format: format}, {Address: r.yAt, Range: 32}} {
		info.Type = bindings[i].Type
		offset, _, _ := inMemory.BindingOffset(uint32(i))
		if err := d.WriteDescriptor(r.bytes[offset:], info); err != nil {
			t.Fatal(err)
		}
	}
	byView := ofView(b)
	byAddress := run(inMemory, func(c *CommandBuffer, p *PipelineLayout) {
		c.BindDescriptorBuffers([]uint64{r.address})
		c.SetDescriptorBufferOffsets(Compute, p, 0, []uint32{0}, []uint64{0})
	})
	for _, step := range []struct {
		bind SparseBind
		want string
	}{
		{SparseBind{Size: SparseBlock}, "0000"},
		{SparseBind{Offset: SparseBlock, Size: 2 * SparseBlock, Memory: memory}, "0110"},
		{SparseBind{Offset: 2 * SparseBlock, Size: SparseBlock}, "0100"},
		{SparseBind{Offset: 3 * SparseBlock, Size: SparseBlock, Memory: memory}, "0101"},
	} {
		r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{step.bind}}}})
		byView("a view", step.want)
		byAddress("a descriptor in memory", step.want)
	}
	ofView(whole)("a buffer that is bound as a whole", "1111")
}
