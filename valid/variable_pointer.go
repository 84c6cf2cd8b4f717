package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// variablePointerFamily checks logical and variable pointers (SPIR-V §2.16.1).
var variablePointerFamily = family{
	rules: []Rule{
		{Code: "SPV-LogicalPointer-Use", Section: "SPIR-V 2.16.1", Words: "with logical addressing, pointers are selected, loaded, compared, returned and null only in StorageBuffer and Workgroup, with the capability of variable pointers"},
		{Code: "SPV-LogicalPointer-Operand", Section: "SPIR-V 2.16.1", Words: "with logical addressing, no in-bounds pointer chain, composite, generic pointer, lifetime, prefetch, group copy, pipe or enqueued kernel has a pointer, and no load or store an undefined one"},
		{Code: "SPV-LogicalPointer-Cast", Section: "SPIR-V 2.16.1", Words: "no instruction casts logical pointers"},
		{Code: "SPV-LogicalPointer-Physical", Section: "SPIR-V 2.16.1", Words: "memory in PhysicalStorageBuffer is accessed only with the addressing model PhysicalStorageBuffer64"},
		{Code: "SPV-VariablePointer-Buffer", Section: "SPIR-V 2.16.1", Words: "without the capability VariablePointers, a variable pointer selects among pointers into one buffer"},
		{Code: "SPV-VariablePointer-Matrix", Section: "SPIR-V 2.16.1", Words: "a variable pointer points neither to a matrix or a type that contains one, nor into a matrix"},
		{Code: "SPV-VariablePointer-BlockArray", Section: "SPIR-V 2.16.1", Words: "a variable pointer does not point to an array of blocks"},
		{Code: "SPV-VariablePointer-ArrayLength", Section: "SPIR-V 2.16.1", Words: "the pointer of OpArrayLength is no variable pointer"},
	},
	ops: []group{{(*checker).logicalUse, []spirv.Op{
		spirv.OpConstantNull, spirv.OpLoad, spirv.OpSelect, spirv.OpPhi, spirv.OpFunctionCall, spirv.OpBitcast, spirv.OpPtrAccessChain,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpReturnValue,
	}}, {(*checker).logicalOperand, []spirv.Op{
		spirv.OpInBoundsPtrAccessChain, spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpCompositeConstruct, spirv.OpCompositeInsert, spirv.OpCompositeExtract, spirv.OpLifetimeStart, spirv.OpLifetimeStop,
		spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpGenericCastToPtrExplicit, spirv.OpGenericPtrMemSemantics, spirv.OpSizeOf,
		spirv.OpGroupAsyncCopy, spirv.OpGroupWaitEvents, spirv.OpReadPipe, spirv.OpWritePipe, spirv.OpReservedReadPipe, spirv.OpReservedWritePipe,
		spirv.OpEnqueueMarker, spirv.OpEnqueueKernel, spirv.OpCaptureEventProfilingInfo, spirv.OpGetKernelNDrangeSubGroupCount,
		spirv.OpGetKernelNDrangeMaxSubGroupSize, spirv.OpGetKernelWorkGroupSize, spirv.OpGetKernelPreferredWorkGroupSizeMultiple,
		spirv.OpGetKernelLocalSizeForSubgroupCount, spirv.OpGetKernelMaxNumSubgroups,
		spirv.OpUntypedPrefetchKHR, spirv.OpSaveMemoryINTEL, spirv.OpRestoreMemoryINTEL, spirv.OpVariableLengthArrayINTEL,
		spirv.OpUntypedVariableLengthArrayINTEL, spirv.OpCompositeConstructContinuedINTEL, spirv.OpBitwiseFunctionINTEL,
		spirv.OpMaskedGatherINTEL, spirv.OpMaskedScatterINTEL, spirv.OpConvertHandleToImageINTEL, spirv.OpConvertHandleToSamplerINTEL,
		spirv.OpConvertHandleToSampledImageINTEL,
	}}, {(*checker).physicalUse, []spirv.Op{spirv.OpLoad, spirv.OpStore, spirv.OpSelect}},
		{(*checker).undefinedPointer, []spirv.Op{spirv.OpLoad, spirv.OpStore}}},
	after: []func(*checker){(*checker).variablePointers},
}

// Properties of pointers.
const (
	isVariable uint8 = 1 << iota // it is a variable pointer
	intoMatrix                   // it points at a column of a matrix, or at a component of one
)

