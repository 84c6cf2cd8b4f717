package texture

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// MaxElements bounds the texels of a texel buffer (maxTexelBufferElements).
const MaxElements = 1 << 27

// ViewDesc is what a view shows of an image (VkImageViewCreateInfo).
type ViewDesc struct {
	Dim     ir.Dim // of the view: also DimCube, and Dim2D of a volume's slices
	Arrayed bool
	Format  string        // one of the image's class; "" is the image's own
	Aspect  format.Aspect // 0 is the first that the image has
	Swizzle [4]Swizzle

	BaseLevel, Levels int // Levels 0 is all that are left
	BaseLayer, Layers int // likewise
	BaseSlice, Slices int // likewise of a volume's level: a view of some slices has one level (VkImageViewSlicedCreateInfoEXT)

	Conversion *Conversion // of luma and chroma; nil is none, which images in planes need

	Weights *Weights // what a view of weights says of them; nil of others

	MinLod float32 // the least level that is read, relative to the image (VK_EXT_image_view_min_lod)
}

// View is what a descriptor of an image names. It is safe for concurrent use. A
// nil View is the null descriptor.
type View struct {
	key    viewKey
	memory []byte
	shape  []byte
	part   *part // of an image of a compressed format
}

// NewView returns a view of m. The error is a *DescError.
func NewView(m *Image, d ViewDesc) (*View, error) {
	p := m.aspect(d.Aspect)
	if p == nil {
		return nil, wrong("a view of an aspect that format %s does not have", m.Format)
	}
	var shown *decoded
	bare := false
	if m.blocks != nil {
		q, ok := m.barePlane(d.Format)
		if bare = ok; !bare {
			var err error
			if shown, err = m.shownAs(d.Format); err != nil {
				return nil, err
			}
			q, d.Format = shown.plane, ""
		}
		p = q
	}
	layers := m.Layers
	sliced := m.Dim == ir.Dim3D && d.Dim == ir.Dim2D
	if sliced {
		layers = p.levels[min(max(d.BaseLevel, 0), m.Levels-1)].depth
	}
	if d.Levels == 0 {
		d.Levels = m.Levels - d.BaseLevel
	}
	if d.Layers == 0 {
		d.Layers = layers - d.BaseLayer
	}
	f, err := p.viewed(m, d)
	if m.chroma() && d.Aspect <= format.Color {
		f, err = m.info, m.wholeView(d)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case d.BaseLevel < 0 || d.Levels < 1 || d.Levels > m.Levels-d.BaseLevel:
		return nil, wrong("a view of %d levels from %d on; the image has %d", d.Levels, d.BaseLevel, m.Levels)
	case d.BaseLayer < 0 || d.Layers < 1 || d.Layers > layers-d.BaseLayer:
		return nil, wrong("a view of %d layers from %d on; the image has %d", d.Layers, d.BaseLayer, layers)
	case !d.Arrayed && d.Dim != ir.DimCube && d.Layers != 1:
		return nil, wrong("a view of %d layers that is no array", d.Layers)
	case d.Dim == ir.DimCube && (d.Layers%6 != 0 || !d.Arrayed && d.Layers != 6 || !p.square(d.BaseLevel) || m.Samples > 1):
		return nil, wrong("a cube of %d layers of %d×%d texels; must be six for each, square, of one sample", d.Layers, m.Width, m.Height)
	case !m.slicesFit(p, &d):
		return nil, wrong("a view of %d slices from %d on of an image of %s; must be of those of one level of a volume", d.Slices, d.BaseSlice, m.Dim)
	case m.Corner && d.Dim == ir.DimCube: // VUID-VkImageCreateInfo-flags-02051
		return nil, wrong("a cube of an image that is sampled at its corners")
	case d.Dim == ir.DimCube && m.Dim != ir.Dim2D, d.Dim != ir.DimCube && !sliced && d.Dim != m.Dim, d.Dim == ir.Dim3D && d.Arrayed, sliced && d.Levels != 1:
		return nil, wrong("a view of %s of an image of %s", d.Dim, m.Dim)
	}
	v := &View{memory: p.memory, key: viewKey{format: f.ID, dim: d.Dim, arrayed: d.Arrayed, levels: d.Levels > 1, corner: m.Corner, samples: uint8(bits.TrailingZeros(uint(m.Samples)))}}
	for i, s := range d.Swizzle {
		if s >= numSwizzles {
			return nil, wrong("swizzle %d; must be one of Vulkan's", s)
		}
		if s == Identity {
			s = Red + Swizzle(i)
		}
		v.key.swizzle[i] = s
	}
	if err := v.key.convert(m, d); err != nil {
		return nil, err
	}
	weights, err := d.weights(m.Width, m.Height)
	if err != nil {
		return nil, err
	}
	if bare {
		if err := m.bareFits(d); err != nil {
			return nil, err
		}
	}
	if m.blocks != nil {
		v.part = m.partOf(shown, d)
	}
	v.shape = m.shape(p, d)
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeWeights:], weights)
	binary.LittleEndian.PutUint64(v.shape[4*ir.ShapeKey:], v.key.word())
	return v, nil
}

