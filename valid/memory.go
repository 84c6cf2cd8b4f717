package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// memoryFamily checks loads, stores and copies of memory (SPIR-V §3.3.8).
var memoryFamily = family{
	rules: []Rule{
		{Code: "SPV-Load-Pointer", Section: "SPIR-V 3.3.8", Words: "the operand of OpLoad is a pointer"},
		{Code: "SPV-Load-Type", Section: "SPIR-V 3.3.8", Words: "the result of OpLoad has the type that the pointer points to, the type of an object"},
		{Code: "SPV-Load-RuntimeArray", Section: "SPIR-V 2.16.1", Words: "no load is of a runtime array or of a type that contains one"},
		{Code: "SPV-Store-Pointer", Section: "SPIR-V 3.3.8", Words: "the target of OpStore is a pointer, and not to void"},
		{Code: "SPV-Store-Object", Section: "SPIR-V 3.3.8", Words: "the object of OpStore is an object of a type other than void"},
		{Code: "SPV-Store-Type", Section: "SPIR-V 3.3.8", Words: "the object of OpStore has the type that the pointer points to"},
		{Code: "SPV-Store-ReadOnly", Section: "SPIR-V 3.2.7", Words: "no store writes to UniformConstant, Input, PushConstant or ShaderRecordBufferKHR"},
		{Code: "SPV-Memory-Small", Section: "SPIR-V 2.16.1", Words: "without arithmetic on them, 8-bit and 16-bit values are loaded and stored only as scalars, vectors and matrices, and not copied as memory"},
		{Code: "SPV-CopyMemory-Pointer", Section: "SPIR-V 3.3.8", Words: "memory is copied from a pointer to a pointer, neither to void; without a size operand, one of the two is typed"},
		{Code: "SPV-CopyMemory-RuntimeArray", Section: "SPIR-V 3.3.8", Words: "OpCopyMemory copies no runtime array and no type that contains one"},
		{Code: "SPV-CopyMemory-Type", Section: "SPIR-V 3.3.8", Words: "OpCopyMemory copies between pointers to the same type"},
		{Code: "SPV-Memory-RayQuery", Section: "SPIR-V, SPV_KHR_ray_query, SPV_EXT_shader_invocation_reorder", Words: "ray queries and hit objects are not loaded, stored or copied"},
		{Code: "SPV-CopyMemory-Size", Section: "SPIR-V 3.3.8", Words: "the size of OpCopyMemorySized is an integer scalar; a constant size is positive"},
		{Code: "SPV-CopyMemory-Multiple", Section: "SPIR-V 3.3.8", Words: "in shaders, the size of a copy is a multiple of 4; multiples of 2 and 1 need the capabilities for 16 and 8 bits"},
		{Code: vuid.RuntimeSpirv_Size_11165, Section: environment, Words: "the size of a copy is a multiple of 4; multiples of 2 and 1 need 16-bit and 8-bit storage"},
		{Code: vuid.StandaloneSpirv_Uniform_06925, Section: environment, Words: "no store writes to a Block in Uniform"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_06924, Section: environment, Words: "no store is of images, samplers, sampled images, acceleration structures, tensors or arrays of them"},
		{Code: vuid.StandaloneSpirv_Result_11336, Section: environment, Words: "a sampler is loaded from a variable with Binding and DescriptorSet, or from SamplerHeapEXT"},
		{Code: vuid.StandaloneSpirv_Result_11337, Section: environment, Words: "an image is loaded from a variable with Binding and DescriptorSet, or from ResourceHeapEXT"},
		{Code: vuid.StandaloneSpirv_Result_11339, Section: environment, Words: "an acceleration structure is loaded from Private or Function, from a variable with Binding and DescriptorSet, or from ResourceHeapEXT"},
	},
	before: []func(*checker){(*checker).contents, (*checker).origins},
	insts: map[spirv.Op]judge{
		spirv.OpLoad:            (*checker).load,
		spirv.OpStore:           (*checker).store,
		spirv.OpCopyMemory:      (*checker).copyMemory,
		spirv.OpCopyMemorySized: (*checker).copyMemorySized,
	},
}

