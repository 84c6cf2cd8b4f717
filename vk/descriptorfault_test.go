package vk

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// picks reads an element of an array of buffers (set 0), of images (1) and of samplers (2): the push constants have the indices.
const picks = `OpCapability Shader
OpCapability RuntimeDescriptorArray
OpExtension "SPV_EXT_descriptor_indexing"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %P Block
OpMemberDecorate %P 0 Offset 0
OpDecorate %buffers DescriptorSet 0
OpDecorate %buffers Binding 0
OpDecorate %images DescriptorSet 1
OpDecorate %images Binding 0
OpDecorate %samplers DescriptorSet 2
OpDecorate %samplers Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v3u = OpTypeVector %uint 3
%v4 = OpTypeVector %float 4
%f0 = OpConstant %float 0
%u0 = OpConstant %uint 0
%u4 = OpConstant %uint 4
%center = OpConstantNull %v2
%B = OpTypeStruct %uint
%P = OpTypeStruct %v3u
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%listB = ARRAY
%listI = OpTypeArray %image %u4
%listS = OpTypeArray %sampler %u4
%pB = OpTypePointer StorageBuffer %listB
%pu = OpTypePointer StorageBuffer %uint
%pI = OpTypePointer UniformConstant %listI
%pi = OpTypePointer UniformConstant %image
%pS = OpTypePointer UniformConstant %listS
%ps = OpTypePointer UniformConstant %sampler
%pP = OpTypePointer PushConstant %P
%pv = OpTypePointer PushConstant %v3u
%buffers = OpVariable %pB StorageBuffer
%images = OpVariable %pI UniformConstant
%samplers = OpVariable %pS UniformConstant
%push = OpVariable %pP PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpAccessChain %pv %push %u0
%n = OpLoad %v3u %at
%nb = OpCompositeExtract %uint %n 0
%ni = OpCompositeExtract %uint %n 1
%ns = OpCompositeExtract %uint %n 2
%word = OpAccessChain %pu %buffers %nb %u0
OpStore %word %u4
%toi = OpAccessChain %pi %images %ni
%i = OpLoad %image %toi
%tos = OpAccessChain %ps %samplers %ns
%s = OpLoad %sampler %tos
%both = OpSampledImage %sampled %i %s
%x = OpImageSampleExplicitLod %v4 %both %center Lod %f0
OpReturn
OpFunctionEnd
`

// pickArrays are the arrays of picks, by set.
var pickArrays = [...]struct {
	typ    link.DescriptorType
	stride uint64 // bytes between descriptors
}{{link.DescriptorType(iface.StorageBuffer), BufferDescriptorSize}, {link.SampledImage, ImageDescriptorSize}, {link.SamplerDescriptor, SamplerDescriptorSize}}

// pickScene has the arrays of picks in memory, each with 4 descriptors: valid, null, of no object, and null. The
// last descriptor of the array last is outside of the memory.
type pickScene struct {
	*rig
	last  int
	at    uint64 // device address of the memory
	size  uint64 // of it
	found []string
}

// offset returns the offset of an array in the memory. The array last is at its end.
func (p *pickScene) offset(set int) uint64 { return uint64((set-p.last+2)%3) * 256 }

func newPickScene(t *testing.T, last int) *pickScene {
	t.Helper()
	p := &pickScene{last: last, size: 512 + 3*pickArrays[last].stride}
	p.rig = newRig(t, DeviceInfo{Sanitize: SanitizeBounds, Reports: func(x Report) { p.found = append(p.found, x.Rule) }}, storage)
	p.dev.checking = None
	addressed := func(size uint64) (*Memory, uint64) {
		m := must(p.dev.Allocate(MemoryInfo{Size: size, DeviceAddress: true}))(t)
		b := must(p.dev.NewBuffer(BufferInfo{Size: size, Usage: StorageBuffer | ResourceDescriptorBuffer | SamplerDescriptorBuffer | DeviceAddress}))(t)
		if err := b.Bind(m, 0); err != nil {
			t.Fatal(err)
		}
		return m, b.Address()
	}
	memory, at := addressed(p.size)
	p.at = at
	_, target := addressed(64)
	m := p.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8_UNORM"), Extent: [3]int{2, 2, 1}, Usage: ImageSampled})
	for set, info := range [...]DescriptorInfo{
		{Address: target, Range: 4},
		{View: must(p.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)},
		{Sampler: must(p.dev.NewSampler(SamplerInfo{}))(t)},
	} {
		array, stride := memory.Bytes()[p.offset(set):], pickArrays[set].stride
		info.Type = pickArrays[set].typ
		if err := p.dev.WriteDescriptor(array, info); err != nil {
			t.Fatal(err)
		}
		const none = 0x7777_0000_0000 // neither an address nor the number of an object
		binary.LittleEndian.PutUint64(array[2*stride:], none)
		if set == 0 {
			binary.LittleEndian.PutUint64(array[2*stride+8:], 4)
		}
	}
	return p
}

