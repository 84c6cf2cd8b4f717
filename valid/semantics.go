package valid

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// semanticsFamily checks the operands that are memory semantics (SPIR-V
// §3.2.25), which atomics and barriers have.
var semanticsFamily = family{
	rules: []Rule{
		{Code: "SPV-Semantics-Constant", Section: "SPIR-V 3.2.25", Words: "in shaders, memory semantics are an OpConstant, or any constant with CooperativeMatrixNV"},
		{Code: "SPV-Semantics-Order", Section: "SPIR-V 3.2.25", Words: "memory semantics have at most one memory order"},
		{Code: "SPV-Semantics-Sequential", Section: "SPIR-V 3.2.25", Words: "with the Vulkan memory model, no memory order is SequentiallyConsistent"},
		{Code: "SPV-Semantics-Model", Section: "SPIR-V 3.2.25", Words: "OutputMemory, MakeAvailable, MakeVisible and Volatile need the capability VulkanMemoryModel"},
		{Code: "SPV-Semantics-Uniform", Section: "SPIR-V 3.2.25", Words: "UniformMemory needs the capability Shader"},
		{Code: "SPV-Semantics-Access", Section: "SPIR-V 3.3.18", Words: "a load does not release and a store does not acquire, as in C and OpenCL"},
		{Code: "SPV-Semantics-Available", Section: "SPIR-V 3.2.25", Words: "MakeAvailable requires Release or AcquireRelease, and a storage class"},
		{Code: "SPV-Semantics-Visible", Section: "SPIR-V 3.2.25", Words: "MakeVisible requires Acquire or AcquireRelease, and a storage class"},
		{Code: "SPV-Semantics-Volatile", Section: "SPIR-V 3.2.25", Words: "only atomic instructions have Volatile among their semantics, and a comparison has it among both or none"},
		{Code: "SPV-Semantics-Unequal", Section: "SPIR-V 3.3.18", Words: "the Unequal semantics have neither Release nor AcquireRelease"},
		{Code: "SPV-Semantics-Stronger", Section: "SPIR-V 3.3.18", Words: "the memory order of the Unequal semantics is not stronger than the order of the Equal semantics"},
		{Code: "SPV-Semantics-FlagClear", Section: "SPIR-V 3.3.18", Words: "the semantics of OpAtomicFlagClear have neither Acquire nor AcquireRelease"},
		{Code: vuid.StandaloneSpirv_None_04641, Section: environment, Words: "with the scope Invocation, the memory order is relaxed"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10865, Section: environment, Words: "memory semantics have at most one of Acquire, Release and AcquireRelease"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10866, Section: environment, Words: "no memory order is SequentiallyConsistent"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10867, Section: environment, Words: "OpAtomicStore has neither Acquire nor AcquireRelease"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10868, Section: environment, Words: "OpAtomicLoad has neither Release nor AcquireRelease"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10869, Section: environment, Words: "OpMemoryBarrier has a memory order that is not relaxed"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10870, Section: environment, Words: "a memory order that is not relaxed requires a storage class of Vulkan"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10871, Section: environment, Words: "a storage class of Vulkan requires a memory order that is not relaxed"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10872, Section: environment, Words: "MakeAvailable requires Release or AcquireRelease"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_10873, Section: environment, Words: "MakeVisible requires Acquire or AcquireRelease"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_13551, Section: environment, Words: "no barrier is Volatile"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_13556, Section: environment, Words: "the only memory order of OpControlBarrierArriveEXT is Release"},
		{Code: vuid.StandaloneSpirv_MemorySemantics_13557, Section: environment, Words: "the only memory order of OpControlBarrierWaitEXT is Acquire"},
		{Code: vuid.StandaloneSpirv_UnequalMemorySemantics_10875, Section: environment, Words: "the Unequal semantics have neither Release nor AcquireRelease"},
		{Code: vuid.StandaloneSpirv_UnequalMemorySemantics_10876, Section: environment, Words: "the memory order of the Unequal semantics is not stronger than the order of the Equal semantics"},
		{Code: vuid.StandaloneSpirv_UnequalMemorySemantics_10877, Section: environment, Words: "each storage class of the Unequal semantics is also in the Equal semantics"},
		{Code: vuid.StandaloneSpirv_UnequalMemorySemantics_10878, Section: environment, Words: "the Unequal semantics have MakeVisible only if the Equal semantics have it"},
		{Code: vuid.StandaloneSpirv_UnequalMemorySemantics_10879, Section: environment, Words: "the Unequal semantics are Volatile if and only if the Equal semantics are"},
	},
}

