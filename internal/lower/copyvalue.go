package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// maxSpread is the largest number of scalars of a value that is copied from memory to
// memory with a load and a store of each scalar. Front ends pass an array by value: they
// load the array and store it to a variable for the callee. A larger copy is a loop over
// the elements of the array.
const maxSpread = 512

// maxDistance is how many instructions after a load are searched for uses of its value,
// so that the search takes no square of the time.
const maxDistance = 1024

// maxConstituents is the largest number of constituents that are searched for a value; composites of large values have few.
const maxConstituents = 64

// copied reports whether the value of OpLoad in may stay in its memory until its uses,
// because it is large. The load then defines a value without scalars; a store copies the
// pointee, an extraction loads a part of it.
func (f *function) copied(in spirv.Inst, from *pointer) bool {
	t := f.facts.Type(in.Type())
	if t.Leaves <= maxSpread || !t.IsStruct() && !t.IsArray() || t != from.typ || from.flags != 0 {
		return false
	}
	switch from.memory {
	case inBuffer, inSlots, inPrivate, inInput:
		return f.stays(in.Result(), f.rootOf(inst.Load(in).Pointer()))
	}
	return false
}

// stays reports whether all uses of an id, a value from the memory of a root, and of its copies are stores, extractions,
// insertions, constructions, arguments of calls and the result of the function in the current block, and no instruction
// before the last of them may write the memory.
func (f *function) stays(id spirv.ID, source pointerRoot) bool {
	ids, left := []spirv.ID{id}, f.uses(id)
	for i := f.at + 1; i <= min(f.block.Term, f.at+maxDistance) && left > 0; i++ {
		switch in := f.facts.Code.Inst(i); in.Op() {
		case spirv.OpStore:
			s := inst.Store(in)
			m, _ := s.MemoryAccess()
			target := f.rootOf(s.Pointer())
			if target.mayAlias(source) {
				return false
			}
			if slices.Contains(ids, s.Object()) {
				if accessFlags(m) != 0 || target.area != areaFunction && target.area != areaPrivate {
					return false
				}
				left--
			}
		case spirv.OpCompositeExtract:
			if slices.Contains(ids, inst.CompositeExtract(in).Composite()) {
				left--
			}
		case spirv.OpCopyObject, spirv.OpCopyLogical:
			if slices.Contains(ids, inst.CopyObject(in).Operand()) {
				ids = append(ids, in.Result())
				left += f.uses(in.Result()) - 1
			}
		case spirv.OpCompositeInsert:
			v := inst.CompositeInsert(in)
			left -= among(ids, v.Object(), v.Composite())
		case spirv.OpCompositeConstruct:
			if c := inst.CompositeConstruct(in).Constituents(); len(c) <= maxConstituents {
				left -= among(ids, c...)
			}
		case spirv.OpFunctionCall: // copies its arguments; then it may write anything
			return left == among(ids, inst.FunctionCall(in).Arguments()...)
		case spirv.OpReturnValue:
			return left == 1 && slices.Contains(ids, inst.ReturnValue(in).Value())
		default:
			if !f.readsOnly(in) {
				return false
			}
		}
	}
	return left == 0
}

// among returns the number of operands that are in a list.
func among(list []spirv.ID, operands ...spirv.ID) (n int) {
	for _, id := range operands {
		if slices.Contains(list, id) {
			n++
		}
	}
	return n
}

// extract defines a part of a value that stayed in its memory; a large part stays there,
// too, if its uses permit that.
func (f *function) extract(in spirv.Inst, whole value) {
	v := inst.CompositeExtract(in)
	p := *whole.ptr
	f.stepParts(&p, v.Indexes())
	if whole.fixed {
		if t := f.facts.Type(in.Type()); f.inMemory(t) && f.matches(t, p.typ, 0) {
			f.keep(in, &p)
			return
		}
		f.define(in, f.load(&p)...)
		return
	}
	if t := f.facts.Type(in.Type()); t.Leaves > maxSpread && (t.IsStruct() || t.IsArray()) && f.matches(t, p.typ, 0) && p.flags == 0 {
		from := f.facts.Code.DefInst(v.Composite())
		for from != nil && from.Op() != spirv.OpLoad && from.Op() != spirv.OpFunctionCall { // extractions and copies have their operand in the same place
			from = f.facts.Code.DefInst(spirv.ID(from[3]))
		}
		root := ofResult
		if from != nil && from.Op() == spirv.OpLoad {
			root = f.rootOf(inst.Load(from).Pointer())
		}
		if from != nil && f.stays(in.Result(), root) {
			f.put(in.Result(), value{typ: t, ptr: &p, block: f.block})
			return
		}
	}
	f.define(in, f.load(&p)...)
}

// stepParts goes to a part of a value in memory.
func (f *function) stepParts(p *pointer, indexes []uint32) {
	for _, i := range indexes {
		if p.typ == nil || p.typ.Part(uint64(i)) == nil {
			f.malformed("the composite has no part %d", i)
		}
		f.step(p, operand{bits: uint64(i)})
	}
}

