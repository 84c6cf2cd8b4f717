// Package facts computes the facts of a module: its types and their layout, its
// constants after specialization, decorations, names, entry points, calls,
// control flow with its structured constructs and dominators, and the source
// position of each instruction. It computes and never judges: a fact that the
// module omits or declares wrongly is nil, zero or false, and a rule that needs it
// must stay silent. It does not know Vulkan, nor the meaning of any
// instruction except those of constants.
//
// [Gather] accepts every module that decodes, however malformed: types that
// contain themselves, recursive functions, blocks without a terminator, ids
// without a definition. Its memory is proportional to the module's words, its
// time nearly so (dominators need m·log n steps); nothing recurses over the
// module. A [Module] is read-only from then on and safe for concurrent use.
//
// # Order
//
// A type contains only types that are declared before it, and a constant only
// constants that are, so neither contains itself; a reference to a later
// declaration is nil. Only pointers may have a pointee, and be a member of a
// struct, that is declared later.
//
// # Files
//
// In the order of the stages of [Gather], each of which reads only the results of
// earlier ones:
//
//	module.go      Module, its lookups by id, and the order of the stages
//	workspace.go   memory that the stages reuse from module to module
//	release.go     memory of a released module, which the next one reuses
//	survey.go      one pass over the instructions: numbers the facts, sizes the arenas;
//	               capabilities and extensions
//	name.go        OpName, OpMemberName, OpSource
//	decoration.go  decorations by target
//	type.go        types; layout.go their size and alignment (scalar, std430, std140)
//	std430.go      bytes of shared memory with std430 padding
//	constant.go    constants; operation.go OpSpecConstantOp; constant_data.go packed arrays
//	function.go    functions, blocks, the globals and callees of each function
//	flow.go        edges of the control-flow graph, switches
//	dominator.go   dominator and post-dominator trees
//	construct.go   structured constructs
//	call.go        call trees, recursion (Tarjan)
//	entry.go       entry points, execution modes, workgroup size
//	line.go        source positions; source.go the source's text
//	view.go        types as the typing table reads them
//	reading.go     readings of older texts; static use
package facts
