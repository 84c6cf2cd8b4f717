package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Number is the permitted values of a scalar. A float has a range, any other scalar one value.
type Number struct {
	Any       bool    // every value is permitted
	Blended   bool    // blending changed the value of At
	Low, High float64 // of a float
	Bits      uint64  // of any other scalar
	At        int     // the instruction that computes it, from 1; 0 if none does

	expression // of a float
}

// value is the value of an id: the scalars of its type in order, a pointer, or a descriptor of an image.
type value struct {
	leaves  []Number
	to      *pointer
	picture *Picture // nil if its texels are not known
	texture *Texture // of a draw
	sampler *Sampler // of a draw
}

// maxLeaves bounds the scalars of one value.
const maxLeaves = 1 << 16

func point(v float64) Number { return Number{Low: v, High: v} }

func (n *Number) isPoint() bool { return !n.Any && n.Low == n.High }

// infinite reports whether infinities are permitted.
func (n *Number) infinite() bool { return math.IsInf(n.Low, 0) || math.IsInf(n.High, 0) }

// bits returns the bits of a float with one value. A zero has two signs.
func (n *Number) bits(t *facts.Type) (uint64, bool) {
	if !t.IsFloat() {
		return n.Bits, !n.Any
	}
	if !n.isPoint() || n.Low == 0 {
		return 0, false
	}
	return scalar.FromFloat(uint8(t.Width), false, n.Low), true
}

// ofBits returns the number with some bits. A NaN is any value, because Vulkan does not define which.
func ofBits(t *facts.Type, bits uint64) Number {
	if !t.IsFloat() {
		return Number{Bits: bits}
	}
	if t.Encoded {
		return Number{Any: true}
	}
	v := scalar.Float(uint8(t.Width), bits)
	if math.IsNaN(v) {
		return Number{Any: true}
	}
	return point(v)
}

// hull returns the least number that permits the values of both.
func hull(t *facts.Type, a, b Number) Number {
	switch {
	case a.Any || b.Any:
		a.Any = true
	case t.IsFloat():
		x, y := a.expressionOf(), b.expressionOf()
		a.expression = expression{max(x.products, y.products), max(x.steps, y.steps), false}
		a.Low, a.High = min(a.Low, b.Low), max(a.High, b.High)
	case a.Bits != b.Bits:
		a.Any = true
	}
	return a
}

// ofSet returns the least number that permits a set.
func ofSet(s *precision.Set) Number {
	if s.Any || len(s.Ranges) == 0 {
		return Number{Any: true}
	}
	n := Number{Low: math.Inf(1), High: math.Inf(-1)}
	for _, r := range s.Ranges {
		n.Low, n.High = min(n.Low, r.Low), max(n.High, r.High)
	}
	return n
}

// count returns the number of scalars of a type; ok is false if it has no fixed number, or too many.
func count(t *facts.Type) (int, bool) {
	if t == nil || t.Leaves == 0 || t.Leaves > maxLeaves {
		return 0, false
	}
	return int(t.Leaves), true
}

// scalars calls f with the type of each scalar of a type in order; false if a part is none.
func scalars(t *facts.Type, f func(*facts.Type)) bool {
	switch {
	case t.IsScalar():
		f(t)
		return true
	case t.IsStruct():
		for i := range t.Members {
			if !scalars(t.Members[i].Type, f) {
				return false
			}
		}
		return true
	case t.IsVector(), t.IsMatrix(), t.IsArray() && !t.IsRuntimeArray():
		for range t.Count {
			if !scalars(t.Elem, f) {
				return false
			}
		}
		return true
	}
	return false
}

// anyOf returns any value of a type.
func anyOf(t *facts.Type, at int) (value, bool) {
	n, ok := count(t)
	if !ok {
		return value{}, false
	}
	v := value{leaves: make([]Number, n)}
	for i := range v.leaves {
		v.leaves[i] = Number{Any: true, At: at}
	}
	return v, true
}

// ofConst returns the value of a constant.
func ofConst(c *facts.Const) (value, bool) {
	n, ok := count(c.Type)
	if !ok || !c.Known {
		return value{}, false
	}
	v := value{leaves: make([]Number, 0, n)}
	var add func(c *facts.Const, t *facts.Type) bool
	add = func(c *facts.Const, t *facts.Type) bool {
		switch {
		case c == nil:
			return false
		case t.IsScalar():
			x := ofBits(t, c.Bits)
			x.Any = x.Any || c.Undef
			v.leaves = append(v.leaves, x)
			return true
		case len(c.Elems) == 0:
			return scalars(t, func(s *facts.Type) {
				x := ofBits(s, 0)
				x.Any = c.Undef
				v.leaves = append(v.leaves, x)
			})
		}
		for i := range int(t.Parts()) {
			if !add(c.Elem(i), t.Part(uint64(i))) {
				return false
			}
		}
		return true
	}
	ok = add(c, c.Type) && len(v.leaves) == n
	return v, ok
}