// semantics is a set of bits of memory semantics.
type semantics = spirv.MemorySemantics

// The sets of bits that rules speak of.
const (
	acquires = spirv.MemorySemanticsAcquireMask | spirv.MemorySemanticsAcquireReleaseMask
	releases = spirv.MemorySemanticsReleaseMask | spirv.MemorySemanticsAcquireReleaseMask
	orders   = acquires | releases | spirv.MemorySemanticsSequentiallyConsistentMask

	vulkanClasses = spirv.MemorySemanticsUniformMemoryMask | spirv.MemorySemanticsWorkgroupMemoryMask |
		spirv.MemorySemanticsImageMemoryMask | spirv.MemorySemanticsOutputMemoryMask
	storageClasses = vulkanClasses | spirv.MemorySemanticsSubgroupMemoryMask |
		spirv.MemorySemanticsCrossWorkgroupMemoryMask | spirv.MemorySemanticsAtomicCounterMemoryMask
)

// semanticsOperand checks the memory semantics of instruction i; s is the scope
// for memory, if scoped. It returns the semantics; ok is false if they are
// not known.
func (c *scopes) semanticsOperand(i int, id spirv.ID, s spirv.Scope, scoped bool) (m semantics, ok bool) {
	v, ok := c.constantOperand(i, id, "memory semantics", "SPV-Semantics-Constant")
	if !ok {
		return 0, false
	}
	m = semantics(v)
	op := c.code.Inst(i).Op()
	order := m & orders
	if bits.OnesCount32(uint32(order)) > 1 {
		code := "SPV-Semantics-Order"
		if c.vulkan {
			code = vuid.StandaloneSpirv_MemorySemantics_10865
		}
		c.fail(i, code, "the memory semantics of %s are %s; must have at most one memory order", op, m)
	}
	if order&spirv.MemorySemanticsSequentiallyConsistentMask != 0 {
		switch {
		case c.older():
			c.fail(i, vuid.StandaloneSpirv_MemorySemantics_10866, "the memory order of %s is SequentiallyConsistent, which %s treats as AcquireRelease; should be AcquireRelease", op, text11).warn()
		case c.vulkan:
			c.fail(i, vuid.StandaloneSpirv_MemorySemantics_10866, "the memory order of %s is SequentiallyConsistent; must be another order", op)
		case c.m.Memory == spirv.MemoryModelVulkan:
			c.fail(i, "SPV-Semantics-Sequential", "the memory order of %s is SequentiallyConsistent in the Vulkan memory model; must be another order", op)
		}
	}
	const modern = spirv.MemorySemanticsOutputMemoryMask | spirv.MemorySemanticsMakeAvailableMask |
		spirv.MemorySemanticsMakeVisibleMask | spirv.MemorySemanticsVolatileMask
	if m&modern != 0 && !c.capable(spirv.CapabilityVulkanMemoryModel) {
		c.fail(i, "SPV-Semantics-Model", "the memory semantics of %s have %s; needs the capability VulkanMemoryModel", op, m&modern)
	}
	if m&spirv.MemorySemanticsUniformMemoryMask != 0 && !c.capable(spirv.CapabilityShader) {
		c.fail(i, "SPV-Semantics-Uniform", "the memory semantics of %s have UniformMemory; needs the capability Shader", op)
	}
	if !c.vulkan && m&spirv.MemorySemanticsVolatileMask != 0 && op.Class() != spirv.ClassAtomic { // Vulkan has a rule of its own
		c.fail(i, "SPV-Semantics-Volatile", "the memory semantics of %s have Volatile; must be an atomic instruction", op)
	}
	as := m
	if c.older() && order&spirv.MemorySemanticsSequentiallyConsistentMask != 0 {
		as = m&^spirv.MemorySemanticsSequentiallyConsistentMask | spirv.MemorySemanticsAcquireReleaseMask
	}
	c.availability(i, op, as)
	c.accessOrder(i, op, as)
	if c.vulkan {
		c.barrierSemantics(i, op, as)
	}
	if c.vulkan || c.m.Memory == spirv.MemoryModelVulkan { // the rules of this model are Vulkan's in every environment
		c.orderSemantics(i, op, as)
		if scoped && s == spirv.ScopeInvocation && order != 0 {
			c.fail(i, vuid.StandaloneSpirv_None_04641, "the memory order of %s is %s with the scope Invocation; must be relaxed", op, order)
		}
	}
	return m, true
}

