// Package pass improves programs: each pass takes a program that verifies and
// leaves one that verifies and yields the same bits. Passes know the table of
// operations and nothing of SPIR-V, of machines or of lanes; none of them
// decides what an operation means, and none contracts or reorders arithmetic.
package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Pass is one improvement.
type Pass struct {
	Name string
	Run  func(*ir.Program, *ir.Func)
}

// Passes are all passes in the order in which Run applies them.
var Passes = []Pass{
	{"fold", fold},
	{"thread", thread},
	{"remove", remove},
}

// order states why: in each pair the first must come before the second.
var order = [][2]string{
	{"fold", "thread"},   // a condition is known to be constant once it is folded
	{"thread", "remove"}, // an arm that nobody enters keeps values alive
}

// Run applies all passes to all functions, and then states the program's
// effects anew, since what is gone has none.
func Run(p *ir.Program) {
	for _, x := range Passes {
		for _, f := range p.Funcs {
			x.Run(p, f)
		}
	}
	p.StateEffects()
}
