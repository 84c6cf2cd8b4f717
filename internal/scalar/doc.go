// Package scalar is the arithmetic of one lane: what each operation computes,
// on the raw bits of its operands.
//
// A value is a uint64 that holds the bits of its type, zero-extended; results
// are the same. A width w is 8, 16, 32 or 64 (floats 16, 32 or 64; the bitwise
// operations and Eq also take 1). An operand with bits above its width gives an
// unspecified result, but never a panic.
//
// Every operation is total: what SPIR-V leaves undefined has an answer here,
// listed in docs/undefined.md. Floats are IEEE 754 with denormals, rounded once
// to nearest even, or toward zero where rtz is set. Which NaN an arithmetic
// operation yields is not part of its meaning until FCanon has seen it.
//
// The package knows no instruction, no type beyond a width, no memory and no
// other lane, and has no transcendental function. It uses of package math only
// functions whose result is exact or correctly rounded on every machine, and
// converts every float result explicitly so that the compiler never fuses two
// operations.
package scalar
