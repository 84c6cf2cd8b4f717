// Package jit is the engine that compiles a program to machine code: widen
// makes strips of its lanes, regalloc says where values live, amd64 selects and
// encodes, codemem keeps the code. It gives every program the same bytes as any
// other engine. It refuses to know what an operation yields: where the machine
// has no code for one, the code leaves for Go, which asks the operation's row in
// package ir.
//
// A strip is a subgroup, or several where no result can tell: what a program
// stores to must then share no byte with anything else that is bound, which is
// looked at for each job, and the code for a subgroup a strip is made when it is
// first wanted.
//
// The subgroups of a workgroup that meet at barriers are one strip too where they
// take the same way to them: one behind the other from barrier to barrier. Else
// each has a stack of its own, and a barrier goes on with the next one's.
//
// Code is counted by its users: programs, runs, and a Cache, which keeps it by
// what the program is, in memory and on disk.
//
// It runs on linux/amd64 with AVX-512; elsewhere Compile gives an error.
package jit
