package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// variableKindFamily checks the types of variables against their storage class,
// and their initializers (SPIR-V §3.3.8, OpVariable).
var variableKindFamily = family{
	rules: []Rule{
		{Code: "SPV-Variable-Result", Section: "SPIR-V 3.3.8", Words: "OpVariable yields a typed pointer, OpUntypedVariableKHR an untyped one"},
		{Code: "SPV-Variable-Storage", Section: "SPIR-V 3.3.8", Words: "a variable has the storage class of its pointer type"},
		{Code: "SPV-Variable-Class", Section: "SPIR-V 3.3.8", Words: "no variable is in Generic or PhysicalStorageBuffer"},
		{Code: "SPV-Variable-DataType", Section: "SPIR-V, SPV_KHR_untyped_pointers", Words: "an untyped variable in Function, Private or Workgroup has a data type, and a data type is a type"},
		{Code: "SPV-Variable-TileImage", Section: "SPIR-V, SPV_EXT_shader_tile_image", Words: "variables in TileImageEXT are tile images"},
		{Code: "SPV-Variable-UntypedWorkgroup", Section: "SPIR-V, SPV_KHR_untyped_pointers", Words: "in a shader, an untyped variable in Workgroup has a Block as data type"},
		{Code: "SPV-Variable-Initializer", Section: "SPIR-V 3.3.8", Words: "the initializer of a variable is a constant or a module-scope variable of the type of its contents; a variable in Input, TaskPayloadWorkgroupEXT, NodePayloadAMDX or a storage class of ray tracing has none"},
		{Code: "SPV-Variable-Void", Section: "SPIR-V 3.3.8", Words: "a variable does not contain void"},
		{Code: "SPV-Variable-Bool", Section: "SPIR-V 3.3.6", Words: "Booleans are in no externally visible storage class, and in Input and Output only as built-ins"},
		{Code: "SPV-Variable-Pointer", Section: "SPIR-V 2.16.1", Words: "with logical addressing, variables contain pointers only to StorageBuffer and Workgroup, with the capability of variable pointers, and only in Function and Private"},
		{Code: "SPV-Variable-Cooperative", Section: "SPIR-V, SPV_KHR_cooperative_matrix", Words: "cooperative matrices and vectors are only in Function and Private"},
		{Code: "SPV-Variable-Microscaling", Section: "SPIR-V, SPV_EXT_ocp_microscaling_types", Words: "4-bit and 6-bit floats are only in Function and Private"},
		{Code: "SPV-Variable-LongVector", Section: "SPIR-V, SPV_EXT_long_vector", Words: "vectors of more than four components are in Function, Private, Uniform, Workgroup, StorageBuffer, PhysicalStorageBuffer, PushConstant, ShaderRecordBufferKHR, CrossWorkgroup or Generic"},
		{Code: "SPV-Pointer-RayQuery", Section: "SPIR-V, SPV_KHR_ray_query, SPV_EXT_shader_invocation_reorder", Words: "a pointer to a ray query or a hit object points to Private or Function"},
		{Code: vuid.StandaloneSpirv_OpVariable_04651, Section: environment, Words: "only variables in Output, Private, Function and Workgroup have an initializer"},
		{Code: vuid.StandaloneSpirv_OpVariable_04734, Section: environment, Words: "the initializer of a variable in Workgroup is OpConstantNull"},
		{Code: vuid.StandaloneSpirv_UniformConstant_04655, Section: environment, Words: "variables in UniformConstant are images, samplers, sampled images, acceleration structures, tensors or arrays of them"},
		{Code: vuid.StandaloneSpirv_Uniform_06807, Section: environment, Words: "variables in Uniform and StorageBuffer are structs or arrays of them"},
		{Code: vuid.StandaloneSpirv_PushConstant_06808, Section: environment, Words: "variables in PushConstant are structs"},
		{Code: vuid.StandaloneSpirv_Input_07290, Section: environment, Words: "Booleans in Input and Output are built-ins"},
		{Code: vuid.StandaloneSpirv_OpTypeFloat_10370, Section: environment, Words: "no variable in Input or Output contains BFloat16KHR floats"},
		{Code: vuid.StandaloneSpirv_OpTypeFloat_10823, Section: environment, Words: "no variable in Input or Output contains 8-bit floats or microscaling encodings"},
		{Code: vuid.StandaloneSpirv_Function_04681, Section: environment, Words: "an array with a specialization constant as length is the whole of a variable with an explicit layout or of an interface variable, not a part of it"},
		{Code: vuid.StandaloneSpirv_Function_12294, Section: environment, Words: "a vector with a specialization constant as length is the whole of a variable with an explicit layout or of an interface variable, not a part of it"},
		{Code: vuid.StandaloneSpirv_OpUntypedVariableKHR_11167, Section: environment, Words: "an untyped variable outside of UniformConstant has a data type"},
		{Code: vuid.StandaloneSpirv_OpUntypedVariableKHR_11347, Section: environment, Words: "an untyped variable without a data type is a descriptor heap"},
		{Code: vuid.StandaloneSpirv_Type_12297, Section: environment, Words: "pointers to vectors of more than four components point to memory that supports them"},
		{Code: vuid.StandaloneSpirv_None_08724, Section: environment, Words: "variables in TileImageEXT are tile images"},
		{Code: vuid.StandaloneSpirv_TileImageEXT_08723, Section: environment, Words: "a tile image has a Location that no other tile image of the entry point has"},
		{Code: vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, Section: environment, Words: "an initializer in Workgroup needs the feature shaderZeroInitializeWorkgroupMemory", Need: NeedDevice},
	},
	ops:   []group{{(*checker).pointerType, []spirv.Op{spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR}}},
	after: []func(*checker){(*checker).variableKinds},
}

