// Package profile turns the counters of shaders (lower.Options.Profile) into exact counts of each instruction, block, line,
// function and branch, and writes them: as a table, as JSON, for pprof, as coverage in the formats of LCOV and Cobertura. It
// refuses to know how shaders run; the counts are sums over all runs, no samples.
//
//	vk.StageProfile ─ New ─▶ Profile ─ Lines ─▶ []File
//	                            │                 ├─▶ Text, LCOV, Cobertura
//	                            └─▶ Pprof, encoding/json
//
// # Counts
//
// Executed counts the invocations that executed an instruction, without helper invocations; Subgroups the executions by
// subgroups, each of which has one or more active invocations. Executed ÷ (Subgroups × subgroup size) is the share of active
// lanes. Divergent counts the divergent executions of a branch: by subgroups with invocations that took different edges. Read
// and Written are the bytes of typed loads, stores, copies and atomics in memory that invocations share: storage and uniform
// buffers, push constants, workgroup memory and physical pointers. They are sums over the invocations, without caches, and
// include accesses that robustness rejects, but not copies of a variable size, cooperative matrices, tensors and images.
// A shader that counts has side effects. So it counts fragments that a test after the shader discards; a plain run may skip them.
//
// # Files
//
//	profile.go, bytes.go    the counts of instructions
//	invocation.go           the counts of invocations and buffers
//	kernel.go               the counts of CUDA kernels
//	merge.go                sums over several runs
//	line.go                 the counts of lines and branches
//	text.go                 the table
//	html.go                 the page
//	pprof.go                for pprof
//	lcov.go, cobertura.go   coverage
package profile
