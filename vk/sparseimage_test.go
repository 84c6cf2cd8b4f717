package vk

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// sparseShader has four invocations, one for each block of 128×128 texels of an image of 256×256: texel (10, 20) of its block. It
// writes to y the fetched texel; 1 if it has memory; 1 if the texels of a linear filter between the two blocks of its row
// have; 1 if the texel read as a storage image has. Then it stores 3 to the texel.
const sparseShader = `OpCapability Shader
OpCapability SparseResidency
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %tex %store %y
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
OpDecorate %store DescriptorSet 0
OpDecorate %store Binding 2
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%uint2 = OpTypeVector %uint 2
%float = OpTypeFloat 32
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%sparse = OpTypeStruct %uint %float4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%writable = OpTypeImage %float 2D 0 0 0 2 R32f
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pin = OpTypePointer Input %uint3
%psampled = OpTypePointer UniformConstant %sampled
%pwritable = OpTypePointer UniformConstant %writable
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n10 = OpConstant %uint 10
%n20 = OpConstant %uint 20
%n128 = OpConstant %uint 128
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%half = OpConstant %float 0.5
%size = OpConstant %float 256
%three = OpConstant %float 3
%gray = OpConstantComposite %float4 %three %three %three %three
%id = OpVariable %pin Input
%tex = OpVariable %psampled UniformConstant
%store = OpVariable %pwritable UniformConstant
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%ids = OpLoad %uint3 %id
%i = OpCompositeExtract %uint %ids 0
%bx = OpBitwiseAnd %uint %i %n1
%by = OpShiftRightLogical %uint %i %n1
%cx0 = OpIMul %uint %bx %n128
%cy0 = OpIMul %uint %by %n128
%cx = OpIAdd %uint %cx0 %n10
%cy = OpIAdd %uint %cy0 %n20
%at = OpCompositeConstruct %uint2 %cx %cy
%t = OpLoad %sampled %tex
%im = OpImage %image %t
%a = OpImageSparseFetch %sparse %im %at Lod %n0
%acode = OpCompositeExtract %uint %a 0
%av = OpCompositeExtract %float %a 1 0
%ar = OpImageSparseTexelsResident %bool %acode
%af = OpSelect %float %ar %f1 %f0
%fy = OpConvertUToF %float %cy
%v = OpFDiv %float %fy %size
%uv = OpCompositeConstruct %float2 %half %v
%s = OpImageSparseSampleExplicitLod %sparse %t %uv Lod %f0
%scode = OpCompositeExtract %uint %s 0
%sr = OpImageSparseTexelsResident %bool %scode
%sf = OpSelect %float %sr %f1 %f0
%w = OpLoad %writable %store
%r = OpImageSparseRead %sparse %w %at
%rcode = OpCompositeExtract %uint %r 0
%rr = OpImageSparseTexelsResident %bool %rcode
%rf = OpSelect %float %rr %f1 %f0
%k0 = OpIMul %uint %i %n4
%k1 = OpIAdd %uint %k0 %n1
%k2 = OpIAdd %uint %k0 %n2
%k3 = OpIAdd %uint %k0 %n3
%p0 = OpAccessChain %pfloat %y %n0 %k0
OpStore %p0 %av
%p1 = OpAccessChain %pfloat %y %n0 %k1
OpStore %p1 %af
%p2 = OpAccessChain %pfloat %y %n0 %k2
OpStore %p2 %sf
%p3 = OpAccessChain %pfloat %y %n0 %k3
OpStore %p3 %rf
OpImageWrite %w %at %gray
OpReturn
OpFunctionEnd
`