// pointerType checks the storage class of a pointer against its pointee.
func (c *checker) pointerType(i int, in spirv.Inst) {
	t := c.m.Type(in.Result())
	if t == nil {
		return
	}
	if isRayObject(t.Elem) && t.Storage != spirv.StorageClassPrivate && t.Storage != spirv.StorageClassFunction {
		c.fail(i, "SPV-Pointer-RayQuery", "a pointer to %s in %s; must be in Private or Function", c.typeName(t.Elem), t.Storage)
	}
	if !c.vulkan {
		return
	}
	if !longStorage(t.Storage) && c.contains(t.Elem, holdsLong) {
		c.fail(i, vuid.StandaloneSpirv_Type_12297, "a pointer to %s in %s; must have at most four components", c.typeName(t.Elem), t.Storage)
	}
}

// longStorage reports whether a storage class may have vectors of more than four
// components. Vulkan has neither CrossWorkgroup nor Generic.
func longStorage(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassUniform, spirv.StorageClassWorkgroup,
		spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassPushConstant,
		spirv.StorageClassShaderRecordBufferKHR, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric:
		return true
	}
	return false
}

// variableKinds checks each variable.
func (c *checker) variableKinds() {
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if !c.variableForm(v) {
			continue
		}
		c.initializer(v)
		if v.Type == nil {
			continue
		}
		c.variableHolds(v)
		if v.Storage == spirv.StorageClassTileImageEXT {
			c.tileVariable(v)
		}
		if c.vulkan {
			c.vulkanVariable(v)
		}
	}
}

// laidOutShared reports whether an untyped variable in Workgroup must have an explicit layout: the module has
// the capability for it, or a shader's interface lists the variable.
func (c *checker) laidOutShared(v *facts.Variable) bool {
	if c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
		return true
	}
	return c.capable(spirv.CapabilityShader) && slices.ContainsFunc(c.m.EntryPoints, func(e facts.EntryPoint) bool {
		return slices.Contains(e.Interface, v.ID)
	})
}

// variableForm checks the pointer type of a variable; false if it is no pointer.
func (c *checker) variableForm(v *facts.Variable) bool {
	untyped := c.code.Inst(v.Index).Op() == spirv.OpUntypedVariableKHR
	if v.Pointer == nil {
		return false
	}
	if want := pointerOp(untyped); v.Pointer.Op != want {
		c.fail(v.Index, "SPV-Variable-Result", "the result is %s; must be an %s", c.typeName(v.Pointer), want)
		return false
	}
	if v.Pointer.Storage != v.Storage {
		c.fail(v.Index, "SPV-Variable-Storage", "the variable is in %s, its pointer points to %s; must be the same", v.Storage, v.Pointer.Storage)
	}
	if untyped && v.Type == nil {
		id, _ := inst.UntypedVariableKHR(c.code.Inst(v.Index)).DataType()
		if d := c.code.DefInst(id); d != nil && d.Op().HasType() { // an id without a type is reported by the rules on ids
			c.fail(v.Index, "SPV-Variable-DataType", "the data type is %s, the result of %s; must be a type", c.name(id), d.Op())
			return false
		}
	}
	if v.Type.IsVoid() {
		f := c.fail(v.Index, "SPV-Variable-Void", "the variable contains void; must contain an object")
		if v.Storage == spirv.StorageClassFunction && !untyped {
			f.warn() // compilers declare one for the result of a function without a result
		}
	}
	switch v.Storage {
	case spirv.StorageClassGeneric, spirv.StorageClassPhysicalStorageBuffer:
		c.fail(v.Index, "SPV-Variable-Class", "a variable in %s; must be in another storage class", v.Storage)
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup:
		if untyped && v.Type == nil {
			c.fail(v.Index, "SPV-Variable-DataType", "an untyped variable in %s without a data type; must have one", v.Storage)
		}
	}
	if untyped && v.Type != nil && v.Storage == spirv.StorageClassWorkgroup && !c.vulkan && c.laidOutShared(v) &&
		(!v.Type.IsStruct() || !c.m.Has(v.Type.ID, spirv.DecorationBlock)) {
		c.fail(v.Index, "SPV-Variable-UntypedWorkgroup", "an untyped variable in Workgroup contains %s; must contain a struct that is a Block", c.typeName(v.Type))
	}
	if untyped && v.Type == nil && c.vulkan {
		if v.Storage != spirv.StorageClassUniformConstant {
			c.fail(v.Index, vuid.StandaloneSpirv_OpUntypedVariableKHR_11167, "an untyped variable in %s without a data type; must have one", v.Storage)
		} else if !c.isHeap(v) {
			c.fail(v.Index, vuid.StandaloneSpirv_OpUntypedVariableKHR_11347, "an untyped variable without a data type; must be SamplerHeapEXT or ResourceHeapEXT")
		}
	}
	return true
}

