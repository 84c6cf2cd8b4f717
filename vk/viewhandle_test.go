package vk

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// copyTexels has a kernel that writes x + 10·y to each texel of a surface, and one that reads a texel as a texture, by a handle and by the
// variables of the module.
const copyTexels = `
.version 7.0
.target sm_70, texmode_independent
.address_size 64
.global .texref image;
.global .samplerref state = { addr_mode_0 = wrap, addr_mode_1 = wrap, filter_mode = linear };
.visible .entry write(.param .u64 surface)
{
	.reg .b32 %r<3>;
	.reg .f32 %f1;
	.reg .b64 %rd1;
	ld.param.u64 %rd1, [surface];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mad.lo.u32 %r0, %r2, 10, %r1;
	cvt.rn.f32.u32 %f1, %r0;
	mov.b32 %r0, %f1;
	sust.p.2d.b32.trap [%rd1, {%r1, %r2}], %r0;
	ret;
}
.visible .entry read(.param .u64 texture, .param .u64 out)
{
	.reg .f32 %f<8>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [texture];
	ld.param.u64 %rd2, [out];
	tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {3, 1}];
	tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, state, {0f00000000, 0f3E800000}];
	st.global.v2.f32 [%rd2], {%f0, %f4};
	ret;
}
`

// TestCudaTextures writes an image as a surface and reads it as a texture. A handle of a closed view reads 0.
func TestCudaTextures(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		d := must(Chiaro().NewDevice(info))(t)
		defer d.Close()
		memory, at := indirect(t, d)
		image := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_SFLOAT"), Extent: [3]int{4, 2, 1}, Usage: ImageSampled | ImageStorage}))(t)
		texels := must(d.Allocate(MemoryInfo{Size: 4096}))(t)
		if err := image.Bind(texels, 0); err != nil {
			t.Fatal(err)
		}
		view := must(d.NewImageView(ImageViewInfo{Image: image, Type: enum.ViewType2d}))(t)
		surface := must(d.ViewHandle(ViewHandleInfo{Type: link.StorageImage, View: view}))(t)
		texture := must(d.ViewHandle(ViewHandleInfo{Type: link.SampledImage, View: view}))(t)
		m := must(d.NewCudaModule([]byte(copyTexels)))(t)
		if err := m.Bind("image", texture); err != nil {
			t.Fatal(err)
		}
		write := CudaLaunchInfo{Function: must(d.NewCudaFunction(m, "write"))(t), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{4, 2, 1}, Params: [][]byte{addressBytes(surface)}}
		read := CudaLaunchInfo{Function: must(d.NewCudaFunction(m, "read"))(t), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: [][]byte{addressBytes(texture), addressBytes(at)}}
		runOn(t, d, func(c *CommandBuffer) {
			c.CudaLaunchKernel(write)
			c.Barrier()
			c.CudaLaunchKernel(read)
		})
		// (0, 0.25) is between the texels 0 and 3 of row 0, at the center of the row.
		if x, y := math.Float32frombits(getWord(memory.Bytes())), math.Float32frombits(getWord(memory.Bytes()[4:])); x != 13 || y != 1.5 {
			t.Errorf("the texels are %v and %v; must be 13 and 1.5", x, y)
		}
		if err := view.Close(); err != nil {
			t.Fatal(err)
		}
		runOn(t, d, func(c *CommandBuffer) { c.CudaLaunchKernel(read) })
		if x, y := math.Float32frombits(getWord(memory.Bytes())), math.Float32frombits(getWord(memory.Bytes()[4:])); x != 0 || y != 0 {
			t.Errorf("the texels of a closed view are %v and %v; must be 0", x, y)
		}
	})
}

// TestViewHandleRules makes handles that break a rule.
func TestViewHandleRules(t *testing.T) {
	r, view := newImageRig(t)
	for _, x := range []struct {
		info ViewHandleInfo
		rule string
	}{
		{ViewHandleInfo{Type: storage, View: view}, "VUID-VkImageViewHandleInfoNVX-descriptorType-02654"},
		{ViewHandleInfo{Type: link.CombinedImageSampler, View: view}, "VUID-VkImageViewHandleInfoNVX-sampler-02655"},
		{ViewHandleInfo{Type: link.StorageImage, View: view}, "VUID-VkImageViewHandleInfoNVX-imageView-02657"},
		{ViewHandleInfo{Type: link.SampledImage}, ""},
	} {
		_, err := r.dev.ViewHandle(x.info)
		wantRule(t, err, x.rule)
	}
	m := must(r.dev.NewCudaModule([]byte(copyTexels)))(t)
	wantRule(t, m.Bind("write", 1), "")
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	wantRule(t, m.Bind("image", 1), "")
}
