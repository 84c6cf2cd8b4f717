package vcode

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Words returns the distance of the lanes of a strided access in words. If it is more than one, each lane accesses a word of a
// record of so many words, and the records of the lanes are adjacent.
func (in *Inst) Words() int { return int(in.Step*in.Stride) / 4 }

// Word returns the number of the word that a strided access accesses in its record.
func (in *Inst) Word() int { return int(in.constant()/4) % in.Words() }

// constant returns the constant part of the address of a strided access: its immediate, and the constant addend of its index.
func (in *Inst) constant() uint64 { return in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride) }

// AccessesRecords reports whether an instruction accesses records of several words, one for each lane, and may be joined with others.
func (in *Inst) AccessesRecords() bool {
	return (in.Op == StridedLoad || in.Op == StridedStore) && in.Words() > 1 && in.Key.Flags&(ir.Volatile|ir.Coherent) == 0 && !in.Merging
}

// SameRecords reports whether two strided loads, or two strided stores, or a load and a store, access the same records in the
// same lanes. The address of a Checked and Proven access is the result of its check alone.
func (in *Inst) SameRecords(y *Inst) bool {
	if (in.Checked && in.Proven || y.Checked && y.Proven) && in.Uses[len(in.Uses)-1] != y.Uses[len(y.Uses)-1] {
		return false
	}
	return in.Words() == y.Words() && in.Step == y.Step && in.Part == y.Part &&
		in.constant()-uint64(4*in.Word()) == y.constant()-uint64(4*y.Word()) && slices.Equal(in.Uses[:4], y.Uses[:4]) && slices.Equal(in.Masks, y.Masks)
}
