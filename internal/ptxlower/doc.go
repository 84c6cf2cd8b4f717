// Package ptxlower translates PTX to IR: it defines the meaning of each instruction, and translates a kernel into the program of one
// thread. A block is a workgroup, a warp is a subgroup of 32 invocations. It refuses to know engines and Vulkan's objects.
//
// # Data flow
//
//	ptx.Module ─► basic blocks ─► reducible graph ─► tree of regions ─► ir.Program
//	kernel        (graph.go)      (reduce.go)        (structure.go)
//
// What a launch decides is part of the program: the size of the block, the dynamic shared memory, the address of the module's
// variables.
//
// # Errors
//
// Lower never panics on a module that ptx.Parse returned. An instruction, a modifier or a call that is not built yields an
// *Unsupported with its name and its position, a contradictory module a *Malformed, and a launch that the kernel or the device forbids a
// *LaunchError. They travel as a panic of type fault inside of the package.
//
// # Registers
//
// A register is a private variable, which mem2reg makes a value. Registers have bits, not types: one of 32 bits may be a float in one
// instruction and an integer in the next. The variable has the type of most of its operands, and a bitcast makes the other ones.
//
// # Memory
//
// Each state space is a kind of memory of the IR:
//
//	.global .const   allocations by device address (region)
//	.shared          the workgroup's memory
//	.param           of a kernel: the push constants; of a function: private variables that its caller writes
//	.local           private variables
//
// A variable in .local or .param whose address is always known has a private variable of its own. All others of a thread are parts
// of one private variable, which has an offset for an address. Generic addresses have a window of 2⁶⁰ bytes for each space above the
// device addresses (address.go). A flow-insensitive analysis of all instructions that write a register finds the space of most generic
// addresses (analysis.go); an access through the others tests the address.
//
// # Control flow
//
// Branches are unstructured. A cycle with several entries gets a guide, which makes the graph reducible (reduce.go). The tree of regions
// follows the dominator tree (Ramsey 2022, structure.go). Threads that diverge reconverge at the immediate post-dominator of the
// branch at the latest, as the ISA describes targets before sm_70. In functions with a spin loop (spin.go), or with barriers of a part of a
// warp (partwait.go), the threads of a warp make progress independently, if the target is sm_70 or later (independent.go); warps of a block do
// so on all targets.
//
// # Bits
//
// Arithmetic is rounded as the instruction says; .rm and .rp of 32 bits are exact by sums of 64 bits (directed.go), of
// 64 bits by the signs of remainders (directed64.go). Approximations are the functions of mathlib, with smaller errors than the ISA allows. A computed NaN is canonical in the sense of the IR.
//
// # Files
//
//	lower.go       kernels, limits, layouts of parameters and shared memory
//	walk.go        traversal of modules
//	image.go       the variables of a module and their initial values
//	scope.go       names: registers and variables
//	function.go    functions: scopes, frames
//	analysis.go    what is known of registers: addresses, spaces, types
//	graph.go       basic blocks
//	flow.go        the order of blocks, loops
//	dominator.go   dominators
//	reduce.go      irreducible graphs
//	spin.go        loops that wait for other threads
//	independent.go independent progress of the threads of a warp
//	inline.go      functions with spin loops in place of their calls
//	merge.go       their bodies once in a kernel, calls of them through pointers
//	structure.go   the tree of regions
//	emitter.go     operands
//	table.go       the instructions
//	integer.go, bits.go          integers
//	packed.go                    packed integers
//	carryless.go                 carry-less products
//	float.go                     floats
//	directed.go, directed64.go   floats that are rounded up or down
//	compare.go, convert.go       comparisons, conversions
//	bfloat.go                    conversions between .bf16 and other numbers
//	minifloat.go                 conversions of 8-bit floats and of .tf32
//	fixedpoint.go                conversions of fixed-point numbers
//	stochastic.go                conversions that round by random bits
//	address.go, memory.go        addresses, loads, stores, copies
//	atomic.go, group.go          atomics, warps, barriers
//	wideatomic.go                atomics of 128 bits
//	texture.go, texturequery.go  textures
//	surface.go                   surfaces
//	sampler.go                   samplers that a module describes
//	matrix.go, wmma.go           matrices of warps
//	sparse.go                    their products with sparse matrices
//	wgmma.go                     matrices of four warps
//	movematrix.go                their transposes, and stores
//	cluster.go                   clusters of one block
//	mixedbarrier.go               barriers that threads wait at at the same time
//	warpuniform.go                values that are the same in a warp
//	namedbarrier.go, mbarrier.go  waits for some threads of a block
//	partwait.go                   waits of a part of a warp
//	endings.go                    threads that end before a barrier
//	async.go                     stores and reductions that complete at an mbarrier object
//	bulk.go                      bulk copies
//	multimem.go                  memory of several devices, of which there is one
//	stack.go                     alloca
//	wide.go                      registers of 128 bits
//	quadpair.go                  matrices of eight threads
//	video.go                     video instructions
//	special.go, call.go          special registers, calls
//	constant.go                  loads of constants
//	warp.go                      the size of subgroups
//	pointer.go     pointers to functions, cycles of calls
//	library.go                   the functions that CUDA provides
//	sanitize.go                  checks of the execution
//	trace.go                     events for the detector of data races
//	counters.go                  counts of executions
//	symbol.go                    places of registers and variables, for a debugger
//	follow.go, followbits.go     values that nothing wrote
//	heap.go                      malloc and free, in PTX
package ptxlower
