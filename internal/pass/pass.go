// Package pass optimizes programs. Each pass changes a program that
// verifies into one that verifies and computes the same bits. Passes know the table of
// operations (internal/ir), but not SPIR-V, machines or lanes. No pass decides
// what an operation means, and no pass contracts or reorders arithmetic.
//
// Control is a tree of blocks, loops and ifs with labels, and a label has
// parameters instead of phis. So dominance follows from the nesting and the
// order of the code, and no pass builds a control-flow graph:
//
//	block L2(v3 i32) {      // v3 is the phi of the merge
//		if v1 {
//			br L2(v2)
//		}
//		br L2(0:i32)
//	}
//
// No value is undefined and every operation is total: a load out of range reads 0,
// x/0 has a defined result. So a pass may run any operation without effects
// speculatively.
//
// Sources are cited by author and year: Muchnick 1997 is "Advanced Compiler
// Design and Implementation".
package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Pass is one optimization of a program.
type Pass struct {
	Name   string // as listings print it; the pass is in NAME.go
	Term   string // the standard term of the field
	Source string // the paper or text that describes the algorithm
	Run    func(*ir.Program)
}

// Each pass once. If calls have a cycle, passes leave a program that verifies;
// engines refuse it.
var (
	inlinePass   = Pass{"inline", "inlining", "Muchnick 1997, 15.2 (procedure integration)", inline}
	foldPass     = Pass{"fold", "constant folding and algebraic simplification", "Muchnick 1997, 12.1 and 12.3", each(fold)}
	argPass      = Pass{"argpromote", "argument promotion", "LLVM's ArgumentPromotion, extended to written arguments", promoteArgs}
	resolvePass  = Pass{"resolveprivate", "resolution of indirect private accesses", "LLVM's stripAndAccumulateConstantOffsets", each(resolvePrivate)}
	dcePass      = Pass{"dce", "dead-code elimination", "Cytron et al. 1991, 7.1; Muchnick 1997, 18.10", dce}
	mem2regPass  = Pass{"mem2reg", "mem2reg and SROA (SSA construction)", "Cytron et al. 1991; Brandis and Mössenböck 1994", mem2reg}
	phiPass      = Pass{"phielim", "redundant phi elimination", "Aycock and Horspool 2000; Braun et al. 2013", each(elimPhis)}
	meldPass     = Pass{"meld", "control-flow melding", "Saumya, Sundararajah and Kulkarni 2022 (DARM); Rocha et al. 2019", meld}
	unrollPass   = Pass{"unroll", "full loop unrolling", "Muchnick 1997, 17.4.3", each(unroll)}
	branchPass   = Pass{"branchfold", "constant-branch folding and unreachable-code elimination", "Muchnick 1997, 18.1 and 18.3", each(foldBranches)}
	narrowPass   = Pass{"narrow", "demanded-bits narrowing", "LLVM's DemandedBits and TruncInstCombine", each(narrowLoops)}
	strengthPass = Pass{"strength", "strength reduction", "Granlund and Montgomery 1994; Warren 2013", each(reduceStrength)}
	regionPass   = Pass{"baseregion", "access versioning by the region of a base", "LLVM's LoopVersioning, for one access", each(baseRegion)}
	csePass      = Pass{"cse", "common-subexpression elimination (dominator-based GVN)", "Briggs, Cooper and Simpson 1997", each(cse)}
	ifPass       = Pass{"ifconvert", "if-conversion", "Allen, Kennedy, Porterfield and Warren 1983", each(ifConvert)}
	f16Pass      = Pass{"promotef16", "type promotion of f16 arithmetic to f32", "Figueroa 1995", each(promoteF16)}
	pairPass     = Pass{"loadpair", "memory access coalescing", "Davidson and Jinturkar 1994", each(pairLoads)}
	storePass    = Pass{"storepair", "memory access coalescing of stores", "Davidson and Jinturkar 1994", each(pairStores)}
	clampPass    = Pass{"clampelim", "redundant clamp elimination (value-range analysis)", "Harrison 1977", each(elimClamps)}
	licmPass     = Pass{"licm", "loop-invariant code motion (LICM)", "Muchnick 1997, 13.2", each(licm)}
	lcssaPass    = Pass{"lcssa", "loop-closed SSA (LCSSA)", "Dvořák 2004 (GCC); LLVM's LCSSA", each(lcssa)}
	simplifyPass = Pass{"simplify", "control-flow simplification", "Muchnick 1997, 18.2 and 18.3", each(simplify)}
	leavePass    = Pass{"leavestore", "code hoisting of stores at loop exits", "Muchnick 1997, 13.5", each(hoistLeavingStores)}
	compactPass  = Pass{"compact", "dense renumbering of values", "Cheney 1970 (copying collection)", each(compact)}
)

