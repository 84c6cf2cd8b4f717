package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// binary emits an operation of two integers of the instruction's type.
func (e *emitter) binary(op ir.Op) {
	if packedIntegers[e.typ(0)] > 0 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	t := irType(e.typ(0))
	x := e.args(2, t)
	e.result(e.b.Op(op, t, x...))
}

// extremes are min and max of integers, signed or not.
var extremes = map[string]ir.Op{"min.u": ir.UMin, "max.u": ir.UMax, "min.s": ir.SMin, "max.s": ir.SMax}

// integerExtreme emits min and max of integers. With .relu, which .s32 and packed integers with a sign may have, a negative
// result is 0.
func (e *emitter) integerExtreme(t string) {
	op := extremes[e.in.Op+t[:2]]
	if op == ir.Bad || len(e.in.Operands) != 3 || e.in.Has(".relu") && t != ".s32" && t != ".s16x2" && t != ".s8x4" {
		malformed(e.in.Pos, "%s of %d operands does not exist", e.in.Name(), len(e.in.Operands))
	}
	pick := func(t ir.Type, x, y ir.V) ir.V {
		v := e.b.Op(op, t, x, y)
		if e.in.Has(".relu") {
			v = e.b.Op(ir.SMax, t, v, e.b.Const(t, 0))
		}
		return v
	}
	switch packedIntegers[t] {
	case 16:
		e.packed16(pick)
		return
	case 8:
		e.eachPacked(2, func(x []ir.V) ir.V { return pick(ir.I32, x[0], x[1]) })
		return
	}
	x := e.args(2, irType(t))
	e.result(pick(irType(t), x[0], x[1]))
}

func (e *emitter) add() {
	t := e.typ(0)
	switch {
	case len(e.types) > 1:
		e.mixed(ir.FAdd, 2)
	case isFloat(t) || halfKind(t) != noHalf:
		e.float2(ir.FAdd)
	case packedIntegers[t] == 8 || packedIntegers[t] == 16 && e.in.Has(".sat"):
		e.packedSum(ir.Add)
	case packedIntegers[t] == 16:
		e.packed16(func(t ir.Type, x, y ir.V) ir.V { return e.b.Op(ir.Add, t, x, y) })
	case e.in.Has(".sat"):
		e.saturated(ir.Add)
	case e.in.Has(".cc"):
		e.sumWithCarry(false)
	default:
		e.binary(ir.Add)
	}
}

func (e *emitter) sub() {
	t := e.typ(0)
	switch {
	case len(e.types) > 1:
		e.mixed(ir.FSub, 2)
	case isFloat(t) || halfKind(t) != noHalf:
		e.float2(ir.FSub)
	case packedIntegers[t] == 8:
		e.packedSum(ir.Sub)
	case e.in.Has(".sat"):
		e.saturated(ir.Sub)
	case e.in.Has(".cc"):
		e.differenceWithBorrow(false)
	default:
		e.binary(ir.Sub)
	}
}

// packed16 emits an operation on the halves of a word.
func (e *emitter) packed16(op func(t ir.Type, x, y ir.V) ir.V) {
	x := e.args(2, ir.I32)
	half := func(v ir.V, i uint32) ir.V {
		return e.b.Op(ir.Trunc, ir.I16, e.b.Op(ir.LShr, ir.I32, v, e.b.I32(16*i)))
	}
	lo, hi := op(ir.I16, half(x[0], 0), half(x[1], 0)), op(ir.I16, half(x[0], 1), half(x[1], 1))
	e.result(e.pack(lo, hi))
}

// pack joins two values of 16 or 32 bits.
func (e *emitter) pack(lo, hi ir.V) ir.V {
	n := int(e.b.Func.Type(lo).Bits())
	t := bitsType(n / 4)
	return e.b.Op(ir.Or, t, e.b.Op(ir.ZExt, t, lo), e.b.Op(ir.Shl, t, e.b.Op(ir.ZExt, t, hi), e.b.Const(t, uint64(n))))
}

