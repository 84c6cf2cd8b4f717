package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// rule lowers one instruction.
type rule func(f *function, in spirv.Inst)

// rules has the instructions that are more than one operation for each
// component of their result; for those that are not, see internal/direct.
// Terminators, phis and variables are lowered where control is.
var rules = map[spirv.Op]rule{
	// Memory.
	spirv.OpLoad:                             load,
	spirv.OpStore:                            store,
	spirv.OpCopyMemory:                       copyMemory,
	spirv.OpCopyMemorySized:                  copyMemorySized,
	spirv.OpUntypedPtrAccessChainKHR:         untypedPtrAccessChain,
	spirv.OpUntypedInBoundsPtrAccessChainKHR: untypedPtrAccessChain,
	spirv.OpAccessChain:                      accessChain,
	spirv.OpInBoundsAccessChain:              accessChain,
	spirv.OpPtrAccessChain:                   ptrAccessChain,
	spirv.OpInBoundsPtrAccessChain:           ptrAccessChain,
	spirv.OpRawAccessChainNV:                 rawAccessChain,
	spirv.OpBufferPointerEXT:                 bufferPointer,
	spirv.OpArrayLength:                      arrayLength,
	spirv.OpUntypedAccessChainKHR:            untypedAccessChain,
	spirv.OpUntypedInBoundsAccessChainKHR:    untypedAccessChain,
	spirv.OpUntypedArrayLengthKHR:            untypedArrayLength,
	spirv.OpPtrEqual:                         ptrEqual,
	spirv.OpPtrNotEqual:                      ptrEqual,
	spirv.OpPtrDiff:                          ptrDiff,
	spirv.OpConvertPtrToU:                    pointerCast,
	spirv.OpConvertUToPtr:                    pointerCast,

	// Composites.
	spirv.OpVectorExtractDynamic:           vectorExtractDynamic,
	spirv.OpVectorInsertDynamic:            vectorInsertDynamic,
	spirv.OpVectorShuffle:                  vectorShuffle,
	spirv.OpCompositeConstruct:             compositeConstruct,
	spirv.OpCompositeConstructReplicateEXT: compositeReplicate,
	spirv.OpCompositeExtract:               compositeExtract,
	spirv.OpCompositeInsert:                compositeInsert,
	spirv.OpCopyObject:                     copyObject,
	spirv.OpCopyLogical:                    copyObject,
	spirv.OpTranspose:                      transpose,
	spirv.OpUndef:                          undef,
	spirv.OpPoisonKHR:                      undef,
	spirv.OpFreezeKHR:                      freeze,

	// Arithmetic.
	spirv.OpFMod:               fmod,
	spirv.OpFAdd:               contractible,
	spirv.OpFSub:               contractible,
	spirv.OpIAddCarry:          twoResults(carryAdd),
	spirv.OpISubBorrow:         twoResults(borrowSub),
	spirv.OpUMulExtended:       twoResults(mulU),
	spirv.OpSMulExtended:       twoResults(mulS),
	spirv.OpVectorTimesScalar:  vectorTimesScalar,
	spirv.OpMatrixTimesScalar:  vectorTimesScalar,
	spirv.OpVectorTimesMatrix:  vectorTimesMatrix,
	spirv.OpMatrixTimesVector:  matrixTimesVector,
	spirv.OpMatrixTimesMatrix:  matrixTimesMatrix,
	spirv.OpOuterProduct:       outerProduct,
	spirv.OpDot:                dot,
	spirv.OpFDot2MixAcc32VALVE: mixedDotOf,
	spirv.OpFDot2MixAcc16VALVE: mixedDotOf,
	spirv.OpFDot4MixAcc32VALVE: mixedDotOf,
	spirv.OpSDot:               integerDot(signedDot),
	spirv.OpUDot:               integerDot(unsignedDot),
	spirv.OpSUDot:              integerDot(mixedDot),
	spirv.OpSDotAccSat:         integerDot(signedDot),
	spirv.OpUDotAccSat:         integerDot(unsignedDot),
	spirv.OpSUDotAccSat:        integerDot(mixedDot),

	// Cooperative matrices.
	spirv.OpCooperativeMatrixLoadKHR:          cooperativeLoad,
	spirv.OpCooperativeMatrixStoreKHR:         cooperativeStore,
	spirv.OpCooperativeMatrixMulAddKHR:        cooperativeMulAdd,
	spirv.OpCooperativeMatrixLengthKHR:        cooperativeLength,
	spirv.OpCooperativeMatrixLoadNV:           cooperativeLoadNV,
	spirv.OpCooperativeMatrixStoreNV:          cooperativeStoreNV,
	spirv.OpCooperativeMatrixMulAddNV:         cooperativeMulAdd,
	spirv.OpCooperativeMatrixLengthNV:         cooperativeLength,
	spirv.OpCooperativeMatrixConvertUseEXT:    cooperativeConvert,
	spirv.OpCooperativeMatrixTransposeNV:      cooperativeTranspose,
	spirv.OpCooperativeMatrixGetCoordinateEXT: cooperativeCoordinate,
	spirv.OpCooperativeMatrixPerElementOpEXT:  cooperativePerElement,
	spirv.OpCooperativeMatrixReduceEXT:        cooperativeReduce,

	spirv.OpCompositeConstructCoopMatQCOM: constructFromArray,
	spirv.OpCompositeExtractCoopMatQCOM:   extractToArray,
	spirv.OpExtractSubArrayQCOM:           extractSubArray,
	spirv.OpBitCastArrayQCOM:              bitcast, // the same operands, and bits that lie as those of vectors do

	// Tensors.
	spirv.OpCreateTensorLayoutNV:           createTensorLayout,
	spirv.OpTensorLayoutSetBlockSizeNV:     tensorLayoutSetBlockSize,
	spirv.OpTensorLayoutSetDimensionNV:     tensorLayoutSetDimension,
	spirv.OpTensorLayoutSetStrideNV:        tensorLayoutSetStride,
	spirv.OpTensorLayoutSliceNV:            tensorLayoutSlice,
	spirv.OpTensorLayoutSetClampValueNV:    tensorLayoutSetClampValue,
	spirv.OpCreateTensorViewNV:             createTensorView,
	spirv.OpTensorViewSetDimensionNV:       tensorViewSetDimension,
	spirv.OpTensorViewSetStrideNV:          tensorViewSetStride,
	spirv.OpTensorViewSetClipNV:            tensorViewSetClip,
	spirv.OpCooperativeMatrixLoadTensorNV:  cooperativeLoadTensor,
	spirv.OpCooperativeMatrixStoreTensorNV: cooperativeStoreTensor,

	// Images.
	spirv.OpSampledImage:                     sampledImage,
	spirv.OpImage:                            imageOf,
	spirv.OpImageRead:                        imageRead(false),
	spirv.OpImageSparseRead:                  imageRead(true),
	spirv.OpImageWrite:                       imageWrite,
	spirv.OpImageTexelPointer:                imageTexelPointer,
	spirv.OpImageFetch:                       imageFetch(false),
	spirv.OpFragmentMaskFetchAMD:             fragmentMaskFetch,
	spirv.OpFragmentFetchAMD:                 fragmentFetch,
	spirv.OpColorAttachmentReadEXT:           colorAttachmentRead,
	spirv.OpDepthAttachmentReadEXT:           depthAttachmentRead,
	spirv.OpStencilAttachmentReadEXT:         stencilAttachmentRead,
	spirv.OpImageSparseFetch:                 imageFetch(true),
	spirv.OpImageSampleImplicitLod:           sample(sampling{implicit: true}),
	spirv.OpImageSampleExplicitLod:           sample(sampling{}),
	spirv.OpImageSampleDrefImplicitLod:       sample(sampling{implicit: true, dref: true}),
	spirv.OpImageSampleDrefExplicitLod:       sample(sampling{dref: true}),
	spirv.OpImageSampleProjImplicitLod:       sample(sampling{implicit: true, projective: true}),
	spirv.OpImageSampleProjExplicitLod:       sample(sampling{projective: true}),
	spirv.OpImageSampleProjDrefImplicitLod:   sample(sampling{implicit: true, projective: true, dref: true}),
	spirv.OpImageSampleProjDrefExplicitLod:   sample(sampling{projective: true, dref: true}),
	spirv.OpImageSparseSampleImplicitLod:     sample(sampling{implicit: true, sparse: true}),
	spirv.OpImageSparseSampleExplicitLod:     sample(sampling{sparse: true}),
	spirv.OpImageSparseSampleDrefImplicitLod: sample(sampling{implicit: true, dref: true, sparse: true}),
	spirv.OpImageSparseSampleDrefExplicitLod: sample(sampling{dref: true, sparse: true}),
	spirv.OpImageGather:                      gather(false, false),
	spirv.OpUntypedImageTexelPointerEXT:      untypedTexelPointer,
	spirv.OpImageGatherQCOM:                  gatherMode,
	spirv.OpImageSampleFootprintNV:           footprint,
	spirv.OpImageDrefGather:                  gather(true, false),
	spirv.OpImageSparseGather:                gather(false, true),
	spirv.OpImageSparseDrefGather:            gather(true, true),
	spirv.OpImageSparseTexelsResident:        texelsResident,
	spirv.OpImageQueryLevels:                 imageQuery(ir.ShapeLevelsN),
	spirv.OpImageQuerySamples:                imageQuery(ir.ShapeSamples),
	spirv.OpImageQuerySize:                   imageQuerySize,
	spirv.OpImageQuerySizeLod:                imageQuerySize,
	spirv.OpImageQueryLod:                    imageQueryLod,

	spirv.OpImageBoxFilterQCOM:           boxFilter,
	spirv.OpImageSampleWeightedQCOM:      sampleWeighted,
	spirv.OpImageBlockMatchSADQCOM:       blockMatch(ir.TextureMatch, false),
	spirv.OpImageBlockMatchSSDQCOM:       blockMatch(ir.TextureMatch, true),
	spirv.OpImageBlockMatchWindowSADQCOM: blockMatch(ir.TextureMatchWindow, false),
	spirv.OpImageBlockMatchWindowSSDQCOM: blockMatch(ir.TextureMatchWindow, true),
	spirv.OpImageBlockMatchGatherSADQCOM: blockMatch(ir.TextureMatchGather, false),
	spirv.OpImageBlockMatchGatherSSDQCOM: blockMatch(ir.TextureMatchGather, true),

	// Storage tensors.
	spirv.OpTensorReadARM:      tensorRead,
	spirv.OpTensorWriteARM:     tensorWrite,
	spirv.OpTensorQuerySizeARM: tensorQuerySize,

	// Cooperative vectors.
	spirv.OpCooperativeVectorLoadNV:                   cooperativeVectorLoad,
	spirv.OpCooperativeVectorStoreNV:                  cooperativeVectorStore,
	spirv.OpCooperativeVectorMatrixMulNV:              cooperativeVectorMul,
	spirv.OpCooperativeVectorMatrixMulAddNV:           cooperativeVectorMulAdd,
	spirv.OpCooperativeVectorOuterProductAccumulateNV: cooperativeVectorOuterProduct,
	spirv.OpCooperativeVectorReduceSumAccumulateNV:    cooperativeVectorReduceSum,

	// Bits, logic, conversion.
	spirv.OpBitcastExtractEXT: bitcastExtract,
	spirv.OpBitcast:           bitcast,
	spirv.OpBitFieldInsert:    bitFieldInsert,
	spirv.OpAny:               anyOf,
	spirv.OpAll:               allOf,
	spirv.OpIsInf:             isInf,
	spirv.OpSelect:            selectOf,
	spirv.OpQuantizeToF16:     quantizeToF16,
	spirv.OpFConvert:          fConvert,
	spirv.OpExpectKHR:         expect,
	spirv.OpReadClockKHR:      readClock,

	// Integer functions.
	spirv.OpUCountLeadingZerosINTEL:  integerFunction(leadingZeros),
	spirv.OpUCountTrailingZerosINTEL: integerFunction(trailingZeros),
	spirv.OpAbsISubINTEL:             integerFunction(absSubS),
	spirv.OpAbsUSubINTEL:             integerFunction(absSubU),
	spirv.OpIAddSatINTEL:             integerFunction(addSatS),
	spirv.OpUAddSatINTEL:             integerFunction(addSatU),
	spirv.OpISubSatINTEL:             integerFunction(subSatS),
	spirv.OpUSubSatINTEL:             integerFunction(subSatU),
	spirv.OpIAverageINTEL:            integerFunction(average(ir.AShr, false)),
	spirv.OpUAverageINTEL:            integerFunction(average(ir.LShr, false)),
	spirv.OpIAverageRoundedINTEL:     integerFunction(average(ir.AShr, true)),
	spirv.OpUAverageRoundedINTEL:     integerFunction(average(ir.LShr, true)),
	spirv.OpIMul32x16INTEL:           integerFunction(mul32x16(ir.SExt)),
	spirv.OpUMul32x16INTEL:           integerFunction(mul32x16(ir.ZExt)),

	// Derivatives.
	spirv.OpDPdx:         derivative(acrossX),
	spirv.OpDPdy:         derivative(acrossY),
	spirv.OpFwidth:       fwidth,
	spirv.OpDPdxFine:     derivative(acrossX),
	spirv.OpDPdyFine:     derivative(acrossY),
	spirv.OpFwidthFine:   fwidth,
	spirv.OpDPdxCoarse:   derivative(acrossX),
	spirv.OpDPdyCoarse:   derivative(acrossY),
	spirv.OpFwidthCoarse: fwidth,

	// Fragments and vertices.
	spirv.OpDemoteToHelperInvocation:    demote,
	spirv.OpIsHelperInvocationEXT:       isHelper,
	spirv.OpBeginInvocationInterlockEXT: interlock,
	spirv.OpEndInvocationInterlockEXT:   interlock,
	spirv.OpEmitVertex:                  emitVertex,
	spirv.OpEmitStreamVertex:            emitVertex,
	spirv.OpEndPrimitive:                endPrimitive,
	spirv.OpEndStreamPrimitive:          endPrimitive,

	// Functions and extended instructions.
	spirv.OpFunctionCall: functionCall,
	spirv.OpExtInst:      extInst,

	// Order.
	spirv.OpControlBarrier:          controlBarrier,
	spirv.OpMemoryBarrier:           memoryBarrier,
	spirv.OpControlBarrierArriveEXT: barrierArrive,
	spirv.OpControlBarrierWaitEXT:   controlBarrier,

	// Atomics.
	spirv.OpAtomicLoad:                atomicLoad,
	spirv.OpAtomicStore:               atomicStore,
	spirv.OpAtomicExchange:            atomicBinary,
	spirv.OpAtomicCompareExchange:     atomicCompareExchange,
	spirv.OpAtomicCompareExchangeWeak: atomicCompareExchange,
	spirv.OpAtomicIIncrement:          atomicCount,
	spirv.OpAtomicIDecrement:          atomicCount,
	spirv.OpAtomicIAdd:                atomicBinary,
	spirv.OpAtomicISub:                atomicBinary,
	spirv.OpAtomicSMin:                atomicBinary,
	spirv.OpAtomicSMax:                atomicBinary,
	spirv.OpAtomicUMin:                atomicBinary,
	spirv.OpAtomicUMax:                atomicBinary,
	spirv.OpAtomicAnd:                 atomicBinary,
	spirv.OpAtomicOr:                  atomicBinary,
	spirv.OpAtomicXor:                 atomicBinary,
	spirv.OpAtomicFAddEXT:             atomicBinary,
	spirv.OpAtomicFMinEXT:             atomicBinary,
	spirv.OpAtomicFMaxEXT:             atomicBinary,

	// Groups.
	spirv.OpGroupNonUniformElect:            elect,
	spirv.OpGroupNonUniformAll:              vote,
	spirv.OpGroupNonUniformAny:              vote,
	spirv.OpGroupNonUniformAllEqual:         voteEqual,
	spirv.OpSubgroupAllKHR:                  vote,
	spirv.OpSubgroupAnyKHR:                  vote,
	spirv.OpSubgroupAllEqualKHR:             voteEqual,
	spirv.OpGroupNonUniformBroadcast:        shuffle,
	spirv.OpGroupNonUniformBroadcastFirst:   broadcastFirst,
	spirv.OpSubgroupFirstInvocationKHR:      broadcastFirst,
	spirv.OpSubgroupReadInvocationKHR:       shuffle,
	spirv.OpGroupNonUniformBallot:           ballot,
	spirv.OpSubgroupBallotKHR:               ballot,
	spirv.OpGroupNonUniformInverseBallot:    inverseBallot,
	spirv.OpGroupNonUniformBallotBitExtract: ballotBitExtract,
	spirv.OpGroupNonUniformBallotBitCount:   ballotBitCount,
	spirv.OpGroupNonUniformBallotFindLSB:    ballotFind,
	spirv.OpGroupNonUniformBallotFindMSB:    ballotFind,
	spirv.OpGroupNonUniformShuffle:          shuffle,
	spirv.OpGroupNonUniformShuffleXor:       shuffle,
	spirv.OpGroupNonUniformShuffleUp:        shuffle,
	spirv.OpGroupNonUniformShuffleDown:      shuffle,
	spirv.OpGroupNonUniformRotateKHR:        rotate,
	spirv.OpGroupNonUniformQuadBroadcast:    quadBroadcast,
	spirv.OpGroupNonUniformQuadSwap:         quadSwap,
	spirv.OpGroupNonUniformQuadAllKHR:       quadVote,
	spirv.OpGroupNonUniformQuadAnyKHR:       quadVote,
	spirv.OpGroupNonUniformPartitionEXT:     partition,
	spirv.OpGroupNonUniformIAdd:             groupArithmetic,
	spirv.OpGroupNonUniformFAdd:             groupArithmetic,
	spirv.OpGroupNonUniformIMul:             groupArithmetic,
	spirv.OpGroupNonUniformFMul:             groupArithmetic,
	spirv.OpGroupNonUniformSMin:             groupArithmetic,
	spirv.OpGroupNonUniformUMin:             groupArithmetic,
	spirv.OpGroupNonUniformFMin:             groupArithmetic,
	spirv.OpGroupNonUniformSMax:             groupArithmetic,
	spirv.OpGroupNonUniformUMax:             groupArithmetic,
	spirv.OpGroupNonUniformFMax:             groupArithmetic,
	spirv.OpGroupNonUniformBitwiseAnd:       groupArithmetic,
	spirv.OpGroupNonUniformBitwiseOr:        groupArithmetic,
	spirv.OpGroupNonUniformBitwiseXor:       groupArithmetic,
	spirv.OpGroupNonUniformLogicalAnd:       groupArithmetic,
	spirv.OpGroupNonUniformLogicalOr:        groupArithmetic,
	spirv.OpGroupNonUniformLogicalXor:       groupArithmetic,
}

