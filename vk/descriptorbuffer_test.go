package vk

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// memoryRig is a rig whose buffers have device addresses, with 4096 bytes for descriptors.
type memoryRig struct {
	*rig
	bytes    []byte // for descriptors
	address  uint64 // of bytes
	xAt, yAt uint64 // addresses
}

func newMemoryRig(t testing.TB) *memoryRig {
	t.Helper()
	return newMemoryRigOf(t, DeviceInfo{})
}

// newMemoryRigOf returns a rig with a device as info says.
func newMemoryRigOf(t testing.TB, info DeviceInfo) *memoryRig {
	t.Helper()
	r := &memoryRig{rig: newRig(t, info, storage)}
	m := must(r.dev.Allocate(MemoryInfo{Size: 8192, DeviceAddress: true}))(t)
	r.memory = m
	buffer := func(offset, size uint64) *Buffer {
		b := must(r.dev.NewBuffer(BufferInfo{Size: size, Usage: StorageBuffer | DeviceAddress | TransferSource | UniformTexelBuffer | SamplerDescriptorBuffer | ResourceDescriptorBuffer}))(t)
		if err := b.Bind(m, offset); err != nil {
			t.Fatal(err)
		}
		return b
	}
	r.x, r.y = buffer(0, 32), buffer(64, 256)
	r.bytes, r.address = m.Bytes()[4096:], buffer(4096, 4096).Address()
	r.xAt, r.yAt = r.x.Address(), r.y.Address()
	for i := range 8 {
		r.put(0, i, float32(i))
	}
	return r
}

// TestDescriptorBuffer runs saxpy with a set in a descriptor buffer, reads it again after a barrier, and checks the rules.
func TestDescriptorBuffer(t *testing.T) {
	r := newMemoryRig(t)
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: r.layout.link.Bindings}))(t)
	p := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: r.pipeline.link.Push}))(t)
	r.pipeline = p
	r.saxpy = must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, saxpy)))(t)}, Layout: p}))(t)
	const at = 256
	offset, _, _ := l.BindingOffset(1)
	if l.Size() != 2*BufferDescriptorSize || offset != BufferDescriptorSize {
		t.Fatalf("the layout has %d bytes, and binding 1 is at %d", l.Size(), offset)
	}
	write := func(to []byte, info DescriptorInfo) {
		t.Helper()
		if err := r.dev.WriteDescriptor(to, info); err != nil {
			t.Fatal(err)
		}
	}
	write(r.bytes[at:], DescriptorInfo{Type: storage, Address: r.xAt, Range: 32})
	write(r.bytes[at+offset:], DescriptorInfo{Type: storage, Address: r.yAt, Range: 32})
	bind := func(c *CommandBuffer) {
		c.BindDescriptorBuffers([]uint64{0, r.address})
		c.SetDescriptorBufferOffsets(Compute, p, 0, []uint32{1}, []uint64{at})
	}
	r.run(t, bind)

	// A command writes another range for y; a barrier makes it visible.
	next := make([]byte, BufferDescriptorSize)
	write(next, DescriptorInfo{Type: storage, Address: r.yAt + 64, Range: 32})
	all := must(r.dev.NewBuffer(BufferInfo{Size: 4096, Usage: TransferTarget}))(t)
	if err := all.Bind(r.memory, 4096); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		r.put(128, i, 7)
	}
	r.run(t, func(c *CommandBuffer) {
		bind(c)
		c.PushConstants(p, 0, push(0))
		c.Dispatch(2, 1, 1) // adds nothing to y
		c.UpdateBuffer(all, at+offset, next)
		c.Barrier()
		c.PushConstants(p, 0, push(1))
		c.Dispatch(2, 1, 1)
		write(next, DescriptorInfo{Type: storage, Address: r.yAt, Range: 32})
		c.UpdateBuffer(all, at+offset, next)
		c.Barrier()
	})
	if r.get(128, 3) != 10 {
		t.Errorf("y'[3] = %v, want 10", r.get(128, 3))
	}

	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	for rule, f := range map[string]func(){
		"VUID-vkCmdBindDescriptorBuffersEXT-maxResourceDescriptorBufferBindings-08049": func() { c.BindDescriptorBuffers(make([]uint64, MaxDescriptorBuffers+1)) },
		"VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08061":                       func() { c.SetDescriptorBufferOffsets(Compute, p, 0, []uint32{0}, []uint64{4}) },
		"VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066":                       func() { c.SetDescriptorBufferOffsets(Compute, p, 1, []uint32{0}, []uint64{0}) },
		"VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08070":                  func() { c.BindEmbeddedSamplers(Compute, p, 0) },
	} {
		c.Begin(BeginInfo{})
		f()
		broke(t, rule, c.End(), rule)
	}
}

