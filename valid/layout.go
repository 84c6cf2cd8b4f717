package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// layoutFamily checks the logical layout of a module (SPIR-V §2.4): the order
// of sections, and of instructions in functions and blocks. The walk itself
// calls place, since every instruction has a place.
var layoutFamily = family{
	rules: []Rule{
		{Code: "SPV-Layout-Section", Section: "SPIR-V 2.4", Words: "each section of a module follows the order of the logical layout, and each instruction is in its own section"},
		{Code: "SPV-Layout-MemoryModel", Section: "SPIR-V 2.4", Words: "a module has exactly one OpMemoryModel"},
		{Code: "SPV-Layout-EntryPoint", Section: "SPIR-V 2.4", Words: "a module has an entry point unless it declares the capability Linkage"},
		{Code: "SPV-Layout-Function", Section: "SPIR-V 2.4", Words: "a function is an OpFunction, its OpFunctionParameters, its blocks and an OpFunctionEnd, and functions do not nest"},
		{Code: "SPV-Layout-Declaration", Section: "SPIR-V 2.4", Words: "functions without a body precede functions with a body"},
		{Code: "SPV-Layout-Block", Section: "SPIR-V 2.4", Words: "a block begins with OpLabel and ends with the first termination instruction; all instructions of a function body are in blocks"},
		{Code: "SPV-Layout-Variable", Section: "SPIR-V 2.4", Words: "the variables of a function are the first instructions of its first block"},
		{Code: "SPV-Layout-Phi", Section: "SPIR-V 2.16.1", Words: "OpPhi precedes all other instructions of its block except OpLine and OpNoLine"},
		{Code: "SPV-Layout-Merge", Section: "SPIR-V 2.16.1", Words: "a merge instruction is the second-to-last instruction of its block, directly before its branch"},
	},
	after: []func(*checker){(*checker).layoutModule},
}

// section is a section of the logical layout.
type section uint8

const (
	anywhere section = iota
	capabilitySection
	extensionSection
	importSection
	memoryModelSection
	entryPointSection
	modeSection
	sourceSection
	nameSection
	processedSection
	annotationSection
	declarationSection
	functionSection
)

// String returns the section's name in messages.
func (s section) String() string {
	return [...]string{"any section", "the capabilities", "the extensions", "the imports", "the memory model", "the entry points",
		"the execution modes", "the strings and sources", "the names", "the processes", "the annotations",
		"the types, constants and variables", "the functions"}[s]
}

// layoutState is the state of the walk in the logical layout.
type layoutState struct {
	at       section
	told     uint32 // sections that were reported as out of order
	models   int    // OpMemoryModel
	open     int    // the OpFunction that is open, −1 outside
	body     bool   // whether a function with a body was begun
	params   bool   // whether parameters may come
	block    int    // the OpLabel of the open block, −1 outside
	phis     bool   // whether OpPhi may come
	vars     bool   // whether OpVariable may come
	merge    int    // the merge instruction just before, −1 if there is none
	started  bool   // whether the open function has a block
	graph    bool   // whether an OpGraphARM is open
	graphs   int    // the first graph or entry point of one + 1; functions are before it (SPV_ARM_graph)
	badScope bool   // whether an instruction outside of blocks was reported in this function
	scoped   int    // the first debug instruction of OpenCL before the blocks of this function, or -1
	tail     int    // the end of the scopes and lines that endsFunction looked at
}