// slicesFit reports whether the slices that a view of the level shows are there
// (VUID-VkImageViewSlicedCreateInfoEXT-sliceOffset-07867, -sliceCount-07868,
// -image-07869, -viewType-07909, -None-07870).
func (m *Image) slicesFit(p *plane, d *ViewDesc) bool {
	if d.BaseSlice == 0 && d.Slices == 0 {
		return true
	}
	if m.Dim != ir.Dim3D || d.Dim != ir.Dim3D || d.Levels != 1 {
		return false
	}
	depth := p.levels[d.BaseLevel].depth
	if d.Slices == 0 {
		d.Slices = depth - d.BaseSlice
	}
	return d.BaseSlice >= 0 && d.Slices >= 1 && d.Slices <= depth-d.BaseSlice
}

// square reports whether a level is as wide as high; where there is none it is.
func (p *plane) square(n int) bool {
	return n >= len(p.levels) || p.levels[n].width == p.levels[n].height
}

// viewed returns the format that a view reads a plane in.
func (p *plane) viewed(m *Image, d ViewDesc) (*format.Info, error) {
	f := format.InfoByName(p.texel.Name)
	if d.Format == "" || d.Format == m.Format {
		return f, nil
	}
	g := format.InfoByName(d.Format)
	if g == nil || g.Compressed || g.Planes > 0 || g.Class != f.Class || g.Bytes != f.Bytes {
		return nil, wrong("a view as %s of an image of %s; must be a format of its class", d.Format, m.Format)
	}
	return g, nil
}

// shape returns the words that a program reads of a view.
func (m *Image) shape(p *plane, d ViewDesc) []byte {
	w := make([]byte, 4*ir.ShapeWords)
	put := func(i, n int) { binary.LittleEndian.PutUint32(w[4*i:], uint32(n)) }
	first := &p.levels[d.BaseLevel]
	depth := first.depth
	switch {
	case d.Dim != ir.Dim3D:
		depth = 1
	case d.Slices > 0:
		depth = d.Slices
	}
	put(ir.ShapeWidth, first.width)
	put(ir.ShapeHeight, first.height)
	put(ir.ShapeDepth, depth)
	put(ir.ShapeLayers, d.Layers)
	put(ir.ShapeLevelsN, d.Levels)
	put(ir.ShapeSamples, m.Samples)
	if m.Corner {
		put(ir.ShapeCorner, 1)
	}
	put(ir.ShapeMinLod, int(math.Float32bits(max(d.MinLod-float32(d.BaseLevel), 0))))
	levels := p.levels[d.BaseLevel:][:d.Levels]
	if m.info.Planes > 0 && d.Aspect <= format.Color { // of images in planes, level n is plane n
		levels = nil
		for i := range m.planes {
			levels = append(levels, m.planes[i].levels[0])
		}
	}
	for i, l := range levels {
		at := ir.ShapeLevels + i
		put(at, int(l.at)+(d.BaseLayer+d.BaseSlice)*int(l.slice))
		put(at+ir.MaxLevels, int(l.row))
		put(at+2*ir.MaxLevels, int(l.slice))
	}
	return w
}

// NewBufferView returns a view of a buffer's bytes as texels of a format. Bytes
// must begin as exec.Buffer says; those behind the last whole texel are not seen.
func NewBufferView(bytes []byte, name string) (*View, error) {
	f, ok := format.ByName(name)
	info := format.InfoByName(name)
	if !ok || info.Aspects != format.Color {
		return nil, wrong("a texel buffer of %s; must be a color format of one texel", name)
	}
	n := len(bytes) / f.Bytes
	if n > MaxElements {
		return nil, wrong("a texel buffer of %d elements; must be at most %d", n, MaxElements)
	}
	v := &View{memory: bytes[:n*f.Bytes], key: viewKey{format: info.ID, dim: ir.DimBuffer, swizzle: [4]Swizzle{Red, Green, Blue, Alpha}}}
	v.shape = make([]byte, 4*ir.ShapeWords)
	binary.LittleEndian.PutUint64(v.shape[4*ir.ShapeKey:], v.key.word())
	for _, i := range []int{ir.ShapeWidth, ir.ShapeHeight, ir.ShapeDepth, ir.ShapeLayers, ir.ShapeLevelsN, ir.ShapeSamples} {
		binary.LittleEndian.PutUint32(v.shape[4*i:], 1)
	}
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeWidth:], uint32(n))
	return v, nil
}

// Memory returns what a program finds at an image's resource of kind ir.Texels, as it
// must be asked for before each run: texels of a compressed format are decoded now
// whose blocks have changed.
func (v *View) Memory() exec.Buffer {
	if v == nil {
		return exec.Buffer{}
	}
	v.part.refresh()
	return exec.Buffer{Bytes: v.memory}
}

// Shape returns what a program finds at an image's resource of kind ir.ImageShape.
func (v *View) Shape() exec.Buffer {
	if v == nil {
		return exec.Buffer{}
	}
	return exec.Buffer{Bytes: v.shape}
}