func (c *checker) load(i int, in spirv.Inst) {
	v := inst.Load(in)
	t, p := c.m.Type(v.Type()), c.m.TypeOf(v.Pointer())
	if p == nil || t == nil {
		return
	}
	if !p.IsPointer() {
		c.fail(i, "SPV-Load-Pointer", "%s is %s; must be a pointer", c.name(v.Pointer()), c.typeName(p))
		return
	}
	if p.Elem != nil && p.Elem != t && !(c.env.BeforeLegalization && sameStructure(p.Elem, t)) {
		c.fail(i, "SPV-Load-Type", "the result is %s; must be the type that the pointer points to, %s", c.typeName(t), c.typeName(p.Elem))
	}
	if t.IsVoid() {
		c.fail(i, "SPV-Load-Type", "the result is void; must be the type of an object")
	}
	c.noRayQuery(i, p, "load")
	if c.contains(t, holdsRuntime) && !c.env.BeforeLegalization {
		c.fail(i, "SPV-Load-RuntimeArray", "a load of %s, which has no length; must have one", c.typeName(t))
	}
	c.smallAccess(i, t, "load")
	mask, _ := v.MemoryAccess()
	c.accesses(i, access{reads: p, through: t}, mask, v.MemoryAccessWords())
	c.descriptorLoad(i, v.Pointer(), t, p)
}

// descriptorLoad checks the origin of a descriptor that is loaded.
func (c *checker) descriptorLoad(i int, pointer spirv.ID, t, p *facts.Type) {
	if !c.vulkan {
		return
	}
	var code string
	heap := spirv.BuiltInResourceHeapEXT
	switch t.Op {
	case spirv.OpTypeSampler:
		code, heap = vuid.StandaloneSpirv_Result_11336, spirv.BuiltInSamplerHeapEXT
	case spirv.OpTypeImage:
		code = vuid.StandaloneSpirv_Result_11337
	case spirv.OpTypeAccelerationStructureKHR:
		if p.Storage == spirv.StorageClassPrivate || p.Storage == spirv.StorageClassFunction {
			return
		}
		code = vuid.StandaloneSpirv_Result_11339
	default:
		return
	}
	v := c.origin(pointer)
	if v == nil || c.m.Has(v.ID, spirv.DecorationBinding) && c.m.Has(v.ID, spirv.DecorationDescriptorSet) {
		return
	}
	b, ok := c.m.BuiltIn(v.ID)
	if ok && b == heap || v.Storage == spirv.StorageClassTileImageEXT || !ok && c.env.BeforeLegalization { // legalization replaces copies of descriptors
		return
	}
	c.fail(i, code, "%s is loaded through %s, which has no Binding and DescriptorSet and is not %s; must be either", c.typeName(t), c.name(v.ID), heap).also(c, v.Index, "the variable")
}

// smallAccess checks a load or store of values of 8 or 16 bits that the module
// has no arithmetic for.
func (c *checker) smallAccess(i int, t *facts.Type, what string) {
	if !c.capable(spirv.CapabilityShader) || !c.contains(t, holds8|holds16) || t.IsScalar() || t.IsVector() || t.IsMatrix() {
		return
	}
	c.fail(i, "SPV-Memory-Small", "a %s of %s, which contains values of 8 or 16 bits; must be a scalar, vector or matrix", what, c.typeName(t))
}

