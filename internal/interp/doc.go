// Package interp is the reference interpreter of the IR, written to be obviously
// correct before it is fast. It implements the document of package ir, in its terms and in
// its order, and is independent of everything else: of SPIR-V, of the machine and of the
// other engine.
//
// A subgroup runs in lockstep as flat code over explicit state: a position in the
// code (pc), the active lanes (A), a set of lanes for every label, and for
// every value a register with one uint64 per lane. There is no Go recursion and no
// goroutine per lane; a barrier is a return. So a schedule (schedule.go) can run any
// subgroup from one access of memory to the next.
package interp