// sectionOf returns the section of an instruction; anywhere for
// instructions that are allowed in several sections.
func sectionOf(op spirv.Op) section {
	switch op {
	case spirv.OpCapability, spirv.OpConditionalCapabilityINTEL:
		return capabilitySection
	case spirv.OpExtension, spirv.OpConditionalExtensionINTEL:
		return extensionSection
	case spirv.OpExtInstImport:
		return importSection
	case spirv.OpMemoryModel, spirv.OpSamplerImageAddressingModeNV:
		return memoryModelSection
	case spirv.OpEntryPoint, spirv.OpConditionalEntryPointINTEL:
		return entryPointSection
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		return modeSection
	case spirv.OpString, spirv.OpSource, spirv.OpSourceExtension, spirv.OpSourceContinued:
		return sourceSection
	case spirv.OpName, spirv.OpMemberName:
		return nameSection
	case spirv.OpModuleProcessed:
		return processedSection
	case spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL:
		return annotationSection // decorations name them, so that they are before the declarations
	case spirv.OpTypeForwardPointer, spirv.OpGraphConstantARM, spirv.OpConstantStringAMDX, spirv.OpSpecConstantStringAMDX,
		spirv.OpConstantDataKHR, spirv.OpSpecConstantDataKHR, spirv.OpConstantSizeOfEXT, spirv.OpConstantFunctionPointerINTEL, spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL:
		return declarationSection
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpUndef, spirv.OpPoisonKHR, spirv.OpLine, spirv.OpNoLine, spirv.OpNop,
		spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR,
		spirv.OpConstantPipeStorage: // a constant by its name (SPIR-V 2.2.1), an instruction of functions by its chapter
		return anywhere
	}
	switch op.Class() {
	case spirv.ClassAnnotation:
		return annotationSection
	case spirv.ClassTypeDeclaration, spirv.ClassConstantCreation:
		return declarationSection
	}
	if isType(op) {
		return declarationSection
	}
	return functionSection
}

// checkLayout checks the place of an instruction.
func (c *checker) checkLayout(i int, o *opcode, in spirv.Inst) {
	l, op := &c.layout, o.op
	if l.merge >= 0 && !branches(c.code.Inst(l.merge).Op(), op) {
		c.fail(l.merge, "SPV-Layout-Merge", "%s before %s; must be just before %s", c.code.Inst(l.merge).Op(), op, branchOf(c.code.Inst(l.merge).Op()))
	}
	l.merge = -1
	if op == spirv.OpMemoryModel {
		if l.models++; l.models == 2 {
			c.fail(i, "SPV-Layout-MemoryModel", "a second OpMemoryModel; must be one")
		}
	}
	if op == spirv.OpSamplerImageAddressingModeNV && l.models == 0 {
		c.fail(i, "SPV-Layout-Section", "%s before the memory model; must be after it", op)
	}
	s := o.section
	if s == anywhere {
		s = c.freeSection(i, op, in)
	}
	if l.open >= 0 || l.graph {
		c.layoutInside(i, op, s, in)
		return
	}
	switch {
	case s == anywhere:
		return
	case s < l.at:
		if l.told&(1<<s) == 0 {
			l.told |= 1 << s
			c.fail(i, "SPV-Layout-Section", "%s after %s; must be in %s", op, l.at, s)
		}
		return
	}
	l.at = s
	if s == functionSection {
		c.layoutOutside(i, op)
	}
}

// freeSection returns the section of an instruction that has several places.
func (c *checker) freeSection(i int, op spirv.Op, in spirv.Inst) section {
	if c.layout.open >= 0 || c.layout.graph {
		return functionSection
	}
	switch op {
	case spirv.OpNop:
		if c.layout.at == functionSection {
			return functionSection
		}
		return anywhere
	case spirv.OpLine, spirv.OpNoLine:
		if c.layout.at < declarationSection {
			return declarationSection
		}
		return anywhere
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return c.extInstSection(i, in)
	}
	if c.layout.at == functionSection {
		return functionSection
	}
	return declarationSection
}

// extInstSection returns the section of an extended instruction outside of
// functions. Debug information and instructions without a meaning are allowed
// among the types and after them.
func (c *checker) extInstSection(_ int, in spirv.Inst) section {
	set := c.m.ExtSet(inst.ExtInst(in).Set())
	switch {
	case set == spirv.ExtSetOpenCLDebugInfo100, set == spirv.ExtSetNonSemanticShaderDebugInfo, set == spirv.ExtSetDebugInfo:
		if inFunction(set, inst.ExtInst(in).Instruction()) {
			return functionSection
		}
		return declarationSection
	case set.NonSemantic():
		if c.layout.at == functionSection {
			return anywhere
		}
		return declarationSection
	case set == spirv.ExtSetNone:
		return anywhere
	}
	return functionSection
}

