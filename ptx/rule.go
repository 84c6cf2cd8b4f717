package ptx

// Rule is what the findings of one code are about.
type Rule struct {
	Code  string
	Words string // the requirement
	Bad   string // a module that violates it
	Good  string // one that satisfies it
}

// example returns a module with the body of a kernel. p is its parameter of 64 bits; the target and the body are those of the text.
func example(version, body string) string {
	return ".version " + version + "\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd0, [p];\n\t" + body + "\n\tret;\n}\n"
}

var rules = []Rule{
	{CodeSyntax, "a text follows the grammar of the PTX ISA: directives, declarations, statements and operands are complete and in order, and the text is within the limits of Chiaro",
		example("8.0\n.target sm_80", "add.u32 %r1, %r2;;\n\tadd.u32 %r1 %r2, 1;"), example("8.0\n.target sm_80", "add.u32 %r1, %r2, 1;")},
	{CodeSymbol, "each name has one declaration in its scope, before its use: registers, variables, parameters, labels, functions and prototypes",
		example("8.0\n.target sm_80", "mov.u32 %r1, %r9;"), example("8.0\n.target sm_80", "mov.u32 %r1, %r3;")},
	{CodeInstruction, "an instruction exists, and has qualifiers and a number of operands that one of its forms has",
		example("8.0\n.target sm_80", "add.wide.u32 %r1, %r2, 1;"), example("8.0\n.target sm_80", "mad.wide.u32 %rd1, %r1, %r2, %rd0;")},
	{CodeType, "an operand has the kind and the size of the instruction's type",
		example("8.0\n.target sm_80", "add.u32 %rd1, %r2, 1;"), example("8.0\n.target sm_80", "add.u64 %rd1, %rd0, 1;")},
	{CodeTarget, "the .version and the .target of a module have the instructions, qualifiers and directives that it uses; the kernel runs without them, too",
		example("6.0\n.target sm_70", "redux.sync.add.u32 %r1, %r2, 0xffffffff;"), example("7.0\n.target sm_80", "redux.sync.add.u32 %r1, %r2, 0xffffffff;")},
	{CodeSupport, "Chiaro can run the kernel: docs/cuda.md lists what it cannot",
		example("8.6\n.target sm_100a", "tcgen05.wait::ld.sync.aligned;"), example("8.6\n.target sm_100a", "bar.warp.sync 0xffffffff;")},
}

// Rules returns the rules of all codes of findings.
func Rules() []Rule { return append([]Rule(nil), rules...) }
