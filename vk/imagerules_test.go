package vk

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestImageRules tests the rules on descriptions of images and of their views, one by one.
func TestImageRules(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{Checking: Pipelines}))(t)
	defer d.Close()
	rgba, bc := formatOf(t, "R8G8B8A8_UNORM"), formatOf(t, "BC7_UNORM_BLOCK")
	good := ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{8, 8, 1}, Usage: ImageSampled}
	const rule = "VUID-VkImageCreateInfo-"
	for _, test := range []struct {
		rule   string
		change func(i *ImageInfo)
	}{
		{rule + "imageType-parameter", func(i *ImageInfo) { i.Type = 3 }},
		{rule + "usage-requiredbitmask", func(i *ImageInfo) { i.Usage = 0 }},
		{rule + "flags-08866", func(i *ImageInfo) { i.Flags = ImageCubeCompatible }},
		{rule + "flags-00950", func(i *ImageInfo) { i.Flags = Image2DArrayCompatible }},
		{rule + "flags-01533", func(i *ImageInfo) { i.Flags = ImageSampleLocationsDepth }},
		{rule + "flags-01572", func(i *ImageInfo) { i.Flags = ImageBlockTexelView | ImageMutableFormat }},
		{rule + "flags-01573", func(i *ImageInfo) { i.Format, i.Flags = bc, ImageBlockTexelView }},
		{rule + "flags-00987", func(i *ImageInfo) { i.Flags = ImageSparseResidency }},
		{rule + "None-01925", func(i *ImageInfo) {
			i.Flags, i.Usage = ImageSparseBinding, ImageTransientAttachment|ImageColorAttachment
		}},
		{rule + "usage-00963", func(i *ImageInfo) { i.Usage |= ImageTransientAttachment }},
		{"VUID-VkImageStencilUsageCreateInfo-stencilUsage-requiredbitmask", func(i *ImageInfo) { i.StencilUsage = ImageSampled }},
		{rule + "samples-02257", func(i *ImageInfo) { i.Samples, i.Linear = 4, true }},
		{rule + "format-01577", func(i *ImageInfo) { i.Flags = ImageDisjoint }},
		{rule + "flags-04738", func(i *ImageInfo) { i.ViewFormats = []link.Format{rgba, bc} }},
	} {
		info := good
		test.change(&info)
		_, err := d.NewImage(info)
		wantRule(t, err, test.rule)
	}
	bound := func(info ImageInfo) *Image {
		m := must(d.NewImage(info))(t)
		size, _ := m.Requirements()
		if err := m.Bind(must(d.Allocate(MemoryInfo{Size: size}))(t), 0); err != nil {
			t.Fatal(err)
		}
		return m
	}
	layered, listed, volume, blocks := good, good, good, good
	layered.Layers = 6
	listed.Flags, listed.ViewFormats = ImageMutableFormat, []link.Format{rgba, formatOf(t, "R8G8B8A8_SRGB")}
	volume.Type, volume.Extent = enum.ImageType3d, [3]int{8, 8, 8}
	blocks.Format, blocks.Flags = bc, ImageMutableFormat
	other, alias := good, good
	other.Format, other.Flags = formatOf(t, "R10X6G10X6B10X6A10X6_UNORM_4PACK16"), ImageMutableFormat
	alias.Flags = ImageDisjoint | ImageAlias // the memory of a plane, which has its own
	plain, cube, list, slices, compressed := bound(good), bound(layered), bound(listed), bound(volume), bound(blocks)
	const view = "VUID-VkImageViewCreateInfo-"
	for _, test := range []struct {
		rule string
		info ImageViewInfo
	}{
		{view + "viewType-parameter", ImageViewInfo{Image: plain, Type: 7}},
		{view + "image-01003", ImageViewInfo{Image: cube, Type: enum.ViewTypeCube}},
		{view + "image-06727", ImageViewInfo{Image: slices, Type: enum.ViewType2d}},
		{view + "image-06723", ImageViewInfo{Image: slices, Type: enum.ViewType2dArray}},
		{view + "image-01762", ImageViewInfo{Image: plain, Type: enum.ViewType2d, Format: formatOf(t, "R32_UINT")}},
		{view + "image-01761", ImageViewInfo{Image: compressed, Type: enum.ViewType2d, Format: formatOf(t, "R32G32B32A32_UINT")}},
		{view + "image-01761", ImageViewInfo{Image: bound(other), Type: enum.ViewType2d, Format: formatOf(t, "R16G16B16A16_UINT")}},
		{view + "pNext-01585", ImageViewInfo{Image: list, Type: enum.ViewType2d, Format: formatOf(t, "R32_UINT")}},
		{view + "pNext-02662", ImageViewInfo{Image: plain, Type: enum.ViewType2d, Usage: ImageStorage}},
	} {
		_, err := d.NewImageView(test.info)
		wantRule(t, err, test.rule)
	}
	// The flags permit the following.
	layered.Flags = ImageCubeCompatible
	volume.Flags = Image2DArrayCompatible
	blocks.Flags |= ImageBlockTexelView
	for _, info := range []ImageViewInfo{
		{Image: bound(layered), Type: enum.ViewTypeCube}, {Image: bound(alias), Type: enum.ViewType2d},
		{Image: bound(volume), Type: enum.ViewType2dArray, BaseLayer: 2, Layers: 3}, {Image: bound(volume), Type: enum.ViewType3d, BaseSlice: 2, Slices: 3},
		{Image: bound(blocks), Type: enum.ViewType2d, Format: formatOf(t, "R32G32B32A32_UINT")}, {Image: bound(blocks), Type: enum.ViewType2d, Format: formatOf(t, "BC7_SRGB_BLOCK")},
		{Image: list, Type: enum.ViewType2d, Format: formatOf(t, "R8G8B8A8_SRGB"), Usage: ImageSampled, MinLod: 0},
	} {
		if _, err := d.NewImageView(info); err != nil {
			t.Errorf("%+v: %v", info, err)
		}
	}
}

