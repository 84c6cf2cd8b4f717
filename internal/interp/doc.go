// Package interp is the reference interpreter of the IR, written to be seen to
// be right; it is not, and will not become, fast. It does what package ir's
// document says, in its words and in its order, and knows nothing else: no
// SPIR-V, no machine, no other engine.
//
// A subgroup runs in lockstep as flat code over explicit state: a place in the
// code (pc), the active lanes (A), a set of lanes for every label, and for
// every value a row with one uint64 per lane. There is no Go recursion and no
// goroutine per lane; a barrier is a return.
package interp
