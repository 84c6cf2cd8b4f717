// Package vcode is code for a machine with vectors and masks, of which it knows
// the number of lanes: basic blocks of instructions over virtual registers. It
// refuses to know encodings, real registers and control trees.
//
// A strip of B lanes is cut into parts of as many lanes as the machine's vectors
// have (Form). A virtual register holds the lanes of a part of one value: true or
// false each (Mask), 32 bits each (Vec, also for what is narrower,
// zero-extended), or 64 bits each (Wide); or one number for the whole strip (Gen). Registers may be written more than once; an instruction with a
// mask writes the lanes of the mask, and keeps the others where it says so.
package vcode