// TestSlicedView writes a view of three slices of a volume to descriptors: a storage image has the slices, a sampled image all
// (VkImageViewSlicedCreateInfoEXT).
func TestSlicedView(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	m := must(d.NewImage(ImageInfo{Type: enum.ImageType3d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{4, 4, 8}, Usage: ImageSampled | ImageStorage}))(t)
	if err := m.Bind(must(d.Allocate(MemoryInfo{Size: 1 << 16}))(t), 0); err != nil {
		t.Fatal(err)
	}
	v := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType3d, BaseSlice: 2, Slices: 3}))(t)
	for kind, want := range map[link.DescriptorType]*texture.View{
		link.DescriptorType(iface.StorageImage): v.view, link.DescriptorType(iface.SampledImage): v.whole, link.DescriptorType(iface.CombinedImageSampler): v.whole,
	} {
		write := ImageDescriptor{View: v}
		if kind == link.DescriptorType(iface.CombinedImageSampler) {
			write.Sampler = must(d.NewSampler(SamplerInfo{}))(t)
		}
		for _, b := range []link.Binding{
			{Type: kind, Count: 1, Stages: link.AllStages},
			{Type: link.Mutable, Mutable: []link.DescriptorType{kind}, Count: 1, Stages: link.AllStages},
		} {
			layout := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{b}}))(t)
			set := must(must(d.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(layout))(t)
			if err := set.Update(Write{Type: kind, Images: []ImageDescriptor{write}}); err != nil {
				t.Fatal(err)
			}
			if got := set.content[0].Views[0]; got == nil || got != want {
				t.Errorf("a descriptor of type %v in a binding of type %v has another view", kind, b.Type)
			}
		}
		memory := make([]byte, DescriptorSize(kind))
		if err := d.WriteDescriptor(memory, DescriptorInfo{Type: kind, View: v, Sampler: write.Sampler}); err != nil {
			t.Fatal(err)
		}
		x := &executor{dev: d, work: &submission{}}
		if got := x.readView(memory); got == nil || got != want {
			t.Errorf("a descriptor of type %v in memory has another view", kind)
		}
		x.work.release()
	}
}

// TestCopyBetweenAspects copies planes, depth and stencil between images and buffers, and compressed blocks to texels, and compares
// each element with the one at its place in the source (Vulkan, Copying Data Between Images).
func TestCopyBetweenAspects(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for _, test := range []struct {
		from, to             string
		fromAspect, toAspect Aspect
		fromSize, toSize     [3]int // of the images
		extent, target       [3]int // texels of the source, and of the target
		size                 int    // bytes
	}{
		{"G8_B8_R8_3PLANE_420_UNORM", "R8_UNORM", Plane2, Color, [3]int{16, 8, 1}, [3]int{8, 4, 1}, [3]int{8, 4, 1}, [3]int{8, 4, 1}, 32},
		{"R8G8_UNORM", "G8_B8R8_2PLANE_422_UNORM", Color, Plane1, [3]int{8, 8, 1}, [3]int{16, 8, 1}, [3]int{8, 8, 1}, [3]int{8, 8, 1}, 128},
		{"D32_SFLOAT_S8_UINT", "D32_SFLOAT_S8_UINT", Stencil, Stencil, [3]int{6, 5, 1}, [3]int{6, 5, 1}, [3]int{6, 5, 1}, [3]int{6, 5, 1}, 30},
		{"R8G8B8A8_UNORM", "G8B8G8R8_422_UNORM", Color, Color, [3]int{8, 8, 1}, [3]int{16, 8, 1}, [3]int{8, 8, 1}, [3]int{16, 8, 1}, 256},
		{"B16G16R16G16_422_UNORM", "R16G16B16A16_UINT", Color, Color, [3]int{12, 2, 1}, [3]int{6, 2, 1}, [3]int{12, 2, 1}, [3]int{6, 2, 1}, 96},
		{"BC1_RGBA_UNORM_BLOCK", "R32G32_UINT", Color, Color, [3]int{12, 8, 1}, [3]int{3, 2, 1}, [3]int{12, 8, 1}, [3]int{3, 2, 1}, 48},
	} {
		from := r.hostImage(t, ImageInfo{Format: formatOf(t, test.from), Extent: test.fromSize})
		to := r.hostImage(t, ImageInfo{Format: formatOf(t, test.to), Extent: test.toSize})
		source := Layers{Aspect: test.fromAspect}
		target := Layers{Aspect: test.toAspect}
		data, out := make([]byte, test.size), make([]byte, test.size)
		for i := range data {
			data[i] = byte(37*i + 11)
		}
		if err := r.dev.CopyMemoryToImage(HostImageCopyInfo{Image: from, Regions: []HostImageCopy{{Host: data, Image: source, Extent: test.extent}}}); err != nil {
			t.Fatal(err)
		}
		runOn(t, r.dev, func(c *CommandBuffer) {
			c.CopyImage(from, to, []ImageCopy{{Source: source, Target: target, Extent: test.extent}})
		})
		if err := r.dev.CopyImageToMemory(HostImageCopyInfo{Image: to, Regions: []HostImageCopy{{Host: out, Image: target, Extent: test.target}}}); err != nil {
			t.Fatal(err)
		}
		if string(out) != string(data) {
			t.Errorf("%s to %s: %x; must be %x", test.from, test.to, out, data)
		}
	}
}

