// Package spirv is the language: words, instructions, ids, and the tables of
// Khronos' grammar. It knows what an instruction looks like, from its opcode
// to the last bit of its operands, and refuses to know what any of it means.
//
// Decode turns bytes into a Module and refuses every stream that is not
// well-formed. A Module is one block of words and one index. Its instructions
// are views of these words; nothing is allocated to read them. Walk gives the
// operands of an instruction one by one, with their kinds; package inst gives
// them by name.
//
// The tables speak of opcodes, enumerants and extended instructions in one
// form, Row: name, number, operands, capabilities, extensions, versions.
package spirv
