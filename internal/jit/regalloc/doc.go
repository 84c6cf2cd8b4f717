// Package regalloc says where each virtual register lives: in a register of
// the machine, in the frame, or in both, around instructions that keep no
// register. It refuses to know what instructions do, how they are encoded, and
// which registers a machine has: only how many of each class.
//
// It is a linear scan over the code in its order: a register lives from its
// first mention to its last, and through every loop in which what it holds may
// be wanted again. Where too many live at once, the one with the fewest uses for
// its length, those in loops counted more, lives in the frame.
package regalloc
