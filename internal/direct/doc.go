// Package direct says which SPIR-V instructions are one operation of the IR for
// each component of their result, and what the operation is given: the table
// that both the evaluation of specialization constants and the lowering of
// functions ask, so that they cannot disagree. It refuses to know vectors,
// memory and control, and every instruction that takes more than the forms
// below.
//
// # Forms
//
// A row is an operation and how the instruction's operands become its own:
// exchanged (OpUGreaterThan is ult of the exchanged operands), behind a zero
// (OpSNegate is 0 − x), twice (OpIsNan is the complement of x = x), with the
// result complemented (OpINotEqual is the complement of eq), or together with
// the same on the exchanged operands (OpFOrdNotEqual is x < y or y < x).
//
// # Widths
//
// Where the operation wants an integer of another width than an operand has
// (the count of a shift, the offset of a bit field), or yields one of another
// width than the instruction (OpBitCount), it is zero-extended or truncated.
package direct
