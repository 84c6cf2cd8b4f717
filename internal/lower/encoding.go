package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var encodingRules = rules{
	spirv.OpFDot2MixAcc32VALVE: mixedDotOf,
	spirv.OpFDot2MixAcc16VALVE: mixedDotOf,
	spirv.OpFDot4MixAcc32VALVE: mixedDotOf,
}

// A float with an encoding other than IEEE 754 is an integer in the IR: it is stored,
// selected and copied as such. Every computation with it, a conversion or a dot product,
// goes through 32-bit floats.

// encoding describes a small float. The bit patterns are without the sign.
type encoding struct {
	bits, fraction uint8
	bias           int32
	top            uint32 // greatest finite number
	over           uint32 // result of an overflow: infinity, or NaN
	nan            uint32 // canonical NaN
	kind           encodingKind
}

// encodingKind separates the encodings with NaN from the encodings of
// SPV_EXT_ocp_microscaling_types, which can only be converted from
// (VUID-StandaloneSpirv-OpFConvert-12466).
type encodingKind uint8

const (
	general   encodingKind = iota
	allFinite              // no infinities, no NaN
	exponents              // powers of two: no sign, no zero; the greatest pattern is NaN
	fixed                  // signed fixed point in units of 1/64
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

// width returns the width of the integer that represents an encoded float in the IR: at
// least 8 bits, of which the low ones are significant.
func (e encoding) width() uint32 { return max(uint32(e.bits), 8) }

// encodingOf returns the encoding of a type's components, false if they are IEEE 754
// floats or no floats.
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

// decode converts an encoded float to 32 bits, exactly.
func (f *function) decode(e encoding, x ir.V) ir.V {
	b := f.b
	switch e.kind {
	case exponents:
		return f.decodeExponent(x)
	case fixed:
		n := b.Op(ir.SToF, ir.F32, x)
		return b.Op(ir.FMul, ir.F32, n, b.Const(ir.F32, uint64(127-6)<<23))
	}
	if e.fraction == 7 { // bfloat16: the upper half of an f32
		wide := b.Op(ir.Shl, ir.I32, b.Op(ir.ZExt, ir.I32, x), b.I32(16))
		return b.Op(ir.Bitcast, ir.F32, wide)
	}
	// Shifted to the fields of an f32, the value is too small by two to the power of the
	// difference of the biases, also if it is denormal: one multiplication corrects it.
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
	most := e.over // greater patterns are NaN
	if e.over == e.nan {
		most = e.top
	}
	bits = b.Select(b.Cmp(ir.ULt, b.I32(most), magnitude), b.I32(0x7fc00000), bits)
	return b.Op(ir.Bitcast, ir.F32, b.Op(ir.Or, ir.I32, bits, sign))
}

// decodeExponent converts an 8-bit exponent to the f32 power of two: shifted to the
// exponent field, except for the least, a denormal f32, and the greatest, NaN.
func (f *function) decodeExponent(x ir.V) ir.V {
	b := f.b
	wide := b.Op(ir.ZExt, ir.I32, x)
	bits := b.Op(ir.Shl, ir.I32, wide, b.I32(23))
	bits = b.Select(b.Cmp(ir.Eq, wide, b.I32(0)), b.I32(1<<22), bits)
	bits = b.Select(b.Cmp(ir.Eq, wide, b.I32(0xff)), b.I32(0x7fc00000), bits)
	return b.Op(ir.Bitcast, ir.F32, bits)
}

// narrowing is the treatment of a number that an encoding cannot represent.
type narrowing struct{ towardZero, saturate bool }

// narrowing returns the decorations of a conversion. The entry point's float modes apply
// to IEEE 754 formats only.
func (f *function) narrowing(in spirv.Inst) narrowing {
	d, ok := f.facts.Decoration(in.Result(), spirv.DecorationFPRoundingMode)
	return narrowing{
		towardZero: ok && spirv.FPRoundingMode(d.Literal()) == spirv.FPRoundingModeRTZ,
		saturate:   f.facts.Has(in.Result(), spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT),
	}
}

// encode rounds a float to an encoding, with a single rounding, in integer arithmetic. An
// overflow yields infinity or NaN, or the greatest finite number if how saturates.
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
	shift = b.Op(ir.UMin, t, shift, n(int64(fraction)+2)) // beyond: less than half of the least number
	r := b.Op(ir.LShr, t, m, shift)
	if !how.towardZero { // to nearest, ties to even
		half := b.Op(ir.LShr, t, b.Op(ir.Shl, t, n(1), shift), n(1))
		up := b.Op(ir.Add, t, b.Op(ir.Sub, t, half, n(1)), b.Op(ir.And, t, r, n(1)))
		r = b.Op(ir.LShr, t, b.Op(ir.Add, t, m, up), shift)
	}
	// The leading one of r increments the exponent, as does a carry.
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

// convertEncoded lowers an OpFConvert from or to a small float; false if both types are
// IEEE 754.
func (f *function) convertEncoded(in spirv.Inst) bool {
	from, to := f.typeOf(inst.FConvert(in).FloatValue()), f.facts.Type(in.Type())
	_, decodes := f.encodingOf(from)
	_, encodes := f.encodingOf(to)
	if !decodes && !encodes {
		return false
	}
	parts := append([]ir.V(nil), f.arranged(in, inst.FConvert(in).FloatValue())...)
	if len(parts) != len(f.flat(to)) {
		f.malformed("the operands have different sizes")
	}
	f.convertFloats(parts, from, to, f.narrowing(in))
	f.define(in, parts...)
	return true
}

// convertFloats replaces components of type from, or of its vectors or matrices, by those of type to.
func (f *function) convertFloats(parts []ir.V, from, to *facts.Type, how narrowing) {
	small, decodes := f.encodingOf(from)
	e, encodes := f.encodingOf(to)
	wanted := f.flat(to)[0]
	for i, v := range parts {
		if decodes {
			v = f.decode(small, v)
		}
		v = f.flush(v)
		t := f.b.Func.Type(v)
		switch {
		case encodes:
			f.checkFloats(v)
			v = f.encode(e, how, v)
		case t != wanted:
			v = f.Make(ir.FCvt, wanted, t, v, 0, 0)
		}
		parts[i] = v
	}
}

// decoded returns the components of a vector as 32-bit floats.
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

// dotEncoded lowers OpDot of small floats (BFloat16DotProductKHR): products and sums in
// 32 bits, from left to right; the result is rounded once.
func (f *function) dotEncoded(in spirv.Inst, e encoding) {
	v := inst.Dot(in)
	f.define(in, f.encode(e, narrowing{}, f.sumOfProducts(f.decoded(v.Vector1()), f.decoded(v.Vector2()))))
}

// mixedDotOf lowers the instructions of SPV_VALVE_mixed_float_dot_product: 32-bit FMAs of
// the exact products, from left to right, on the accumulator; a 16-bit result is rounded
// at the end.
func mixedDotOf(f *function, in spirv.Inst) {
	v := inst.FDot2MixAcc32VALVE(in) // all have the same operands
	x, y, sum := f.decoded(v.Vector1()), f.decoded(v.Vector2()), f.decoded(v.Accumulator())
	if len(x) != len(y) || len(sum) != 1 {
		f.malformed("the vectors have different sizes")
	}
	f.checkFloats(x...)
	f.checkFloats(y...)
	f.checkSameType(append(append(x[:len(x):len(x)], y...), sum...)...)
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
