// Package ir defines the intermediate representation: the program of one
// invocation as typed scalar SSA in a tree of labelled regions. One table
// defines the name, the types and the value of each operation. The package is
// independent of SPIR-V: it has no ids, no decorations, and two numbers are all
// that is left of a descriptor set. It is also independent of the number of
// lanes that run together and of the machine.
//
// # Types
//
// b1 i8 i16 i32 i64 f16 f32 f64 h. Integers have no sign; operations do. h is
// a resource handle (a base address, a length in bytes, flags). There are no
// vectors, pointers or structs, because lower scalarizes. A pointer into a
// buffer or workgroup memory is a pair (handle, i32 byte offset). A pointer into
// Function or Private memory is an i32 slot number. bfloat16 and the 8-bit floats
// are i16 and i8.
//
// A value is represented as a uint64: the bits of its type, zero-extended; b1 is
// 0 or 1. There is no undefined value: lower writes 0.
//
// # Values
//
// A [Func] stores its values in one slice and refers to them by number ([V]; 0
// is "none"). Constants ([Const]), block parameters ([Param]), function
// arguments ([Arg]) and results of calls ([Result]) have no position in the
// code. Every other value occurs exactly once in Func.Code, in execution order.
// A value may be used at every point that its definition dominates in the
// control tree. An operation writes its value for the active lanes only.
// Therefore, after a loop, a value defined in the loop holds for each lane the
// value of that lane's last iteration.
//
// # Control
//
// Control flow is a tree of labelled regions. In Func.Code an opener and its
// [End] enclose each region. There are no phis and no other jumps.
//
//	block L(p…) { … }      br L(args) goes to the END of L; p become args
//	loop L(p…=init) { … }  br L(args) goes to the START of L; the only back edge
//	if c { … } else { … }  the else arm may be absent
//	br L(args)             L is an enclosing block or loop
//	switch x {k→L…, L}     to enclosing blocks without parameters
//	kill                   the invocation ends
//
// The outermost region of a function is a block. Its parameters are the
// results of the function, and a br to it is a return. Between a br, switch or
// kill and the next else or end no code is allowed. No lane may reach the end of
// a loop, or of a block with parameters, other than by a br.
//
// The meaning is the same in every engine. A is the set of active lanes:
//
//	br L(a)       L.p ← a for the lanes of A; L.in ∪= A; A = ∅
//	end of block  A ∪= L.in; L.in = ∅
//	loop L        L.p ← init for the lanes of A; L.in = ∅; run the body
//	end of loop   A = L.in; L.in = ∅; run the body again while A is not empty
//	if c          splits A: the lanes with c = 1 run the first arm, the others
//	              the second; after the if, A is the union of both arms' sets
//	kill          the lanes of A leave every set permanently; A = ∅
//
// A br reads all its arguments before it writes a parameter. While A is empty, an
// engine may skip to the next point at which A can grow. This is structured
// reconvergence. Maximal reconvergence follows if no pass moves or duplicates an
// operation at which lanes communicate ([Meets]). A switch branches to the first
// label with a constant equal to x. If there is no such constant, it branches to
// the last label, the default.
//
// A call runs the callee for the lanes of A and yields its results. After the
// call, A is the same set without the lanes that were killed. A group operation
// in a callee communicates between the lanes of one call only, never between two
// calls. Functions do not recurse. [Program.Verify] does not check this, but an
// engine rejects a program in which a reachable call is part of a cycle.
//
// A run has a step budget for each subgroup. Each call, and each iteration of a
// loop except the first, costs one step. A subgroup that exceeds its budget ends
// the run with an error; memory retains all stores made before. resetbudget resets
// the budget of the subgroup. A program that does the work of several invocations
// in sequence has a resetbudget at the start of the work of each. It is allowed
// only in the entry point of a compute program, and no shader contains it.
//
// # Memory
//
// Every access is checked by definition. The engine chooses the implementation
// of the check.
//
//	res   i, #r → h       descriptor i of resource r; the null handle (length 0)
//	                      if i is out of range or nothing is bound
//	push → h              the push constants
//	wg → h                the workgroup's memory, zero when the group starts
//	table #n → h          constant data of the program
//	len   h → i32         bytes
//	at    off, i, #stride → i32
//	                      off + i·stride, unsigned and SATURATING at 2³²−1: an
//	                      offset never wraps back into range
//	ld.T  h, off, #imm    0 if off+imm+size > len
//	st.T  h, off, v, #imm no effect if out of range or in a helper
//	atom….T h, off, v, #imm  the same check; yields the old value; lanes ascending
//	region addr, #n → h   the live allocation that holds [addr, addr+n), or null
//	regionoff h, addr → i32  addr − base of h; 0 for null
//
// A store or atomic to read-only memory (push constants, tables, uniform and
// NonWritable resources) counts as out of range; so does an atomic of a helper.
// An atomic out of range yields 0. If the value that an atomic computes is a NaN,
// it stores the canonical NaN. Offsets of loads and stores need no alignment; a
// misaligned atomic counts as out of range. The components of a vector
// are adjacent in the code and have the same h and off, so that an engine can load
// them together. Accesses through different bindings may alias unless the
// resource is marked Restrict. The bytes of a resource marked NonWritable do not
// change while the program runs. No two invocations of a workgroup access the
// same byte of a resource marked Disjoint.
//
// Byte order is little-endian. i, off, imm, #stride and addr are unsigned, and
// the sum off+imm+size is exact: it does not wrap. The run binds the descriptors
// of a resource, however many [Resource] counts: res checks i against their
// number. len is the number of bytes bound; for push it is the number of bytes
// pushed, for wg it is Program.SharedBytes. Bytes at offset 2³²−1 and above do
// not exist. region finds an allocation if all n bytes are in it and addr is less
// than 2³² above its base. The allocation lives as long as the run. The h of a
// regionoff is the result of a region; the difference is modulo 2³². An atomic is
// misaligned if off+imm is not a multiple of its size. The operands of
// atomcmpxchg are h, off, the new value and the comparand. atomfadd adds as fadd
// does; atomfmin and atomfmax combine as nmin and nmax do.
//
// FTZ of an atomfadd replaces denormal numbers by the zero of their sign: the operand and the old value
// before the addition, and the stored sum. The result is the old value with all of its bits.
//
// The other flags of accesses change no value that a single subgroup can observe. Volatile forbids
// passes to merge, move or remove the access. Coherent, as any atomic, makes
// an aligned access of up to 64 bits indivisible for other workers. (An aligned
// access of 32 bits always is.) A Coherent atomic also orders the accesses before
// and after it, as observed by other workers. Proven asserts that the check
// passes: the pass that sets it has a proof. The result of an Unused atomic does
// not exist and may not be read. Grouped asserts that only one workgroup accesses
// the memory of an atomic during the run, as it does the memory of wg. AnyNaN asserts that the bits of a NaN operand of
// the bitcast or quadswap, or the result of ftos for a NaN, affect no stored value and no decision about
// an effect, so that the operand needs no fcanon. Fits asserts that the operand of ftos is a NaN or truncates to
// a number of the result's type; and that x of fldexp is a NaN or 1/2 ≤ |x| ≤ 2 and −250 ≤ y ≤ 250, so that
// x·2^⌊y/2⌋ is exact and normal, and a product with a second power of two rounds once.
//
// fence and barrier order the accesses before them against the accesses after
// them. Without Coherent this order holds for the workgroup; with Coherent it
// holds for other workers and all other observers of the memory. Within a worker,
// effects are in order without fences. The effect of an Unused atomic may become
// visible as late as the end of the run, unless an ordering operation or a
// Coherent or Volatile access requires it earlier.
//
// Function and Private variables consist of 32-bit slots in the private memory
// of the lane. A value of 64 bits has two slots (low half first), every other
// value has one. The variables of a program ([Var]) are consecutive in this
// memory ([Program.VarBase]). Frames are static: a variable of a function has the
// same slots in every call and retains its contents between calls. A function
// that needs zeros begins with pclr.
//
//	pld.T slot, #var      0 if slot (+1 for 64 bits) ≥ Slots of var
//	pst.T slot, v, #var   no effect if out of range
//	pclr  #var            all slots of var become 0 for the active lanes
//	paddr #var → i32      the address of var: the number of its first slot in
//	                      the lane's memory
//	pldi.T addr           load and store by address, checked against the whole
//	psti.T addr, v        private memory of the lane
//
// slot and addr are unsigned. A load of fewer than 32 bits reads the low bits of
// the slot; a store of fewer sets the other bits to 0. The store of a 64-bit
// value writes both slots or neither. Helpers store too, because this memory is
// their own. All of it is 0 when an invocation starts.
//
// # Inputs, outputs
//
// in #k reads Program.In[k], out #k writes Program.Out[k]. Some built-in
// variables could be computed from others (GlobalInvocationId, LocalInvocationId,
// WorkgroupId, LocalInvocationIndex, …). They are separate inputs with a declared
// [Rate] and lower never computes them, so that engines know their shape. Lane l
// of subgroup s is the invocation with LocalInvocationIndex s·SubgroupSize + l, x
// fastest. Lanes after the last invocation are never active. GlobalInvocationId is
// modulo 2³². WorkgroupId, and therefore GlobalInvocationId, includes the base of
// the dispatch; NumWorkgroups does not. A built-in is truncated to the type of its
// input. NoSemantic is 0.
//
// Graphics stages have the semantics after NumSubgroups and the operations
// below. No engine runs these operations, in excepted. The code that runs a stage
// replaces them by operations on memory, and so converts the program to a compute
// program. A compute program contains none of them except in.
//
//	in.T #k              (in compute programs too) input k of this invocation
//	inat.T i, #k         input k of vertex i of the primitive or patch; 0 if there
//	                     is no such vertex
//	interp.T dx, dy, #k  input k at the pixel's center plus (dx, dy) pixels, x to
//	                     the right and y down, whatever its Sampling
//	out.T v, #k          output k becomes v
//	outat.T i, v, #k     output k of vertex i of the patch becomes v; no effect if
//	                     there is no such vertex
//	outget.T i, #k       the current value of output k of vertex i; 0 if there is
//	                     no such vertex
//	emit #s              the current outputs of stream s become its next vertex
//	endprim #s           the primitive of stream s ends (OpEndStreamPrimitive)
//
// inat, outat and outget ignore i if the input or output is marked Patch. Inputs
// are outputs of the previous stage, matched by Location, and built-ins. Built-ins
// are f32 if Vulkan has floats and otherwise i32; booleans are 0 and 1. Inputs of a
// fragment have an Interpolation and a Sampling. An interpolated input counts as
// computed (see "NaN and rounding"); all others are copies. An output is 0 until
// it is written. The invocations of a patch share the outputs of tessellation
// control as if they were memory; barriers order the accesses. A killed fragment
// and a helper have no outputs. QuadX and QuadY are the column and the row of a
// lane in its quad. If an output has a Capture, each vertex also writes its value
// to this transform feedback buffer ([Capture]), at byte Offset of the vertex.
//
// # Groups
//
// The group of elect, any, all, alleq, ballot, shuf, reduce, scani and scanx is
// the set of active lanes of the subgroup. The subgroup size is a property of the
// program, never of the machine. shuf from an inactive lane reads 0; quadswap from
// an inactive lane reads the lane's own value. Four consecutive lanes are a quad,
// unless [Program.QuadRow] is not 0: then two consecutive lanes and the two lanes
// QuadRow further are a quad. quadswap #1 reads the horizontal neighbour, #2 the
// vertical and #3 the diagonal one.
//
// A reduction is a tree over the lane index: for k = 1, 2, 4, …:
// x[i] ← op(x[i], x[i+k]) for i ≡ 0 mod 2k, then a broadcast; inactive lanes
// hold the identity (−0 for fadd). A cluster of n lanes is the first log₂ n steps.
// Scans follow Kogge & Stone 1973: for k = 1, 2, 4, …: x[i] ← op(x[i−k], x[i]) if
// i−k is in the cluster. An exclusive scan is the inclusive scan shifted up by one
// active lane; each cluster begins with the identity ([Identity]). alleq compares
// floats by feq: no NaN is equal to itself.
//
// All results are defined for the lanes of A, helpers included. Such an operation
// has no meaning for an empty A. A lane number is unsigned; a number at or above the
// subgroup size denotes an inactive lane. quadswap #0 reads the lane itself. Words
// of a ballot (#imm) above the subgroup are 0. Clusters begin at multiples of
// their size. Cluster size 0 means the whole subgroup; with size 1 the result is
// the operand, or for scanx the identity. op is the operation of that name with
// the flags of the reduce or scan, and applies to identities as to any
// other value: nmin over lanes that are all NaN is the canonical NaN if no
// inactive lane takes part and ∞ if one does. Each step of a scan reads the results
// of the previous step. A NaN result of reduce or a scan is an arithmetic NaN.
//
// A barrier blocks the whole subgroup, whichever of its lanes are active, until
// every subgroup of the workgroup that has not ended waits at a barrier, the same
// or another. A lane that skipped a barrier does not wait for it later. demote
// makes the lanes of A helpers for the rest of the invocation: they stay active,
// and helper is 1 for them.
//
// count and countedge add to counters of a profile, words of 64 bits that no other
// operation accesses: the low 32 bits of imm are the offset of the first, a multiple
// of 8. They add for each subgroup, or, if the high bits of imm are not 0, for each so many lanes of one:
//
//	count h, #imm         n active lanes, if n > 0: the counter +n, the next +1
//	countedge h, x, #imm  n active lanes with x = 1, if n > 0: the second counter +n, and the third +1 if all
//	                      active lanes have it, else the first +1
//
// They are allowed only in compute programs, where no lane is a helper.
//
// log begins a message of the lane, the one with number #imm of
// [Program.Messages]. logarg adds a value to it, the next of Message.Args.
// logevent logs a whole message of one or two values. A run
// delivers messages in the order of workgroups, within a workgroup in the order of
// subgroups and lanes, and for one invocation in the order in which it logged
// them. A run stores a limited number of messages, the first in the order of
// effects. Helpers log nothing. After it logs an Abort, an invocation continues to
// a kill, which lower appends. The run continues, and returns an error at its end.
//
// # Rays
//
// A traversal of an acceleration structure is a ray: [RaySlots] slots of private
// memory, with fields that the program reads and writes by pld and pst. An engine
// has no acceleration structures. It calls the service of the run, once for all
// lanes of A, with the memory of their rays.
//
//	ray slot, request, #var    serves a request (RayProceed, …) on the ray at slot
//	                           of var; no effect if slot + RaySlots > Slots of var
//	rayi addr, request         the same at an address, checked against the whole
//	                           private memory of the lane
//
// RayProceed continues the traversal up to the next candidate that the program must
// decide, or to its end. A candidate is confirmed by a copy to the committed hit. The
// structures do not change during a run, so that a request has no effect on other
// lanes. It may read and write all slots of its ray and no others. It never reads the
// answer, and writes all of it at each request but RayProceed.
//
// Ray tracing stages have six more operations, which no engine runs: the code that
// runs a ray tracing pipeline replaces them by calls of the shaders of the pipeline.
// All of these shaders are functions of one compute program and share its private
// memory, so that an address means the same in each of them.
//
//	trace frame                traces the ray of the frame ([FrameSlots] slots) at an
//	                           address; FramePayload is the address of its payload
//	search object              traces the ray of a hit object ([ObjectSlots] slots),
//	                           and writes its state and its record
//	shade object               runs the closest-hit or miss shader of the object's
//	                           record
//	record object              the address of the data in this record
//	report t, kind             the intersection shader reports a hit at distance t;
//	                           1 if it is accepted
//	execute index, data        runs the callable shader of a record with the data at
//	                           an address
//
// An any-hit shader writes its decision to FrameDecision (AcceptHit, …) and returns.
//
// # Textures
//
// The effect of an image instruction depends on the view and the sampler that are
// bound: format, extent, filter. Therefore an image instruction is a call of a
// texture function. The head of the function, a [Texture], describes the request.
// Its body consists of operations of this package and is built once the views
// are known, so that both engines run it as any other function. Until then the
// body is the body for the null descriptor. An image is two resources with
// consecutive numbers: its memory (Texels) and the description of its view
// (ImageShape). A sampler is one resource (SamplerState). Passes must not inspect
// a texture function without its final body, and an engine must not inline it:
// the caller binds the views before it runs the program.
//
//	texture sample 2d f32 image 0 sampler 2 lod
//	func "sample" (v1 i32, v2 i32, v3 f32, v4 f32, v5 f32) L1(…) { … }
//
// # Strips and the order of effects
//
// A strip is the batch of B lanes that one instruction stream executes. The engine
// chooses B, and B is never observable. The order of effects is fixed: workgroups
// ascending for each worker (x fastest); within a workgroup subgroups ascending,
// each to its next barrier; within a subgroup operation by operation, lanes
// ascending. Effects.Ordered forces B to be the subgroup size, and one worker; if
// only reports order the lanes ([Program.OrderedByReports]), one worker alone.
// Effects.InGroup forces the former only.
// Otherwise an engine may choose another B only if no result of a single worker
// reveals it. It may not do so if, other than across a barrier, a lane could read or
// overwrite a store of another subgroup in its strip, or of another strip of its
// subgroup, in another order.
// Workgroups of different workers are unordered, but no aligned access of
// 32 bits is torn.
//
// [Program.Effects] includes at least the effects of the code
// ([Program.StateEffects]). A pass that changes code updates it.
//
// # NaN and rounding
//
//   - No pass changes any bit of any result. lower decides on contraction; no
//     pass creates or splits an ffma.
//   - Floating-point operations round to nearest even unless flagged, and preserve
//     denormals. fflush is the operation that flushes them. The flag !rtz applies to
//     fadd, fsub, fmul, fdiv, ffma, fsqrt, fcvt, stof and utof, to the fadd and
//     fmul of reduce and scans, and to atomfadd. Other operations ignore it. With
//     the flag, a finite result that overflows becomes the greatest finite number.
//   - A signaling NaN raises no exception and is a NaN like any other.
//   - The bits of an arithmetic NaN are unspecified until fcanon makes it canonical
//     (sign 0, only the quiet bit set). lower emits an fcanon wherever a computed
//     float becomes observable: store, bitcast, export, shuffle, atomic, ballot or
//     comparison of bits, and a slot of private memory that may be read in another
//     type than it was written. Copied values retain their bits, including
//     signaling NaNs: through ld, st, pld, pst, br, call, select, shuf,
//     quadswap, atomxchg and bitcast. fneg and fabs change only the sign bit.
//     fflush changes no NaN. fmin, fmax, nmin and nmax yield the bits of the
//     selected operand. Any NaN result of another float operation is an arithmetic
//     NaN; this includes a conversion between floats (a conversion to the same
//     width changes nothing else).
//   - fmin(x,y) = y<x ? y : x and fmax(x,y) = x<y ? y : x, exactly, hence not
//     commutative for NaN and zeros. nmin and nmax: a NaN loses; −0 < +0; two
//     NaN yield the canonical one.
//   - Transcendental functions are not operations: lower builds them.
//   - For results that SPIR-V leaves undefined, the operation's row or lower
//     decides; docs/undefined.md lists these decisions.
//
// # Text
//
// A program can be printed and parsed ([Program.String], [Parse]); a test pins the
// printed form of every operation. A value prints as v7, or in full if it is a
// constant: true, 5:i32, 1.5:f32, 0x7fc00000:f32. Flags follow an exclamation
// mark, the number of the SPIR-V instruction an at sign.
//
//	v9 = add.i32 v7, 5:i32 @31
//	v10 = ult.i32 v9, v2
//	v11 = fcvt.f16.f32 v8 !rtz
package ir
