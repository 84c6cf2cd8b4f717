package format

import "strings"

// Plane is one of the planes of a format.
type Plane struct {
	Format     string // of its texels, one that ByName knows
	DivX, DivY int    // texels of the image that share one of the plane, 1 or 2
}

// ChannelSource is where a channel stands of a format in planes, or of one whose texels
// share chroma: its texels are those of a format of their own, on the bytes of a
// plane.
type ChannelSource struct {
	Plane      int     // whose bytes; 0 of formats in one plane
	Format     string  // of the texels there, one that ByName knows
	Component  Channel // which of their numbers, R to A
	DivX, DivY int     // texels of the image that share one, 1 or 2
}

// Subsampled reports whether chroma of the format stands for 2 texels across
// ("422") or for 2 by 2 ("420"), as factors; 1 and 1 of others.
func (i *Info) Subsampled() (x, y int) {
	switch {
	case strings.Contains(i.Name, "_420_"):
		return 2, 2
	case strings.Contains(i.Name, "_422_"):
		return 2, 1
	}
	return 1, 1
}

// PlaneList returns the planes of a format, which is the only one itself where it
// has one (Vulkan §"Compatible Formats of Planes of Multi-Planar Formats").
func (i *Info) PlaneList() []Plane {
	if i.Planes == 0 {
		return []Plane{{i.Name, 1, 1}}
	}
	x, y := i.Subsampled()
	var list []Plane
	for n, group := range strings.Split(i.Name, "_")[:i.Planes] {
		p := Plane{planeFormat(group, strings.HasSuffix(i.Name, "_ARM")), 1, 1}
		if n > 0 {
			p.DivX, p.DivY = x, y
		}
		list = append(list, p)
	}
	return list
}

// planeFormat returns the format of the texels of a plane whose components are
// called "G8", "B10X6R10X6" and the like: they are red and green there.
func planeFormat(group string, arm bool) string {
	width := strings.TrimLeft(group, "GBR")
	width, _, two := strings.Cut(width, "R")
	name := "R" + width
	count := ""
	if two {
		name += "G" + width
		count = "2"
	}
	name += "_UNORM"
	if strings.Contains(width, "X") {
		name += "_" + count + "PACK16"
	}
	if arm {
		name += "_ARM"
	}
	return name
}

// ChannelSources returns where red, green and blue stand; ok is false of formats that are
// neither in planes nor share chroma. Blue and red are chroma, Cb and Cr.
func (i *Info) ChannelSources() (parts [3]ChannelSource, ok bool) {
	x, y := i.Subsampled()
	if i.Planes == 0 {
		if x == 1 {
			return parts, false
		}
		return i.pairParts(), true
	}
	list := i.PlaneList()
	parts[R] = ChannelSource{i.Planes - 1, list[i.Planes-1].Format, R, x, y}
	parts[G] = ChannelSource{0, list[0].Format, R, 1, 1}
	parts[B] = ChannelSource{1, list[1].Format, R, x, y}
	if i.Planes == 2 {
		parts[R].Component = G
	}
	return parts, true
}

// pairParts places the channels of formats whose block is two texels of four
// components, such as G8B8G8R8_422_UNORM: seen as texels of two components they
// have luma, seen as such of four chroma.
func (i *Info) pairParts() (parts [3]ChannelSource) {
	width := i.Name[1:] // of a component, such as "10X6"
	width = width[:strings.IndexAny(width, "GBR")]
	two, four := "R"+width+"G"+width+"_UNORM", "R"+width+"G"+width+"B"+width+"A"+width+"_UNORM"
	if strings.Contains(width, "X") {
		two, four = two+"_2PACK16", four+"_4PACK16"
	}
	luma, chroma := R, G // G B G R
	if i.Name[0] == 'B' {
		luma, chroma = G, R // B G R G
	}
	parts[G] = ChannelSource{0, two, luma, 1, 1}
	parts[B] = ChannelSource{0, four, chroma, 2, 1}
	parts[R] = ChannelSource{0, four, chroma + 2, 2, 1}
	return parts
}

// ComponentBits returns the width of the format's first component, 0 of formats
// in blocks.
func (i *Info) ComponentBits() int {
	name := i.Name
	if parts, ok := i.ChannelSources(); ok {
		name = parts[G].Format
	}
	f, ok := ByName(name)
	if !ok {
		return 0
	}
	return f.Components()[0].Bits
}
