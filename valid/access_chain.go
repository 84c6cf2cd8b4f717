package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// accessChainFamily checks the instructions that compute a pointer into the
// pointee of another pointer (SPIR-V §3.3.8): OpAccessChain and its variants,
// typed and untyped (SPV_KHR_untyped_pointers).
//
// It follows the indices through the types and compares the end with the
// result. Indices that are not constants are out of range only at run time;
// variable_pointer.go checks the origin of pointers, descriptor_index.go the
// indices into arrays of descriptors.
var accessChainFamily = family{
	rules: []Rule{
		{Code: "SPV-AccessChain-Result", Section: "SPIR-V 3.3.8", Words: "a typed access chain yields a typed pointer, an untyped access chain an untyped pointer"},
		{Code: "SPV-AccessChain-Base", Section: "SPIR-V 3.3.8", Words: "the base of a typed access chain is a typed pointer, the base of an untyped access chain any pointer"},
		{Code: "SPV-AccessChain-BaseType", Section: "SPIR-V 3.3.8", Words: "the base type of an untyped access chain is a type, but not a pointer type"},
		{Code: "SPV-AccessChain-Storage", Section: "SPIR-V 3.3.8", Words: "the result and the base of an access chain have the same storage class"},
		{Code: "SPV-AccessChain-Negative", Section: "SPIR-V 2.16.1", Words: "with logical addressing, a signed index of an access chain that is an OpConstant is not negative"},
		{Code: "SPV-AccessChain-Index", Section: "SPIR-V 3.3.8", Words: "the indices of an access chain are integer scalars; an index into a struct is an OpConstant and selects an existing member"},
		{Code: "SPV-AccessChain-Depth", Section: "SPIR-V 3.3.8", Words: "an access chain has at most one index for each level of the composite"},
		{Code: "SPV-AccessChain-Indexes", Section: "SPIR-V 2.17", Words: "an access chain has no more indices than the universal limit allows"},
		{Code: "SPV-AccessChain-Type", Section: "SPIR-V 3.3.8", Words: "an access chain yields a pointer to the type that its indices select"},
		{Code: "SPV-AccessChain-Element", Section: "SPIR-V 3.3.8", Words: "the element of a pointer access chain is an integer scalar"},
		{Code: "SPV-AccessChain-ElementStride", Section: "SPIR-V 2.16.2", Words: "in shaders, the ArrayStride of a pointer to an element of an array in memory with an explicit layout is that of the array"},
		{Code: "SPV-AccessChain-Stride", Section: "SPIR-V 3.3.8", Words: "in shaders, the base of a pointer access chain into memory with an explicit layout has a pointer type with ArrayStride"},
		{Code: "SPV-AccessChain-BlockArray", Section: "SPIR-V, SPV_KHR_untyped_pointers", Words: "the base type of an untyped access chain is an array of blocks if and only if the base points to an array of blocks"},
		{Code: vuid.StandaloneSpirv_Base_07650, Section: environment, Words: "the base of a pointer access chain is in Workgroup, StorageBuffer or PhysicalStorageBuffer"},
		{Code: vuid.StandaloneSpirv_Base_07651, Section: environment, Words: "a pointer access chain in Workgroup needs the capability VariablePointers"},
		{Code: vuid.StandaloneSpirv_Base_07652, Section: environment, Words: "a pointer access chain in StorageBuffer needs the capability VariablePointers or VariablePointersStorageBuffer"},
	},
	ops: []group{
		{(*checker).accessChain, []spirv.Op{
			spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
			spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR,
			spirv.OpUntypedInBoundsPtrAccessChainKHR,
		}},
	},
}

// chain is the operands of an access chain of any kind.
type chain struct {
	base     spirv.ID
	baseType spirv.ID // 0 for a typed chain
	element  spirv.ID // 0 for a chain without one
	path     []spirv.ID
}

// chainOf decodes an access chain.
func chainOf(in spirv.Inst) (h chain) {
	switch in.Op() {
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		v := inst.AccessChain(in)
		h = chain{base: v.Base(), path: v.Indexes()}
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		v := inst.PtrAccessChain(in)
		h = chain{base: v.Base(), element: v.Element(), path: v.Indexes()}
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		v := inst.UntypedAccessChainKHR(in)
		h = chain{base: v.Base(), baseType: v.BaseType(), path: v.Indexes()}
	case spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		v := inst.UntypedPtrAccessChainKHR(in)
		h = chain{base: v.Base(), baseType: v.BaseType(), element: v.Element(), path: v.Indexes()}
	}
	return h
}

