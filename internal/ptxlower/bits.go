package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// result32 makes a number of bits, of any type, the result of 32 bits.
func (e *emitter) result32(v ir.V) { e.set(e.resultRegister(e.operand(0)), e.as(v, ir.I32)) }

func (e *emitter) popc() {
	t := irType(e.typ(0))
	e.result32(e.b.Op(ir.BitCount, t, e.args(1, t)[0]))
}

func (e *emitter) brev() {
	t := irType(e.typ(0))
	e.moves(0, func(x ...ir.V) ir.V { return e.b.Op(ir.BitReverse, t, x[0]) }, e.bitsOf(e.operand(1), t))
}

// clz emits n−1 − (the number of the highest one, −1 for 0).
func (e *emitter) clz() {
	t := irType(e.typ(0))
	v := e.b.Op(ir.FindUMsb, t, e.args(1, t)[0])
	e.result32(e.b.Op(ir.Sub, t, e.b.Const(t, uint64(t.Bits()-1)), v))
}

// bfind emits the number of the highest one, or of the highest bit that differs from the sign; all ones if there is none. With
// .shiftamt it is the distance to the highest bit.
func (e *emitter) bfind() {
	t := irType(e.typ(0))
	op := ir.FindUMsb
	if isSigned(e.typ(0)) {
		op = ir.FindSMsb
	}
	v := e.b.Op(op, t, e.args(1, t)[0])
	v = e.as(v, ir.I32)
	if e.in.Has(".shiftamt") {
		none := e.b.Cmp(ir.Eq, v, e.b.I32(^uint32(0)))
		v = e.b.Select(none, v, e.b.Op(ir.Sub, ir.I32, e.b.I32(uint32(t.Bits()-1)), v))
	}
	e.set(e.resultRegister(e.operand(0)), v)
}

// low8 returns the low 8 bits of an operand, at most most.
func (e *emitter) low8(i int, most uint32) ir.V {
	v := e.b.Op(ir.And, ir.I32, e.read(e.operand(i), ir.I32), e.b.I32(0xff))
	return e.b.Op(ir.UMin, ir.I32, v, e.b.I32(most))
}

// bfe extracts the bits from pos on, len of them; a signed field has the sign bit min(pos+len−1, n−1), and bits beyond the operand are
// its sign.
func (e *emitter) bfe() {
	t := irType(e.typ(0))
	n := uint32(t.Bits())
	var pos, length ir.V
	rest := e.separately(func() { pos, length = e.low8(2, n), e.low8(3, n) })
	shift, op := ir.LShr, ir.BitFieldU
	if isSigned(e.typ(0)) {
		shift, op = ir.AShr, ir.BitFieldS
	}
	e.moves(rest, func(x ...ir.V) ir.V {
		v := e.b.Op(op, t, e.shiftBy(shift, x[0], pos), e.b.I32(0), length)
		return e.b.Select(e.b.Cmp(ir.Eq, length, e.b.I32(0)), e.b.Const(t, 0), v)
	}, e.bitsOf(e.operand(1), t))
}

// shiftBy shifts by an amount that may reach or exceed the width: all bits leave then.
func (e *emitter) shiftBy(op ir.Op, x, by ir.V) ir.V {
	t := e.b.Func.Type(x)
	n := uint32(t.Bits())
	if op == ir.AShr {
		by = e.b.Op(ir.UMin, ir.I32, by, e.b.I32(n-1))
		return e.b.Op(op, t, x, e.as(by, t))
	}
	v := e.b.Op(op, t, x, e.as(by, t))
	return e.b.Select(e.b.Cmp(ir.ULt, by, e.b.I32(n)), v, e.b.Const(t, 0))
}

// bfi inserts the low len bits of a into b from pos on.
func (e *emitter) bfi() {
	t := irType(e.typ(0))
	n := uint32(t.Bits())
	var pos, length ir.V
	rest := e.separately(func() { pos, length = e.low8(3, n), e.low8(4, n) })
	ones := e.b.Op(ir.Not, t, e.shiftBy(ir.Shl, e.b.Const(t, t.Mask()), length))
	mask := e.shiftBy(ir.Shl, ones, pos)
	e.moves(rest, func(x ...ir.V) ir.V {
		v := e.b.Op(ir.And, t, e.shiftBy(ir.Shl, x[0], pos), mask)
		return e.b.Op(ir.Or, t, v, e.b.Op(ir.And, t, x[1], e.b.Op(ir.Not, t, mask)))
	}, e.bitsOf(e.operand(1), t), e.bitsOf(e.operand(2), t))
}

