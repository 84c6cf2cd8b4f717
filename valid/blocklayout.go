package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// blockLayoutFamily checks the explicit layout of blocks: the offsets of members
// and the strides of arrays and matrices (Vulkan, Shader Interfaces, Offset and
// Stride Assignment; SPIR-V §2.16.2). It runs after the walk, over all
// variables and all instructions that access memory without a variable.
//
// Sizes and alignments come from facts/layout.go, descriptor sizes of a device
// from descriptorlayout.go. blockmember.go checks one struct; this file finds
// the structs to check. That a variable has a block type at all is checked by
// variable_kind.go and resource.go.
var blockLayoutFamily = family{
	rules: []Rule{
		{Code: "SPV-Block-Missing", Section: "SPIR-V 2.16.2", Words: "in a block, members have an Offset, arrays an ArrayStride, and matrices a MatrixStride and RowMajor or ColMajor"},
		{Code: "SPV-Block-Alignment", Section: "Vulkan, Offset and Stride Assignment", Words: "offsets and strides in a block are multiples of the alignment that its layout requires"},
		{Code: "SPV-Block-Overlap", Section: "Vulkan, Offset and Stride Assignment", Words: "no member of a block overlaps another member, or the padding of an array or struct"},
		{Code: "SPV-Block-Straddle", Section: "Vulkan, Offset and Stride Assignment", Words: "no vector of a block straddles 16 bytes improperly"},
		{Code: "SPV-Block-Stride", Section: "Vulkan, Offset and Stride Assignment", Words: "the stride of an array or a matrix in a block is at least the size of an element, a column or a row"},
		{Code: vuid.StandaloneSpirv_None_10684, Section: "Vulkan, Shader Validation", Words: "memory without an explicit layout holds no type with one, and an array of descriptors has no stride"},
	},
	after: []func(*checker){(*checker).blocks},
}

// blockRule is the alignment rule of a block.
type blockRule struct {
	align   facts.Rule
	relaxed bool // vectors are aligned as their components
}

// blockCheck is the check of one block. A struct is checked once per alignment
// rule and offset modulo 16, since only the offset modulo 16 decides whether a
// vector straddles.
type blockCheck struct {
	c     *checker
	rule  blockRule
	via   int // the variable or instruction that refers to the block
	sc    spirv.StorageClass
	heap  *descriptorLayout
	todo  []laidOutStruct
	seen  []uint64 // by type: the checked rules, and at which bytes modulo 16
	order []int    // scratch: the members of a struct, sorted by offset
}

// blocks checks the blocks of variables, and the types accessed through pointers
// that belong to no variable.
func (c *checker) blocks() {
	switch {
	case c.vulkan:
		c.noLayout()
	case !c.capable(spirv.CapabilityShader):
		return
	}
	b := blockCheck{c: c, seen: make([]uint64, len(c.m.Types)), heap: c.descriptorLayout()}
	for n := range c.m.Variables {
		if v := &c.m.Variables[n]; v.Func == nil {
			b.variable(v)
		}
	}
	if c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 || c.anyCapable(spirv.CapabilityUntypedPointersKHR, spirv.CapabilityDescriptorHeapEXT) {
		for i, in := range c.code.All() {
			b.reference(i, in)
		}
	}
}

// variable checks the block of a variable, if its storage class has blocks.
func (b *blockCheck) variable(v *facts.Variable) {
	t := v.Type
	if t == nil || v.Pointer == nil || v.Pointer.Op == spirv.OpTypeUntypedPointerKHR {
		return // see reference
	}
	if !explicit(v.Storage) || v.Storage == spirv.StorageClassWorkgroup && !b.c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
		return
	}
	if t = core(t); t.IsStruct() && b.c.isBlock(t) && (b.c.vulkan || b.c.laidOut(v.Storage, t)) {
		b.root(v.Index, v.Storage, t)
	}
}

// laidOut reports whether a block must be laid out in every environment: of a buffer, of push constants or of shared memory, with the
// decoration of its storage class.
func (c *checker) laidOut(sc spirv.StorageClass, t *facts.Type) bool {
	switch sc {
	case spirv.StorageClassUniform:
		return c.isBlock(t)
	case spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassWorkgroup,
		spirv.StorageClassShaderRecordBufferKHR:
		return c.m.Has(t.ID, spirv.DecorationBlock)
	}
	return false
}

