package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// frame is the stack frame of a function, a multiple of 16 bytes as AArch64 requires of the stack pointer.
//
//	higher addresses
//	  caller's outgoing area       results, then arguments of this call (frame.args, frame.results)
//	  return address               8 bytes, and 8 of padding
//	  copies of records            see machine.copyRecord
//	  spill slots                  regalloc.Frame.Slots
//	  outgoing area                calls: arguments and results of the functions that it calls
//	  ◀── SP
type frame struct {
	regalloc.Frame
	args, results []int32 // offsets in the caller's outgoing area
	outgoing      int32   // size of both

	calls        int32   // size of the outgoing area
	recordBytes  int64   // size of the copies of records that are partly out of range
	recordCopies int64   // offset of these copies
	spilled      float32 // share of spilled vector operands
}

// frameTop is the size in bytes of the return address with its padding.
const frameTop = 16

// size returns the size in bytes of the whole frame.
func (f *frame) size() int64 { return int64(f.Size) + f.recordBytes + frameTop }

// allocateFrames allocates registers and frames of the first n functions.
func (m *machine) allocateFrames(n int) bool {
	for ; m.allocated < n; m.allocated++ {
		if !m.allocate(m.allocated) {
			return false
		}
	}
	return true
}

// allocate gathers facts about a function, and allocates its registers.
func (m *machine) allocate(i int) bool {
	f, fr := m.funcs[i], &m.frames[i]
	f.Each(func(in *vcode.Inst) {
		m.facts.Note(in) // before handles are constants
		m.layout.Fold(f, in)
		if native(in) && !in.Merging && !codegen.UsesMask(in.IR) {
			in.Masks = nil // so that its live range ends before
		}
		if in.WordMask != 0 {
			fr.recordBytes += int64(in.Key.Aux)
		}
		if in.Op == vcode.Call {
			fr.calls = max(fr.calls, m.frames[in.Target].outgoing)
		}
	})
	with := machineFor()
	a := regalloc.Analyze(f, with).Allocate(with.Registers)
	fr.spilled = a.SpilledShare
	ok := false
	fr.Frame, ok = a.Frame(fr.calls, target.MaxStack)
	fr.recordCopies, fr.recordBytes = int64(fr.Size), (fr.recordBytes+15)&^15
	return ok && fr.size() <= target.MaxStack
}
