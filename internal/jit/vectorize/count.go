package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// Counters of a profile
//
// ir.Count and ir.CountEdge add for each subgroup, so that they would forbid merged strips if they were group operations. As
// they have no result, a strip of several subgroups can add for all of them at once: it needs the number of subgroups with a lane in
// a mask. Word w of a ballot has whole subgroups of n lanes, with n a power of two. After
//
//	w |= w>>(n/2);  w |= w>>(n/4);  …  w |= w>>1
//
// the lowest bit of each subgroup is the union of its bits; the others are masked away, and the rest is counted.

// The execution of the entry block needs no code: each invocation executes it, so that the run adds the workgroups that it ran.

// EntryCounter is the counter of the executions of the entry block.
type EntryCounter struct {
	Resource int
	Offset   uint64
}

// TakeEntryCounter returns p without the ir.Count of its entry block, and its counter; p and nil if there is none.
func TakeEntryCounter(p *ir.Program) (*ir.Program, *EntryCounter) {
	if p.Stage != ir.Compute || p.Observed {
		return p, nil
	}
	for i, v := range p.Funcs[0].Code {
		x := p.Funcs[0].Val(v)
		switch {
		case x.Op == ir.Count:
			h := p.Funcs[0].Val(x.Args[0])
			if h.Op != ir.Res || p.Funcs[0].Val(h.Args[0]).Op != ir.Const || p.Funcs[0].Val(h.Args[0]).Aux != 0 || x.Aux>>32 != 0 {
				return p, nil
			}
			q := p.Clone()
			q.Funcs[0].Code = slices.Delete(q.Funcs[0].Code, i, i+1)
			return q, &EntryCounter{int(h.Aux), x.Aux}
		case i > 0 && x.Op.Is(ir.Control), x.Op == ir.Call, x.Op.Is(ir.Ends):
			return p, nil
		}
	}
	return p, nil
}

// wordLanes is the number of lanes of a word of ir.Ballot.
const wordLanes = 32

// ExpandCounts returns p for strips of so many lanes, with additions in place of ir.Count and ir.CountEdge: atomic ones, but sums
// in loops (countloop.go). The strip is a subgroup, or several if MergeOf permits it. A p without such operations shares its functions with the result.
func ExpandCounts(p *ir.Program, lanes uint32) *ir.Program {
	counts := func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(v ir.V) bool { return f.Val(v).Op == ir.Count || f.Val(v).Op == ir.CountEdge })
	}
	if !slices.ContainsFunc(p.Funcs, counts) {
		if lanes == p.SubgroupSize {
			return p
		}
		q := *p
		q.SubgroupSize = lanes
		return &q
	}
	q := p.Clone()
	q.SubgroupSize = lanes
	summed := false
	for n, f := range q.Funcs {
		if counts(f) {
			sums := loopSums(q, n)
			summed = summed || len(sums) > 0
			expandCounts(f, lanes, p.SubgroupSize, sums)
		}
	}
	if summed {
		pass.Promote(q)
	}
	return q
}

// expandCounts is ExpandCounts for one function.
func expandCounts(f *ir.Func, lanes, subgroup uint32, sums map[ir.V]*loopSum) {
	b, code := ir.Edit(f)
	e := countExpander{b: b, lanes: lanes}
	var order []*loopSum
	for _, v := range code {
		if x := sums[v]; x != nil {
			order = append(order, x)
		}
	}
	inner := ir.V(0)
	for i, v := range code {
		x := *f.Val(v)
		if i == len(code)-1 && inner != 0 {
			e.closeSums(inner, order)
		}
		if x.Op != ir.Count && x.Op != ir.CountEdge {
			b.Keep(v)
			if i == 0 && len(order) > 0 {
				inner = e.openSums(code, order)
			}
			continue
		}
		b.Origin = x.Origin
		e.group = uint32(x.Aux >> 32)
		if e.group == 0 {
			e.group = subgroup
		}
		e.at, e.handle = x.Aux&(1<<32-1), x.Args[0]
		switch {
		case sums[v] != nil:
			e.summed(sums[v], x.Args[1])
		case x.Op == ir.Count:
			e.count()
		default:
			e.countEdge(x.Args[1])
		}
	}
}