func (c *checker) store(i int, in spirv.Inst) {
	v := inst.Store(in)
	p, t := c.m.TypeOf(v.Pointer()), c.m.TypeOf(v.Object())
	if p == nil {
		return
	}
	switch {
	case !p.IsPointer():
		c.fail(i, "SPV-Store-Pointer", "%s is %s; must be a pointer", c.name(v.Pointer()), c.typeName(p))
		return
	case p.Elem.IsVoid():
		c.fail(i, "SPV-Store-Pointer", "%s points to void; must point to an object", c.name(v.Pointer()))
	}
	c.writable(i, v.Pointer(), p)
	c.noRayQuery(i, p, "store")
	if t == nil {
		return
	}
	if t.IsVoid() {
		c.fail(i, "SPV-Store-Object", "%s is void; must be an object", c.name(v.Object()))
		return
	}
	if p.Elem != nil && p.Elem != t && !c.storesAs(p.Elem, t) {
		c.fail(i, "SPV-Store-Type", "the object is %s; must be the type that the pointer points to, %s", c.typeName(t), c.typeName(p.Elem))
	}
	if c.vulkan && !c.env.BeforeLegalization && opaqueElements(t) {
		c.fail(i, vuid.StandaloneSpirv_OpTypeImage_06924, "a store of %s; must be of a type that can be stored", c.typeName(t))
	}
	c.smallAccess(i, t, "store")
	mask, _ := v.MemoryAccess()
	c.accesses(i, access{writes: p, through: t}, mask, v.MemoryAccessWords())
}

// storesAs reports whether an object of one type may be stored as another: with
// the relaxation, a struct of the same parts at the same places.
func (c *checker) storesAs(to, from *facts.Type) bool {
	if c.env.BeforeLegalization && sameStructure(to, from) {
		return true
	}
	return c.env.RelaxStructStore && to.IsStruct() && from.IsStruct() && c.sameLayout(to, from)
}

// sameLayout reports whether two types have the same parts at the same offsets. An
// offset or a stride that only one of the types declares counts as equal. It
// compares a bounded number of parts.
func (c *checker) sameLayout(x, y *facts.Type) bool {
	type pair struct{ x, y *facts.Type }
	todo := []pair{{x, y}}
	for steps := 0; len(todo) > 0; steps++ {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.x == p.y {
			continue
		}
		if steps > 1<<12 || p.x == nil || p.y == nil || p.x.Op != p.y.Op || p.x.Count != p.y.Count || len(p.x.Members) != len(p.y.Members) ||
			differ(p.x.ArrayStride, p.y.ArrayStride) {
			return false
		}
		switch {
		case p.x.IsStruct():
			for n := range p.x.Members {
				a, b := &p.x.Members[n], &p.y.Members[n]
				if a.HasOffset && b.HasOffset && a.Offset != b.Offset || differ(a.MatrixStride, b.MatrixStride) ||
					a.MatrixStride != 0 && b.MatrixStride != 0 && a.RowMajor != b.RowMajor {
					return false
				}
				todo = append(todo, pair{a.Type, b.Type})
			}
		case p.x.IsArray():
			todo = append(todo, pair{p.x.Elem, p.y.Elem})
		default:
			return false
		}
	}
	return true
}

// differ reports whether two strides are given and are not the same.
func differ(x, y uint32) bool { return x != 0 && y != 0 && x != y }

// opaqueElements reports whether a type is one of those that are never stored,
// or an array of one.
func opaqueElements(t *facts.Type) bool {
	for t.IsArray() {
		t = t.Elem
	}
	if t == nil {
		return false
	}
	switch t.Op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeAccelerationStructureKHR, spirv.OpTypeTensorARM:
		return true
	}
	return false
}

