package typing

import "github.com/chiaro-gpu/chiaro/spirv"

// alike is a result of class c and n operands of its type.
func alike(c Class, n int) Row { return row(c, c, Type, Type, n) }

// sized is an integer result and n operands of its count and width.
func sized(n int) Row { return row(Int, Int, Width, Width, n) }

// compares is a Boolean result and two operands of class c and one type.
func compares(c Class) Row { return row(Bool, c, Count, First, 2) }

// comparesInts is compares with any signedness.
func comparesInts() Row { return row(Bool, Int, Count, FirstW, 2) }

// tests is a Boolean result and one operand of class c.
func tests(c Class) Row { return row(Bool, c, Count, Count, 1) }

// converts is a result of class to and one operand of class from.
func converts(to, from Class) Row { return row(to, from, Count, Count, 1) }

func row(result, operand Class, first, rest Relation, n int) Row {
	r := Row{Result: result, Operands: []Operand{{operand, first}}}
	for range n - 1 {
		r.Operands = append(r.Operands, Operand{operand, rest})
	}
	return r
}

// with appends operands to a row.
func (r Row) with(o ...Operand) Row {
	r.Operands = append(r.Operands, o...)
	return r
}

// table has a row for every instruction of the chapters Arithmetic, Bit,
// Relational and Logical, and Conversion (SPIR-V §3.3.13 to §3.3.15 and
// §3.3.11) that works component by component on scalars and vectors; for the
// others see forms and untyped.
var table = map[spirv.Op]Row{
	spirv.OpSNegate: sized(1).is(SpecConstant),
	spirv.OpFNegate: alike(Float, 1).is(specKernel),
	spirv.OpIAdd:    sized(2).is(SpecConstant),
	spirv.OpFAdd:    alike(Float, 2).is(specKernel),
	spirv.OpISub:    sized(2).is(SpecConstant),
	spirv.OpFSub:    alike(Float, 2).is(specKernel),
	spirv.OpIMul:    sized(2).is(SpecConstant),
	spirv.OpFMul:    alike(Float, 2).is(specKernel),
	spirv.OpUDiv:    alike(UInt, 2).is(SpecConstant),
	spirv.OpSDiv:    sized(2).is(SpecConstant),
	spirv.OpFDiv:    alike(Float, 2).is(specKernel),
	spirv.OpUMod:    alike(UInt, 2).is(SpecConstant),
	spirv.OpSRem:    sized(2).is(SpecConstant),
	spirv.OpSMod:    sized(2).is(SpecConstant),
	spirv.OpFRem:    alike(Float, 2).is(specKernel),
	spirv.OpFMod:    alike(Float, 2).is(specKernel),
	spirv.OpFmaKHR:  alike(Float, 3),

	spirv.OpShiftRightLogical:    sized(1).with(Operand{Int, Count}).is(SpecConstant),
	spirv.OpShiftRightArithmetic: sized(1).with(Operand{Int, Count}).is(SpecConstant),
	spirv.OpShiftLeftLogical:     sized(1).with(Operand{Int, Count}).is(SpecConstant),
	spirv.OpBitwiseOr:            sized(2).is(SpecConstant),
	spirv.OpBitwiseXor:           sized(2).is(SpecConstant),
	spirv.OpBitwiseAnd:           sized(2).is(SpecConstant),
	spirv.OpNot:                  sized(1).is(SpecConstant),
	spirv.OpBitFieldInsert:       alike(Int, 2).with(Operand{Int, Scalar}, Operand{Int, Scalar}),
	spirv.OpBitFieldSExtract:     alike(Int, 1).with(Operand{Int, Scalar}, Operand{Int, Scalar}),
	spirv.OpBitFieldUExtract:     alike(Int, 1).with(Operand{Int, Scalar}, Operand{Int, Scalar}),
	spirv.OpBitReverse:           alike(Int, 1),
	spirv.OpBitCount:             converts(Int, Int),

	spirv.OpAny:             row(Bool, Bool, Any, Any, 1),
	spirv.OpAll:             row(Bool, Bool, Any, Any, 1),
	spirv.OpIsNan:           tests(Float),
	spirv.OpIsInf:           tests(Float),
	spirv.OpIsFinite:        tests(Float),
	spirv.OpIsNormal:        tests(Float),
	spirv.OpSignBitSet:      tests(Float),
	spirv.OpLessOrGreater:   compares(Float),
	spirv.OpOrdered:         compares(Float),
	spirv.OpUnordered:       compares(Float),
	spirv.OpLogicalEqual:    alike(Bool, 2).is(SpecConstant),
	spirv.OpLogicalNotEqual: alike(Bool, 2).is(SpecConstant),
	spirv.OpLogicalOr:       alike(Bool, 2).is(SpecConstant),
	spirv.OpLogicalAnd:      alike(Bool, 2).is(SpecConstant),
	spirv.OpLogicalNot:      alike(Bool, 1).is(SpecConstant),

	spirv.OpIEqual:            comparesInts().is(SpecConstant),
	spirv.OpINotEqual:         comparesInts().is(SpecConstant),
	spirv.OpUGreaterThan:      comparesInts().is(SpecConstant),
	spirv.OpSGreaterThan:      comparesInts().is(SpecConstant),
	spirv.OpUGreaterThanEqual: comparesInts().is(SpecConstant),
	spirv.OpSGreaterThanEqual: comparesInts().is(SpecConstant),
	spirv.OpULessThan:         comparesInts().is(SpecConstant),
	spirv.OpSLessThan:         comparesInts().is(SpecConstant),
	spirv.OpULessThanEqual:    comparesInts().is(SpecConstant),
	spirv.OpSLessThanEqual:    comparesInts().is(SpecConstant),

	spirv.OpFOrdEqual:              compares(Float),
	spirv.OpFUnordEqual:            compares(Float),
	spirv.OpFOrdNotEqual:           compares(Float),
	spirv.OpFUnordNotEqual:         compares(Float),
	spirv.OpFOrdLessThan:           compares(Float),
	spirv.OpFUnordLessThan:         compares(Float),
	spirv.OpFOrdGreaterThan:        compares(Float),
	spirv.OpFUnordGreaterThan:      compares(Float),
	spirv.OpFOrdLessThanEqual:      compares(Float),
	spirv.OpFUnordLessThanEqual:    compares(Float),
	spirv.OpFOrdGreaterThanEqual:   compares(Float),
	spirv.OpFUnordGreaterThanEqual: compares(Float),

	spirv.OpConvertFToU:    converts(UInt, Float).is(specKernel),
	spirv.OpConvertFToS:    converts(Int, Float).is(specKernel),
	spirv.OpConvertSToF:    converts(Float, Int).is(specKernel),
	spirv.OpConvertUToF:    converts(Float, Int).is(specKernel),
	spirv.OpUConvert:       converts(UInt, Int).is(SpecConstant),
	spirv.OpSConvert:       converts(Int, Int).is(SpecConstant),
	spirv.OpFConvert:       converts(Float, Float).is(SpecConstant),
	spirv.OpQuantizeToF16:  alike(Float, 1).is(SpecConstant),
	spirv.OpSatConvertSToU: converts(Int, Int),
	spirv.OpSatConvertUToS: converts(Int, Int),
}

// untyped are the instructions of those chapters that neither a row nor a form
// types: those that Vulkan does not allow.
var untyped = map[spirv.Op]Traits{
	spirv.OpBitwiseFunctionINTEL:     0,
	spirv.OpPtrCastToGeneric:         specKernel,
	spirv.OpGenericCastToPtr:         specKernel,
	spirv.OpGenericCastToPtrExplicit: 0,
	spirv.OpConvertFToBF16INTEL:      0,
	spirv.OpConvertBF16ToFINTEL:      0,
	spirv.OpRoundFToTF32INTEL:        0,
}
