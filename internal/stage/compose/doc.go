// Package compose builds and runs compute-shaped programs from the programs of other stages. A [Builder] puts
// code of the stage around the program's own code: a prologue that provides the inputs, an epilogue that uses
// the outputs. So every engine runs every stage, and the passes see state, formats and shader as one program:
//
//	fragment program                compute program
//	                                prologue   coverage, early tests, interpolation
//	x = In(Location 0)              x = value that Builder.Input returned
//	Out(Location 0, f(x))           variable = f(x)
//	                                epilogue   late tests, blending, store
//
// The stages of draws are built so, and the pipelines of package trace, which are composed of several programs. A compute
// program needs nothing around it: package compute runs it as it is.
//
// The package also has the parts around such a program: bindings and jobs ([Binding], [Runner]), and memory shared
// with programs ([Memory]). It refuses to know which stage uses it; resources of the stage are in a descriptor set
// of their own, [compute.OwnSet], which no shader can name.
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	memory.go       memory that Go and programs share
//	builder.go      prologue, program, epilogue
//	arithmetic.go   short names of IR operations
//	binding.go      resources of a program, jobs
//	overlap.go      resources that share bytes
package compose
