package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// judge is a function that checks instruction i.
type judge func(c *checker, i int, in spirv.Inst)

// family is the rules of one subject.
type family struct {
	rules []Rule

	// insts are checked when the walk comes to the opcode; ops are the same for
	// several opcodes at once. An opcode may have a judge in every family.
	insts map[spirv.Op]judge
	ops   []group

	// before check the module before the walk, after do so after the walk.
	before, after []func(c *checker)
}

// group is one judge of several opcodes.
type group struct {
	judge judge
	ops   []spirv.Op
}

// families are all rules, in the order in which the walk calls them.
var families = []*family{
	&formFamily,
	&layoutFamily,
	&extensionFamily,
	&memoryFamily,
	&compositeFamily,
	&conversionFamily,
	&encodingFamily,
	&cooperativeFamily,
	&cooperativeArithmeticFamily,
	&arrayConversionFamily,
	&cooperativeFunctionFamily,
	&cooperativeVectorFamily,
	&tensorLayoutFamily,
	&memoryAccessFamily,
	&nonWritableFamily,
	&accessChainFamily,
	&pointerCompareFamily,
	&untypedFamily,
	&physicalMatrixFamily,
	&cacheControlFamily,
	&variablePointerFamily,
	&variableFamily,
	&variableKindFamily,
	&sharedMemoryFamily,
	&interfaceFamily,
	&storageFamily,
	&resourceFamily,
	&resourceLimitFamily,
	&interpolationFamily,
	&locationFamily,
	&componentFamily,
	&inputOutputFamily,
	&shaderInterfaceFamily,
	&feedbackFamily,
	&footprintFamily,
	&amdFamily,
	&rawAccessFamily,
	&tileShadingFamily,
	&runtimeFamily,
	&runtimeOutputFamily,
	&blockLayoutFamily,
	&idFamily,
	&capabilityFamily,
	&vulkanFamily,
	&openCLFamily,
	&openCLSetFamily,
	&typeFamily,
	&constantFamily,
	&functionFamily,
	&controlFlowFamily,
	&constructFamily,
	&builtInFamily,
	&modeFamily,
	&kernelModeFamily,
	&entryFamily,
	&typingFamily,
	&arithmeticFamily,
	&dotFamily,
	&scopeFamily,
	&semanticsFamily,
	&barrierFamily,
	&atomicFamily,
	&groupFamily,
	&kernelFamily,
	&annotationFamily,
	&decorationFamily,
	&decorationTargetFamily,
	&extInstFamily,
	&clspvFamily,
	&glslFamily,
	&debugInfoFamily,
	&imageTypeFamily,
	&imageFamily,
	&imageOperandFamily,
	&imageQueryFamily,
	&imageVariableFamily,
	&imageProcessingFamily,
	&bindlessFamily,
	&intelFamily,
	&int4Family,
	&maskedFamily,
	&motionFamily,
	&rayFamily,
	&rayValueFamily,
	&meshFamily,
	&derivativeFamily,
	&fragmentFamily,
	&abortFamily,
	&heapFamily,
	&miscellaneousFamily,
	&smallUseFamily,
	&graphFamily,
	&executionGraphFamily,
	&tensorFamily,
	&descriptorIndexFamily,
	&quadFamily,
	&meshViewFamily,
	&meshOrderFamily,
	&standaloneFamily,
	&storageWidthFamily,
	&runtimeFloatFamily,
	&runtimeStageFamily,
	&runtimeLimitFamily,
	&runtimeCooperativeFamily,
	&matrixPropertyFamily,
	&splitBarrierFamily,
	&pointSizeFamily,
}

// dispatch has the checks of each opcode, before and after those of the whole module.
var (
	dispatch      = newDispatch(families)
	before, after = ofModule(families)
)

// ofModule returns the checks of the whole module before and after the walk.
func ofModule(list []*family) (before, after []func(c *checker)) {
	for _, f := range list {
		before, after = append(before, f.before...), append(after, f.after...)
	}
	return before, after
}

// newDispatch turns the families into one table by opcode.
func newDispatch(list []*family) [][]judge {
	rows := spirv.Ops()
	t := make([][]judge, rows[len(rows)-1].Value()+1)
	for _, f := range list {
		for op, j := range f.insts {
			t[op] = append(t[op], j)
		}
		for _, g := range f.ops {
			for _, op := range g.ops {
				t[op] = append(t[op], g.judge)
			}
		}
	}
	return t
}