// TestSparseResidency binds blocks of an image: reads of others are 0 with a code of missing memory, stores to them are discarded,
// and memory keeps its texels while it is not bound.
func TestSparseResidency(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	red := formatOf(t, "R32_SFLOAT")
	info := ImageInfo{Type: enum.ImageType2d, Format: red, Extent: [3]int{256, 256, 1}, Levels: 3, Usage: ImageSampled | ImageStorage | ImageTransferTarget | ImageTransferSource, Flags: ImageSparseBinding | ImageSparseResidency}
	m := must(d.NewImage(info))(t)
	defer m.Close()
	need := m.SparseRequirements()
	if want := (SparseRequirements{Aspect: Color, Granularity: [3]int{128, 128, 1}, TailLevel: 2, TailOffset: 5 * SparseBlock, TailSize: SparseBlock}); len(need) != 1 || need[0] != want {
		t.Fatalf("the blocks are %+v; must be %+v", need, want)
	}
	if list := must(d.SparseImageRequirements(info))(t); len(list) != 1 || list[0] != need[0] {
		t.Errorf("without an object the blocks are %+v", list)
	}
	if got := must(d.ImageRequirements(info, 0))(t); got != m.MemoryRequirements(0) || got.Size != 6*SparseBlock {
		t.Errorf("without an object the image needs %+v, with one %+v", got, m.MemoryRequirements(0))
	}
	memory := must(d.Allocate(MemoryInfo{Size: 4 * SparseBlock, Type: SparseMemory}))(t)
	v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	w := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d, Levels: 1}))(t)
	s := must(d.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}}))(t)
	layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.CombinedImageSampler), Count: 1, Stages: link.AllStages},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
		{Binding: 2, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages},
	}}))(t)
	pl := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	module := must(d.NewShaderModule(context.Background(), code(t, sparseShader)))(t)
	p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
	set := must(r.pool.Allocate(layout))(t)
	if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: v, Sampler: s}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}}, Write{Binding: 2, Images: []ImageDescriptor{{View: w}}}); err != nil {
		t.Fatal(err)
	}
	bind := func(x, y int, memory *Memory, block uint64) SparseImageBind {
		return SparseImageBind{Offset: [3]int{128 * x, 128 * y, 0}, Extent: [3]int{128, 128, 1}, Memory: memory, MemoryOffset: block * SparseBlock}
	}
	binds := func(list ...SparseImageBind) {
		r.bindSparse(t, BindSparseInfo{Images: []SparseImageBinds{{m, list}}})
	}
	look := func(name string, want [16]float32, texels [4]float32) {
		t.Helper()
		runOn(t, d, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, pl, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		})
		for i := range want {
			if got := r.get(64, i); got != want[i] {
				t.Errorf("%s: value %d is %v; must be %v", name, i, got, want[i])
			}
		}
		runOn(t, d, func(c *CommandBuffer) {
			for i := range 4 {
				c.CopyImageToBuffer(m, r.y, []BufferImageCopy{{BufferOffset: uint64(4 * i), Offset: [3]int{i&1*128 + 10, i>>1*128 + 20, 0}, Extent: [3]int{1, 1, 1}}})
			}
		})
		for i := range texels {
			if got := r.get(64, i); got != texels[i] {
				t.Errorf("%s: texel %d is %v after the stores; must be %v", name, i, got, texels[i])
			}
		}
	}
	look("no memory", [16]float32{}, [4]float32{})
	binds(bind(0, 0, memory, 2), bind(1, 0, memory, 0))
	runOn(t, d, func(c *CommandBuffer) { c.ClearColorImage(m, [4]uint32{0x40e00000}, []ImageRange{{}}) }) // 7
	look("two blocks", [16]float32{7, 1, 1, 1, 7, 1, 1, 1}, [4]float32{3, 3})
	binds(bind(1, 0, nil, 0))
	look("one block", [16]float32{3, 1, 0, 1, 0, 0, 0, 0}, [4]float32{3})
	binds(bind(1, 1, memory, 0)) // the memory of block (1, 0), with its texels
	look("another block", [16]float32{3, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 1}, [4]float32{3, 0, 0, 3})
	// The mip tail: level 2.
	tail := func(memory *Memory) {
		r.bindSparse(t, BindSparseInfo{Opaque: []SparseOpaqueBind{{m, []SparseBind{{Offset: need[0].TailOffset, Size: SparseBlock, Memory: memory, MemoryOffset: 3 * SparseBlock}}}}})
	}
	for _, on := range []*Memory{nil, memory, nil, memory} {
		tail(on)
		want := float32(0)
		if on != nil {
			want = 5
		}
		runOn(t, d, func(c *CommandBuffer) {
			c.ClearColorImage(m, [4]uint32{0x40a00000}, []ImageRange{{BaseLevel: 2}}) // 5
			c.CopyImageToBuffer(m, r.y, []BufferImageCopy{{Image: Layers{Level: 2}, Offset: [3]int{63, 63, 0}, Extent: [3]int{1, 1, 1}}})
		})
		if got := r.get(64, 0); got != want {
			t.Errorf("the mip tail is %v; must be %v", got, want)
		}
	}
	if err := memory.Close(); err != nil {
		t.Error(err)
	}
	look("freed memory", [16]float32{3, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 1}, [4]float32{3, 0, 0, 3})
}

