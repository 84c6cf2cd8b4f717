package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// maxSpread is the largest number of scalars of a value that is copied from memory to
// memory with a load and a store of each scalar. Front ends pass an array by value: they
// load the array and store it to a variable for the callee. A larger copy is a loop over
// the elements of the array.
const maxSpread = 512

// copied reports whether the value of OpLoad in is copied: it is large, its only use is
// an OpStore to a private variable, and no instruction between them writes memory. The
// load then defines a value without scalars, and the store copies the pointee.
func (f *function) copied(in spirv.Inst, from *pointer) bool {
	t := f.facts.Type(in.Type())
	if t.Leaves <= maxSpread || !t.IsStruct() && !t.IsArray() || t != from.typ || from.flags != 0 {
		return false
	}
	s, ok := f.storeOf(in.Result())
	if !ok || f.uses(in.Result()) != 1 {
		return false
	}
	if m, ok := s.MemoryAccess(); ok && accessFlags(m) != 0 {
		return false
	}
	to := f.get(s.Pointer()).ptr
	if to == nil || to.memory != inSlots || to.io != nil || to.flags != 0 || to.typ != t {
		return false
	}
	switch from.memory { // in memory that the target does not overlap
	case inBuffer:
		return true
	case inSlots:
		return from.number != to.number
	case inPrivate: // an argument does not point to a variable of the called function
		i := f.facts.Def(inst.Load(in).Pointer())
		return i >= 0 && f.facts.Code.Inst(i).Op() == spirv.OpFunctionParameter && to.class == spirv.StorageClassFunction
	}
	return false
}

// storeOf returns the OpStore of the value of the current OpLoad, if it is in the same
// block and no instruction between them writes memory.
func (f *function) storeOf(id spirv.ID) (inst.Store, bool) {
	for i := f.at + 1; i < f.block.Term; i++ {
		switch in := f.facts.Code.Inst(i); in.Op() {
		case spirv.OpLine, spirv.OpNoLine, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpLoad:
		case spirv.OpStore:
			s := inst.Store(in)
			return s, s.Object() == id
		default:
			return nil, false
		}
	}
	return nil, false
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
