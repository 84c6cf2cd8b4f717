package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// texel is how the texels of a format stand in memory: integers of one width, in
// which the components have their places.
type texel struct {
	format.Format
	unit  int                  // bytes of an integer: 1, 2, 4 or 8
	lanes [4]*format.Component // of the four numbers; nil where there is none
	exp   *format.Component    // shared by all
}

// texelOf returns how the view's texels stand in memory. Those of luma and chroma
// stand as each part's format says; together they are three numbers.
func (c *code) texelOf() texel {
	if c.v.parted {
		return chromaTexel()
	}
	return c.tables.texelOf(c.v)
}

// texelAs returns how texels of a format stand in memory.
func texelAs(f format.Format) texel {
	x := texel{Format: f, unit: 4}
	switch {
	case x.Bytes%4 != 0 && x.Bytes%2 == 0:
		x.unit = 2
	case x.Bytes%2 != 0:
		x.unit = 1
	}
	for i := range x.Components() {
		k := &x.Components()[i]
		switch k.Channel {
		case format.X:
		case format.E:
			x.exp = k
		case format.D, format.S:
			x.lanes[0] = k
		default:
			x.lanes[k.Channel] = k
		}
		if k.Bits == 64 {
			x.unit = 8
		}
	}
	return x
}

// kind returns the type of the numbers: f32, or i32 or i64 of integers.
func (x *texel) kind() ir.Type {
	k := x.lanes[0]
	if k == nil {
		k = x.lanes[3] // A8
	}
	switch {
	case k.Numeric != format.UInt && k.Numeric != format.SInt:
		return ir.F32
	case k.Bits == 64:
		return ir.I64
	}
	return ir.I32
}

// words returns how many integers a texel is.
func (x *texel) words() int { return x.Bytes / x.unit }

// types returns the types of a texel's integers as values.
func (x *texel) types() []ir.Type {
	list := make([]ir.Type, x.words())
	for i := range list {
		if list[i] = ir.I32; x.unit == 8 {
			list[i] = ir.I64
		}
	}
	return list
}

// load reads the integers of the texel at an offset.
func (c *code) load(x *texel, off ir.V, flags ir.Flags) []ir.V { return c.loadBehind(x, off, 0, flags) }

// loadBehind reads the integers of a texel that is so many bytes behind an offset.
func (c *code) loadBehind(x *texel, off ir.V, behind int, flags ir.Flags) []ir.V {
	list := make([]ir.V, x.words())
	for i := range list {
		list[i] = c.Emit(ir.Val{Op: ir.Ld, Type: ir.Int(uint32(8 * x.unit)), Flags: c.t.Flags | flags, Args: [4]ir.V{c.memory, off}, Aux: uint64(behind + i*x.unit)})
		if x.unit < 4 {
			list[i] = c.Op(ir.ZExt, ir.I32, list[i])
		}
	}
	return list
}

// zero is a texel of zero bits.
func (c *code) zero(x *texel) []ir.V {
	list := make([]ir.V, x.words())
	for i, t := range x.types() {
		list[i] = c.Const(t, 0)
	}
	return list
}

// field takes a component's bits out of a texel's integers, with its sign where
// signed.
func (c *code) field(x *texel, k *format.Component, words []ir.V, signed bool) ir.V {
	w, at := words[k.Shift/(8*x.unit)], uint32(k.Shift%(8*x.unit))
	switch {
	case k.Bits == 8*x.unit && (x.unit >= 4 || !signed):
		return w
	case signed:
		return c.Op(ir.BitFieldS, ir.I32, w, c.I32(at), c.I32(uint32(k.Bits)))
	case at == 0:
		return c.Op(ir.And, ir.I32, w, c.I32(1<<k.Bits-1))
	case at+uint32(k.Bits) == uint32(8*x.unit): // nothing stands above
		return c.Op(ir.LShr, ir.I32, w, c.I32(at))
	}
	return c.Op(ir.BitFieldU, ir.I32, w, c.I32(at), c.I32(uint32(k.Bits)))
}

