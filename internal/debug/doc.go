// Package debug stops the invocations of the shaders of dispatches, draws and launches of rays at lines and instructions, shows their
// values, and goes on, forward and backward. It refuses to know protocols and clients: package adapter in its folder has the Debug
// Adapter Protocol.
//
// A [Session] is the [vk.Debugger] of a device. The goroutine of the command runs the interpreter; its hook decides before each
// operation of a subgroup whether to stop, and waits while the controller looks at the state.
//
//	controller ── Continue, Step, … ──▶ Session ──▶ hook ── Step ── interpreter
//	           ◀── Stop, Ended ────────
//
// # Time
//
// Execution is deterministic: one worker runs the groups in order. So a position in time is the number of a group and the number of
// the step in it. To go back, the session restores the memory of a checkpoint, skips the groups before it and runs again to the
// position (as rr does for processes; O'Callahan et al. 2017, "Engineering Record and Replay for Deployability"). Checkpoints are
// copies of the writable memory at the beginning of groups, or before a step in a group, with its state.
//
// The groups of a draw are those of all its stages, in the order of one worker: vertices, primitives, then the fragments tile by tile.
// Fragments write memory and attachments only, which a checkpoint has. The results of earlier stages are in memory of the draw itself:
// on the way to a checkpoint these groups run again, without steps, from the memory of the beginning, and groups of fragments are
// skipped. There are no checkpoints after a vertex that follows fragments, in a draw whose primitives are too many to bin at once.
//
// # Launches of rays
//
// The program of a launch has copies of the functions of all shaders, for each level of recursion (package trace in internal/stage). The
// debugger knows for each function its origin (part), and shows the functions of the composition itself nowhere. A launch is otherwise a
// dispatch: any of its groups can be skipped.
//
// # Lines
//
// An operation begins a line if the operation before it in the code is of another line or block (see marks). A thread is an
// invocation; it is at the operations that its subgroup executes with its lane active.
//
// # Files
//
//	session.go, hook.go           the state of a session, and what it does at each step
//	code.go, pick.go              programs that run; the invocations that may stop
//	position.go, search.go        time, copies of the memory; the way back
//	observe.go                    groups that run without steps
//	mark.go, breakpoint.go        operations at which a thread may stop
//	watch.go                      data breakpoints
//	ray.go                        launches of rays, ray queries
//	kernel.go                     CUDA kernels
//	block.go, pixelhistory.go     the fragments of a pixel, and the tests that ended them
//	heat.go                       the instructions at each pixel
//	trace.go                      the instructions of each invocation, the accesses of each buffer
//	frame.go, variable.go,
//	name.go, edit.go              threads, frames, scopes, values and their names, changes of values
//	image.go, picture.go          images, attachments and their texels; pictures of them
//	format.go                     texts of values
//	expression.go, assignment.go,
//	quick.go, filter.go,
//	element.go,
//	expressionvalue.go,
//	dialect.go, function.go, operand.go,
//	bitfunction.go,
//	matrixfunction.go,
//	geometry.go                   expressions over the values of a frame; names of HLSL and WGSL; functions of numbers, of vectors and matrices
package debug
