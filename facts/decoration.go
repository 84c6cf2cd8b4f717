package facts

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Decoration is one decoration of an id or of a member of a struct, whether it
// was given directly or through a group.
type Decoration struct {
	Kind     spirv.Decoration
	Index    int      // the instruction that decorates, or that makes the group's decoration
	Operands []uint32 // the words behind the decoration
	IDs      bool     // Operands are ids: OpDecorateId, OpMemberDecorateIdEXT
}

// Literal returns the first operand, 0 where there is none.
func (d Decoration) Literal() uint32 {
	if len(d.Operands) == 0 {
		return 0
	}
	return d.Operands[0]
}

// decorated is a decoration and what it stands on.
type decorated struct {
	target int32 // the instruction that defines the target
	member int32 // −1 for the target itself
	kind   uint32
	Decoration
}

// grouped is the kind of an entry that stands for all decorations of the group
// that is its operand. It is sorted behind every decoration.
const grouped = ^uint32(0)

// decorations is sorted by target, member and kind.
type decorations struct {
	list  []decorated
	first []int32 // of each instruction, and of the end
}

// decorate states the decorations.
func (g *gatherer) decorate() {
	d := &g.decor
	d.list = make([]decorated, 0, len(g.annot))
	for _, n := range g.annot {
		g.annotation(int(n), g.Code.Inst(int(n)))
	}
	d.order(g.Code.Len())
}

// order sorts the list: by target by counting, and then what each target has,
// which mostly stands in order.
func (d *decorations) order(n int) {
	d.first = make([]int32, n+2)
	for i := range d.list {
		d.first[d.list[i].target+2]++
	}
	for i := 2; i < len(d.first); i++ {
		d.first[i] += d.first[i-1]
	}
	sorted := make([]decorated, len(d.list))
	for i := range d.list {
		at := &d.first[d.list[i].target+1]
		sorted[*at] = d.list[i]
		*at++
	}
	d.list, d.first = sorted, d.first[:n+1]
	for i := 0; i < len(sorted); {
		j := int(d.first[sorted[i].target+1])
		if part := sorted[i:j]; !slices.IsSortedFunc(part, decorated.compare) {
			slices.SortFunc(part, decorated.compare)
		}
		i = j
	}
}

// compare orders the decorations of one target.
func (x decorated) compare(y decorated) int {
	return cmp.Or(cmp.Compare(x.member, y.member), cmp.Compare(x.kind, y.kind), cmp.Compare(x.Index, y.Index))
}

func (g *gatherer) annotation(i int, in spirv.Inst) {
	switch in.Op() {
	case spirv.OpDecorate:
		v := inst.Decorate(in)
		g.addDecoration(i, v.Target(), -1, v.Decoration(), v.DecorationWords(), false)
	case spirv.OpDecorateId:
		v := inst.DecorateId(in)
		g.addDecoration(i, v.Target(), -1, v.Decoration(), v.DecorationWords(), true)
	case spirv.OpDecorateString:
		v := inst.DecorateString(in)
		g.addDecoration(i, v.Target(), -1, v.Decoration(), v.DecorationWords(), false)
	case spirv.OpMemberDecorate:
		v := inst.MemberDecorate(in)
		g.addDecoration(i, v.StructureType(), member(v.Member()), v.Decoration(), v.DecorationWords(), false)
	case spirv.OpMemberDecorateString:
		v := inst.MemberDecorateString(in)
		g.addDecoration(i, v.StructType(), member(v.Member()), v.Decoration(), v.DecorationWords(), false)
	case spirv.OpMemberDecorateIdEXT:
		v := inst.MemberDecorateIdEXT(in)
		g.addDecoration(i, v.StructureType(), member(v.Member()), v.Decoration(), v.DecorationWords(), true)
	case spirv.OpGroupDecorate:
		v := inst.GroupDecorate(in)
		for _, t := range v.Targets() {
			g.addGroup(i, t, -1, in[1:2])
		}
	case spirv.OpGroupMemberDecorate:
		v := inst.GroupMemberDecorate(in)
		for _, t := range v.Targets() {
			g.addGroup(i, spirv.ID(t[0]), member(t[1]), in[1:2])
		}
	}
}

// member returns the number of a member; none that there can be beyond 2³¹.
func member(n uint32) int32 { return int32(min(n, math.MaxInt32)) }

func (g *gatherer) addDecoration(i int, target spirv.ID, member int32, kind spirv.Decoration, words []uint32, ids bool) {
	if t := g.Def(target); t >= 0 {
		g.decor.list = append(g.decor.list, decorated{int32(t), member, uint32(kind), Decoration{kind, i, words, ids}})
	}
}

func (g *gatherer) addGroup(i int, target spirv.ID, member int32, group []uint32) {
	if t := g.Def(target); t >= 0 {
		g.decor.list = append(g.decor.list, decorated{int32(t), member, grouped, Decoration{0, i, group, false}})
	}
}

