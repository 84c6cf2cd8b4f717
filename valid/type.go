package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// typeFamily checks the declarations of types (SPIR-V §3.3.6); image types and
// related types have a family of their own.
var typeFamily = family{
	rules: []Rule{
		{Code: "SPV-Type-Duplicate", Section: "SPIR-V 2.8", Words: "no two types other than aggregates and pointers have the same opcode and operands"},
		{Code: "SPV-Type-IntWidth", Section: "SPIR-V 3.3.6", Words: "the width of an integer type is 32, or a width that a declared capability enables"},
		{Code: "SPV-Type-Signedness", Section: "SPIR-V 3.3.6", Words: "the signedness of an integer type is 0 or 1; with the capability Kernel it is 0"},
		{Code: "SPV-Type-FloatWidth", Section: "SPIR-V 3.3.6", Words: "the width of a float type is 32, or a width that a declared capability enables"},
		{Code: "SPV-Type-FloatEncoding", Section: "SPIR-V 3.3.6", Words: "the encoding of a float type matches its width"},
		{Code: "SPV-Type-VectorComponent", Section: "SPIR-V 3.3.6", Words: "the component of a vector type is a scalar type"},
		{Code: "SPV-Type-VectorCount", Section: "SPIR-V 3.3.6", Words: "a vector has 2, 3 or 4 components, or a number that a declared capability enables"},
		{Code: "SPV-Type-MatrixColumn", Section: "SPIR-V 3.3.6", Words: "the column of a matrix type is a vector of floats"},
		{Code: "SPV-Type-MatrixCount", Section: "SPIR-V 3.3.6", Words: "a matrix has 2, 3 or 4 columns"},
		{Code: "SPV-Type-ArrayElement", Section: "SPIR-V 3.3.6", Words: "the element of an array type is a type of values"},
		{Code: "SPV-Type-ArrayLength", Section: "SPIR-V 3.3.6", Words: "the length of an array type is a constant integer of at least 1"},
		{Code: "SPV-Type-StructMember", Section: "SPIR-V 3.3.6", Words: "the member of a struct type is a type of values"},
		{Code: "SPV-Type-StructMembers", Section: "SPIR-V 2.17", Words: "a struct has at most as many members as the universal limit allows"},
		{Code: "SPV-Type-StructDepth", Section: "SPIR-V 2.17", Words: "structs nest at most as deep as the universal limit allows"},
		{Code: "SPV-Type-StructBuiltIn", Section: "SPIR-V 2.16.1", Words: "all or none of the members of a struct are built-ins, and no struct contains a struct of built-ins"},
		{Code: "SPV-Type-ForwardPointer", Section: "SPIR-V 3.3.6", Words: "OpTypeForwardPointer names a pointer type of its storage class that points to a struct"},
		{Code: "SPV-Type-FunctionReturn", Section: "SPIR-V 3.3.6", Words: "the return type of a function type is a type"},
		{Code: "SPV-Type-FunctionParameter", Section: "SPIR-V 3.3.6", Words: "a parameter of a function type has a type other than void"},
		{Code: "SPV-Type-FunctionParameters", Section: "SPIR-V 2.17", Words: "a function type has at most as many parameters as the universal limit allows"},
		{Code: vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, Section: "Vulkan, Shader Validation", Words: "a runtime array is the last member of a Block or BufferBlock, or an array of descriptors, and in no other composite"},
		{Code: vuid.StandaloneSpirv_OpTypeForwardPointer_04711, Section: environment, Words: "OpTypeForwardPointer has the storage class PhysicalStorageBuffer"},
		{Code: vuid.StandaloneSpirv_None_12295, Section: environment, Words: "a vector has 2 to 4 components without the capability LongVectorEXT"},
		{Code: vuid.StandaloneSpirv_DescriptorHeapEXT_11482, Section: "Vulkan, Shader Validation", Words: "if descriptor heaps are declared, no struct contains an opaque type other than a descriptor"},
		{Code: vuid.StandaloneSpirv_None_04667, Section: "Vulkan, Shader Validation", Words: "no struct has an opaque member, or an array of opaque elements"},
		{Code: "SPV-Type-UntypedDescriptor", Section: "SPIR-V, SPV_EXT_descriptor_heap", Words: "in Vulkan, an untyped pointer to UniformConstant or Image needs the capability DescriptorHeapEXT", Need: NeedVulkan},
		{Code: vuid.StandaloneSpirv_OpTypeUntypedPointerKHR_11417, Section: "Vulkan, Shader Validation", Words: "an untyped pointer points to a storage class with an explicit layout, to descriptors or to texels"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeInt:               (*checker).typeInt,
		spirv.OpTypeFloat:             (*checker).typeFloat,
		spirv.OpTypeVector:            (*checker).typeVector,
		spirv.OpTypeMatrix:            (*checker).typeMatrix,
		spirv.OpTypeArray:             (*checker).typeArray,
		spirv.OpTypeRuntimeArray:      (*checker).typeRuntimeArray,
		spirv.OpTypeStruct:            (*checker).typeStruct,
		spirv.OpTypeUntypedPointerKHR: (*checker).typeUntypedPointer,
		spirv.OpTypeForwardPointer:    (*checker).typeForwardPointer,
		spirv.OpTypeFunction:          (*checker).typeFunction,
	},
	after: []func(*checker){(*checker).typesDiffer},
}

// typesDiffer checks that no type but aggregates and pointers is declared twice.
func (c *checker) typesDiffer() {
	if len(c.m.Types) <= maxTypeSlots/2 {
		c.fewTypesDiffer()
		return
	}
	var order []int
	for i := range c.m.Types {
		if t := &c.m.Types[i]; typesMustDiffer(t.Op) {
			order = append(order, t.Index)
		}
	}
	compare := func(x, y int) int {
		a, b := c.code.Inst(x), c.code.Inst(y)
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		return slices.Compare(a[2:], b[2:])
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(compare(x, y), cmp.Compare(x, y)) })
	for n := 1; n < len(order); n++ {
		if compare(order[n-1], order[n]) == 0 {
			c.sameType(order[n], order[n-1])
		}
	}
}

