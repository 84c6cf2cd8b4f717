package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// thread decides ifs and switches on constants. The arm that every lane takes
// stays where it is, without the brackets, and what no lane reaches any more
// is dropped.
func thread(_ *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	t := &threader{f: f, reached: r.flags.Alloc(len(f.Vals)), code: f.Code[:0]}
	for _, v := range f.Code {
		t.value(v)
	}
	f.Code = t.code
}

// threader walks the code once.
type threader struct {
	f       *ir.Func
	code    []ir.V
	open    []region
	reached []bool // blocks that a lane branches to
	dead    bool   // no lane arrives here
	skip    int    // openers inside dead code that are not closed yet
}

// region is an open block, loop or if.
type region struct {
	opener  ir.V
	decided bool // an if on a constant: its brackets are dropped
	first   bool // decided: lanes take the first arm
	seen    bool // an if: its else was seen
	falls   bool // an if: lanes leave its first arm by falling off
}

func (t *threader) value(v ir.V) {
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

func (t *threader) leave(v ir.V) {
	t.code = append(t.code, v)
	t.dead = true
}

func (t *threader) ifOn(v ir.V, x *ir.Val) {
	r := region{opener: v}
	if c := t.f.Val(x.Args[0]); c.Op == ir.Const {
		r.decided, r.first = true, c.Aux != 0
		t.dead = !r.first
	} else {
		t.code = append(t.code, v)
	}
	t.open = append(t.open, r)
}

func (t *threader) elseArm(v ir.V) {
	r := &t.open[len(t.open)-1]
	r.seen, r.falls = true, !t.dead
	if !r.decided {
		t.code = append(t.code, v)
	}
	t.dead = r.decided && r.first
}

func (t *threader) end(v ir.V) {
	r := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	op := t.f.Val(r.opener).Op
	if !r.decided {
		t.code = append(t.code, v)
	}
	switch {
	case op == ir.Block:
		t.dead = t.dead && !t.reached[r.opener]
	case op == ir.Loop: // behind it nobody is
	case r.decided && r.first && r.seen:
		t.dead = !r.falls
	case r.decided && !r.first && !r.seen:
		t.dead = false // all lanes skipped the only arm
	case r.decided:
	default:
		t.dead = t.dead && r.seen && !r.falls
	}
}

func (t *threader) switchOn(v ir.V, x *ir.Val) {
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
