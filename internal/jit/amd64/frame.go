package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// frame is the stack frame of a function. Its size is 8 less than a multiple of 64, so that with the
// return address the stack stays aligned to a cache line: spilled vectors then never straddle two
// lines.
//
//	higher addresses
//	  caller's outgoing area       results, then arguments of this call (frame.args, frame.results)
//	  return address               8 bytes
//	  padding                      56 bytes
//	  copies of records            recordBytes: see machine.copyRecord
//	  spill slots                  regalloc.Frame.Slots
//	  outgoing area                calls: arguments and results of the functions that it calls
//	  ◀── RSP, a multiple of 64
type frame struct {
	regalloc.Frame
	args, results []int32 // offsets in the caller's outgoing area
	outgoing      int32   // size of both
	sharing       sharing

	analysis     *regalloc.Analysis
	registers    [vcode.NumClasses]int // available registers of each class, without shared vectors
	alone        *regalloc.Allocation  // without shared vectors
	calls        int32                 // size of the outgoing area
	recordBytes  int32                 // size of the copies of records that are partly out of range
	recordCopies int32                 // offset of these copies
	spilled      float32               // share of spilled vector operands, with the registers that every function can spare
	left         float32               // share of spilled vector operands with all registers that this one can spare
}

// allocateFrames allocates registers and frames of the first n functions.
func (m *machine) allocateFrames(n int) bool {
	for ; m.allocated < n; m.allocated++ {
		m.analyze(m.allocated)
		if !m.allocate(m.allocated, 0) {
			return false
		}
	}
	return true
}

// analyze gathers facts about a function before register allocation.
func (m *machine) analyze(i int) {
	f, fr := m.funcs[i], &m.frames[i]
	f.Each(func(in *vcode.Inst) {
		m.facts.Note(in) // before handles are constants
		m.layout.Fold(f, in)
		if m.set.native(in) && !in.Merging && !codegen.UsesMask(in.IR) {
			in.Masks = nil // so that its live range ends before
		}
		if in.WordMask != 0 {
			fr.recordBytes += int32(in.Key.Aux)
		}
		if in.Op == vcode.Call {
			fr.calls = max(fr.calls, m.frames[in.Target].outgoing)
		}
	})
	var pinned []vcode.Reg
	if m.level == target.AVX2 {
		pinned = pinConstants(f)
	}
	with := m.set.machineFor(f)
	with.Pinned = pinned
	fr.analysis, fr.registers = regalloc.Analyze(f, with), with.Registers
}

// allocate allocates registers of a function. Attempt 0 is the first.
func (m *machine) allocate(i, attempt int) bool {
	fr := &m.frames[i]
	if attempt == 0 {
		m.allocateAlone(i)
	}
	best := m.allocateShared(i, attempt)
	fr.spilled, fr.left = fr.alone.SpilledShare, best.SpilledShare
	ok := false
	fr.Frame, ok = best.Frame(fr.calls, target.MaxStack)
	fr.recordCopies = fr.Size
	fr.Size += (fr.recordBytes + 63) &^ 63
	return ok && fr.Size <= target.MaxStack
}
