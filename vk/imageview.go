package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// viewDims are the dimensions of the types.
var viewDims = [...]ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube, ir.Dim1D, ir.Dim2D, ir.DimCube}

// ImageViewInfo describes a view. Levels and Layers of 0 are the rest of the image, a Format of 0 is the image's.
type ImageViewInfo struct {
	Image             *Image
	Type              enum.ViewType
	Format            link.Format
	Aspect            Aspect
	Swizzle           [4]enum.Swizzle
	BaseLevel, Levels int
	BaseLayer, Layers int
	BaseSlice, Slices int // of a 3D view of a volume with one level (VkImageViewSlicedCreateInfoEXT); Slices 0 is the rest
	MinLod            float32

	// Usage is the usage of the view (VkImageViewUsageCreateInfo); 0 is that of the image.
	Usage ImageUsage

	// Weights is the filter of a weight image (VkImageViewSampleWeightCreateInfoQCOM).
	Weights *WeightImage

	// Conversion is that of the samplers of the view; multi-planar formats require one.
	Conversion *YcbcrConversion
}

// WeightImage describes the filter in a weight image: see [ImageViewInfo].
type WeightImage struct {
	Center, Size [2]int
	Phases       int // of both axes together: a power of four
}

// ImageView is a view of an image.
type ImageView struct {
	object
	info    ImageViewInfo
	image   *Image
	view    *texture.View // of the aspect; of depth if the view has depth and stencil
	stencil *texture.View // of the stencil aspect of a view of both
	other   *texture.View // of the aspect that the view lacks, of depth and stencil: attachments have both
	whole   *texture.View // of all slices, if the view has some: storage images alone are cut (VkImageViewSlicedCreateInfoEXT)
	number  uint64        // in descriptors in memory; guarded by the table of the device
}

// NewImageView makes a view of an image that has memory.
func (d *Device) NewImageView(info ImageViewInfo) (*ImageView, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the image", info.Image); err != nil {
		return nil, err
	}
	if info.Image.image == nil {
		return nil, usage("VUID-VkImageViewCreateInfo-image-01020", "%v has no memory; must have some", &info.Image.object)
	}
	if err := info.Image.memoryAlive(d); err != nil { // a compressed image is read
		return nil, err
	}
	if info.Type > enum.ViewTypeCubeArray {
		return nil, usage("VUID-VkImageViewCreateInfo-viewType-parameter", "the type is %d; must be one of Vulkan's", info.Type)
	}
	if d.checking > None {
		if err := info.Image.info.viewable(&info); err != nil {
			return nil, err
		}
	}
	if info.Conversion != nil {
		if err := check(d, "the conversion", info.Conversion); err != nil {
			return nil, err
		}
	}
	desc := texture.ViewDesc{
		Conversion: info.Conversion.inside(), BaseSlice: info.BaseSlice, Slices: info.Slices,
		Dim: viewDims[info.Type], Arrayed: info.Type >= enum.ViewType1dArray, Aspect: info.Aspect.inside(),
		BaseLevel: info.BaseLevel, Levels: info.Levels, BaseLayer: info.BaseLayer, Layers: info.Layers, MinLod: info.MinLod,
	}
	if info.Format != 0 {
		desc.Format = info.Format.String()
	}
	if w := info.Weights; w != nil {
		desc.Weights = &texture.Weights{Center: w.Center, Size: w.Size, Phases: w.Phases}
	}
	desc.Swizzle = info.Swizzle
	v := &ImageView{info: info, image: info.Image}
	var err error
	if desc.Aspect == format.Depth|format.Stencil {
		desc.Aspect = format.Stencil
		if v.stencil, err = texture.NewView(info.Image.image, desc); err != nil {
			return nil, imageError(err)
		}
		desc.Aspect = format.Depth
	}
	if v.view, err = texture.NewView(info.Image.image, desc); err != nil {
		return nil, imageError(err)
	}
	if desc.BaseSlice != 0 || desc.Slices != 0 {
		desc.BaseSlice, desc.Slices = 0, 0
		if v.whole, err = texture.NewView(info.Image.image, desc); err != nil {
			return nil, imageError(err)
		}
	}
	if err := v.addOther(desc); err != nil {
		return nil, err
	}
	d.adopt(&v.object, "image view", func() {
		d.views.drop(&v.number)
		d.heap.defined.dropView(v)
	})
	d.heap.defined.addView(v)
	return v, nil
}

