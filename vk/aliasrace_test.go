package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestAliasedRaces: the memory of an access is what two descriptors share, whatever their names (Vulkan, "Memory Model", "Memory
// Location"). Each invocation loads x[i], loads y[i] and stores to y[i].
func TestAliasedRaces(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset uint64 // of x in the buffer y
		apart  bool   // x has memory of its own
		times  uint64
	}{
		{"own element", 0, false, 0},
		{"element of another invocation", 16, false, 4},
		{"other memory", 0, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reports []Report
			r := newRig(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(r Report) { reports = append(reports, r) }}, storage)
			x := BufferDescriptor{r.y, c.offset, 32}
			if c.apart {
				x = BufferDescriptor{r.x, 0, 32}
			}
			if err := r.set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{x}}); err != nil {
				t.Fatal(err)
			}
			err := r.submit(t, r.record(t, func(c *CommandBuffer) {
				c.BindPipeline(r.saxpy)
				c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
				c.PushConstants(r.pipeline, 0, push(2))
				c.Dispatch(2, 1, 1)
			}))
			if err != nil {
				t.Fatal(err)
			}
			n := uint64(0)
			for _, x := range reports {
				n += x.Times
			}
			if n != c.times {
				t.Errorf("%d races in %+v; must be %d", n, reports, c.times)
			}
		})
	}
}

// storeFetch is a shader in which workgroup x stores to texel (x, 0) of a storage image, and fetches texel (x xor OTHER, 0) of a sampled image.
const storeFetch = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %image %source
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %source DescriptorSet 0
OpDecorate %source Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%0 = OpConstant %uint 0
%other = OpConstant %uint OTHER
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v4 = OpTypeVector %uint 4
%pv3 = OpTypePointer Input %v3
%storage = OpTypeImage %uint 2D 0 0 0 2 R32ui
%sampled = OpTypeImage %uint 2D 0 0 0 1 Unknown
%pstorage = OpTypePointer UniformConstant %storage
%psampled = OpTypePointer UniformConstant %sampled
%image = OpVariable %pstorage UniformConstant
%source = OpVariable %psampled UniformConstant
%id = OpVariable %pv3 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpLoad %v3 %id
%x = OpCompositeExtract %uint %at 0
%y = OpBitwiseXor %uint %x %other
%own = OpCompositeConstruct %v2 %x %0
%its = OpCompositeConstruct %v2 %y %0
%i = OpLoad %storage %image
%s = OpLoad %sampled %source
%t = OpImageFetch %v4 %s %its Lod %0
OpImageWrite %i %own %t
OpReturn
OpFunctionEnd
`

// TestFetchedRaces: a fetch from a sampled image is an access of its texel, of which a storage image may have the memory.
func TestFetchedRaces(t *testing.T) {
	for _, k := range []struct {
		other string
		apart bool // the sampled image has memory of its own
		races bool
	}{{"0", false, false}, {"1", false, true}, {"1", true, false}} {
		u := newCompared(t, nil)
		info := ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 1, 1}, Usage: ImageStorage | ImageSampled}
		view := func(m *Image) *ImageView {
			return must(u.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
		}
		target := view(u.image(t, info))
		source := target
		if k.apart {
			source = view(u.image(t, info))
		}
		l := must(u.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
			{Binding: 0, Type: link.StorageImage, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: link.SampledImage, Count: 1, Stages: link.AllStages},
		}}))(t)
		pl := must(u.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
		set := must(must(u.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l))(t)
		if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: target}}}, Write{Binding: 1, Images: []ImageDescriptor{{View: source}}}); err != nil {
			t.Fatal(err)
		}
		p := must(u.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, strings.Replace(storeFetch, "OTHER", k.other, 1))}, Layout: pl}))(t)
		err := u.submit(t, u.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, pl, 0, []*Set{set}, nil)
			c.Dispatch(4, 1, 1)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != k.races {
			t.Errorf("the texel of workgroup x xor %s, apart %v: the reports %+v; must be a race: %v", k.other, k.apart, u.reports, k.races)
		}
	}
}
