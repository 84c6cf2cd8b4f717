// Package amd64 turns machine operations into x86-64 machine code with AVX-512,
// and enters and leaves that code from Go. It refuses to know where code is kept
// and what a shader is.
//
// reg.go names registers and memory operands, insn.go and insn_table.go say what
// instructions there are, encode_*.go write their bytes, one function per form.
// The Context and entry_amd64.s are the way in and out: machine code runs on
// stacks of its own, with the Context in R15, and no Go frame ever lies above
// one of its frames.
package amd64
