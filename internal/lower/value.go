package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// value is the value of an id: its scalars, or the symbolic pointer. A large value has a
// pointer to its memory instead of scalars (memoryvalue.go, copied).
type value struct {
	typ   *facts.Type
	parts []ir.V
	ptr   *pointer
	block *facts.Block // the defining block; nil if the value is available in the whole function
	flags ir.Flags     // of accesses through an image
	fixed bool         // the memory of ptr belongs to the value alone (memoryvalue.go)
}

// slot holds the value of an instruction of the module in one function. Constants and
// module-scope variables have another value in each function.
type slot struct {
	owner *function
	value
}

// get returns the current value of an id; its typ is nil if there is none.
func (f *function) get(id spirv.ID) value {
	if i := f.facts.Def(id); i >= 0 && f.defined[i].owner == f {
		return f.defined[i].value
	}
	return value{}
}

// put sets the value of an id.
func (f *function) put(id spirv.ID, v value) {
	if v.typ == nil {
		f.malformed("%%%d has no type", id)
	}
	f.defined[f.facts.Def(id)] = slot{f, v}
	if f.options.Symbols != nil {
		f.options.Symbols.note(f, id, v)
	}
}

// value returns the value of an operand.
func (f *function) value(id spirv.ID) value {
	if v := f.get(id); v.typ != nil {
		if v.block != nil && !facts.Dominates(v.block, f.block) {
			f.malformed("the use of %%%d is not dominated by its definition", id)
		}
		return v
	}
	if parts := f.undefined(id); parts != nil { // operations of this block, hence not memoized
		return value{typ: f.facts.Const(id).Type, parts: parts}
	}
	if c := f.facts.Const(id); c != nil {
		v := value{typ: c.Type, parts: f.constant(c)}
		if c.Type.IsPointer() { // made of operations of this block, hence not memoized
			v.ptr = f.pointerFrom(c.Type, v.parts)
			return v
		}
		f.put(id, v)
		return v
	}
	f.malformed("%%%d is not defined at its use", id)
	return value{}
}

// scalars returns the scalars of an operand; it materializes a pointer.
func (f *function) scalars(id spirv.ID) []ir.V {
	v := f.value(id)
	return f.partsOf(v)
}

// partsOf returns the scalars of a value.
func (f *function) partsOf(v value) []ir.V {
	if v.parts == nil && v.ptr != nil {
		if !v.typ.IsPointer() {
			return f.load(v.ptr)
		}
		return f.materialize(v.typ, v.ptr)
	}
	return v.parts
}

// one returns the only scalar of an operand.
func (f *function) one(id spirv.ID) ir.V {
	p := f.scalars(id)
	if len(p) != 1 {
		f.malformed("%%%d has %d scalars; must have 1", id, len(p))
	}
	return p[0]
}

// typed returns the only scalar of an operand, which must be of type t.
func (f *function) typed(id spirv.ID, t ir.Type) ir.V {
	v := f.one(id)
	if got := f.b.Func.Type(v); got != t {
		f.malformed("%%%d is %s; must be %s", id, got, t)
	}
	return v
}

// pointer returns the symbolic pointer of an operand.
func (f *function) pointer(id spirv.ID) *pointer {
	v := f.value(id)
	if v.ptr == nil {
		f.malformed("%%%d is not a pointer", id)
	}
	return v.ptr
}

// define sets the scalars of a result; they must match its type.
func (f *function) define(in spirv.Inst, parts ...ir.V) {
	t := f.facts.Type(in.Type())
	f.checkType(t, parts)
	f.unit.parts += len(parts)
	if f.unit.parts > maxParts {
		f.tooLarge("values of more than %d scalars in the module", maxParts)
	}
	v := value{typ: t, parts: parts, block: f.block}
	if t.IsPointer() {
		v.ptr = f.pointerFrom(t, parts)
	}
	f.put(in.Result(), v)
}

// checkType ends lowering unless the scalars match the type.
func (f *function) checkType(t *facts.Type, parts []ir.V) {
	want := f.flat(t)
	if len(want) != len(parts) {
		f.malformed("the value has %d scalars; must have %d as its type", len(parts), len(want))
	}
	for i, p := range parts {
		if got := f.b.Func.Type(p); got != want[i] {
			f.malformed("scalar %d of the value is %s; must be %s as in its type", i, got, want[i])
		}
	}
}

