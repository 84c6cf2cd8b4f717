package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Shared code of inlined callees
//
// Shaders that filter an image themselves gather each component of the same texels. The copies of these texture functions
// share most of their code after common-subexpression elimination:
//
//	v3 = call 1(v1, v2)     texel addresses, four loads, red       70 operations, 70 of them new
//	v4 = call 2(v1, v2)     texel addresses, four loads, green     70 operations, 20 of them new
//
// So a callee that exceeds the budget by its size gets a second chance: value numbering over all copies counts the
// operations that no earlier copy has computed. Callees without calls count, such as texture functions do.

// Limits of the second chance.
const (
	maxShareTries = 8             // callees of one program
	maxShareCode  = 4 * budgetBig // operations of all copies, before common-subexpression elimination
)

// distinct returns how many operations the copies of fn and of the inlined callees add to the program, if equal
// operations on equal values count once. ok is false if that is unknown or too much work.
func (n *inliner) distinct(fn int) (many int, ok bool) {
	if n.tries++; n.tries > maxShareTries {
		return 0, false
	}
	total := 0
	for _, caller := range n.order {
		if x := &n.verdicts[caller]; x.expands && (x.inlined || caller == fn) {
			return 0, false
		}
		f := n.p.Funcs[caller]
		for _, v := range f.Code {
			if f.Val(v).Op != ir.Call {
				continue
			}
			if g := f.Callee(v); g == fn || n.verdicts[g].inlined {
				total += len(n.p.Funcs[g].Code)
			}
		}
		if total > maxShareCode {
			return 0, false
		}
	}
	for _, caller := range n.order {
		if caller != fn {
			many += n.distinctIn(n.p.Funcs[caller], fn)
		}
	}
	return many, true
}

// distinctIn returns the same for the calls in one function.
func (n *inliner) distinctIn(f *ir.Func, fn int) int {
	r := newArena()
	defer r.release()
	// The numbers after the caller's values belong to the copies. The table is a log as in cse: leaving a scope of the caller
	// removes the values that its calls have computed.
	s := &sharing{p: n.p, scratch: r, epochs: newEpochs(), table: newExprTable(r, budgetBig), next: ir.V(len(f.Vals))}
	loops, around := loopWrites(n.p, f), newScope(f, r)
	for _, v := range f.Code {
		x := f.Val(v)
		switch {
		case x.Op == ir.Call && (f.Callee(v) == fn || n.verdicts[f.Callee(v)].inlined):
			s.number(n.p.Funcs[f.Callee(v)], f.CallArgs(v))
		case x.Op.Is(ir.Control):
			s.table.back(around.step(f, v, len(s.table.log)))
			if x.Op == ir.Loop {
				s.loop(loops[v])
			}
		default:
			s.note(n.p, f, x)
		}
	}
	return s.many
}

// sharing is value numbering over the copies of callees in one caller. Arguments have the caller's numbers, and each
// other value the number of the first equal one.
type sharing struct {
	*epochs
	p       *ir.Program
	scratch *arena
	table   exprTable
	next    ir.V // the next new number
	many    int  // operations without an earlier equal one
}

// number counts the operations of one copy of g.
func (s *sharing) number(g *ir.Func, args []ir.V) {
	to := s.scratch.values.Alloc(len(g.Vals))
	for i, a := range g.Args {
		to[a] = args[i]
	}
	for v := range g.Vals {
		if x := &g.Vals[v]; v > 0 && x.Op == ir.Const {
			if to[v] = s.scratch.consts.Find(x.Type, x.Aux); to[v] == 0 {
				to[v] = s.fresh()
				s.scratch.consts.Add(x.Type, x.Aux, to[v])
			}
		}
	}
	// The scope of the copy ends with it, but its operations outside of regions dominate the code after the call.
	body := valueNumbering{p: s.p, f: g, epochs: s.epochs, scope: newScope(g, s.scratch)}
	loops := loopWrites(s.p, g)
	for _, v := range g.Code {
		x := g.Val(v)
		if x.Op.Is(ir.Control) {
			s.table.back(body.step(g, v, len(s.table.log)))
			if x.Op == ir.Loop {
				s.loop(loops[v])
			}
			s.many++
			continue
		}
		key, ok := body.key(x)
		if !ok {
			s.note(s.p, g, x)
			s.many++
			continue
		}
		for i := range min(x.Op.Args(), 3) {
			key.args[i] = s.of(to, key.args[i])
		}
		if x.Op.Is(ir.Commute) && key.args[0] > key.args[1] {
			key.args[0], key.args[1] = key.args[1], key.args[0]
		}
		if to[v] = s.table.find(&key); to[v] == 0 {
			to[v] = s.fresh()
			s.table.enter(&key, to[v])
			s.many++
		}
	}
}

// of returns the number of an operand of a copy; a parameter of a label and the result of an effect get a new one.
func (s *sharing) of(to []ir.V, v ir.V) ir.V {
	if to[v] == 0 {
		to[v] = s.fresh()
	}
	return to[v]
}

// fresh returns a new number.
func (s *sharing) fresh() ir.V {
	s.next++
	return s.next - 1
}