// TestCopyDepthAndStencil copies and blits depth and stencil of an image by one region.
func TestCopyDepthAndStencil(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for _, name := range []string{"D32_SFLOAT_S8_UINT", "D24_UNORM_S8_UINT"} {
		var list [3]*Image
		for i := range list {
			list[i] = r.hostImage(t, ImageInfo{Format: formatOf(t, name), Extent: [3]int{4, 4, 1}})
		}
		all := Layers{Aspect: Depth | Stencil}
		box := [2][3]int{{0, 0, 0}, {4, 4, 1}}
		runOn(t, r.dev, func(c *CommandBuffer) {
			c.ClearDepthStencilImage(list[0], 1, 77, []ImageRange{{}})
			c.CopyImage(list[0], list[1], []ImageCopy{{Source: all, Target: all, Extent: [3]int{4, 4, 1}}})
			c.BlitImage(list[1], list[2], []ImageBlit{{Source: all, Target: all, SourceBox: box, TargetBox: box}}, enum.FilterNearest)
		})
		for i, m := range list[1:] {
			depth, stencil := make([]byte, 64), make([]byte, 16)
			if err := r.dev.CopyImageToMemory(HostImageCopyInfo{Image: m, Regions: []HostImageCopy{
				{Host: depth, Image: Layers{Aspect: Depth}, Extent: [3]int{4, 4, 1}}, {Host: stencil, Image: Layers{Aspect: Stencil}, Extent: [3]int{4, 4, 1}},
			}}); err != nil {
				t.Fatal(err)
			}
			if depth[62] == 0 || stencil[15] != 77 {
				t.Errorf("%s, copy %d: depth %x, stencil %d", name, i, depth[60:], stencil[15])
			}
		}
	}
}

// TestResolveSlice resolves to a slice of a volume, and tests the rule on the numbers of layers.
func TestResolveSlice(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	image := func(info ImageInfo) *Image {
		info.Format, info.Usage = formatOf(t, "R8G8B8A8_UNORM"), ImageTransferTarget|ImageTransferSource
		m := must(r.dev.NewImage(info))(t)
		n, _ := m.Requirements()
		if err := m.Bind(must(r.dev.Allocate(MemoryInfo{Size: n}))(t), 0); err != nil {
			t.Fatal(err)
		}
		return m
	}
	from := image(ImageInfo{Type: enum.ImageType2d, Extent: [3]int{2, 2, 1}, Samples: 4, Layers: 2})
	to := image(ImageInfo{Type: enum.ImageType3d, Extent: [3]int{2, 2, 2}})
	one := math.Float32bits(1)
	err := r.submit(t, r.record(t, func(c *CommandBuffer) {
		c.ClearColorImage(from, [4]uint32{one, one, one, one}, []ImageRange{{}})
		c.ResolveImage(from, to, []ImageCopy{{TargetOffset: [3]int{0, 0, 1}, Extent: [3]int{2, 2, 1}}})
		c.CopyImageToBuffer(to, r.y, []BufferImageCopy{{Extent: [3]int{2, 2, 2}}})
	}))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range r.memory.Bytes()[64:][:32] {
		if want := byte(i / 16 * 255); b != want {
			t.Errorf("byte %d: %d, want %d", i, b, want)
		}
	}
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.ResolveImage(from, to, []ImageCopy{{Source: Layers{Count: 2}, Extent: [3]int{2, 2, 1}}})
	wantRule(t, c.End(), "VUID-VkImageResolve2-layerCount-08803")
}
