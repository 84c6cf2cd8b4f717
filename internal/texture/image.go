package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Image is an image and its memory. A level's layers (or slices of a volume), a layer's rows and a row's texels
// are consecutive; a row of texels has a row for each sample, so that neighbors are adjacent in each. Depth and stencil are separate planes, as are the
// planes of a multi-planar format. A compressed format is stored as blocks and decoded texels; WriteBlocks
// alone changes them. A single-plane format with subsampled chroma has one texel for each pair of texels
// that share chroma.
//
// Level l of a plane, at its base offset:
//
//	layer 0 or slice 0                        layer 1 …
//	├ row 0, sample 0 ┤pad├ row 0, sample 1 ┤pad┤ …  ├ row 1, sample 0 ┤pad┤ …
//	├ texel (0,0) ┤ texel (1,0), …
//
// pad is empty, or one cache line (see pitch). A texel's offset is
// base + (layer+z)·slice + y·row + sample·row/samples + x·texelBytes.
type Image struct {
	*Layout
	planes []plane
	blocks *blocks // of a compressed format, else nil
	joined *joined // of an image with a memory for each plane, else nil

	residency *Residency // of a sparse image, else nil
}

// plane is one aspect, or one plane of a multi-planar format, in memory.
type plane struct {
	planeLayout
	memory []byte // of the plane; of the whole image if it is multi-planar
}

// NewImage allocates an image with all bits zero. The error is a *DescError.
func NewImage(d Desc) (*Image, error) {
	l, err := NewLayout(d)
	if err != nil {
		return nil, err
	}
	if l.Disjoint {
		return l.OnPlanes(l.split(make([]byte, l.size)))
	}
	return l.image(make([]byte, l.size)), nil
}

// On returns an image in memory that the caller provides, for as long as the image is used: at least l.Size bytes at a
// multiple of 16 in memory. Others may write the memory between two runs; texels of compressed formats are decoded again
// when their blocks have changed.
func (l *Layout) On(memory []byte) (*Image, error) {
	if uint64(len(memory)) < l.size {
		return nil, descErrorf("%d bytes of memory; must be at least %d", len(memory), l.size)
	}
	if l.Disjoint {
		return l.OnPlanes(l.split(memory))
	}
	m := l.image(memory[:l.size:l.size])
	if m.blocks != nil {
		m.blocks.watch()
		for i, b := range m.blocks.memory { // every block differs from its copy: the first use decodes it
			m.blocks.decodings[0].source[i] = ^b
		}
	}
	return m, nil
}

// image returns the image in memory.
func (l *Layout) image(memory []byte) *Image {
	m := &Image{Layout: l}
	for i := range l.parts {
		p := plane{planeLayout: l.parts[i]}
		switch {
		case l.blocked != nil:
			p.memory = make([]byte, p.size) // decoded texels
		case l.info.Planes > 0:
			p.memory = memory
		default:
			p.memory = memory[p.offset:][:p.size:p.size]
		}
		m.planes = append(m.planes, p)
	}
	if l.blocked != nil {
		m.newBlocks(memory)
	}
	return m
}

// aspect returns the plane of an aspect; 0 is the image's first, and Color of a multi-planar image is luma.
func (m *Image) aspect(a format.Aspect) *plane {
	for i := range m.planes {
		if of := m.planes[i].aspect; a == 0 || of == a || a == format.Color && of == format.Plane0 {
			return &m.planes[i]
		}
	}
	return nil
}

// Coord names a texel of an image.
type Coord struct {
	X, Y, Z              int // Z is the slice of a volume
	Layer, Level, Sample int
	Aspect               format.Aspect // 0 is the image's first aspect
}

// texel returns the bytes of a texel and its plane; nil if there is no such texel.
func (m *Image) texel(at Coord) (*plane, []byte) {
	p := m.aspect(at.Aspect)
	if p == nil || uint(at.Level) >= uint(m.Levels) || uint(at.Layer) >= uint(m.Layers) || uint(at.Sample) >= uint(m.Samples) {
		return nil, nil
	}
	l := &p.levels[at.Level]
	if uint(at.X) >= uint(l.width) || uint(at.Y) >= uint(l.height) || uint(at.Z) >= uint(l.depth) {
		return nil, nil
	}
	off := int(l.base) + (at.Z+at.Layer)*int(l.slice) + at.Y*int(l.rowPitch) + at.Sample*int(l.rowPitch)/m.Samples + at.X*p.texel.Bytes
	return p, p.memory[off:][:p.texel.Bytes]
}

