package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Floats of another encoding than IEEE 754's are integers in the IR: they are
// stored, chosen and passed on, and every computation with them is a conversion
// or a dot product, which goes through floats of 32 bits.

// encoding is how a small float is encoded. Encodings are meant without the
// sign.
type encoding struct {
	bits, fraction uint8
	bias           int32
	top            uint32 // the greatest finite number
	over           uint32 // what stands for all beyond it
	nan            uint32 // the canonical NaN
	kind           encodingKind
}

// encodingKind tells encodings that are floats with infinities and NaN, or NaN
// alone, from those of SPV_EXT_ocp_microscaling_types, from which there are
// conversions alone (VUID-StandaloneSpirv-OpFConvert-12466).
type encodingKind uint8

const (
	general   encodingKind = iota
	allFinite              // floats without infinities and NaN
	exponents              // powers of two: no sign, no zero, and the greatest is NaN
	fixed                  // an integer with a sign, in sixty-fourths
)

var encodings = map[spirv.FPEncoding]encoding{
	spirv.FPEncodingBFloat16KHR:   {16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, general},
	spirv.FPEncodingFloat8E4M3EXT: {8, 3, 7, 0x7e, 0x7f, 0x7f, general},
	spirv.FPEncodingFloat8E5M2EXT: {8, 2, 15, 0x7b, 0x7c, 0x7e, general},

	spirv.FPEncodingFloat6E2M3EXT:         {bits: 6, fraction: 3, bias: 1, kind: allFinite},
	spirv.FPEncodingFloat6E3M2EXT:         {bits: 6, fraction: 2, bias: 3, kind: allFinite},
	spirv.FPEncodingFloat4E2M1EXT:         {bits: 4, fraction: 1, bias: 1, kind: allFinite},
	spirv.FPEncodingFloat8UnsignedE8M0EXT: {bits: 8, kind: exponents},
	spirv.FPEncodingMXInt8EXT:             {bits: 8, kind: fixed},
}

// width returns the bits of the integer that an encoded float is in the IR: at
// least 8, of which the lowest count.
func (e encoding) width() uint32 { return max(uint32(e.bits), 8) }

// encodingOf returns the encoding of the components of a scalar or vector type,
// false where it is that of IEEE 754.
func (u *unit) encodingOf(t *facts.Type) (encoding, bool) {
	s := t.Scalar()
	if isTile(t) {
		s = t.Elem
	}
	if s == nil || !s.Encoded {
		return encoding{}, false
	}
	return u.encoded(s), true
}

// encoded returns the encoding of a scalar type that has one.
func (u *unit) encoded(t *facts.Type) encoding {
	e, ok := encodings[t.Encoding]
	if !ok || uint32(e.bits) != t.Width {
		u.unsupported("a float of %d bits encoded as %s", t.Width, t.Encoding)
	}
	return e
}

// decode returns the value of an encoded float, exactly, as one of 32 bits.
func (f *function) decode(e encoding, x ir.V) ir.V {
	b := f.b
	switch e.kind {
	case exponents:
		return f.decodeExponent(x)
	case fixed:
		n := b.Op(ir.SToF, ir.F32, x)
		return b.Op(ir.FMul, ir.F32, n, b.Const(ir.F32, uint64(127-6)<<23))
	}
	if e.fraction == 7 { // the upper half of 32 bits
		wide := b.Op(ir.Shl, ir.I32, b.Op(ir.ZExt, ir.I32, x), b.I32(16))
		return b.Op(ir.Bitcast, ir.F32, wide)
	}
	// As its bits lie in a float of 32 bits it is 2 to the difference of the
	// biases too small, also where it is denormal.
	wide := b.Op(ir.ZExt, ir.I32, x)
	magnitude := b.Op(ir.And, ir.I32, wide, b.I32(1<<(e.bits-1)-1))
	placed := b.Op(ir.Shl, ir.I32, magnitude, b.I32(uint32(23-e.fraction)))
	scale := b.Const(ir.F32, uint64(127+127-e.bias)<<23)
	v := b.Op(ir.FMul, ir.F32, b.Op(ir.Bitcast, ir.F32, placed), scale)
	bits := b.Op(ir.Bitcast, ir.I32, v)
	sign := b.Op(ir.Shl, ir.I32, b.Op(ir.LShr, ir.I32, wide, b.I32(uint32(e.bits)-1)), b.I32(31))
	if e.kind == allFinite {
		return b.Op(ir.Bitcast, ir.F32, b.Op(ir.Or, ir.I32, bits, sign))
	}
	if e.over != e.nan {
		bits = b.Select(b.Cmp(ir.Eq, magnitude, b.I32(e.over)), b.I32(0x7f800000), bits)
	}
	most := e.over // what is above it is NaN
	if e.over == e.nan {
		most = e.top
	}
	bits = b.Select(b.Cmp(ir.ULt, b.I32(most), magnitude), b.I32(0x7fc00000), bits)
	return b.Op(ir.Bitcast, ir.F32, b.Op(ir.Or, ir.I32, bits, sign))
}