// amount returns an operand clamped to 32, or modulo 32 with .wrap.
func (e *emitter) amount(i int) ir.V {
	v := e.read(e.operand(i), ir.I32)
	if e.in.Has(".wrap") {
		return e.b.Op(ir.And, ir.I32, v, e.b.I32(31))
	}
	return e.b.Op(ir.UMin, ir.I32, v, e.b.I32(32))
}

// bmsk emits b ones from bit a on.
func (e *emitter) bmsk() {
	a, b := e.amount(1), e.amount(2)
	ones := e.b.Op(ir.Not, ir.I32, e.shiftBy(ir.Shl, e.b.I32(^uint32(0)), b))
	e.result(e.shiftBy(ir.Shl, ones, a))
}

// szext extends the low b bits of a.
func (e *emitter) szext() {
	a, b := e.read(e.operand(1), ir.I32), e.amount(2)
	op := ir.BitFieldU
	if isSigned(e.typ(0)) {
		op = ir.BitFieldS
	}
	v := e.b.Op(op, ir.I32, a, e.b.I32(0), b)
	e.result(e.b.Select(e.b.Cmp(ir.Eq, b, e.b.I32(0)), e.b.I32(0), v))
}

// fns finds the n-th one of a mask from base on, upward or downward: a search bit by bit.
func (e *emitter) fns() {
	mask, base, offset := e.read(e.operand(1), ir.I32), e.read(e.operand(2), ir.I32), e.read(e.operand(3), ir.I32)
	zero := e.b.I32(0)
	down := e.b.Cmp(ir.SLt, offset, zero)
	// With the mask reversed, a search downward is one upward.
	m := e.b.Select(down, e.b.Op(ir.BitReverse, ir.I32, mask), mask)
	from := e.b.Select(down, e.b.Op(ir.Sub, ir.I32, e.b.I32(31), base), base)
	m = e.b.Op(ir.And, ir.I32, m, e.shiftBy(ir.Shl, e.b.I32(^uint32(0)), from))
	n := e.b.Op(ir.SAbs, ir.I32, offset)
	// offset 0 asks for bit base itself, and ±1 for the first one.
	self := e.b.Op(ir.And, ir.I32, m, e.shiftBy(ir.Shl, e.b.I32(1), from))
	m = e.b.Select(e.b.Cmp(ir.Eq, n, zero), self, m)
	n = e.b.Op(ir.UMax, ir.I32, n, e.b.I32(1))
	found := e.b.I32(^uint32(0))
	for i := range uint32(32) {
		bit := e.b.Op(ir.And, ir.I32, e.b.Op(ir.LShr, ir.I32, m, e.b.I32(i)), e.b.I32(1))
		n = e.b.Op(ir.Sub, ir.I32, n, bit)
		hit := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.Eq, n, zero), e.b.Cmp(ir.Eq, bit, e.b.I32(1)))
		found = e.b.Select(hit, e.b.I32(i), found)
	}
	back := e.b.Op(ir.Sub, ir.I32, e.b.I32(31), found)
	none := e.b.Cmp(ir.Eq, found, e.b.I32(^uint32(0)))
	e.result(e.b.Select(e.b.Op(ir.And, ir.B1, down, e.b.Op(ir.Not, ir.B1, none)), back, found))
}

// logic emits and, or and xor.
func (e *emitter) logic() {
	op := map[string]ir.Op{"and": ir.And, "or": ir.Or, "xor": ir.Xor}[e.in.Op]
	t := irType(e.typ(0))
	x := e.combine(op, e.bitsOf(e.operand(1), t), e.bitsOf(e.operand(2), t))
	e.lacks(x.missing, 0)
	e.result(x.v)
}

func (e *emitter) not() {
	t := irType(e.typ(0))
	x := e.bitsOf(e.operand(1), t)
	e.lacks(x.missing, 0)
	e.result(e.b.Op(ir.Not, t, x.v))
}

// cnot emits 1 for 0, else 0.
func (e *emitter) cnot() {
	t := irType(e.typ(0))
	e.result(e.b.Op(ir.ZExt, t, e.b.Cmp(ir.Eq, e.args(1, t)[0], e.b.Const(t, 0))))
}