// picker returns a function that dispatches picks with the indices of the descriptors.
func (p *pickScene) picker(t *testing.T, shader string, heaps, object bool) func(index [3]byte) {
	t.Helper()
	info := ShaderInfo{Stage: StageCompute, Code: code(t, shader)}
	var flags enum.PipelineFlags
	if heaps {
		flags, info.Flags = enum.PipelineFlagsDescriptorHeap, enum.ObjectFlagsDescriptorHeap
		for set, x := range pickArrays {
			m := link.Mapping{Set: uint32(set), Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: p.offset(set), HeapArrayStride: x.stride}
			info.Mappings = append(info.Mappings, Mapping{Mapping: m})
		}
	} else {
		flags = enum.PipelineFlagsDescriptorBuffer
		var sets []*SetLayout
		for _, x := range pickArrays {
			sets = append(sets, must(p.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: []link.Binding{{Type: x.typ, Count: 4, Stages: link.AllStages}}}))(t))
		}
		info.Layout = must(p.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: sets, Push: []link.Range{{Size: 12, Stages: link.AllStages}}}))(t)
	}
	var bind func(c *CommandBuffer)
	if object {
		list := must(p.dev.NewShaders(t.Context(), []ShaderInfo{info}))(t)
		bind = func(c *CommandBuffer) { c.BindShaders([]ShaderStage{StageCompute}, list) }
	} else {
		pipe := must(p.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: flags}, Layout: info.Layout, Stage: StageInfo{Code: info.Code, Mappings: info.Mappings}}))(t)
		bind = func(c *CommandBuffer) { c.BindPipeline(pipe) }
	}
	return func(index [3]byte) {
		t.Helper()
		words := []byte{index[0], 0, 0, 0, index[1], 0, 0, 0, index[2], 0, 0, 0}
		err := p.submit(t, p.record(t, func(c *CommandBuffer) {
			bind(c)
			if heaps {
				c.BindResourceHeap(HeapRange{p.at, p.size})
				c.BindSamplerHeap(HeapRange{p.at, p.size})
				c.PushData(0, words)
			} else {
				c.BindDescriptorBuffers([]uint64{p.at})
				c.SetDescriptorBufferOffsets(Compute, info.Layout, 0, []uint32{0, 0, 0}, []uint64{p.offset(0), p.offset(1), p.offset(2)})
				c.PushConstants(info.Layout, 0, words)
			}
			c.Dispatch(1, 1, 1)
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDescriptorFaults reads descriptors in descriptor buffers and in heaps that are valid, null, of no object, and outside of the
// memory, by pipelines and by shader objects. A descriptor that no invocation reads breaks no rule.
func TestDescriptorFaults(t *testing.T) {
	sized, runtime := strings.Replace(picks, "ARRAY", "OpTypeArray %B %u4", 1), strings.Replace(picks, "ARRAY", "OpTypeRuntimeArray %B", 1)
	for name, c := range map[string]struct {
		shader          string
		heaps, object   bool
		invalid, absent string
	}{
		"pipeline":        {sized, false, false, "08116", "08119"},
		"object":          {sized, false, true, "08116", "08605"},
		"heap":            {sized, true, false, "12472", "11309"},
		"heap of objects": {sized, true, true, "12472", "11309"},
		"runtime array":   {runtime, true, false, "12472", "11309"},
	} {
		for last := range pickArrays {
			p := newPickScene(t, last)
			run := p.picker(t, c.shader, c.heaps, c.object)
			for set := range pickArrays {
				for element, rule := range []string{"", "", c.invalid, c.absent} {
					var index [3]byte
					index[set] = byte(element)
					var want []string
					if rule != "" && (element < 3 || set == last) {
						want = []string{"VUID-vkCmdDraw-None-" + rule}
					}
					p.found = nil
					if run(index); !slices.Equal(p.found, want) {
						t.Errorf("%s: element %d of set %d: the reports %q, want %q", name, element, set, p.found, want)
					}
				}
			}
		}
	}
}

// TestHeapObjectFaults loads an image and a sampler from the descriptor at byte 64 of a heap: it is valid, null, of no object, or outside
// of the heap.
func TestHeapObjectFaults(t *testing.T) {
	for set, body := range []string{1: "%x = OpLoad %image %c", 2: "%x = OpLoad %sampler %d"} {
		if body == "" {
			continue
		}
		p := newPickScene(t, set)
		shader := code(t, strings.NewReplacer("IMAGE", "%float 2D 0 0 0 1 Unknown", "BODY", body).Replace(heapShader))
		pipe := must(p.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: StageInfo{Code: shader}}))(t)
		at := func(element uint64) uint64 { return p.at + 512 + element*pickArrays[set].stride - 64 }
		for _, c := range []struct {
			heap HeapRange
			want []string
		}{
			{HeapRange{at(0), 128}, nil},
			{HeapRange{at(1), 128}, nil},
			{HeapRange{at(2), 96}, []string{"VUID-vkCmdDraw-None-12472"}},
			{HeapRange{at(0), 64}, []string{"VUID-vkCmdDraw-None-11309"}},
		} {
			p.found = nil
			if err := p.submit(t, p.record(t, func(b *CommandBuffer) {
				b.BindPipeline(pipe)
				b.BindResourceHeap(c.heap)
				b.BindSamplerHeap(c.heap)
				b.Dispatch(1, 1, 1)
			})); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.found, c.want) {
				t.Errorf("%s, heap %v: the reports %q, want %q", body, c.heap, p.found, c.want)
			}
		}
	}
}
