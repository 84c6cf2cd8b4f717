// Package codegen is the part of a code generator that is the same in all back ends: facts of functions of
// vcode, tables of emitters, and the base of peephole passes. It refuses to know instructions and registers of a machine.
//
// # Files
//
//  1. facts.go: facts that determine the code of a program.
//  2. rules.go: tables of emitters.
//  3. private.go: the private memory that must be zero at first.
//  4. peephole.go: passes that combine instructions.
package codegen
