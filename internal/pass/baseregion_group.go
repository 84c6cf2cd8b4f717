package pass

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// A group is several loads of one region at indices with constant differences, as unrolled loops have them. One bounds
// check covers the group: the least index, against a bound that is lower by the distance to the greatest index.
//
//	if every (i < n)      { a = ld i }             if every (i < max(n, 512) − 512) {
//	if every (i+256 < n)  { b = ld i+256 }              a = ld i; b = ld i, #1024; v = a + b
//	v = a + b                                 →         c = ld i, #2048; w = v + c
//	if every (i+512 < n)  { c = ld i+512 }         } else { the searches for each, and the sums }
//	w = v + c
//
// The loads move up to the first one: no operation between them writes memory or begins a region. Operations that use up results of the
// group, as the sums here, are in both versions, so that they leave few results.

const (
	// maxGroup bounds the loads of a group.
	maxGroup = 16
	// maxRecord is the number of loads that come before all other operations: engines load the words of a record together.
	maxRecord = 4
)

// grouped is a member of a group: an access, or an operation on results of the group.
type grouped struct {
	v     ir.V
	moved bool   // it is no access
	ahead uint64 // bytes of an access from the least index, or from the least address of a pointer, besides those in Aux
}

// accessGroup has the accesses that have one condition.
type accessGroup struct {
	list []grouped // the first is an access
	root ir.V      // the index without the constant, which all accesses have, or 0
}

// countUses counts how often each value is an operand. The terms of an address are operands of each access, which may compute it again.
func (r *regionRewriter) countUses(accesses []splitAddress) {
	r.uses = make([]int, len(r.f.Vals))
	for _, v := range r.f.Code {
		x := r.f.Val(v)
		for _, a := range x.Args[:x.Op.Args()] {
			r.uses[a]++
		}
		for _, a := range r.f.Listed(v) {
			r.uses[a]++
		}
	}
	for _, s := range accesses {
		root, _ := r.place(s.index)
		r.useTerms(s.address, root)
	}
}

// useTerms counts the values that clone may read.
func (r *regionRewriter) useTerms(v, root ir.V) {
	if r.uses[v]++; v == root {
		return
	}
	switch x := r.f.Val(v); x.Op {
	case ir.Add, ir.Shl, ir.Mul, ir.Or, ir.ZExt, ir.SExt:
		for _, a := range x.Args[:x.Op.Args()] {
			r.useTerms(a, root)
		}
	}
}

// place returns an index as a sum of a value and a constant, or of an aligned value and its low bits.
func (r *regionRewriter) place(index ir.V) (root ir.V, plus uint32) {
	x := r.f.Val(index)
	if x.Op != ir.Add && x.Op != ir.Or || r.f.Val(x.Args[1]).Op != ir.Const {
		return index, 0
	}
	plus = uint32(r.f.Val(x.Args[1]).Aux)
	if x.Op == ir.Or {
		aligned := r.f.Val(x.Args[0])
		if aligned.Op != ir.Shl || r.f.Val(aligned.Args[1]).Op != ir.Const || uint64(bits.Len32(plus)) > r.f.Val(aligned.Args[1]).Aux&31 {
			return index, 0
		}
	}
	return x.Args[0], plus
}

// together returns the accesses of code that have one condition with the first one, and the condition: its index is the least one.
func (r *regionRewriter) together(code []ir.V, s splitAddress) (*accessGroup, splitAddress) {
	g := &accessGroup{list: []grouped{{v: code[0]}}}
	parts := []splitAddress{s}
	root, plus := r.place(s.index)
	g.root = root
	if r.f.Val(code[0]).Op == ir.Ld && !s.word {
		parts = r.extend(g, code, parts, plus)
	}
	for _, m := range g.list {
		r.done[m.v] = true
	}
	return g, r.condition(g, parts)
}

// extend adds loads and operations to a group, and returns the parts of all loads.
func (r *regionRewriter) extend(g *accessGroup, code []ir.V, parts []splitAddress, plus uint32) []splitAddress {
	// inside are the results of the group, later those of operations that follow it.
	inside, later := map[ir.V]bool{code[0]: true}, map[ir.V]bool{}
	for _, v := range code[1:] {
		if r.done[v] {
			continue
		}
		if r.stops(v) {
			break
		}
		if next, ok := r.split(v); ok && len(parts) < maxGroup && r.joins(&parts[0], &next, g.root, plus) {
			parts = append(parts, next)
			g.list = append(g.list, grouped{v: v})
			inside[v] = true
		} else if r.usesUp(v, inside, later) {
			g.list = append(g.list, grouped{v: v, moved: true})
			inside[v] = true
		} else {
			later[v] = true
		}
	}
	loads := len(parts)
	if loads == 1 {
		// A single load has the result in any case: the operations on it would be in the code twice for nothing.
		g.list = g.list[:1]
	} else if loads <= maxRecord {
		slices.SortStableFunc(g.list, func(a, b grouped) int { return a.after() - b.after() })
	}
	return parts
}

// after returns 0 of an access, 1 of an operation after all accesses.
func (m grouped) after() int {
	if m.moved {
		return 1
	}
	return 0
}

