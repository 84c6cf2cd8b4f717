// Package ir is the program of one invocation: typed scalar SSA in a tree of
// labelled blocks, small enough to be read whole, with one table that says of
// every operation its name, its types and its value. It has forgotten SPIR-V:
// it knows no id, no decoration and no descriptor set beyond two numbers. It
// does not know either how many lanes run at once, nor on what machine.
//
// # Types
//
// b1 i8 i16 i32 i64 f16 f32 f64 h. Integers have no sign; operations do. h is
// a resource handle (a base, a length in bytes, flags). There are no vectors,
// pointers or structs: lower scalarises. A pointer is a pair (handle, i32 byte
// offset) in buffers and workgroup memory, and an i32 slot number in Function
// and Private memory. bfloat16 and the 8-bit floats are i16 and i8.
//
// A value travels as a uint64: the bits of its type, zero-extended; b1 is 0
// or 1. There is no undefined value: lower writes 0.
//
// # Values
//
// A [Func] keeps its values in one slice and refers to them by number ([V], 0
// is "none"). Constants ([Const]), block parameters ([Param]), function
// arguments ([Arg]) and results of calls ([Result]) stand nowhere; all other
// values stand once in Func.Code, in order. A value may be used wherever its
// definition dominates the use in the control tree. An operation writes its
// value for the active lanes alone; so a value that is used after the loop
// that defines it is, for each lane, that of the lane's last iteration.
//
// # Control
//
// Control is a tree of labelled regions, bracketed in Func.Code by an opener
// and its [End]; there are no phis and no other jumps.
//
//	block L(p…) { … }      br L(args) goes to the END of L; p become args
//	loop L(p…=init) { … }  br L(args) goes to the START of L; the only back edge
//	if c { … } else { … }  the else arm may be absent
//	br L(args)             L is an enclosing block or loop
//	switch x {k→L…, L}     to enclosing blocks without parameters
//	kill                   the invocation ends
//
// The outermost region of a function is a block; its parameters are the
// function's results, and a br to it is a return. Code after br, switch or
// kill, up to the next else or end, is not allowed. Where a block with
// parameters or a loop ends, no lane may arrive by falling off.
//
// The meaning, the same in every engine, with A the set of active lanes:
//
//	br L(a)       L.p ← a for the lanes of A; L.in ∪= A; A = ∅
//	end of block  A ∪= L.in; L.in = ∅
//	loop L        L.p ← init for the lanes of A; L.in = ∅; run the body
//	end of loop   A = L.in; L.in = ∅; run the body again while A is not empty
//	if c          A splits into the lanes where c is 1, for the first arm, and
//	              the rest, for the second; behind the if the arms' A unite
//	kill          the lanes of A leave every set for good; A = ∅
//
// The arguments of one br are read before any parameter is written. Where A
// is empty an engine may skip to the place where it can grow. This is
// structured reconvergence; maximal reconvergence follows as long as no pass
// moves or duplicates an operation at which lanes meet (Row.Meets).
//
// A call runs the callee for the lanes of A and gives its results; behind the
// call A is as before, less the lanes that were killed. Functions do not
// recurse.
//
// # Memory
//
// Every access is checked by definition and the engine chooses how.
//
//	res   i, #r → h       descriptor i of resource r; the null handle (length 0)
//	                      where i is out of range or nothing is bound
//	push → h              the push constants
//	wg → h                the workgroup's memory, zero when the group starts
//	table #n → h          constant data of the program
//	len   h → i32         bytes
//	at    off, i, #stride → i32
//	                      off + i·stride, unsigned and SATURATING at 2³²−1: an
//	                      offset never wraps back into range
//	ld.T  h, off, #imm    0 where off+imm+size > len
//	st.T  h, off, v, #imm nothing where out of range, nothing for helpers
//	atom….T h, off, v, #imm  the same check; the old value; lanes ascending
//	region addr, #n → h   the live allocation that holds [addr, addr+n), or null
//	regionoff h, addr → i32  addr − base of h; 0 for null
//
// A store or atomic to what is read-only (push constants, tables, uniform and
// NonWritable resources) counts as out of range; so does an atomic of a helper.
// An atomic out of range yields 0. What an atomic computes is made canonical
// where it is NaN. Offsets need no alignment in memory operations, except for
// atomics, where a misaligned access counts as out of range. Components of one
// vector stand adjacent, with the same h and off, so that they can be loaded
// together. Accesses through different bindings may alias unless the resource
// says Restrict; the bytes of a resource marked NonWritable do not change
// while the program runs.
//
// Function and Private variables are slots of 32 bits in a private memory of
// the lane; values of 64 bits take two slots (low half first), all others
// one. Each variable of the program has its place in it ([Var]); frames are
// static.
//
//	pld.T slot, #var      0 where slot (+1 for 64 bits) ≥ Slots of var
//	pst.T slot, v, #var   nothing where out of range
//	pclr  #var            all slots of var become 0 for the active lanes
//	paddr #var → i32      the place of var's first slot in the lane's memory
//	pldi.T place          the same through a place: checked against the whole
//	psti.T place, v       private memory of the lane
//
// A load of fewer than 32 bits takes a slot's low ones. All of it is 0 when an
// invocation starts.
//
// # Inputs, outputs
//
// in #k reads Program.In[k], out #k writes Program.Out[k]. Built-in variables
// that could be computed from each other (GlobalInvocationId,
// LocalInvocationId, WorkgroupId, LocalInvocationIndex, …) are separate inputs
// with a declared [Rate], never computed in lower, so that engines see their
// shape.
//
// # Groups
//
// The group of elect, any, all, alleq, ballot, shuf, reduce, scani and scanx is
// the active lanes of the subgroup. The subgroup size is the program's, never
// the machine's. shuf from an inactive lane reads 0; quadswap from an inactive
// lane reads the lane's own value. A reduction is a tree over the lane index:
// for k = 1, 2, 4, …: x[i] ← op(x[i], x[i+k]) for i ≡ 0 mod 2k, then a
// broadcast; inactive lanes hold the identity (−0 for fadd). A cluster of n
// lanes is the first log₂ n steps. Scans are Kogge–Stone: for k = 1, 2, 4, …:
// x[i] ← op(x[i−k], x[i]) where i−k is in the cluster; an exclusive scan
// shifts the inclusive one up by one active lane, and begins in each cluster
// with the identity ([Identity]). alleq compares floats by feq: no NaN is equal
// to itself.
//
// # Strips and the order of effects
//
// A strip is the B lanes of one instruction stream. B is the engine's choice
// and never visible. The order of effects is a law: workgroups ascending per
// worker (x fastest), within a workgroup subgroups ascending, each to its next
// barrier; within a subgroup operation by operation, lanes ascending.
// Effects.Ordered forces B to be the subgroup size.
//
// # The rules of the bits
//
//   - No pass changes any bit of any result. Contraction is lower's decision;
//     no pass makes or breaks an ffma.
//   - Floating-point operations round to nearest even unless flagged; they keep
//     denormals. Flushing is the operation fflush.
//   - An arithmetic NaN has bits that nobody controls until fcanon makes them
//     canonical (sign 0, quiet bit alone). lower puts fcanon wherever a float
//     that was computed becomes observable: store, bitcast, export, shuffle,
//     atomic, ballot or compare of bits. Values that only travel keep theirs.
//   - fmin(x,y) = y<x ? y : x and fmax(x,y) = x<y ? y : x, exactly, hence not
//     commutative for NaN and zeros. nmin and nmax: a NaN loses; −0 < +0.
//   - Transcendental functions are not operations: lower builds them.
//   - What SPIR-V leaves undefined is decided by the operation's row or by
//     lower, and listed in docs/undefined.md.
//
// # Text
//
// A program prints and parses ([Program.String], [Parse]); the printed form of
// every operation is a test. A value prints as v7, or in full as a constant:
// true, 5:i32, 1.5:f32, 0x7fc00000:f32. Flags stand behind an exclamation
// mark, the number of the SPIR-V instruction behind an at sign.
//
//	v9 = add.i32 v7, 5:i32 @31
//	v10 = ult.i32 v9, v2
//	v11 = fcvt.f16.f32 v8 !rtz
package ir