// Passes are all passes in the order in which Run applies them. Some are in the
// list twice, because passes in between have made work for them.
var Passes = []Pass{
	inlinePass,
	foldPass,
	argPass,
	resolvePass,
	dcePass,
	mem2regPass,
	phiPass,
	foldPass,
	meldPass,
	unrollPass,
	foldPass,
	branchPass,
	mem2regPass,
	phiPass,
	narrowPass,
	strengthPass,
	csePass,
	ifPass,
	f16Pass,
	phiPass,
	foldPass,
	regionPass,
	dcePass,
	csePass,
	pairPass,
	storePass,
	clampPass,
	licmPass,
	lcssaPass,
	simplifyPass,
	leavePass,
	dcePass,
	compactPass,
}

// order lists the reasons for the order: in each pair a run of the first pass
// must come before the first run of the second.
var order = [][2]string{
	{"inline", "mem2reg"},            // mem2reg promotes only variables of one function
	{"inline", "argpromote"},         // an address that is no longer passed is known
	{"argpromote", "resolveprivate"}, // the copies are then accessed through known addresses
	{"fold", "resolveprivate"},       // an address is known once its offset is folded
	{"resolveprivate", "mem2reg"},    // mem2reg gives up if any indirect access is left
	{"fold", "mem2reg"},              // a slot is known once it is folded
	{"mem2reg", "phielim"},           // mem2reg adds a parameter wherever values may differ
	{"mem2reg", "cse"},               // a value loaded from a variable is the same expression only then
	{"phielim", "licm"},              // a loop-invariant parameter is then the value before the loop
	{"phielim", "lcssa"},             // and needs no parameter at the loop's exit
	{"cse", "licm"},                  // handles and offsets of loads are then the same in all iterations
	{"mem2reg", "meld"},              // arms that store to variables then branch with values
	{"phielim", "meld"},              // a value that all arms share is then the same value
	{"meld", "unroll"},               // a loop of several arms is unrolled once
	{"meld", "cse"},                  // arms have equal code until their operands are merged
	{"mem2reg", "narrow"},            // a carried number is a parameter only then
	{"narrow", "cse"},                // its uses are the same expressions only then
	{"phielim", "unroll"},            // a loop counter is a parameter that starts at a constant
	{"unroll", "branchfold"},         // the tests of unrolled iterations are constant
	{"fold", "strength"},             // a divisor is known once it is folded
	{"mem2reg", "ifconvert"},         // an arm with a store cannot become a select
	{"ifconvert", "promotef16"},      // a select has the width of its operands
	{"mem2reg", "promotef16"},        // and so has the value of a variable
	{"ifconvert", "baseregion"},      // both versions of an access would be executed
	{"baseregion", "licm"},           // the common part of the versions is the same in all iterations
	{"ifconvert", "clampelim"},       // the range of a select is the union of its operands' ranges
	{"fold", "clampelim"},            // bounds are constants
	{"promotef16", "licm"},           // a value that is widened before a loop is widened once
	{"cse", "loadpair"},              // both halves of a word then have the same offset
	{"cse", "storepair"},             // the same
	{"fold", "branchfold"},           // a condition is known to be constant once it is folded
	{"branchfold", "simplify"},       // control is empty once no lane enters it
	{"ifconvert", "leavestore"},      // a loop with a test of two conditions then has one exit
	{"simplify", "leavestore"},       // the loop and the test are then directly in their regions
	{"resolveprivate", "dce"},        // the address of an unused variable must go before mem2reg
	{"dce", "compact"},               // a removed value needs no number
}

// each makes a pass of an optimization of one function. A texture function has
// no body yet: it is bound later.
func each(run func(*ir.Program, *ir.Func)) func(*ir.Program) {
	return func(p *ir.Program) {
		for _, f := range p.Funcs {
			if f.Texture == nil {
				run(p, f)
			}
		}
	}
}

// Promote makes values of private variables that an engine added after Run.
func Promote(p *ir.Program) {
	for _, x := range []Pass{mem2regPass, phiPass, dcePass} {
		x.Run(p)
	}
}

// Run applies all passes and then recomputes the program's effects, because
// removed operations no longer have any.
func Run(p *ir.Program) { _ = RunUntil(p, nil) }

// RunUntil is Run with a stop function, such as ctx.Err of a context. It calls stop
// before each pass and returns the first error. The program verifies then, too, but
// its effects may be too many. A nil stop never stops.
func RunUntil(p *ir.Program, stop func() error) error { return RunWatched(p, stop, nil) }

// RunWatched is RunUntil with a function that sees the program after each pass; it must not change it. A nil one sees nothing.
// An observed program does not change.
func RunWatched(p *ir.Program, stop func() error, watch func(pass string, p *ir.Program)) error {
	if p.Observed {
		return nil
	}
	for _, x := range Passes {
		if stop != nil {
			if err := stop(); err != nil {
				return err
			}
		}
		if x.Run(p); watch != nil {
			watch(x.Name, p)
		}
	}
	p.StateEffects()
	return nil
}
