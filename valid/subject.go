package valid

import (
	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// subject is the input and the output of a check: the module with its facts, the
// environment, and the findings so far. The checker embeds it. A family with its
// own type has a pointer to it instead of the checker, or to callGraph or position
// if it needs these, so that its methods cannot read the state of other families.
type subject struct {
	m    *facts.Module
	code *spirv.Module
	env  *Env
	opts Options

	vulkan  bool          // env.API is Vulkan
	version spirv.Version // version of the module

	content contentState // by type; computed before the walk

	found     []*Finding
	count     int // findings so far, the omitted ones included
	omitted   int
	unchecked map[string]int
}

// newSubject returns the subject of a check without findings.
func newSubject(m *facts.Module, env *Env, o Options) subject {
	return subject{m: m, code: m.Code, env: env, opts: o, vulkan: env.API == Vulkan, version: m.Code.Version}
}

// positioner is the part of a subject that a finding needs for its details. A checker
// and each type of a family have it.
type positioner interface {
	pos(i int) diag.Pos
	oldText() bool
}
