package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Bounds of what is deferred: how far before a select it may begin, and how many
// operations are worth a jump.
const (
	deferWindow  = 128
	minDeferred  = 6
	longDeferred = 3 // what a root or a quotient counts for
)

// deferral is what is done for one way of a select alone, and only where lanes
// want it: the way's place among the operands, and the operations in order.
type deferral struct {
	way   int
	chain []ir.V
}

// deferring finds selects between a value that is computed and one that is
// chosen by a chain of tests or comes out of a root or quotient, as functions end
// that treat infinities, NaN and zeros apart: hardly ever does a lane want that.
type deferring struct {
	f     *ir.Func
	late  map[ir.V]deferral // by select
	skip  []bool            // what is made with a select
	uses  []int32           // of each value, how often it is read
	found []int32           // reads by the chain being looked at
	in    *room
}

// deferralsOf finds what f may defer, of selects that want accepts.
func deferralsOf(f *ir.Func, want func(ir.V) bool, in *room) *deferring {
	d := &deferring{f: f, late: map[ir.V]deferral{}, skip: in.flags.Alloc(len(f.Vals)), in: in}
	first := 0 // of the code without control
	for i, v := range f.Code {
		x := f.Val(v)
		switch {
		case x.Op.Is(ir.Control) || x.Op.Is(ir.Meets):
			first = i + 1
		case x.Op == ir.Select && x.Type != ir.B1 && !d.skip[v] && want(v):
			d.look(v, max(first, i-deferWindow), i)
		}
	}
	return d
}

// count notes how often values are read, when it is first wanted.
func (d *deferring) count() {
	if d.uses != nil {
		return
	}
	d.uses, d.found = d.in.numbers.Alloc(len(d.f.Vals)), d.in.numbers.Alloc(len(d.f.Vals))
	for _, v := range d.f.Code {
		d.f.Operands(v, func(a ir.V) { d.uses[a]++ })
	}
	for _, v := range d.f.Results() {
		d.uses[v]++
	}
}

// look looks at the select at the i-th place of the code.
func (d *deferring) look(v ir.V, first, i int) {
	x := d.f.Val(v)
	for way := 1; way <= 2; way++ {
		if a := d.f.Val(x.Args[way]); a.Op != ir.Select && !long(a) || x.Args[way] == x.Args[3-way] {
			continue
		}
		d.count()
		if chain := d.chain(x.Args[way], first, i); chain != nil {
			d.late[v] = deferral{way, chain}
			for _, c := range chain {
				d.skip[c] = true
				delete(d.late, c)
			}
			return
		}
	}
}

// chain returns the operations from place first on and before place last that
// nobody reads but they themselves and, for root, one other; nil where they are
// few. They are tests, choices, roots and quotients.
func (d *deferring) chain(root ir.V, first, last int) []ir.V {
	if d.uses[root] != 1 {
		return nil
	}
	var back, touched []ir.V
	d.found[root]++
	touched = append(touched, root)
	n := 0
	for i := last - 1; i >= first; i-- {
		v := d.f.Code[i]
		x := d.f.Val(v)
		if d.found[v] == 0 || d.found[v] != d.uses[v] || d.skip[v] || !test(x) && !long(x) {
			continue
		}
		if _, ok := d.late[v]; ok {
			continue
		}
		back = append(back, v)
		switch {
		case long(x):
			n += longDeferred
		case x.Op != ir.Bitcast:
			n++
		}
		for _, a := range x.Args[:x.Op.Args()] {
			d.found[a]++
			touched = append(touched, a)
		}
	}
	for _, v := range touched {
		d.found[v] = 0
	}
	if n < minDeferred {
		return nil
	}
	out := make([]ir.V, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		out = append(out, back[i])
	}
	return out
}

// test reports whether an operation compares, chooses, or only looks at bits.
func test(x *ir.Val) bool {
	switch x.Op.Family() {
	case ir.Comparisons, ir.Choice:
		return true
	case ir.Bitwise:
		return x.Type == ir.B1
	}
	return x.Op == ir.FCanon || x.Op == ir.Bitcast || x.Op == ir.FAbs || x.Op == ir.FNeg
}

// long reports whether an operation takes the machine longer than a jump that is
// foreseen wrongly, or nearly so.
func long(x *ir.Val) bool { return x.Op.Is(ir.LongLatency) }

// selectLate emits a select one of whose ways is computed where a lane wants it.
func (w *widener) selectLate(v ir.V, d deferral) {
	x := w.src.Val(v)
	rest, to, all := w.regs(vcode.Mask), w.vec(v), w.active
	split := vcode.And
	if d.way == 2 {
		split = vcode.AndNot
	}
	w.mask(split, rest, w.active, w.vec(x.Args[0]))
	from := w.vec(x.Args[3-d.way])
	for p := range to {
		w.copy(to[p], from[p], p, w.keeps(v))
	}
	end := w.newBlock()
	w.jumpIfNone(rest, end)
	w.startBlock(w.newBlock())
	w.active = rest
	for _, c := range d.chain {
		w.operation(c)
	}
	from = w.vec(x.Args[d.way])
	for p := range to {
		w.copy(to[p], from[p], p, true)
	}
	w.active = all
	w.startBlock(end)
}
