// Package jit is the engine that compiles a compute program to machine code. It yields the same bits
// as any other engine. It refuses to know the value of an operation: if the machine has no code for
// one, the code exits to Go, which evaluates the operation's row in package ir.
//
//	ir.Program ─ vectorize ─▶ vcode.Func ─ back end (with regalloc) ─▶ Code ─ codemem ─▶ executable
//	one invocation            one strip                                 ├─▶ Cache, in memory
//	                                                                    └─▶ store, on disk
//
// It runs on linux/amd64 with AVX-512, or with AVX2, FMA and F16C; elsewhere Compile returns an error.
//
// # Packages
//
//   - vectorize: whole-function vectorization, divergence analysis, predication, hoisted bounds checks.
//   - vcode: the low-level IR, with virtual registers and masks.
//   - regalloc: live intervals and linear-scan allocation.
//   - target: the interface of a back end, compiled code, memory that Go and code share.
//   - amd64, a back end: peephole fusion, instruction selection, encoding. codegen: common code of back ends.
//     targets.go lists the back ends.
//   - codemem: executable memory. store: the cache directory. trampoline: entry and exit.
//
// # Dispatch
//
// A worker is a goroutine with stacks of its own for machine code. For each batch of workgroups it
// enters the code once (worker.runBatch, trampoline.Run). The code loops over the workgroups and exits if
// it is finished, needs a service of Go (an operation without machine code), or was asked to yield;
// after the last two Go resumes it.
//
// # Variants
//
// A strip is the set of lanes that one stream of instructions runs. It is a subgroup, or several
// merged ones if no result can differ: then the resources that the program writes must share no byte
// with any other bound resource. Prepare tests that for each job. The exact variant, with one subgroup
// for each strip, is compiled when a job first needs it.
//
// Subgroups that synchronize at barriers are one strip too if barriers are in uniform control flow:
// the code between two barriers then runs for all of them (work-item loops, as in pocl). Otherwise
// each subgroup has a stack of its own, and a barrier switches stacks.
//
// Code is reference counted by programs, runs, and a Cache.
package jit
