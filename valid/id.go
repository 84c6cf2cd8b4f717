package valid

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// idFamily checks ids: each is defined, before its uses, and the definition
// dominates the uses (SPIR-V §2.16.1, §2.16.2). The walk itself
// calls operands.
var idFamily = family{
	rules: []Rule{
		{Code: "SPV-Id-Undefined", Section: "SPIR-V 2.16.1", Words: "each id is the result of an instruction"},
		{Code: "SPV-Id-Forward", Section: "SPIR-V 2.16.1", Words: "an id is defined before its use, unless the instruction allows forward references"},
		{Code: "SPV-Id-Dominance", Section: "SPIR-V 2.16.1", Words: "the definition of an id dominates every use in a reachable block"},
		{Code: "SPV-Id-Function", Section: "SPIR-V 2.16.1", Words: "an id that a function defines is used only in this function"},
		{Code: "SPV-Id-Type", Section: "SPIR-V 2.16.1", Words: "a result type is a type, and only type operands refer to types"},
		{Code: "SPV-Type-FunctionUse", Section: "SPIR-V 3.3.6", Words: "OpTypeFunction is only the type of functions"},
		{Code: "SPV-Id-Untyped", Section: "SPIR-V 2.16.1", Words: "a value operand is the result of an instruction with a result type"},
	},
}

// isType reports whether an instruction declares a type.
func isType(op spirv.Op) bool { return facts.IsType(op) }

// operands checks the ids and the enumerants of instruction i.
func (c *checker) operands(i int, o *opcode, in spirv.Inst) {
	if o.hasType {
		if d := c.code.Def(spirv.ID(in[1])); uint(d) >= uint(i) || opcodes[c.code.OpAt(d)].yields != yieldsType {
			c.resultType(i, o.op, spirv.ID(in[1]), d)
		}
	}
	for ids := o.ids; ids != 0; ids &= ids - 1 {
		c.use(i, o, in, 1+bits.TrailingZeros32(ids))
	}
	switch {
	case len(in) <= o.fixed:
	case o.rest:
		for at := o.fixed; at < len(in); at++ {
			c.use(i, o, in, at)
		}
	case o.odd:
		c.oddTail(i, o, in)
	case o.tail != nil:
		c.tail(i, o, in)
	}
}

// tail checks the operands of instruction i after the fixed words. Decoding has
// checked that they match the grammar.
func (c *checker) tail(i int, o *opcode, in spirv.Inst) {
	at := o.fixed
	for shape := o.tail; len(shape) > 0 && at < len(in); {
		k := shape[0].Kind
		if shape[0].Quant != spirv.Repeated {
			shape = shape[1:]
		}
		if k == spirv.KindLiteralExtInstInteger {
			if r := c.code.ExtSet(inst.ExtInst(in).Set()).Inst(in[at]); r != nil {
				c.nested(i, r)
				shape = r.Operands()
			}
			at++
			continue
		}
		at = c.operand(i, o, in, at, k)
	}
	for ; at < len(in); at++ { // words beyond the grammar of an instruction without a meaning
		c.use(i, o, in, at)
	}
}

// operand checks an operand at a word and its parameters, and returns the place of
// the next operand.
func (c *checker) operand(i int, o *opcode, in spirv.Inst, at int, k spirv.Kind) int {
	v := in[at]
	switch k.Category() {
	case spirv.CategoryID:
		c.use(i, o, in, at)
	case spirv.CategoryLiteral:
		if k == spirv.KindLiteralString {
			return at + spirv.StringWords(in[at:])
		}
	case spirv.CategoryValue:
		r := k.Enumerant(v)
		c.enumerant(i, o.op, k, r)
		return c.parameters(i, o, in, at+1, r)
	case spirv.CategoryMask:
		for rest := v; rest != 0; rest &= rest - 1 {
			c.enumerant(i, o.op, k, k.Enumerant(rest&-rest))
		}
		for at++; v != 0 && at < len(in); v &= v - 1 {
			at = c.parameters(i, o, in, at, k.Enumerant(v&-v))
		}
		return at
	case spirv.CategoryPair: // of debug information: an enumerator's value and its name
		first, second := k.Pair()
		if at = c.operand(i, o, in, at, first); at < len(in) {
			at = c.operand(i, o, in, at, second)
		}
		return at
	}
	return at + 1
}

// parameters checks the parameters of an enumerant, which have none of their own,
// and returns the place of the next operand.
func (c *checker) parameters(i int, o *opcode, in spirv.Inst, at int, r *spirv.Row) int {
	if r == nil {
		return at
	}
	for _, p := range r.Operands() {
		for at < len(in) {
			at = c.operand(i, o, in, at, p.Kind)
			if p.Quant != spirv.Repeated {
				break
			}
		}
	}
	return at
}

