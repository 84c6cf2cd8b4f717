package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// integral are the roundings to an integral value.
var integral = map[string]ir.Op{".rni": ir.FRoundEven, ".rzi": ir.FTrunc, ".rmi": ir.FFloor, ".rpi": ir.FCeil}

// cvt emits a conversion.
func (e *emitter) cvt() {
	if e.in.Has(".pack") {
		e.packIntegers()
		return
	}
	if e.in.Has(".rs") && len(e.types) == 2 {
		e.cvtStochastic(e.types[0], e.types[1])
		return
	}
	if len(e.types) == 2 && (e.types[0] == ".s2f6x2" || e.types[1] == ".s2f6x2") {
		e.cvtFixed(e.types[0], e.types[1])
		return
	}
	if len(e.in.Operands) > 3 {
		malformed(e.in.Pos, "%s has %d operands; must have 2 or 3", e.in.Name(), len(e.in.Operands))
	}
	if len(e.types) != 2 {
		malformed(e.in.Pos, "%s has %d types; must have 2", e.in.Name(), len(e.types))
	}
	to, from := e.types[0], e.types[1]
	switch {
	case isSmallFloat(to) || isSmallFloat(from):
		e.cvtMinifloat(to, from)
	case to == ".tf32" && len(e.in.Operands) == 2:
		e.cvtTF32(from)
	case len(e.in.Operands) == 3 || halfKind(to) == pairF16 || halfKind(to) == pairBF:
		e.packing(to, from)
	case from == ".f32" && (to == ".f16" || halfKind(to) == bfloat):
		e.result(e.narrowed(to, e.operand(1)))
	case halfKind(from) == bfloat && to == ".f32":
		e.result(e.finish(e.fromBfloat(e.read(e.operand(1), ir.I16))))
	case scalars[to] && scalars[from] && (halfKind(to) == bfloat || halfKind(from) == bfloat):
		e.cvtBfloat(to, from)
	case halfKind(to) != noHalf || halfKind(from) != noHalf || ptx.TypeSize(to) > 8 || from == ".tf32":
		unsupported(e.in.Pos, "%s", e.in.Name())
	case e.in.Has(".satfinite"):
		malformed(e.in.Pos, "%s has .satfinite; must not have it, between these types", e.in.Name())
	case isFloat(to) && isFloat(from):
		e.result(e.floatToFloat(to, from, e.operand(1)))
	case isFloat(to):
		e.integerToFloat(to, from)
	case isFloat(from):
		e.floatToInteger(to, from)
	default:
		e.integerToInteger(to, from)
	}
}

// packIntegers emits cvt.pack: a and b, clamped to the first type, become the lowest two elements of the result, b the lowest one. Bytes
// shift c upwards.
func (e *emitter) packIntegers() {
	to := e.types[0]
	bits := uint32(8 * ptx.TypeSize(to))
	if len(e.types) < 2 || e.types[1] != ".s32" || isFloat(to) || bits > 16 || !e.in.Has(".sat") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if n := 3 + int(16-bits)/8; len(e.in.Operands) != n || len(e.types) != n-1 {
		malformed(e.in.Pos, "%s has %d operands and %d types; must have %d and %d", e.in.Name(), len(e.in.Operands), len(e.types), n, n-1)
	}
	clamped := func(i int) ir.V {
		x := e.clampBits(e.b.Op(ir.SExt, ir.I64, e.read(e.operand(i), ir.I32)), bits, to)
		return e.b.Op(ir.And, ir.I32, e.b.Op(ir.Trunc, ir.I32, x), e.b.I32(1<<bits-1))
	}
	v := e.b.Op(ir.Or, ir.I32, e.b.Op(ir.Shl, ir.I32, clamped(1), e.b.I32(bits)), clamped(2))
	if bits == 8 {
		v = e.b.Op(ir.Or, ir.I32, v, e.b.Op(ir.Shl, ir.I32, e.read(e.operand(3), ir.I32), e.b.I32(16)))
	}
	e.set(e.resultRegister(e.operand(0)), v)
}

// scalars are the types of single numbers.
var scalars = map[string]bool{".u8": true, ".u16": true, ".u32": true, ".u64": true, ".s8": true, ".s16": true, ".s32": true, ".s64": true,
	".f16": true, ".bf16": true, ".f32": true, ".f64": true}

func isSmallFloat(t string) bool {
	_, ok := minifloats[strings.TrimSuffix(t, "x2")]
	return ok || t == ".ue8m0x2"
}

