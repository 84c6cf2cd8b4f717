package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// atomicFamily checks atomic instructions (SPIR-V §3.3.18): storage class,
// capabilities by width, and in Vulkan the features of the device by storage
// class and width.
//
// The operand types are checked by the typing table, the scope and memory
// semantics by scope.go and semantics.go.
var atomicFamily = family{
	rules: []Rule{
		{Code: "SPV-Atomic-Pointer", Section: "SPIR-V 3.3.18", Words: "an atomic accesses memory through a pointer to a shared storage class; in OpenCL to Function, Workgroup, CrossWorkgroup or Generic"},
		{Code: "SPV-Atomic-Capability", Section: "SPIR-V 3.2.30", Words: "16-bit, 64-bit and float atomics need the capability for their operation and width"},
		{Code: "SPV-Atomic-Flag", Section: "SPIR-V 3.3.18", Words: "an atomic flag is a 32-bit integer; its test yields a Boolean"},
		{Code: "SPV-Atomic-Encoding", Section: "SPIR-V 3.3.18", Words: "atomics on floats need the IEEE 754 encoding"},
		{Code: "SPV-Atomic-Integer", Section: oldShaders, Words: "in the reading of Vulkan 1.1, atomics are on 32-bit integers without an extension for others", Need: NeedVulkan},
		{Code: vuid.StandaloneSpirv_None_04686, Section: environment, Words: "an atomic accesses the storage class Uniform, Workgroup, Image, StorageBuffer, PhysicalStorageBuffer or TaskPayloadWorkgroupEXT"},
		{Code: vuid.RuntimeSpirv_None_06278, Section: environment, Words: "64-bit integer atomics on buffers need the feature shaderBufferInt64Atomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06279, Section: environment, Words: "64-bit integer atomics on workgroup memory need the feature shaderSharedInt64Atomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06284, Section: environment, Words: "float atomics on buffers need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06285, Section: environment, Words: "float atomics on workgroup memory need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06286, Section: environment, Words: "float atomics on images need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06288, Section: environment, Words: "64-bit integer atomics on images need the feature shaderImageInt64Atomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06337, Section: environment, Words: "16-bit float atomics need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06338, Section: environment, Words: "32-bit float atomics need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06339, Section: environment, Words: "64-bit float atomics need one of the features for them", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderFloat16VectorAtomics_09581, Section: environment, Words: "atomics on vectors of 16-bit floats need the feature shaderFloat16VectorAtomics", Need: NeedDevice},
	},
	ops: []group{{scopeJudge((*scopes).atomic), atomicOps}},
}

// atomicOps are the atomic instructions.
var atomicOps = []spirv.Op{
	spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange,
	spirv.OpAtomicCompareExchangeWeak, spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicIAdd,
	spirv.OpAtomicISub, spirv.OpAtomicSMin, spirv.OpAtomicUMin, spirv.OpAtomicSMax, spirv.OpAtomicUMax,
	spirv.OpAtomicAnd, spirv.OpAtomicOr, spirv.OpAtomicXor, spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear,
	spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT,
}

// atomicOperands returns the pointer, scope and semantics operands of an atomic
// instruction. Of the two semantics of a compare-exchange it returns Equal.
func atomicOperands(in spirv.Inst) (pointer, scope, sem spirv.ID) {
	switch in.Op() {
	case spirv.OpAtomicStore:
		v := inst.AtomicStore(in)
		return v.Pointer(), v.Memory(), v.Semantics()
	case spirv.OpAtomicFlagClear:
		v := inst.AtomicFlagClear(in)
		return v.Pointer(), v.Memory(), v.Semantics()
	case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		v := inst.AtomicCompareExchange(in)
		return v.Pointer(), v.Memory(), v.Equal()
	}
	v := inst.AtomicLoad(in) // the other atomics with a result share this operand order
	return v.Pointer(), v.Memory(), v.Semantics()
}

