package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestMappedSortMessage binds a view of another type than the shader's to a mapped storage image: the message has the binding of the shader.
func TestMappedSortMessage(t *testing.T) {
	d := newDescriptorScene(t)
	memory := must(d.dev.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	b := must(d.dev.NewBuffer(BufferInfo{Size: 1024, Usage: ^BufferTileMemory}))(t)
	if err := b.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	layers := d.image("R32_SFLOAT", func(i *ImageInfo, v *ImageViewInfo) { i.Layers, v.Type = 2, enum.ViewType2dArray })
	if err := d.dev.WriteDescriptor(memory.Bytes(), DescriptorInfo{Type: "storage_image", View: layers}); err != nil {
		t.Fatal(err)
	}
	shader := accessShader("CAPS\n=", "IMAGE=%float 2D 0 0 0 2 R32f", "VAR=image", "%b Binding 1=%b Binding 0", "BODY=OpImageWrite %x %i2 %c4")
	info := ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: *d.module(t, shader)}
	info.Stage.Mappings = []Mapping{{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset}}}
	p := must(d.dev.NewComputePipeline(t.Context(), info))(t)
	err := d.submit(t, d.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindResourceHeap(HeapRange{b.Address(), 1024})
		c.Dispatch(1, 1, 1)
	}))
	if err == nil || !strings.Contains(err.Error(), "binding 0") {
		t.Errorf("the error is %v; must name binding 0", err)
	}
}

// TestMappedSortDetails writes a mapped storage image with a format, beside a sampled image of the same binding: only the former is of the
// rules on formats.
func TestMappedSortDetails(t *testing.T) {
	d := newDescriptorScene(t)
	memory := must(d.dev.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	b := must(d.dev.NewBuffer(BufferInfo{Size: 1024, Usage: ^BufferTileMemory}))(t)
	if err := b.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	blocks := d.image("BC7_UNORM_BLOCK", nil)
	if err := d.dev.WriteDescriptor(memory.Bytes(), DescriptorInfo{Type: "storage_image", View: blocks}); err != nil {
		t.Fatal(err)
	}
	run := func(format string) error {
		shader := accessShader("CAPS=OpCapability StorageImageWriteWithoutFormat", "IMAGE=%float 2D 0 0 0 2 "+format, "VAR=image", "%b Binding 1=%b Binding 0", "BODY=%r = OpImageFetch %v4 %y %i2\nOpImageWrite %x %i2 %c4")
		shader = strings.NewReplacer("%b = OpVariable %p ", "%b = OpVariable %pother ", "%y = OpLoad %image %b", "%y = OpLoad %other %b",
			"%ptexel =", "%other = OpTypeImage %float 2D 0 0 0 1 Unknown\n%pother = OpTypePointer UniformConstant %other\n%ptexel =").Replace(shader)
		info := ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: *d.module(t, shader)}
		info.Stage.Mappings = []Mapping{{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset}}}
		p := must(d.dev.NewComputePipeline(t.Context(), info))(t)
		_, err := d.findings(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindResourceHeap(HeapRange{b.Address(), 1024})
			c.Dispatch(1, 1, 1)
		})
		return err
	}
	const rule = "VUID-vkCmdDispatch-OpTypeImage-07027"
	if err := run("Rgba8"); err != nil {
		t.Errorf("with a format: %v; must have no error", err)
	}
	broke(t, "without a format", run("Unknown"), rule)
}
