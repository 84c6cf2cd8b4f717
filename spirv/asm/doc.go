// Package asm turns SPIR-V assembly text into words and modules into text, in
// the syntax that the tools of the field share: one instruction after another,
// `%result = OpName operands`, enumerants by name, masks as `A|B`, strings in
// double quotes, `;` to the end of the line a comment, and `!n` a word to be
// copied verbatim.
//
// It does not know the meaning of instructions or the validity of modules:
// the assembler writes any sequence of words that the grammar of the text
// allows, and the disassembler prints any module that decodes.
package asm
