package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestBorderColorRule samples with a border color that is registered with its index, was registered too late or differently, or is
// not registered.
func TestBorderColorRule(t *testing.T) {
	const rule = "vkCmdDispatch-index-11450"
	d := newDescriptorScene(t)
	red, blue := [4]uint32{0x3f800000, 0, 0, 0x3f800000}, [4]uint32{0, 0, 0x3f800000, 0x3f800000}
	color := formatOf(t, "R8G8B8A8_UNORM")
	register := func(c [4]uint32, f link.Format, at *uint32) BorderIndex {
		t.Helper()
		i, ok := d.dev.RegisterBorderColor(BorderColor{c, f}, at)
		if !ok {
			t.Fatal("a border color is not registered")
		}
		return BorderIndex(i + 1)
	}
	gone, index := register(red, color, nil), register(red, color, nil)
	if gone == index {
		t.Errorf("two border colors have the index %d", gone)
	}
	d.dev.UnregisterBorderColor(uint32(gone - 1))
	sampler := func(c [4]uint32, f link.Format, i BorderIndex) *Sampler {
		edge := enum.AddressModeClampToBorder
		return d.sampler(SamplerInfo{Address: [3]enum.AddressMode{edge, edge, edge}, Border: c, BorderFormat: f, BorderIndex: i})
	}
	good, absent := sampler(red, color, index), sampler(red, color, gone)
	other, format := sampler(blue, color, index), sampler(red, formatOf(t, "R8G8B8A8_SRGB"), index)
	plain := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	view := d.image("R8G8B8A8_UNORM", nil)
	combined := func(s *Sampler) DescriptorInfo {
		return DescriptorInfo{Type: link.CombinedImageSampler, View: view, Sampler: s}
	}
	inHeap := func(bad *Sampler) ruleRow {
		return d.memoryRow(rule, plain, link.CombinedImageSampler, combined(bad), combined(good), true)
	}
	direct := d.module(t, strings.NewReplacer("IMAGE", "%float 2D 0 0 0 1 Unknown", "BODY", "%x = OpLoad %sampler %d").Replace(heapShader))
	p := must(d.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: *direct}))(t)
	memory := must(d.dev.Allocate(MemoryInfo{Size: 256, DeviceAddress: true}))(t)
	buffer := must(d.dev.NewBuffer(BufferInfo{Size: 256, Usage: DeviceAddress}))(t)
	if err := buffer.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	for at, s := range map[int]*Sampler{64: absent, 192: good} {
		if err := d.dev.WriteDescriptor(memory.Bytes()[at:], DescriptorInfo{Type: link.SamplerDescriptor, Sampler: s}); err != nil {
			t.Fatal(err)
		}
	}
	reads := func(c *CommandBuffer, bad bool) {
		h := HeapRange{buffer.Address() + uint64(128*(1-flag(bad))), 128}
		c.BindPipeline(p)
		c.BindSamplerHeap(h)
		c.BindResourceHeap(h)
		c.Dispatch(1, 1, 1)
	}
	d.check(t, []ruleRow{
		d.row(accessRow{[]string{rule}, nil, plain, with(view, absent), with(view, good), nil, nil}, link.CombinedImageSampler),
		inHeap(absent), inHeap(other), inHeap(format),
		{[]string{rule}, nil, reads},
		{[]string{rule}, nil, func(c *CommandBuffer, bad bool) { // registered again after the recording of a secondary command buffer
			second := must(d.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
			if err := second.Begin(BeginInfo{}); err != nil {
				t.Fatal(err)
			}
			reads(second, false)
			if err := second.End(); err != nil {
				t.Fatal(err)
			}
			if at := uint32(index - 1); bad {
				d.dev.UnregisterBorderColor(at)
				register(red, color, &at)
			}
			c.Execute(second)
		}},
	})
	at := uint32(index - 1)
	if _, ok := d.dev.RegisterBorderColor(BorderColor{}, &at); ok {
		t.Error("an index in use is registered")
	}
	if at = MaxBorderColors; func() bool { _, ok := d.dev.RegisterBorderColor(BorderColor{}, &at); return ok }() {
		t.Error("an index beyond the limit is registered")
	}
}