// in returns the view for descriptors of a type.
func (v *ImageView) in(typ link.DescriptorType) *texture.View {
	if v.whole != nil && typ != link.DescriptorType(iface.StorageImage) {
		return v.whole
	}
	return v.view
}

// aspect returns the view of one aspect; nil if it has none.
func (v *ImageView) aspect(a Aspect) *texture.View {
	has := v.info.Aspect
	if has == 0 {
		has = firstAspect(v.image)
	}
	switch {
	case a == Stencil && has == Depth|Stencil:
		return v.stencil
	case has&a != 0:
		return v.view
	}
	return nil
}

// addOther makes the view of the other aspect, if the view has one of depth and stencil of an attachment with both.
func (v *ImageView) addOther(desc texture.ViewDesc) error {
	const both = format.Depth | format.Stencil
	if v.stencil != nil || v.image.image.FirstAspect() != format.Depth || len(v.image.image.Aspects()) != 2 || v.image.info.Usage&ImageDepthStencilAttachment == 0 {
		return nil
	}
	if desc.Aspect == 0 {
		desc.Aspect = format.Depth
	}
	desc.Aspect ^= both
	var err error
	v.other, err = texture.NewView(v.image.image, desc)
	return imageError(err)
}

// attachment returns the view of one aspect as a part of an attachment; nil if the format lacks it. Attachments ignore the aspects of
// a view of depth and stencil (Vulkan §"Image Views").
func (v *ImageView) attachment(a Aspect) *texture.View {
	if t := v.aspect(a); t != nil || a == Color {
		return t
	}
	return v.other
}

// firstAspect returns the first aspect of an image.
func firstAspect(m *Image) Aspect {
	first := m.image.FirstAspect()
	for _, p := range aspects {
		if p.inside&first != 0 {
			return p.public
		}
	}
	return Color
}

// levels returns the number of levels of the view.
func (v *ImageView) levels() int {
	if v.info.Levels == 0 {
		return v.image.layout.Levels - v.info.BaseLevel
	}
	return v.info.Levels
}

// layers returns the number of layers of the view.
func (v *ImageView) layers() int {
	_, _, n := v.view.Extent()
	if v.info.Type == enum.ViewTypeCube || v.info.Type == enum.ViewTypeCubeArray {
		return max(v.info.Layers, 6)
	}
	return max(n, 1)
}

// refer calls each for the view, the image and its memory.
func (v *ImageView) refer(each func(*object)) {
	each(&v.object)
	v.image.refer(each)
}

// BufferViewInfo describes a view of a buffer as texels. A Range of 0 is WholeSize.
type BufferViewInfo struct {
	Buffer        *Buffer
	Format        link.Format
	Offset, Range uint64
}

// BufferView is a view of a buffer as texels.
type BufferView struct {
	object
	buffer *Buffer
	view   *texture.View
}

// NewBufferView makes a view of a buffer that has memory.
func (d *Device) NewBufferView(info BufferViewInfo) (*BufferView, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the buffer", info.Buffer); err != nil {
		return nil, err
	}
	n := info.Range
	if n == 0 {
		n = WholeSize
	}
	b, err := info.Buffer.descriptor(info.Offset, n)
	if err != nil {
		return nil, err
	}
	view, err := info.Buffer.memory.texels(b.Bytes[:b.Range()], info.Format.String(), info.Buffer.offset+info.Offset)
	if err != nil {
		return nil, imageError(err)
	}
	v := &BufferView{buffer: info.Buffer, view: view}
	d.adopt(&v.object, "buffer view", nil)
	return v, nil
}

// texels returns a view of bytes as texels. They are at an offset of the memory.
func (m *Memory) texels(bytes []byte, format string, offset uint64) (*texture.View, error) {
	if m == nil || m.pages == nil {
		return texture.NewBufferView(bytes, format)
	}
	return texture.NewSparseBufferView(bytes, format, m.pages, int(offset))
}

// refer calls each for the view, the buffer and its memory.
func (v *BufferView) refer(each func(*object)) {
	each(&v.object)
	v.buffer.refer(each)
}
