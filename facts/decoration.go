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

// Decoration is one decoration of an id or of a struct member, applied directly
// or through a decoration group.
type Decoration struct {
	Kind     spirv.Decoration
	Index    int      // the instruction that decorates, or that decorates the group
	Operands []uint32 // the literals or ids after the decoration, in words
	IDs      bool     // Operands are ids (OpDecorateId, OpMemberDecorateIdEXT)
}

// Literal returns the first operand; 0 if there is none.
func (d Decoration) Literal() uint32 {
	if len(d.Operands) == 0 {
		return 0
	}
	return d.Operands[0]
}

// decorated is a decoration with its target.
type decorated struct {
	target int32 // the instruction that defines the target
	member int32 // −1 for the target itself
	kind   uint32
	Decoration
}

// grouped is the kind of an entry for all decorations of a group; its operand is
// the group's id. It sorts after every decoration.
const grouped = ^uint32(0)

// decorations is the table of all decorations, sorted by target, member and kind.
type decorations struct {
	list  []decorated
	first []int32 // first entry of each instruction; the last element is the end
	kinds kindSet

	brief map[spirv.ID][]int32  // by group: in list, the first two entries of each kind
	fused map[memberKey][]int32 // by target of more than fewGroups groups: the first entry of each kind
}

// memberKey is the definition of a target with a member, or −1.
type memberKey struct{ target, member int32 }

// fewGroups is the number of groups of one target that a look-up searches one by one. More groups take more
// words in the module than their entry in fused.
const fewGroups = 64

// kindSet is the set of decoration kinds that occur in a module: exact below 64,
// and one hash set of 64 bits for all larger numbers (a false positive is
// possible, a false negative is not).
type kindSet [2]uint64

func (s *kindSet) add(kind uint32) { s[min(kind/64, 1)] |= 1 << (kind % 64) }

func (s *kindSet) has(kind uint32) bool { return s[min(kind/64, 1)]>>(kind%64)&1 != 0 }

// decorate builds the decoration table in two passes, a counting sort by target:
// the first counts the decorations of each target, the second stores them. Then
// it sorts the entries of each target.
func (g *gatherer) decorate() {
	d := &g.decor
	d.first = zeros(d.first, g.Code.Len()+2)
	total := 0
	for _, n := range g.annot {
		in := g.Code.Inst(int(n))
		eachTarget(in, func(id spirv.ID, _ int32) {
			if t := g.Def(id); t >= 0 {
				d.first[t+2]++
				total++
			}
		})
	}
	if total > 0 {
		for i := 2; i < len(d.first); i++ {
			d.first[i] += d.first[i-1]
		}
		d.list = zeros(d.list, total)
		for _, n := range g.annot {
			g.annotation(int(n), g.Code.Inst(int(n)))
		}
	}
	d.first[g.Code.Len()+1] = 0
	d.first = d.first[:g.Code.Len()+1]
	for i := 0; i < total; {
		j := int(d.first[d.list[i].target+1])
		sortEntries(d.list[i:j])
		i = j
	}
	g.groups()
}

// groups makes the tables by which the cost of a group does not depend on the number of its decorations or
// of the groups of a target: n groups of n decorations on n targets are n³ decorations in few words.
func (g *gatherer) groups() {
	d := &g.decor
	for i := 0; i < len(d.list); {
		key := memberKey{d.list[i].target, d.list[i].member}
		j, groups := i, 0
		for ; j < len(d.list) && d.list[j].target == key.target && d.list[j].member == key.member; j++ {
			if d.list[j].kind != grouped {
				continue
			}
			groups++
			if d.brief == nil {
				d.brief = map[spirv.ID][]int32{}
			}
			if id := spirv.ID(d.list[j].Operands[0]); d.brief[id] == nil {
				d.brief[id] = d.shorten(g.Def(id), g.own(id, -1))
			}
		}
		if groups > fewGroups {
			if d.fused == nil {
				d.fused = map[memberKey][]int32{}
			}
			d.fused[key] = d.fuse(d.list[j-groups : j])
		}
		i = j
	}
}

// shorten returns the first two entries of each kind of a group, without the entries of other groups. The result is not nil.
func (d *decorations) shorten(group int, own []decorated) []int32 {
	out := []int32{}
	for k, x := range own {
		if x.kind != grouped && (k < 2 || own[k-2].kind != x.kind) {
			out = append(out, d.first[group]+int32(k))
		}
	}
	return out
}

