package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// texel is the memory layout of a format's texels: words of one width that contain the components as bit
// fields.
type texel struct {
	format.Format
	wordBytes int                  // size of a word: 1, 2, 4 or 8
	channels  [4]*format.Component // of R, G, B, A; nil if absent; depth or stencil is R
	exp       *format.Component    // the shared exponent
	fractions bool                 // components are multiples of fractions: decoded blocks
}

// texelOf returns the layout of the view's texels. If luma and chroma have separate texels, each source has
// its own layout; together they are three components.
func (c *code) texelOf() texel {
	if c.v.splitChroma {
		return chromaTexel()
	}
	return c.tables.texelOf(c.v)
}

// texelAs returns the layout of a format's texels. Words are as wide as possible: 4 bytes, or 8 if a component
// has 64 bits, unless the texel's size is no multiple. Example: R8G8B8A8 is one word of 4 bytes, R16G16B16
// three words of 2, R8G8B8 three of 1.
func texelAs(f format.Format) texel {
	x := texel{Format: f, wordBytes: 4}
	switch {
	case x.Bytes%4 != 0 && x.Bytes%2 == 0:
		x.wordBytes = 2
	case x.Bytes%2 != 0:
		x.wordBytes = 1
	}
	for i := range x.Components() {
		k := &x.Components()[i]
		x.fractions = x.fractions || k.One != 0
		switch k.Channel {
		case format.X:
		case format.E:
			x.exp = k
		case format.D, format.S:
			x.channels[0] = k
		default:
			x.channels[k.Channel] = k
		}
		if k.Bits == 64 {
			x.wordBytes = 8
		}
	}
	return x
}

// kind returns the type of component values: f32, or i32 or i64 for integer formats.
func (x *texel) kind() ir.Type {
	k := x.channels[0]
	if k == nil {
		k = x.channels[3] // A8
	}
	switch {
	case k.Numeric != format.UInt && k.Numeric != format.SInt:
		return ir.F32
	case k.Bits == 64:
		return ir.I64
	}
	return ir.I32
}

// words returns the number of words in a texel.
func (x *texel) words() int { return x.Bytes / x.wordBytes }

// types returns the IR types of a texel's words once loaded: 8- and 16-bit words are extended.
func (x *texel) types() []ir.Type {
	list := make([]ir.Type, x.words())
	for i := range list {
		if list[i] = ir.I32; x.wordBytes == 8 {
			list[i] = ir.I64
		}
	}
	return list
}

// load reads the words of the texel at byte offset off.
func (c *code) load(x *texel, off ir.V, flags ir.Flags) []ir.V { return c.loadAt(x, off, 0, flags) }

// loadAt is load at off+displacement, in bytes.
func (c *code) loadAt(x *texel, off ir.V, displacement int, flags ir.Flags) []ir.V {
	list := make([]ir.V, x.words())
	for i := range list {
		list[i] = c.Emit(ir.Val{Op: ir.Ld, Type: ir.Int(uint32(8 * x.wordBytes)), Flags: c.t.Flags | flags, Args: [4]ir.V{c.memory, off}, Aux: uint64(displacement + i*x.wordBytes)})
		if x.wordBytes < 4 {
			list[i] = c.Op(ir.ZExt, ir.I32, list[i])
		}
	}
	return list
}

// zero returns the words of an all-zero texel.
func (c *code) zero(x *texel) []ir.V {
	list := make([]ir.V, x.words())
	for i, t := range x.types() {
		list[i] = c.Const(t, 0)
	}
	return list
}

// field extracts a component's bits from a texel's words, sign-extended if signed. It emits the cheapest
// operation: none, a mask, a shift, or a bit-field extraction.
func (c *code) field(x *texel, k *format.Component, words []ir.V, signed bool) ir.V {
	w, at := words[k.Shift/(8*x.wordBytes)], uint32(k.Shift%(8*x.wordBytes))
	switch {
	case k.Bits == 8*x.wordBytes && (x.wordBytes >= 4 || !signed):
		return w
	case signed:
		return c.Op(ir.BitFieldS, ir.I32, w, c.I32(at), c.I32(uint32(k.Bits)))
	case at == 0:
		return c.Op(ir.And, ir.I32, w, c.I32(1<<k.Bits-1))
	case at+uint32(k.Bits) == uint32(8*x.wordBytes): // the field ends at the word's top: a shift suffices
		return c.Op(ir.LShr, ir.I32, w, c.I32(at))
	}
	return c.Op(ir.BitFieldU, ir.I32, w, c.I32(at), c.I32(uint32(k.Bits)))
}

