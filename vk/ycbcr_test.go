package vk

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// planar is an image of three planes with the value of luma, Cb and Cr at all texels of the last one of its layers. The other layers are 0.
func planar(t testing.TB, d *Device, flags ImageFlags, values [3]byte, layers int) *Image {
	t.Helper()
	usage := ImageSampled | ImageTransferTarget | ImageTransferSource
	if flags&ImageMutableFormat != 0 {
		usage |= ImageStorage
	}
	m := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "G8_B8_R8_3PLANE_420_UNORM"), Extent: [3]int{4, 4, 1}, Layers: layers, Usage: usage, Flags: flags}))(t)
	if flags&ImageDisjoint == 0 {
		size, _ := m.Requirements()
		if err := m.Bind(must(d.Allocate(MemoryInfo{Size: size}))(t), 0); err != nil {
			t.Fatal(err)
		}
	}
	data := must(d.Allocate(MemoryInfo{Size: 256}))(t)
	b := must(d.NewBuffer(BufferInfo{Size: 256, Usage: TransferSource | TransferTarget}))(t)
	if err := b.Bind(data, 0); err != nil {
		t.Fatal(err)
	}
	for i, plane := range []Aspect{Plane0, Plane1, Plane2} {
		for n := range 64 {
			data.Bytes()[64*i+n] = values[i]
		}
		if flags&ImageDisjoint != 0 {
			if err := m.BindPlane(plane, must(d.Allocate(MemoryInfo{Size: 4096}))(t), ImageAlignment*uint64(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	runOn(t, d, func(c *CommandBuffer) {
		for i, plane := range []Aspect{Plane0, Plane1, Plane2} {
			n := 4
			if i > 0 {
				n = 2
			}
			c.CopyBufferToImage(b, m, []BufferImageCopy{{BufferOffset: uint64(64 * i), Image: Layers{Aspect: plane, Base: layers - 1}, Extent: [3]int{n, n, 1}}})
		}
	})
	return m
}

// layered is sample with an array of two layers, of which it samples the second one.
var layered = strings.NewReplacer("OpTypeImage %float 2D 0 0 0 1", "OpTypeImage %float 2D 0 1 0 1", "%center = OpConstantComposite %float2 %half %half",
	"%float3 = OpTypeVector %float 3\n%f1 = OpConstant %float 1\n%center = OpConstantComposite %float3 %half %half %f1").Replace(sample)

// TestYcbcr samples images of three planes through every model and range, with one memory and with a memory for each plane, and of two
// layers by views of one and of both. It compares red with the equations of the specification (Vulkan, Sampler Y′CbCr Model Conversion, Range Expansion).
func TestYcbcr(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	values := [3]byte{90, 100, 180}
	store := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{2, 1, 1}, Usage: ImageStorage}))(t)
	if err := store.Bind(must(d.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	stored := must(d.NewImageView(ImageViewInfo{Image: store, Type: enum.ViewType2d}))(t)
	weights := map[enum.YcbcrModel]float64{enum.YcbcrModelYcbcr709: .2126, enum.YcbcrModelYcbcr601: .299, enum.YcbcrModelYcbcr2020: .2627}
	for _, x := range []struct {
		flags  ImageFlags
		layers int
		view   ImageViewInfo
		code   string
	}{
		{0, 1, ImageViewInfo{Type: enum.ViewType2d}, sample}, {ImageDisjoint, 1, ImageViewInfo{Type: enum.ViewType2d}, sample},
		{0, 2, ImageViewInfo{Type: enum.ViewType2d, BaseLayer: 1}, sample}, {ImageDisjoint, 2, ImageViewInfo{Type: enum.ViewType2d, BaseLayer: 1}, sample},
		{0, 2, ImageViewInfo{Type: enum.ViewType2dArray}, layered}, {ImageDisjoint, 2, ImageViewInfo{Type: enum.ViewType2dArray}, layered},
	} {
		flags, view := x.flags, x.view
		module := must(d.NewShaderModule(context.Background(), code(t, x.code)))(t)
		m := planar(t, d, flags, values, x.layers)
		view.Image = m
		for model := enum.YcbcrModelRgbIdentity; model <= enum.YcbcrModelYcbcr2020; model++ {
			for _, rng := range []enum.YcbcrRange{enum.YcbcrRangeItuFull, enum.YcbcrRangeItuNarrow} {
				conversion := must(d.NewYcbcrConversion(YcbcrConversionInfo{Format: m.info.Format, Model: model, Range: rng, ChromaFilter: enum.FilterLinear, XOffset: enum.ChromaLocationMidpoint, YOffset: enum.ChromaLocationCositedEven}))(t)
				view.Conversion = conversion
				v := must(d.NewImageView(view))(t)
				edge := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
				s := must(d.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: edge, Conversion: conversion}))(t)
				layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
					{Binding: 0, Type: link.DescriptorType(iface.CombinedImageSampler), Count: 1, Stages: link.AllStages},
					{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
					{Binding: 2, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages},
				}, Samplers: map[uint32][]*Sampler{0: {s}}}))(t)
				pl := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
				p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: pl}))(t)
				pool := must(d.NewPool(PoolInfo{MaxSets: 1}))(t)
				set := must(pool.Allocate(layout))(t)
				if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: v}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}}, Write{Binding: 2, Images: []ImageDescriptor{{View: stored}}}); err != nil {
					t.Fatal(err)
				}
				conversion.Close() // the description is part of view and sampler
				runOn(t, d, func(c *CommandBuffer) {
					c.BindPipeline(p)
					c.BindSets(Compute, pl, 0, []*Set{set}, nil)
					c.Dispatch(1, 1, 1)
				})
				luma, cr := float64(values[0])/255, (float64(values[2])-128)/255
				if rng == enum.YcbcrRangeItuNarrow {
					luma, cr = (float64(values[0])-16)/219, (float64(values[2])-128)/224
				}
				want := luma + 2*(1-weights[model])*cr
				switch model {
				case enum.YcbcrModelRgbIdentity:
					want = float64(values[2]) / 255
				case enum.YcbcrModelYcbcrIdentity:
					want = cr
				}
				if got := r.get(64, 0); math.Abs(float64(got)-want) > 1e-5 {
					t.Errorf("flags %#x, %d layers, model %d, range %d: red is %v; must be %v", flags, x.layers, model, rng, got, want)
				}
			}
		}
	}
}

