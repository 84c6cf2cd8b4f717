package valid

import "github.com/chiaro-gpu/chiaro/facts"

// Module is a module that was judged, or that somebody vouches for. Check and
// Assume make one; nobody compiles an unjudged module by mistake.
type Module struct {
	facts *facts.Module
}

// Assume takes a module for valid without looking. What is compiled from it
// may fail with an error, and does nothing worse.
func Assume(m *facts.Module) *Module { return &Module{m} }

// Facts returns what is true of the module.
func (m *Module) Facts() *facts.Module { return m.facts }
