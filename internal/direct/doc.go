// Package direct lists the SPIR-V instructions that are one operation of the IR for each
// component of their result, and the operands of the operation. The evaluation of
// specialization constants and the lowering of functions share this table, so that they
// cannot disagree. It does not cover vectors, memory and control flow, or any instruction
// that needs more than the forms below.
//
// # Forms
//
// A row is an operation and the derivation of its operands from the operands of the
// instruction: exchanged (OpUGreaterThan is ult of the exchanged operands), after a zero
// (OpSNegate is 0 − x), twice (OpIsNan is the complement of x = x), with the result
// complemented (OpINotEqual is the complement of eq), or together with the same on the
// exchanged operands (OpFOrdNotEqual is x < y or y < x).
//
// # Widths
//
// If the operation needs an integer of another width than an operand has (the count of a
// shift, the offset of a bit field), or yields another width than the instruction
// (OpBitCount), the integer is zero-extended or truncated.
package direct