// stops reports whether loads behind an operation must stay there.
func (r *regionRewriter) stops(v ir.V) bool {
	x := r.f.Val(v)
	if x.Op == ir.Ld {
		return x.Flags&(ir.Volatile|ir.Coherent) != 0
	}
	return !x.Op.Pure() || x.Op.Is(ir.Control)
}

// usesUp reports whether an operation may move into a group, and is the only use of a result there, so that it adds none.
func (r *regionRewriter) usesUp(v ir.V, inside, behind map[ir.V]bool) bool {
	x := r.f.Val(v)
	// A handle is no value that an arm may choose.
	if !x.Op.Pure() || x.Type == ir.H {
		return false
	}
	up := false
	for _, a := range x.Args[:x.Op.Args()] {
		if behind[a] {
			return false
		}
		up = up || inside[a] && r.uses[a] == 1
	}
	return up
}

// joins reports whether a load has the base of the first one, and an index at a constant distance that is not large.
func (r *regionRewriter) joins(s, next *splitAddress, root ir.V, plus uint32) bool {
	to, at := r.place(next.index)
	if next.base != s.base || next.pointer != s.pointer || next.word || next.shift != s.shift || next.signed != s.signed || to != root {
		return false
	}
	distance := int64(int32(at-plus))<<s.shift + int64(next.plus-s.plus)
	return distance < maxBaseOffset && -distance < maxBaseOffset
}

// condition sets the distances of the loads of a group from its first byte, and returns the condition for all.
func (r *regionRewriter) condition(g *accessGroup, parts []splitAddress) splitAddress {
	s := parts[0]
	_, first := r.place(s.index)
	least, most := int32(0), int32(0) // index, relative to the first load
	for i := range parts {
		_, at := r.place(parts[i].index)
		least, most = min(least, int32(at-first)), max(most, int32(at-first))
		if s.pointer != 0 && int64(parts[i].plus) < int64(s.plus) {
			s.plus = parts[i].plus
		}
	}
	// The constant of an address is in the distances of its loads. That of a pointer is in the condition, because it may be negative.
	if s.pointer == 0 {
		s.plus = 0
	}
	if least != 0 {
		if s.index = g.root; first+uint32(least) != 0 {
			s.index = r.b.Op(ir.Add, ir.I32, g.root, r.b.I32(first+uint32(least)))
		}
	}
	s.spread, s.end = uint32(most-least), 0
	for i := range g.list {
		if m := &g.list[i]; !m.moved {
			_, at := r.place(parts[0].index)
			m.ahead = uint64(int32(at-first)-least)<<s.shift + parts[0].plus - s.plus
			// The end of an access at a pointer is relative to its address, the other ones have the constant in it.
			reach := m.ahead + parts[0].end
			if s.pointer == 0 {
				reach -= parts[0].plus
			}
			s.end = max(s.end, reach)
			parts = parts[1:]
		}
	}
	return s
}

// results returns the values of a group that operations outside of it read.
func (r *regionRewriter) results(g *accessGroup) (list []ir.V) {
	inside := map[ir.V]int{}
	for _, m := range g.list {
		if x := r.f.Val(m.v); m.moved {
			for _, a := range x.Args[:x.Op.Args()] {
				inside[a]++
			}
		}
	}
	for _, m := range g.list {
		if r.f.Val(m.v).Op.HasResult() && r.uses[m.v] > inside[m.v] {
			list = append(list, m.v)
		}
	}
	return list
}

// arm emits one version of a group, with the accesses that access returns, and leaves its block with the results.
func (r *regionRewriter) arm(g *accessGroup, results []ir.V, label ir.V, access func(*grouped) ir.Val) {
	here := map[ir.V]ir.V{}
	for i := range g.list {
		m := &g.list[i]
		x := *r.f.Val(m.v)
		if !m.moved {
			x = access(m)
		}
		for k, a := range x.Args[:x.Op.Args()] {
			if w, ok := here[a]; ok {
				x.Args[k] = w
			}
		}
		here[m.v] = r.b.Emit(x)
		if t := r.f.Type(m.v); x.Op.HasResult() && x.Type != t { // the word of a byte
			here[m.v] = r.b.Op(ir.Trunc, t, here[m.v])
		}
	}
	out := make([]ir.V, len(results))
	for i, v := range results {
		out[i] = here[v]
	}
	r.b.Br(label, out...)
}

// searched returns the function that emits the search for the region of an access, and returns the access of it.
func (r *regionRewriter) searched(g *accessGroup) func(m *grouped) ir.Val {
	b := r.b
	var last [2]ir.V
	var handle, offset ir.V
	return func(m *grouped) ir.Val {
		x := *r.f.Val(m.v)
		// The words of a vector have one region.
		if last != [2]ir.V{x.Args[0], x.Args[1]} {
			last = [2]ir.V{x.Args[0], x.Args[1]}
			h := r.f.Val(x.Args[0])
			address := r.clone(h.Args[0], g.root)
			handle = b.OpAux(ir.Region, ir.H, h.Aux, address)
			offset = b.Op(ir.RegionOff, ir.I32, handle, address)
		}
		x.Args[0], x.Args[1] = handle, offset
		return x
	}
}