// TestYcbcrRules tests the rules on conversions, and on samplers, views and descriptors with them.
func TestYcbcrRules(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{Checking: Pipelines}))(t)
	defer d.Close()
	const rule = "VUID-VkSamplerYcbcrConversionCreateInfo-"
	good := YcbcrConversionInfo{Format: formatOf(t, "G8_B8R8_2PLANE_420_UNORM"), Model: enum.YcbcrModelYcbcr709}
	for _, test := range []struct {
		rule   string
		change func(i *YcbcrConversionInfo)
	}{
		{"format-04061", func(i *YcbcrConversionInfo) { i.Format = formatOf(t, "R8G8B8A8_SRGB") }},
		{"ycbcrModel-parameter", func(i *YcbcrConversionInfo) { i.Model = 5 }},
		{"ycbcrRange-parameter", func(i *YcbcrConversionInfo) { i.Range = 2 }},
		{"xChromaOffset-parameter", func(i *YcbcrConversionInfo) { i.XOffset = 2 }},
		{"yChromaOffset-parameter", func(i *YcbcrConversionInfo) { i.YOffset = 2 }},
		{"chromaFilter-parameter", func(i *YcbcrConversionInfo) { i.ChromaFilter = enum.FilterCubic }},
		{"components-02581", func(i *YcbcrConversionInfo) { i.Components[1] = enum.SwizzleR }},
		{"components-02582", func(i *YcbcrConversionInfo) { i.Components[3] = enum.SwizzleR }},
		{"components-02583", func(i *YcbcrConversionInfo) { i.Components[0] = enum.SwizzleG }},
		{"components-02584", func(i *YcbcrConversionInfo) { i.Components[2] = enum.SwizzleA }},
		{"components-02585", func(i *YcbcrConversionInfo) { i.Components[2] = enum.SwizzleR }},
		{"ycbcrModel-01655", func(i *YcbcrConversionInfo) {
			i.Format, i.Components[0] = formatOf(t, "R8G8B8A8_UNORM"), enum.SwizzleOne
		}},
		{"ycbcrRange-02748", func(i *YcbcrConversionInfo) {
			i.Format, i.Range = formatOf(t, "R5G6B5_UNORM_PACK16"), enum.YcbcrRangeItuNarrow
		}},
	} {
		info := good
		test.change(&info)
		_, err := d.NewYcbcrConversion(info)
		wantRule(t, err, rule+test.rule)
	}
	c := must(d.NewYcbcrConversion(good))(t)
	edge := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	for rule, info := range map[string]SamplerInfo{
		"addressModeU-01646": {Conversion: c}, "None-01647": {Conversion: c, Address: edge, Reduction: enum.ReductionMin}, "minFilter-01645": {Conversion: c, Address: edge, Mag: enum.FilterCubic},
	} {
		_, err := d.NewSampler(info)
		wantRule(t, err, "VUID-VkSamplerCreateInfo-"+rule)
	}
	m := planar(t, d, 0, [3]byte{}, 1)
	other := must(d.NewYcbcrConversion(YcbcrConversionInfo{Format: m.info.Format, Model: enum.YcbcrModelYcbcr601}))(t)
	v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d, Conversion: other}))(t)
	plain := must(d.NewSampler(SamplerInfo{}))(t)
	converted := must(d.NewSampler(SamplerInfo{Address: edge, Conversion: c}))(t)
	for _, test := range []struct {
		rule      string
		kind      link.DescriptorType
		immutable *Sampler
	}{
		{"01946", link.DescriptorType(iface.SampledImage), nil}, {"02738", link.DescriptorType(iface.CombinedImageSampler), nil}, {"01948", link.DescriptorType(iface.CombinedImageSampler), converted}, {"01948", link.DescriptorType(iface.CombinedImageSampler), plain},
	} {
		info := SetLayoutInfo{Bindings: []link.Binding{{Type: test.kind, Count: 1, Stages: link.AllStages}}}
		if test.immutable != nil {
			info.Samplers = map[uint32][]*Sampler{0: {test.immutable}}
		}
		set := must(must(d.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(must(d.NewSetLayout(info))(t)))(t)
		wantRule(t, set.Update(Write{Images: []ImageDescriptor{{View: v, Sampler: plain}}}), "VUID-VkWriteDescriptorSet-descriptorType-"+test.rule)
	}
	disjoint := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: m.info.Format, Extent: [3]int{4, 4, 1}, Usage: ImageSampled, Flags: ImageDisjoint}))(t)
	memory := must(d.Allocate(MemoryInfo{Size: 4096}))(t)
	wantRule(t, disjoint.Bind(memory, 0), "VUID-VkBindImageMemoryInfo-image-07736")
	wantRule(t, disjoint.BindPlane(Color, memory, 0), "VUID-VkBindImagePlaneMemoryInfo-planeAspect-02283")
	wantRule(t, disjoint.BindPlane(Plane0, memory, 1), "VUID-VkBindImageMemoryInfo-pNext-01620")
	wantRule(t, disjoint.BindPlane(Plane0, memory, 4096), "VUID-VkBindImageMemoryInfo-pNext-01621")
	if err := disjoint.BindPlane(Plane0, memory, 0); err != nil {
		t.Error(err)
	}
	wantRule(t, disjoint.BindPlane(Plane0, memory, 0), "VUID-vkBindImageMemory-image-07460")
	wantRule(t, m.BindPlane(Plane0, memory, 0), "VUID-VkBindImageMemoryInfo-pNext-01618")
}

