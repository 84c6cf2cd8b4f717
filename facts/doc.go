// Package facts is what is true of a module: its types and their layout, its
// constants after specialization, decorations, names, entry points, calls,
// control flow with its structured constructs and dominators, and where each
// instruction stands in the source. It states and never judges: a fact that is
// missing, because the module does not say it or says it wrongly, is nil, zero
// or false, and a rule that needs it has to stay silent. It refuses to know
// Vulkan, and what any instruction computes but those of constants.
//
// [Gather] takes every module that decodes, however wrong: types that hold
// themselves, functions that call themselves, blocks without an end, ids that
// nothing defines. It needs memory in proportion to the words, and time little
// more than that; nothing recurses over the module. A [Module] is read-only
// from then on and safe for concurrent use.
//
// # Order
//
// A type holds only types that were declared before it, and a constant only
// constants that were, so neither can hold itself; what was not declared yet is
// nil. Pointers alone may point at, and be members before, what comes later.
package facts
