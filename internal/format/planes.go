package format

import "strings"

// Plane is one plane of a format.
type Plane struct {
	Format     string // of its texels, known to ByName
	DivX, DivY int    // subsampling factors, 1 or 2: image texels per texel of the plane
}

// ChannelSource is the source of one channel of a multi-planar or subsampled format: a component of texels of
// another format, in the memory of a plane.
type ChannelSource struct {
	Plane      int     // 0 for single-plane formats
	Format     string  // of those texels, known to ByName
	Component  Channel // their component, R to A
	DivX, DivY int     // subsampling factors, 1 or 2: image texels per texel
}

// Subsampled returns the chroma subsampling factors: 2 and 1 for "422", 2 and 2 for "420", else 1 and 1.
func (i *Info) Subsampled() (x, y int) {
	switch {
	case strings.Contains(i.Name, "_420_"):
		return 2, 2
	case strings.Contains(i.Name, "_422_"):
		return 2, 1
	}
	return 1, 1
}

// PlaneList returns the planes of a format; a single-plane format is its own only plane (Vulkan §"Compatible
// Formats of Planes of Multi-Planar Formats").
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

// planeFormat returns the format of a plane with components named like "G8" or "B10X6R10X6"; in the plane they
// are red and green.
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

// ChannelSources returns the sources of R, G and B: Cr, Y′ and Cb. ok is false for formats that are
// neither multi-planar nor subsampled.
func (i *Info) ChannelSources() (parts [3]ChannelSource, ok bool) {
	x, y := i.Subsampled()
	if i.Planes == 0 {
		if x == 1 {
			return parts, false
		}
		return i.packed422Sources(), true
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

// packed422Sources returns the sources of single-plane 4:2:2 formats such as G8B8G8R8_422_UNORM. A block of
// four components is two texels with luma in one of two components, and one texel with chroma in two of
// four:
//
//	bytes            G  B │ G  R
//	as R8G8          Y′ – │ Y′ –      two texels
//	as R8G8B8A8      –  Cb  –  Cr     one texel
func (i *Info) packed422Sources() (parts [3]ChannelSource) {
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

// ComponentBits returns the width of the format's components in bits: the least of red, green and blue if it has one of them. It is 0
// for compressed formats.
func (i *Info) ComponentBits() int {
	name := i.Name
	if parts, ok := i.ChannelSources(); ok {
		name = parts[G].Format
	}
	f, ok := ByName(name)
	if !ok {
		return 0
	}
	least := 0
	for _, c := range f.Components() {
		if c.Channel <= B && (least == 0 || c.Bits < least) {
			least = c.Bits
		}
	}
	if least == 0 {
		return f.Components()[0].Bits
	}
	return least
}
