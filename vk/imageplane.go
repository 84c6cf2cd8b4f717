package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// imageCorner is VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV: the field Corner.
const imageCorner ImageFlags = 0x2000

// check checks the rules on descriptions that no layout depends on.
func (i *ImageInfo) check() error {
	const rule = "VUID-VkImageCreateInfo-"
	has := func(f ImageFlags) bool { return i.Flags&f != 0 }
	f := format.ByID(uint32(i.Format))
	levels, layers, samples := max(i.Levels, 1), max(i.Layers, 1), max(i.Samples, 1)
	switch {
	case i.Usage == 0:
		return usage(rule+"usage-requiredbitmask", "the image has no usage; must have one")
	case has(ImageCubeCompatible) && (i.Type != enum.ImageType2d || layers < 6 || i.Extent[0] != i.Extent[1]):
		return usage(rule+"flags-08866", "an image for cubes has %d×%d texels and %d layers; must be 2D, square, with at least 6", i.Extent[0], i.Extent[1], layers)
	case has(Image2DArrayCompatible|ImageView2DCompatible) && i.Type != enum.ImageType3d:
		return usage(rule+"flags-00950", "an image for views of slices has the type %d; must be 3D", i.Type)
	case has(ImageSampleLocationsDepth) && (f == nil || f.Aspects&format.Depth == 0):
		return usage(rule+"flags-01533", "an image for sample locations has the format %s; must have depth", i.Format)
	case has(ImageBlockTexelView) && (f == nil || !f.Compressed):
		return usage(rule+"flags-01572", "an image for views of blocks has the format %s; must be compressed", i.Format)
	case has(ImageBlockTexelView) && !has(ImageMutableFormat):
		return usage(rule+"flags-01573", "an image for views of blocks has no mutable format; must have one")
	case has(ImageSparseResidency|ImageSparseAliased) && !has(ImageSparseBinding):
		return usage(rule+"flags-00987", "the image has sparse flags without ImageSparseBinding; must have it")
	case has(ImageSparseBinding) && i.Usage&ImageTransientAttachment != 0:
		return usage(rule+"None-01925", "a sparse image is a transient attachment; must not be")
	case i.Usage&ImageTransientAttachment != 0 && i.Usage&^(ImageTransientAttachment|ImageColorAttachment|ImageDepthStencilAttachment|ImageInputAttachment) != 0:
		return usage(rule+"usage-00963", "a transient attachment has the usage %#x; must have only attachments", i.Usage)
	case i.StencilUsage != 0 && f != nil && f.Aspects&format.Depth == 0 && f.Aspects&format.Stencil == 0:
		return usage("VUID-VkImageStencilUsageCreateInfo-stencilUsage-requiredbitmask", "an image of %s has a stencil usage; must have depth or stencil", i.Format)
	case i.Linear && samples > 1:
		return usage(rule+"samples-02257", "a linear image has %d samples; must have 1", samples)
	case len(i.ViewFormats) > 1 && !has(ImageMutableFormat):
		return usage(rule+"flags-04738", "the image has a list of %d formats of views and no mutable format; must have at most one", len(i.ViewFormats))
	case samples > 1 && (i.Type != enum.ImageType2d || has(ImageCubeCompatible) || levels != 1):
		return usage(rule+"samples-02257", "the image has %d samples, the type %d and %d levels; must be 2D with one level and no cube", samples, i.Type, levels)
	}
	return nil
}

