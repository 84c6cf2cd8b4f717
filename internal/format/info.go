package format

import (
	"cmp"
	"slices"
)

// Aspect is a set of what a format holds.
type Aspect uint8

// The aspects.
const (
	Color Aspect = 1 << iota
	Depth
	Stencil
	Plane0 // of formats in planes
	Plane1
	Plane2
)

// Sampled is the type of number that a shader reads of a format, in the first of
// its aspects (Vulkan, Interpretation of Numeric Format).
type Sampled uint8

// The types of numbers.
const (
	Float Sampled = iota
	Int
	Uint
)

// Info is what is known of every format, those in blocks and planes included.
type Info struct {
	ID         uint32 // VkFormat
	Name       string // without VK_FORMAT_
	Components string // their letters in order: "RGBA", "DS"
	Numeric    string // of the first component: "UNORM"
	Aspects    Aspect
	Sampled    Sampled
	Bytes      int // of a texel, or of a block
	Wide       bool
	Compressed bool
	Planes     int    // 0 of formats that have one
	Class      string // formats of one class are compatible
}

// ByID returns what is known of a VkFormat, nil where there is no such format.
func ByID(id uint32) *Info {
	i, ok := slices.BinarySearchFunc(infos[:], id, func(f Info, id uint32) int { return cmp.Compare(f.ID, id) })
	if !ok {
		return nil
	}
	return &infos[i]
}

// InfoByName returns what is known of the format of a name without VK_FORMAT_,
// nil where there is none.
func InfoByName(name string) *Info {
	for i := range infos {
		if infos[i].Name == name {
			return &infos[i]
		}
	}
	return nil
}
