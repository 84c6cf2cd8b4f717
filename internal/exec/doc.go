// Package exec is what every engine and every caller of an engine share: what
// a compiled program is, what a job asks of it, where device memory comes
// from, and how a run fails. It knows no SPIR-V and no machine, holds no
// operation's meaning, and nothing that only one engine uses.
//
// # Words
//
// These words mean the same in every package of this floor and above.
//
//   - An invocation is one run of the program's entry point. In a compute
//     program it has a place in its group: LocalInvocationIndex, from 0, with
//     x fastest. The entry point is run once for each invocation.
//   - A group (Vulkan's workgroup) is LocalSize[0]·[1]·[2] invocations that
//     share workgroup memory and meet at barriers. Its number in the dispatch
//     is counted with x fastest; see [Job.Group].
//   - A subgroup is SubgroupSize invocations of one group, consecutive by
//     LocalInvocationIndex; the last one of a group may be partial. Group
//     operations of the IR see one subgroup.
//   - A lane is a place in a subgroup, from 0 to SubgroupSize−1; also the
//     invocation that stands there. Lanes without an invocation are never
//     active. [Lanes] is a set of lanes.
//   - A strip is the lanes that one instruction stream of an engine serves at
//     once. It is the engine's choice and never visible.
//   - A batch is a run of consecutive groups that one worker takes at once;
//     see [Run].
//   - A worker is a goroutine that runs groups of a job.
//
// # A job
//
// An [Engine] turns an ir.Program into a [Program]; a Program runs a [Job] any
// number of times, from any number of goroutines. A job runs all its groups or
// fails: what groups have written when it fails stays written.
package exec
