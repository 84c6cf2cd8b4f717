package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// rule lowers one instruction.
type rule func(f *function, in spirv.Inst)

// rules is a table of the instructions that one file lowers. The table is next to
// the functions, so that a new instruction is a line in the file that lowers it.
type rules map[spirv.Op]rule

// ruleOf has the instructions that need more than one operation per component of
// their result; internal/direct has the others. Control flow (control.go) lowers
// terminators, phis and variables.
var ruleOf = merged(
	// Memory.
	memoryRules, copyRules, accessRules, untypedRules, rawRules, addressRules, pointerValueRules, heapRules,
	// Scalars, vectors, matrices and other composites.
	compositeRules, arithmeticRules, matrixRules, integerDotRules, integerFunctionRules, bitRules, logicRules,
	conversionRules, encodingRules, encodingIntegerRules, glslRules,
	// Cooperative matrices and vectors, tensors.
	cooperativeRules, cooperativeArrayRules, cooperativeConversionRules, cooperativeFunctionRules, cooperativeTensorRules,
	cooperativeVectorRules, cooperativeVectorProductRules, tensorLayoutRules, storageTensorRules,
	// Images.
	imageRules, texelRules, sampleRules, imageQueryRules, imageProcessingRules, fragmentMaskRules, attachmentRules,
	// Rays.
	rayQueryRules, rayStageRules, hitObjectRules, hitRecordRules,
	// Stages, calls, output.
	derivativeRules, fragmentRules, stageOutputRules, meshRules, nodeRules, clusterRules, functionRules, logRules,
	// Other invocations.
	barrierRules, atomicRules, groupRules, ballotRules, partitionRules,
)

// merged returns the union of tables; no instruction may be in two of them.
func merged(tables ...rules) rules {
	all := rules{}
	for _, t := range tables {
		for op, r := range t {
			if all[op] != nil {
				panic("two rules for " + op.String())
			}
			all[op] = r
		}
	}
	return all
}

// Has reports whether lower has a rule for an instruction of a function body. Some types
// and operands of it may still be unsupported.
func Has(op spirv.Op) bool {
	_, row := direct.Lookup(op)
	return ruleOf[op] != nil || row || inControl[op] || ignored(op)
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

// row returns the row of op in the table of package direct, nil if it has none.
func (f *function) row(op spirv.Op) *direct.Row {
	if r, ok := direct.Lookup(op); ok {
		return &r
	}
	return nil
}