// writable checks that the pointee of a pointer may be written.
func (c *checker) writable(i int, pointer spirv.ID, p *facts.Type) {
	switch p.Storage {
	case spirv.StorageClassUniformConstant, spirv.StorageClassInput, spirv.StorageClassPushConstant, spirv.StorageClassShaderRecordBufferKHR:
		c.fail(i, "SPV-Store-ReadOnly", "%s writes to %s through %s; must not write", c.code.Inst(i).Op(), p.Storage, c.name(pointer))
	case spirv.StorageClassHitAttributeKHR:
		if bad := c.callerModels() & (inAnyHit | inClosestHit); bad != 0 && !c.vulkan {
			c.fail(i, "SPV-Storage-HitAttribute", "%s writes to HitAttributeKHR in a function that a %s entry point calls; must not write", c.code.Inst(i).Op(), bad)
		}
	case spirv.StorageClassUniform:
		if !c.vulkan {
			return
		}
		v := c.origin(pointer)
		if v == nil {
			return
		}
		if s := blockOfArrays(v.Type); s != nil && c.m.Has(s.ID, spirv.DecorationBlock) {
			c.fail(i, vuid.StandaloneSpirv_Uniform_06925, "%s writes to the uniform block %s; must not write", c.code.Inst(i).Op(), c.name(v.ID)).also(c, v.Index, "the variable")
		}
	}
}

// copied checks the pointers of a copy; ok is false if an operand is no pointer.
func (c *checker) copied(i int, target, source spirv.ID) (t, s *facts.Type, ok bool) {
	t, s = c.m.TypeOf(target), c.m.TypeOf(source)
	if t == nil || s == nil {
		return t, s, false
	}
	for n, p := range [...]*facts.Type{t, s} {
		what, id := "target", target
		if n == 1 {
			what, id = "source", source
		}
		switch {
		case !p.IsPointer():
			c.fail(i, "SPV-CopyMemory-Pointer", "the %s %s is %s; must be a pointer", what, c.name(id), c.typeName(p))
			return t, s, false
		case p.Elem.IsVoid() && c.code.Inst(i).Op() == spirv.OpCopyMemory:
			c.fail(i, "SPV-CopyMemory-Pointer", "the %s %s points to void; must point to an object", what, c.name(id))
			return t, s, false
		}
	}
	c.writable(i, target, t)
	return t, s, true
}

// isRayObject reports whether a type is a ray query or a hit object. Instructions use
// these objects only through pointers.
func isRayObject(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeRayQueryKHR || t.Op == spirv.OpTypeHitObjectNV || t.Op == spirv.OpTypeHitObjectEXT)
}

// noRayQuery checks that an access through a pointer is not to a ray query or a hit
// object.
func (c *checker) noRayQuery(i int, p *facts.Type, what string) {
	if isRayObject(p.Elem) && !c.env.BeforeLegalization {
		c.fail(i, "SPV-Memory-RayQuery", "a %s of %s; must be used through its pointer", what, c.typeName(p.Elem))
	}
}

func (c *checker) copyMemory(i int, in spirv.Inst) {
	v := inst.CopyMemory(in)
	t, s, ok := c.copied(i, v.Target(), v.Source())
	if !ok {
		return
	}
	of := t.Elem
	c.noRayQuery(i, t, "copy")
	switch {
	case t.Op == spirv.OpTypeUntypedPointerKHR && s.Op == spirv.OpTypeUntypedPointerKHR:
		c.fail(i, "SPV-CopyMemory-Pointer", "the target and the source are untyped pointers; one must be typed")
		return
	case t.Op == spirv.OpTypeUntypedPointerKHR:
		of = s.Elem
	case s.Op == spirv.OpTypePointer && t.Elem != s.Elem && t.Elem != nil && s.Elem != nil && !(c.env.BeforeLegalization && sameStructure(t.Elem, s.Elem)):
		c.fail(i, "SPV-CopyMemory-Type", "the target points to %s, the source to %s; must be the same", c.typeName(t.Elem), c.typeName(s.Elem))
	}
	if c.contains(of, holdsRuntime) {
		c.fail(i, "SPV-CopyMemory-RuntimeArray", "a copy of %s, which has no length; must have one", c.typeName(of))
	}
	if c.capable(spirv.CapabilityShader) && c.contains(of, holds8|holds16) {
		c.fail(i, "SPV-Memory-Small", "a copy of %s, which contains values of 8 or 16 bits; must have arithmetic on them", c.typeName(of))
	}
	if c.vulkan && !c.env.BeforeLegalization && opaqueElements(of) {
		c.fail(i, vuid.StandaloneSpirv_OpTypeImage_06924, "a copy to %s; must be to writable memory", c.typeName(of))
	}
	first, _ := v.MemoryAccess()
	second, two := v.MemoryAccess2()
	c.copyAccesses(i, access{writes: t, reads: s, through: of}, accessSet{first, v.MemoryAccessWords()}, accessSet{second, v.MemoryAccess2Words()}, two)
}