// TestSparseShapes compares the blocks of formats with the standard ones (Vulkan, Standard Sparse Image Block Shapes).
func TestSparseShapes(t *testing.T) {
	p := Chiaro()
	for _, test := range []struct {
		format  string
		kind    enum.ImageType
		samples int
		want    [3]int
	}{
		{"R8_UNORM", enum.ImageType2d, 1, [3]int{256, 256, 1}}, {"R8G8_UNORM", enum.ImageType2d, 1, [3]int{256, 128, 1}}, {"R32G32_SFLOAT", enum.ImageType2d, 1, [3]int{128, 64, 1}},
		{"R32G32B32A32_SFLOAT", enum.ImageType2d, 1, [3]int{64, 64, 1}}, {"R8_UNORM", enum.ImageType3d, 1, [3]int{64, 32, 32}}, {"R16_UNORM", enum.ImageType3d, 1, [3]int{32, 32, 32}},
		{"R32_UINT", enum.ImageType3d, 1, [3]int{32, 32, 16}}, {"R32G32_UINT", enum.ImageType3d, 1, [3]int{32, 16, 16}}, {"R32G32B32A32_UINT", enum.ImageType3d, 1, [3]int{16, 16, 16}},
		{"R8_UNORM", enum.ImageType2d, 2, [3]int{128, 256, 1}}, {"R8_UNORM", enum.ImageType2d, 4, [3]int{128, 128, 1}}, {"R8_UNORM", enum.ImageType2d, 8, [3]int{64, 128, 1}}, {"R8_UNORM", enum.ImageType2d, 16, [3]int{64, 64, 1}},
		{"R16_UNORM", enum.ImageType2d, 4, [3]int{128, 64, 1}}, {"R32_UINT", enum.ImageType2d, 8, [3]int{32, 64, 1}}, {"R32G32B32A32_UINT", enum.ImageType2d, 16, [3]int{16, 16, 1}},
		{"BC1_RGBA_UNORM_BLOCK", enum.ImageType2d, 1, [3]int{512, 256, 1}}, {"BC7_UNORM_BLOCK", enum.ImageType2d, 1, [3]int{256, 256, 1}}, {"D16_UNORM", enum.ImageType2d, 1, [3]int{256, 128, 1}},
	} {
		list := p.SparseImageFormatProperties(ImageInfo{Type: test.kind, Format: formatOf(t, test.format), Samples: test.samples, Usage: ImageSampled})
		if len(list) != 1 || list[0].Granularity != test.want || list[0].NonStandard {
			t.Errorf("%s, type %d, %d samples: %+v; must be %v", test.format, test.kind, test.samples, list, test.want)
		}
	}
	if list := p.SparseImageFormatProperties(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "D32_SFLOAT_S8_UINT"), Usage: ImageSampled}); len(list) != 2 || list[0].Aspect != Depth || list[1].Aspect != Stencil || list[1].Granularity != [3]int{256, 256, 1} {
		t.Errorf("depth and stencil: %+v", list)
	}
	// Elements of 12 bytes have no standard block: they have the block of 16 bytes, and say so.
	for kind, want := range map[enum.ImageType][3]int{enum.ImageType2d: {64, 64, 1}, enum.ImageType3d: {16, 16, 16}} {
		list := p.SparseImageFormatProperties(ImageInfo{Type: kind, Format: formatOf(t, "R32G32B32_SFLOAT"), Usage: ImageSampled})
		if len(list) != 1 || list[0].Granularity != want || !list[0].NonStandard {
			t.Errorf("R32G32B32_SFLOAT, type %d: %+v; must be %v, not standard", kind, list, want)
		}
	}
	for _, name := range []string{"ASTC_5x5_UNORM_BLOCK", "G8_B8R8_2PLANE_420_UNORM"} {
		if list := p.SparseImageFormatProperties(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, name), Usage: ImageSampled}); list != nil {
			t.Errorf("%s: %+v; must be none", name, list)
		}
	}
}

