package precision

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Query is an instruction with its operands. Of the results that are matrices, the set is that of column 1.
type Query struct {
	Instruction string      // a name of [Instructions] or [Judged]
	Bits        int         // width of the operands: 16, 32 or 64
	Operands    [][]float64 // the components of each operand; a matrix is its columns
	// PreserveDenormals is the execution mode DenormPreserve: denormal operands and results are not flushed to zero.
	PreserveDenormals bool
}

// Range is a closed range of results. An end may be infinite.
type Range struct{ Low, High float64 }

// Set is the set of permitted results of one component.
type Set struct {
	Any    bool    // every result is permitted, NaN too
	Exact  string  // the exact value in decimal; empty if there is none
	Ranges []Range // the numbers of the result's width in these ranges; -0 is permitted if 0 is
}

// Has reports whether a result is permitted.
func (s *Set) Has(v float64) bool {
	if s.Any {
		return true
	}
	for _, r := range s.Ranges {
		if r.Low <= v && v <= r.High {
			return true
		}
	}
	return false
}

// Find returns the row of a name of [Instructions], in any case, with or without "Op".
func Find(name string) (Instruction, bool) { return find(Instructions(), name) }

// FindJudged returns the row of a name of [Instructions] or [Judged].
func FindJudged(name string) (Instruction, bool) {
	if i, ok := Find(name); ok {
		return i, true
	}
	return find(Judged(), name)
}

func find(list []Instruction, name string) (Instruction, bool) {
	for _, i := range list {
		if strings.EqualFold(i.Name, name) || strings.EqualFold(strings.TrimPrefix(i.Name, "Op"), name) {
			return i, true
		}
	}
	return Instruction{}, false
}

// Rule returns the precision that Vulkan requires, in words.
func (i *Instruction) Rule() string {
	switch i.Class {
	case Exact:
		return "correct result"
	case Rounded:
		return "correctly rounded"
	case ULPs:
		return "an error in ULP, or an absolute error"
	}
	return "inherited from its formula"
}

// Allowed returns the permitted results of each component of the result, or the error of a context that ends.
func Allowed(ctx context.Context, q Query) (sets []Set, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i, ok := FindJudged(q.Instruction)
	if !ok {
		return nil, fmt.Errorf("no precision is defined for an instruction %q", q.Instruction)
	}
	known := false
	for _, w := range i.Widths() {
		known = known || w == q.Bits
	}
	if !known {
		return nil, fmt.Errorf("%s has no operands of %d bits", i.Name, q.Bits)
	}
	if err := i.fit(q.Operands); err != nil {
		return nil, err
	}
	defer func() { sets, err = unlessStopped(recover(), sets, err) }()
	return i.sets(ctx, &q), nil
}

// unlessStopped returns the results of an evaluation, or the error of one that was stopped. e is what it recovered from.
func unlessStopped(e any, sets []Set, err error) ([]Set, error) {
	if e == nil {
		return sets, err
	}
	s, ok := e.(stopped)
	if !ok {
		panic(e)
	}
	return nil, s.err
}

// isMatrix reports whether the operands begin with the columns of a matrix.
func (i *Instruction) isMatrix() bool { return len(i.In) == 4 }

// fit checks the shapes of operands.
func (i *Instruction) fit(x [][]float64) error {
	if n := len(x); n != len(i.In) && !(i.isMatrix() && n >= 3 && n <= 5) {
		return fmt.Errorf("%s has %d operands; %d are given", i.Name, len(i.In), n)
	}
	vector := 0
	for k, v := range x {
		shape := i.In[min(k, len(i.In)-1)]
		switch {
		case len(v) < 1 || len(v) > 4:
			return fmt.Errorf("operand %d has %d components; want 1 to 4", k+1, len(v))
		case i.isMatrix() && k == len(x)-1:
			if want := i.lastOf(x); len(v) != want {
				return fmt.Errorf("the last operand has %d components; want %d", len(v), want)
			}
			continue
		case shape == 1 && i.Out == 3 && !i.isMatrix(): // a scalar beside vectors
			if len(v) != 1 {
				return fmt.Errorf("operand %d has %d components; want 1", k+1, len(v))
			}
			continue
		case i.Name == "OpOuterProduct" && len(v) < 2:
			return fmt.Errorf("operand %d has 1 component; want 2 to 4", k+1)
		case i.Name == "OpOuterProduct":
			continue
		case i.Name == "Cross" && len(v) != 3:
			return fmt.Errorf("operand %d has %d components; want 3", k+1, len(v))
		case vector != 0 && len(v) != vector:
			return fmt.Errorf("operand %d has %d components; the first has %d", k+1, len(v), vector)
		}
		vector = len(v)
	}
	return nil
}

