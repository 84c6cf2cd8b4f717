package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/link"
)

// heapShader reads the descriptor at byte 64 of a heap: IMAGE is an image type, and BODY the instruction with the pointer %c, or %d into the
// heap of samplers.
const heapShader = `OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %heap %samplers
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorate %samplers BuiltIn SamplerHeapEXT
OpDecorate %slots ArrayStride 32
OpMemberDecorate %places 0 Offset 0
OpMemberDecorate %places 1 Offset 64
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%v2 = OpTypeVector %uint 2
%at = OpConstantComposite %v2 %u0 %u0
%image = OpTypeImage IMAGE
%sampler = OpTypeSampler
%buffer = OpTypeBufferEXT StorageBuffer
%block = OpTypeStruct %uint
%puc = OpTypeUntypedPointerKHR UniformConstant
%pi = OpTypeUntypedPointerKHR Image
%psb = OpTypeUntypedPointerKHR StorageBuffer
%slots = OpTypeArray %image %u2
%places = OpTypeStruct %sampler %sampler
%heap = OpUntypedVariableKHR %puc UniformConstant
%samplers = OpUntypedVariableKHR %puc UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%c = OpUntypedAccessChainKHR %puc %slots %heap %u2
%d = OpUntypedAccessChainKHR %puc %places %samplers %u1
BODY
OpReturn
OpFunctionEnd
`

// TestHeapRules reads descriptors of another type, format or dimensionality than the shader has, at constant offsets of heaps.
func TestHeapRules(t *testing.T) {
	d := newDescriptorScene(t)
	memory := must(d.dev.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	buffer := must(d.dev.NewBuffer(BufferInfo{Size: 4096, Usage: StorageBuffer | UniformBuffer | DeviceAddress}))(t)
	if err := buffer.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	next := uint64(0)
	heap := func(info DescriptorInfo) HeapRange { // with a descriptor at byte 64
		next += 128
		if err := d.dev.WriteDescriptor(memory.Bytes()[next+64:], info); err != nil {
			t.Fatal(err)
		}
		return HeapRange{buffer.Address() + next, 128}
	}
	sampled, storage := link.SampledImage, link.StorageImage
	view := func(typ link.DescriptorType, format string, change func(i *ImageInfo, v *ImageViewInfo)) DescriptorInfo {
		return DescriptorInfo{Type: typ, View: d.image(format, change)}
	}
	array := func(_ *ImageInfo, v *ImageViewInfo) { v.Type = enum.ViewType2dArray }
	samples := func(i *ImageInfo, _ *ImageViewInfo) { i.Samples, i.Usage = 4, ImageSampled|ImageColorAttachment }
	word := func(typ link.DescriptorType) DescriptorInfo {
		return DescriptorInfo{Type: typ, Address: buffer.Address(), Range: 4}
	}
	texels := func(typ link.DescriptorType, format string) DescriptorInfo {
		x := word(typ)
		x.Format = formatOf(t, format)
		return x
	}
	sampler := DescriptorInfo{Type: link.SamplerDescriptor, Sampler: d.sampler(SamplerInfo{})}
	const load = "%x = OpLoad %image %c"
	const texel = "%x = OpUntypedImageTexelPointerEXT %pi %image %c %at %u0\n%y = OpAtomicIAdd %uint %x %u1 %u0 %u1"
	const plain, words = "%float 2D 0 0 0 1 Unknown", "%uint 2D 0 0 0 2 R32ui"
	var rows []ruleRow
	row := func(rule, image, body string, bad, good DescriptorInfo) {
		t.Helper()
		module := d.module(t, strings.NewReplacer("IMAGE", image, "BODY", body).Replace(heapShader))
		p := must(d.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: *module}))(t)
		heaps := map[bool]HeapRange{true: heap(bad), false: heap(good)}
		rows = append(rows, ruleRow{[]string{rule}, nil, func(c *CommandBuffer, bad bool) {
			c.BindPipeline(p)
			c.BindResourceHeap(heaps[bad])
			c.BindSamplerHeap(heaps[bad])
			c.Dispatch(1, 1, 1)
		}})
	}
	row("RuntimeSpirv-Result-11340", plain, "%x = OpLoad %sampler %d", view(sampled, "R8_UNORM", nil), sampler)
	row("RuntimeSpirv-Result-11341", plain, load, view(storage, "R8_UNORM", nil), view(sampled, "R8_UNORM", nil))
	row("RuntimeSpirv-Result-11341", "%float Buffer 0 0 0 1 Unknown", load, texels(link.StorageTexelBuffer, "R32_SFLOAT"), texels(link.UniformTexelBuffer, "R32_SFLOAT"))
	row("RuntimeSpirv-Result-11342", plain, "%x = OpBufferPointerEXT %psb %c", word(link.UniformBuffer), word(link.StorageBuffer))
	row("RuntimeSpirv-Result-11342", plain, "%x = OpBufferPointerEXT %psb %c", sampler, word(link.StorageBuffer))
	row("RuntimeSpirv-Result-11343", plain, load, view(sampled, "R8_UINT", nil), view(sampled, "R8_SNORM", nil))
	row("RuntimeSpirv-Result-11343", "%float Buffer 0 0 0 1 Unknown", load, texels(link.UniformTexelBuffer, "R32_SINT"), texels(link.UniformTexelBuffer, "R32_SFLOAT"))
	row("RuntimeSpirv-Result-11345", plain, load, view(sampled, "R8_UNORM", array), view(sampled, "R8_UNORM", nil))
	row("RuntimeSpirv-Result-11345", plain, load, view(sampled, "R8_UNORM", samples), DescriptorInfo{Type: sampled})
	row("RuntimeSpirv-Image-11379", words, texel, view(sampled, "R32_UINT", nil), view(storage, "R32_UINT", nil))
	row("RuntimeSpirv-Image-11380", words, texel, view(storage, "R32_SINT", nil), view(storage, "R32_UINT", nil))
	row("RuntimeSpirv-Image-11382", words, texel, view(storage, "R32_UINT", array), view(storage, "R32_UINT", nil))
	d.check(t, rows)
}