// TestPlaneAlias reads a plane of an image with a memory for each plane by an image of the plane's format that has the same memory:
// the planes of a disjoint image are laid out as images of their formats are (Vulkan §"Memory Aliasing").
func TestPlaneAlias(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	m := planar(t, d, ImageDisjoint|ImageAlias, [3]byte{90, 100, 180}, 1)
	alias := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8_UNORM"), Extent: [3]int{2, 2, 1}, Usage: ImageTransferSource, Flags: ImageDisjoint | ImageAlias}))(t)
	if err := alias.BindPlane(Plane0, m.planes[2], 2*ImageAlignment); err != nil {
		t.Fatal(err)
	}
	memory := must(d.Allocate(MemoryInfo{Size: 64}))(t)
	b := must(d.NewBuffer(BufferInfo{Size: 4, Usage: TransferTarget}))(t)
	if err := b.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	runOn(t, d, func(c *CommandBuffer) {
		c.CopyImageToBuffer(alias, b, []BufferImageCopy{{Extent: [3]int{2, 2, 1}}})
	})
	if got := [4]byte(memory.Bytes()); got != [4]byte{180, 180, 180, 180} {
		t.Errorf("plane 2 is %v; must be 180", got)
	}
}

// TestTenBits samples an image of four components of ten bits by a view without a conversion.
func TestTenBits(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R10X6G10X6B10X6A10X6_UNORM_4PACK16"), Extent: [3]int{1, 1, 1}, Usage: ImageSampled | ImageTransferTarget}))(t)
	if err := m.Bind(must(r.dev.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	store := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{2, 1, 1}, Usage: ImageStorage}))(t)
	if err := store.Bind(must(r.dev.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	const red = 341 // a third of 1023
	binary.LittleEndian.PutUint16(r.memory.Bytes()[256:], red<<6)
	layout := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.CombinedImageSampler), Count: 1, Stages: link.AllStages},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
		{Binding: 2, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages},
	}}))(t)
	pl := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	p := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(context.Background(), code(t, sample)))(t)}, Layout: pl}))(t)
	set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(layout))(t)
	view := func(m *Image) *ImageView {
		return must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	}
	if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: view(m), Sampler: must(r.dev.NewSampler(SamplerInfo{}))(t)}}},
		Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, WholeSize}}}, Write{Binding: 2, Images: []ImageDescriptor{{View: view(store)}}}); err != nil {
		t.Fatal(err)
	}
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.CopyBufferToImage(r.y, m, []BufferImageCopy{{BufferOffset: 192, Extent: [3]int{1, 1, 1}}})
		c.BindPipeline(p)
		c.BindSets(Compute, pl, 0, []*Set{set}, nil)
		c.Dispatch(1, 1, 1)
	})
	if got := r.get(64, 0); math.Abs(float64(got)-1.0/3) > 1e-6 {
		t.Errorf("red is %v; must be a third", got)
	}
}