// initializer checks the initializer of a variable.
func (c *checker) initializer(v *facts.Variable) {
	if v.Init == 0 {
		return
	}
	k, g := c.m.Const(v.Init), c.m.Variable(v.Init)
	if c.code.Def(v.Init) < 0 {
		return
	}
	d := c.code.DefInst(v.Init)
	switch {
	case (g == nil || g.Func != nil) && d.Op() != spirv.OpConstantFunctionPointerINTEL && d.Op().Class() != spirv.ClassConstantCreation:
		c.fail(v.Index, "SPV-Variable-Initializer", "the initializer %s is the result of %s; must be a constant or a variable of module scope", c.name(v.Init), d.Op())
	case v.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT || v.Storage == spirv.StorageClassNodePayloadAMDX && !c.vulkan:
		c.fail(v.Index, "SPV-Variable-Initializer", "a variable in %s has an initializer; must have none", v.Storage)
	case !c.vulkan && (v.Storage == spirv.StorageClassInput || isRayStorage(v.Storage)): // Vulkan has a rule of its own
		c.fail(v.Index, "SPV-Variable-Initializer", "a variable in %s has an initializer; must have none", v.Storage)
	default:
		if t := c.m.TypeOf(v.Init); t != nil && v.Type != nil && t != v.Type {
			c.fail(v.Index, "SPV-Variable-Initializer", "the initializer is %s, the variable contains %s; must be the same", c.typeName(t), c.typeName(v.Type))
		}
	}
	if !c.vulkan {
		return
	}
	switch v.Storage {
	case spirv.StorageClassOutput, spirv.StorageClassPrivate, spirv.StorageClassFunction:
	case spirv.StorageClassWorkgroup:
		if on, known := c.env.Device.feature("shaderZeroInitializeWorkgroupMemory"); c.older() && !(on && known) {
			c.fail(v.Index, vuid.StandaloneSpirv_OpVariable_04651, "a variable in Workgroup has an initializer; must be in Output, Private or Function in %s, or the device must have the feature shaderZeroInitializeWorkgroupMemory", text11)
			return
		}
		if k != nil && k.Op != spirv.OpConstantNull {
			c.fail(v.Index, vuid.StandaloneSpirv_OpVariable_04734, "the initializer of a variable in Workgroup is an %s; must be OpConstantNull", k.Op)
		}
		if !c.feature(vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, "shaderZeroInitializeWorkgroupMemory") {
			c.fail(v.Index, vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, "a variable in Workgroup has an initializer; needs the feature shaderZeroInitializeWorkgroupMemory")
		}
	default:
		c.fail(v.Index, vuid.StandaloneSpirv_OpVariable_04651, "a variable in %s has an initializer; must be in Output, Private, Function or Workgroup", v.Storage)
	}
}

// isRayStorage reports whether a storage class is one of ray tracing.
func isRayStorage(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassHitAttributeKHR,
		spirv.StorageClassHitObjectAttributeNV, spirv.StorageClassHitObjectAttributeEXT, spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR, spirv.StorageClassShaderRecordBufferKHR:
		return true
	}
	return false
}