// saturated emits add.sat.s32, sub.sat.s32 or add.sat.u32: the exact result in 64 bits, clamped.
func (e *emitter) saturated(op ir.Op) {
	switch t := e.typ(0); {
	case t == ".u32" && op == ir.Add:
		x := e.args(2, ir.I32)
		v := e.b.Op(ir.Add, ir.I64, e.b.Op(ir.ZExt, ir.I64, x[0]), e.b.Op(ir.ZExt, ir.I64, x[1]))
		e.result(e.b.Op(ir.Trunc, ir.I32, e.clampBits(v, 32, t)))
		return
	case t != ".s32":
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	x := e.args(2, ir.I32)
	e.result(e.clampS32(e.b.Op(op, ir.I64, e.b.Op(ir.SExt, ir.I64, x[0]), e.b.Op(ir.SExt, ir.I64, x[1]))))
}

// clampS32 clamps a number of 64 bits to the numbers of .s32.
func (e *emitter) clampS32(v ir.V) ir.V {
	v = e.b.Op(ir.SMax, ir.I64, v, e.b.Const(ir.I64, ^uint64(1<<31-1)))
	return e.b.Op(ir.Trunc, ir.I32, e.b.Op(ir.SMin, ir.I64, v, e.b.Const(ir.I64, 1<<31-1)))
}

func (e *emitter) mul() {
	t := e.typ(0)
	switch {
	case isFloat(t) || halfKind(t) != noHalf:
		e.float2(ir.FMul)
	default:
		x := e.args(2, irType(t))
		e.resultWide(e.product(x[0], x[1], t))
	}
}

// resultWide is result of a value whose type is wider than that of the instruction with .wide.
func (e *emitter) resultWide(v ir.V) { e.set(e.resultRegister(e.operand(0)), v) }

// product returns the half of a product that the modifiers select.
func (e *emitter) product(x, y ir.V, t string) ir.V {
	it := irType(t)
	switch {
	case e.in.Has(".wide"):
		op := ir.ZExt
		if isSigned(t) {
			op = ir.SExt
		}
		wide := bitsType(int(it.Bits()) / 4)
		return e.b.Op(ir.Mul, wide, e.b.Op(op, wide, x), e.b.Op(op, wide, y))
	case e.in.Has(".hi"):
		if isSigned(t) {
			return e.b.Op(ir.SMulHi, it, x, y)
		}
		return e.b.Op(ir.UMulHi, it, x, y)
	case e.in.Has(".lo"):
		return e.b.Op(ir.Mul, it, x, y)
	}
	malformed(e.in.Pos, "%s has none of .lo, .hi and .wide; must have one", e.in.Name())
	return 0
}

func (e *emitter) mad() {
	t := e.typ(0)
	if isFloat(t) {
		e.fma() // of targets from sm_20 on
		return
	}
	x := e.args(2, irType(t))
	if e.in.Has(".sat") {
		if t != ".s32" || !e.in.Has(".hi") {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
		v := e.b.Op(ir.SExt, ir.I64, e.b.Op(ir.SMulHi, ir.I32, x[0], x[1]))
		e.result(e.clampS32(e.b.Op(ir.Add, ir.I64, v, e.b.Op(ir.SExt, ir.I64, e.read(e.operand(3), ir.I32)))))
		return
	}
	p := e.product(x[0], x[1], t)
	pt := e.b.Func.Type(p)
	c := e.read(e.operand(3), pt)
	if e.in.Has(".cc") {
		e.setCarry(e.b.Op(ir.AddCarry, pt, p, c))
	}
	e.resultWide(e.b.Op(ir.Add, pt, p, c))
}

// carry is the name of the register CC.CF.
func (f *function) carry() *register {
	if f.cc == nil {
		f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "CC", Slots: 1, Func: f.number})
		f.cc = &register{size: 4, typ: ir.I32, number: uint64(len(f.prog.Vars) - 1)}
	}
	return f.cc
}

func (e *emitter) setCarry(v ir.V) { e.set(e.carry(), v) }

// carryIn returns CC.CF, 0 or 1.
func (e *emitter) carryIn(t ir.Type) ir.V { return e.as(e.get(e.carry()), t) }

func (e *emitter) addCarry()  { e.sumWithCarry(true) }
func (e *emitter) subBorrow() { e.differenceWithBorrow(true) }

// sumWithCarry emits add.cc and addc.
func (e *emitter) sumWithCarry(in bool) { e.withCarry(ir.Add, ir.AddCarry, in) }

// differenceWithBorrow emits sub.cc and subc.
func (e *emitter) differenceWithBorrow(in bool) { e.withCarry(ir.Sub, ir.SubBorrow, in) }