// texelOf reads texel 1 of a texel buffer, and the red component of a sampled image at (0.5, 0.5), and adds both to y[0].
const texelOf = `OpCapability Shader
OpCapability SampledBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %t %i %s %y
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
OpDecorate %i DescriptorSet 0
OpDecorate %i Binding 1
OpDecorate %s DescriptorSet 0
OpDecorate %s Binding 2
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%texels = OpTypeImage %float Buffer 0 0 0 1 Unknown
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pt = OpTypePointer UniformConstant %texels
%pi = OpTypePointer UniformConstant %image
%ps = OpTypePointer UniformConstant %sampler
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%fzero = OpConstant %float 0
%half = OpConstant %float 0.5
%center = OpConstantComposite %v2 %half %half
%t = OpVariable %pt UniformConstant
%i = OpVariable %pi UniformConstant
%s = OpVariable %ps UniformConstant
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%tv = OpLoad %texels %t
%a = OpImageFetch %v4 %tv %one
%a0 = OpCompositeExtract %float %a 0
%iv = OpLoad %image %i
%sv = OpLoad %sampler %s
%si = OpSampledImage %sampled %iv %sv
%b = OpImageSampleExplicitLod %v4 %si %center Lod %fzero
%b0 = OpCompositeExtract %float %b 0
%sum = OpFAdd %float %a0 %b0
%py = OpAccessChain %pfloat %y %zero %zero
%old = OpLoad %float %py
%new = OpFAdd %float %old %sum
OpStore %py %new
OpReturn
OpFunctionEnd
`

// imageSet is the layout of texelOf.
var imageSet = []link.Binding{
	{Type: link.DescriptorType(iface.UniformTexelBuffer), Count: 1, Stages: link.AllStages}, {Binding: 1, Type: sampledImage, Count: 1, Stages: link.AllStages},
	{Binding: 2, Type: link.DescriptorType(iface.Sampler), Count: 1, Stages: link.AllStages}, {Binding: 3, Type: storage, Count: 1, Stages: link.AllStages},
}

// imageRig has an image of 0.25 and texels of x.
func newImageRig(t testing.TB) (*memoryRig, *ImageView) {
	r := newMemoryRig(t)
	m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_SFLOAT"), Extent: [3]int{1, 1, 1}, Usage: ImageSampled | ImageTransferTarget}))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: 4096}))(t)
	if err := m.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	r.put(256, 0, .25)
	if err := r.submit(t, r.record(t, func(c *CommandBuffer) {
		c.CopyBufferToImage(r.y, m, []BufferImageCopy{{BufferOffset: 192, Extent: [3]int{1, 1, 1}}})
	})); err != nil {
		t.Fatal(err)
	}
	return r, must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
}

