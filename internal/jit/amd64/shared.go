package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// sharedVecs are the vectors that are scratch in some instructions of a function and hold values in others.
// Which instructions need them is known only after code generation, since it depends on the operands in
// memory. So the first attempt assumes that none does, and each attempt gathers what its code used as scratch.
type sharedVecs struct {
	busy     []uint8 // of each instruction: vectors that were scratch in an attempt, one bit each
	occupied []uint8 // of each instruction: vectors that hold values; nil if no vector is shared
	conflict bool    // an instruction used an occupied vector as scratch
}

// pairs allocates without shared vectors, with the number of pairs for 64-bit lanes that needs the least memory
// accesses. The other vectors are for 32-bit lanes and masks.
func (fr *frame) pairs() *regalloc.Allocation {
	most := 0
	if fr.registers[vcode.Wide] > 0 {
		most = (16 - ymmFirst) / 2
	}
	var best *regalloc.Allocation
	for n := range most + 1 {
		with := fr.registers
		with[vcode.Wide], with[vcode.Vec] = n, 16-ymmFirst-2*n
		if made := fr.analysis.Allocate(with); best == nil || made.MemoryWeight < best.MemoryWeight {
			best, fr.ymmVecs, fr.ymmPairs = made, with[vcode.Vec], n
		}
	}
	return best
}

// sharedAttempts is the number of allocations with shared vectors; after them there is one without.
const sharedAttempts = 3

// allocateShared allocates with the vectors from ymmShared to ymmFirst as well. It keeps best if that does not
// save memory accesses, or after too many attempts.
func (fr *frame) allocateShared(best *regalloc.Allocation, attempt int) *regalloc.Allocation {
	s := &fr.shared
	s.occupied, s.conflict = nil, false
	if attempt >= sharedAttempts {
		return best
	}
	if s.busy == nil {
		s.busy = make([]uint8, fr.analysis.Instructions())
	}
	registers := fr.registers
	registers[vcode.Vec], registers[vcode.Wide] = fr.ymmVecs, fr.ymmPairs
	with := fr.analysis.AllocateShared(registers, regalloc.Shared{Count: ymmFirst - ymmShared, Busy: s.busy})
	if with.MemoryWeight >= best.MemoryWeight {
		return best
	}
	s.occupied = with.Occupied()
	fr.left = with.SpilledShare
	return with
}

// noteScratch records the shared vectors that the code of n instructions uses as scratch. A value in a shared
// vector has allocatedTag, so its mentions do not count.
func (m *machine) noteScratch(at, n int) {
	s := &m.frame.shared
	if s.occupied == nil {
		return
	}
	used := uint8(m.named>>ymmShared) & (1<<(ymmFirst-ymmShared) - 1)
	m.named = 0
	for i := at; i < at+n; i++ {
		s.busy[i] |= used
		s.conflict = s.conflict || used&s.occupied[i] != 0
	}
}
