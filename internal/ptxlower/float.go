package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// half is a kind of small floats that are no type of the IR.
type half uint8

const (
	noHalf  half = iota
	pairF16      // .f16x2
	bfloat       // .bf16
	pairBF       // .bf16x2
	pairF32      // .f32x2
)

func halfKind(t string) half {
	switch t {
	case ".f16x2":
		return pairF16
	case ".bf16":
		return bfloat
	case ".bf16x2":
		return pairBF
	case ".f32x2":
		return pairF32
	}
	return noHalf
}

// lanes emits f for each component of operands of a float type, and returns the result with the bits of the type. f gets values of
// type t, for bfloat16 of 32 bits.
func (e *emitter) lanes(typ string, list []*ptx.Operand, f func(t ir.Type, x []ir.V) ir.V) ir.V {
	kind := halfKind(typ)
	if kind == noHalf {
		t := irType(typ)
		if !t.IsFloat() {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
		x := make([]ir.V, len(list))
		for i, o := range list {
			x[i] = e.flush(e.read(o, t))
		}
		return e.finish(f(t, x))
	}
	raw := make([]ir.V, len(list))
	for i, o := range list {
		raw[i] = e.read(o, bitsType(ptx.TypeSize(typ)))
	}
	return e.halves(typ, raw, f)
}

// halves emits f for each component of the bits of values of a type that is a bfloat16 or a pair.
func (e *emitter) halves(typ string, raw []ir.V, f func(t ir.Type, x []ir.V) ir.V) ir.V {
	kind := halfKind(typ)
	if kind == bfloat {
		return e.bfloatOf(e.finish(f(ir.F32, e.each(raw, e.fromBfloat))))
	}
	component := func(i uint64) ir.V {
		t := bitsType(ptx.TypeSize(typ) / 2)
		part := e.each(raw, func(v ir.V) ir.V {
			wide := e.b.Func.Type(v)
			return e.b.Op(ir.Trunc, t, e.b.Op(ir.LShr, wide, v, e.b.Const(wide, i*uint64(t.Bits()))))
		})
		switch kind {
		case pairF16:
			v := f(ir.F16, e.each(part, func(v ir.V) ir.V { return e.flush(e.as(v, ir.F16)) }))
			return e.as(e.finish(v), ir.I16)
		case pairF32:
			v := f(ir.F32, e.each(part, func(v ir.V) ir.V { return e.flush(e.as(v, ir.F32)) }))
			return e.as(e.finish(v), ir.I32)
		}
		return e.bfloatOf(e.finish(f(ir.F32, e.each(part, e.fromBfloat))))
	}
	return e.pack(component(0), component(1))
}

func (e *emitter) each(list []ir.V, f func(ir.V) ir.V) []ir.V {
	out := make([]ir.V, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// flush emits .ftz of an operand or a result. In a conversion only floats of 32 bits are flushed.
func (e *emitter) flush(v ir.V) ir.V {
	if t := e.b.Func.Type(v); e.in.Has(".ftz") && (t == ir.F32 || t.IsFloat() && e.in.Op != "cvt") {
		return e.b.Op(ir.FFlush, t, v)
	}
	return v
}

// finish emits .ftz, .sat and .relu of a result. A NaN saturates to +0.
func (e *emitter) finish(v ir.V) ir.V {
	v = e.flush(v)
	t := e.b.Func.Type(v)
	if e.in.Has(".sat") {
		v = e.b.Op(ir.NMin, t, e.b.Op(ir.NMax, t, v, e.b.Const(t, 0)), e.one(t))
	}
	if e.in.Has(".relu") {
		v = e.b.Select(e.b.Cmp(ir.FLt, v, e.b.Const(t, 0)), e.b.Const(t, 0), v)
	}
	return v
}

// one returns 1 as a float.
func (e *emitter) one(t ir.Type) ir.V {
	return e.b.Const(t, map[ir.Type]uint64{ir.F16: 0x3c00, ir.F32: 0x3f800000, ir.F64: 0x3ff0000000000000}[t])
}

// rounded emits an operation in the rounding mode of the instruction.
func (e *emitter) rounded(op ir.Op, t ir.Type, x ...ir.V) ir.V {
	if e.in.Has(".rm") || e.in.Has(".rp") {
		return e.directed(op, t, x, e.in.Has(".rp"))
	}
	v := ir.Val{Op: op, Type: t}
	copy(v.Args[:], x)
	if e.in.Has(".rz") {
		v.Flags = ir.RTZ
	}
	return e.b.Emit(v)
}

// float2 emits an operation of two floats.
func (e *emitter) float2(op ir.Op) {
	e.result(e.lanes(e.typ(0), e.in.Operands[1:3], func(t ir.Type, x []ir.V) ir.V { return e.rounded(op, t, x...) }))
}

// mixed emits an operation of .f32 with operands of 16 bits, but for the last one.
func (e *emitter) mixed(op ir.Op, n int) {
	small := e.types[1]
	if e.types[0] != ".f32" || small != ".f16" && small != ".bf16" || e.in.Has(".relu") || e.in.Has(".cc") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	var x []ir.V
	for i := range n - 1 {
		x = append(x, e.flush(e.widened(e.operand(i+1))))
	}
	x = append(x, e.flush(e.read(e.operand(n), ir.F32)))
	e.result(e.finish(e.rounded(op, ir.F32, x...)))
}

// widened returns an operand of 16 bits, which has the second type, as .f32.
func (e *emitter) widened(o *ptx.Operand) ir.V {
	if e.types[1] == ".f16" {
		return e.b.Op(ir.FCvt, ir.F32, e.read(o, ir.F16))
	}
	return e.fromBfloat(e.read(o, ir.I16))
}

func (e *emitter) fma() {
	if len(e.types) > 1 {
		e.mixed(ir.FFma, 3)
		return
	}
	if halfKind(e.typ(0)) == bfloat || halfKind(e.typ(0)) == pairBF {
		e.result(e.lanes(e.typ(0), e.in.Operands[1:4], func(t ir.Type, x []ir.V) ir.V { return e.oddFma(x) }))
		return
	}
	e.result(e.lanes(e.typ(0), e.in.Operands[1:4], func(t ir.Type, x []ir.V) ir.V { return e.rounded(ir.FFma, t, x...) }))
}

func (e *emitter) div() {
	t := e.typ(0)
	if !isFloat(t) {
		x := e.args(2, irType(t))
		e.checkDivision(x[0], x[1])
		if isSigned(t) {
			e.binary(ir.SDiv)
		} else {
			e.binary(ir.UDiv)
		}
		return
	}
	e.result(e.lanes(t, e.in.Operands[1:3], func(t ir.Type, x []ir.V) ir.V {
		q := e.rounded(ir.FDiv, t, x...)
		if !e.in.Has(".approx") || t != ir.F32 {
			return q
		}
		// The ISA defines the quotient by a number above 2¹²⁶: 0, or NaN of an infinity.
		const limit, infinity, nan = 0x7e800000, 0x7f800000, 0x7fc00000
		b := e.b.Op(ir.FAbs, t, x[1])
		large := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.FLt, e.b.Const(t, limit), b), e.b.Cmp(ir.FLt, b, e.b.Const(t, infinity)))
		inf := e.b.Cmp(ir.FEq, e.b.Op(ir.FAbs, t, x[0]), e.b.Const(t, infinity))
		a := e.b.Select(e.b.Cmp(ir.FEq, x[0], x[0]), e.b.Select(inf, e.b.Const(t, nan), e.b.Const(t, 0)), x[0])
		return e.b.Select(large, a, q)
	}))
}

func (e *emitter) abs() {
	t := e.typ(0)
	if irType(t).IsInt() && halfKind(t) == noHalf {
		e.result(e.b.Op(ir.SAbs, irType(t), e.args(1, irType(t))[0]))
		return
	}
	e.signs(t, ir.FAbs)
}

func (e *emitter) neg() {
	t := e.typ(0)
	if packedIntegers[t] == 8 {
		e.eachPacked(1, func(x []ir.V) ir.V { return e.b.Op(ir.Sub, ir.I32, e.b.I32(0), x[0]) })
		return
	}
	if it := irType(t); it.IsInt() && halfKind(t) == noHalf {
		e.result(e.b.Op(ir.Sub, it, e.b.Const(it, 0), e.args(1, it)[0]))
		return
	}
	e.signs(t, ir.FNeg)
}

// signs emits abs or neg of floats, which change the sign only.
func (e *emitter) signs(t string, op ir.Op) {
	if halfKind(t) == bfloat || halfKind(t) == pairBF {
		it := bitsType(ptx.TypeSize(t))
		mask := uint64(0x80008000) & it.Mask()
		x := e.args(1, it)[0]
		if op == ir.FNeg {
			e.result(e.b.Op(ir.Xor, it, x, e.b.Const(it, mask)))
		} else {
			e.result(e.b.Op(ir.And, it, x, e.b.Const(it, ^mask&it.Mask())))
		}
		return
	}
	e.result(e.lanes(t, e.in.Operands[1:2], func(t ir.Type, x []ir.V) ir.V { return e.b.Op(op, t, x[0]) }))
}

func (e *emitter) minMax() {
	t := e.typ(0)
	if irType(t).IsInt() && halfKind(t) == noHalf {
		e.integerExtreme(t)
		return
	}
	e.result(e.lanes(t, e.in.Operands[1:], func(t ir.Type, x []ir.V) ir.V {
		v := x[0]
		for _, y := range x[1:] {
			v = e.extreme(t, v, y)
		}
		return v
	}))
}

// extreme emits min or max of two floats.
func (e *emitter) extreme(t ir.Type, x, y ir.V) ir.V {
	op := ir.NMin
	if e.in.Op == "max" {
		op = ir.NMax
	}
	a, b := x, y
	if e.in.Has(".abs") {
		a, b = e.b.Op(ir.FAbs, t, x), e.b.Op(ir.FAbs, t, y)
	}
	v := e.b.Op(op, t, a, b)
	if e.in.Has(".xorsign") {
		bits := bitsType(int(t.Bits() / 8))
		sign := e.b.Op(ir.Xor, bits, e.as(x, bits), e.as(y, bits))
		sign = e.b.Op(ir.And, bits, sign, e.b.Const(bits, 1<<(t.Bits()-1)))
		v = e.as(e.b.Op(ir.Or, bits, e.as(v, bits), sign), t)
	}
	if e.in.Has(".NaN") {
		ordered := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.FEq, x, x), e.b.Cmp(ir.FEq, y, y))
		v = e.b.Select(ordered, v, e.b.Op(ir.FAdd, t, x, y))
	}
	return v
}