// TestImageDescriptors reads an image and a texel buffer by descriptors in memory. After the view is closed, its descriptor
// is null, and a new view with its index does not bring it back.
func TestImageDescriptors(t *testing.T) {
	r, view := newImageRig(t)
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: imageSet}))(t)
	p := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
	pipeline := must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, texelOf)))(t)}, Layout: p}))(t)
	sampler := must(r.dev.NewSampler(SamplerInfo{}))(t)
	for binding, info := range map[uint32]DescriptorInfo{
		0: {Address: r.xAt, Range: 32, Format: formatOf(t, "R32_SFLOAT")}, 1: {View: view}, 2: {Sampler: sampler}, 3: {Address: r.yAt, Range: 32},
	} {
		offset, _, _ := l.BindingOffset(binding)
		info.Type = imageSet[binding].Type
		if err := r.dev.WriteDescriptor(r.bytes[offset:], info); err != nil {
			t.Fatal(err)
		}
	}
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(pipeline)
		c.BindDescriptorBuffers([]uint64{r.address})
		c.SetDescriptorBufferOffsets(Compute, p, 0, []uint32{0}, []uint64{0})
		c.Dispatch(1, 1, 1)
	})
	check := func(what string, want float32) {
		t.Helper()
		r.put(64, 0, 0)
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got := r.get(64, 0); got != want {
			t.Errorf("%s: y[0] = %v, want %v", what, got, want)
		}
	}
	check("all alive", 1.25)
	image := view.image
	view.Close()
	check("a closed view", 1)
	other := must(r.dev.NewImageView(ImageViewInfo{Image: image, Type: enum.ViewType2d}))(t)
	to := make([]byte, ImageDescriptorSize)
	r.dev.WriteDescriptor(to, DescriptorInfo{Type: sampledImage, View: other})
	check("another view at the index", 1)
	offset, _, _ := l.BindingOffset(1)
	if uint32(binary.LittleEndian.Uint64(to)) != uint32(binary.LittleEndian.Uint64(r.bytes[offset:])) {
		t.Error("the new view has an index of its own; the test needs the same")
	}

	// A view without an object: the image owns it.
	for range 2 {
		if err := r.dev.WriteDescriptor(r.bytes[offset:], DescriptorInfo{Type: sampledImage, Image: &ImageViewInfo{Image: image, Type: enum.ViewType2d}}); err != nil {
			t.Fatal(err)
		}
	}
	check("a described view", 1.25)
	other.Close()
	image.Close()
	check("a closed image", 1)

	// Any bytes are harmless.
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for i := range l.Size() {
			r.bytes[i] = byte(random.Uint32() & random.Uint32() & random.Uint32())
		}
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEmbeddedSampler samples with an embedded immutable sampler.
func TestEmbeddedSampler(t *testing.T) {
	r := newMemoryRig(t)
	sampler := must(r.dev.NewSampler(SamplerInfo{}))(t)
	binding := []link.Binding{{Type: link.DescriptorType(iface.Sampler), Count: 1, Stages: link.AllStages}}
	_, err := r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsEmbeddedImmutableSamplers | enum.SetFlagsDescriptorBuffer, Bindings: binding})
	broke(t, "without a sampler", err, "VUID-VkDescriptorSetLayoutBinding-flags-08005")
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsEmbeddedImmutableSamplers | enum.SetFlagsDescriptorBuffer, Bindings: binding, Samplers: map[uint32][]*Sampler{0: {sampler}}}))(t)
	p := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
	c := r.record(t, func(c *CommandBuffer) { c.BindEmbeddedSamplers(Compute, p, 0) })
	if s := c.sets[0].content[0].Samplers; len(s) != 1 || s[0] != sampler.sampler {
		t.Errorf("the set has the samplers %v", s)
	}
}

