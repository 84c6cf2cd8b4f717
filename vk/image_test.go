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

// sample writes the red component of a combined image sampler at (0.5, 0.5) to y[0], and stores 0.25 to all components of
// texel (1, 0) of a storage image.
const sample = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %tex %store %y
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
OpDecorate %store DescriptorSet 0
OpDecorate %store Binding 2
OpDecorate %store NonReadable
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%int2 = OpTypeVector %int 2
%float = OpTypeFloat 32
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%writable = OpTypeImage %float 2D 0 0 0 2 Rgba8
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%psampled = OpTypePointer UniformConstant %sampled
%pwritable = OpTypePointer UniformConstant %writable
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%zero = OpConstant %int 0
%one = OpConstant %int 1
%f0 = OpConstant %float 0
%half = OpConstant %float 0.5
%quarter = OpConstant %float 0.25
%center = OpConstantComposite %float2 %half %half
%place = OpConstantComposite %int2 %one %zero
%gray = OpConstantComposite %float4 %quarter %quarter %quarter %quarter
%tex = OpVariable %psampled UniformConstant
%store = OpVariable %pwritable UniformConstant
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%t = OpLoad %sampled %tex
%v = OpImageSampleExplicitLod %float4 %t %center Lod %f0
%r = OpCompositeExtract %float %v 0
%py = OpAccessChain %pfloat %y %zero %zero
OpStore %py %r
%w = OpLoad %writable %store
OpImageWrite %w %place %gray
OpReturn
OpFunctionEnd
`

// TestImages copies texels in, samples them in a shader, writes others in it, and copies those out.
func TestImages(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	var rgba link.Format
	if err := rgba.UnmarshalText([]byte("R8G8B8A8_UNORM")); err != nil {
		t.Fatal(err)
	}
	m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{2, 1, 1}, Usage: ImageSampled | ImageStorage | ImageTransferTarget | ImageTransferSource}))(t)
	size, _ := m.Requirements()
	memory := must(r.dev.Allocate(MemoryInfo{Size: size + ImageAlignment}))(t)
	if err := m.Bind(memory, ImageAlignment); err != nil {
		t.Fatal(err)
	}
	v := must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	s := must(r.dev.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}}))(t)
	layout := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.CombinedImageSampler), Count: 1, Stages: link.AllStages},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
		{Binding: 2, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages},
	}, Samplers: map[uint32][]*Sampler{0: {s}}}))(t)
	pl := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	module := must(r.dev.NewShaderModule(context.Background(), code(t, sample)))(t)
	p := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
	set := must(r.pool.Allocate(layout))(t)
	if err := set.Update(
		Write{Binding: 0, Images: []ImageDescriptor{{View: v}}},
		Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}},
		Write{Binding: 2, Images: []ImageDescriptor{{View: v}}}); err != nil {
		t.Fatal(err)
	}
	copy(r.memory.Bytes(), []byte{0, 0, 0, 255, 255, 0, 0, 255}) // black, red
	region := []BufferImageCopy{{Extent: [3]int{2, 1, 1}}}
	c := r.record(t, func(c *CommandBuffer) {
		c.CopyBufferToImage(r.x, m, region)
		c.BindPipeline(p)
		c.BindSets(Compute, pl, 0, []*Set{set}, nil)
		c.Dispatch(1, 1, 1)
		c.CopyImageToBuffer(m, r.x, region)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := r.get(64, 0); got != 0.5 {
		t.Errorf("sampled %v, want 0.5: halfway between black and red", got)
	}
	if got := [8]byte(r.memory.Bytes()); got != [8]byte{0, 0, 0, 255, 64, 64, 64, 64} { // 0.25·255 = 63.75
		t.Errorf("texels %v; want black, and 64 four times", got)
	}
	for _, x := range []interface{ Close() error }{m, memory, s, v, layout, pl, module, p} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err == nil {
		t.Error("a submission with closed objects")
	}
}

// TestImageSize checks that an image of more bytes than maxResourceSize is out of memory: "If an application attempts to create an
// image that exceeds this limit, the creation will fail" (VkImageFormatProperties).
func TestImageSize(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for _, name := range []string{"R8G8B8A8_UNORM", "BC7_UNORM_BLOCK"} {
		var f link.Format
		if err := f.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		var memory *OutOfMemoryError
		_, err := r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: f, Extent: [3]int{16384, 16384, 1}, Layers: 2048, Usage: ImageSampled})
		if !errors.As(err, &memory) || memory.Bytes < 1<<32 {
			t.Errorf("%s: error %v; must be one of memory", name, err)
		}
	}
}

// TestImageCommands clears, blits and resolves; commands with regions outside of the images are errors.
func TestImageCommands(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	var red link.Format
	if err := red.UnmarshalText([]byte("R32_SFLOAT")); err != nil {
		t.Fatal(err)
	}
	memory := must(r.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t)
	image := func(samples int, offset uint64) *Image {
		m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: red, Extent: [3]int{4, 4, 1}, Samples: samples, Usage: ImageTransferSource | ImageTransferTarget}))(t)
		if err := m.Bind(memory, offset); err != nil {
			t.Fatal(err)
		}
		return m
	}
	many, one, other := image(4, 0), image(1, 1024), image(1, 2048)
	whole := [2][3]int{{}, {4, 4, 1}}
	c := r.record(t, func(c *CommandBuffer) {
		c.ClearColorImage(many, [4]uint32{0x40400000}, []ImageRange{{}}) // 3.0
		c.ResolveImage(many, one, []ImageCopy{{Extent: [3]int{4, 2, 1}}})
		c.BlitImage(one, other, []ImageBlit{{SourceBox: whole, TargetBox: [2][3]int{{0, 4, 0}, {4, 0, 1}}}}, enum.FilterNearest)
		c.CopyImage(other, one, []ImageCopy{{Extent: [3]int{1, 1, 1}, TargetOffset: [3]int{3, 3, 0}}})
		c.CopyImageToBuffer(other, r.y, []BufferImageCopy{{Extent: [3]int{4, 4, 1}}})
		c.CopyImageToBuffer(one, r.y, []BufferImageCopy{{BufferOffset: 64, Offset: [3]int{3, 3, 0}, Extent: [3]int{1, 1, 1}}})
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range 16 { // the resolved rows 0 and 1 are 3 and 2 after the mirror
		want := float32(0)
		if i >= 8 {
			want = 3
		}
		if got := r.get(64, i); got != want {
			t.Errorf("texel %d is %v, want %v", i, got, want)
		}
	}
	if got := r.get(128, 0); got != 0 {
		t.Errorf("copied texel is %v, want 0", got)
	}
	for name, record := range map[string]func(c *CommandBuffer){
		"nil":     func(c *CommandBuffer) { c.CopyImage(nil, one, nil) },
		"outside": func(c *CommandBuffer) { c.CopyImage(one, other, []ImageCopy{{Extent: [3]int{5, 1, 1}}}) },
		"level":   func(c *CommandBuffer) { c.ClearColorImage(one, [4]uint32{}, []ImageRange{{BaseLevel: 1}}) },
		"box":     func(c *CommandBuffer) { c.BlitImage(one, other, []ImageBlit{{}}, enum.FilterLinear) },
		"buffer":  func(c *CommandBuffer) { c.CopyImageToBuffer(one, r.x, []BufferImageCopy{{Extent: [3]int{4, 4, 1}}}) },
		"samples": func(c *CommandBuffer) { c.ResolveImage(one, other, nil) },
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestImageExtents makes images of the greatest extent along each axis, and reads the last texel of each by a blit.
func TestImageExtents(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	red := formatOf(t, "R32_SFLOAT")
	memory := must(r.dev.Allocate(MemoryInfo{Size: 1 << 17}))(t)
	image := func(kind enum.ImageType, extent [3]int, offset uint64) *Image {
		m := must(r.dev.NewImage(ImageInfo{Type: kind, Format: red, Extent: extent, Usage: ImageTransferSource | ImageTransferTarget}))(t)
		if err := m.Bind(memory, offset); err != nil {
			t.Fatal(err)
		}
		return m
	}
	one := image(enum.ImageType3d, [3]int{1, 1, 1}, 1<<17-1024)
	for kind := range 3 {
		info := ImageInfo{Type: enum.ImageType(kind), Format: red, Usage: ImageTransferSource | ImageTransferTarget}
		p := must(Chiaro().ImageFormatProperties(info))(t)
		for axis := range kind + 1 {
			most := p.MaxExtent[axis]
			info.Extent = [3]int{1, 1, 1}
			info.Extent[axis] = most + 1
			if _, err := r.dev.NewImage(info); err == nil {
				t.Errorf("an image with the extent %v", info.Extent)
			}
			info.Extent[axis]--
			m, last, end := image(info.Type, info.Extent, 0), [3]int{}, [3]int{1, 1, 1}
			last[axis], end[axis] = most-1, most
			value := float32(1 + 3*kind + axis)
			c := r.record(t, func(c *CommandBuffer) {
				c.FillBuffer(r.y, 0, 4, math.Float32bits(value))
				c.CopyBufferToImage(r.y, m, []BufferImageCopy{{Offset: last, Extent: [3]int{1, 1, 1}}})
				c.BlitImage(m, one, []ImageBlit{{SourceBox: [2][3]int{last, end}, TargetBox: [2][3]int{{}, {1, 1, 1}}}}, enum.FilterNearest)
				c.CopyImageToBuffer(one, r.y, []BufferImageCopy{{BufferOffset: 4, Extent: [3]int{1, 1, 1}}})
			})
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			if got := r.get(64, 1); got != value {
				t.Errorf("the last texel of an image with the extent %v is %v; must be %v", info.Extent, got, value)
			}
		}
	}
}
