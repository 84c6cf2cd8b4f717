// Package widen turns the program of one invocation into code for a strip of
// lanes: every value becomes a register for each 16 lanes, every branch a
// change of the set of active lanes. It refuses to know machines, and what any
// operation yields.
//
// The set of active lanes A is a mask for each part of the strip. Each label
// has a set L.in of lanes that have arrived (internal/ir, "Control"). Where A
// is empty, code is skipped up to the place where A can grow.
package widen
