// Package arm64 generates AArch64 machine code: an assembler, and a disassembler for listings. It refuses to know shaders, and the
// processor that it runs on.
//
// # One table
//
// A row of the table has an instruction's fixed bits and a template of its text, with a token for each field. The encoder, the decoder and
// the printer follow the template, so that an instruction is one line:
//
//	{op: VFADD, name: "fadd", bits: 0x0e20d400, template: "{Vd}, {Vn}, {Vm}", hidden: "sz q"}
//
// The text is that of GNU objdump. testdata/insns.txt has its answers for samples of every row, and GNU as makes the same bytes of them;
// go test -run TestInsns -record writes the file anew.
//
// The encodings are those of the Arm Architecture Reference Manual for A-profile (DDI 0487). The baseline is Armv8.0 with Advanced SIMD,
// which every AArch64 processor of an operating system has.
//
// # Files
//
//  1. reg.go: registers, conditions, arrangements of vectors.
//  2. token*.go: the fields of instructions; insn.go: encoder, decoder, printer.
//  3. insn_name.go, insn_table*.go: the instructions; asm.go: the assembler.
package arm64
