package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of what is deferred: how far before a select it may begin, and how many
// operations are worth a jump.
const (
	sinkWindow        = 128
	minSunk           = 6
	longLatencyWeight = 3 // what a root or a quotient counts for
)

// sunkArm is what is done for one way of a select alone, and only where lanes
// want it: the way's place among the operands, and the operations in order.
type sunkArm struct {
	arm   int
	chain []ir.V
}

// sinking finds selects between a value that is computed and one that is
// chosen by a chain of tests or comes out of a root or quotient, as functions end
// that treat infinities, NaN and zeros apart: hardly ever does a lane want that.
type sinking struct {
	f       *ir.Func
	selects map[ir.V]sunkArm // by select
	sunk    []bool           // what is made with a select
	uses    []int32          // of each value, how often it is read
	seen    []int32          // reads by the chain being looked at
	arena   *arena
}

// findSunkArms finds what f may defer, of selects that want accepts.
func findSunkArms(f *ir.Func, want func(ir.V) bool, mem *arena) *sinking {
	d := &sinking{f: f, selects: map[ir.V]sunkArm{}, sunk: mem.flags.Alloc(len(f.Vals)), arena: mem}
	first := 0 // of the code without control
	for i, v := range f.Code {
		x := f.Val(v)
		switch {
		case x.Op.Is(ir.Control) || x.Op.Is(ir.Meets):
			first = i + 1
		case x.Op == ir.Select && x.Type != ir.B1 && !d.sunk[v] && want(v):
			d.consider(v, max(first, i-sinkWindow), i)
		}
	}
	return d
}

// countUses notes how often values are read, when it is first wanted.
func (d *sinking) countUses() {
	if d.uses != nil {
		return
	}
	d.uses, d.seen = d.arena.numbers.Alloc(len(d.f.Vals)), d.arena.numbers.Alloc(len(d.f.Vals))
	for _, v := range d.f.Code {
		d.f.Operands(v, func(a ir.V) { d.uses[a]++ })
	}
	for _, v := range d.f.Results() {
		d.uses[v]++
	}
}

// scanEffects looks at the select at the i-th place of the code.
func (d *sinking) consider(v ir.V, first, i int) {
	x := d.f.Val(v)
	for arm := 1; arm <= 2; arm++ {
		if a := d.f.Val(x.Args[arm]); a.Op != ir.Select && !longLatency(a) || x.Args[arm] == x.Args[3-arm] {
			continue
		}
		d.countUses()
		if chain := d.armChain(x.Args[arm], first, i); chain != nil {
			d.selects[v] = sunkArm{arm, chain}
			for _, c := range chain {
				d.sunk[c] = true
				delete(d.selects, c)
			}
			return
		}
	}
}

// armChain returns the operations from place first on and before place last that
// nobody reads but they themselves and, for root, one other; nil where they are
// few. They are tests, choices, roots and quotients.
func (d *sinking) armChain(root ir.V, first, last int) []ir.V {
	if d.uses[root] != 1 {
		return nil
	}
	var back, touched []ir.V
	d.seen[root]++
	touched = append(touched, root)
	n := 0
	for i := last - 1; i >= first; i-- {
		v := d.f.Code[i]
		x := d.f.Val(v)
		if d.seen[v] == 0 || d.seen[v] != d.uses[v] || d.sunk[v] || !isTest(x) && !longLatency(x) {
			continue
		}
		if _, ok := d.selects[v]; ok {
			continue
		}
		back = append(back, v)
		switch {
		case longLatency(x):
			n += longLatencyWeight
		case x.Op != ir.Bitcast:
			n++
		}
		for _, a := range x.Args[:x.Op.Args()] {
			d.seen[a]++
			touched = append(touched, a)
		}
	}
	for _, v := range touched {
		d.seen[v] = 0
	}
	if n < minSunk {
		return nil
	}
	out := make([]ir.V, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		out = append(out, back[i])
	}
	return out
}

// simplifyTest reports whether an operation compares, chooses, or only looks at bits.
func isTest(x *ir.Val) bool {
	switch x.Op.Family() {
	case ir.Comparisons, ir.Choice:
		return true
	case ir.Bitwise:
		return x.Type == ir.B1
	}
	return x.Op == ir.FCanon || x.Op == ir.Bitcast || x.Op == ir.FAbs || x.Op == ir.FNeg
}

// longLatency reports whether an operation takes the machine longer than a jump that is
// foreseen wrongly, or nearly so.
func longLatency(x *ir.Val) bool { return x.Op.Is(ir.LongLatency) }