// number returns the number that a component stands for, but of fixed point in
// units of the last place: scale makes it whole (Vulkan §"Conversion From
// Normalized Fixed-Point to Floating-Point").
func (c *code) number(x *texel, k *format.Component, words []ir.V) ir.V {
	raw := c.field(x, k, words, k.Numeric.Signed() && k.Numeric != format.SFloat && k.Numeric != format.BFloat16)
	if x.exp != nil && k.Numeric == format.UFloat { // Vulkan §"Conversion from Shared Exponent"
		e := c.field(x, x.exp, words, false)
		unit := c.Op(ir.Shl, ir.I32, c.add(e, c.I32(127-15-9)), c.I32(23))
		return c.fmul(c.stof(raw), c.float(unit))
	}
	switch k.Numeric {
	case format.UNorm, format.UScaled:
		return c.stof(raw)
	case format.SNorm:
		return c.stof(c.Op(ir.SMax, ir.I32, raw, c.I32(uint32(1-int32(1)<<(k.Bits-1)))))
	case format.SScaled, format.SFixed5:
		return c.stof(raw)
	case format.SRGB:
		return c.OpAux(ir.Ld, ir.F32, 0, c.tables.linear(c.Builder), c.OpAux(ir.At, ir.I32, 4, c.I32(0), raw))
	case format.BFloat16:
		return c.canon(c.float(c.Op(ir.Shl, ir.I32, raw, c.I32(16))))
	case format.UFloat: // the upper bits of a half
		return c.half(c.Op(ir.Shl, ir.I32, raw, c.I32(uint32(15-k.Bits))))
	case format.SFloat:
		switch k.Bits {
		case 16:
			return c.half(raw)
		case 64:
			return c.canon(c.Op(ir.FCvt, ir.F32, c.Op(ir.Bitcast, ir.F64, raw)))
		}
		return c.float(raw)
	}
	return raw
}

func (c *code) canon(x ir.V) ir.V { return c.Op(ir.FCanon, ir.F32, x) }

// half widens 16 bits.
func (c *code) half(raw ir.V) ir.V {
	h := c.Op(ir.Bitcast, ir.F16, c.Op(ir.Trunc, ir.I16, raw))
	return c.canon(c.Op(ir.FCvt, ir.F32, h))
}

// scale makes what it stands for of a number of which unit are one of the last
// place. For
// whole numbers of up to 16 bits the two products give the quotient's nearest
// float, as the division does.
func (c *code) scale(k *format.Component, v ir.V, unit float64) ir.V {
	top := unit * float64(uint64(1)<<k.Bits-1)
	switch k.Numeric {
	case format.SFixed5:
		return c.fmul(v, c.num(1.0/32))
	case format.SNorm:
		top = unit * float64(uint64(1)<<(k.Bits-1)-1)
	case format.UNorm:
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

// numbers returns the numbers of a texel in the order R, G, B, A, in units of the
// last place; absent ones are 0 (value, not there).
func (c *code) numbers(x *texel, words []ir.V) (n [4]ir.V) {
	for i, k := range x.lanes {
		if k != nil && c.reads(i) {
			n[i] = c.number(x, k, words)
		}
	}
	return n
}

// reads reports whether anything is asked of component i of the texels.
func (c *code) reads(i int) bool {
	if c.t.Has(ir.TextureDref) {
		return i == 0
	}
	if c.v.converted {
		return true
	}
	for _, s := range c.v.swizzle {
		if s == Red+Swizzle(i) {
			return true
		}
	}
	return false
}

// scaled makes the numbers whole, which count parts of unit to the last place.
func (c *code) scaled(x *texel, n [4]ir.V, unit float64) [4]ir.V {
	for i, k := range x.lanes {
		if n[i] != 0 {
			n[i] = c.scale(k, n[i], unit)
		}
	}
	return n
}

// complete puts 0 and 1 where a format has no component (Vulkan §"Conversion to
// RGBA").
func (c *code) complete(x *texel, n [4]ir.V) [4]ir.V {
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

// one is the number 1 of a type.
func (c *code) one(t ir.Type) ir.V {
	if t == ir.F32 {
		return c.num(1)
	}
	return c.Const(t, 1)
}

// shown swizzles four numbers and gives them the function's type.
func (c *code) shown(x *texel, n [4]ir.V) []ir.V {
	t, out := x.kind(), make([]ir.V, 4)
	for i, s := range c.v.swizzle {
		switch s {
		case Zero:
			out[i] = c.Const(t, 0)
		case One:
			out[i] = c.one(t)
		default:
			out[i] = n[s-Red]
		}
		out[i] = c.typed(x, out[i])
	}
	return out
}

// typed gives a number the function's type. Where the format has numbers of
// another kind than the shader says, their bits are kept: docs/undefined.md.
func (c *code) typed(x *texel, v ir.V) ir.V {
	from, to := c.Func.Type(v), c.t.Type
	if from == to {
		return v
	}
	if from == ir.F32 {
		v, from = c.bits(v), ir.I32
	}
	wide := to
	if to == ir.F32 {
		wide = ir.I32
	}
	switch {
	case from == ir.I32 && wide == ir.I64:
		op := ir.ZExt
		if k := x.lanes[0]; k != nil && k.Numeric == format.SInt {
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
