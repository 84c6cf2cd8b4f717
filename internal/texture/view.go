package texture

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// MaxElements bounds the texels of a texel buffer (maxTexelBufferElements).
const MaxElements = 1 << 27

// ViewDesc describes a view of an image (VkImageViewCreateInfo).
type ViewDesc struct {
	Dim     ir.Dim        // of the view: DimCube, and Dim2D of a volume's slices, are possible too
	Arrayed bool          // the view has array layers
	Format  string        // a format of the image's compatibility class; "" is the image's own
	Aspect  format.Aspect // 0 is the image's first aspect
	Swizzle [4]enum.Swizzle

	BaseLevel, Levels int // Levels 0 is all from BaseLevel on
	BaseLayer, Layers int // Layers 0 is all from BaseLayer on
	BaseSlice, Slices int // of a volume with one level; Slices 0 is all from BaseSlice on (VkImageViewSlicedCreateInfoEXT)

	Conversion *Conversion // nil is none; multi-planar formats require one

	Weights *Weights // of a weight image; else nil

	MinLod float32 // least accessible level, relative to the image's first (VK_EXT_image_view_min_lod)
}

// View is an immutable view of an image. It is safe for concurrent use. A nil View is the null descriptor.
type View struct {
	key    viewKey
	memory []byte
	shape  []byte
	blocks *blockRange    // of an image of a compressed format; else nil
	sparse *viewResidency // of a sparse image or buffer; else nil
	joined *joined        // of a view of all planes of an image with a memory for each; else nil

	zeroed atomic.Pointer[View] // result of ZeroAlpha
}

// NewView returns a view of m. The error is a *DescError.
//
// It validates everything on which the generated code's memory safety depends: levels, layers and slices
// exist, and the format's texels have the plane's size. Taps of a sample then need no bounds check
// (filter.proven). The view refers to the image's memory; it does not copy it.
func NewView(m *Image, d ViewDesc) (*View, error) {
	p := m.aspect(d.Aspect)
	if p == nil {
		return nil, descErrorf("a view of an aspect of format %s; must be one that the format has", m.Format)
	}
	var shown *decoded
	blockView := false
	if m.blocks != nil {
		q, ok := m.blockTexelPlane(d.Format)
		if blockView = ok; !blockView {
			var err error
			if shown, err = m.decodingAs(d.Format); err != nil {
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
		return nil, descErrorf("a view of %d levels from %d on; must be within the %d of the image", d.Levels, d.BaseLevel, m.Levels)
	case d.BaseLayer < 0 || d.Layers < 1 || d.Layers > layers-d.BaseLayer:
		return nil, descErrorf("a view of %d layers from %d on; must be within the %d of the image", d.Layers, d.BaseLayer, layers)
	case !d.Arrayed && d.Dim != ir.DimCube && d.Layers != 1:
		return nil, descErrorf("a view of %d layers that is not an array; must have one layer", d.Layers)
	case d.Dim == ir.DimCube && (d.Layers%6 != 0 || !d.Arrayed && d.Layers != 6 || !p.square(d.BaseLevel) || m.Samples > 1):
		return nil, descErrorf("a cube of %d layers of %d×%d texels; must have six square layers for each cube, and one sample", d.Layers, m.Width, m.Height)
	case !m.slicesFit(p, &d):
		return nil, descErrorf("a view of %d slices from %d on of a %s image; must be within one level of a 3d image", d.Slices, d.BaseSlice, m.Dim)
	case m.Corner && d.Dim == ir.DimCube: // VUID-VkImageCreateInfo-flags-02051
		return nil, descErrorf("a cube view of a corner-sampled image; must be another view")
	case d.Dim == ir.DimCube && m.Dim != ir.Dim2D, d.Dim != ir.DimCube && !sliced && d.Dim != m.Dim, d.Dim == ir.Dim3D && d.Arrayed, sliced && d.Levels != 1:
		return nil, descErrorf("a %s view of a %s image; must be compatible", d.Dim, m.Dim)
	}
	v := &View{memory: p.memory, key: viewKey{format: f.ID, dim: d.Dim, arrayed: d.Arrayed, levels: d.Levels > 1, corner: m.Corner, samples: uint8(bits.TrailingZeros(uint(m.Samples)))}}
	for i, s := range d.Swizzle {
		if s > enum.SwizzleA {
			return nil, descErrorf("swizzle %d; must be one of Vulkan's", s)
		}
		if s == enum.SwizzleIdentity {
			s = enum.SwizzleR + enum.Swizzle(i)
		}
		v.key.swizzle[i] = s
	}
	if err := v.key.convert(m, d); err != nil {
		return nil, err
	}
	if shown != nil && !v.key.converted && !strings.Contains(m.info.Components, "A") {
		v.key.opaque()
	}
	weights, err := d.weights(m.Width, m.Height)
	if err != nil {
		return nil, err
	}
	if blockView {
		if err := m.checkBlockView(d); err != nil {
			return nil, err
		}
	}
	if m.blocks != nil {
		v.blocks = m.blockRangeOf(shown, d)
	}
	if m.joined != nil && d.Aspect <= format.Color {
		v.joined, v.memory = m.joined, m.joined.whole(m.size)
	}
	v.shape = m.shape(p, d)
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeWeights:], weights)
	v.describeChannels(f.Texel())
	if v.sparse = m.residencyOf(p, d, v.shape, blockView); v.sparse != nil {
		v.key.sparse = true
	}
	binary.LittleEndian.PutUint64(v.shape[4*ir.ShapeKey:], v.key.word())
	return v, nil
}