// typesMustDiffer reports whether the types of an opcode must differ.
func typesMustDiffer(op spirv.Op) bool {
	switch op {
	case spirv.OpTypeStruct, spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR,
		spirv.OpTypeNodePayloadArrayAMDX:
		return false
	}
	return true
}

// maxTypeSlots is a power of two.
const maxTypeSlots = 128

// fewTypesDiffer is typesDiffer for a small number of types. It uses a table of the
// types before the current one.
func (c *checker) fewTypesDiffer() {
	var slots [maxTypeSlots]int32 // the instruction of a type + 1
	for n := range c.m.Types {
		t := &c.m.Types[n]
		if !typesMustDiffer(t.Op) {
			continue
		}
		in := c.code.Inst(t.Index)
		h := in[0]
		for _, w := range in[2:] {
			h = (h ^ w) * 0x9e3779b1
		}
		at := &slots[h>>25]
		for h >>= 25; *at != 0; at = &slots[h] {
			if old := c.code.Inst(int(*at) - 1); old[0] == in[0] && slices.Equal(old[2:], in[2:]) {
				c.sameType(t.Index, int(*at)-1)
				break
			}
			h = (h + 1) % maxTypeSlots
		}
		*at = int32(t.Index) + 1
	}
}

// sameType reports that a type was declared before.
func (c *checker) sameType(i, old int) {
	c.fail(i, "SPV-Type-Duplicate", "%s declares the same type as another; must differ from all", c.code.Inst(i).Op()).also(c, old, "the other")
}

func (c *checker) typeInt(i int, in spirv.Inst) {
	v := inst.TypeInt(in)
	ok := true
	switch w := v.Width(); w {
	case 32:
	case 8:
		ok = c.anyCapable(spirv.CapabilityInt8, spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityUniformAndStorageBuffer8BitAccess,
			spirv.CapabilityStoragePushConstant8, spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR)
	case 16:
		ok = c.storage16() || c.capable(spirv.CapabilityInt16)
	case 64:
		ok = c.capable(spirv.CapabilityInt64)
	case 4:
		ok = c.anyCapable(spirv.CapabilityInt4TypeINTEL, spirv.CapabilityArbitraryPrecisionIntegersINTEL)
	default:
		ok = w != 0 && c.capable(spirv.CapabilityArbitraryPrecisionIntegersINTEL)
	}
	if !ok {
		c.fail(i, "SPV-Type-IntWidth", "an integer of %d bits; must be 32, or a width that a declared capability enables", v.Width())
	}
	switch s := v.Signedness(); {
	case s > 1:
		c.fail(i, "SPV-Type-Signedness", "the signedness is %d; must be 0 or 1", s)
	case s == 1 && c.capable(spirv.CapabilityKernel):
		c.fail(i, "SPV-Type-Signedness", "the signedness is 1; must be 0 in a kernel")
	}
}