func (e *emitter) withCarry(op, carry ir.Op, in bool) {
	t := irType(e.typ(0))
	x := e.args(2, t)
	e.finishCarry(op, carry, t, x[0], x[1], in)
}

// finishCarry emits an operation, and another one for its carry or borrow. in adds or subtracts CC.CF too.
func (e *emitter) finishCarry(op, carry ir.Op, t ir.Type, x, y ir.V, in bool) {
	v, out := e.b.Op(op, t, x, y), e.b.Op(carry, t, x, y)
	if in {
		c := e.carryIn(t)
		out = e.b.Op(ir.Or, t, out, e.b.Op(carry, t, v, c))
		v = e.b.Op(op, t, v, c)
	}
	if e.in.Has(".cc") {
		e.setCarry(out)
	}
	e.result(v)
}

func (e *emitter) madCarry() {
	t := e.typ(0)
	x := e.args(2, irType(t))
	e.finishCarry(ir.Add, ir.AddCarry, irType(t), e.product(x[0], x[1], t), e.read(e.operand(3), irType(t)), true)
}

func (e *emitter) rem() {
	x := e.args(2, irType(e.typ(0)))
	e.checkDivision(x[0], x[1])
	if isSigned(e.typ(0)) {
		e.binary(ir.SRem)
		return
	}
	e.binary(ir.UMod)
}

// mul24 emits mul24 and mad24: 24 bits of each factor, of the product of 48 bits the low or the high 32.
func (e *emitter) mul24() {
	t := e.typ(0)
	x := e.args(2, ir.I32)
	ext := func(v ir.V) ir.V {
		op, wide := ir.BitFieldU, ir.ZExt
		if isSigned(t) {
			op, wide = ir.BitFieldS, ir.SExt
		}
		return e.b.Op(wide, ir.I64, e.b.Op(op, ir.I32, v, e.b.I32(0), e.b.I32(24)))
	}
	p := e.b.Op(ir.Mul, ir.I64, ext(x[0]), ext(x[1]))
	if e.in.Has(".hi") {
		p = e.b.Op(ir.LShr, ir.I64, p, e.b.Const(ir.I64, 16))
	}
	v := e.b.Op(ir.Trunc, ir.I32, p)
	if e.in.Op == "mad24" {
		c := e.read(e.operand(3), ir.I32)
		if e.in.Has(".sat") {
			e.result(e.clampS32(e.b.Op(ir.Add, ir.I64, e.b.Op(ir.SExt, ir.I64, v), e.b.Op(ir.SExt, ir.I64, c))))
			return
		}
		v = e.b.Op(ir.Add, ir.I32, v, c)
	}
	e.result(v)
}

// sad emits c + |a − b|.
func (e *emitter) sad() {
	t := e.typ(0)
	it := irType(t)
	x := e.args(3, it)
	less := ir.ULt
	if isSigned(t) {
		less = ir.SLt
	}
	d := e.b.Select(e.b.Cmp(less, x[0], x[1]), e.b.Op(ir.Sub, it, x[1], x[0]), e.b.Op(ir.Sub, it, x[0], x[1]))
	e.result(e.b.Op(ir.Add, it, x[2], d))
}

// lane returns byte or half i of a word, extended by the type.
func (e *emitter) lane(v ir.V, i, bits uint32, t string) ir.V {
	op := ir.BitFieldU
	if isSigned(t) {
		op = ir.BitFieldS
	}
	return e.b.Op(op, ir.I32, v, e.b.I32(i*bits), e.b.I32(bits))
}

func (e *emitter) dot4() {
	x := e.args(3, ir.I32)
	sum := x[2]
	for i := range uint32(4) {
		p := e.b.Op(ir.Mul, ir.I32, e.lane(x[0], i, 8, e.typ(0)), e.lane(x[1], i, 8, e.typ(1)))
		sum = e.b.Op(ir.Add, ir.I32, sum, p)
	}
	e.result(sum)
}

func (e *emitter) dot2() {
	x := e.args(3, ir.I32)
	first := uint32(0)
	if e.in.Has(".hi") {
		first = 2
	}
	sum := x[2]
	for i := range uint32(2) {
		p := e.b.Op(ir.Mul, ir.I32, e.lane(x[0], i, 16, e.typ(0)), e.lane(x[1], first+i, 8, e.typ(1)))
		sum = e.b.Op(ir.Add, ir.I32, sum, p)
	}
	e.result(sum)
}
