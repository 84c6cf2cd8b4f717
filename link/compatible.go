package link

import (
	"cmp"
	"slices"
)

// CompatibleFor reports whether two layouts are compatible for a set (Vulkan, Pipeline Layout
// Compatibility): they have identically defined sets from 0 to that one and push constant
// ranges, and both or none are of independent sets.
func (p *Layout) CompatibleFor(o *Layout, set uint32) bool {
	if p == o {
		return true
	}
	if p == nil || o == nil || p.independent() != o.independent() || !p.samePush(o, anyStage) {
		return false
	}
	a, b := p.upTo(set), o.upTo(set)
	return slices.EqualFunc(a, b, func(x, y Set) bool { return x.Number == y.Number && x.Same(&y) })
}

// Keeps reports whether a command that binds sets up to the set last with the layout p leaves
// set i bound, which was bound with the layout o: lower sets stay if the layouts are
// compatible for them, higher sets if the layouts are compatible for the set last.
func (p *Layout) Keeps(o *Layout, i, last uint32) bool { return p.CompatibleFor(o, min(i, last)) }

// upTo returns the sets of a layout up to a number, in order, without null ones. It
// allocates nothing if the sets are in order and none is null.
func (p *Layout) upTo(set uint32) []Set {
	list := p.Sets
	if slices.ContainsFunc(list, func(s Set) bool { return s.Null }) {
		list = slices.DeleteFunc(slices.Clone(list), func(s Set) bool { return s.Null })
	}
	number := func(x, y Set) int { return cmp.Compare(x.Number, y.Number) }
	if !slices.IsSortedFunc(list, number) {
		list = slices.SortedStableFunc(slices.Values(list), number)
	}
	n, _ := slices.BinarySearchFunc(list, set, func(s Set, n uint32) int {
		if s.Number <= n {
			return -1
		}
		return 1
	})
	return list[:n]
}