// TestSparseImageRules tests the rules of binds of blocks.
func TestSparseImageRules(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	info := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{300, 200, 1}, Levels: 2, Usage: ImageSampled, Flags: ImageSparseBinding | ImageSparseResidency}
	m := must(r.dev.NewImage(info))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
	block := [3]int{128, 128, 1}
	for _, test := range []struct {
		rule string
		bind SparseImageBind
	}{
		{"VkSparseImageMemoryBindInfo-subresource-01106", SparseImageBind{Aspect: Depth, Extent: block}},
		{"VkSparseImageMemoryBindInfo-subresource-01722", SparseImageBind{Level: 1, Extent: block}}, // 150×100: the tail
		{"VkSparseImageMemoryBindInfo-subresource-01723", SparseImageBind{Layer: 1, Extent: block}},
		{"VkSparseImageMemoryBind-offset-01107", SparseImageBind{Offset: [3]int{64}, Extent: block}},
		{"VkSparseImageMemoryBind-offset-01109", SparseImageBind{Offset: [3]int{0, 256}, Extent: block}},
		{"VkSparseImageMemoryBind-offset-01111", SparseImageBind{Offset: [3]int{0, 0, -1}, Extent: block}},
		{"VkSparseImageMemoryBind-extent-01108", SparseImageBind{Extent: [3]int{100, 128, 1}}},
		{"VkSparseImageMemoryBind-extent-01110", SparseImageBind{Extent: [3]int{128, 201, 1}}},
		{"VkSparseImageMemoryBind-extent-01112", SparseImageBind{Extent: [3]int{128, 128, 0}}},
		{"VkSparseMemoryBind-size-01102", SparseImageBind{Extent: [3]int{256, 128, 1}, Memory: memory}},
	} {
		wantRule(t, r.dev.Queue().BindSparse(BindSparseInfo{Images: []SparseImageBinds{{m, []SparseImageBind{test.bind}}}}), "VUID-"+test.rule)
	}
	r.bindSparse(t, BindSparseInfo{Images: []SparseImageBinds{{m, []SparseImageBind{{Offset: [3]int{256, 128, 0}, Extent: [3]int{44, 72, 1}, Memory: memory}}}}})
	whole := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: info.Format, Extent: info.Extent, Usage: ImageSampled, Flags: ImageSparseBinding}))(t)
	wantRule(t, r.dev.Queue().BindSparse(BindSparseInfo{Images: []SparseImageBinds{{Image: whole}}}), "VUID-VkSparseImageMemoryBindInfo-image-02901")
	if r.dev.Queue().BindSparse(BindSparseInfo{Opaque: []SparseOpaqueBind{{m, []SparseBind{{Size: SparseBlock}}}}}) == nil {
		t.Error("an opaque bind of blocks before the mip tail")
	}
}

