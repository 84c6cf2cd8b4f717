package texture

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Limits of images. NewImage returns an error beyond them.
const (
	MaxExtent  = 1 << 14      // texels along an axis; texel buffers have MaxElements
	MaxLayers  = 1 << 13      // array layers, cube faces included
	MaxSamples = 64           // per texel
	maxLevels  = ir.MaxLevels // mip levels

	// MaxBytes is per aspect, so that byte offsets have 32 bits, and the memory fits the host's int.
	MaxBytes uint64 = min(1<<32-1<<16, math.MaxInt-1<<16)
)

// tailPadding is the number of unused bytes after the last texel: a linear filter loads a texel together with
// its right neighbour.
const tailPadding = 16

// Desc describes an image (VkImageCreateInfo). A count or extent of 0 is 1.
type Desc struct {
	Format  string // Vulkan's name without VK_FORMAT_
	Dim     ir.Dim // Dim1D, Dim2D or Dim3D; a cube is an image of Dim2D with six layers
	Width   int
	Height  int // in texels
	Depth   int
	Layers  int
	Levels  int
	Samples int
	Corner  bool // texel centres are at integer coordinates (VK_NV_corner_sampled_image)
	Packed  bool // rows have no padding, at the cost of cache conflicts

	Disjoint bool // each plane of a multi-planar format has its own memory (VK_IMAGE_CREATE_DISJOINT_BIT)
}

// Layout is the arrangement of an image in memory: a pure function of its description. See Image.
type Layout struct {
	Desc
	info    *format.Info
	parts   []planeLayout
	blocked *blockLayout // of a compressed format, else nil
	size    uint64
}

// planeLayout is the layout of one aspect, or of one plane of a multi-planar format. Of a compressed format it is the
// layout of the decoded texels, which are not in the memory of the image.
type planeLayout struct {
	aspect format.Aspect
	texel  format.Format // format of the plane's texels
	codec  format.Codec  // for host access
	levels []level
	offset uint64 // of the plane in the memory of the image; of a multi-planar image the levels include it
	size   uint64 // bytes, tailPadding included
}

// level is a mip level of a plane.
type level struct {
	width, height, depth  int    // in texels
	base, rowPitch, slice uint32 // in bytes: offset of the first texel, row pitch, slice or layer pitch
}

// DescError reports an invalid description of an image, view, sampler or copy.
type DescError struct {
	What string
	Size uint64 // bytes of an image that is larger than MaxBytes; else 0
}

// Error returns the message: "image: " and the invalid property, with the valid values.
func (e *DescError) Error() string { return "image: " + e.What }

// descErrorf returns a formatted *DescError.
func descErrorf(format string, args ...any) error {
	return &DescError{What: fmt.Sprintf(format, args...)}
}

// sizeError reports an image of more than MaxBytes.
func sizeError(size uint64, of string) error {
	return &DescError{What: fmt.Sprintf("at least %d bytes%s; must be at most %d", size, of, MaxBytes), Size: size}
}

