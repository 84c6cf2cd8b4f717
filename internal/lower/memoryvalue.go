package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// A large value (inMemory) has a pointer to private memory instead of scalars, so that the time and the size of a program
// do not grow with it: front ends pass structs with arrays of thousands of elements by value. The memory of a value does
// not change while the value is in use: each load, call, construction and insertion copies to a new private variable, each
// parameter has its own variable or the variable of its argument (forwards), and functions do not recurse. copyvalue.go avoids
// the copy of a load or a result with simple uses.

// inMemory reports whether values of a type are in memory: large structs and arrays of numbers.
func (u *unit) inMemory(t *facts.Type) bool {
	if t == nil || t.Leaves <= maxSpread || !t.IsStruct() && !t.IsArray() {
		return false
	}
	in, ok := u.large[t]
	if !ok {
		in = u.extent(t).slots <= maxTemporary && u.ofNumbers(t, 0)
		if u.large == nil {
			u.large = map[*facts.Type]bool{}
		}
		u.large[t] = in
	}
	return in
}

// maxTemporary bounds the slots of one value. Beyond that many slots of a program, new values have scalars, so that
// declared variables have room.
const maxTemporary = maxPrivate / 2

// ofNumbers reports whether all scalars of a type are numbers or booleans.
func (u *unit) ofNumbers(t *facts.Type, depth int) bool {
	switch {
	case t == nil || depth > maxDepth:
		return false
	case t.IsScalar():
		return true
	case t.IsStruct():
		for i := range t.Members {
			if !u.ofNumbers(t.Members[i].Type, depth+1) {
				return false
			}
		}
		return true
	case isTile(t), isTensor(t), isObject(t), t.IsPointer(), t.IsRuntimeArray():
		return false
	}
	return t.IsComposite() && u.ofNumbers(t.Elem, depth+1)
}

// matches reports whether two types match logically (SPIR-V §3.3.12, OpCopyLogical): they differ in decorations alone.
func (u *unit) matches(a, b *facts.Type, depth int) bool {
	switch {
	case a == b:
		return a != nil
	case a == nil || b == nil || a.Op != b.Op || a.Leaves != b.Leaves || depth > maxDepth:
		return false
	case a.IsArray():
		return a.Count == b.Count && u.matches(a.Elem, b.Elem, depth+1)
	case !a.IsStruct() || len(a.Members) != len(b.Members):
		return false
	}
	pair := [2]*facts.Type{a, b}
	same, ok := u.matching[pair]
	if !ok {
		same = true
		for i := range a.Members {
			same = same && u.matches(a.Members[i].Type, b.Members[i].Type, depth+1)
		}
		if u.matching == nil {
			u.matching = map[[2]*facts.Type]bool{}
		}
		u.matching[pair] = same
	}
	return same
}

// temporary allocates private memory for a value of a type. It returns nil if the program would have more than most slots.
func (u *unit) temporary(t *facts.Type, name string, most uint64) *pointer {
	u.checkDepth(t)
	n := u.memberExtent(t).slots
	if u.private+n > most {
		return nil
	}
	u.private += n
	u.prog.Vars = append(u.prog.Vars, ir.Var{Name: name, Slots: uint32(n), Func: -1})
	return &pointer{memory: inSlots, typ: t, class: spirv.StorageClassFunction, number: uint64(len(u.prog.Vars) - 1), extent: n}
}

// passing is the memory of a parameter of a function, or of its result.
type passing struct {
	function, parameter int // the result is parameter -1
}

// passedIn returns the memory of a parameter or of the result. A program without room for it is too large.
func (u *unit) passedIn(function, parameter int, t *facts.Type) *pointer {
	key := passing{function, parameter}
	p := u.passings[key]
	if p == nil {
		if p = u.temporary(t, "parameter", maxPrivate); p == nil {
			u.tooLarge("private memory of more than %d slots", maxPrivate)
		}
		if u.passings == nil {
			u.passings = map[passing]*pointer{}
		}
		u.passings[key] = p
	}
	return p
}

// passTo returns the memory of a parameter for the store of an argument. If it is the memory of the argument of another call,
// the program is lowered again without forwarding.
func (u *unit) passTo(function, parameter int, t *facts.Type) *pointer {
	u.copying = u.copying || u.forwarded[passing{function, parameter}]
	return u.passedIn(function, parameter, t)
}