// TestSparseAliased writes to blocks of memory that several blocks of two images and a buffer show: after a barrier all of them have the
// texels, also those of mip tails. A block without the memory keeps nothing.
func TestSparseAliased(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	info := ImageInfo{
		Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{256, 128, 1}, Levels: 2, Usage: ImageTransferTarget | ImageTransferSource,
		Flags: ImageSparseBinding | ImageSparseResidency | ImageSparseAliased,
	}
	a, b := must(r.dev.NewImage(info))(t), must(r.dev.NewImage(info))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: 2 * SparseBlock, Type: SparseMemory}))(t)
	bytes := must(r.dev.NewBuffer(BufferInfo{Size: 2 * SparseBlock, Usage: TransferTarget | TransferSource}))(t)
	if err := bytes.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	block := func(x int, m *Memory) SparseImageBind {
		return SparseImageBind{Offset: [3]int{128 * x}, Extent: [3]int{128, 128, 1}, Memory: m}
	}
	tail := func(m *Image, memory *Memory) SparseOpaqueBind {
		n := m.SparseRequirements()[0]
		return SparseOpaqueBind{m, []SparseBind{{Offset: n.TailOffset, Size: n.TailSize, Memory: memory, MemoryOffset: SparseBlock}}}
	}
	r.bindSparse(t, BindSparseInfo{
		Images: []SparseImageBinds{{a, []SparseImageBind{block(0, memory), block(1, memory)}}, {b, []SparseImageBind{block(1, memory)}}},
		Opaque: []SparseOpaqueBind{tail(a, memory), tail(b, memory)},
	})
	const white = 0x01020304
	at := func(m *Image, level, x int, n int) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.CopyImageToBuffer(m, r.y, []BufferImageCopy{{BufferOffset: uint64(4 * n), Image: Layers{Level: level}, Offset: [3]int{x, 5, 0}, Extent: [3]int{1, 1, 1}}})
		}
	}
	for i, test := range []struct {
		write func(c *CommandBuffer)
		reads []func(c *CommandBuffer)
		want  []uint32
	}{
		{ // one texel of a block of a, by way of the other
			func(c *CommandBuffer) {
				c.FillBuffer(r.x, 0, WholeSize, white)
				c.CopyBufferToImage(r.x, a, []BufferImageCopy{{Offset: [3]int{7, 5, 0}, Extent: [3]int{1, 1, 1}}})
			},
			[]func(c *CommandBuffer){at(a, 0, 7, 0), at(a, 0, 128+7, 1), at(b, 0, 128+7, 2), at(b, 0, 7, 3), at(a, 0, 8, 4)},
			[]uint32{white, white, white, 0, 0},
		},
		{ // a texel of the buffer: row 5, after 128 texels a row
			func(c *CommandBuffer) { c.FillBuffer(bytes, 4*(5*128+9), 4, 77) },
			[]func(c *CommandBuffer){at(b, 0, 128+9, 0), at(a, 0, 9, 1), at(a, 0, 7, 2)},
			[]uint32{77, 77, white},
		},
		{ // two texels by two images without a barrier between them
			func(c *CommandBuffer) {
				c.CopyBufferToImage(r.x, b, []BufferImageCopy{{Offset: [3]int{128 + 20, 5, 0}, Extent: [3]int{1, 1, 1}}})
				c.CopyBufferToImage(r.x, a, []BufferImageCopy{{Offset: [3]int{21, 5, 0}, Extent: [3]int{1, 1, 1}}})
			},
			[]func(c *CommandBuffer){at(a, 0, 128+20, 0), at(b, 0, 128+21, 1)},
			[]uint32{white, white},
		},
		{
			func(c *CommandBuffer) { c.ClearColorImage(a, [4]uint32{9}, []ImageRange{{BaseLevel: 1}}) },
			[]func(c *CommandBuffer){at(b, 1, 3, 0), at(b, 1, 127, 1)},
			[]uint32{9, 9},
		},
	} {
		runOn(t, r.dev, func(c *CommandBuffer) {
			test.write(c)
			c.Barrier()
			for _, f := range test.reads {
				f(c)
			}
		})
		for k, want := range test.want {
			if got := math.Float32bits(r.get(64, k)); got != want {
				t.Errorf("test %d: texel %d is %#x; must be %#x", i, k, got, want)
			}
		}
	}
	r.bindSparse(t, BindSparseInfo{Images: []SparseImageBinds{{a, []SparseImageBind{block(0, nil)}}}})
	runOn(t, r.dev, func(c *CommandBuffer) { at(a, 0, 7, 0)(c); at(a, 0, 128+7, 1)(c) })
	if x, y := math.Float32bits(r.get(64, 0)), math.Float32bits(r.get(64, 1)); x != 0 || y != white {
		t.Errorf("without memory the texel is %#x, the other block has %#x; must be 0, %#x", x, y, white)
	}
	for _, x := range []interface{ Close() error }{a, b} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := len(r.dev.aliases.groups); n != 0 {
		t.Errorf("%d blocks of memory are still shared after the close of their images", n)
	}
}

