// Package ptx reads, checks and prints PTX, the assembly language of CUDA kernels (NVIDIA, "Parallel Thread Execution ISA"). It knows
// the form of a module: directives, declarations, statements and operands. It does not know what an instruction computes; package
// internal/ptxlower does.
//
// A finding has the line and the column of the fault. The parser reports the first fault of each statement and goes on with the next
// one. Its time and its memory are linear in the size of the text: nesting is bounded, and registers with a parameterised name such
// as %r<100> are one declaration.
//
// # Files
//
//	module.go       the parts of a module
//	lex.go          text to tokens
//	expr.go         constant expressions
//	parse.go        modules, directives
//	parse_decl.go   functions, variables
//	parse_stmt.go   statements, operands
//	form_value.go, form_memory.go, form_thread.go   the forms of instructions
//	form_recent.go  forms of the newest versions
//	form.go         qualifiers that an instruction may have together
//	check.go        names, labels, guards, opcodes
//	class.go        types of instructions
//	qualifier.go    qualifiers of memory accesses
//	operand.go      types of registers
//	require.go      features that a version or a target lacks
//	target.go       versions and targets
//	rule.go         the codes of findings, with examples
//	print.go        modules to text
package ptx