// lop3 emits the function of three bits that a table of 8 bits has, as a sum of products; with a predicate, whether the result is not 0,
// combined with it.
func (e *emitter) lop3() {
	x := []followed{e.bitsOf(e.operand(1), ir.I32), e.bitsOf(e.operand(2), ir.I32), e.bitsOf(e.operand(3), ir.I32)}
	lut := e.constantOperand(4)
	v := e.products(x, func(i int) bool { return lut>>i&1 != 0 }, false)
	missing := ir.V(0)
	if x[0].missing != 0 || x[1].missing != 0 || x[2].missing != 0 { // a bit has no value if it may be 1 and 0
		one := e.products(x, func(i int) bool { return lut>>i&1 != 0 }, true)
		zero := e.products(x, func(i int) bool { return lut>>i&1 == 0 }, true)
		missing = e.b.Op(ir.And, ir.I32, one, zero)
	}
	e.lacks(missing, 0)
	if len(e.in.Operands) == 5 {
		e.result(v)
		return
	}
	_, combine := e.comparison()
	if combine == "" || e.operand(0).Kind != ptx.Pair {
		malformed(e.in.Pos, "%s with a predicate has no Boolean operator and no second result; must have both", e.in.Name())
	}
	some := e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, v, e.b.I32(0)))
	e.writePair(v, e.b.Op(combinations[combine], ir.B1, some, e.read(e.operand(5), ir.B1)))
}

// products returns the bits whose operands are one of the rows that has selects. With open, a missing bit may be 0 and 1.
func (e *emitter) products(x []followed, has func(row int) bool, open bool) ir.V {
	v := e.b.I32(0)
	for i := range 8 {
		if !has(i) {
			continue
		}
		term := e.b.I32(^uint32(0))
		for k := range x {
			f := x[k].v
			if i>>(2-k)&1 == 0 {
				f = e.b.Op(ir.Not, ir.I32, f)
			}
			if open && x[k].missing != 0 {
				f = e.b.Op(ir.Or, ir.I32, f, x[k].missing)
			}
			term = e.b.Op(ir.And, ir.I32, term, f)
		}
		v = e.b.Op(ir.Or, ir.I32, v, term)
	}
	return v
}

// shift emits shl and shr; amounts beyond the width are the width.
func (e *emitter) shift() {
	t := irType(e.typ(0))
	op := ir.LShr
	switch {
	case e.in.Op == "shl":
		op = ir.Shl
	case isSigned(e.typ(0)):
		op = ir.AShr
	}
	var by ir.V
	rest := e.separately(func() { by = e.read(e.operand(2), ir.I32) })
	e.moves(rest, func(x ...ir.V) ir.V { return e.shiftBy(op, x[0], by) }, e.bitsOf(e.operand(1), t))
}

// funnel emits shf: a shift of the 64 bits hi:lo. The result is the high word (.l) or the low word (.r).
func (e *emitter) funnel() {
	lo, hi := e.bitsOf(e.operand(1), ir.I32), e.bitsOf(e.operand(2), ir.I32)
	if e.operand(3).Kind == ptx.Immediate {
		by := uint32(e.constant(e.operand(3).Expr))
		e.moves(0, func(x ...ir.V) ir.V { return e.funnelBy(x[0], x[1], by) }, lo, hi)
		return
	}
	var by ir.V
	rest := e.separately(func() { by = e.as(e.amount(3), ir.I64) })
	e.moves(rest, func(x ...ir.V) ir.V {
		v := e.pack(x[0], x[1])
		if e.in.Has(".r") {
			return e.b.Op(ir.Trunc, ir.I32, e.b.Op(ir.LShr, ir.I64, v, by))
		}
		v = e.b.Op(ir.Shl, ir.I64, v, by)
		return e.b.Op(ir.Trunc, ir.I32, e.b.Op(ir.LShr, ir.I64, v, e.b.Const(ir.I64, 32)))
	}, lo, hi)
}

// funnelBy returns the word that a constant shift of hi:lo yields.
func (e *emitter) funnelBy(lo, hi ir.V, by uint32) ir.V {
	if e.in.Has(".wrap") {
		by %= 32
	}
	by = min(by, 32)
	if e.in.Has(".l") { // a shift to the left is one to the right by the rest of 32
		by = 32 - by
	}
	switch by {
	case 0:
		return lo
	case 32:
		return hi
	}
	return e.b.Op(ir.Or, ir.I32, e.b.Op(ir.LShr, ir.I32, lo, e.b.I32(by)), e.b.Op(ir.Shl, ir.I32, hi, e.b.I32(32-by)))
}

