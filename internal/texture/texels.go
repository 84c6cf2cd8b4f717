package texture

import (
	"encoding/binary"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Texels writes into a program the code that reads and writes texels whose place the
// caller knows: attributes of vertices and attachments. The constant data that such
// code needs becomes the program's, once.
//
// Numbers become fixed point of up to 22 bits by a product that is rounded to f32, and
// then to the nearest, ties to even: so the last bit of attachments is that of others
// (docs/undefined.md).
type Texels struct {
	p *ir.Program
	t tables
}

// NewTexels returns what writes such code into p.
func NewTexels(p *ir.Program) *Texels { return &Texels{p: p, t: tables{list: p.Tables}} }

// EncodeTexel reads and writes texels of one format. Its integers are those of the memory:
// of 32 bits, or 64 where a component has them, zero-extended where they are less. Of
// depth and stencil in one format there is no Texel: they stand apart.
type Texel struct {
	of *Texels
	c  code
	x  texel
}

// Of returns what reads and writes texels of a format, named without VK_FORMAT_, in the
// function that b makes.
func (t *Texels) Of(b *ir.Builder, name string) (*Texel, error) {
	f, ok := format.ByName(name)
	if !ok || f.Has(format.D) && f.Has(format.S) {
		return nil, &UnsupportedError{fmt.Sprintf("texels of format %s", name)}
	}
	k := &Texel{of: t, x: texelAs(f)}
	k.c = code{Builder: b, single: true, tables: &t.t, t: &ir.Texture{Type: k.x.kind()}, v: viewKey{swizzle: [4]Swizzle{Red, Green, Blue, Alpha}}}
	return k, nil
}

// Format returns the format.
func (k *Texel) Format() *format.Format { return &k.x.Format }

// Kind returns the type of the numbers: f32, or i32 or i64 of integers.
func (k *Texel) Kind() ir.Type { return k.x.kind() }

// Signed reports whether the numbers are integers with a sign.
func (k *Texel) Signed() bool {
	c := k.component(0)
	return c != nil && c.Numeric == format.SInt
}

// Component returns how number i stands in a texel, nil where there is none. Depth and
// stencil are number 0.
func (k *Texel) Component(i int) *format.Component { return k.x.lanes[i] }

func (k *Texel) component(i int) *format.Component {
	if k.x.lanes[i] == nil {
		return k.x.lanes[3] // A8
	}
	return k.x.lanes[i]
}

// Load reads the integers of the texel that begins so many bytes behind off.
func (k *Texel) Load(memory, off ir.V, behind uint32) []ir.V {
	k.c.memory = memory
	return k.c.loadBehind(&k.x, off, int(behind), 0)
}

// Unpack returns the numbers of a texel: absent ones are 0, and 1 for the last.
func (k *Texel) Unpack(words []ir.V) [4]ir.V {
	n := k.c.complete(&k.x, k.c.scaled(&k.x, k.c.numbers(&k.x, words), 1))
	k.of.p.Tables = k.of.t.list
	return n
}

// Raw returns the bits of component i, zero-extended to the integers' type; it must
// be there.
func (k *Texel) Raw(words []ir.V, i int) ir.V { return k.c.field(&k.x, k.x.lanes[i], words, false) }

// Pack returns the integers of the texel that holds the numbers, which must be of type
// Kind; those that the format has no component for are ignored.
func (k *Texel) Pack(n [4]ir.V) []ir.V {
	words := k.c.packed(&k.x, n[:])
	k.of.p.Tables = k.of.t.list
	return words
}

// PackComponent returns the bits that stand for a number in component i, which must be
// there.
func (k *Texel) PackComponent(i int, n ir.V) ir.V {
	v := k.c.pattern(k.x.lanes[i], n)
	k.of.p.Tables = k.of.t.list
	return v
}

// Complete reports whether components are all that stands in a texel that is replaced
// where mask has their bits: bit i is number i.
func (k *Texel) Complete(mask uint8) bool {
	for i, c := range k.x.lanes {
		if c != nil && mask>>i&1 == 0 {
			return false
		}
	}
	return true
}

// Merge returns the integers of a texel whose components in mask are those of next,
// and others those of old. Padding is that of next; of one exponent for all, all
// components but those are.
func (k *Texel) Merge(old, next []ir.V, mask uint8) []ir.V {
	keep := make([]uint64, len(old))
	for i, c := range k.x.lanes {
		if c != nil && mask>>i&1 == 0 {
			unit := 8 * k.x.unit
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

// Store writes the integers of a texel.
func (k *Texel) Store(memory, off ir.V, words []ir.V) {
	k.c.memory = memory
	k.c.put(&k.x, off, words)
}

// Format returns the format of a view, named without VK_FORMAT_: of one aspect of
// depth and stencil that aspect's own. It is "" of nil.
func (v *View) Format() string {
	if v == nil {
		return ""
	}
	return format.ByID(v.key.format).Name
}

// Samples returns how many samples a texel of the view has; 0 of nil.
func (v *View) Samples() int {
	if v == nil {
		return 0
	}
	return 1 << v.key.samples
}

// Extent returns how many texels the view's first level has along x and y, and how
// many layers the view has.
func (v *View) Extent() (width, height, layers int) {
	if v == nil {
		return 0, 0, 0
	}
	return v.word(ir.ShapeWidth), v.word(ir.ShapeHeight), v.word(ir.ShapeLayers)
}

// word returns a word of the view's shape.
func (v *View) word(i int) int { return int(binary.LittleEndian.Uint32(v.shape[4*i:])) }

// Table adds constant data to the program, and returns its number.
func (t *Texels) Table(data []byte) int {
	t.t.list = append(t.t.list, data)
	t.p.Tables = t.t.list
	return len(t.t.list) - 1
}
