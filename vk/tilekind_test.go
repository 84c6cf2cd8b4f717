package vk

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// tileKind reads one value of a tile attachment and stores it: CAPABILITIES, IMAGE, TEXEL and READ are of the kind.
const tileKind = `OpCapability Shader
OpCapability TileShadingQCOM
CAPABILITIES
OpExtension "SPV_QCOM_tile_shading"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %color %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %color DescriptorSet 0
OpDecorate %color Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v2f = OpTypeVector %float 2
%v4f = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%u2 = OpConstant %uint 2
%u10 = OpConstant %uint 10
%half = OpConstant %float 0.5
%two = OpConstant %float 2
%middle = OpConstantComposite %v2f %half %half
%box = OpConstantComposite %v2f %two %two
%at = OpConstantComposite %v2 %u10 %u2
IMAGE
%pcolor = OpTypePointer TileAttachmentQCOM %image
%color = OpVariable %pcolor TileAttachmentQCOM
%words = OpTypeRuntimeArray %float
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%out = OpVariable %pblock StorageBuffer
%pword = OpTypePointer StorageBuffer %float
%p3 = OpTypePointer Input %v3
%id = OpVariable %p3 Input
%main = OpFunction %void None %fn
%l = OpLabel
%n = OpLoad %v3 %id
%z = OpCompositeExtract %uint %n 2
%i = OpLoad %image %color
READ
%v = OpCompositeExtract %float %t 0
%w = OpAccessChain %pword %out %u0 %z
OpStore %w %v
OpReturn
OpFunctionEnd
`

// TestTileKinds reads tile attachments of several samples, of several views and by the box filter of VK_QCOM_image_processing. The left
// half of each is 1, the right half 0.25.
func TestTileKinds(t *testing.T) {
	for _, x := range []struct {
		name, capabilities, image, read string
		descriptor                      iface.Descriptor
		samples, views                  int
		want                            []float32
	}{
		{"samples", "OpCapability StorageImageMultisample", "%image = OpTypeImage %float 2D 0 0 1 2 R32f", "%t = OpImageRead %v4f %i %at Sample %u2", iface.StorageImage, 4, 0, []float32{.25}},
		{"views", "", "%image = OpTypeImage %float 2D 0 1 0 2 R32f", "%p = OpCompositeConstruct %v3 %u10 %u2 %z\n%t = OpImageRead %v4f %i %p", iface.StorageImage, 1, 3, []float32{.25, 0, .25}},
		{"box filter", "OpCapability TextureBoxFilterQCOM\nOpExtension \"SPV_QCOM_image_processing\"", "%plain = OpTypeImage %float 2D 0 0 0 1 Unknown\n%image = OpTypeSampledImage %plain",
			"%t = OpImageBoxFilterQCOM %v4f %i %middle %box", iface.CombinedImageSampler, 1, 0, []float32{.625}},
	} {
		for _, engine := range []exec.Engine{nil, interp.Engine{}} {
			h := newTileScene(t, DeviceInfo{Engine: engine, Checking: All})
			layers := max(x.views, 1)
			image := must(h.dev.NewImage(ImageInfo{
				Type: enum.ImageType2d, Format: formatOf(t, "R32_SFLOAT"), Extent: [3]int{20, 12, 1}, Samples: x.samples, Layers: layers,
				Usage: ImageColorAttachment | ImageStorage | ImageSampled,
			}))(t)
			if x.descriptor == iface.CombinedImageSampler {
				image = must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8_UNORM"), Extent: [3]int{20, 12, 1}, Usage: ImageColorAttachment | ImageSampled}))(t)
			}
			m := must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t)
			if err := image.Bind(m, 0); err != nil {
				t.Fatal(err)
			}
			kind := enum.ViewType2d
			if layers > 1 {
				kind = enum.ViewType2dArray
			}
			view := must(h.dev.NewImageView(ImageViewInfo{Image: image, Type: kind}))(t)
			out := must(h.dev.NewBuffer(BufferInfo{Size: 64, Usage: StorageBuffer}))(t)
			if err := out.Bind(m, 1<<15); err != nil {
				t.Fatal(err)
			}
			sampler := must(h.dev.NewSampler(SamplerInfo{Processing: true, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}}))(t)
			sets := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
				{Binding: 0, Type: link.DescriptorType(x.descriptor), Count: 1, Stages: link.StageCompute}, {Binding: 1, Type: link.DescriptorType(iface.StorageBuffer), Count: 1, Stages: link.StageCompute},
			}}))(t)
			layout := must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
			set := must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
			for _, w := range []Write{{Images: []ImageDescriptor{{View: view, Sampler: sampler}}}, {Binding: 1, Buffers: []BufferDescriptor{{out, 0, WholeSize}}}} {
				if err := set.Update(w); err != nil {
					t.Fatal(err)
				}
			}
			text := strings.NewReplacer("CAPABILITIES", x.capabilities, "IMAGE", x.image, "READ", x.read).Replace(tileKind)
			p := must(h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, text)}, Layout: layout}))(t)
			info := RenderingInfo{Area: Rect{Width: 20, Height: 12}, Tiles: TileShading{Enable: true}}
			if info.Colors = []AttachmentInfo{{View: view, Load: ClearOnLoad, Clear: [4]uint32{math.Float32bits(.25)}}}; layers > 1 {
				info.ViewMask = 5
			}
			err := h.submit(t, h.record(t, func(c *CommandBuffer) {
				c.BindSets(Compute, layout, 0, []*Set{set}, nil)
				c.BindPipeline(p)
				c.BeginRendering(info)
				c.ClearAttachments(Clears{Area: Rect{Width: 10, Height: 12}, Colors: map[int][4]uint32{0: {math.Float32bits(1)}}})
				c.BeginPerTile()
				c.Dispatch(1, 1, uint32(layers))
				c.EndPerTile()
				c.EndRendering()
			}))
			if err != nil {
				t.Errorf("%s: %v", x.name, err)
				continue
			}
			for i, want := range x.want {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(m.Bytes()[1<<15+4*i:])); math.Abs(float64(got-want)) > 1./256 {
					t.Errorf("%s: value %d is %v; must be %v", x.name, i, got, want)
				}
			}
		}
	}
}
