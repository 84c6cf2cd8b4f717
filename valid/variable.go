package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// variableFamily judges where variables stand and how many there are; what they
// hold and how they are accessed is judged with memory.
var variableFamily = family{
	rules: []Rule{
		{Code: "SPV-Variable-Scope", Section: "SPIR-V 2.4", Words: "a variable in a function is of the storage class Function, and no variable outside is"},
		{Code: "SPV-Variable-Locals", Section: "SPIR-V 2.17", Words: "a function has no more variables than the universal limit allows"},
		{Code: "SPV-Variable-Globals", Section: "SPIR-V 2.17", Words: "a module has no more variables outside of functions than the universal limit allows"},
	},
	after: []func(*checker){(*checker).variables},
}

func (c *checker) variables() {
	globals, locals := 0, make([]int, len(c.m.Functions))
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		switch {
		case v.Func == nil && v.Storage == spirv.StorageClassFunction:
			c.fail(v.Index, "SPV-Variable-Scope", "the variable %s of module scope is in Function; must be in another storage class", c.name(v.ID))
		case v.Func != nil && v.Storage != spirv.StorageClassFunction:
			c.fail(v.Index, "SPV-Variable-Scope", "the variable %s of a function is in %s; must be in Function", c.name(v.ID), v.Storage)
		}
		if v.Func == nil {
			if globals++; globals == c.opts.Limits.GlobalVariables+1 {
				c.fail(v.Index, "SPV-Variable-Globals", "more than %d variables outside of functions; must not be", c.opts.Limits.GlobalVariables)
			}
			continue
		}
		c.local(v, &locals[v.Func.Number])
	}
}

// local counts a variable of a function.
func (c *checker) local(v *facts.Variable, n *int) {
	if *n++; *n == c.opts.Limits.LocalVariables+1 {
		c.fail(v.Index, "SPV-Variable-Locals", "more than %d variables in %s; must not be", c.opts.Limits.LocalVariables, c.name(v.Func.ID))
	}
}