// countExpander emits the additions of one operation.
type countExpander struct {
	b      *ir.Builder
	lanes  uint32 // of a strip
	group  uint32 // of a subgroup
	at     uint64
	handle ir.V
}

// count emits ir.Count.
func (e *countExpander) count() {
	all := e.b.Bool(true)
	n, groups := e.number(e.ballot(all)), e.b.I32(1)
	if e.group < e.lanes {
		groups = e.number(e.groups(e.ballot(all)))
	}
	e.b.If(e.b.Op(ir.Elect, ir.B1))
	e.add(0, n)
	e.add(1, groups)
	e.b.End()
}

// countEdge emits ir.CountEdge. In most executions no lane has a c of 1.
func (e *countExpander) countEdge(c ir.V) {
	e.b.If(e.b.Op(ir.Any, ir.B1, c))
	set, mixed, all := e.edgeGroups(c)
	n, m, k := e.number(set), e.number(mixed), e.number(all)
	e.b.If(e.b.Op(ir.Elect, ir.B1))
	e.add(0, m)
	e.add(1, n)
	e.add(2, k)
	e.b.End()
	e.b.End()
}

// edgeGroups returns the words of the lanes with a c of 1, of the subgroups with such and other lanes, and of the subgroups with such
// lanes only.
func (e *countExpander) edgeGroups(c ir.V) (set, mixed, all []ir.V) {
	set = e.ballot(c)
	others := e.groups(e.ballot(e.b.Op(ir.Not, ir.B1, c)))
	all, mixed = e.groups(set), make([]ir.V, len(set))
	for i, w := range all {
		mixed[i] = e.b.Op(ir.And, ir.I32, w, others[i])
		all[i] = e.b.Op(ir.Xor, ir.I32, w, mixed[i])
	}
	return set, mixed, all
}

// ballot returns the words of the mask of the active lanes in which c is 1.
func (e *countExpander) ballot(c ir.V) []ir.V {
	words := make([]ir.V, (e.lanes+wordLanes-1)/wordLanes)
	for i := range words {
		words[i] = e.b.OpAux(ir.Ballot, ir.I32, uint64(i), c)
	}
	return words
}

// groups returns words with the lowest bit of each subgroup that has a bit in the given words.
func (e *countExpander) groups(words []ir.V) []ir.V {
	if e.group > wordLanes { // the strip is one subgroup
		any := words[0]
		for _, w := range words[1:] {
			any = e.b.Op(ir.Or, ir.I32, any, w)
		}
		out := slices.Repeat([]ir.V{e.b.I32(0)}, len(words))
		out[0] = e.b.Select(e.b.Cmp(ir.Eq, any, e.b.I32(0)), e.b.I32(0), e.b.I32(1))
		return out
	}
	lowest := uint32(0)
	for lane := uint32(0); lane < wordLanes; lane += e.group {
		lowest |= 1 << lane
	}
	out := slices.Clone(words)
	for i, w := range out {
		for s := e.group / 2; s > 0; s /= 2 {
			w = e.b.Op(ir.Or, ir.I32, w, e.b.Op(ir.LShr, ir.I32, w, e.b.I32(s)))
		}
		out[i] = e.b.Op(ir.And, ir.I32, w, e.b.I32(lowest))
	}
	return out
}

// number returns the number of bits of words.
func (e *countExpander) number(words []ir.V) ir.V {
	sum := e.b.Op(ir.BitCount, ir.I32, words[0])
	for _, w := range words[1:] {
		sum = e.b.Op(ir.Add, ir.I32, sum, e.b.Op(ir.BitCount, ir.I32, w))
	}
	return sum
}

// add adds to counter n of the operation.
func (e *countExpander) add(n int, by ir.V) { e.addWide(n, e.wide(by)) }

// addWide is add of a number of 64 bits.
func (e *countExpander) addWide(n int, by ir.V) {
	e.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Aux: e.at + uint64(8*n), Args: [4]ir.V{e.handle, e.b.I32(0), by}})
}