// opaque makes alpha 1 in the border, too: a decoded format may have an alpha that the compressed one lacks.
func (k *viewKey) opaque() {
	for i, s := range k.swizzle {
		if s == enum.SwizzleA {
			k.swizzle[i] = enum.SwizzleOne
		}
	}
}

// slicesFit reports whether the description's slices exist
// (VUID-VkImageViewSlicedCreateInfoEXT-sliceOffset-07867, -sliceCount-07868, -image-07869, -viewType-07909,
// -None-07870), and replaces Slices 0 by their number.
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

// square reports whether level n is square, or does not exist.
func (p *plane) square(n int) bool {
	return n >= len(p.levels) || p.levels[n].width == p.levels[n].height
}

// viewed returns the format in which the view reads the plane: one with texels of as many bytes. The class of a color format does
// not matter here: the rules on views compare classes.
func (p *plane) viewed(m *Image, d ViewDesc) (*format.Info, error) {
	f := format.StoredByName(p.texel.Name)
	if d.Format == "" || d.Format == m.Format {
		return f, nil
	}
	g := format.InfoByName(d.Format)
	if g == nil || g.Compressed || g.Planes > 0 || g.Class != f.Class && (f.Aspects|g.Aspects)&^format.Color != 0 || g.Bytes != f.Bytes {
		return nil, descErrorf("a view as %s of an image of %s; must be a format of the same size and aspect", d.Format, m.Format)
	}
	return g, nil
}

// shape returns the view's shape words, which generated code loads (ir.Shape…).
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
	put(ir.ShapeTexel, p.texel.Bytes)
	if m.Corner {
		put(ir.ShapeCorner, 1)
	}
	put(ir.ShapeMinLod, int(math.Float32bits(max(d.MinLod-float32(d.BaseLevel), 0))))
	levels := p.levels[d.BaseLevel:][:d.Levels]
	if m.info.Planes > 0 && d.Aspect <= format.Color { // of multi-planar images, level n is plane n
		levels = nil
		for i := range m.planes {
			l := m.planes[i].levels[0]
			if m.joined != nil {
				l.base += uint32(m.planes[i].offset)
			}
			levels = append(levels, l)
		}
	}
	for i, l := range levels {
		at := ir.ShapeLevels + i
		put(at, int(l.base)+(d.BaseLayer+d.BaseSlice)*int(l.slice))
		put(at+ir.MaxLevels, int(l.rowPitch))
		put(at+2*ir.MaxLevels, int(l.slice))
	}
	return w
}

