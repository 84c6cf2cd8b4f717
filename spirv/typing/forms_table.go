package typing

import "github.com/chiaro-gpu/chiaro/spirv"

// forms has a form for every instruction that Vulkan allows in the functions of
// a shader of compute or graphics and that has no row in table; the forms of image
// and ray instructions accept any type, because the types are checked with their own rules.
// The presence of operands is a matter of the grammar. If a validity rule of its own
// checks more, the comment of the line names it.
var forms = map[Op]Form{
	// Miscellaneous, debug.
	spirv.OpNop:                       does(),
	spirv.OpUndef:                     gives(in(Data|Opaque, 0)),
	spirv.OpPoisonKHR:                 gives(anything),
	spirv.OpFreezeKHR:                 gives(anything, same),
	spirv.OpLine:                      does(none),
	spirv.OpNoLine:                    does(),
	spirv.OpExtInst:                   gives(anything, none, free.many()), // the set's own rules
	spirv.OpExtInstWithForwardRefsKHR: gives(in(Void, 0), none, free.many()),
	spirv.OpExpectKHR:                 gives(of(OfInt|OfBool), same, same),
	spirv.OpAssumeTrueKHR:             does(boolean),
	spirv.OpReadClockKHR:              gives(of(OfUInt), constant), // 64 bits, or two components of 32
	spirv.OpUntypedPrefetchKHR:        does(pointer, integer, integer.maybe(), integer.maybe(), integer.maybe()),
	spirv.OpBitcastExtractEXT:         gives(of(OfNumber), of(OfNumber).by(SameCount, 0), integer), // more bits
	spirv.OpConvertPtrToU:             gives(in(One, OfUInt), pointer).is(specKernel),
	spirv.OpConvertUToPtr:             gives(pointer, in(One, OfUInt)).is(specKernel),
	spirv.OpBitcast:                   gives(in(Number|Ptr, OfNumber), in(Number|Ptr, OfNumber)).is(specKernel), // as many bits

	// Memory.
	spirv.OpVariable:                         gives(pointer, data.maybe()), // an initializer of its pointee
	spirv.OpUntypedVariableKHR:               gives(pointer, anything.maybe(), data.maybe()),
	spirv.OpLoad:                             gives(in(Data|Opaque, 0), toResult),
	spirv.OpStore:                            does(pointer, in(Data|Opaque, 0).by(PointedAt, 1)),
	spirv.OpCopyMemory:                       does(pointer, pointer), // to the same, but for untyped ones
	spirv.OpCopyMemorySized:                  does(pointer, pointer, integer),
	spirv.OpAccessChain:                      gives(pointer, pointer, integer.many()).is(specKernel),
	spirv.OpInBoundsAccessChain:              gives(pointer, pointer, integer.many()).is(specKernel),
	spirv.OpPtrAccessChain:                   gives(pointer, pointer, integer, integer.many()).is(specKernel),
	spirv.OpInBoundsPtrAccessChain:           gives(pointer, pointer, integer, integer.many()).is(specKernel),
	spirv.OpUntypedAccessChainKHR:            gives(pointer, anything, pointer, integer.many()).is(SpecConstant),
	spirv.OpUntypedInBoundsAccessChainKHR:    gives(pointer, anything, pointer, integer.many()).is(SpecConstant),
	spirv.OpUntypedPtrAccessChainKHR:         gives(pointer, anything, pointer, integer, integer.many()).is(SpecConstant),
	spirv.OpUntypedInBoundsPtrAccessChainKHR: gives(pointer, anything, pointer, integer, integer.many()).is(SpecConstant),
	spirv.OpRawAccessChainNV:                 gives(pointer, pointer, integer.wide(32), integer.wide(32), integer.wide(32)),
	spirv.OpBufferPointerEXT:                 gives(pointer, pointer),
	spirv.OpArrayLength:                      gives(unsigned, pointer), // of 32 bits, or 64
	spirv.OpUntypedArrayLengthKHR:            gives(unsigned, in(Struct, 0), pointer),
	spirv.OpPtrEqual:                         gives(boolean, pointer, pointer.by(Same, 1)),
	spirv.OpPtrNotEqual:                      gives(boolean, pointer, pointer.by(Same, 1)),
	spirv.OpPtrDiff:                          gives(integer, pointer, pointer.by(Same, 1)),

	// Rays: their rules check the types.
	spirv.OpConvertUToAccelerationStructureKHR:                               gives(anything, free.many()),
	spirv.OpTraceRayKHR:                                                      does(free.many()),
	spirv.OpExecuteCallableKHR:                                               does(free.many()),
	spirv.OpReportIntersectionKHR:                                            gives(anything, free.many()),
	spirv.OpIgnoreIntersectionKHR:                                            does(),
	spirv.OpTerminateRayKHR:                                                  does(),
	spirv.OpRayQueryInitializeKHR:                                            does(free.many()),
	spirv.OpRayQueryTerminateKHR:                                             does(free.many()),
	spirv.OpRayQueryGenerateIntersectionKHR:                                  does(free.many()),
	spirv.OpRayQueryConfirmIntersectionKHR:                                   does(free.many()),
	spirv.OpRayQueryProceedKHR:                                               gives(anything, free.many()),
	spirv.OpRayQueryGetRayTMinKHR:                                            gives(anything, free.many()),
	spirv.OpRayQueryGetRayFlagsKHR:                                           gives(anything, free.many()),
	spirv.OpRayQueryGetWorldRayOriginKHR:                                     gives(anything, free.many()),
	spirv.OpRayQueryGetWorldRayDirectionKHR:                                  gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionTypeKHR:                                   gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionTKHR:                                      gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionInstanceCustomIndexKHR:                    gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionInstanceIdKHR:                             gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionGeometryIndexKHR:                          gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionPrimitiveIndexKHR:                         gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionBarycentricsKHR:                           gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionFrontFaceKHR:                              gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR:                    gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionObjectToWorldKHR:                          gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionWorldToObjectKHR:                          gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionObjectRayOriginKHR:                        gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionObjectRayDirectionKHR:                     gives(anything, free.many()),
	spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR:                gives(anything, free.many()),

	// Functions.
	spirv.OpFunction:          gives(anything, in(Opaque, 0)),
	spirv.OpFunctionParameter: gives(in(Data|Opaque, 0)),
	spirv.OpFunctionEnd:       does(),
	spirv.OpFunctionCall:      gives(anything, none, in(Data|Opaque, 0).many()), // the function's parameters

	// Composites.
	spirv.OpVectorExtractDynamic:           gives(one(0), in(Vec, 0).by(Whole, 0), integer),
	spirv.OpVectorInsertDynamic:            gives(in(Vec, 0), same, one(0).by(PartOf, 0), integer),
	spirv.OpVectorShuffle:                  gives(in(Vec, 0), in(Vec, 0).by(SharesPart, 0), in(Vec, 0).by(SharesPart, 0)).is(SpecConstant),
	spirv.OpCompositeConstruct:             gives(in(Composite|Opaque, 0), in(Data|Opaque, 0).many()), // the parts of the result
	spirv.OpCompositeConstructReplicateEXT: gives(in(Composite|Opaque, 0), in(Data|Opaque, 0)),
	spirv.OpCompositeExtract:               gives(in(Data|Opaque, 0), in(Composite|Opaque, 0)).is(SpecConstant), // the part that the literals name
	spirv.OpCompositeInsert:                gives(in(Composite|Opaque, 0), in(Data|Opaque, 0), same).is(SpecConstant),
	spirv.OpCopyObject:                     gives(anything, same),
	spirv.OpCopyLogical:                    gives(in(Arr|Struct, 0), in(Arr|Struct, 0)), // alike, but for their layout
	spirv.OpTranspose:                      gives(in(Mat, 0), in(Mat, 0).by(RowsOf, 0).by(LongAsRows, 0)),

	// Arithmetic.
	spirv.OpVectorTimesScalar:  gives(in(Vec, OfFloat), same, one(OfFloat).by(PartOf, 0)),
	spirv.OpMatrixTimesScalar:  gives(in(Mat|Opaque, OfFloat), same, one(OfNumber)),
	spirv.OpVectorTimesMatrix:  gives(in(Vec, OfFloat), in(Vec, OfFloat).by(PartOf, 2), in(Mat, OfFloat).by(SameLen, 0)),
	spirv.OpMatrixTimesVector:  gives(in(Vec, OfFloat), in(Mat, OfFloat).by(Whole, 0), in(Vec, OfFloat).by(SameLen, 1).by(SharesPart, 0)),
	spirv.OpMatrixTimesMatrix:  gives(in(Mat, OfFloat), in(Mat, OfFloat).by(SharesPart, 0), in(Mat, OfFloat).by(SameLen, 0).by(RowsOf, 1)),
	spirv.OpOuterProduct:       gives(in(Mat, OfFloat), in(Vec, OfFloat).by(PartOf, 0), in(Vec, OfFloat).by(SameLen, 0)),
	spirv.OpDot:                gives(one(OfFloat), in(Vec, OfFloat).by(Whole, 0), in(Vec, OfFloat).by(Same, 1)),
	spirv.OpIAddCarry:          carries(OfUInt),
	spirv.OpISubBorrow:         carries(OfUInt),
	spirv.OpUMulExtended:       carries(OfUInt),
	spirv.OpSMulExtended:       carries(OfInt),
	spirv.OpSDot:               dots(OfInt, OfInt, OfInt),
	spirv.OpUDot:               dots(OfUInt, OfUInt, OfUInt),
	spirv.OpSUDot:              dots(OfInt, OfInt, OfUInt|OfInt),
	spirv.OpSDotAccSat:         dots(OfInt, OfInt, OfInt, same),
	spirv.OpUDotAccSat:         dots(OfUInt, OfUInt, OfUInt, same),
	spirv.OpSUDotAccSat:        dots(OfInt, OfInt, OfUInt|OfInt, same),
	spirv.OpFDot2MixAcc32VALVE: mixedDot(2, 32),
	spirv.OpFDot2MixAcc16VALVE: mixedDot(2, 16),
	spirv.OpFDot4MixAcc32VALVE: mixedDot(4, 32),

	// Cooperative matrices: the parts of a product have sizes that fit.
	spirv.OpCooperativeMatrixLoadKHR:   gives(in(Opaque, 0), pointer, integer, integer.maybe()),
	spirv.OpCooperativeMatrixStoreKHR:  does(pointer, in(Opaque, 0), integer, integer.maybe()),
	spirv.OpCooperativeMatrixMulAddKHR: gives(in(Opaque, 0), in(Opaque, 0), in(Opaque, 0), in(Opaque, 0)),
	spirv.OpCooperativeMatrixLengthKHR: gives(unsigned, in(Opaque, 0)).is(SpecConstant),

	spirv.OpCooperativeMatrixLoadNV:   gives(in(Opaque, 0), pointer, integer, boolean),
	spirv.OpCooperativeMatrixStoreNV:  does(pointer, in(Opaque, 0), integer, boolean),
	spirv.OpCooperativeMatrixMulAddNV: gives(in(Opaque, 0), in(Opaque, 0), in(Opaque, 0), same),
	spirv.OpCooperativeMatrixLengthNV: gives(unsigned, in(Opaque, 0)).is(SpecConstant),

	spirv.OpCooperativeMatrixConvertUseEXT:    gives(in(Opaque, 0), in(Opaque, 0)), // of another use
	spirv.OpCooperativeMatrixTransposeNV:      gives(in(Opaque, 0), in(Opaque, 0)),
	spirv.OpCooperativeMatrixGetCoordinateEXT: gives(Pattern{Shapes: Vec, Classes: OfInt, Width: 32, Count: 2}, in(Opaque, 0), integer.wide(32)),
	spirv.OpCooperativeMatrixPerElementOpEXT:  gives(in(Opaque, 0), same, none, in(Data|Opaque, 0).many()), // the function's parameters
	spirv.OpCooperativeMatrixReduceEXT:        gives(in(Opaque, 0), in(Opaque, 0), none),

	spirv.OpCompositeConstructCoopMatQCOM: gives(in(Opaque, 0), in(Arr, 0)), // of the length of a line
	spirv.OpCompositeExtractCoopMatQCOM:   gives(in(Arr, 0), in(Opaque, 0)),
	spirv.OpExtractSubArrayQCOM:           gives(in(Arr, 0), in(Arr, 0).by(SharesPart, 0), integer.wide(32)),
	spirv.OpBitCastArrayQCOM:              gives(in(Arr, 0), in(Arr, 0)), // as many bits

	// Images: an image, a sampled image or a sampler, coordinates, and image operands.
	spirv.OpSampledImage:                     gives(anything, free.many()),
	spirv.OpImage:                            gives(anything, free.many()),
	spirv.OpImageRead:                        gives(anything, free.many()),
	spirv.OpImageSparseRead:                  gives(anything, free.many()).is(Sparse),
	spirv.OpImageWrite:                       does(free.many()),
	spirv.OpImageTexelPointer:                gives(anything, free.many()),
	spirv.OpImageFetch:                       gives(anything, free.many()),
	spirv.OpFragmentMaskFetchAMD:             gives(anything, free.many()),
	spirv.OpFragmentFetchAMD:                 gives(anything, free.many()),
	spirv.OpColorAttachmentReadEXT:           gives(anything, free.many()),
	spirv.OpDepthAttachmentReadEXT:           gives(anything, free.many()),
	spirv.OpStencilAttachmentReadEXT:         gives(anything, free.many()),
	spirv.OpImageSparseFetch:                 gives(anything, free.many()).is(Sparse),
	spirv.OpImageSampleImplicitLod:           gives(anything, free.many()).is(ImplicitLod),
	spirv.OpImageSampleExplicitLod:           gives(anything, free.many()).is(ExplicitLod),
	spirv.OpImageSampleDrefImplicitLod:       gives(anything, free.many()).is(ImplicitLod | Dref),
	spirv.OpImageSampleDrefExplicitLod:       gives(anything, free.many()).is(ExplicitLod | Dref),
	spirv.OpImageSampleProjImplicitLod:       gives(anything, free.many()).is(ImplicitLod | Projective),
	spirv.OpImageSampleProjExplicitLod:       gives(anything, free.many()).is(ExplicitLod | Projective),
	spirv.OpImageSampleProjDrefImplicitLod:   gives(anything, free.many()).is(ImplicitLod | Projective | Dref),
	spirv.OpImageSampleProjDrefExplicitLod:   gives(anything, free.many()).is(ExplicitLod | Projective | Dref),
	spirv.OpImageSparseSampleImplicitLod:     gives(anything, free.many()).is(ImplicitLod | Sparse),
	spirv.OpImageSparseSampleExplicitLod:     gives(anything, free.many()).is(ExplicitLod | Sparse),
	spirv.OpImageSparseSampleDrefImplicitLod: gives(anything, free.many()).is(ImplicitLod | Dref | Sparse),
	spirv.OpImageSparseSampleDrefExplicitLod: gives(anything, free.many()).is(ExplicitLod | Dref | Sparse),
	spirv.OpImageGather:                      gives(anything, free.many()).is(Gather),
	spirv.OpImageDrefGather:                  gives(anything, free.many()).is(Gather | Dref),
	spirv.OpImageSparseGather:                gives(anything, free.many()).is(Gather | Sparse),
	spirv.OpImageSparseDrefGather:            gives(anything, free.many()).is(Gather | Dref | Sparse),
	spirv.OpImageSparseTexelsResident:        gives(anything, free.many()),
	spirv.OpImageQueryLevels:                 gives(anything, free.many()).is(Query),
	spirv.OpImageQuerySamples:                gives(anything, free.many()).is(Query),
	spirv.OpImageQuerySize:                   gives(anything, free.many()).is(Query),
	spirv.OpImageQuerySizeLod:                gives(anything, free.many()).is(Query),
	spirv.OpImageQueryLod:                    gives(anything, free.many()).is(Query),
	spirv.OpUntypedImageTexelPointerEXT:      gives(anything, free.many()),
	spirv.OpImageGatherQCOM:                  gives(anything, free.many()),
	spirv.OpImageSampleFootprintNV:           gives(anything, free.many()),
	spirv.OpImageBoxFilterQCOM:               gives(anything, free.many()).is(Processing),
	spirv.OpImageSampleWeightedQCOM:          gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchSADQCOM:           gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchSSDQCOM:           gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchWindowSADQCOM:     gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchWindowSSDQCOM:     gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchGatherSADQCOM:     gives(anything, free.many()).is(Processing),
	spirv.OpImageBlockMatchGatherSSDQCOM:     gives(anything, free.many()).is(Processing),

	// Tensors: as many words as the tensor has dimensions.
	spirv.OpCreateTensorLayoutNV:           gives(in(Opaque, 0)),
	spirv.OpTensorLayoutSetBlockSizeNV:     gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorLayoutSetDimensionNV:     gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorLayoutSetStrideNV:        gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorLayoutSliceNV:            gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorLayoutSetClampValueNV:    gives(in(Opaque, 0), same, integer.wide(32)),
	spirv.OpCreateTensorViewNV:             gives(in(Opaque, 0)),
	spirv.OpTensorViewSetDimensionNV:       gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorViewSetStrideNV:          gives(in(Opaque, 0), same, integer.wide(32).many()),
	spirv.OpTensorViewSetClipNV:            gives(in(Opaque, 0), same, integer.wide(32), integer.wide(32), integer.wide(32), integer.wide(32)),
	spirv.OpCooperativeMatrixLoadTensorNV:  gives(in(Opaque, 0), pointer, same, in(Opaque, 0)),
	spirv.OpCooperativeMatrixStoreTensorNV: does(pointer, in(Opaque, 0), in(Opaque, 0)),

	// Storage tensors: the tensor type determines the other types.
	spirv.OpTensorReadARM:      gives(anything, anything, anything),
	spirv.OpTensorWriteARM:     does(anything, anything, anything),
	spirv.OpTensorQuerySizeARM: gives(anything, anything, anything),

	// Cooperative vectors: sizes and interpretations are constants.
	spirv.OpCooperativeVectorLoadNV:                   gives(of(OfNumber), pointer, integer.wide(32)),
	spirv.OpCooperativeVectorStoreNV:                  does(pointer, integer.wide(32), of(OfNumber)),
	spirv.OpCooperativeVectorMatrixMulNV:              gives(of(OfNumber), of(OfNumber), integer.wide(32), pointer, integer.wide(32), integer.wide(32), integer.wide(32), integer.wide(32), integer.wide(32), boolean, integer.wide(32).maybe()),
	spirv.OpCooperativeVectorMatrixMulAddNV:           gives(of(OfNumber), of(OfNumber), integer.wide(32), pointer, integer.wide(32), integer.wide(32), pointer, integer.wide(32), integer.wide(32), integer.wide(32), integer.wide(32), integer.wide(32), boolean, integer.wide(32).maybe()),
	spirv.OpCooperativeVectorOuterProductAccumulateNV: does(pointer, integer.wide(32), of(OfNumber), of(OfNumber).by(SharesPart, 3), integer.wide(32), integer.wide(32), integer.wide(32).maybe()),
	spirv.OpCooperativeVectorReduceSumAccumulateNV:    does(pointer, integer.wide(32), of(OfNumber)),

	// Integer functions.
	spirv.OpUCountLeadingZerosINTEL:  alikeInts(OfUInt, 1),
	spirv.OpUCountTrailingZerosINTEL: alikeInts(OfUInt, 1),
	spirv.OpAbsISubINTEL:             alikeInts(OfUInt, 2),
	spirv.OpAbsUSubINTEL:             alikeInts(OfUInt, 2),
	spirv.OpIAddSatINTEL:             alikeInts(OfInt, 2),
	spirv.OpUAddSatINTEL:             alikeInts(OfUInt, 2),
	spirv.OpISubSatINTEL:             alikeInts(OfInt, 2),
	spirv.OpUSubSatINTEL:             alikeInts(OfUInt, 2),
	spirv.OpIAverageINTEL:            alikeInts(OfInt, 2),
	spirv.OpUAverageINTEL:            alikeInts(OfUInt, 2),
	spirv.OpIAverageRoundedINTEL:     alikeInts(OfInt, 2),
	spirv.OpUAverageRoundedINTEL:     alikeInts(OfUInt, 2),
	spirv.OpIMul32x16INTEL:           gives(of(OfInt).wide(32), of(OfInt).wide(32).by(SameCount, 0), of(OfInt).wide(32).by(SameCount, 0)),
	spirv.OpUMul32x16INTEL:           gives(of(OfUInt).wide(32), of(OfInt).wide(32).by(SameCount, 0), of(OfInt).wide(32).by(SameCount, 0)),

	// Choice.
	spirv.OpSelect: gives(data, of(OfBool), same, same).is(SpecConstant), // a vector of Booleans as long as the result
	spirv.OpPhi:    gives(in(Data|Opaque, 0), free.many()),               // values of the type of the result, and labels

	// Derivatives.
	spirv.OpDPdx: derives(), spirv.OpDPdy: derives(), spirv.OpFwidth: derives(),
	spirv.OpDPdxFine: derives(), spirv.OpDPdyFine: derives(), spirv.OpFwidthFine: derives(),
	spirv.OpDPdxCoarse: derives(), spirv.OpDPdyCoarse: derives(), spirv.OpFwidthCoarse: derives(),

	// Control.
	spirv.OpLabel:                            gives(none),
	spirv.OpLoopMerge:                        does(none, none),
	spirv.OpSelectionMerge:                   does(none),
	spirv.OpBranch:                           does(none),
	spirv.OpBranchConditional:                does(boolean, none, none),
	spirv.OpSwitch:                           does(integer, none.many()),
	spirv.OpKill:                             does(),
	spirv.OpDemoteToHelperInvocation:         does(),
	spirv.OpIsHelperInvocationEXT:            gives(boolean),
	spirv.OpBeginInvocationInterlockEXT:      does(),
	spirv.OpEndInvocationInterlockEXT:        does(),
	spirv.OpEmitVertex:                       does(),
	spirv.OpEndPrimitive:                     does(),
	spirv.OpEmitStreamVertex:                 does(constant),
	spirv.OpEndStreamPrimitive:               does(constant),
	spirv.OpSetMeshOutputsEXT:                does(free.many()), // counts and a payload have rules of package valid
	spirv.OpEmitMeshTasksEXT:                 does(free.many()),
	spirv.OpWritePackedPrimitiveIndices4x8NV: does(free.many()), // offset and indices too
	spirv.OpTerminateInvocation:              does(),
	spirv.OpUnreachable:                      does(),
	spirv.OpReturn:                           does(),
	spirv.OpReturnValue:                      does(in(Data|Opaque, 0)),
	spirv.OpAbortKHR:                         does(data, data.by(Same, 1)),

	// Order.
	spirv.OpControlBarrier:          does(constant, constant, constant),
	spirv.OpMemoryBarrier:           does(constant, constant),
	spirv.OpControlBarrierArriveEXT: does(constant, constant, constant),
	spirv.OpControlBarrierWaitEXT:   does(constant, constant, constant),

	// Atomics.
	spirv.OpAtomicLoad:                atomic(one(OfNumber), 1, 0),
	spirv.OpAtomicStore:               does(pointer, constant, constant, one(OfNumber).by(PointedAt, 1)),
	spirv.OpAtomicExchange:            atomic(of(OfNumber), 1, 1),
	spirv.OpAtomicCompareExchange:     atomic(one(OfInt), 2, 2),
	spirv.OpAtomicCompareExchangeWeak: atomic(one(OfInt), 2, 2),
	spirv.OpAtomicIIncrement:          atomic(one(OfInt), 1, 0),
	spirv.OpAtomicIDecrement:          atomic(one(OfInt), 1, 0),
	spirv.OpAtomicIAdd:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicISub:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicSMin:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicUMin:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicSMax:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicUMax:                atomic(one(OfInt), 1, 1),
	spirv.OpAtomicAnd:                 atomic(one(OfInt), 1, 1),
	spirv.OpAtomicOr:                  atomic(one(OfInt), 1, 1),
	spirv.OpAtomicXor:                 atomic(one(OfInt), 1, 1),
	spirv.OpAtomicFAddEXT:             atomic(of(OfFloat), 1, 1),
	spirv.OpAtomicFMinEXT:             atomic(of(OfFloat), 1, 1),
	spirv.OpAtomicFMaxEXT:             atomic(of(OfFloat), 1, 1),

	// Groups.
	spirv.OpGroupNonUniformElect:            gives(boolean, constant),
	spirv.OpGroupNonUniformAll:              gives(boolean, constant, boolean),
	spirv.OpGroupNonUniformAny:              gives(boolean, constant, boolean),
	spirv.OpGroupNonUniformAllEqual:         gives(boolean, constant, of(OfAny)),
	spirv.OpGroupNonUniformBroadcast:        shuffled(1),
	spirv.OpGroupNonUniformBroadcastFirst:   shuffled(0),
	spirv.OpGroupNonUniformBallot:           gives(mask, constant, boolean),
	spirv.OpGroupNonUniformInverseBallot:    gives(boolean, constant, mask),
	spirv.OpGroupNonUniformBallotBitExtract: gives(boolean, constant, mask, unsigned),
	spirv.OpGroupNonUniformBallotBitCount:   gives(unsigned, constant, mask),
	spirv.OpGroupNonUniformBallotFindLSB:    gives(unsigned, constant, mask),
	spirv.OpGroupNonUniformBallotFindMSB:    gives(unsigned, constant, mask),
	spirv.OpGroupNonUniformShuffle:          shuffled(1),
	spirv.OpGroupNonUniformShuffleXor:       shuffled(1),
	spirv.OpGroupNonUniformShuffleUp:        shuffled(1),
	spirv.OpGroupNonUniformShuffleDown:      shuffled(1),
	spirv.OpGroupNonUniformRotateKHR:        gives(of(OfAny), constant, same, unsigned, unsigned.maybe()),
	spirv.OpGroupNonUniformQuadBroadcast:    shuffled(1),
	spirv.OpGroupNonUniformQuadSwap:         shuffled(1),
	spirv.OpGroupNonUniformQuadAllKHR:       gives(boolean, boolean),
	spirv.OpGroupNonUniformQuadAnyKHR:       gives(boolean, boolean),
	spirv.OpGroupNonUniformPartitionEXT:     gives(mask, of(OfAny)),
	spirv.OpGroupNonUniformIAdd:             combined(OfInt),
	spirv.OpGroupNonUniformFAdd:             combined(OfFloat),
	spirv.OpGroupNonUniformIMul:             combined(OfInt),
	spirv.OpGroupNonUniformFMul:             combined(OfFloat),
	spirv.OpGroupNonUniformSMin:             combined(OfInt),
	spirv.OpGroupNonUniformUMin:             combined(OfUInt),
	spirv.OpGroupNonUniformFMin:             combined(OfFloat),
	spirv.OpGroupNonUniformSMax:             combined(OfInt),
	spirv.OpGroupNonUniformUMax:             combined(OfUInt),
	spirv.OpGroupNonUniformFMax:             combined(OfFloat),
	spirv.OpGroupNonUniformBitwiseAnd:       combined(OfInt),
	spirv.OpGroupNonUniformBitwiseOr:        combined(OfInt),
	spirv.OpGroupNonUniformBitwiseXor:       combined(OfInt),
	spirv.OpGroupNonUniformLogicalAnd:       combined(OfBool),
	spirv.OpGroupNonUniformLogicalOr:        combined(OfBool),
	spirv.OpGroupNonUniformLogicalXor:       combined(OfBool),
	spirv.OpSubgroupBallotKHR:               gives(mask, boolean),
	spirv.OpSubgroupFirstInvocationKHR:      gives(in(One, OfNumber).wide(32), same),
	spirv.OpSubgroupReadInvocationKHR:       gives(in(One, OfNumber).wide(32), same, integer.wide(32)),
	spirv.OpSubgroupAllKHR:                  gives(boolean, boolean),
	spirv.OpSubgroupAnyKHR:                  gives(boolean, boolean),
	spirv.OpSubgroupAllEqualKHR:             gives(boolean, boolean),
}