// unary emits a function of one float.
func (e *emitter) unary(f func(t ir.Type, x ir.V) ir.V) {
	e.result(e.lanes(e.typ(0), e.in.Operands[1:2], func(t ir.Type, x []ir.V) ir.V {
		if t == ir.F64 && e.in.Has(".approx") && e.in.Op != "rsqrt" {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
		return f(t, x[0])
	}))
}

// upperHalf reports whether an instruction is rcp.approx.ftz.f64 or rsqrt.approx.ftz.f64.
func (e *emitter) upperHalf() bool {
	return e.in.Has(".approx") && e.in.Has(".ftz") && e.typ(0) == ".f64"
}

// approxUpper emits an approximation of doubles by their upper halves: the lower half of the operand is ignored, the result's is 0,
// and a NaN is 0x7fffffff00000000 (PTX ISA, rcp.approx.ftz.f64).
func (e *emitter) approxUpper(f func(x ir.V) ir.V) {
	const upper, nan = 0xffffffff00000000, 0x7fffffff00000000
	half := func(v ir.V) ir.V {
		return e.as(e.b.Op(ir.And, ir.I64, e.as(v, ir.I64), e.b.Const(ir.I64, upper)), ir.F64)
	}
	v := e.b.Op(ir.FFlush, ir.F64, f(e.b.Op(ir.FFlush, ir.F64, half(e.read(e.operand(1), ir.F64)))))
	e.result(e.b.Select(e.b.Cmp(ir.FEq, v, v), half(v), e.b.Const(ir.F64, nan)))
}

func (e *emitter) rcp() {
	if e.upperHalf() {
		e.approxUpper(func(x ir.V) ir.V { return e.b.Op(ir.FDiv, ir.F64, e.one(ir.F64), x) })
		return
	}
	e.unary(func(t ir.Type, x ir.V) ir.V { return e.rounded(ir.FDiv, t, e.one(t), x) })
}

func (e *emitter) sqrt() {
	e.unary(func(t ir.Type, x ir.V) ir.V { return e.rounded(ir.FSqrt, t, x) })
}

func (e *emitter) rsqrt() {
	if e.upperHalf() {
		e.approxUpper(func(x ir.V) ir.V {
			return e.b.Op(ir.FDiv, ir.F64, e.one(ir.F64), e.b.Op(ir.FSqrt, ir.F64, x))
		})
		return
	}
	e.unary(func(t ir.Type, x ir.V) ir.V {
		if t == ir.F32 {
			return mathlib.InverseSqrt(e.b, x)
		}
		return e.b.Op(ir.FDiv, t, e.one(t), e.b.Op(ir.FSqrt, t, x))
	})
}

// functions are the approximations of mathlib. Their errors are below the bounds of the ISA.
var functions = map[string]func(*ir.Builder, ir.V) ir.V{"sin": mathlib.Sin, "cos": mathlib.Cos, "lg2": mathlib.Log2, "ex2": mathlib.Exp2, "tanh": mathlib.Tanh}

func (e *emitter) approx() {
	f := functions[e.in.Op]
	e.unary(func(t ir.Type, x ir.V) ir.V { return f(e.b, x) })
}

// copysign emits the magnitude of b with the sign of a.
func (e *emitter) copysign() {
	t := bitsType(ptx.TypeSize(e.typ(0)))
	sign := e.b.Const(t, 1<<(t.Bits()-1))
	x := e.args(2, t)
	v := e.b.Op(ir.And, t, x[1], e.b.Op(ir.Not, t, sign))
	e.result(e.b.Op(ir.Or, t, v, e.b.Op(ir.And, t, x[0], sign)))
}

// testp emits a test of the class of a float.
func (e *emitter) testp() {
	t := irType(e.typ(0))
	least, infinity := uint64(0x00800000), uint64(0x7f800000)
	if t == ir.F64 {
		least, infinity = 0x0010000000000000, 0x7ff0000000000000
	}
	x := e.b.Op(ir.FAbs, t, e.args(1, t)[0])
	inf := e.b.Const(t, infinity)
	small := e.b.Cmp(ir.FLt, x, e.b.Const(t, least))
	both := func(p, q ir.V) ir.V { return e.b.Op(ir.And, ir.B1, p, q) }
	var v ir.V
	switch {
	case e.in.Has(".finite"):
		v = e.b.Cmp(ir.FLt, x, inf)
	case e.in.Has(".infinite"):
		v = e.b.Cmp(ir.FEq, x, inf)
	case e.in.Has(".number"):
		v = e.b.Cmp(ir.FEq, x, x)
	case e.in.Has(".notanumber"):
		v = e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.FEq, x, x))
	case e.in.Has(".normal"):
		v = both(e.b.Cmp(ir.FLt, x, inf), e.b.Op(ir.Not, ir.B1, small))
	default:
		v = both(small, e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.FEq, x, e.b.Const(t, 0))))
	}
	e.result(v)
}
