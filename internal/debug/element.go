package debug

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// element is the quick form of a variable with one index: its elements are scalars or vectors at equal distances, or the words of a built-in.
type element struct {
	reference // of the variable
	index     quick

	parts  uint64 // elements; 0 for a runtime array
	step   uint64 // from one element to the next
	stride uint64 // of a runtime array, in bytes
}

// elementOf returns the quick form of name[at]; nil if there is none.
func elementOf(name *reference, at *node) *element {
	if name == nil || at.quick == nil {
		return nil
	}
	return &element{reference: reference{name: name.name}, index: at.quick}
}

// resolve finds the meaning at the place of a frame. One without an element has no type.
func (e *element) resolve(x *view) {
	e.reference = reference{name: e.name, code: x.code, fn: x.fn, instruction: x.Instruction}
	v := x.find(e.name)
	if v != nil && v.t == nil {
		if b := x.builtinNamed(v.Name); b != nil && b.count > 1 {
			e.word, e.count = b.word, b.count
		}
	}
	if v == nil || v.t == nil || v.symbol != nil || v.image != nil || v.t.IsMatrix() || !v.t.IsArray() && !v.t.IsVector() {
		return
	}
	t := v.t.Part(0)
	if t == nil || t.Scalar() == nil || !t.IsVector() && t.Parts() > 0 {
		return
	}
	if e.places = v.elementPlaces(0); len(e.places) == 0 {
		return
	}
	e.step, e.stride = 0, uint64(v.t.ArrayStride)
	if e.parts = v.t.Parts(); v.t.IsRuntimeArray() {
		e.parts = 0
	}
	if e.parts != 1 && !e.measure(v.elementPlaces(1)) || e.parts == 0 && e.stride == 0 {
		return
	}
	e.of, e.single = t.Scalar(), !t.IsVector()
}

// elementPlaces returns the places of the scalars of an element; nil if it has none.
func (v *Variable) elementPlaces(i uint64) []lower.Place {
	_, list, err := v.of.placesOf(v.id, append(slices.Clone(v.path), i))
	if err != nil {
		return nil
	}
	return list
}

// measure finds the distance of two elements; false if they are not in one memory.
func (e *element) measure(next []lower.Place) bool {
	if len(next) != len(e.places) {
		return false
	}
	e.step = next[0].Offset - e.places[0].Offset
	for i, p := range next {
		if p.Offset -= e.step; p != e.places[i] || p.Kind == lower.InRegister {
			return false
		}
	}
	return true
}

// read returns a component of the element, or the element that is a scalar.
func (e *element) read(x *view, component int, single bool) (number, kind, bool) {
	i, k, ok := e.index(x)
	if !ok || k == float || i.i < 0 {
		return number{}, signed, false
	}
	if e.code != x.code || e.fn != x.fn || e.instruction != x.Instruction {
		e.resolve(x)
	}
	if e.word != nil && single && i.i < int64(e.count) {
		return number{i: int64(e.word(x, int(i.i)))}, unsigned, true
	}
	if e.of == nil || e.single != single || component >= len(e.places) {
		return number{}, signed, false
	}
	parts := e.parts
	if first := e.places[0]; parts == 0 {
		if n := uint64(len(x.memory(first))); first.Offset < n {
			parts = (n - first.Offset) / e.stride
		}
	}
	if uint64(i.i) >= parts {
		return number{}, signed, false
	}
	p := e.places[component]
	p.Offset += uint64(i.i) * e.step
	bits, err := x.read(p)
	return numberOf(e.of, bits), kindOf(e.of), err == nil
}

// quick returns the quick form of the element; nil for nil.
func (e *element) quick() quick {
	if e == nil {
		return nil
	}
	return func(x *view) (number, kind, bool) { return e.read(x, 0, true) }
}

// component returns the quick form of a component of an element that is a vector; nil if there is none.
func (e *element) component(name string) quick {
	if e == nil || len(name) != 1 || componentOf(rune(name[0])) < 0 {
		return nil
	}
	i := componentOf(rune(name[0]))
	return func(x *view) (number, kind, bool) { return e.read(x, i, false) }
}

// quickChoice is the conditional operator.
func quickChoice(condition, yes, no quick) quick {
	if condition == nil || yes == nil || no == nil {
		return nil
	}
	return func(x *view) (number, kind, bool) {
		c, k, ok := condition(x)
		switch {
		case !ok:
			return c, k, false
		case c.truth(k):
			return yes(x)
		}
		return no(x)
	}
}

// maxQuickArgs bounds the arguments of a quick call.
const maxQuickArgs = 3

// quickCall is a call of a constructor of a scalar, or of a function that goes component by component, with scalars. It is for one
// goroutine.
func quickCall(name string, args []*node) quick {
	if len(args) == 0 || len(args) > maxQuickArgs || slices.ContainsFunc(args, func(n *node) bool { return n.quick == nil }) {
		return nil
	}
	if of, ok := constructors[name]; ok && len(args) == 1 {
		return func(x *view) (number, kind, bool) {
			n, k, ok := args[0].quick(x)
			return n.construct(k, of), of.kind, ok
		}
	}
	if name == "atan" && len(args) == 2 {
		name = "atan2"
	}
	f, ok := functions[name]
	if !ok || f.scalar == nil || f.args != len(args) {
		return nil
	}
	var list [maxQuickArgs]number
	var kindsOf [maxQuickArgs]kind
	var takes [maxQuickArgs]kinds
	for i := range args {
		takes[i] = operandsOf(name, i)
	}
	return func(x *view) (number, kind, bool) {
		k := signed
		if f.floats {
			k = float
		}
		for i, n := range args {
			var ok bool
			if list[i], kindsOf[i], ok = n.quick(x); !ok || !takes[i].has(kindsOf[i]) {
				return number{}, signed, false
			}
			k = max(k, kindsOf[i])
		}
		wide := false
		for i := range args {
			list[i] = list[i].to(kindsOf[i], k)
			wide = wide || list[i].wide
		}
		n, of := f.scalar(k, list[:len(args)])
		n.wide = wide
		return n.fit(of), of, true
	}
}