// readsOnly reports whether an instruction writes no memory and needs no other invocation.
func (f *function) readsOnly(in spirv.Inst) bool {
	switch op := in.Op(); op {
	case spirv.OpLine, spirv.OpNoLine, spirv.OpLoad, spirv.OpUndef,
		spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		return true
	case spirv.OpExtInst:
		v := inst.ExtInst(in)
		n := spirv.GLSLOp(v.Instruction())
		return f.facts.Code.ExtSet(v.Set()) == spirv.ExtSetGLSL && n != spirv.GLSLModf && n != spirv.GLSLFrexp
	default:
		switch op.Class() {
		case spirv.ClassConversion, spirv.ClassComposite, spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical:
			return true
		}
	}
	return false
}

// area is a set of storage classes that no variable of another area overlaps.
type area uint8

const (
	areaFunction area = iota
	areaPrivate
	areaWorkgroup
	areaInput
	areaOutput
	areaOther // buffers, which may be bound twice
)

// pointerRoot is the variable or the argument that a pointer is derived from.
type pointerRoot struct {
	area     area
	variable spirv.ID // 0: not known, or an argument
	argument bool
}

// ofResult is the root of the memory of a call's result (passedIn): no pointer of the module points to it.
var ofResult = pointerRoot{area: areaInput}

// rootOf returns the root of a pointer.
func (f *function) rootOf(id spirv.ID) pointerRoot {
	r := pointerRoot{area: areaOther}
	t := f.facts.TypeOf(id) // the instruction may be after the current one
	if t == nil {
		return r
	}
	switch t.Storage {
	case spirv.StorageClassFunction:
		r.area = areaFunction
	case spirv.StorageClassPrivate:
		r.area = areaPrivate
	case spirv.StorageClassWorkgroup, spirv.StorageClassTaskPayloadWorkgroupEXT: // workgroup memory in a task
		r.area = areaWorkgroup
	case spirv.StorageClassInput:
		r.area = areaInput
	case spirv.StorageClassOutput:
		r.area = areaOutput
	}
	for range maxDistance {
		in := f.facts.Code.DefInst(id)
		if in == nil {
			break
		}
		switch in.Op() {
		case spirv.OpVariable:
			r.variable = id
			return r
		case spirv.OpFunctionParameter:
			r.argument = true
			return r
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			id = inst.AccessChain(in).Base()
		case spirv.OpCopyObject:
			id = inst.CopyObject(in).Operand()
		default:
			return r
		}
	}
	return r
}

// mayAlias reports whether pointers with two roots may point to the same memory. An
// argument does not point to a variable of the called function.
func (r pointerRoot) mayAlias(o pointerRoot) bool {
	switch {
	case r.area != o.area || r.area == areaInput:
		return false
	case r.area != areaFunction && r.area != areaPrivate:
		return true
	case r.variable != 0 && o.variable != 0:
		return r.variable == o.variable
	case r.area == areaFunction:
		return !(r.argument && o.variable != 0 || o.argument && r.variable != 0)
	}
	return true
}

// elementwise reports whether a copy from memory to memory may be a loop over elements: the
// pointees are large, have one type and are the same or do not overlap. Two parts of one
// variable with the same type do not overlap partly, nor do two variables that are not
// decorated Aliased.
func (f *function) elementwise(to, from *pointer, target, source spirv.ID) bool {
	t := to.typ
	if t != from.typ || t.Leaves <= maxSpread || !t.IsStruct() && !t.IsArray() || f.untyped(target) || f.untyped(source) {
		return false
	}
	a, b := f.rootOf(target), f.rootOf(source)
	if !a.mayAlias(b) {
		return true
	}
	return a.variable != 0 && b.variable != 0 &&
		(a.variable == b.variable || !f.facts.Has(a.variable, spirv.DecorationAliased) || !f.facts.Has(b.variable, spirv.DecorationAliased))
}

// uses returns the number of operands in the function that refer to an id.
func (f *function) uses(id spirv.ID) int {
	if f.used == nil {
		f.used = map[spirv.ID]int{}
		for i := range f.fn.Blocks {
			b := &f.fn.Blocks[i]
			for k := b.Index + 1; k <= b.Term; k++ {
				for o := f.facts.Code.Walk(k); o.Next(); {
					if o.Kind == spirv.KindIdRef {
						f.used[spirv.ID(o.Words[0])]++
					}
				}
			}
		}
	}
	return f.used[id]
}

// copyValue copies the pointee of from to the pointee of to, which has the same type.
// Arrays become loops until the elements have few scalars.
func (f *function) copyValue(to, from pointer) {
	t := to.typ
	switch {
	case t.Leaves > maxSpread && t.IsStruct():
		for i := range t.Members {
			a, b := to, from
			f.toMember(&a, i)
			f.toMember(&b, i)
			f.copyValue(a, b)
		}
	case t.Leaves > maxSpread && t.IsArray():
		s, step := span{0, t.Count}, uint64(1)
		if t.Elem.Leaves <= 4 {
			step = s.step()
		}
		f.counted(s, step, nil, func(i ir.V, _ []ir.V) []ir.V {
			a, b := to, from
			f.stepElement(&a, operand{v: i})
			f.stepElement(&b, operand{v: i})
			f.copyValue(a, b)
			return nil
		})
	default:
		f.store(&to, f.load(&from))
	}
}