// own returns what stands on a target itself, groups as such and last.
func (m *Module) own(id spirv.ID, member int32) []decorated {
	i := m.Def(id)
	if i < 0 {
		return nil
	}
	list := m.decor.list[m.decor.first[i]:m.decor.first[i+1]]
	if len(list) == 0 || list[0].member == member && list[len(list)-1].member == member {
		return list
	}
	a := sort.Search(len(list), func(n int) bool { return list[n].member >= member })
	b := a + sort.Search(len(list)-a, func(n int) bool { return list[a+n].member > member })
	return list[a:b]
}

// find returns the first decoration of a kind.
func find(list []decorated, kind uint32) (Decoration, bool) {
	n := 0
	if len(list) > 8 {
		n = sort.Search(len(list), func(n int) bool { return list[n].kind >= kind })
	}
	for ; n < len(list) && list[n].kind <= kind; n++ {
		if list[n].kind == kind {
			return list[n].Decoration, true
		}
	}
	return Decoration{}, false
}

// lookup returns the first decoration of a kind, directly or through a group.
func (m *Module) lookup(id spirv.ID, member int32, kind spirv.Decoration) (Decoration, bool) {
	list := m.own(id, member)
	if d, ok := find(list, uint32(kind)); ok {
		return d, true
	}
	for n := len(list) - 1; n >= 0 && list[n].kind == grouped; n-- {
		if d, ok := find(m.own(spirv.ID(list[n].Operands[0]), -1), uint32(kind)); ok {
			return d, true
		}
	}
	return Decoration{}, false
}

// Decoration returns the decoration of a kind that stands on id, the first
// where there are several; false where there is none.
func (m *Module) Decoration(id spirv.ID, kind spirv.Decoration) (Decoration, bool) {
	return m.lookup(id, -1, kind)
}

// Has reports whether a decoration of a kind stands on id.
func (m *Module) Has(id spirv.ID, kind spirv.Decoration) bool {
	_, ok := m.lookup(id, -1, kind)
	return ok
}

// MemberDecoration returns the decoration of a kind that stands on a member of
// a struct, the first where there are several; false where there is none.
func (m *Module) MemberDecoration(id spirv.ID, member int, kind spirv.Decoration) (Decoration, bool) {
	return m.lookup(id, int32(member), kind)
}

// HasMember reports whether a decoration of a kind stands on a member of a
// struct.
func (m *Module) HasMember(id spirv.ID, member int, kind spirv.Decoration) bool {
	_, ok := m.lookup(id, int32(member), kind)
	return ok
}

// Decorations yields the decorations that stand on id, in order of their
// numbers, and then those of its groups.
func (m *Module) Decorations(id spirv.ID) iter.Seq[Decoration] { return m.all(id, -1) }

// MemberDecorations yields the decorations that stand on a member of a struct,
// in order of their numbers, and then those of its groups.
func (m *Module) MemberDecorations(id spirv.ID, member int) iter.Seq[Decoration] {
	return m.all(id, int32(member))
}

func (m *Module) all(id spirv.ID, member int32) iter.Seq[Decoration] {
	return func(yield func(Decoration) bool) {
		for _, d := range m.own(id, member) {
			if d.kind != grouped {
				if !yield(d.Decoration) {
					return
				}
				continue
			}
			for _, e := range m.own(spirv.ID(d.Operands[0]), -1) {
				if e.kind != grouped && !yield(e.Decoration) {
					return
				}
			}
		}
	}
}

// Decorated yields every target of a decoration once: an id with −1, or a struct
// with the number of a member, in order of definition.
func (m *Module) Decorated() iter.Seq2[spirv.ID, int] {
	return func(yield func(spirv.ID, int) bool) {
		for n, d := range m.decor.list {
			if n > 0 && m.decor.list[n-1].target == d.target && m.decor.list[n-1].member == d.member {
				continue
			}
			if !yield(m.Code.Inst(int(d.target)).Result(), int(d.member)) {
				return
			}
		}
	}
}

// BuiltIn returns the built-in that id is decorated as, false where it is none.
func (m *Module) BuiltIn(id spirv.ID) (spirv.BuiltIn, bool) {
	d, ok := m.lookup(id, -1, spirv.DecorationBuiltIn)
	return spirv.BuiltIn(d.Literal()), ok && len(d.Operands) > 0
}

// MemberBuiltIn returns the built-in that a member of a struct is decorated as,
// false where it is none.
func (m *Module) MemberBuiltIn(id spirv.ID, member int) (spirv.BuiltIn, bool) {
	d, ok := m.lookup(id, int32(member), spirv.DecorationBuiltIn)
	return spirv.BuiltIn(d.Literal()), ok && len(d.Operands) > 0
}
