package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// decorationTargetFamily checks the targets of the decorations for which a sentence names the permitted ones. decoration.go calls
// namedTarget for each target, and namedStorage for each variable and parameter.
var decorationTargetFamily = family{rules: []Rule{
	{Code: "SPV-Decoration-Target", Section: "SPIR-V 3.2.20", Words: "a decoration is on a target that its text names, such as a function, a pointer or a variable; all attributes of parameters but Zext and Sext are on pointers; InitiationIntervalALTERA is above 0"},
	{Code: "SPV-Decoration-Storage", Section: "SPIR-V 3.2.20", Words: "a decoration of a variable is on one in a storage class that its text names"},
}}

// targetSet is a set of kinds of targets.
type targetSet uint16

const (
	onFunction targetSet = 1 << iota
	onCall
	onParameter
	onVariable
	onGlobal // a variable outside of functions
	onMember
	onType
	onPointer     // a value that is a pointer
	onPipe        // a value that is a pipe
	onPipeStorage // the result of OpConstantPipeStorage
	onConversion  // a conversion to an integer type
	onTexture     // an image, a sampler or both, or a pointer to such
	onInitialized // a variable outside of functions with an initializer
	onAddress     // a parameter that is a pointer
)

// targetsOf returns the permitted targets of a decoration, and words for them. The set is empty if no text names them.
func targetsOf(kind spirv.Decoration) (targetSet, string) {
	switch kind {
	case spirv.DecorationLinkageAttributes:
		return onFunction | onGlobal, "a function or a variable of the module"
	case spirv.DecorationInitModeALTERA:
		return onInitialized, "a variable of the module with an initializer"
	case spirv.DecorationImplementInRegisterMapALTERA, spirv.DecorationHostAccessINTEL:
		return onGlobal, "a variable of the module"
	case spirv.DecorationAlignment, spirv.DecorationAlignmentId, spirv.DecorationMaxByteOffset, spirv.DecorationMaxByteOffsetId,
		spirv.DecorationBufferLocationALTERA, spirv.DecorationBurstCoalesceALTERA, spirv.DecorationCacheSizeALTERA,
		spirv.DecorationDontStaticallyCoalesceALTERA, spirv.DecorationPrefetchALTERA:
		return onPointer, "a pointer"
	case spirv.DecorationLatencyControlLabelALTERA, spirv.DecorationLatencyControlConstraintALTERA:
		return onPointer | onPipe, "a pointer or a pipe"
	case spirv.DecorationFuncParamAttr:
		return onFunction | onCall | onParameter, "a function, a call or a parameter"
	case spirv.DecorationConduitKernelArgumentALTERA, spirv.DecorationRegisterMapKernelArgumentALTERA, spirv.DecorationStableKernelArgumentALTERA:
		return onParameter, "a parameter"
	case spirv.DecorationMMHostInterfaceAddressWidthALTERA, spirv.DecorationMMHostInterfaceDataWidthALTERA,
		spirv.DecorationMMHostInterfaceLatencyALTERA, spirv.DecorationMMHostInterfaceReadWriteModeALTERA,
		spirv.DecorationMMHostInterfaceMaxBurstALTERA, spirv.DecorationMMHostInterfaceWaitRequestALTERA:
		return onAddress, "a parameter that is a pointer"
	case spirv.DecorationStallEnableALTERA, spirv.DecorationStallFreeALTERA, spirv.DecorationMathOpDSPModeALTERA, spirv.DecorationInitiationIntervalALTERA,
		spirv.DecorationMaxConcurrencyALTERA, spirv.DecorationPipelineEnableALTERA, spirv.DecorationFuseLoopsInFunctionALTERA:
		return onFunction, "a function"
	case spirv.DecorationRegisterALTERA, spirv.DecorationMemoryALTERA, spirv.DecorationNumbanksALTERA, spirv.DecorationBankwidthALTERA,
		spirv.DecorationMaxPrivateCopiesALTERA, spirv.DecorationSinglepumpALTERA, spirv.DecorationDoublepumpALTERA,
		spirv.DecorationMaxReplicatesALTERA, spirv.DecorationSimpleDualPortALTERA, spirv.DecorationMergeALTERA, spirv.DecorationBankBitsALTERA,
		spirv.DecorationForcePow2DepthALTERA, spirv.DecorationStridesizeALTERA, spirv.DecorationWordsizeALTERA, spirv.DecorationTrueDualPortALTERA:
		return onVariable | onMember, "a variable or a member of a struct"
	case spirv.DecorationIOPipeStorageALTERA:
		return onPipeStorage, "the storage of a pipe"
	case spirv.DecorationSaturatedConversion:
		return onConversion, "a conversion to integers"
	case spirv.DecorationUserTypeGOOGLE:
		return onVariable | onParameter | onType | onMember, "a variable, a type or a member of a struct"
	case spirv.DecorationBankNV, spirv.DecorationMemberOffsetNV:
		return onVariable, "a variable"
	case spirv.DecorationPassthroughNV, spirv.DecorationViewportRelativeNV, spirv.DecorationSecondaryViewportRelativeNV:
		return onVariable | onParameter | onMember, "a variable or a member of a struct"
	case spirv.DecorationWeightTextureQCOM, spirv.DecorationBlockMatchTextureQCOM, spirv.DecorationBlockMatchSamplerQCOM:
		return onTexture, "an image or a sampler"
	}
	return 0, ""
}

