// Package vectorize turns the program of one invocation into SIMD code for a strip of lanes: whole-function
// vectorization (Karrenberg & Hack 2011) of structured SSA to predicated vcode. It refuses to know the
// machine, beyond the number of lanes in a register, and the result of any operation.
//
// # Strips
//
// A strip is the SIMD batch of one instruction stream: the lanes of one subgroup, or of several if no
// result can tell the difference (merge.go). A part is one vector register's worth of lanes. A varying
// value has one register for each part, and the code of the parts is interleaved, which hides latency:
//
//	strip of 64 lanes, registers of 16        lanes 0–15   16–31   32–47   48–63
//	varying x + y                             x0 + y0      x1 + y1 x2 + y2 x3 + y3     4 vector instructions
//	strided i + 1 (i = i₀ + lane)             i₀ + 1                                   1 scalar instruction
//	uniform n · 4                             n · 4                                    1 scalar instruction
//
// # Pipeline
//
//	ir.Func
//	  │ divergence analysis        shape of each value: uniform, strided, address, varying; divergent loops
//	  │ speculation                conditions that nearly all strips fulfil become scalar guards
//	  │ joint control flow         (workgroups with barriers) phases: parallel regions between barriers
//	  ▼
//	emission                       masks replace divergent control flow, scalars uniform and strided values
//	  │ mask propagation           known masks, tests and jumps
//	  │ block layout               loop rotation, removal of short branches
//	  │ memory                     redundant loads, merged gathers, split accesses
//	  │ coalescing, scheduling     of registers, and of square roots and divisions
//	  │ bounds checks              shared by accesses with one base
//	  ▼
//	vcode.Func                     to regalloc and the machine
//
// Four entry points make code for a strip: [Program] and [Entry], one function for each function of the
// program; [PartMajor], one part after the other for code that mostly waits for memory; and [Workgroup],
// one stream for all subgroups of a workgroup with barriers.
//
// # Masks
//
// The set of active lanes (A of internal/ir, "Control") is a mask for each part. Code runs for at least one
// active lane: if A gets empty, a jump skips to the next point at which it can grow. So uniform values and
// control flow need no mask. Lane operations are predicated, but a write preserves inactive lanes (vcode:
// merging) only if lanes that left a divergent loop still read the value (liveout.go); other writes leave
// inactive lanes undefined.
//
// # Barriers
//
// If all invocations of a workgroup execute the same path to every barrier, its subgroups become one stream
// (groupflow.go). Each phase, the parallel region between two barriers, is executed by one subgroup after
// the other, so a barrier emits nothing. A phase is a work-item loop, or is replicated for each subgroup if
// values live across its boundaries. In long code such values are in memory instead (context.go).
//
//	         subgroup 0   subgroup 1   subgroup 2
//	phase 1      1 ─────────► 2 ─────────► 3 ──┐
//	barrier  ┌─────────────────────────────────┘
//	phase 2  └─► 4 ─────────► 5 ─────────► 6
//
// # Files
//
// Callees come first: a file refers mostly to files before it.
//
//	arena.go          scratch memory
//
//	liveout.go        liveness across divergent loops: writes that preserve inactive lanes
//	shape.go          the lattice of the divergence analysis
//	block.go          strided values within aligned blocks of numbers
//	transfer.go       its transfer functions
//	divergence.go     divergence analysis
//	monotone.go       quotients and remainders of ascending indices
//	delay.go          accesses that wait for guards
//	speculate.go      speculation: conditions of nearly all strips
//	sink.go           sinking of select arms below a branch
//	merge.go          subgroup merging: the width of a strip
//	mergeaddress.go   the same with device addresses
//	groupmerge.go     workgroup merging: small workgroups as one
//	count.go          counters of profiles, for each subgroup of a strip
//	countloop.go      sums for the counters in loops
//	groupflow.go      workgroup-uniform control flow
//	dependence.go     dependences between phases
//
//	builder.go        vcode under construction
//	vectorizer.go     predicated instructions
//	value.go          registers of a value
//	counterbound.go   bounds of counters in the arms of ifs
//	range.go          value ranges and alignment
//	guard.go          speculation guards
//	prefetch.go       prefetch distances
//	builtin.go        invocation IDs
//	strided.go        strided values and addresses in general registers
//	lanetable.go      values with constant differences between lanes
//	lookup.go         table lookup in a register
//	memory.go         memory accesses
//	quotient.go       division of small numbers by a constant
//	quads.go          quad-complete masks, values and sides of quads
//	operation.go      operations without control flow
//	region.go         regions of structured control flow
//	branch.go         branches, and the parameters of labels
//	control.go        blocks, loops and ifs
//	accumulator.go    accumulators of divergent loops
//	countexit.go      counters at the exits of divergent loops
//	farif.go          ifs of the sanitizers' reports, which rarely run
//
//	blocks.go         visits and deletions of instructions, block merging
//	liveness.go       liveness of registers
//	dce.go            dead code elimination
//	maskprop.go       mask propagation and jump threading
//	shortbranch.go    removal of branches over short masked code
//	rotate.go         loop rotation
//	sinkfar.go        sinking of computations into far blocks
//	numbering.go      value numbering over the parts
//	loadelim.go       redundant load elimination in workgroup memory
//	gather.go         merging of gathers
//	tworuns.go        split accesses
//	window.go         windows of several gathers
//	coalesce.go       copy coalescing
//	joincopies.go     copies between the parameters of nested loops
//	pressure.go       register pressure of a block
//	splitchain.go     chains of updates of a variable
//	schedule.go       instruction scheduling for long latencies
//	demandorder.go    the order of straight code by demand
//	wordforward.go    words of workgroup memory in registers
//	countedloop.go    counted loops without bounds checks
//	boundscheck.go    hoisted bounds checks
//	recordload.go     record loads
//	recordrun.go      runs of accesses to the same records
//	launchvalue.go    values that are the same in all workgroups
//	passes.go         the order of the vcode passes
//
//	program.go        vectorization of a program
//	partmajor.go      part-major code
//	groupstream.go    the state of a workgroup as one stream
//	context.go        contexts: values that live across barriers in memory
//	loopbound.go      bounds of work-item loops
//	itempart.go       parts of a subgroup one after the other, if registers are few
//	workitem_loop.go  work-item loops over the subgroups
//	phasejoin.go      joined phases: loops over both sides of a barrier
//	contextrow.go     rows of contexts that values share
//	contextplan.go    which values have contexts, and their assignment
//	wordplan.go       which workgroups have words in registers
//	wordguard.go      guards of the stream with words in registers
//	workgroup.go      a workgroup as one instruction stream
package vectorize