// explicit reports whether types in a storage class have an explicit layout.
func explicit(sc spirv.StorageClass) bool {
	switch sc {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer,
		spirv.StorageClassShaderRecordBufferKHR, spirv.StorageClassWorkgroup:
		return true
	}
	return false
}

// reference checks the type through which an instruction accesses memory: by a
// physical pointer, by a pointer to a buffer of a heap, or by an untyped one.
func (b *blockCheck) reference(i int, in spirv.Inst) {
	c := b.c
	op := in.Op()
	var to spirv.ID // the pointer, or the variable
	var pointer, data *facts.Type
	switch op {
	case spirv.OpUntypedVariableKHR:
		if v := c.m.Variable(in.Result()); v != nil {
			to, pointer, data = v.ID, v.Pointer, v.Type
		}
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		to, pointer, data = in.Result(), c.m.Type(in.Type()), c.m.Type(inst.UntypedAccessChainKHR(in).BaseType())
	case spirv.OpUntypedArrayLengthKHR:
		v := inst.UntypedArrayLengthKHR(in)
		to, data = v.Pointer(), c.m.Type(v.Structure())
		pointer = c.m.TypeOf(to)
	case spirv.OpStore:
		v := inst.Store(in)
		to, data = v.Pointer(), c.m.TypeOf(v.Object())
		pointer = c.m.TypeOf(to)
	default:
		if !op.HasType() {
			return
		}
		t := c.m.Type(in.Type())
		if t != nil && t.Op == spirv.OpTypePointer && t.Elem != nil && (t.Storage == spirv.StorageClassPhysicalStorageBuffer || op == spirv.OpBufferPointerEXT) {
			b.access(i, t.Storage, t.Elem)
		}
		if op != spirv.OpLoad {
			return
		}
		to, data = inst.Load(in).Pointer(), t
		pointer = c.m.TypeOf(to)
	}
	if pointer == nil || pointer.Op != spirv.OpTypeUntypedPointerKHR || data == nil || !b.hasLayout(to, pointer) {
		return
	}
	if data.IsArray() && data.Elem.IsStruct() && c.isBlock(data.Elem) {
		data = data.Elem // an array of descriptors
	}
	b.access(i, pointer.Storage, data)
}

// hasLayout reports whether the memory of an untyped pointer has an explicit layout: its storage class does, or it is a heap. A resource of
// a binding in UniformConstant has none.
func (b *blockCheck) hasLayout(pointer spirv.ID, t *facts.Type) bool {
	if t.Storage != spirv.StorageClassUniformConstant {
		return explicit(t.Storage)
	}
	v := b.c.origin(pointer)
	return v == nil || b.c.isHeap(v)
}

// access checks a type through which memory of a storage class is accessed; outside of Vulkan only blocks.
func (b *blockCheck) access(via int, sc spirv.StorageClass, t *facts.Type) {
	if !b.c.vulkan {
		if t = core(t); !t.IsStruct() || !b.c.laidOut(sc, t) {
			return
		}
	}
	b.root(via, sc, t)
}

// root checks a type through which memory of a storage class is accessed.
func (b *blockCheck) root(via int, sc spirv.StorageClass, t *facts.Type) {
	b.via, b.sc, b.rule = via, sc, b.c.ruleOf(sc, !b.c.m.Has(t.ID, spirv.DecorationBufferBlock))
	b.todo = b.todo[:0]
	b.parts(spot{t: t, n: -1, first: true}, 0, &facts.Member{Type: t})
	for len(b.todo) > 0 {
		p := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		b.structure(p)
	}
}

// ruleOf returns the alignment rule of blocks in a storage class: std140 for
// uniform blocks, std430 else, scalar if the layout options or the device's
// features permit it.
func (c *checker) ruleOf(sc spirv.StorageClass, block bool) blockRule {
	l := c.env.Layout
	on := func(name string) bool { v, known := c.env.Device.feature(name); return v && known }
	scalar := l.Scalar || on("scalarBlockLayout")
	if sc == spirv.StorageClassWorkgroup {
		scalar = l.WorkgroupScalar || on("workgroupMemoryExplicitLayoutScalarBlockLayout")
	}
	switch {
	case scalar:
		return blockRule{align: facts.Scalar}
	case sc == spirv.StorageClassUniform && block && !l.UniformStandard && !on("uniformBufferStandardLayout"):
		return blockRule{facts.Extended, c.relaxed()}
	}
	return blockRule{facts.Base, c.relaxed()}
}