// variablePointers checks the pointers of a module with logical addressing.
func (c *checker) variablePointers() {
	if !c.judgesPointers() || !c.anyCapable(spirv.CapabilityVariablePointersStorageBuffer, spirv.CapabilityVariablePointers) {
		return
	}
	w := &pointerWalk{checker: c, known: c.memory.bytes.Alloc(c.code.Len())}
	for n := range c.m.Consts {
		if k := &c.m.Consts[n]; k.Op == spirv.OpConstantNull && k.ID != 0 && k.Type.IsPointer() && c.logical(k.Type) {
			w.known[k.Index] = isVariable
		}
	}
	for pass := 0; pass < maxPointerPasses && w.pass(); pass++ { // phis, calls and memory may lead back
	}
	w.judge()
}

// judgesPointers reports whether the module has logical pointers that rules
// speak of.
func (c *checker) judgesPointers() bool {
	return !c.env.pointersRelaxed() &&
		(c.m.Addressing == spirv.AddressingModelLogical || c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64)
}

// maxPointerPasses bounds the number of passes over all functions. Only a hostile
// module needs more.
const maxPointerPasses = 16

// varies reports whether a logical pointer may be a variable pointer.
func (c *checker) varies(t *facts.Type) bool {
	switch t.Storage {
	case spirv.StorageClassStorageBuffer:
		return c.anyCapable(spirv.CapabilityVariablePointersStorageBuffer, spirv.CapabilityVariablePointers)
	case spirv.StorageClassWorkgroup:
		return c.capable(spirv.CapabilityVariablePointers)
	}
	return false
}

// logicalUse checks the use of logical pointers in an instruction.
func (c *checker) logicalUse(i int, in spirv.Inst) {
	op := in.Op()
	var t *facts.Type
	switch op {
	case spirv.OpConstantNull, spirv.OpLoad, spirv.OpSelect, spirv.OpPhi, spirv.OpFunctionCall, spirv.OpBitcast:
		t = c.m.Type(in.Type())
	case spirv.OpPtrAccessChain, spirv.OpUntypedPtrAccessChainKHR:
		t = c.m.TypeOf(chainBase(in))
	case spirv.OpReturnValue:
		t = c.m.TypeOf(inst.ReturnValue(in).Value())
	default:
		return
	}
	if (op == spirv.OpPhi || op == spirv.OpReturnValue) && !c.capable(spirv.CapabilityShader) {
		return // SPV-Phi-Pointer and SPV-Return-Pointer
	}
	if op == spirv.OpBitcast {
		x := c.m.TypeOf(inst.Bitcast(in).Operand())
		if (t.IsPointer() && c.logical(t) || x.IsPointer() && c.logical(x)) && c.judgesPointers() {
			c.fail(i, "SPV-LogicalPointer-Cast", "OpBitcast of a logical pointer; must be of a physical pointer")
		}
		return
	}
	if !t.IsPointer() || !c.logical(t) || c.varies(t) || !c.judgesPointers() && !c.selectsPointer(op) {
		return
	}
	c.fail(i, "SPV-LogicalPointer-Use", "%s with a pointer to %s; must be to StorageBuffer or Workgroup, with the capability of variable pointers", op, t.Storage)
}

// selectsPointer reports whether an instruction selects a pointer in a module without
// variable pointers. The relaxation of logical pointers is about their variables and
// the results of functions alone.
func (c *checker) selectsPointer(op spirv.Op) bool {
	return (op == spirv.OpSelect || op == spirv.OpPhi) && c.m.Addressing == spirv.AddressingModelLogical &&
		!c.anyCapable(spirv.CapabilityVariablePointersStorageBuffer, spirv.CapabilityVariablePointers)
}

// logicalOperand checks that an instruction neither uses nor creates a logical
// pointer.
func (c *checker) logicalOperand(i int, in spirv.Inst) {
	if !c.judgesPointers() {
		return
	}
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		t := c.m.TypeOf(spirv.ID(in[at]))
		if at == 1 && in.Op().HasType() {
			t = c.m.Type(in.Type())
		}
		if t.IsPointer() && c.logical(t) {
			c.fail(i, "SPV-LogicalPointer-Operand", "%s with a pointer to %s; must have no pointer with logical addressing", in.Op(), t.Storage)
			return
		}
	}
}

// undefinedPointer checks that an access with logical addressing has no pointer of
// OpUndef, which is not among the instructions that yield logical pointers. The
// relaxation of logical pointers adds none.
func (c *checker) undefinedPointer(i int, in spirv.Inst) {
	if c.m.Addressing != spirv.AddressingModelLogical {
		return
	}
	p := inst.Store(in).Pointer
	if in.Op() == spirv.OpLoad {
		p = inst.Load(in).Pointer
	}
	if d := c.code.DefInst(p()); d != nil && d.Op() == spirv.OpUndef {
		c.fail(i, "SPV-LogicalPointer-Operand", "%s through %s, the result of OpUndef; must be through a pointer to an object", in.Op(), c.name(p()))
	}
}

