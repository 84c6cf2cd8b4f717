package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// memoryAccessFamily checks memory operands (SPIR-V §3.2.26), which loads,
// stores, copies and the like have.
var memoryAccessFamily = family{
	rules: []Rule{
		{Code: "SPV-MemoryAccess-Aligned", Section: "SPIR-V 3.2.26", Words: "an access to physical storage buffers has Aligned"},
		{Code: "SPV-MemoryAccess-Alignment", Section: "SPIR-V 3.2.26", Words: "an alignment is a power of two; for physical storage buffers it is at least the size of the widest accessed scalar"},
		{Code: "SPV-MemoryAccess-Available", Section: "SPIR-V 3.2.26", Words: "MakePointerAvailable is for writes, and requires NonPrivatePointer"},
		{Code: "SPV-MemoryAccess-Visible", Section: "SPIR-V 3.2.26", Words: "MakePointerVisible is for reads, and requires NonPrivatePointer"},
		{Code: "SPV-MemoryAccess-NonPrivate", Section: "SPIR-V 3.2.26", Words: "NonPrivatePointer is for pointers to shared memory"},
		{Code: "SPV-MemoryAccess-Alias", Section: "SPIR-V, SPV_INTEL_memory_access_aliasing", Words: "the lists of AliasScopeINTEL and NoAliasINTEL are results of OpAliasScopeListDeclINTEL"},
		{Code: "SPV-MemoryAccess-Two", Section: "SPIR-V 3.3.8", Words: "two sets of memory operands need SPIR-V 1.4"},
		{Code: vuid.StandaloneSpirv_PhysicalStorageBuffer64_04708, Section: environment, Words: "an access to physical storage buffers has Aligned"},
		{Code: vuid.StandaloneSpirv_PhysicalStorageBuffer64_06314, Section: environment, Words: "the alignment of an access to physical storage buffers is a multiple of the widest accessed scalar"},
	},
}

// access is the memory accesses of an instruction.
type access struct {
	writes, reads *facts.Type // the types of the pointers for writing and reading; nil if there is none
	through       *facts.Type // the accessed type, if no typed pointer has it
}

// accesses checks the memory operands of instruction i: the mask, 0 if there
// is none, and its parameters.
func (c *position) accesses(i int, a access, mask spirv.MemoryAccess, words []uint32) {
	op := c.code.Inst(i).Op()
	switch {
	case mask&spirv.MemoryAccessAlignedMask != 0 && len(words) > 0:
		c.alignment(i, a, words[0])
		words = words[1:]
	case physical(a.writes) || physical(a.reads):
		code := "SPV-MemoryAccess-Aligned"
		if c.vulkan {
			code = vuid.StandaloneSpirv_PhysicalStorageBuffer64_04708
		}
		c.fail(i, code, "%s accesses a physical storage buffer without Aligned; must have it", op)
	}
	c.aliasLists(i, mask, words)
	if mask&(spirv.MemoryAccessMakePointerAvailableMask|spirv.MemoryAccessMakePointerVisibleMask|spirv.MemoryAccessNonPrivatePointerMask) == 0 {
		return
	}
	for _, k := range [...]struct {
		bit   spirv.MemoryAccess
		takes bool
		code  string
		name  string
	}{
		{spirv.MemoryAccessMakePointerAvailableMask, a.writes != nil, "SPV-MemoryAccess-Available", "MakePointerAvailable"},
		{spirv.MemoryAccessMakePointerVisibleMask, a.reads != nil, "SPV-MemoryAccess-Visible", "MakePointerVisible"},
	} {
		if mask&k.bit == 0 {
			continue
		}
		switch {
		case !k.takes:
			c.fail(i, k.code, "%s has %s with a pointer that it does not access so; must have it only for such an access", op, k.name)
		case mask&spirv.MemoryAccessNonPrivatePointerMask == 0:
			c.fail(i, k.code, "%s without NonPrivatePointer; must have both", k.name)
		}
		if len(words) > 0 {
			c.operandScope(i, spirv.ID(words[0]))
			words = words[1:]
		}
	}
	if mask&spirv.MemoryAccessNonPrivatePointerMask == 0 {
		return
	}
	for _, p := range [...]*facts.Type{a.writes, a.reads} {
		if p != nil && !sharedClass(p.Storage) {
			c.fail(i, "SPV-MemoryAccess-NonPrivate", "NonPrivatePointer with a pointer to %s; must be shared memory", p.Storage)
		}
	}
}