// relaxed reports whether vectors may be aligned as their components.
func (c *checker) relaxed() bool {
	return c.env.Layout.Relaxed || c.env.Version >= Vulkan11
}

// noLayout checks that no variable without an explicit layout has a type with
// one, and that no array of descriptors has a stride. A pointer type that no
// variable has is no use of its pointee (Vulkan, Shader Interfaces: "used by variables").
func (c *checker) noLayout() {
	laid := c.laidTypes()
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		t := v.Type
		if t == nil || v.Pointer == nil {
			continue
		}
		if v.Pointer.ArrayStride != 0 && !c.mayLayout(v.Storage) && !c.isHeap(v) {
			c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "a variable in %s by the pointer type %s, which has an ArrayStride; must have none", v.Storage, c.name(v.Pointer.ID)).also(c, v.Pointer.Index, "the pointer type")
		}
		untyped := v.Pointer.Op == spirv.OpTypeUntypedPointerKHR
		switch v.Storage {
		case spirv.StorageClassWorkgroup:
			block := t.IsStruct() && c.m.Has(t.ID, spirv.DecorationBlock)
			switch {
			case !untyped && laid[t.Number] && !c.mayLayout(v.Storage):
				c.laidVariable(v, t)
			case block:
			case untyped:
				c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "an untyped variable in Workgroup of the type %s, which is no Block; must be a Block", c.name(t.ID)).also(c, t.Index, "the type")
			case laid[t.Number]:
				c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "a variable in Workgroup of the type %s, which has an explicit layout and is no Block; must be a Block", c.name(t.ID)).also(c, t.Index, "the type")
			}
		case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
			if t.IsArray() && t.Elem.IsStruct() && (t.ArrayStride != 0 || c.m.Has(t.ID, spirv.DecorationArrayStrideIdEXT)) {
				c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "a variable in %s of the type %s, an array of descriptors with a stride; must have none", v.Storage, c.name(t.ID)).also(c, t.Index, "the type")
			}
		default:
			if laid[t.Number] && !c.mayLayout(v.Storage) && !c.isHeap(v) {
				c.laidVariable(v, t)
			}
		}
	}
}

// laidVariable reports a variable whose type has an explicit layout.
func (c *checker) laidVariable(v *facts.Variable, t *facts.Type) {
	c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "a variable in %s of the type %s, which has an explicit layout; must have none", v.Storage, c.name(t.ID)).also(c, t.Index, "the type")
}

// laidTypes returns, by type number, whether the type has an explicit layout.
func (c *checker) laidTypes() []bool {
	laid := c.memory.flags.Alloc(len(c.m.Types))
	for n := range c.m.Types {
		t := &c.m.Types[n]
		// Through a group, the order of a matrix is on a type (annotation.go).
		laid[n] = c.m.Has(t.ID, spirv.DecorationRowMajor) || c.m.Has(t.ID, spirv.DecorationColMajor) || c.m.Has(t.ID, spirv.DecorationMatrixStride)
		switch {
		case t.IsArray():
			laid[n] = laid[n] || t.ArrayStride != 0 || c.m.Has(t.ID, spirv.DecorationArrayStrideIdEXT) || t.Elem != nil && t.Elem.Index < t.Index && laid[t.Elem.Number]
		case t.IsStruct():
			laid[n] = laid[n] || c.isBlock(t)
			for k := range t.Members {
				m := &t.Members[k]
				laid[n] = laid[n] || m.HasOffset || m.HasMatrixStride || c.m.HasMember(t.ID, k, spirv.DecorationOffsetIdEXT) ||
					c.m.HasMember(t.ID, k, spirv.DecorationRowMajor) || c.m.HasMember(t.ID, k, spirv.DecorationColMajor) ||
					m.Type != nil && m.Type.Index < t.Index && laid[m.Type.Number]
			}
		}
	}
	return laid
}

// mayLayout reports whether variables in a storage class may have an explicit
// layout.
func (c *checker) mayLayout(sc spirv.StorageClass) bool {
	switch sc {
	case spirv.StorageClassUniformConstant:
		return false
	case spirv.StorageClassWorkgroup:
		return c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		return !c.since(spirv.Version15)
	}
	return true
}
