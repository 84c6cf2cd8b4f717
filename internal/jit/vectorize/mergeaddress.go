package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Merging of subgroups that access memory by device addresses
//
// An address may be one of any memory. So a program that stores by an address may not load such memory, and may store nothing
// else: then only the order of the lanes in this one store can matter, and strips of all widths keep it. The pass that uses the region of
// a base makes two stores of one. Each strip executes one of them for all its lanes, so they count as one:
//
//	block L2 {
//		v2 = every v1       the same in all lanes of a strip, whatever its width
//		if v2 {
//			st.i32 v3, …
//			br L2
//		}
//		st.i32 v4, …
//	}

// addressedAccesses are the accesses of a program by device addresses.
type addressedAccesses struct {
	loads  bool
	stores []ir.V
}

// add records an access, and returns false if it forbids merging: a store in a loop may be executed twice.
func (a *addressedAccesses) add(v ir.V, store, inLoop bool) bool {
	if !store {
		a.loads = true
		return true
	}
	a.stores = append(a.stores, v)
	return !inLoop && len(a.stores) <= 2
}

// addressedOnce reports whether the accesses by addresses permit other strips.
func (m *merger) addressedOnce() bool {
	a, any := &m.addressed, func(lists [][]ir.V) bool {
		return slices.ContainsFunc(lists, func(l []ir.V) bool { return len(l) > 0 })
	}
	switch len(a.stores) {
	case 0:
		return !a.loads || !any(m.stores)
	case 2:
		if !m.alternatives(a.stores[0], a.stores[1]) {
			return false
		}
	}
	return !a.loads && !any(m.stores) && !any(m.loads)
}

// alternatives reports whether each strip executes one of two stores, as in the code above.
func (m *merger) alternatives(first, second ir.V) bool {
	var open []ir.V
	label := ir.V(0) // that the branch after the first one leaves
	for i, v := range m.f.Code {
		x := m.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, v)
		case ir.End:
			if open = open[:len(open)-1]; len(open) == 0 || label != 0 && !slices.Contains(open, label) {
				return false
			}
		}
		switch v {
		case first:
			n := len(open)
			if n < 2 || i+1 == len(m.f.Code) || m.f.Val(open[n-2]).Op != ir.Block || m.f.Val(open[n-1]).Op != ir.If || m.f.Val(m.f.Val(open[n-1]).Args[0]).Op != ir.Every {
				return false
			}
			if leave := m.f.Val(m.f.Code[i+1]); leave.Op != ir.Br || leave.Args[0] != open[n-2] {
				return false
			}
			label = open[n-2]
		case second:
			return label != 0 && open[len(open)-1] == label
		}
	}
	return false
}