// storage16 reports whether a capability to store 16-bit values is declared.
func (c *checker) storage16() bool {
	return c.anyCapable(spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess,
		spirv.CapabilityStoragePushConstant16, spirv.CapabilityStorageInputOutput16, spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
}

func (c *checker) typeFloat(i int, in spirv.Inst) {
	v := inst.TypeFloat(in)
	w := v.Width()
	if e, ok := v.FloatingPointEncoding(); ok {
		if want := encodingWidth(e); want != 0 && want != w {
			c.fail(i, "SPV-Type-FloatEncoding", "the encoding %s of %d bits; must be of %d bits", e, w, want)
		}
		return // its capability is checked like the capability of any enumerant
	}
	ok := true
	switch w {
	case 32:
	case 16:
		ok = c.storage16() || c.anyCapable(spirv.CapabilityFloat16, spirv.CapabilityFloat16Buffer) || c.halfExtension()
	case 64:
		ok = c.capable(spirv.CapabilityFloat64)
	default:
		ok = false
	}
	if !ok {
		c.fail(i, "SPV-Type-FloatWidth", "a float of %d bits without an encoding; must be 32, or a width that a declared capability enables", w)
	}
}

// encodingWidth returns the width of the values of an encoding in bits.
func encodingWidth(e spirv.FPEncoding) uint32 {
	switch e {
	case spirv.FPEncodingBFloat16KHR:
		return 16
	case spirv.FPEncodingFloat8E4M3EXT, spirv.FPEncodingFloat8E5M2EXT, spirv.FPEncodingFloat8UnsignedE8M0EXT, spirv.FPEncodingMXInt8EXT:
		return 8
	case spirv.FPEncodingFloat6E2M3EXT, spirv.FPEncodingFloat6E3M2EXT:
		return 6
	case spirv.FPEncodingFloat4E2M1EXT:
		return 4
	}
	return 0
}

func (c *checker) typeVector(i int, in spirv.Inst) {
	v := inst.TypeVector(in)
	t := c.m.Type(v.ComponentType())
	if t == nil {
		return
	}
	if !t.IsScalar() && !(t.IsPointer() && c.capable(spirv.CapabilityMaskedGatherScatterINTEL)) {
		c.fail(i, "SPV-Type-VectorComponent", "the component of the vector is %s; must be a scalar type", c.typeName(t))
	}
	switch n := v.ComponentCount(); n {
	case 2, 3, 4:
	case 8, 16:
		if !c.anyCapable(spirv.CapabilityVector16, spirv.CapabilityLongVectorEXT) {
			c.fail(i, "SPV-Type-VectorCount", "a vector of %d components; must be 2, 3 or 4 without the capability Vector16", n)
		}
	default:
		long := c.capable(spirv.CapabilityLongVectorEXT)
		if n < 1 || n == 1 && !long || !long && !c.capable(spirv.CapabilityVectorAnyINTEL) {
			code := "SPV-Type-VectorCount"
			if c.vulkan {
				code = vuid.StandaloneSpirv_None_12295
			}
			c.fail(i, code, "a vector of %d components; must be 2, 3 or 4", n)
		}
	}
}

func (c *checker) typeMatrix(i int, in spirv.Inst) {
	v := inst.TypeMatrix(in)
	t := c.m.Type(v.ColumnType())
	if t == nil {
		return
	}
	if t.Op != spirv.OpTypeVector || t.Count < 2 || t.Count > 4 || t.Elem != nil && !t.Elem.IsFloat() {
		c.fail(i, "SPV-Type-MatrixColumn", "the column of the matrix is %s; must be a vector of 2 to 4 floats", c.typeName(t))
	}
	if n := v.ColumnCount(); n < 2 || n > 4 {
		c.fail(i, "SPV-Type-MatrixCount", "a matrix of %d columns; must be 2, 3 or 4", n)
	}
}

func (c *checker) typeArray(i int, in spirv.Inst) {
	v := inst.TypeArray(in)
	c.element(i, c.m.Type(v.ElementType()))
	length := c.code.DefInst(v.Length())
	if length == nil {
		return
	}
	k := c.m.Const(v.Length())
	if k == nil && isType(length.Op()) { // SPV-Id-Type reports other ids that are no constants
		c.fail(i, "SPV-Type-ArrayLength", "the length is %s, the result of %s; must be a constant", c.name(v.Length()), length.Op())
	}
	if k == nil || k.Type == nil {
		return
	}
	if !k.Type.IsInt() {
		c.fail(i, "SPV-Type-ArrayLength", "the length %s is %s; must be an integer", c.name(v.Length()), c.typeName(k.Type))
		return
	}
	if n, ok := k.Int(); ok && (!k.Spec || k.Op == spirv.OpSpecConstant) && (n == 0 || n < 0 && k.Type.Signed) {
		c.fail(i, "SPV-Type-ArrayLength", "the length is %d; must be at least 1", n)
	}
}

func (c *checker) typeRuntimeArray(i int, in spirv.Inst) {
	c.element(i, c.m.Type(inst.TypeRuntimeArray(in).ElementType()))
}

// element checks the element of an array.
func (c *checker) element(i int, t *facts.Type) {
	switch {
	case t == nil:
	case t.IsVoid(), t.Op == spirv.OpTypeFunction:
		c.fail(i, "SPV-Type-ArrayElement", "the element of the array is %s; must be of a type of values", c.typeName(t))
	case c.vulkan && t.IsRuntimeArray():
		c.fail(i, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "an array of runtime arrays; must be the last member of a struct, or an array of descriptors")
	}
}

func (c *checker) typeUntypedPointer(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	switch s := inst.TypeUntypedPointerKHR(in).StorageClass(); s {
	case spirv.StorageClassWorkgroup:
		if c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
			return
		}
		fallthrough
	default:
		c.fail(i, vuid.StandaloneSpirv_OpTypeUntypedPointerKHR_11417, "an untyped pointer to %s; must be to a storage class with an explicit layout, to UniformConstant or to Image", s)
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPushConstant,
		spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR:
	case spirv.StorageClassUniformConstant, spirv.StorageClassImage:
		if !c.capable(spirv.CapabilityDescriptorHeapEXT) {
			c.fail(i, "SPV-Type-UntypedDescriptor", "an untyped pointer to %s; needs the capability DescriptorHeapEXT", s)
		}
	}
}