// BindPlane binds the memory of one plane of an image with ImageDisjoint, once (VkBindImagePlaneMemoryInfo). The image has
// memory when all planes have.
func (m *Image) BindPlane(plane Aspect, memory *Memory, offset uint64) error {
	if err := check(nil, "the image", m); err != nil {
		return err
	}
	if err := check(m.dev, "the memory", memory); err != nil {
		return err
	}
	if err := memory.fits(&m.object, offset, "VUID-VkBindImageMemoryInfo-memory-02628"); err != nil {
		return err
	}
	if !m.layout.Disjoint && m.info.Flags&ImageDisjoint != 0 { // the memory of a plane of another image, which is the whole of this one
		return m.Bind(memory, offset)
	}
	n := slices.Index([]Aspect{Plane0, Plane1, Plane2}, plane)
	size := uint64(len(memory.bytes))
	need := m.layout.PlaneSize(n)
	switch {
	case m.sparse != nil:
		return usage("VUID-VkBindImageMemoryInfo-image-01045", "%v is sparse; must be bound by a queue", &m.object)
	case !m.layout.Disjoint:
		return usage("VUID-VkBindImageMemoryInfo-pNext-01618", "%v does not have a memory for each plane; must be disjoint", &m.object)
	case memory.class == TileMemory:
		return usage("VUID-VkBindImageMemoryInfo-pNext-01619", "a plane of %v is bound to tile memory; must not be", &m.object)
	case need == 0:
		return usage("VUID-VkBindImagePlaneMemoryInfo-planeAspect-02283", "the plane is %#x of an image of %s; must be one of its planes", uint32(plane), m.layout.Format)
	case m.planes[n] != nil:
		return usage("VUID-vkBindImageMemory-image-07460", "plane %d of %v has memory already; must have none", n, &m.object)
	case offset%ImageAlignment != 0:
		return usage("VUID-VkBindImageMemoryInfo-pNext-01620", "the offset is %d; must be a multiple of %d", offset, ImageAlignment)
	case offset > size || need > size-offset:
		return usage("VUID-VkBindImageMemoryInfo-pNext-01621", "plane %d needs %d bytes, and the memory has %d from offset %d on; must have as many", n, need, size-min(offset, size), offset)
	}
	m.planes[n], m.bytes[n] = memory, memory.bytes[offset:][:need:need]
	m.dev.heap.defined.bindOther(memory, offset, need)
	var list [][]byte
	for i := 0; m.layout.PlaneSize(i) > 0; i++ {
		if m.planes[i] == nil {
			return nil
		}
		list = append(list, m.bytes[i])
	}
	image, err := m.layout.OnPlanes(list)
	if err != nil {
		return imageError(err)
	}
	m.memory, m.image = m.planes[0], image
	return nil
}

// memoryAlive returns an error if a memory of the image is closed.
func (m *Image) memoryAlive(d *Device) error {
	list := m.planes[:]
	if !m.layout.Disjoint {
		list = []*Memory{m.memory}
	}
	for _, p := range list {
		if p == nil {
			continue
		}
		if err := check(d, "the memory of the image", p); err != nil {
			return err
		}
	}
	return nil
}

// sameClass reports whether two formats are of one compatibility class.
func sameClass(a, b link.Format) bool {
	x, y := format.ByID(uint32(a)), format.ByID(uint32(b))
	return x != nil && y != nil && x.Class == y.Class
}

// viewable checks the rules on the views of an image that no memory access depends on.
func (i *ImageInfo) viewable(v *ImageViewInfo) error {
	const rule = "VUID-VkImageViewCreateInfo-"
	has := func(f ImageFlags) bool { return i.Flags&f != 0 }
	cube, slices2D := v.Type == enum.ViewTypeCube || v.Type == enum.ViewTypeCubeArray, i.Type == enum.ImageType3d && (v.Type == enum.ViewType2d || v.Type == enum.ViewType2dArray)
	other := v.Format != 0 && v.Format != i.Format
	compressed := func(f link.Format) bool { n := format.ByID(uint32(f)); return n != nil && n.Compressed }
	switch {
	case cube && !has(ImageCubeCompatible):
		return usage(rule+"image-01003", "a cube view is of an image without ImageCubeCompatible; must have it")
	case slices2D && v.Type == enum.ViewType2d && !has(Image2DArrayCompatible|ImageView2DCompatible):
		return usage(rule+"image-06727", "a 2D view is of a volume without Image2DArrayCompatible and ImageView2DCompatible; must have one")
	case slices2D && v.Type == enum.ViewType2dArray && !has(Image2DArrayCompatible):
		return usage(rule+"image-06723", "a 2D array view is of a volume without Image2DArrayCompatible; must have it")
	case other && v.Aspect&(Plane0|Plane1|Plane2) == 0 && !has(ImageMutableFormat):
		return usage(rule+"image-01762", "a view of %s is of an image of %s without ImageMutableFormat; must have it", v.Format, i.Format)
	case other && compressed(i.Format) && !compressed(v.Format) && !has(ImageBlockTexelView):
		return usage(rule+"image-01761", "a view of %s is of an image of %s without ImageBlockTexelView; must have it", v.Format, i.Format)
	case other && v.Aspect&(Plane0|Plane1|Plane2) == 0 && !has(ImageBlockTexelView) && !sameClass(i.Format, v.Format):
		return usage(rule+"image-01761", "a view of %s is of an image of %s; must be of a format of the same class", v.Format, i.Format)
	case v.Format != 0 && len(i.ViewFormats) > 0 && !slices.Contains(i.ViewFormats, v.Format):
		return usage(rule+"pNext-01585", "a view has the format %s; must be in the list of the image", v.Format)
	case v.Usage&^(i.Usage|i.StencilUsage) != 0:
		return usage(rule+"pNext-02662", "a view has the usage %#x; must be within that of the image, %#x", v.Usage, i.Usage|i.StencilUsage)
	}
	return nil
}