// oddTail checks the operands if their words depend on other operands.
func (c *checker) oddTail(i int, o *opcode, in spirv.Inst) {
	w, ok := c.code.Tail(i)
	if !ok {
		return
	}
	for w.Next() {
		switch w.Kind.Category() {
		case spirv.CategoryID:
			c.use(i, o, in, w.Pos)
		case spirv.CategoryValue:
			c.enumerant(i, o.op, w.Kind, w.Row())
		case spirv.CategoryMask:
			for rest := w.Words[0]; rest != 0; rest &= rest - 1 {
				c.enumerant(i, o.op, w.Kind, w.Kind.Enumerant(rest&-rest))
			}
		case spirv.CategoryLiteral:
			if w.Kind == spirv.KindLiteralSpecConstantOpInteger {
				c.nested(i, w.Row())
			}
		}
	}
}

// nested checks the opcode or the extended instruction that an operand names.
func (c *checker) nested(i int, r *spirv.Row) {
	if r == nil {
		return
	}
	if l := c.lacks(r); l != lacksNothing {
		c.lacking(i, l, r.Name(), r)
	}
}

// use checks the id at one word of instruction i.
func (c *checker) use(i int, o *opcode, in spirv.Inst, at int) {
	d := c.code.Def(spirv.ID(in[at]))
	if uint(d) >= uint(i) {
		c.useOther(i, o.op, in, at, d)
		return
	}
	k := opcodes[c.code.OpAt(d)].yields
	if c.fn != nil {
		b := c.blockOf[d]
		if b != 0 && (b != c.labelAt || o.op == spirv.OpPhi) || b == 0 && k == yieldsValue { // as parameters are
			c.scope(i, o.op, in, at, d)
		}
	}
	if k&o.names == 0 {
		c.kind(i, o.op, in, at, d)
	}
}

// useOther checks an id that is no operand defined before.
func (c *checker) useOther(i int, op spirv.Op, in spirv.Inst, at, d int) {
	id := spirv.ID(in[at])
	switch {
	case d < 0:
		c.fail(i, "SPV-Id-Undefined", "%s uses %s, which is not defined", op, c.name(id))
	case !c.mayForward(i, op, in, at, d):
		c.fail(i, "SPV-Id-Forward", "%s uses %s before its definition", op, c.name(id)).also(c, d, "the definition")
		if d == i { // suppresses further findings about an id that is defined by itself
			c.selfUse = i + 1
		}
	case op == spirv.OpPhi: // Phi operands alternate between values and labels
		c.kind(i, op, in, at, d)
	}
}

// resultType checks the type of a result.
func (c *checker) resultType(i int, op spirv.Op, id spirv.ID, d int) {
	switch {
	case d < 0:
		c.fail(i, "SPV-Id-Undefined", "%s uses %s, which is not defined", op, c.name(id))
	case !isType(c.code.Inst(d).Op()):
		c.fail(i, "SPV-Id-Type", "the result type of %s is %s, the result of %s; must be a type", op, c.name(id), c.code.Inst(d).Op())
	case c.code.OpAt(d) == spirv.OpTypeFunction:
		c.fail(i, "SPV-Type-FunctionUse", "the result type of %s is %s, a function type; must only be the type of functions", op, c.name(id))
	case d >= i:
		c.fail(i, "SPV-Id-Forward", "%s uses the type %s before its declaration", op, c.name(id)).also(c, d, "the declaration")
	}
}

// scope checks whether instruction i, which is in a function, may use the
// result of instruction d.
func (c *checker) scope(i int, op spirv.Op, in spirv.Inst, at, d int) {
	def := c.code.OpAt(d)
	b := c.blockNumber(c.blockOf[d])
	if b == nil && def != spirv.OpFunctionParameter {
		return
	}
	if def == spirv.OpLabel && op.Class() == spirv.ClassControlFlow {
		return // construct.go and controlflow.go check the targets of branches
	}
	if d < c.fn.Index {
		c.fail(i, "SPV-Id-Function", "%s uses %s of another function", op, c.name(spirv.ID(in[at]))).also(c, d, "the definition")
		return
	}
	if b == nil || c.block == nil {
		return
	}
	use := c.block
	if op == spirv.OpPhi {
		if (at-3)%2 != 0 || at+1 >= len(in) {
			return
		}
		if use = c.m.Block(spirv.ID(in[at+1])); use == nil || use.Func != c.fn {
			return
		}
	}
	if b != use && use.Reachable && !facts.Dominates(b, use) {
		c.fail(i, "SPV-Id-Dominance", "%s uses %s, but its block %s does not dominate the block %s", op, c.name(spirv.ID(in[at])), c.name(b.ID), c.name(use.ID)).also(c, d, "the definition")
	}
}

