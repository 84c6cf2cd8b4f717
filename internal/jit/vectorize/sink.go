package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Sinking of select arms below a branch (un-if-conversion)
//
// Functions of the math library end with selects between the common result and those for infinities, NaN,
// zeros and other special operands. Hardly any lane selects a special result, but the select needs both. If
// the operations of one arm are used by nothing else, they move below a branch that is taken if no lane
// selects them:
//
//	vs = fsqrt.f32 va                copy    v, vb
//	vd = fdiv.f32 vs, vb             and     m, active, vc
//	…                          →     jumpifnone m, end
//	v = select.f32 vc, vd, vb        vs = fsqrt va; vd = fdiv vs, vb     in the lanes of m
//	                                 copy    v, vd                       in the lanes of m
//	                           end:
//
// This reverses if-conversion (Allen, Kennedy, Porterfield & Warren 1983) for unlikely arms, as LLVM's
// CodeGenPrepare does for scalar selects with an expensive operand. It relies on the arm having no side
// effects and lanes not communicating in it: the order of other operations stays.

// Limits of sinking.
const (
	sinkWindow        = 128 // at most so many operations before the select
	minSunk           = 6   // weight from which an arm is worth a branch
	longLatencyWeight = 3   // weight of a square root or division; others weigh 1
)

// sunkArm is the sunk arm of a select: the number of the operand, and the operations that compute it, in
// order.
type sunkArm struct {
	arm   int
	chain []ir.V
}

// sinking finds the arms to sink.
type sinking struct {
	f       *ir.Func
	selects map[ir.V]sunkArm // by select; the result
	sunk    []bool           // operations that are emitted with their select
	uses    []int32          // how often each value is used
	seen    []int32          // how often the current chain uses it
	arena   *arena
}

// findSunkArms finds the arms to sink in f, of the selects that want accepts.
func findSunkArms(f *ir.Func, want func(ir.V) bool, mem *arena) *sinking {
	d := &sinking{f: f, selects: map[ir.V]sunkArm{}, sunk: mem.flags.Alloc(len(f.Vals)), arena: mem}
	first := 0 // start of the current run of code without control flow
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

// countUses fills uses on first use.
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

// consider sinks an arm of select v, at index i of the code, if one is worth it. The arm begins at index
// first or later.
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

// armChain returns the operations between the indices first and last that compute root and nothing else, in
// order: tests, selects, square roots and divisions. It returns nil if they weigh too little.
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

// isTest reports whether an operation compares, selects, or looks at the bits of a float.
func isTest(x *ir.Val) bool {
	switch x.Op.Family() {
	case ir.Comparisons, ir.Choice:
		return true
	case ir.Bitwise:
		return x.Type == ir.B1
	}
	return x.Op == ir.FCanon || x.Op == ir.Bitcast || x.Op == ir.FAbs || x.Op == ir.FNeg
}

// longLatency reports whether an operation costs about as much as a mispredicted branch.
func longLatency(x *ir.Val) bool { return x.Op.Is(ir.LongLatency) }
