// Package lower translates SPIR-V to IR: it defines the meaning of each instruction and
// translates an entry point into the program of one invocation. It defines the results
// that SPIR-V leaves undefined (docs/undefined.md), and refuses to know how many
// lanes execute the program, on which engine, and whether the module is valid:
// the caller has validated it or assumes so (valid.Assume).
//
// # Data flow
//
//	facts.Module ─► rules ─► structured IR ─► outputs, texture ─► canonical ─► ir.Program
//	entry point     (one     (region.go)      functions           NaNs
//	                per op)                   (stageoutput.go,    (canonicalnan.go)
//	                                          texture.go)
//
// One traversal lowers each function in structural order of its blocks. Mesa's
// spirv_to_nir and SwiftShader's SpirvShader do the same work for NIR and Reactor.
//
// # Errors
//
// lower never panics on a decodable module. An instruction without a rule yields an
// *Unsupported that names it, a contradictory module a *Malformed. Inside the
// package both travel as a panic of type fault, as in a recursive-descent parser;
// Stage alone converts them to errors.
//
// # Values
//
// A value is the list of its scalars: the components of a vector, the columns of a
// matrix, the elements of an array and the members of a struct in order (scalar
// replacement of aggregates from the start). A pointer is symbolic (see pointer):
// an address space, a base and an offset, as far as the module determines them. It
// is materialized as scalars only if it becomes a value: the operand of a phi, a
// select or a call, or the content of a variable (pointervalue.go).
//
// # Control flow
//
// The blocks of a function become nested IR regions along the dominator tree: the
// header of a construct encloses its merge block and its continue target (see
// tree). The scheme is the one of Ramsey, "Beyond Relooper" (2022), applied to
// SPIR-V's structured control flow.
//
// # Graphics stages
//
// Stage inputs and outputs are scalarized; each scalar has its location or its
// built-in semantic (see ioScalar). An input is read at its use. An output is a
// private variable; the scalars that the program may store to are written out after
// the entry point's body, in which all returns converge, or at each emitted vertex.
// Tessellation control writes outputs at the store, because the other invocations
// of the patch read them. The program lists its inputs and outputs; the code that
// executes the stage provides them (internal/ir, "Inputs, outputs").
//
// # Small floats
//
// bfloat16 and the 8-bit floats are integers in the IR. Conversions and dot products
// are sequences of 32-bit operations (see encoding).
//
// # Sums
//
// An instruction that adds more than two products (OpDot, matrix products) adds from
// left to right and rounds each product and each sum.
//
// # Files
//
// In the order of the calls; each file registers its instructions in a table of
// type rules.
//
//	stage.go, fault.go                  entry: options, unit, errors
//	function.go, control.go, region.go,
//	kill.go                             functions, block tree, IR regions, OpKill
//	rule.go, position.go                the tables of all files; the position of each rule
//	value.go, type.go                   values, their scalars, sizes of types
//	pointer.go, pointervalue.go,        symbolic and materialized pointers,
//	matrixlayout.go, address.go         matrix layouts of pointers, physical addresses
//	variable.go, table.go, descriptor.go,
//	heap.go, record.go, device.go       variables, constant tables, descriptors, descriptor heaps, mappings by shader records
//	access.go, untyped.go, raw.go       access chains
//	memory.go, copy.go, copyvalue.go, atomic.go,
//	barrier.go                          loads, stores, copies, atomics, barriers
//	arithmetic.go, integer*.go, bit.go,
//	logic.go, conversion.go, encoding.go,
//	encodinginteger.go,
//	composite.go, matrix.go             scalars, vectors, matrices
//	glsl.go, glslrules.go, geometry.go,
//	amd.go, cubeface.go, log.go         extended instruction sets
//	group.go, ballot.go, partition.go,
//	derivative.go                       subgroup and quad operations
//	image*.go, texture.go, texel.go,
//	sample.go, attachment.go,
//	fragmentmask.go                     images: each access is a call of a texture function
//	rayquery.go                         ray queries, acceleration structures
//	raystage.go, raybuiltin.go,
//	hitobject.go, hitrecord.go          ray tracing stages
//	interface.go, stage*.go, builtin.go,
//	feedback.go, passthrough.go,
//	mesh.go, mesh_nv.go, nodeinfo.go,
//	node.go, cluster.go,
//	interpolation.go, explicitvertex.go,
//	fragment.go                         graphics stages
//	tileshading.go                      tiles of a rendering
//	cooperative*.go, tensorlayout.go,
//	storagetensor.go, boundaddress.go   cooperative matrices and vectors, tensors
//	memoryvalue.go                      large values in memory
//	sanitize*.go                        checks of the execution
//	profile.go, profileloop.go          counters of the module's blocks
//	symbol.go                           the places of values, for a debugger
//	kernelsymbol.go                     those of kernels of PTX, which package ptxlower fills
//	canonicalnan.go                     the last pass over the program
package lower
