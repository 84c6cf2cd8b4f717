package debug

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// Conditions of breakpoints are evaluated in each invocation. A part of an expression that is a scalar has a quick form, which
// allocates nothing, and remembers the meaning of its names at the breakpoint.

// quick returns the value of a scalar; false if it takes more, or is an error: then the value of the node has it.
type quick func(x *view) (number, kind, bool)

// truth evaluates a node and reports whether it is true.
func (n *node) truth(x *view) (bool, error) {
	if n.quick != nil {
		if v, k, ok := n.quick(x); ok {
			return v.truth(k), nil
		}
	}
	r, err := n.numbers(x)
	return r.truth(), err
}

func (n number) truth(k kind) bool { return n.i != 0 || k == float && n.f != 0 }

// operateQuick is operate.
func operateQuick(op string, left, right quick) quick {
	if left == nil || right == nil {
		return nil
	}
	f := binaryOps[op]
	return func(x *view) (number, kind, bool) {
		a, ka, ok := left(x)
		if !ok {
			return a, ka, false
		}
		if op == "&&" && !a.truth(ka) || op == "||" && a.truth(ka) {
			return boolNumber(op == "||"), boolean, true
		}
		b, kb, ok := right(x)
		switch {
		case !ok:
			return b, kb, false
		case op == "&&", op == "||": // the left side decides nothing
			return boolNumber(b.truth(kb)), boolean, true
		case f == nil:
			r, err := apply(op, result{kind: ka, numbers: []number{a}}, result{kind: kb, numbers: []number{b}})
			return r.numbers[0], r.kind, err == nil
		}
		k := max(ka, kb)
		n, k, err := f(k, a.to(ka, k), b.to(kb, k))
		return n, k, err == nil
	}
}

// unaryQuick is applyUnary.
func unaryQuick(op string, of quick) quick {
	if of == nil {
		return nil
	}
	return func(x *view) (number, kind, bool) {
		n, k, ok := of(x)
		switch {
		case op == "!":
			return boolNumber(!n.truth(k)), boolean, ok
		case op == "~" && k == float:
			return n, k, false
		}
		return n.unary(op, max(k, signed)), max(k, signed), ok
	}
}

// reference is the meaning of a name at a place of a program.
type reference struct {
	name string

	code            *code
	fn, instruction int

	places []lower.Place
	of     *facts.Type                 // the type of the scalars; nil if it has none
	single bool                        // it is a scalar
	word   func(x *view, i int) uint32 // of a built-in of count words
	count  int
}

// resolve finds the meaning at the place of a frame.
func (r *reference) resolve(x *view) {
	*r = reference{name: r.name, code: x.code, fn: x.fn, instruction: x.Instruction}
	v := x.find(r.name)
	switch {
	case v == nil:
	case v.t == nil:
		if b := x.builtinNamed(v.Name); b != nil {
			r.word, r.count, r.single = b.word, b.count, b.count == 1
		}
	case v.t.IsVector() || v.t.Scalar() != nil && v.t.Parts() == 0:
		if list, err := v.places(); err == nil {
			r.places, r.of, r.single = list, v.t.Scalar(), !v.t.IsVector()
		}
	}
}

// read returns component i.
func (r *reference) read(x *view, i int) (number, kind, bool) {
	switch {
	case r.word != nil && i < r.count:
		return number{i: int64(r.word(x, i))}, unsigned, true
	case r.of == nil || i >= len(r.places):
		return number{}, signed, false
	}
	bits, err := x.read(r.places[i])
	return numberOf(r.of, bits), kindOf(r.of), err == nil
}

// at makes the meaning that of the place of a frame.
func (r *reference) at(x *view) {
	if r.code != x.code || r.fn != x.fn || r.instruction != x.Instruction {
		r.resolve(x)
	}
}

// scalar is the quick form of the name.
func (r *reference) scalar(x *view) (number, kind, bool) {
	if r.at(x); !r.single {
		return number{}, signed, false
	}
	return r.read(x, 0)
}

// component returns the quick form of a component of the vector with the name; nil if there is none.
func (r *reference) component(name string) quick {
	if r == nil || len(name) != 1 || componentOf(rune(name[0])) < 0 {
		return nil
	}
	i := componentOf(rune(name[0]))
	return func(x *view) (number, kind, bool) {
		if r.at(x); r.single {
			return number{}, signed, false
		}
		return r.read(x, i)
	}
}