// accessChain checks one access chain: result, base, storage class, element and
// indices, in this order.
func (c *checker) accessChain(i int, in spirv.Inst) {
	op, h := in.Op(), chainOf(in)
	t, base := c.m.Type(in.Type()), c.m.TypeOf(h.base)
	if t == nil || base == nil {
		return
	}
	t, base = laneTypes(t, base)
	untyped := h.baseType != 0
	if want := pointerOp(untyped); t.Op != want {
		c.fail(i, "SPV-AccessChain-Result", "the result of %s is %s; must be an %s", op, c.typeName(t), want)
		return
	}
	if !base.IsPointer() || !untyped && base.Op != spirv.OpTypePointer {
		c.fail(i, "SPV-AccessChain-Base", "the base %s of %s is %s; must be a pointer of the kind that the chain requires", c.name(h.base), op, c.typeName(base))
		return
	}
	if t.Storage != base.Storage {
		c.fail(i, "SPV-AccessChain-Storage", "the result of %s is in %s, its base in %s; must be the same", op, t.Storage, base.Storage)
	}
	if n := len(h.path); n > c.opts.Limits.AccessChainIndexes {
		c.fail(i, "SPV-AccessChain-Indexes", "%s has %d indices; must have at most %d", op, n, c.opts.Limits.AccessChainIndexes)
		return
	}
	c.elementOf(i, h, base)
	at := base.Elem
	if untyped {
		if at = c.baseType(i, h, base); at == nil {
			return
		}
	}
	c.elementStride(i, at, t, h.path)
	at, ok := c.follow(i, at, h.path)
	if ok && !untyped && at != nil && t.Elem != nil && at != t.Elem && !(c.env.BeforeLegalization && sameStructure(at, t.Elem)) {
		c.fail(i, "SPV-AccessChain-Type", "the indices of %s select %s; the result points to %s", op, c.typeName(at), c.typeName(t.Elem))
	}
}

// elementStride checks the stride of a pointer to an element of an array in memory with an explicit
// layout (SPIR-V §2.16.2): if the pointer type of a chain has one, the array from which the chain
// derives the pointer has the same.
func (c *checker) elementStride(i int, t, pointer *facts.Type, path []spirv.ID) {
	if len(path) == 0 || pointer.ArrayStride == 0 || !c.capable(spirv.CapabilityShader) || !c.explicitClass(pointer.Storage) {
		return
	}
	for _, id := range path[:len(path)-1] {
		t = c.selected(t, id)
	}
	if t != nil && (t.IsArray() || t.IsRuntimeArray()) && t.ArrayStride != 0 && t.ArrayStride != pointer.ArrayStride {
		c.fail(i, "SPV-AccessChain-ElementStride", "a pointer of the ArrayStride %d to an element of an array of the ArrayStride %d; must be the same", pointer.ArrayStride, t.ArrayStride).also(c, t.Index, "the array")
	}
}

// selected returns the type of the part of a composite that an index selects; nil if there is none.
func (c *checker) selected(t *facts.Type, index spirv.ID) *facts.Type {
	switch {
	case t == nil:
		return nil
	case !t.IsStruct():
		return t.Elem
	}
	k, ok := c.m.Const(index).Int()
	if !ok || k < 0 || k >= int64(len(t.Members)) {
		return nil
	}
	return t.Members[k].Type
}

// pointerOp returns the type instruction of the pointers of a chain.
func pointerOp(untyped bool) spirv.Op {
	if untyped {
		return spirv.OpTypeUntypedPointerKHR
	}
	return spirv.OpTypePointer
}

// baseType checks the base type of an untyped chain and returns it; nil if it is
// no type, or a pointer type.
func (c *checker) baseType(i int, h chain, base *facts.Type) *facts.Type {
	t := c.m.Type(h.baseType)
	if t == nil {
		return nil
	}
	if t.IsPointer() {
		c.fail(i, "SPV-AccessChain-BaseType", "the base type is %s; must not be a pointer", c.typeName(t))
		return nil
	}
	of := base.Elem
	if of == nil { // the data type of an untyped variable
		d := c.code.Def(h.base)
		for steps := 0; steps < 64 && d >= 0 && c.code.Inst(d).Op() == spirv.OpCopyObject; steps++ {
			d = c.code.Def(inst.CopyObject(c.code.Inst(d)).Operand())
		}
		if d < 0 || c.code.Inst(d).Op() != spirv.OpUntypedVariableKHR {
			return t
		}
		if v := c.m.Variable(c.code.Inst(d).Result()); v != nil {
			of = v.Type
		}
	}
	if of != nil && c.blockArray(of) != c.blockArray(t) {
		c.fail(i, "SPV-AccessChain-BlockArray", "the base type is %s, the base points to %s; both must be arrays of blocks or neither", c.typeName(t), c.typeName(of))
	}
	return t
}

// blockArray reports whether a type is an array of blocks: of structs decorated
// Block or BufferBlock.
func (c *checker) blockArray(t *facts.Type) bool {
	if !t.IsArray() {
		return false
	}
	s := blockOfArrays(t)
	return s != nil && (c.m.Has(s.ID, spirv.DecorationBlock) || c.m.Has(s.ID, spirv.DecorationBufferBlock))
}

