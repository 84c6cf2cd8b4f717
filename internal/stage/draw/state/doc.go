// Package state has everything that a caller provides for a draw: the fixed-function state of a pipeline, the
// target, the arguments, and their checks. Enumerations have Vulkan's values. It refuses to know how anything
// is executed; a comment "compiled into" marks the state that programs depend on, because a change of such
// state can cost a compilation.
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	error.go         StateError
//	shadingrate.go   fragment sizes and their combination
//	state.go         the state of a pipeline
//	topology.go      primitives of a topology
//	target.go        attachments
//	feedback.go      transform feedback
//	statistics.go    pipeline statistics
//	args.go          arguments of a draw
//	indirect.go      arguments in buffers
package state
