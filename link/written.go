package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// stores reports whether an entry point has an instruction that writes to an
// output built-in: to its variable, or to the member of a block that it is. A
// store to the whole block writes all of its members.
func stores(s *Shader, b spirv.BuiltIn) bool {
	for i := range s.Entry.BuiltIns {
		x := &s.Entry.BuiltIns[i]
		if x.BuiltIn != b || x.Class != spirv.StorageClassOutput || !x.Used {
			continue // before the module is read
		}
		if m := s.facts(); m != nil && written(m, s.Entry, x) {
			return true
		}
	}
	return false
}

// maxChase bounds how far a pointer is followed to its variable.
const maxChase = 64

// written reports whether a function that the entry point calls stores to a
// variable, or to one member of it.
func written(m *facts.Module, e *iface.Entry, x *iface.BuiltIn) bool {
	for _, in := range instructions(m, e) {
		var to []spirv.ID
		switch in.Op() {
		case spirv.OpStore:
			to = []spirv.ID{inst.Store(in).Pointer()}
		case spirv.OpCopyMemory:
			to = []spirv.ID{inst.CopyMemory(in).Target()}
		case spirv.OpFunctionCall: // a pointer that goes to a function may be written there
			to = inst.FunctionCall(in).Arguments()
		}
		if slices.ContainsFunc(to, func(id spirv.ID) bool { return reaches(m, id, x) }) {
			return true
		}
	}
	return false
}

// reaches reports whether a pointer points at a built-in or at something that
// holds it.
func reaches(m *facts.Module, id spirv.ID, x *iface.BuiltIn) bool {
	member := -1 // the first index of a struct on the path, or −1 if there is none
	for range maxChase {
		if id == x.ID {
			return x.Member < 0 || member < 0 || member == x.Member
		}
		i := m.Code.Def(id)
		if i < 0 {
			return false
		}
		in := m.Code.Inst(i)
		switch in.Op() {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			c := inst.AccessChain(in)
			at := m.TypeOf(c.Base())
			if at != nil {
				at = at.Elem
			}
			for _, index := range c.Indexes() {
				if at == nil {
					break
				}
				if at.IsStruct() {
					if k := m.Const(index); k != nil {
						member = int(k.Bits)
					}
					break
				}
				at = at.Elem
			}
			id = c.Base()
		case spirv.OpCopyObject:
			id = inst.CopyObject(in).Operand()
		default:
			return false
		}
	}
	return true // followed too far: it may be
}
