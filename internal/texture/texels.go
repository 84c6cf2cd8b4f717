package texture

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Texels adds to a program the code that reads and writes texels at known memory offsets: vertex attributes
// and attachments. Constant data that the code needs is added to the program once.
//
// Conversions to fixed point of up to 22 bits round twice, the product to f32 and then to the nearest
// integer, ties to even: like other implementations, so that attachments agree with theirs to the last bit
// (docs/undefined.md).
type Texels struct {
	p *ir.Program
	t tables
}

// NewTexels returns a Texels that adds to p.
func NewTexels(p *ir.Program) *Texels { return &Texels{p: p, t: tables{list: p.Tables}} }

// Texel generates code for texels of one format in one function. The words of a texel are i32, or i64 if a
// component has 64 bits; narrower memory words are zero-extended. Combined depth-stencil formats have no
// Texel: their aspects are stored separately.
type Texel struct {
	owner *Texels
	c     code
	x     texel
}

// Of returns the Texel for a format in the function that b builds. The error is an *UnsupportedError.
func (t *Texels) Of(b *ir.Builder, i *format.Info) (*Texel, error) {
	f := i.Texel()
	if f == nil || f.Has(format.D) && f.Has(format.S) {
		return nil, &UnsupportedError{"texels of format " + i.String()}
	}
	k := &Texel{owner: t, x: texelAs(*f)}
	k.c = code{Builder: b, roundsProduct: true, tables: &t.t, t: &ir.Texture{Type: k.x.kind()}, v: viewKey{swizzle: [4]enum.Swizzle{enum.SwizzleR, enum.SwizzleG, enum.SwizzleB, enum.SwizzleA}}}
	return k, nil
}

// Format returns the format.
func (k *Texel) Format() *format.Format { return &k.x.Format }

// Kind returns the type of component values: f32, or i32 or i64 for integer formats.
func (k *Texel) Kind() ir.Type { return k.x.kind() }

// Signed reports whether component values are signed integers.
func (k *Texel) Signed() bool {
	c := k.component(0)
	return c != nil && c.Numeric == format.SInt
}

// Component returns the layout of component i of R, G, B, A; nil if the format lacks it. Depth or stencil is
// component 0.
func (k *Texel) Component(i int) *format.Component { return k.x.channels[i] }

// component is Component for format properties that all components share; alpha serves if there is no other.
func (k *Texel) component(i int) *format.Component {
	if k.x.channels[i] == nil {
		return k.x.channels[3] // A8
	}
	return k.x.channels[i]
}

// Words returns the number of words of a texel.
func (k *Texel) Words() int { return k.x.words() }

// Load reads the words of the texel at byte offset off+displacement of memory, a handle.
func (k *Texel) Load(memory, off ir.V, displacement uint32) []ir.V {
	k.c.memory = memory
	return k.c.loadAt(&k.x, off, int(displacement), 0)
}

// Unpack returns the four component values of a texel's words: absent ones are 0, alpha 1.
func (k *Texel) Unpack(words []ir.V) [4]ir.V {
	n := k.c.fillMissing(&k.x, k.c.scaleComponents(&k.x, k.c.decodeComponents(&k.x, words), 1))
	k.owner.p.Tables = k.owner.t.list
	return n
}

// Raw returns the bits of component i, which must exist, zero-extended to the words' type.
func (k *Texel) Raw(words []ir.V, i int) ir.V { return k.c.field(&k.x, k.x.channels[i], words, false) }

// Pack returns the words of the texel with the component values n, of type Kind; components that the format
// lacks are ignored.
func (k *Texel) Pack(n [4]ir.V) []ir.V {
	words := k.c.packTexel(&k.x, n[:])
	k.owner.p.Tables = k.owner.t.list
	return words
}

// Stored returns the component values n as a texel stores them: those of Unpack after Pack, without the words. ok is false for a format whose
// words are needed: it has integers, or a shared exponent.
func (k *Texel) Stored(n [4]ir.V) (v [4]ir.V, ok bool) {
	for i, x := range k.x.channels {
		switch {
		case x == nil:
		case k.x.exp != nil, x.Numeric == format.UInt, x.Numeric == format.SInt:
			return v, false
		default:
			v[i] = k.c.storedComponent(x, n[i])
		}
	}
	v = k.c.fillMissing(&k.x, k.c.scaleComponents(&k.x, v, 1))
	k.owner.p.Tables = k.owner.t.list
	return v, true
}

