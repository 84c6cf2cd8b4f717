package link

import (
	"iter"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// entryPoint returns the externally visible entry point of a module, or nil if none has a
// function.
func entryPoint(m *facts.Module, e *iface.Entry) *facts.EntryPoint {
	for i := range m.EntryPoints {
		if p := &m.EntryPoints[i]; p.ID == e.ID && p.Model == e.Model && p.Name == e.Name && p.Func != nil {
			return p
		}
	}
	return nil
}

// functions returns the function of an entry point, first, and all functions that it calls;
// none if the entry point has no function.
func functions(m *facts.Module, e *iface.Entry) []*facts.Function {
	p := entryPoint(m, e)
	if p == nil {
		return nil
	}
	return m.CallTree(p)
}

// instructions yields the instructions in the functions that an entry point calls,
// with their numbers.
func instructions(m *facts.Module, e *iface.Entry) iter.Seq2[int, spirv.Inst] {
	return within(m, functions(m, e))
}

// within yields the instructions of functions, with their numbers.
func within(m *facts.Module, tree []*facts.Function) iter.Seq2[int, spirv.Inst] {
	return func(yield func(int, spirv.Inst) bool) {
		for _, f := range tree {
			for i := f.Index; i < f.End; i++ {
				if !yield(i, m.Code.Inst(i)) {
					return
				}
			}
		}
	}
}