// fuse returns the entry of each kind that the last of several groups has first, in order of the kinds.
func (d *decorations) fuse(groups []decorated) []int32 {
	var out []int32
	seen, have := map[uint32]bool{}, map[uint32]bool{}
	for n := len(groups) - 1; n >= 0; n-- {
		id := groups[n].Operands[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		for _, at := range d.brief[spirv.ID(id)] {
			if kind := d.list[at].kind; !have[kind] {
				have[kind] = true
				out = append(out, at)
			}
		}
	}
	slices.SortFunc(out, func(x, y int32) int { return cmp.Compare(d.list[x].kind, d.list[y].kind) })
	return slices.Clip(out)
}

// eachTarget yields the targets of a decoration instruction: an id, and the
// number of a member or −1.
func eachTarget(in spirv.Inst, yield func(id spirv.ID, member int32)) {
	switch in.Op() {
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString:
		yield(spirv.ID(in[1]), -1)
	case spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT:
		yield(spirv.ID(in[1]), member(in[2]))
	case spirv.OpGroupDecorate:
		for _, t := range inst.GroupDecorate(in).Targets() {
			yield(t, -1)
		}
	case spirv.OpGroupMemberDecorate:
		for _, t := range inst.GroupMemberDecorate(in).Targets() {
			yield(spirv.ID(t[0]), member(t[1]))
		}
	}
}

// fewEntries is the number of entries that sortEntries inserts one by one.
const fewEntries = 32

// key orders the decorations of one target: by member, then by kind.
func (x *decorated) key() uint64 { return uint64(int64(x.member)+1)<<32 | uint64(x.kind) }

// sortEntries sorts the entries of one target by key. Entries with the same key remain in the order of their
// instructions.
func sortEntries(list []decorated) {
	if len(list) > fewEntries {
		slices.SortFunc(list, func(x, y decorated) int { return cmp.Or(cmp.Compare(x.key(), y.key()), cmp.Compare(x.Index, y.Index)) })
		return
	}
	for n := 1; n < len(list); n++ {
		if list[n-1].key() <= list[n].key() {
			continue
		}
		x, at := list[n], n
		for ; at > 0 && list[at-1].key() > x.key(); at-- {
			list[at] = list[at-1]
		}
		list[at] = x
	}
}

// annotation stores one decoration instruction in the entries of its targets.
func (g *gatherer) annotation(i int, in spirv.Inst) {
	d := Decoration{Index: i}
	kind := grouped
	switch in.Op() {
	case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		d.Operands = in[1:2]
	case spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT:
		kind, d.Operands, d.IDs = in[3], in[4:], in.Op() == spirv.OpMemberDecorateIdEXT
	default:
		kind, d.Operands, d.IDs = in[2], in[3:], in.Op() == spirv.OpDecorateId
	}
	if kind != grouped {
		d.Kind = spirv.Decoration(kind)
		g.decor.kinds.add(kind)
	}
	eachTarget(in, func(id spirv.ID, member int32) {
		if t := g.Def(id); t >= 0 {
			at := &g.decor.first[t+1]
			g.decor.list[*at] = decorated{int32(t), member, kind, d}
			*at++
		}
	})
}

// member returns the number of a member, clipped to 2³¹−1; no struct has as many.
func member(n uint32) int32 { return int32(min(n, math.MaxInt32)) }

// own returns the entries of the target itself or of one member, groups
// unexpanded and last.
func (m *Module) own(id spirv.ID, member int32) []decorated {
	i := m.Def(id)
	if i < 0 {
		return nil
	}
	a, b := m.decor.first[i], m.decor.first[i+1]
	if a == b {
		return nil
	}
	list := m.decor.list[a:b]
	if list[0].member == member && list[len(list)-1].member == member {
		return list
	}
	from := sort.Search(len(list), func(n int) bool { return list[n].member >= member })
	end := from + sort.Search(len(list)-from, func(n int) bool { return list[from+n].member > member })
	return list[from:end]
}

// find returns the first decoration of a kind in a sorted list; nil if there is none.
func find(list []decorated, kind uint32) *decorated {
	n := 0
	if len(list) > 8 {
		n = sort.Search(len(list), func(n int) bool { return list[n].kind >= kind })
	}
	for ; n < len(list) && list[n].kind <= kind; n++ {
		if list[n].kind == kind {
			return &list[n]
		}
	}
	return nil
}

// lookup returns the first decoration of a kind, nil if there is none; a direct one precedes a group's.
func (m *Module) lookup(id spirv.ID, member int32, kind spirv.Decoration) *decorated {
	if !m.decor.kinds.has(uint32(kind)) {
		return nil
	}
	return m.search(id, member, kind)
}

// search is lookup for a kind that the module may have.
func (m *Module) search(id spirv.ID, member int32, kind spirv.Decoration) *decorated {
	list := m.own(id, member)
	if len(list) == 0 {
		return nil
	}
	if d := find(list, uint32(kind)); d != nil {
		return d
	}
	if n := len(list) - 1 - fewGroups; n >= 0 && list[n].kind == grouped {
		fused := m.decor.fused[memberKey{list[n].target, member}]
		k := sort.Search(len(fused), func(k int) bool { return m.decor.list[fused[k]].kind >= uint32(kind) })
		if k == len(fused) || m.decor.list[fused[k]].kind != uint32(kind) {
			return nil
		}
		return &m.decor.list[fused[k]]
	}
	for n := len(list) - 1; n >= 0 && list[n].kind == grouped; n-- {
		if d := find(m.own(spirv.ID(list[n].Operands[0]), -1), uint32(kind)); d != nil {
			return d
		}
	}
	return nil
}

// decoration is lookup with the result of the exported look-ups.
func (m *Module) decoration(id spirv.ID, member int32, kind spirv.Decoration) (Decoration, bool) {
	if d := m.lookup(id, member, kind); d != nil {
		return d.Decoration, true
	}
	return Decoration{}, false
}

// Decorates reports whether a decoration of the kind may occur in the module.
// False is certain; true may be a false positive for kinds of 64 and more.
func (m *Module) Decorates(kind spirv.Decoration) bool { return m.decor.kinds.has(uint32(kind)) }

// Decoration returns the decoration of a kind on id, the first if there are
// several; false if there is none.
func (m *Module) Decoration(id spirv.ID, kind spirv.Decoration) (Decoration, bool) {
	return m.decoration(id, -1, kind)
}

// Has reports whether id has a decoration of a kind.
func (m *Module) Has(id spirv.ID, kind spirv.Decoration) bool {
	return m.lookup(id, -1, kind) != nil
}

// MemberDecoration returns the decoration of a kind on a member of a struct, the
// first if there are several; false if there is none.
func (m *Module) MemberDecoration(id spirv.ID, member int, kind spirv.Decoration) (Decoration, bool) {
	return m.decoration(id, int32(member), kind)
}

// HasMember reports whether a member of a struct has a decoration of a kind.
func (m *Module) HasMember(id spirv.ID, member int, kind spirv.Decoration) bool {
	return m.lookup(id, int32(member), kind) != nil
}

// Decorations yields the decorations of id in order of their kinds' numbers, and
// then the decorations of its groups.
func (m *Module) Decorations(id spirv.ID) iter.Seq[Decoration] { return m.all(id, -1) }

// MemberDecorations yields the decorations of a member of a struct in order of
// their kinds' numbers, and then the decorations of its groups.
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

// BriefDecorations is Decorations, or MemberDecorations if member is not −1, with at most two decorations of each
// kind from each group. A check of all targets is then linear in the size of the module.
func (m *Module) BriefDecorations(id spirv.ID, member int) iter.Seq[Decoration] {
	return func(yield func(Decoration) bool) {
		for _, d := range m.own(id, int32(member)) {
			if d.kind != grouped {
				if !yield(d.Decoration) {
					return
				}
				continue
			}
			for _, at := range m.decor.brief[spirv.ID(d.Operands[0])] {
				if !yield(m.decor.list[at].Decoration) {
					return
				}
			}
		}
	}
}

// Decorated yields every decorated target once, in order of definition: an id
// with −1, or the id of a struct with the number of a member.
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

// DecoratedOften yields the targets of Decorated that have more than one
// decoration, or a group.
func (m *Module) DecoratedOften() iter.Seq2[spirv.ID, int] {
	return func(yield func(spirv.ID, int) bool) {
		list := m.decor.list
		for n := 0; n < len(list); {
			end := n + 1
			for end < len(list) && list[end].target == list[n].target && list[end].member == list[n].member {
				end++
			}
			if (end > n+1 || list[n].kind == grouped) && !yield(m.Code.Inst(int(list[n].target)).Result(), int(list[n].member)) {
				return
			}
			n = end
		}
	}
}

// BuiltIn returns the built-in that id is decorated as; false if it is none.
func (m *Module) BuiltIn(id spirv.ID) (spirv.BuiltIn, bool) {
	return builtIn(m.lookup(id, -1, spirv.DecorationBuiltIn))
}

// MemberBuiltIn returns the built-in that a member of a struct is decorated as;
// false if it is none.
func (m *Module) MemberBuiltIn(id spirv.ID, member int) (spirv.BuiltIn, bool) {
	return builtIn(m.lookup(id, int32(member), spirv.DecorationBuiltIn))
}

func builtIn(d *decorated) (spirv.BuiltIn, bool) {
	if d == nil || len(d.Operands) == 0 {
		return 0, false
	}
	return spirv.BuiltIn(d.Operands[0]), true
}
