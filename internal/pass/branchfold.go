package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// foldBranches is constant-branch folding and unreachable-code elimination (Muchnick
// 1997, 18.1 and 18.3): it replaces an if or switch on a constant by the code that
// runs.
//
//	if true {          A
//		A
//	} else {
//		B
//	}
//
// It does not propagate constants through parameters, as SCCP (Wegman and Zadeck
// 1991) does: fold and phielim run first and find nearly all of them.
func foldBranches(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	t := &branchFolder{f: f, reached: r.flags.Alloc(len(f.Vals)), code: f.Code[:0]}
	for _, v := range f.Code {
		t.value(v)
	}
	f.Code = t.code
}

// branchFolder walks the code once.
type branchFolder struct {
	f       *ir.Func
	code    []ir.V
	open    []region
	reached []bool // blocks that a branch of a live position goes to
	dead    bool   // no lane reaches this position
	skip    int    // openers in dead code that are not closed yet
}

// region is an open block, loop or if.
type region struct {
	opener  ir.V
	decided bool // an if on a constant: its if, else and end are removed
	first   bool // decided: the condition is true
	seen    bool // an if: its else has been passed
	falls   bool // an if: lanes fall off the end of its first arm
}

// value processes one operation. In dead code it only tracks the nesting.
func (t *branchFolder) value(v ir.V) {
	x := t.f.Val(v)
	if t.dead {
		switch {
		case x.Op == ir.Block || x.Op == ir.Loop || x.Op == ir.If:
			t.skip++
			return
		case x.Op == ir.End && t.skip > 0:
			t.skip--
			return
		case x.Op != ir.End && x.Op != ir.Else || t.skip > 0:
			return
		}
	}
	switch x.Op {
	case ir.If:
		t.ifOn(v, x)
	case ir.Else:
		t.elseArm(v)
	case ir.End:
		t.end(v)
	case ir.Block, ir.Loop:
		t.open = append(t.open, region{opener: v})
		t.code = append(t.code, v)
	case ir.Switch:
		t.switchOn(v, x)
	case ir.Br:
		t.reached[x.Args[0]] = true
		t.leave(v)
	case ir.Kill:
		t.leave(v)
	default:
		t.code = append(t.code, v)
	}
}

// leave appends an operation after which no lane goes on. The code after it up to the next end or
// else is dead.
func (t *branchFolder) leave(v ir.V) {
	t.code = append(t.code, v)
	t.dead = true
}

// An arm of a decided if needs no label, since only block and loop are targets of branches; so its
// if and end can go.
func (t *branchFolder) ifOn(v ir.V, x *ir.Val) {
	r := region{opener: v}
	if c := t.f.Val(x.Args[0]); c.Op == ir.Const {
		r.decided, r.first = true, c.Aux != 0
		t.dead = !r.first
	} else {
		t.code = append(t.code, v)
	}
	t.open = append(t.open, r)
}

func (t *branchFolder) elseArm(v ir.V) {
	r := &t.open[len(t.open)-1]
	r.seen, r.falls = true, !t.dead
	if !r.decided {
		t.code = append(t.code, v)
	}
	t.dead = r.decided && r.first
}

// end closes the innermost region and decides whether lanes reach the code after it.
func (t *branchFolder) end(v ir.V) {
	r := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	op := t.f.Val(r.opener).Op
	if !r.decided {
		t.code = append(t.code, v)
	}
	switch {
	// Lanes reach the end of a block by falling through or by a branch.
	case op == ir.Block:
		t.dead = t.dead && !t.reached[r.opener]
	case op == ir.Loop: // a loop has no fall-through: it is left by branches only
	case r.decided && r.first && r.seen:
		t.dead = !r.falls
	case r.decided && !r.first && !r.seen:
		t.dead = false // all lanes skipped the only arm
	case r.decided:
	default:
		t.dead = t.dead && r.seen && !r.falls
	}
}

// switchOn replaces a switch on a constant by a branch. The values of cases are distinct, so the
// first match is the only one.
func (t *branchFolder) switchOn(v ir.V, x *ir.Val) {
	cases := t.f.Cases(v)
	sel := t.f.Val(x.Args[0])
	if sel.Op != ir.Const {
		t.reached[x.Args[1]] = true
		for i := 1; i < len(cases); i += 2 {
			t.reached[cases[i]] = true
		}
		t.leave(v)
		return
	}
	label := x.Args[1]
	for i := 0; i < len(cases); i += 2 {
		if t.f.Val(cases[i]).Aux == sel.Aux {
			label = cases[i+1]
			break
		}
	}
	t.reached[label] = true
	*x = ir.Val{Op: ir.Br, Args: [4]ir.V{label}, Origin: x.Origin}
	t.leave(v)
}