// NewLayout returns the layout of an image. The error is a *DescError.
func NewLayout(d Desc) (*Layout, error) {
	for _, n := range []*int{&d.Width, &d.Height, &d.Depth, &d.Layers, &d.Levels, &d.Samples} {
		if *n == 0 {
			*n = 1
		}
	}
	m := &Layout{Desc: d, info: format.InfoByName(d.Format)}
	switch {
	case m.info == nil:
		return nil, descErrorf("format %s; must be one of Vulkan's", d.Format)
	case m.info.Numeric == "BOOL": // no Sampled Type of an OpTypeImage is a Boolean (VUID-StandaloneSpirv-OpTypeImage-04656)
		return nil, descErrorf("format %s, which only tensors have; must be an image format", d.Format)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for _, a := range aspects(m.info) {
		p, err := m.plane(a)
		if err != nil {
			return nil, err
		}
		m.parts = append(m.parts, p)
	}
	if len(m.parts) == 0 {
		return nil, descErrorf("format %s; images of this format are not supported", d.Format)
	}
	if m.info.Compressed {
		return m, m.layBlocks()
	}
	return m, m.joinPlanes()
}

// Size returns the bytes of memory that an image of the layout needs.
func (m *Layout) Size() uint64 { return m.size }

// Info returns the properties of the format.
func (m *Layout) Info() *format.Info { return m.info }

// joinPlanes places the planes one after another. A view of a multi-planar image addresses all of them from one base.
func (m *Layout) joinPlanes() error {
	for i := range m.parts {
		p := &m.parts[i]
		p.offset = m.size
		if m.info.Planes > 0 && !m.Disjoint {
			for n := range p.levels {
				p.levels[n].base += uint32(m.size)
			}
		}
		m.size += p.size
	}
	if m.info.Planes > 0 && m.size > MaxBytes {
		return sizeError(m.size, " of planes")
	}
	return nil
}

// Subresource is the place of one layer, or of all slices of a volume, in the memory of an image (VkSubresourceLayout), in
// bytes. Of a compressed format the pitches are of blocks.
type Subresource struct {
	Offset, Size                     uint64
	RowPitch, LayerPitch, SlicePitch uint64
}

// Subresource returns the place of a level and layer of an aspect; ok is false if there is none.
func (m *Layout) Subresource(a format.Aspect, levelNumber, layer int) (s Subresource, ok bool) {
	var l *level
	if m.blocked != nil {
		if levelNumber < 0 || levelNumber >= m.Levels {
			return s, false
		}
		l = &m.blocked.levels[levelNumber]
	}
	for i := range m.parts {
		p := &m.parts[i]
		if l == nil && (a == 0 || p.aspect == a || a == format.Color && p.aspect == format.Plane0) && levelNumber >= 0 && levelNumber < len(p.levels) {
			l = &p.levels[levelNumber]
			if m.info.Planes == 0 {
				s.Offset = p.offset
			}
		}
	}
	if l == nil || layer < 0 || layer >= m.Layers {
		return s, false
	}
	s.RowPitch, s.SlicePitch = uint64(l.rowPitch), uint64(l.slice)
	s.LayerPitch, s.Size = s.SlicePitch, s.SlicePitch*uint64(l.depth)
	s.Offset += uint64(l.base) + uint64(layer)*s.LayerPitch
	return s, true
}

// check validates extents and counts.
func (m *Layout) check() error {
	most := [3]int{MaxExtent, 1, 1}
	for i := range min(m.Dim.Axes(), 3) {
		most[i] = MaxExtent
	}
	longest := 0
	for i, n := range [3]int{m.Width, m.Height, m.Depth} {
		if n < 1 || n > most[i] {
			return descErrorf("extent %d×%d×%d of a %s image; must be 1 to %d along its axes, and 1 along others", m.Width, m.Height, m.Depth, m.Dim, MaxExtent)
		}
		longest = max(longest, n)
	}
	switch {
	case m.Dim > ir.Dim3D:
		return descErrorf("dimension %s; must be 1d, 2d or 3d", m.Dim)
	case m.Corner && !m.cornerFits():
		return descErrorf("a corner-sampled image of %s, %d×%d×%d; must be 2d or 3d, of a color format with one plane, with at least 2 texels along each axis", m.Format, m.Width, m.Height, m.Depth)
	case m.Levels < 1 || m.Levels > m.maxLevelsFor(longest):
		return descErrorf("%d mip levels; must be 1 to %d", m.Levels, m.maxLevelsFor(longest))
	case m.Layers < 1 || m.Layers > MaxLayers || m.Dim == ir.Dim3D && m.Layers != 1:
		return descErrorf("%d layers; must be 1 to %d, and 1 for a 3d image", m.Layers, MaxLayers)
	case m.Samples < 1 || m.Samples > MaxSamples || m.Samples&(m.Samples-1) != 0:
		return descErrorf("%d samples; must be a power of two up to %d", m.Samples, MaxSamples)
	case m.Disjoint && m.info.Planes == 0: // VUID-VkImageCreateInfo-format-01577
		return descErrorf("an image of %s with a memory for each plane; must be of a multi-planar format", m.Format)
	case !m.planarFits():
		return descErrorf("an image of %s, %d×%d, with %d levels and %d samples; must be 2d with one level and one sample, and a multiple of the chroma subsampling", m.Format, m.Width, m.Height, m.Levels, m.Samples)
	case m.Samples > 1 && (m.Dim != ir.Dim2D || m.Levels != 1):
		return descErrorf("%d samples of an image of %s with %d levels; must be 2d with one level", m.Samples, m.Dim, m.Levels)
	}
	return nil
}

// cornerFits reports whether the description is valid for a corner-sampled image
// (VUID-VkImageCreateInfo-flags-02050, -02051, -02052, -02053).
func (m *Layout) cornerFits() bool {
	return m.Dim != ir.Dim1D && m.info.Aspects == format.Color && !m.chroma() && m.Width > 1 && m.Height > 1 && (m.Dim == ir.Dim2D || m.Depth > 1)
}

// maxLevelsFor returns the greatest number of levels of an image with the given longest extent
// (VUID-VkImageCreateInfo-mipLevels-00958).
func (m *Layout) maxLevelsFor(longest int) int {
	if m.Corner { // down to 2 texels
		longest--
	}
	return min(maxLevels, bits.Len(uint(longest)))
}

// extentAt returns a level's extent along an axis of n texels (Vulkan §"Image Mip Level Sizing").
func (m *Layout) extentAt(n, level int) int {
	if m.Corner && n > 1 {
		return max((n-1)>>level+1, 2)
	}
	return format.LevelExtent(n, level)
}

// aspectFormat is an aspect or plane with its own format, and its subsampling factors.
type aspectFormat struct {
	aspect     format.Aspect
	format     string
	divX, divY int
}

// aspects returns the separately stored aspects of a format; nil if images of the format are not supported.
func aspects(i *format.Info) []aspectFormat {
	switch i.Name {
	case "D16_UNORM_S8_UINT":
		return []aspectFormat{{format.Depth, "D16_UNORM", 1, 1}, {format.Stencil, "S8_UINT", 1, 1}}
	case "D24_UNORM_S8_UINT":
		return []aspectFormat{{format.Depth, "X8_D24_UNORM_PACK32", 1, 1}, {format.Stencil, "S8_UINT", 1, 1}}
	case "D32_SFLOAT_S8_UINT":
		return []aspectFormat{{format.Depth, "D32_SFLOAT", 1, 1}, {format.Stencil, "S8_UINT", 1, 1}}
	}
	if b, ok := i.Blocks(); ok {
		return []aspectFormat{{format.Color, b.DecodedFormat(), 1, 1}}
	}
	if i.Compressed {
		return nil
	}
	if parts, ok := i.ChannelSources(); ok && i.Planes == 0 {
		return []aspectFormat{{format.Color, parts[format.G].Format, 1, 1}}
	}
	if i.Planes == 0 {
		return []aspectFormat{{i.Aspects, i.Name, 1, 1}}
	}
	var list []aspectFormat
	for n, p := range i.PlaneList() {
		list = append(list, aspectFormat{format.Plane0 << n, p.Format, p.DivX, p.DivY})
	}
	return list
}

// plane lays out one aspect.
func (m *Layout) plane(a aspectFormat) (p planeLayout, err error) {
	var f format.Format
	texel := format.StoredByName(a.format).Texel()
	ok := texel != nil
	if ok {
		f = *texel
		of := a.aspect
		if of >= format.Plane0 {
			of = format.Color
		}
		p.codec, ok = f.Codec(of)
	}
	if !ok {
		return p, descErrorf("format %s; images of this format are not supported", m.Format)
	}
	for _, k := range f.Components() {
		if k.Numeric == format.Float8E4M3 || k.Numeric == format.Float8E5M2 {
			return p, descErrorf("format %s, which only tensors have; must be an image format", m.Format)
		}
	}
	p.aspect, p.texel = a.aspect, f
	size := uint64(0)
	for n := range m.Levels {
		l := level{width: m.extentAt(m.Width/a.divX, n), height: m.extentAt(m.Height/a.divY, n), depth: m.extentAt(m.Depth, n)}
		row := m.pitch(uint64(l.width)*uint64(f.Bytes), l) * uint64(m.Samples)
		slice := row * uint64(l.height)
		l.base, l.rowPitch, l.slice = uint32(size), uint32(row), uint32(slice)
		size += (slice*uint64(l.depth)*uint64(m.Layers) + 15) &^ 15
		if size > MaxBytes {
			return p, sizeError(size, "")
		}
		p.levels = append(p.levels, l)
	}
	p.size = size + tailPadding
	return p, nil
}

// Rows at a distance that is a multiple of aliasBytes map to few sets of a cache, so that vertically adjacent
// texels evict each other. Such rows are padded by one cache line.
const (
	aliasBytes = 1 << 10
	rowPadding = 64
)

// pitch returns the distance of the rows of a level, which have the given bytes; each row of texels has one for each sample.
func (m *Layout) pitch(row uint64, l level) uint64 {
	rows := uint64(l.height) * uint64(m.Samples)
	if m.Packed || row%aliasBytes != 0 || rows < 2 {
		return row
	}
	if all := (row + rowPadding) * rows * uint64(l.depth) * uint64(m.Layers); all > MaxBytes/2 {
		return row
	}
	return row + rowPadding
}
