// Package pass improves programs: each pass takes a program that verifies and
// leaves one that verifies and yields the same bits. Passes know the table of
// operations and nothing of SPIR-V, of machines or of lanes; none of them
// decides what an operation means, and none contracts or reorders arithmetic.
package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Pass is one improvement of a program whose calls have no cycle; a program
// with one stays as form demands, but nobody runs it.
type Pass struct {
	Name string
	Run  func(*ir.Program)
}

// Passes are all passes in the order in which Run applies them. Some stand
// there twice: what comes between has made work for them.
var Passes = []Pass{
	{"inline", inline},
	{"fold", each(fold)},
	{"lift", lift},
	{"settle", each(settle)},
	{"remove", remove},
	{"promote", promote},
	{"join", each(join)},
	{"fold", each(fold)},
	{"unroll", each(unroll)},
	{"fold", each(fold)},
	{"thread", each(thread)},
	{"promote", promote},
	{"join", each(join)},
	{"strength", each(strength)},
	{"share", each(share)},
	{"choose", each(choose)},
	{"halves", each(halves)},
	{"join", each(join)},
	{"fold", each(fold)},
	{"share", each(share)},
	{"clamp", each(clamp)},
	{"hoist", each(hoist)},
	{"seal", each(seal)},
	{"tidy", each(tidy)},
	{"remove", remove},
	{"compact", each(compact)},
}

// order states why: in each pair a run of the first must come before the first
// run of the second.
var order = [][2]string{
	{"inline", "promote"}, // a variable of one function alone may be promoted
	{"inline", "lift"},    // a place that is not passed any more is known
	{"lift", "settle"},    // what is passed is then read through places that are known
	{"fold", "settle"},    // a place is known once its distance is folded
	{"settle", "promote"}, // where places are in use, no variable is safe
	{"fold", "promote"},   // a slot is known once it is folded
	{"promote", "join"},   // promote gives parameters wherever ways may differ
	{"promote", "share"},  // what was loaded from a variable is the same expression only then
	{"join", "hoist"},     // what a loop hands on unchanged is no parameter of it
	{"join", "seal"},      // whose parameters are given one value on all ways
	{"share", "hoist"},    // handles and offsets of loads are then the same in all iterations
	{"join", "unroll"},    // a loop's count is a parameter that starts at a constant
	{"unroll", "thread"},  // what unrolled iterations test is constant
	{"fold", "strength"},  // a divisor is known once it is folded
	{"promote", "choose"}, // arms that store are no choice between values
	{"choose", "halves"},  // a select is held as its operands are
	{"promote", "halves"}, // and so is what a variable holds
	{"choose", "clamp"},   // what was chosen between is known as its operands are
	{"fold", "clamp"},     // bounds are constants
	{"halves", "hoist"},   // what is widened before a loop is widened once
	{"fold", "thread"},    // a condition is known to be constant once it is folded
	{"thread", "tidy"},    // brackets are empty once no lane enters them
	{"settle", "remove"},  // the place of a variable that nobody uses any more must go before promote
	{"remove", "compact"}, // what is removed needs no number
}

// each makes a pass of what improves one function. A texture function waits for its
// body.
func each(run func(*ir.Program, *ir.Func)) func(*ir.Program) {
	return func(p *ir.Program) {
		for _, f := range p.Funcs {
			if f.Texture == nil {
				run(p, f)
			}
		}
	}
}

// Run applies all passes, and then states the program's effects anew, since
// what is gone has none.
func Run(p *ir.Program) {
	for _, x := range Passes {
		x.Run(p)
	}
	p.StateEffects()
}