// inControl are the instructions that are lowered where control is.
var inControl = map[spirv.Op]bool{
	spirv.OpPhi: true, spirv.OpVariable: true, spirv.OpUntypedVariableKHR: true, spirv.OpFunctionParameter: true, spirv.OpLabel: true,
	spirv.OpFunction: true, spirv.OpFunctionEnd: true, spirv.OpSelectionMerge: true, spirv.OpLoopMerge: true,
	spirv.OpBranch: true, spirv.OpBranchConditional: true, spirv.OpSwitch: true,
	spirv.OpReturn: true, spirv.OpReturnValue: true,
	spirv.OpKill: true, spirv.OpTerminateInvocation: true, spirv.OpUnreachable: true, spirv.OpAbortKHR: true,
}

// ignored reports whether an instruction in a function has no effect: a hint,
// or a note for debuggers.
func ignored(op spirv.Op) bool {
	switch op {
	case spirv.OpNop, spirv.OpLine, spirv.OpNoLine, spirv.OpAssumeTrueKHR, spirv.OpUntypedPrefetchKHR, spirv.OpExtInstWithForwardRefsKHR:
		return true
	}
	return false
}

// Has reports whether an instruction that may stand in a function is lowered.
// Some types and operands of it may still not be.
func Has(op spirv.Op) bool {
	_, row := direct.Lookup(op)
	return rules[op] != nil || row || inControl[op] || ignored(op)
}

// HasExtended reports whether an instruction of GLSL.std.450 is lowered.
func HasExtended(n spirv.GLSLOp) bool {
	_, ok := extended[n]
	return ok
}

// HasInstruction reports whether an instruction of an extended set is lowered,
// or needs no lowering.
func HasInstruction(set spirv.ExtSet, n uint32) bool {
	switch {
	case set == spirv.ExtSetGLSL:
		return HasExtended(spirv.GLSLOp(n))
	case set == spirv.ExtSetAMDShaderTrinaryMinmax:
		_, ok := trinary[spirv.AMDShaderTrinaryMinmaxOp(n)]
		return ok
	case set == spirv.ExtSetAMDShaderBallot, set == spirv.ExtSetAMDGcnShader, set == spirv.ExtSetAMDShaderExplicitVertexParameter:
		return set.Inst(n) != nil
	}
	return set.NonSemantic()
}

// row returns what the table of direct instructions says of op, nil where it
// says nothing.
func (f *function) row(op spirv.Op) *direct.Row {
	if r, ok := direct.Lookup(op); ok {
		return &r
	}
	return nil
}
