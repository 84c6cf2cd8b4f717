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
// moves or duplicates an operation at which lanes meet ([Meets]). A switch goes to
// the first label whose constant has x's bits, or to the last one of all where
// no constant does.
//
// A call runs the callee for the lanes of A and gives its results; behind the
// call A is as before, less the lanes that were killed. A callee's code is a
// place of its own: a group operation in it is met by the lanes of one call, not
// of two. Functions do not recurse: that is no fault of form, but engines refuse
// a program whose reachable calls have a cycle.
//
// A run has a budget: a subgroup that takes more steps than it (each iteration
// of a loop but the first is one, each call is one) ends the run with an error.
// What was stored by then stays. anew gives the subgroup its whole budget again:
// who makes a program that does one after the other what would be invocations of
// their own writes it where the next begin. It stands in the entry point of a
// program of stage compute alone, and no shader has one.
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
// while the program runs; of one marked Disjoint no two invocations of a workgroup
// access the same byte.
//
// Bytes are low byte first. i, off, imm, #stride and place are unsigned, and
// off+imm+size is exact: it does not wrap. The descriptors of a resource are
// those that the run binds, however many [Resource] counts: it is res that
// checks i. len is that of the bytes bound, for push those pushed, for wg
// Program.SharedBytes; what lies from byte 2³²−1 on is not there. A region is
// found where all n bytes lie in it and addr is less than 2³² behind its base;
// it lives as long as the run. The h of regionoff comes from region; the
// difference is modulo 2³². An atomic is misaligned where off+imm is no multiple
// of its size. atomcmpxchg takes h, off, the new value and the one compared;
// atomfadd adds as fadd, atomfmin and atomfmax as nmin and nmax.
//
// Flags change no value that one subgroup alone can see. Volatile forbids to
// merge, move or remove the access; Coherent, and every atomic, makes an aligned
// access of up to 64 bits indivisible for other workers (an aligned one of 32
// always is). A Coherent atomic also orders the accesses before and behind it as
// others see them. Proven is a promise that the check would pass: who sets it has
// proved it. The result of an Unused atomic does not exist and may not be read.
// AnyNaN is a promise too: of a NaN the bits that the bitcast or the quadswap shows change
// nothing that is stored or decides an effect, so that no fcanon need stand before it.
// fence and barrier order what is before them against what is behind them: for
// the workgroup, and where they are Coherent for other workers and whoever else
// sees the memory; within a worker effects are in order without them. What an
// Unused atomic does may be seen when the run ends only, unless an order or a
// Coherent or Volatile access says that others look before.
//
// Function and Private variables are slots of 32 bits in a private memory of
// the lane; values of 64 bits take two slots (low half first), all others
// one. Each variable of the program has its place in it ([Var]), one behind the
// other ([Program.VarBase]). Frames are static: a variable of a function is the
// same slots in every call and keeps from one call to the next what it held;
// a function that wants zeros begins with pclr.
//
//	pld.T slot, #var      0 where slot (+1 for 64 bits) ≥ Slots of var
//	pst.T slot, v, #var   nothing where out of range
//	pclr  #var            all slots of var become 0 for the active lanes
//	paddr #var → i32      the place of var's first slot in the lane's memory
//	pldi.T place          the same through a place: checked against the whole
//	psti.T place, v       private memory of the lane
//
// slot and place are unsigned. A load of fewer than 32 bits takes a slot's low
// ones; a store of fewer sets the rest to 0. A value of 64 bits is stored or not
// as a whole. Helpers store too: this memory is their own. All of it is 0 when
// an invocation starts.
//
// # Inputs, outputs
//
// in #k reads Program.In[k], out #k writes Program.Out[k]. Built-in variables
// that could be computed from each other (GlobalInvocationId,
// LocalInvocationId, WorkgroupId, LocalInvocationIndex, …) are separate inputs
// with a declared [Rate], never computed in lower, so that engines see their
// shape. Lane l of subgroup s is the invocation with LocalInvocationIndex
// s·SubgroupSize + l, x fastest; lanes beyond the last invocation are never
// active. GlobalInvocationId is modulo 2³²; WorkgroupId, and so it, contains the
// dispatch's base, NumWorkgroups does not. A built-in is cut to its input's
// type; NoSemantic is 0.
//
// The stages of graphics have the semantics behind NumSubgroups, and operations
// of their own. No engine runs these, nor out: whoever runs a stage replaces them
// by operations on memory, and makes a program of stage compute of it. A compute
// program has none of them.
//
//	in.T #k              (of the stages too) input k of this invocation
//	inat.T i, #k         input k of vertex i of the primitive or patch; 0 where it has none
//	interp.T dx, dy, #k  input k at the center of the pixel and (dx, dy) pixels to
//	                     the right and down, whatever its Place
//	out.T v, #k          output k becomes v
//	outat.T i, v, #k     output k of vertex i of the patch becomes v; nothing where it has none
//	outget.T i, #k       what output k of vertex i is; 0 where it has none
//	emit #s              the outputs of stream s, as they are, become its next vertex
//	endprim #s           the strip of stream s ends
//
// For inat, outat and outget i is ignored where the input or output is Patch.
// Inputs are what the stage before gives by Location, and built-ins. Built-ins are
// f32 where Vulkan has floats and else i32, with 0 and 1 for booleans. A fragment's
// inputs have an Interpolation and a Place; what is interpolated counts as computed
// (see the rules of the bits), all others travel. An output is 0 until it is
// written. The outputs of tessellation control are seen by all invocations of the
// patch, as their memory would be; barriers order them. A fragment that was killed,
// or is a helper, hands nothing on. QuadX and QuadY say where in its quad a lane is.
// Of an output with a Capture each vertex leaves its value also at Offset of the vertex
// in the buffer of transform feedback that this [Capture] is.
//
// # Groups
//
// The group of elect, any, all, alleq, ballot, shuf, reduce, scani and scanx is
// the active lanes of the subgroup. The subgroup size is the program's, never
// the machine's. shuf from an inactive lane reads 0; quadswap from an inactive
// lane reads the lane's own value. Four lanes that follow each other are a quad;
// where [Program.QuadRow] is not 0 a quad is two lanes and those QuadRow further on.
// quadswap #1 reads the lane beside it, #2 the one in the other row, #3 the one across.
// A reduction is a tree over the lane index:
// for k = 1, 2, 4, …: x[i] ← op(x[i], x[i+k]) for i ≡ 0 mod 2k, then a
// broadcast; inactive lanes hold the identity (−0 for fadd). A cluster of n
// lanes is the first log₂ n steps. Scans are Kogge–Stone: for k = 1, 2, 4, …:
// x[i] ← op(x[i−k], x[i]) where i−k is in the cluster; an exclusive scan
// shifts the inclusive one up by one active lane, and begins in each cluster
// with the identity ([Identity]). alleq compares floats by feq: no NaN is equal
// to itself.
//
// All results are for the lanes of A, helpers included, and A is never empty
// where such an operation has a meaning. A lane number is unsigned; one at or
// beyond the subgroup size is an inactive lane. quadswap #0 is the lane itself.
// Word #imm of a ballot beyond the subgroup is 0. Clusters begin at multiples of their size; 0 is the whole
// subgroup, and 1 gives the operand, or for scanx the identity. op is the
// operation of that name with the flags of the reduce or scan, and it is applied
// to identities as to any other value: nmin over lanes that are all NaN is the
// canonical NaN where no inactive lane takes part and ∞ where one does. The
// steps of a scan read what the step before left. A NaN that comes from reduce or
// a scan is an arithmetic one.
//
// A barrier stops the whole subgroup, whichever of its lanes are active, until
// every subgroup of the workgroup that has not ended stands at a barrier, at this
// one or another. A lane that met no barrier does not make up for it. demote
// makes the lanes of A helpers for the rest of the invocation: they stay active,
// and helper is 1 for them.
//
// log begins a message of the lane, the one with number #imm of
// [Program.Messages], and logarg adds a value to it: the next of Message.Args. A
// run hands messages on in the order of the workgroups, and within one in the
// order of subgroups and lanes; those of one invocation in the order in which it
// said them. A run keeps only so many of them, the first by the order of effects.
// Helpers say nothing. An invocation that says an Abort goes on to a kill, which
// lower puts behind it; the run goes on, and gives an error in the end.
//
// exit leaves to service #imm of the engine. No service is defined: an engine
// refuses a program with an exit that it does not know.
//
// # Textures
//
// What an instruction does to an image depends on the view and the sampler that
// are bound: format, extent, filter. So it is the call of a function whose head, a
// [Texture], says what is asked, and whose body is made when the views are known,
// of the operations of this package: both engines run it as any other function.
// Until then its body is that of the null descriptor. An image is two resources,
// its memory (Texels) and, one behind, what its view shows of it (ImageShape); a
// sampler is one (SamplerState). Passes must not look into a texture function that
// still waits, nor may an engine inline it: whoever runs a program binds first.
//
//	texture sample 2d f32 image 0 sampler 2 lod
//	func "sample" (v1 i32, v2 i32, v3 f32, v4 f32, v5 f32) L1(…) { … }
//
// # Strips and the order of effects
//
// A strip is the B lanes of one instruction stream. B is the engine's choice
// and never visible. The order of effects is a law: workgroups ascending per
// worker (x fastest), within a workgroup subgroups ascending, each to its next
// barrier; within a subgroup operation by operation, lanes ascending.
// Effects.Ordered forces B to be the subgroup size, and one worker. Elsewhere B
// may be another only where no result of a single worker can tell: not where a
// strip of several subgroups could read or overwrite what another of its
// subgroups stores, other than across a barrier. Between workgroups of several
// workers there is no order, but no aligned access of 32 bits is torn.
//
// [Program.Effects] says no less than the code does ([Program.StateEffects]);
// who changes code states them again.
//
// # The rules of the bits
//
//   - No pass changes any bit of any result. Contraction is lower's decision;
//     no pass makes or breaks an ffma.
//   - Floating-point operations round to nearest even unless flagged; they keep
//     denormals. Flushing is the operation fflush. The flag !rtz counts for
//     fadd, fsub, fmul, fdiv, ffma, fsqrt, fcvt, stof and utof, for the fadd and
//     fmul of reduce and scans, and for atomfadd; for others it means nothing.
//     A finite result that overflows becomes the greatest finite number then.
//   - A signaling NaN raises nothing and is a NaN like others.
//   - An arithmetic NaN has bits that nobody controls until fcanon makes them
//     canonical (sign 0, quiet bit alone). lower puts fcanon wherever a float
//     that was computed becomes observable: store, bitcast, export, shuffle,
//     atomic, ballot or compare of bits, and where a slot of private memory may
//     be read in another type than it was written. Values that only travel keep
//     theirs, signaling ones too: through ld, st, pld, pst, br, call, select,
//     shuf, quadswap, atomxchg and bitcast; fneg and fabs change the sign bit
//     alone, fflush changes no NaN, fmin, fmax, nmin and nmax give the bits of
//     the operand they choose. All other operations on floats, a conversion
//     between floats too (one to the same width changes nothing else), give an
//     arithmetic NaN where they give one.
//   - fmin(x,y) = y<x ? y : x and fmax(x,y) = x<y ? y : x, exactly, hence not
//     commutative for NaN and zeros. nmin and nmax: a NaN loses; −0 < +0; two
//     NaN give the canonical one.
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