// decodeComponent returns a component's value; for fixed point in units of the last place, to be scaled by
// scaleComponent (Vulkan §"Conversion From Normalized Fixed-Point to Floating-Point").
func (c *code) decodeComponent(x *texel, k *format.Component, words []ir.V) ir.V {
	if k.Numeric == format.SFloat && k.Bits == 16 {
		w, at := words[k.Shift/(8*x.wordBytes)], uint32(k.Shift%(8*x.wordBytes))
		if at > 0 {
			w = c.Op(ir.LShr, ir.I32, w, c.I32(at))
		}
		return c.halfToFloat(w)
	}
	raw := c.field(x, k, words, k.Numeric.Signed() && k.Numeric != format.SFloat && k.Numeric != format.BFloat16)
	if x.exp != nil && k.Numeric == format.UFloat { // Vulkan §"Conversion from Shared Exponent"
		e := c.field(x, x.exp, words, false)
		unit := c.Op(ir.Shl, ir.I32, c.add(e, c.I32(127-15-9)), c.I32(23))
		return c.fmul(c.stof(raw), c.float(unit))
	}
	return c.decodeBits(k, raw)
}

// decodeBits is decodeComponent for the bits of a component, sign-extended if it is signed.
func (c *code) decodeBits(k *format.Component, raw ir.V) ir.V {
	switch k.Numeric {
	case format.UNorm, format.UScaled:
		return c.stof(raw)
	case format.SNorm:
		return c.stof(c.Op(ir.SMax, ir.I32, raw, c.I32(uint32(1-int32(1)<<(k.Bits-1)))))
	case format.SScaled, format.SFixed5:
		return c.stof(raw)
	case format.SRGB:
		off := c.OpAux(ir.At, ir.I32, 4, c.I32(0), raw) // of one of 256 words
		return c.Emit(ir.Val{Op: ir.Ld, Type: ir.F32, Flags: ir.Proven, Args: [4]ir.V{c.tables.srgbToLinear(c.Builder), off}})
	case format.BFloat16:
		return c.canonTexel(c.float(c.Op(ir.Shl, ir.I32, raw, c.I32(16))))
	case format.UFloat: // its bits are the upper bits of an f16 without sign
		return c.halfToFloat(c.Op(ir.Shl, ir.I32, raw, c.I32(uint32(15-k.Bits))))
	case format.SFloat:
		switch k.Bits {
		case 16:
			return c.halfToFloat(raw)
		case 64:
			return c.canonTexel(c.Op(ir.FCvt, ir.F32, c.Op(ir.Bitcast, ir.F64, raw)))
		}
		return c.float(raw)
	}
	return raw
}

// canon replaces NaNs by the canonical one.
func (c *code) canon(x ir.V) ir.V { return c.Op(ir.FCanon, ir.F32, x) }

// canonTexel is canon for a component of a texel. A sample does not need it: finish replaces the NaNs of its result, and filters treat all NaNs alike.
func (c *code) canonTexel(x ir.V) ir.V {
	if c.t.Op == ir.TextureSample && !c.t.Has(ir.TextureDref) {
		return x
	}
	return c.canon(x)
}

// halfToFloat converts the bits of an f16, the lower ones of raw, to f32.
func (c *code) halfToFloat(raw ir.V) ir.V {
	h := c.Op(ir.Bitcast, ir.F16, c.Op(ir.Trunc, ir.I16, raw))
	return c.canonTexel(c.Op(ir.FCvt, ir.F32, h))
}

