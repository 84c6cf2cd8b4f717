package valid

import "github.com/chiaro-gpu/chiaro/facts"

// Module is a module that Check has accepted, or that the caller of Assume vouches
// for. A function that needs a valid module has a parameter of this type.
type Module struct {
	facts *facts.Module
}

// Assume returns a Module without a check. The compilation of an invalid module
// may fail with an error; it has no worse effect.
func Assume(m *facts.Module) *Module { return &Module{m} }

// Facts returns the facts about the module.
func (m *Module) Facts() *facts.Module { return m.facts }
