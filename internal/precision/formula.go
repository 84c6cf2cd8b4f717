package precision

import (
	"context"
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"
)

// kind is the operation of a node.
type kind uint8

const (
	leaf    kind = iota
	sum          // of all parts
	product      // of all parts
	negative
	step // of the function apply
)

// node is a formula. Sums and products have any number of parts: their order and grouping are open. Equal sums, products and
// negatives of an evaluation are one node.
type node struct {
	e     *evaluation
	kind  kind
	id    uint32 // the number of the node in its evaluation
	parts []*node
	apply func(of []interval) interval
	split bool // a step that distributes over the sum of its first part

	exact interval     // of a leaf
	known [4]*interval // the range, by the permitted distributions
}

// evaluation is one traversal of a formula. A comparison of ranges that overlap has two outcomes: the formula is evaluated once
// for each.
type evaluation struct {
	ctx      context.Context
	f        *format
	nodes    map[string]*node // sums, products and negatives by their parts
	ids      uint32
	groups   map[string]interval // the ranges of the groupings of parts
	outcomes []bool              // of the comparisons that have two, in order
	at       int                 // comparisons of two outcomes until now
	work     int                 // steps until now
}

const (
	maxWork     = 1 << 20 // steps of one evaluation; with more, every result is permitted
	maxOutcomes = 8       // comparisons with two outcomes
	maxParts    = 8       // parts of a sum or product with all groupings
)

// stopped is the panic of an evaluation whose context has ended.
type stopped struct{ err error }

// evaluate returns the range of a formula over all outcomes of its comparisons.
func evaluate(ctx context.Context, f *format, formula func(e *evaluation) *node) (r interval) {
	var outcomes []bool
	for first := true; ; first = false {
		e := &evaluation{ctx: ctx, f: f, outcomes: outcomes, nodes: map[string]*node{}, groups: map[string]interval{}}
		v := formula(e).bounds()
		if first {
			r = v
		}
		r = r.hull(v)
		outcomes = e.outcomes[:e.at]
		for len(outcomes) > 0 && outcomes[len(outcomes)-1] {
			outcomes = outcomes[:len(outcomes)-1]
		}
		if len(outcomes) == 0 {
			return r
		}
		outcomes[len(outcomes)-1] = true
	}
}

// count counts a step. It ends the evaluation if its context has ended, or if there are too many formulas: no permitted result
// may be missing.
func (e *evaluation) count() {
	if e.work++; e.work%64 == 0 && e.ctx.Err() != nil {
		panic(stopped{e.ctx.Err()})
	}
	if e.work > maxWork {
		panic(Undefined{})
	}
}

// add returns a new node.
func (e *evaluation) add(n node) *node {
	e.ids++
	n.e, n.id = e, e.ids
	return &n
}

// of returns the sum, the product or the negative of parts.
func (e *evaluation) of(k kind, parts []*node) *node {
	ids := make([]uint32, len(parts))
	for i, p := range parts {
		ids[i] = p.id
	}
	slices.Sort(ids)
	key := []byte{byte(k)}
	for _, id := range ids {
		key = binary.LittleEndian.AppendUint32(key, id)
	}
	n := e.nodes[string(key)]
	if n == nil {
		n = e.add(node{kind: k, parts: parts})
		e.nodes[string(key)] = n
	}
	return n
}

// leaf returns a number of a range.
func (e *evaluation) leaf(x interval) *node { return e.add(node{kind: leaf, exact: x}) }

func (n *node) Num(x float64) Number { return n.e.leaf(point(NewReal().SetFloat64(x))) }

// Pi is π in the format: either neighbor.
func (n *node) Pi() Number {
	return n.e.leaf(n.e.f.rounded(point(piValue)))
}

// flat returns the parts of a sum or a product, or the node itself.
func (n *node) flat(k kind) []*node {
	if n.kind == k {
		return n.parts
	}
	return []*node{n}
}

// join returns the sum or the product of two nodes. Products have no negative parts: the sign is outside.
func (n *node) join(k kind, b *node) *node {
	if k == product && (n.kind == negative || b.kind == negative) {
		x, y, minus := n, b, false
		if x.kind == negative {
			x, minus = x.parts[0], true
		}
		if y.kind == negative {
			y, minus = y.parts[0], !minus
		}
		if m := x.join(product, y); !minus {
			return m
		} else {
			return m.negated()
		}
	}
	return n.e.of(k, slices.Concat(n.flat(k), b.flat(k)))
}

// isZero reports whether a node is the constant 0.
func (n *node) isZero() bool {
	return n.kind == leaf && n.exact.lo.Sign() == 0 && n.exact.hi.Sign() == 0
}

func (n *node) Add(b Number) Number { return n.join(sum, b.(*node)) }
func (n *node) Mul(b Number) Number { return n.join(product, b.(*node)) }