// mayForward reports whether an instruction may name the result of the later
// instruction d.
func (c *checker) mayForward(i int, op spirv.Op, in spirv.Inst, at, d int) bool {
	switch op {
	case spirv.OpExecutionMode, spirv.OpExecutionModeId, spirv.OpEntryPoint, spirv.OpName, spirv.OpMemberName, spirv.OpSelectionMerge,
		spirv.OpLoopMerge, spirv.OpDecorate, spirv.OpMemberDecorate, spirv.OpDecorateId, spirv.OpDecorateString,
		spirv.OpMemberDecorateString, spirv.OpMemberDecorateIdEXT, spirv.OpBranch, spirv.OpTypeForwardPointer, spirv.OpConditionalEntryPointINTEL,
		spirv.OpConditionalExtensionINTEL, spirv.OpConditionalCapabilityINTEL, // before all constants
		spirv.OpExtInstWithForwardRefsKHR, spirv.OpGraphEntryPointARM:
		return true
	case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		return at > 1 || c.code.OpAt(d) != spirv.OpDecorationGroup // SPV-Group-Target reports another opcode
	case spirv.OpBranchConditional, spirv.OpSwitch:
		return at > 1
	case spirv.OpFunctionCall:
		return at == 3
	case spirv.OpPhi:
		return c.phiForward(in, at, d)
	case spirv.OpCooperativeMatrixPerElementOpNV, spirv.OpCooperativeMatrixReduceNV, spirv.OpCooperativeMatrixLoadTensorNV:
		return c.code.Inst(d).Op() == spirv.OpFunction
	case spirv.OpConstantFunctionPointerINTEL, spirv.OpEnqueueKernel, spirv.OpGetKernelNDrangeSubGroupCount, spirv.OpGetKernelNDrangeMaxSubGroupSize,
		spirv.OpGetKernelWorkGroupSize, spirv.OpGetKernelPreferredWorkGroupSizeMultiple, spirv.OpGetKernelLocalSizeForSubgroupCount,
		spirv.OpGetKernelMaxNumSubgroups:
		return c.code.Inst(d).Op() == spirv.OpFunction
	case spirv.OpTypeStruct, spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypePointer, spirv.OpTypeFunction, spirv.OpTypeUntypedPointerKHR:
		return c.pointerDeclared(i, spirv.ID(in[at]), d)
	case spirv.OpExtInst:
		return c.debugForward(in, at)
	}
	return false
}

// debugForward reports whether debug information of OpenCL may name a later result
// with the word at: the function of a DebugFunction, and a member of a
// DebugTypeComposite.
func (c *checker) debugForward(in spirv.Inst, at int) bool {
	members := 14 // the word of the first; in DebugInfo a composite has no linkage name
	switch c.m.ExtSet(inst.ExtInst(in).Set()) {
	case spirv.ExtSetOpenCLDebugInfo100:
	case spirv.ExtSetDebugInfo:
		members = 13
	default:
		return false
	}
	switch spirv.OpenCLDebugInfo100Op(inst.ExtInst(in).Instruction()) {
	case spirv.OpenCLDebugInfo100DebugFunction:
		return at == 14
	case spirv.OpenCLDebugInfo100DebugTypeComposite:
		return at >= members
	}
	return false
}

// phiForward checks a use by OpPhi of a later result: any label is allowed, and a
// value if its block dominates the predecessor.
func (c *checker) phiForward(in spirv.Inst, at, d int) bool {
	if at < 3 {
		return false
	}
	if (at-3)%2 != 0 {
		return true
	}
	b := c.blockAt(d)
	if b == nil || at+1 >= len(in) {
		return false
	}
	use := c.m.Block(spirv.ID(in[at+1]))
	if use == nil || use.Func != c.fn {
		return true
	}
	return b.Func == c.fn && (!use.Reachable || facts.Dominates(b, use))
}