func (c *checker) typeForwardPointer(i int, in spirv.Inst) {
	v := inst.TypeForwardPointer(in)
	t := c.m.Type(v.PointerType())
	if c.vulkan && v.StorageClass() != spirv.StorageClassPhysicalStorageBuffer {
		c.fail(i, vuid.StandaloneSpirv_OpTypeForwardPointer_04711, "the storage class is %s; must be PhysicalStorageBuffer", v.StorageClass())
		return
	}
	switch {
	case c.code.DefInst(v.PointerType()) == nil:
	case t == nil || t.Op != spirv.OpTypePointer:
		c.fail(i, "SPV-Type-ForwardPointer", "%s is the result of %s; must be a pointer type", c.name(v.PointerType()), c.code.DefInst(v.PointerType()).Op())
	case t.Storage != v.StorageClass():
		c.fail(i, "SPV-Type-ForwardPointer", "the storage class is %s, the storage class of the pointer type %s; must be the same", v.StorageClass(), t.Storage).also(c, t.Index, "the pointer type")
	case t.Elem != nil && !t.Elem.IsStruct():
		c.fail(i, "SPV-Type-ForwardPointer", "the pointer points to %s; must point to a struct", c.typeName(t.Elem)).also(c, t.Index, "the pointer type")
	}
}

func (c *checker) typeFunction(i int, in spirv.Inst) {
	v := inst.TypeFunction(in)
	if d := c.code.DefInst(v.ReturnType()); d != nil && (!isType(d.Op()) || d.Op() == spirv.OpTypeFunction) {
		c.fail(i, "SPV-Type-FunctionReturn", "the return type is %s, the result of %s; must be a type other than a function type", c.name(v.ReturnType()), d.Op())
	}
	for _, p := range v.ParameterTypes() {
		switch d := c.code.DefInst(p); {
		case d == nil:
		case !isType(d.Op()), d.Op() == spirv.OpTypeVoid, d.Op() == spirv.OpTypeFunction:
			c.fail(i, "SPV-Type-FunctionParameter", "a parameter is %s, the result of %s; must be a type other than void and function types", c.name(p), d.Op())
		}
	}
	if n := len(v.ParameterTypes()); n > c.opts.Limits.FunctionArgs {
		c.fail(i, "SPV-Type-FunctionParameters", "a function type of %d parameters; must have at most %d", n, c.opts.Limits.FunctionArgs)
	}
}

// typeName returns how a message calls a type.
func (c *subject) typeName(t *facts.Type) string {
	if t == nil {
		return "nothing"
	}
	switch {
	case t.IsInt():
		return intName(t)
	case t.IsFloat() && t.Encoded:
		return t.Encoding.String()
	case t.IsFloat():
		return "a float of " + itoa(uint64(t.Width)) + " bits"
	case t.IsBool():
		return "a Boolean"
	case t.IsVoid():
		return "void"
	case t.IsVector() && t.Elem.IsScalar():
		return "a vector of " + itoa(t.Count) + ", each " + c.typeName(t.Elem)
	}
	return c.name(t.ID) + " (" + t.Op.String() + ")"
}

func intName(t *facts.Type) string {
	s := "an unsigned"
	if t.Signed {
		s = "a signed"
	}
	return s + " integer of " + itoa(uint64(t.Width)) + " bits"
}

// halfExtension reports whether an extension brings floats of 16 bits without a
// capability.
func (c *subject) halfExtension() bool {
	return c.m.Extension("SPV_AMD_gpu_shader_half_float") || c.m.Extension("SPV_AMD_gpu_shader_half_float_fetch")
}
