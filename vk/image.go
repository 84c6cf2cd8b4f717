package vk

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// ImageUsage is a set of uses of an image (VkImageUsageFlagBits).
type ImageUsage uint32

// The uses.
const (
	ImageTransferSource ImageUsage = 1 << iota
	ImageTransferTarget
	ImageSampled
	ImageStorage
	ImageColorAttachment
	ImageDepthStencilAttachment
	ImageTransientAttachment
	ImageInputAttachment
)

// ImageTileMemory lets the image be in tile memory (VK_IMAGE_USAGE_TILE_MEMORY_BIT_QCOM).
const ImageTileMemory ImageUsage = 0x8000000

// tileImages are the usages that an image with ImageTileMemory may have.
const tileImages = ImageTileMemory | ImageSampled | ImageStorage | ImageColorAttachment | ImageDepthStencilAttachment | ImageInputAttachment

// ImageFlags are further properties of an image (VkImageCreateFlagBits).
type ImageFlags uint32

// The flags.
const (
	ImageSparseBinding     ImageFlags = 0x1   // memory is bound by [Queue.BindSparse]
	ImageSparseResidency   ImageFlags = 0x2   // also in part
	ImageSparseAliased     ImageFlags = 0x4   // also several times at once
	ImageMutableFormat     ImageFlags = 0x8   // views have other formats
	ImageCubeCompatible    ImageFlags = 0x10  // cube views
	ImageSplitInstances    ImageFlags = 0x40  // without an effect: a device is one physical device
	Image2DArrayCompatible ImageFlags = 0x20  // 2D views of the slices of a volume
	ImageBlockTexelView    ImageFlags = 0x80  // views of compressed blocks as texels
	ImageExtendedUsage     ImageFlags = 0x100 // uses that only formats of views have
	ImageDisjoint          ImageFlags = 0x200 // each plane has its own memory: BindPlane
	ImageAlias             ImageFlags = 0x400 // without an effect: all images with equal descriptions share memory
	ImageView2DCompatible  ImageFlags = 0x20000
	ImageMultisampled      ImageFlags = 0x40000 // draws of several samples: see RenderingInfo.Samples

	// ImageSampleLocationsDepth permits draws with different sample locations before and after a barrier. It has no effect:
	// depths are stored for each sample.
	ImageSampleLocationsDepth ImageFlags = 0x1000
)

// ImageInfo describes an image. An extent or a count of 0 is 1.
type ImageInfo struct {
	Type                    enum.ImageType
	Format                  link.Format
	Extent                  [3]int // texels
	Levels, Layers, Samples int
	Usage                   ImageUsage
	Flags                   ImageFlags

	// StencilUsage is the usage of the stencil aspect (VkImageStencilUsageCreateInfo); 0 is Usage.
	StencilUsage ImageUsage

	// ViewFormats are the formats of views (VkImageFormatListCreateInfo); empty for all that are compatible.
	ViewFormats []link.Format

	// Linear keeps rows without padding (VK_IMAGE_TILING_LINEAR): Subresource is the layout for the host.
	Linear bool

	// Corner places the centers of texels at integer coordinates (VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV).
	Corner bool
}

// ImageAlignment is the alignment of an image in its memory, in bytes.
const ImageAlignment = 64

// Image is an image. It has no memory before Bind. Images may share memory: what one writes, the others read by the
// layout of Subresource.
type Image struct {
	object
	info   ImageInfo
	layout *texture.Layout
	memory *Memory        // nil before Bind; of plane 0 if each plane has its own
	planes [3]*Memory     // of a disjoint image
	offset uint64         // in memory
	bytes  [3][]byte      // the memory of the planes; of all in [0]
	image  *texture.Image // nil before all memory is bound
	sparse *sparseImage   // nil unless memory is bound by queues

	laid atomic.Pointer[imageLayouts] // nil if the layouts are not followed

	written []bool // by level, then by layer: something has written texels; nil if that is not followed, see definedness

	described sync.Mutex                   // guards views
	views     map[ImageViewInfo]*ImageView // of descriptors without objects; see viewOf
}

