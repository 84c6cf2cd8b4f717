package vectorize

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of counters
//
// The walk of upperBound stops at a parameter of a loop. But a uniform if around the operation may compare this parameter with a constant,
// and its arm runs only if the comparison holds (assertions of branches: Patterson 1995, "Accurate static branch prediction by value range
// propagation"):
//
//	loop L(vk i32 = 0:i32) {
//		vc = ult.i32 vk, 16:i32
//		if vc {
//			vo = at 0:i32, vk, #64       vk is at most 15, so that vo is at most 960
//			… = ld.f32 wg, vo, #0        in range of 1024 bytes of workgroup memory
//
// The bound holds in this arm alone. A signed comparison bounds an unsigned number if the number is not negative: it begins at a constant that
// is not, and grows by constants in iterations that pass the comparison.

// maxCounterStep is the largest growth of a signed counter in an iteration. With a bound of at most 2³¹ − 1 − maxCounterStep it stays positive.
const maxCounterStep = 1 << 16

// counterBound returns a number that a parameter, an i32, does not exceed at the operation that is emitted.
func (w *vectorizer) counterBound(v ir.V) uint64 {
	most := uint64(math.MaxUint32)
	if w.shapes.of[v].kind != uniform { // a bound of the active lanes says nothing of the first lane
		return most
	}
	for _, r := range w.open {
		if r.op == ir.If && r.label != 0 {
			most = min(most, w.boundBy(v, r))
		}
	}
	return most
}

// boundBy returns a number that v does not exceed in the current arm of an if.
func (w *vectorizer) boundBy(v ir.V, r *region) uint64 {
	c, holds := w.src.Val(w.src.Val(r.label).Args[0]), !r.inSecond
	for c.Op == ir.Not {
		c, holds = w.src.Val(c.Args[0]), !holds
	}
	if !slices.Contains([]ir.Op{ir.ULt, ir.ULe, ir.SLt, ir.SLe}, c.Op) {
		return math.MaxUint32
	}
	a, b := c.Args[0], c.Args[1]
	strict := c.Op == ir.ULt || c.Op == ir.SLt
	if !holds { // not b < a is a <= b
		a, b, strict = b, a, !strict
	}
	k := w.src.Val(b)
	if a != v || k.Op != ir.Const || k.Type != ir.I32 {
		return math.MaxUint32
	}
	most := k.Aux & math.MaxUint32
	switch signed := c.Op == ir.SLt || c.Op == ir.SLe; {
	case signed && (most > math.MaxInt32-maxCounterStep || r.inSecond || !w.countsFromZero(v, r.label)), strict && most == 0:
		return math.MaxUint32
	case strict:
		most--
	}
	return most
}

// countsFromZero reports whether a parameter of a loop is never negative if it is at most 2³¹ − 1 − maxCounterStep in the first arm of an if.
func (w *vectorizer) countsFromZero(v, guard ir.V) bool {
	if known, ok := w.counters[[2]ir.V{v, guard}]; ok {
		return known
	}
	if w.counters == nil {
		w.counters = map[[2]ir.V]bool{}
	}
	known := w.findCounter(v, guard)
	w.counters[[2]ir.V{v, guard}] = known
	return known
}

// findCounter computes the result of countsFromZero: the first value is not negative, and each branch back adds a small constant, after the
// first arm of the if or in it.
func (w *vectorizer) findCounter(v, guard ir.V) bool {
	x := w.src.Val(v)
	loop := x.Args[0]
	if x.Op != ir.Param || w.src.Val(loop).Op != ir.Loop {
		return false
	}
	if first := w.src.Val(w.src.Inits(loop)[x.Aux]); first.Op != ir.Const || first.Aux > math.MaxInt32 {
		return false
	}
	var open []ir.V
	begun, passed, second := false, false, false
	for i, o := range w.src.Code {
		switch op := w.src.Val(o); op.Op {
		case ir.Block, ir.Loop, ir.If:
			if o == guard {
				if !begun || open[len(open)-1] != loop {
					return false
				}
				passed = true
			}
			begun = begun || o == loop
			open = append(open, o)
		case ir.Else:
			if open[len(open)-1] == guard {
				second = true
			}
		case ir.End:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last == guard { // only lanes of the first arm may go on
				passed, second = second && w.src.Val(w.src.Code[i-1]).Op.Is(ir.Ends), false
			}
			if last == loop {
				return true
			}
		case ir.Br:
			if op.Args[0] == loop && (!passed || second || !w.isSmallStep(w.src.BrArgs(o)[x.Aux], v)) {
				return false
			}
		case ir.Switch:
			if begun {
				return false
			}
		}
	}
	return false
}

// isSmallStep reports whether a value is v plus a constant of at most maxCounterStep.
func (w *vectorizer) isSmallStep(a, v ir.V) bool {
	x := w.src.Val(a)
	if x.Op != ir.Add {
		return false
	}
	k := w.src.Val(x.Args[1])
	return x.Args[0] == v && k.Op == ir.Const && k.Aux <= maxCounterStep
}
