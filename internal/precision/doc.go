// Package precision determines the results that Vulkan permits for an instruction on floats ("Precision and Operation of
// SPIR-V Instructions") or on integers: for an instruction, a width and operands, [Allowed] and [AllowedIntegers] return the set of
// permitted results of each component. It computes no result as the engines do, so that it judges them and any other implementation.
//
// An instruction has an exact value, and a class: the correct result, a correctly rounded one, one within some ULP, or one
// "inherited from" a formula. For an inherited result the specification permits every formula that is equal by associativity,
// commutativity and distributivity, and all results of its steps. The package evaluates the formula in interval arithmetic
// (Moore 1966): each step widens its range by the permitted error of the step. Fmin and Fmax are the extremes over the equal
// formulas, and a result is permitted if its distance from the exact value is at most the greater of the distances of Fmin
// and Fmax. If a step may be undefined, every result is permitted.
//
// Equal formulas are one node with one range, so that even the thousands of formulas of Refract take a fraction of a second.
// Formulas that expand one product and factor another sum are not tried, nor sums of more than 8 terms that an expansion makes.
//
// # Files
//
//	number.go    the operands of formulas, roundings to whole numbers
//	real.go      exact arithmetic, with math/big
//	table.go     the instructions: scalars
//	vectors.go   the instructions: vectors and matrices
//	judged.go    the instructions: comparisons, conversions of integers, derivatives, groups and atomics
//	interval.go  the ranges of steps
//	formula.go   formulas and the formulas that are equal to them
//	allowed.go   the permitted results of an instruction
//	between.go   the permitted results for ranges of operands
//	integer.go   the permitted result of an instruction on integers
//	integers.go  these instructions
package precision