// namedTarget checks the target of a decoration with named targets.
func (c *checker) namedTarget(i int, id spirv.ID, d spirv.Inst, kind spirv.Decoration) {
	allowed, words := targetsOf(kind)
	if allowed == 0 || c.targetKinds(id, d)&allowed != 0 {
		return
	}
	f := c.fail(i, "SPV-Decoration-Target", "%s on %s, the result of %s; must be on %s", kind, c.name(id), d.Op(), words)
	if misplaced(kind, d.Op()) {
		f.warn()
	}
}

// targetOfOperand checks the decorations whose operand restricts the target, or is itself restricted: an attribute of parameters but an
// extension of numbers is on a pointer (SPIR-V, Function Parameter Attribute), and an initiation interval is not 0
// (SPV_ALTERA_fpga_invocation_pipelining_attributes).
func (c *checker) targetOfOperand(i int, id spirv.ID, d spirv.Inst, kind spirv.Decoration, words []uint32) {
	if len(words) == 0 {
		return
	}
	switch kind {
	case spirv.DecorationInitiationIntervalALTERA:
		if words[0] == 0 {
			c.fail(i, "SPV-Decoration-Target", "InitiationIntervalALTERA of %s is 0; must be above 0", c.name(id))
		}
	case spirv.DecorationFuncParamAttr:
		switch a := spirv.FunctionParameterAttribute(words[0]); a {
		case spirv.FunctionParameterAttributeZext, spirv.FunctionParameterAttributeSext:
		default:
			if k := c.targetKinds(id, d); k&(onFunction|onCall) != 0 || k&onParameter != 0 && k&onPointer == 0 {
				c.fail(i, "SPV-Decoration-Target", "FuncParamAttr %s on %s, the result of %s; must be on a parameter that is a pointer", a, c.name(id), d.Op())
			}
		}
	}
}

// misplaced reports whether a compiler in use, or a test of the field, has a decoration on the result of an instruction that its text does
// not name.
func misplaced(kind spirv.Decoration, op spirv.Op) bool {
	switch kind {
	case spirv.DecorationAlignment, spirv.DecorationViewportRelativeNV:
		return isType(op)
	case spirv.DecorationSaturatedConversion: // compilers of OpenCL C decorate each conversion with _sat in its name
		return isType(op) || op == spirv.OpSatConvertUToS || op == spirv.OpSatConvertSToU
	case spirv.DecorationBankNV: // compilers of GLSL decorate the block and the variable
		return op == spirv.OpTypeStruct
	}
	return false
}

// namedMember checks a decoration with named targets on a member of a struct. A member may hold a pointer.
func (c *checker) namedMember(i int, id spirv.ID, member uint32, kind spirv.Decoration) {
	allowed, words := targetsOf(kind)
	if allowed == 0 || allowed&onMember != 0 {
		return
	}
	if t := c.m.Type(id); allowed&onPointer != 0 && t.IsStruct() && uint64(member) < uint64(len(t.Members)) && t.Members[member].Type.IsPointer() {
		return
	}
	f := c.fail(i, "SPV-Decoration-NotMember", "%s on a member of a struct; must be on %s", kind, words)
	if kind == spirv.DecorationMemberOffsetNV {
		f.warn() // compilers of GLSL decorate the members and the variable
	}
}