// physicalUse checks the addressing model of an access to a physical storage buffer. The
// types of pointers into one may be declared with any model.
func (c *checker) physicalUse(i int, in spirv.Inst) {
	if c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 || c.content.all&holdsPhysical == 0 {
		return
	}
	var t *facts.Type
	switch in.Op() {
	case spirv.OpLoad:
		t = c.m.TypeOf(inst.Load(in).Pointer())
	case spirv.OpStore:
		t = c.m.TypeOf(inst.Store(in).Pointer())
	default:
		t = c.m.Type(in.Type())
	}
	if t.IsPointer() && physical(t) {
		c.fail(i, "SPV-LogicalPointer-Physical", "%s with a pointer to PhysicalStorageBuffer and the addressing model %s; must be PhysicalStorageBuffer64", in.Op(), c.m.Addressing)
	}
}

// pointerWalk propagates the properties of pointers through the functions.
type pointerWalk struct {
	checker *checker
	known   []uint8 // of each instruction: of the pointer that it yields
	changed bool
}

// add makes more known of an instruction.
func (w *pointerWalk) add(i int, what uint8) {
	if i >= 0 && w.known[i]|what != w.known[i] {
		w.known[i] |= what
		w.changed = true
	}
}

// of returns the known properties of a pointer.
func (w *pointerWalk) of(id spirv.ID) uint8 {
	if d := w.checker.code.Def(id); d >= 0 {
		return w.known[d]
	}
	return 0
}

// pass looks at all functions and returns whether anything new is known.
func (w *pointerWalk) pass() bool {
	w.changed = false
	for n := range w.checker.m.Functions {
		f := &w.checker.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			w.instruction(f, i, w.checker.code.Inst(i))
		}
	}
	return w.changed
}

// instruction derives the properties of a pointer from the operands. A function has
// the properties of its return values, a variable has the properties of the stored values.
func (w *pointerWalk) instruction(f *facts.Function, i int, in spirv.Inst) {
	switch op := in.Op(); op {
	case spirv.OpStore:
		v := inst.Store(in)
		if m := w.checker.origin(v.Pointer()); m != nil && w.checker.m.TypeOf(v.Object()).IsPointer() {
			w.add(m.Index, w.of(v.Object())&intoMatrix)
		}
	case spirv.OpReturnValue:
		if id := inst.ReturnValue(in).Value(); w.checker.m.TypeOf(id).IsPointer() {
			w.add(f.Index, w.of(id))
		}
	case spirv.OpFunctionCall:
		v := inst.FunctionCall(in)
		g := w.checker.m.Function(v.Function())
		if g == nil {
			return
		}
		for n, a := range v.Arguments() {
			if n < len(g.Params) && g.Params[n].Type.IsPointer() {
				w.add(g.Params[n].Index, w.of(a))
			}
		}
		if w.yields(in) {
			w.add(i, isVariable|w.known[g.Index])
		}
	case spirv.OpLoad:
		if w.yields(in) {
			w.add(i, isVariable)
			if m := w.checker.origin(inst.Load(in).Pointer()); m != nil {
				w.add(i, w.known[m.Index]&intoMatrix)
			}
		}
	case spirv.OpSelect, spirv.OpPhi:
		if w.yields(in) {
			w.add(i, isVariable)
			for _, id := range in[3:] {
				if w.checker.m.TypeOf(spirv.ID(id)).IsPointer() {
					w.add(i, w.of(spirv.ID(id)))
				}
			}
		}
	default:
		if base := chainBase(in); base != 0 && w.yields(in) {
			w.chain(i, in, base)
		}
	}
}

// yields reports whether an instruction yields a logical pointer that may vary.
func (w *pointerWalk) yields(in spirv.Inst) bool {
	t := w.checker.m.Type(in.Type())
	return t.IsPointer() && w.checker.logical(t) && w.checker.varies(t)
}

// chain derives the properties of an access chain or a copy.
func (w *pointerWalk) chain(i int, in spirv.Inst, base spirv.ID) {
	w.add(i, w.of(base))
	h := chainOf(in)
	if h.base == 0 {
		return
	}
	if h.element != 0 {
		w.add(i, isVariable)
	}
	t := w.checker.m.Type(h.baseType)
	if b := w.checker.pointerOf(base); t == nil && b != nil {
		t = b.Elem
	}
	for _, id := range h.path {
		switch {
		case t == nil:
			return
		case t.IsMatrix():
			w.add(i, intoMatrix)
			return
		case t.IsStruct():
			n, ok := w.checker.m.Const(id).Int()
			if !ok || n < 0 || n >= int64(len(t.Members)) {
				return
			}
			t = t.Members[n].Type
		default:
			t = t.Elem
		}
	}
}