// Load returns the components of a texel, represented as by format.Codec.Load; zeros if there is no such
// texel.
func (m *Image) Load(at Coord) (v [4]uint64) {
	if p, b := m.texel(at); b != nil {
		m.refreshTexelRow(at)
		v = p.codec.Load(b)
	}
	return v
}

// Store replaces a texel by the components v, represented as by Load. It does nothing if there is no such
// texel, or the format is compressed.
func (m *Image) Store(at Coord, v [4]uint64) {
	if p, b := m.texel(at); b != nil && m.blocks == nil {
		p.codec.Store(b, v)
	}
}

// Codec returns the codec of the texels of an aspect; nil if the format lacks it. Its size is the distance of texels.
func (m *Image) Codec(a format.Aspect) *format.Codec {
	if p := m.aspect(a); p != nil {
		return &p.codec
	}
	return nil
}

// Texel returns the memory of a texel, which the caller may change; nil if there is no such texel.
func (m *Image) Texel(at Coord) []byte {
	_, b := m.texel(at)
	if b != nil {
		m.refreshTexelRow(at)
	}
	return b
}

// TexelRow returns the memory of one sample of a row from a texel on, which the caller may change; nil if there is no such texel.
func (m *Image) TexelRow(at Coord) []byte {
	p, b := m.texel(at)
	if b == nil {
		return nil
	}
	m.refreshTexelRow(at)
	n := p.levels[at.Level].width - at.X
	return b[: n*p.texel.Bytes : n*p.texel.Bytes]
}

// LayerBytes returns the memory of a layer (or slice of a volume) of a level, rows without padding. It is
// nil if there is no such layer, or its rows are padded: see [Desc.Packed].
func (m *Image) LayerBytes(a format.Aspect, level, layer int) []byte {
	p := m.aspect(a)
	if p == nil || uint(level) >= uint(m.Levels) {
		return nil
	}
	l := &p.levels[level]
	if uint(layer) >= uint(l.depth*m.Layers) || m.padded(p, l) {
		return nil
	}
	m.refreshLayer(level, layer)
	return p.memory[int(l.base)+layer*int(l.slice):][:l.slice]
}

// padded reports whether a level's rows are padded.
func (m *Image) padded(p *plane, l *level) bool {
	return int(l.rowPitch) != l.width*p.texel.Bytes*m.Samples
}

// LevelBytes returns the memory of a level, all its layers and slices. It is nil if there is no such level, or
// its rows are padded: see [Desc.Packed].
func (m *Image) LevelBytes(a format.Aspect, level int) []byte {
	p := m.aspect(a)
	if p == nil || uint(level) >= uint(m.Levels) {
		return nil
	}
	l := &p.levels[level]
	if m.padded(p, l) {
		return nil
	}
	for layer := range l.depth * m.Layers {
		m.refreshLayer(level, layer)
	}
	return p.memory[l.base:][:int(l.slice)*l.depth*m.Layers]
}

// Aspects returns the separately stored aspects and planes.
func (m *Image) Aspects() (list []format.Aspect) {
	for i := range m.planes {
		list = append(list, m.planes[i].aspect)
	}
	return list
}

// FirstAspect is the first of Aspects.
func (m *Image) FirstAspect() format.Aspect { return m.planes[0].aspect }

// LevelExtent returns the extent of level n in texels; the level must exist.
func (m *Layout) LevelExtent(n int) (width, height, depth int) {
	l := &m.parts[0].levels[n]
	return l.width, l.height, l.depth
}

// AspectExtent returns the extent of level n of an aspect or plane in texels; ok is false if there is none. 0 is the
// image's first aspect.
func (m *Image) AspectExtent(a format.Aspect, n int) (width, height, depth int, ok bool) {
	p := m.aspect(a)
	if p == nil || n < 0 || n >= len(p.levels) {
		return 0, 0, 0, false
	}
	l := &p.levels[n]
	return l.width, l.height, l.depth, true
}

// TexelBytes returns the size of one sample of a texel of an aspect or plane in memory; of a compressed format, of a
// decoded texel. It is 0 if the image does not have the aspect.
func (m *Image) TexelBytes(a format.Aspect) int {
	p := m.aspect(a)
	if p == nil {
		return 0
	}
	return p.texel.Bytes
}
