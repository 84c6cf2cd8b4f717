package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// scalar returns the IR type of a scalar type.
func (u *unit) scalar(t *facts.Type) ir.Type {
	var s ir.Type
	switch {
	case t.IsBool():
		return ir.B1
	case t.IsInt():
		s = ir.Int(t.Width)
	case t.IsFloat() && t.Encoded:
		s = ir.Int(u.encoded(t).width())
	case t.IsFloat():
		s = ir.Float(t.Width)
	case t == nil:
		u.malformed("a type is missing")
	}
	if s == ir.None {
		u.unsupported("%s %d", t.Op, t.Width)
	}
	return s
}

// flat returns the types of the scalars of a value of type t. The slice is shared
// and must not be changed.
func (u *unit) flat(t *facts.Type) []ir.Type {
	if list, ok := u.flats[t]; ok {
		return list
	}
	if t == nil {
		u.malformed("a type is missing")
	}
	if t.Leaves > maxLeaves {
		u.tooLarge("a value of %d scalars; at most %d", t.Leaves, maxLeaves)
	}
	u.checkDepth(t)
	list := u.flatten(make([]ir.Type, 0, t.Leaves), t)
	u.flats[t] = list
	return list
}

func (u *unit) flatten(list []ir.Type, t *facts.Type) []ir.Type {
	switch {
	case t.IsScalar():
		return append(list, u.scalar(t))
	case t.IsPointer():
		return append(list, u.pointerScalars(t)...)
	case isTile(t):
		x := u.tile(t)
		for range x.components {
			list = append(list, u.scalar(x.elem))
		}
		return list
	case isStructure(t):
		return append(list, ir.I64)
	case isObject(t):
		for range objectWords(t) {
			list = append(list, ir.I32)
		}
		return list
	case isTensor(t):
		for range u.tensorWords(t) {
			list = append(list, ir.I32)
		}
		return list
	case isRay(t):
		for range ir.RaySlots {
			list = append(list, ir.I32)
		}
		return list
	case t.IsStruct():
		for i := range t.Members {
			list = append(list, u.flat(t.Members[i].Type)...)
		}
		return list
	case hollow(t):
		return list
	case t.IsComposite() && !t.IsRuntimeArray():
		if t.Elem == nil || t.Count == 0 {
			u.malformed("%s without a known length or element", t.Op)
		}
		one := u.flat(t.Elem)
		for n := t.Count; n > 0 && len(one) > 0; n-- {
			list = append(list, one...)
		}
		return list
	case t.IsVoid():
		return list
	}
	if t == nil {
		u.malformed("a type is missing")
	}
	u.unsupported("a value of %s", t.Op)
	return nil
}

// hollow reports whether t is an array whose length, or the length of an array of
// which it is one, a specialization made 0. It has no scalars, and every index is out of
// range.
func hollow(t *facts.Type) bool {
	for n := 0; t.IsArray() && n <= maxDepth; n++ {
		if c := t.Length; t.Count == 0 && c != nil && c.Known && c.Spec && t.Elem != nil {
			return true
		}
		t = t.Elem
	}
	return false
}

// sizedElement returns the type of the elements of an array with a length, of its elements' elements if they are arrays too, or t itself.
// A structure may have no members, so that an array of it has no scalars.
func sizedElement(t *facts.Type) *facts.Type {
	for n := 0; t.IsArray() && t.Count > 0 && t.Elem != nil && n <= maxDepth; n++ {
		t = t.Elem
	}
	return t
}

// extent is the size of a value if no decorations lay it out: in private memory, in
// slots of 32 bits, and in workgroup memory, in bytes.
type extent struct {
	slots       uint64
	size, align uint64
	depth       int
}

// extent returns the extent of a type. It saturates, and is 0 for a runtime array
// and for a type without data.
func (u *unit) extent(t *facts.Type) extent {
	if e, ok := u.extents[t]; ok {
		return e
	}
	e := extent{align: 1}
	switch {
	case t == nil:
	case t.IsBool():
		e = extent{1, 4, 4, 0}
	case t.IsInt(), t.IsFloat():
		n := (uint64(t.Width) + 7) / 8
		e = extent{1, n, max(n, 1), 0}
		if n > 4 {
			e.slots = 2
		}
	case t.IsPointer():
		e = u.pointerExtent(t)
	case t.IsStruct():
		e = u.structExtent(t)
	case isTile(t):
		e = u.memberExtent(t.Elem)
		e = extent{slots: e.slots * u.tile(t).components, align: 1}
	case isRay(t):
		e.slots = ir.RaySlots
	case isHitObject(t):
		e.slots = ir.ObjectSlots
	case isStructure(t):
		e.slots = 2
	case isObject(t):
		e.slots = objectWords(t)
	case isTensor(t):
		e.slots = u.tensorWords(t)
	case t.IsComposite() && t.Elem != nil:
		e = u.memberExtent(t.Elem)
		e = extent{mul(e.slots, t.Count), mul(e.size, t.Count), e.align, e.depth + 1}
	}
	u.extents[t] = e
	return e
}

// measureTypes computes the extents of all types in declaration order, so that the
// recursion of extent is one level deep.
func (u *unit) measureTypes() {
	for i := range u.facts.Types {
		u.extent(&u.facts.Types[i])
	}
}

// checkDepth ends lowering if a type is nested too deeply for recursion.
func (u *unit) checkDepth(t *facts.Type) {
	if u.extent(t).depth > maxDepth {
		u.tooLarge("types nested more than %d deep", maxDepth)
	}
}

func (u *unit) structExtent(t *facts.Type) extent {
	e := extent{align: 1}
	for i := range t.Members {
		m := u.memberExtent(t.Members[i].Type)
		e.slots = add(e.slots, m.slots)
		e.size = add(roundUp(e.size, m.align), m.size)
		e.align = max(e.align, m.align)
		e.depth = max(e.depth, m.depth+1)
	}
	e.size = roundUp(e.size, e.align)
	return e
}

// memberExtent is extent, except that it does not follow a pointer, which may point
// to the enclosing struct.
func (u *unit) memberExtent(t *facts.Type) extent {
	if t.IsPointer() {
		return u.pointerExtent(t)
	}
	return u.extent(t)
}

// naturalOffset returns the offset of member i of a struct laid out by extents.
func (u *unit) naturalOffset(t *facts.Type, i int) (slots, bytes uint64) {
	for k := range i + 1 {
		m := u.memberExtent(t.Members[k].Type)
		bytes = roundUp(bytes, m.align)
		if k < i {
			slots, bytes = add(slots, m.slots), add(bytes, m.size)
		}
	}
	return slots, bytes
}

func add(x, y uint64) uint64 {
	if x > math.MaxUint64-y {
		return math.MaxUint64
	}
	return x + y
}

func mul(x, y uint64) uint64 {
	if y != 0 && x > math.MaxUint64/y {
		return math.MaxUint64
	}
	return x * y
}

func roundUp(x, align uint64) uint64 {
	if r := x % align; r != 0 {
		return add(x, align-r)
	}
	return x
}