func (n *node) Sub(b Number) Number {
	if n.isZero() {
		return b.(*node).negated()
	}
	return n.join(sum, b.(*node).negated())
}

// negated returns −n, which is exact. The negative of a sum is the sum of the negatives.
func (n *node) negated() *node {
	switch n.kind {
	case negative:
		return n.parts[0]
	case sum:
		parts := make([]*node, len(n.parts))
		for i, p := range n.parts {
			parts[i] = p.negated()
		}
		return n.e.of(sum, parts)
	}
	return n.e.of(negative, []*node{n})
}

func (n *node) then(apply func(of []interval) interval, more ...Number) *node {
	parts := []*node{n}
	for _, p := range more {
		parts = append(parts, p.(*node))
	}
	return n.e.add(node{kind: step, parts: parts, apply: apply})
}

func (n *node) Div(b Number) Number {
	m := n.then(func(x []interval) interval { return n.e.f.over(x[0], x[1]) }, b)
	m.split = true
	return m
}

func (n *node) Rsqrt() Number {
	return n.then(func(x []interval) interval { return n.e.f.rsqrt(x[0]) })
}

// Sqrt is 1/InverseSqrt.
func (n *node) Sqrt() Number { return n.Num(1).Div(n.Rsqrt()) }

func (n *node) Exp() Number {
	return n.then(func(x []interval) interval { return n.e.f.power(x[0], Real.Exp) })
}

func (n *node) Exp2() Number {
	return n.then(func(x []interval) interval { return n.e.f.power(x[0], Real.Exp2) })
}

func (n *node) Log() Number {
	return n.then(func(x []interval) interval { return n.e.f.logarithm(x[0], Real.Log) })
}

func (n *node) Log2() Number {
	return n.then(func(x []interval) interval { return n.e.f.logarithm(x[0], Real.Log2) })
}

func (n *node) Sin() Number {
	half := scaled(piValue, -1)
	return n.then(func(x []interval) interval {
		return n.e.f.circular(x[0], Real.Sin, []*big.Float{half, NewReal().Neg(half)})
	})
}

func (n *node) Cos() Number {
	return n.then(func(x []interval) interval { return n.e.f.circular(x[0], Real.Cos, []*big.Float{NewReal()}) })
}

func (n *node) Atan2(b Number) Number {
	return n.then(func(x []interval) interval { return n.e.f.atan2(x[0], x[1]) }, b)
}

func (n *node) Whole(r Rounding) Number {
	return n.then(func(x []interval) interval { return x[0].whole(r) })
}

// Significand is of exact instructions alone, which have no range.
func (n *node) Significand() Number { panic(Undefined{}) }

// Less compares two ranges. If they overlap, both outcomes are possible.
func (n *node) Less(b Number) bool {
	x, y := n.bounds(), b.(*node).bounds()
	switch {
	case x.hi.Cmp(y.lo) < 0:
		return true
	case x.lo.Cmp(y.hi) >= 0:
		return false
	}
	e := n.e
	if e.at == len(e.outcomes) {
		if e.at == maxOutcomes {
			panic(Undefined{})
		}
		e.outcomes = append(e.outcomes, false)
	}
	e.at++
	return e.outcomes[e.at-1]
}

// bounds returns the range of all results of the formula and of the formulas that are equal to it.
func (n *node) bounds() interval { return n.evaluate(true, true) }

// evaluate returns the range of a formula. expand and factor permit equal formulas by distribution: products of sums as sums,
// and sums with a common factor as products. An expanded formula is not factored again, and the reverse.
func (n *node) evaluate(expand, factor bool) interval {
	if n.kind == leaf {
		return n.exact
	}
	n.e.count()
	at := distributions(expand, factor)
	if n.known[at] == nil {
		r := n.compute(expand, factor)
		n.known[at] = &r
	}
	return *n.known[at]
}

// distributions numbers the permitted distributions.
func distributions(expand, factor bool) (n byte) {
	if expand {
		n |= 1
	}
	if factor {
		n |= 2
	}
	return n
}

// compute is evaluate without the ranges that are known.
func (n *node) compute(expand, factor bool) interval {
	switch n.kind {
	case negative:
		x := n.parts[0].evaluate(expand, factor)
		return interval{NewReal().Neg(x.hi), NewReal().Neg(x.lo)}
	case step:
		return n.evaluateStep(expand, factor)
	}
	f := n.e.f
	r := n.grouped(expand, factor, func(a, b interval) interval {
		if n.kind == sum {
			return f.rounded(a.plus(b))
		}
		return f.rounded(a.times(b))
	})
	if n.kind == product && expand {
		for i, p := range n.parts {
			if p.kind == sum {
				r = r.hull(n.expanded(i).evaluate(true, false))
			}
		}
	}
	if n.kind == sum && expand {
		for i, p := range n.parts {
			for _, m := range p.opened() {
				parts := slices.Clone(m.parts)
				for k, q := range n.parts {
					if k != i {
						parts = append(parts, q.flat(sum)...)
					}
				}
				if len(parts) <= maxParts { // else the products are expanded alone
					r = r.hull(n.e.of(sum, parts).evaluate(true, false))
				}
			}
		}
	}
	if n.kind == sum && factor {
		for _, m := range n.factored() {
			r = r.hull(m.evaluate(false, true))
		}
	}
	return r
}

