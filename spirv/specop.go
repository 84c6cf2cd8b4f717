package spirv

// SpecConstant reports whether OpSpecConstantOp can name the opcode (SPIR-V
// §3.3.7; the extensions that add opcodes to its list included). Which
// capability each needs is not asked here.
func (o Op) SpecConstant() bool {
	switch o {
	case OpSConvert, OpUConvert, OpFConvert, OpConvertFToS, OpConvertSToF, OpConvertFToU, OpConvertUToF,
		OpConvertPtrToU, OpConvertUToPtr, OpGenericCastToPtr, OpPtrCastToGeneric, OpBitcast, OpQuantizeToF16,
		OpSNegate, OpNot, OpIAdd, OpISub, OpIMul, OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod,
		OpShiftRightLogical, OpShiftRightArithmetic, OpShiftLeftLogical, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd,
		OpFNegate, OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod,
		OpVectorShuffle, OpCompositeExtract, OpCompositeInsert, OpSelect,
		OpLogicalOr, OpLogicalAnd, OpLogicalNot, OpLogicalEqual, OpLogicalNotEqual,
		OpIEqual, OpINotEqual, OpULessThan, OpSLessThan, OpUGreaterThan, OpSGreaterThan,
		OpULessThanEqual, OpSLessThanEqual, OpUGreaterThanEqual, OpSGreaterThanEqual,
		OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain,
		OpUntypedAccessChainKHR, OpUntypedInBoundsAccessChainKHR, OpUntypedPtrAccessChainKHR,
		OpUntypedInBoundsPtrAccessChainKHR, OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLengthNV:
		return true
	}
	return false
}