func (c *checker) copyMemorySized(i int, in spirv.Inst) {
	v := inst.CopyMemorySized(in)
	t, s, ok := c.copied(i, v.Target(), v.Source())
	if !ok {
		return
	}
	c.copySize(i, v.Size(), t, s)
	if c.capable(spirv.CapabilityShader) && (c.contains(t.Elem, holds8|holds16) || c.contains(s.Elem, holds8|holds16)) {
		c.fail(i, "SPV-Memory-Small", "a copy of memory with values of 8 or 16 bits; must have arithmetic on them")
	}
	first, _ := v.MemoryAccess()
	second, two := v.MemoryAccess2()
	c.copyAccesses(i, access{writes: t, reads: s}, accessSet{first, v.MemoryAccessWords()}, accessSet{second, v.MemoryAccess2Words()}, two)
}

// copySize checks how many bytes are copied.
func (c *checker) copySize(i int, id spirv.ID, t, s *facts.Type) {
	size := c.m.TypeOf(id)
	if size == nil {
		return
	}
	if !size.IsInt() {
		c.fail(i, "SPV-CopyMemory-Size", "the size is %s; must be an integer scalar", c.typeName(size))
		return
	}
	k := c.m.Const(id)
	if k == nil || !k.Known || k.Spec || k.Undef {
		return
	}
	n, _ := k.Int()
	switch {
	case n == 0:
		c.fail(i, "SPV-CopyMemory-Size", "the size is 0; must be greater")
		return
	case n < 0 && size.Signed:
		c.fail(i, "SPV-CopyMemory-Size", "the size is %d; must not be negative", n)
		return
	}
	if !c.capable(spirv.CapabilityShader) {
		return
	}
	if step := max(c.copyStep(t.Storage), c.copyStep(s.Storage)); uint64(n)%step != 0 {
		code := "SPV-CopyMemory-Multiple"
		if c.vulkan {
			code = vuid.RuntimeSpirv_Size_11165
		}
		c.fail(i, code, "the size is %d; must be a multiple of %d", n, step)
	}
}

// copyStep returns the bytes of which the size of a copy is a multiple.
func (c *checker) copyStep(s spirv.StorageClass) uint64 {
	var of8, of16 bool
	switch s {
	case spirv.StorageClassUniform:
		of8 = c.capable(spirv.CapabilityUniformAndStorageBuffer8BitAccess)
		of16 = c.capable(spirv.CapabilityUniformAndStorageBuffer16BitAccess)
	case spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer:
		of8 = c.capable(spirv.CapabilityStorageBuffer8BitAccess)
		of16 = c.capable(spirv.CapabilityStorageBuffer16BitAccess)
	case spirv.StorageClassPushConstant:
		of8, of16 = c.capable(spirv.CapabilityStoragePushConstant8), c.capable(spirv.CapabilityStoragePushConstant16)
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		of16 = c.capable(spirv.CapabilityStorageInputOutput16)
	case spirv.StorageClassWorkgroup:
		of8 = c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR)
		of16 = c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
	}
	switch {
	case of8 || c.capable(spirv.CapabilityInt8):
		return 1
	case of16 || c.anyCapable(spirv.CapabilityInt16, spirv.CapabilityFloat16):
		return 2
	}
	return 4
}
