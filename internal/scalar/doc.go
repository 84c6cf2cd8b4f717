// Package scalar is the arithmetic of one lane: it defines the value of each
// operation on the raw bits of its operands.
//
// A value is a uint64 with the bits of its type, zero-extended; so are results. A
// width w is 8, 16, 32 or 64 (floats 16, 32 or 64; the bitwise operations and Eq
// also take 1). If an operand has bits above its width, the result is unspecified,
// but no function panics.
//
// Every operation is total: results that SPIR-V leaves undefined are defined here
// and listed in docs/undefined.md. Floats are IEEE 754 with denormals, rounded once
// to nearest even, or toward zero if rtz is set. The payload and sign of a NaN that
// an arithmetic operation computes are unspecified until FCanon.
//
// The package knows no instruction, no type beyond a width, no memory and no other
// lane, and has no transcendental function. Of package math it uses only functions
// that are exact or correctly rounded on every machine. It converts every float
// result explicitly, so that the compiler never fuses two operations.
package scalar