// TestHeaps runs saxpy and texelOf with descriptors in heaps by mappings: constant offsets, an index in push data with
// several bindings, an array of indices in memory, and data.
func TestHeaps(t *testing.T) {
	r, view := newImageRig(t)
	write := func(at uint64, info DescriptorInfo) {
		t.Helper()
		if err := r.dev.WriteDescriptor(r.bytes[at:], info); err != nil {
			t.Fatal(err)
		}
	}
	write(64, DescriptorInfo{Type: storage, Address: r.xAt, Range: 32})
	write(128, DescriptorInfo{Type: storage, Address: r.yAt, Range: 32})
	write(256, DescriptorInfo{Type: imageSet[0].Type, Address: r.xAt, Range: 32, Format: formatOf(t, "R32_SFLOAT")})
	write(320, DescriptorInfo{Type: sampledImage, View: view})
	write(1024, DescriptorInfo{Type: imageSet[2].Type, Sampler: must(r.dev.NewSampler(SamplerInfo{}))(t)})
	two, index := uint32(2), r.bytes[2052:] // the address of indices is a multiple of 4
	binary.LittleEndian.PutUint32(index, 1)
	binary.LittleEndian.PutUint32(index[4:], 2)

	pipeline := func(text string, list ...Mapping) *ComputePipeline {
		t.Helper()
		return must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, text)))(t), Mappings: list}}))(t)
	}
	address := binary.LittleEndian.AppendUint64(nil, r.address+2052)
	for what, m := range map[string]Mapping{
		"constant": {Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 64, HeapArrayStride: 64, Count: &two}},
		"push":     {Mapping: link.Mapping{Source: enum.MappingSourceHeapWithPushIndex, HeapOffset: 32, HeapArrayStride: 64, Count: &two, PushOffset: 4}, IndexStride: 32},
		"array":    {Mapping: link.Mapping{Source: enum.MappingSourceHeapWithIndirectIndexArray, PushOffset: 8, Count: &two}, IndexStride: 64},
	} {
		saxpyHeap := pipeline(saxpy, m)
		for i := range 8 {
			r.put(64, i, 100)
		}
		c := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(saxpyHeap)
			c.BindResourceHeap(HeapRange{r.address, 2048})
			c.PushData(0, push(2))
			c.PushData(4, binary.LittleEndian.AppendUint32(nil, 1))
			c.PushData(8, address)
			c.Dispatch(2, 1, 1)
		})
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if r.get(64, 3) != 106 {
			t.Errorf("%s: y[3] = %v, want 106", what, r.get(64, 3))
		}
	}
	at := func(binding uint32, offset uint64) Mapping {
		return Mapping{Mapping: link.Mapping{First: binding, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: offset}}
	}
	own := at(2, 0)
	own.Embedded = &SamplerInfo{}
	for what, sampler := range map[string]Mapping{"sampler in the heap": at(2, 1024), "embedded sampler": own} {
		images := pipeline(texelOf, at(0, 256), at(1, 320), sampler, at(3, 128))
		r.put(64, 0, 0)
		c := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(images)
			c.BindResourceHeap(HeapRange{r.address, 2048})
			c.BindSamplerHeap(HeapRange{r.address, 2048})
			c.Dispatch(1, 1, 1)
			c.Dispatch(1, 1, 1)
		})
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if r.get(64, 0) != 2.5 {
			t.Errorf("%s: y[0] = %v, want 2.5", what, r.get(64, 0))
		}
	}
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	for rule, f := range map[string]func(){
		"VUID-VkPushDataInfoEXT-offset-11243":           func() { c.PushData(MaxPushBytes-4, make([]byte, 8)) },
		"VUID-VkPushDataInfoEXT-offset-11418":           func() { c.PushData(2, make([]byte, 4)) },
		"VUID-VkPushDataInfoEXT-data-11419":             func() { c.PushData(0, make([]byte, 3)) },
		"VUID-vkCmdBindResourceHeapEXT-pBindInfo-11235": func() { c.BindResourceHeap(HeapRange{8, 64}) },
	} {
		c.Begin(BeginInfo{})
		f()
		broke(t, rule, c.End(), rule)
	}
	_, err := r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Layout: r.pipeline, Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, saxpy)))(t)}})
	broke(t, "a layout", err, "VUID-VkComputePipelineCreateInfo-flags-11311")
}

