package vk

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// mappedBlock reads a word of a buffer of a storage class.
const mappedBlock = `OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%block = OpTypeStruct %uint
%p = OpTypePointer CLASS %block
%pu = OpTypePointer CLASS %uint
%v = OpVariable %p CLASS
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpAccessChain %pu %v %u0
%x = OpLoad %uint %a
OpReturn
OpFunctionEnd
`

// TestMappingRules breaks the rules on the places of mapped resources: addresses in push data and in memory, and offsets in heaps.
func TestMappingRules(t *testing.T) {
	d := newDescriptorScene(t)
	memory := must(d.dev.Allocate(MemoryInfo{Size: 8192, DeviceAddress: true}))(t)
	at := func(offset uint64, usage BufferUsage) uint64 {
		b := must(d.dev.NewBuffer(BufferInfo{Size: 1024, Usage: usage | DeviceAddress}))(t)
		if err := b.Bind(memory, offset); err != nil {
			t.Fatal(err)
		}
		return b.Address()
	}
	storage, uniform := at(0, StorageBuffer), at(1024, UniformBuffer)
	const nowhere = 1 << 20 // below all addresses
	for i, n := range []uint64{uniform, nowhere} {
		binary.LittleEndian.PutUint64(memory.Bytes()[1024+128+8*i:], n)
	}
	good, bad := uniform+128, uniform+136 // of the addresses; both are also indices
	binary.LittleEndian.PutUint64(memory.Bytes()[128:], uniform)
	heap := HeapRange{at(2048, ^BufferTileMemory), 1024}
	if err := d.dev.WriteDescriptor(memory.Bytes()[2048:], DescriptorInfo{Type: link.UniformBuffer, Address: uniform, Range: 64}); err != nil {
		t.Fatal(err)
	}
	list := uniform + 256 // indices: of them only the second is of an aligned descriptor
	binary.LittleEndian.PutUint64(memory.Bytes()[1024+256:], 1)
	var stride uint32 // of indirect indices
	row := func(rule, shader string, source enum.MappingSource, wrong, right uint64) ruleRow {
		mapping := Mapping{IndexStride: 8, SamplerIndexStride: 8, Mapping: link.Mapping{Source: source, Count: new(uint32)}}
		*mapping.Count = 2
		if source == enum.MappingSourceHeapWithIndirectIndex || source == enum.MappingSourceHeapWithIndirectIndexArray {
			mapping.IndexStride = stride
		}
		info := ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: *d.module(t, shader)}
		info.Stage.Mappings = []Mapping{mapping}
		p := must(d.dev.NewComputePipeline(t.Context(), info))(t)
		return ruleRow{[]string{"vkCmdDispatch-" + rule}, nil, func(c *CommandBuffer, bad bool) {
			push := right
			if bad {
				push = wrong
			}
			c.BindPipeline(p)
			c.BindResourceHeap(heap)
			c.BindSamplerHeap(heap)
			c.PushData(0, binary.LittleEndian.AppendUint64(nil, push))
			c.Dispatch(1, 1, 1)
		}}
	}
	stored, constant := strings.ReplaceAll(mappedBlock, "CLASS", "StorageBuffer"), strings.ReplaceAll(mappedBlock, "CLASS", "Uniform")
	pair := strings.NewReplacer("%p = OpTypePointer Uniform %block", "%u1 = OpConstant %uint 1\n%u2 = OpConstant %uint 2\n%two = OpTypeArray %block %u2\n%p = OpTypePointer Uniform %two",
		"%pu %v %u0", "%pu %v %u1 %u0").Replace(constant) // reads the second of two buffers
	image := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	const (
		push    = enum.MappingSourcePushAddress
		address = enum.MappingSourceIndirectAddress
		index   = enum.MappingSourceHeapWithIndirectIndex
		indices = enum.MappingSourceHeapWithIndirectIndexArray
	)
	d.check(t, []ruleRow{
		row("None-11302", stored, push, nowhere, storage),
		row("None-11438", constant, push, storage, uniform),
		row("None-11439", stored, push, uniform, storage),
		row("None-11441", constant, push, uniform+8, uniform+16),
		row("None-11442", stored, push, storage+8, storage+16),
		row("None-11304", constant, address, good+4, good),
		row("None-11305", constant, address, nowhere, good),
		row("None-11305", constant, address, heap.Address+8192-2048-4, good), // 4 bytes before the end of memory
		row("None-11306", constant, address, bad, good),
		row("None-11437", constant, address, storage+128, good),
		row("None-11437", constant, index, storage+128, good),
		row("None-11437", constant, indices, storage+128, good),
		row("None-11300", constant, index, good+2, good),
		row("None-11301", constant, index, nowhere, good),
		row("None-11301", constant, indices, nowhere, good),
		row("None-11297", constant, enum.MappingSourceHeapWithPushIndex, 1, 0),
		row("None-11298", image, enum.MappingSourceHeapWithPushIndex, 1, 8*32),
		row("None-11299", image, enum.MappingSourceHeapWithPushIndex, 1, 8*32),
		// The address 0 is for a resource that is not accessed.
		row("None-11302", stored, push, nowhere, 0),
	})
	stride = 8
	d.check(t, []ruleRow{
		row("None-11297", constant, index, list, list+4),
		row("None-11297", constant, indices, list, list+4),
		row("None-11301", pair, indices, nowhere, list), // which elements are accessed is not known
	})
}

// TestMappedStructure traces rays in an acceleration structure whose address is in push data, in memory or in a descriptor of a heap, on both
// engines, and breaks the rule that it is one.
func TestMappedStructure(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRays(t, DeviceInfo{Engine: of})
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		r.instance(1, bottom, 20)
		r.build(t, r.bottom(bottom, 2))
		r.build(t, r.top(top, 2))
		var last func(word uint64) error
		table := r.buffer.Address() + rayDescriptors
		const heap = rayDescriptors + 256
		if err := r.dev.WriteDescriptor(r.memory.Bytes()[heap+64:], DescriptorInfo{Type: link.AccelerationStructure, Address: top.Address()}); err != nil {
			t.Fatal(err)
		}
		for source, word := range map[enum.MappingSource]uint64{enum.MappingSourcePushAddress: top.Address(), enum.MappingSourceIndirectAddress: table, enum.MappingSourceHeapWithConstantOffset: 0} {
			binary.LittleEndian.PutUint64(r.memory.Bytes()[rayDescriptors:], top.Address())
			info := ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: StageInfo{Code: code(t, queries)}}
			info.Stage.Mappings = []Mapping{{Mapping: link.Mapping{Source: source, HeapOffset: 64}}, {Mapping: link.Mapping{First: 1, Source: enum.MappingSourcePushAddress, PushOffset: 8}}}
			p := must(r.dev.NewComputePipeline(t.Context(), info))(t)
			trace := func(word uint64) error {
				return r.submit(t, r.record(t, func(c *CommandBuffer) {
					c.BindPipeline(p)
					c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 128})
					c.PushData(0, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, word), r.buffer.Address()+rayOutput))
					c.Dispatch(1, 1, 1)
				}))
			}
			r.floats(rayOutput, 0, 0, 0, 0)
			if err := trace(word); err != nil {
				t.Fatalf("%s, %v: %v", engine, source, err)
			}
			for i, want := range []float32{4, -1, 4, -1} {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
					t.Errorf("%s, %v: ray %d ends at %v; must be %v", engine, source, i, got, want)
				}
			}
			if source == enum.MappingSourcePushAddress {
				last = trace
			}
		}
		r.dev.checking = All
		wantRule(t, last(top.Address()+16), "VUID-vkCmdDispatch-None-11485")
	}
}
