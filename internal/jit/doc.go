// Package jit is the engine that compiles a program to machine code: widen
// makes strips of its lanes, amd64 selects and encodes, codemem keeps the code.
// It gives every program the same bytes as any other engine. It refuses to know
// what an operation yields: where the machine has no code for one, the code
// leaves for Go, which asks the operation's row in package ir.
//
// It runs on linux/amd64 with AVX-512; elsewhere Compile gives an error.
package jit
