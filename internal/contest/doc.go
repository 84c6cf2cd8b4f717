// Package contest runs random modules on every engine, which must have equal results, and changes modules at random. The modules
// are package modgen's. It refuses to judge: it reports where two results differ, and the caller decides which one is wrong.
//
// # Files
//
//	contest.go        a module on the interpreter, before and after each pass, and on the JIT at every level of the machine
//	reduce.go         a smaller module that fails alike
//	change.go         random changes of a module
//	grammarchange.go  changes that keep the form that the grammar requires
package contest
