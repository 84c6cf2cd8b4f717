package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// fold is constant folding and algebraic simplification (Muchnick 1997, 12.1 and
// 12.3). Operations on constants are evaluated with the table that the engines use,
// so that results cannot differ. Copies are replaced by their source, for example
// integer operations with a neutral element:
//
//	v2 = add.i32 v1, 0:i32         v2 is v1
//	v3 = mul.i32 2:i32, 3:i32      v3 is 6:i32
//	v4 = and.i32 v1, 0:i32         v4 is 0:i32
//
// Floating-point identities are not used: x+0 is not x if x is −0. Unlike GCC and
// LLVM the pass does not reassociate.
func fold(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	to := r.values.Alloc(len(f.Vals)) // by value: its replacement, or 0
	some := false
	code := f.Code[:0]
	for _, v := range f.Code {
		if some {
			redirect(f, v, to)
		}
		x := f.Val(v)
		if x.Op.Row().Eval == nil {
			code = append(code, v)
			continue
		}
		if same := copyOf(f, x); same != 0 {
			to[v], some = same, true
			continue
		}
		logical(f, x)
		if bits, ok := absorbed(f, x); ok {
			*x = ir.Val{Op: ir.Const, Type: x.Type, Aux: bits & x.Type.Mask(), Origin: x.Origin}
			continue
		}
		if !constant(f, x) {
			code = append(code, v)
			continue
		}
		var a [3]uint64
		for i := range min(x.Op.Args(), 3) {
			a[i] = f.Val(x.Args[i]).Aux
		}
		bits := x.Op.Row().Eval(f.Key(v), a[0], a[1], a[2])
		*x = ir.Val{Op: ir.Const, Type: x.Type, Aux: bits & x.Type.Mask(), Origin: x.Origin}
	}
	f.Code = code
	if some {
		// Arguments of back edges are defined after the loop's opener that reads them, and so need a
		// second walk.
		redirectBack(f, to)
	}
}

// constant reports whether all operands are constants.
func constant(f *ir.Func, x *ir.Val) bool {
	for i := range x.Op.Args() {
		if f.Val(x.Args[i]).Op != ir.Const {
			return false
		}
	}
	return true
}

// copyOf returns the operand that the operation always equals, or 0. It must hold for all bits of
// the operand: x·1 for integers only, and for floats not even x + 0.
func copyOf(f *ir.Func, x *ir.Val) ir.V {
	c := func(i int) (uint64, bool) {
		a := f.Val(x.Args[i])
		return a.Aux, a.Op == ir.Const
	}
	ones := x.Type.Mask()
	if x.Op.Is(ir.Idempotent) && x.Args[0] == x.Args[1] {
		return x.Args[0]
	}
	if x.Op.Is(ir.ZeroNeutral) {
		if k, ok := c(1); ok && k == 0 {
			return x.Args[0]
		}
		if k, ok := c(0); ok && k == 0 && x.Op.Is(ir.Commute) {
			return x.Args[1]
		}
	}
	switch x.Op {
	case ir.Not:
		if y := f.Val(x.Args[0]); y.Op == ir.Not {
			return y.Args[0]
		}
	case ir.FTrunc, ir.FFloor, ir.FCeil, ir.FRoundEven: // of an integer
		if f.Val(x.Args[0]).Op.Family() == ir.FloatIntegral {
			return x.Args[0]
		}
	case ir.Trunc: // of an extended number of the same type
		if y := f.Val(x.Args[0]); (y.Op == ir.ZExt || y.Op == ir.SExt) && f.Type(y.Args[0]) == x.Type {
			return y.Args[0]
		}
	case ir.And:
		if k, ok := c(1); ok && k == ones {
			return x.Args[0]
		}
		if k, ok := c(0); ok && k == ones {
			return x.Args[1]
		}
	case ir.Select:
		if k, ok := c(0); ok {
			return x.Args[2-k]
		}
		yes, ok := c(1)
		if no, also := c(2); ok && also && x.Type == ir.B1 && yes == 1 && no == 0 {
			return x.Args[0]
		}
		if x.Args[1] == x.Args[2] {
			return x.Args[1]
		}
		return guardedQuotient(f, x)
	case ir.Mul, ir.UDiv, ir.SDiv:
		if k, ok := c(1); ok && k == 1 {
			return x.Args[0]
		}
		if k, ok := c(0); ok && k == 1 && x.Op == ir.Mul {
			return x.Args[1]
		}
	case ir.At:
		if k, ok := c(1); x.Aux == 0 || ok && k == 0 {
			return x.Args[0]
		}
		if k, ok := c(0); x.Aux == 1 && ok && k == 0 {
			return x.Args[1]
		}
	}
	return 0
}