// atomic checks one atomic instruction.
func (c *scopes) atomic(i int, in spirv.Inst) {
	op := in.Op()
	pointer, scope, sem := atomicOperands(in)
	s, scoped := c.memoryScope(i, scope)
	m, ok := c.semanticsOperand(i, sem, s, scoped)
	if op == spirv.OpAtomicFlagClear && ok && m&acquires != 0 {
		c.fail(i, "SPV-Semantics-FlagClear", "the memory semantics of OpAtomicFlagClear are %s; must have neither Acquire nor AcquireRelease", m)
	}
	if op == spirv.OpAtomicCompareExchange || op == spirv.OpAtomicCompareExchangeWeak {
		if u, known := c.semanticsOperand(i, inst.AtomicCompareExchange(in).Unequal(), s, scoped); ok && known {
			c.unequalSemantics(i, op, m, u)
		}
	}
	p := c.m.TypeOf(pointer)
	if p != nil && (op == spirv.OpAtomicFlagTestAndSet || op == spirv.OpAtomicFlagClear) {
		c.atomicFlag(i, in, p)
	}
	if p == nil || !p.IsPointer() {
		return
	}
	c.atomicClass(i, op, pointer, p)
	if op == spirv.OpAtomicFlagTestAndSet || op == spirv.OpAtomicFlagClear {
		return
	}
	if t := c.atomicType(in); t != nil {
		c.atomicWidth(i, op, p.Storage, t)
	}
}

// atomicClass checks the storage class of the pointer. Vulkan's list is shorter
// than SPIR-V's.
func (c *scopes) atomicClass(i int, op spirv.Op, pointer spirv.ID, p *facts.Type) {
	if c.env.API == OpenCL {
		c.openCLAtomic(i, op, pointer, p.Storage)
		return
	}
	switch p.Storage {
	case spirv.StorageClassUniform, spirv.StorageClassWorkgroup, spirv.StorageClassImage, spirv.StorageClassStorageBuffer,
		spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassTaskPayloadWorkgroupEXT:
		return
	}
	if c.vulkan {
		c.fail(i, vuid.StandaloneSpirv_None_04686, "%s through %s, of the storage class %s; must be Uniform, Workgroup, Image, StorageBuffer, PhysicalStorageBuffer or TaskPayloadWorkgroupEXT", op, c.name(pointer), p.Storage)
		return
	}
	switch p.Storage {
	case spirv.StorageClassFunction:
		if c.capable(spirv.CapabilityShader) {
			c.fail(i, "SPV-Atomic-Pointer", "%s through %s, of the storage class Function; must be shared memory in a shader", op, c.name(pointer))
		}
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric, spirv.StorageClassAtomicCounter, spirv.StorageClassNodePayloadAMDX,
		spirv.StorageClassHostOnlyINTEL, spirv.StorageClassDeviceOnlyINTEL:
	default:
		c.fail(i, "SPV-Atomic-Pointer", "%s through %s, of the storage class %s; must be shared memory", op, c.name(pointer), p.Storage)
	}
}

// openCLAtomic checks the storage class in OpenCL, which has a list of its own.
// Extensions have classes that are a part of CrossWorkgroup.
func (c *scopes) openCLAtomic(i int, op spirv.Op, pointer spirv.ID, class spirv.StorageClass) {
	switch class {
	case spirv.StorageClassFunction, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric,
		spirv.StorageClassHostOnlyINTEL, spirv.StorageClassDeviceOnlyINTEL:
	default:
		c.fail(i, "SPV-Atomic-Pointer", "%s through %s, of the storage class %s; must be Function, Workgroup, CrossWorkgroup or Generic in OpenCL", op, c.name(pointer), class)
	}
}

// atomicType returns the type of the value that an atomic instruction accesses.
func (c *scopes) atomicType(in spirv.Inst) *facts.Type {
	if in.Op() == spirv.OpAtomicStore {
		return c.m.TypeOf(inst.AtomicStore(in).Value())
	}
	return c.m.Type(in.Type())
}

