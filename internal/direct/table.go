package direct

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Form is the difference between the operands and result of an instruction and of its
// operation. The zero Form means no difference.
type Form uint8

// The forms, to be combined.
const (
	Swap   Form = 1 << iota // the two operands are exchanged
	Not                     // the result, a b1, is complemented
	Zero                    // a zero before the one operand
	Twice                   // the one operand twice
	Either                  // or-ed with the same of the exchanged operands
)

// Row is one instruction: for each component, one operation.
type Row struct {
	Op   ir.Op
	Form Form
}

// Lookup returns the row of an opcode, or false if it is not one operation.
func Lookup(op spirv.Op) (Row, bool) {
	r, ok := table[op]
	return r, ok
}

// table has a row for each arithmetic, logical, bit, comparison and conversion
// instruction that is one operation for each component (SPIR-V §3.3.11,
// §3.3.13–15).
var table = map[spirv.Op]Row{
	// Arithmetic.
	spirv.OpSNegate: {ir.Sub, Zero},
	spirv.OpFNegate: {ir.FNeg, 0},
	spirv.OpIAdd:    {ir.Add, 0},
	spirv.OpFAdd:    {ir.FAdd, 0},
	spirv.OpISub:    {ir.Sub, 0},
	spirv.OpFSub:    {ir.FSub, 0},
	spirv.OpIMul:    {ir.Mul, 0},
	spirv.OpFMul:    {ir.FMul, 0},
	spirv.OpUDiv:    {ir.UDiv, 0},
	spirv.OpSDiv:    {ir.SDiv, 0},
	spirv.OpFDiv:    {ir.FDiv, 0},
	spirv.OpUMod:    {ir.UMod, 0},
	spirv.OpSRem:    {ir.SRem, 0},
	spirv.OpSMod:    {ir.SMod, 0},
	spirv.OpFRem:    {ir.FRem, 0},
	spirv.OpFmaKHR:  {ir.FFma, 0},

	// Bits.
	spirv.OpShiftRightLogical:    {ir.LShr, 0},
	spirv.OpShiftRightArithmetic: {ir.AShr, 0},
	spirv.OpShiftLeftLogical:     {ir.Shl, 0},
	spirv.OpBitwiseOr:            {ir.Or, 0},
	spirv.OpBitwiseXor:           {ir.Xor, 0},
	spirv.OpBitwiseAnd:           {ir.And, 0},
	spirv.OpNot:                  {ir.Not, 0},
	spirv.OpBitFieldSExtract:     {ir.BitFieldS, 0},
	spirv.OpBitFieldUExtract:     {ir.BitFieldU, 0},
	spirv.OpBitReverse:           {ir.BitReverse, 0},
	spirv.OpBitCount:             {ir.BitCount, 0},

	// Logic.
	spirv.OpLogicalEqual:    {ir.Eq, 0},
	spirv.OpLogicalNotEqual: {ir.Xor, 0},
	spirv.OpLogicalOr:       {ir.Or, 0},
	spirv.OpLogicalAnd:      {ir.And, 0},
	spirv.OpLogicalNot:      {ir.Not, 0},
	spirv.OpSelect:          {ir.Select, 0},

	// Comparisons of integers.
	spirv.OpIEqual:            {ir.Eq, 0},
	spirv.OpINotEqual:         {ir.Eq, Not},
	spirv.OpUGreaterThan:      {ir.ULt, Swap},
	spirv.OpSGreaterThan:      {ir.SLt, Swap},
	spirv.OpUGreaterThanEqual: {ir.ULe, Swap},
	spirv.OpSGreaterThanEqual: {ir.SLe, Swap},
	spirv.OpULessThan:         {ir.ULt, 0},
	spirv.OpSLessThan:         {ir.SLt, 0},
	spirv.OpULessThanEqual:    {ir.ULe, 0},
	spirv.OpSLessThanEqual:    {ir.SLe, 0},

	// Comparisons of floats. If an operand is a NaN, an ordered one is false and an
	// unordered one true; so x < y unordered is the complement of y ≤ x.
	spirv.OpIsNan:                  {ir.FEq, Twice | Not},
	spirv.OpFOrdEqual:              {ir.FEq, 0},
	spirv.OpFUnordEqual:            {ir.FLt, Either | Not},
	spirv.OpFOrdNotEqual:           {ir.FLt, Either},
	spirv.OpLessOrGreater:          {ir.FLt, Either},
	spirv.OpFUnordNotEqual:         {ir.FEq, Not},
	spirv.OpFOrdLessThan:           {ir.FLt, 0},
	spirv.OpFUnordLessThan:         {ir.FLe, Swap | Not},
	spirv.OpFOrdGreaterThan:        {ir.FLt, Swap},
	spirv.OpFUnordGreaterThan:      {ir.FLe, Not},
	spirv.OpFOrdLessThanEqual:      {ir.FLe, 0},
	spirv.OpFUnordLessThanEqual:    {ir.FLt, Swap | Not},
	spirv.OpFOrdGreaterThanEqual:   {ir.FLe, Swap},
	spirv.OpFUnordGreaterThanEqual: {ir.FLt, Not},
	spirv.OpOrdered:                {ir.FLe, Either},
	spirv.OpUnordered:              {ir.FLe, Either | Not},

	// Conversions. OpUConvert and OpSConvert truncate if the result is narrower.
	spirv.OpConvertFToU: {ir.FToU, 0},
	spirv.OpConvertFToS: {ir.FToS, 0},
	spirv.OpConvertSToF: {ir.SToF, 0},
	spirv.OpConvertUToF: {ir.UToF, 0},
	spirv.OpUConvert:    {ir.ZExt, 0},
	spirv.OpSConvert:    {ir.SExt, 0},
	spirv.OpFConvert:    {ir.FCvt, 0},
	spirv.OpBitcast:     {ir.Bitcast, 0}, // of the same number of components
}