// lastOf returns the number of components of the last operand of a matrix instruction.
func (i *Instruction) lastOf(x [][]float64) int {
	switch i.Name {
	case "OpMatrixTimesScalar":
		return 1
	case "OpVectorTimesMatrix":
		return len(x[0])
	}
	return len(x) - 1
}

// sets returns the set of each component.
func (i *Instruction) sets(ctx context.Context, q *Query) []Set {
	return componentSets(i, q.Operands, func(x [][]float64, c int) Set { return i.set(ctx, q, x, c) })
}

// componentSets returns the set of each component of a result. set has the set of component c of operands x: a function of
// scalars has a component of each operand, and one result.
func componentSets[T any](i *Instruction, operands [][]T, set func(x [][]T, c int) Set) []Set {
	if i.Out == 1 && i.In[0] == 1 {
		list := make([]Set, len(operands[0]))
		for c := range list {
			x := make([][]T, len(operands))
			for k, v := range operands {
				x[k] = v[c : c+1]
			}
			list[c] = set(x, 0)
		}
		return list
	}
	n := len(operands[0])
	switch {
	case i.Out == 1:
		n = 1
	case i.Name == "OpVectorTimesMatrix":
		n = len(operands) - 1
	}
	list := make([]Set, n)
	for c := range list {
		list[c] = set(operands, c)
	}
	return list
}

// resultFormat returns the format of the result of a query.
func (i *Instruction) resultFormat(q *Query) *format {
	bits := q.Bits
	if i.To != 0 {
		bits = i.To
	}
	return formatOf(bits, !q.PreserveDenormals)
}

// set returns the permitted results of component n.
func (i *Instruction) set(ctx context.Context, q *Query, x [][]float64, n int) Set {
	f := i.resultFormat(q)
	kept, exact := i.results(ctx, f, x, n)
	denormal := denormals(x, q)
	if kept == nil || len(denormal) == 0 {
		return setOf(f, kept, exact)
	}
	// The range of operands that are each any number from 0 to the denormal one contains the results of every subset.
	var most Set
	if len(denormal) > 1 {
		r, ok := i.between(ctx, f, x, n, denormal)
		if !ok {
			r = nil
		}
		most = setOf(f, r, exact)
		if len(denormal) > maxFlushed {
			return most
		}
	}
	all := kept
	for set := 1; set < 1<<len(denormal); set++ {
		if s := setOf(f, all, exact); !most.Any && len(most.Ranges) > 0 && s.contains(&most) {
			return s
		}
		ranges, _ := i.results(ctx, f, flushed(x, denormal, set), n)
		if ranges == nil {
			return Set{Any: true, Exact: exact}
		}
		all = append(all, ranges...)
	}
	return setOf(f, all, exact)
}

// setOf returns the numbers of a format in ranges; nil is every result.
func setOf(f *format, ranges []interval, exact string) Set {
	s := Set{Any: ranges == nil, Exact: exact}
	for _, r := range ranges {
		s.add(Range{floatOf(f, r.lo, Up), floatOf(f, r.hi, Down)})
		if f.flush && r.hasDenormal(f) {
			s.add(Range{})
		}
	}
	return s
}

// contains reports whether each range of o is in one of s.
func (s *Set) contains(o *Set) bool {
	for _, r := range o.Ranges {
		if !slices.ContainsFunc(s.Ranges, func(b Range) bool { return b.Low <= r.Low && r.High <= b.High }) {
			return false
		}
	}
	return true
}

// hasDenormal reports whether a denormal number is in the range.
func (a interval) hasDenormal(f *format) bool {
	return a.hi.Sign() != 0 && a.lo.Sign() != 0 && a.lo.Cmp(f.leastNormal) < 0 && f.negativeNormal.Cmp(a.hi) < 0
}

// add adds a range, unless it is there.
func (s *Set) add(r Range) {
	if !s.contains(&Set{Ranges: []Range{r}}) {
		s.Ranges = append(s.Ranges, r)
	}
}

// maxFlushed bounds the denormal components of which every subset is flushed. With more of them, each is any number from 0 to
// the denormal one: no permitted result is missing.
const maxFlushed = 4

// place is a component of an operand.
type place struct{ operand, component int }

// denormals returns the components that may be flushed to zero.
func denormals(x [][]float64, q *Query) (list []place) {
	if q.PreserveDenormals {
		return nil
	}
	normal := math.Ldexp(1, formatOf(q.Bits, true).normal)
	for k, v := range x {
		for c, y := range v {
			if y != 0 && math.Abs(y) < normal {
				list = append(list, place{k, c})
			}
		}
	}
	return list
}

// flushed returns the operands with a subset of the denormal components, bits of set, as zeros.
func flushed(x [][]float64, denormal []place, set int) [][]float64 {
	all := make([][]float64, len(x))
	for k, v := range x {
		all[k] = slices.Clone(v)
	}
	for b, p := range denormal {
		if set>>b&1 != 0 {
			all[p.operand][p.component] = 0
		}
	}
	return all
}