// decodeExponent returns the power of two that an exponent of 8 bits is: as it
// stands in a float of 32 bits, but for the least, which is denormal there, and
// the greatest, which is NaN.
func (f *function) decodeExponent(x ir.V) ir.V {
	b := f.b
	wide := b.Op(ir.ZExt, ir.I32, x)
	bits := b.Op(ir.Shl, ir.I32, wide, b.I32(23))
	bits = b.Select(b.Cmp(ir.Eq, wide, b.I32(0)), b.I32(1<<22), bits)
	bits = b.Select(b.Cmp(ir.Eq, wide, b.I32(0xff)), b.I32(0x7fc00000), bits)
	return b.Op(ir.Bitcast, ir.F32, bits)
}

// narrowing says how a number that an encoding does not have becomes one that
// it has.
type narrowing struct{ towardZero, saturate bool }

// encode rounds a float to an encoding, once, by integers: a number too great
// becomes what stands for all that is, or the greatest finite number.
func (f *function) encode(e encoding, how narrowing, v ir.V) ir.V {
	b := f.b
	if e.kind != general {
		f.unsupported("a conversion to a microscaling format")
	}
	if b.Func.Type(v) == ir.F16 {
		v = b.Op(ir.FCvt, ir.F32, v)
	}
	t, fraction, bias := ir.I32, uint64(23), int64(127)
	if b.Func.Type(v) == ir.F64 {
		t, fraction, bias = ir.I64, 52, 1023
	}
	n := func(x int64) ir.V { return b.Const(t, uint64(x)&t.Mask()) }
	bits := b.Op(ir.Bitcast, t, v)
	top := uint64(t.Bits()) - 1
	magnitude := b.Op(ir.And, t, bits, b.Const(t, t.Mask()>>1))
	field := b.Op(ir.LShr, t, magnitude, n(int64(fraction)))
	hidden := b.Op(ir.Shl, t, b.Op(ir.UMin, t, field, n(1)), n(int64(fraction)))
	m := b.Op(ir.Or, t, b.Op(ir.And, t, magnitude, n(1<<fraction-1)), hidden)
	exponent := b.Op(ir.Sub, t, b.Op(ir.UMax, t, field, n(1)), n(bias))
	least := n(1 - int64(e.bias))
	kept := b.Op(ir.SMax, t, exponent, least)
	shift := b.Op(ir.Add, t, n(int64(fraction)-int64(e.fraction)), b.Op(ir.Sub, t, kept, exponent))
	shift = b.Op(ir.UMin, t, shift, n(int64(fraction)+2)) // beyond, less than half of the least number
	r := b.Op(ir.LShr, t, m, shift)
	if !how.towardZero { // to the nearest, a half to the even one
		half := b.Op(ir.LShr, t, b.Op(ir.Shl, t, n(1), shift), n(1))
		up := b.Op(ir.Add, t, b.Op(ir.Sub, t, half, n(1)), b.Op(ir.And, t, r, n(1)))
		r = b.Op(ir.LShr, t, b.Op(ir.Add, t, m, up), shift)
	}
	// The leading one of r adds 1 to the exponent, as does its carry.
	high := b.Op(ir.Shl, t, b.Op(ir.Add, t, kept, n(int64(e.bias)-1)), n(int64(e.fraction)))
	r = b.Op(ir.Add, t, r, high)
	far := n(int64(e.over))
	infinite := n(int64(t.Mask()>>1) &^ (1<<fraction - 1))
	switch {
	case how.saturate:
		far = n(int64(e.top))
	case how.towardZero:
		far = b.Select(b.Cmp(ir.Eq, magnitude, infinite), far, n(int64(e.top)))
	}
	r = b.Select(b.Cmp(ir.ULt, n(int64(e.top)), r), far, r)
	sign := b.Op(ir.Shl, t, b.Op(ir.LShr, t, bits, n(int64(top))), n(int64(e.bits)-1))
	r = b.Op(ir.Or, t, r, sign)
	r = b.Select(b.Cmp(ir.ULt, infinite, magnitude), n(int64(e.nan)), r)
	return b.Op(ir.Trunc, ir.Int(uint32(e.bits)), r)
}

