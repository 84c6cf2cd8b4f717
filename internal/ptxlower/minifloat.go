package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// minifloat is a format of at most 8 bits.
type minifloat struct {
	fraction uint32 // bits
	bias     uint32
	most     uint32 // the greatest number
	bits     uint32
}

// minifloats are the formats. Formats of less than 8 bits have no NaN.
var minifloats = map[string]minifloat{".e4m3": {3, 7, 0x7e, 8}, ".e5m2": {2, 15, 0x7b, 8}, ".e2m3": {3, 1, 0x1f, 6}, ".e3m2": {2, 3, 0x1f, 6}, ".e2m1": {1, 1, 7, 4}}

// step is the distance in bits of the elements of a pair: only elements of four bits have no padding.
func (m minifloat) step() uint32 {
	if m.bits == 4 {
		return 4
	}
	return 8
}

// minifloatNaN is the NaN of the formats of 8 bits.
const minifloatNaN = 0x7f

// cvtMinifloat emits a conversion from or to a pair of 8-bit floats.
func (e *emitter) cvtMinifloat(to, from string) {
	if from == ".ue8m0x2" && to == ".bf16x2" && e.in.Has(".rn") && len(e.in.Operands) == 2 {
		e.cvtExponents()
		return
	}
	if to == ".ue8m0x2" {
		e.cvtToExponents(from)
		return
	}
	if m, ok := minifloats[strings.TrimSuffix(from, "x2")]; ok && to == ".bf16x2" && e.in.Has(".rn") {
		e.cvtToBfloats(m, from)
		return
	}
	if m, ok := minifloats[strings.TrimSuffix(from, "x2")]; ok && to == ".f16x2" && e.in.Has(".rn") && len(e.in.Operands) == 2 {
		pair := e.as(e.read(e.operand(1), bitsType(ptx.TypeSize(from))), ir.I32)
		half := func(at uint32) ir.V {
			v := e.halfOf(e.b.Op(ir.BitFieldU, ir.I32, pair, e.b.I32(at), e.b.I32(m.bits)), m)
			return e.as(e.finish(v), ir.I16)
		}
		e.result(e.pack(half(0), half(m.step())))
		return
	}
	m, ok := minifloats[strings.TrimSuffix(to, "x2")]
	if !ok || !e.in.Has(".rn") && !e.in.Has(".rz") || !e.in.Has(".satfinite") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	var high, low ir.V
	switch {
	case from == ".f32" && len(e.in.Operands) == 3:
		high, low = e.read(e.operand(1), ir.F32), e.read(e.operand(2), ir.F32)
	case (from == ".f16x2" || from == ".bf16x2") && len(e.in.Operands) == 2:
		pair, one := e.read(e.operand(1), ir.I32), strings.TrimSuffix(from, "x2")
		high, low = e.element(pair, 1, one), e.element(pair, 0, one)
	default:
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	v := e.b.Op(ir.Or, ir.I32, e.b.Op(ir.Shl, ir.I32, e.minifloatOf(e.finish(high), m), e.b.I32(m.step())), e.minifloatOf(e.finish(low), m))
	e.result(e.b.Op(ir.Trunc, bitsType(ptx.TypeSize(to)), v))
}

// cvtToBfloats emits the conversion of a pair of small floats to bfloat16, each times the power of two of its own scale if the
// instruction has scales. Products have at most 4 bits and are exact in 32 bits.
func (e *emitter) cvtToBfloats(m minifloat, from string) {
	const scaled = ".scaled::n2::ue8m0"
	want := 2
	if e.in.Has(scaled) {
		want = 3
	}
	if len(e.in.Operands) != want {
		malformed(e.in.Pos, "%s has %d operands; must have %d", e.in.Name(), len(e.in.Operands), want)
	}
	pair := e.as(e.read(e.operand(1), bitsType(ptx.TypeSize(from))), ir.I32)
	element := func(i uint32) ir.V {
		v := e.halfOf(e.b.Op(ir.BitFieldU, ir.I32, pair, e.b.I32(i*m.step()), e.b.I32(m.bits)), m)
		return e.b.Op(ir.FCvt, ir.F32, v)
	}
	low, high := element(0), element(1)
	if e.in.Has(scaled) {
		scales := e.as(e.read(e.operand(2), ir.I16), ir.I32)
		low, high = e.b.Op(ir.FMul, ir.F32, low, e.powerOfTwo(scales, 0)), e.b.Op(ir.FMul, ir.F32, high, e.powerOfTwo(scales, 1))
	}
	bfloat := func(v ir.V) ir.V { return e.limited(e.bfloatOf(e.finish(v)), 0x7f80) }
	e.result(e.pack(bfloat(low), bfloat(high)))
}

// halfOf returns an 8-bit float as .f16: its bits with the bias of .f16, times the power of two that the biases differ by.
func (e *emitter) halfOf(v ir.V, m minifloat) ir.V {
	b := e.b
	magnitude := b.Op(ir.And, ir.I32, v, b.I32(1<<(m.bits-1)-1))
	sign := b.Op(ir.Shl, ir.I32, b.Op(ir.LShr, ir.I32, v, b.I32(m.bits-1)), b.I32(15))
	bits := b.Op(ir.Or, ir.I32, b.Op(ir.Shl, ir.I32, magnitude, b.I32(10-m.fraction)), sign)
	h := e.as(b.Op(ir.Trunc, ir.I16, bits), ir.F16)
	if m.bias == 15 {
		return h
	}
	scaled := b.Op(ir.FMul, ir.F32, b.Op(ir.FCvt, ir.F32, h), b.Const(ir.F32, uint64(127+15-m.bias)<<23))
	if m.bits < 8 {
		return b.Op(ir.FCvt, ir.F16, scaled)
	}
	nan := b.Cmp(ir.Eq, magnitude, b.I32(minifloatNaN))
	return b.Select(nan, b.Const(ir.F16, 0x7e00), b.Op(ir.FCvt, ir.F16, scaled))
}

// minifloatOf returns a float of 32 bits as 8 bits, rounded to the nearest even one, or toward zero with .rz, and at most the greatest
// number. A number that is subnormal in the format is rounded by a sum with a power of two that has the last place of the format.
func (e *emitter) minifloatOf(x ir.V, m minifloat) ir.V {
	b := e.b
	op := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.I32, list...) }
	word := e.as(x, ir.I32)
	magnitude := op(ir.And, word, b.I32(1<<31-1))
	drop := 23 - m.fraction
	least := (128 - m.bias) << 23 // the least normal number
	if e.in.Has(".rz") {
		normal := op(ir.Sub, op(ir.LShr, magnitude, b.I32(drop)), b.I32((127-m.bias)<<m.fraction))
		places := b.Op(ir.FMul, ir.F32, e.as(magnitude, ir.F32), b.Const(ir.F32, uint64(126+m.bias+m.fraction)<<23))
		v := b.Select(b.Cmp(ir.ULt, magnitude, b.I32(least)), op(ir.FToU, places), normal)
		return e.signedMinifloat(x, v, m)
	}
	even := op(ir.And, op(ir.LShr, magnitude, b.I32(drop)), b.I32(1))
	normal := op(ir.LShr, op(ir.Add, op(ir.Add, magnitude, b.I32(1<<(drop-1)-1)), even), b.I32(drop))
	normal = op(ir.Sub, normal, b.I32((127-m.bias)<<m.fraction))
	place := least + drop<<23
	sum := b.Op(ir.FAdd, ir.F32, e.as(magnitude, ir.F32), b.Const(ir.F32, uint64(place)))
	v := b.Select(b.Cmp(ir.ULt, magnitude, b.I32(least)), op(ir.Sub, e.as(sum, ir.I32), b.I32(place)), normal)
	return e.signedMinifloat(x, v, m)
}