// aliasLists checks the lists of alias scopes of a memory access. They follow the
// scopes of MakePointerAvailable and MakePointerVisible; words begin after the alignment.
func (c *subject) aliasLists(i int, mask spirv.MemoryAccess, words []uint32) {
	for bit := spirv.MemoryAccessMakePointerAvailableMask; bit <= spirv.MemoryAccessNoAliasINTELMaskMask && len(words) > 0; bit <<= 1 {
		if mask&bit == 0 || bit == spirv.MemoryAccessNonPrivatePointerMask {
			continue
		}
		if bit >= spirv.MemoryAccessAliasScopeINTELMaskMask {
			c.aliasList(i, spirv.ID(words[0]))
		}
		words = words[1:]
	}
}

// aliasList checks that an id is a list of alias scopes.
func (c *subject) aliasList(i int, id spirv.ID) {
	if d := c.code.DefInst(id); d != nil && d.Op() != spirv.OpAliasScopeListDeclINTEL {
		c.fail(i, "SPV-MemoryAccess-Alias", "%s has the alias scopes %s, the result of %s; must be the result of OpAliasScopeListDeclINTEL", c.code.Inst(i).Op(), c.name(id), d.Op())
	}
}

// physical reports whether a pointer is into a physical storage buffer.
func physical(p *facts.Type) bool {
	return p != nil && p.Storage == spirv.StorageClassPhysicalStorageBuffer
}

// sharedClass reports whether NonPrivatePointer is allowed for a storage class.
func sharedClass(s spirv.StorageClass) bool {
	switch s {
	case spirv.StorageClassUniform, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric,
		spirv.StorageClassImage, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer,
		spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassShaderRecordBufferKHR:
		return true
	}
	return false
}

// alignment checks an alignment against the accessed type.
func (c *subject) alignment(i int, a access, n uint32) {
	if n == 0 || n&(n-1) != 0 {
		c.fail(i, "SPV-MemoryAccess-Alignment", "the alignment is %d; must be a power of two", n)
		return
	}
	var widest uint32
	for _, p := range [...]*facts.Type{a.writes, a.reads} {
		if physical(p) {
			widest = max(widest, c.widest(p.Elem), c.widest(a.through))
		}
	}
	if widest == 0 || n%widest == 0 {
		return
	}
	code := "SPV-MemoryAccess-Alignment"
	if c.vulkan {
		code = vuid.StandaloneSpirv_PhysicalStorageBuffer64_06314
	}
	c.fail(i, code, "the alignment is %d; must be a multiple of %d, the bytes of the widest scalar", n, widest)
}

// accessSet is one set of memory operands.
type accessSet struct {
	mask  spirv.MemoryAccess
	words []uint32
}

// copyAccesses checks the memory operands of a copy. There may be two sets: one
// for the target, then one for the source.
func (c *position) copyAccesses(i int, a access, first, second accessSet, two bool) {
	if !two {
		c.accesses(i, a, first.mask, first.words)
		return
	}
	if !c.since(spirv.Version14) {
		c.fail(i, "SPV-MemoryAccess-Two", "%s has two sets of memory operands in SPIR-V %s; must be 1.4 or later", c.code.Inst(i).Op(), c.version)
	}
	c.accesses(i, access{writes: a.writes, through: a.through}, first.mask, first.words)
	c.accesses(i, access{reads: a.reads, through: a.through}, second.mask, second.words)
}