// scaleComponent returns the value of a fixed-point component; v is in units of 1/unit of its last place.
// Components of up to 16 bits are multiplied with the reciprocal in two parts (head and tail), v·hi + v·lo with
// one fused multiply-add: the sum rounds to the same float as the division, which is slower. Example: R8_UNORM
// code 51 is 51/255 = 0.2.
func (c *code) scaleComponent(k *format.Component, v ir.V, unit float64) ir.V {
	top := unit * float64(uint64(1)<<k.Bits-1)
	switch k.Numeric {
	case format.SFixed5:
		return c.fmul(v, c.num(1.0/32))
	case format.SNorm:
		top = unit * float64(uint64(1)<<(k.Bits-1)-1)
	case format.UNorm:
		if k.One != 0 {
			top = unit * float64(k.One)
		}
	default:
		return v
	}
	if k.Bits > 16 {
		return c.fdiv(v, c.num(top))
	}
	hi := float64(float32(1 / top))
	if math.Exp2(math.Round(math.Log2(top))) == top {
		return c.fmul(v, c.num(hi))
	}
	return c.ffma(v, c.num(hi), c.fmul(v, c.num(1/top-hi)))
}

// decodeComponents returns the values of a texel's components in the order R, G, B, A, unscaled. Absent or
// unused ones are 0 (no value).
func (c *code) decodeComponents(x *texel, words []ir.V) (n [4]ir.V) {
	for i, k := range x.channels {
		if k != nil && c.reads(i) {
			n[i] = c.decodeComponent(x, k, words)
		}
	}
	return n
}

// reads reports whether the function uses component i of texels.
func (c *code) reads(i int) bool {
	if c.t.Has(ir.TextureDref) {
		return i == 0
	}
	if c.v.converted {
		return true
	}
	for _, s := range c.v.swizzle {
		if s == enum.SwizzleR+enum.Swizzle(i) {
			return true
		}
	}
	return false
}

// scaleComponents is scaleComponent for each component.
func (c *code) scaleComponents(x *texel, n [4]ir.V, unit float64) [4]ir.V {
	for i, k := range x.channels {
		if n[i] != 0 {
			n[i] = c.scaleComponent(k, n[i], unit)
		}
	}
	return n
}

// fillMissing replaces absent components: 0, and 1 for alpha (Vulkan §"Conversion to RGBA").
func (c *code) fillMissing(x *texel, n [4]ir.V) [4]ir.V {
	t := x.kind()
	for i := range n {
		if n[i] != 0 {
			continue
		}
		if n[i] = c.Const(t, 0); i == 3 {
			n[i] = c.one(t)
		}
	}
	return n
}

// one is the constant 1 of a type.
func (c *code) one(t ir.Type) ir.V {
	if t == ir.F32 {
		return c.num(1)
	}
	return c.Const(t, 1)
}

// swizzled applies the view's swizzle and converts to the function's result type.
func (c *code) swizzled(x *texel, n [4]ir.V) []ir.V {
	t, out := x.kind(), make([]ir.V, 4)
	for i, s := range c.v.swizzle {
		switch s {
		case enum.SwizzleZero:
			out[i] = c.Const(t, 0)
		case enum.SwizzleOne:
			out[i] = c.one(t)
		default:
			out[i] = n[s-enum.SwizzleR]
		}
		out[i] = c.convertType(x, out[i])
	}
	return out
}

// scaled reports whether the components are integers that shaders read as floats (USCALED, SSCALED).
func (x *texel) scaled() bool {
	k := x.channels[0]
	return k != nil && (k.Numeric == format.UScaled || k.Numeric == format.SScaled)
}

// convertType converts a value to the function's result type. If the format's numeric class differs from the
// shader's declaration, the bits are preserved, but a scaled integer is read as the integer: docs/undefined.md.
func (c *code) convertType(x *texel, v ir.V) ir.V {
	from, to := c.Func.Type(v), c.t.Type
	if from == to {
		return v
	}
	switch {
	case from == ir.F32 && x.scaled():
		v, from = c.ftos(v), ir.I32
	case from == ir.F32:
		v, from = c.bits(v), ir.I32
	}
	wide := to
	if to == ir.F32 {
		wide = ir.I32
	}
	switch {
	case from == ir.I32 && wide == ir.I64:
		op := ir.ZExt
		if k := x.channels[0]; k != nil && (k.Numeric == format.SInt || k.Numeric == format.SScaled) {
			op = ir.SExt
		}
		v = c.Op(op, ir.I64, v)
	case from == ir.I64 && wide == ir.I32:
		v = c.Op(ir.Trunc, ir.I32, v)
	}
	if to == ir.F32 {
		v = c.float(v)
	}
	return v
}
