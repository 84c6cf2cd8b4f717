package facts

import "sync"

// modules holds released modules: their lists are empty, and the memory of the lists is zero.
var modules = sync.Pool{New: func() any { return new(Module) }}

// Release lets a later Gather reuse the memory of m, for a program that gathers many modules one after the other. Neither m
// nor a fact of it may be used afterwards: m is empty. A module that is not released is left to the garbage collector.
func (m *Module) Release() {
	d, n := &m.decor, &m.names
	m.edges.Reset()
	m.constructs.Reset()
	m.members.Reset()
	kept := &Module{
		Types: cleared(m.Types), Consts: cleared(m.Consts), Variables: cleared(m.Variables), Functions: cleared(m.Functions),
		EntryPoints: cleared(m.EntryPoints), Capabilities: cleared(m.Capabilities), Extensions: cleared(m.Extensions),
		capable: cleared(m.capable), fact: cleared(m.fact), blocks: cleared(m.blocks), elems: cleared(m.elems),
		decor: decorations{list: cleared(d.list), first: cleared(d.first)},
		names: names{found: cleared(n.found), ids: cleared(n.ids), members: cleared(n.members), sources: cleared(n.sources)},
		modes: cleared(m.modes), lines: cleared(m.lines), uses: cleared(m.uses),
		edges: m.edges, constructs: m.constructs, members: m.members,
	}
	*m = Module{} // a second release keeps nothing
	modules.Put(kept)
}

// cleared returns the list without elements, with its memory zeroed, or without memory if that is large.
func cleared[T any](list []T) []T {
	clear(list)
	return emptied(list)
}

// zeros returns n zero elements: in the memory of an empty list, which is zero, if it suffices.
func zeros[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list[:n]
	}
	return make([]T, n)
}
