package texture

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Shown reads the texels of a view from the memory and the shape words to which a program is bound, for a debugger. A program may
// change the memory meanwhile.
type Shown struct {
	memory, shape []byte
	key           viewKey
	codec         format.Codec
	info          *format.Info
	alpha, srgb   bool
}

// Show returns the texels of the view with a memory and shape words (see View.Memory and View.Shape); false for the null descriptor,
// and for a view with a conversion of luma and chroma, which has no texels of its own.
func Show(memory, shape []byte) (*Shown, bool) {
	if len(shape) < 4*ir.ShapeWords {
		return nil, false
	}
	s := &Shown{memory: memory, shape: shape}
	w := binary.LittleEndian.Uint64(shape[4*ir.ShapeKey:])
	s.key = viewKey{format: uint32(w), dim: ir.Dim(w >> 32 & 15), samples: uint8(w >> 36 & 15), arrayed: w>>40&1 != 0, corner: w>>61&1 != 0}
	for i := range s.key.swizzle {
		s.key.swizzle[i] = enum.Swizzle(w >> (42 + 3*i) & 7)
	}
	s.info = format.Stored(s.key.format)
	if w == 0 || w>>54&127 != 0 || s.info == nil || s.info.Texel() == nil || s.Samples() < 1 {
		return nil, false
	}
	aspect := s.info.Aspects
	if aspect&format.Depth != 0 {
		aspect = format.Depth
	}
	var ok bool
	s.codec, ok = s.info.Texel().Codec(aspect)
	for _, c := range s.info.Texel().Components() {
		s.alpha = s.alpha || c.Channel == format.A
		s.srgb = s.srgb || c.Numeric == format.SRGB
	}
	return s, ok
}

// Of reports whether the texels have a memory and shape words.
func (s *Shown) Of(memory, shape []byte) bool {
	return s != nil && len(memory) == len(s.memory) && len(shape) == len(s.shape) && unsafe.SliceData(memory) == unsafe.SliceData(s.memory) && unsafe.SliceData(shape) == unsafe.SliceData(s.shape)
}

// Info returns the properties of the format of the view.
func (s *Shown) Info() *format.Info { return s.info }

// HasAlpha reports whether the format has alpha.
func (s *Shown) HasAlpha() bool { return s.alpha }

// IsSRGB reports whether the bytes of colors have the transfer function of sRGB.
func (s *Shown) IsSRGB() bool { return s.srgb }

// Dim returns the dimensionality of the view.
func (s *Shown) Dim() ir.Dim { return s.key.dim }

// Arrayed reports whether the view has layers; a cube has six.
func (s *Shown) Arrayed() bool { return s.key.arrayed || s.key.dim == ir.DimCube }

// Sampled returns the type of the components, and whether they have 64 bits.
func (s *Shown) Sampled() (format.Sampled, bool) { return s.codec.Sampled, s.codec.Wide }

// Levels returns the number of levels of the view.
func (s *Shown) Levels() int { return min(s.word(ir.ShapeLevelsN), ir.MaxLevels) }

// Layers returns the number of layers of the view.
func (s *Shown) Layers() int { return s.word(ir.ShapeLayers) }

// Samples returns the number of samples of a texel.
func (s *Shown) Samples() int { return s.word(ir.ShapeSamples) }

// Extent returns the extent of a level in texels; the depth belongs to a volume.
func (s *Shown) Extent(level int) (width, height, depth int) {
	m := Layout{Desc: Desc{Corner: s.key.corner}}
	return m.extentAt(s.word(ir.ShapeWidth), level), m.extentAt(s.word(ir.ShapeHeight), level), m.extentAt(s.word(ir.ShapeDepth), level)
}

// Load returns the components of a texel of the view, by its swizzle and represented as by format.Codec.Load; false if there is no
// such texel. Z is the slice of a volume; the aspect comes from the view.
func (s *Shown) Load(at Coord) (v [4]uint64, ok bool) {
	if at.Level < 0 || at.Level >= s.Levels() {
		return v, false
	}
	width, height, depth := s.Extent(at.Level)
	if uint(at.X) >= uint(width) || uint(at.Y) >= uint(height) || uint(at.Z) >= uint(depth) || uint(at.Layer) >= uint(s.Layers()) || uint(at.Sample) >= uint(s.Samples()) {
		return v, false
	}
	word := func(i int) uint64 { return uint64(s.word(i + at.Level)) }
	pitch := word(ir.ShapeLevels + ir.MaxLevels)
	offset := word(ir.ShapeLevels) + uint64(at.Z+at.Layer)*word(ir.ShapeLevels+2*ir.MaxLevels) + uint64(at.Y)*pitch +
		uint64(at.Sample)*(pitch/uint64(s.Samples())) + uint64(at.X)*uint64(s.codec.Bytes)
	if offset > uint64(len(s.memory)) || uint64(s.codec.Bytes) > uint64(len(s.memory))-offset {
		return v, false
	}
	all := s.codec.Load(s.memory[offset:][:s.codec.Bytes])
	for i, from := range s.key.swizzle {
		switch {
		case from == enum.SwizzleOne:
			v[i] = s.one()
		case from >= enum.SwizzleR && from <= enum.SwizzleA:
			v[i] = all[from-enum.SwizzleR]
		}
	}
	return v, true
}

// one returns the value 1 of a component.
func (s *Shown) one() uint64 {
	switch {
	case s.codec.Sampled != format.Float:
		return 1
	case s.codec.Wide:
		return math.Float64bits(1)
	}
	return uint64(math.Float32bits(1))
}

// word returns a word of the shape.
func (s *Shown) word(i int) int { return int(binary.LittleEndian.Uint32(s.shape[4*i:])) }