// guardedQuotient returns the quotient or remainder that a select always equals, because the other operand is its value for numbers
// that are less than the divisor, or 0:
//
//	select(a < d, 0, a / d) = a / d      select(d <= a, a mod d, a) = a mod d
//
// A divisor of 0 is greater than no number, so that the select is the quotient then, too.
func guardedQuotient(f *ir.Func, x *ir.Val) ir.V {
	c := f.Val(x.Args[0])
	var a, d, less, more ir.V // the operands of the quotient, and the result on each side
	switch c.Op {
	case ir.ULt:
		a, d, less, more = c.Args[0], c.Args[1], x.Args[1], x.Args[2]
	case ir.ULe:
		a, d, less, more = c.Args[1], c.Args[0], x.Args[2], x.Args[1]
	default:
		return 0
	}
	q, l := f.Val(more), f.Val(less)
	zero := l.Op == ir.Const && l.Aux == 0
	if (q.Op == ir.UDiv && zero || q.Op == ir.UMod && less == a) && q.Args[0] == a && q.Args[1] == d {
		return more
	}
	return 0
}

// logical turns a select between b1 values into and or or, if one of the values is
// constant or the condition itself:
//
//	select(c, y, false) = and(c, y)      select(c, true, n) = or(c, n)
func logical(f *ir.Func, x *ir.Val) {
	if x.Op != ir.Select || x.Type != ir.B1 {
		return
	}
	is := func(v ir.V, k uint64) bool {
		y := f.Val(v)
		return v == x.Args[0] || y.Op == ir.Const && y.Aux == k
	}
	switch c, yes, no := x.Args[0], x.Args[1], x.Args[2]; {
	case is(no, 0):
		*x = ir.Val{Op: ir.And, Type: ir.B1, Args: [4]ir.V{c, yes}, Origin: x.Origin}
	case is(yes, 1):
		*x = ir.Val{Op: ir.Or, Type: ir.B1, Args: [4]ir.V{c, no}, Origin: x.Origin}
	}
}

// absorbed returns the bits of an integer operation that has a constant result although not all
// operands are, such as x·0 or x−x. There is no such rule for division: x/x is not 1 for x = 0,
// since x/0 has a result of its own.
func absorbed(f *ir.Func, x *ir.Val) (bits uint64, ok bool) {
	same := x.Op.Args() == 2 && x.Args[0] == x.Args[1]
	has := func(k uint64, places int) bool {
		for _, a := range x.Args[2-places : 2] {
			if y := f.Val(a); y.Op == ir.Const && y.Aux == k {
				return true
			}
		}
		return false
	}
	switch x.Op {
	case ir.And, ir.Mul:
		return 0, has(0, 2)
	case ir.Or:
		return x.Type.Mask(), has(x.Type.Mask(), 2)
	case ir.Xor, ir.Sub, ir.ULt, ir.SLt:
		return 0, same
	case ir.Eq, ir.ULe, ir.SLe:
		return 1, same
	case ir.UMod, ir.SRem, ir.SMod:
		return 0, has(1, 1)
	}
	return 0, false
}