// convertEncoded lowers OpFConvert from or to a small float; false where it is
// neither.
func (f *function) convertEncoded(in spirv.Inst) bool {
	t := f.facts.Type(in.Type())
	from, decodes := f.encodingOf(f.typeOf(inst.FConvert(in).FloatValue()))
	to, encodes := f.encodingOf(t)
	if !decodes && !encodes {
		return false
	}
	// The modes of the entry point are those of IEEE 754's formats.
	d, ok := f.facts.Decoration(in.Result(), spirv.DecorationFPRoundingMode)
	how := narrowing{
		towardZero: ok && spirv.FPRoundingMode(d.Literal()) == spirv.FPRoundingModeRTZ,
		saturate:   f.facts.Has(in.Result(), spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT),
	}
	types := f.flat(t)
	parts := append([]ir.V(nil), f.arranged(in, inst.FConvert(in).FloatValue())...)
	if len(parts) != len(types) {
		f.malformed("operands of different sizes")
	}
	for i, v := range parts {
		if decodes {
			v = f.decode(from, v)
		}
		v = f.flush(v)
		switch {
		case encodes:
			f.floats(v)
			v = f.encode(to, how, v)
		case types[i] != ir.F32:
			v = f.Make(ir.FCvt, types[i], ir.F32, v, 0, 0)
		}
		parts[i] = v
	}
	f.define(in, parts...)
	return true
}

// decoded returns the components of a vector as floats of 32 bits.
func (f *function) decoded(id spirv.ID) []ir.V {
	parts := append([]ir.V(nil), f.scalars(id)...)
	e, ok := f.encodingOf(f.typeOf(id))
	for i, v := range parts {
		switch {
		case ok:
			parts[i] = f.decode(e, v)
		case f.b.Func.Type(v) == ir.F16:
			parts[i] = f.b.Op(ir.FCvt, ir.F32, v)
		}
	}
	return parts
}

// dotEncoded lowers OpDot of small floats (BFloat16DotProductKHR): products and
// sums in 32 bits, from left to right, the result rounded once.
func (f *function) dotEncoded(in spirv.Inst, e encoding) {
	v := inst.Dot(in)
	f.define(in, f.encode(e, narrowing{}, f.sumOfProducts(f.decoded(v.Vector1()), f.decoded(v.Vector2()))))
}

// mixedDotOf lowers the instructions of SPV_VALVE_mixed_float_dot_product: the
// accumulator and then, from left to right, each product, which is exact, added
// in 32 bits; a result of 16 bits is rounded at the end.
func mixedDotOf(f *function, in spirv.Inst) {
	v := inst.FDot2MixAcc32VALVE(in) // all have the same operands
	x, y, sum := f.decoded(v.Vector1()), f.decoded(v.Vector2()), f.decoded(v.Accumulator())
	if len(x) != len(y) || len(sum) != 1 {
		f.malformed("vectors of different sizes")
	}
	f.floats(x...)
	f.floats(y...)
	f.alike(append(append(x[:len(x):len(x)], y...), sum...)...)
	acc := sum[0]
	for i := range x {
		acc = f.Make(ir.FFma, ir.F32, ir.F32, x[i], y[i], acc)
	}
	t := f.facts.Type(in.Type())
	if e, ok := f.encodingOf(t); ok {
		acc = f.encode(e, narrowing{}, acc)
	} else if to := f.scalar(t); to != ir.F32 {
		acc = f.Make(ir.FCvt, to, ir.F32, acc, 0, 0)
	}
	f.define(in, acc)
}