// signedMinifloat returns a magnitude with the sign of x, at most the greatest number. A NaN becomes the NaN of the format, else its greatest number.
func (e *emitter) signedMinifloat(x, v ir.V, m minifloat) ir.V {
	b := e.b
	sign := b.Op(ir.Shl, ir.I32, b.Op(ir.LShr, ir.I32, e.as(x, ir.I32), b.I32(31)), b.I32(m.bits-1))
	v = b.Op(ir.Or, ir.I32, b.Op(ir.UMin, ir.I32, v, b.I32(m.most)), sign)
	nan := uint32(minifloatNaN)
	if m.bits < 8 {
		nan = m.most
	}
	return b.Select(b.Cmp(ir.FEq, x, x), v, b.I32(nan))
}

// cvtExponents emits the conversion of two powers of two, of 8 bits of exponent each, to bfloat16. 2⁻¹²⁷ is a subnormal number, and 255 a
// NaN.
func (e *emitter) cvtExponents() {
	b := e.b
	pair := e.as(e.read(e.operand(1), ir.I16), ir.I32)
	number := func(at uint32) ir.V {
		x := b.Op(ir.BitFieldU, ir.I32, pair, b.I32(at), b.I32(8))
		v := b.Select(b.Cmp(ir.Eq, x, b.I32(0)), b.I32(0x40), b.Op(ir.Shl, ir.I32, x, b.I32(7)))
		return b.Op(ir.Trunc, ir.I16, b.Select(b.Cmp(ir.Eq, x, b.I32(255)), b.I32(0x7fc0), v))
	}
	e.result(e.pack(number(0), number(8)))
}