// layoutOutside checks an instruction in the section of functions, outside of one.
func (c *checker) layoutOutside(i int, op spirv.Op) {
	l := &c.layout
	switch op {
	case spirv.OpFunction:
		if l.graphs > 0 {
			c.fail(i, "SPV-Graph-Place", "a function after a graph or its entry point; must be before all of them").also(c, l.graphs-1, "the first")
		}
		l.open, l.params, l.block, l.started, l.badScope, l.scoped = i, true, -1, false, false, -1
	case spirv.OpGraphARM, spirv.OpGraphEntryPointARM:
		l.graph = op == spirv.OpGraphARM
		if l.graphs == 0 {
			l.graphs = i + 1
		}
	case spirv.OpLine, spirv.OpNoLine:
	default:
		if isDebugInfo(c.m, op, c.code.Inst(i)) { // SPV-DebugInfo-Place
			return
		}
		if l.told&1 == 0 {
			l.told |= 1
			c.fail(i, "SPV-Layout-Function", "%s outside of functions; must be in one", op)
		}
	}
}

// layoutInside checks an instruction in a function or a graph.
func (c *checker) layoutInside(i int, op spirv.Op, s section, in spirv.Inst) {
	l := &c.layout
	if l.graph {
		switch op {
		case spirv.OpGraphARM, spirv.OpFunction:
			c.fail(i, "SPV-Graph-Place", "%s in a graph; must be after OpGraphEndARM", op).also(c, c.graph.first, "the graph begins here")
		case spirv.OpGraphEndARM:
			l.graph = false
		case spirv.OpGraphInputARM, spirv.OpGraphSetOutputARM, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR, spirv.OpCompositeExtract,
			spirv.OpLine, spirv.OpNoLine, spirv.OpGraphEntryPointARM: // the rules on OpGraphEntryPointARM report it
		default:
			c.fail(i, "SPV-Graph-Place", "%s in a graph; must be outside of graphs", op).also(c, c.graph.first, "the graph begins here")
		}
		return
	}
	if s != functionSection && s != anywhere {
		c.fail(i, "SPV-Layout-Section", "%s in a function; must be in %s", op, s)
		return
	}
	switch op {
	case spirv.OpFunction:
		c.fail(i, "SPV-Layout-Function", "OpFunction in a function; must be after OpFunctionEnd").also(c, l.open, "the function begins here")
		l.open, l.params, l.block, l.started, l.badScope, l.scoped = i, true, -1, false, false, -1
	case spirv.OpFunctionParameter:
		if !l.params {
			c.fail(i, "SPV-Layout-Function", "OpFunctionParameter after the first block or other instructions; must be directly after OpFunction")
		}
	case spirv.OpFunctionEnd:
		c.functionEnd(i)
	case spirv.OpLabel:
		if l.block >= 0 {
			c.fail(i, "SPV-Layout-Block", "OpLabel in a block; must be after an instruction that ends the block").also(c, l.block, "the block begins here")
		}
		if !l.started && !l.body {
			l.body = true
		}
		l.block, l.phis, l.vars, l.started, l.params = i, true, !l.started, true, false
	case spirv.OpLine, spirv.OpNoLine:
	default:
		c.layoutInBlock(i, op, in)
	}
}

func (c *checker) functionEnd(i int) {
	l := &c.layout
	if l.block >= 0 {
		c.fail(i, "SPV-Layout-Block", "OpFunctionEnd in a block; must be after an instruction that ends the block").also(c, l.block, "the block begins here")
	}
	if !l.started && l.scoped >= 0 {
		c.fail(l.scoped, "SPV-Layout-Block", "a debug instruction in a function without a body; must be in a body").also(c, l.open, "the function begins here")
	}
	if !l.started && l.body {
		c.fail(l.open, "SPV-Layout-Declaration", "a function without a body after a function with a body; must be before it")
	}
	l.open, l.block = -1, -1
}

