package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestSparseReports reads a sparse image and a sparse buffer with and without memory: with residencyNonResidentStrict false, "reads of
// unbound regions" have undefined values. A shader that asks for the residency may read texels without memory.
func TestSparseReports(t *testing.T) {
	sparseSystem(t)
	sparse := strings.NewReplacer("OpCapability Shader", "OpCapability Shader\nOpCapability SparseResidency", "%at = OpConstantComposite", "%pair = OpTypeStruct %uint %v4\n%at = OpConstantComposite",
		"OpImageRead %v4 %i %at", "OpImageSparseRead %pair %i %at", "OpCompositeExtract %uint %t 0", "OpCompositeExtract %uint %t 1 0")
	for _, e := range []exec.Engine{interp.Engine{}, nil} {
		for name, text := range map[string]string{"plain": fetchTexel, "sparse": sparse.Replace(fetchTexel)} {
			for _, memory := range []bool{false, true} {
				list := sparseImageReports(t, e, text, memory)
				if want := name == "plain" && !memory; len(list) > 0 != want {
					t.Errorf("%s, memory %t: the reports %+v", name, memory, list)
				}
				for _, r := range list {
					if r.Sanitizer != "bounds" || r.Rule != "reads of a sparse image without memory" {
						t.Errorf("%s: %s", name, r.Text())
					}
				}
			}
		}
		for name, x := range changesOfTexels {
			text := strings.NewReplacer(append(x, "%at = OpConstantComposite",
				"%texel = OpConstantComposite %v4 %zero %zero %zero %zero\n%one = OpConstant %uint 1\n%ptexel = OpTypePointer Image %uint\n%at = OpConstantComposite")...).Replace(fetchTexel)
			for _, memory := range []bool{false, true} {
				list := sparseImageReports(t, e, text, memory)
				if len(list) > 0 == memory || !memory && list[0].Rule != "reads of a sparse image without memory" {
					t.Errorf("%s, memory %t: the reports %+v", name, memory, list)
				}
			}
		}
		for page := range 3 {
			list := sparseBufferReports(t, e, page)
			if want := page != 0; len(list) > 0 != want {
				t.Errorf("memory at page %d: the reports %+v", page, list)
			}
			for _, r := range list {
				if r.Rule != "bytes of a buffer that nothing wrote" || r.Times != 8 {
					t.Errorf("memory at page %d: %s", page, r.Text())
				}
			}
		}
	}
}

// changesOfTexels are the replacements in fetchTexel that make its read a store or an atomic.
var changesOfTexels = map[string][]string{
	"store":  {"OpImageRead %v4 %i %at", "OpCopyObject %v4 %texel\nOpImageWrite %i %at %t"},
	"atomic": {"OpImageRead %v4 %i %at", "OpCopyObject %v4 %texel\n%q = OpImageTexelPointer %ptexel %image %at %zero\n%s = OpAtomicIAdd %uint %q %one %zero %one"},
}

// sparseImageReports returns the reports of a shader that reads a texel of an image, with or without memory.
func sparseImageReports(t *testing.T, e exec.Engine, text string, memory bool) (list []Report) {
	r := newRig(t, DeviceInfo{Engine: e, Sanitize: SanitizeBounds, Reports: func(r Report) { list = append(list, r) }}, storage)
	d := r.dev
	m := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{256, 256, 1}, Usage: ImageStorage, Flags: ImageSparseBinding | ImageSparseResidency}))(t)
	v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
	}}))(t)
	pl := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	module := must(d.NewShaderModule(context.Background(), code(t, text)))(t)
	p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
	set := must(must(d.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(layout))(t)
	if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: v}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}}); err != nil {
		t.Fatal(err)
	}
	if memory {
		blocks := must(d.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
		r.bindSparse(t, BindSparseInfo{Images: []SparseImageBinds{{m, []SparseImageBind{{Extent: [3]int{128, 128, 1}, Memory: blocks}}}}})
	}
	runOn(t, d, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, pl, 0, []*Set{set}, nil)
		c.Dispatch(1, 1, 1)
	})
	return list
}

// sparseBufferReports returns the reports of a shader that reads the first page of a sparse buffer, of which one page has memory; none
// if there is no such page.
func sparseBufferReports(t *testing.T, e exec.Engine, page int) []Report {
	u := newUnwritten(t, e)
	b := must(u.dev.NewBuffer(BufferInfo{Size: 2 * SparseBlock, Usage: StorageBuffer, Flags: BufferSparseBinding | BufferSparseResidency}))(t)
	if page < 2 {
		memory := must(u.dev.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
		u.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{{Offset: uint64(page) * SparseBlock, Size: SparseBlock, Memory: memory}}}}})
	}
	runOn(t, u.dev, func(c *CommandBuffer) { u.saxpyOf(t, c, b, u.y) })
	return u.reports
}
