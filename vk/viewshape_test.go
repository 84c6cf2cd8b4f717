package vk

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestViewShape binds a 1D view for a 2D image of a shader. Its dimension must match only if an invocation accesses it
// (VUID-vkCmdDispatch-viewType-07752), which a tolerant device does not check: its accesses are those of the null descriptor. Another device
// reports the view.
func TestViewShape(t *testing.T) {
	for _, tolerant := range []bool{true, false} {
		d := must(Chiaro().NewDevice(DeviceInfo{Tolerant: tolerant}))(t)
		layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages}}}))(t)
		pl := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
		module := must(d.NewShaderModule(context.Background(), code(t, paint)))(t)
		p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
		m := must(d.NewImage(ImageInfo{Type: enum.ImageType1d, Format: formatOf(t, "R8_UNORM"), Extent: [3]int{4, 1, 1}, Usage: ImageStorage | ImageTransferSource | ImageTransferTarget}))(t)
		size, _ := m.Requirements()
		images, data := must(d.Allocate(MemoryInfo{Size: size}))(t), must(d.Allocate(MemoryInfo{Size: 256}))(t)
		b := must(d.NewBuffer(BufferInfo{Size: 256, Usage: TransferTarget}))(t)
		if err := b.Bind(data, 0); err != nil {
			t.Fatal(err)
		}
		if err := m.Bind(images, 0); err != nil {
			t.Fatal(err)
		}
		v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType1d}))(t)
		set := must(must(d.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(layout))(t)
		if err := set.Update(Write{Images: []ImageDescriptor{{View: v}}}); err != nil {
			t.Fatal(err)
		}
		c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.ClearColorImage(m, [4]uint32{math.Float32bits(1)}, []ImageRange{{}})
		c.BindPipeline(p)
		c.BindSets(Compute, pl, 0, []*Set{set}, nil)
		c.Dispatch(4, 1, 1)
		c.CopyImageToBuffer(m, b, []BufferImageCopy{{Extent: [3]int{4, 1, 1}}})
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		err := d.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}})
		if err == nil {
			err = d.WaitIdle(t.Context())
		}
		if tolerant != (err == nil) {
			t.Errorf("tolerant %t: %v", tolerant, err)
		}
		if got := data.Bytes()[:4]; tolerant && !bytes.Equal(got, []byte{255, 255, 255, 255}) {
			t.Errorf("the image has %v; must be as before", got)
		}
		d.Close()
	}
}
