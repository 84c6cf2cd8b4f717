package texture

import (
	"fmt"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of images.
const (
	MaxExtent  = 1 << 14       // texels along an axis; of a texel buffer MaxElements
	MaxLayers  = 1 << 13       // layers of an array, the faces of cubes included
	MaxBytes   = 1<<32 - 1<<16 // of one aspect of an image: offsets have 32 bits
	MaxSamples = 64            // samples of a texel
	maxLevels  = ir.MaxLevels  // mip levels
)

// spare are bytes behind the last texel, which nobody looks at: a filter reads a
// texel together with the one behind it.
const spare = 16

// Desc is what an image is made of (VkImageCreateInfo).
type Desc struct {
	Format  string // Vulkan's name without VK_FORMAT_
	Dim     ir.Dim // Dim1D, Dim2D or Dim3D; cubes are images of Dim2D with six layers each
	Width   int
	Height  int // 0 is 1, as are the others
	Depth   int
	Layers  int
	Levels  int
	Samples int
	Corner  bool // texels lie on the corners of what coordinates count (VK_NV_corner_sampled_image)
	Packed  bool // rows stand one behind the other without a gap, however slow that is
}

// Image is texels in memory of its own. The layers of a level stand one behind the
// other, as do the slices of a volume, the rows of a layer and the texels of a
// row; the samples of a texel stand together. An image of depth and stencil keeps
// the two apart, one in planes its planes, and one of a compressed format has its
// texels decoded, which WriteBlocks alone may change. Where two texels share chroma
// in one plane, the image has texels of the half of their block.
type Image struct {
	Desc
	info   *format.Info
	planes []plane
	blocks *blocks // of a compressed format
}

// plane is what one aspect, or one plane, of an image keeps in memory.
type plane struct {
	aspect format.Aspect
	texel  format.Format // of one texel
	code   format.Codec
	levels []level
	memory []byte
}

// level is a mip level of a plane.
type level struct {
	width, height, depth int
	at, row, slice       uint32 // bytes: first texel, from row to row, from slice or layer to the next
}

// DescError is an image that cannot be made, or a view or copy that does not fit.
type DescError struct{ What string }

// Error says what is and what must be.
func (e *DescError) Error() string { return "image: " + e.What }

func wrong(format string, args ...any) error { return &DescError{fmt.Sprintf(format, args...)} }

// NewImage returns an image whose texels are all zero bits. The error is a
// *DescError.
func NewImage(d Desc) (*Image, error) {
	for _, n := range []*int{&d.Width, &d.Height, &d.Depth, &d.Layers, &d.Levels, &d.Samples} {
		if *n == 0 {
			*n = 1
		}
	}
	m := &Image{Desc: d, info: format.InfoByName(d.Format)}
	switch {
	case m.info == nil:
		return nil, wrong("format %s; must be one of Vulkan's", d.Format)
	case m.info.Numeric == "BOOL": // no Sampled Type of an OpTypeImage is a Boolean (VUID-StandaloneSpirv-OpTypeImage-04656)
		return nil, wrong("format %s; it is of tensors alone", d.Format)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for _, a := range aspects(m.info) {
		p, err := m.plane(a)
		if err != nil {
			return nil, err
		}
		m.planes = append(m.planes, p)
	}
	if len(m.planes) == 0 {
		return nil, wrong("format %s; images of it are not built", d.Format)
	}
	if err := m.joinPlanes(); err != nil {
		return nil, err
	}
	if m.info.Compressed {
		if err := m.newBlocks(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// check checks extents and counts.
func (m *Image) check() error {
	most := [3]int{MaxExtent, 1, 1}
	for i := range min(m.Dim.Axes(), 3) {
		most[i] = MaxExtent
	}
	longest := 0
	for i, n := range [3]int{m.Width, m.Height, m.Depth} {
		if n < 1 || n > most[i] {
			return wrong("extent %d×%d×%d of an image of %s; must be from 1 to %d along its axes, else 1", m.Width, m.Height, m.Depth, m.Dim, MaxExtent)
		}
		longest = max(longest, n)
	}
	switch {
	case m.Dim > ir.Dim3D:
		return wrong("dimension %s; must be 1d, 2d or 3d", m.Dim)
	case m.Corner && !m.cornerFits():
		return wrong("an image of %s, %d×%d×%d, sampled at its corners; must be 2d or 3d of color, in one plane, with 2 texels at least along each axis", m.Format, m.Width, m.Height, m.Depth)
	case m.Levels < 1 || m.Levels > m.mostLevels(longest):
		return wrong("%d mip levels; must be from 1 to %d", m.Levels, m.mostLevels(longest))
	case m.Layers < 1 || m.Layers > MaxLayers || m.Dim == ir.Dim3D && m.Layers != 1:
		return wrong("%d layers; must be from 1 to %d, and 1 of a volume", m.Layers, MaxLayers)
	case m.Samples < 1 || m.Samples > MaxSamples || m.Samples&(m.Samples-1) != 0:
		return wrong("%d samples; must be a power of two up to %d", m.Samples, MaxSamples)
	case !m.planarFits():
		return wrong("an image of %s, %d×%d, with %d levels and %d samples; must be 2d with one of each, and whole texels of chroma", m.Format, m.Width, m.Height, m.Levels, m.Samples)
	case m.Samples > 1 && (m.Dim != ir.Dim2D || m.Levels != 1):
		return wrong("%d samples of an image of %s with %d levels; must be 2d with one level", m.Samples, m.Dim, m.Levels)
	}
	return nil
}

// cornerFits reports whether an image whose texels lie on corners may be as this one
// (VUID-VkImageCreateInfo-flags-02050, -02051, -02052, -02053).
func (m *Image) cornerFits() bool {
	return m.Dim != ir.Dim1D && m.info.Aspects == format.Color && !m.chroma() && m.Width > 1 && m.Height > 1 && (m.Dim == ir.Dim2D || m.Depth > 1)
}

// mostLevels returns how many levels there can be where the longest axis has so many
// texels (VUID-VkImageCreateInfo-mipLevels-00958).
func (m *Image) mostLevels(longest int) int {
	if m.Corner { // down to 2 texels
		longest--
	}
	return min(maxLevels, bits.Len(uint(longest)))
}

// extentAt returns how many texels of n along an axis level has (Vulkan §"Image Mip
// Level Sizing").
func (m *Image) extentAt(n, level int) int {
	if m.Corner && n > 1 {
		return max((n-1)>>level+1, 2)
	}
	return format.LevelExtent(n, level)
}

// aspectFormat is an aspect with the format that it has by itself, and the texels
// of the image that share one of its.
type aspectFormat struct {
	aspect     format.Aspect
	format     string
	divX, divY int
}

// aspects returns what an image of a format keeps apart, nil where images of it
// are not built.
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

// plane lays out one aspect and takes memory for it.
func (m *Image) plane(a aspectFormat) (p plane, err error) {
	f, ok := format.ByName(a.format)
	if ok {
		of := a.aspect
		if of >= format.Plane0 {
			of = format.Color
		}
		p.code, ok = f.Codec(of)
	}
	if !ok {
		return p, wrong("format %s; images of it are not built", m.Format)
	}
	for _, k := range f.Components() {
		if k.Numeric == format.Float8E4M3 || k.Numeric == format.Float8E5M2 {
			return p, wrong("format %s; it is of tensors alone", m.Format)
		}
	}
	p.aspect, p.texel = a.aspect, f
	size := uint64(0)
	for n := range m.Levels {
		l := level{width: m.extentAt(m.Width/a.divX, n), height: m.extentAt(m.Height/a.divY, n), depth: m.extentAt(m.Depth, n)}
		row := m.pitch(uint64(l.width)*uint64(f.Bytes)*uint64(m.Samples), l)
		slice := row * uint64(l.height)
		l.at, l.row, l.slice = uint32(size), uint32(row), uint32(slice)
		size += (slice*uint64(l.depth)*uint64(m.Layers) + 15) &^ 15
		if size > MaxBytes {
			return p, wrong("%d bytes or more; must be at most %d", size, MaxBytes)
		}
		p.levels = append(p.levels, l)
	}
	p.memory = make([]byte, size+spare)
	return p, nil
}

// Rows that are a multiple of crowded bytes apart fall on few lines of a cache, where
// those above each other push each other out: they get a gap, one line of a cache.
const (
	crowded = 1 << 10
	gap     = 64
)

// pitch returns how many bytes rows of so many bytes each stand apart.
func (m *Image) pitch(row uint64, l level) uint64 {
	if m.Packed || row%crowded != 0 || l.height < 2 {
		return row
	}
	if all := (row + gap) * uint64(l.height) * uint64(l.depth) * uint64(m.Layers); all > MaxBytes/2 {
		return row
	}
	return row + gap
}

// aspect returns the plane of an aspect; 0 is the first that there is, and color of
// an image in planes luma.
func (m *Image) aspect(a format.Aspect) *plane {
	for i := range m.planes {
		if of := m.planes[i].aspect; a == 0 || of == a || a == format.Color && of == format.Plane0 {
			return &m.planes[i]
		}
	}
	return nil
}

// Coord is a texel of an image.
type Coord struct {
	X, Y, Z              int // Z is the slice of a volume
	Layer, Level, Sample int
	Aspect               format.Aspect // 0 is the first that the image has
}

// texel returns the bytes of a texel, nil where there is none.
func (m *Image) texel(at Coord) (*plane, []byte) {
	p := m.aspect(at.Aspect)
	if p == nil || uint(at.Level) >= uint(m.Levels) || uint(at.Layer) >= uint(m.Layers) || uint(at.Sample) >= uint(m.Samples) {
		return nil, nil
	}
	l := &p.levels[at.Level]
	if uint(at.X) >= uint(l.width) || uint(at.Y) >= uint(l.height) || uint(at.Z) >= uint(l.depth) {
		return nil, nil
	}
	off := int(l.at) + (at.Z+at.Layer)*int(l.slice) + at.Y*int(l.row) + (at.X*m.Samples+at.Sample)*p.texel.Bytes
	return p, p.memory[off:][:p.texel.Bytes]
}

// Load returns the numbers of a texel as format.Codec has them, zeros where there
// is no such texel.
func (m *Image) Load(at Coord) (v [4]uint64) {
	if p, b := m.texel(at); b != nil {
		m.refreshHeld(at)
		v = p.code.Load(b)
	}
	return v
}

// Store replaces a texel; where there is none, or texels are those of blocks, it
// does nothing.
func (m *Image) Store(at Coord, v [4]uint64) {
	if p, b := m.texel(at); b != nil && m.blocks == nil {
		p.code.Store(b, v)
	}
}

// EncodeTexel returns the bytes of a texel, which the caller may change, or nil where
// there is none.
func (m *Image) Texel(at Coord) []byte {
	_, b := m.texel(at)
	if b != nil {
		m.refreshHeld(at)
	}
	return b
}

// Row returns the bytes of the texels of a row from a place on, which the caller may
// change, or nil where there is none.
func (m *Image) Row(at Coord) []byte {
	p, b := m.texel(at)
	if b == nil {
		return nil
	}
	m.refreshHeld(at)
	n := (p.levels[at.Level].width-at.X)*m.Samples - at.Sample
	return b[: n*p.texel.Bytes : n*p.texel.Bytes]
}

// LayerBytes returns the bytes of a layer, or of a slice of a volume, of a level, its
// rows one behind the other without a gap: they are the image's own. It is nil
// where there is no such layer, or where there are gaps: see [Desc.Packed].
func (m *Image) LayerBytes(a format.Aspect, level, layer int) []byte {
	p := m.aspect(a)
	if p == nil || uint(level) >= uint(m.Levels) {
		return nil
	}
	l := &p.levels[level]
	if uint(layer) >= uint(l.depth*m.Layers) || m.gaps(p, l) {
		return nil
	}
	m.refreshLayer(level, layer)
	return p.memory[int(l.at)+layer*int(l.slice):][:l.slice]
}

// gaps reports whether the rows of a level have gaps between them.
func (m *Image) gaps(p *plane, l *level) bool {
	return int(l.row) != l.width*p.texel.Bytes*m.Samples
}

// LevelBytes returns the bytes of a level, all its layers and slices: they are the
// image's own. It is nil where there is no such level, or where there are gaps
// between rows: see [Desc.Packed].
func (m *Image) LevelBytes(a format.Aspect, level int) []byte {
	p := m.aspect(a)
	if p == nil || uint(level) >= uint(m.Levels) {
		return nil
	}
	l := &p.levels[level]
	if m.gaps(p, l) {
		return nil
	}
	for layer := range l.depth * m.Layers {
		m.refreshLayer(level, layer)
	}
	return p.memory[l.at:][:int(l.slice)*l.depth*m.Layers]
}

// Aspects returns what the image keeps apart.
func (m *Image) Aspects() (list []format.Aspect) {
	for i := range m.planes {
		list = append(list, m.planes[i].aspect)
	}
	return list
}

// LevelExtent returns how many texels a level has along each axis.
func (m *Image) LevelExtent(n int) (width, height, depth int) {
	l := &m.planes[0].levels[n]
	return l.width, l.height, l.depth
}