// targetKinds returns the kinds of an id.
func (c *checker) targetKinds(id spirv.ID, d spirv.Inst) (k targetSet) {
	switch op := d.Op(); op {
	case spirv.OpFunction:
		return onFunction
	case spirv.OpFunctionCall:
		k = onCall
	case spirv.OpFunctionParameter:
		k = onParameter
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		k = onVariable
		if v := c.m.Variable(id); v == nil || v.Storage != spirv.StorageClassFunction {
			k |= onGlobal
			if v != nil && v.Init != 0 {
				k |= onInitialized
			}
		}
	case spirv.OpConstantPipeStorage:
		k = onPipeStorage
	case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpUConvert, spirv.OpSConvert, spirv.OpConvertPtrToU:
		k = onConversion
	default:
		if isType(op) {
			return onType
		}
	}
	t := c.m.TypeOf(id)
	if t == nil {
		return k
	}
	switch {
	case t.IsPointer():
		k |= onPointer
		if k&onParameter != 0 {
			k |= onAddress
		}
		if t = t.Elem; t == nil { // an untyped pointer
			return k | onTexture
		}
	case t.Op == spirv.OpTypePipe:
		k |= onPipe
	}
	if x := core(t); x != nil && (x.Op == spirv.OpTypeImage || x.Op == spirv.OpTypeSampler || x.Op == spirv.OpTypeSampledImage) {
		k |= onTexture
	}
	return k
}

// storageOf returns the storage classes of a decoration that is on inputs or outputs alone, and words for them. They are nil if no text
// names them, or if Vulkan has a rule of its own.
func storageOf(kind spirv.Decoration, vulkan bool) (classes []spirv.StorageClass, words string) {
	switch kind {
	case spirv.DecorationPatch:
		return throughClasses, "Input or Output"
	case spirv.DecorationXfbBuffer, spirv.DecorationStream, spirv.DecorationViewportRelativeNV, spirv.DecorationSecondaryViewportRelativeNV:
		return throughClasses[1:], "Output"
	case spirv.DecorationPassthroughNV:
		return throughClasses[:1], "Input"
	case spirv.DecorationBankNV, spirv.DecorationMemberOffsetNV:
		return bankClasses, "PushConstant"
	}
	if vulkan {
		return nil, ""
	}
	switch kind {
	case spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationSample, spirv.DecorationCentroid:
		return throughClasses, "Input or Output"
	case spirv.DecorationIndex:
		return throughClasses[1:], "Output"
	}
	return nil, ""
}

var (
	throughClasses = []spirv.StorageClass{spirv.StorageClassInput, spirv.StorageClassOutput}
	bankClasses    = []spirv.StorageClass{spirv.StorageClassPushConstant}
)

// namedStorage checks the storage class of a decorated variable, or of the object of a decorated parameter.
func (c *checker) namedStorage(i int, id spirv.ID, d spirv.Inst, kind spirv.Decoration) {
	switch d.Op() {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter:
	default:
		return
	}
	t := c.m.Type(d.Type())
	if !t.IsPointer() {
		return
	}
	classes, words := storageOf(kind, c.vulkan)
	bad := len(classes) > 0 && !slices.Contains(classes, t.Storage)
	switch {
	case kind == spirv.DecorationLocation && !c.vulkan:
		bad, words = notLocated(t), "Input, Output or UniformConstant, or of rays"
	case kind == spirv.DecorationConstant && d.Op() == spirv.OpVariable:
		bad, words = t.Storage == spirv.StorageClassFunction, "the module"
	}
	if bad {
		c.fail(i, "SPV-Decoration-Storage", "%s on %s, in %s; must be in %s", kind, c.name(id), t.Storage, words)
	}
}

// notLocated reports whether a pointer is into memory in which no variable has a location.
func notLocated(t *facts.Type) bool {
	switch t.Storage {
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup,
		spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer:
		return true
	}
	return false
}
