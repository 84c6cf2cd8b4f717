package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// paint stores 51/255 and 153/255 as red and green to all texels of a storage image.
const paint = `OpCapability Shader
OpCapability StorageImageWriteWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %target DescriptorSet 0
OpDecorate %target Binding 0
OpDecorate %target NonReadable
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%pid = OpTypePointer Input %uint3
%image = OpTypeImage %float 2D 0 0 0 2 Unknown
%pimage = OpTypePointer UniformConstant %image
%id = OpVariable %pid Input
%target = OpVariable %pimage UniformConstant
%a = OpConstant %float 0.2
%b = OpConstant %float 0.6
%color = OpConstantComposite %float4 %a %b %a %a
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint3 %id
%place = OpVectorShuffle %uint2 %i %i 0 1
%t = OpLoad %image %target
OpImageWrite %t %place %color
OpReturn
OpFunctionEnd
`

// TestPlaneStorage stores to each plane of images of 8 bits by a view, and reads all planes. Images with several planes are storage images
// if views of their planes exist, which VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT permits, and no attachments.
func TestPlaneStorage(t *testing.T) {
	for id := uint32(1000156000); id < 1000156034; id++ { // of Vulkan 1.1
		i := format.ByID(id)
		if i == nil || i.Planes == 0 {
			continue
		}
		info := ImageInfo{Type: enum.ImageType2d, Format: link.Format(id), Usage: ImageStorage}
		if _, err := Chiaro().ImageFormatProperties(info); err == nil {
			t.Errorf("images of %s are storage images as a whole", i.Name)
		}
		info.Flags = ImageMutableFormat
		if _, err := Chiaro().ImageFormatProperties(info); err != nil {
			t.Errorf("no plane of %s is a storage image: %v", i.Name, err)
		}
		info.Usage, info.Flags = ImageColorAttachment, ImageMutableFormat|ImageExtendedUsage
		if _, err := Chiaro().ImageFormatProperties(info); err == nil {
			t.Errorf("images of %s are attachments", i.Name)
		}
	}
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages}}}))(t)
	pl := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	module := must(d.NewShaderModule(context.Background(), code(t, paint)))(t)
	p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
	pool := must(d.NewPool(PoolInfo{MaxSets: 3}))(t)
	for _, flags := range []ImageFlags{ImageMutableFormat, ImageMutableFormat | ImageDisjoint} {
		m := planar(t, d, flags, [3]byte{1, 2, 3}, 1)
		data := must(d.Allocate(MemoryInfo{Size: 256}))(t)
		b := must(d.NewBuffer(BufferInfo{Size: 256, Usage: TransferTarget}))(t)
		if err := b.Bind(data, 0); err != nil {
			t.Fatal(err)
		}
		planes := []Aspect{Plane0, Plane1, Plane2}
		want := []byte{1, 2, 3}
		for n, plane := range planes {
			v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d, Format: formatOf(t, "R8_UNORM"), Aspect: plane, Usage: ImageStorage}))(t)
			set := must(pool.Allocate(layout))(t)
			if err := set.Update(Write{Images: []ImageDescriptor{{View: v}}}); err != nil {
				t.Fatal(err)
			}
			size := func(n int) int { return 4 >> min(n, 1) }
			runOn(t, d, func(c *CommandBuffer) {
				c.BindPipeline(p)
				c.BindSets(Compute, pl, 0, []*Set{set}, nil)
				c.Dispatch(uint32(size(n)), uint32(size(n)), 1)
				for k, from := range planes {
					c.CopyImageToBuffer(m, b, []BufferImageCopy{{BufferOffset: uint64(64 * k), Image: Layers{Aspect: from}, Extent: [3]int{size(k), size(k), 1}}})
				}
			})
			want[n] = 51
			for k := range planes {
				for at := range size(k) * size(k) {
					if got := data.Bytes()[64*k+at]; got != want[k] {
						t.Errorf("flags %#x: after plane %d, byte %d of plane %d is %d; must be %d", flags, n, at, k, got, want[k])
					}
				}
			}
		}
		if err := pool.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}
