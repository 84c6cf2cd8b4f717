package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// functionFamily checks functions, their parameters and calls (SPIR-V §3.3.9).
var functionFamily = family{
	rules: []Rule{
		{Code: "SPV-Function-Type", Section: "SPIR-V 3.3.9", Words: "the Function Type of OpFunction is a function type, and its return type is the result type"},
		{Code: "SPV-Function-Control", Section: "SPIR-V, SPV_EXT_optnone", Words: "a function with OptNoneEXT is not Inline"},
		{Code: "SPV-Function-Parameters", Section: "SPIR-V 3.3.9", Words: "a function has the parameters of its type, in order"},
		{Code: "SPV-Function-Use", Section: "SPIR-V 3.3.9", Words: "only calls, entry points, names, decorations and modes refer to a function"},
		{Code: "SPV-Function-Linkage", Section: "SPIR-V 2.15", Words: "a function is imported if and only if it has no body"},
		{Code: "SPV-Call-Function", Section: "SPIR-V 3.3.9", Words: "OpFunctionCall calls a function, and has its return type"},
		{Code: "SPV-Call-Indirect", Section: "SPV_INTEL_function_pointers", Words: "OpFunctionPointerCallINTEL calls a pointer"},
		{Code: "SPV-Call-Arguments", Section: "SPIR-V 3.3.9", Words: "a call has an argument of the same type for each parameter"},
		{Code: "SPV-Call-Pointer", Section: "SPIR-V 2.16.1", Words: "a pointer argument points to a storage class that allows it, and is a memory object declaration unless the module declares variable pointers"},
		{Code: "SPV-Return-Void", Section: "SPIR-V 3.3.17", Words: "only a function that returns void ends with OpReturn"},
		{Code: "SPV-Return-Value", Section: "SPIR-V 3.3.17", Words: "OpReturnValue returns a value of the return type"},
		{Code: "SPV-Return-Pointer", Section: "SPIR-V 2.16.1", Words: "in the logical addressing model, a function returns no pointer outside of shaders; SPV-LogicalPointer-Use has the rule for shaders"},
		{Code: vuid.StandaloneSpirv_None_04633, Section: "Vulkan, Shader Validation", Words: "an entry point has no parameters and returns void"},
		{Code: vuid.StandaloneSpirv_None_04634, Section: "Vulkan, Shader Validation", Words: "no function in the call tree of an entry point is recursive"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpFunction:                 (*checker).function,
		spirv.OpFunctionParameter:        (*checker).parameter,
		spirv.OpFunctionEnd:              (*checker).functionParameters,
		spirv.OpFunctionCall:             (*checker).call,
		spirv.OpFunctionPointerCallINTEL: (*checker).indirectCall,
		spirv.OpReturn:                   (*checker).returnVoid,
		spirv.OpReturnValue:              (*checker).returnValue,
	},
	after: []func(*checker){(*checker).recursion, (*checker).linkage},
}

func (c *checker) function(i int, in spirv.Inst) {
	v := inst.Function(in)
	t := c.m.Type(v.FunctionType())
	const both = spirv.FunctionControlInlineMask | spirv.FunctionControlOptNoneEXTMask
	if v.FunctionControl()&both == both {
		c.fail(i, "SPV-Function-Control", "the function is Inline and OptNoneEXT; must be at most one of them")
	}
	switch {
	case c.code.DefInst(v.FunctionType()) == nil:
	case t == nil || t.Op != spirv.OpTypeFunction:
		c.fail(i, "SPV-Function-Type", "the type of the function is %s; must be a function type", c.name(v.FunctionType()))
	case t.Elem != nil && t.Elem != c.m.Type(v.Type()):
		c.fail(i, "SPV-Function-Type", "the result type is %s, the function type returns %s; must be the same", c.typeName(c.m.Type(v.Type())), c.typeName(t.Elem)).also(c, t.Index, "the function type")
	}
}

// parameter checks OpFunctionParameter.
func (c *checker) parameter(i int, in spirv.Inst) {
	f := c.fn
	if f == nil || f.Type == nil || f.Type.Op != spirv.OpTypeFunction {
		return
	}
	n := c.params
	c.params++
	if n >= len(f.Type.Params) || n >= len(f.Params) {
		return // how many there must be is checked at the end
	}
	want, got := f.Type.Params[n], f.Params[n].Type
	if want != nil && got != nil && want != got {
		c.fail(i, "SPV-Function-Parameters", "parameter %d is %s; must be the type in the function type, %s", n, c.typeName(got), c.typeName(want)).also(c, f.Type.Index, "the function type")
	}
}

func (c *checker) functionParameters(_ int, _ spirv.Inst) {
	f := c.fn
	if f == nil || f.Type == nil || f.Type.Op != spirv.OpTypeFunction {
		return
	}
	if a, b := len(f.Params), len(f.Type.Params); a != b {
		c.fail(f.Index, "SPV-Function-Parameters", "the function has %d parameters; must have the number of its type, %d", a, b).also(c, f.Type.Index, "the function type")
	}
}

// indirectCall checks a call of a function pointer, a value of a pointer type. Producers also call pointers to data, so the
// type to which it points is free.
func (c *checker) indirectCall(i int, in spirv.Inst) {
	operands := inst.FunctionPointerCallINTEL(in).Operand1()
	if len(operands) == 0 {
		c.fail(i, "SPV-Call-Indirect", "the call has no operand; must have a pointer to a function")
		return
	}
	d := c.code.DefInst(operands[0])
	if d == nil || d.Op() == spirv.OpFunction {
		return // SPV-Id-Undefined and SPV-Function-Use
	}
	if t := c.m.TypeOf(operands[0]); t != nil && !t.IsPointer() {
		c.fail(i, "SPV-Call-Indirect", "the call is of %s, which is %s; must be a pointer to a function", c.name(operands[0]), c.typeName(t))
	}
}

func (c *checker) call(i int, in spirv.Inst) {
	v := inst.FunctionCall(in)
	f := c.m.Function(v.Function())
	if f == nil {
		if d := c.code.DefInst(v.Function()); d != nil {
			c.fail(i, "SPV-Call-Function", "the call is of %s, the result of %s; must be of a function", c.name(v.Function()), d.Op())
		}
		return
	}
	if f.Return != nil && f.Return != c.m.Type(v.Type()) {
		c.fail(i, "SPV-Call-Function", "the call is %s, the function returns %s; must be the same", c.typeName(c.m.Type(v.Type())), c.typeName(f.Return)).also(c, f.Index, "the function")
	}
	if f.Type == nil || f.Type.Op != spirv.OpTypeFunction {
		return
	}
	args := v.Arguments()
	if len(args) != len(f.Type.Params) {
		c.fail(i, "SPV-Call-Arguments", "the call has %d arguments; must have the number of parameters, %d", len(args), len(f.Type.Params)).also(c, f.Index, "the function")
		return
	}
	for n, a := range args {
		want, got := f.Type.Params[n], c.m.TypeOf(a)
		if want == nil || got == nil {
			continue
		}
		if want != got && !(c.env.BeforeLegalization && sameStructure(want, got)) {
			c.fail(i, "SPV-Call-Arguments", "argument %d is %s; the parameter is %s", n, c.typeName(got), c.typeName(want)).also(c, f.Index, "the function")
		}
		c.pointerArgument(i, n, a, want)
	}
}

// sameStructure reports whether two types have the same parts. It ignores storage
// classes and decorations except strides that differ: a compiler's output before
// legalization may differ in them. It compares a bounded number of parts.
func sameStructure(x, y *facts.Type) bool {
	type pair struct{ x, y *facts.Type }
	todo := []pair{{x, y}}
	for steps := 0; len(todo) > 0; steps++ {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.x == p.y {
			continue
		}
		if steps > 256 || p.x == nil || p.y == nil || p.x.Op != p.y.Op || p.x.Count != p.y.Count || len(p.x.Members) != len(p.y.Members) {
			return false
		}
		switch {
		case p.x.IsStruct():
			for n := range p.x.Members {
				todo = append(todo, pair{p.x.Members[n].Type, p.y.Members[n].Type})
			}
		case p.x.ArrayStride != p.y.ArrayStride && p.x.ArrayStride != 0 && p.y.ArrayStride != 0:
			return false
		case p.x.IsArray(), p.x.Op == spirv.OpTypePointer: // an untyped pointer has no pointee to compare
			todo = append(todo, pair{p.x.Elem, p.y.Elem})
		default:
			return false
		}
	}
	return true
}

// pointerArgument checks a pointer that is an argument (SPIR-V §2.16.1, logical
// addressing model).
func (c *checker) pointerArgument(i, n int, id spirv.ID, t *facts.Type) {
	if !t.IsPointer() || !c.logical(t) || c.env.pointersRelaxed() {
		return
	}
	variable := false
	switch t.Storage {
	case spirv.StorageClassUniformConstant, spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup,
		spirv.StorageClassAtomicCounter, spirv.StorageClassTileImageEXT, spirv.StorageClassShaderRecordBufferKHR:
		variable = t.Storage == spirv.StorageClassWorkgroup && c.capable(spirv.CapabilityVariablePointers)
	case spirv.StorageClassStorageBuffer:
		if !c.anyCapable(spirv.CapabilityVariablePointersStorageBuffer, spirv.CapabilityVariablePointers) {
			c.fail(i, "SPV-Call-Pointer", "argument %d points into %s; must not without variable pointers", n, t.Storage)
			return
		}
		variable = true
	default:
		c.fail(i, "SPV-Call-Pointer", "argument %d points into %s; must point into UniformConstant, Function, Private, Workgroup, AtomicCounter, TileImageEXT or ShaderRecordBufferKHR", n, t.Storage)
		return
	}
	d := c.code.DefInst(id)
	if d == nil || variable {
		return
	}
	switch d.Op() {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter:
		return
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		if t.Storage == spirv.StorageClassUniformConstant {
			return // a part of an array of descriptors
		}
	}
	c.fail(i, "SPV-Call-Pointer", "argument %d is %s, the result of %s; must be a variable or a parameter", n, c.name(id), d.Op())
}

func (c *checker) returnVoid(i int, _ spirv.Inst) {
	if c.fn != nil && c.fn.Return != nil && !c.fn.Return.IsVoid() {
		c.fail(i, "SPV-Return-Void", "OpReturn in a function that returns %s; must be OpReturnValue", c.typeName(c.fn.Return)).also(c, c.fn.Index, "the function")
	}
}

func (c *checker) returnValue(i int, in spirv.Inst) {
	id := inst.ReturnValue(in).Value()
	t := c.m.TypeOf(id)
	if c.fn == nil || t == nil {
		if d := c.code.DefInst(id); d != nil && t == nil && d.Type() == 0 {
			c.fail(i, "SPV-Return-Value", "the value is %s, the result of %s; must be a value with a type", c.name(id), d.Op())
		}
		return
	}
	switch {
	case t.IsVoid():
		c.fail(i, "SPV-Return-Value", "the value is void; must be of a type of values")
	case c.fn.Return != nil && t != c.fn.Return:
		c.fail(i, "SPV-Return-Value", "the value is %s; the function returns %s", c.typeName(t), c.typeName(c.fn.Return)).also(c, c.fn.Index, "the function")
	case t.IsPointer() && !c.capable(spirv.CapabilityShader) && c.m.Addressing == spirv.AddressingModelLogical && !c.env.pointersRelaxed():
		c.fail(i, "SPV-Return-Pointer", "the function returns a pointer into %s; must return none in the logical addressing model", t.Storage)
	}
}

// recursion checks that no entry point calls a recursive function, and that an
// entry point has no parameters and returns nothing.
func (c *checker) recursion() {
	if !c.vulkan {
		return
	}
	told := make([]bool, len(c.m.Functions))
	for k := range c.m.EntryPoints {
		e := &c.m.EntryPoints[k]
		f := e.Func
		if f == nil || told[f.Number] {
			continue
		}
		told[f.Number] = true
		if f.Type != nil && f.Type.Op == spirv.OpTypeFunction && (len(f.Type.Params) > 0 || f.Return != nil && !f.Return.IsVoid()) {
			c.fail(e.Index, vuid.StandaloneSpirv_None_04633, "the entry point has %d parameters and returns %s; must have none and return void", len(f.Type.Params), c.typeName(f.Return)).also(c, f.Index, "the function")
		}
	}
	for k := range c.m.Functions {
		if f := &c.m.Functions[k]; f.Recursive && c.models[f.Number] != 0 {
			c.fail(f.Index, vuid.StandaloneSpirv_None_04634, "%s is recursive and in the call tree of an entry point; must not be recursive", c.name(f.ID))
		}
	}
}

// linkage checks imports of functions.
func (c *checker) linkage() {
	entry := make([]bool, len(c.m.Functions))
	for k := range c.m.EntryPoints {
		if f := c.m.EntryPoints[k].Func; f != nil {
			entry[f.Number] = true
		}
	}
	for k := range c.m.Functions {
		f := &c.m.Functions[k]
		kind, linked := spirv.LinkageType(0), false
		for d := range c.m.BriefDecorations(f.ID, -1) {
			if d.Kind == spirv.DecorationLinkageAttributes && len(d.Operands) > 0 {
				kind, linked = spirv.LinkageType(d.Operands[len(d.Operands)-1]), true
			}
		}
		imported := linked && kind == spirv.LinkageTypeImport
		switch body := len(f.Blocks) > 0; {
		case body && imported:
			c.fail(f.Index, "SPV-Function-Linkage", "%s has a body and is imported; must not be both", c.name(f.ID))
		case !body && !imported:
			c.fail(f.Index, "SPV-Function-Linkage", "%s has no body and is not imported; must be one of them", c.name(f.ID))
		}
		if linked && entry[f.Number] {
			c.fail(f.Index, "SPV-Function-Linkage", "%s is an entry point and has LinkageAttributes; must not have both", c.name(f.ID))
		}
	}
}
