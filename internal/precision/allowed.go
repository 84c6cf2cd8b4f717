package precision

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Query is an instruction with its operands. Of the results that are matrices, the set is that of column 1.
type Query struct {
	Instruction string      // a name of [Instructions]
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

// Find returns the row of a name, in any case, with or without "Op".
func Find(name string) (Instruction, bool) {
	for _, i := range Instructions() {
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

// Allowed returns the permitted results of each component of the result.
func Allowed(q Query) ([]Set, error) {
	i, ok := Find(q.Instruction)
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
	return i.sets(&q), nil
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
		case shape == 1 && i.Out == 3 && len(v) != 1: // a scalar beside vectors
			return fmt.Errorf("operand %d has %d components; want 1", k+1, len(v))
		case shape == 1 && i.Out == 3:
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
func (i *Instruction) sets(q *Query) []Set {
	if i.Out == 1 && i.In[0] == 1 { // a function of scalars
		list := make([]Set, len(q.Operands[0]))
		for c := range list {
			x := make([][]float64, len(q.Operands))
			for k, v := range q.Operands {
				x[k] = v[c : c+1]
			}
			list[c] = i.set(q, x, 0)
		}
		return list
	}
	n := len(q.Operands[0])
	switch {
	case i.Out == 1:
		n = 1
	case i.Name == "OpVectorTimesMatrix":
		n = len(q.Operands) - 1
	}
	list := make([]Set, n)
	for c := range list {
		list[c] = i.set(q, q.Operands, c)
	}
	return list
}

// set returns the permitted results of component n.
func (i *Instruction) set(q *Query, x [][]float64, n int) (s Set) {
	to := q.Bits
	if i.To != 0 {
		to = i.To
	}
	f := formatOf(to, !q.PreserveDenormals)
	for at, operands := range flushed(x, q) {
		ranges, exact := i.results(f, operands, n)
		if at == 0 {
			s.Exact = exact
		}
		if ranges == nil {
			return Set{Any: true, Exact: s.Exact}
		}
		for _, r := range ranges {
			s.add(Range{floatOf(f, r.lo, Up), floatOf(f, r.hi, Down)})
			if f.flush && r.hasDenormal(f) {
				s.add(Range{})
			}
		}
	}
	return s
}

// hasDenormal reports whether a denormal number is in the range.
func (a interval) hasDenormal(f *format) bool {
	normal := scaled(big.NewFloat(1), f.normal)
	return a.hi.Sign() != 0 && a.lo.Sign() != 0 && a.lo.Cmp(normal) < 0 && normal.Neg(normal).Cmp(a.hi) < 0
}

// add adds a range, unless it is there.
func (s *Set) add(r Range) {
	for _, o := range s.Ranges {
		if o.Low <= r.Low && r.High <= o.High {
			return
		}
	}
	s.Ranges = append(s.Ranges, r)
}

// maxFlushed bounds the denormal components of which every subset may be flushed.
const maxFlushed = 6

// flushed returns the operands, and every way to flush denormal ones to zero.
func flushed(x [][]float64, q *Query) (list [][][]float64) {
	normal := math.Ldexp(1, formatOf(q.Bits, true).normal)
	type place struct{ k, c int }
	var places []place
	for k, v := range x {
		for c, y := range v {
			if y != 0 && math.Abs(y) < normal && !q.PreserveDenormals && len(places) < maxFlushed {
				places = append(places, place{k, c})
			}
		}
	}
	for set := range 1 << len(places) {
		one := make([][]float64, len(x))
		for k, v := range x {
			one[k] = append([]float64(nil), v...)
		}
		for b, p := range places {
			if set>>b&1 != 0 {
				one[p.k][p.c] = 0
			}
		}
		list = append(list, one)
	}
	return list
}

// results returns the ranges of permitted results, nil if every result is permitted, and the exact value.
func (i *Instruction) results(f *format, x [][]float64, n int) ([]interval, string) {
	exact := Defined(func() Number { return i.Value(numbers(x, RealOf), n) })
	if exact == nil {
		return nil, ""
	}
	v := exact.(Real).Big
	text := v.Text('g', 20)
	r, ok := i.permitted(f, x, n, v)
	switch {
	case !ok:
		return nil, text
	case i.Other != nil:
		return []interval{r, point(i.Other(numbers(x, RealOf), n).(Real).Big)}, text
	}
	return []interval{r}, text
}

// permitted returns the range of permitted results for the exact value v.
func (i *Instruction) permitted(f *format, x [][]float64, n int, v *big.Float) (r interval, ok bool) {
	last := *f // zero for a denormal result is a range of its own
	last.flush = false
	switch i.Class {
	case Exact:
		return last.settled(point(v)), true
	case Rounded:
		return last.rounded(point(v)), true
	case ULPs: // one step
		f = &last
	}
	defer func() {
		if e := recover(); e != nil {
			if _, open := e.(Undefined); !open {
				panic(e)
			}
			ok = false
		}
	}()
	r = evaluate(f, func(e *evaluation) *node {
		return i.Value(numbers(x, func(v float64) Number { return e.leaf(NewReal().SetFloat64(v)) }), n).(*node)
	})
	if i.Class == ULPs {
		return r, true
	}
	if r.lo.IsInf() || r.hi.IsInf() { // the distance is infinite on both sides
		return interval{NewReal().SetInf(true), NewReal().SetInf(false)}, true
	}
	low, high := NewReal().Sub(v, r.lo), NewReal().Sub(v, r.hi)
	distance := low.Abs(low)
	if high.Abs(high).Cmp(distance) > 0 {
		distance = high
	}
	return last.settled(interval{NewReal().Sub(v, distance), NewReal().Add(v, distance)}), true
}

// numbers returns operands for a formula. Infinite operands and NaN leave the result open.
func numbers(x [][]float64, of func(float64) Number) [][]Number {
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