// definePointer sets the symbolic pointer of a result.
func (f *function) definePointer(in spirv.Inst, p *pointer) {
	t := f.facts.Type(in.Type())
	if t == nil || !t.IsPointer() {
		f.malformed("the type of the result is not a pointer type; must be one")
	}
	f.put(in.Result(), value{typ: t, ptr: p, block: f.block})
}

// constant returns the scalars of a constant.
func (f *function) constant(c *facts.Const) []ir.V {
	if c.Type.IsPointer() {
		return f.zeros(c.Type)
	}
	if isStorageTensor(innermost(c.Type)) {
		f.unsupported("a tensor with a shape of its own, which no shader of Vulkan has")
	}
	n := len(f.flat(c.Type))
	if isTile(c.Type) && len(c.Elems) == 1 && c.Elems[0] != nil && c.Elems[0].Known && c.Elems[0].Type == c.Type.Elem {
		return slices.Repeat(f.appendConst(nil, c.Elems[0], c.Type.Elem), n)
	}
	if !c.Known {
		f.unsupported("the constant %%%d of unknown value", c.ID)
	}
	return f.appendConst(make([]ir.V, 0, n), c, c.Type)
}

func (f *function) appendConst(parts []ir.V, c *facts.Const, t *facts.Type) []ir.V {
	switch {
	case c == nil:
		f.malformed("the constant lacks a constituent")
	case t.IsScalar():
		return append(parts, f.b.Const(f.scalar(t), c.Bits))
	case len(f.flat(t)) == 0:
		return parts
	case len(c.Elems) == 0:
		return append(parts, f.zeros(t)...)
	}
	for i := range t.Parts() {
		e := c.Elems[0]
		if !c.Replicate {
			if i >= uint64(len(c.Elems)) {
				f.malformed("the constant lacks a constituent")
			}
			e = c.Elems[i]
		}
		parts = f.appendConst(parts, e, t.Part(i))
	}
	return parts
}

// zeros returns the scalars of the null value of a type.
func (f *function) zeros(t *facts.Type) []ir.V {
	types, bits := f.flat(t), f.nulls(t)
	parts := make([]ir.V, len(types))
	for i, s := range types {
		if bits == nil {
			parts[i] = f.b.Const(s, 0)
		} else {
			parts[i] = f.b.Const(s, bits[i])
		}
	}
	return parts
}

// hasNonZeroNull reports whether the null value of a type has a nonzero scalar: it
// contains a pointer other than a physical one.
func (u *unit) hasNonZeroNull(t *facts.Type) bool {
	for t.IsComposite() && !t.IsStruct() && !t.IsPointer() && t.Elem != nil {
		t = t.Elem
	}
	if away, ok := u.away[t]; ok {
		return away
	}
	away := t.IsPointer() && t.Storage != spirv.StorageClassPhysicalStorageBuffer
	if t.IsStruct() && u.extent(t).depth <= maxDepth {
		for i := range t.Members {
			away = away || u.hasNonZeroNull(t.Members[i].Type)
		}
	}
	u.away[t] = away
	return away
}

// nulls returns the bits of the scalars of a type's null value, nil if all are 0.
// Every access through a null pointer is out of range.
func (u *unit) nulls(t *facts.Type) []uint64 {
	types := u.flat(t)
	if bits, ok := u.nullBits[t]; ok || len(types) == 0 || !u.hasNonZeroNull(t) {
		return bits
	}
	var bits []uint64
	switch {
	case t.IsPointer() && types[0] != ir.I64:
		bits = make([]uint64, len(types))
		bits[0] = farAway
		if t.Storage == spirv.StorageClassPushConstant { // the offset follows the bank
			bits[len(u.addressScalars(t))-1] = farAway
		}
	case t.IsStruct(), t.IsComposite() && !isTile(t):
		at := 0
		for i := range t.Parts() {
			if part := u.nulls(t.Part(i)); part != nil {
				if bits == nil {
					bits = make([]uint64, len(types))
				}
				copy(bits[at:], part)
			}
			at += len(u.flat(t.Part(i)))
		}
	}
	u.nullBits[t] = bits
	return bits
}

// constBits returns the bits of a scalar IR constant.
func (f *function) constBits(v ir.V) (uint64, bool) {
	if x := f.b.Func.Val(v); x.Op == ir.Const {
		return x.Aux, true
	}
	return 0, false
}