// NewImage makes an image. An *UnsupportedError reports a format or a combination that Chiaro does not have, an *OutOfMemoryError
// more bytes than an image may have.
func (d *Device) NewImage(info ImageInfo) (*Image, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	l, err := d.imageLayout(&info)
	if err != nil {
		return nil, err
	}
	m := &Image{info: info, layout: l}
	m.info.ViewFormats = slices.Clone(info.ViewFormats)
	if info.Flags&(ImageSparseBinding|ImageSparseResidency|ImageSparseAliased) != 0 {
		if err := m.spread(d); err != nil {
			return nil, err
		}
	}
	d.adopt(&m.object, "image", func() {
		m.closeViews()
		m.sparse.drop(d)
		d.heap.defined.dropTileImage(m)
	})
	return m, nil
}

// imageLayout checks the description of an image and returns its layout.
func (d *Device) imageLayout(info *ImageInfo) (*texture.Layout, error) {
	const rule = "VUID-VkImageCreateInfo-"
	if info.Type > enum.ImageType3d {
		return nil, usage(rule+"imageType-parameter", "the type is %d; must be one of Vulkan's", info.Type)
	}
	if d.checking > None {
		if err := info.check(); err != nil {
			return nil, err
		}
	}
	disjoint, err := info.disjoint()
	if err != nil && d.checking > None {
		return nil, err
	}
	if info.Usage&ImageTileMemory != 0 {
		if d.lacks("tileMemoryHeap") {
			return nil, usage(rule+"tileMemoryHeap-10766", "the image has the usage of tile memory; needs the feature tileMemoryHeap")
		}
		if !info.fitsTile(true) {
			return nil, &UnsupportedError{Feature: "images in tile memory but those of two dimensions with one level, layer and sample, of a format with single texels, for shaders and attachments"}
		}
	}
	l, err := texture.NewLayout(texture.Desc{
		Format: info.Format.String(), Dim: ir.Dim1D + ir.Dim(info.Type), Width: info.Extent[0], Height: info.Extent[1], Depth: info.Extent[2],
		Levels: info.Levels, Layers: info.Layers, Samples: info.Samples, Packed: info.Linear, Corner: info.Corner || info.Flags&imageCorner != 0,
		Disjoint: disjoint,
	})
	if err != nil {
		return nil, imageError(err)
	}
	return l, nil
}

// fitsTile reports whether an image of the description can be in tile memory, with its extent and counts or for any (Vulkan, "Image
// Creation").
func (i *ImageInfo) fitsTile(counts bool) bool {
	f := format.ByID(uint32(i.Format))
	if f == nil || f.Compressed || f.Planes > 0 || i.Type != enum.ImageType2d || i.Linear || i.Flags&^ImageAlias != 0 || i.Corner || (i.Usage|i.StencilUsage)&^tileImages != 0 {
		return false
	}
	return !counts || max(i.Levels, 1) == 1 && max(i.Layers, 1) == 1 && max(i.Samples, 1) == 1
}

// disjoint reports whether each plane of the image has its own memory, and returns an error if the image must not have the flag. An
// image that shares the memory of one plane may have it.
func (i *ImageInfo) disjoint() (bool, error) {
	f := format.ByID(uint32(i.Format))
	switch {
	case i.Flags&ImageDisjoint == 0 || f == nil:
		return false, nil
	case f.Planes > 0:
		return true, nil
	case i.Flags&ImageAlias == 0:
		return false, usage("VUID-VkImageCreateInfo-format-01577", "an image of %s has ImageDisjoint without ImageAlias; must be of a multi-planar format", i.Format)
	}
	return false, nil
}

// imageError returns the public form of an error of package texture. An image beyond the limit of its bytes is out of memory
// (VkImageFormatProperties, maxResourceSize).
func imageError(err error) error {
	var desc *texture.DescError
	if errors.As(err, &desc) {
		if desc.Size > 0 {
			return &OutOfMemoryError{Bytes: desc.Size, Left: texture.MaxBytes, Cause: err}
		}
		return &UnsupportedError{Feature: desc.What, Cause: err}
	}
	return err
}

// Requirements returns the bytes of memory that the image needs, at multiples of ImageAlignment; 0 if it is nil.
func (m *Image) Requirements() (size, alignment uint64) {
	if m == nil || m.layout == nil {
		return 0, ImageAlignment
	}
	r := m.MemoryRequirements(0)
	return r.Size, r.Alignment
}

var (
	imageBinds     = bindRules{"VUID-vkBindImageMemory-None-10735", "VUID-vkBindImageMemory-None-10737"}
	tileImageBinds = bindRules{"VUID-vkBindImageMemory-memory-10736", "VUID-vkBindImageMemory-memory-10738"}
)

