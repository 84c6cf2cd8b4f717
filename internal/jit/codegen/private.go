package codegen

import "github.com/chiaro-gpu/chiaro/internal/ir"

// SlotRange is consecutive slots of private memory.
type SlotRange struct{ First, End uint32 }

// mostGap is how many slots between two ranges are cleared with them: a store costs less than another loop.
const mostGap = 4

// ClearedSlots returns the slots of private memory that must be zero when a subgroup starts, ascending. The others are stored
// before each load of them, so that no load sees a value of an earlier subgroup. It is all slots if the program
// accesses any by an address.
func ClearedSlots(p *ir.Program) []SlotRange {
	all := []SlotRange{{0, p.PrivateSlots()}}
	if all[0].End == 0 {
		return nil
	}
	s := slots{p: p, bases: VarBases(p), loaded: make([]bool, all[0].End)}
	for _, f := range p.Funcs {
		s.f, s.stored = f, make([]bool, len(s.loaded))
		for _, v := range f.Code {
			if !s.visit(f.Val(v)) {
				return all
			}
		}
	}
	var list []SlotRange
	for i, loaded := range s.loaded {
		at := uint32(i)
		switch n := len(list); {
		case !loaded:
		case n > 0 && at-list[n-1].End <= mostGap:
			list[n-1].End = at + 1
		default:
			list = append(list, SlotRange{at, at + 1})
		}
	}
	return list
}

// slots is the state of ClearedSlots in a function.
type slots struct {
	p     *ir.Program
	f     *ir.Func
	bases []uint32
	// loaded has the slots that an operation loads without a store before it. stored has the slots that operations before
	// the current one store in each lane that reaches it, in the open regions. undo holds the slots that were
	// added to stored, and marks the length of undo at the start of each open region: at its end they are removed,
	// because a branch may have skipped them.
	loaded, stored []bool
	undo           []uint32
	marks          []int
}

// visit adds an operation. It returns false if the operation accesses an address.
func (s *slots) visit(x *ir.Val) bool {
	switch x.Op {
	case ir.PLdI, ir.PStI, ir.RayI:
		return false
	case ir.Block, ir.If, ir.Loop:
		s.marks = append(s.marks, len(s.undo))
	case ir.Else:
		s.restore()
	case ir.End:
		s.restore()
		s.marks = s.marks[:len(s.marks)-1]
	case ir.PClr:
		s.store(s.bases[x.Aux], s.p.Vars[x.Aux].Slots)
	case ir.PLd:
		s.load(s.access(x, x.Type))
	case ir.PSt:
		if first, n, known := s.access(x, s.f.Type(x.Args[1])); known {
			s.store(first, n)
		}
	case ir.Ray:
		s.ray(x)
	}
	return true
}

// access returns the slots of an access to a variable of a type, all of the variable if the slot is not known.
// An access out of range has no slots.
func (s *slots) access(x *ir.Val, t ir.Type) (first, n uint32, known bool) {
	base, size := s.bases[x.Aux], s.p.Vars[x.Aux].Slots
	at := s.f.Val(x.Args[0])
	if at.Op != ir.Const {
		return base, size, false
	}
	n = uint32(max(t.Bits(), 32) / 32)
	if slot := uint32(at.Aux); uint64(slot)+uint64(n) <= uint64(size) {
		return base + slot, n, true
	}
	return base, 0, true
}

// ray adds a request on a ray: it loads all of the ray but the answer. A request other than RayProceed stores the answer.
func (s *slots) ray(x *ir.Val) {
	base, size := s.bases[x.Aux], s.p.Vars[x.Aux].Slots
	at, request := s.f.Val(x.Args[0]), s.f.Val(x.Args[1])
	if at.Op != ir.Const {
		s.load(base, size, false)
		return
	}
	slot := uint32(at.Aux)
	if uint64(slot)+ir.RaySlots > uint64(size) {
		return // no effect
	}
	s.load(base+slot, ir.RayAnswer, true)
	if request.Op == ir.Const && uint32(request.Aux) != ir.RayProceed {
		s.store(base+slot+ir.RayAnswer, ir.RayAnswerSlots)
	}
}

func (s *slots) load(first, n uint32, _ bool) {
	for i := first; i < first+n; i++ {
		s.loaded[i] = s.loaded[i] || !s.stored[i]
	}
}

func (s *slots) store(first, n uint32) {
	for i := first; i < first+n; i++ {
		if !s.stored[i] {
			s.stored[i] = true
			s.undo = append(s.undo, i)
		}
	}
}

// restore removes the stores of the innermost region.
func (s *slots) restore() {
	if len(s.marks) == 0 {
		return
	}
	at := s.marks[len(s.marks)-1]
	for _, i := range s.undo[at:] {
		s.stored[i] = false
	}
	s.undo = s.undo[:at]
}

// ClearedBytes returns the ranges of bytes of a record that must be zero when a subgroup starts, whole lines: row is the size
// of a slot of all lanes, private the offset of slot 0.
func ClearedBytes(p *ir.Program, private, row int64) (list [][2]int64) {
	const line = 64
	for _, r := range ClearedSlots(p) {
		first, end := int64(r.First)*row&^(line-1), (int64(r.End)*row+line-1)&^(line-1)
		if n := len(list); n > 0 && first <= list[n-1][1]-private {
			list[n-1][1] = private + end
			continue
		}
		list = append(list, [2]int64{private + first, private + end})
	}
	return list
}
