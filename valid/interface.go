package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// interfaceFamily checks that entry points list the variables that they use
// (SPIR-V §2.17, OpEntryPoint).
var interfaceFamily = family{
	rules: []Rule{
		{Code: "SPV-Interface-Listed", Section: "SPIR-V 3.3.5", Words: "an entry point lists all variables of Input and Output that it uses, from SPIR-V 1.4 on all module-scope variables that it uses"},
	},
	after: []func(*checker){(*checker).interfaces},
}

// maxInterfaces bounds how many functions and variables are looked at for entry
// points, so that thousands of each do not take the square of the time.
const maxInterfaces = 1 << 20

func (c *checker) interfaces() {
	budget := maxInterfaces
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Func == nil || budget <= 0 {
			continue
		}
		budget -= len(c.m.Variables)/16 + len(c.m.Functions)/16 + len(e.Interface) + 1
		mark := c.mark()
		for _, id := range e.Interface {
			if d := c.code.Def(id); d >= 0 {
				c.marks[d] = mark
			}
		}
		for _, v := range c.globals(e) {
			budget--
			if c.marks[v.Index] != mark && c.mustList(v) {
				c.fail(e.Index, "SPV-Interface-Listed", "the entry point uses %s in %s and does not list it; must list it", c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
			}
		}
	}
}

// mustList reports whether an entry point must list a variable that it uses.
func (c *checker) mustList(v *facts.Variable) bool {
	return c.since(spirv.Version14) || v.Storage == spirv.StorageClassInput || v.Storage == spirv.StorageClassOutput
}