// atomicFlag checks the types of an instruction on an atomic flag.
func (c *scopes) atomicFlag(i int, in spirv.Inst, p *facts.Type) {
	op := in.Op()
	switch {
	case !p.IsPointer():
		c.fail(i, "SPV-Atomic-Flag", "%s through %s; must be through a pointer to an integer of 32 bits", op, c.typeName(p))
	case p.Op == spirv.OpTypeUntypedPointerKHR:
		c.fail(i, "SPV-Atomic-Flag", "%s through an untyped pointer; must be through a pointer to an integer of 32 bits", op)
	}
	if t := p.Elem; p.IsPointer() && t != nil && (!t.IsInt() || t.Width != 32) {
		c.fail(i, "SPV-Atomic-Flag", "%s through a pointer to %s; must be to an integer of 32 bits", op, c.typeName(t))
	}
	if op == spirv.OpAtomicFlagTestAndSet {
		if t := c.m.Type(in.Type()); t != nil && !t.IsBool() {
			c.fail(i, "SPV-Atomic-Flag", "the result of %s is %s; must be a Boolean", op, c.typeName(t))
		}
	}
	_, scope, sem := atomicOperands(in)
	for _, id := range [...]spirv.ID{scope, sem} {
		if t := c.m.TypeOf(id); t != nil && (!t.IsInt() || t.Width != 32) {
			c.fail(i, "SPV-Atomic-Flag", "an operand of %s is %s; must be an integer of 32 bits", op, c.typeName(t))
		}
	}
}

// atomicWidth checks the width and encoding of that value.
func (c *scopes) atomicWidth(i int, op spirv.Op, class spirv.StorageClass, t *facts.Type) {
	s := t.Scalar()
	switch {
	case s == nil:
		return
	case s.IsFloat() && s.Encoded:
		c.fail(i, "SPV-Atomic-Encoding", "%s on %s; must be an IEEE 754 float", op, c.typeName(t))
	case s.IsInt() && s.Width == 64:
		if !c.capable(spirv.CapabilityInt64Atomics) {
			c.fail(i, "SPV-Atomic-Capability", "%s on 64-bit integers; needs the capability Int64Atomics", op)
		}
		if c.vulkan {
			c.wideFeature(i, op, class)
		}
	case s.IsFloat():
		c.floatAtomic(i, op, s, t)
		if c.older() && !c.floatsAtomic() {
			c.fail(i, "SPV-Atomic-Integer", "%s on %s; must be on 32-bit integers in %s, or have a capability or a feature of float atomics", op, c.typeName(t), text11)
		}
		if c.vulkan {
			c.floatFeatures(i, op, class, s.Width, t.IsVector())
		}
	}
}

// floatAtomic checks the capability of a float atomic: AtomicFloat<width>AddEXT or
// AtomicFloat<width>MinMaxEXT, for vectors AtomicFloat16VectorNV.
func (c *scopes) floatAtomic(i int, op spirv.Op, s, t *facts.Type) {
	var need spirv.Capability
	add := op == spirv.OpAtomicFAddEXT
	switch {
	case !add && op != spirv.OpAtomicFMinEXT && op != spirv.OpAtomicFMaxEXT:
		if !t.IsVector() {
			return
		}
		need = spirv.CapabilityAtomicFloat16VectorNV
	case t.IsVector():
		need = spirv.CapabilityAtomicFloat16VectorNV
	case s.Width == 16 && add:
		need = spirv.CapabilityAtomicFloat16AddEXT
	case s.Width == 32 && add:
		need = spirv.CapabilityAtomicFloat32AddEXT
	case s.Width == 64 && add:
		need = spirv.CapabilityAtomicFloat64AddEXT
	case s.Width == 16:
		need = spirv.CapabilityAtomicFloat16MinMaxEXT
	case s.Width == 32:
		need = spirv.CapabilityAtomicFloat32MinMaxEXT
	case s.Width == 64:
		need = spirv.CapabilityAtomicFloat64MinMaxEXT
	}
	if !c.capable(need) {
		c.fail(i, "SPV-Atomic-Capability", "%s on %s; needs the capability %s", op, c.typeName(t), need)
	}
	if t.IsVector() && (s.Width != 16 || t.Components() != 2 && t.Components() != 4) {
		c.fail(i, "SPV-Atomic-Type", "%s on %s; must be a scalar, or a vector of 2 or 4 floats of 16 bits", op, c.typeName(t))
	}
}

// wideFeature checks the device feature of an atomic on 64-bit integers.
func (c *scopes) wideFeature(i int, op spirv.Op, class spirv.StorageClass) {
	code, feature := vuid.RuntimeSpirv_None_06278, "shaderBufferInt64Atomics"
	switch class {
	case spirv.StorageClassWorkgroup:
		code, feature = vuid.RuntimeSpirv_None_06279, "shaderSharedInt64Atomics"
	case spirv.StorageClassImage:
		code, feature = vuid.RuntimeSpirv_None_06288, "shaderImageInt64Atomics"
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
	default:
		return
	}
	if !c.feature(code, feature) {
		c.fail(i, code, "%s on 64-bit integers of the storage class %s; needs the feature %s", op, class, feature)
	}
}

