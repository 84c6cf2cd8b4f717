// Package lower is the meaning of each instruction of SPIR-V, as IR: it turns
// an entry point into the program of one invocation. It decides what SPIR-V
// leaves open (docs/undefined.md), and refuses to know how many lanes run,
// on what, and whether a module is legal: valid has said so, or somebody has
// assumed it.
//
// # Survival
//
// Every module that decodes is survived: an instruction that has no rule yet
// gives an *Unsupported that names it, a module that makes no sense a
// *Malformed. Inside, both travel as a panic of type fault, as in a parser by
// descent, and Stage is the one door where they become errors.
//
// # Values
//
// A value is the list of its scalars: the components of a vector, the columns
// of a matrix, the elements of an array and the members of a struct one behind
// the other. A pointer is no scalar: it stands for a place, known as far as the
// module knows it (see pointer), and becomes scalars only where it has to
// travel, through a phi, a choice or a call.
//
// # Control
//
// The blocks of a function become the tree of the IR along the dominators,
// with the header of a construct above its merge block and continue target
// (see tree).
//
// # Stages of graphics
//
// What a stage shares with others is taken apart into scalars, each with what it is
// to them (see face). Inputs are read where they are used. Outputs are variables of
// private memory, and those scalars of them that something stores to are handed on
// behind the entry point's body, where all its returns meet, or where a vertex is
// emitted; those of tessellation control are written where they are stored to, for
// the whole patch sees them. What there is around a stage is not known here: the
// program says what it reads and writes, and whoever runs the stage provides it
// (internal/ir, "Inputs, outputs").
//
// # Small floats
//
// bfloat16 and the 8-bit floats are integers in the IR. What computes with them
// (conversions, dot products) is built of operations on 32 bits (see encoding).
//
// # Sums
//
// Where an instruction adds more than two products (OpDot, the products of
// matrices), it adds from left to right, each product and each sum rounded.
package lower
