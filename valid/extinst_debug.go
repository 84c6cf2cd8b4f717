package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// debugInfoFamily checks the sets OpenCL.DebugInfo.100 and
// NonSemantic.Shader.DebugInfo.100, for extInst. Instructions of both sets have the
// same numbers in each.
var debugInfoFamily = family{
	rules: []Rule{
		{Code: "SPV-DebugInfo-Operand", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "each operand is an instruction of the kind that the set defines"},
		{Code: "SPV-DebugInfo-Constant", Section: "NonSemantic.Shader.DebugInfo", Words: "a number is a 32-bit unsigned OpConstant"},
		{Code: "SPV-DebugInfo-Result", Section: "OpenCL.DebugInfo", Words: "an instruction of debug information has the type void"},
		{Code: "SPV-DebugInfo-Version", Section: "NonSemantic.Shader.DebugInfo", Words: "the import names a version that includes the instruction"},
		{Code: "SPV-DebugInfo-Line", Section: "NonSemantic.Shader.DebugInfo", Words: "a line exists in the text of its DebugSource, ranges do not run backwards, and the declaration of a variable of the source has a line"},
		{Code: "SPV-DebugInfo-Column", Section: "NonSemantic.Shader.DebugInfo", Words: "a column is within its line, or directly after its end"},
		{Code: "SPV-DebugInfo-Definition", Section: "NonSemantic.Shader.DebugInfo", Words: "DebugFunctionDefinition is in the entry block of the function that it names, once in a function and once for a DebugFunction; the function of a DebugEntryPoint has one"},
		{Code: "SPV-DebugInfo-Count", Section: "NonSemantic.Shader.DebugInfo", Words: "a vector has 2 to 4 components, a matrix 2 to 4 columns"},
		{Code: "SPV-DebugInfo-Size", Section: "NonSemantic.Shader.DebugInfo", Words: "an enumeration has more than 0 bits"},
		{Code: "SPV-DebugInfo-ArrayLength", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "a variable as the length of an array is a 32-bit or 64-bit unsigned integer"},
		{Code: "SPV-DebugInfo-Value", Section: "NonSemantic.Shader.DebugInfo", Words: "a number is a value of its enumeration, flags are bits of their mask"},
		{Code: "SPV-DebugInfo-Encoding", Section: "NonSemantic.Shader.DebugInfo", Words: "a type with a floating-point encoding is of the encoding Float and has the size of the encoding"},
		{Code: "SPV-DebugInfo-Identifier", Section: "NonSemantic.Shader.DebugInfo", Words: "the identifier of a build has at least 32 lowercase hexadecimal digits"},
		{Code: "SPV-DebugInfo-Text", Section: "NonSemantic.Shader.DebugInfo", Words: "DebugSourceContinued directly follows a DebugSource with a text or a DebugSourceContinued, of the same import"},
		{Code: "SPV-DebugInfo-Operation", Section: "NonSemantic.Shader.DebugInfo", Words: "a DebugOperation has as many operands as its operation"},
		{Code: "SPV-DebugInfo-Place", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "debug information of instructions is in blocks, all other debug information outside of functions"},
	},
	after: []func(c *checker){(*checker).debugEnd},
}

// debugOp is an instruction of either set.
type debugOp = spirv.NonSemanticShaderDebugInfoOp

// debugSet is a set of instructions: a bit for each number.
type debugSet uint64

// debugBit returns the set of one instruction.
func debugBit(op debugOp) debugSet {
	switch {
	case op < 48:
		return 1 << op
	case op > 100 && op < 117:
		return 1 << (op - 101 + 48)
	}
	return 0
}

// debugInfo checks instructions of debug information. It has the line lengths of
// the texts that they refer to.
type debugInfo struct {
	*subject
	texts     map[spirv.ID][]int32 // by DebugSource, if a line of it was checked; nil if it has no text
	textBytes int                  // of the texts that were read

	defined     map[spirv.ID]definition // the DebugFunctionDefinition of each DebugFunction
	definitions map[spirv.ID]int        // and of each OpFunction
	entries     []entryInfo             // all DebugEntryPoint

	lineless int          // the DebugLine with line 0 that is in effect, −1 if there is none
	inBlock  *facts.Block // the block that it is in
}

// definition is a DebugFunctionDefinition and its OpFunction.
type definition struct {
	at int
	of spirv.ID
}