// TestMappedSorts runs shaders whose resources all have one binding: the mappings select them by their types
// (VkDescriptorSetAndBindingMappingEXT::resourceMask).
func TestMappedSorts(t *testing.T) {
	r, view := newImageRig(t)
	for at, info := range map[int]DescriptorInfo{
		64: {Type: storage, Address: r.xAt, Range: 32}, 128: {Type: storage, Address: r.yAt, Range: 32},
		256: {Type: imageSet[0].Type, Address: r.xAt, Range: 32, Format: formatOf(t, "R32_SFLOAT")},
		320: {Type: sampledImage, View: view}, 1024: {Type: imageSet[2].Type, Sampler: must(r.dev.NewSampler(SamplerInfo{}))(t)},
	} {
		if err := r.dev.WriteDescriptor(r.bytes[at:], info); err != nil {
			t.Fatal(err)
		}
	}
	of := func(binding uint32, types enum.ResourceTypes, offset uint64) Mapping {
		return Mapping{Mapping: link.Mapping{First: binding, Resources: &types, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: offset}}
	}
	written := of(1, enum.ResourceTypesReadWriteStorageBuffer, 128)
	texels := strings.NewReplacer("%s Binding 2", "%s Binding 1", "%y Binding 3", "%y Binding 1").Replace(texelOf)
	for what, x := range map[string]struct {
		text string
		want float32
		list []Mapping
	}{
		"image, sampler and storage buffer": {texels, 1.25, []Mapping{of(0, enum.ResourceTypesSampledImage, 256), of(1, enum.ResourceTypesSampledImage, 320), of(1, enum.ResourceTypesSampler, 1024), written}},
		"read-only and written buffer": {
			strings.Replace(saxpy, "OpDecorate %x Binding 0", "OpDecorate %x NonWritable\nOpDecorate %x Binding 1", 1), 0,
			[]Mapping{of(1, enum.ResourceTypesReadOnlyStorageBuffer, 64), written},
		},
	} {
		p := must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, x.text)))(t), Mappings: x.list}}))(t)
		for i := range 8 {
			r.put(64, i, 0)
		}
		if err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindResourceHeap(HeapRange{r.address, 2048})
			c.BindSamplerHeap(HeapRange{r.address, 2048})
			c.PushData(0, push(2))
			c.Dispatch(1, 1, 1)
		})); err != nil {
			t.Fatal(err)
		}
		at := 0
		if x.want == 0 {
			at, x.want = 3, 6 // y[3] = 2·x[3]
		}
		if got := r.get(64, at); got != x.want {
			t.Errorf("%s: y[%d] = %v; must be %v", what, at, got, x.want)
		}
	}
}

// TestInheritedHeaps dispatches in secondary command buffers: they have the heaps that they inherit or bind, and leave
// those of the primary command buffer. Commands that end the use of inherited heaps break a rule.
func TestInheritedHeaps(t *testing.T) {
	r := newMemoryRig(t)
	heap := HeapRange{r.address, 1024}
	empty := HeapRange{r.address + 1024, 1024} // with null descriptors
	for at, address := range map[int]uint64{64: r.xAt, 128: r.yAt} {
		if err := r.dev.WriteDescriptor(r.bytes[at:], DescriptorInfo{Type: storage, Address: address, Range: 32}); err != nil {
			t.Fatal(err)
		}
	}
	two := uint32(2)
	p := must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap},
		Stage: StageInfo{
			Module:   must(r.dev.NewShaderModule(t.Context(), code(t, saxpy)))(t),
			Mappings: []Mapping{{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 64, HeapArrayStride: 64, Count: &two}}},
		},
	}))(t)
	secondary := func(heaps InheritedHeaps, record func(c *CommandBuffer)) *CommandBuffer {
		t.Helper()
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Heaps: heaps}}); err != nil {
			t.Fatal(err)
		}
		record(c)
		return c
	}
	dispatch := func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.PushData(0, push(2))
		c.Dispatch(2, 1, 1)
	}
	bind := func(h HeapRange) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.BindResourceHeap(h)
			dispatch(c)
		}
	}
	given := heap
	inherits := secondary(InheritedHeaps{Resources: &given}, dispatch)
	given = empty // the recording has its own copy
	for _, x := range []struct {
		what      string
		primary   HeapRange
		secondary *CommandBuffer
		after     bool // the primary command buffer dispatches after the secondary one, which has no effect
		want      float32
	}{
		{"it inherits the heap", heap, inherits, false, 106},
		{"it inherits no heap", heap, secondary(InheritedHeaps{}, dispatch), false, 100},
		{"it binds the heap", empty, secondary(InheritedHeaps{}, bind(heap)), false, 106},
		{"the primary one has its own heap again", heap, secondary(InheritedHeaps{}, bind(empty)), true, 106},
		{"it is executed by a secondary one", heap, secondary(InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) {
			if err := inherits.End(); err != nil {
				t.Fatal(err)
			}
			c.Execute(inherits)
		}), false, 106},
	} {
		for i := range 8 {
			r.put(64, i, 100)
		}
		if x.secondary.state == recording {
			if err := x.secondary.End(); err != nil {
				t.Fatal(err)
			}
		}
		c := r.record(t, func(c *CommandBuffer) {
			c.BindResourceHeap(x.primary)
			c.Execute(x.secondary)
			if x.after {
				dispatch(c)
			}
		})
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got := r.get(64, 3); got != x.want {
			t.Errorf("%s: y[3] = %v, want %v", x.what, got, x.want)
		}
	}
	constants := func(c *CommandBuffer) { c.PushConstants(r.pipeline, 0, push(2)) }
	sets := func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil) }
	for _, x := range []struct {
		rule   string
		heaps  InheritedHeaps
		record func(c *CommandBuffer)
	}{
		{"VUID-vkCmdPushConstants-commandBuffer-11295", InheritedHeaps{Samplers: &heap}, constants},
		{"VUID-vkCmdPushConstants-commandBuffer-11296", InheritedHeaps{Resources: &heap}, constants},
		{"VUID-vkCmdBindDescriptorSets-commandBuffer-11295", InheritedHeaps{Samplers: &heap}, sets},
		{"VUID-vkCmdBindDescriptorSets-commandBuffer-11296", InheritedHeaps{Resources: &heap}, sets},
		{"VUID-vkCmdBindResourceHeapEXT-commandBuffer-11238", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.BindResourceHeap(heap) }},
		{"VUID-vkCmdBindSamplerHeapEXT-commandBuffer-11231", InheritedHeaps{Samplers: &heap}, func(c *CommandBuffer) { c.BindSamplerHeap(heap) }},
		{"VUID-vkCmdBindDescriptorBuffersEXT-commandBuffer-11296", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.BindDescriptorBuffers(nil) }},
		{"VUID-vkCmdSetDescriptorBufferOffsetsEXT-commandBuffer-11296", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.SetDescriptorBufferOffsets(Compute, r.pipeline, 0, nil, nil) }},
		{"VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-commandBuffer-11296", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.BindEmbeddedSamplers(Compute, r.pipeline, 0) }},
		{"VUID-vkCmdPushDescriptorSet-commandBuffer-11296", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.PushDescriptors(Compute, r.pipeline, 0) }},
		{"VUID-vkCmdPushDescriptorSetWithTemplate-commandBuffer-11296", InheritedHeaps{Resources: &heap}, func(c *CommandBuffer) { c.PushDescriptorsWithTemplate(nil, r.pipeline, 0, nil) }},
	} {
		broke(t, x.rule, secondary(x.heaps, x.record).End(), x.rule)
	}
	for _, record := range []func(c *CommandBuffer){constants, sets} {
		if err := secondary(InheritedHeaps{}, record).End(); err != nil {
			t.Errorf("without heaps: %v", err)
		}
	}
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
	if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Heaps: InheritedHeaps{Samplers: &HeapRange{8, 64}}}}); err == nil {
		t.Error("a heap at an address that is no multiple of the alignment is inherited")
	}
}