// availability checks MakeAvailable and MakeVisible.
func (c *scopes) availability(i int, op spirv.Op, m semantics) {
	for _, k := range [...]struct {
		bit, with      semantics
		code, vulkan   string
		first, another string
	}{
		{spirv.MemorySemanticsMakeAvailableMask, releases, "SPV-Semantics-Available", vuid.StandaloneSpirv_MemorySemantics_10872, "Release", "AcquireRelease"},
		{spirv.MemorySemanticsMakeVisibleMask, acquires, "SPV-Semantics-Visible", vuid.StandaloneSpirv_MemorySemantics_10873, "Acquire", "AcquireRelease"},
	} {
		if m&k.bit == 0 {
			continue
		}
		if m&k.with == 0 {
			code := k.code
			if c.vulkan {
				code = k.vulkan
			}
			c.fail(i, code, "the memory semantics of %s are %s; must have with %s also %s or %s", op, m, k.bit, k.first, k.another)
		} else if m&storageClasses == 0 {
			c.fail(i, k.code, "the memory semantics of %s are %s; must have with %s also a storage class", op, m, k.bit)
		}
	}
}

// isBarrier reports whether an instruction is a barrier.
func isBarrier(op spirv.Op) bool {
	switch op {
	case spirv.OpControlBarrier, spirv.OpMemoryBarrier, spirv.OpControlBarrierArriveEXT, spirv.OpControlBarrierWaitEXT:
		return true
	}
	return false
}

// accessOrder checks the memory orders of loads and stores.
func (c *scopes) accessOrder(i int, op spirv.Op, m semantics) {
	code, wrong, other := "SPV-Semantics-Access", acquires, "Release"
	switch op {
	case spirv.OpAtomicStore:
		if c.vulkan {
			code = vuid.StandaloneSpirv_MemorySemantics_10867
		}
	case spirv.OpAtomicLoad:
		wrong, other = releases, "Acquire"
		if c.vulkan {
			code = vuid.StandaloneSpirv_MemorySemantics_10868
		}
	default:
		return
	}
	if m&wrong != 0 && (c.vulkan || bits.OnesCount32(uint32(m&orders)) == 1) { // of several orders, another rule tells
		c.fail(i, code, "the memory order of %s is %s; must be %s or relaxed", op, m&orders, other)
	}
}