// TestSparseImageMemory tests that the heap counts the texels of images that are bound in part: a clear stores to all of them.
func TestSparseImageMemory(t *testing.T) {
	sparseSystem(t)
	d := must(Chiaro().NewDevice(DeviceInfo{Memory: 1 << 20}))(t)
	t.Cleanup(func() { d.Close() })
	info := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{256, 512, 1}, Usage: ImageTransferTarget, Flags: ImageSparseBinding | ImageSparseResidency}
	m := must(d.NewImage(info))(t)
	if n, _ := d.Used(); n < 1<<19 {
		t.Errorf("an image of %d bytes counts %d", 1<<19, n)
	}
	info.Extent[1] = 1024
	for range 2 { // a failure counts nothing
		if _, err := d.NewImage(info); !errors.As(err, new(*OutOfMemoryError)) {
			t.Errorf("%v: must be out of memory", err)
		}
	}
	m.Close()
	if n, _ := d.Used(); n != 0 {
		t.Errorf("%d bytes are counted after the close", n)
	}
}

// TestSparseThin binds one of two blocks of 128×128 texels of an image of 256×64: the other texels are zero.
func TestSparseThin(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_SFLOAT"), Extent: [3]int{256, 64, 1}, Usage: ImageTransferTarget | ImageTransferSource, Flags: ImageSparseBinding | ImageSparseResidency}))(t)
	if need := m.SparseRequirements(); len(need) != 1 || need[0].TailLevel != 1 || m.MemoryRequirements(0).Size < 2*SparseBlock {
		t.Fatalf("the blocks are %+v in %d bytes; must be two", need, m.MemoryRequirements(0).Size)
	}
	memory := must(r.dev.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
	r.bindSparse(t, BindSparseInfo{Images: []SparseImageBinds{{m, []SparseImageBind{{Offset: [3]int{128, 0, 0}, Extent: [3]int{128, 64, 1}, Memory: memory}}}}})
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.ClearColorImage(m, [4]uint32{0x40e00000}, []ImageRange{{}}) // 7
		for i, x := range [4]int{0, 127, 128, 255} {
			c.CopyImageToBuffer(m, r.y, []BufferImageCopy{{BufferOffset: uint64(4 * i), Offset: [3]int{x, 63, 0}, Extent: [3]int{1, 1, 1}}})
		}
	})
	for i, want := range [4]float32{0, 0, 7, 7} {
		if got := r.get(64, i); got != want {
			t.Errorf("texel %d is %v; must be %v", i, got, want)
		}
	}
}
