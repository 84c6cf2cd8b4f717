// Package regalloc says where each virtual register lives. It refuses to know
// what instructions do and how they are encoded. For now all registers live in
// the frame; what chooses real registers takes this place and keeps the form
// of its answer.
package regalloc