// The features that permit float atomics, by storage class and by width.
var (
	bufferFloatAtomics = []string{
		"shaderBufferFloat32Atomics", "shaderBufferFloat32AtomicAdd", "shaderBufferFloat64Atomics", "shaderBufferFloat64AtomicAdd",
		"shaderBufferFloat16Atomics", "shaderBufferFloat16AtomicAdd", "shaderBufferFloat16AtomicMinMax",
		"shaderBufferFloat32AtomicMinMax", "shaderBufferFloat64AtomicMinMax", "shaderFloat16VectorAtomics",
	}
	sharedFloatAtomics = []string{
		"shaderSharedFloat32Atomics", "shaderSharedFloat32AtomicAdd", "shaderSharedFloat64Atomics", "shaderSharedFloat64AtomicAdd",
		"shaderSharedFloat16Atomics", "shaderSharedFloat16AtomicAdd", "shaderSharedFloat16AtomicMinMax",
		"shaderSharedFloat32AtomicMinMax", "shaderSharedFloat64AtomicMinMax", "shaderFloat16VectorAtomics",
	}
	imageFloatAtomics = []string{"shaderImageFloat32Atomics", "shaderImageFloat32AtomicAdd", "shaderImageFloat32AtomicMinMax"}

	halfAtomics = []string{
		"shaderBufferFloat16Atomics", "shaderBufferFloat16AtomicAdd", "shaderBufferFloat16AtomicMinMax",
		"shaderSharedFloat16Atomics", "shaderSharedFloat16AtomicAdd", "shaderSharedFloat16AtomicMinMax",
	}
	singleAtomics = []string{
		"shaderBufferFloat32Atomics", "shaderBufferFloat32AtomicAdd", "shaderSharedFloat32Atomics", "shaderSharedFloat32AtomicAdd",
		"shaderImageFloat32Atomics", "shaderImageFloat32AtomicAdd", "shaderBufferFloat32AtomicMinMax",
		"shaderSharedFloat32AtomicMinMax", "shaderImageFloat32AtomicMinMax",
	}
	doubleAtomics = []string{
		"shaderBufferFloat64Atomics", "shaderBufferFloat64AtomicAdd", "shaderSharedFloat64Atomics", "shaderSharedFloat64AtomicAdd",
		"shaderBufferFloat64AtomicMinMax", "shaderSharedFloat64AtomicMinMax",
	}
)

// floatFeatures checks the device features of a float atomic.
func (c *scopes) floatFeatures(i int, op spirv.Op, class spirv.StorageClass, width uint32, vector bool) {
	if vector {
		if !c.feature(vuid.RuntimeSpirv_shaderFloat16VectorAtomics_09581, "shaderFloat16VectorAtomics") {
			c.fail(i, vuid.RuntimeSpirv_shaderFloat16VectorAtomics_09581, "%s on vectors of 16-bit floats; needs the feature shaderFloat16VectorAtomics", op)
		}
		return
	}
	switch class {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06284, "buffers", bufferFloatAtomics)
	case spirv.StorageClassWorkgroup:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06285, "workgroup memory", sharedFloatAtomics)
	case spirv.StorageClassImage:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06286, "images", imageFloatAtomics)
	}
	switch width {
	case 16:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06337, "16 bits", halfAtomics)
	case 32:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06338, "32 bits", singleAtomics)
	case 64:
		c.oneFeature(i, op, vuid.RuntimeSpirv_None_06339, "64 bits", doubleAtomics)
	}
}

// oneFeature checks that at least one of several features is on. If one of them
// is unknown and none is on, the rule stays silent.
func (c *scopes) oneFeature(i int, op spirv.Op, code, what string, list []string) {
	silent := false
	for _, name := range list {
		on, known := c.env.Device.feature(name)
		if on {
			return
		}
		silent = silent || !known
	}
	if silent {
		c.unknown(code)
		return
	}
	c.fail(i, code, "%s on floats of %s; needs one of the features %s", op, what, or(list))
}