// variableHolds checks the type of a variable's contents.
func (c *checker) variableHolds(v *facts.Variable) {
	inside := v.Storage == spirv.StorageClassFunction || v.Storage == spirv.StorageClassPrivate
	if c.capable(spirv.CapabilityShader) && c.contains(v.Type, holdsBool) {
		c.heldBool(v)
	}
	if !inside && (c.contains(v.Type, holdsCooperative) || c.contains(v.Type, holdsLengthless) && !c.capable(spirv.CapabilityLongVectorEXT)) {
		c.fail(v.Index, "SPV-Variable-Cooperative", "a variable in %s contains cooperative matrices or vectors; must be in Function or Private", v.Storage)
	}
	if !c.vulkan && c.contains(v.Type, holdsLong) && c.capable(spirv.CapabilityLongVectorEXT) && !longStorage(v.Storage) { // Vulkan has a rule of its own
		c.fail(v.Index, "SPV-Variable-LongVector", "a variable in %s contains vectors of more than four components; must be in memory that supports them", v.Storage)
	}
	if !inside && c.contains(v.Type, holdsTiny) {
		c.fail(v.Index, "SPV-Variable-Microscaling", "a variable in %s contains floats of 4 or 6 bits; must be in Function or Private", v.Storage)
	}
	logical := c.m.Addressing == spirv.AddressingModelLogical || c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64
	if logical && c.capable(spirv.CapabilityShader) && !c.env.pointersRelaxed() {
		c.heldPointer(v, inside)
	}
}

// heldBool checks Booleans in a variable.
func (c *checker) heldBool(v *facts.Variable) {
	switch v.Storage {
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		if c.boolBuiltIn(v) {
			return
		}
		code := "SPV-Variable-Bool"
		if c.vulkan {
			code = vuid.StandaloneSpirv_Input_07290
		}
		c.fail(v.Index, code, "a variable in %s contains Booleans and is no built-in; must be a built-in", v.Storage)
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassShaderRecordBufferKHR,
		spirv.StorageClassImage, spirv.StorageClassAtomicCounter, spirv.StorageClassTileAttachmentQCOM:
		c.fail(v.Index, "SPV-Variable-Bool", "a variable in %s contains Booleans; must contain none", v.Storage)
	}
}

// boolBuiltIn reports whether the Booleans of a variable are built-ins.
func (c *checker) boolBuiltIn(v *facts.Variable) bool {
	if _, ok := c.m.BuiltIn(v.ID); ok {
		return true
	}
	s := blockOfArrays(v.Type)
	if s == nil {
		return false
	}
	for n := range s.Members {
		if _, ok := c.m.MemberBuiltIn(s.ID, n); !ok && c.contains(s.Members[n].Type, holdsBool) {
			return false
		}
	}
	return true
}

// heldPointer checks logical pointers in a variable.
func (c *checker) heldPointer(v *facts.Variable, inside bool) {
	switch {
	case !c.contains(v.Type, holdsStored|holdsWorkgroup|holdsLocal):
	case c.contains(v.Type, holdsLocal):
		c.fail(v.Index, "SPV-Variable-Pointer", "the variable contains pointers; with logical addressing they must be to StorageBuffer or Workgroup")
	case c.contains(v.Type, holdsStored) && !c.anyCapable(spirv.CapabilityVariablePointersStorageBuffer, spirv.CapabilityVariablePointers):
		c.fail(v.Index, "SPV-Variable-Pointer", "the variable contains pointers to StorageBuffer; needs the capability VariablePointersStorageBuffer")
	case c.contains(v.Type, holdsWorkgroup) && !c.capable(spirv.CapabilityVariablePointers):
		c.fail(v.Index, "SPV-Variable-Pointer", "the variable contains pointers to Workgroup; needs the capability VariablePointers")
	case !inside:
		c.fail(v.Index, "SPV-Variable-Pointer", "a variable in %s contains pointers; must be in Function or Private", v.Storage)
	}
}

// vulkanVariable checks the rules of Vulkan for a variable.
func (c *checker) vulkanVariable(v *facts.Variable) {
	c.sizedByConstant(v)
	switch v.Storage {
	case spirv.StorageClassUniformConstant:
		if t := v.Type; !opaqueElements(t) || t.IsArray() && t.Elem.IsArray() {
			c.fail(v.Index, vuid.StandaloneSpirv_UniformConstant_04655, "a variable in UniformConstant contains %s; must contain an image, sampler, sampled image, acceleration structure, tensor or an array of one of them", c.typeName(v.Type))
		}
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer:
		if t := v.Type; !t.IsStruct() && (!t.IsArray() || t.Elem != nil && !t.Elem.IsStruct()) {
			c.fail(v.Index, vuid.StandaloneSpirv_Uniform_06807, "a variable in %s contains %s; must contain a struct or an array of structs", v.Storage, c.typeName(t))
		}
	case spirv.StorageClassPushConstant:
		if !v.Type.IsStruct() {
			c.fail(v.Index, vuid.StandaloneSpirv_PushConstant_06808, "a variable in PushConstant contains %s; must contain a struct", c.typeName(v.Type))
		}
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		if c.contains(v.Type, holdsBF16) {
			c.fail(v.Index, vuid.StandaloneSpirv_OpTypeFloat_10370, "a variable in %s contains BFloat16KHR floats; must contain none", v.Storage)
		}
		if c.contains(v.Type, holdsFP8|holdsMicro) {
			c.fail(v.Index, vuid.StandaloneSpirv_OpTypeFloat_10823, "a variable in %s contains floats of 8 bits or of a microscaling encoding; must contain none", v.Storage)
		}
	}
	c.runtimeArrayVariable(v)
}