// prmt picks four bytes of b:a. Without a mode, four bits of c select each: the byte, and whether its sign fills the result.
func (e *emitter) prmt() {
	words := []followed{e.bitsOf(e.operand(1), ir.I32), e.bitsOf(e.operand(2), ir.I32)}
	if o := e.operand(3); o.Kind == ptx.Immediate && e.permuteMode() == "" {
		c := uint32(e.constant(o.Expr))
		e.moves(0, func(x ...ir.V) ir.V { return e.permutedBy(x[0], x[1], c) }, words...)
		return
	}
	var c ir.V
	rest := e.separately(func() { c = e.read(e.operand(3), ir.I32) })
	e.moves(rest, func(x ...ir.V) ir.V { return e.permutedAt(x[0], x[1], c) }, words...)
}

// permutedAt returns the bytes that c selects, by the mode.
func (e *emitter) permutedAt(a, b, c ir.V) ir.V {
	all := e.pack(a, b)
	pick := func(i ir.V) ir.V { // byte i of all
		by := e.b.Op(ir.ZExt, ir.I64, e.b.Op(ir.Shl, ir.I32, i, e.b.I32(3)))
		return e.b.Op(ir.And, ir.I32, e.b.Op(ir.Trunc, ir.I32, e.b.Op(ir.LShr, ir.I64, all, by)), e.b.I32(0xff))
	}
	v := e.b.I32(0)
	for i := range uint32(4) {
		var x ir.V
		if mode := e.permuteMode(); mode != "" {
			x = pick(e.permuted(mode, i, e.b.Op(ir.And, ir.I32, c, e.b.I32(3))))
		} else {
			sel := e.b.Op(ir.And, ir.I32, e.b.Op(ir.LShr, ir.I32, c, e.b.I32(4*i)), e.b.I32(15))
			x = pick(e.b.Op(ir.And, ir.I32, sel, e.b.I32(7)))
			sign := e.b.Op(ir.Mul, ir.I32, e.b.Op(ir.LShr, ir.I32, x, e.b.I32(7)), e.b.I32(0xff))
			x = e.b.Select(e.b.Cmp(ir.ULt, sel, e.b.I32(8)), x, sign)
		}
		v = e.b.Op(ir.Or, ir.I32, v, e.b.Op(ir.Shl, ir.I32, x, e.b.I32(8*i)))
	}
	return v
}

// permutedBy returns the bytes that a constant selects.
func (e *emitter) permutedBy(a, b ir.V, c uint32) ir.V {
	v := e.b.I32(0)
	for i := range uint32(4) {
		sel := c >> (4 * i) & 15
		from := a
		if sel&4 != 0 {
			from = b
		}
		var x ir.V
		if at := e.b.I32(sel & 3 * 8); sel&8 == 0 {
			x = e.b.Op(ir.BitFieldU, ir.I32, from, at, e.b.I32(8))
		} else { // the sign
			x = e.b.Op(ir.BitFieldS, ir.I32, from, e.b.I32(sel&3*8+7), e.b.I32(1))
			x = e.b.Op(ir.And, ir.I32, x, e.b.I32(0xff))
		}
		v = e.b.Op(ir.Or, ir.I32, v, e.b.Op(ir.Shl, ir.I32, x, e.b.I32(8*i)))
	}
	return v
}

// permuteMode returns the mode of a prmt, "" for none.
func (e *emitter) permuteMode() string {
	for _, m := range e.in.Mods {
		if m != ".b32" {
			return m
		}
	}
	return ""
}

// permuted returns the number of the byte that byte i of the result is, for the low two bits of the selector (PTX ISA, prmt).
func (e *emitter) permuted(mode string, i uint32, sel ir.V) ir.V {
	num := func(x uint32) ir.V { return e.b.I32(x) }
	switch mode {
	case ".f4e": // sel, sel+1, …
		return e.b.Op(ir.Add, ir.I32, sel, num(i))
	case ".b4e": // sel, sel−1, … modulo 8
		return e.b.Op(ir.And, ir.I32, e.b.Op(ir.Sub, ir.I32, sel, num(i)), num(7))
	case ".rc8":
		return sel
	case ".ecl": // max(i, sel)
		return e.b.Op(ir.UMax, ir.I32, sel, num(i))
	case ".ecr": // min(i, sel)
		return e.b.Op(ir.UMin, ir.I32, sel, num(i))
	}
	half := e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, sel, num(1)), num(1))
	return e.b.Op(ir.Add, ir.I32, half, num(i&1))
}