// cvtToExponents emits the conversion of the magnitudes of two floats to powers of two of 8 bits, toward zero or up. A number beyond
// the greatest one is NaN, or the greatest one with .satfinite.
func (e *emitter) cvtToExponents(from string) {
	b := e.b
	op := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.I32, list...) }
	var list [2]ir.V // the high one and the low one
	switch {
	case !e.in.Has(".rz") && !e.in.Has(".rp"):
		malformed(e.in.Pos, "%s has no rounding; must have .rz or .rp", e.in.Name())
	case from == ".f32" && len(e.in.Operands) == 3:
		list = [2]ir.V{e.read(e.operand(1), ir.F32), e.read(e.operand(2), ir.F32)}
	case from == ".bf16x2" && len(e.in.Operands) == 2:
		pair := e.read(e.operand(1), ir.I32)
		list = [2]ir.V{e.element(pair, 1, ".bf16"), e.element(pair, 0, ".bf16")}
	default:
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	const nan, most, half = 255, 254, 1 << 22 // 2⁻¹²⁷ has the exponent 0 and the fraction half
	for i, x := range list {
		magnitude := op(ir.And, e.as(x, ir.I32), b.I32(1<<31-1))
		v := op(ir.LShr, magnitude, b.I32(23))
		if e.in.Has(".rp") {
			whole := op(ir.Shl, v, b.I32(23))
			up := b.Cmp(ir.ULt, b.Select(b.Cmp(ir.Eq, v, b.I32(0)), b.I32(half), whole), magnitude)
			v = op(ir.Add, v, b.Select(up, b.I32(1), b.I32(0)))
		}
		beyond := uint32(nan)
		if e.in.Has(".satfinite") {
			beyond = most
		}
		v = b.Select(b.Cmp(ir.ULt, b.I32(most), v), b.I32(beyond), v)
		list[i] = b.Select(b.Cmp(ir.FEq, x, x), v, b.I32(nan))
	}
	e.result(b.Op(ir.Trunc, ir.I16, op(ir.Or, op(ir.Shl, list[0], b.I32(8)), list[1])))
}

// cvtTF32 emits the conversion of a float of 32 bits to .tf32, which has the upper 19 bits.
func (e *emitter) cvtTF32(from string) {
	if from != ".f32" || e.in.Has(".rs") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	b := e.b
	const bits, nan = 13, 0x7fc00000 // bits that tf32 does not have
	x := e.read(e.operand(1), ir.F32)
	v := e.as(x, ir.I32)
	switch {
	case e.in.Has(".rna"):
		v = b.Op(ir.Add, ir.I32, v, b.I32(1<<(bits-1)))
	case e.in.Has(".rn"):
		even := b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, v, b.I32(bits)), b.I32(1))
		v = b.Op(ir.Add, ir.I32, b.Op(ir.Add, ir.I32, v, b.I32(1<<(bits-1)-1)), even)
	case !e.in.Has(".rz"):
		malformed(e.in.Pos, "%s has no rounding; must have one", e.in.Name())
	}
	v = b.Op(ir.And, ir.I32, v, b.I32(^uint32(1<<bits-1)))
	if e.in.Has(".satfinite") { // the bits of an infinity come after the greatest number's
		magnitude := b.Op(ir.UMin, ir.I32, b.Op(ir.And, ir.I32, v, b.I32(1<<31-1)), b.I32(0x7f7fe000))
		v = b.Op(ir.Or, ir.I32, magnitude, b.Op(ir.And, ir.I32, v, b.I32(1<<31)))
	}
	v = b.Select(b.Cmp(ir.FEq, x, x), v, b.I32(nan))
	e.result(e.as(e.finish(e.as(v, ir.F32)), ir.I32))
}
