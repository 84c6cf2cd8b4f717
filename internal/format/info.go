package format

import (
	"cmp"
	"slices"
)

// Aspect is a set of aspects and planes of a format (VkImageAspectFlagBits, with other values).
type Aspect uint8

// The aspects.
const (
	Color Aspect = 1 << iota
	Depth
	Stencil
	Plane0 // of multi-planar formats
	Plane1
	Plane2
)

// Sampled is the numeric class of the values that a shader reads from a format's first aspect (Vulkan,
// Interpretation of Numeric Format).
type Sampled uint8

// The classes.
const (
	Float Sampled = iota
	Int
	Uint
)

// Info holds the properties of any format, from Vulkan's registry.
type Info struct {
	ID         uint32 // VkFormat
	Name       string // without VK_FORMAT_
	Components string // letters in order: "RGBA", "DS"
	Numeric    string // numeric format of the first component: "UNORM"
	Aspects    Aspect
	Sampled    Sampled
	Bytes      int // per texel, or per block
	Wide       bool
	Compressed bool
	Planes     int    // number of planes; 0 for single-plane formats
	Class      string // compatibility class
}

// ByID returns the properties of a VkFormat; nil if there is no such format.
func ByID(id uint32) *Info {
	if i := position(id); i >= 0 {
		return &infos[i]
	}
	return nil
}

// position returns the position of a VkFormat in infos; −1 if there is no such format. The numbers of core formats have no gaps.
func position(id uint32) int {
	if i := int(id) - 1; i >= 0 && i < len(infos) && infos[i].ID == id {
		return i
	}
	i, ok := slices.BinarySearchFunc(infos[:], id, func(f Info, id uint32) int { return cmp.Compare(f.ID, id) })
	if !ok {
		return -1
	}
	return i
}

// Texel returns the layout of a texel of the format, which must not be changed; nil for nil and for formats that [ByName] does not
// return.
func (i *Info) Texel() *Format {
	if i == nil {
		return nil
	}
	if i.ID >= firstStored {
		return &storedTexels[i.ID-firstStored]
	}
	return texels()[position(i.ID)]
}

// InfoByName returns the properties of the format with a name, without VK_FORMAT_; nil if there is none.
func InfoByName(name string) *Info {
	if i, ok := index()[name]; ok {
		return &infos[i]
	}
	return nil
}

// String returns the name, without VK_FORMAT_; "none" for nil.
func (i *Info) String() string {
	if i == nil {
		return "none"
	}
	return i.Name
}