// packing emits the conversion of two floats of 32 bits, the first one into the upper half.
func (e *emitter) packing(to, from string) {
	if from != ".f32" || len(e.in.Operands) != 3 || halfKind(to) != pairF16 && halfKind(to) != pairBF {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	one := strings.TrimSuffix(to, "x2")
	e.result(e.pack(e.narrowed(one, e.operand(2)), e.narrowed(one, e.operand(1))))
}

// narrowed emits the conversion of a float of 32 bits to .f16 or .bf16, as bits.
func (e *emitter) narrowed(to string, o *ptx.Operand) ir.V {
	v, infinity := ir.V(0), uint64(0x7c00)
	if halfKind(to) == bfloat {
		if e.in.Has(".rm") || e.in.Has(".rp") {
			malformed(e.in.Pos, "%s has a directed rounding; must have .rn or .rz", e.in.Name())
		}
		v, infinity = e.bfloatOf(e.finish(e.flush(e.read(o, ir.F32)))), 0x7f80
	} else {
		v = e.as(e.floatToFloat(to, ".f32", o), ir.I16)
	}
	return e.limited(v, infinity)
}

// limited returns the bits of a float of 16 bits. With .satfinite an infinite one becomes the greatest number of its sign, whose bits come
// before those of the infinity.
func (e *emitter) limited(v ir.V, infinity uint64) ir.V {
	if !e.in.Has(".satfinite") {
		return v
	}
	magnitude := e.b.Op(ir.And, ir.I16, v, e.b.Const(ir.I16, 0x7fff))
	infinite := e.b.Cmp(ir.Eq, magnitude, e.b.Const(ir.I16, infinity))
	return e.b.Select(infinite, e.b.Op(ir.Sub, ir.I16, v, e.b.Const(ir.I16, 1)), v)
}

// floatToFloat emits a conversion in the rounding mode, or the rounding to an integral value.
func (e *emitter) floatToFloat(to, from string, o *ptx.Operand) ir.V {
	t, s := irType(to), irType(from)
	v := e.flush(e.read(o, s))
	for mod, op := range integral {
		if e.in.Has(mod) {
			v = e.b.Op(op, s, v)
		}
	}
	switch {
	case t == s:
		if !e.in.Has(".sat") && !e.in.Has(".ftz") {
			return v
		}
	case t.Bits() > s.Bits():
		v = e.b.Op(ir.FCvt, t, v)
	case e.in.Has(".rm") || e.in.Has(".rp"):
		if t == ir.F16 {
			if s != ir.F64 {
				v = e.widen(v)
			}
			v = e.directedHalf(v, e.in.Has(".rp"))
		} else {
			v = e.nearest(v, e.b.Const(ir.F64, 0), e.in.Has(".rp"))
		}
	default:
		v = e.rounded(ir.FCvt, t, v)
	}
	return e.finish(v)
}

// integerToFloat emits a conversion in the rounding mode.
func (e *emitter) integerToFloat(to, from string) {
	t := irType(to)
	x := e.read(e.operand(1), irType(from))
	op := ir.UToF
	if isSigned(from) {
		op = ir.SToF
	}
	if e.in.Has(".rm") || e.in.Has(".rp") {
		e.result(e.finish(e.directedInteger(op, t, x, e.in.Has(".rp"))))
		return
	}
	e.result(e.finish(e.rounded(op, t, x)))
}

// floatToInteger emits the conversion of the second operand to an integer.
func (e *emitter) floatToInteger(to, from string) {
	e.result(e.integerOf(e.flush(e.read(e.operand(1), irType(from))), to))
}

// integerOf emits a conversion that rounds to an integral value and clamps to the type. NaN is 0, but only the highest bit is set of
// the result of an f64 or of 64 bits (PTX ISA, cvt).
func (e *emitter) integerOf(v ir.V, to string) ir.V {
	s := e.b.Func.Type(v)
	op, ok := ir.FTrunc, false
	for mod, o := range integral {
		if e.in.Has(mod) {
			op, ok = o, true
		}
	}
	if !ok {
		malformed(e.in.Pos, "%s has no rounding to an integer; must have one", e.in.Name())
	}
	v = e.b.Op(op, s, v)
	t, convert := irType(to), ir.FToU
	if isSigned(to) {
		convert = ir.FToS
	}
	n := e.b.Op(convert, t, v)
	if s == ir.F64 || t == ir.I64 {
		n = e.b.Select(e.b.Cmp(ir.FEq, v, v), n, e.b.Const(t, 1<<(t.Bits()-1)))
	}
	return n
}

// integerToInteger emits an extension or a truncation; with .sat a clamp to the type.
func (e *emitter) integerToInteger(to, from string) {
	t, s := irType(to), irType(from)
	if e.in.Has(".sat") {
		e.result(e.clampInteger(e.read(e.operand(1), s), to, from))
		return
	}
	e.moves(0, func(x ...ir.V) ir.V {
		if isSigned(from) && t.Bits() > s.Bits() {
			return e.b.Op(ir.SExt, t, x[0])
		}
		return e.as(x[0], t)
	}, e.bitsOf(e.operand(1), s))
}

// clampInteger emits a conversion that clamps, in the wider of the two types.
func (e *emitter) clampInteger(x ir.V, to, from string) ir.V {
	t, s := irType(to), irType(from)
	n := uint(t.Bits())
	signedTo, signedFrom := isSigned(to), isSigned(from)
	if t.Bits() > s.Bits() {
		op := ir.ZExt
		if signedFrom {
			op = ir.SExt
		}
		x, s = e.b.Op(op, t, x), t
	}
	greatest := uint64(1)<<(n-1) - 1
	if !signedTo {
		greatest = t.Mask()
	}
	switch {
	case signedFrom && signedTo:
		x = e.b.Op(ir.SMax, s, x, e.b.Const(s, ^greatest))
		x = e.b.Op(ir.SMin, s, x, e.b.Const(s, greatest))
	case signedFrom:
		x = e.b.Op(ir.SMax, s, x, e.b.Const(s, 0))
		x = e.b.Op(ir.UMin, s, x, e.b.Const(s, greatest))
	default:
		x = e.b.Op(ir.UMin, s, x, e.b.Const(s, greatest))
	}
	return e.as(x, t)
}