// follow walks from a type along indices and returns the type at the end; ok is
// false if an index does not exist or is not known. It reports the first faulty
// index.
func (c *checker) follow(i int, t *facts.Type, path []spirv.ID) (at *facts.Type, ok bool) {
	op := c.code.Inst(i).Op()
	for n, id := range path {
		if t == nil {
			return nil, false
		}
		x := c.m.TypeOf(id)
		if x != nil && !x.IsInt() {
			c.fail(i, "SPV-AccessChain-Index", "index %d of %s is %s; must be an integer scalar", n, op, c.typeName(x))
			return nil, false
		}
		if x != nil && x.Signed && !t.IsStruct() {
			c.negativeIndex(i, n, op, id)
		}
		switch {
		case t.IsStruct():
			k := c.m.Const(id)
			if k != nil && k.Op == spirv.OpConstantNull && x != nil && len(t.Members) > 0 {
				// Compilers of OpenCL C write 0 in this way.
				c.fail(i, "SPV-AccessChain-Index", "index %d of %s selects a member of the struct %s and is the null constant %s; must be an OpConstant", n, op, c.name(t.ID), c.name(id)).warn()
				t = t.Members[0].Type
				continue
			}
			if k == nil || k.Op != spirv.OpConstant {
				if x != nil {
					c.fail(i, "SPV-AccessChain-Index", "index %d of %s selects a member of the struct %s and is %s; must be an OpConstant", n, op, c.name(t.ID), c.name(id))
				}
				return nil, false
			}
			v, known := k.Int()
			if !known {
				return nil, false
			}
			if v < 0 || v >= int64(len(t.Members)) {
				c.fail(i, "SPV-AccessChain-Index", "index %d of %s is %d; the struct %s has %d members", n, op, v, c.name(t.ID), len(t.Members))
				return nil, false
			}
			t = t.Members[v].Type
		case t.IsComposite(), t.Op == spirv.OpTypeCooperativeMatrixKHR, t.Op == spirv.OpTypeCooperativeMatrixNV:
			t = t.Elem
		case t.Op == spirv.OpTypeNodePayloadArrayAMDX:
			return nil, false
		default:
			c.fail(i, "SPV-AccessChain-Depth", "index %d of %s selects a part of %s; must be a composite", n, op, c.typeName(t))
			return nil, false
		}
	}
	return t, true
}

// negativeIndex checks a signed index of a logical pointer that is an OpConstant.
func (c *checker) negativeIndex(i, n int, op spirv.Op, id spirv.ID) {
	k := c.m.Const(id)
	if k == nil || k.Op != spirv.OpConstant {
		return
	}
	v, known := k.Int()
	if r := c.m.Type(c.code.Inst(i).Type()); known && v < 0 && r.IsPointer() && c.logical(r) && !c.env.pointersRelaxed() {
		c.fail(i, "SPV-AccessChain-Negative", "index %d of %s is %d; must not be negative", n, op, v)
	}
}

// elementOf checks the element operand, which only pointer access chains have,
// and the storage classes of such chains in Vulkan.
func (c *checker) elementOf(i int, h chain, base *facts.Type) {
	if h.element == 0 {
		return
	}
	op := c.code.Inst(i).Op()
	if e := c.m.TypeOf(h.element); e != nil && !e.IsInt() {
		c.fail(i, "SPV-AccessChain-Element", "the element of %s is %s; must be an integer scalar", op, c.typeName(e))
	}
	if c.capable(spirv.CapabilityShader) && c.explicitClass(base.Storage) && !c.m.Has(base.ID, spirv.DecorationArrayStride) &&
		!c.m.Has(base.ID, spirv.DecorationArrayStrideIdEXT) {
		c.fail(i, "SPV-AccessChain-Stride", "the base of %s is %s, which has no ArrayStride; must have one", op, c.typeName(base))
	}
	if !c.vulkan {
		return
	}
	switch base.Storage {
	case spirv.StorageClassWorkgroup:
		if !c.capable(spirv.CapabilityVariablePointers) {
			c.fail(i, vuid.StandaloneSpirv_Base_07651, "%s in Workgroup; needs the capability VariablePointers", op)
		}
	case spirv.StorageClassStorageBuffer:
		if !c.anyCapable(spirv.CapabilityVariablePointers, spirv.CapabilityVariablePointersStorageBuffer) {
			c.fail(i, vuid.StandaloneSpirv_Base_07652, "%s in StorageBuffer; needs the capability VariablePointers or VariablePointersStorageBuffer", op)
		}
	case spirv.StorageClassPhysicalStorageBuffer:
	default:
		c.fail(i, vuid.StandaloneSpirv_Base_07650, "%s in %s; must be in Workgroup, StorageBuffer or PhysicalStorageBuffer", op, base.Storage)
	}
}

// explicitClass reports whether objects in a storage class have an explicit
// layout (SPIR-V §2.16.2).
func (c *checker) explicitClass(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassPushConstant:
		return true
	case spirv.StorageClassWorkgroup:
		return c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	}
	return false
}
