package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// comparison returns the comparison of an instruction and the Boolean operator after it, "" for none.
func (e *emitter) comparison() (cmp, combine string) {
	for _, m := range e.in.Mods {
		switch m {
		case ".and", ".or", ".xor":
			combine = m
		case ".ftz":
		default:
			if ptx.TypeSize(m) == 0 {
				cmp = m
			}
		}
	}
	return cmp, combine
}

// compared emits the comparison of two operands of a type.
func (e *emitter) compared(cmp, t string, a, b *ptx.Operand) ir.V {
	if isFloat(t) {
		x, y := e.flush(e.read(a, irType(t))), e.flush(e.read(b, irType(t)))
		return e.floatCompared(cmp, x, y)
	}
	if halfKind(t) == bfloat {
		return e.floatCompared(cmp, e.fromBfloat(e.read(a, ir.I16)), e.fromBfloat(e.read(b, ir.I16)))
	}
	if halfKind(t) != noHalf {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	return e.integersCompared(cmp, t, e.read(a, irType(t)), e.read(b, irType(t)))
}

// integersCompared emits a comparison of integers of a type.
func (e *emitter) integersCompared(cmp, t string, x, y ir.V) ir.V {
	less, atMost := ir.ULt, ir.ULe
	if isSigned(t) {
		less, atMost = ir.SLt, ir.SLe
	}
	switch cmp {
	case ".eq":
		return e.b.Cmp(ir.Eq, x, y)
	case ".ne":
		return e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, x, y))
	case ".lt", ".lo":
		return e.b.Cmp(less, x, y)
	case ".le", ".ls":
		return e.b.Cmp(atMost, x, y)
	case ".gt", ".hi":
		return e.b.Cmp(less, y, x)
	case ".ge", ".hs":
		return e.b.Cmp(atMost, y, x)
	}
	malformed(e.in.Pos, "%s has no comparison of integers; must have one", e.in.Name())
	return 0
}

// floatCompared emits a comparison of floats; those with a u are true if an operand is a NaN.
func (e *emitter) floatCompared(cmp string, x, y ir.V) ir.V {
	not := func(v ir.V) ir.V { return e.b.Op(ir.Not, ir.B1, v) }
	number := func() ir.V { return e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.FEq, x, x), e.b.Cmp(ir.FEq, y, y)) }
	switch cmp {
	case ".eq":
		return e.b.Cmp(ir.FEq, x, y)
	case ".ne":
		return e.b.Op(ir.And, ir.B1, not(e.b.Cmp(ir.FEq, x, y)), number())
	case ".lt":
		return e.b.Cmp(ir.FLt, x, y)
	case ".le":
		return e.b.Cmp(ir.FLe, x, y)
	case ".gt":
		return e.b.Cmp(ir.FLt, y, x)
	case ".ge":
		return e.b.Cmp(ir.FLe, y, x)
	case ".equ":
		return e.b.Op(ir.Or, ir.B1, e.b.Cmp(ir.FEq, x, y), not(number()))
	case ".neu":
		return not(e.b.Cmp(ir.FEq, x, y))
	case ".ltu":
		return not(e.b.Cmp(ir.FLe, y, x))
	case ".leu":
		return not(e.b.Cmp(ir.FLt, y, x))
	case ".gtu":
		return not(e.b.Cmp(ir.FLe, x, y))
	case ".geu":
		return not(e.b.Cmp(ir.FLt, x, y))
	case ".num":
		return number()
	case ".nan":
		return not(number())
	}
	malformed(e.in.Pos, "%s has no comparison of floats; must have one", e.in.Name())
	return 0
}

// comparedHalves emits the comparisons of the low and of the high halves of .f16x2 or .bf16x2.
func (e *emitter) comparedHalves(cmp, t string, a, b *ptx.Operand) (out [2]ir.V) {
	words := [2]ir.V{e.read(a, ir.I32), e.read(b, ir.I32)}
	for i := range out {
		var x [2]ir.V
		for k, w := range words {
			h := e.b.Op(ir.Trunc, ir.I16, e.b.Op(ir.LShr, ir.I32, w, e.b.I32(uint32(16*i))))
			if halfKind(t) == pairBF {
				x[k] = e.flush(e.fromBfloat(h))
			} else {
				x[k] = e.flush(e.as(h, ir.F16))
			}
		}
		out[i] = e.floatCompared(cmp, x[0], x[1])
	}
	return out
}

func isPairOfHalves(t string) bool { return halfKind(t) == pairF16 || halfKind(t) == pairBF }

