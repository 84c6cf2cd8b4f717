package vk

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// image makes an image with memory.
func (r *rig) image(t testing.TB, info ImageInfo) *Image {
	t.Helper()
	m := must(r.dev.NewImage(info))(t)
	size, _ := m.Requirements()
	if err := m.Bind(must(r.dev.Allocate(MemoryInfo{Size: size}))(t), 0); err != nil {
		t.Fatal(err)
	}
	return m
}

// hostImage makes an image with memory that the host can copy.
func (r *rig) hostImage(t testing.TB, info ImageInfo) *Image {
	t.Helper()
	info.Type = enum.ImageType2d
	info.Usage |= ImageHostTransfer | ImageTransferSource | ImageTransferTarget
	return r.image(t, info)
}

// TestHostCopy copies to and from images by the host, with rows of the host and with the bytes of the images, and compares with
// a copy by a command.
func TestHostCopy(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	random := rand.New(rand.NewPCG(5, 6))
	for _, test := range []struct {
		format string
		aspect Aspect
		extent [3]int
		size   int // bytes of a layer
	}{
		{"R8G8B8A8_UNORM", 0, [3]int{256, 3, 1}, 256 * 3 * 4}, // rows with padding
		{"D32_SFLOAT_S8_UINT", Stencil, [3]int{5, 7, 1}, 35},
		{"BC1_RGBA_UNORM_BLOCK", 0, [3]int{10, 6, 1}, 6 * 8},
		{"G8_B8_R8_3PLANE_420_UNORM", Plane1, [3]int{5, 4, 1}, 20},
	} {
		info := ImageInfo{Format: formatOf(t, test.format), Extent: test.extent, Layers: 2}
		if test.aspect == Plane1 {
			info.Extent, info.Layers = [3]int{10, 8, 1}, 1
		}
		a, b := r.hostImage(t, info), r.hostImage(t, info)
		layers := max(info.Layers, 1)
		data, out := make([]byte, layers*test.size), make([]byte, layers*test.size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		whole, rest := Layers{Aspect: test.aspect, Count: layers}, Layers{Aspect: test.aspect, Count: AllLayers}
		if err := r.dev.CopyMemoryToImage(HostImageCopyInfo{Image: a, Regions: []HostImageCopy{{Host: data, Image: whole, Extent: test.extent}}}); err != nil {
			t.Fatal(err)
		}
		size, ok := a.HostSize(test.aspect, 0, 0)
		if !ok {
			t.Fatalf("%s has no size", test.format)
		}
		raw := make([]byte, size*uint64(layers))
		if err := r.dev.CopyImageToMemory(HostImageCopyInfo{Image: a, Memcpy: true, Regions: []HostImageCopy{{Host: raw, Image: rest, Extent: test.extent}}}); err != nil {
			t.Fatal(err)
		}
		if err := r.dev.CopyMemoryToImage(HostImageCopyInfo{Image: b, Memcpy: true, Regions: []HostImageCopy{{Host: raw, Image: whole, Extent: test.extent}}}); err != nil {
			t.Fatal(err)
		}
		region := ImageCopy{Source: whole, Target: rest, Extent: test.extent}
		for _, memcpy := range []bool{false, true} {
			if err := r.dev.CopyImageToImage(HostImageToImage{Source: b, Target: a, Memcpy: memcpy, Regions: []ImageCopy{region}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.dev.CopyImageToMemory(HostImageCopyInfo{Image: a, Regions: []HostImageCopy{{Host: out, Image: rest, Extent: test.extent}}}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out, data) {
			t.Errorf("%s: %x; must be %x", test.format, out, data)
		}
		memory := must(r.dev.Allocate(MemoryInfo{Size: uint64(len(data))}))(t)
		target := must(r.dev.NewBuffer(BufferInfo{Size: uint64(len(data)), Usage: TransferTarget}))(t)
		if err := target.Bind(memory, 0); err != nil {
			t.Fatal(err)
		}
		runOn(t, r.dev, func(c *CommandBuffer) {
			c.CopyImageToBuffer(b, target, []BufferImageCopy{{Image: rest, Extent: test.extent}})
		})
		if !bytes.Equal(memory.Bytes(), data) {
			t.Errorf("%s by a command: %x; must be %x", test.format, memory.Bytes(), data)
		}
		if err := r.dev.TransitionImageLayout(a, []ImageRange{{Aspects: test.aspect}}, GeneralLayout); err != nil {
			t.Error(err)
		}
	}
}

// TestHostCopyRules tests the rules of copies by the host.
func TestHostCopyRules(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	red := formatOf(t, "R32_SFLOAT")
	m := r.hostImage(t, ImageInfo{Format: red, Extent: [3]int{4, 4, 1}})
	many := r.hostImage(t, ImageInfo{Format: red, Extent: [3]int{4, 4, 1}, Samples: 4})
	plain := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: red, Extent: [3]int{4, 4, 1}, Usage: ImageSampled}))(t)
	if err := plain.Bind(must(r.dev.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	host := make([]byte, 64)
	extent := [3]int{4, 4, 1}
	for _, test := range []struct {
		rule string
		info HostImageCopyInfo
	}{
		{"Image-09113", HostImageCopyInfo{Image: plain, Regions: []HostImageCopy{{Host: host, Extent: extent}}}},
		{"regionCount-arraylength", HostImageCopyInfo{Image: m}},
		{"Image-07969", HostImageCopyInfo{Image: many, Regions: []HostImageCopy{{Host: host, Extent: extent}}}},
		{"flags-09393", HostImageCopyInfo{Image: m, Memcpy: true, Regions: []HostImageCopy{{Host: host, RowLength: 4, Extent: extent}}}},
		{"imageOffset-09114", HostImageCopyInfo{Image: m, Memcpy: true, Regions: []HostImageCopy{{Host: host, Offset: [3]int{1}, Extent: extent}}}},
		{"Image-09115", HostImageCopyInfo{Image: m, Memcpy: true, Regions: []HostImageCopy{{Host: host, Extent: [3]int{4, 3, 1}}}}},
	} {
		to, from := test.rule, test.rule
		if test.rule[0] == 'I' {
			to, from = "dst"+test.rule, "src"+test.rule
		}
		wantRule(t, r.dev.CopyMemoryToImage(test.info), "VUID-VkCopyMemoryToImageInfo-"+to)
		wantRule(t, r.dev.CopyImageToMemory(test.info), "VUID-VkCopyImageToMemoryInfo-"+from)
	}
	other := r.hostImage(t, ImageInfo{Format: red, Extent: [3]int{8, 4, 1}})
	region := []ImageCopy{{Extent: extent}}
	for rule, i := range map[string]HostImageToImage{
		"srcImage-09111": {Source: plain, Target: m, Regions: region}, "dstImage-09112": {Source: m, Target: plain, Regions: region}, "regionCount-arraylength": {Source: m, Target: m},
		"srcImage-09069": {Source: m, Target: other, Regions: region, Memcpy: true}, "srcOffset-09114": {Source: m, Target: m, Memcpy: true, Regions: []ImageCopy{{Extent: [3]int{1, 1, 1}}}},
	} {
		wantRule(t, r.dev.CopyImageToImage(i), "VUID-VkCopyImageToImageInfo-"+rule)
	}
	for _, i := range []HostImageCopyInfo{
		{}, {Image: &Image{}}, {Image: m, Regions: []HostImageCopy{{Extent: extent}}}, {Image: m, Regions: []HostImageCopy{{Host: host, Extent: [3]int{4, 5, 1}}}},
		{Image: m, Memcpy: true, Regions: []HostImageCopy{{Extent: extent}}}, {Image: m, Memcpy: true, Regions: []HostImageCopy{{Host: host, Image: Layers{Base: 1}, Extent: extent}}},
	} {
		if r.dev.CopyMemoryToImage(i) == nil || r.dev.CopyImageToMemory(i) == nil {
			t.Errorf("%+v is copied", i)
		}
	}
	if err := r.dev.TransitionImageLayout(m, []ImageRange{{BaseLevel: 1}}, GeneralLayout); err == nil {
		t.Error("a level that does not exist changes its layout")
	}
}

// TestResolveModes resolves color and stencil in every mode (Vulkan, Resolving Multisample Images).
func TestResolveModes(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for _, test := range []struct {
		format string
		aspect Aspect
		info   ResolveImageInfo
		want   uint32
	}{
		{"R32_SFLOAT", 0, ResolveImageInfo{}, math.Float32bits(2.5)},
		{"R32_SFLOAT", 0, ResolveImageInfo{Mode: ResolveMin}, math.Float32bits(1)},
		{"R32_SFLOAT", 0, ResolveImageInfo{Mode: ResolveMax}, math.Float32bits(4)},
		{"R32_SFLOAT", 0, ResolveImageInfo{Mode: ResolveSampleZero}, math.Float32bits(4)},
		{"R32_UINT", 0, ResolveImageInfo{}, math.Float32bits(4)}, // integers have no average: sample 0
		{"D32_SFLOAT_S8_UINT", Depth, ResolveImageInfo{Mode: ResolveAverage}, math.Float32bits(2.5)},
		{"D32_SFLOAT_S8_UINT", Depth, ResolveImageInfo{}, math.Float32bits(4)},
		{"S8_UINT", Stencil, ResolveImageInfo{StencilMode: ResolveMin}, 0},
		{"S8_UINT", Stencil, ResolveImageInfo{StencilMode: ResolveMax}, 64},
	} {
		info := ImageInfo{Format: formatOf(t, test.format), Extent: [3]int{1, 1, 1}, Samples: 4}
		many := r.hostImage(t, info)
		info.Samples = 1
		one := r.hostImage(t, info)
		for i := range many.bytes[0] { // of S8: 64, 0, 0, 0
			many.bytes[0][i] = 0
		}
		if test.format == "S8_UINT" {
			many.bytes[0][0] = 64
		} else {
			for i, v := range []float32{4, 1, 2, 3} {
				putFloat(many.bytes[0][4*i:], v)
			}
		}
		region := ImageCopy{Source: Layers{Aspect: test.aspect}, Target: Layers{Aspect: test.aspect}, Extent: [3]int{1, 1, 1}}
		test.info.Source, test.info.Target, test.info.Regions = many, one, []ImageCopy{region}
		runOn(t, r.dev, func(c *CommandBuffer) { c.ResolveImage2(test.info) })
		got := uint32(one.bytes[0][0])
		if test.format != "S8_UINT" {
			got = getWord(one.bytes[0])
		}
		if got != test.want {
			t.Errorf("%s, modes %d and %d: %#x; must be %#x", test.format, test.info.Mode, test.info.StencilMode, got, test.want)
		}
	}
	for rule, info := range map[string]ResolveImageInfo{
		"resolveMode-parameter": {Mode: 3}, "stencilResolveMode-parameter": {StencilMode: ResolveAverage},
	} {
		info.Source, info.Target = r.hostImage(t, ImageInfo{Format: formatOf(t, "S8_UINT"), Extent: [3]int{1, 1, 1}, Samples: 4}), r.hostImage(t, ImageInfo{Format: formatOf(t, "S8_UINT"), Extent: [3]int{1, 1, 1}})
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.ResolveImage2(info)
		wantRule(t, c.End(), "VUID-VkResolveImageModeInfoKHR-"+rule)
	}
}

// TestClearWide clears an image with 64-bit components: the color has two words for each (Vulkan, VkClearColorValue).
func TestClearWide(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	m := r.hostImage(t, ImageInfo{Format: formatOf(t, "R64G64_UINT"), Extent: [3]int{1, 1, 1}})
	runOn(t, r.dev, func(c *CommandBuffer) { c.ClearColorImage(m, [4]uint32{1, 2, 3, 4}, []ImageRange{{}}) })
	for i := range 4 {
		if got := getWord(m.bytes[0][4*i:]); got != uint32(i+1) {
			t.Errorf("word %d is %d; must be %d", i, got, i+1)
		}
	}
}