// layoutInBlock checks an instruction that must be in a block.
func (c *checker) layoutInBlock(i int, op spirv.Op, in spirv.Inst) {
	l := &c.layout
	if l.block < 0 {
		l.params = false
		switch {
		case l.badScope:
		case c.bodiless(op, in):
			if !l.started && l.scoped < 0 {
				l.scoped = i
			}
		case !l.started || !c.endsFunction(i):
			l.badScope = true
			c.fail(i, "SPV-Layout-Block", "%s outside of blocks; must be in one", op)
		case c.beginsPosition(in):
			c.fail(i, "SPV-Layout-Block", "%s after the last block sets a scope or a line; must be in a block", op).warn() // compilers emit it for declarations
		}
		return
	}
	switch {
	case op == spirv.OpPhi:
		if !l.phis {
			c.fail(i, "SPV-Layout-Phi", "OpPhi after other instructions of its block; must be before them")
		}
		l.vars = false
		return
	case op == spirv.OpVariable, op == spirv.OpUntypedVariableKHR:
		if !l.vars {
			c.fail(i, "SPV-Layout-Variable", "%s after other instructions or in a later block; must be among the first instructions of the first block", op)
		}
	case op == spirv.OpExtInst && c.m.ExtSet(inst.ExtInst(in).Set()).NonSemantic(), isDebugInfo(c.m, op, in):
		// These may be between variables, but not before a phi. Debug information of
		// instructions is after the variables.
		if v := inst.ExtInst(in); c.m.ExtSet(v.Set()) == spirv.ExtSetNonSemanticShaderDebugInfo && inFunction(spirv.ExtSetNonSemanticShaderDebugInfo, v.Instruction()) {
			l.vars = false
		}
	default:
		l.vars = false
	}
	l.phis = false
	switch {
	case op == spirv.OpSelectionMerge, op == spirv.OpLoopMerge:
		l.merge = i
	case facts.IsTerminator(op):
		l.block = -1
	}
}

// bodiless reports whether an instruction may be in a function but outside of
// its blocks: only OpenCL's debug information may. Other instructions without a
// meaning are in blocks, or between functions.
func (c *checker) bodiless(op spirv.Op, in spirv.Inst) bool {
	return op == spirv.OpExtInst && c.m.ExtSet(inst.ExtInst(in).Set()) == spirv.ExtSetOpenCLDebugInfo100
}

// setsPosition reports whether an instruction sets the scope or the line of the
// instructions after it, or ends one of them.
func (c *checker) setsPosition(op spirv.Op, in spirv.Inst) bool {
	if op != spirv.OpExtInst && op != spirv.OpExtInstWithForwardRefsKHR {
		return false
	}
	v := inst.ExtInst(in)
	if c.m.ExtSet(v.Set()) != spirv.ExtSetNonSemanticShaderDebugInfo {
		return false
	}
	switch spirv.NonSemanticShaderDebugInfoOp(v.Instruction()) {
	case spirv.NonSemanticShaderDebugInfoDebugNoScope, spirv.NonSemanticShaderDebugInfoDebugNoLine:
		return true
	}
	return c.beginsPosition(in)
}

// beginsPosition reports whether an instruction of debug information sets a scope or a
// line.
func (c *checker) beginsPosition(in spirv.Inst) bool {
	switch spirv.NonSemanticShaderDebugInfoOp(inst.ExtInst(in).Instruction()) {
	case spirv.NonSemanticShaderDebugInfoDebugScope, spirv.NonSemanticShaderDebugInfoDebugLine:
		return true
	}
	return false
}