// Bind binds the image to memory, once. Its texels are the content of the memory.
func (m *Image) Bind(memory *Memory, offset uint64) error {
	if err := check(nil, "the image", m); err != nil {
		return err
	}
	if err := check(m.dev, "the memory", memory); err != nil {
		return err
	}
	if err := memory.fits(&m.object, offset, "VUID-vkBindImageMemory-memory-02628"); err != nil {
		return err
	}
	size, n := uint64(len(memory.bytes)), m.layout.Size()
	rules := &imageBinds
	if memory.class == TileMemory {
		rules = &tileImageBinds
	}
	switch {
	case memory.class == TileMemory && m.info.Usage&ImageTileMemory == 0:
		return usage("VUID-vkBindImageMemory-memory-01047", "%v has no usage of tile memory, and %v is tile memory; must have it", &m.object, &memory.object)
	case m.sparse != nil:
		return usage("VUID-vkBindImageMemory-image-01045", "%v is sparse; must be bound by a queue", &m.object)
	case m.layout.Disjoint:
		return usage("VUID-VkBindImageMemoryInfo-image-07736", "%v has a memory for each plane; must be bound by plane", &m.object)
	case m.memory != nil:
		return usage("VUID-vkBindImageMemory-image-07460", "%v has memory already; must have none", &m.object)
	case offset%ImageAlignment != 0:
		return usage(rules.alignment, "the offset is %d; must be a multiple of %d", offset, ImageAlignment)
	case offset > size || n > size-offset:
		return usage(rules.size, "%v needs %d bytes, and the memory has %d from offset %d on; must have as many", &m.object, n, size-min(offset, size), offset)
	}
	image, err := m.layout.On(memory.bytes[offset:])
	if err != nil {
		return imageError(err)
	}
	m.memory, m.offset, m.image, m.bytes[0] = memory, offset, image, memory.bytes[offset:][:n:n]
	m.dev.heap.defined.bindImage(m, offset, n)
	return nil
}

// Aspect is a set of aspects or planes of an image (VkImageAspectFlagBits). As the aspect of one subresource, 0 is the
// image's first.
type Aspect uint32

// The aspects.
const (
	Color   Aspect = 1
	Depth   Aspect = 2
	Stencil Aspect = 4
	Plane0  Aspect = 0x10
	Plane1  Aspect = 0x20
	Plane2  Aspect = 0x40
)

// aspects pairs the public aspects with those of package format.
var aspects = [...]struct {
	public Aspect
	inside format.Aspect
}{{Color, format.Color}, {Depth, format.Depth}, {Stencil, format.Stencil}, {Plane0, format.Plane0}, {Plane1, format.Plane0 << 1}, {Plane2, format.Plane0 << 2}}

// inside returns the aspects of package format.
func (a Aspect) inside() (f format.Aspect) {
	for _, p := range aspects {
		if a&p.public != 0 {
			f |= p.inside
		}
	}
	return f
}

// outside returns the public aspect of one of package format.
func outside(f format.Aspect) Aspect {
	for _, p := range aspects {
		if p.inside == f {
			return p.public
		}
	}
	return 0
}

// SubresourceLayout is the place of a level and layer in the memory of an image, in bytes (VkSubresourceLayout).
type SubresourceLayout struct {
	Offset, Size, RowPitch, ArrayPitch, DepthPitch uint64
}

// Subresource returns the place of a level and layer; ok is false if there is none.
func (m *Image) Subresource(a Aspect, level, layer int) (l SubresourceLayout, ok bool) {
	if m == nil || m.layout == nil {
		return l, false
	}
	s, ok := m.layout.Subresource(a.inside(), level, layer)
	return SubresourceLayout{s.Offset, s.Size, s.RowPitch, s.LayerPitch, s.SlicePitch}, ok
}

// refer calls each for the image and its memory.
func (m *Image) refer(each func(*object)) {
	each(&m.object)
	if m.memory != nil {
		each(&m.memory.object)
	}
	for _, p := range m.planes {
		if p != nil && p != m.memory {
			each(&p.object)
		}
	}
}

// refer calls each for the buffer and its memory.
func (b *Buffer) refer(each func(*object)) {
	each(&b.object)
	if b.memory != nil {
		each(&b.memory.object)
	}
}
