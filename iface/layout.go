package iface

import (
	"strconv"

	"github.com/chiaro-gpu/chiaro/facts"
)

// Member is a member of a struct in memory, with everything inside it.
type Member struct {
	Name         string   `json:"name"`
	Type         Type     `json:"type"`
	Offset       uint64   `json:"offset"` // in bytes, from the start of the struct it is in
	Size         uint64   `json:"size"`   // in bytes, without padding at its end; 0 of a runtime array
	Padding      uint64   `json:"padding,omitempty"`
	ArrayStride  uint32   `json:"arrayStride,omitempty"`
	MatrixStride uint32   `json:"matrixStride,omitempty"`
	RowMajor     bool     `json:"rowMajor,omitempty"`
	Used         bool     `json:"used"` // the entry point may use it
	Members      []Member `json:"members,omitempty"`
}

// maxMembers bounds the listed members of one block, including the members of
// nested structs.
const maxMembers = 1 << 16

// layoutOf describes the members of a struct. used tells which of the outermost
// members the entry point uses; nil means all.
func layoutOf(m *facts.Module, t *facts.Type, used []bool) []Member {
	left := maxMembers
	return members(m, t, used, &left, 0)
}

func members(m *facts.Module, t *facts.Type, used []bool, left *int, depth int) []Member {
	if depth > maxArrays {
		return nil
	}
	out := make([]Member, 0, min(len(t.Members), max(*left, 0)))
	for k := range t.Members {
		if *left--; *left < 0 {
			break
		}
		p := &t.Members[k]
		n := Member{
			Name: orElse(m.MemberName(t.ID, k), "_"+itoa(k)), Type: typeOf(m, p.Type), Offset: uint64(p.Offset), Size: p.Size(),
			MatrixStride: p.MatrixStride, RowMajor: p.RowMajor, Used: used == nil || used[k],
		}
		if p.Type != nil {
			n.ArrayStride = p.Type.ArrayStride
		}
		if k+1 < len(t.Members) { // the gap between this member and the next one in memory
			if next := uint64(t.Members[k+1].Offset); next > n.Offset+n.Size {
				n.Padding = next - n.Offset - n.Size
			}
		}
		if s := blockOfAny(p.Type); s != nil {
			n.Members = members(m, s, nil, left, depth+1)
		}
		out = append(out, n)
	}
	return out
}

// blockOfAny returns a struct type, or the struct in arrays; nil if there is none.
func blockOfAny(t *facts.Type) *facts.Type {
	for n := 0; t != nil && (t.IsArray() || t.IsRuntimeArray()) && n < maxArrays; n++ {
		t = t.Elem
	}
	if t != nil && t.IsStruct() {
		return t
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