// endsFunction reports whether only instructions that set positions are from i to
// OpFunctionEnd: compilers end the scope of a function there, or begin the line of the next
// declaration. Each run of them is looked at once.
func (c *checker) endsFunction(i int) bool {
	l := &c.layout
	for l.tail = max(l.tail, i); l.tail < c.code.Len(); l.tail++ {
		in := c.code.Inst(l.tail)
		if op := in.Op(); op != spirv.OpLine && op != spirv.OpNoLine && !c.setsPosition(op, in) {
			return op == spirv.OpFunctionEnd && l.tail > i
		}
	}
	return false
}

// isDebugInfo reports whether an instruction is of one of the sets of debug
// information.
func isDebugInfo(m *facts.Module, op spirv.Op, in spirv.Inst) bool {
	if op != spirv.OpExtInst && op != spirv.OpExtInstWithForwardRefsKHR {
		return false
	}
	switch m.ExtSet(inst.ExtInst(in).Set()) {
	case spirv.ExtSetOpenCLDebugInfo100, spirv.ExtSetNonSemanticShaderDebugInfo, spirv.ExtSetDebugInfo:
		return true
	}
	return false
}

// inFunction reports whether an instruction of debug information is allowed in
// functions alone.
func inFunction(set spirv.ExtSet, number uint32) bool {
	if set == spirv.ExtSetNonSemanticShaderDebugInfo {
		switch spirv.NonSemanticShaderDebugInfoOp(number) {
		case spirv.NonSemanticShaderDebugInfoDebugFunctionDefinition, spirv.NonSemanticShaderDebugInfoDebugLine,
			spirv.NonSemanticShaderDebugInfoDebugNoLine:
			return true
		}
	}
	// The three sets give these the same numbers.
	switch spirv.NonSemanticShaderDebugInfoOp(number) {
	case spirv.NonSemanticShaderDebugInfoDebugScope, spirv.NonSemanticShaderDebugInfoDebugNoScope,
		spirv.NonSemanticShaderDebugInfoDebugDeclare, spirv.NonSemanticShaderDebugInfoDebugValue:
		return true
	}
	return false
}

// branches reports whether a merge instruction may come before op.
func branches(merge, op spirv.Op) bool {
	if merge == spirv.OpLoopMerge {
		return op == spirv.OpBranch || op == spirv.OpBranchConditional
	}
	return op == spirv.OpBranchConditional || op == spirv.OpSwitch
}

// branchOf names the branches that branches accepts.
func branchOf(merge spirv.Op) string {
	if merge == spirv.OpLoopMerge {
		return "OpBranch or OpBranchConditional"
	}
	return "OpBranchConditional or OpSwitch"
}

// layoutEnd checks that no function and no graph is open at the end of the module.
func (c *checker) layoutEnd() {
	l := &c.layout
	if c.code.Len() == 0 {
		return
	}
	if l.open >= 0 {
		c.fail(l.open, "SPV-Layout-Function", "the function has no OpFunctionEnd; must have one")
	}
	if l.graph {
		c.fail(c.graph.first, "SPV-Graph-Place", "the graph has no OpGraphEndARM; must have one")
	}
}

// layoutModule checks the instructions that every module must have.
func (c *checker) layoutModule() {
	if !c.m.HasMemory {
		c.fail(-1, "SPV-Layout-MemoryModel", "no OpMemoryModel; must be one")
	}
	if len(c.m.EntryPoints) == 0 && !c.capable(spirv.CapabilityLinkage) && !c.hasGraph() {
		c.fail(-1, "SPV-Layout-EntryPoint", "no OpEntryPoint; must be one unless the capability Linkage is declared")
	}
}

// hasGraph reports whether the module has the entry point of a graph.
func (c *checker) hasGraph() bool {
	if !c.capable(spirv.CapabilityGraphARM) {
		return false
	}
	for _, in := range c.code.All() {
		if in.Op() == spirv.OpGraphEntryPointARM {
			return true
		}
	}
	return false
}