// judge reports the uses that variable pointers must not have.
func (w *pointerWalk) judge() {
	for n := range w.checker.m.Functions {
		f := &w.checker.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			in := w.checker.code.Inst(i)
			switch op := in.Op(); op {
			case spirv.OpArrayLength, spirv.OpUntypedArrayLengthKHR:
				p := inst.ArrayLength(in).Structure()
				if op == spirv.OpUntypedArrayLengthKHR {
					p = inst.UntypedArrayLengthKHR(in).Pointer()
				}
				if w.of(p)&isVariable != 0 {
					w.checker.fail(i, "SPV-VariablePointer-ArrayLength", "the pointer %s is a variable pointer; must be none", w.checker.name(p))
				}
			case spirv.OpSelect, spirv.OpPhi:
				w.oneBuffer(i, in)
			case spirv.OpLoad:
				w.heldMatrix(i, inst.Load(in).Pointer(), w.checker.m.Type(in.Type()))
			case spirv.OpStore:
				w.heldMatrix(i, inst.Store(in).Pointer(), w.checker.m.TypeOf(inst.Store(in).Object()))
			}
			if w.known[i]&isVariable != 0 && makesPointer(in) {
				w.arrayOfBlocks(i, in)
			}
			if w.known[i]&isVariable != 0 && in.Op() != spirv.OpFunction {
				w.matrix(i, in)
			}
			if w.known[i] == isVariable|intoMatrix && makesPointer(in) {
				if base := chainBase(in); base == 0 || w.of(base) != isVariable|intoMatrix {
					w.checker.fail(i, "SPV-VariablePointer-Matrix", "a variable pointer to a column of a matrix, or to a component of one; must not point into a matrix")
				}
			}
		}
	}
}

// arrayOfBlocks checks the type to which a variable pointer points. An untyped pointer points to the variables among
// which one is chosen.
func (w *pointerWalk) arrayOfBlocks(i int, in spirv.Inst) {
	p := w.checker.m.Type(in.Type())
	if !p.IsPointer() {
		return
	}
	bad := w.checker.blockArray(p.Elem)
	if op := in.Op(); p.Elem == nil && (op == spirv.OpSelect || op == spirv.OpPhi) {
		for _, id := range in[3:] {
			v := w.checker.m.Variable(spirv.ID(id))
			bad = bad || v != nil && w.checker.blockArray(v.Type)
		}
	}
	if bad {
		w.checker.fail(i, "SPV-VariablePointer-BlockArray", "a variable pointer to an array of blocks; must point into one block")
	}
}

// matrix checks the type to which a typed variable pointer points. An untyped pointer has
// a type only in an access: see heldMatrix.
func (w *pointerWalk) matrix(i int, in spirv.Inst) {
	if p := w.checker.m.Type(in.Type()); p.IsPointer() && w.checker.contains(p.Elem, holdsMatrix) {
		w.checker.fail(i, "SPV-VariablePointer-Matrix", "a variable pointer to %s; must point to no matrix", w.checker.typeName(p.Elem))
	}
}

// makesPointer reports whether an instruction yields a pointer by itself, which a function
// and a parameter do not.
func makesPointer(in spirv.Inst) bool {
	switch in.Op() {
	case spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpVariable, spirv.OpUntypedVariableKHR:
		return false
	}
	return true
}

// heldMatrix checks an access by way of an untyped variable pointer.
func (w *pointerWalk) heldMatrix(i int, pointer spirv.ID, t *facts.Type) {
	if p := w.checker.m.TypeOf(pointer); p.IsPointer() && p.Elem != nil {
		return // see matrix
	}
	if w.of(pointer)&isVariable != 0 && w.checker.contains(t, holdsMatrix) {
		w.checker.fail(i, "SPV-VariablePointer-Matrix", "%s of %s through a variable pointer; must point to no matrix", w.checker.code.Inst(i).Op(), w.checker.typeName(t))
	}
}

// oneBuffer checks pointers among which one is chosen.
func (w *pointerWalk) oneBuffer(i int, in spirv.Inst) {
	t := w.checker.m.Type(in.Type())
	if !t.IsPointer() || t.Storage != spirv.StorageClassStorageBuffer || w.checker.capable(spirv.CapabilityVariablePointers) {
		return
	}
	var first *facts.Variable
	for _, id := range in[3:] {
		v := w.checker.origin(spirv.ID(id))
		if v == nil || !w.checker.m.TypeOf(spirv.ID(id)).IsPointer() {
			continue
		}
		if first == nil {
			first = v
		}
		if v != first {
			w.checker.fail(i, "SPV-VariablePointer-Buffer", "%s selects between pointers into %s and %s; must be into one buffer", in.Op(), w.checker.name(first.ID), w.checker.name(v.ID))
			return
		}
	}
}
