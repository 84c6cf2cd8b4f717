package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// vectorFile describes the vector registers of a level, from 0 on: those that are always scratch, those that
// are shared, and those that hold values alone. A shared vector is scratch in some instructions of a function
// and holds values in others (regalloc.Shared).
type vectorFile struct {
	shared, first, end Reg // the first shared vector, the first that is never scratch, the number of all
}

// The vector registers of each level. A long sequence needs most of the scratch vectors. The lowest ones are not
// shared: nearly every instruction with an operand in memory loads it there.
var (
	zmmFile = vectorFile{shared: 5, first: 9, end: 32}
	ymmFile = vectorFile{shared: 1, first: 5, end: 16}
)

func (m *machine) file() vectorFile {
	if m.level == target.AVX512 {
		return zmmFile
	}
	return ymmFile
}

// vectorOf returns the vector register with a number of regalloc.
func (m *machine) vectorOf(n int8) Reg {
	file := m.file()
	if k := int(n) - m.frame.registers[vcode.Vec]; k >= 0 {
		return allocatedTag + file.shared + Reg(k)
	}
	return file.first + Reg(n)
}

// sharing is the use of shared vectors in a function. Which instructions need them as scratch is known only
// after code generation, since it depends on the operands in memory. So the first attempt assumes that none
// does, and each attempt gathers what its code used. The encoder sees each use (Asm.named), so that no table of
// the scratch registers of each emitter is needed.
type sharing struct {
	wanted   bool    // the function has values in memory, and no other function bails out to it
	busy     []uint8 // of each instruction: vectors that were scratch in an attempt, one bit each
	occupied []uint8 // of each instruction: vectors that hold values; nil if no vector is shared
	conflict bool    // an instruction used an occupied vector as scratch
}

const (
	// sharedAttempts is the number of allocations with shared vectors; after them there is one without.
	sharedAttempts = 3

	// maxShared is the largest number of instructions of a function with shared vectors, since it is generated
	// several times.
	maxShared = 8000
)

// allocateAlone allocates without shared vectors.
func (m *machine) allocateAlone(i int) {
	fr := &m.frames[i]
	fr.alone = fr.analysis.Allocate(fr.registers)
	n := m.funcs[i].Len()
	fr.sharing.wanted = fr.alone.MemoryWeight > float32(n)/8 && n <= maxShared && !slices.Contains(m.facts.BailTargets, i)
	if !fr.sharing.wanted || fr.registers[vcode.Wide] == 0 {
		return
	}
	// The number of pairs for 64-bit lanes that needs the least memory accesses.
	const less, more = 2, 3
	usual := fr.registers
	for pairs := max(usual[vcode.Wide]-less, 0); pairs <= usual[vcode.Wide]+more; pairs++ {
		with := usual
		with[vcode.Wide], with[vcode.Vec] = pairs, usual[vcode.Vec]-2*(pairs-usual[vcode.Wide])
		if with[vcode.Vec] <= 0 {
			break
		}
		if made := fr.analysis.Allocate(with); made.MemoryWeight < fr.alone.MemoryWeight {
			fr.alone, fr.registers = made, with
		}
	}
}

// allocateShared allocates with the shared vectors too. It returns the allocation without them if they do not save
// memory accesses, and after too many attempts.
func (m *machine) allocateShared(i, attempt int) *regalloc.Allocation {
	fr := &m.frames[i]
	s := &fr.sharing
	s.occupied, s.conflict = nil, false
	if !s.wanted || attempt >= sharedAttempts {
		return fr.alone
	}
	if s.busy == nil {
		s.busy = make([]uint8, fr.analysis.Instructions())
	}
	file := m.file()
	with := fr.analysis.AllocateShared(fr.registers, regalloc.Shared{Count: int(file.first - file.shared), Busy: s.busy})
	if with.MemoryWeight >= fr.alone.MemoryWeight {
		return fr.alone
	}
	s.occupied = with.Occupied()
	return with
}

// noteScratch records the shared vectors that the code of n instructions uses as scratch. A value in a shared
// vector has allocatedTag, so its mentions do not count.
func (m *machine) noteScratch(at, n int) {
	s := &m.frame.sharing
	if s.occupied == nil {
		return
	}
	file := m.file()
	used := uint8(m.named>>file.shared) & (1<<(file.first-file.shared) - 1)
	m.named = 0
	for i := at; i < at+n; i++ {
		s.busy[i] |= used
		s.conflict = s.conflict || used&s.occupied[i] != 0
	}
}
