package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// With SanitizeUninit instructions that only move bits, and those of logic, keep the shadow of each bit: compilers move structures with
// padding and bit fields in words, and compute both sides of a Boolean operator if no side has an effect.

// followed is an operand and its bits without a value: missing is 0 if all have one.
type followed struct{ v, missing ir.V }

// bitsOf reads operand o as a type, with its missing bits as an integer. It adds nothing to the shadow of the instruction.
func (e *emitter) bitsOf(o *ptx.Operand, t ir.Type) (x followed) {
	var bits ir.V
	sure := e.separately(func() {
		e.bits = 0
		x.v = e.read(o, t)
		bits = e.bits
	})
	if sure == 0 {
		return x
	}
	if t == ir.B1 {
		x.missing = e.b.Op(ir.Not, ir.B1, sure)
		return x
	}
	n := bitsType(int(t.Size()))
	if bits == 0 || e.b.Func.Type(bits) == ir.B1 || o.Neg || o.Not || o.Expr != nil { // no copy of a register
		x.missing = e.b.Select(sure, e.b.Const(n, 0), e.b.Const(n, n.Mask()))
		return x
	}
	x.missing = e.b.Op(ir.Not, n, e.as(bits, n))
	return x
}

// present returns the missing bits as a value.
func (e *emitter) present(x followed) ir.V {
	if x.missing == 0 {
		t := e.b.Func.Type(x.v)
		if t == ir.B1 {
			return e.b.Bool(false)
		}
		return e.b.Const(bitsType(int(t.Size())), 0)
	}
	return x.missing
}

// lacks makes missing the bits that the result lacks; 0 of a result with a value. rest is the shadow of the other operands.
func (e *emitter) lacks(missing, rest ir.V) {
	e.sure, e.copied = rest, 0
	if missing == 0 {
		return
	}
	t := e.b.Func.Type(missing)
	have := e.b.Op(ir.Not, t, missing)
	if t == ir.B1 {
		e.meet(have)
		return
	}
	if rest != 0 {
		have = e.b.Select(rest, have, e.b.Const(t, 0))
	}
	e.sure, e.copied = e.full(have), have
}

// moves makes the result of op, which moves bits of operands, that of the instruction: op moves the missing bits in the same way. rest is
// the shadow of the other operands that op uses.
func (e *emitter) moves(rest ir.V, op func(x ...ir.V) ir.V, list ...followed) {
	values, missing, any := make([]ir.V, len(list)), make([]ir.V, len(list)), false
	for i, x := range list {
		values[i] = x.v
		any = any || x.missing != 0
	}
	v := op(values...)
	lost := ir.V(0)
	if any {
		for i, x := range list {
			missing[i] = e.present(x)
		}
		lost = op(missing...)
	}
	e.lacks(lost, rest)
	e.result(v)
}

// combine returns x op y, of bits or Booleans, and its missing bits: a 0 decides an and, and a 1 an or.
func (e *emitter) combine(op ir.Op, x, y followed) (out followed) {
	t := e.b.Func.Type(x.v)
	do := func(o ir.Op, list ...ir.V) ir.V { return e.b.Op(o, t, list...) }
	out.v = do(op, x.v, y.v)
	if x.missing == 0 && y.missing == 0 {
		return out
	}
	mx, my := e.present(x), e.present(y)
	out.missing = do(ir.Or, mx, my)
	if op == ir.Xor {
		return out
	}
	decides := func(v, missing ir.V) ir.V {
		if op == ir.And {
			v = do(ir.Not, v)
		}
		return do(ir.And, v, do(ir.Not, missing))
	}
	decided := do(ir.Or, decides(x.v, mx), decides(y.v, my))
	out.missing = do(ir.And, out.missing, do(ir.Not, decided))
	return out
}