// orderSemantics checks Vulkan's rules on orders and storage classes: an order has a storage class, and a storage class an order.
func (c *scopes) orderSemantics(i int, op spirv.Op, m semantics) {
	order, classes := m&orders, m&vulkanClasses
	if order != 0 && classes == 0 {
		c.fail(i, vuid.StandaloneSpirv_MemorySemantics_10870, "the memory order of %s is %s without a storage class; must have UniformMemory, WorkgroupMemory, ImageMemory or OutputMemory", op, order).unstated(c.older() && !isBarrier(op))
	}
	if order == 0 && classes != 0 && op != spirv.OpMemoryBarrier && !c.older() { // OpMemoryBarrier has a rule of its own
		c.fail(i, vuid.StandaloneSpirv_MemorySemantics_10871, "the memory semantics of %s are %s without a memory order; must have Acquire, Release or AcquireRelease", op, m)
	}
	if op == spirv.OpMemoryBarrier && order == 0 {
		c.fail(i, vuid.StandaloneSpirv_MemorySemantics_10869, "the memory order of OpMemoryBarrier is relaxed; must be Acquire, Release or AcquireRelease")
	}
}

// barrierSemantics checks Vulkan's rules on barriers.
func (c *scopes) barrierSemantics(i int, op spirv.Op, m semantics) {
	order := m & orders
	if isBarrier(op) && m&spirv.MemorySemanticsVolatileMask != 0 {
		c.fail(i, vuid.StandaloneSpirv_MemorySemantics_13551, "the memory semantics of %s have Volatile; must not have it", op)
	}
	switch op {
	case spirv.OpControlBarrierArriveEXT:
		if order&^spirv.MemorySemanticsReleaseMask != 0 {
			c.fail(i, vuid.StandaloneSpirv_MemorySemantics_13556, "the memory order of %s is %s; must be Release or relaxed", op, order)
		}
	case spirv.OpControlBarrierWaitEXT:
		if order&^spirv.MemorySemanticsAcquireMask != 0 {
			c.fail(i, vuid.StandaloneSpirv_MemorySemantics_13557, "the memory order of %s is %s; must be Acquire or relaxed", op, order)
		}
	}
}

// unequalSemantics checks the semantics of an unequal comparison beside those
// of an equal one.
func (c *scopes) unequalSemantics(i int, op spirv.Op, equal, unequal semantics) {
	if unequal&releases != 0 {
		code := "SPV-Semantics-Unequal"
		if c.vulkan {
			code = vuid.StandaloneSpirv_UnequalMemorySemantics_10875
		}
		c.fail(i, code, "the Unequal semantics of %s are %s; must have neither Release nor AcquireRelease", op, unequal)
	}
	if !c.vulkan {
		if (unequal^equal)&spirv.MemorySemanticsVolatileMask != 0 {
			c.fail(i, "SPV-Semantics-Volatile", "one of the memory semantics of %s is Volatile; must be both or none", op)
		}
		strongest := unequal & spirv.MemorySemanticsSequentiallyConsistentMask &^ equal
		if unequal&orders != 0 && equal&orders == 0 || strongest != 0 {
			c.fail(i, "SPV-Semantics-Stronger", "the Unequal memory order of %s is %s, the Equal memory order is %s; must not be stronger", op, unequal&orders, equal&orders)
		}
		return
	}
	if unequal&orders != 0 && equal&orders == 0 {
		c.fail(i, vuid.StandaloneSpirv_UnequalMemorySemantics_10876, "the Unequal memory order of %s is %s, the Equal memory order is relaxed; must not be stronger", op, unequal&orders)
	}
	if more := unequal & vulkanClasses &^ equal; more != 0 {
		c.fail(i, vuid.StandaloneSpirv_UnequalMemorySemantics_10877, "the Unequal semantics of %s have %s; must also be in the Equal semantics", op, more)
	}
	if unequal&^equal&spirv.MemorySemanticsMakeVisibleMask != 0 {
		c.fail(i, vuid.StandaloneSpirv_UnequalMemorySemantics_10878, "the Unequal semantics of %s have MakeVisible; must also be in the Equal semantics", op)
	}
	if (unequal^equal)&spirv.MemorySemanticsVolatileMask != 0 {
		c.fail(i, vuid.StandaloneSpirv_UnequalMemorySemantics_10879, "one of the memory semantics of %s is Volatile; must be both or none", op)
	}
}
