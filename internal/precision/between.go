package precision

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Between is Allowed for operands that are any numbers of ranges: the sets contain all permitted results for every choice of
// operands, and may contain more. Set.Exact is empty. The operands of q are not used.
func Between(ctx context.Context, q Query, operands [][]Range) (sets []Set, err error) {
	lows := make([][]float64, len(operands))
	points := true
	for k, v := range operands {
		for _, r := range v {
			points = points && r.Low == r.High
			lows[k] = append(lows[k], r.Low)
		}
	}
	q.Operands = lows
	if points {
		return Allowed(ctx, q)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i, ok := Find(q.Instruction)
	if !ok || !slices.Contains(i.Widths(), q.Bits) {
		return nil, fmt.Errorf("no precision is defined for an instruction %q of %d bits", q.Instruction, q.Bits)
	}
	if err := i.fit(lows); err != nil {
		return nil, err
	}
	defer func() { sets, err = unlessStopped(recover(), sets, err) }()
	return componentSets(&i, ranges(operands, &q), func(x [][]interval, c int) Set { return i.rangeOf(ctx, &q, x, c) }), nil
}

// ranges returns the operands as intervals. Denormal numbers may be flushed to zero.
func ranges(operands [][]Range, q *Query) [][]interval {
	f := formatOf(q.Bits, !q.PreserveDenormals)
	all := make([][]interval, len(operands))
	for k, v := range operands {
		for _, r := range v {
			a := interval{NewReal().SetFloat64(r.Low), NewReal().SetFloat64(r.High)}
			if f.flush && a.hasDenormal(f) {
				a = a.hull(point(NewReal()))
			}
			all[k] = append(all[k], a)
		}
	}
	return all
}

// rangeOf returns a set that contains the permitted results of component n.
func (i *Instruction) rangeOf(ctx context.Context, q *Query, x [][]interval, n int) Set {
	f := i.resultFormat(q)
	r, ok := i.evaluate(ctx, f, n, x)
	if ok && i.Other != nil {
		other := *i
		other.Value = i.Other
		o, defined := other.evaluate(ctx, f, n, x)
		r, ok = r.hull(o), defined
	}
	switch {
	case !ok:
		return Set{Any: true}
	case i.Class == Rounded: // a conversion has no step that rounds
		last := *f
		last.flush = false
		return setOf(f, []interval{last.rounded(r)}, "")
	case i.Class != Inherited:
		return setOf(f, []interval{r}, "")
	case r.infinite():
		return Set{Ranges: []Range{{math.Inf(-1), math.Inf(1)}}}
	}
	// The exact values are in the range: their distances from its ends are at most its width.
	width := NewReal().Sub(r.hi, r.lo)
	last := *f
	last.flush = false
	return setOf(f, []interval{last.settled(interval{NewReal().Sub(r.lo, width), NewReal().Add(r.hi, width)})}, "")
}
