package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// formFamily checks the header of a module. Package spirv detects streams that are
// no module at all when it decodes; their rules are listed here with the others.
var formFamily = family{
	rules: []Rule{
		{Code: "SPV-Stream-Size", Section: "SPIR-V 2.3", Words: "a module is a stream of words of four bytes"},
		{Code: "SPV-Header-Magic", Section: "SPIR-V 2.3", Words: "the first word is the magic number, in one byte order or the other"},
		{Code: "SPV-Header-Size", Section: "SPIR-V 2.3", Words: "a module begins with a header of five words"},
		{Code: "SPV-Header-Version", Section: "SPIR-V 2.3", Words: "the version is one of SPIR-V's"},
		{Code: "SPV-Header-Bound", Section: "SPIR-V 2.3", Words: "the bound of ids is above 0"},
		{Code: "SPV-Instruction-WordCount", Section: "SPIR-V 2.3", Words: "an instruction has as many words as it says, and ends within the module"},
		{Code: "SPV-Instruction-Opcode", Section: "SPIR-V 3.3", Words: "the opcode of an instruction is one that there is"},
		{Code: "SPV-Operand-Missing", Section: "SPIR-V 3.3", Words: "every operand that must stand does"},
		{Code: "SPV-Operand-Extra", Section: "SPIR-V 3.3", Words: "an instruction has no words behind its operands"},
		{Code: "SPV-Operand-String", Section: "SPIR-V 2.2.1", Words: "a literal string ends with a zero byte"},
		{Code: "SPV-Operand-Enumerant", Section: "SPIR-V 3.2", Words: "an operand of an enumeration is one of its values, a mask has only bits that there are"},
		{Code: "SPV-Id-Zero", Section: "SPIR-V 2.2.1", Words: "an id is not 0"},
		{Code: "SPV-Id-Bound", Section: "SPIR-V 2.3", Words: "an id is below the bound of the header"},
		{Code: "SPV-Id-Redefined", Section: "SPIR-V 2.16.1", Words: "an id is the result of one instruction"},
		{Code: "SPV-Literal-Type", Section: "SPIR-V 2.2.1", Words: "the type that says how many words a literal has stands before it"},
		{Code: "SPV-ExtInst-Set", Section: "SPIR-V 3.3.4", Words: "an OpExtInst names a set that an OpExtInstImport before it imports"},
		{Code: "SPV-ExtInst-Number", Section: "SPIR-V 3.3.4", Words: "an OpExtInst names an instruction that the set has"},
		{Code: "SPV-ExtInst-Import", Section: "SPIR-V 3.3.4", Words: "OpExtInstImport names a set that is known, or one without a meaning"},
		{Code: "SPV-SpecConstantOp-Opcode", Section: "SPIR-V 3.3.7", Words: "OpSpecConstantOp names an opcode that it can compute"},
		{Code: "SPV-Header-Environment", Section: "SPIR-V 2.3", Words: "the version of the module is one that the environment takes"},
		{Code: "SPV-Header-Limit", Section: "SPIR-V 2.17", Words: "the bound of ids is within the universal limit"},
		{Code: "SPV-Header-Schema", Section: "SPIR-V 2.3", Words: "the schema word is 0"},
	},
	before: []func(*checker){(*checker).header},
}

func (c *checker) header() {
	if c.version > c.env.SPIRV {
		c.fail(-1, "SPV-Header-Environment", "the module is SPIR-V %s; %s takes %s at most", c.version, c.env, c.env.SPIRV)
	}
	if n := c.opts.Limits.IDBound; uint64(c.code.Bound) > uint64(n) {
		c.fail(-1, "SPV-Header-Limit", "the bound of ids is %d; must be %d at most", c.code.Bound, n)
	}
	if c.code.Schema != 0 {
		c.fail(-1, "SPV-Header-Schema", "the schema is %d; must be 0", c.code.Schema)
	}
}

// since reports whether the module is of a version of SPIR-V or of a later one.
func (c *subject) since(v spirv.Version) bool { return c.version >= v }