// combined emits the Boolean operator on a predicate and the last operand.
func (e *emitter) combined(v ir.V, combine string) ir.V {
	if combine == "" {
		return v
	}
	if len(e.in.Operands) < 4 {
		malformed(e.in.Pos, "%s has no predicate to combine; must have one", e.in.Name())
	}
	first := followed{v: v}
	if e.sure != 0 {
		first.missing = e.b.Op(ir.Not, ir.B1, e.sure)
	}
	x := e.combine(combinations[combine], first, e.bitsOf(e.operand(3), ir.B1))
	e.lacks(x.missing, 0)
	return x.v
}

// combinations are the Boolean operators.
var combinations = map[string]ir.Op{".and": ir.And, ".or": ir.Or, ".xor": ir.Xor}

// setp emits one or two predicates: the comparison, and its complement; of halves the comparisons of each.
func (e *emitter) setp() {
	cmp, combine := e.comparison()
	d := e.operand(0)
	if t := e.typ(0); isPairOfHalves(t) && d.Kind == ptx.Pair {
		v := e.comparedHalves(cmp, t, e.operand(1), e.operand(2))
		e.writeBoth(v[0], v[1], combine)
		return
	}
	v := e.compared(cmp, e.typ(0), e.operand(1), e.operand(2))
	if d.Kind != ptx.Pair {
		e.write(d, e.combined(v, combine))
		return
	}
	e.writeBoth(v, e.b.Op(ir.Not, ir.B1, v), combine)
}

// writeBoth writes two predicates, each combined with the last operand: the first result may be its register.
func (e *emitter) writeBoth(p, q ir.V, combine string) {
	sure, d := e.sure, e.operand(0)
	p = e.combined(p, combine)
	first := e.sure
	e.sure = sure
	q = e.combined(q, combine)
	second := e.sure
	e.sure = first
	e.write(d.Elems[0], p)
	e.sure = second
	e.write(d.Elems[1], q)
}

// setValue emits set: 1.0 or all ones if the comparison holds, else 0.
func (e *emitter) setValue() {
	cmp, combine := e.comparison()
	if len(e.types) == 1 && packedIntegers[e.typ(0)] > 0 && combine == "" {
		e.setPacked(cmp)
		return
	}
	if len(e.types) != 2 {
		malformed(e.in.Pos, "%s has %d types; must have 2", e.in.Name(), len(e.types))
	}
	if isPairOfHalves(e.types[1]) {
		e.setHalves(cmp, combine)
		return
	}
	v := e.combined(e.compared(cmp, e.types[1], e.operand(1), e.operand(2)), combine)
	t := irType(e.types[0])
	yes := e.b.Const(t, t.Mask())
	switch {
	case t.IsFloat():
		yes = e.one(t)
	case halfKind(e.types[0]) == bfloat:
		yes = e.b.Const(t, 0x3f80)
	}
	e.result(e.b.Select(v, yes, e.b.Const(t, 0)))
}

// setHalves emits set of .f16x2 or .bf16x2: in each half 1.0 or all ones if the comparison holds, else 0.
func (e *emitter) setHalves(cmp, combine string) {
	yes, ok := map[string]uint64{".f16x2": 0x3c00, ".bf16x2": 0x3f80, ".u32": 0xffff, ".s32": 0xffff}[e.types[0]]
	if !ok {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	v := e.comparedHalves(cmp, e.types[1], e.operand(1), e.operand(2))
	sure := e.sure
	var both [2]ir.V
	for i := range v {
		e.sure = sure
		v[i] = e.b.Select(e.combined(v[i], combine), e.b.Const(ir.I16, yes), e.b.Const(ir.I16, 0))
		both[i] = e.sure
	}
	if e.sure = both[0]; both[1] != 0 {
		e.meet(both[1])
	}
	e.result(e.pack(v[0], v[1]))
}

func (e *emitter) selp() {
	t := irType(e.typ(0))
	var p ir.V
	rest := e.separately(func() { p = e.read(e.operand(3), ir.B1) })
	e.moves(rest, func(x ...ir.V) ir.V { return e.b.Select(p, x[0], x[1]) }, e.bitsOf(e.operand(1), t), e.bitsOf(e.operand(2), t))
}

// slct emits a if c ≥ 0, else b. A NaN selects b.
func (e *emitter) slct() {
	t := irType(e.typ(0))
	x := e.args(2, t)
	c := e.flush(e.read(e.operand(3), irType(e.typ(1))))
	var positive ir.V
	if e.b.Func.Type(c).IsFloat() {
		positive = e.b.Cmp(ir.FLe, e.b.Const(ir.F32, 0), c)
	} else {
		positive = e.b.Cmp(ir.SLe, e.b.I32(0), c)
	}
	e.result(e.b.Select(positive, x[0], x[1]))
}
