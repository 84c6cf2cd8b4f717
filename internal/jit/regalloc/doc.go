// Package regalloc is the register allocator: it assigns each virtual register of a vcode.Func a physical
// register, a slot of the stack frame, or both if it is live across a call. It refuses to know the meaning
// and the encoding of instructions, and the machine's registers beyond their number in each class.
//
// It is a linear scan (Poletto & Sarkar 1999). Each virtual register has one live interval, without holes,
// from its first to its last mention in layout order, extended over each loop in which its value may be
// needed again. The scan visits the intervals by ascending start and assigns each a free register. If none is
// free, the interval with the lowest spill weight goes to memory for its whole length (spill everywhere, no
// live range splitting). The spill weight is the sum over the mentions of 8 to the power of their loop depth,
// divided by the interval's length. Mentions in blocks that rarely run (vcode.Block.Far) hardly count: the static estimate of block
// frequencies by heuristics of Ball & Larus 1993, reduced to the one that the vectorizer knows.
//
//	position         0    2    4    6    8    10   12      two physical registers
//	a (r0)           ├────────────────────┤
//	b (spilled)           ├───────────────────────┤        has the lowest spill weight when c starts
//	c (r1)                     ├─────────┤
//	d (r0)                                     ├──┤
//
// Differences from other allocators:
//
//   - Poletto & Sarkar spill the active interval with the furthest end; here the loop depth of the mentions
//     decides, because vectorized shader code is small and full of loops.
//   - The Go compiler and wazero allocate block by block, and insert moves at merges to reconcile the
//     register states of the predecessors. Here a virtual register has one location, and no edge needs moves.
//   - LLVM's greedy allocator splits live ranges. Here nothing is split: most x86 vector instructions read a
//     spilled value as a memory operand, so that a reload costs no instruction. Masks are the exception; see
//     loopCarriedMaskCost.
//   - Constants are not allocated: instruction selection rematerializes them at each use. A machine may copy those of loops to registers
//     before (Machine.Pinned).
//   - Around a call or a service exit, which preserves no register, live registers are saved to and restored
//     from their slots (Save), as with a calling convention without callee-saved registers.
//
// # Files
//
//  1. interval.go: loops and live intervals.
//  2. scan.go: Analyze, the scan, spill weights, saves.
//  3. shared.go: registers that some instructions overwrite.
//  4. frame.go: the description of the machine and the layout of the stack frame.
package regalloc
