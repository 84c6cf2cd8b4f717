// Package arm64 generates AArch64 machine code from vcode, with Advanced SIMD (NEON). It refuses to know memory management of code,
// shaders, and the processor that it runs on: it generates the same code on every host.
//
//	vcode.Func ─▶ regalloc ─▶ selection ─▶ Asm ─▶ target.Code
//	              frame.go    machine.go
//	                          select*.go
//
// A vector has four lanes of 32 bits; a subgroup of 16 invocations has four parts. A mask is a vector with all ones or all zeros in each
// lane. Instruction selection is a table lookup, as in package amd64: a rule (operation, type, type of the first operand) maps to an
// emitter. An operation without a rule exits to Go, which evaluates it lane by lane (target.Site), so that a program is correct with few
// rules. An access with different handles, or of 8 or 64 bits, is done lane by lane, and so is one of 16 bits that is not strided.
//
// Instructions have no memory operands: an operand in memory, or a constant, is loaded into a scratch register first. BIT, BIF and BSL
// blend: they overwrite one of their operands, and merge a result into its register with one instruction.
//
// # One table of instructions
//
// A row of the table has an instruction's fixed bits and a template of its text, with a token for each field. The encoder, the decoder and
// the printer follow the template, so that an instruction is one line:
//
//	{op: VFADD, name: "fadd", bits: 0x0e20d400, template: "{Vd}, {Vn}, {Vm}", hidden: "sz q"}
//
// The text is the text of GNU objdump. testdata/insns.txt has its answers for samples of every row, and GNU as makes the same bytes of them;
// go test -run TestInsns -record rewrites the file.
//
// The encodings are from the Arm Architecture Reference Manual for A-profile (DDI 0487). The baseline is Armv8.0, which every AArch64
// processor of an operating system has.
//
// # Files
//
//  1. reg.go: registers, conditions, arrangements of vectors.
//  2. token*.go: the fields of instructions; insn.go: encoder, decoder, printer.
//  3. insn_name.go, insn_table*.go: the instructions; asm.go: the assembler.
//  4. machine.go, frame.go, operand.go, literal.go, control.go: functions, frames, operands, constants, control flow.
//  5. dispatch.go: the loop over workgroups, exits to Go.
//  6. fuse.go: the peephole pass; select*.go: code of operations; target.go: the back end.
package arm64
