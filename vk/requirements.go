package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// MemoryRequirements is the memory that a resource needs (VkMemoryRequirements2, VkMemoryDedicatedRequirements).
type MemoryRequirements struct {
	Size, Alignment uint64
	Types           uint32 // bit n: memory of MemoryType n can be bound

	// PrefersDedicated and RequiresDedicated are false: all memory is alike.
	PrefersDedicated, RequiresDedicated bool
}

const (
	anyMemory    = 1<<PlainMemory | 1<<SparseMemory
	sparseMemory = 1 << SparseMemory
)

// withTile adds tile memory to the types of a resource with its usage, if the resource fits the heap.
func (r MemoryRequirements) withTile(usage bool) MemoryRequirements {
	if usage && r.Size <= TileHeapSize {
		r.Types |= 1 << TileMemory
	}
	return r
}

// Tile returns the tile memory that the resource needs (VkTileMemoryRequirementsQCOM): as much as of other memory, or 0 if it cannot be
// in tile memory.
func (r MemoryRequirements) Tile() (size, alignment uint64) {
	if r.Types>>TileMemory&1 == 0 {
		return 0, 0
	}
	return r.Size, r.Alignment
}

// roundUp rounds n up to a multiple of a power of two; the greatest multiple if there is none.
func roundUp(n, to uint64) uint64 {
	if n > -to {
		return -to
	}
	return (n + to - 1) &^ (to - 1)
}

func bufferRequirements(size uint64, sparse bool) MemoryRequirements {
	if sparse {
		return MemoryRequirements{Size: roundUp(size, SparseBlock), Alignment: SparseBlock, Types: sparseMemory}
	}
	return MemoryRequirements{Size: roundUp(size, BufferAlignment), Alignment: BufferAlignment, Types: anyMemory}
}

// BufferRequirements returns the memory that a buffer of a description needs (vkGetDeviceBufferMemoryRequirements).
func (d *Device) BufferRequirements(info BufferInfo) (MemoryRequirements, error) {
	if err := d.Err(); err != nil {
		return MemoryRequirements{}, err
	}
	if info.Size == 0 {
		return MemoryRequirements{}, usage("VUID-VkBufferCreateInfo-size-00912", "the size of the buffer is 0; must be greater than 0")
	}
	return bufferRequirements(info.Size, info.Flags&bufferSparse != 0).withTile(info.Usage&BufferTileMemory != 0), nil
}

// ImageRequirements returns the memory that an image of a description needs; plane is a plane of an image with ImageDisjoint, or 0
// (vkGetDeviceImageMemoryRequirements).
func (d *Device) ImageRequirements(info ImageInfo, plane Aspect) (MemoryRequirements, error) {
	if err := d.Err(); err != nil {
		return MemoryRequirements{}, err
	}
	l, err := d.imageLayout(&info)
	if err != nil {
		return MemoryRequirements{}, err
	}
	r := imageRequirements(l, plane, info.Flags&imageSparse != 0).withTile(info.Usage&ImageTileMemory != 0)
	if info.Flags&ImageSparseResidency != 0 {
		list, err := l.SparseAspects()
		if err != nil {
			return MemoryRequirements{}, imageError(err)
		}
		r.Size, _ = sparseSize(list, l)
	}
	return r, nil
}

// ImageSubresource returns the place of a subresource of an image of a description (vkGetDeviceImageSubresourceLayout); ok is
// false if there is none.
func (d *Device) ImageSubresource(info ImageInfo, a Aspect, level, layer int) (s SubresourceLayout, ok bool) {
	if d.Err() != nil {
		return s, false
	}
	l, err := d.imageLayout(&info)
	if err != nil {
		return s, false
	}
	return (&Image{layout: l}).Subresource(a, level, layer)
}

func imageRequirements(l *texture.Layout, plane Aspect, sparse bool) MemoryRequirements {
	if sparse {
		return MemoryRequirements{Size: roundUp(l.Size(), SparseBlock), Alignment: SparseBlock, Types: sparseMemory}
	}
	size := l.Size()
	if l.Disjoint {
		size = l.PlaneSize(planeIndex(plane))
	}
	return MemoryRequirements{Size: roundUp(size, ImageAlignment), Alignment: ImageAlignment, Types: anyMemory}
}

// planeIndex returns the number of a plane; −1 if it is none. 0 is the first.
func planeIndex(a Aspect) int {
	switch a {
	case 0, Plane0:
		return 0
	case Plane1:
		return 1
	case Plane2:
		return 2
	}
	return -1
}

// MemoryRequirements returns the memory that the image needs; plane is a plane of an image with ImageDisjoint, or 0
// (vkGetImageMemoryRequirements2). It is zero if the image is nil.
func (m *Image) MemoryRequirements(plane Aspect) MemoryRequirements {
	if m == nil || m.layout == nil {
		return MemoryRequirements{Alignment: ImageAlignment}
	}
	if m.sparse != nil {
		return MemoryRequirements{Size: m.sparse.size, Alignment: SparseBlock, Types: sparseMemory}
	}
	return imageRequirements(m.layout, plane, false).withTile(m.info.Usage&ImageTileMemory != 0)
}