// tileVariable checks variables of tiles.
func (c *checker) tileVariable(v *facts.Variable) {
	t := v.Type
	for t.IsArray() {
		t = t.Elem
	}
	if t != nil && (t.Image == nil || t.Image.Dim != spirv.DimTileImageDataEXT) {
		code := vuid.StandaloneSpirv_None_08724
		if !c.vulkan {
			code = "SPV-Variable-TileImage"
		}
		c.fail(v.Index, code, "a variable in TileImageEXT contains %s; must contain an image of the dimension TileImageDataEXT", c.typeName(v.Type))
	}
	if c.vulkan && !c.m.Has(v.ID, spirv.DecorationLocation) {
		c.fail(v.Index, vuid.StandaloneSpirv_TileImageEXT_08723, "a tile image without a Location; must have one")
	}
}

// runtimeArrayVariable checks variables that hold arrays without a length.
func (c *checker) runtimeArrayVariable(v *facts.Variable) {
	if !c.contains(v.Type, holdsRuntime) {
		return
	}
	t := v.Type
	if t.IsRuntimeArray() {
		if !c.capable(spirv.CapabilityRuntimeDescriptorArray) {
			c.fail(v.Index, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "the variable is a runtime array; needs the capability RuntimeDescriptorArray")
		} else if v.Storage != spirv.StorageClassStorageBuffer && v.Storage != spirv.StorageClassUniform && v.Storage != spirv.StorageClassUniformConstant {
			c.fail(v.Index, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "a variable in %s is a runtime array; must be in StorageBuffer, Uniform or UniformConstant", v.Storage)
		}
		return
	}
	if t.IsStruct() && v.Storage != spirv.StorageClassStorageBuffer && v.Storage != spirv.StorageClassUniform &&
		v.Storage != spirv.StorageClassPhysicalStorageBuffer && v.Storage != spirv.StorageClassShaderRecordBufferKHR {
		c.fail(v.Index, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "a variable in %s contains a runtime array; must be in StorageBuffer or Uniform", v.Storage)
		return
	}
	if s := blockOfArrays(t); s != nil && !c.isBlock(s) && v.Storage != spirv.StorageClassShaderRecordBufferKHR {
		c.fail(v.Index, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "the variable is %s, which contains a runtime array and is no Block; must be a Block", c.name(s.ID)).also(c, s.Index, "the struct")
	}
}

// sizedByConstant checks arrays and vectors with a specialization constant as
// their length.
func (c *checker) sizedByConstant(v *facts.Variable) {
	if !c.contains(v.Type, holdsSized|holdsSizedVector) {
		return
	}
	block := false
	if s := blockOfArrays(v.Type); s != nil {
		block = c.m.Has(s.ID, spirv.DecorationBlock)
	}
	inside := v.Storage == spirv.StorageClassFunction || v.Storage == spirv.StorageClassPrivate || v.Storage == spirv.StorageClassWorkgroup && !block
	if inside {
		return
	}
	t := v.Type
	interfaces := v.Storage == spirv.StorageClassInput || v.Storage == spirv.StorageClassOutput
	for n := 0; t != nil && (n == 0 || n == 1 && interfaces) && (t.IsArray() || t.IsVector()); n++ { // the whole may be sized so
		t = t.Elem
	}
	switch {
	case c.contains(t, holdsSized):
		c.fail(v.Index, vuid.StandaloneSpirv_Function_04681, "a part of a variable in %s is an array with a specialization constant as length; must be the whole variable", v.Storage).warn() // compilers write such blocks, and devices take them
	case c.contains(t, holdsSizedVector):
		c.fail(v.Index, vuid.StandaloneSpirv_Function_12294, "a part of a variable in %s is a vector with a specialization constant as length; must be the whole variable", v.Storage)
	}
}
