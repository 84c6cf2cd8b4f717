package facts

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// names indexes the debug instructions of a module.
type names struct {
	found   []int32 // OpName and OpMemberName
	ids     []int32 // by instruction: its OpName + 1; 0 if it has none
	members []memberName
	sources []int // OpSource
}

// memberName is the OpMemberName of a member.
type memberName struct {
	target int32
	member uint32
	index  int32
}

// debug records a debug instruction.
func (n *names) debug(i int, op spirv.Op, _ spirv.Inst) {
	switch op {
	case spirv.OpName, spirv.OpMemberName:
		n.found = append(n.found, int32(i))
	case spirv.OpSource:
		n.sources = append(n.sources, i)
	}
}

// name resolves the target of each name.
func (g *gatherer) name() {
	n := &g.names
	if len(n.found) == 0 {
		return
	}
	n.ids = zeros(n.ids, g.Code.Len())
	for _, i := range n.found {
		in := g.Code.Inst(int(i))
		t := g.Def(spirv.ID(in[1]))
		if t < 0 {
			continue
		}
		if in.Op() == spirv.OpMemberName {
			n.members = append(n.members, memberName{int32(t), inst.MemberName(in).Member(), i})
		} else if n.ids[t] == 0 {
			n.ids[t] = i + 1
		}
	}
	n.found = n.found[:0]
	slices.SortFunc(n.members, func(x, y memberName) int {
		return cmp.Or(compareMember(x, y), cmp.Compare(x.index, y.index))
	})
}

func compareMember(x, y memberName) int {
	return cmp.Or(cmp.Compare(x.target, y.target), cmp.Compare(x.member, y.member))
}

// Name returns the string of the OpName of id, the first if there are several;
// "" if there is none. Each call allocates the string.
func (m *Module) Name(id spirv.ID) string {
	i := m.Def(id)
	if i < 0 || i >= len(m.names.ids) || m.names.ids[i] == 0 {
		return ""
	}
	return inst.Name(m.Code.Inst(int(m.names.ids[i]) - 1)).Name()
}

// MemberName returns the string of the OpMemberName of a struct member; "" if
// there is none. Each call allocates the string.
func (m *Module) MemberName(id spirv.ID, member int) string {
	list := m.names.members
	n, ok := slices.BinarySearchFunc(list, memberName{int32(m.Def(id)), uint32(member), 0}, compareMember)
	if !ok {
		return ""
	}
	return inst.MemberName(m.Code.Inst(int(list[n].index))).Name()
}

// String returns the string of an OpString; false if id is none.
func (m *Module) String(id spirv.ID) (string, bool) {
	in := m.Code.DefInst(id)
	if in == nil || in.Op() != spirv.OpString {
		return "", false
	}
	return inst.String(in).String(), true
}

// Source is the contents of an OpSource, except its text ([Module.SourceText]).
type Source struct {
	Language spirv.SourceLanguage
	Version  uint32 // in the language's own counting
	File     string // "" if it is not stated
}

// Sources returns the module's OpSource instructions, in order.
func (m *Module) Sources() []Source {
	var out []Source
	for _, i := range m.names.sources {
		v := inst.Source(m.Code.Inst(i))
		s := Source{Language: v.SourceLanguage(), Version: v.Version()}
		if f, ok := v.File(); ok {
			s.File, _ = m.String(f)
		}
		out = append(out, s)
	}
	return out
}