// NewBufferView returns a view of a buffer's bytes as texels of a format. The bytes must be aligned as
// exec.Buffer requires; an incomplete last texel is not accessible. The error is a *DescError.
func NewBufferView(bytes []byte, name string) (*View, error) {
	info := format.InfoByName(name)
	f := info.Texel()
	if f == nil || info.Aspects != format.Color {
		return nil, descErrorf("a texel buffer of %s; must be a color format of one texel", name)
	}
	n := len(bytes) / f.Bytes
	if n > MaxElements {
		return nil, descErrorf("a texel buffer of %d elements; must have at most %d", n, MaxElements)
	}
	v := &View{memory: bytes[:n*f.Bytes], key: viewKey{format: info.ID, dim: ir.DimBuffer, swizzle: [4]enum.Swizzle{enum.SwizzleR, enum.SwizzleG, enum.SwizzleB, enum.SwizzleA}}}
	v.shape = make([]byte, 4*ir.ShapeWords)
	binary.LittleEndian.PutUint64(v.shape[4*ir.ShapeKey:], v.key.word())
	for _, i := range []int{ir.ShapeWidth, ir.ShapeHeight, ir.ShapeDepth, ir.ShapeLayers, ir.ShapeLevelsN, ir.ShapeSamples} {
		binary.LittleEndian.PutUint32(v.shape[4*i:], 1)
	}
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeWidth:], uint32(n))
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeTexel:], uint32(f.Bytes))
	v.describeChannels(f)
	return v, nil
}

// describeChannels writes the type and the order of the channels to the view's shape. A multi-planar format, nil, has none.
func (v *View) describeChannels(f *format.Format) {
	if f == nil {
		return
	}
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeFormat:], uint32(channelType(f)))
	binary.LittleEndian.PutUint32(v.shape[4*ir.ShapeOrder:], uint32(channelOrder(f)))
}

// Memory returns the view's memory, to be bound to an image's resource of kind ir.Texels. Call it before each
// run: for a compressed format it decodes the blocks that have changed, and of an image with a memory for each plane it
// copies the planes.
func (v *View) Memory() exec.Buffer {
	if v == nil {
		return exec.Buffer{}
	}
	v.blocks.refresh()
	v.joined.refresh()
	return exec.Buffer{Bytes: v.memory}
}

// SameCode reports whether programs have the same code for both views. o is not nil.
func (v *View) SameCode(o *View) bool { return v.key == o.key }

// Code returns a number that is equal for views with the same code. It is in the shape, which a run reads too.
func (v *View) Code() uint64 { return binary.LittleEndian.Uint64(v.shape[4*ir.ShapeKey:]) }

// SetFresh sets whether nothing has written any texel of the view; see ir.ShapeFresh. Programs may use the view meanwhile.
func (v *View) SetFresh(is bool) {
	word := uint32(0)
	if is {
		word = 1
	}
	for _, w := range []*View{v, v.ZeroAlpha()} {
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&w.shape[4*ir.ShapeFresh])), word)
	}
}

// Changes reports whether Memory or Shape must be called before each run.
func (v *View) Changes() bool {
	return v != nil && (v.blocks != nil || v.joined != nil || v.sparse != nil)
}

// Shape returns the view's shape words, to be bound to an image's resource of kind ir.ImageShape. Call it before each run: of a
// sparse image or buffer it has the blocks with memory.
func (v *View) Shape() exec.Buffer {
	if v == nil {
		return exec.Buffer{}
	}
	if v.sparse != nil {
		return exec.Buffer{Bytes: v.sparse.bytes()}
	}
	return exec.Buffer{Bytes: v.shape}
}

// ZeroAlpha returns the view with the other result that robustImageAccess permits and robustImageAccess2 does not:
// outside the view, the alpha of a format without alpha reads 0, not 1. The result is v if there is no difference.
func (v *View) ZeroAlpha() *View {
	if v == nil || v.key.dim == ir.DimBuffer || v.key.converted || v.key.zeroed {
		return v
	}
	f := v.key.texel()
	if slices.ContainsFunc(f.Components(), func(c format.Component) bool { return c.Channel == format.A }) {
		return v
	}
	if w := v.zeroed.Load(); w != nil {
		return w
	}
	w := &View{memory: v.memory, key: v.key, shape: bytes.Clone(v.shape), blocks: v.blocks, joined: v.joined}
	w.key.zeroed = true
	binary.LittleEndian.PutUint64(w.shape[4*ir.ShapeKey:], w.key.word())
	if v.sparse != nil {
		w.sparse = v.sparse.with(w.shape)
	}
	if !v.zeroed.CompareAndSwap(nil, w) {
		return v.zeroed.Load()
	}
	return w
}
