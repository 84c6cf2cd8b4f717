// Package widen turns the program of one invocation into code for a strip of
// lanes. It refuses to know machines, and what any operation yields.
//
// Before that it finds the shape of every value (shape.go): the same in all
// lanes, a row (base + step·lane), the address of an array whose index is a row,
// or varying. What is the same in all lanes is computed once, in general
// registers where they can, and an if or switch on it is a jump that changes no
// set of lanes. Loads and stores of rows are one access to consecutive memory.
// Rows of several parts that go on from one to the next are one access.
// All other values become a register for each part of the strip.
//
// The set of active lanes A is a mask for each part of the strip. Each label
// has a set L.in of lanes that have arrived (internal/ir, "Control"), unless they
// all come at once or the set behind it is that before it. Where A is empty,
// code is skipped up to the place where A can grow; so code runs for at least
// one lane, and what is the same in all lanes may be written for all of them.
//
// What is known of masks is followed through the code in the end (known.go), so
// that a set is tested where it changes; values are made in the registers that
// they are copied to (coalesce.go), and one way of a select that hardly any lane
// wants is made behind a jump (defer.go).
//
// What nearly all strips do alike, such as to pass the test that keeps lanes within
// the data, is assumed: the entry point is widened for them, and once more for
// strips in which that is not so, which begin anew (guard.go).
//
// Subgroups that meet at barriers are one stream of code where all of them take
// the same way to them (spine.go): what stands between two barriers, a phase, is
// done by one subgroup behind the other, which is the order that the law of
// effects wants of them (phase.go), so that a barrier is nothing but the end of a
// phase. A phase that leaves nothing for a later one is a loop over the subgroups
// (turn.go); any other is written out for each of them, so that what they keep
// stays in registers (workgroup.go).
//
// Accesses at constant distances from each other are checked together (window.go);
// loads of the words of one record, which are the same in all lanes, once (record.go).
// Code that hardly computes is ordered by columns: all that one part does stands
// before the next, and what is in range is found out for all of them in the
// beginning (column.go). What waits for roots and quotients is ordered by pairs of
// parts (order.go).
//
// Words of a small table are picked out of a register that holds it (pick.go). Sets
// that hold whole quads are known, for there nobody asks whether a neighbour runs
// (quads.go).
//
// A register keeps what lanes that are not active hold only where somebody can
// tell: where a value is read outside of the loop that makes it (home.go).
//
// Merge says when several subgroups may be one strip. Every form of a value is
// made where the value is; what nobody reads is pruned in the end.
package vectorize