// memoryRow is a row of a shader of accessShader whose descriptors are in a descriptor buffer, or in heaps by mappings.
func (d *descriptorScene) memoryRow(rule, shader string, typ link.DescriptorType, bad, good DescriptorInfo, mapped bool) ruleRow {
	d.t.Helper()
	memory := must(d.dev.Allocate(MemoryInfo{Size: 1024, DeviceAddress: true}))(d.t)
	buffer := must(d.dev.NewBuffer(BufferInfo{Size: 1024, Usage: ResourceDescriptorBuffer | DeviceAddress}))(d.t)
	if err := buffer.Bind(memory, 0); err != nil {
		d.t.Fatal(err)
	}
	for at, info := range map[int]DescriptorInfo{0: bad, 64: bad, 128: good, 192: good} {
		if err := d.dev.WriteDescriptor(memory.Bytes()[at:], info); err != nil {
			d.t.Fatal(err)
		}
		if info.Type == link.CombinedImageSampler { // the heap of samplers has its own descriptor
			info.Type = link.SamplerDescriptor
			if err := d.dev.WriteDescriptor(memory.Bytes()[512+at:], info); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	sets := must(d.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: []link.Binding{{Type: typ, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: typ, Count: 1, Stages: link.AllStages}}}))(d.t)
	layout := must(d.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(d.t)
	info := ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorBuffer}, Stage: *d.module(d.t, shader), Layout: layout}
	if mapped {
		two := uint32(2)
		info.Flags, info.Layout = enum.PipelineFlagsDescriptorHeap, nil
		info.Stage.Mappings = []Mapping{{IndexStride: 128, SamplerIndexStride: 128, Mapping: link.Mapping{Source: enum.MappingSourceHeapWithPushIndex, HeapArrayStride: 64, SamplerHeapArrayStride: 64, Count: &two}}}
	}
	p := must(d.dev.NewComputePipeline(d.t.Context(), info))(d.t)
	return ruleRow{[]string{rule}, nil, func(c *CommandBuffer, bad bool) {
		n := ir.HeapDescriptor * 8 * (1 - flag(bad)) // of 128
		c.BindPipeline(p)
		if mapped {
			c.BindResourceHeap(HeapRange{buffer.Address(), 512})
			c.BindSamplerHeap(HeapRange{buffer.Address() + 512, 512})
			c.PushData(0, []byte{byte(n / 128), 0, 0, 0})
		} else {
			c.BindDescriptorBuffers([]uint64{buffer.Address()})
			c.SetDescriptorBufferOffsets(Compute, layout, 0, []uint32{0}, []uint64{n})
		}
		c.Dispatch(1, 1, 1)
	}}
}

