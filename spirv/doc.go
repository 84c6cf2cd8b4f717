// Package spirv is the SPIR-V language: words, instructions, ids, and the tables
// of Khronos' grammar. It knows the form of each instruction, from its opcode
// to the last bit of its operands, but none of the meanings.
//
// Decode turns bytes into a Module and refuses every stream that is not
// well-formed. A Module is one block of words and one index. Its instructions
// are views of these words; reading them allocates nothing. Walk iterates over the
// operands of an instruction with their kinds; package inst provides them by
// name.
//
// The tables describe opcodes, enumerants and extended instructions in one
// form, Row: name, number, operands, capabilities, extensions, versions.
package spirv
