// Package exec is the interface between execution engines (interpreter, JIT) and their callers: compiled
// programs, jobs (dispatches), device memory, worker pools and the errors of a run. It refuses to know
// SPIR-V, machine code, the meaning of any operation, and anything that only one engine uses.
//
// # Vocabulary
//
// These words have the same meaning in every package of this layer and of the layers above it.
//
//   - An invocation is one execution of the program's entry point, as in the SPIR-V specification. In a
//     compute program its index in the group is LocalInvocationIndex: from 0, x fastest.
//   - A group (Vulkan's workgroup) is LocalSize[0]·[1]·[2] invocations that share workgroup memory and
//     synchronize at barriers. Groups of a dispatch are numbered from 0, x fastest; see [Job.GroupID].
//   - A subgroup is SubgroupSize invocations of one group with consecutive LocalInvocationIndex. The last
//     subgroup of a group may be partial. Group operations of the IR communicate within one subgroup.
//   - A lane is a slot of a subgroup, 0 to SubgroupSize−1, and by extension the invocation in that slot.
//     Slots without an invocation are never active. [Lanes] is a set of lanes, an execution mask.
//   - A strip is the SIMD batch of lanes that one instruction stream of an engine executes. The engine
//     chooses its width, and no result depends on it.
//   - A batch is a range of consecutive groups that one worker runs between two visits to the shared queue;
//     see [Run].
//   - A worker is a goroutine that runs groups of a job.
//
// # From a program to results
//
//	ir.Program ──Engine.Compile──► Program ──Prepare(Job)──► Prepared (buffers resolved, code chosen)
//	                                  │                          │
//	                                  └──AcquireWorker──► Worker.Run(Prepared, Batch) … Worker.Release
//
// A [Program] runs a [Job] any number of times, from any number of goroutines. [Run] does the steps above for
// one job; an [Interleaver] does them for several jobs and alternates between their groups. A job either runs
// all its groups or fails. A failed job does not roll back: memory retains all stores that groups have
// executed.
//
// # Files
//
//  1. engine.go: the interfaces that engines implement.
//  2. list.go, ray.go, job.go, robustness.go, limits.go: the description of a dispatch and the checks before it runs.
//  3. memory*.go: device memory; file*.go: memory in files; space*.go: ranges that show pages of it. lanes.go: lane sets.
//  4. pool.go, stopcontext.go, batch.go, run.go, session.go, interleave.go: fork-join parallelism. freelist.go: reuse of scratch objects.
//  5. derivativegroup.go, log.go, race*.go, hook.go, error.go: derivatives of primitives, messages of invocations, data races, observation by
//     debuggers, errors.
package exec