// TestAccessInMemory breaks the rules on accesses with descriptors in descriptor buffers and in heaps.
func TestAccessInMemory(t *testing.T) {
	d := newDescriptorScene(t)
	plain := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	adds := accessShader("CAPS=OpCapability ImageBuffer", "IMAGE=%uint Buffer 0 0 0 2 R32ui", "VAR=image", "TEXEL=uint", "BODY=%t = OpImageTexelPointer %ptexel %a %u0 %u0\n%r = OpAtomicIAdd %uint %t %u1 %u0 %u1")
	memory := must(d.dev.Allocate(MemoryInfo{Size: 64, DeviceAddress: true}))(t)
	b := must(d.dev.NewBuffer(BufferInfo{Size: 64, Usage: StorageTexelBuffer | DeviceAddress}))(t)
	if err := b.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	linear := d.sampler(SamplerInfo{Mag: enum.FilterLinear})
	combined := func(format string) DescriptorInfo {
		return DescriptorInfo{Type: link.CombinedImageSampler, View: d.image(format, nil), Sampler: linear}
	}
	texels := func(format string) DescriptorInfo {
		return DescriptorInfo{Type: link.StorageTexelBuffer, Address: b.Address(), Range: 64, Format: formatOf(t, format)}
	}
	for _, mapped := range []bool{false, true} {
		d.check(t, []ruleRow{
			d.memoryRow("vkCmdDispatch-magFilter-04553", plain, link.CombinedImageSampler, combined("R8_UINT"), combined("R8_UNORM"), mapped),
			d.memoryRow("vkCmdDispatch-None-07888", adds, link.StorageTexelBuffer, texels("R8G8B8A8_UINT"), texels("R32_UINT"), mapped),
		})
	}
}

// TestConversionRule samples a view and a sampler with different conversions, which descriptor buffers do not prevent.
func TestConversionRule(t *testing.T) {
	d := newDescriptorScene(t)
	plain := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	color := formatOf(t, "R8G8B8A8_UNORM")
	edge := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	conversion := func(m enum.YcbcrModel) DescriptorInfo {
		c := must(d.dev.NewYcbcrConversion(YcbcrConversionInfo{Format: color, Model: m}))(t)
		return DescriptorInfo{Type: link.CombinedImageSampler, Sampler: d.sampler(SamplerInfo{Address: edge, Conversion: c}), View: d.image("R8G8B8A8_UNORM", func(_ *ImageInfo, v *ImageViewInfo) { v.Conversion = c })}
	}
	one, other := conversion(enum.YcbcrModelYcbcr709), conversion(enum.YcbcrModelYcbcr601)
	mixed := one
	mixed.Sampler = other.Sampler
	d.check(t, []ruleRow{d.memoryRow("RuntimeSpirv-OpTypeSampledImage-12208", plain, link.CombinedImageSampler, mixed, one, true)})
}

// TestMatrixRule loads a cooperative matrix of a buffer whose descriptor is null.
func TestMatrixRule(t *testing.T) {
	d := newDescriptorScene(t)
	const shader = `OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %x
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u8 = OpConstant %uint 8
%array = OpTypeRuntimeArray %float
%block = OpTypeStruct %array
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%x = OpVariable %pblock StorageBuffer
%matrix = OpTypeCooperativeMatrixKHR %float %u3 %u8 %u8 %u2
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpAccessChain %pfloat %x %u0 %u0
%m = OpCooperativeMatrixLoadKHR %matrix %p %u0 %u8
OpReturn
OpFunctionEnd
`
	b := must(d.dev.NewBuffer(BufferInfo{Size: 256, Usage: StorageBuffer}))(t)
	if err := b.Bind(must(d.dev.Allocate(MemoryInfo{Size: 256}))(t), 0); err != nil {
		t.Fatal(err)
	}
	null, good := Write{Buffers: []BufferDescriptor{{}}}, Write{Buffers: []BufferDescriptor{{Buffer: b, Range: WholeSize}}}
	d.check(t, []ruleRow{d.row(accessRow{[]string{"RuntimeSpirv-OpCooperativeMatrix-12379"}, nil, shader, null, good, nil, nil}, link.DescriptorType(iface.StorageBuffer))})
}