// results returns the ranges of permitted results, nil if every result is permitted, and the exact value.
func (i *Instruction) results(ctx context.Context, f *format, x [][]float64, n int) ([]interval, string) {
	exact := Defined(func() Number { return i.Value(numbers(x, RealOf), n) })
	if exact == nil {
		return nil, ""
	}
	v := exact.(Real).Big
	text := v.Text('g', 20)
	r, ok := i.permitted(ctx, f, x, n, v)
	switch {
	case !ok:
		return nil, text
	case i.Other != nil:
		return []interval{r, point(i.Other(numbers(x, RealOf), n).(Real).Big)}, text
	}
	return []interval{r}, text
}

// permitted returns the range of permitted results for the exact value v.
func (i *Instruction) permitted(ctx context.Context, f *format, x [][]float64, n int, v *big.Float) (r interval, ok bool) {
	last := *f // zero for a denormal result is a range of its own
	last.flush = false
	switch i.Class {
	case Exact:
		return last.settled(point(v)), true
	case Rounded:
		return last.rounded(around(v)), true
	case ULPs: // one step
		f = &last
	}
	r, ok = i.evaluate(ctx, f, n, leaves(x))
	switch {
	case !ok || i.Class == ULPs:
		return r, ok
	case r.infinite(): // the distance is infinite on both sides
		return interval{NewReal().SetInf(true), NewReal().SetInf(false)}, true
	}
	low, high := NewReal().Sub(v, r.lo), NewReal().Sub(v, r.hi)
	distance := low.Abs(low)
	if high.Abs(high).Cmp(distance) > 0 {
		distance = high
	}
	return last.settled(interval{NewReal().Sub(v, distance), NewReal().Add(v, distance)}.hull(r)), true
}

// between returns a range that contains the permitted results for all operands with numbers from 0 to the denormal ones.
func (i *Instruction) between(ctx context.Context, f *format, x [][]float64, n int, denormal []place) ([]interval, bool) {
	operands := leaves(x)
	for _, p := range denormal {
		a := &operands[p.operand][p.component]
		*a = a.hull(point(NewReal()))
	}
	r, ok := i.evaluate(ctx, f, n, operands)
	switch {
	case !ok:
		return nil, false
	case i.Class != Inherited:
		return []interval{r}, true
	case r.infinite():
		return []interval{{NewReal().SetInf(true), NewReal().SetInf(false)}}, true
	}
	// The exact values are in the range: their distances from its ends are at most its width.
	width := NewReal().Sub(r.hi, r.lo)
	last := *f
	last.flush = false
	return []interval{last.settled(interval{NewReal().Sub(r.lo, width), NewReal().Add(r.hi, width)})}, true
}

// around returns a range with the exact value of a result of arithmetic, which is v if v is not rounded.
func around(v *big.Float) interval {
	r := point(v)
	least := scaled(big.NewFloat(1), v.MantExp(nil)-2*Digits)
	switch v.Acc() {
	case big.Above:
		r.lo = NewReal().SetMode(big.ToNegativeInf).Sub(v, least)
	case big.Below:
		r.hi = NewReal().SetMode(big.ToPositiveInf).Add(v, least)
	}
	return r
}

// leaves returns the operands as ranges.
func leaves(x [][]float64) [][]interval {
	all := make([][]interval, len(x))
	for k, v := range x {
		for _, y := range v {
			all[k] = append(all[k], point(NewReal().SetFloat64(y)))
		}
	}
	return all
}

// evaluate returns the range of the formula; it reports false if the formula may be undefined.
func (i *Instruction) evaluate(ctx context.Context, f *format, n int, operands [][]interval) (r interval, ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, open := e.(Undefined); !open {
				panic(e)
			}
			ok = false
		}
	}()
	return evaluate(ctx, f, func(e *evaluation) *node {
		return i.Value(numbers(operands, func(x interval) Number { return e.leaf(x) }), n).(*node)
	}), true
}

// numbers returns operands for a formula.
func numbers[T any](x [][]T, of func(T) Number) [][]Number {
	all := make([][]Number, len(x))
	for k, v := range x {
		for _, y := range v {
			all[k] = append(all[k], of(y))
		}
	}
	return all
}

// floatOf returns the number of the result's width next to x, upward or downward.
func floatOf(f *format, x *big.Float, r Rounding) float64 {
	if f.bits != 64 {
		x = f.toward(x, r)
	}
	v, side := x.Float64()
	switch {
	case r == Up && side == big.Below:
		return math.Nextafter(v, math.Inf(1))
	case r == Down && side == big.Above:
		return math.Nextafter(v, math.Inf(-1))
	}
	return v
}
