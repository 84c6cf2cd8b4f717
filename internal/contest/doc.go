// Package contest runs random modules on every engine, whose results must be equal, and changes modules at random. The modules
// are package modgen's. It refuses to judge: it says where two results differ, and the caller says whose fault that is.
//
// # Files
//
//	contest.go  a module on the interpreter, before and after each pass, and on the JIT at every level of the machine
//	reduce.go   a smaller module that fails alike
//	change.go   random changes of a module
package contest
