package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// miscellaneousFamily checks the miscellaneous instructions (SPIR-V §3.3.1),
// accesses to memory under a condition, and the print of debug information.
var miscellaneousFamily = family{
	rules: []Rule{
		{Code: "SPV-Freeze-Type", Section: "SPIR-V, SPV_KHR_poison_freeze", Words: "OpFreezeKHR has the type of its operand"},
		{Code: "SPV-Poison-Type", Section: "SPIR-V, SPV_KHR_poison_freeze", Words: "OpPoisonKHR has a type of values"},
		{Code: "SPV-ArithmeticFence-Type", Section: "SPIR-V, SPV_EXT_arithmetic_fence", Words: "the target of OpArithmeticFenceEXT is a scalar or vector of floats of the result's type"},
		{Code: "SPV-Predicated-Pointer", Section: "SPIR-V, SPV_INTEL_predicated_io", Words: "a predicated access has a pointer to the type of the loaded or stored value"},
		{Code: "SPV-Predicated-Value", Section: "SPIR-V, SPV_INTEL_predicated_io", Words: "a predicated access is to a number or a vector of numbers, and not Volatile"},
		{Code: "SPV-Predicated-Condition", Section: "SPIR-V, SPV_INTEL_predicated_io", Words: "the predicate of an access is a Boolean scalar"},
		{Code: "SPV-Predicated-Default", Section: "SPIR-V, SPV_INTEL_predicated_io", Words: "the default of a predicated load has the result type"},
		{Code: "SPV-DebugPrintf-Format", Section: "NonSemantic.DebugPrintf", Words: "the format of DebugPrintf is an OpString, and its arguments are values"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpFreezeKHR:            (*checker).freeze,
		spirv.OpPoisonKHR:            (*checker).poison,
		spirv.OpArithmeticFenceEXT:   (*checker).arithmeticFence,
		spirv.OpPredicatedLoadINTEL:  (*checker).predicatedLoad,
		spirv.OpPredicatedStoreINTEL: (*checker).predicatedStore,
	},
}

func (c *checker) freeze(i int, in spirv.Inst) {
	v := inst.FreezeKHR(in)
	if t, got := c.m.Type(v.Type()), c.m.TypeOf(v.Value()); t != nil && got != nil && t != got {
		c.fail(i, "SPV-Freeze-Type", "the value is %s; must be %s, like the result", c.typeName(got), c.typeName(t))
	}
}

func (c *checker) poison(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && (t.IsVoid() || t.Op == spirv.OpTypeFunction) {
		c.fail(i, "SPV-Poison-Type", "OpPoisonKHR is %s; must be of a type of values", c.typeName(t))
	}
}

func (c *checker) arithmeticFence(i int, in spirv.Inst) {
	v := inst.ArithmeticFenceEXT(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Target())
	if t == nil || x == nil {
		return
	}
	if t != x || !t.Scalar().IsFloat() || !t.IsScalar() && !t.IsVector() {
		c.fail(i, "SPV-ArithmeticFence-Type", "the target is %s, the result %s; must be the same scalar or vector of floats", c.typeName(x), c.typeName(t))
	}
}

func (c *checker) predicatedLoad(i int, in spirv.Inst) {
	v := inst.PredicatedLoadINTEL(in)
	t := c.m.Type(v.Type())
	mask, _ := v.MemoryAccess()
	c.predicated(i, v.Pointer(), v.Predicate(), t, mask)
	c.predicatedAlignment(i, access{reads: c.m.TypeOf(v.Pointer()), through: t}, mask, v.MemoryAccessWords())
	if d := c.m.TypeOf(v.DefaultValue()); t != nil && d != nil && t != d {
		c.fail(i, "SPV-Predicated-Default", "the default is %s; must be %s, like the result", c.typeName(d), c.typeName(t))
	}
}

func (c *checker) predicatedStore(i int, in spirv.Inst) {
	v := inst.PredicatedStoreINTEL(in)
	mask, _ := v.MemoryAccess()
	t := c.m.TypeOf(v.Object())
	c.predicated(i, v.Pointer(), v.Predicate(), t, mask)
	c.predicatedAlignment(i, access{writes: c.m.TypeOf(v.Pointer()), through: t}, mask, v.MemoryAccessWords())
}

// predicatedAlignment checks the alignment of an access. The operand of Aligned comes first.
func (c *checker) predicatedAlignment(i int, a access, mask spirv.MemoryAccess, words []uint32) {
	if mask&spirv.MemoryAccessAlignedMask != 0 && len(words) > 0 {
		c.alignment(i, a, words[0])
	}
}

// predicated checks the pointer, the predicate and the memory operands of an
// access to a value of a type.
func (c *checker) predicated(i int, pointer, predicate spirv.ID, t *facts.Type, mask spirv.MemoryAccess) {
	if t != nil && !isNumbers(t) {
		c.fail(i, "SPV-Predicated-Value", "the value is %s; must be a number or a vector of numbers", c.typeName(t))
		return
	}
	if mask&spirv.MemoryAccessVolatileMask != 0 {
		c.fail(i, "SPV-Predicated-Value", "the access is Volatile; must not be")
	}
	p := c.m.TypeOf(pointer)
	switch {
	case p == nil:
	case !p.IsPointer():
		c.fail(i, "SPV-Predicated-Pointer", "%s is %s; must be a pointer", c.name(pointer), c.typeName(p))
	case p.Op == spirv.OpTypePointer && p.Elem != nil && t != nil && p.Elem != t:
		c.fail(i, "SPV-Predicated-Pointer", "%s points to %s; must point to %s", c.name(pointer), c.typeName(p.Elem), c.typeName(t))
	}
	if b := c.m.TypeOf(predicate); b != nil && !b.IsBool() {
		c.fail(i, "SPV-Predicated-Condition", "the predicate is %s; must be a Boolean", c.typeName(b))
	}
}

// debugPrintf checks the operands of DebugPrintf.
func (c *checker) debugPrintf(i int, in spirv.Inst) {
	if len(in) < 6 {
		return
	}
	v := inst.NonSemanticDebugPrintfDebugPrintf(in)
	if d := c.code.DefInst(v.Format()); d != nil && d.Op() != spirv.OpString {
		c.fail(i, "SPV-DebugPrintf-Format", "the format is %s, the result of %s; must be an OpString", c.name(v.Format()), d.Op())
	}
	for _, id := range v.Operands() {
		if d := c.code.DefInst(id); d != nil && !d.Op().HasType() {
			c.fail(i, "SPV-DebugPrintf-Format", "%s, the result of %s, is printed; must be a value", c.name(id), d.Op())
		}
	}
}