// evaluateStep returns the range of a function of the ranges of its parts.
func (n *node) evaluateStep(expand, factor bool) interval {
	of := make([]interval, len(n.parts))
	for i, p := range n.parts {
		of[i] = p.bounds()
	}
	r := n.apply(of)
	if first := n.parts[0]; n.split && expand && first.kind == sum { // (a + b)/c = a/c + b/c
		parts := make([]*node, len(first.parts))
		for i, p := range first.parts {
			parts[i] = p.then(n.apply, n.parts[1])
		}
		r = r.hull(n.e.of(sum, parts).evaluate(false, false))
	}
	return r
}

// grouped returns the range of all orders and groupings of a sum or a product, by the ranges of all subsets of its parts.
// Different formulas share many subsets.
func (n *node) grouped(expand, factor bool, join func(a, b interval) interval) interval {
	if len(n.parts) > maxParts {
		panic(Undefined{})
	}
	parts := slices.SortedFunc(slices.Values(n.parts), func(a, b *node) int { return int(a.id) - int(b.id) })
	ranges := make([]interval, 1<<len(parts))
	var buffer [1 + 4*maxParts]byte
	for set := 1; set < len(ranges); set++ {
		first := set & -set
		if set == first {
			ranges[set] = parts[bits.TrailingZeros(uint(set))].evaluate(expand, factor)
			continue
		}
		key := append(buffer[:0], byte(n.kind)<<2|distributions(expand, factor))
		for i, p := range parts {
			if set>>i&1 != 0 {
				key = binary.LittleEndian.AppendUint32(key, p.id)
			}
		}
		n.e.count()
		if r, ok := n.e.groups[string(key)]; ok {
			ranges[set] = r
			continue
		}
		begun := false
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&first == 0 { // each pair once
				continue
			}
			n.e.count()
			r := join(ranges[part], ranges[set&^part])
			if begun {
				r = r.hull(ranges[set])
			}
			ranges[set], begun = r, true
		}
		n.e.groups[string(key)] = ranges[set]
	}
	return ranges[len(ranges)-1]
}

// expanded distributes a product over its part i, a sum.
func (n *node) expanded(i int) *node {
	var terms []*node
	for _, term := range n.parts[i].parts {
		factors, minus := term.factors()
		p := n.e.of(product, slices.Concat(factors, n.parts[:i], n.parts[i+1:]))
		if minus {
			p = p.negated()
		}
		terms = append(terms, p)
	}
	return n.e.of(sum, terms)
}

// opened returns the sums that a product with sums is equal to.
func (n *node) opened() (list []*node) {
	p, minus := n, n.kind == negative
	if minus {
		p = n.parts[0]
	}
	if p.kind != product {
		return nil
	}
	for i, q := range p.parts {
		if q.kind == sum {
			m := p.expanded(i)
			if minus {
				m = m.negated()
			}
			list = append(list, m)
		}
	}
	return list
}

// factored returns the sums in which two terms with a common factor are one product.
func (n *node) factored() (list []*node) {
	for i, a := range n.parts {
		for j := i + 1; j < len(n.parts); j++ {
			b := n.parts[j]
			x, xs := a.factors()
			y, ys := b.factors()
			for k, p := range x {
				for l, q := range y {
					if p != q || len(x) == 1 && len(y) == 1 {
						continue
					}
					rest := n.rest(x, k, xs).join(sum, n.rest(y, l, ys))
					m := p.join(product, rest)
					if others := slices.Concat(n.parts[:i], n.parts[i+1:j], n.parts[j+1:]); len(others) > 0 {
						m = n.e.of(sum, append(others, m))
					}
					list = append(list, m)
				}
			}
		}
	}
	return list
}

// factors returns the factors of a term, and whether it is negative.
func (n *node) factors() (list []*node, minus bool) {
	if n.kind == negative {
		return n.parts[0].flat(product), true
	}
	return n.flat(product), false
}

// rest returns the product of the factors without factor k; 1 if there is no other.
func (n *node) rest(factors []*node, k int, minus bool) *node {
	var m *node
	switch others := slices.Concat(factors[:k], factors[k+1:]); len(others) {
	case 0:
		m = n.e.leaf(point(NewReal().SetInt64(1)))
	case 1:
		m = others[0]
	default:
		m = n.e.of(product, others)
	}
	if minus {
		return m.negated()
	}
	return m
}
