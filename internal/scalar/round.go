package scalar

import (
	"math"
	"math/big"
)

func finite(a float64) bool { return math.Abs(a) <= math.MaxFloat64 }

// rest returns a + b − s exactly, if s is a + b rounded to nearest and finite
// (Fast2Sum, Dekker 1971). If s is not finite, the result has no meaning.
func rest(a, b, s float64) float64 {
	if math.Abs(a) < math.Abs(b) {
		a, b = b, a
	}
	return float64(b - float64(s-a))
}

// odd turns s, a value rounded to nearest, into the same value rounded to odd: the
// neighbour of an inexact value that has an odd fraction. Rounded again, to a type
// with at least two bits less, the result equals a single rounding in every mode
// (Boldo and Melquiond 2008). r has the sign of the true value minus s, and is 0 if s
// is exact.
func odd(s, r float64) float64 {
	b := math.Float64bits(s)
	if r == 0 || b&1 == 1 || s == 0 || !finite(s) {
		return s
	}
	if r > 0 == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// exact is a sum of products without rounding. It serves rounding of 64 bits toward
// zero, which is rare; this is the simplest correct way.
type exact struct{ sum big.Float }

// prec is enough bits for the sum of two products of doubles, 2^−2148 to 2^2048.
const prec = 4400

// add adds a · b, both finite.
func (e *exact) add(a, b float64) *exact {
	e.sum.SetPrec(prec)
	p := new(big.Float).SetPrec(prec)
	p.Mul(p.SetFloat64(a), new(big.Float).SetFloat64(b))
	e.sum.Add(&e.sum, p)
	return e
}

// below returns the next float toward zero of a finite or infinite s.
func below(s float64) float64 { return math.Float64frombits(math.Float64bits(s) - 1) }

// towardZero turns s, the value rounded to nearest, into that value rounded
// toward zero.
func towardZero(s float64, value func(*exact)) float64 {
	if s == 0 {
		return s
	}
	if !finite(s) {
		return below(s) // the value itself is finite
	}
	var e exact
	value(&e)
	if e.sum.Abs(&e.sum).Cmp(big.NewFloat(math.Abs(s))) < 0 {
		return below(s)
	}
	return s
}

// quotientTowardZero is towardZero for q near a / b.
func quotientTowardZero(q, a, b float64) float64 {
	if q == 0 {
		return q
	}
	if !finite(q) {
		return below(q)
	}
	var e, n exact
	e.add(math.Abs(q), math.Abs(b))
	n.add(math.Abs(a), 1)
	if n.sum.Cmp(&e.sum) < 0 {
		return below(q)
	}
	return q
}

// rootTowardZero is towardZero for s near the root of a.
func rootTowardZero(s, a float64) float64 {
	var e exact
	e.add(s, s)
	if big.NewFloat(a).Cmp(&e.sum) < 0 {
		return below(s)
	}
	return s
}