// blockAt returns the block of instruction d of the walk's function, also if the
// walk has not reached the block.
func (c *checker) blockAt(d int) *facts.Block {
	if b := c.blockNumber(c.blockOf[d]); b != nil || c.fn == nil {
		return b
	}
	lo, hi := 0, len(c.fn.Blocks)
	for lo < hi {
		mid := (lo + hi) / 2
		if c.fn.Blocks[mid].Index <= d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || d >= c.fn.Blocks[lo-1].End {
		return nil
	}
	return &c.fn.Blocks[lo-1]
}

// blockNumber returns the block of an entry of blockOf.
func (c *checker) blockNumber(n int32) *facts.Block {
	if n == 0 {
		return nil
	}
	return c.m.Block(c.code.Inst(int(n) - 1).Result())
}

// pointerDeclared reports whether the type at d, after i, is a pointer that
// OpTypeForwardPointer declares before i.
func (c *checker) pointerDeclared(i int, id spirv.ID, d int) bool {
	if c.code.Inst(d).Op() != spirv.OpTypePointer {
		return false
	}
	if c.forward == nil {
		c.forward = map[spirv.ID]int{}
		for n, in := range c.code.All() {
			if in.Op() == spirv.OpTypeForwardPointer {
				c.forward[inst.TypeForwardPointer(in).PointerType()] = n
			}
		}
	}
	n, ok := c.forward[id]
	return ok && n < i
}

// name returns an id for a message: its name, or its number if it has none. It
// returns "" once no further finding is recorded.
func (c *subject) name(id spirv.ID) string {
	if len(c.found) >= c.opts.MaxFindings {
		return ""
	}
	if c.opts.Named != nil {
		if s := c.opts.Named(id); s != "" {
			return short(s, maxName)
		}
	}
	if s := c.m.Name(id); s != "" {
		return "%" + short(s, maxName)
	}
	return "%" + itoa(uint64(id))
}

// kind checks whether an operand may name a type, a label, or another result
// without a type.
func (c *checker) kind(i int, op spirv.Op, in spirv.Inst, at, d int) {
	def := c.code.Inst(d).Op()
	switch {
	case def == spirv.OpDecorationGroup:
		if op.Class() != spirv.ClassAnnotation && op != spirv.OpName {
			c.fail(i, "SPV-Group-Use", "an operand of %s is the OpDecorationGroup %s; must be no decoration group", op, c.name(spirv.ID(in[at])))
		}
	case def == spirv.OpFunction:
		if !namesFunction(op) || op == spirv.OpExtInst && c.computes(in) {
			c.fail(i, "SPV-Function-Use", "an operand of %s is the function %s; must be no function", op, c.name(spirv.ID(in[at])))
		}
	case def.HasType():
		if op.Class() == spirv.ClassTypeDeclaration && (def != spirv.OpUndef && !constantDef(def) || madeOfType(op, at)) {
			c.fail(i, "SPV-Id-Type", "%s names %s, the result of %s; must be a type or a constant", op, c.name(spirv.ID(in[at])), def)
		}
		if at == typeAt(op) {
			c.fail(i, "SPV-Id-Type", "an operand of %s is %s, the result of %s; must be a type", op, c.name(spirv.ID(in[at])), def)
		}
	case isType(def):
		switch {
		case def == spirv.OpTypeFunction && namesType(op, at) && !c.namesFunctionType(op):
			c.fail(i, "SPV-Type-FunctionUse", "%s names %s, a function type; must only be the type of functions", op, c.name(spirv.ID(in[at])))
		case !namesType(op, at) || op == spirv.OpSpecConstantOp && !namesType(spirv.Op(in[3]), 0):
			c.fail(i, "SPV-Id-Type", "an operand of %s is the type %s; must be no type", op, c.name(spirv.ID(in[at])))
		}
	case def == spirv.OpAliasScopeListDeclINTEL && takesMemoryAccess(op): // accesses checks its place
	default:
		if !namesUntyped(op, at) {
			c.fail(i, "SPV-Id-Untyped", "an operand of %s is %s, the result of %s; must be a value with a type", op, c.name(spirv.ID(in[at])), def)
		}
	}
}

// madeOfType reports whether the operand at a word of a declaration is a type that
// another is made of, and not a size.
func madeOfType(op spirv.Op, at int) bool {
	switch op {
	case spirv.OpTypeRuntimeArray, spirv.OpTypeStruct, spirv.OpTypePointer, spirv.OpTypeFunction, spirv.OpTypeVector, spirv.OpTypeMatrix,
		spirv.OpTypeImage, spirv.OpTypeSampledImage:
		return true
	case spirv.OpTypeArray, spirv.OpTypeVectorIdEXT, spirv.OpTypeCooperativeMatrixKHR, spirv.OpTypeCooperativeMatrixNV, spirv.OpTypeTensorARM:
		return at == 2
	}
	return false
}

// constantDef reports whether an instruction makes a constant.
func constantDef(op spirv.Op) bool { return op.Class() == spirv.ClassConstantCreation }

// namesType reports whether the operand at a word of an instruction may be a
// type.
func namesType(op spirv.Op, at int) bool {
	switch op.Class() {
	case spirv.ClassTypeDeclaration, spirv.ClassAnnotation, spirv.ClassDebug, spirv.ClassModeSetting, spirv.ClassExtension:
		return true
	}
	if n := typeAt(op); n != 0 {
		return at == n
	}
	switch op {
	case spirv.OpFunction:
		return at == 4
	case spirv.OpSizeOf, spirv.OpCooperativeMatrixLengthNV, spirv.OpCooperativeMatrixLengthKHR,
		spirv.OpUntypedVariableKHR, spirv.OpSpecConstantOp, spirv.OpConstantSizeOfEXT, spirv.OpGraphARM,
		spirv.OpIsNodePayloadValidAMDX, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return true
	}
	return isType(op)
}

// typeAt returns the word of an instruction that must name a type although the
// instruction declares none; 0 if it has no such word.
func typeAt(op spirv.Op) int {
	switch op {
	case spirv.OpAbortKHR: // the message's
		return 1
	case spirv.OpUntypedArrayLengthKHR, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR, // the type of the base
		spirv.OpUntypedImageTexelPointerEXT, // the image's
		spirv.OpAsmINTEL:                    // the function type of the assembly
		return 3
	}
	return 0
}

// namesUntyped reports whether the operand at a word of an instruction may be
// the result of an instruction that has no type.
func namesUntyped(op spirv.Op, at int) bool {
	switch op.Class() {
	case spirv.ClassAnnotation, spirv.ClassDebug, spirv.ClassModeSetting, spirv.ClassExtension:
		return true
	case spirv.ClassExclude:
		return hasOtherIDs(op)
	}
	switch op { // the words of labels, and of functions, which have rules of their own
	case spirv.OpFunctionCall:
		return at == 3
	case spirv.OpBranch:
		return at == 1
	case spirv.OpSelectionMerge, spirv.OpLoopMerge:
		return at == 1 || at == 2
	case spirv.OpBranchConditional, spirv.OpSwitch:
		return at >= 2
	case spirv.OpPhi:
		return at >= 4 && at%2 == 0
	}
	return false
}

// hasOtherIDs reports whether an instruction that the grammar excludes from its chapters may have operands that are no values:
// functions, domains and scopes of aliases, targets of assembly.
func hasOtherIDs(op spirv.Op) bool {
	switch op {
	case spirv.OpConstantFunctionPointerINTEL, spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL,
		spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL:
		return true
	}
	return false
}

// takesMemoryAccess reports whether an instruction may have memory operands.
func takesMemoryAccess(op spirv.Op) bool {
	for _, o := range op.Row().Operands() {
		if o.Kind == spirv.KindMemoryAccess {
			return true
		}
	}
	return false
}

// namesFunctionType reports whether an operand of an instruction may be an
// OpTypeFunction.
func (c *checker) namesFunctionType(op spirv.Op) bool {
	switch op.Class() {
	case spirv.ClassAnnotation, spirv.ClassDebug, spirv.ClassModeSetting, spirv.ClassExtension, spirv.ClassExclude:
		return true
	}
	switch op {
	case spirv.OpTypeFunction: // which has a rule of its own
		return true
	case spirv.OpTypePointer:
		return c.capable(spirv.CapabilityFunctionPointersINTEL)
	}
	return op == spirv.OpFunction
}

// computes reports whether an extended instruction belongs to a set that computes values. All operands of such a set are values.
func (c *checker) computes(in spirv.Inst) bool {
	switch c.m.ExtSet(inst.ExtInst(in).Set()) {
	case spirv.ExtSetGLSL, spirv.ExtSetOpenCL, spirv.ExtSetAMDGcnShader, spirv.ExtSetAMDShaderBallot,
		spirv.ExtSetAMDShaderExplicitVertexParameter, spirv.ExtSetAMDShaderTrinaryMinmax:
		return true
	}
	return false
}

// namesFunction reports whether an operand of an instruction may be a function.
func namesFunction(op spirv.Op) bool {
	switch op.Class() {
	case spirv.ClassAnnotation, spirv.ClassDebug, spirv.ClassModeSetting, spirv.ClassExtension, spirv.ClassDeviceSideEnqueue:
		return true
	case spirv.ClassExclude:
		return hasOtherIDs(op)
	}
	switch op {
	case spirv.OpFunctionCall, spirv.OpCooperativeMatrixPerElementOpNV, spirv.OpCooperativeMatrixReduceNV, spirv.OpCooperativeMatrixLoadTensorNV,
		spirv.OpConstantFunctionPointerINTEL:
		return true
	}
	return false
}