// TestExecuteWithHeaps executes command buffers that inherit other heaps than the bound ones.
func TestExecuteWithHeaps(t *testing.T) {
	r := newRuled(t)
	heap, other := HeapRange{4096, 64}, HeapRange{4096, 128}
	secondary := func(h InheritedHeaps) *CommandBuffer {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Heaps: h}}); err != nil {
			t.Fatal(err)
		}
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	none, resources, samplers := secondary(InheritedHeaps{}), secondary(InheritedHeaps{Resources: &heap}), secondary(InheritedHeaps{Samplers: &heap})
	row := func(rule string, s *CommandBuffer, bind func(c *CommandBuffer, bad bool)) ruleRow {
		return ruleRow{[]string{"vkCmdExecuteCommands-commandBuffer-" + rule}, nil, func(c *CommandBuffer, bad bool) {
			bind(c, bad)
			c.Execute(none, s)
		}}
	}
	ranges := map[bool]HeapRange{true: other, false: heap}
	r.check(t, []ruleRow{
		row("11351", samplers, func(c *CommandBuffer, bad bool) { c.BindSamplerHeap(ranges[bad]) }),
		row("11352", resources, func(c *CommandBuffer, bad bool) { c.BindResourceHeap(ranges[bad]) }),
		row("11473", samplers, func(c *CommandBuffer, bad bool) {
			if c.BindResourceHeap(heap); !bad {
				c.BindSamplerHeap(heap)
			}
		}),
		row("11474", resources, func(c *CommandBuffer, bad bool) {
			if c.BindSamplerHeap(heap); !bad {
				c.BindResourceHeap(heap)
			}
		}),
	})
}