// forwards lets a parameter have the memory of its argument, without a copy. That is possible if the function has one call,
// and the argument is a fixed value: nothing changes it during the call. forwards returns false if either is unknown.
func (f *function) forwards(callee *facts.Function, to passing, id spirv.ID) bool {
	if f.copying || f.passings[to] != nil || f.facts.Const(id) != nil || f.callsOf(callee) != 1 {
		return false
	}
	v := f.value(id)
	if !v.fixed || v.ptr == nil || v.ptr.memory != inSlots || v.ptr.offset.dyn != 0 || v.ptr.typ != callee.Params[to.parameter].Type {
		return false
	}
	if f.passings == nil {
		f.passings = map[passing]*pointer{}
	}
	if f.forwarded == nil {
		f.forwarded = map[passing]bool{}
	}
	f.passings[to], f.forwarded[to] = v.ptr, true
	return true
}

// callsOf returns the number of calls of a function in the call tree.
func (u *unit) callsOf(callee *facts.Function) int {
	if u.calls == nil {
		u.calls = map[*facts.Function]int{}
		for f := range u.numbers {
			for _, b := range f.Blocks {
				for i := b.Index; i < b.Term; i++ {
					if in := u.facts.Code.Inst(i); in.Op() == spirv.OpFunctionCall {
						u.calls[u.facts.Function(inst.FunctionCall(in).Function())]++
					}
				}
			}
		}
	}
	return u.calls[callee]
}

// keep defines the result of an instruction as the value in private memory.
func (f *function) keep(in spirv.Inst, p *pointer) {
	f.put(in.Result(), value{typ: f.facts.Type(in.Type()), ptr: p, block: f.block, fixed: true})
}

// assign stores a value to memory of its type.
func (f *function) assign(to *pointer, id spirv.ID) {
	if c := f.facts.Const(id); c != nil && (c.Null || c.Undef) && !f.hasNonZeroNull(c.Type) && to.offset == (offset{}) && to.extent == f.extent(to.typ).slots {
		f.b.OpAux(ir.PClr, ir.None, to.number)
		return
	}
	v := f.value(id)
	if v.ptr != nil && !v.typ.IsPointer() && f.matches(to.typ, v.ptr.typ, 0) {
		f.copyValue(*to, *v.ptr)
		return
	}
	f.store(to, f.partsOf(v))
}

// loadCopy lowers an OpLoad of a large value by a copy; false if there is no room.
func (f *function) loadCopy(in spirv.Inst, from *pointer) bool {
	if !f.inMemory(from.typ) {
		return false
	}
	to := f.temporary(from.typ, "value", maxTemporary)
	if to == nil {
		return false
	}
	f.copyValue(*to, *from)
	f.keep(in, to)
	return true
}

// insertCopy lowers an OpCompositeInsert into a value in memory.
func (f *function) insertCopy(in spirv.Inst, v inst.CompositeInsert) bool {
	whole := f.value(v.Composite())
	if whole.ptr == nil || !f.inMemory(whole.typ) {
		return false
	}
	to := f.temporary(whole.typ, "value", maxTemporary)
	if to == nil {
		return false
	}
	f.copyValue(*to, *whole.ptr)
	part := *to
	f.stepParts(&part, v.Indexes())
	f.assign(&part, v.Object())
	f.keep(in, to)
	return true
}

// constructCopy lowers an OpCompositeConstruct with a constituent in memory.
func (f *function) constructCopy(in spirv.Inst, constituents []spirv.ID) bool {
	t := f.facts.Type(in.Type())
	some := false
	for _, id := range constituents {
		some = some || f.inMemory(f.typeOf(id))
	}
	if !some || !f.inMemory(t) || uint64(len(constituents)) != max(t.Count, uint64(len(t.Members))) {
		return false
	}
	to := f.temporary(t, "value", maxTemporary)
	if to == nil {
		return false
	}
	for i, id := range constituents {
		part := *to
		f.stepParts(&part, []uint32{uint32(i)})
		f.assign(&part, id)
	}
	f.keep(in, to)
	return true
}
