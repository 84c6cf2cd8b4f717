package precision

import "math/big"

// kind is the operation of a node.
type kind uint8

const (
	leaf    kind = iota
	sum          // of all parts
	product      // of all parts
	negative
	step // of the function apply
)

// node is a formula. Sums and products have any number of parts: their order and grouping are open.
type node struct {
	e     *evaluation
	kind  kind
	parts []*node
	apply func(of []interval) interval
	split bool // a step that distributes over the sum of its first part

	exact interval // of a leaf
	known *interval
}

// evaluation is one traversal of a formula. A comparison of ranges that overlap has two outcomes: the formula is evaluated once
// for each.
type evaluation struct {
	f        *format
	outcomes []bool // of the comparisons that have two, in order
	at       int    // comparisons of two outcomes until now
	work     int    // steps until now
}

const (
	maxWork     = 1 << 14 // steps of one evaluation until it tries no further formulas
	maxOutcomes = 8       // comparisons with two outcomes
	maxParts    = 8       // parts of a sum or product with all groupings
)

// evaluate returns the range of a formula over all outcomes of its comparisons.
func evaluate(f *format, formula func(e *evaluation) *node) (r interval) {
	var outcomes []bool
	for first := true; ; first = false {
		e := &evaluation{f: f, outcomes: outcomes}
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

func (e *evaluation) leaf(x *big.Float) *node { return &node{e: e, kind: leaf, exact: point(x)} }

func (n *node) Num(x float64) Number { return n.e.leaf(NewReal().SetFloat64(x)) }

// Pi is π in the format: either neighbor.
func (n *node) Pi() Number {
	return &node{e: n.e, kind: leaf, exact: n.e.f.rounded(point(piValue))}
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
	parts := append(append([]*node(nil), n.flat(k)...), b.flat(k)...)
	return &node{e: n.e, kind: k, parts: parts}
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
		m := &node{e: n.e, kind: sum}
		for _, p := range n.parts {
			m.parts = append(m.parts, p.negated())
		}
		return m
	}
	return &node{e: n.e, kind: negative, parts: []*node{n}}
}

func (n *node) then(apply func(of []interval) interval, more ...Number) *node {
	m := &node{e: n.e, kind: step, parts: []*node{n}, apply: apply}
	for _, p := range more {
		m.parts = append(m.parts, p.(*node))
	}
	return m
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
func (n *node) bounds() interval {
	if n.known == nil {
		r := n.evaluate(true, true)
		n.known = &r
	}
	return *n.known
}

// evaluate returns the range of a formula. expand and factor permit equal formulas by distribution: products of sums as sums,
// and sums with a common factor as products. An expanded formula is not factored again, and the reverse.
func (n *node) evaluate(expand, factor bool) interval {
	if n.e.work++; n.e.work > maxWork {
		expand, factor = false, false
	}
	switch n.kind {
	case leaf:
		return n.exact
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
			if m := p.opened(); m != nil {
				for k, q := range n.parts {
					if k != i {
						m.parts = append(m.parts, q.flat(sum)...)
					}
				}
				if len(m.parts) <= maxParts { // else the products are expanded alone
					r = r.hull(m.evaluate(true, false))
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
		m := &node{e: n.e, kind: sum}
		for _, p := range first.parts {
			m.parts = append(m.parts, p.then(n.apply, n.parts[1]))
		}
		r = r.hull(m.evaluate(false, false))
	}
	return r
}

// grouped returns the range of all orders and groupings of a sum or a product, by the ranges of all subsets of its parts.
func (n *node) grouped(expand, factor bool, join func(a, b interval) interval) interval {
	if len(n.parts) > maxParts {
		panic(Undefined{})
	}
	ranges := make([]interval, 1<<len(n.parts))
	for set := 1; set < len(ranges); set++ {
		first := set & -set
		if set == first {
			for i, p := range n.parts {
				if set == 1<<i {
					ranges[set] = p.evaluate(expand, factor)
				}
			}
			continue
		}
		begun := false
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&first == 0 { // each pair once
				continue
			}
			n.e.work++
			r := join(ranges[part], ranges[set&^part])
			if begun {
				r = r.hull(ranges[set])
			}
			ranges[set], begun = r, true
		}
	}
	return ranges[len(ranges)-1]
}

// expanded distributes a product over its part i, a sum.
func (n *node) expanded(i int) *node {
	m := &node{e: n.e, kind: sum}
	for _, term := range n.parts[i].parts {
		factors, minus := term.factors()
		p := &node{e: n.e, kind: product, parts: append([]*node(nil), factors...)}
		for k, q := range n.parts {
			if k != i {
				p.parts = append(p.parts, q)
			}
		}
		if minus {
			p = p.negated()
		}
		m.parts = append(m.parts, p)
	}
	return m
}

// opened returns a product with a sum as a sum of products, or nil.
func (n *node) opened() *node {
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
			return m
		}
	}
	return nil
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
					m := &node{e: n.e, kind: sum}
					for h, o := range n.parts {
						if h != i && h != j {
							m.parts = append(m.parts, o)
						}
					}
					joined := p.join(product, rest)
					if len(m.parts) == 0 {
						m = joined
					} else {
						m.parts = append(m.parts, joined)
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
	m := &node{e: n.e, kind: product}
	for i, p := range factors {
		if i != k {
			m.parts = append(m.parts, p)
		}
	}
	switch len(m.parts) {
	case 0:
		m = n.e.leaf(NewReal().SetInt64(1))
	case 1:
		m = m.parts[0]
	}
	if minus {
		return m.negated()
	}
	return m
}