// entryInfo is a DebugEntryPoint and its DebugFunction.
type entryInfo struct {
	at       int
	function spirv.ID
}

// debug checks an instruction of debug information in a block of a function; both
// are nil outside.
func (c *debugInfo) debug(i int, in spirv.Inst, set spirv.ExtSet, fn *facts.Function, block *facts.Block) {
	op := debugOp(inst.ExtInst(in).Instruction())
	if set == spirv.ExtSetOpenCLDebugInfo100 {
		if t := c.m.Type(in.Type()); t != nil && !t.IsVoid() {
			c.fail(i, "SPV-DebugInfo-Result", "the instruction is %s; must be void", c.typeName(t))
		}
	} else {
		c.debugVersion(i, in, op)
	}
	if inFunction(set, uint32(op)) != (fn != nil) {
		where := "outside of functions"
		if fn != nil {
			where = "in a function"
		}
		c.fail(i, "SPV-DebugInfo-Place", "%s %s; must not be there", op, where)
	}
	c.debugOperands(i, in, op, set)
	c.debugMore(i, in, op, set)
	if set == spirv.ExtSetNonSemanticShaderDebugInfo && block != nil {
		c.inside(i, op, spirv.IDs(in[5:]), fn, block)
	}
}

// inside checks an instruction of the set for shaders in a block.
func (c *debugInfo) inside(i int, op debugOp, w []spirv.ID, fn *facts.Function, block *facts.Block) {
	if c.inBlock != block {
		c.lineless, c.inBlock = -1, block
	}
	switch op {
	case spirv.NonSemanticShaderDebugInfoDebugLine:
		c.lineless = -1
		if len(w) >= 5 {
			c.debugLine(i, w)
		}
	case spirv.NonSemanticShaderDebugInfoDebugNoLine:
		c.lineless = -1
	case spirv.NonSemanticShaderDebugInfoDebugDeclare:
		if len(w) > 0 {
			c.debugDeclare(i, w)
		}
	case spirv.NonSemanticShaderDebugInfoDebugFunctionDefinition:
		if len(w) > 1 {
			c.definition(i, w[0], w[1], fn, block)
		}
	}
}

// definition checks a DebugFunctionDefinition: a DebugFunction and its OpFunction.
func (c *debugInfo) definition(i int, function, of spirv.ID, fn *facts.Function, block *facts.Block) {
	if block.Number != 0 || c.m.Function(of) != fn {
		c.fail(i, "SPV-DebugInfo-Definition", "DebugFunctionDefinition in the block %s; must be in the entry block of the function that it names", c.name(block.ID))
		return
	}
	if c.defined == nil {
		c.defined, c.definitions = map[spirv.ID]definition{}, map[spirv.ID]int{}
	}
	if at, ok := c.definitions[of]; ok {
		c.fail(i, "SPV-DebugInfo-Definition", "a second DebugFunctionDefinition in %s; must be one", c.name(of)).also(c, at, "the first")
	} else if d, ok := c.defined[function]; ok {
		c.fail(i, "SPV-DebugInfo-Definition", "%s is defined a second time; must be defined once", c.name(function)).also(c, d.at, "the first definition")
	}
	c.defined[function], c.definitions[of] = definition{i, of}, i
}

// debugEnd checks that each DebugEntryPoint is of the DebugFunction of an entry
// point.
func (c *checker) debugEnd() {
	d := &c.debugInfo
	if len(d.entries) == 0 {
		return
	}
	entry := map[spirv.ID]bool{}
	for k := range c.m.EntryPoints {
		entry[c.m.EntryPoints[k].ID] = true
	}
	for _, e := range d.entries {
		in := d.debugInst(e.function)
		if in == nil || debugOp(in[4]) != spirv.NonSemanticShaderDebugInfoDebugFunction {
			continue // reported as an operand
		}
		// Both are warnings: compilers inline the function of the source into the entry
		// point, or call it from there, and its definition is lost or elsewhere.
		def, ok := d.defined[e.function]
		if !ok {
			c.fail(e.at, "SPV-DebugInfo-Definition", "%s of the entry point has no DebugFunctionDefinition; must have one", c.name(e.function)).also(c, c.code.Def(e.function), "the function").warn()
		} else if !entry[def.of] {
			c.fail(e.at, "SPV-DebugInfo-Definition", "%s is the function %s, which is no entry point; must be one", c.name(e.function), c.name(def.of)).also(c, def.at, "the definition").warn()
		}
	}
}