// maxSummed is the most bits of a component without sign for rounding by unsignedMagic.
const maxSummed = 16

// storedComponent is decodeComponent after encodeComponent.
func (c *code) storedComponent(k *format.Component, v ir.V) ir.V {
	switch {
	case k.Numeric == format.UNorm && k.Bits <= maxSummed: // the sum of the rounding is unsignedMagic and the integer
		sum := c.scaleAndRound(v, 0, 1, float64(uint64(1)<<k.Bits-1))
		return c.fsub(c.float(sum), c.num(unsignedMagic))
	case k.Numeric == format.SFloat && k.Bits == 16: // a NaN is one as f16, too
		return c.canonTexel(c.Op(ir.FCvt, ir.F32, c.Op(ir.FCvt, ir.F16, v)))
	}
	raw := c.encodeComponent(k, v)
	if k.Numeric.Signed() && k.Numeric != format.SFloat && k.Numeric != format.BFloat16 && k.Bits < 32 {
		raw = c.Op(ir.BitFieldS, ir.I32, raw, c.I32(0), c.I32(uint32(k.Bits)))
	}
	return c.decodeBits(k, raw)
}

// PackComponent returns the bits of component i, which must exist, for the value n.
func (k *Texel) PackComponent(i int, n ir.V) ir.V {
	v := k.c.encodeComponent(k.x.channels[i], n)
	k.owner.p.Tables = k.owner.t.list
	return v
}

// Complete reports whether mask has the bits of all components of the format, so that a masked write needs no
// read of the old texel. Bit i is component i.
func (k *Texel) Complete(mask uint8) bool {
	for i, c := range k.x.channels {
		if c != nil && mask>>i&1 == 0 {
			return false
		}
	}
	return true
}

// Merge returns old with the components in mask replaced by next's (bit i is component i). Padding, and a
// shared exponent, are next's.
func (k *Texel) Merge(old, next []ir.V, mask uint8) []ir.V {
	keep := make([]uint64, len(old))
	for i, c := range k.x.channels {
		if c != nil && mask>>i&1 == 0 {
			unit := 8 * k.x.wordBytes
			keep[c.Shift/unit] |= (1<<c.Bits - 1) << (c.Shift % unit)
		}
	}
	out := make([]ir.V, len(old))
	for i := range out {
		t := k.c.Func.Type(old[i])
		switch keep[i] & t.Mask() {
		case 0:
			out[i] = next[i]
		case t.Mask():
			out[i] = old[i]
		default:
			x := k.c.Op(ir.And, t, old[i], k.c.Const(t, keep[i]))
			y := k.c.Op(ir.And, t, next[i], k.c.Const(t, ^keep[i]))
			out[i] = k.c.Op(ir.Or, t, x, y)
		}
	}
	return out
}

// Store writes the words of a texel at byte offset off of memory, a handle.
func (k *Texel) Store(memory, off ir.V, words []ir.V) {
	k.c.memory = memory
	k.c.storeWords(&k.x, off, words)
}

// Format returns the view's format, named without VK_FORMAT_; for one aspect of depth and stencil, the
// aspect's own. It is "" for nil.
func (v *View) Format() string {
	if v == nil {
		return ""
	}
	return v.Info().Name
}

// Info returns the properties of the format that Format names; nil for nil.
func (v *View) Info() *format.Info {
	if v == nil {
		return nil
	}
	return format.Stored(v.key.format)
}

// Samples returns the number of samples per texel; 0 for nil.
func (v *View) Samples() int {
	if v == nil {
		return 0
	}
	return 1 << v.key.samples
}

// Extent returns the extent of the view's first level in texels, and the number of its layers; zeros for nil.
func (v *View) Extent() (width, height, layers int) {
	if v == nil {
		return 0, 0, 0
	}
	return v.word(ir.ShapeWidth), v.word(ir.ShapeHeight), v.word(ir.ShapeLayers)
}

// word returns word i of the view's shape.
func (v *View) word(i int) int { return int(binary.LittleEndian.Uint32(v.shape[4*i:])) }

// Table adds constant data to the program and returns its index.
func (t *Texels) Table(data []byte) int {
	t.t.list = append(t.t.list, data)
	t.p.Tables = t.t.list
	return len(t.t.list) - 1
}
