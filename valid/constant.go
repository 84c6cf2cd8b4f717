package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// constantFamily checks constant-creation instructions (SPIR-V §3.3.7) and OpUndef
// (§3.3.1): types, literals, constituents, and the operations that
// OpSpecConstantOp may evaluate.
//
// The operand types of an OpSpecConstantOp are checked by the typing table
// (typing.go); values come from package facts. Constants of packed data are in
// abort.go.
var constantFamily = family{
	rules: []Rule{
		{Code: "SPV-Constant-Boolean", Section: "SPIR-V 3.3.7", Words: "a constant true or false has a Boolean type"},
		{Code: "SPV-Constant-HighBits", Section: "SPIR-V 2.2.1", Words: "the high bits of a literal that is narrower than a word are zero, or the sign of a signed integer"},
		{Code: "SPV-Constant-Small", Section: "SPIR-V 2.16.3", Words: "constants of 8 and 16 bits need a capability for arithmetic, not only for storage"},
		{Code: "SPV-Constant-Composite", Section: "SPIR-V 3.3.7", Words: "a constant composite has a composite type"},
		{Code: "SPV-Constant-Count", Section: "SPIR-V 3.3.7", Words: "a constant composite has a constituent for each part of its type"},
		{Code: "SPV-Constant-Constituent", Section: "SPIR-V 3.3.7", Words: "a constituent is a constant or OpUndef of the type of its part"},
		{Code: "SPV-Constant-Spec", Section: "SPIR-V 3.3.7", Words: "the constituents of a constant that is no specialization constant are no specialization constants"},
		{Code: "SPV-Constant-Null", Section: "SPIR-V 3.3.7", Words: "OpConstantNull has a type with a null value"},
		{Code: "SPV-Constant-Sampler", Section: "SPIR-V 3.3.7", Words: "OpConstantSampler has the sampler type"},
		{Code: "SPV-SpecConstantOp-Kernel", Section: "SPIR-V 3.3.7", Words: "OpSpecConstantOp computes with floats and pointers only in kernels"},
		{Code: "SPV-SpecConstantOp-Version", Section: "SPIR-V 3.3.7", Words: "OpSpecConstantOp computes UConvert outside of kernels only from SPIR-V 1.4 on"},
		{Code: "SPV-SpecConstantOp-Operand", Section: "SPIR-V 3.3.7", Words: "the operands of OpSpecConstantOp are constants"},
		{Code: "SPV-Undef-Type", Section: "SPIR-V 3.3.1", Words: "OpUndef has a type of values"},
		{Code: "SPV-Constant-Function", Section: "SPIR-V, SPV_INTEL_function_pointers", Words: "the pointer of OpConstantFunctionPointerINTEL is to the type of its function"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpConstantTrue:                      (*checker).constantBoolean,
		spirv.OpConstantFalse:                     (*checker).constantBoolean,
		spirv.OpSpecConstantTrue:                  (*checker).constantBoolean,
		spirv.OpSpecConstantFalse:                 (*checker).constantBoolean,
		spirv.OpConstant:                          (*checker).constantNumber,
		spirv.OpSpecConstant:                      (*checker).constantNumber,
		spirv.OpConstantComposite:                 (*checker).constantComposite,
		spirv.OpSpecConstantComposite:             (*checker).constantComposite,
		spirv.OpConstantCompositeReplicateEXT:     (*checker).constantReplicate,
		spirv.OpSpecConstantCompositeReplicateEXT: (*checker).constantReplicate,
		spirv.OpConstantNull:                      (*checker).constantNull,
		spirv.OpConstantSampler:                   (*checker).constantSampler,
		spirv.OpConstantFunctionPointerINTEL:      (*checker).constantFunction,
		spirv.OpSpecConstantOp:                    (*checker).specConstantOp,
		spirv.OpUndef:                             (*checker).undef,
	},
}

func (c *checker) constantBoolean(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && !t.IsBool() {
		c.fail(i, "SPV-Constant-Boolean", "%s is %s; must be a Boolean", in.Op(), c.typeName(t))
	}
}

// constantNumber checks the literal of a number. The decoder has already rejected
// a type that is not numeric, because it sets the literal's length.
func (c *checker) constantNumber(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	c.highBits(i, t, in[3:])
	c.small(i, t)
}

// highBits checks the bits of a literal beyond the width of its type: zero, or
// copies of the sign bit for a signed integer (SPIR-V §2.2.1).
func (c *checker) highBits(i int, t *facts.Type, words []uint32) {
	n := len(words)
	if n == 0 || t.Width%32 == 0 {
		return
	}
	top := words[n-1]
	width := t.Width % 32
	want := top & (1<<width - 1)
	if t.IsInt() && t.Signed {
		want = uint32(int32(top<<(32-width)) >> (32 - width))
	}
	if top != want {
		c.fail(i, "SPV-Constant-HighBits", "the last word of the literal is %#x; must be %#x for %s", top, want, c.typeName(t))
	}
}

// small checks that a constant of 8 or 16 bits has a type with arithmetic. Kernels have no such limit: compilers of OpenCL C declare
// Float16Buffer alone for modules with half constants.
func (c *checker) small(i int, t *facts.Type) {
	if s := t.Scalar(); s != nil {
		t = s
	}
	if c.capable(spirv.CapabilityKernel) || !c.limited(t) {
		return
	}
	c.fail(i, "SPV-Constant-Small", "a constant of %s; must have a capability for arithmetic, not only for storage", c.typeName(t))
}

// limited reports whether values of a scalar type may only be loaded, stored and
// converted: 8 and 16 bits without the capability for arithmetic (SPIR-V §2.16.3).
func (c *subject) limited(t *facts.Type) bool {
	switch {
	case t.IsInt() && t.Width == 8:
		return !c.capable(spirv.CapabilityInt8)
	case t.IsInt() && t.Width == 16:
		return !c.capable(spirv.CapabilityInt16)
	case t.IsFloat() && t.Width == 16 && !t.Encoded:
		return !c.anyCapable(spirv.CapabilityFloat16, spirv.CapabilityFloat16Buffer)
	}
	return false
}

// limitedWithin reports whether a type is limited, or has a limited part.
func (c *checker) limitedWithin(t *facts.Type) bool { return c.contains(t, holds8|holds16) }

// constantComposite checks OpConstantComposite and OpSpecConstantComposite: one
// constituent per part, of the part's type.
func (c *checker) constantComposite(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	ids := inst.ConstantComposite(in).Constituents()
	if t == nil {
		return
	}
	if !t.IsComposite() && t.Op != spirv.OpTypeCooperativeMatrixKHR && t.Op != spirv.OpTypeCooperativeMatrixNV && t.Op != spirv.OpTypeTensorARM || c.shapeless(t) {
		c.fail(i, "SPV-Constant-Composite", "%s is %s; must be a composite", in.Op(), c.typeName(t))
		return
	}
	if t.Op == spirv.OpTypeTensorARM { // the types and the number depend on its shape
		for n, id := range ids {
			c.constituent(i, in.Op() == spirv.OpSpecConstantComposite, n, id, nil)
		}
		return
	}
	if t.IsRuntimeArray() {
		c.fail(i, "SPV-Constant-Count", "%s is a runtime array; must have a known number of parts", in.Op())
		return
	}
	parts, counted := t.Parts(), !(t.IsArray() && (t.Count == 0 || t.Length != nil && t.Length.Spec))
	if t.Op != spirv.OpTypeStruct && !t.IsComposite() {
		parts = 1 // one value fills a cooperative matrix
	}
	if counted && uint64(len(ids)) != parts {
		c.fail(i, "SPV-Constant-Count", "%d constituents; must be %d", len(ids), parts)
		return
	}
	for n, id := range ids {
		part := t.Elem
		if t.IsStruct() {
			part = t.Members[n].Type
		}
		c.constituent(i, in.Op() == spirv.OpSpecConstantComposite, n, id, part)
	}
}

// constituent checks one constituent of a constant composite; spec permits
// specialization constants.
func (c *checker) constituent(i int, spec bool, n int, id spirv.ID, part *facts.Type) {
	d := c.code.DefInst(id)
	if d == nil {
		return
	}
	k := c.m.Const(id)
	if k == nil && !(spec && c.globalPointer(d)) {
		c.fail(i, "SPV-Constant-Constituent", "constituent %d is %s, the result of %s; must be a constant or OpUndef", n, c.name(id), d.Op())
		return
	}
	if k != nil && isSpec(k.Op) && !spec {
		c.fail(i, "SPV-Constant-Spec", "constituent %d is a specialization constant; must be no specialization constant", n).also(c, k.Index, "the constituent")
	}
	if t := c.m.TypeOf(id); part != nil && t != nil && t != part {
		c.fail(i, "SPV-Constant-Constituent", "constituent %d is %s; must be %s", n, c.typeName(t), c.typeName(part)).also(c, c.code.Def(id), "the constituent")
	}
}

// globalPointer reports whether an instruction yields a pointer of module scope,
// a valid initializer in kernels.
func (c *checker) globalPointer(in spirv.Inst) bool {
	return in.Op() == spirv.OpVariable || in.Op() == spirv.OpUntypedVariableKHR || in.Op() == spirv.OpConstantFunctionPointerINTEL
}

// declaredConstant returns the constant that a constant instruction declares; nil for
// other ids, those of OpUndef included.
func (c *subject) declaredConstant(id spirv.ID) *facts.Const {
	if k := c.m.Const(id); k != nil && k.Op.Class() == spirv.ClassConstantCreation {
		return k
	}
	return nil
}

// isSpec reports whether an instruction declares a specialization constant.
func isSpec(op spirv.Op) bool {
	switch op {
	case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant, spirv.OpSpecConstantComposite,
		spirv.OpSpecConstantOp, spirv.OpSpecConstantCompositeReplicateEXT, spirv.OpSpecConstantDataKHR,
		spirv.OpSpecConstantArchitectureINTEL, spirv.OpSpecConstantTargetINTEL, spirv.OpSpecConstantCapabilitiesINTEL:
		return true
	}
	return false
}

func (c *checker) constantReplicate(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	id := inst.ConstantCompositeReplicateEXT(in).Value()
	if t == nil {
		return
	}
	if t.IsRuntimeArray() || !t.IsComposite() && t.Op != spirv.OpTypeCooperativeMatrixKHR && t.Op != spirv.OpTypeTensorARM && t.Op != spirv.OpTypeVectorIdEXT {
		c.fail(i, "SPV-Constant-Composite", "%s is %s; must be a composite with a length", in.Op(), c.typeName(t))
		return
	}
	spec := in.Op() == spirv.OpSpecConstantCompositeReplicateEXT
	for n := range t.Members {
		if part := t.Members[n].Type; n == 0 || part != t.Members[n-1].Type {
			c.constituent(i, spec, n, id, part)
		}
	}
	if !t.IsStruct() {
		c.constituent(i, spec, 0, id, t.Elem)
	}
}

// shapeless reports whether a type is a tensor without a shape, which is no composite.
func (c *checker) shapeless(t *facts.Type) bool {
	return t.Op == spirv.OpTypeTensorARM && len(inst.TypeTensorARM(c.code.Inst(t.Index))) < 5
}

func (c *checker) constantNull(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	physical := t.IsPointer() && t.Storage == spirv.StorageClassPhysicalStorageBuffer
	if t != nil && (c.shapeless(t) || physical || !nullable(t)) {
		c.fail(i, "SPV-Constant-Null", "OpConstantNull is %s; must be of a type with a null value", c.typeName(t))
	} else if t != nil && c.capable(spirv.CapabilityShader) && !t.IsPointer() && c.limitedWithin(t) {
		c.fail(i, "SPV-Constant-Small", "OpConstantNull of %s; must have capabilities for arithmetic on its contents, not only for storage", c.typeName(t))
	}
}

// nullable reports whether a type has a null value (SPIR-V §3.3.7,
// OpConstantNull). It returns true if a bounded number of steps does not decide
// it.
func nullable(t *facts.Type) bool {
	todo := []*facts.Type{t}
	for steps := 0; len(todo) > 0 && steps < 1<<12; steps++ {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t == nil {
			continue
		}
		switch t.Op {
		case spirv.OpTypeBool, spirv.OpTypeInt, spirv.OpTypeFloat, spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR, spirv.OpTypeEvent,
			spirv.OpTypeDeviceEvent, spirv.OpTypeReserveId, spirv.OpTypeQueue, spirv.OpTypeTensorARM,
			spirv.OpTypeCooperativeMatrixKHR, spirv.OpTypeCooperativeMatrixNV, spirv.OpTypeVector, spirv.OpTypeVectorIdEXT,
			spirv.OpTypeMatrix,
			spirv.OpTypeAvcImePayloadINTEL, spirv.OpTypeAvcRefPayloadINTEL, spirv.OpTypeAvcSicPayloadINTEL, spirv.OpTypeAvcImeResultINTEL,
			spirv.OpTypeAvcImeResultSingleReferenceStreamoutINTEL, spirv.OpTypeAvcImeResultDualReferenceStreamoutINTEL,
			spirv.OpTypeAvcRefResultINTEL, spirv.OpTypeAvcSicResultINTEL:
		case spirv.OpTypeArray:
			todo = append(todo, t.Elem)
		case spirv.OpTypeStruct:
			for n := range t.Members {
				todo = append(todo, t.Members[n].Type)
			}
		default:
			return false
		}
	}
	return true
}

func (c *checker) constantSampler(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && t.Op != spirv.OpTypeSampler {
		c.fail(i, "SPV-Constant-Sampler", "OpConstantSampler is %s; must be the sampler type", c.typeName(t))
	}
	if p := inst.ConstantSampler(in).Param(); p > 1 {
		c.fail(i, "SPV-Constant-Sampler", "the parameter is %d; must be 0 or 1", p)
	}
}

// undef checks the type of an OpUndef.
func (c *checker) undef(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	if t.IsVoid() || t.Op == spirv.OpTypeFunction {
		c.fail(i, "SPV-Undef-Type", "OpUndef is %s; must be of a type of values", c.typeName(t))
		return
	}
	if c.capable(spirv.CapabilityShader) && c.limitedWithin(t) && !t.IsPointer() {
		c.fail(i, "SPV-Constant-Small", "OpUndef of %s; must have capabilities for arithmetic on its contents, not only for storage", c.typeName(t))
	}
}

// specConstantOp checks the opcode and the operands of an OpSpecConstantOp. Floats
// and pointers need the capability Kernel.
func (c *checker) specConstantOp(i int, in spirv.Inst) {
	op := spirv.Op(inst.SpecConstantOp(in).Opcode())
	kernel := c.capable(spirv.CapabilityKernel)
	switch {
	case typing.TraitsOf(op).Has(typing.SpecKernel):
		if !kernel {
			c.fail(i, "SPV-SpecConstantOp-Kernel", "OpSpecConstantOp computes %s; must have the capability Kernel", op)
		}
	case op == spirv.OpUConvert:
		if !kernel && !c.since(spirv.Version14) && !c.m.Extension("SPV_AMD_gpu_shader_int16") {
			c.fail(i, "SPV-SpecConstantOp-Version", "OpSpecConstantOp computes OpUConvert in SPIR-V %s; must be 1.4 or later", c.version)
		}
	case op == spirv.OpCooperativeMatrixLengthKHR, op == spirv.OpCooperativeMatrixLengthNV:
		return // the operand is a type
	}
	for w := c.code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindIdRef {
			continue
		}
		id := spirv.ID(w.Words[0])
		if d := c.code.DefInst(id); d != nil && d.Type() != 0 && c.m.Const(id) == nil && !c.globalPointer(d) {
			c.fail(i, "SPV-SpecConstantOp-Operand", "the operand %s is the result of %s; must be a constant", c.name(id), d.Op())
		}
	}
	c.typedSpec(i, op, in)
	if t := c.m.Type(in.Type()); t != nil {
		c.small(i, t)
	}
}

// constantFunction checks the pointer to a function.
func (c *checker) constantFunction(i int, in spirv.Inst) {
	v := inst.ConstantFunctionPointerINTEL(in)
	t, f := c.m.Type(v.Type()), c.code.DefInst(v.Function())
	switch {
	case t == nil || f == nil:
	case !t.IsPointer():
		c.fail(i, "SPV-Constant-Function", "the result is %s; must be a pointer to a function", c.typeName(t))
	case f.Op() != spirv.OpFunction:
		c.fail(i, "SPV-Constant-Function", "the function is %s, the result of %s; must be an OpFunction", c.name(v.Function()), f.Op())
	case t.Elem != nil && t.Elem.ID != inst.Function(f).FunctionType():
		c.fail(i, "SPV-Constant-Function", "the result points to %s; must point to the type of the function", c.typeName(t.Elem))
	}
}
